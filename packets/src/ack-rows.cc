// SPDX-License-Identifier: MIT

#include "ack-rows.h"

#include <cerrno>
#include <cstring>

namespace packets
{

namespace
{

// What a row begins with: four flags, then two bits for each of six numbers.
using RowHead = uint16_t;

enum RowFlag : RowHead
{
    IS_ACK = 1,
    IS_DUP = 2,
    HAS_ECE = 4,
    HAS_DATA_ACK = 8
};

enum Number
{
    TIME,
    RTT,
    ACKED,
    DATA_ACK,
    SACKED,
    TSVAL,
    NUMBERS
};

constexpr unsigned FLAGS = 4;

// A number takes 0, 2, 4 or 8 bytes: no branch depends on it, which none could foresee.
constexpr uint8_t NUMBER_BYTES[] = {0, 2, 4, 8};
constexpr uint64_t NUMBER_MASK[] = {0, UINT16_MAX, UINT32_MAX, UINT64_MAX};
static_assert(AckRows::MAX_ROW_BYTES == sizeof(RowHead) + NUMBERS * sizeof(uint64_t));

/// Put a number down; return what follows it.
uint8_t*
Put(uint8_t* at, uint64_t number, Number which, RowHead& head)
{
    const auto size =
        static_cast<RowHead>((number > 0) + (number > UINT16_MAX) + (number > UINT32_MAX));
    std::memcpy(at, &number, sizeof number);
    head = static_cast<RowHead>(head | size << (FLAGS + 2 * which));
    return at + NUMBER_BYTES[size];
}

/// Small numbers of either sign become small ones without.
uint64_t
Folded(int64_t number)
{
    return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}

int64_t
Unfolded(uint64_t number)
{
    return static_cast<int64_t>(number >> 1 ^ (0 - (number & 1)));
}

} // namespace

void
AckRows::Append(const AckRow& row, Spool& spool)
{
    if (!m_chunk)
    {
        m_chunk = std::make_unique_for_overwrite<uint8_t[]>(size_t{CHUNK_BYTES});
    }
    else if (m_partRows >= spool.GetPartRows())
    {
        Finish(spool);
    }
    else if (m_used + MAX_ROW_BYTES > CHUNK_BYTES)
    {
        WriteChunk(spool);
    }
    auto* const first = m_chunk.get() + m_used;
    auto head = static_cast<RowHead>((row.isAck ? IS_ACK : 0) | (row.isDup ? IS_DUP : 0) |
                                     (row.ece ? HAS_ECE : 0));
    const bool hasDataAck = row.dataAck != NOT_OBSERVED;
    head = static_cast<RowHead>(head | (hasDataAck ? HAS_DATA_ACK : 0));
    const auto dataAck = hasDataAck ? row.dataAck : m_dataAck;
    auto* at = first + sizeof head;
    at = Put(at, static_cast<uint64_t>(row.timeNs - m_timeNs), TIME, head);
    // A sample is never 0.
    at = Put(at, row.rttUs == NOT_OBSERVED ? 0 : static_cast<uint64_t>(row.rttUs), RTT, head);
    at = Put(at, static_cast<uint64_t>(row.ackedBytes - m_ackedBytes), ACKED, head);
    at = Put(at, Folded(dataAck - m_dataAck), DATA_ACK, head);
    at = Put(at, static_cast<uint64_t>(row.newlySackedBytes), SACKED, head);
    const bool hasTsval = row.tsval != NOT_OBSERVED;
    const auto tsval = hasTsval ? static_cast<uint32_t>(row.tsval) : m_tsval;
    // 0 is none.
    at = Put(at, hasTsval ? 1 + Folded(static_cast<int32_t>(tsval - m_tsval)) : 0, TSVAL, head);
    std::memcpy(first, &head, sizeof head);
    m_timeNs = row.timeNs;
    m_ackedBytes = row.ackedBytes;
    m_dataAck = dataAck;
    m_tsval = tsval;
    m_used += static_cast<uint32_t>(at - first);
    ++m_partRows;
    ++m_count;
}

void
AckRows::WriteChunk(Spool& spool)
{
    spool.Append(m_chain, m_chunk.get(), m_used);
    m_used = 0;
}

void
AckRows::Finish(Spool& spool)
{
    WriteChunk(spool);
    const AckPart part{m_chain.last, m_chain.records, m_partRows};
    spool.Append(m_parts, &part, part.rows > 0);
    m_chain = {};
    m_partRows = 0;
    m_timeNs = m_ackedBytes = m_dataAck = 0;
    m_tsval = 0;
}

AckRows::Reader::Reader(const Spool::Place& place, const Chain& chain)
    : m_bytes(Spool::Read<uint8_t>(place, chain, MAX_ROW_BYTES)),
      m_at(m_bytes.data()),
      m_end(m_bytes.data() + chain.records)
{
}

AckRow
AckRows::Reader::Next()
{
    // Of a row that is broken only bytes behind the end are read, of which there are enough.
    if (m_at >= m_end)
    {
        throw SpoolError("the spool is broken", EIO);
    }
    RowHead head;
    std::memcpy(&head, m_at, sizeof head);
    m_at += sizeof head;
    uint64_t numbers[NUMBERS];
    for (unsigned which = 0; which < NUMBERS; ++which)
    {
        const auto size = head >> (FLAGS + 2 * which) & 3;
        std::memcpy(&numbers[which], m_at, sizeof numbers[which]);
        numbers[which] &= NUMBER_MASK[size];
        m_at += NUMBER_BYTES[size];
    }
    m_timeNs += static_cast<int64_t>(numbers[TIME]);
    m_ackedBytes += static_cast<int64_t>(numbers[ACKED]);
    m_dataAck += Unfolded(numbers[DATA_ACK]);
    const bool hasTsval = numbers[TSVAL] != 0;
    m_tsval += hasTsval ? static_cast<uint32_t>(Unfolded(numbers[TSVAL] - 1)) : 0;
    return {.timeNs = m_timeNs,
            .ackedBytes = m_ackedBytes,
            .rttUs = numbers[RTT] ? static_cast<int64_t>(numbers[RTT]) : NOT_OBSERVED,
            .dataAck = head & HAS_DATA_ACK ? m_dataAck : NOT_OBSERVED,
            .newlySackedBytes = static_cast<int64_t>(numbers[SACKED]),
            .tsval = hasTsval ? int64_t{m_tsval} : NOT_OBSERVED,
            .isAck = (head & IS_ACK) != 0,
            .isDup = (head & IS_DUP) != 0,
            .ece = (head & HAS_ECE) != 0};
}

} // namespace packets
