// SPDX-License-Identifier: GPL-2.0-only

#include "path/topology.h"

#include "path/burst-port.h"
#include "path/disc-port.h"
#include "path/host-delay.h"
#include "path/jitter.h"
#include "path/policer-port.h"
#include "program.h"
#include "path/replay-port.h"
#include "path/scheduled-delay.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/simulator.h"

#include <utility>

namespace smartsbd
{

using ns3::CreateObject;
using ns3::Ipv4Address;
using ns3::Node;
using ns3::Ptr;

namespace
{

/// Random streams of a path, counted from the connection's and STREAMS_PER_PATH times its index.
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

/// Random stream of the queue of the first shaped link; the others follow.
constexpr int64_t FIRST_QUEUE_STREAM = 600;
/// Random stream of the host delay of the first background source; the others follow.
constexpr int64_t FIRST_BACKGROUND_STREAM = 700;
/// First random stream of the first further connection, above those of all else.
constexpr int64_t FIRST_FURTHER_STREAM = 100'000;
/// Random streams set aside for each further connection.
constexpr int64_t STREAMS_PER_CONNECTION = 1000;
/// First random stream of the first 802.11n link, above those of all else.
constexpr int64_t FIRST_RADIO_STREAM = 1'000'000;
/// Random streams set aside for each.
constexpr int64_t STREAMS_PER_RADIO = 1000;
/// Rate in bit/s of a line that is never a bottleneck.
constexpr uint64_t FAST_RATE = 1'000'000'000;
/// Queue limit in bytes before such a line.
constexpr uint32_t FAST_QUEUE = 16'000'000;
/// Address of the first network; the others follow, 256 addresses each.
constexpr uint32_t FIRST_NETWORK = 0x0a000000;
/// Prefix of a network.
constexpr char NETWORK_PREFIX[] = "/24";
/// Headers of a segment on a link: TCP, IP and the link's own.
constexpr uint32_t HEADERS = 40 + LINK_HEADER;

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
 * Put an interface on a node.
 *
 * @param node The node.
 * @param address Address of the interface.
 * @return The interface.
 */
Ptr<HostDevice>
AddDevice(Ptr<Node> node, Ipv4Address address)
{
    const auto device = CreateObject<HostDevice>();
    device->SetAddress(ns3::Mac48Address::Allocate());
    node->AddDevice(device);
    const ns3::Ipv4Mask mask(NETWORK_PREFIX);
    const auto network = address.CombineMask(mask);
    ns3::Ipv4AddressHelper(network, mask, Ipv4Address(address.Get() - network.Get()))
        .Assign(ns3::NetDeviceContainer(device));
    return device;
}

/**
 * @param spec A shaped link whose line sends at any time.
 * @param packet Usual bytes of a packet, link header included.
 * @param stream Number of the random stream of its queue.
 * @return The port that sends data into it.
 */
std::unique_ptr<Port>
CreateShapedPort(const LinkSpec& spec, uint32_t packet, int64_t stream)
{
    const auto rate = spec.rate.front().value;
    switch (spec.discipline)
    {
    case Discipline::DROP_TAIL:
        return std::make_unique<Port>(rate, spec.queue, spec.delay);
    case Discipline::POLICER:
        return std::make_unique<PolicerPort>(rate, spec.queue, spec.delay);
    default:
        return std::make_unique<DiscPort>(spec, packet, stream);
    }
}

/**
 * @tparam T Type of the items.
 * @param first Some items.
 * @param second Other items.
 * @return The former, then the latter.
 */
template <class T>
std::vector<T>
Concatenate(std::vector<T> first, const std::vector<T>& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

} // namespace

Topology::Topology(const Scenario& scenario)
    : m_hostDelay(scenario.connection.hostDelay),
      m_ends{CreateHost(), CreateHost(), 0, {}}
{
    for (const auto& link : scenario.links)
    {
        AddShapedLink(link, scenario.connection.mss + HEADERS);
    }
    for (std::size_t i = 0; i < scenario.subflows.size(); ++i)
    {
        m_paths.push_back(AddPath(scenario, scenario.subflows[i], m_ends, i));
    }
    for (std::size_t i = 0; i < scenario.background.size(); ++i)
    {
        AddBackground(scenario, i);
    }
    // Last, so that all else is as it is without them.
    for (std::size_t i = 0; i < scenario.further.size(); ++i)
    {
        AddFurther(scenario, i);
    }
}

const ConnectionEnds&
Topology::GetEnds() const
{
    return m_ends;
}

const ConnectionEnds&
Topology::GetFurtherEnds(std::size_t further) const
{
    return m_further[further];
}

Ptr<Node>
Topology::GetBackgroundSource(std::size_t flow) const
{
    return m_background[flow].source;
}

Ptr<Node>
Topology::GetBackgroundSink(std::size_t flow) const
{
    return m_background[flow].sink;
}

Ipv4Address
Topology::GetBackgroundAddress(std::size_t flow) const
{
    return m_background[flow].sinkAddress;
}

Ptr<HostDevice>
Topology::GetBackgroundDevice(std::size_t flow) const
{
    return m_background[flow].device;
}

Port&
Topology::GetLinkPort(std::size_t link) const
{
    return *m_links[link].forward;
}

const std::vector<Port*>&
Topology::GetOtherPorts() const
{
    return m_otherPorts;
}

Topology::Link
Topology::AddLink(std::unique_ptr<Port> forward, std::unique_ptr<Port> reverse)
{
    const auto network = FIRST_NETWORK + 256 * m_networks++;
    const Link link{forward.get(),
                    AddOtherPort(std::move(reverse)),
                    Ipv4Address(network + 1),
                    Ipv4Address(network + 2)};
    m_ports.push_back(std::move(forward));
    return link;
}

Topology::Link
Topology::AddLink(std::unique_ptr<Port> forward, ns3::Time delay)
{
    return AddLink(std::move(forward), std::make_unique<Port>(FAST_RATE, FAST_QUEUE, delay));
}

Topology::Link
Topology::AddOtherLink(std::unique_ptr<Port> forward, ns3::Time delay)
{
    const auto link = AddLink(std::move(forward), delay);
    m_otherPorts.push_back(link.forward);
    return link;
}

void
Topology::AddShapedLink(const LinkSpec& spec, uint32_t packet)
{
    std::unique_ptr<Port> port;
    if (spec.opportunities)
    {
        port = std::make_unique<ReplayPort>(spec.opportunities, spec.queue, spec.delay);
    }
    else
    {
        port = CreateShapedPort(spec, packet, FIRST_QUEUE_STREAM + m_links.size());
        for (const auto& change : spec.rate)
        {
            ns3::Simulator::Schedule(change.from, &Port::SetRate, port.get(), change.value);
        }
    }
    if (spec.mark)
    {
        port->SetMarkThreshold(*spec.mark);
    }
    const auto back = spec.back.value_or(BackSpec{FAST_RATE, FAST_QUEUE});
    m_links.push_back(
        AddLink(std::move(port), std::make_unique<Port>(back.rate, back.queue, spec.delay)));
}

Topology::Path
Topology::AddPath(const Scenario& scenario,
                  const SubflowSpec& spec,
                  ConnectionEnds& ends,
                  std::optional<std::size_t> subflow)
{
    const auto before = static_cast<int64_t>(ends.paths.size());
    const auto firstStream = ends.firstStream + STREAMS_PER_PATH * before;
    const auto host = AddHostLink(HOST_LINK_DELAY, firstStream + HOST_DELAY);
    const auto backbone = AddFastLink(GetBackboneDelay(scenario, spec));
    const auto access = AddAccessLink(spec, firstStream);
    Path path{{}, {}, {access}};
    path.fromClient = path.fromAccess;
    if (spec.clientLink)
    {
        const auto tail = AddFastLink(ns3::Time());
        path.fromClient = Concatenate({m_links[*spec.clientLink], tail}, path.fromClient);
    }
    path.fromServer = Concatenate({backbone}, path.fromClient);
    if (spec.serverLink)
    {
        path.fromServer = Concatenate({m_links[*spec.serverLink]}, path.fromServer);
    }
    ends.paths.push_back({host.near,
                          access.far,
                          AddDevice(ends.server, host.near),
                          AddDevice(ends.client, access.far)});
    Join(ends.paths.back().serverDevice,
         host.near,
         ends.paths.back(),
         Concatenate({host}, path.fromServer),
         subflow);
    return path;
}

void
Topology::AddFurther(const Scenario& scenario, std::size_t further)
{
    const auto firstStream =
        FIRST_FURTHER_STREAM + STREAMS_PER_CONNECTION * static_cast<int64_t>(further);
    ConnectionEnds ends{CreateHost(), CreateHost(), firstStream, {}};
    for (const auto& subflow : scenario.further[further].subflows)
    {
        AddPath(scenario, subflow, ends, std::nullopt);
    }
    m_further.push_back(ends);
}

void
Topology::AddBackground(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    const auto& path = m_paths[spec.subflow];
    const auto source = CreateHost();
    auto links = spec.enters == Entry::SERVER   ? path.fromServer
                 : spec.enters == Entry::CLIENT ? path.fromClient
                                                : path.fromAccess;
    const auto hostStream = FIRST_BACKGROUND_STREAM + static_cast<int64_t>(flow);
    const auto delay = GetSourceLinkDelay(scenario, flow);
    const auto link = spec.back ? AddFastLink(delay) : AddHostLink(delay, hostStream);
    auto sink = m_ends.client;
    auto ends = m_ends.paths[spec.subflow];
    if (spec.leaves)
    {
        const auto last = AddFastLink(ns3::Time());
        links = {m_links[*GetOnlyLink(scenario, flow)], last};
        sink = CreateHost();
        ends.client = last.far;
        ends.clientDevice = AddDevice(sink, last.far);
    }
    const auto device = AddDevice(source, link.near);
    Join(device, link.near, ends, Concatenate({link}, links), std::nullopt);
    if (spec.back)
    {
        // The same way, but its data begin where those of others end.
        links.back().reverse->SetExtraDelay(std::make_unique<HostDelay>(m_hostDelay, hostStream));
        m_background.push_back({sink, ends.clientDevice, source, link.near});
        return;
    }
    m_background.push_back({source, device, sink, ends.client});
}

Topology::Link
Topology::AddFastLink(ns3::Time delay)
{
    return AddOtherLink(std::make_unique<Port>(FAST_RATE, FAST_QUEUE, delay), delay);
}

Topology::Link
Topology::AddHostLink(ns3::Time delay, int64_t stream)
{
    const auto link = AddFastLink(delay);
    link.forward->SetExtraDelay(std::make_unique<HostDelay>(m_hostDelay, stream));
    return link;
}

Topology::Link
Topology::AddAccessLink(const SubflowSpec& path, int64_t firstStream)
{
    const auto& spec = path.access;
    std::unique_ptr<Port> port;
    std::unique_ptr<Port> reverse;
    if (spec.kind == AccessKind::RADIO)
    {
        auto ports =
            GetProgram().makeRadio(spec, FIRST_RADIO_STREAM + STREAMS_PER_RADIO * m_radios++);
        port = std::move(ports.forward);
        reverse = std::move(ports.reverse);
    }
    else if (spec.kind == AccessKind::WIFI)
    {
        auto burst = std::make_unique<BurstPort>(spec.rate, spec.queue, ACCESS_LINK_DELAY);
        burst->SetBurst(spec.burstLow, spec.burstHigh, firstStream + BURST);
        port = std::move(burst);
    }
    else
    {
        port = std::make_unique<Port>(spec.rate, spec.queue, ACCESS_LINK_DELAY);
    }
    if (spec.kind == AccessKind::LTE)
    {
        ns3::Simulator::ScheduleNow(
            &Topology::Wander,
            port.get(),
            std::make_shared<WanderingRate>(spec.rate, spec.rateSigma, firstStream + RATE),
            spec.rateStep);
    }
    std::unique_ptr<ExtraDelay> delay =
        std::make_unique<Jitter>(spec.jitter, firstStream + JITTER);
    if (!path.delayChanges.empty())
    {
        delay = std::make_unique<ScheduledDelay>(path.delayChanges, std::move(delay));
    }
    port->SetExtraDelay(std::move(delay));
    if (!reverse)
    {
        reverse = std::make_unique<Port>(FAST_RATE, FAST_QUEUE, ACCESS_LINK_DELAY);
    }
    const auto link = AddLink(std::move(port), std::move(reverse));
    m_otherPorts.push_back(link.forward);
    const auto lose = [link, firstStream](double probability) {
        link.forward->SetLoss(probability, firstStream + LOSS_OF_DATA);
        link.reverse->SetLoss(probability, firstStream + LOSS_OF_ACKS);
    };
    lose(spec.loss);
    for (const auto& change : spec.lossChanges)
    {
        ns3::Simulator::Schedule(change.from, [lose, change] { lose(change.value); });
    }
    return link;
}

Port*
Topology::AddOtherPort(std::unique_ptr<Port> port)
{
    m_otherPorts.push_back(port.get());
    m_ports.push_back(std::move(port));
    return m_otherPorts.back();
}

void
Topology::Join(Ptr<HostDevice> device,
               Ipv4Address address,
               const PathEnds& ends,
               const std::vector<Link>& links,
               std::optional<std::size_t> subflow)
{
    Route there{{}, PeekPointer(ends.clientDevice), subflow};
    Route back{{}, PeekPointer(device), subflow};
    for (const auto& link : links)
    {
        there.ports.push_back(link.forward);
        back.ports.insert(back.ports.begin(), link.reverse);
    }
    device->AddRoute(ends.client, there);
    ends.clientDevice->AddRoute(address, back);
}

void
Topology::Wander(Port* port, std::shared_ptr<WanderingRate> rate, ns3::Time step)
{
    port->SetRate(static_cast<uint64_t>(rate->Next()));
    ns3::Simulator::Schedule(step, &Topology::Wander, port, rate, step);
}

} // namespace smartsbd
