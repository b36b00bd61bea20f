// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SERIES_H
#define SMARTSBD_SERIES_H

#include "sender/mptcp-connection.h"
#include "scenario.h"

#include "ns3/packet-sink.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What a run comes to in each interval of time; nothing else in it changes.
class Series
{
  public:
    /**
     * Start counting, if the scenario asks for a series.
     *
     * @param scenario The scenario; it must outlive the simulation.
     * @param connection Its connection; it must outlive the simulation.
     * @param sinks The sinks of the background flows.
     * @param further The connections beside it; they must outlive the simulation.
     */
    Series(const Scenario& scenario,
           MptcpConnection& connection,
           std::vector<ns3::Ptr<ns3::PacketSink>> sinks,
           const FurtherConnections& further);

    Series(const Series&) = delete;
    Series& operator=(const Series&) = delete;

    /// End the last interval, at the end of the simulation.
    void Finish();

    /// @return All intervals, in order.
    nlohmann::ordered_json Print() const;

  private:
    /// A subflow in an interval.
    struct SubflowInterval
    {
        uint64_t acked;                   //!< Bytes acknowledged so far
        uint32_t window;                  //!< Congestion window in bytes
        ns3::Time srtt;                   //!< Smoothed RTT
        uint32_t group;                   //!< Number of its group
        std::optional<uint64_t> rate;     //!< Rate it is paced at in bit/s, if it is
        uint64_t timeouts;                //!< Retransmission timeouts so far
        std::vector<ns3::Time> quantiles; //!< Of one way delays; none without a sample
    };

    /// A further connection in an interval.
    struct FurtherInterval
    {
        uint64_t delivered;          //!< Bytes in order at its client so far
        std::vector<uint64_t> acked; //!< Bytes acknowledged so far, by subflow
    };

    /// An interval. What is so far and what is at present is so at its end.
    struct Interval
    {
        ns3::Time from;                        //!< When it begins
        ns3::Time to;                          //!< When it ends
        uint64_t delivered;                    //!< Bytes in order at the client so far
        std::vector<SubflowInterval> subflows; //!< By subflow
        std::vector<uint64_t> received;        //!< Bytes received so far, by background flow
        std::vector<FurtherInterval> further;  //!< By further connection
    };

    /**
     * @param subflow Index of a subflow.
     * @param delay One way delay of one of its segments.
     */
    void NoteDelay(std::size_t subflow, ns3::Time delay);

    /**
     * @param interval An interval.
     * @param before The one before, or null.
     * @return What the further connections came to in it.
     */
    static nlohmann::ordered_json PrintFurther(const Interval& interval, const Interval* before);

    /// An interval is over, and the next one begins.
    void Step();

    /// An interval is over.
    void End();

    const Scenario& m_scenario;                      //!< The scenario
    const MptcpConnection& m_connection;             //!< Its connection
    std::vector<ns3::Ptr<ns3::PacketSink>> m_sinks;  //!< Sinks of the background flows
    const FurtherConnections& m_further;             //!< The connections beside it
    ns3::Time m_from;                                //!< When the present interval began
    std::vector<std::vector<ns3::Time>> m_delays;    //!< Its one way delays, by subflow
    std::vector<ns3::Time> m_leastDelays;            //!< Least of the whole run, by subflow
    std::vector<Interval> m_intervals;               //!< What is over
};

} // namespace smartsbd

#endif /* SMARTSBD_SERIES_H */
