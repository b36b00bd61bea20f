// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_TRANSMISSION_LISTENER_H
#define SMARTSBD_TRANSMISSION_LISTENER_H

#include "sender/rtt-sampler.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace smartsbd
{

/**
 * Hears what ns-3 does not tell a controller of its subflow: which bytes leave, and which arrived.
 *
 * A controller that is one is told without asking. Positions are bytes of the subflow, from 0.
 */
class TransmissionListener
{
  public:
    virtual ~TransmissionListener() = default;

    /**
     * A segment leaves.
     *
     * @param position Its first byte.
     * @param size Its size in bytes.
     * @param repeated Whether it left before.
     */
    virtual void NoteSent(uint64_t position, uint32_t size, bool repeated) = 0;

    /**
     * An ACK has come, and congestion control has not reacted yet.
     *
     * @param acked All bytes before this one have arrived.
     * @param sackBlocks What has arrived beyond it.
     * @param rtt Its RTT sample, if it gives one.
     */
    virtual void NoteAck(uint64_t acked,
                         const std::vector<RttSampler::Block>& sackBlocks,
                         std::optional<ns3::Time> rtt) = 0;

    /// The retransmission timer has run out while bytes are under way.
    virtual void NoteTimeout() = 0;
};

} // namespace smartsbd

#endif /* SMARTSBD_TRANSMISSION_LISTENER_H */
