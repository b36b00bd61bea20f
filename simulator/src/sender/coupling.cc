// SPDX-License-Identifier: GPL-2.0-only

#include "sender/coupling.h"

#include "ns3/simulator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Simulator;
using ns3::Time;
using std::chrono::steady_clock;

namespace
{

/// Length of a window in round trips of the larger minimum RTT.
constexpr int WINDOW_RTTS = 50;

} // namespace

Coupling::Coupling(const Scenario& scenario,
                   std::shared_ptr<ConnectionSignals> signals,
                   SharedStates& shared,
                   EventLog& log,
                   Avoids avoids)
    : m_scenario(scenario),
      m_subflows(std::move(signals)),
      m_log(log),
      m_avoids(avoids),
      m_rule(ReadUnknownRule(scenario.connection.verdicts->values)),
      m_source(scenario.connection.verdicts->kind->create(
          {scenario, scenario.connection.model, shared},
          scenario.connection.verdicts->values)),
      m_established(m_subflows->size()),
      m_relations(m_subflows->size() * m_subflows->size()),
      m_wanted(m_subflows->size()),
      m_written(m_subflows->size())
{
    m_source->Decide(Time());
    NoteVerdicts(Time());
    Choose(Time());
    Apply();
    ApplyThetas(Time());
    m_log.SetSignalCallback(ns3::MakeCallback(&Coupling::HandleSignal, this));
}

void
Coupling::MeasureCost()
{
    m_measures = true;
}

void
Coupling::Finish()
{
    m_source->Finish(m_last);
}

std::string
Coupling::Print() const
{
    auto groups = ordered_json::array();
    for (const auto& epoch : m_epochs)
    {
        groups.push_back({{"from_ns", epoch.from.GetNanoSeconds()}, {"groups", epoch.groups}});
    }
    ordered_json printed{{"source", m_scenario.connection.verdicts->kind->name},
                         {"token", m_scenario.connection.token},
                         {"groups", groups},
                         {"held", m_held}};
    printed.update(m_source->Print());
    if (m_subflows->size() > 1 && m_source->GetTheta(0, 1))
    {
        for (const auto& [from, thetasQ10] : m_thetas)
        {
            printed["thetas"].push_back(
                {{"from_ns", from.GetNanoSeconds()}, {"theta_q10", thetasQ10}});
        }
    }
    if (m_measures)
    {
        for (const auto& [name, cost] :
             {std::pair("signals", &m_signals), std::pair("decisions", &m_decisions)})
        {
            printed["cost"][name] = {{"count", cost->count},
                                     {"sum_ns", cost->sum.count()},
                                     {"worst_ns", cost->worst.count()}};
        }
    }
    return printed.dump(1) + "\n";
}

void
Coupling::HandleSignal(std::size_t subflow, EventKind kind, uint64_t value)
{
    const auto now = Simulator::Now();
    const bool joins = !m_established[subflow];
    m_established[subflow] = true;
    m_last = now;
    const bool judged = Decide(now);
    if (judged)
    {
        NoteVerdicts(now);
    }
    const bool chooses = judged || joins || now > m_due;
    if (chooses)
    {
        Choose(now);
    }
    const bool regroups = m_wanted != m_epochs.back().groups && MayChange();
    if (m_wanted == m_epochs.back().groups)
    {
        m_holds = false;
    }
    else if (regroups)
    {
        Apply();
    }
    else
    {
        m_held += !std::exchange(m_holds, true);
    }
    if (chooses || regroups)
    {
        ApplyThetas(now);
    }
    WriteGroups();
    const auto begin = m_measures ? steady_clock::now() : steady_clock::time_point();
    m_source->Take({subflow, kind, value, now});
    if (m_measures)
    {
        Add(m_signals, begin);
    }
}

bool
Coupling::Decide(Time now)
{
    if (!m_measures)
    {
        return m_source->Decide(now);
    }
    const auto begin = steady_clock::now();
    const bool judged = m_source->Decide(now);
    if (judged)
    {
        Add(m_decisions, begin);
    }
    return judged;
}

void
Coupling::NoteVerdicts(Time now)
{
    const auto partition = m_source->GetPartition();
    for (std::size_t a = 0; a < partition.size(); ++a)
    {
        for (auto b = a + 1; b < partition.size(); ++b)
        {
            auto& relation = m_relations[a * partition.size() + b];
            if (const auto told = m_source->GetTheta(a, b))
            {
                relation.shared = told->thetaQ10 < THETA_APART_Q10;
                relation.thetaQ10 = told->thetaQ10;
                relation.last = told->last;
            }
            else if (partition[a] && partition[b])
            {
                relation.shared = partition[a] == partition[b];
                relation.last =
                    std::min(m_source->GetLastVerdict(a), m_source->GetLastVerdict(b));
            }
            else
            {
                relation.last = std::min(relation.last, now);
            }
        }
    }
}

