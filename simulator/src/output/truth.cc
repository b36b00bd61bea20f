// SPDX-License-Identifier: GPL-2.0-only

#include "output/truth.h"

#include "ns3/simulator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::MakeCallback;
using ns3::Simulator;
using ns3::Time;

Truth::Truth(const Scenario& scenario,
             const Topology& topology,
             MptcpConnection& connection,
             const FurtherConnections& further,
             const Series& series)
    : m_scenario(scenario),
      m_topology(topology),
      m_connection(connection),
      m_further(further),
      m_series(series),
      m_phases(GetPhases(scenario)),
      m_links(scenario.links.size(), {std::vector<LinkPhase>(m_phases.size()), std::nullopt}),
      m_subflows(scenario.subflows.size(), {std::vector<SubflowPhase>(m_phases.size())})
{
    connection.SetAllEstablishedCallback(MakeCallback(&Truth::HandleAllEstablished, this));
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        auto& traces = topology.GetLinkPort(i).GetTraces();
        traces.begin = MakeCallback(&Truth::BeginSent, this, i);
        traces.end = MakeCallback(&Truth::CountSent, this, i);
        traces.used = MakeCallback(&Truth::CountUsed, this, i);
        traces.drop = MakeCallback(&Truth::CountLinkDrop, this, i);
        traces.mark = MakeCallback(&Truth::CountMark, this, i);
    }
    for (auto* port : topology.GetOtherPorts())
    {
        auto& traces = port->GetTraces();
        traces.loss = MakeCallback(&Truth::CountRandomLoss, this);
        traces.drop = MakeCallback(&Truth::CountOtherDrop, this);
    }
}

std::string
Truth::Print(const std::string& version) const
{
    if (!m_allEstablished)
    {
        throw std::runtime_error("a subflow was not established before the end");
    }
    ordered_json truth{
        {"simulator", version},
        {"seed", m_scenario.seed},
        {"duration_s", m_scenario.duration.GetSeconds()},
        {"pairs", PrintPairs()},
        {"links", PrintLinks()},
        {"subflows", PrintSubflows()},
        {"connection", PrintConnection()},
    };
    if (!m_further.empty())
    {
        truth["further_connections"] = PrintFurther();
    }
    if (m_scenario.seriesStep)
    {
        truth["series"] = m_series.Print();
    }
    return truth.dump(2) + "\n";
}

void
Truth::HandleAllEstablished()
{
    m_allEstablished = Simulator::Now();
}

void
Truth::BeginSent(std::size_t link, const Frame&)
{
    m_links[link].sendBegin = Simulator::Now();
}

void
Truth::CountSent(std::size_t link)
{
    auto& count = m_links[link];
    for (std::size_t i = 0; i < m_phases.size(); ++i)
    {
        count.phases[i].busy += GetCounted(i, *count.sendBegin, Simulator::Now());
    }
    count.sendBegin.reset();
}

void
Truth::CountUsed(std::size_t link, uint32_t bytes)
{
    if (m_allEstablished)
    {
        m_links[link].phases[GetPhase()].usedBytes += bytes;
    }
}

void
Truth::CountLinkDrop(std::size_t link, const Frame& frame)
{
    const auto phase = GetPhase();
    ++m_links[link].phases[phase].drops;
    if (const auto subflow = frame.route->subflow)
    {
        const auto& schedule = m_scenario.subflows[*subflow].bottleneck;
        auto& count = m_subflows[*subflow].phases[phase];
        const bool intended = GetValueAt(schedule, Simulator::Now()) == link;
        ++(intended ? count.dropsAtBottleneck : count.dropsElsewhere);
    }
}

void
Truth::CountMark(std::size_t link, const Frame& frame)
{
    const auto phase = GetPhase();
    ++m_links[link].phases[phase].marks;
    const auto subflow = frame.route->subflow;
    if (subflow &&
        GetValueAt(m_scenario.subflows[*subflow].bottleneck, Simulator::Now()) == link)
    {
        ++m_subflows[*subflow].phases[phase].marksAtBottleneck;
    }
}

void
Truth::CountOtherDrop(const Frame& frame)
{
    if (const auto subflow = frame.route->subflow)
    {
        ++m_subflows[*subflow].phases[GetPhase()].dropsElsewhere;
    }
}

