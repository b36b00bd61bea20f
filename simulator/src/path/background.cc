// SPDX-License-Identifier: GPL-2.0-only

#include "path/background.h"

#include "sender/own-stream-bbr.h"
#include "path/web-source.h"

#include "ns3/application.h"
#include "ns3/bulk-send-application.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/onoff-application.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/tcp-vegas.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

namespace smartsbd
{

namespace
{

/// Port of the first background sink; the others follow.
constexpr uint16_t SINK_PORT = 10000;
/// Random streams of the first background flow; the others follow.
constexpr int64_t FIRST_STREAM = 1000;
/// Random streams set aside for each background flow.
constexpr int64_t STREAMS_PER_FLOW = 10;

/**
 * @param value A constant.
 * @return An attribute value that always draws it.
 */
ns3::PointerValue
Always(double value)
{
    return ns3::PointerValue(
        ns3::CreateObjectWithAttributes<ns3::ConstantRandomVariable>("Constant",
                                                                     ns3::DoubleValue(value)));
}

/**
 * @param mean A time.
 * @return An attribute value that draws exponential times, in s, of that mean.
 */
ns3::PointerValue
Exponential(ns3::Time mean)
{
    return ns3::PointerValue(ns3::CreateObjectWithAttributes<ns3::ExponentialRandomVariable>(
        "Mean",
        ns3::DoubleValue(mean.GetSeconds())));
}

/**
 * @param kind Kind of a background flow.
 * @return Type of the factory of its sockets.
 */
ns3::TypeId
GetSocketFactory(BackgroundKind kind)
{
    return kind == BackgroundKind::CBR ? ns3::UdpSocketFactory::GetTypeId()
                                       : ns3::TcpSocketFactory::GetTypeId();
}

/**
 * @param spec A background flow with a constant rate.
 * @param scenario The scenario.
 * @param sink Address of the flow's sink.
 * @return Its sending application.
 */
ns3::Ptr<ns3::Application>
CreateConstantSource(const BackgroundSpec& spec, const Scenario& scenario, const ns3::Address& sink)
{
    return ns3::CreateObjectWithAttributes<ns3::OnOffApplication>(
        "Protocol",
        ns3::TypeIdValue(GetSocketFactory(spec.kind)),
        "Remote",
        ns3::AddressValue(sink),
        "DataRate",
        ns3::DataRateValue(ns3::DataRate(*spec.rate)),
        "PacketSize",
        ns3::UintegerValue(scenario.connection.mss),
        "OnTime",
        spec.on ? Exponential(*spec.on) : Always(scenario.duration.GetSeconds()),
        "OffTime",
        spec.on ? Exponential(spec.off) : Always(0));
}

/**
 * @param spec A background flow.
 * @param scenario The scenario.
 * @param sink Address of the flow's sink.
 * @return Its sending application.
 */
ns3::Ptr<ns3::Application>
CreateSource(const BackgroundSpec& spec, const Scenario& scenario, const ns3::Address& sink)
{
    const auto size = scenario.connection.mss;
    if (spec.kind == BackgroundKind::WEB)
    {
        const auto source = ns3::CreateObject<WebSource>();
        source->Setup(*spec.rate, size, sink);
        return source;
    }
    if (spec.rate)
    {
        return CreateConstantSource(spec, scenario, sink);
    }
    return ns3::CreateObjectWithAttributes<ns3::BulkSendApplication>(
        "Protocol",
        ns3::TypeIdValue(GetSocketFactory(spec.kind)),
        "Remote",
        ns3::AddressValue(sink),
        "SendSize",
        ns3::UintegerValue(size));
}

/**
 * @param kind Kind of a background flow.
 * @return Type of the controller of its TCP sockets.
 */
ns3::TypeId
GetController(BackgroundKind kind)
{
    switch (kind)
    {
    case BackgroundKind::RENO:
        return ns3::TcpLinuxReno::GetTypeId();
    case BackgroundKind::BBR:
        return OwnStreamBbr::GetTypeId();
    case BackgroundKind::VEGAS:
        return ns3::TcpVegas::GetTypeId();
    default:
        return ns3::TcpCubic::GetTypeId();
    }
}

} // namespace

std::vector<ns3::Ptr<ns3::PacketSink>>
InstallBackground(const Scenario& scenario, const Topology& topology)
{
    std::vector<ns3::Ptr<ns3::PacketSink>> sinks;
    for (std::size_t i = 0; i < scenario.background.size(); ++i)
    {
        const auto& spec = scenario.background[i];
        const auto node = topology.GetBackgroundSource(i);
        const ns3::InetSocketAddress address(topology.GetBackgroundAddress(i), SINK_PORT + i);
        node->GetObject<ns3::TcpL4Protocol>()->SetAttribute(
            "SocketType",
            ns3::TypeIdValue(GetController(spec.kind)));
        const auto source = CreateSource(spec, scenario, address);
        source->SetStartTime(spec.start);
        source->AssignStreams(FIRST_STREAM + STREAMS_PER_FLOW * i);
        node->AddApplication(source);
        if (spec.stop)
        {
            // A closed socket would go on with all that its buffer holds.
            source->SetStopTime(*spec.stop);
            ns3::Simulator::Schedule(*spec.stop,
                                     &HostDevice::Silence,
                                     topology.GetBackgroundDevice(i));
        }
        sinks.push_back(ns3::CreateObjectWithAttributes<ns3::PacketSink>(
            "Protocol",
            ns3::TypeIdValue(GetSocketFactory(spec.kind)),
            "Local",
            ns3::AddressValue(address)));
        topology.GetBackgroundSink(i)->AddApplication(sinks.back());
    }
    return sinks;
}

} // namespace smartsbd
