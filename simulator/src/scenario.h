// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SCENARIO_H
#define SMARTSBD_SCENARIO_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace smartsbd
{

/// One way delay of the link between the server and a bottleneck's ingress router.
inline const ns3::Time HOST_LINK_DELAY = ns3::MicroSeconds(100);
/// One way delay of every access link, without jitter.
inline const ns3::Time ACCESS_LINK_DELAY = ns3::MicroSeconds(100);

/// A scenario file that cannot be used; what() names the JSON place and the reason.
class ScenarioError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Congestion controllers a scenario can name.
enum class CongestionControl
{
    LIA,   //!< RFC 6356, coupled over the subflows of the connection
    RENO,  //!< Linux's Reno, each socket on its own
    CUBIC, //!< CUBIC, background flows only
};

/// The MPTCP connection.
struct ConnectionSpec
{
    std::string token;                   //!< Connection token, 8 lower case hexadecimal digits
    CongestionControl congestionControl; //!< LIA or RENO
    uint32_t mss;                        //!< Payload of every data segment in bytes
    uint32_t receiveBuffer;              //!< Shared data-level receive buffer in bytes
};

/// A link that one or more subflows cross.
struct BottleneckSpec
{
    uint64_t rate;   //!< Line rate in bit/s
    ns3::Time delay; //!< One way propagation delay
    uint32_t queue;  //!< Drop-tail queue limit in bytes
};

/// The last link before the client.
struct AccessSpec
{
    uint64_t rate;    //!< Line rate in bit/s
    uint32_t queue;   //!< Drop-tail queue limit in bytes
    double loss;      //!< Probability that a packet is lost, for each direction
    ns3::Time jitter; //!< Mean extra delay in the data direction
};

/// One subflow and the path it takes.
struct SubflowSpec
{
    std::string path;       //!< Name of the path, for people
    std::size_t bottleneck; //!< Index of the bottleneck it crosses
    ns3::Time start;        //!< When the SYN is sent
    ns3::Time rtt;          //!< Base propagation round trip time
    AccessSpec access;      //!< Its access link
};

/// Where background traffic joins a subflow's path.
enum class Entry
{
    BOTTLENECK, //!< Before the bottleneck: it crosses bottleneck and access link
    ACCESS,     //!< At the access node: it crosses the access link only
};

/// One background TCP flow.
struct BackgroundSpec
{
    std::size_t subflow;                 //!< Index of the subflow whose path it shares
    Entry enters;                        //!< Where it joins
    std::optional<uint64_t> rate;        //!< Application rate in bit/s; none: bulk transfer
    CongestionControl congestionControl; //!< RENO or CUBIC
    ns3::Time start;                     //!< When the SYN is sent
    ns3::Time rtt;                       //!< Base propagation round trip time
};

/// Everything one run needs.
struct Scenario
{
    uint32_t seed;                           //!< Seed of every random stream
    ns3::Time duration;                      //!< Simulated time
    ConnectionSpec connection;               //!< The connection under observation
    std::vector<BottleneckSpec> bottlenecks; //!< Bottleneck links
    std::vector<SubflowSpec> subflows;       //!< Subflows of the connection
    std::vector<BackgroundSpec> background;  //!< Other traffic
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
 * @param subflow Index of the subflow.
 * @return The delay; negative if the other links alone exceed the base RTT.
 */
ns3::Time GetBackboneDelay(const Scenario& scenario, std::size_t subflow);

/**
 * One way delay of the link of a background source that completes the flow's base RTT.
 *
 * @param scenario The scenario.
 * @param flow Index of the background flow.
 * @return The delay; negative if the other links alone exceed the base RTT.
 */
ns3::Time GetSourceLinkDelay(const Scenario& scenario, std::size_t flow);

} // namespace smartsbd

#endif /* SMARTSBD_SCENARIO_H */
