// SPDX-License-Identifier: GPL-2.0-only

#include "path/jitter.h"

#include <cmath>

namespace smartsbd
{

using ns3::Time;

Jitter::Jitter(Time mean, int64_t stream)
    : m_draw(ns3::CreateObject<ns3::UniformRandomVariable>()),
      m_largest(mean * 2),
      m_spacing(ns3::Max(mean * 4, ns3::MilliSeconds(1)))
{
    m_draw->SetStream(stream);
    m_after = m_draw->GetValue(0, 1);
}

Time
Jitter::Get(Time time)
{
    if (m_largest.IsZero())
    {
        return m_largest;
    }
    while (m_knot <= time)
    {
        m_knot += m_spacing;
        m_before = m_after;
        m_after = m_draw->GetValue(0, 1);
    }
    const double rest = (m_knot - time).GetSeconds() / m_spacing.GetSeconds();
    const double part = m_after + (m_before - m_after) * rest;
    return ns3::NanoSeconds(std::llround(part * m_largest.GetNanoSeconds()));
}

} // namespace smartsbd
