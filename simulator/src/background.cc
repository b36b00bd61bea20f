// SPDX-License-Identifier: GPL-2.0-only

#include "background.h"

#include "ns3/application-container.h"
#include "ns3/application-helper.h"
#include "ns3/bulk-send-application.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node-container.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-linux-reno.h"
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
 * @param spec A background flow.
 * @param scenario The scenario.
 * @param sink Address of the flow's sink.
 * @return A helper that creates the flow's sending application.
 */
ns3::ApplicationHelper
CreateSourceHelper(const BackgroundSpec& spec, const Scenario& scenario, const ns3::Address& sink)
{
    const auto size = scenario.connection.mss;
    ns3::ApplicationHelper helper(spec.rate ? ns3::OnOffApplication::GetTypeId()
                                            : ns3::BulkSendApplication::GetTypeId());
    helper.SetAttribute("Protocol", ns3::StringValue("ns3::TcpSocketFactory"));
    helper.SetAttribute("Remote", ns3::AddressValue(sink));
    if (spec.rate)
    {
        helper.SetAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(*spec.rate)));
        helper.SetAttribute("PacketSize", ns3::UintegerValue(size));
        helper.SetAttribute("OnTime", Always(scenario.duration.GetSeconds()));
        helper.SetAttribute("OffTime", Always(0));
    }
    else
    {
        helper.SetAttribute("SendSize", ns3::UintegerValue(size));
    }
    return helper;
}

/**
 * @param node Node of a background source.
 * @param congestionControl Controller of the sockets it will create.
 */
void
SetController(ns3::Ptr<ns3::Node> node, CongestionControl congestionControl)
{
    const auto type = congestionControl == CongestionControl::CUBIC
                          ? ns3::TcpCubic::GetTypeId()
                          : ns3::TcpLinuxReno::GetTypeId();
    node->GetObject<ns3::TcpL4Protocol>()->SetAttribute("SocketType", ns3::TypeIdValue(type));
}

} // namespace

void
InstallBackground(const Scenario& scenario, const Topology& topology)
{
    for (std::size_t i = 0; i < scenario.background.size(); ++i)
    {
        const auto& spec = scenario.background[i];
        const auto source = topology.GetBackgroundSource(i);
        const ns3::InetSocketAddress sink(topology.GetPath(spec.subflow).client, SINK_PORT + i);
        SetController(source, spec.congestionControl);
        auto sourceHelper = CreateSourceHelper(spec, scenario, sink);
        auto sources = sourceHelper.Install(source);
        sources.Start(spec.start);
        sourceHelper.AssignStreams(source, FIRST_STREAM + STREAMS_PER_FLOW * i);

        ns3::ApplicationHelper sinkHelper(ns3::PacketSink::GetTypeId());
        sinkHelper.SetAttribute("Protocol", ns3::StringValue("ns3::TcpSocketFactory"));
        sinkHelper.SetAttribute("Local", ns3::AddressValue(sink));
        sinkHelper.Install(topology.GetClient()).Start(ns3::Time());
    }
}

} // namespace smartsbd
