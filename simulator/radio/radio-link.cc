// SPDX-License-Identifier: GPL-2.0-only

#include "radio-link.h"

#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/tag.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

#include <memory>
#include <string>
#include <utility>

namespace smartsbd
{

using ns3::NetDevice;
using ns3::Packet;
using ns3::Ptr;

namespace
{

/// Rate in bit/s of the line behind the air, and limit in bytes of its queue: no bottleneck.
constexpr uint64_t LINE_RATE = 1'000'000'000;
constexpr uint32_t LINE_QUEUE = 16'000'000;

/// Number of a packet among those of its port: TCP sends a packet of the same uid again.
class NumberTag : public ns3::Tag
{
  public:
    /// @return The type.
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::NumberTag")
                                     .SetParent<ns3::Tag>()
                                     .AddConstructor<NumberTag>();
        return tid;
    }

    ns3::TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return sizeof(number);
    }

    void Serialize(ns3::TagBuffer buffer) const override
    {
        buffer.WriteU64(number);
    }

    void Deserialize(ns3::TagBuffer buffer) override
    {
        number = buffer.ReadU64();
    }

    void Print(std::ostream& os) const override
    {
        os << number;
    }

    uint64_t number{0}; //!< The number
};

/**
 * @param node A node.
 * @param at Its distance from the origin, now.
 * @param speed Its speed away from there in m/s.
 */
void
Stand(Ptr<ns3::Node> node, double at, double speed)
{
    const auto place = ns3::CreateObject<ns3::ConstantVelocityMobilityModel>();
    place->SetPosition(ns3::Vector(at, 0, 0));
    place->SetVelocity(ns3::Vector(speed, 0, 0));
    node->AggregateObject(place);
}

/**
 * Let a port send from one device to another.
 *
 * @param port The port.
 * @param from The device it sends through.
 * @param to The device that gets its packets.
 * @param limit Most bytes in the MAC and the air.
 */
void
Connect(RadioPort& port, Ptr<NetDevice> from, Ptr<NetDevice> to, uint32_t limit)
{
    port.SetDevice(from, ns3::Mac48Address::ConvertFrom(to->GetAddress()), limit);
    to->SetReceiveCallback(
        [&port](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const ns3::Address&) {
            port.Deliver(packet);
            return true;
        });
}

} // namespace

void
RadioPort::SetDevice(Ptr<NetDevice> device, ns3::Mac48Address peer, uint32_t limit)
{
    m_device = device;
    m_peer = peer;
    m_limit = limit;
    ns3::DynamicCast<ns3::WifiNetDevice>(device)->GetMac()->TraceConnectWithoutContext(
        "DroppedMpdu",
        ns3::MakeCallback(&RadioPort::Drop, this));
}

void
RadioPort::Send(const Frame& frame)
{
    if (m_underWayBytes + frame.size > m_limit)
    {
        Tell(GetTraces().drop, frame);
        return;
    }
    NumberTag tag;
    tag.number = ++m_last;
    const auto packet = frame.packet->Copy();
    packet->AddPacketTag(tag);
    m_underWay.emplace(tag.number, frame);
    m_underWayBytes += frame.size;
    if (!m_device->Send(packet, m_peer, ns3::Ipv4L3Protocol::PROT_NUMBER))
    {
        // Refused before it came to the MAC, which then says nothing of it.
        if (const auto refused = Take(packet))
        {
            Tell(GetTraces().drop, *refused);
        }
    }
}

void
RadioPort::Deliver(Ptr<const Packet> packet)
{
    if (const auto frame = Take(packet))
    {
        Port::Send(*frame);
    }
}

void
RadioPort::Drop(ns3::WifiMacDropReason reason, Ptr<const ns3::WifiMpdu> mpdu)
{
    const auto frame = Take(mpdu->GetPacket());
    if (!frame)
    {
        // It arrived and its acknowledgement did not, or it is none of ours.
        return;
    }
    const bool sent = reason == ns3::WIFI_MAC_DROP_REACHED_RETRY_LIMIT;
    Tell(sent ? GetTraces().loss : GetTraces().drop, *frame);
}

std::optional<Frame>
RadioPort::Take(Ptr<const Packet> packet)
{
    NumberTag tag;
    if (!packet->PeekPacketTag(tag))
    {
        return std::nullopt;
    }
    const auto found = m_underWay.extract(tag.number);
    if (!found)
    {
        return std::nullopt;
    }
    m_underWayBytes -= found.mapped().size;
    return found.mapped();
}

void
RadioPort::Tell(const ns3::Callback<void, const Frame&>& trace, const Frame& frame)
{
    if (!trace.IsNull())
    {
        trace(frame);
    }
}

AccessPorts
MakeRadio(const AccessSpec& access, int64_t firstStream)
{
    auto forward = std::make_unique<RadioPort>(LINE_RATE, LINE_QUEUE, ACCESS_LINK_DELAY);
    auto reverse = std::make_unique<RadioPort>(LINE_RATE, LINE_QUEUE, ACCESS_LINK_DELAY);
    const auto point = ns3::CreateObject<ns3::Node>();
    const auto station = ns3::CreateObject<ns3::Node>();
    Stand(point, 0, 0);
    Stand(station, access.distance, access.speed);
    ns3::YansWifiPhyHelper phy;
    phy.SetChannel(ns3::YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", ns3::StringValue("{36, 20, BAND_5GHZ, 0}"));
    ns3::WifiHelper wifi;
    wifi.SetStandard(ns3::WIFI_STANDARD_80211n);
    const auto mode = "OfdmRate" + std::to_string(access.rate / 1'000'000) + "Mbps";
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 ns3::StringValue(mode));
    ns3::WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", ns3::SsidValue(ns3::Ssid("smartsbd")));
    const auto pointDevice = wifi.Install(phy, mac, point).Get(0);
    mac.SetType("ns3::StaWifiMac", "Ssid", ns3::SsidValue(ns3::Ssid("smartsbd")));
    const auto stationDevice = wifi.Install(phy, mac, station).Get(0);
    ns3::WifiHelper::AssignStreams(ns3::NetDeviceContainer(pointDevice, stationDevice),
                                   firstStream);
    Connect(*forward, pointDevice, stationDevice, access.queue);
    Connect(*reverse, stationDevice, pointDevice, access.queue);
    return {std::move(forward), std::move(reverse)};
}

} // namespace smartsbd
