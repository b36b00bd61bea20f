// SPDX-License-Identifier: GPL-2.0-only

#include "burst-device.h"

#include "ns3/double.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

namespace smartsbd
{

NS_OBJECT_ENSURE_REGISTERED(BurstDevice);

namespace
{

/// Longest time the first packet of a burst waits for the others.
const ns3::Time BURST_HOLD = ns3::MilliSeconds(4);

} // namespace

ns3::TypeId
BurstDevice::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::BurstDevice")
                                 .SetParent<ns3::PointToPointNetDevice>()
                                 .AddConstructor<BurstDevice>();
    return tid;
}

BurstDevice::BurstDevice()
    : m_draw(ns3::CreateObject<ns3::UniformRandomVariable>())
{
}

void
BurstDevice::SetBurst(uint32_t low, uint32_t high, int64_t stream)
{
    m_draw->SetAttribute("Min", ns3::DoubleValue(low));
    m_draw->SetAttribute("Max", ns3::DoubleValue(high));
    m_draw->SetStream(stream);
    m_size = m_draw->GetInteger();
}

bool
BurstDevice::Send(ns3::Ptr<ns3::Packet> packet,
                  const ns3::Address& destination,
                  uint16_t protocol)
{
    m_waiting.push_back({packet, destination, protocol});
    if (m_waiting.size() >= m_size)
    {
        Release();
    }
    else if (m_waiting.size() == 1)
    {
        m_release = ns3::Simulator::Schedule(BURST_HOLD, &BurstDevice::Release, this);
    }
    return true;
}

void
BurstDevice::Release()
{
    m_release.Cancel();
    for (const auto& waiting : m_waiting)
    {
        PointToPointNetDevice::Send(waiting.packet, waiting.destination, waiting.protocol);
    }
    m_waiting.clear();
    m_size = m_draw->GetInteger();
}

} // namespace smartsbd
