// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/mpcc.h"

#include "controllers/advertised-rate.h"
#include "controllers/controller-kind.h"
#include "sender/modal-controller.h"
#include "sender/pacing.h"
#include "sender/transmission-listener.h"

#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

namespace
{

/// Exponent of the rate in the utility.
constexpr double EXPONENT = 0.9;
/// Weight of losses in the utility.
constexpr double LOSS_WEIGHT = 11;
/// Factor of the utility, which is that of the steps.
constexpr double UTILITY_SCALE = 250;
/// Changes of the RTT over time that are of no account.
constexpr double LEAST_SLOPE = 0.03;
/// Losses that are of no account while the rate is doubled.
constexpr double START_LOSS = 0.15;
/// Factor of gradients.
constexpr double GRADIENT_SCALE = 1000;
/// Least difference of two rates that have a gradient, over the first one.
constexpr double LEAST_DIFFERENCE = 0.001;
/// Distance of the rates that are tried, over the total.
constexpr double PROBE_SHARE = 0.05;
/// What is added to that for each decision to stay, over the own rate.
constexpr double PROBE_GROWTH = 0.01;
/// Largest step over the total, and what is added to that each time it was reached.
constexpr double LARGEST_STEP = 0.05;
/// By how much steps grow.
constexpr double AMPLIFIER_STEP = 2;
/// Most steps in a direction that do not amplify those that follow.
constexpr double MOST_SWING = 2;
/// Rate at first, in bytes/s.
constexpr double FIRST_RATE = 500'000;
/// Least rate, in bytes/s.
constexpr double LEAST_RATE = 25'000;
/// Least rate that is tried, in bytes/s.
constexpr double LEAST_PROBE = 1;
/// Least change of the rate as released, in bytes/s.
constexpr double RELEASED_LEAST_STEP = 62'500;
/// Least change of the rate over the rate, in the scaled variant.
constexpr double SCALED_LEAST_STEP = 0.01;
/// Least throughput over the rate, for the rate to be doubled.
constexpr double LEAST_THROUGHPUT = 0.9;
/// How often a rate is tried again while the rate is doubled.
constexpr uint32_t START_TRIES = 2;
/// Loss that makes the brake act, in intervals of more than so many segments.
constexpr double BRAKE_LOSS = 0.3;
constexpr double BRAKE_SEGMENTS = 100;
/// Intervals out of four that make it act, and one more.
constexpr uint32_t BRAKE_INTERVALS = 2;
/// Time of an interval over the smoothed RTT.
constexpr double INTERVAL_RTTS = 1.5;
/// RTT while none is known.
const Time UNKNOWN_RTT = ns3::MilliSeconds(1);

/**
 * @param mode A mode.
 * @return Its name.
 */
std::string_view
GetModeName(MpccMode mode)
{
    return mode == MpccMode::START ? "start" : mode == MpccMode::PROBE ? "probe" : "move";
}

/**
 * Congestion control of a subflow under MPCC.
 *
 * It sends at a rate, whatever is lost; its window is so large that it does not matter. Of the
 * marks of ECN it knows nothing.
 */
class TcpMpcc : public ns3::TcpCongestionOps, public TransmissionListener, public ModalController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpMpcc")
                                     .SetParent<ns3::TcpCongestionOps>()
                                     .AddConstructor<TcpMpcc>();
        return tid;
    }

    /**
     * Take a seat; to be called before the socket gets the controller.
     *
     * @param seat The seat.
     * @param scaled Whether the least step depends on rate and RTT.
     */
    void Setup(const Seat& seat, bool scaled)
    {
        m_seat = seat;
        m_rates = seat.shared->Get<AdvertisedRate>();
        m_scaled = scaled;
        m_draw = ns3::CreateObject<ns3::UniformRandomVariable>();
        m_draw->SetStream(seat.stream);
    }

    std::string GetName() const override
    {
        return "TcpMpcc";
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpMpcc>(this);
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        m_tcb = tcb;
    }

    void CongestionStateSet(Ptr<TcpSocketState>,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        if (newState == TcpSocketState::CA_OPEN && !m_plan)
        {
            m_plan.emplace([this] { return m_draw->GetValue() < 0.5; }, GetOthers());
            Follow();
            OpenNext();
        }
    }

    /// At the end of recovery the socket makes the threshold its window.
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t) override
    {
        return tcb->m_cWnd;
    }

    void IncreaseWindow(Ptr<TcpSocketState>, uint32_t) override
    {
    }

    bool HasCongControl() const override
    {
        return true;
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection&,
                     const ns3::TcpRateOps::TcpRateSample&) override
    {
        if (m_intervals.Close(Simulator::Now(), GetRtt()))
        {
            OpenNext();
        }
        while (const auto result = m_intervals.Take(Simulator::Now()))
        {
            const auto rate = m_plan->GetRate();
            const auto segment = tcb->m_segmentSize;
            const auto least = m_scaled ? std::max(SCALED_LEAST_STEP * rate,
                                                   segment / GetRtt().GetSeconds())
                                        : RELEASED_LEAST_STEP;
            m_plan->Take(*result, segment, GetOthers(), least);
            Follow();
            if (!m_intervals.IsOpen())
            {
                OpenNext();
            }
        }
        // The window follows the RTT.
        Pace(tcb, m_paced);
    }

    void NoteSent(uint64_t position, uint32_t size, bool repeated) override
    {
        if (m_intervals.Close(Simulator::Now(), GetRtt()))
        {
            OpenNext();
        }
        m_intervals.NoteSent(position, size, repeated, Simulator::Now());
    }

    void NoteAck(uint64_t acked,
                 const std::vector<RttSampler::Block>& sackBlocks,
                 std::optional<Time> rtt) override
    {
        m_intervals.NoteAck(acked, sackBlocks, m_tcb->m_srtt, rtt, Simulator::Now());
    }

    void NoteTimeout() override
    {
        m_intervals.NoteTimeout();
    }

  private:
    /// @return What the others of the group advertise.
    double GetOthers() const
    {
        return SumAdvertised(*m_seat.signals, *m_rates, m_seat.index);
    }

    /// @return The smoothed RTT.
    Time GetRtt() const
    {
        return m_tcb->m_srtt.Get().IsZero() ? UNKNOWN_RTT : m_tcb->m_srtt.Get();
    }

    /// Tell what the plan has come to.
    void Follow()
    {
        (*m_rates)[m_seat.index].rate = m_plan->GetAdvertised();
        EnterMode(GetModeName(m_plan->GetMode()));
    }

    /// Open the interval that the plan has next, or keep the present rate.
    void OpenNext()
    {
        m_paced = m_plan->GetRate();
        if (const auto aim = m_plan->Next())
        {
            m_paced = aim->rate;
            m_intervals.Open(aim->purpose, aim->rate, GetRtt() * INTERVAL_RTTS);
        }
        Pace(m_tcb, m_paced);
    }

    Seat m_seat;                             //!< The subflow and its connection
    Shared<AdvertisedRate> m_rates;          //!< Rates of the subflows
    bool m_scaled{false};                    //!< Whether the least step depends on rate and RTT
    Ptr<ns3::UniformRandomVariable> m_draw;  //!< Gives the order of the rates that are tried
    Ptr<TcpSocketState> m_tcb;               //!< State of the socket
    std::optional<MpccPlan> m_plan;          //!< Decides on rates, once it is established
    MonitorIntervals m_intervals;            //!< The intervals that are sent
    double m_paced{FIRST_RATE};              //!< Rate at which is sent at present
};

