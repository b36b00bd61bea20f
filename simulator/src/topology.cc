// SPDX-License-Identifier: GPL-2.0-only

#include "topology.h"

#include "burst-device.h"
#include "host-delay-channel.h"
#include "jitter-channel.h"
#include "marking-queue.h"

#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"

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

/// Random streams of a path, counted from STREAMS_PER_PATH times the subflow's index.
enum PathStream
{
    LOSS_OF_DATA,
    LOSS_OF_ACKS,
    JITTER,
    HOST_DELAY,
    BURST,
    RATE,
    STREAMS_PER_PATH,
};

/// Random stream of the host delay of the first background source; the others follow.
constexpr int64_t FIRST_BACKGROUND_STREAM = 700;

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
 * @param limit Queue limit in bytes.
 * @param mark Queue length in bytes above which packets are marked, or none.
 * @return A queue.
 */
Ptr<ns3::Queue<ns3::Packet>>
CreateQueue(uint32_t limit, std::optional<uint32_t> mark)
{
    Ptr<ns3::Queue<ns3::Packet>> queue;
    if (mark)
    {
        const auto marking = CreateObject<MarkingQueue>();
        marking->SetThreshold(*mark);
        queue = marking;
    }
    else
    {
        queue = CreateObject<ns3::DropTailQueue<ns3::Packet>>();
    }
    queue->SetMaxSize(ns3::QueueSize(ns3::BYTES, limit));
    return queue;
}

/**
 * Put a device on a node.
 *
 * @param node The node.
 * @param device The device.
 * @param rate Its line rate in bit/s.
 * @param queue Its queue.
 */
