// SPDX-License-Identifier: GPL-2.0-only

#include "scenario.h"

#include "path/place.h"
#include "program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

namespace smartsbd
{

namespace
{

using nlohmann::json;

/// scenario.schema.json, which says what a scenario must be; the build makes a literal of it.
constexpr auto SCHEMA =
#include "scenario-schema.inc"
    ;

/// Highest mean rate of web traffic in Mbit/s.
constexpr double WEB_MOST_MBIT_S = 50;

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
 * @param within Limits beside the schema's, in s.
 * @return The time to the nearest nanosecond.
 */
ns3::Time
ReadSeconds(const Place& place, const Range& within = {})
{
    return ns3::NanoSeconds(std::llround(place.Number(within) * 1e9));
}

/**
 * @param place A rate in Mbit/s.
 * @return The rate in bit/s.
 */
uint64_t
ReadRate(const Place& place)
{
    return static_cast<uint64_t>(std::llround(place.Number() * 1e6));
}

/**
 * @param place A start time in s.
 * @param duration Simulated time.
 * @return The start time, before the end of the simulation.
 */
ns3::Time
ReadStart(const Place& place, ns3::Time duration)
{
    return ReadSeconds(place, {.high = duration.GetSeconds(), .highIncluded = false});
}

/**
 * @param place A list of pairs of a time in s and a value.
 * @param duration Simulated time.
 * @param readValue Reads a value from its place.
 * @return The values over time; the first time may be any.
 */
template <class Reader>
auto
ReadChanges(const Place& place, ns3::Time duration, Reader readValue)
{
    Schedule<decltype(readValue(place))> schedule;
    for (const auto& item : place.Items())
    {
        const auto pair = item.Items();
        const auto from = ReadStart(pair[0], duration);
        if (!schedule.empty() && from <= schedule.back().from)
        {
            pair[0].Fail(pair[0].Print() + " is not after the time before it");
        }
        schedule.push_back({from, readValue(pair[1])});
    }
    return schedule;
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
    const auto schedule = ReadChanges(place, duration, readValue);
    if (!schedule.front().from.IsZero())
    {
        place.Items()[0].Items()[0].Fail("the first time is not 0");
    }
    return schedule;
}

/**
 * @param place A delay in ms.
 * @return The delay.
 */
ns3::Time
ReadDelay(const Place& place)
{
    return FromMilliseconds(place.Number());
}

/**
 * @param place A probability.
 * @return The probability.
 */
double
ReadProbability(const Place& place)
{
    return place.Number();
}

/**
 * @param place The member "application" of the connection.
 * @return The application.
 */
ApplicationSpec
ReadApplication(const Place& place)
{
    ApplicationSpec application;
    application.kind = place.Kind<ApplicationKind>(
        {{"on_off", ApplicationKind::ON_OFF},
         {"rate", ApplicationKind::RATE},
         {"transfer", ApplicationKind::SIZE}});
    const auto source = place.OfItsKind();
    if (application.kind == ApplicationKind::ON_OFF)
    {
        application.on = ReadSeconds(source["on_s"]);
        application.off = ReadSeconds(source["off_s"]);
    }
    else if (application.kind == ApplicationKind::RATE)
    {
        application.rate = ReadRate(source["rate_mbit_s"]);
    }
    else
    {
        application.bytes = source["bytes"].Integer();
    }
    return application;
}

/**
 * @param place The member "meta_queue" of a connection.
 * @return What the connection does with segments already sent.
 */
MetaQueueSpec
ReadMetaQueue(const Place& place)
{
    place.CheckKeys();
    return MetaQueueSpec{place["reinject"].Boolean(),
                         place["opportunistic"].Boolean(),
                         place["penalise"].Boolean(),
                         place["half_window"].Boolean()};
}

/**
 * @param place The member "connection".
 * @return The controller of its subflows.
 */
Chosen<ControllerKind>
ReadController(const Place& place)
{
    const auto named = place["congestion_control"];
    auto chosen = ReadChosen(named, GetControllers());
    if (place.Has("lia_counts"))
    {
        const auto counts = place["lia_counts"];
        const auto value = counts.Name();
        if (named.Has("name"))
        {
            counts.Fail("congestion_control has parameters of its own");
        }
        if (chosen.kind->name == "lia")
        {
            chosen.values.Set("counts", value);
        }
    }
    return chosen;
}

/**
 * @param place The member "verdicts" of the connection.
 * @return What decides on the groups of its subflows.
 */
Chosen<VerdictKind>
ReadVerdicts(const Place& place)
{
    return ReadChosen(place, GetProgram().verdicts);
}

/**
 * @param place The member "connection".
 * @return The connection.
 */
ConnectionSpec
ReadConnection(const Place& place)
{
    place.CheckKeys();
    ConnectionSpec connection{
        place["token"].Text(),
        ReadController(place),
        ReadChosen(place["scheduler"], GetSchedulers()),
        place["mss_bytes"].Integer(),
        place["receive_buffer_bytes"].Integer(),
        place["ecn"].Boolean(),
        FromMilliseconds(place["host_delay_us"].Number() / 1000),
        place.Has("application") ? ReadApplication(place["application"]) : ApplicationSpec{},
        place.Has("meta_queue") ? ReadMetaQueue(place["meta_queue"]) : MetaQueueSpec{},
        place.Has("delivery_details") && place["delivery_details"].Boolean(),
        place.Has("verdicts") ? std::optional(ReadVerdicts(place["verdicts"])) : std::nullopt,
        {},
    };
    if (place.Has("segments_per_ack"))
    {
        connection.segmentsPerAck = place["segments_per_ack"].Integer();
    }
    return connection;
}

/**
 * @param place The member "opportunities_ms" of a link.
 * @return When the link's line sends.
 */
std::shared_ptr<const Opportunities>
ReadOpportunities(const Place& place)
{
    std::vector<uint32_t> moments;
    for (const auto& item : place.Items())
    {
        const auto moment = item.Integer();
        if (!moments.empty() && moment < moments.back())
        {
            item.Fail(item.Print() + " is before the one before it");
        }
        moments.push_back(moment);
    }
    if (moments.back() == 0)
    {
        place.Fail("the last is at 0, so the trace takes no time");
    }
    return std::make_shared<const Opportunities>(std::move(moments));
}

/**
 * @param place The member "rate_mbit_s" of a link whose line sends at given moments.
 * @param opportunities The moments.
 */
void
CheckMeanRate(const Place& place, const Opportunities& opportunities)
{
    constexpr double ROUNDED = 0.01;
    const auto mean = opportunities.GetMean();
    const auto changes = place.Items();
    const auto rate = changes[0].Items()[1].Number();
    if (changes.size() != 1 || std::abs(rate - mean) > ROUNDED * mean)
    {
        place.Fail("opportunities_ms carry " + json(mean).dump() + " Mbit/s in the mean");
    }
}

/**
 * @param place The member "queue_discipline" of a link.
 * @param link The rest of the link.
 * @return The discipline.
 */
Discipline
ReadDiscipline(const Place& place, const LinkSpec& link)
{
    const auto discipline = place.Choice<Discipline>({{"red", Discipline::RED},
                                                      {"codel", Discipline::CODEL},
                                                      {"fq_codel", Discipline::FQ_CODEL},
                                                      {"policer", Discipline::POLICER}});
    if (link.mark || link.opportunities)
    {
        place.Fail("a link that marks or sends at given moments is drop-tail");
    }
    return discipline;
}

/**
 * @param place The member "back" of a link.
 * @return The ACK direction of the link.
 */
BackSpec
ReadBack(const Place& place)
{
    place.CheckKeys();
    return BackSpec{ReadRate(place["rate_mbit_s"]), place["queue_bytes"].Integer()};
}

/**
 * @param place An item of "links".
 * @param duration Simulated time.
 * @return The link.
 */
LinkSpec
ReadLink(const Place& place, ns3::Time duration)
{
    place.CheckKeys();
    const auto mark = place["mark_bytes"];
    LinkSpec link{
        place["place"].Choice<LinkPlace>(
            {{"server", LinkPlace::SERVER}, {"client", LinkPlace::CLIENT}}),
        ReadSchedule(place["rate_mbit_s"], duration, ReadRate),
        FromMilliseconds(place["delay_ms"].Number()),
        place["queue_bytes"].Integer(),
        mark.IsNull() ? std::nullopt : std::optional(mark.Integer()),
        nullptr,
    };
    if (place.Has("opportunities_ms"))
    {
        link.opportunities = ReadOpportunities(place["opportunities_ms"]);
        CheckMeanRate(place["rate_mbit_s"], *link.opportunities);
    }
    if (place.Has("queue_discipline"))
    {
        link.discipline = ReadDiscipline(place["queue_discipline"], link);
    }
    if (place.Has("back"))
    {
        link.back = ReadBack(place["back"]);
    }
    return link;
}

/**
 * @param place The member "burst_packets" of an access link.
 * @param access Where the limits go.
 */
void
ReadBurst(const Place& place, AccessSpec& access)
{
    const auto limits = place.Items();
    access.burstLow = limits[0].Integer();
    access.burstHigh = limits[1].Integer();
    if (access.burstHigh < access.burstLow)
    {
        limits[1].Fail(limits[1].Print() + " is less than the lower limit");
    }
}

/**
 * @param place The member "rate_mbit_s" of an 802.11n link: that of an OFDM mode.
 */
void
CheckMode(const Place& place)
{
    constexpr std::array<double, 8> MODES{6, 9, 12, 18, 24, 36, 48, 54};
    if (std::find(MODES.begin(), MODES.end(), place.Number()) == MODES.end())
    {
        place.Fail(place.Print() + " is no rate of OFDM");
    }
}

/**
 * @param place The member "access" of a subflow.
 * @param duration Simulated time.
 * @return The access link.
 */
AccessSpec
ReadAccess(const Place& place, ns3::Time duration)
{
    AccessSpec access{};
    access.kind = place.Kind<AccessKind>({{"plain", AccessKind::PLAIN},
                                          {"wifi", AccessKind::WIFI},
                                          {"lte", AccessKind::LTE},
                                          {"802.11n", AccessKind::RADIO}});
    const auto link = place.OfItsKind();
    access.rate = ReadRate(link["rate_mbit_s"]);
    access.queue = link["queue_bytes"].Integer();
    access.loss = link["loss"].Number();
    if (link.Has("loss_changes"))
    {
        access.lossChanges = ReadChanges(link["loss_changes"], duration, ReadProbability);
    }
    access.jitter = FromMilliseconds(link["jitter_ms"].Number());
    if (access.kind == AccessKind::WIFI)
    {
        ReadBurst(link["burst_packets"], access);
    }
    if (access.kind == AccessKind::LTE)
    {
        access.rateSigma = link["rate_sigma"].Number();
        access.rateStep = FromMilliseconds(link["rate_step_ms"].Number());
    }
    if (access.kind == AccessKind::RADIO)
    {
        if (!GetProgram().makeRadio)
        {
            link["kind"].Fail(GetProgram().name + " has no 802.11n, smartsbd-radio has");
        }
        CheckMode(link["rate_mbit_s"]);
        access.distance = link["distance_m"].Number();
        access.speed = link["speed_m_s"].Number();
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
    for (const auto& item : place.Items())
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
 * @param place A subflow of any connection.
 * @param scenario What has been read so far.
 * @param subflow Where its times, its access link and its group go; its links are there.
 */
void
ReadPath(const Place& place, const Scenario& scenario, SubflowSpec& subflow)
{
    subflow.start = ReadStart(place["start_s"], scenario.duration);
    subflow.rtt = FromMilliseconds(place["rtt_ms"].Number());
    CheckRtt(place["rtt_ms"], GetBackboneDelay(scenario, subflow));
    subflow.access = ReadAccess(place["access"], scenario.duration);
    subflow.group = place.Has("group") ? place["group"].Integer() : 0;
    if (place.Has("delay_changes_ms"))
    {
        subflow.delayChanges =
            ReadChanges(place["delay_changes_ms"], scenario.duration, ReadDelay);
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
    place.CheckKeys();
    SubflowSpec subflow;
    subflow.path = place["path"].Text();
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
    ReadPath(place, scenario, subflow);
    if (place.Has("group") && scenario.connection.verdicts)
    {
        place["group"].Fail("the connection's verdicts decide on groups");
    }
    return subflow;
}

/**
 * @param place The member "stop_s" of what begins at some time.
 * @param duration Simulated time.
 * @param start When it begins.
 * @return When it falls silent.
 */
ns3::Time
ReadStop(const Place& place, ns3::Time duration, ns3::Time start)
{
    const auto stop = ReadStart(place, duration);
    if (stop <= start)
    {
        place.Fail(place.Print() + " is not after start_s");
    }
    return stop;
}

/**
 * @param place An item of "further_connections".
 * @param scenario What has been read so far.
 * @return The connection.
 */
FurtherSpec
ReadFurther(const Place& place, const Scenario& scenario)
{
    place.CheckKeys();
    FurtherSpec further{scenario.connection, {}, std::nullopt};
    further.connection.token.clear();
    further.connection.congestionControl = ReadController(place);
    further.connection.scheduler = ReadChosen(place["scheduler"], GetSchedulers());
    further.connection.application =
        place.Has("application") ? ReadApplication(place["application"]) : ApplicationSpec{};
    further.connection.verdicts.reset();
    auto start = scenario.duration;
    for (const auto& item : place["subflows"].Items())
    {
        item.CheckKeys();
        SubflowSpec subflow;
        ReadLinksOfSubflow(item["links"], scenario, subflow);
        ReadPath(item, scenario, subflow);
        start = std::min(start, subflow.start);
        further.subflows.push_back(subflow);
    }
    if (place.Has("stop_s"))
    {
        further.stop = ReadStop(place["stop_s"], scenario.duration, start);
    }
    return further;
}

/**
 * @param place The member "rate_mbit_s" of a background flow.
 * @param kind Kind of the flow.
 * @return The rate in bit/s, or none for a bulk transfer.
 */
std::optional<uint64_t>
ReadBackgroundRate(const Place& place, BackgroundKind kind)
{
    const bool sized = kind == BackgroundKind::CBR || kind == BackgroundKind::WEB;
    if (!sized && place.IsNull())
    {
        return std::nullopt;
    }
    if (kind == BackgroundKind::WEB)
    {
        place.Number({.high = WEB_MOST_MBIT_S});
    }
    return ReadRate(place);
}

/**
 * @param place An item of "background".
 * @param flow Where the means of its periods go.
 */
void
ReadPeriods(const Place& place, BackgroundSpec& flow)
{
    const bool both = place.Has("on_s") && place.Has("off_s");
    for (const auto* key : {"on_s", "off_s"})
    {
        if (place.Has(key) && (!both || flow.kind != BackgroundKind::CBR))
        {
            place[key].Number();
            place[key].Fail("on_s and off_s go together, and with cbr");
        }
    }
    if (both)
    {
        flow.on = ReadSeconds(place["on_s"]);
        flow.off = ReadSeconds(place["off_s"]);
    }
}

/**
 * @param subflow A subflow.
 * @param enters Where a flow joins its path.
 * @return Index of the shaped link that is next there, or none.
 */
std::optional<std::size_t>
GetNextLink(const SubflowSpec& subflow, Entry enters)
{
    return enters == Entry::SERVER   ? subflow.serverLink
           : enters == Entry::CLIENT ? subflow.clientLink
                                     : std::nullopt;
}

/**
 * @param place The member "leaves" of a background flow.
 * @param scenario What has been read so far.
 * @param flow The flow.
 */
void
CheckOnlyLink(const Place& place, const Scenario& scenario, const BackgroundSpec& flow)
{
    if (!GetNextLink(scenario.subflows[flow.subflow], flow.enters))
    {
        place.Fail("the subflow has no shaped link where the flow enters");
    }
}

/**
 * @param place An item of "background".
 * @param scenario What has been read so far.
 * @return The background flow.
 */
BackgroundSpec
ReadBackground(const Place& place, const Scenario& scenario)
{
    place.CheckKeys();
    const auto kind = place["kind"].Choice<BackgroundKind>({{"reno", BackgroundKind::RENO},
                                                            {"cubic", BackgroundKind::CUBIC},
                                                            {"bbr", BackgroundKind::BBR},
                                                            {"vegas", BackgroundKind::VEGAS},
                                                            {"cbr", BackgroundKind::CBR},
                                                            {"web", BackgroundKind::WEB}});
    BackgroundSpec flow{
        kind,
        place["subflow"].Index(scenario.subflows.size()),
        place["enters"].Choice<Entry>(
            {{"server", Entry::SERVER}, {"client", Entry::CLIENT}, {"access", Entry::ACCESS}}),
        ReadBackgroundRate(place["rate_mbit_s"], kind),
        ReadStart(place["start_s"], scenario.duration),
        FromMilliseconds(place["rtt_ms"].Number()),
        std::nullopt,
        std::nullopt,
        ns3::Time(),
        place.Has("leaves"),
    };
    if (place.Has("stop_s"))
    {
        flow.stop = ReadStop(place["stop_s"], scenario.duration, flow.start);
    }
    ReadPeriods(place, flow);
    if (flow.leaves)
    {
        place["leaves"].Name();
        CheckOnlyLink(place["leaves"], scenario, flow);
    }
    flow.back = place.Has("direction");
    if (flow.back)
    {
        place["direction"].Name();
        if (!flow.leaves)
        {
            place["direction"].Fail("only a flow that leaves can go back");
        }
    }
    return flow;
}

/**
 * @param place The member "links".
 * @param scenario The scenario, with all subflows.
 */
void
CheckLinksUsed(const Place& place, const Scenario& scenario)
{
    const auto items = place.Items();
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const auto isUsed = [i](const std::vector<SubflowSpec>& subflows) {
            return std::any_of(subflows.begin(), subflows.end(), [i](const auto& subflow) {
                return subflow.serverLink == i || subflow.clientLink == i;
            });
        };
        if (!isUsed(scenario.subflows) &&
            std::none_of(scenario.further.begin(),
                         scenario.further.end(),
                         [&](const auto& further) { return isUsed(further.subflows); }))
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
    root.CheckKeys();
    Scenario scenario;
    scenario.seed = root["seed"].Integer();
    scenario.duration = ReadSeconds(root["duration_s"]);
    scenario.connection = ReadConnection(root["connection"]);
    for (const auto& item : root["links"].Items())
    {
        scenario.links.push_back(ReadLink(item, scenario.duration));
    }
    for (const auto& item : root["subflows"].Items())
    {
        scenario.subflows.push_back(ReadSubflow(item, scenario));
    }
    if (root.Has("further_connections"))
    {
        for (const auto& item : root["further_connections"].Items())
        {
            scenario.further.push_back(ReadFurther(item, scenario));
        }
    }
    CheckLinksUsed(root["links"], scenario);
    for (const auto& item : root["background"].Items())
    {
        scenario.background.push_back(ReadBackground(item, scenario));
        CheckRtt(item["rtt_ms"], GetSourceLinkDelay(scenario, scenario.background.size() - 1));
    }
    if (root.Has("series_s"))
    {
        scenario.seriesStep = ReadSeconds(root["series_s"]);
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
 * @return The beginning of its message without the parser's own prefix, in ASCII: it repeats what
 *         the file has there, of any length, which a terminal might obey.
 */
std::string
PrintParseError(const json::exception& error)
{
    constexpr std::size_t MOST_BYTES = 160;
    std::string message = error.what();
    const auto end = message.find("] ");
    message.erase(0, end == std::string::npos ? 0 : end + 2);
    std::string text;
    for (const char letter : message.substr(0, MOST_BYTES))
    {
        char code[5];
        std::snprintf(code, sizeof(code), "\\x%02x", static_cast<unsigned char>(letter));
        text += letter >= ' ' && letter <= '~' ? std::string(1, letter) : code;
    }
    return message.size() <= MOST_BYTES ? text : text + "...";
}

} // namespace

Scenario
LoadScenario(const std::string& path)
{
    // A pipe might never end, or never begin.
    if (std::error_code error; std::filesystem::exists(path, error) &&
                               !std::filesystem::is_regular_file(path, error))
    {
        throw ScenarioError("is no regular file");
    }
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
    static const auto schema = json::parse(SCHEMA);
    return ReadScenario(Place(root, schema));
}

ns3::Time
GetBackboneDelay(const Scenario& scenario, const SubflowSpec& subflow)
{
    return subflow.rtt / 2 - HOST_LINK_DELAY - GetLinkDelay(scenario, subflow.serverLink) -
           GetLinkDelay(scenario, subflow.clientLink) - ACCESS_LINK_DELAY;
}

ns3::Time
GetSourceLinkDelay(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    const auto& subflow = scenario.subflows[spec.subflow];
    if (spec.leaves)
    {
        return spec.rtt / 2 - GetLinkDelay(scenario, GetOnlyLink(scenario, flow));
    }
    auto delay = spec.rtt / 2 - ACCESS_LINK_DELAY;
    if (spec.enters != Entry::ACCESS)
    {
        delay -= GetLinkDelay(scenario, subflow.clientLink);
    }
    if (spec.enters == Entry::SERVER)
    {
        delay -= GetLinkDelay(scenario, subflow.serverLink);
        delay -= GetBackboneDelay(scenario, subflow);
    }
    return delay;
}

std::optional<std::size_t>
GetOnlyLink(const Scenario& scenario, std::size_t flow)
{
    const auto& spec = scenario.background[flow];
    return GetNextLink(scenario.subflows[spec.subflow], spec.enters);
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