NS_OBJECT_ENSURE_REGISTERED(TcpMpcc);

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpMpcc>();
    controller->Setup(seat, values.Is("min_step", "scaled"));
    return controller;
}

} // namespace

double
MpccUtility(double total, double loss, double rttSlope, bool starting)
{
    const bool still = std::abs(rttSlope) < LEAST_SLOPE || (starting && rttSlope < 0);
    const auto latency = still ? 0 : rttSlope;
    const auto losses = starting && loss < START_LOSS ? 0 : loss;
    return UTILITY_SCALE *
           (std::pow(total, EXPONENT) - LOSS_WEIGHT * losses * total - latency * total);
}

double
MpccGradient(const MpccPoint& first, const MpccPoint& second)
{
    const auto difference = second.rate - first.rate;
    if (std::abs(difference) < LEAST_DIFFERENCE * first.rate)
    {
        return 0;
    }
    return GRADIENT_SCALE * (second.utility - first.utility) / difference;
}

MpccPairs
MpccProbes(double rate, double total, uint32_t stays, const std::array<bool, 2>& lowFirst)
{
    const auto offset = PROBE_SHARE * total + PROBE_GROWTH * rate * stays;
    const auto high = rate + offset;
    // The code compares with 0, and paces at 0 where nothing is left.
    const auto low = rate - offset < LEAST_PROBE ? high / 2 : rate - offset;
    MpccPairs pairs{};
    for (std::size_t pair = 0; pair < lowFirst.size(); ++pair)
    {
        pairs[2 * pair].rate = lowFirst[pair] ? low : high;
        pairs[2 * pair + 1].rate = lowFirst[pair] ? high : low;
    }
    return pairs;
}

