// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/wvegas.h"

#include "controllers/coupled-controller.h"

#include <algorithm>

namespace smartsbd
{

using ns3::Ptr;
using ns3::TcpSocketState;

namespace
{

/// Smallest window in segments.
constexpr uint32_t LEAST_WINDOW = 2;
/// Samples that are too few for a mean.
constexpr uint64_t FEW_SAMPLES = 2;
/// Added to every sample in us, so that no RTT is zero.
constexpr int64_t SAMPLE_OFFSET = 1;

/// What subflows tell each other of their rounds.
struct WvegasRound
{
    double rate{0};             //!< Rate by which the subflow is weighed, in segments/s; or 0
    uint64_t samplesAtBegin{0}; //!< RTT samples when the present round began
};

/**
 * Congestion control of a subflow under weighted Vegas (draft-xu-mptcp-congestion-control).
 *
 * Rates are what the subflows tell each other. In other states than Open, with few
 * samples, and alone in its group, it is Reno.
 */
class TcpWvegas : public CoupledController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpWvegas")
                                     .SetParent<CoupledController>()
                                     .AddConstructor<TcpWvegas>();
        return tid;
    }

    /**
     * Begin; to be called when it has its seat.
     *
     * @param constants The constants.
     */
    void Begin(const WvegasConstants& constants)
    {
        m_rounds = GetSeat().shared->Get<WvegasRound>();
        m_constants = constants;
        m_path.alpha = static_cast<uint32_t>(constants.least);
    }

    std::string GetName() const override
    {
        return "TcpWvegas";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpWvegas>(this);
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (!IsCoupled() || !m_active)
        {
            CoupledController::IncreaseWindow(tcb, segmentsAcked);
        }
        else if (tcb->m_lastAckedSeq > m_roundEnd)
        {
            EndRound(tcb, segmentsAcked);
        }
        else if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            SlowStart(tcb, segmentsAcked);
        }
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        CoupledController::CongestionStateSet(tcb, newState);
        m_active = newState == TcpSocketState::CA_OPEN;
        const WvegasPath fresh;
        m_path.alpha = static_cast<uint32_t>(m_constants.least);
        m_path.weight = fresh.weight;
        m_path.rate = fresh.rate;
        m_path.leastQueue = fresh.leastQueue;
        GetRound().rate = 0;
        BeginRound(tcb);
    }

  protected:
    void Couple(Ptr<TcpSocketState> tcb, uint32_t counted) override
    {
        // Reached in other states than Open, and with few samples.
        TcpLinuxReno::CongestionAvoidance(tcb, counted);
    }

  private:
    /**
     * @param tcb State of the socket.
     */
    void BeginRound(Ptr<const TcpSocketState> tcb)
    {
        m_roundEnd = tcb->m_nextTxSequence;
        GetRound().samplesAtBegin = GetSignals().samples;
        m_sumAtRound = GetSignals().sampleSum;
    }

    /**
     * @param tcb State of the socket.
     * @param segmentsAcked Segments that the present ACK acknowledges.
     */
    void EndRound(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
    {
        const auto samples = GetSignals().samples - GetRound().samplesAtBegin;
        if (samples <= FEW_SAMPLES)
        {
            BeginRound(tcb);
            CoupledController::IncreaseWindow(tcb, segmentsAcked);
            return;
        }
        const auto sum = (GetSignals().sampleSum - m_sumAtRound).GetMicroSeconds();
        const auto size = tcb->m_segmentSize;
        const auto window = tcb->m_cWnd.Get() / size;
        const auto threshold = tcb->m_ssThresh.Get() / size;
        m_path.window = window;
        m_path.threshold = threshold;
        m_path.base = GetSignals().baseRtt.GetMicroSeconds() + SAMPLE_OFFSET;
        const auto rtt = sum / static_cast<int64_t>(samples) + SAMPLE_OFFSET;
        const bool slowStart = EndWvegasRound(m_path, rtt, GetOtherRates(), m_constants);
        GetRound().rate = m_path.rate;
        if (slowStart)
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (m_path.window != window)
        {
            tcb->m_cWnd = m_path.window * size;
        }
        if (m_path.threshold != threshold)
        {
            tcb->m_ssThresh = m_path.threshold * size;
        }
        BeginRound(tcb);
    }

    /// @return What it tells of the present round.
    WvegasRound& GetRound() const
    {
        return (*m_rounds)[GetSeat().index];
    }

    /// @return Sum of the rates of the others of the group that have samples in their rounds.
    double GetOtherRates() const
    {
        const auto& signals = *GetSeat().signals;
        double sum = 0;
        for (std::size_t i = 0; i < signals.size(); ++i)
        {
            if (i != GetSeat().index && signals[i].group == GetSignals().group &&
                signals[i].samples > (*m_rounds)[i].samplesAtBegin)
            {
                sum += (*m_rounds)[i].rate;
            }
        }
        return sum;
    }

    Shared<WvegasRound> m_rounds;        //!< What the subflows tell of their rounds
    WvegasConstants m_constants;         //!< The constants
    WvegasPath m_path;                   //!< What it keeps of the subflow
    bool m_active{true};                 //!< Whether the state is Open
    ns3::SequenceNumber32 m_roundEnd{0}; //!< An ACK beyond it ends the round
    ns3::Time m_sumAtRound;              //!< Sum of RTT samples when the round began
};

