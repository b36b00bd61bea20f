// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/dither.h"

#include "controllers/controller-kind.h"
#include "controllers/coupled-controller.h"

#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

extern const ControllerKind BALIA;
extern const ControllerKind CUBIC;
extern const ControllerKind LIA;
extern const ControllerKind OLIA;
extern const ControllerKind RENO;

namespace
{

/// Least window in segments that is moved.
constexpr uint32_t LEAST_WINDOW = 4;
/// RTT samples of a subflow before its window is moved.
constexpr uint64_t FIRST_SAMPLES = 10;
/// Most segments by which a window is moved.
constexpr uint32_t MOST_SEGMENTS = 16;
/// The window over the largest amplitude.
constexpr uint32_t LEAST_QUOTIENT = 4;

/// What can be below.
const std::array<const ControllerKind*, 5> BELOW{&LIA, &BALIA, &CUBIC, &OLIA, &RENO};

/**
 * Moves the window of another controller, by a little and in random order.
 *
 * That controller acts on its base window: the offset is taken off before it is asked and put on
 * afterwards. So do the others of its group (CountedWindow). A symbol is a random sign and two
 * halves, the second with the opposite sign. There are none in slow start, in recovery, in CWR, and
 * while they are paused; one that is not complete then is nobody's.
 *
 * Losses come in positive halves as a rule, so that what is reduced is the window with its
 * amplitude. Otherwise the subflow would have less than without any symbols.
 */
class TcpDither : public ns3::TcpCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpDither")
                                     .SetParent<ns3::TcpCongestionOps>()
                                     .AddConstructor<TcpDither>();
        return tid;
    }

    /**
     * Take a seat; to be called before the socket gets the controller.
     *
     * @param seat The seat.
     * @param below The controller whose window is moved, of that seat.
     * @param share The amplitude over the window; 0: the window is never moved.
     */
    void Setup(const Seat& seat, Ptr<ns3::TcpCongestionOps> below, double share)
    {
        m_seat = seat;
        m_below = std::move(below);
        m_share = share;
        m_dithered = seat.shared->Get<DitheredWindow>();
        m_counted = seat.shared->Get<CountedWindow>();
        m_draw = ns3::CreateObject<ns3::UniformRandomVariable>();
        m_draw->SetStream(seat.stream);
    }

    std::string GetName() const override
    {
        return m_below->GetName();
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        m_below->Init(tcb);
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        // CWR begins after its threshold was asked for, recovery and loss before.
        const auto amplitude =
            m_phase == Phase::OFF ? std::exchange(m_lostAmplitude, 0) : m_amplitude;
        const auto put = std::exchange(m_lostOffset, 0);
        if (amplitude == 0)
        {
            return m_below->GetSsThresh(tcb, bytesInFlight);
        }
        const auto segment = static_cast<int64_t>(tcb->m_segmentSize);
        const auto used = std::max(bytesInFlight - put, 2 * segment);
        const auto threshold = m_below->GetSsThresh(tcb, static_cast<uint32_t>(used));
        return static_cast<uint32_t>(threshold + (amplitude * segment - m_offset) / 2);
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        TakeOff(tcb);
        m_below->IncreaseWindow(tcb, segmentsAcked);
        m_acked += segmentsAcked;
        PutOn(tcb);
    }

    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override
    {
        const auto offset = m_offset;
        TakeOff(tcb);
        m_below->PktsAcked(tcb, segmentsAcked, rtt);
        Move(tcb, offset);
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        if (newState != TcpSocketState::CA_OPEN && newState != TcpSocketState::CA_DISORDER)
        {
            m_lostOffset = m_offset;
            m_lostAmplitude = m_phase == Phase::OFF ? 0 : m_amplitude;
            TakeOff(tcb);
            Stop();
        }
        m_below->CongestionStateSet(tcb, newState);
    }

    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override
    {
        m_below->CwndEvent(tcb, event);
    }

    bool HasCongControl() const override
    {
        return m_below->HasCongControl();
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection& connection,
                     const ns3::TcpRateOps::TcpRateSample& sample) override
    {
        m_below->CongControl(tcb, connection, sample);
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        const auto copy = ns3::CopyObject<TcpDither>(this);
        copy->m_below = m_below->Fork();
        return copy;
    }

  private:
    /// Where a symbol has come to.
    enum class Phase
    {
        OFF,    //!< There is none
        FIRST,  //!< In its first half
        SECOND, //!< In its second half
    };

    /**
     * Move the window off its base.
     *
     * @param tcb State of the socket.
     * @param offset By how many bytes.
     */
    void Move(Ptr<TcpSocketState> tcb, int64_t offset)
    {
        m_offset = offset;
        if (offset != 0)
        {
            tcb->m_cWnd = static_cast<uint32_t>(tcb->m_cWnd.Get() + offset);
        }
    }

    /**
     * Let the window be its base.
     *
     * @param tcb State of the socket.
     */
    void TakeOff(Ptr<TcpSocketState> tcb)
    {
        if (m_offset != 0)
        {
            // A window that was changed meanwhile may be less than what was put on it.
            const auto least = static_cast<int64_t>(tcb->m_segmentSize);
            tcb->m_cWnd = static_cast<uint32_t>(std::max(tcb->m_cWnd.Get() - m_offset, least));
            m_offset = 0;
        }
    }

    /**
     * Move the window as the present half of a symbol, or a new one, has it.
     *
     * @param tcb State of the socket, whose window is its base.
     */
    void PutOn(Ptr<TcpSocketState> tcb)
    {
        if (!IsAllowed(tcb))
        {
            Stop();
            return;
        }
        const auto segment = static_cast<int64_t>(tcb->m_segmentSize);
        const auto base = static_cast<int64_t>(tcb->m_cWnd.Get());
        if (m_phase == Phase::OFF || IsHalfOver())
        {
            Turn(static_cast<uint32_t>(base / segment));
        }
        (*m_counted)[m_seat.index].segments = static_cast<double>(base) / segment;
        const int64_t sign = m_phase == Phase::FIRST ? m_sign : -m_sign;
        Move(tcb, std::max(sign * m_amplitude * segment, 2 * segment - base));
    }

    /**
     * @param tcb State of the socket, whose window is its base.
     * @return Whether its window may be moved now.
     */
    bool IsAllowed(Ptr<const TcpSocketState> tcb) const
    {
        const auto state = tcb->m_congState.Get();
        return m_share > 0 && !(*m_dithered)[m_seat.index].paused &&
               (state == TcpSocketState::CA_OPEN || state == TcpSocketState::CA_DISORDER) &&
               tcb->m_cWnd.Get() >= tcb->m_ssThresh.Get() &&
               tcb->m_cWnd.Get() / tcb->m_segmentSize >= LEAST_WINDOW &&
               (*m_seat.signals)[m_seat.index].samples >= FIRST_SAMPLES;
    }

    /// @return Whether the present half is long enough: half of the larger minimum RTT, and ACKs.
    bool IsHalfOver() const
    {
        Time larger;
        for (const auto& subflow : *m_seat.signals)
        {
            larger = std::max(larger, subflow.baseRtt);
        }
        return m_acked >= DitherHalfSegments(m_amplitude) &&
               Simulator::Now() - m_halves.back() >= larger / 2;
    }

    /**
     * Begin the next half, or another symbol.
     *
     * @param window The base window in segments.
     */
    void Turn(uint32_t window)
    {
        const auto now = Simulator::Now();
        if (m_phase == Phase::FIRST)
        {
            m_phase = Phase::SECOND;
        }
        else
        {
            auto& dithered = (*m_dithered)[m_seat.index];
            if (m_phase == Phase::SECOND && dithered.recorded)
            {
                dithered.symbols.push_back(
                    {m_halves[0], m_halves[1], now, m_sign * static_cast<int32_t>(m_amplitude)});
            }
            m_phase = Phase::FIRST;
            m_halves.clear();
            m_sign = m_draw->GetInteger(0, 1) == 1 ? 1 : -1;
            m_amplitude = DitherAmplitude(window, m_share);
        }
        m_halves.push_back(now);
        m_acked = 0;
    }

    /// End the present symbol, of which nobody is told.
    void Stop()
    {
        if (m_phase != Phase::OFF)
        {
            m_phase = Phase::OFF;
            m_halves.clear();
            (*m_counted)[m_seat.index].segments = 0;
        }
    }

    Seat m_seat;                             //!< The subflow and its connection
    Ptr<ns3::TcpCongestionOps> m_below;      //!< The controller whose window is moved
    double m_share{0};                       //!< Amplitude over the window
    Shared<DitheredWindow> m_dithered;       //!< What sources of verdicts know
    Shared<CountedWindow> m_counted;         //!< What counts in place of a window in its group
    Ptr<ns3::UniformRandomVariable> m_draw;  //!< Draws signs
    int64_t m_offset{0};                     //!< Bytes by which the window is off its base
    int64_t m_lostOffset{0};                 //!< The same when recovery began
    uint32_t m_lostAmplitude{0};             //!< Amplitude in segments when recovery began
    Phase m_phase{Phase::OFF};               //!< Where the present symbol has come to
    int32_t m_sign{0};                       //!< Its sign
    uint32_t m_amplitude{0};                 //!< Its amplitude in segments
    std::vector<Time> m_halves;              //!< When its halves began
    uint64_t m_acked{0};                     //!< Segments acknowledged in the present half
};