double
MpccAgreement(const MpccPairs& pairs)
{
    const auto first = MpccGradient(pairs[0], pairs[1]);
    const auto second = MpccGradient(pairs[2], pairs[3]);
    if ((first > 0) != (second > 0))
    {
        return 0;
    }
    return std::copysign(std::min(std::abs(first), std::abs(second)), first);
}

double
MpccStep::Take(double gradient, double rate, double total, double least)
{
    const auto direction = gradient > 0 ? MpccDirection::UP : MpccDirection::DOWN;
    const bool turns = direction != m_last;
    if (turns)
    {
        m_amplifier = 0;
        m_bound = 0;
        m_swing = std::min(m_swing + 1, MOST_SWING);
    }
    auto size = std::abs(gradient) / 2 * (1 + m_amplifier);
    if (!turns && m_swing > 0)
    {
        m_swing -= 1;
    }
    else if (!turns)
    {
        m_amplifier += AMPLIFIER_STEP;
    }
    const auto largest = LARGEST_STEP * (1 + m_bound) * total;
    if (size > largest)
    {
        m_bound += 1;
        size = largest;
    }
    else
    {
        m_bound = std::max(m_bound - 1, 0.0);
    }
    if (turns)
    {
        m_bound = 0;
    }
    return std::copysign(std::min(std::max(size, least), rate / 2), gradient);
}

void
MpccStep::SetLast(MpccDirection direction)
{
    m_last = direction;
}

MpccDirection
MpccStep::GetLast() const
{
    return m_last;
}

MpccPlan::MpccPlan(std::function<bool()> coin, double others)
    : m_coin(std::move(coin)),
      m_rate(FIRST_RATE),
      m_advertised(FIRST_RATE),
      m_others(others),
      m_tries(START_TRIES)
{
}

MpccMode
MpccPlan::GetMode() const
{
    return m_mode;
}

double
MpccPlan::GetRate() const
{
    return m_rate;
}

double
MpccPlan::GetAdvertised() const
{
    return m_advertised;
}

std::optional<MpccAim>
MpccPlan::Next()
{
    if (m_toSend.empty())
    {
        return std::nullopt;
    }
    const auto purpose = m_toSend.front();
    m_toSend.pop_front();
    return MpccAim{purpose, m_mode == MpccMode::PROBE ? m_pairs[purpose].rate : m_rate};
}

void
MpccPlan::Take(const IntervalResult& result, uint32_t segment, double others, double leastStep)
{
    if (!result.limitedByRate)
    {
        m_toSend.push_back(result.purpose);
        return;
    }
    const bool brakes =
        result.GetLoss() > BRAKE_LOSS && result.sent > BRAKE_SEGMENTS * segment;
    switch (m_mode)
    {
    case MpccMode::START:
        EndStart(result);
        if (m_mode == MpccMode::PROBE)
        {
            Probe(others);
        }
        break;
    case MpccMode::PROBE:
        m_pairs[result.purpose].utility = GetUtility(result);
        m_brakes += brakes;
        if (++m_results == m_pairs.size())
        {
            EndProbe(others, leastStep);
        }
        break;
    case MpccMode::MOVE:
        EndMove(result, brakes, others, leastStep);
        break;
    }
}

