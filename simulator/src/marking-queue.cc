// SPDX-License-Identifier: GPL-2.0-only

#include "marking-queue.h"

#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/ppp-header.h"

namespace smartsbd
{

using ns3::Ipv4Header;
using ns3::Packet;
using ns3::Ptr;

NS_OBJECT_ENSURE_REGISTERED(MarkingQueue);

ns3::TypeId
MarkingQueue::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("smartsbd::MarkingQueue")
            .SetParent<ns3::DropTailQueue<Packet>>()
            .AddConstructor<MarkingQueue>()
            .AddTraceSource("Mark",
                            "A packet was marked and queued.",
                            ns3::MakeTraceSourceAccessor(&MarkingQueue::m_markTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

void
MarkingQueue::SetThreshold(uint32_t bytes)
{
    m_threshold = bytes;
}

bool
MarkingQueue::Enqueue(Ptr<Packet> packet)
{
    const bool marked = GetNBytes() > m_threshold && Mark(packet);
    const bool queued = DropTailQueue::Enqueue(packet);
    if (marked && queued)
    {
        m_markTrace(packet);
    }
    return queued;
}

bool
MarkingQueue::Mark(Ptr<Packet> packet)
{
    ns3::PppHeader link;
    Ipv4Header ip;
    packet->RemoveHeader(link);
    packet->RemoveHeader(ip);
    const bool capable = ip.GetEcn() != Ipv4Header::ECN_NotECT;
    if (capable)
    {
        ip.SetEcn(Ipv4Header::ECN_CE);
    }
    if (ns3::Node::ChecksumEnabled())
    {
        ip.EnableChecksum();
    }
    packet->AddHeader(ip);
    packet->AddHeader(link);
    return capable;
}

} // namespace smartsbd
