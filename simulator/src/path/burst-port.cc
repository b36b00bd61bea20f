// SPDX-License-Identifier: GPL-2.0-only

#include "path/burst-port.h"

#include "ns3/double.h"
#include "ns3/simulator.h"

namespace smartsbd
{

namespace
{

/// Longest time the first packet of a burst waits for the others.
const ns3::Time BURST_HOLD = ns3::MilliSeconds(4);

} // namespace

void
BurstPort::SetBurst(uint32_t low, uint32_t high, int64_t stream)
{
    m_draw = ns3::CreateObject<ns3::UniformRandomVariable>();
    m_draw->SetAttribute("Min", ns3::DoubleValue(low));
    m_draw->SetAttribute("Max", ns3::DoubleValue(high));
    m_draw->SetStream(stream);
    m_size = m_draw->GetInteger();
}

void
BurstPort::Send(const Frame& frame)
{
    m_burst.push_back(frame);
    if (m_burst.size() >= m_size)
    {
        Release();
    }
    else if (m_burst.size() == 1)
    {
        m_release = ns3::Simulator::Schedule(BURST_HOLD, &BurstPort::Release, this);
    }
}

void
BurstPort::Release()
{
    m_release.Cancel();
    for (const auto& frame : m_burst)
    {
        Port::Send(frame);
    }
    m_burst.clear();
    m_size = m_draw->GetInteger();
}

} // namespace smartsbd
