// SPDX-License-Identifier: GPL-2.0-only

#include "path/opportunities.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace smartsbd
{

Opportunities::Opportunities(std::vector<uint32_t> moments)
    : m_moments(std::move(moments))
{
}

uint64_t
Opportunities::CountUntil(ns3::Time time) const
{
    if (time.IsStrictlyNegative())
    {
        return 0;
    }
    const auto whole = static_cast<uint64_t>(time.GetMilliSeconds());
    const auto round = m_moments.back();
    const auto next = std::upper_bound(m_moments.begin(), m_moments.end(), whole % round);
    return whole / round * m_moments.size() +
           static_cast<uint64_t>(std::distance(m_moments.begin(), next));
}

ns3::Time
Opportunities::GetTime(uint64_t number) const
{
    const auto rounds = number / m_moments.size();
    return ns3::MilliSeconds(rounds * m_moments.back() + m_moments[number % m_moments.size()]);
}

double
Opportunities::GetMean() const
{
    return 8e-3 * BYTES * static_cast<double>(m_moments.size()) / m_moments.back();
}

} // namespace smartsbd
