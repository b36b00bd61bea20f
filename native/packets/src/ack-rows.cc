// SPDX-License-Identifier: MIT

#include "ack-rows.h"

#include "differences.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

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

constexpr unsigned
ShiftOf(Number which)
{
    return FLAGS + SIZE_BITS * which;
}

static_assert(AckRows::MAX_ROW_BYTES == sizeof(RowHead) + NUMBERS * sizeof(uint64_t));

} // namespace

void
AckRows::MakeReady(Spool& spool)
{
    if (m_partRows >= spool.GetPartRows())
    {
        Finish(spool);
    }
    while (m_used + MAX_ROW_BYTES > m_room)
    {
        MakeRoom(spool);
    }
}

void
AckRows::Append(const AckRow& row, Spool& spool)
{
    MakeReady(spool);
    auto* const first = m_chunk.get() + m_used;
    const bool hasDataAck = row.dataAck != NOT_OBSERVED;
    auto head = static_cast<RowHead>((row.isAck ? IS_ACK : 0) | (row.isDup ? IS_DUP : 0) |
                                     (row.ece ? HAS_ECE : 0) | (hasDataAck ? HAS_DATA_ACK : 0));
    const auto dataAck = hasDataAck ? row.dataAck : m_dataAck;
    const bool hasTsval = row.tsval != NOT_OBSERVED;
    const auto tsval = hasTsval ? static_cast<uint32_t>(row.tsval) : m_tsval;
    // A sample is never 0; of timestamps, 0 is none.
    const uint64_t numbers[NUMBERS] = {
        static_cast<uint64_t>(row.timeNs - m_timeNs),
        row.rttUs == NOT_OBSERVED ? 0 : static_cast<uint64_t>(row.rttUs),
        static_cast<uint64_t>(row.ackedBytes - m_ackedBytes),
        Folded(dataAck - m_dataAck),
        static_cast<uint64_t>(row.newlySackedBytes),
        hasTsval ? 1 + Folded(static_cast<int32_t>(tsval - m_tsval)) : 0};
    auto* at = first + sizeof head;
    const auto rest = numbers[ACKED] | numbers[DATA_ACK] | numbers[TSVAL];
    if ((numbers[TIME] | numbers[RTT]) <= UINT32_MAX && rest <= UINT16_MAX && !numbers[SACKED])
    {
        // As most are: each number in as many bytes as any of its kind takes.
        at = PutAs<uint32_t>(at, numbers[TIME], ShiftOf(TIME), head);
        at = PutAs<uint32_t>(at, numbers[RTT], ShiftOf(RTT), head);
        if (rest)
        {
            at = PutAs<uint16_t>(at, numbers[ACKED], ShiftOf(ACKED), head);
            at = PutAs<uint16_t>(at, numbers[DATA_ACK], ShiftOf(DATA_ACK), head);
            at = PutAs<uint16_t>(at, numbers[TSVAL], ShiftOf(TSVAL), head);
        }
    }
    else
    {
        for (unsigned which = 0; which < NUMBERS; ++which)
        {
            at = PutNumber(at, numbers[which], ShiftOf(static_cast<Number>(which)), head);
        }
    }
    std::memcpy(first, &head, sizeof head);
    m_timeNs = row.timeNs;
    m_ackedBytes = row.ackedBytes;
    m_dataAck = dataAck;
    m_tsval = tsval;
    m_used = static_cast<uint16_t>(m_used + (at - first));
    ++m_partRows;
    ++m_count;
}

void
AckRows::AppendBare(int64_t timeNs, int64_t ackedBytes, int64_t dataAck, Spool& spool)
{
    MakeReady(spool);
    const auto afterNs = static_cast<uint64_t>(timeNs - m_timeNs);
    if (afterNs > UINT32_MAX || ackedBytes != m_ackedBytes || dataAck != m_dataAck)
    {
        Append({.timeNs = timeNs,
                .ackedBytes = ackedBytes,
                .rttUs = NOT_OBSERVED,
                .dataAck = dataAck,
                .newlySackedBytes = 0,
                .tsval = NOT_OBSERVED,
                .isAck = true,
                .isDup = false,
                .ece = false},
               spool);
        return;
    }
    auto* const first = m_chunk.get() + m_used;
    RowHead head = IS_ACK | HAS_DATA_ACK;
    const auto* const at = PutAs<uint32_t>(first + sizeof head, afterNs, ShiftOf(TIME), head);
    std::memcpy(first, &head, sizeof head);
    m_timeNs = timeNs;
    m_used = static_cast<uint16_t>(m_used + (at - first));
    ++m_partRows;
    ++m_count;
}

/// Make room for one more row: flows may be many, and most of them have few rows.
void
AckRows::MakeRoom(Spool& spool)
{
    if (m_room == CHUNK_BYTES)
    {
        WriteChunk(spool);
        return;
    }
    m_room = m_room == 0 ? FIRST_CHUNK_BYTES
                         : std::min(CHUNK_BYTES, static_cast<uint16_t>(m_room + m_room / 2));
    auto chunk = std::make_unique_for_overwrite<uint8_t[]>(size_t{m_room});
    std::copy_n(m_chunk.get(), m_used, chunk.get());
    m_chunk = std::move(chunk);
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
        numbers[which] = TakeNumber(m_at, ShiftOf(static_cast<Number>(which)), head);
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
