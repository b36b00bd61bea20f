// SPDX-License-Identifier: GPL-2.0-only

#include "scenario.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

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
// With MPTCP options (24 bytes on data) a packet still fits into 1500 bytes.
constexpr Range MSS_BYTES{536, 1436};
constexpr Range RECEIVE_BUFFER_BYTES{1 << 14, 1 << 28};
constexpr Range HOST_DELAY_US{0, 100000};
constexpr Range PERIOD_S{0, 3600, false};
constexpr Range MARK_BYTES{0, 1e9};
constexpr Range BURST_PACKETS{1, 64};
constexpr Range RATE_SIGMA{0, 1};
constexpr Range RATE_STEP_MS{1, 10000};
constexpr Range WEB_RATE_MBIT_S{0.01, 50};
constexpr Range PAIR{2, 2};
constexpr Range SUBFLOWS{2, 5};
constexpr Range LINKS{1, 10};
constexpr Range LINKS_OF_SUBFLOW{1, 2};
constexpr Range CHANGES{1, 100};
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
    void CheckKeys(const std::vector<std::string_view>& keys) const
    {
        CheckObject();
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
            Require(key);
        }
    }

    /**
     * Check that this is an object with a key.
     *
     * @param key The key.
     * @return The member.
     */
    Place Require(std::string_view key) const
    {
        CheckObject();
        if (!m_value.contains(key))
        {
            Place(m_value, m_pointer + "/" + std::string(key)).Fail("missing");
        }
        return (*this)[key];
    }

    /**
     * @param key The key.
     * @return Whether this is an object with that key.
     */
    bool Has(std::string_view key) const
    {
        return m_value.is_object() && m_value.contains(key);
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

    /// @return The truth value.
    bool Boolean() const
    {
        if (!m_value.is_boolean())
        {
            Fail(Print() + " is not true or false");
        }
        return m_value.get<bool>();
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
    /// Check that this is an object.
    void CheckObject() const
    {
        if (!m_value.is_object())
        {
            Fail(Print() + " is not an object");
        }
    }

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

/// The names a scenario can choose from and what each means.
template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

/**
 * @param place A name.
 * @param choices The names allowed there.
 * @return What the name means.
 */
template <class T>
T
ReadChoice(const Place& place, const Choices<T>& choices)
{
    const auto name = place.Text();
    std::string allowed;
    for (const auto& [text, value] : choices)
    {
        if (name == text)
        {
            return value;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(text);
    }
    place.Fail(place.Print() + " is not one of " + allowed);
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
 * @param place A list of pairs of a time in s and a value.
 * @param duration Simulated time.
 * @param readValue Reads a value from its place.
 * @return The schedule.
 */
template <class Reader>
auto
ReadSchedule(const Place& place, ns3::Time duration, Reader readValue)
{
    Schedule<decltype(readValue(place))> schedule;
    for (const auto& item : place.Items(CHANGES))
    {
        const auto pair = item.Items(PAIR);
        const auto from = ReadStart(pair[0], duration);
        if (schedule.empty() && !from.IsZero())
        {
            pair[0].Fail("the first time is not 0");
        }
        if (!schedule.empty() && from <= schedule.back().from)
        {
            pair[0].Fail(pair[0].Print() + " is not after the time before it");
        }
        schedule.push_back({from, readValue(pair[1])});
    }
    return schedule;
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
 * @param place The member "application" of the connection.
 * @return The application.
 */
ApplicationSpec
ReadApplication(const Place& place)
{
    ApplicationSpec application;
    application.kind = ReadChoice(
        place.Require("kind"),
        Choices<ApplicationKind>{{"on_off", ApplicationKind::ON_OFF},
                                 {"rate", ApplicationKind::RATE}});
    if (application.kind == ApplicationKind::ON_OFF)
    {
        place.CheckKeys({"kind", "on_s", "off_s"});
        application.on = ReadSeconds(place["on_s"], PERIOD_S);
        application.off = ReadSeconds(place["off_s"], PERIOD_S);
    }
    else
    {
        place.CheckKeys({"kind", "rate_mbit_s"});
        application.rate = ReadRate(place["rate_mbit_s"]);
    }
    return application;
}

/**
 * @param place The member "connection".
 * @return The connection.
 */
ConnectionSpec
ReadConnection(const Place& place)
{
    std::vector<std::string_view> keys{"token",
                                       "congestion_control",
                                       "lia_counts",
                                       "scheduler",
                                       "mss_bytes",
                                       "receive_buffer_bytes",
                                       "ecn",
                                       "host_delay_us"};
    const bool hasApplication = place.Has("application");
    if (hasApplication)
    {
        keys.emplace_back("application");
    }
    place.CheckKeys(keys);
    return ConnectionSpec{
        ReadToken(place["token"]),
        ReadChoice(place["congestion_control"],
                   Choices<CongestionControl>{{"lia", CongestionControl::LIA},
                                              {"reno", CongestionControl::RENO},
                                              {"cubic", CongestionControl::CUBIC}}),
        ReadChoice(
            place["lia_counts"],
            Choices<LiaCounts>{{"packets", LiaCounts::PACKETS}, {"acks", LiaCounts::ACKS}}),
        ReadChoice(place["scheduler"],
                   Choices<Scheduler>{{"min_rtt", Scheduler::MIN_RTT},
                                      {"round_robin", Scheduler::ROUND_ROBIN}}),
        place["mss_bytes"].Integer(MSS_BYTES),
        place["receive_buffer_bytes"].Integer(RECEIVE_BUFFER_BYTES),
        place["ecn"].Boolean(),
        FromMilliseconds(place["host_delay_us"].Number(HOST_DELAY_US) / 1000),
        hasApplication ? ReadApplication(place["application"]) : ApplicationSpec{},
    };
}

/**
 * @param place An item of "links".
 * @param duration Simulated time.
 * @return The link.
 */
LinkSpec
ReadLink(const Place& place, ns3::Time duration)
{
    place.CheckKeys({"place", "rate_mbit_s", "delay_ms", "queue_bytes", "mark_bytes"});
    const auto mark = place["mark_bytes"];
    return LinkSpec{
        ReadChoice(
            place["place"],
            Choices<LinkPlace>{{"server", LinkPlace::SERVER}, {"client", LinkPlace::CLIENT}}),
        ReadSchedule(place["rate_mbit_s"], duration, ReadRate),
        FromMilliseconds(place["delay_ms"].Number(TIME_MS)),
        place["queue_bytes"].Integer(QUEUE_BYTES),
        mark.IsNull() ? std::nullopt : std::optional(mark.Integer(MARK_BYTES)),
    };
}

/**
 * @param place The member "burst_packets" of an access link.
 * @param access Where the limits go.
 */
void
ReadBurst(const Place& place, AccessSpec& access)
{
    const auto limits = place.Items(PAIR);
    access.burstLow = limits[0].Integer(BURST_PACKETS);
    access.burstHigh = limits[1].Integer(BURST_PACKETS);
    if (access.burstHigh < access.burstLow)
    {
        limits[1].Fail(limits[1].Print() + " is less than the lower limit");
    }
}

/**
 * @param place The member "access" of a subflow.
 * @return The access link.
 */
AccessSpec
ReadAccess(const Place& place)
{
    AccessSpec access{};
    access.kind = ReadChoice(place.Require("kind"),
                             Choices<AccessKind>{{"plain", AccessKind::PLAIN},
                                                 {"wifi", AccessKind::WIFI},
                                                 {"lte", AccessKind::LTE}});
    std::vector<std::string_view> keys{"kind", "rate_mbit_s", "queue_bytes", "loss", "jitter_ms"};
    if (access.kind == AccessKind::WIFI)
    {
        keys.emplace_back("burst_packets");
    }
    if (access.kind == AccessKind::LTE)
    {
        keys.insert(keys.end(), {"rate_sigma", "rate_step_ms"});
    }
    place.CheckKeys(keys);
    access.rate = ReadRate(place["rate_mbit_s"]);
    access.queue = place["queue_bytes"].Integer(QUEUE_BYTES);
    access.loss = place["loss"].Number(LOSS);
    access.jitter = FromMilliseconds(place["jitter_ms"].Number(JITTER_MS));
    if (access.kind == AccessKind::WIFI)
    {
        ReadBurst(place["burst_packets"], access);
    }
    if (access.kind == AccessKind::LTE)
    {
        access.rateSigma = place["rate_sigma"].Number(RATE_SIGMA);
        access.rateStep = FromMilliseconds(place["rate_step_ms"].Number(RATE_STEP_MS));
    }
    return access;
}

/**
 * @param place The member "links" of a subflow.
 * @param scenario What has been read so far.
 * @param subflow Where the links go.
 */
void
ReadLinksOfSubflow(const Place& place, const Scenario& scenario, SubflowSpec& subflow)
{
    for (const auto& item : place.Items(LINKS_OF_SUBFLOW))
    {
        const auto index = item.Index(scenario.links.size());
        const bool server = scenario.links[index].place == LinkPlace::SERVER;
        if (subflow.clientLink)
        {
            item.Fail(server ? "a server link after a client link" : "a second client link");
        }
        if (server && subflow.serverLink)
        {
            item.Fail("a second server link");
        }
        (server ? subflow.serverLink : subflow.clientLink) = index;
    }
}

/**
 * @param place An item of "subflows".
 * @param scenario What has been read so far.
 * @return The subflow.
 */
SubflowSpec
ReadSubflow(const Place& place, const Scenario& scenario)
{
    place.CheckKeys({"path", "links", "bottleneck", "start_s", "rtt_ms", "access"});
    SubflowSpec subflow;
    subflow.path = ReadPath(place["path"]);
    ReadLinksOfSubflow(place["links"], scenario, subflow);
    const auto readBottleneck = [&](const Place& item) {
        const auto index = item.Index(scenario.links.size());
        if (index != subflow.serverLink && index != subflow.clientLink)
        {
            item.Fail(item.Print() + " is not among the links of the subflow");
        }
        return index;
    };
    subflow.bottleneck = ReadSchedule(place["bottleneck"], scenario.duration, readBottleneck);
    subflow.start = ReadStart(place["start_s"], scenario.duration);
    subflow.rtt = FromMilliseconds(place["rtt_ms"].Number(RTT_MS));
    subflow.access = ReadAccess(place["access"]);
    return subflow;
}

/**
 * @param place The member "rate_mbit_s" of a background flow.
 * @param kind Kind of the flow.
 * @return The rate in bit/s, or none for a bulk transfer.
 */
std::optional<uint64_t>
ReadBackgroundRate(const Place& place, BackgroundKind kind)
{
    const bool tcp = kind == BackgroundKind::RENO || kind == BackgroundKind::CUBIC;
    if (tcp && place.IsNull())
    {
        return std::nullopt;
    }
    if (kind == BackgroundKind::WEB)
    {
        place.Number(WEB_RATE_MBIT_S);
    }
    return ReadRate(place);
}

/**
 * @param place An item of "background".
 * @param scenario What has been read so far.
 * @return The background flow.
 */
BackgroundSpec
ReadBackground(const Place& place, const Scenario& scenario)
{
    place.CheckKeys({"kind", "subflow", "enters", "rate_mbit_s", "start_s", "rtt_ms"});
    const auto kind = ReadChoice(place["kind"],
                                 Choices<BackgroundKind>{{"reno", BackgroundKind::RENO},
                                                         {"cubic", BackgroundKind::CUBIC},
                                                         {"cbr", BackgroundKind::CBR},
                                                         {"web", BackgroundKind::WEB}});
    return BackgroundSpec{
        kind,
        place["subflow"].Index(scenario.subflows.size()),
        ReadChoice(place["enters"],
                   Choices<Entry>{{"server", Entry::SERVER},
                                  {"client", Entry::CLIENT},
                                  {"access", Entry::ACCESS}}),
        ReadBackgroundRate(place["rate_mbit_s"], kind),
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
 * @param place The member "links".
 * @param scenario The scenario, with its subflows.
 */
void
CheckLinksUsed(const Place& place, const Scenario& scenario)
{
    const auto items = place.Items(LINKS);
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const auto uses = [i](const SubflowSpec& subflow) {
            return subflow.serverLink == i || subflow.clientLink == i;
        };
        if (std::none_of(scenario.subflows.begin(), scenario.subflows.end(), uses))
        {
            items[i].Fail("no subflow crosses this link");
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
    root.CheckKeys({"seed", "duration_s", "connection", "links", "subflows", "background"});
    Scenario scenario;
    scenario.seed = root["seed"].Integer(SEED);
    scenario.duration = ReadSeconds(root["duration_s"], DURATION_S);
    scenario.connection = ReadConnection(root["connection"]);
    for (const auto& item : root["links"].Items(LINKS))
    {
        scenario.links.push_back(ReadLink(item, scenario.duration));
    }
    for (const auto& item : root["subflows"].Items(SUBFLOWS))
    {
        scenario.subflows.push_back(ReadSubflow(item, scenario));
        CheckRtt(item["rtt_ms"], GetBackboneDelay(scenario, scenario.subflows.size() - 1));
    }
    CheckLinksUsed(root["links"], scenario);
    for (const auto& item : root["background"].Items(BACKGROUND))
    {
        scenario.background.push_back(ReadBackground(item, scenario));
        CheckRtt(item["rtt_ms"], GetSourceLinkDelay(scenario, scenario.background.size() - 1));
    }
    return scenario;
}

/**
 * @param scenario The scenario.
 * @param link Index of a link, or none.
 * @return Its one way delay; zero for none.
 */
ns3::Time
GetLinkDelay(const Scenario& scenario, std::optional<std::size_t> link)
{
    return link ? scenario.links[*link].delay : ns3::Time();
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
    return spec.rtt / 2 - HOST_LINK_DELAY - GetLinkDelay(scenario, spec.serverLink) -
           GetLinkDelay(scenario, spec.clientLink) - ACCESS_LINK_DELAY;
}

ns3::Time
GetSourceLinkDelay(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    const auto& subflow = scenario.subflows[spec.subflow];
    auto delay = spec.rtt / 2 - ACCESS_LINK_DELAY;
    if (spec.enters != Entry::ACCESS)
    {
        delay -= GetLinkDelay(scenario, subflow.clientLink);
    }
    if (spec.enters == Entry::SERVER)
    {
        delay -= GetLinkDelay(scenario, subflow.serverLink);
        delay -= GetBackboneDelay(scenario, spec.subflow);
    }
    return delay;
}

std::vector<ns3::Time>
GetPhases(const Scenario& scenario)
{
    std::set<ns3::Time> times;
    for (const auto& link : scenario.links)
    {
        for (const auto& change : link.rate)
        {
            times.insert(change.from);
        }
    }
    for (const auto& subflow : scenario.subflows)
    {
        for (const auto& change : subflow.bottleneck)
        {
            times.insert(change.from);
        }
    }
    return {times.begin(), times.end()};
}

} // namespace smartsbd
