// SPDX-License-Identifier: MIT

#include "way-back.h"

#include <cmath>

namespace packets
{

namespace
{

constexpr int64_t NS_PER_US = 1'000;
// Linux with tcp_usec_ts, since 4.13, and before with HZ of 250 and 100.
constexpr int64_t TICKS_NS[] = {1'000, 1'000'000, 4'000'000, 10'000'000};
// A clock is known if its tick is off by no more than this part.
constexpr int64_t OFF_PART = 10;
// As much as a sample in a log may be.
constexpr int64_t MAX_DELAY_US = INT32_MAX;

constexpr double TICK_UNITS = 1 << WayBack::TICK_SHIFT;

/// Microseconds, rounded down.
int64_t
ToUs(int64_t ns)
{
    return (ns < 0 ? ns - (NS_PER_US - 1) : ns) / NS_PER_US;
}

} // namespace

int64_t
WayBack::GetDelay(int64_t timeNs, int64_t rttUs, uint32_t tsval) const
{
    if (tick == 0 || rttUs > MAX_DELAY_US)
    {
        return NOT_OBSERVED;
    }
    const auto elapsedNs = timeNs - firstNs;
    // Of the values that TSval may be short for, the one nearest to the line.
    const auto expected =
        std::llround(static_cast<double>(elapsedNs) * TICK_UNITS / static_cast<double>(tick));
    const auto ticks = Unwrapped(firstValue + expected, tsval) - firstValue;
    const auto clockNs = static_cast<int64_t>(static_cast<__int128>(ticks) * tick >> TICK_SHIFT);
    const auto delayUs = rttUs - (ToUs(elapsedNs - clockNs) - meanUs);
    return delayUs >= 0 && delayUs <= MAX_DELAY_US ? delayUs : NOT_OBSERVED;
}

void
WayBackFit::Take(int64_t timeNs, uint32_t tsval)
{
    if (m_count == 0)
    {
        m_firstNs = timeNs;
        m_firstValue = m_value = tsval;
    }
    m_value = Unwrapped(m_value, tsval);
    ++m_count;
    const auto offNs = static_cast<double>(timeNs - m_firstNs) - m_meanNs;
    const auto offTicks = static_cast<double>(m_value - m_firstValue) - m_meanTicks;
    const auto weight = 1.0 / static_cast<double>(m_count);
    m_meanNs += offNs * weight;
    m_meanTicks += offTicks * weight;
    const auto leftNs = offNs * (1.0 - weight);
    m_timeTime += offNs * leftNs;
    m_timeTicks += offTicks * leftNs;
}

WayBack
WayBackFit::Get() const
{
    WayBack found{.firstNs = m_firstNs, .firstValue = m_firstValue};
    const auto tickNs = m_timeTime / m_timeTicks;
    for (const auto known : TICKS_NS)
    {
        // No number, of one ACK or a clock that stands, is none of them.
        if (std::abs(tickNs - static_cast<double>(known)) * OFF_PART <= static_cast<double>(known))
        {
            found.tick = std::llround(tickNs * TICK_UNITS);
            const auto clockNs = m_meanTicks * (static_cast<double>(found.tick) / TICK_UNITS);
            found.meanUs = std::llround((m_meanNs - clockNs) / NS_PER_US);
        }
    }
    return found;
}

} // namespace packets
