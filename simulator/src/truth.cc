// SPDX-License-Identifier: GPL-2.0-only

#include "truth.h"

#include "ns3/ipv4-header.h"
#include "ns3/ppp-header.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::MakeCallback;
using ns3::Packet;
using ns3::Ptr;

Truth::Truth(const Scenario& scenario, const Topology& topology, MptcpConnection& connection)
    : m_scenario(scenario),
      m_topology(topology),
      m_connection(connection),
      m_bottlenecks(scenario.bottlenecks.size()),
      m_subflows(scenario.subflows.size())
{
    connection.SetAllEstablishedCallback(MakeCallback(&Truth::HandleAllEstablished, this));
    for (std::size_t i = 0; i < m_bottlenecks.size(); ++i)
    {
        const auto device = topology.GetBottleneckDevice(i);
        device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Truth::BeginSent, this, i));
        device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Truth::CountSent, this, i));
        device->GetQueue()->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(&Truth::CountBottleneckDrop, this, i));
    }
    for (const auto& device : topology.GetOtherDevices())
    {
        device->TraceConnectWithoutContext("PhyRxDrop",
                                           MakeCallback(&Truth::CountRandomLoss, this));
        device->GetQueue()->TraceConnectWithoutContext("Drop",
                                                       MakeCallback(&Truth::CountOtherDrop, this));
    }
}

std::string
Truth::Print(const std::string& version) const
{
    if (!m_allEstablished)
    {
        throw std::runtime_error("a subflow was not established before the end");
    }
    const ordered_json truth{
        {"simulator", version},
        {"seed", m_scenario.seed},
        {"duration_s", m_scenario.duration.GetSeconds()},
        {"pairs", PrintPairs()},
        {"bottlenecks", PrintBottlenecks()},
        {"subflows", PrintSubflows()},
        {"connection",
         {{"delivered_bytes", m_connection.GetDeliveredBytes()},
          {"duplicated_bytes", m_connection.GetDuplicatedBytes()}}},
    };
    return truth.dump(2) + "\n";
}

ordered_json
Truth::PrintPairs() const
{
    const auto& subflows = m_scenario.subflows;
    auto pairs = ordered_json::array();
    for (std::size_t a = 0; a < subflows.size(); ++a)
    {
        for (std::size_t b = a + 1; b < subflows.size(); ++b)
        {
            pairs.push_back({{"subflow_a", a},
                             {"subflow_b", b},
                             {"from_ns", 0},
                             {"shared", subflows[a].bottleneck == subflows[b].bottleneck}});
        }
    }
    return pairs;
}

ordered_json
Truth::PrintBottlenecks() const
{
    auto bottlenecks = ordered_json::array();
    for (std::size_t i = 0; i < m_bottlenecks.size(); ++i)
    {
        bottlenecks.push_back({{"bottleneck", i},
                               {"rate_mbit_s", m_scenario.bottlenecks[i].rate / 1e6},
                               {"utilisation", GetUtilisation(i)},
                               {"drops", m_bottlenecks[i].drops}});
    }
    return bottlenecks;
}

ordered_json
Truth::PrintSubflows() const
{
    auto subflows = ordered_json::array();
    for (std::size_t i = 0; i < m_subflows.size(); ++i)
    {
        const auto& spec = m_scenario.subflows[i];
        const auto& count = m_subflows[i];
        subflows.push_back({{"subflow", i},
                            {"path", spec.path},
                            {"bottleneck", spec.bottleneck},
                            {"established_ns", m_connection.GetEstablished(i).GetNanoSeconds()},
                            {"acked_bytes", m_connection.GetAckedBytes(i)},
                            {"drops_at_bottleneck", count.dropsAtBottleneck},
                            {"drops_elsewhere", count.dropsElsewhere},
                            {"random_losses", count.randomLosses}});
    }
    return subflows;
}

void
Truth::HandleAllEstablished()
{
    m_allEstablished = ns3::Simulator::Now();
}

void
Truth::BeginSent(std::size_t bottleneck, Ptr<const Packet>)
{
    m_bottlenecks[bottleneck].counts = m_allEstablished.has_value();
}

void
Truth::CountSent(std::size_t bottleneck, Ptr<const Packet> packet)
{
    if (m_bottlenecks[bottleneck].counts)
    {
        m_bottlenecks[bottleneck].sentBytes += packet->GetSize();
    }
}

void
Truth::CountBottleneckDrop(std::size_t bottleneck, Ptr<const Packet> packet)
{
    ++m_bottlenecks[bottleneck].drops;
    if (auto* subflow = FindSubflow(packet))
    {
        ++subflow->dropsAtBottleneck;
    }
}

void
Truth::CountOtherDrop(Ptr<const Packet> packet)
{
    if (auto* subflow = FindSubflow(packet))
    {
        ++subflow->dropsElsewhere;
    }
}

void
Truth::CountRandomLoss(Ptr<const Packet> packet)
{
    if (auto* subflow = FindSubflow(packet))
    {
        ++subflow->randomLosses;
    }
}

Truth::SubflowCount*
Truth::FindSubflow(Ptr<const Packet> packet)
{
    const auto copy = packet->Copy();
    ns3::PppHeader link;
    ns3::Ipv4Header ip;
    copy->RemoveHeader(link);
    copy->PeekHeader(ip);
    for (std::size_t i = 0; i < m_subflows.size(); ++i)
    {
        const auto server = m_topology.GetPath(i).server;
        if (ip.GetSource() == server || ip.GetDestination() == server)
        {
            return &m_subflows[i];
        }
    }
    return nullptr;
}

double
Truth::GetUtilisation(std::size_t bottleneck) const
{
    const auto seconds = (m_scenario.duration - *m_allEstablished).GetSeconds();
    const auto capacity = m_scenario.bottlenecks[bottleneck].rate / 8.0 * seconds;
    return capacity > 0 ? m_bottlenecks[bottleneck].sentBytes / capacity : 0;
}

} // namespace smartsbd
