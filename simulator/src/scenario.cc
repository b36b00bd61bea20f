// SPDX-License-Identifier: GPL-2.0-only

#include "scenario.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace smartsbd
{

namespace
{

using nlohmann::json;

/// An interval of numbers and whether its ends belong to it.
struct Range
{
    double low;               //!< Lower end
    double high;              //!< Upper end
    bool lowIncluded = true;  //!< Whether low belongs to the interval
    bool highIncluded = true; //!< Whether high belongs to the interval

    /**
     * @param value The number to test.
     * @return Whether the interval holds it.
     */
    bool Holds(double value) const
    {
        return (lowIncluded ? value >= low : value > low) &&
               (highIncluded ? value <= high : value < high);
    }

    /// @return The interval in mathematical notation.
    std::string Print() const
    {
        return (lowIncluded ? "[" : "(") + PrintEnd(low) + ", " + PrintEnd(high) +
               (highIncluded ? "]" : ")");
    }

  private:
    /**
     * @param end An end of the interval.
     * @return The shortest text for it.
     */
    static std::string PrintEnd(double end)
    {
        return end == std::trunc(end) ? json(static_cast<int64_t>(end)).dump() : json(end).dump();
    }
};

constexpr Range RATE_MBIT_S{0.01, 1000};
constexpr Range TIME_MS{0, 10000};
constexpr Range RTT_MS{0, 10000, false};
constexpr Range JITTER_MS{0, 1000};
constexpr Range LOSS{0, 1, true, false};
constexpr Range DURATION_S{0, 3600, false};
constexpr Range QUEUE_BYTES{3000, 1e9};
constexpr Range SEED{1, std::numeric_limits<uint32_t>::max()};
constexpr Range MSS_BYTES{536, 1440};
constexpr Range RECEIVE_BUFFER_BYTES{65536, 1 << 28};
constexpr Range SUBFLOWS{2, 5};
constexpr Range BOTTLENECKS{1, 5};
constexpr Range BACKGROUND{0, 32};

/// A JSON value and its place in the file; every check that fails throws ScenarioError.
class Place
{
  public:
    /**
     * @param value The value.
     * @param pointer Its JSON pointer.
     */
    Place(const json& value, std::string pointer)
        : m_value(value),
          m_pointer(std::move(pointer))
    {
    }

    /**
     * @param reason What is wrong with the value here.
     */
    [[noreturn]] void Fail(const std::string& reason) const
    {
        throw ScenarioError((m_pointer.empty() ? "/" : m_pointer) + ": " + reason);
    }

    /**
     * Check that this is an object with exactly the given keys.
     *
     * @param keys The keys.
     */
    void CheckKeys(std::initializer_list<std::string_view> keys) const
    {
        if (!m_value.is_object())
        {
            Fail(Print() + " is not an object");
        }
        for (const auto& item : m_value.items())
        {
            if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
            {
                const auto key = json(item.key()).dump();
                Place(item.value(), m_pointer + "/" + key.substr(1, key.size() - 2))
                    .Fail("unknown key");
            }
        }
        for (const auto& key : keys)
        {
            if (!m_value.contains(key))
            {
                Place(m_value, m_pointer + "/" + std::string(key)).Fail("missing");
            }
        }
    }

    /**
     * @param key A key that CheckKeys() accepted.
     * @return The member.
     */
    Place operator[](std::string_view key) const
    {
        return Place(m_value.at(std::string(key)), m_pointer + "/" + std::string(key));
    }

    /**
     * Check that this is an array.
     *
     * @param size Allowed number of items.
     * @return The items.
     */
    std::vector<Place> Items(const Range& size) const
    {
        if (!m_value.is_array())
        {
            Fail(Print() + " is not an array");
        }
        if (!size.Holds(static_cast<double>(m_value.size())))
        {
            Fail(std::to_string(m_value.size()) + " items, not in " + size.Print());
        }
        std::vector<Place> items;
        for (std::size_t i = 0; i < m_value.size(); ++i)
        {
            items.emplace_back(m_value[i], m_pointer + "/" + std::to_string(i));
        }
        return items;
    }

    /// @return Whether the value is null.
    bool IsNull() const
    {
        return m_value.is_null();
    }

    /**
     * @param range Allowed values.
     * @return The number.
     */
    double Number(const Range& range) const
    {
        if (!m_value.is_number())
        {
            Fail(Print() + " is not a number");
        }
        const auto number = m_value.get<double>();
        if (!range.Holds(number))
        {
            Fail(Print() + " is not in " + range.Print());
        }
        return number;
    }

    /**
     * @param range Allowed values.
     * @return The number, which the file must write as an integer.
     */
    uint32_t Integer(const Range& range) const
    {
        if (!m_value.is_number_integer())
        {
            Fail(Print() + " is not an integer");
        }
        Number(range);
        return m_value.get<uint32_t>();
    }

    /**
     * @param count Number of things the index can choose from.
     * @return The index.
     */
    std::size_t Index(std::size_t count) const
    {
        return Integer(Range{0, static_cast<double>(count), true, false});
    }

    /// @return The text.
    std::string Text() const
    {
        if (!m_value.is_string())
        {
            Fail(Print() + " is not a string");
        }
        return m_value.get<std::string>();
    }

    /// @return The value as one line of bounded length.
    std::string Print() const
    {
        if (m_value.is_structured())
        {
            return std::string("this ") + m_value.type_name();
        }
        const auto text = m_value.dump();
        return text.size() <= 64 ? text : text.substr(0, 61) + "...";
    }

  private:
    const json& m_value;   //!< The value
    std::string m_pointer; //!< Its JSON pointer
};

/**
 * @param milliseconds A time in ms.
 * @return The time to the nearest nanosecond.
 */
ns3::Time
FromMilliseconds(double milliseconds)
{
    return ns3::NanoSeconds(std::llround(milliseconds * 1e6));
}

/**
 * @param place A time in s.
 * @param range Allowed values in s.
 * @return The time to the nearest nanosecond.
 */
ns3::Time
ReadSeconds(const Place& place, const Range& range)
{
    return ns3::NanoSeconds(std::llround(place.Number(range) * 1e9));
}

/**
 * @param place A rate in Mbit/s.
 * @return The rate in bit/s.
 */
uint64_t
ReadRate(const Place& place)
{
    return static_cast<uint64_t>(std::llround(place.Number(RATE_MBIT_S) * 1e6));
}

/**
 * @param place The name of a congestion controller.
 * @param coupled Whether the coupled controller is allowed; if not, CUBIC is.
 * @return The controller.
 */
CongestionControl
ReadCongestionControl(const Place& place, bool coupled)
{
    const auto name = place.Text();
    if (name == "reno")
    {
        return CongestionControl::RENO;
    }
    if (coupled && name == "lia")
    {
        return CongestionControl::LIA;
    }
    if (!coupled && name == "cubic")
    {
        return CongestionControl::CUBIC;
    }
    place.Fail(place.Print() + (coupled ? " is not lia or reno" : " is not reno or cubic"));
}

/**
 * @param place The token.
 * @return The token.
 */
std::string
ReadToken(const Place& place)
{
    auto token = place.Text();
    const bool digits = token.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (token.size() != 8 || !digits)
    {
        place.Fail(place.Print() + " is not 8 lower case hexadecimal digits");
    }
    return token;
}

/**
 * @param place The name of a path.
 * @return The name.
 */
std::string
ReadPath(const Place& place)
{
    auto name = place.Text();
    const auto allowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (name.empty() || name.size() > 32 || name.find_first_not_of(allowed) != std::string::npos)
    {
        place.Fail(place.Print() + " is not 1 to 32 of a-z, 0-9 and -");
    }
    return name;
}

/**
 * @param place The member "connection".
 * @return The connection.
 */
ConnectionSpec
ReadConnection(const Place& place)
{
    place.CheckKeys({"token", "congestion_control", "mss_bytes", "receive_buffer_bytes"});
    return ConnectionSpec{
        ReadToken(place["token"]),
        ReadCongestionControl(place["congestion_control"], true),
        place["mss_bytes"].Integer(MSS_BYTES),
        place["receive_buffer_bytes"].Integer(RECEIVE_BUFFER_BYTES),
    };
}

/**
 * @param place An item of "bottlenecks".
 * @return The bottleneck.
 */
BottleneckSpec
ReadBottleneck(const Place& place)
{
    place.CheckKeys({"rate_mbit_s", "delay_ms", "queue_bytes"});
    return BottleneckSpec{
        ReadRate(place["rate_mbit_s"]),
        FromMilliseconds(place["delay_ms"].Number(TIME_MS)),
        place["queue_bytes"].Integer(QUEUE_BYTES),
    };
}

/**
 * @param place The member "access" of a subflow.
 * @return The access link.
 */
AccessSpec
ReadAccess(const Place& place)
{
    place.CheckKeys({"rate_mbit_s", "queue_bytes", "loss", "jitter_ms"});
    return AccessSpec{
        ReadRate(place["rate_mbit_s"]),
        place["queue_bytes"].Integer(QUEUE_BYTES),
        place["loss"].Number(LOSS),
        FromMilliseconds(place["jitter_ms"].Number(JITTER_MS)),
    };
}

/**
 * @param place A start time in s.
 * @param duration Simulated time.
 * @return The start time, before the end of the simulation.
 */
ns3::Time
ReadStart(const Place& place, ns3::Time duration)
{
    return ReadSeconds(place, Range{0, duration.GetSeconds(), true, false});
}

/**
 * @param place An item of "subflows".
 * @param scenario What has been read so far.
 * @return The subflow.
 */
SubflowSpec
ReadSubflow(const Place& place, const Scenario& scenario)
{
    place.CheckKeys({"path", "bottleneck", "start_s", "rtt_ms", "access"});
    return SubflowSpec{
        ReadPath(place["path"]),
        place["bottleneck"].Index(scenario.bottlenecks.size()),
        ReadStart(place["start_s"], scenario.duration),
        FromMilliseconds(place["rtt_ms"].Number(RTT_MS)),
        ReadAccess(place["access"]),
    };
}

/**
 * @param place The member "enters" of a background flow.
 * @return Where the flow joins.
 */
Entry
ReadEntry(const Place& place)
{
    const auto name = place.Text();
    if (name == "bottleneck")
    {
        return Entry::BOTTLENECK;
    }
    if (name == "access")
    {
        return Entry::ACCESS;
    }
    place.Fail(place.Print() + " is not bottleneck or access");
}

/**
 * @param place An item of "background".
 * @param scenario What has been read so far.
 * @return The background flow.
 */
BackgroundSpec
ReadBackground(const Place& place, const Scenario& scenario)
{
    place.CheckKeys(
        {"subflow", "enters", "rate_mbit_s", "congestion_control", "start_s", "rtt_ms"});
    const auto rate = place["rate_mbit_s"];
    return BackgroundSpec{
        place["subflow"].Index(scenario.subflows.size()),
        ReadEntry(place["enters"]),
        rate.IsNull() ? std::nullopt : std::optional(ReadRate(rate)),
        ReadCongestionControl(place["congestion_control"], false),
        ReadStart(place["start_s"], scenario.duration),
        FromMilliseconds(place["rtt_ms"].Number(RTT_MS)),
    };
}

/**
 * @param place The member "rtt_ms" of a subflow or background flow.
 * @param rest Delay left for the link that completes the base RTT.
 */
void
CheckRtt(const Place& place, ns3::Time rest)
{
    if (rest.IsStrictlyNegative())
    {
        const auto missing = json(rest.GetNanoSeconds() * -2e-6).dump();
        place.Fail(place.Print() + " is " + missing + " ms too short for the delays of the links");
    }
}

/**
 * @param place The member "bottlenecks".
 * @param scenario The scenario, with its subflows.
 */
void
CheckBottlenecksUsed(const Place& place, const Scenario& scenario)
{
    const auto items = place.Items(BOTTLENECKS);
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const auto uses = [i](const SubflowSpec& subflow) { return subflow.bottleneck == i; };
        if (std::none_of(scenario.subflows.begin(), scenario.subflows.end(), uses))
        {
            items[i].Fail("no subflow crosses this bottleneck");
        }
    }
}

/**
 * @param root The whole file.
 * @return The scenario.
 */
Scenario
ReadScenario(const Place& root)
{
    root.CheckKeys({"seed", "duration_s", "connection", "bottlenecks", "subflows", "background"});
    Scenario scenario;
    scenario.seed = root["seed"].Integer(SEED);
    scenario.duration = ReadSeconds(root["duration_s"], DURATION_S);
    scenario.connection = ReadConnection(root["connection"]);
    for (const auto& item : root["bottlenecks"].Items(BOTTLENECKS))
    {
        scenario.bottlenecks.push_back(ReadBottleneck(item));
    }
    for (const auto& item : root["subflows"].Items(SUBFLOWS))
    {
        scenario.subflows.push_back(ReadSubflow(item, scenario));
        CheckRtt(item["rtt_ms"], GetBackboneDelay(scenario, scenario.subflows.size() - 1));
    }
    CheckBottlenecksUsed(root["bottlenecks"], scenario);
    for (const auto& item : root["background"].Items(BACKGROUND))
    {
        scenario.background.push_back(ReadBackground(item, scenario));
        CheckRtt(item["rtt_ms"], GetSourceLinkDelay(scenario, scenario.background.size() - 1));
    }
    return scenario;
}

/**
 * @param error What the JSON parser threw.
 * @return Its message without the parser's own prefix.
 */
std::string
PrintParseError(const json::exception& error)
{
    const std::string message = error.what();
    const auto end = message.find("] ");
    return end == std::string::npos ? message : message.substr(end + 2);
}

} // namespace

Scenario
LoadScenario(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        throw ScenarioError("cannot be read");
    }
    json root;
    try
    {
        root = json::parse(file);
    }
    catch (const json::exception& error)
    {
        throw ScenarioError(PrintParseError(error));
    }
    return ReadScenario(Place(root, ""));
}

ns3::Time
GetBackboneDelay(const Scenario& scenario, std::size_t subflow)
{
    const auto& spec = scenario.subflows[subflow];
    return spec.rtt / 2 - HOST_LINK_DELAY - scenario.bottlenecks[spec.bottleneck].delay -
           ACCESS_LINK_DELAY;
}

ns3::Time
GetSourceLinkDelay(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    const auto rest = spec.rtt / 2 - ACCESS_LINK_DELAY;
    if (spec.enters == Entry::ACCESS)
    {
        return rest;
    }
    const auto& bottleneck = scenario.bottlenecks[scenario.subflows[spec.subflow].bottleneck];
    return rest - bottleneck.delay - GetBackboneDelay(scenario, spec.subflow);
}

} // namespace smartsbd
