// SPDX-License-Identifier: GPL-2.0-only

#include "varying-channel.h"

#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::Time;

NS_OBJECT_ENSURE_REGISTERED(VaryingChannel);

ns3::TypeId
VaryingChannel::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("smartsbd::VaryingChannel").SetParent<ns3::PointToPointChannel>();
    return tid;
}

bool
VaryingChannel::TransmitStart(Ptr<const ns3::Packet> packet,
                              Ptr<ns3::PointToPointNetDevice> source,
                              Time txTime)
{
    const bool forward = source == GetSource(0);
    const auto destination = GetDestination(forward ? 0 : 1);
    auto delay = txTime + GetDelay();
    if (forward)
    {
        delay += GetExtraDelay(Simulator::Now() + txTime);
    }
    Simulator::ScheduleWithContext(destination->GetNode()->GetId(),
                                   delay,
                                   &ns3::PointToPointNetDevice::Receive,
                                   destination,
                                   packet->Copy());
    return true;
}

} // namespace smartsbd
