// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SCENARIO_H
#define SMARTSBD_SCENARIO_H

#include "controllers/controller-kind.h"
#include "path/opportunities.h"
#include "schedulers/scheduler-kind.h"
#include "verdicts/verdict-kind.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace smartsbd
{

/// One way delay of the link between the server and the first router, without host delay.
inline const ns3::Time HOST_LINK_DELAY = ns3::MicroSeconds(100);
/// One way delay of every access link, without jitter.
inline const ns3::Time ACCESS_LINK_DELAY = ns3::MicroSeconds(100);

/// A scenario file that cannot be used; what() names the JSON place and the reason.
class ScenarioError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// A value that holds from a moment on.
template <class T>
struct Change
{
    ns3::Time from; //!< When the value begins to hold
    T value;        //!< The value
};

/// Values over time; the times ascend. Unless it is said otherwise, the first holds from time zero.
template <class T>
using Schedule = std::vector<Change<T>>;

/**
 * @param schedule A schedule.
 * @param time A time.
 * @return The value that holds then.
 */
template <class T>
const T&
GetValueAt(const Schedule<T>& schedule, ns3::Time time)
{
    auto it = schedule.rbegin();
    while (it->from > time)
    {
        ++it;
    }
    return it->value;
}

/// How a connection's data come about.
enum class ApplicationKind
{
    BULK,   //!< There is always more
    ON_OFF, //!< There is more in some periods, and none in others
    RATE,   //!< A constant rate
    SIZE,   //!< So many bytes
};

/// What gives the connection its data.
struct ApplicationSpec
{
    ApplicationKind kind{ApplicationKind::BULK}; //!< How the data come about
    ns3::Time on;                                //!< ON_OFF: mean of the periods with data
    ns3::Time off;                               //!< ON_OFF: mean of those without
    uint64_t rate{0};                            //!< RATE: payload in bit/s
    uint64_t bytes{0};                           //!< SIZE: payload in bytes
};

/// What a connection does beside sending each segment where the scheduler says.
struct MetaQueueSpec
{
    bool reinject{false};      //!< Whether a timeout sends segments again on other subflows
    bool opportunistic{false}; //!< Whether a blocking segment is sent again on a fast subflow
    bool penalise{false};      //!< Whether the subflow that blocks has its window halved
    bool halfWindow{false};    //!< Whether the client tells half of its buffer as its window
};

/// The MPTCP connection.
struct ConnectionSpec
{
    std::string token;                        //!< Connection token, 8 hexadecimal digits
    Chosen<ControllerKind> congestionControl; //!< Controller of the subflows
    Chosen<SchedulerKind> scheduler;          //!< The scheduler
    uint32_t mss;                             //!< Payload of every data segment in bytes
    uint32_t receiveBuffer;                   //!< Shared data-level receive buffer in bytes
    bool ecn;                                 //!< Whether the subflows negotiate ECN
    ns3::Time hostDelay;                      //!< Largest random delay of a packet at its source
    ApplicationSpec application;              //!< What gives it its data
    MetaQueueSpec metaQueue;                  //!< What it does with segments already sent
    bool deliveryDetails{false};              //!< Whether the truth tells of copies and of order
    std::optional<Chosen<VerdictKind>> verdicts; //!< What decides on groups; none: they are given
    std::string model;                           //!< Name of its model file; the program's option
    std::shared_ptr<Agent> agent{nullptr};       //!< Agent of controllers; the program's option
    uint32_t segmentsPerAck{2};                  //!< Segments that the client acknowledges at once
};

/// Where a shaped link lies on a path.
enum class LinkPlace
{
    SERVER, //!< Before the backbone
    CLIENT, //!< After the backbone
};

/// What a shaped link does with packets that come faster than it sends.
enum class Discipline
{
    DROP_TAIL, //!< They wait until the queue is full
    RED,       //!< Random early detection
    CODEL,     //!< CoDel
    FQ_CODEL,  //!< FQ-CoDel
    POLICER,   //!< A token bucket drops them
};

/// The ACK direction of a shaped link.
struct BackSpec
{
    uint64_t rate;  //!< Line rate in bit/s
    uint32_t queue; //!< Drop-tail queue limit in bytes
};

/// A link whose rate is shaped.
struct LinkSpec
{
    LinkPlace place;              //!< Where it lies
    Schedule<uint64_t> rate;      //!< Line rate in bit/s
    ns3::Time delay;              //!< One way propagation delay
    uint32_t queue;               //!< Queue limit in bytes
    std::optional<uint32_t> mark; //!< Queue length in bytes above which packets are marked
    std::shared_ptr<const Opportunities> opportunities; //!< When its line sends; null: at any time
    Discipline discipline{Discipline::DROP_TAIL};       //!< What becomes of what it cannot send
    std::optional<BackSpec> back{}; //!< Its ACK direction; none: never a bottleneck
};

/// Kinds of access links.
enum class AccessKind
{
    PLAIN, //!< Constant rate
    WIFI,  //!< Packets go out in bursts
    LTE,   //!< The rate wanders
    RADIO, //!< 802.11n, with a station that moves
};

/// The last link before the client.
struct AccessSpec
{
    AccessKind kind;     //!< Kind of the link
    uint64_t rate;       //!< Line rate in bit/s; its mean if it wanders; that of a RADIO's mode
    uint32_t queue;      //!< Drop-tail queue limit in bytes
    double loss;         //!< Probability that a packet is lost, for each direction, at first
    ns3::Time jitter;    //!< Mean extra delay in the data direction
    uint32_t burstLow;   //!< WIFI: fewest packets of a burst
    uint32_t burstHigh;  //!< WIFI: most packets of a burst
    double rateSigma;    //!< LTE: standard deviation of the rate's logarithm
    ns3::Time rateStep;  //!< LTE: time between changes of the rate
    double distance;     //!< RADIO: metres from the access point at first
    double speed;        //!< RADIO: metres in a second away from it
    Schedule<double> lossChanges; //!< Later probabilities of loss; none by default
};

/// One subflow and the path it takes.
struct SubflowSpec
{
    std::string path;                      //!< Name of the path, for people
    std::optional<std::size_t> serverLink; //!< Index of its link before the backbone
    std::optional<std::size_t> clientLink; //!< Index of its link after the backbone
    Schedule<std::size_t> bottleneck;      //!< Index of the link that is meant to limit it
    ns3::Time start;                       //!< When the SYN is sent
    ns3::Time rtt;                         //!< Base propagation round trip time
    AccessSpec access;                     //!< Its access link
    uint32_t group{0};                     //!< Coupled controllers couple those of one group
    Schedule<ns3::Time> delayChanges;      //!< Extra delays in the data direction; none by default
};

/// Kinds of background traffic.
enum class BackgroundKind
{
    RENO,  //!< A TCP flow under Reno
    CUBIC, //!< A TCP flow under CUBIC
    BBR,   //!< A TCP flow under BBR, version 1
    VEGAS, //!< A TCP flow under Vegas
    CBR,   //!< UDP packets at a constant rate
    WEB,   //!< TCP transfers of random sizes at random times
};

/// Where background traffic joins a subflow's path.
enum class Entry
{
    SERVER, //!< Before the server link: it crosses everything the subflow does
    CLIENT, //!< After the backbone: it crosses the client link and the access link
    ACCESS, //!< At the access node: it crosses the access link only
};

/// One source of background traffic.
struct BackgroundSpec
{
    BackgroundKind kind;           //!< Kind of the traffic
    std::size_t subflow;           //!< Index of the subflow whose path it shares
    Entry enters;                  //!< Where it joins
    std::optional<uint64_t> rate;  //!< Offered payload in bit/s; none: bulk transfer
    ns3::Time start;               //!< When it begins
    ns3::Time rtt;                 //!< Base propagation round trip time
    std::optional<ns3::Time> stop; //!< When its source falls silent; none: never
    std::optional<ns3::Time> on;   //!< CBR: mean of the periods with packets; none: always
    ns3::Time off;                 //!< CBR: mean of those without
    bool leaves;                   //!< Whether it leaves after the first shaped link
    bool back{false};              //!< Whether its data go where ACKs go
};

/// An MPTCP connection beside the observed one, between hosts of its own.
struct FurtherSpec
{
    ConnectionSpec connection;         //!< Its settings; it has no token and no verdicts
    std::vector<SubflowSpec> subflows; //!< Its subflows; they have no names and no bottlenecks
    std::optional<ns3::Time> stop;     //!< When its server falls silent; none: never
};

/// Everything one run needs.
struct Scenario
{
    uint32_t seed;                          //!< Seed of every random stream
    ns3::Time duration;                     //!< Simulated time
    ConnectionSpec connection;              //!< The connection under observation
    std::vector<LinkSpec> links;            //!< Shaped links
    std::vector<SubflowSpec> subflows;      //!< Subflows of the connection
    std::vector<BackgroundSpec> background; //!< Other traffic
    std::vector<FurtherSpec> further;       //!< Connections beside the observed one
    std::optional<ns3::Time> seriesStep;    //!< Interval of the truth's series; none: no series
};

/**
 * Read and check a scenario file.
 *
 * @param path Name of the JSON file.
 * @return The scenario.
 * @throws ScenarioError if the file is missing or breaks any rule of scenario.schema.json.
 */
Scenario LoadScenario(const std::string& path);

/**
 * One way delay of the backbone link that completes a subflow's base RTT.
 *
 * @param scenario The scenario.
 * @param subflow A subflow of any of its connections.
 * @return The delay; negative if the other links alone exceed the base RTT.
 */
ns3::Time GetBackboneDelay(const Scenario& scenario, const SubflowSpec& subflow);

/**
 * One way delay of the link of a background source that completes the flow's base RTT.
 *
 * @param scenario The scenario.
 * @param flow Index of the background flow.
 * @return The delay; negative if the other links alone exceed the base RTT.
 */
ns3::Time GetSourceLinkDelay(const Scenario& scenario, std::size_t flow);

/**
 * @param scenario The scenario.
 * @param flow Index of a background flow that leaves after the first shaped link.
 * @return Index of that link, or none: there is none where the flow enters.
 */
std::optional<std::size_t> GetOnlyLink(const Scenario& scenario, std::size_t flow);

/**
 * Times at which a rate or an intended bottleneck changes, and time zero.
 *
 * @param scenario The scenario.
 * @return The times, each once, ascending.
 */
std::vector<ns3::Time> GetPhases(const Scenario& scenario);

} // namespace smartsbd

#endif /* SMARTSBD_SCENARIO_H */