void
Truth::CountRandomLoss(const Frame& frame)
{
    if (const auto subflow = frame.route->subflow)
    {
        ++m_subflows[*subflow].randomLosses;
    }
}

std::size_t
Truth::GetPhase() const
{
    const auto next = std::upper_bound(m_phases.begin(), m_phases.end(), Simulator::Now());
    return std::distance(m_phases.begin(), next) - 1;
}

Time
Truth::GetEnd(std::size_t phase) const
{
    return phase + 1 < m_phases.size() ? m_phases[phase + 1] : m_scenario.duration;
}

Time
Truth::GetCounted(std::size_t phase, Time from, Time to) const
{
    if (!m_allEstablished)
    {
        return Time();
    }
    const auto begin = std::max({from, m_phases[phase], *m_allEstablished});
    const auto end = std::min(to, GetEnd(phase));
    return std::max(end - begin, Time());
}

double
Truth::GetUtilisation(std::size_t link, std::size_t phase) const
{
    if (m_scenario.links[link].opportunities)
    {
        return GetUsedShare(link, phase);
    }
    const auto& count = m_links[link];
    auto busy = count.phases[phase].busy;
    if (count.sendBegin)
    {
        busy += GetCounted(phase, *count.sendBegin, m_scenario.duration);
    }
    const auto whole = GetCounted(phase, Time(), m_scenario.duration);
    return whole.IsZero() ? 0 : busy.GetSeconds() / whole.GetSeconds();
}

double
Truth::GetUsedShare(std::size_t link, std::size_t phase) const
{
    // What happens at the end of the simulation does not happen.
    const auto before = [&](Time time) {
        return m_scenario.links[link].opportunities->CountUntil(time - ns3::NanoSeconds(1));
    };
    const auto begin = std::max(m_phases[phase], *m_allEstablished);
    const auto end = std::max(begin, GetEnd(phase));
    const auto offered = Opportunities::BYTES * (before(end) - before(begin));
    const auto used = static_cast<double>(m_links[link].phases[phase].usedBytes);
    return offered == 0 ? 0 : used / static_cast<double>(offered);
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
            std::optional<bool> last;
            for (const auto& from : m_phases)
            {
                const bool shared = GetValueAt(subflows[a].bottleneck, from) ==
                                    GetValueAt(subflows[b].bottleneck, from);
                if (last != shared)
                {
                    pairs.push_back({{"subflow_a", a},
                                     {"subflow_b", b},
                                     {"from_ns", from.GetNanoSeconds()},
                                     {"shared", shared}});
                }
                last = shared;
            }
        }
    }
    return pairs;
}

ordered_json
Truth::PrintLinks() const
{
    auto links = ordered_json::array();
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        for (std::size_t phase = 0; phase < m_phases.size(); ++phase)
        {
            const auto from = m_phases[phase];
            const auto& count = m_links[i].phases[phase];
            links.push_back({{"link", i},
                             {"from_ns", from.GetNanoSeconds()},
                             {"rate_mbit_s", GetValueAt(m_scenario.links[i].rate, from) / 1e6},
                             {"utilisation", GetUtilisation(i, phase)},
                             {"drops", count.drops},
                             {"marks", count.marks}});
        }
    }
    return links;
}

ordered_json
Truth::PrintSubflows() const
{
    auto subflows = ordered_json::array();
    for (std::size_t i = 0; i < m_subflows.size(); ++i)
    {
        subflows.push_back({{"subflow", i},
                            {"path", m_scenario.subflows[i].path},
                            {"established_ns", m_connection.GetEstablished(i).GetNanoSeconds()},
                            {"acked_bytes", m_connection.GetAckedBytes(i)},
                            {"random_losses", m_subflows[i].randomLosses},
                            {"phases", PrintPhases(i)}});
        AddModes(m_connection, i, subflows.back());
        if (m_scenario.seriesStep)
        {
            AddStartup(m_connection.GetStartup(i), subflows.back());
        }
    }
    return subflows;
}

ordered_json
Truth::PrintPhases(std::size_t subflow) const
{
    auto phases = ordered_json::array();
    for (std::size_t i = 0; i < m_phases.size(); ++i)
    {
        const auto& count = m_subflows[subflow].phases[i];
        const auto& schedule = m_scenario.subflows[subflow].bottleneck;
        phases.push_back({{"from_ns", m_phases[i].GetNanoSeconds()},
                          {"bottleneck", GetValueAt(schedule, m_phases[i])},
                          {"drops_at_bottleneck", count.dropsAtBottleneck},
                          {"drops_elsewhere", count.dropsElsewhere},
                          {"marks_at_bottleneck", count.marksAtBottleneck}});
    }
    return phases;
}