NS_OBJECT_ENSURE_REGISTERED(TcpWvegas);

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpWvegas>();
    controller->Setup(seat, values);
    controller->Begin({values.GetNumber("total_alpha"),
                       values.GetNumber("least_alpha"),
                       values.GetNumber("gamma"),
                       values.Is("drain", "kernel")});
    return controller;
}

} // namespace

bool
EndWvegasRound(WvegasPath& path,
               int64_t rtt,
               double otherRates,
               const WvegasConstants& constants)
{
    bool slowStart = false;
    const auto target = static_cast<uint32_t>(path.window * path.base / rtt);
    const auto waiting = static_cast<double>(path.window * (rtt - path.base) / rtt);
    if (path.window <= path.threshold)
    {
        slowStart = waiting <= constants.gamma;
        if (!slowStart)
        {
            path.window = std::min(path.window, target + 1);
            path.threshold = std::min(path.threshold, path.window - 1);
        }
    }
    else
    {
        if (waiting >= path.alpha)
        {
            path.rate = path.window * 1e6 / rtt;
            path.weight = path.rate / (path.rate + otherRates);
            path.alpha =
                static_cast<uint32_t>(std::max(constants.least, constants.total * path.weight));
        }
        if (waiting > path.alpha)
        {
            path.window -= 1;
            path.threshold = std::min(path.threshold, path.window - 1);
        }
        else if (waiting < path.alpha)
        {
            path.window += 1;
        }
        const auto queue = rtt - path.base;
        if (path.leastQueue == 0 || queue < path.leastQueue)
        {
            path.leastQueue = queue;
        }
        if (constants.drains && queue >= 2 * path.leastQueue)
        {
            path.window = static_cast<uint32_t>(path.window * path.base / (2 * rtt));
            path.leastQueue = 0;
        }
    }
    path.window = std::max(path.window, LEAST_WINDOW);
    path.threshold = std::max(path.threshold, path.window * 3 / 4);
    return slowStart;
}

extern const ControllerKind WVEGAS{
    {"wvegas",
     "Weighted Vegas (draft-xu-mptcp-congestion-control), as Linux's mptcp_wvegas.c has it.",
     {Number("total_alpha", "Segments that all subflows together keep waiting.", 1, 1000, 10),
      Number("least_alpha", "Segments that a subflow keeps waiting at least.", 1, 1000, 2),
      Number("gamma", "Waiting segments that end slow start.", 0, 1000, 1),
      OneOf("drain",
            "kernel: the window is halved when the queueing delay is twice its least since the "
            "last time; none: never.",
            {"kernel", "none"})}},
    Create,
};

} // namespace smartsbd
