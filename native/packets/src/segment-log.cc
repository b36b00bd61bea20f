// SPDX-License-Identifier: MIT

#include "segment-log.h"

#include "bounds.h"
#include "differences.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace packets
{

namespace
{

// What a segment begins with: five flags, how many SACK blocks, and the sizes of ten numbers.
using Head = uint32_t;

constexpr Head OF_END_1 = 1;
constexpr Head SETTLES_ECN = 2;
constexpr Head HAS_TIMESTAMPS = 4;
constexpr Head SACK_PERMITTED = 8;
constexpr Head HAS_DATA_ACK = 16;
constexpr unsigned BLOCKS_SHIFT = 5;
constexpr Head BLOCKS_MASK = 7;
constexpr unsigned SIZES_SHIFT = 8;

enum Number : unsigned
{
    TIME,
    FLAGS,
    SEQ,
    ACK_NUMBER,
    PAYLOAD,
    WINDOW,
    MSS,
    TSVAL,
    TSECR,
    DATA_ACK,
    NUMBERS
};

static_assert(SIZES_SHIFT + SIZE_BITS * NUMBERS <= 8 * sizeof(Head));

constexpr unsigned
ShiftOf(Number which)
{
    return SIZES_SHIFT + SIZE_BITS * which;
}

/// The difference of two numbers of 32 bits.
uint64_t
Difference(uint32_t number, uint32_t before)
{
    return Folded(static_cast<int32_t>(number - before));
}

uint32_t
Sum(uint32_t before, uint64_t difference)
{
    return before + static_cast<uint32_t>(Unfolded(difference));
}

/// Let the next differences be to a segment.
void
GoOn(SegmentLog::Before& before, const Segment& segment, int64_t dataAck, int end)
{
    before.timeNs = segment.timeNs;
    before.sent[end] = {.dataAck = dataAck,
                        .seq = static_cast<uint32_t>(segment.End()),
                        .ack = segment.ack,
                        .payloadBytes = segment.payloadBytes,
                        .tsval = segment.hasTimestamps ? segment.tsval : before.sent[end].tsval,
                        .tsecr = segment.hasTimestamps ? segment.tsecr : before.sent[end].tsecr,
                        .window = segment.window};
}

} // namespace

void
SegmentLog::Append(const Segment& segment, int64_t dataAck, int end, bool settlesEcn)
{
    const auto& before = m_before.sent[end];
    const bool hasDataAck = dataAck != NOT_OBSERVED;
    Head head = segment.sackBlocks;
    head <<= BLOCKS_SHIFT;
    head |= end ? OF_END_1 : Head{0};
    head |= settlesEcn ? SETTLES_ECN : Head{0};
    head |= segment.hasTimestamps ? HAS_TIMESTAMPS : Head{0};
    head |= segment.sackPermitted ? SACK_PERMITTED : Head{0};
    head |= hasDataAck ? HAS_DATA_ACK : Head{0};
    uint8_t bytes[MAX_SEGMENT_BYTES];
    auto* at = bytes + sizeof head;
    const auto put = [&at, &head](Number which, uint64_t number) {
        at = PutNumber(at, number, ShiftOf(which), head);
    };
    put(TIME, static_cast<uint64_t>(segment.timeNs - m_before.timeNs));
    // Most segments acknowledge, and are nothing else.
    put(FLAGS, segment.flags ^ ACK);
    put(SEQ, Difference(segment.seq, before.seq));
    put(ACK_NUMBER, Difference(segment.ack, before.ack));
    put(PAYLOAD, Difference(segment.payloadBytes, before.payloadBytes));
    put(WINDOW, Difference(segment.window, before.window));
    put(MSS, segment.mss);
    put(TSVAL, segment.hasTimestamps ? Difference(segment.tsval, before.tsval) : 0);
    put(TSECR, segment.hasTimestamps ? Difference(segment.tsecr, before.tsecr) : 0);
    put(DATA_ACK, hasDataAck ? Folded(dataAck - before.dataAck) : 0);
    std::memcpy(bytes, &head, sizeof head);
    const auto sackBytes = 2 * sizeof *segment.sack * segment.sackBlocks;
    std::memcpy(at, segment.sack, sackBytes);
    Write(bytes, static_cast<size_t>(at - bytes) + sackBytes);
    GoOn(m_before, segment, hasDataAck ? dataAck : before.dataAck, end);
}

void
SegmentLog::Write(const uint8_t* bytes, size_t count)
{
    // A reader may look at eight bytes behind the last.
    const auto needed = m_used + count + sizeof(uint64_t);
    if (needed > m_room)
    {
        m_room = static_cast<uint16_t>(std::max<size_t>({FIRST_BYTES, needed, m_room * 3U / 2}));
        auto room = std::make_unique_for_overwrite<uint8_t[]>(size_t{m_room});
        std::copy_n(m_bytes.get(), m_used, room.get());
        m_bytes = std::move(room);
    }
    std::copy_n(bytes, count, m_bytes.get() + m_used);
    m_used = static_cast<uint16_t>(m_used + count);
}

SegmentLog::Reader::Reader(const SegmentLog& log)
    : m_at(log.m_bytes.get()),
      m_end(m_at + log.m_used)
{
}

bool
SegmentLog::Reader::Next(LoggedSegment& found)
{
    if (m_at == m_end)
    {
        return false;
    }
    Head head;
    std::memcpy(&head, m_at, sizeof head);
    m_at += sizeof head;
    found.end = (head & OF_END_1) != 0;
    found.settlesEcn = (head & SETTLES_ECN) != 0;
    const auto& before = m_before.sent[found.end];
    const auto take = [this, head](Number which) { return TakeNumber(m_at, ShiftOf(which), head); };
    auto& segment = found.segment;
    segment.timeNs = m_before.timeNs + static_cast<int64_t>(take(TIME));
    segment.flags = static_cast<uint8_t>(take(FLAGS) ^ ACK);
    segment.seq = Sum(before.seq, take(SEQ));
    segment.ack = Sum(before.ack, take(ACK_NUMBER));
    segment.payloadBytes = Sum(before.payloadBytes, take(PAYLOAD));
    segment.window = static_cast<uint16_t>(Sum(before.window, take(WINDOW)));
    segment.mss = static_cast<uint16_t>(take(MSS));
    segment.hasTimestamps = (head & HAS_TIMESTAMPS) != 0;
    // Without timestamps they are those of before, which nothing looks at.
    segment.tsval = Sum(before.tsval, take(TSVAL));
    segment.tsecr = Sum(before.tsecr, take(TSECR));
    const auto dataAck = before.dataAck + Unfolded(take(DATA_ACK));
    found.dataAck = head & HAS_DATA_ACK ? dataAck : NOT_OBSERVED;
    segment.sackPermitted = (head & SACK_PERMITTED) != 0;
    segment.sackBlocks = static_cast<uint8_t>(head >> BLOCKS_SHIFT & BLOCKS_MASK);
    const auto sackBytes = 2 * sizeof *segment.sack * segment.sackBlocks;
    std::memcpy(found.sack.data(), m_at, sackBytes);
    segment.sack = found.sack.data();
    m_at += sackBytes;
    GoOn(m_before, segment, dataAck, found.end);
    return true;
}

} // namespace packets
