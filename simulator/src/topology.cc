// SPDX-License-Identifier: GPL-2.0-only

#include "topology.h"

#include "jitter-channel.h"

#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/queue-size.h"

namespace smartsbd
{

using ns3::CreateObject;
using ns3::Ipv4Address;
using ns3::Node;
using ns3::PointToPointChannel;
using ns3::PointToPointNetDevice;
using ns3::Ptr;

namespace
{

/// Random streams of an access link, counted from STREAMS_PER_LINK times the subflow's index.
enum LinkStream
{
    LOSS_OF_DATA,
    LOSS_OF_ACKS,
    JITTER,
    STREAMS_PER_LINK,
};

/// @return A new node with TCP and IPv4 on it.
Ptr<Node>
CreateHost()
{
    auto node = CreateObject<Node>();
    ns3::InternetStackHelper stack;
    stack.SetRoutingHelper(ns3::Ipv4StaticRoutingHelper());
    stack.SetIpv6StackInstall(false);
    stack.Install(node);
    return node;
}

/**
 * @param delay One way delay.
 * @return A channel with that delay in both directions.
 */
Ptr<PointToPointChannel>
CreateChannel(ns3::Time delay)
{
    return ns3::CreateObjectWithAttributes<PointToPointChannel>("Delay", ns3::TimeValue(delay));
}

/**
 * Put a device with a drop-tail queue on a node.
 *
 * @param node The node.
 * @param rate Line rate in bit/s.
 * @param queue Queue limit in bytes.
 * @return The device.
 */
Ptr<PointToPointNetDevice>
AddDevice(Ptr<Node> node, uint64_t rate, uint32_t queue)
{
    auto limit = CreateObject<ns3::DropTailQueue<ns3::Packet>>();
    limit->SetMaxSize(ns3::QueueSize(ns3::BYTES, queue));
    auto device = CreateObject<PointToPointNetDevice>();
    device->SetAddress(ns3::Mac48Address::Allocate());
    device->SetDataRate(ns3::DataRate(rate));
    device->SetQueue(limit);
    node->AddDevice(device);
    return device;
}

/**
 * @param device The device whose received packets get lost.
 * @param loss Probability of a loss.
 * @param stream Number of the random stream.
 */
void
SetLoss(Ptr<PointToPointNetDevice> device, double loss, int64_t stream)
{
    auto model = CreateObject<ns3::RateErrorModel>();
    model->SetUnit(ns3::RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(loss);
    model->AssignStreams(stream);
    device->SetReceiveErrorModel(model);
}

/**
 * @param node A node.
 * @return Its routing table.
 */
Ptr<ns3::Ipv4StaticRouting>
GetRoutes(Ptr<Node> node)
{
    return ns3::Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<ns3::Ipv4>());
}

} // namespace

Topology::Topology(const Scenario& scenario)
    : m_server(CreateHost()),
      m_client(CreateHost())
{
    for (const auto& bottleneck : scenario.bottlenecks)
    {
        AddBottleneck(bottleneck);
    }
    for (std::size_t i = 0; i < scenario.subflows.size(); ++i)
    {
        AddSubflow(scenario, i);
    }
    for (std::size_t i = 0; i < scenario.background.size(); ++i)
    {
        AddBackground(scenario, i);
    }
}

Ptr<Node>
Topology::GetServer() const
{
    return m_server;
}

Ptr<Node>
Topology::GetClient() const
{
    return m_client;
}

Ptr<Node>
Topology::GetBackgroundSource(std::size_t flow) const
{
    return m_sources[flow];
}

const PathEnds&
Topology::GetPath(std::size_t subflow) const
{
    return m_paths[subflow];
}

Ptr<PointToPointNetDevice>
Topology::GetBottleneckDevice(std::size_t bottleneck) const
{
    return m_bottleneckDevices[bottleneck];
}

const std::vector<Ptr<PointToPointNetDevice>>&
Topology::GetOtherDevices() const
{
    return m_otherDevices;
}

Topology::Link
Topology::Connect(Ptr<Node> near,
                  Ptr<Node> far,
                  const Direction& forward,
                  Ptr<PointToPointChannel> channel)
{
    const auto nearDevice = AddDevice(near, forward.rate, forward.queue);
    const auto farDevice = AddDevice(far, FAST.rate, FAST.queue);
    nearDevice->Attach(channel);
    farDevice->Attach(channel);
    ns3::NetDeviceContainer devices;
    devices.Add(nearDevice);
    devices.Add(farDevice);
    ns3::Ipv4AddressHelper addresses(Ipv4Address(0x0a000000 + 256 * m_networks++),
                                     ns3::Ipv4Mask("/24"));
    const auto interfaces = addresses.Assign(devices);
    return Link{{nearDevice, interfaces.GetAddress(0), interfaces.Get(0).second},
                {farDevice, interfaces.GetAddress(1), interfaces.Get(1).second}};
}

void
Topology::AddBottleneck(const BottleneckSpec& bottleneck)
{
    const auto ingress = CreateHost();
    const auto egress = CreateHost();
    const auto link = Connect(ingress,
                              egress,
                              Direction{bottleneck.rate, bottleneck.queue},
                              CreateChannel(bottleneck.delay));
    GetRoutes(ingress)->SetDefaultRoute(link.far.address, link.near.interface);
    GetRoutes(egress)->SetDefaultRoute(link.near.address, link.far.interface);
    m_ingress.push_back(ingress);
    m_egress.push_back(egress);
    m_bottleneckDevices.push_back(link.near.device);
    m_otherDevices.push_back(link.far.device);
}

void
Topology::AddSubflow(const Scenario& scenario, std::size_t subflow)
{
    const auto& spec = scenario.subflows[subflow];
    const auto ingress = m_ingress[spec.bottleneck];
    const auto egress = m_egress[spec.bottleneck];
    const auto node = CreateHost();
    m_access.push_back(node);
    const auto host = Connect(m_server, ingress, FAST, CreateChannel(HOST_LINK_DELAY));
    const auto backbone =
        Connect(egress, node, FAST, CreateChannel(GetBackboneDelay(scenario, subflow)));
    const auto access = AddAccessLink(subflow, spec.access);
    const auto server = host.near.address;
    const auto client = access.far.address;
    GetRoutes(m_server)->AddHostRouteTo(client, host.far.address, host.near.interface);
    GetRoutes(egress)->AddHostRouteTo(client, backbone.far.address, backbone.near.interface);
    GetRoutes(node)->SetDefaultRoute(backbone.near.address, backbone.far.interface);
    GetRoutes(m_client)->AddHostRouteTo(server, access.near.address, access.far.interface);
    m_paths.push_back({server, client});
    m_clientInterfaces.push_back(access.far.interface);
    for (const auto& link : {host, backbone, access})
    {
        m_otherDevices.push_back(link.near.device);
        m_otherDevices.push_back(link.far.device);
    }
}

void
Topology::AddBackground(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    const auto source = CreateHost();
    const auto entry = spec.enters == Entry::ACCESS
                           ? m_access[spec.subflow]
                           : m_ingress[scenario.subflows[spec.subflow].bottleneck];
    const auto link =
        Connect(source, entry, FAST, CreateChannel(GetSourceLinkDelay(scenario, flow)));
    GetRoutes(source)->SetDefaultRoute(link.far.address, link.near.interface);
    GetRoutes(m_client)->AddHostRouteTo(link.near.address, m_clientInterfaces[spec.subflow]);
    m_sources.push_back(source);
    m_otherDevices.push_back(link.near.device);
    m_otherDevices.push_back(link.far.device);
}

Topology::Link
Topology::AddAccessLink(std::size_t subflow, const AccessSpec& access)
{
    const auto firstStream = static_cast<int64_t>(STREAMS_PER_LINK * subflow);
    const auto channel =
        ns3::CreateObjectWithAttributes<JitterChannel>("Delay", ns3::TimeValue(ACCESS_LINK_DELAY));
    channel->SetJitter(access.jitter, firstStream + JITTER);
    const auto link =
        Connect(m_access[subflow], m_client, Direction{access.rate, access.queue}, channel);
    SetLoss(link.far.device, access.loss, firstStream + LOSS_OF_DATA);
    SetLoss(link.near.device, access.loss, firstStream + LOSS_OF_ACKS);
    return link;
}

} // namespace smartsbd