NS_OBJECT_ENSURE_REGISTERED(TcpDither);

/// @return The names of what can be below.
std::vector<std::string>
GetNamesBelow()
{
    // The kinds themselves may not be made yet.
    return {"lia", "balia", "cubic", "olia", "reno"};
}

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto below = *std::find_if(BELOW.begin(), BELOW.end(), [&values](const auto* kind) {
        return values.Is("of", kind->name);
    });
    const auto controller = ns3::CreateObject<TcpDither>();
    controller->Setup(seat,
                      below->create(seat, ParameterValues(below->parameters)),
                      values.GetNumber("share"));
    return controller;
}

} // namespace

uint32_t
DitherAmplitude(uint32_t window, double share)
{
    const auto wanted = static_cast<uint32_t>(std::lround(share * window));
    return std::max(std::min({wanted, MOST_SEGMENTS, window / LEAST_QUOTIENT}), 1U);
}

uint32_t
DitherHalfSegments(uint32_t amplitude)
{
    return 4 + 2 * amplitude;
}

extern const ControllerKind DITHER{
    {"dither",
     "Another controller of windows with its defaults, whose windows are moved by a little, up and "
     "down in random order, for the sources active and checked to look for.",
     {OneOf("of", "The controller whose windows are moved.", GetNamesBelow()),
      Number("share",
             "By how much a window is moved, over the window; 0: not at all.",
             0,
             0.25,
             0.0625)}},
    Create,
};

} // namespace smartsbd
