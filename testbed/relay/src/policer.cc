// SPDX-License-Identifier: MIT

#include "policer.h"

#include <algorithm>
#include <utility>

namespace relay
{

namespace
{

/// How many times as fast the line behind the bucket is.
constexpr double LINE_TIMES = 10;

/// A plan whose rate is so many times as high. Its draws are the same, so both wander alike.
PortPlan
Faster(PortPlan plan)
{
    for (auto& change : plan.rate)
    {
        change.bitS *= LINE_TIMES;
    }
    return plan;
}

} // namespace

Policer::Policer(const PortPlan& plan, uint64_t seed)
    : m_tokens(plan, seed),
      m_behind(Faster(plan), seed),
      m_depthBits(8.0 * static_cast<double>(plan.queueBytes))
{
}

Passage
Policer::Refill(int64_t nowNs)
{
    const auto fromNs = std::exchange(m_filledNs, std::max(m_filledNs, nowNs));
    if (m_missingBits <= 0)
    {
        return {nowNs, nowNs};
    }
    const auto [endNs, leftBits] = m_tokens.Carry(fromNs, m_missingBits, nowNs);
    m_missingBits = leftBits;
    return {fromNs, endNs};
}

std::optional<int64_t>
Policer::Send(int64_t nowNs, uint32_t bytes)
{
    const auto bits = 8.0 * bytes;
    if (m_missingBits + bits > m_depthBits)
    {
        return std::nullopt;
    }
    m_missingBits += bits;
    m_freeNs = m_behind.Send(std::max(nowNs, m_freeNs), bytes);
    return m_freeNs;
}

} // namespace relay
