// SPDX-License-Identifier: MIT

#ifndef PACKETS_SEGMENT_LOG_H
#define PACKETS_SEGMENT_LOG_H

#include "prefetch.h"
#include "segment.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace packets
{

/// A segment as both ends of its connection take it, as senders.
struct LoggedSegment
{
    Segment segment; //!< Without what its MPTCP options say
    int64_t dataAck; //!< From the first on, NOT_OBSERVED where there is none
    int end;         //!< Which end sent it
    bool settlesEcn; //!< Both ends use ECN from it on
    SackEdges sack;  //!< What it refers to
};

/**
 * The first segments of a connection, as differences of variable length.
 *
 * Connections may be many and short. Their segments take a fraction of what is known of two
 * senders, and senders that take them in one go have them in the processor's cache.
 */
class SegmentLog
{
  public:
    /// Append a segment.
    void Append(const Segment& segment, int64_t dataAck, int end, bool settlesEcn);

    /// @return Whether it takes half of what two senders would.
    bool IsFull() const
    {
        return m_used > MOST_BYTES;
    }

    /// Fetch itself into the cache.
    void Prefetch() const
    {
        PrefetchLines<sizeof(SegmentLog)>(this);
    }

    /// Fetch what the next segment will need into the cache.
    void PrefetchEnd() const
    {
        PrefetchLines<2 * CACHE_LINE_BYTES>(m_bytes.get() + m_used);
    }

    /// What the differences are to.
    struct Before
    {
        /// Of what one end sent.
        struct Sent
        {
            int64_t dataAck{0};
            uint32_t seq{0}; //!< Where the next segment would begin
            uint32_t ack{0};
            uint32_t payloadBytes{0};
            uint32_t tsval{0};
            uint32_t tsecr{0};
            uint16_t window{0};
        };

        int64_t timeNs{0};
        Sent sent[2];
    };

    /// Reads segments, one after the other.
    class Reader
    {
      public:
        explicit Reader(const SegmentLog& log);

        /// Read the next segment; return whether there was one.
        bool Next(LoggedSegment& found);

      private:
        const uint8_t* m_at;
        const uint8_t* m_end;
        Before m_before;
    };

  private:
    /// Bytes of a head, of ten numbers and of the edges of SACK blocks.
    static constexpr size_t MAX_SEGMENT_BYTES = 4 + 10 * 8 + 2 * 4 * MAX_SACK_BLOCKS;
    static constexpr size_t FIRST_BYTES = 96;
    static constexpr size_t MOST_BYTES = 1024;

    void Write(const uint8_t* bytes, size_t count);

    Before m_before;
    std::unique_ptr<uint8_t[]> m_bytes;
    uint16_t m_room{0};
    uint16_t m_used{0};
};

} // namespace packets

#endif // PACKETS_SEGMENT_LOG_H
