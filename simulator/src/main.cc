// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * One MPTCP connection over shared or separate bottlenecks, and others beside it.
 *
 * Network of two subflows (all links are full duplex). Subflow 0 crosses server link 0 and client
 * link 1; subflow 1 crosses server link 0 only:
 *
 *          background enters "server"    background enters "client"   background enters "access"
 *                 |                                |                            |
 *   +------- /---------\          /--------\ -- /---------\ ==== /--------\ - /--------\ ~~~~~ +
 *   |  host  | ingress | ======== | egress |    | ingress | link | egress |   | access |       |
 *  server    |    0    |  server  |   0    |    |    1    |  1   |   1    |   | node 0 |   client
 *   |        \---------/  link 0  \--------/    \---------/      \--------/   \--------/       |
 *   |             |                   |                                       /--------\       |
 *   +-------------+                   +-------------------------------------- | access | ~~~~~ +
 *                                                                             | node 1 |
 *                                                                             \--------/
 *     host links       server link         backbones       client link    tail        access links
 *
 * A background flow ends at the client, or leaves behind the first link's egress router for a host
 * of its own; one that leaves may go the other way. A further MPTCP connection has a server and a
 * client of its own, with host links, backbones, tails and access links of its own, and crosses the
 * same shaped links.
 *
 * Subflows that name the same link share it. Each link has its own ingress and egress router; a
 * path without a server link has one plain router instead, and on a path without a client link
 * "client" and "access" are the same place. The server has one interface per subflow, and so has
 * the client.
 *
 *   link        | rate           | delay                     | queue         | else
 *   host        | 1 Gbit/s       | 0.1 ms                    | 16 MB         | host delay
 *   link        | the scenario's | the scenario's            | the scenario's| ECN marks
 *   backbone    | 1 Gbit/s       | rest of the base RTT      | 16 MB         |
 *   tail        | 1 Gbit/s       | none                      | 16 MB         |
 *   access      | the scenario's | 0.1 ms                    | the scenario's| loss, jitter, bursts
 *   background  | 1 Gbit/s       | rest of the flow's RTT    | 16 MB         | host delay
 *
 * Queues are drop-tail and count bytes; a shaped link may have another queue discipline. Rates and
 * queues hold in the data direction (left to right); the other direction has 1 Gbit/s and 16 MB, so
 * ACKs never queue behind each other, unless a shaped link says what that direction has. Losses
 * hit both directions of an access link. Only the hosts
 * are ns-3 nodes; each direction of a link is a Port, and routers are the ports that leave them.
 *
 * Options:
 *   --scenario=FILE  the scenario to run (scenario.schema.json describes it)
 *   --events=FILE    the sender's event lines go here
 *   --truth=FILE     the ground truth goes here
 *   --pcap=DIR       packets get MPTCP options, and what passes the interfaces of the server and
 *                    of the client goes to sender.<subflow>.pcap and receiver.<subflow>.pcap in
 *                    this directory, which must exist
 *   --verdicts=FILE  if the scenario has a source of verdicts: groups and verdicts go here, by time
 *   --cost           the time that signals and decisions take goes there too
 *   --model=FILE     the model of the source of verdicts "file"
 *   --agent=FILE     the agent of controllers that need one; -: it is asked over standard output
 *                    and answers over standard input, line by line
 *   --answer         print what the agent answers to the states of standard input, a line each,
 *                    and stop
 *   --version        print the version and a hash of the sources, and stop
 *   --list           print all controllers, schedulers and sources of verdicts with their
 *                    parameters, as JSON, and stop
 *
 * Exit status: 0, or 2 for bad options or a bad scenario, or 1 for a failure after that.
 *
 * Expected results: with a scenario in which the intended bottlenecks are the narrowest links,
 * their utilisation in the truth is above 0.8; duplicated_bytes is 0, unless the scheduler or the
 * meta queue sends copies; the last ACK line of each subflow is its acked_bytes. Equal scenarios
 * give equal bytes. Options make packets longer, so a run with --pcap differs from one without.
 */

