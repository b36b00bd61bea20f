// SPDX-License-Identifier: GPL-2.0-only

#include "verdicts/verdict-kind.h"

#include <nlohmann/json.hpp>

#include <map>

namespace smartsbd
{

// Each is defined in the file of its name.
extern const VerdictKind FIXED;
extern const VerdictKind ORACLE;
extern const VerdictKind PATHS;

void
VerdictSource::Take(const Signal&)
{
}

ns3::Time
VerdictSource::GetLastVerdict(std::size_t) const
{
    return ns3::Time::Max();
}

std::optional<PairTheta>
VerdictSource::GetTheta(std::size_t, std::size_t) const
{
    return std::nullopt;
}

void
VerdictSource::Finish(ns3::Time)
{
}

const std::vector<const VerdictKind*>&
GetPlainVerdicts()
{
    static const std::vector<const VerdictKind*> verdicts{
        &FIXED,
        &ORACLE,
        &PATHS,
    };
    return verdicts;
}

UnknownRule
ReadUnknownRule(const ParameterValues& values)
{
    UnknownRule rule;
    rule.coupled = !values.Is("before", "apart");
    rule.hold = values.Has("hold_windows") ? values.GetNumber("hold_windows") : rule.hold;
    rule.openOnly = values.Is("avoidance", "open");
    return rule;
}

Parameter
AvoidanceParameter()
{
    return OneOf("avoidance",
                 "When groups change: once every established subflow is in congestion avoidance. "
                 "window: its window is not below its slow start threshold, or it is in CWR or "
                 "Recovery; open: its window is not, and it is in Open.",
                 {"window", "open"});
}

std::vector<Parameter>
UnknownParameters()
{
    return {OneOf("before",
                  "What two subflows are before the first verdict.",
                  {"coupled", "apart"}),
            Number("hold_windows",
                   "Windows for which the last verdict on two subflows holds, of 50 of the larger "
                   "minimum RTT; without another one they are coupled then.",
                   0,
                   1000,
                   4),
            AvoidanceParameter()};
}

nlohmann::ordered_json
PrintPartition(ns3::Time time, const Partition& partition)
{
    auto groups = nlohmann::ordered_json::array();
    for (const auto& group : partition)
    {
        groups.push_back(group ? nlohmann::ordered_json(*group) : nlohmann::ordered_json());
    }
    return {{"from_ns", time.GetNanoSeconds()}, {"groups", groups}};
}

std::vector<uint32_t>
Renumber(const std::vector<uint32_t>& groups)
{
    std::map<uint32_t, uint32_t> numbers;
    std::vector<uint32_t> renumbered;
    for (const auto group : groups)
    {
        renumbered.push_back(numbers.emplace(group, numbers.size()).first->second);
    }
    return renumbered;
}

} // namespace smartsbd
