// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_AGENT_HISTORY_H
#define SMARTSBD_AGENT_HISTORY_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What an agent is told of a round trip (MPLibra, section IV.A: State).
struct AgentRecord
{
    double rate{0};     //!< Bytes sent over its time, in bytes/s
    ns3::Time rtt;      //!< Mean of its RTT samples, or the smoothed RTT if there were none
    ns3::Time leastRtt; //!< Least of them, or the same
    double loss{0};     //!< Bytes that were sent again over bytes that were sent
    double delivery{0}; //!< Bytes that arrived over its time, in bytes/s
};

/**
 * The last round trips of a subflow, as an agent is told of them.
 *
 * A round trip is a smoothed RTT of time between two ACKs, whatever is sent at in it. Rates are
 * relative to the largest delivery rate so far, RTTs to the least sample so far (ours).
 */
class AgentHistory
{
  public:
    /// Round trips that an agent is told of.
    static constexpr std::size_t RECORDS = 10;
    /// What it is told of each.
    static constexpr std::size_t VALUES = 5;

    /**
     * A segment leaves.
     *
     * @param size Its size in bytes.
     * @param repeated Whether it left before.
     */
    void NoteSent(uint32_t size, bool repeated);

    /**
     * An ACK has come.
     *
     * @param delivered Bytes that have arrived so far.
     * @param rtt Its RTT sample, if it gives one.
     * @param srtt The smoothed RTT.
     * @param now The time.
     * @return Whether it ends a round trip.
     */
    bool NoteAck(uint64_t delivered,
                 std::optional<ns3::Time> rtt,
                 ns3::Time srtt,
                 ns3::Time now);

    /// @return The last round trip; there must be one.
    const AgentRecord& GetLast() const;

    /// @return Whether a round trip has ended.
    bool HasRecords() const;

    /// @return The largest delivery rate so far, in bytes/s; 0 before the first round trip ended.
    double GetLargestDelivery() const;

    /**
     * Tell of the last round trips.
     *
     * @param state Here go RECORDS times VALUES numbers, the oldest round trip first; zeros stand
     *              for those that have not been, of which no RTT is.
     */
    void AppendTo(std::vector<double>& state) const;

  private:
    std::deque<AgentRecord> m_records;  //!< The last ones, in order
    std::optional<ns3::Time> m_begin;   //!< When the present one began
    uint64_t m_sent{0};                 //!< Bytes sent in it
    uint64_t m_repeated{0};             //!< Of these, bytes that left before
    uint64_t m_deliveredAtBegin{0};     //!< Bytes that had arrived when it began
    ns3::Time m_rttSum;                 //!< Sum of its RTT samples
    uint64_t m_samples{0};              //!< How many
    ns3::Time m_leastRtt;               //!< Least of them
    ns3::Time m_base;                   //!< Least sample so far; zero: none yet
    double m_largestDelivery{0};        //!< Largest delivery rate so far
};

} // namespace smartsbd

#endif /* SMARTSBD_AGENT_HISTORY_H */
