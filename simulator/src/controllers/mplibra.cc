// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/mplibra.h"

#include "agents/subflow-agent.h"
#include "controllers/advertised-rate.h"
#include "controllers/controller-kind.h"
#include "controllers/coupled-controller.h"
#include "sender/modal-controller.h"
#include "sender/monitor-intervals.h"
#include "sender/pacing.h"
#include "sender/transmission-listener.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace smartsbd
{

extern const ControllerKind OLIA;
extern const ControllerKind WVEGAS;

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

namespace
{

/// Weight of losses in the utility.
constexpr double LOSS_WEIGHT = 10;
/// Weight of the change of the RTT in the utility.
constexpr double SLOPE_WEIGHT = 5;
/// Changes of the RTT over time that are of no account, as in MPCC (ours here).
constexpr double LEAST_SLOPE = 0.03;
/// Difference of the candidates over the rate of the last cycle from which on they are evaluated.
constexpr double DIVERGENCE = 0.2;
/// Evaluation intervals in a round trip.
constexpr int64_t INTERVALS_IN_RTT = 2;
/// Rate of packets over the window in a round trip, that the classic part can grow (ours).
constexpr double EXPLORATION_GAIN = 1.25;
/// The same in slow start, as Linux paces it.
constexpr double SLOW_START_GAIN = 2;
/// Least rate in segments in a round trip (ours).
constexpr double LEAST_SEGMENTS = 2;
/// RTT while none is known.
const Time UNKNOWN_RTT = ns3::Seconds(1);
/// bytes/s in a Mbit/s.
constexpr double BYTES_PER_MBIT = 125'000;

/// What it does at present.
enum class MplibraStage
{
    START,    //!< The classic part is in slow start, or recovers from a timeout
    EXPLORE,  //!< The classic part has the window
    EVALUATE, //!< The candidates are tried, each for half a round trip
    COLLECT,  //!< The rate of the last cycle, until what became of them is known
    EXPLOIT,  //!< The rate that was chosen
};

/// The points of a decision, by their index; intervals have it for purpose.
enum MplibraChoice : std::size_t
{
    PREVIOUS, //!< The rate of the last cycle
    CLASSIC,  //!< What the classic part has come to
    AGENT,    //!< What the agent wants
    CHOICES,  //!< How many there are
};

/// Names of the modes in which a choice is exploited.
constexpr std::array<std::string_view, CHOICES> CHOICE_NAMES{"keep", "classic", "agent"};

/**
 * Congestion control of a subflow under MPLibra.
 *
 * The classic controller is one of the registry, which this one asks while it explores; meanwhile
 * the socket's recovery is left to it, too. Otherwise the subflow sends at a rate, whatever is
 * lost. A timeout halves the rate, and the classic part begins again (ours).
 */
class TcpMplibra : public ns3::TcpCongestionOps, public TransmissionListener, public ModalController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpMplibra")
                                     .SetParent<ns3::TcpCongestionOps>()
                                     .AddConstructor<TcpMplibra>();
        return tid;
    }

    /**
     * Take a seat; to be called before the socket gets the controller.
     *
     * @param seat The seat.
     * @param classic The classic controller of that seat.
     * @param agent What asks the agent.
     * @param exploitRtts Round trips for which a choice is exploited.
     */
    void Setup(const Seat& seat,
               Ptr<ns3::TcpCongestionOps> classic,
               SubflowAgent agent,
               double exploitRtts)
    {
        m_seat = seat;
        m_rates = seat.shared->Get<AdvertisedRate>();
        m_windows = seat.shared->Get<CountedWindow>();
        m_classic = std::move(classic);
        m_agent.emplace(std::move(agent));
        m_exploitRtts = exploitRtts;
    }

    std::string GetName() const override
    {
        return "TcpMplibra";
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpMplibra>(this);
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        m_classic->Init(tcb);
        m_tcb = tcb;
        tcb->m_pacing = true;
        tcb->m_pacingSsRatio = static_cast<uint16_t>(std::lround(100 * SLOW_START_GAIN));
        tcb->m_pacingCaRatio = static_cast<uint16_t>(std::lround(100 * EXPLORATION_GAIN));
    }

    bool HasCongControl() const override
    {
        return !IsClassic();
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        m_classic->CongestionStateSet(tcb, newState);
        if (newState == TcpSocketState::CA_OPEN && !m_established)
        {
            m_established = true;
            Explore();
        }
    }

    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override
    {
        m_classic->CwndEvent(tcb, event);
    }

    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override
    {
        m_classic->PktsAcked(tcb, segmentsAcked, rtt);
    }

    /// At the end of recovery the socket makes the threshold its window.
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return IsClassic() ? m_classic->GetSsThresh(tcb, bytesInFlight) : tcb->m_cWnd.Get();
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (IsClassic())
        {
            m_classic->IncreaseWindow(tcb, segmentsAcked);
        }
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection&,
                     const ns3::TcpRateOps::TcpRateSample&) override
    {
        // The window follows the RTT.
        Pace(tcb, m_paced);
    }

    void NoteSent(uint64_t position, uint32_t size, bool repeated) override
    {
        EndInterval();
        m_agent->NoteSent(size, repeated);
        m_intervals.NoteSent(position, size, repeated, Simulator::Now());
    }

    void NoteAck(uint64_t acked,
                 const std::vector<RttSampler::Block>& sackBlocks,
                 std::optional<Time> rtt) override
    {
        m_intervals.NoteAck(acked, sackBlocks, m_tcb->m_srtt, rtt, Simulator::Now());
        m_agent->NoteAck(rtt, GetRtt(), Simulator::Now());
        if (!m_established)
        {
            return;
        }
        EndInterval();
        while (const auto result = m_intervals.Take(Simulator::Now()))
        {
            Judge(*result);
        }
        // The socket's recovery is left to the classic part from its beginning, or not at all.
        if (m_stage == MplibraStage::EXPLOIT && Simulator::Now() >= m_endOfStage && !Recovers())
        {
            Explore();
        }
        if (IsClassic())
        {
            PaceWindow();
        }
    }

    /**
     * What is lost with a timeout tells of no rate. The threshold is to be that of the own rate. In
     * recovery the window may be nothing, and then the socket's pacing is: a segment must leave.
     */
    void NoteTimeout() override
    {
        if (!IsClassic())
        {
            SetWindow(m_previous);
        }
        SetStage(MplibraStage::START);
        OpenExploration();
        PaceWindow();
    }

  private:
    /// @return The smoothed RTT.
    Time GetRtt() const
    {
        return m_tcb->m_srtt.Get().IsZero() ? UNKNOWN_RTT : m_tcb->m_srtt.Get();
    }

    /// @return Whether the classic part has the window.
    bool IsClassic() const
    {
        return m_stage == MplibraStage::START || m_stage == MplibraStage::EXPLORE;
    }

    /// @return Whether the socket recovers from a loss or a mark.
    bool Recovers() const
    {
        return m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
               m_tcb->m_congState == TcpSocketState::CA_CWR;
    }

    /// @return What the classic part sends in a round trip, in bytes: in recovery its threshold.
    uint32_t GetClassicWindow() const
    {
        return Recovers() ? m_tcb->m_ssThresh.Get() : m_tcb->m_cWnd.Get();
    }

    /**
     * @param stage The stage from now on.
     * @param mode Its name for the truth.
     */
    void SetStage(MplibraStage stage, std::string_view mode = "start")
    {
        m_stage = stage;
        m_intervals.Clear();
        EnterMode(mode);
    }

    /**
     * Make what a rate sends in a round trip the window.
     *
     * @param rate The rate in bytes/s.
     */
    void SetWindow(double rate)
    {
        const auto segments = rate * GetRtt().GetSeconds() / m_tcb->m_segmentSize;
        m_tcb->m_cWnd = static_cast<uint32_t>(std::lround(std::max(segments, LEAST_SEGMENTS))) *
                        m_tcb->m_segmentSize;
    }

    /// Pace what the classic part sends, and tell its rate.
    void PaceWindow()
    {
        const auto window = std::max(GetClassicWindow(), m_tcb->m_segmentSize);
        const auto rate = window / GetRtt().GetSeconds();
        const bool slow = m_tcb->m_cWnd < m_tcb->m_ssThresh;
        m_tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(
            std::llround(8 * rate * (slow ? SLOW_START_GAIN : EXPLORATION_GAIN))));
        Tell(rate, 0);
    }

    /**
     * Send at a rate. The others are told that of the last cycle, not what is tried.
     *
     * @param rate The rate in bytes/s.
     */
    void SendAt(double rate)
    {
        m_paced = rate;
        Pace(m_tcb, rate);
        Tell(m_previous, m_previous * GetRtt().GetSeconds() / m_tcb->m_segmentSize);
    }

    /**
     * Tell the other subflows.
     *
     * @param rate The rate that counts for the utility, in bytes/s.
     * @param window The window that counts for the classic part, in segments; 0: the window.
     */
    void Tell(double rate, double window)
    {
        (*m_rates)[m_seat.index].rate = rate;
        (*m_windows)[m_seat.index].segments = window;
    }

    /// Let the classic part have the window, from the rate of the last cycle on.
    void Explore()
    {
        const bool begins = m_previous == 0;
        SetStage(begins ? MplibraStage::START : MplibraStage::EXPLORE,
                 begins ? "start" : "explore");
        if (!begins)
        {
            SetWindow(m_previous);
            // Below the window: at it, OLIA and wVegas are in slow start, as in the kernel.
            m_tcb->m_ssThresh = m_tcb->m_cWnd - m_tcb->m_segmentSize;
        }
        OpenExploration();
        PaceWindow();
    }

    /// Open the interval of the classic part.
    void OpenExploration()
    {
        m_intervals.Clear();
        m_points[PREVIOUS] = {};
        m_intervals.Open(PREVIOUS, 0, GetRtt());
    }

    /// Close the open interval if its time has passed, and go on.
    void EndInterval()
    {
        if (!m_established || !m_intervals.Close(Simulator::Now(), GetRtt()))
        {
            return;
        }
        if (IsClassic())
        {
            EndExploration();
        }
        else if (!m_toTry.empty())
        {
            TryNext();
        }
        else
        {
            m_stage = MplibraStage::COLLECT;
            EnterMode("collect");
            SendAt(m_previous);
        }
    }

    /// The classic part has had its round trip.
    void EndExploration()
    {
        const auto classic = GetClassicWindow() / GetRtt().GetSeconds();
        const bool starts = m_tcb->m_cWnd < m_tcb->m_ssThresh ||
                            m_tcb->m_congState == TcpSocketState::CA_LOSS;
        const auto rate = starts || m_previous == 0
                              ? std::nullopt
                              : m_agent->GetRate(m_previous, Simulator::Now());
        const auto wanted = std::max(rate.value_or(classic), GetLeastRate());
        if (!rate || !MplibraDiverges(m_previous, classic, wanted))
        {
            m_previous = classic;
            m_stage = starts ? MplibraStage::START : MplibraStage::EXPLORE;
            EnterMode(starts ? "start" : "explore");
            OpenExploration();
            return;
        }
        m_points = {MplibraPoint{m_previous, {}}, {classic, {}}, {wanted, {}}};
        m_others = SumAdvertised(*m_seat.signals, *m_rates, m_seat.index);
        m_missing = CHOICES;
        m_isRepeated = {};
        m_toTry = {CLASSIC, AGENT};
        if (wanted < classic)
        {
            std::reverse(m_toTry.begin(), m_toTry.end());
        }
        m_stage = MplibraStage::EVALUATE;
        EnterMode("evaluate");
        TryNext();
    }

    /// @return The least rate, in bytes/s.
    double GetLeastRate() const
    {
        return LEAST_SEGMENTS * m_tcb->m_segmentSize / GetRtt().GetSeconds();
    }

    /// Try the next candidate.
    void TryNext()
    {
        const auto choice = m_toTry.front();
        m_toTry.pop_front();
        m_intervals.Open(choice, m_points[choice].rate, GetRtt() / INTERVALS_IN_RTT);
        SendAt(m_points[choice].rate);
    }

    /**
     * Judge an interval.
     *
     * @param result What it came to.
     */
    void Judge(const IntervalResult& result)
    {
        if (IsClassic())
        {
            return;
        }
        if (!result.limitedByRate && !m_isRepeated[result.purpose])
        {
            m_isRepeated[result.purpose] = true;
            m_toTry.push_back(result.purpose);
            if (!m_intervals.IsOpen())
            {
                m_stage = MplibraStage::EVALUATE;
                EnterMode("evaluate");
                TryNext();
            }
            return;
        }
        // What cannot be sent, since the receive window or the source has less, is not chosen.
        if (result.limitedByRate)
        {
            auto& point = m_points[result.purpose];
            const auto slope = result.rtts.GetSlope();
            point.utility = MplibraUtility((point.rate + m_others) / BYTES_PER_MBIT,
                                           result.GetLoss(),
                                           std::abs(slope) < LEAST_SLOPE ? 0 : slope);
        }
        if (--m_missing == 0)
        {
            Exploit();
        }
    }

    /// All that is known of the candidates is.
    void Exploit()
    {
        const auto best = ChooseMplibraPoint({m_points.begin(), m_points.end()});
        m_previous = m_points[best].rate;
        m_stage = MplibraStage::EXPLOIT;
        m_endOfStage = Simulator::Now() + GetRtt() * m_exploitRtts;
        EnterMode(CHOICE_NAMES[best]);
        SendAt(m_previous);
    }

    Seat m_seat;                                //!< The subflow and its connection
    Shared<AdvertisedRate> m_rates;             //!< Rates of the subflows
    Shared<CountedWindow> m_windows;            //!< Windows that count in place of theirs
    Ptr<ns3::TcpCongestionOps> m_classic;       //!< The classic part
    std::optional<SubflowAgent> m_agent;        //!< Asks the agent
    double m_exploitRtts{1};                    //!< Round trips for which a choice is exploited
    Ptr<TcpSocketState> m_tcb;                  //!< State of the socket
    bool m_established{false};                  //!< Whether it has begun
    MplibraStage m_stage{MplibraStage::START};  //!< What it does
    MonitorIntervals m_intervals;               //!< The intervals that are sent
    double m_previous{0};                       //!< Rate of the last cycle in bytes/s; 0: none yet
    double m_paced{0};                          //!< Rate at which is sent at present, in bytes/s
    double m_others{0};                         //!< Rates of the others when it began to evaluate
    std::array<MplibraPoint, CHOICES> m_points; //!< What is decided between
    std::deque<std::size_t> m_toTry;            //!< Candidates that are to be tried
    std::array<bool, CHOICES> m_isRepeated{};   //!< Whether its interval was void once
    std::size_t m_missing{0};                   //!< Intervals of which nothing is known
    Time m_endOfStage;                          //!< When exploitation ends
};

