// SPDX-License-Identifier: MIT

#ifndef RELAY_PLAN_H
#define RELAY_PLAN_H

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace relay
{

/// A plan that cannot be used.
class PlanError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * Open a file to read. A pipe might never end, or never begin.
 *
 * @param path The file.
 * @return The file. Throws PlanError if it is no regular one, or cannot be read.
 */
std::ifstream OpenRegular(const std::string& path);

/// A namespace and the device that is made in it.
struct HostPlan
{
    std::string netns;
    std::string device;
};

/// From when on a line has a rate.
struct RateChange
{
    int64_t fromNs;
    double bitS;
};

/// What becomes of packets that come faster than a line sends.
enum class Discipline
{
    DROP_TAIL, //!< They wait; what finds the queue full is dropped
    CODEL,     //!< They wait in CoDel's queue (codel.h)
    POLICER,   //!< None waits: a token bucket drops them (policer.h)
};

/// A queue, a line and what comes after it, in this order.
struct PortPlan
{
    std::vector<RateChange> rate;      //!< Of the line; none: packets wait for nobody, or for
    std::vector<uint32_t> momentsMs;   //!< when a recorded line sends (replay.h), if there are any
    uint64_t queueBytes = 0;           //!< What may wait for the line; depth of a token bucket
    std::optional<uint64_t> markBytes; //!< ECN-capable packets that find more are marked
    Discipline discipline = Discipline::DROP_TAIL;
    double rateSigma = 0;              //!< Deviation of the logarithm of a rate that wanders
    int64_t rateStepNs = 0;            //!< How often it moves; 0: it does not
    uint32_t burstLow = 0;             //!< Fewest packets that enter together; 0: each by itself
    uint32_t burstHigh = 0;            //!< Most of them
    int64_t delayNs = 0;               //!< Propagation
    int64_t jitterNs = 0;              //!< Mean of a further delay that varies slowly
    int64_t holdNs = 0;                //!< Largest further delay that is drawn for each packet
    double loss = 0;                   //!< Probability that a packet is lost
};

/// The way between an address and the host that all addresses talk to.
struct RoutePlan
{
    std::size_t from;               //!< Host with the address
    uint32_t address;               //!< Of IPv4, in the host's byte order
    std::size_t to;                 //!< The other host
    std::vector<std::size_t> there; //!< Ports from the address
    std::vector<std::size_t> back;  //!< Ports to the address
    uint32_t ackEvery;              //!< Of pure ACKs to the address each n-th goes on; 1: all
};

/// What the program is asked to be.
struct Plan
{
    uint64_t seed = 1;
    std::vector<int64_t> marksNs; //!< Bounds of the periods that are counted, the end among them
    std::vector<HostPlan> hosts;
    std::vector<PortPlan> ports;
    std::vector<RoutePlan> routes;
    std::string capturePath;     //!< Empty: none
    std::size_t captureHost = 0; //!< Host whose packets are captured
};

/**
 * Read a plan: a line for each part, its values as KEY=VALUE.
 *
 *     seed value=7
 *     marks ns=0,5000000000
 *     host netns=/run/netns/server device=path
 *     port rate=0:8000000 queue=60000 delay=1000000
 *     port opportunities=FILE queue=60000 delay=1000000
 *     port rate=0:8000000 queue=60000 discipline=codel
 *     port rate=0:8000000 queue=30000 discipline=policer
 *     route from=0 address=10.0.0.1 to=1 there=0,1 back=2
 *     route from=0 address=10.0.1.1 to=1 there=0,1 back=2 ack_every=4
 *     capture host=0 path=server.pcap
 *
 * @param path The file.
 * @return The plan.
 */
Plan ReadPlan(const std::string& path);

} // namespace relay

#endif
