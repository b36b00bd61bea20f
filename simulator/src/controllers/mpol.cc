// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/mpol.h"

#include "controllers/advertised-rate.h"
#include "controllers/coupled-controller.h"
#include "controllers/lia.h"
#include "sender/modal-controller.h"
#include "sender/monitor-intervals.h"
#include "sender/pacing.h"
#include "sender/transmission-listener.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

namespace
{

/// Exponent of rates in the utility.
constexpr double EXPONENT = 0.9;
/// Weight of losses in the utility.
constexpr double LOSS_WEIGHT = 11;
/// Largest change of a rate, over the rate.
constexpr double LARGEST_CHANGE = 0.1;
/// Relative steps: change over the rate for a beta of 1 and a gradient of 1.
constexpr double RELATIVE_CHANGE = 0.05;
/// Segments in a round trip at first.
constexpr double FIRST_SEGMENTS = 10;
/// Least segments in a round trip.
constexpr double LEAST_SEGMENTS = 2;
/// RTT while none is known.
const Time UNKNOWN_RTT = ns3::Seconds(1);
/// bytes/s in a Mbit/s.
constexpr double BYTES_PER_MBIT = 125'000;

/// What it does at present.
enum class MpolMode
{
    START, //!< The rate doubles in each round trip
    LEARN, //!< The rate follows the utility
    WATCH, //!< The window is LIA's, and rounds are compared
};

/// What an interval is for.
enum Purpose : std::size_t
{
    MIDDLE, //!< The rate in the middle
    BELOW,  //!< A rate below it
    ABOVE,  //!< A rate above it
};

/// What a scenario may choose.
struct MpolChoice
{
    double unit{BYTES_PER_MBIT};   //!< The unit of rates in the utility, in bytes/s
    std::size_t rounds{5};         //!< Rounds of a period
    double distance{0.5};          //!< Distance of two periods above which it learns again
    double still{0};               //!< Spread of RTTs over their mean that is taken for none
    MpolStep step{1, false};       //!< The size of steps
};

/**
 * Congestion control of a subflow under MP-OL.
 *
 * While it starts and learns it sends at a rate, whatever is lost; while it watches it is under
 * LIA, and so are its threshold and its timeouts. It begins to watch only in a state in which the
 * socket's recovery can be left to Reno.
 */
class TcpMpol : public CoupledController, public TransmissionListener, public ModalController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpMpol")
                                     .SetParent<CoupledController>()
                                     .AddConstructor<TcpMpol>();
        return tid;
    }

    /**
     * Begin; to be called when it has its seat.
     *
     * @param choice What the scenario chooses.
     */
    void Begin(const MpolChoice& choice)
    {
        m_rates = GetSeat().shared->Get<AdvertisedRate>();
        m_choice = choice;
    }

    std::string GetName() const override
    {
        return "TcpMpol";
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpMpol>(this);
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        CoupledController::Init(tcb);
        m_tcb = tcb;
    }

    bool HasCongControl() const override
    {
        return m_mode != MpolMode::WATCH;
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        CoupledController::CongestionStateSet(tcb, newState);
        if (newState == TcpSocketState::CA_OPEN && !m_established)
        {
            m_established = true;
            Start(FIRST_SEGMENTS * tcb->m_segmentSize / GetRtt().GetSeconds());
        }
        if (newState == TcpSocketState::CA_LOSS && m_mode == MpolMode::START)
        {
            Start(m_rate / 2);
        }
        else if (newState == TcpSocketState::CA_LOSS && m_mode == MpolMode::LEARN)
        {
            // What left while the rate was doubled is no fault of the rate that came of it.
            const bool own = tcb->m_lastAckedSeq >= m_endOfStart;
            Learn(own ? m_rate / 2 : m_rate, std::nullopt);
        }
    }

    /// At the end of recovery the socket makes the threshold its window.
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return m_mode == MpolMode::WATCH ? CoupledController::GetSsThresh(tcb, bytesInFlight)
                                         : tcb->m_cWnd.Get();
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (m_mode == MpolMode::WATCH)
        {
            CoupledController::IncreaseWindow(tcb, segmentsAcked);
        }
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection&,
                     const ns3::TcpRateOps::TcpRateSample&) override
    {
        CloseInterval();
        while (const auto result = m_intervals.Take(Simulator::Now()))
        {
            Judge(*result);
        }
        if (m_settled && (tcb->m_congState == TcpSocketState::CA_OPEN ||
                          tcb->m_congState == TcpSocketState::CA_DISORDER))
        {
            Watch();
            return;
        }
        SendAt(m_paced);
    }

    void NoteSent(uint64_t position, uint32_t size, bool repeated) override
    {
        CloseInterval();
        m_intervals.NoteSent(position, size, repeated, Simulator::Now());
    }

    void NoteAck(uint64_t acked,
                 const std::vector<RttSampler::Block>& sackBlocks,
                 std::optional<Time> rtt) override
    {
        m_intervals.NoteAck(acked, sackBlocks, m_tcb->m_srtt, rtt, Simulator::Now());
        if (m_mode != MpolMode::WATCH)
        {
            return;
        }
        Advertise(m_tcb->m_cWnd / GetRtt().GetSeconds());
        CloseInterval();
        while (m_mode == MpolMode::WATCH)
        {
            const auto result = m_intervals.Take(Simulator::Now());
            if (!result)
            {
                return;
            }
            Compare(*result);
        }
    }

    void NoteTimeout() override
    {
        m_intervals.NoteTimeout();
    }

  protected:
    void Couple(Ptr<TcpSocketState> tcb, uint32_t counted) override
    {
        const auto& group = Look();
        Grow(tcb, counted * LiaIncrease(group.subflows, group.own));
    }

  private:
    /// @return The smoothed RTT.
    Time GetRtt() const
    {
        return m_tcb->m_srtt.Get().IsZero() ? UNKNOWN_RTT : m_tcb->m_srtt.Get();
    }

    /// @return The least rate, in bytes/s.
    double GetLeastRate() const
    {
        return LEAST_SEGMENTS * m_tcb->m_segmentSize / GetRtt().GetSeconds();
    }

    /**
     * The others count with what they sent at when the decision began: when several double their
     * rates at once, each would take the others' growth for its own success.
     *
     * @param result An interval's result.
     * @return Its utility.
     */
    double GetUtility(const IntervalResult& result) const
    {
        return MpolUtility(result.rate / m_choice.unit,
                           m_others / m_choice.unit,
                           result.GetLoss(),
                           result.GetRttSlope());
    }

    /**
     * @param mode The mode from now on.
     */
    void SetMode(MpolMode mode)
    {
        m_mode = mode;
        m_intervals.Clear();
        m_toSend.clear();
        m_rounds.clear();
        m_before.reset();
        m_settled = false;
        m_alike = 0;
        const auto name = mode == MpolMode::START ? "start"
                          : mode == MpolMode::LEARN ? "learn"
                                                    : "watch";
        EnterMode(name);
    }

    /**
     * Send at a rate.
     *
     * @param rate The rate in bytes/s.
     */
    void SendAt(double rate)
    {
        m_paced = rate;
        Pace(m_tcb, rate);
        Advertise(rate);
        CountWindowAs(rate * GetRtt().GetSeconds() / m_tcb->m_segmentSize);
    }

    /**
     * @param rate The rate that the others are told, in bytes/s.
     */
    void Advertise(double rate)
    {
        (*m_rates)[GetSeat().index].rate = rate;
    }

    /// @return What the others of the group advertise.
    double GetOthers() const
    {
        return SumAdvertised(*GetSeat().signals, *m_rates, GetSeat().index);
    }

    /**
     * Double a rate in each round trip.
     *
     * @param rate The rate in bytes/s.
     */
    void Start(double rate)
    {
        SetMode(MpolMode::START);
        m_rate = std::max(rate, GetLeastRate());
        m_others = GetOthers();
        OpenNext();
    }

    /**
     * Follow the utility.
     *
     * @param rate Rate in the middle, in bytes/s.
     * @param utility Its utility, if it is known.
     */
    void Learn(double rate, std::optional<double> utility)
    {
        SetMode(MpolMode::LEARN);
        m_rate = std::max(rate, GetLeastRate());
        Try(utility);
    }

    /**
     * Try the rate in the middle, unless its utility is known, and those around it.
     *
     * @param utility The utility, if it is known.
     */
    void Try(std::optional<double> utility)
    {
        if (!utility)
        {
            m_others = GetOthers();
        }
        m_trial = {m_rate / m_choice.unit, utility.value_or(0), 0, 0};
        m_missing = utility ? 2 : 3;
        m_toSend = {MIDDLE, BELOW, ABOVE};
        if (utility)
        {
            m_toSend.pop_front();
        }
        if (!m_intervals.IsOpen())
        {
            OpenNext();
        }
    }

    /// Leave the window to LIA, and compare rounds.
    void Watch()
    {
        SetMode(MpolMode::WATCH);
        const auto segment = m_tcb->m_segmentSize;
        const auto segments = std::max(std::floor(m_rate * GetRtt().GetSeconds() / segment), 2.0);
        m_tcb->m_pacing = false;
        m_tcb->m_cWnd = static_cast<uint32_t>(segments) * segment;
        m_tcb->m_ssThresh = m_tcb->m_cWnd.Get();
        CountWindowAs(0);
        OpenNext();
    }

    /// Close the open interval if its time has passed, and go on.
    void CloseInterval()
    {
        if (!m_intervals.Close(Simulator::Now(), GetRtt()))
        {
            return;
        }
        if (m_mode == MpolMode::START)
        {
            m_rate *= 2;
        }
        OpenNext();
    }

    /// Open the next interval, or send at the rate in the middle until there is one.
    void OpenNext()
    {
        if (m_mode == MpolMode::WATCH)
        {
            m_intervals.Open(MIDDLE, 0, GetRtt());
            return;
        }
        auto rate = m_rate;
        if (m_mode == MpolMode::START)
        {
            m_intervals.Open(MIDDLE, rate, GetRtt());
        }
        else if (!m_toSend.empty())
        {
            const auto purpose = m_toSend.front();
            m_toSend.pop_front();
            rate *= purpose == BELOW   ? 1 - MPOL_DIFFERENCE
                    : purpose == ABOVE ? 1 + MPOL_DIFFERENCE
                                       : 1;
            m_intervals.Open(purpose, rate, GetRtt());
        }
        SendAt(rate);
    }

    /**
     * Judge an interval of a rate.
     *
     * @param result What it came to.
     */
    void Judge(const IntervalResult& result)
    {
        if (m_mode == MpolMode::START)
        {
            JudgeStart(result);
            return;
        }
        if (!result.limitedByRate)
        {
            m_toSend.push_back(result.purpose);
        }
        else
        {
            auto& place = result.purpose == BELOW   ? m_trial.below
                          : result.purpose == ABOVE ? m_trial.above
                                                    : m_trial.utility;
            place = GetUtility(result);
            if (--m_missing == 0)
            {
                EndTrial();
                return;
            }
        }
        if (!m_intervals.IsOpen())
        {
            OpenNext();
        }
    }

    /**
     * Judge an interval of a rate that is doubled.
     *
     * @param result What it came to.
     */
    void JudgeStart(const IntervalResult& result)
    {
        if (!result.limitedByRate)
        {
            // It is sent again, and what was sent since is of no account.
            m_intervals.Clear();
            m_rate = result.rate;
            OpenNext();
            return;
        }
        const auto utility = GetUtility(result);
        if (m_before && utility < m_before->utility)
        {
            m_endOfStart = m_tcb->m_highTxMark;
            Learn(m_before->rate, m_before->utility);
            return;
        }
        m_before = {result.rate, utility};
    }

    /// All rates were tried.
    void EndTrial()
    {
        const auto up = m_trial.above > m_trial.below;
        const int alike = m_alike != 0 && (m_alike > 0) == up ? std::abs(m_alike) + 1 : 1;
        const auto change = MpolChange(m_trial, m_choice.step, alike);
        if (!change)
        {
            m_settled = true;
            return;
        }
        m_alike = up ? alike : -alike;
        m_rate = std::max(m_rate + *change * m_choice.unit, GetLeastRate());
        Try(std::nullopt);
    }

    /**
     * Compare the last rounds, once there are enough.
     *
     * @param result What a round came to.
     */
    void Compare(const IntervalResult& result)
    {
        if (result.samples == 0)
        {
            return;
        }
        const auto rtt = result.rttSum.GetSeconds() / static_cast<double>(result.samples);
        m_rounds.push_back({result.GetLoss(), rtt});
        if (m_rounds.size() < 2 * m_choice.rounds)
        {
            return;
        }
        if (MpolDistance(m_rounds, m_choice.still) > m_choice.distance)
        {
            Learn(m_tcb->m_cWnd / GetRtt().GetSeconds(), std::nullopt);
            return;
        }
        m_rounds.erase(m_rounds.begin(), m_rounds.begin() + m_choice.rounds);
    }

    /// A rate, and what it came to.
    struct Point
    {
        double rate;    //!< Rate in bytes/s
        double utility; //!< Its utility
    };

    Shared<AdvertisedRate> m_rates;     //!< Rates of the subflows
    MpolChoice m_choice;                //!< What the scenario chooses
    Ptr<TcpSocketState> m_tcb;          //!< State of the socket
    bool m_established{false};          //!< Whether it has begun
    MpolMode m_mode{MpolMode::START};   //!< What it does
    MonitorIntervals m_intervals;       //!< The intervals that are sent
    double m_rate{0};                   //!< Rate that is doubled or in the middle, in bytes/s
    double m_paced{0};                  //!< Rate at which is sent at present, in bytes/s
    double m_others{0};                 //!< Rates of the others when they were last looked at
    std::optional<Point> m_before;      //!< START: the last interval that was judged
    ns3::SequenceNumber32 m_endOfStart; //!< What left before this one did while it started
    std::deque<std::size_t> m_toSend;   //!< LEARN: what is to be sent
    MpolTrial m_trial{};                //!< LEARN: what was tried
    int m_missing{0};                   //!< LEARN: how many of that are not known
    int m_alike{0};                     //!< LEARN: changes upwards in a row, or less 0: downwards
    bool m_settled{false};              //!< LEARN: whether it is to watch when it may
    std::deque<MpolRound> m_rounds;     //!< WATCH: the last rounds
};

