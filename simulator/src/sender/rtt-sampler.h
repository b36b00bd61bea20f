// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_RTT_SAMPLER_H
#define SMARTSBD_RTT_SAMPLER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace smartsbd
{

/// One RTT sample.
struct RttSample
{
    ns3::Time rtt;         //!< From the segment's transmission to the arrival of its ACK
    ns3::Time oneWayDelay; //!< From the segment's transmission to its arrival at the receiver
};

/// What an ACK tells the sender.
struct AckOutcome
{
    uint64_t newlyAcked{0};          //!< Bytes it acknowledges cumulatively for the first time
    uint64_t newlySacked{0};         //!< Bytes it selectively acknowledges for the first time
    uint64_t newlyArrived{0};        //!< Bytes it acknowledges in either way for the first time
    std::optional<RttSample> sample; //!< Its RTT sample, if it gives one
};

/**
 * Takes RTT samples as Linux's tcp_ack() does without timestamps.
 *
 * Positions are bytes of the subflow, from 0. The cumulative part of an ACK gives a sample from
 * its last segment that was neither retransmitted nor SACKed before, and none at all if it
 * covers a retransmitted segment; failing that, the last newly SACKed segment that was never
 * retransmitted gives one. So no segment gives more than one sample.
 *
 * The class also keeps the arrival times at the receiver, which a sender cannot know, for the
 * exact one way delays.
 */
class RttSampler
{
  public:
    /// A half open range of bytes.
    using Block = std::pair<uint64_t, uint64_t>;

    /**
     * A segment leaves the sender.
     *
     * @param position Its first byte; below the highest byte sent so far: a retransmission.
     * @param size Its size in bytes.
     * @param now The time.
     */
    void Send(uint64_t position, uint32_t size, ns3::Time now);

    /**
     * A segment reaches the receiver.
     *
     * @param position Its first byte.
     * @param now The time.
     */
    void Arrive(uint64_t position, ns3::Time now);

    /**
     * An ACK reaches the sender.
     *
     * @param ack All bytes before this one are acknowledged.
     * @param sackBlocks The ACK's SACK blocks.
     * @param now The time.
     * @return What it tells.
     */
    AckOutcome Acknowledge(uint64_t ack, const std::vector<Block>& sackBlocks, ns3::Time now);

    /// @return The cumulatively acknowledged bytes.
    uint64_t GetAcked() const;

    /// @return The bytes sent, without retransmissions.
    uint64_t GetSent() const;

    /// @return Whether sent bytes are waiting for their cumulative acknowledgment.
    bool HasOutstanding() const;

  private:
    /// A segment that has not been cumulatively acknowledged.
    struct Segment
    {
        uint64_t begin;            //!< First byte
        uint64_t end;              //!< Byte after the last one
        ns3::Time sent;            //!< When it was sent first
        ns3::Time arrived;         //!< When it arrived first, or zero
        bool retransmitted{false}; //!< Whether it was sent more than once
        bool sacked{false};        //!< Whether it has been SACKed
    };

    /**
     * @param position A byte.
     * @return The first segment that ends after it.
     */
    std::deque<Segment>::iterator Find(uint64_t position);

    /**
     * Drop the segments before a byte.
     *
     * @param ack The byte.
     * @param outcome Where the newly acknowledged bytes and the sample go.
     * @param now The time.
     */
    void AcknowledgeUpTo(uint64_t ack, AckOutcome& outcome, ns3::Time now);

    /**
     * Mark the segments of a SACK block.
     *
     * @param block The block.
     * @param outcome Where the newly SACKed bytes go.
     * @return The last newly SACKed segment that was never retransmitted, or null.
     */
    const Segment* MarkSacked(const Block& block, AckOutcome& outcome);

    std::deque<Segment> m_segments; //!< Outstanding segments, by position
    uint64_t m_acked{0};            //!< Cumulatively acknowledged bytes
    uint64_t m_sent{0};             //!< Bytes sent, without retransmissions
};

} // namespace smartsbd

#endif /* SMARTSBD_RTT_SAMPLER_H */
