// SPDX-License-Identifier: GPL-2.0-only

#include "output/series.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Simulator;
using ns3::Time;

namespace
{

/// Which quantiles of the queueing delay are stated.
constexpr std::array QUANTILES{0.1, 0.5, 0.9, 0.99};

/**
 * @param values Some times; they are sorted.
 * @return The quantiles, each the least value that so many are not above; none of none.
 */
std::vector<Time>
GetQuantiles(std::vector<Time>& values)
{
    std::vector<Time> quantiles;
    std::sort(values.begin(), values.end());
    for (const auto quantile : QUANTILES)
    {
        if (!values.empty())
        {
            const auto rank = std::ceil(quantile * static_cast<double>(values.size()));
            quantiles.push_back(values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1]);
        }
    }
    return quantiles;
}

} // namespace

Series::Series(const Scenario& scenario,
               MptcpConnection& connection,
               std::vector<ns3::Ptr<ns3::PacketSink>> sinks,
               const FurtherConnections& further)
    : m_scenario(scenario),
      m_connection(connection),
      m_sinks(std::move(sinks)),
      m_further(further),
      m_delays(scenario.subflows.size()),
      m_leastDelays(scenario.subflows.size(), Time::Max())
{
    if (scenario.seriesStep)
    {
        connection.SetDelayCallback(ns3::MakeCallback(&Series::NoteDelay, this));
        Simulator::Schedule(*scenario.seriesStep, &Series::Step, this);
    }
}

void
Series::Finish()
{
    if (m_scenario.seriesStep && m_from < Simulator::Now())
    {
        End();
    }
}

ordered_json
Series::Print() const
{
    auto series = ordered_json::array();
    const Interval* before = nullptr;
    for (const auto& interval : m_intervals)
    {
        auto subflows = ordered_json::array();
        for (std::size_t i = 0; i < interval.subflows.size(); ++i)
        {
            const auto& own = interval.subflows[i];
            auto queueing = ordered_json::array();
            for (const auto& quantile : own.quantiles)
            {
                queueing.push_back((quantile - m_leastDelays[i]).GetMicroSeconds());
            }
            subflows.push_back(
                {{"acked_bytes", own.acked - (before ? before->subflows[i].acked : 0)},
                 {"window_bytes", own.window},
                 {"srtt_us", own.srtt.GetMicroSeconds()},
                 {"group", own.group},
                 {"timeouts", own.timeouts - (before ? before->subflows[i].timeouts : 0)},
                 {"queueing_us", queueing}});
            if (own.rate)
            {
                subflows.back()["pacing_mbit_s"] = *own.rate / 1e6;
            }
        }
        auto background = ordered_json::array();
        for (std::size_t i = 0; i < interval.received.size(); ++i)
        {
            background.push_back(interval.received[i] - (before ? before->received[i] : 0));
        }
        series.push_back(
            {{"from_ns", interval.from.GetNanoSeconds()},
             {"to_ns", interval.to.GetNanoSeconds()},
             {"delivered_bytes", interval.delivered - (before ? before->delivered : 0)},
             {"subflows", subflows},
             {"background_bytes", background}});
        if (!interval.further.empty())
        {
            series.back()["further_connections"] = PrintFurther(interval, before);
        }
        before = &interval;
    }
    return {{"quantiles", QUANTILES}, {"intervals", series}};
}

ordered_json
Series::PrintFurther(const Interval& interval, const Interval* before)
{
    auto further = ordered_json::array();
    for (std::size_t i = 0; i < interval.further.size(); ++i)
    {
        const auto& own = interval.further[i];
        const auto* earlier = before ? &before->further[i] : nullptr;
        auto acked = ordered_json::array();
        for (std::size_t subflow = 0; subflow < own.acked.size(); ++subflow)
        {
            acked.push_back(own.acked[subflow] - (earlier ? earlier->acked[subflow] : 0));
        }
        further.push_back({{"delivered_bytes", own.delivered - (earlier ? earlier->delivered : 0)},
                           {"acked_bytes", acked}});
    }
    return further;
}

void
Series::NoteDelay(std::size_t subflow, Time delay)
{
    m_delays[subflow].push_back(delay);
    m_leastDelays[subflow] = std::min(m_leastDelays[subflow], delay);
}

void
Series::Step()
{
    End();
    Simulator::Schedule(*m_scenario.seriesStep, &Series::Step, this);
}

void
Series::End()
{
    Interval interval{std::exchange(m_from, Simulator::Now()),
                      Simulator::Now(),
                      m_connection.GetDeliveredBytes(),
                      {},
                      {},
                      {}};
    for (std::size_t i = 0; i < m_delays.size(); ++i)
    {
        interval.subflows.push_back({m_connection.GetAckedBytes(i),
                                     m_connection.GetWindow(i),
                                     m_connection.GetSmoothedRtt(i),
                                     m_connection.GetGroup(i),
                                     m_connection.GetPacingRate(i),
                                     m_connection.GetTimeouts(i),
                                     GetQuantiles(m_delays[i])});
        m_delays[i].clear();
    }
    for (const auto& sink : m_sinks)
    {
        interval.received.push_back(sink->GetTotalRx());
    }
    for (const auto& further : m_further)
    {
        interval.further.push_back({further->GetDeliveredBytes(), {}});
        for (std::size_t i = 0; i < further->CountSubflows(); ++i)
        {
            interval.further.back().acked.push_back(further->GetAckedBytes(i));
        }
    }
    m_intervals.push_back(std::move(interval));
}

} // namespace smartsbd
