// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/blest.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

namespace
{

/// Most round trips that initial slow start is taken to last.
constexpr uint64_t MOST_DOUBLINGS = 16;
/// Limits of the safety factor.
constexpr double LEAST_FACTOR = 1.0;
constexpr double MOST_FACTOR = 1.3;
/// Changes of the safety factor after a retransmission, and without one.
constexpr double FACTOR_UP = 0.04;
constexpr double FACTOR_DOWN = -0.01;

/// Takes the fastest subflow, and a slower one only if that does not block the fastest later.
class Blest : public SubflowScheduler
{
  public:
    /**
     * @param factor Safety factor at the start.
     */
    explicit Blest(double factor)
        : m_factor(factor)
    {
    }

    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        const auto chosen = FindFastestUsable(paths);
        if (!chosen || !meta.hasNew)
        {
            return std::nullopt;
        }
        const auto fastest = *FindFastest(paths);
        if (fastest != *chosen)
        {
            AdjustFactor(meta, paths[*chosen]);
            if (BlestWaits(paths[fastest], paths[*chosen], m_factor, meta.mss, meta.sendWindow))
            {
                return std::nullopt;
            }
        }
        return Choice{*chosen, meta.queue.GetNext()};
    }

  private:
    /**
     * Change the safety factor, at most once in the least RTT of the slow subflow.
     *
     * @param meta The connection.
     * @param slow The slow subflow.
     */
    void AdjustFactor(const MetaView& meta, const PathView& slow)
    {
        if (meta.now - m_adjusted < slow.leastSrtt)
        {
            return;
        }
        const bool repeated = meta.retransmissions > m_retransmissions;
        m_factor = std::clamp(m_factor + (repeated ? FACTOR_UP : FACTOR_DOWN),
                              LEAST_FACTOR,
                              MOST_FACTOR);
        m_adjusted = meta.now;
        m_retransmissions = meta.retransmissions;
    }

    double m_factor;               //!< Safety factor on what the fastest subflow could send
    ns3::Time m_adjusted;          //!< When it was last changed
    uint64_t m_retransmissions{0}; //!< Retransmissions of the connection then
};

/**
 * @param values Its parameters.
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const SchedulerSeat&, const ParameterValues& values)
{
    return std::make_unique<Blest>(values.GetNumber("factor"));
}

} // namespace

ns3::Time
BlestLinger(const PathView& slow)
{
    const auto inFlight = slow.inFlight + 1;
    if (inFlight >= slow.window)
    {
        return std::max(slow.mostSrtt, slow.srtt);
    }
    const auto rise = (slow.mostSrtt - slow.leastSrtt) * inFlight / slow.window;
    return std::max(slow.leastSrtt + rise, slow.srtt);
}

uint64_t
BlestSegments(const PathView& fast, ns3::Time time)
{
    const auto roundTrip = (fast.leastSrtt + fast.mostSrtt) / 2;
    const auto rounds =
        roundTrip.IsZero()
            ? 1
            : static_cast<uint64_t>(time.GetNanoSeconds() / roundTrip.GetNanoSeconds()) + 1;
    if (fast.initialSlowStart)
    {
        return fast.window * ((uint64_t{1} << std::min(rounds, MOST_DOUBLINGS)) - 1);
    }
    const uint64_t window = std::max(fast.window, fast.threshold + 1);
    return (window + (rounds - 1) / 2) * rounds;
}

bool
BlestWaits(const PathView& fast,
           const PathView& slow,
           double factor,
           uint32_t mss,
           uint32_t sendWindow)
{
    const auto segments = BlestSegments(fast, BlestLinger(slow));
    const auto fastBytes = std::floor(static_cast<double>(segments) * mss * factor);
    const auto slowBytes = static_cast<double>(mss + slow.unacknowledged);
    return fastBytes > std::max(0.0, sendWindow - slowBytes);
}

extern const SchedulerKind BLEST{
    {"blest",
     "BLEST (Ferlin et al., 2016), as Linux's mptcp_blest.c has it: the lowest smoothed RTT; a "
     "slower subflow only if the fastest could not fill the receive window meanwhile.",
     {Number("factor",
             "Safety factor on what the fastest subflow could send, at the start; it rises by "
             "0.04 after a retransmission of the connection and falls by 0.01 without, from 1 to "
             "1.3.",
             LEAST_FACTOR,
             MOST_FACTOR,
             1.2)}},
    Create,
};

} // namespace smartsbd