NS_OBJECT_ENSURE_REGISTERED(TcpMpol);

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    MpolChoice choice;
    choice.unit = values.Is("unit", "bytes_s") ? 1 : BYTES_PER_MBIT;
    choice.rounds = static_cast<std::size_t>(std::lround(values.GetNumber("n")));
    choice.distance = values.GetNumber("d");
    choice.still = values.GetNumber("still");
    choice.step.relative = values.Is("step", "relative");
    choice.step.beta = values.GetNumber("beta");
    if (!choice.step.relative)
    {
        choice.step.beta *= BYTES_PER_MBIT / choice.unit;
    }
    const auto controller = ns3::CreateObject<TcpMpol>();
    controller->Setup(seat, values);
    controller->Begin(choice);
    return controller;
}

} // namespace

double
MpolUtility(double rate, double others, double loss, double rttSlope)
{
    return std::pow(others, EXPONENT) + std::pow(rate, EXPONENT) - LOSS_WEIGHT * rate * loss -
           rate * rttSlope;
}

std::optional<double>
MpolChange(const MpolTrial& trial, const MpolStep& step, int alike)
{
    const auto distance = MPOL_DIFFERENCE * trial.rate;
    const auto lower = (trial.utility - trial.below) / distance;
    const auto upper = (trial.above - trial.utility) / distance;
    if (lower * upper <= 0)
    {
        return std::nullopt;
    }
    const auto gradient = (trial.above - trial.below) / (2 * distance);
    const auto unit = step.relative ? step.beta * RELATIVE_CHANGE * trial.rate : step.beta;
    const auto largest = LARGEST_CHANGE * trial.rate;
    return std::clamp(alike * unit * gradient, -largest, largest);
}

