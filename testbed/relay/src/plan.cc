// SPDX-License-Identifier: MIT

#include "plan.h"

#include "replay.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>

namespace relay
{

namespace
{

using Values = std::map<std::string, std::string>;

/// A day: no plan is longer, and no sum of such times leaves 64 bits.
constexpr int64_t MOST_NS = 86'400'000'000'000;
constexpr double MOST_BIT_S = 1e12;
constexpr double MOST_SIGMA = 10;
/// Of those that enter together.
constexpr uint32_t MOST_PACKETS = 1'000'000;
/// Of which one goes on.
constexpr uint32_t MOST_ACKS = 1'000;

template <class T>
T
Number(const std::string& text)
{
    T value{};
    const auto* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end)
    {
        throw PlanError("'" + text + "' is no number that fits");
    }
    return value;
}

std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

template <class T>
std::vector<T>
Numbers(const std::string& text)
{
    std::vector<T> numbers;
    for (const auto& part : Split(text, ','))
    {
        numbers.push_back(Number<T>(part));
    }
    return numbers;
}

/// The two sides of a pair such as 4:16.
std::pair<std::string, std::string>
Pair(const std::string& text)
{
    const auto parts = Split(text, ':');
    if (parts.size() != 2)
    {
        throw PlanError("'" + text + "' is no pair");
    }
    return {parts[0], parts[1]};
}

/// Take a value out; what is left in the end is unknown.
std::string
Take(Values& values, const std::string& key)
{
    auto node = values.extract(key);
    if (node.empty())
    {
        throw PlanError(key + " is missing");
    }
    return node.mapped();
}

/// @return A number that must lie between two others; what is no number does not.
template <class T>
T
Within(const std::string& text, T low, T high)
{
    const auto value = Number<T>(text);
    if (!(value >= low && value <= high))
    {
        throw PlanError("'" + text + "' is out of range");
    }
    return value;
}

/// @return A number between 0 and another, if it is there.
template <class T>
T
TakeNumber(Values& values, const std::string& key, T high)
{
    return values.contains(key) ? Within<T>(Take(values, key), 0, high) : 0;
}

std::vector<RateChange>
ReadRates(const std::string& text)
{
    std::vector<RateChange> rates;
    for (const auto& change : Split(text, ','))
    {
        const auto [from, bitS] = Pair(change);
        rates.push_back({Within<int64_t>(from, 0, MOST_NS), Within<double>(bitS, 1, MOST_BIT_S)});
    }
    if (rates.empty() || rates.front().fromNs != 0)
    {
        throw PlanError("no rate from 0 on");
    }
    for (std::size_t i = 1; i < rates.size(); ++i)
    {
        if (rates[i].fromNs <= rates[i - 1].fromNs)
        {
            throw PlanError("rates are not in order of time");
        }
    }
    return rates;
}

/// @return A discipline by its name; only a line with a rate that marks nothing has one.
Discipline
ReadDiscipline(const std::string& name, const PortPlan& port)
{
    const bool possible = !port.rate.empty() && !port.markBytes;
    if (possible && name == "codel")
    {
        return Discipline::CODEL;
    }
    if (possible && name == "policer")
    {
        return Discipline::POLICER;
    }
    throw PlanError("discipline is codel or policer, of a rate without marks");
}

PortPlan
ReadPort(Values& values)
{
    PortPlan port;
    if (values.contains("rate"))
    {
        port.rate = ReadRates(Take(values, "rate"));
        port.queueBytes = Number<uint64_t>(Take(values, "queue"));
    }
    else if (values.contains("opportunities"))
    {
        port.momentsMs = ReadMoments(Take(values, "opportunities"));
        port.queueBytes = Number<uint64_t>(Take(values, "queue"));
    }
    if (values.contains("mark"))
    {
        port.markBytes = Number<uint64_t>(Take(values, "mark"));
    }
    if (values.contains("discipline"))
    {
        port.discipline = ReadDiscipline(Take(values, "discipline"), port);
    }
    if (values.contains("wander"))
    {
        const auto [sigma, step] = Pair(Take(values, "wander"));
        port.rateSigma = Within<double>(sigma, 0, MOST_SIGMA);
        port.rateStepNs = Within<int64_t>(step, 0, MOST_NS);
    }
    if (values.contains("burst"))
    {
        const auto [low, high] = Pair(Take(values, "burst"));
        port.burstHigh = Within<uint32_t>(high, 0, MOST_PACKETS);
        port.burstLow = Within<uint32_t>(low, 0, port.burstHigh);
    }
    port.delayNs = TakeNumber<int64_t>(values, "delay", MOST_NS);
    port.jitterNs = TakeNumber<int64_t>(values, "jitter", MOST_NS);
    port.holdNs = TakeNumber<int64_t>(values, "hold", MOST_NS);
    port.loss = TakeNumber<double>(values, "loss", 1);
    return port;
}

RoutePlan
ReadRoute(Values& values)
{
    in_addr address;
    const auto text = Take(values, "address");
    if (inet_pton(AF_INET, text.c_str(), &address) != 1)
    {
        throw PlanError("'" + text + "' is no address");
    }
    return {Number<std::size_t>(Take(values, "from")),
            ntohl(address.s_addr),
            Number<std::size_t>(Take(values, "to")),
            Numbers<std::size_t>(Take(values, "there")),
            Numbers<std::size_t>(Take(values, "back")),
            values.contains("ack_every")
                ? Within<uint32_t>(Take(values, "ack_every"), 1, MOST_ACKS)
                : 1};
}

void
ReadPart(Plan& plan, const std::string& kind, Values& values)
{
    if (kind == "seed")
    {
        plan.seed = Number<uint64_t>(Take(values, "value"));
    }
    else if (kind == "marks")
    {
        plan.marksNs = Numbers<int64_t>(Take(values, "ns"));
    }
    else if (kind == "host")
    {
        plan.hosts.push_back({Take(values, "netns"), Take(values, "device")});
    }
    else if (kind == "port")
    {
        plan.ports.push_back(ReadPort(values));
    }
    else if (kind == "route")
    {
        plan.routes.push_back(ReadRoute(values));
    }
    else if (kind == "capture")
    {
        plan.captureHost = Number<std::size_t>(Take(values, "host"));
        plan.capturePath = Take(values, "path");
    }
    else
    {
        throw PlanError("unknown part '" + kind + "'");
    }
    if (!values.empty())
    {
        throw PlanError("unknown key '" + values.begin()->first + "'");
    }
}

void
CheckNumbers(const Plan& plan)
{
    const auto hosts = plan.hosts.size();
    for (const auto& route : plan.routes)
    {
        if (route.from >= hosts || route.to >= hosts || route.from == route.to)
        {
            throw PlanError("a route is not between two hosts");
        }
        for (const auto* ports : {&route.there, &route.back})
        {
            for (const auto port : *ports)
            {
                if (port >= plan.ports.size())
                {
                    throw PlanError("a route has no port " + std::to_string(port));
                }
            }
        }
    }
    if (plan.marksNs.size() < 2 || hosts == 0 || plan.captureHost >= hosts)
    {
        throw PlanError("two marks and a host are needed");
    }
    const auto& marks = plan.marksNs;
    if (!std::is_sorted(marks.begin(), marks.end()) || marks.front() < 0 || marks.back() > MOST_NS)
    {
        throw PlanError("marks are not in order of time, or out of range");
    }
}

} // namespace

std::ifstream
OpenRegular(const std::string& path)
{
    if (std::error_code error; std::filesystem::exists(path, error) &&
                               !std::filesystem::is_regular_file(path, error))
    {
        throw PlanError(path + ": is no regular file");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw PlanError(path + ": cannot be read");
    }
    return file;
}

Plan
ReadPlan(const std::string& path)
{
    auto file = OpenRegular(path);
    Plan plan;
    std::string line;
    for (unsigned number = 1; std::getline(file, line); ++number)
    {
        try
        {
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            Values values;
            for (std::string word; words >> word;)
            {
                const auto equals = word.find('=');
                if (equals == std::string::npos)
                {
                    throw PlanError("'" + word + "' is not KEY=VALUE");
                }
                values[word.substr(0, equals)] = word.substr(equals + 1);
            }
            ReadPart(plan, kind, values);
        }
        catch (const PlanError& error)
        {
            throw PlanError(path + ", line " + std::to_string(number) + ": " + error.what());
        }
    }
    CheckNumbers(plan);
    return plan;
}

} // namespace relay