void
Coupling::Choose(Time now)
{
    const auto count = m_subflows->size();
    std::vector<uint32_t> groups(count);
    std::iota(groups.begin(), groups.end(), 0);
    m_due = Time::Max();
    for (std::size_t a = 0; a < count; ++a)
    {
        for (auto b = a + 1; b < count; ++b)
        {
            if (IsCoupled(a, b, now))
            {
                std::replace(groups.begin(), groups.end(), uint32_t{groups[b]}, groups[a]);
            }
        }
    }
    const auto first = std::find(m_established.begin(), m_established.end(), true);
    const auto opened = first == m_established.end() ? 0 : first - m_established.begin();
    for (std::size_t i = 0; i < count && m_rule.coupled; ++i)
    {
        if (!m_established[i] && !IsTold(i))
        {
            groups[i] = groups[opened];
        }
    }
    m_wanted = Renumber(groups);
}

bool
Coupling::IsTold(std::size_t subflow) const
{
    const auto count = m_subflows->size();
    for (std::size_t other = 0; other < count; ++other)
    {
        const auto& [a, b] = std::minmax(subflow, other);
        if (m_relations[a * count + b].shared)
        {
            return true;
        }
    }
    return false;
}

bool
Coupling::IsCoupled(std::size_t a, std::size_t b, Time now)
{
    const auto& relation = m_relations[a * m_subflows->size() + b];
    if (!relation.shared)
    {
        return m_established[a] && m_established[b] && m_rule.coupled;
    }
    const auto end = GetEnd(a, b);
    if (now > end)
    {
        return true;
    }
    m_due = std::min(m_due, end);
    return *relation.shared;
}

Time
Coupling::GetEnd(std::size_t a, std::size_t b) const
{
    const auto last = m_relations[a * m_subflows->size() + b].last;
    if (last == Time::Max())
    {
        return last;
    }
    const auto rtt = std::max((*m_subflows)[a].baseRtt, (*m_subflows)[b].baseRtt);
    const auto held = m_rule.hold * WINDOW_RTTS * static_cast<double>(rtt.GetNanoSeconds());
    return last + ns3::NanoSeconds(static_cast<int64_t>(held));
}

bool
Coupling::MayChange() const
{
    for (std::size_t i = 0; i < m_established.size(); ++i)
    {
        if (m_established[i] && !m_avoids(i, m_rule.openOnly))
        {
            return false;
        }
    }
    return true;
}

void
Coupling::Apply()
{
    for (std::size_t i = 0; i < m_wanted.size(); ++i)
    {
        (*m_subflows)[i].regroupings += !m_epochs.empty();
        (*m_subflows)[i].group = m_wanted[i];
    }
    m_epochs.push_back({Simulator::Now(), m_wanted});
    m_holds = false;
}

void
Coupling::ApplyThetas(Time now)
{
    const auto count = m_subflows->size();
    const auto& groups = m_epochs.back().groups;
    std::vector<uint32_t> thetasQ10(count, THETA_APART_Q10);
    for (std::size_t a = 0; a < count; ++a)
    {
        for (auto b = a + 1; b < count; ++b)
        {
            if (groups[a] == groups[b])
            {
                const auto& relation = m_relations[a * count + b];
                const auto thetaQ10 = now > GetEnd(a, b) ? 0 : relation.thetaQ10;
                thetasQ10[a] = std::min(thetasQ10[a], thetaQ10);
                thetasQ10[b] = std::min(thetasQ10[b], thetaQ10);
            }
        }
    }
    if (!m_thetas.empty() && thetasQ10 == m_thetas.back().thetasQ10)
    {
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
    {
        (*m_subflows)[i].thetaQ10 = thetasQ10[i];
    }
    m_thetas.push_back({now, thetasQ10});
}

void
Coupling::WriteGroups()
{
    const auto& groups = m_epochs.back().groups;
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        if (m_established[i] && groups[i] != m_written[i])
        {
            m_written[i] = groups[i];
            m_log.Write(i, EventKind::GROUP, groups[i]);
        }
    }
}

void
Coupling::Add(Cost& cost, steady_clock::time_point begin)
{
    const auto taken = steady_clock::now() - begin;
    ++cost.count;
    cost.sum += taken;
    cost.worst = std::max<std::chrono::nanoseconds>(cost.worst, taken);
}

} // namespace smartsbd