#include "agents/actor.h"
#include "path/background.h"
#include "controllers/controller-kind.h"
#include "output/event-log.h"
#include "sender/mptcp-connection.h"
#include "output/output-file.h"
#include "output/pcap-recorder.h"
#include "program.h"
#include "scenario.h"
#include "schedulers/scheduler-kind.h"
#include "output/series.h"
#include "path/topology.h"
#include "output/truth.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace smartsbd
{

namespace
{

/// Version of the program.
const std::string VERSION = "0.1.0";

/// Exit status for bad options or a bad scenario.
constexpr int STATUS_USAGE = 2;
/// Exit status for a failure after that.
constexpr int STATUS_FAILURE = 1;

/// Options that cannot be used.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// What the command line asks for.
struct Options
{
    std::string scenario; //!< Name of the scenario file
    std::string events;   //!< Name of the event file
    std::string truth;    //!< Name of the truth file
    std::string pcap;     //!< Directory of the pcap files, or empty
    std::string verdicts; //!< Name of the file of groups and verdicts, or empty
    std::string model;    //!< Name of the model file, or empty
    std::string agent;    //!< Name of the file of the agent, or empty
    bool cost{false};     //!< Whether to measure signals and decisions
    bool version{false};  //!< Whether to print the version only
    bool list{false};     //!< Whether to print what a scenario can choose by name only
    bool answer{false};   //!< Whether to print answers of the agent only
};

/**
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @return The options.
 * @throws UsageError if one is unknown or missing, or two outputs have one name.
 */
Options
ParseOptions(int argc, char* argv[])
{
    Options options;
    const std::map<std::string, std::string*> files{{"--scenario", &options.scenario},
                                                    {"--events", &options.events},
                                                    {"--truth", &options.truth}};
    auto named = files;
    named.emplace("--pcap", &options.pcap);
    named.emplace("--verdicts", &options.verdicts);
    named.emplace("--model", &options.model);
    named.emplace("--agent", &options.agent);
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const auto equals = argument.find('=');
        const auto value = named.find(argument.substr(0, equals));
        if (argument == "--version")
        {
            options.version = true;
        }
        else if (argument == "--list")
        {
            options.list = true;
        }
        else if (argument == "--answer")
        {
            options.answer = true;
        }
        else if (argument == "--cost")
        {
            options.cost = true;
        }
        else if (equals != std::string::npos && value != named.end())
        {
            *value->second = argument.substr(equals + 1);
        }
        else
        {
            throw UsageError("unknown option " + argument);
        }
    }
    const bool runs = !options.version && !options.list && !options.answer;
    for (const auto& [name, value] : files)
    {
        if (runs && value->empty())
        {
            throw UsageError("option " + name + "=FILE is missing");
        }
    }
    if (runs && options.events == options.truth)
    {
        throw UsageError("options --events and --truth name the same file");
    }
    if (runs && (options.verdicts == options.events || options.verdicts == options.truth))
    {
        throw UsageError("option --verdicts names the same file as another");
    }
    if (options.cost && options.verdicts.empty())
    {
        throw UsageError("option --cost needs --verdicts=FILE");
    }
    return options;
}

/**
 * @param options The options.
 * @return The scenario, with its model.
 * @throws ScenarioError if it is not what it must be.
 * @throws UsageError if an option does not suit it.
 */
Scenario
Load(const Options& options)
{
    auto scenario = LoadScenario(options.scenario);
    const auto& verdicts = scenario.connection.verdicts;
    if (!verdicts && !options.verdicts.empty())
    {
        throw UsageError("option --verdicts: the scenario has no source of verdicts");
    }
    const bool takesModel = verdicts && verdicts->kind->takesModel;
    if (takesModel && options.model.empty())
    {
        throw UsageError("option --model=FILE is missing");
    }
    if (!takesModel && !options.model.empty())
    {
        throw UsageError("option --model: no source of verdicts of the scenario takes it");
    }
    scenario.connection.model = options.model;
    std::vector<ConnectionSpec*> connections{&scenario.connection};
    for (auto& further : scenario.further)
    {
        connections.push_back(&further.connection);
    }
    const bool needsAgent =
        std::any_of(connections.begin(), connections.end(), [](const auto* connection) {
            return NeedsAgent(connection->congestionControl);
        });
    if (needsAgent && options.agent.empty())
    {
        throw UsageError("option --agent=FILE is missing");
    }
    if (!needsAgent && !options.agent.empty())
    {
        throw UsageError("option --agent: no controller of the scenario takes it");
    }
    if (needsAgent)
    {
        const auto agent = GetAgent(options.agent);
        for (auto* connection : connections)
        {
            connection->agent = agent;
        }
    }
    return scenario;
}

/**
 * Print what an agent answers to the states of standard input.
 *
 * @param name Name of the file of the agent.
 * @throws AgentError if it cannot be used, or a line is no state.
 */
void
PrintAnswers(const std::string& name)
{
    const auto actor = ReadActor(name);
    std::string line;
    while (std::getline(std::cin, line))
    {
        std::istringstream text(line);
        const std::vector<double> state{std::istream_iterator<double>(text), {}};
        if (!text.eof() || state.size() != actor.GetInputs())
        {
            throw AgentError("a line is no state");
        }
        std::printf("%.17g\n", actor.Answer(state));
    }
}

/**
 * Give all TCP sockets of the simulation the constants of Linux.
 *
 * @param connection The connection, for its segment and buffer sizes.
 */
void
SetTcpDefaults(const ConnectionSpec& connection)
{
    using ns3::Config::SetDefault;
    const auto buffer = std::max<uint32_t>(connection.receiveBuffer, 4 << 20);
    SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(connection.mss));
    SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(10));
    SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(2 * buffer));
    SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(buffer));
    SetDefault("ns3::TcpSocket::DelAckTimeout", ns3::TimeValue(ns3::MilliSeconds(40)));
    SetDefault("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(2));
    SetDefault("ns3::TcpSocket::ConnTimeout", ns3::TimeValue(ns3::Seconds(1)));
    // 60 s in TIME-WAIT, which is two of these.
    SetDefault("ns3::TcpSocketBase::MaxSegLifetime", ns3::DoubleValue(30));
    SetDefault("ns3::TcpSocket::DataRetries", ns3::UintegerValue(15));
    SetDefault("ns3::TcpSocketBase::Sack", ns3::BooleanValue(true));
    SetDefault("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(false));
    // RTO = srtt + max(200 ms, 4 rttvar): Linux has the lower bound on the second term.
    SetDefault("ns3::TcpSocketBase::MinRto", ns3::TimeValue(ns3::MilliSeconds(200)));
    SetDefault("ns3::TcpSocketBase::ClockGranularity", ns3::TimeValue(ns3::MilliSeconds(200)));
}

/**
 * Record the packets of a connection.
 *
 * @param recorder The recorder.
 * @param directory Where the files go.
 * @param topology The network.
 * @param subflows Number of subflows.
 */
void
RecordInterfaces(PcapRecorder& recorder,
                 const std::string& directory,
                 const Topology& topology,
                 std::size_t subflows)
{
    for (std::size_t i = 0; i < subflows; ++i)
    {
        const auto& path = topology.GetEnds().paths[i];
        const auto suffix = "." + std::to_string(i) + ".pcap";
        recorder.Record(path.serverDevice, directory + "/sender" + suffix);
        recorder.Record(path.clientDevice, directory + "/receiver" + suffix);
    }
}

/**
 * Simulate and write all files.
 *
 * @param options The options.
 * @param scenario The scenario.
 */
void
Run(const Options& options, const Scenario& scenario)
{
    OutputFile events(options.events);
    OutputFile truthFile(options.truth);
    std::optional<OutputFile> verdicts;
    if (!options.verdicts.empty())
    {
        verdicts.emplace(options.verdicts);
    }
    ns3::RngSeedManager::SetSeed(scenario.seed);
    ns3::RngSeedManager::SetRun(1);
    // Takes the same order as the default one, a map, and less time.
    ns3::Simulator::SetScheduler(ns3::ObjectFactory("ns3::PriorityQueueScheduler"));
    SetTcpDefaults(scenario.connection);
    EventLog log(events, scenario.connection.token);
    const bool recording = !options.pcap.empty();
    ns3::GlobalValue::Bind("ChecksumEnabled", ns3::BooleanValue(recording));
    const Topology topology(scenario);
    PcapRecorder recorder;
    if (recording)
    {
        RecordInterfaces(recorder, options.pcap, topology, scenario.subflows.size());
    }
    MptcpConnection connection(scenario, topology, log, recording);
    if (options.cost)
    {
        connection.GetCoupling()->MeasureCost();
    }
    const auto sinks = InstallBackground(scenario, topology);
    FurtherConnections further;
    for (std::size_t i = 0; i < scenario.further.size(); ++i)
    {
        const auto& ends = topology.GetFurtherEnds(i);
        further.push_back(
            std::make_unique<MptcpConnection>(scenario.further[i], ends, recording));
    }
    Series series(scenario, connection, sinks, further);
    const Truth truth(scenario, topology, connection, further, series);
    ns3::Simulator::Stop(scenario.duration);
    ns3::Simulator::Run();
    log.Flush();
    series.Finish();
    truthFile.Write(truth.Print(VERSION));
    if (verdicts)
    {
        connection.GetCoupling()->Finish();
        verdicts->Write(connection.GetCoupling()->Print());
    }
    ns3::Simulator::Destroy();
    events.Close();
    truthFile.Close();
    if (verdicts)
    {
        verdicts->Close();
    }
    recorder.Close();
    recorder.Publish();
    events.Publish();
    truthFile.Publish();
    if (verdicts)
    {
        verdicts->Publish();
    }
}

/// @return All that a scenario can choose by name, by the key that chooses it, as JSON text.
std::string
List()
{
    const nlohmann::ordered_json all{{"congestion_control", DescribeAll(GetControllers())},
                                     {"scheduler", DescribeAll(GetSchedulers())},
                                     {"verdicts", DescribeAll(GetProgram().verdicts)}};
    return all.dump(2);
}

/**
 * @param message What went wrong, for standard error.
 * @param status The exit status.
 * @return The exit status.
 */
int
Report(const std::string& message, int status)
{
    std::fprintf(stderr, "%s\n", message.c_str());
    return status;
}

/**
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @return The exit status.
 */
int
Main(int argc, char* argv[])
{
    Options options;
    const auto& program = GetProgram();
    try
    {
        options = ParseOptions(argc, argv);
        if (options.version)
        {
            const auto version = VERSION + " sources=" + SMARTSBD_SOURCES + program.digests;
            std::printf("%s %s\n", program.name.c_str(), version.c_str());
            return 0;
        }
        if (options.list)
        {
            std::printf("%s\n", List().c_str());
            return 0;
        }
        if (options.answer)
        {
            PrintAnswers(options.agent);
            return 0;
        }
        Run(options, Load(options));
        return 0;
    }
    catch (const UsageError& error)
    {
        return Report(program.name + ": " + error.what(), STATUS_USAGE);
    }
    catch (const ModelError& error)
    {
        return Report(options.model + ": " + error.what(), STATUS_USAGE);
    }
    catch (const AgentError& error)
    {
        return Report(options.agent + ": " + error.what(), STATUS_USAGE);
    }
    catch (const ScenarioError& error)
    {
        return Report(options.scenario + ": " + error.what(), STATUS_USAGE);
    }
    catch (const std::exception& error)
    {
        return Report(program.name + ": " + error.what(), STATUS_FAILURE);
    }
}

} // namespace

} // namespace smartsbd

int
main(int argc, char* argv[])
{
    // ns-3 ends a failed simulation by std::terminate().
    std::set_terminate([] { std::_Exit(smartsbd::STATUS_FAILURE); });
    return smartsbd::Main(argc, argv);
}
