// SPDX-License-Identifier: MIT

#ifndef PACKETS_SPOOL_H
#define PACKETS_SPOOL_H

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace packets
{

/// A file that cannot be written or read.
class SpoolError : public std::runtime_error
{
  public:
    SpoolError(const std::string& what, int error);

    const int error; //!< As errno has it
};

/// Where the last chunk of a chain lies, and how many records the chain has.
struct Chain
{
    int64_t last{-1};
    int64_t records{0};
    int64_t lastRecords{0}; //!< Of the last chunk; known while the chain is written
};

/**
 * A file for what is known of connections and does not stay in memory: chains of chunks of records.
 *
 * Each chunk tells where the one before it in its chain is, so that chains of any number of
 * connections grow side by side.
 */
class Spool
{
  public:
    /**
     * @param fd An empty file; whoever opened it closes it.
     * @param partRows How many rows of an end are to be read at once at most.
     */
    Spool(int fd, uint32_t partRows);

    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    /// Append records to a chain.
    template <class Record>
    void Append(Chain& chain, const Record* records, size_t count)
    {
        static_assert(std::is_trivially_copyable_v<Record>);
        if (count > 0)
        {
            Write(chain, records, count, sizeof(Record));
        }
    }

    uint32_t GetPartRows() const
    {
        return m_partRows;
    }

    /// Write what is still in memory.
    void Flush();

    /// What was written, in a file or a part of one.
    struct Place
    {
        int fd;
        int64_t base; //!< Where it begins in the file
    };

    /// @return What was written so far.
    Place GetPlace() const
    {
        return {m_fd, 0};
    }

    /**
     * Read a chain.
     *
     * @param place What was written.
     * @param chain The chain.
     * @param more How many records to append, all zero.
     * @return Its records, in order.
     */
    template <class Record>
    static std::vector<Record> Read(const Place& place, const Chain& chain, size_t more = 0)
    {
        // From the last chunk to the first: where each is and how long, the one behind it says.
        auto left = static_cast<size_t>(chain.records);
        std::vector<Record> records(left + more);
        std::vector<uint8_t> chunk;
        auto at = chain.last;
        auto count = at >= 0 ? ReadHead(place, at).count : 0;
        while (at >= 0)
        {
            if (count > left)
            {
                throw SpoolError("the spool is broken", EIO);
            }
            left -= count;
            chunk.resize(sizeof(Head) + count * sizeof(Record));
            ReadAt(place, chunk.data(), chunk.size(), at);
            std::memcpy(records.data() + left, chunk.data() + sizeof(Head), count * sizeof(Record));
            const auto head = HeadOf(chunk.data(), at);
            at = head.before;
            count = head.beforeCount;
        }
        if (left > 0)
        {
            throw SpoolError("the spool is broken", EIO);
        }
        return records;
    }

    /**
     * Read one chunk.
     *
     * @param place What was written.
     * @param chunk Its place, and how many records it has.
     * @return The records.
     */
    template <class Record>
    static std::vector<Record> ReadChunk(const Place& place, const Chain& chunk)
    {
        std::vector<Record> records(static_cast<size_t>(chunk.records));
        ReadAt(place,
               records.data(),
               records.size() * sizeof(Record),
               chunk.last + int64_t{sizeof(Head)});
        return records;
    }

    /// @return The place and length of each chunk of a chain, the first first.
    static std::vector<Chain> Chunks(const Place& place, int64_t last);

  private:
    /// What stands before the records of a chunk.
    struct Head
    {
        int64_t before;       //!< Where the chunk before is, -1 if there is none
        uint64_t beforeCount; //!< How many records that one has
        uint64_t count;
    };

    void Write(Chain& chain, const void* records, size_t count, size_t recordBytes);
    static Head ReadHead(const Place& place, int64_t at);

    /// @return The head that bytes begin with, of the chunk at a place.
    static Head HeadOf(const uint8_t* bytes, int64_t at);
    static void ReadAt(const Place& place, void* into, size_t bytes, int64_t at);

    int m_fd;
    uint32_t m_partRows;
    int64_t m_written{0};
    std::vector<uint8_t> m_buffer;
};

} // namespace packets

#endif // PACKETS_SPOOL_H
