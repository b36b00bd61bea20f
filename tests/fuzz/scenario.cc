// SPDX-License-Identifier: GPL-2.0-only
//
// The simulator's reader of scenarios on any bytes: a scenario that it returns keeps what the code
// that builds it relies on, and anything else is refused in one short line. Controllers, schedulers
// and sources of verdicts are those of scenarios/registry.json: their names and parameters are
// read, and none is made.

#include "scenario.h"

#include "holds.h"
#include "program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace smartsbd
{

namespace
{

constexpr auto REGISTRY =
#include "registry.inc"
    ;

/**
 * @param key What chooses the kinds in a scenario.
 * @return The kinds, which stay.
 */
template <class T>
std::vector<const T*>
Declared(const char* key)
{
    static std::vector<std::unique_ptr<T>> kept;
    std::vector<const T*> kinds;
    const auto registry = nlohmann::ordered_json::parse(REGISTRY);
    for (const auto& declared : registry.at(key))
    {
        const auto& properties = declared.at("properties");
        std::vector<Parameter> parameters;
        for (const auto& property : properties.items())
        {
            if (property.key() != "name")
            {
                parameters.push_back({property.key(), property.value()});
            }
        }
        const Kind kind{properties.at("name").at("const"), declared.at("description"), parameters};
        kept.push_back(std::make_unique<T>(T{kind, nullptr}));
        kinds.push_back(kept.back().get());
    }
    return kinds;
}

} // namespace

const std::vector<const ControllerKind*>&
GetControllers()
{
    static const auto controllers = Declared<ControllerKind>("congestion_control");
    return controllers;
}

const std::vector<const SchedulerKind*>&
GetSchedulers()
{
    static const auto schedulers = Declared<SchedulerKind>("scheduler");
    return schedulers;
}

const Program&
GetProgram()
{
    static const auto makeRadio = [](const AccessSpec&, int64_t) -> AccessPorts {
        __builtin_trap();
    };
    static const Program program{"fuzzed", "", Declared<VerdictKind>("verdicts"), makeRadio};
    return program;
}

} // namespace smartsbd

using namespace smartsbd;

namespace
{

constexpr std::size_t MOST_LETTERS = 1000;
constexpr uint64_t MOST_RATE = 100'000'000'000;

/// @return The name of a file in memory that has the bytes.
std::string
Written(const uint8_t* bytes, size_t size)
{
    static const int file = memfd_create("scenario", 0);
    HOLDS(file >= 0 && ftruncate(file, 0) == 0);
    HOLDS(pwrite(file, bytes, size, 0) == static_cast<ssize_t>(size));
    return "/proc/self/fd/" + std::to_string(file);
}

bool
IsVisible(const std::string& text)
{
    return std::all_of(text.begin(), text.end(), [](char letter) {
        return letter >= ' ' && letter <= '~';
    });
}

template <class T>
void
CheckChanges(const Schedule<T>& changes, ns3::Time duration)
{
    for (std::size_t i = 0; i < changes.size(); ++i)
    {
        HOLDS(!changes[i].from.IsStrictlyNegative() && changes[i].from < duration);
        HOLDS(i == 0 || changes[i - 1].from < changes[i].from);
    }
}

template <class T>
void
CheckChosen(const Chosen<T>& chosen)
{
    HOLDS(chosen.kind);
    for (const auto& parameter : chosen.kind->parameters)
    {
        HOLDS(chosen.values.Has(parameter.name));
        if (!parameter.schema.contains("enum"))
        {
            const auto value = chosen.values.GetNumber(parameter.name);
            HOLDS(value >= parameter.schema.at("minimum") &&
                  value <= parameter.schema.at("maximum"));
            continue;
        }
        const auto& names = parameter.schema.at("enum");
        HOLDS(std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return chosen.values.Is(parameter.name, name);
        }));
    }
}

void
CheckConnection(const ConnectionSpec& connection)
{
    CheckChosen(connection.congestionControl);
    CheckChosen(connection.scheduler);
    HOLDS(connection.mss > 0 && !connection.hostDelay.IsStrictlyNegative());
    if (connection.verdicts)
    {
        CheckChosen(*connection.verdicts);
    }
}

void
CheckSubflow(const Scenario& scenario, const SubflowSpec& subflow)
{
    for (const auto& [link, place] : {std::pair(subflow.serverLink, LinkPlace::SERVER),
                                      std::pair(subflow.clientLink, LinkPlace::CLIENT)})
    {
        HOLDS(!link || (*link < scenario.links.size() && scenario.links[*link].place == place));
    }
    HOLDS(subflow.start < scenario.duration);
    HOLDS(!GetBackboneDelay(scenario, subflow).IsStrictlyNegative());
    HOLDS(subflow.access.rate > 0 && subflow.access.rate <= MOST_RATE);
    HOLDS(subflow.access.loss >= 0 && subflow.access.loss <= 1);
    HOLDS(subflow.access.burstLow <= subflow.access.burstHigh);
    CheckChanges(subflow.access.lossChanges, scenario.duration);
    CheckChanges(subflow.delayChanges, scenario.duration);
}

void
Check(const Scenario& scenario)
{
    const auto& token = scenario.connection.token;
    HOLDS(token.size() == 8 && token.find_first_not_of("0123456789abcdef") == std::string::npos);
    CheckConnection(scenario.connection);
    HOLDS(scenario.duration.IsStrictlyPositive() && !scenario.subflows.empty());
    for (const auto& link : scenario.links)
    {
        CheckChanges(link.rate, scenario.duration);
        HOLDS(!link.rate.empty() && link.rate.front().from.IsZero());
        HOLDS(std::all_of(link.rate.begin(), link.rate.end(), [](const auto& change) {
            return change.value > 0 && change.value <= MOST_RATE;
        }));
        HOLDS(!link.opportunities || link.opportunities->GetMean() > 0);
    }
    for (const auto& subflow : scenario.subflows)
    {
        CheckSubflow(scenario, subflow);
        CheckChanges(subflow.bottleneck, scenario.duration);
        HOLDS(!subflow.bottleneck.empty() && IsVisible(subflow.path));
        HOLDS(std::all_of(subflow.bottleneck.begin(), subflow.bottleneck.end(), [&](auto& change) {
            return change.value < scenario.links.size();
        }));
    }
    for (const auto& further : scenario.further)
    {
        CheckConnection(further.connection);
        for (const auto& subflow : further.subflows)
        {
            CheckSubflow(scenario, subflow);
        }
        HOLDS(!further.stop || *further.stop < scenario.duration);
    }
    for (std::size_t i = 0; i < scenario.background.size(); ++i)
    {
        const auto& flow = scenario.background[i];
        HOLDS(flow.subflow < scenario.subflows.size() && flow.start < scenario.duration);
        HOLDS(!GetSourceLinkDelay(scenario, i).IsStrictlyNegative());
        HOLDS(!flow.leaves || GetOnlyLink(scenario, i));
        HOLDS(!flow.stop || *flow.stop > flow.start);
    }
    const auto phases = GetPhases(scenario);
    HOLDS(!phases.empty() && phases.front().IsZero());
}

} // namespace

extern "C" int
TryScenario(const uint8_t* bytes, size_t size)
{
    try
    {
        Check(LoadScenario(Written(bytes, size)));
    }
    catch (const ScenarioError& error)
    {
        const std::string message = error.what();
        HOLDS(!message.empty() && message.size() < MOST_LETTERS && IsVisible(message));
    }
    return 1;
}

#ifdef TRY
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    TRY(bytes, size);
    return 0;
}
#endif