NS_OBJECT_ENSURE_REGISTERED(TcpMplibra);

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto& classic = values.Is("classic", "wvegas") ? WVEGAS : OLIA;
    const auto source = values.Is("agent", "learnt")   ? AgentSource::LEARNT
                        : values.Is("agent", "random") ? AgentSource::RANDOM
                                                       : AgentSource::CLASSIC;
    const auto controller = ns3::CreateObject<TcpMplibra>();
    controller->Setup(seat,
                      classic.create(seat, ParameterValues(classic.parameters)),
                      SubflowAgent(seat, source, AgentView::SUBFLOW),
                      values.GetNumber("exploit_rtts"));
    return controller;
}

} // namespace

double
MplibraUtility(double total, double loss, double rttSlope)
{
    return std::log(total) - total * (LOSS_WEIGHT * loss + SLOPE_WEIGHT * rttSlope);
}

bool
MplibraDiverges(double previous, double classic, double agent)
{
    return std::abs(classic - agent) >= DIVERGENCE * previous;
}

std::size_t
ChooseMplibraPoint(const std::vector<MplibraPoint>& points)
{
    // What has no utility is below all that have.
    const auto isLower = [](const MplibraPoint& a, const MplibraPoint& b) {
        return b.utility && (!a.utility || *a.utility < *b.utility);
    };
    return std::max_element(points.begin(), points.end(), isLower) - points.begin();
}

extern const ControllerKind MPLIBRA{
    {"mplibra",
     "MPLibra: a classic controller and an agent each want a rate; where they differ both are "
     "tried, and a utility chooses between them and the rate before. Stages and utility are the "
     "paper's; the agent, the unit of rates, how the change of the RTT is taken, pacing and what "
     "follows a timeout are a reconstruction.",
     {OneOf("classic", "The classic controller, with its defaults.", {"olia", "wvegas"}),
      AgentParameter({"learnt", "random", "classic"}),
      Number("exploit_rtts",
             "Round trips for which a choice is exploited; 0 to 3 in the paper.",
             0,
             3,
             1)}},
    Create,
};

} // namespace smartsbd
