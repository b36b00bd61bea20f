// SPDX-License-Identifier: MIT

#ifndef RELAY_CODEL_H
#define RELAY_CODEL_H

#include "frame.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace relay
{

/**
 * The queue of RFC 8289: it drops when even the shortest wait of an interval was too long. What
 * becomes of a packet is known only when the line is free for it.
 */
class Codel
{
  public:
    /**
     * @param frame A packet.
     * @param nowNs When it comes.
     */
    void Push(const Frame& frame, int64_t nowNs);

    /**
     * @param nowNs When the line is free.
     * @param dropped Packets that are dropped, added at the end.
     * @return The packet to send; none if none is left.
     */
    std::optional<Frame> Pop(int64_t nowNs, std::vector<Frame>& dropped);

    /// @return Bytes that wait.
    uint64_t GetBytes() const;

  private:
    struct Waiting
    {
        Frame frame;
        int64_t sinceNs;
    };

    std::optional<Frame> Take(int64_t nowNs);
    int64_t NextDropNs(int64_t afterNs) const;

    std::deque<Waiting> m_waiting;
    uint64_t m_bytes = 0;
    bool m_tooLong = false;
    int64_t m_firstAboveNs = 0; //!< When waits that are too long have lasted; 0: none is
    int64_t m_dropNextNs = 0;
    uint32_t m_count = 0;
    uint32_t m_lastCount = 0;
    bool m_dropping = false;
};

} // namespace relay

#endif