void
AddDevice(Ptr<Node> node,
          Ptr<PointToPointNetDevice> device,
          uint64_t rate,
          Ptr<ns3::Queue<ns3::Packet>> queue)
{
    device->SetAddress(ns3::Mac48Address::Allocate());
    device->SetDataRate(ns3::DataRate(rate));
    device->SetQueue(queue);
    node->AddDevice(device);
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
    : m_hostDelay(scenario.connection.hostDelay),
      m_server(CreateHost()),
      m_client(CreateHost())
{
    for (const auto& link : scenario.links)
    {
        AddLink(link);
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
    return m_ends[subflow];
}

Ptr<PointToPointNetDevice>
Topology::GetLinkDevice(std::size_t link) const
{
    return m_links[link].link.near.device;
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
                  Ptr<PointToPointChannel> channel,
                  Ptr<PointToPointNetDevice> device)
{
    const auto reverse = CreateObject<PointToPointNetDevice>();
    AddDevice(near, device, forward.rate, CreateQueue(forward.queue, forward.mark));
    AddDevice(far, reverse, FAST.rate, CreateQueue(FAST.queue, FAST.mark));
    device->Attach(channel);
    reverse->Attach(channel);
    ns3::NetDeviceContainer devices;
    devices.Add(device);
    devices.Add(reverse);
    ns3::Ipv4AddressHelper addresses(Ipv4Address(0x0a000000 + 256 * m_networks++),
                                     ns3::Ipv4Mask("/24"));
    const auto interfaces = addresses.Assign(devices);
    return Link{{device, interfaces.GetAddress(0), interfaces.Get(0).second},
                {reverse, interfaces.GetAddress(1), interfaces.Get(1).second}};
}

void
Topology::AddLink(const LinkSpec& spec)
{
    const auto ingress = CreateHost();
    const auto egress = CreateHost();
    const auto link = Connect(ingress,
                              egress,
                              Direction{spec.rate.front().value, spec.queue, spec.mark},
                              CreateChannel(spec.delay));
    for (const auto& change : spec.rate)
    {
        ns3::Simulator::Schedule(change.from,
                                 &PointToPointNetDevice::SetDataRate,
                                 link.near.device,
                                 ns3::DataRate(change.value));
    }
    GetRoutes(ingress)->SetDefaultRoute(link.far.address, link.near.interface);
    GetRoutes(egress)->SetDefaultRoute(link.near.address, link.far.interface);
    m_links.push_back({ingress, egress, link});
    m_otherDevices.push_back(link.far.device);
}

void
Topology::AddSubflow(const Scenario& scenario, std::size_t subflow)
{
    const auto& spec = scenario.subflows[subflow];
    const auto gateway = spec.serverLink ? nullptr : CreateHost();
    const auto serverIngress = gateway ? gateway : m_links[*spec.serverLink].ingress;
    const auto serverEgress = gateway ? gateway : m_links[*spec.serverLink].egress;
    const auto access = CreateHost();
    const auto clientIngress = spec.clientLink ? m_links[*spec.clientLink].ingress : access;
    const auto host = AddHostLink(m_server,
                                  serverIngress,
                                  HOST_LINK_DELAY,
                                  STREAMS_PER_PATH * subflow + HOST_DELAY);
    const auto backbone = Connect(serverEgress,
                                  clientIngress,
                                  FAST,
                                  CreateChannel(GetBackboneDelay(scenario, subflow)));
    const auto last = AddAccessLink(subflow, spec.access, access);
    const auto server = host.near.address;
    const auto client = last.far.address;
    GetRoutes(m_server)->AddHostRouteTo(client, host.far.address, host.near.interface);
    GetRoutes(serverEgress)->AddHostRouteTo(client, backbone.far.address, backbone.near.interface);
    GetRoutes(clientIngress)->AddHostRouteTo(server, backbone.near.address, backbone.far.interface);
    GetRoutes(m_client)->AddHostRouteTo(server, last.near.address, last.far.interface);
    if (spec.clientLink)
    {
        AddTail(m_links[*spec.clientLink].egress, access, client);
    }
    AddOtherDevices(host);
    AddOtherDevices(backbone);
    AddOtherDevices(last);
    m_ends.push_back({server, client, host.near.device, last.far.device});
    m_paths.push_back(
        {serverIngress, serverEgress, clientIngress, access, backbone, last.far.interface});
}

void
Topology::AddBackground(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    const auto& path = m_paths[spec.subflow];
    const auto source = CreateHost();
    const auto entry = spec.enters == Entry::SERVER   ? path.serverIngress
                       : spec.enters == Entry::CLIENT ? path.clientIngress
                                                      : path.access;
    const auto link = AddHostLink(source,
                                  entry,
                                  GetSourceLinkDelay(scenario, flow),
                                  FIRST_BACKGROUND_STREAM + flow);
    const auto address = link.near.address;
    GetRoutes(source)->SetDefaultRoute(link.far.address, link.near.interface);
    GetRoutes(m_client)->AddHostRouteTo(address, path.clientInterface);
    if (spec.enters == Entry::SERVER)
    {
        GetRoutes(path.clientIngress)
            ->AddHostRouteTo(address, path.backbone.near.address, path.backbone.far.interface);
    }
    m_sources.push_back(source);
    AddOtherDevices(link);
}

Topology::Link
Topology::AddHostLink(Ptr<Node> host, Ptr<Node> router, ns3::Time delay, int64_t stream)
{
    const auto channel =
        ns3::CreateObjectWithAttributes<HostDelayChannel>("Delay", ns3::TimeValue(delay));
    channel->SetHostDelay(m_hostDelay, stream);
    return Connect(host, router, FAST, channel);
}

void
Topology::AddTail(Ptr<Node> egress, Ptr<Node> access, Ipv4Address client)
{
    const auto tail = Connect(egress, access, FAST, CreateChannel(ns3::Time()));
    GetRoutes(egress)->AddHostRouteTo(client, tail.far.address, tail.near.interface);
    GetRoutes(access)->SetDefaultRoute(tail.near.address, tail.far.interface);
    AddOtherDevices(tail);
}

Topology::Link
Topology::AddAccessLink(std::size_t subflow, const AccessSpec& spec, Ptr<Node> node)
{
    const auto firstStream = static_cast<int64_t>(STREAMS_PER_PATH * subflow);
    auto device = CreateObject<PointToPointNetDevice>();
    if (spec.kind == AccessKind::WIFI)
    {
        const auto burst = CreateObject<BurstDevice>();
        burst->SetBurst(spec.burstLow, spec.burstHigh, firstStream + BURST);
        device = burst;
    }
    if (spec.kind == AccessKind::LTE)
    {
        ns3::Simulator::ScheduleNow(
            &Topology::Wander,
            device,
            std::make_shared<WanderingRate>(spec.rate, spec.rateSigma, firstStream + RATE),
            spec.rateStep);
    }
    const auto channel =
        ns3::CreateObjectWithAttributes<JitterChannel>("Delay", ns3::TimeValue(ACCESS_LINK_DELAY));
    channel->SetJitter(spec.jitter, firstStream + JITTER);
    const Direction forward{spec.rate, spec.queue, std::nullopt};
    const auto link = Connect(node, m_client, forward, channel, device);
    SetLoss(link.far.device, spec.loss, firstStream + LOSS_OF_DATA);
    SetLoss(link.near.device, spec.loss, firstStream + LOSS_OF_ACKS);
    return link;
}

void
Topology::Wander(Ptr<PointToPointNetDevice> device,
                 std::shared_ptr<WanderingRate> rate,
                 ns3::Time step)
{
    device->SetDataRate(ns3::DataRate(static_cast<uint64_t>(rate->Next())));
    ns3::Simulator::Schedule(step, &Topology::Wander, device, rate, step);
}

void
Topology::AddOtherDevices(const Link& link)
{
    m_otherDevices.push_back(link.near.device);
    m_otherDevices.push_back(link.far.device);
}

} // namespace smartsbd
