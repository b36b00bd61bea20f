// SPDX-License-Identifier: MIT

#ifndef RELAY_ACK_THINNING_H
#define RELAY_ACK_THINNING_H

#include <cstdint>

namespace relay
{

/**
 * Of a subflow's pure ACKs each n-th goes on, and none is held back.
 *
 * What may be dropped is a TCP segment with the flag ACK and no other, without data, that
 * acknowledges more than any before it, and whose options are timestamps and a data
 * acknowledgement of MPTCP (DSS without a mapping) at most. A later one says all that it says. All
 * else goes on: SYN, FIN, RST, data, duplicate ACKs, window updates, SACK, ECN echo and MPTCP's
 * other options. It acknowledges what was dropped, so counting begins again after it.
 */
class AckThinning
{
  public:
    /// @param every Of how many one goes on; 1: all go on.
    explicit AckThinning(uint32_t every);

    /**
     * @param data A packet on its way to the sender of the data.
     * @param bytes Its size.
     * @return Whether it is to be dropped.
     */
    bool Drops(const uint8_t* data, uint32_t bytes);

    /// @return How many were dropped.
    uint64_t GetDropped() const;

  private:
    uint32_t m_every;
    uint32_t m_skipped = 0; //!< Since the last that went on
    bool m_known = false;   //!< A flow was seen
    uint32_t m_ports = 0;   //!< Of it, both
    uint32_t m_acked = 0;   //!< Highest number that it acknowledged
    uint64_t m_dropped = 0;
};

} // namespace relay

#endif