ordered_json
Truth::PrintConnection() const
{
    auto connection = PrintDelivered(m_connection);
    if (const auto token = m_connection.GetOptionToken())
    {
        char digits[9];
        std::snprintf(digits, sizeof(digits), "%08x", *token);
        connection["mptcp_token"] = digits;
    }
    return connection;
}

ordered_json
Truth::PrintFurther() const
{
    auto printed = ordered_json::array();
    for (const auto& further : m_further)
    {
        auto subflows = ordered_json::array();
        for (std::size_t i = 0; i < further->CountSubflows(); ++i)
        {
            const auto established = further->GetEstablished(i);
            subflows.push_back({{"subflow", i},
                                {"established_ns",
                                 established.IsZero() ? ordered_json()
                                                      : ordered_json(established.GetNanoSeconds())},
                                {"acked_bytes", further->GetAckedBytes(i)}});
            AddModes(*further, i, subflows.back());
        }
        printed.push_back(PrintDelivered(*further));
        printed.back()["subflows"] = subflows;
    }
    return printed;
}

ordered_json
Truth::PrintDelivered(const MptcpConnection& connection)
{
    ordered_json printed{{"delivered_bytes", connection.GetDeliveredBytes()},
                         {"duplicated_bytes", connection.GetDuplicatedBytes()}};
    if (const auto size = connection.GetSize())
    {
        const auto completion = connection.GetCompletion();
        printed["transfer_bytes"] = *size;
        printed["completed_ns"] =
            completion ? ordered_json(completion->GetNanoSeconds()) : ordered_json();
    }
    if (const auto& delays = connection.GetOrderDelays())
    {
        const auto& copies = connection.GetCopies();
        printed["copied_segments"] = copies.segments;
        printed["reinjected_segments"] = copies.reinjected;
        printed["opportunistic_segments"] = copies.opportunistic;
        printed["penalties"] = copies.penalties;
        printed["order_delay_us"] = PrintOrderDelays(*delays);
    }
    for (const auto& round : connection.GetRounds())
    {
        printed["rounds"].push_back(
            {{"from_ns", round.from.GetNanoSeconds()},
             {"share", round.share},
             {"reward", round.reward ? ordered_json(*round.reward) : ordered_json()},
             {"changed", round.changed}});
    }
    return printed;
}

ordered_json
Truth::PrintOrderDelays(std::vector<ns3::Time> delays)
{
    if (delays.empty())
    {
        return {};
    }
    std::sort(delays.begin(), delays.end());
    const auto last = delays.size() - 1;
    const auto at = [&](std::size_t percent) {
        return delays[last * percent / 100].GetMicroSeconds();
    };
    const auto sum = std::accumulate(delays.begin(), delays.end(), ns3::Time());
    const auto mean = sum / static_cast<int64_t>(delays.size());
    return {{"segments", delays.size()},
            {"mean", mean.GetMicroSeconds()},
            {"p50", at(50)},
            {"p95", at(95)},
            {"p99", at(99)},
            {"most", at(100)}};
}

void
Truth::AddModes(const MptcpConnection& connection, std::size_t subflow, ordered_json& printed)
{
    for (const auto& [from, mode] : connection.GetModes(subflow))
    {
        printed["modes"].push_back(
            {{"from_ns", from.GetNanoSeconds()}, {"mode", std::string(mode)}});
    }
}

void
Truth::AddStartup(const Startup& startup, ordered_json& printed)
{
    if (startup.phase == StartPhase::UNTOLD)
    {
        return;
    }
    constexpr double MBIT_S = 8e-6; // of 1 byte/s
    printed["startup_ended_ns"] =
        startup.ended.IsZero() ? ordered_json() : ordered_json(startup.ended.GetNanoSeconds());
    printed["probed_mbit_s"] = MBIT_S * startup.probed;
    printed["limit_mbit_s"] =
        startup.limit ? ordered_json(MBIT_S * *startup.limit) : ordered_json();
}

} // namespace smartsbd