double
MpolDistance(const std::deque<MpolRound>& rounds, double still)
{
    const auto half = rounds.size() / 2;
    const auto shift = [&](double MpolRound::* coordinate, double least) {
        auto low = rounds.front().*coordinate;
        auto high = low;
        double before = 0;
        double after = 0;
        for (std::size_t k = 0; k < rounds.size(); ++k)
        {
            const auto value = rounds[k].*coordinate;
            low = std::min(low, value);
            high = std::max(high, value);
            (k < half ? before : after) += value;
        }
        const auto spread = high - low;
        return spread <= least ? 0 : (after - before) / static_cast<double>(half) / spread;
    };
    double mean = 0;
    for (const auto& round : rounds)
    {
        mean += round.rtt / static_cast<double>(rounds.size());
    }
    return std::hypot(shift(&MpolRound::loss, 0), shift(&MpolRound::rtt, still * mean));
}

extern const ControllerKind MPOL{
    {"mpol",
     "MP-OL: the rate doubles, then follows a utility, then the window is LIA's until losses or "
     "RTTs change. Its rules were read; unit, size of steps, the lag of results, windows and what "
     "follows a timeout are a reconstruction.",
     {OneOf("unit",
            "Unit of rates in the utility, which is not free of it. mbit_s: Mbit/s, which fits the "
            "losses that are reported to be tolerated; bytes_s: bytes/s, which does not.",
            {"mbit_s", "bytes_s"}),
      Number("n", "Round trips of a period, a whole number; 5 as recommended.", 1, 20, 5),
      Number("d",
             "Distance of two periods above which it learns again; 0.5 as recommended.",
             0.1,
             2,
             0.5),
      Number("beta",
             "Change of the rate in Mbit/s for each unit of the gradient (ours).",
             0.01,
             10,
             1),
      OneOf("step",
            "absolute: beta is in Mbit/s; relative: beta times 5 % of the rate.",
            {"absolute", "relative"}),
      Number("still",
             "Spread of RTTs over their mean that is taken for none (ours): 0, as the rule was "
             "read, stretches the least drift of a queue to a change.",
             0,
             1,
             0.1),
      CountsParameter(),
      RecoveryWindowParameter()}},
    Create,
};

} // namespace smartsbd