double
MpccPlan::GetUtility(const IntervalResult& result) const
{
    return MpccUtility(result.rate + m_others,
                       result.GetLoss(),
                       result.GetRttSlope(),
                       m_mode == MpccMode::START);
}

void
MpccPlan::EndStart(const IntervalResult& result)
{
    const MpccPoint point{m_rate, GetUtility(result)};
    const bool rises = !m_before || point.utility > m_before->utility;
    if (rises && result.GetThroughput() > LEAST_THROUGHPUT * result.rate)
    {
        m_before = point;
        m_rate *= 2;
        m_tries = START_TRIES;
    }
    else if (m_tries > 0)
    {
        --m_tries;
    }
    else
    {
        m_rate = m_before ? m_before->rate : m_rate;
        m_mode = MpccMode::PROBE;
        return;
    }
    m_toSend.push_back(0);
}

void
MpccPlan::EndProbe(double others, double leastStep)
{
    const auto gradient = MpccAgreement(m_pairs);
    const auto total = m_rate + m_others;
    auto change = gradient == 0 ? 0 : m_step.Take(gradient, m_rate, total, leastStep);
    if (m_brakes > BRAKE_INTERVALS)
    {
        change = -m_rate / 2;
    }
    m_step.SetLast(change > 0   ? MpccDirection::UP
                   : change < 0 ? MpccDirection::DOWN
                                : MpccDirection::STAY);
    // Compared is the worse one of the first pair. If that was sent first, the code takes the
    // rate in the middle for its rate.
    const MpccPoint before = m_pairs[1].utility < m_pairs[0].utility
                                 ? m_pairs[1]
                                 : MpccPoint{m_rate, m_pairs[0].utility};
    const auto rate = std::max(m_rate + change, LEAST_RATE);
    if (rate == m_rate)
    {
        Probe(others);
    }
    else
    {
        m_stays = 0;
        Move(rate, before);
    }
    m_advertised = m_rate;
}

void
MpccPlan::EndMove(const IntervalResult& result, bool brakes, double others, double leastStep)
{
    const MpccPoint point{m_rate, GetUtility(result)};
    if (brakes)
    {
        m_rate = std::max(m_rate / 2, LEAST_RATE);
        Probe(others);
        return;
    }
    const auto gradient = MpccGradient(point, *m_before);
    const auto total = m_rate + m_others;
    const auto change = gradient == 0 ? 0 : m_step.Take(gradient, m_rate, total, leastStep);
    const auto direction = change > 0 ? MpccDirection::UP : MpccDirection::DOWN;
    if (change == 0 || direction != m_step.GetLast())
    {
        Probe(others);
        return;
    }
    Move(std::max(m_rate + change, LEAST_RATE), point);
}

void
MpccPlan::Probe(double others)
{
    m_mode = MpccMode::PROBE;
    m_others = others;
    const auto first = m_coin();
    const auto second = m_coin();
    m_pairs = MpccProbes(m_rate, m_rate + m_others, m_stays, {first, second});
    m_results = 0;
    m_brakes = 0;
    m_toSend.resize(m_pairs.size());
    std::iota(m_toSend.begin(), m_toSend.end(), 0);
}

void
MpccPlan::Move(double rate, const MpccPoint& before)
{
    m_mode = MpccMode::MOVE;
    m_rate = rate;
    m_before = before;
    m_toSend.push_back(0);
}

extern const ControllerKind MPCC{
    {"mpcc",
     "MPCC (Gilad et al., CoNEXT 2020), its latency variant, as its kernel module tcp_mpcc.c has "
     "it: rates that follow a utility. What was read is that source; the intervals in which rates "
     "are judged are a reconstruction.",
     {OneOf("min_step",
            "Least change of a rate. released: 62,500 bytes/s, as in that source; scaled: 1 % of "
            "the rate, and a segment in a round trip (ours, for slow links).",
            {"released", "scaled"})}},
    Create,
};

} // namespace smartsbd
