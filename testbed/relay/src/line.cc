// SPDX-License-Identifier: MIT

#include "line.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace relay
{

namespace
{

/// Of the process by which a rate wanders, from one step to the next.
constexpr double STEP_CORRELATION = 0.9;

} // namespace

Line::Line(const PortPlan& plan, uint64_t seed)
    : m_changes(plan.rate),
      m_sigma(plan.rateSigma),
      m_stepNs(plan.rateStepNs),
      m_stepEndNs(m_stepNs ? 0 : std::numeric_limits<int64_t>::max()),
      m_draw(seed),
      m_state(m_draw.Normal())
{
}

int64_t
Line::Send(int64_t startNs, uint32_t bytes)
{
    return Carry(startNs, 8.0 * bytes, std::numeric_limits<int64_t>::max()).endNs;
}

Carried
Line::Carry(int64_t startNs, double bits, int64_t untilNs)
{
    while (startNs < untilNs)
    {
        MoveTo(startNs);
        const double bitS = m_changes[m_next - 1].bitS * m_factor;
        const auto change = m_next < m_changes.size() ? m_changes[m_next].fromNs
                                                      : std::numeric_limits<int64_t>::max();
        const auto pauseNs = std::min({change, m_stepEndNs, untilNs});
        const double neededNs = bits * 1e9 / bitS;
        if (neededNs <= static_cast<double>(pauseNs) - static_cast<double>(startNs))
        {
            return {startNs + std::llround(neededNs), 0};
        }
        bits -= static_cast<double>(pauseNs - startNs) * bitS / 1e9;
        startNs = pauseNs;
    }
    return {startNs, bits};
}

void
Line::MoveTo(int64_t timeNs)
{
    while (m_next < m_changes.size() && m_changes[m_next].fromNs <= timeNs)
    {
        ++m_next;
    }
    while (m_stepEndNs <= timeNs)
    {
        m_stepEndNs += m_stepNs;
        m_factor = std::exp(m_sigma * m_state - m_sigma * m_sigma / 2);
        m_state = STEP_CORRELATION * m_state +
                  std::sqrt(1 - STEP_CORRELATION * STEP_CORRELATION) * m_draw.Normal();
    }
}

} // namespace relay
