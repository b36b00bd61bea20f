// SPDX-License-Identifier: MIT

#ifndef PACKETS_ACK_ROWS_H
#define PACKETS_ACK_ROWS_H

#include "bounds.h"
#include "spool.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace packets
{

/// An ACK that an end heard, or a sample by echo of one it sent.
struct AckRow
{
    int64_t timeNs;
    int64_t ackedBytes;
    /// Of an ACK by what it acknowledges, else by echo; NOT_OBSERVED where there is none.
    int64_t rttUs;
    int64_t dataAck; //!< From the first on, NOT_OBSERVED where there is none
    int64_t newlySackedBytes;
    /// Of an ACK that gives a sample and is no duplicate, NOT_OBSERVED where there is none.
    int64_t tsval;
    bool isAck;
    bool isDup;
    bool ece;
};

/// Rows of an end that can be read by themselves, in the spool.
struct AckPart
{
    int64_t last; //!< Their last chunk
    int64_t bytes;
    int64_t rows;
};

/**
 * The rows of an end, as differences of variable length: most take a third of what they would.
 *
 * Times and acknowledged bytes never decrease. Rows come in parts, so that a reader need not hold
 * them all.
 */
class AckRows
{
  public:
    /// Two bytes of flags, and six numbers of 64 bits.
    static constexpr int64_t MAX_ROW_BYTES = 2 + 6 * 8;

    /// Append a row; write the chunk it fills.
    void Append(const AckRow& row, Spool& spool);

    /// Append the row of an ACK that tells nothing but, at most, its data acknowledgement.
    void AppendBare(int64_t timeNs, int64_t ackedBytes, int64_t dataAck, Spool& spool);

    /// Fetch what the next row will need into the cache.
    void Prefetch() const
    {
        __builtin_prefetch(m_chunk.get() + m_used);
    }

    /// Write what is still in memory.
    void Finish(Spool& spool);

    /// @return The parts that are written, as AckPart.
    const Chain& GetParts() const
    {
        return m_parts;
    }

    /// @return Rows appended.
    int64_t GetCount() const
    {
        return m_count;
    }

    /// Reads rows, one after the other.
    class Reader
    {
      public:
        /**
         * @param place The spool.
         * @param chain What was written.
         */
        Reader(const Spool::Place& place, const Chain& chain);

        /// @return The next row, of those that were written.
        AckRow Next();

        /// @return Whether the last was the last that was written.
        bool IsAtEnd() const
        {
            return m_at == m_end;
        }

      private:
        std::vector<uint8_t> m_bytes;
        const uint8_t* m_at;
        const uint8_t* m_end;
        int64_t m_timeNs{0};
        int64_t m_ackedBytes{0};
        int64_t m_dataAck{0};
        uint32_t m_tsval{0};
    };

  private:
    static constexpr uint16_t FIRST_CHUNK_BYTES = 96;
    static constexpr uint16_t CHUNK_BYTES = 1024;

    /// Begin another part if the last one is full, and make room for a row.
    void MakeReady(Spool& spool);
    void MakeRoom(Spool& spool);
    void WriteChunk(Spool& spool);

    std::unique_ptr<uint8_t[]> m_chunk; //!< None before the first row
    uint16_t m_room{0}; //!< Its length: it grows until it is worth writing
    uint16_t m_used{0};
    uint32_t m_partRows{0};
    int64_t m_count{0};
    int64_t m_timeNs{0};
    int64_t m_ackedBytes{0};
    int64_t m_dataAck{0};
    uint32_t m_tsval{0};
    Chain m_chain; //!< Chunks of the part that is being written
    Chain m_parts;
};

} // namespace packets

#endif // PACKETS_ACK_ROWS_H
