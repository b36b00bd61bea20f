// SPDX-License-Identifier: GPL-2.0-only

#include "path/host-delay.h"

#include <cmath>

namespace smartsbd
{

using ns3::Time;

HostDelay::HostDelay(Time largest, int64_t stream)
    : m_draw(ns3::CreateObject<ns3::UniformRandomVariable>()),
      m_largest(largest)
{
    m_draw->SetStream(stream);
}

Time
HostDelay::Get(Time time)
{
    const double drawn = m_draw->GetValue(0, 1) * m_largest.GetNanoSeconds();
    m_last = ns3::Max(m_last, time + ns3::NanoSeconds(std::llround(drawn)));
    return m_last - time;
}

} // namespace smartsbd
