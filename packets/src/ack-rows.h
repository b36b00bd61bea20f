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
    int64_t rttUs;   //!< Of an ACK by what it acknowledges, else by echo; NOT_OBSERVED where there is none
    int64_t dataAck; //!< From the first on, NOT_OBSERVED where there is none
    int64_t newlySackedBytes;
    bool isAck;
    bool isDup;
    bool ece;
};

/**
 * The rows of an end, as differences of variable length: most take a third of what they would.
 *
 * Times and acknowledged bytes never decrease.
 */
class AckRows
{
  public:
    /// Append a row; write the chunk it fills.
    void Append(const AckRow& row, Spool& spool);

    /// Fetch what the next row will need into the cache.
    void Prefetch() const
    {
        __builtin_prefetch(m_chunk.get() + m_used);
    }

    /// Write what is still in memory.
    void Finish(Spool& spool);

    /// @return What is written, in bytes.
    const Chain& GetChain() const
    {
        return m_chain;
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

      private:
        std::vector<uint8_t> m_bytes;
        const uint8_t* m_at;
        const uint8_t* m_end;
        int64_t m_timeNs{0};
        int64_t m_ackedBytes{0};
        int64_t m_dataAck{0};
    };

  private:
    static constexpr size_t CHUNK_BYTES = 512;

    std::unique_ptr<uint8_t[]> m_chunk; //!< None before the first row
    size_t m_used{0};
    Chain m_chain;
    int64_t m_count{0};
    int64_t m_timeNs{0};
    int64_t m_ackedBytes{0};
    int64_t m_dataAck{0};
};

} // namespace packets

#endif // PACKETS_ACK_ROWS_H
