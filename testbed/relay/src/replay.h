// SPDX-License-Identifier: MIT

#ifndef RELAY_REPLAY_H
#define RELAY_REPLAY_H

#include <cstdint>
#include <string>
#include <vector>

namespace relay
{

/// When the line takes the first byte of a packet, and when the last one is out.
struct Passage
{
    int64_t beginNs;
    int64_t endNs;
};

/**
 * A line that sends at the moments of a recording, as mahimahi's link does and as the simulator's
 * (replay-port.h of the simulator). Each moment carries BYTES bytes, of one packet after another,
 * but only of what came before it. The recording begins again at its last moment.
 */
class Replay
{
  public:
    /// What one moment carries: a packet with its IP header.
    static constexpr uint32_t BYTES = 1500;

    /// @param momentsMs As ReadMoments() returns them.
    explicit Replay(std::vector<uint32_t> momentsMs);

    /**
     * Send a packet.
     *
     * @param nowNs When it comes; not before the one that came last.
     * @param bytes Its size.
     * @return When it goes out.
     */
    Passage Send(int64_t nowNs, uint32_t bytes);

    /**
     * @param timeNs A time.
     * @return How many moments there are before it.
     */
    uint64_t CountBefore(int64_t timeNs) const;

  private:
    int64_t GetTimeNs(uint64_t number) const;

    std::vector<uint32_t> m_momentsMs;
    uint64_t m_number = 0;
    uint32_t m_leftBytes = BYTES;
};

/**
 * Read a recording in mahimahi's format: a line for each moment, in ms.
 *
 * @param path The file.
 * @return The moments; they do not descend, and the last is not 0. Throws PlanError if it is none.
 */
std::vector<uint32_t> ReadMoments(const std::string& path);

} // namespace relay

#endif
