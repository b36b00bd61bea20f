// SPDX-License-Identifier: GPL-2.0-only

#include "path/host-device.h"

#include "ns3/abort.h"
#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/node.h"
#include "ns3/ppp-header.h"

#include <array>

namespace smartsbd
{

using ns3::Ipv4Address;
using ns3::Packet;
using ns3::Ptr;

NS_OBJECT_ENSURE_REGISTERED(HostDevice);

namespace
{

/// Protocol number of IPv4 in PPP.
constexpr uint16_t PPP_IPV4 = 0x0021;
/// Bytes of an IPv4 header up to and with the destination.
constexpr std::size_t IP_HEADER = 20;
/// Offset of the destination in it.
constexpr std::size_t IP_DESTINATION = 16;

/**
 * @param packet A packet with its IP header.
 * @param routers Number of routers it has passed, each of which takes one from its time to live.
 */
void
LowerTimeToLive(Ptr<Packet> packet, std::size_t routers)
{
    ns3::Ipv4Header ip;
    packet->RemoveHeader(ip);
    ip.SetTtl(ip.GetTtl() - routers);
    if (ns3::Node::ChecksumEnabled())
    {
        ip.EnableChecksum();
    }
    packet->AddHeader(ip);
}

} // namespace

ns3::TypeId
HostDevice::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::HostDevice")
                                 .SetParent<ns3::PointToPointNetDevice>()
                                 .AddConstructor<HostDevice>();
    return tid;
}

void
HostDevice::AddRoute(Ipv4Address destination, const Route& route)
{
    m_destinations.push_back({destination, route});
    m_ip = GetNode()->GetObject<ns3::Ipv4L3Protocol>();
    const auto index = m_ip->GetInterfaceForDevice(this);
    m_interface = m_ip->GetInterface(index);
    ns3::Ipv4StaticRoutingHelper().GetStaticRouting(m_ip)->AddHostRouteTo(destination, index);
}

void
HostDevice::SetRecordCallback(ns3::Callback<void, Ptr<const Packet>> callback)
{
    m_record = callback;
    auto& port = *m_destinations.front().route.ports.front();
    port.GetTraces().begin = ns3::MakeCallback(&HostDevice::Record, this);
}

void
HostDevice::Receive(const Frame& frame)
{
    if (!m_record.IsNull())
    {
        LowerTimeToLive(frame.packet, frame.route->ports.size() - 1);
        Record(frame);
    }
    // Straight to TCP or UDP: a host has nothing to route, and no segment is long enough to be cut.
    ns3::Ipv4Header ip;
    frame.packet->RemoveHeader(ip);
    m_ip->GetProtocol(ip.GetProtocol())->Receive(frame.packet, ip, m_interface);
}

void
HostDevice::Silence()
{
    m_silent = true;
}

bool
HostDevice::Send(Ptr<Packet> packet, const ns3::Address&, uint16_t)
{
    if (m_silent)
    {
        return true;
    }
    const auto& route = FindRoute(packet);
    route.ports.front()->Send({packet, &route, 0, packet->GetSize() + LINK_HEADER});
    return true;
}

const Route&
HostDevice::FindRoute(Ptr<const Packet> packet) const
{
    std::array<uint8_t, IP_HEADER> header;
    packet->CopyData(header.data(), header.size());
    const auto address = Ipv4Address::Deserialize(header.data() + IP_DESTINATION);
    for (const auto& destination : m_destinations)
    {
        if (destination.address == address)
        {
            return destination.route;
        }
    }
    NS_ABORT_MSG("no route to " << address);
}

void
HostDevice::Record(const Frame& frame) const
{
    ns3::PppHeader link;
    link.SetProtocol(PPP_IPV4);
    const auto copy = frame.packet->Copy();
    copy->AddHeader(link);
    m_record(copy);
}

} // namespace smartsbd
