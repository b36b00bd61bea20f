// SPDX-License-Identifier: MIT

#include "seen-segments.h"

#include "link.h"

#include <algorithm>
#include <bit>

namespace packets
{

namespace
{

constexpr uint32_t ETHERNET = 1;
constexpr uint32_t COOKED_V1 = 113;
constexpr uint32_t COOKED_V2 = 276;
constexpr uint32_t VLAN_BYTES = 4;
constexpr uint8_t OUTGOING = 4; // PACKET_OUTGOING of Linux

/// @return How many bytes of a frame name its interface and the link layer's ends, tags included.
uint32_t
NamingBytes(const Frame& frame)
{
    uint32_t at = 0;
    uint32_t kindAt = 0;
    switch (frame.link)
    {
    case ETHERNET:
        at = 14;
        kindAt = 12;
        break;
    case COOKED_V1:
        at = 16;
        kindAt = 14;
        break;
    case COOKED_V2:
        at = 20;
        break;
    default:
        return 0;
    }
    while (frame.capturedBytes >= at + VLAN_BYTES && IsVlan(Read16(frame.data + kindAt)))
    {
        at += VLAN_BYTES;
        kindAt = at - 2;
    }
    return std::min(at, frame.capturedBytes);
}

bool
IsOutgoing(const Frame& frame)
{
    switch (frame.link)
    {
    case COOKED_V1:
        return frame.capturedBytes > 1 && frame.data[1] == OUTGOING;
    case COOKED_V2:
        return frame.capturedBytes > 10 && frame.data[10] == OUTGOING;
    default:
        return false;
    }
}

} // namespace

bool
SeenSegment::Has(const Way& way) const
{
    const auto* end = ways.begin() + wayCount;
    return wayCount == MOST_WAYS || std::find(ways.begin(), end, way.mark) != end;
}

void
SeenSegment::Add(const Way& way)
{
    if (!Has(way))
    {
        ways[wayCount++] = way.mark;
    }
}

SeenSegments::SeenSegments(uint64_t seed)
    : m_seed(seed),
      m_heads(HEADS),
      m_prints(SEEN_SEGMENTS),
      m_older(SEEN_SEGMENTS, SEEN_SEGMENTS),
      m_seen(SEEN_SEGMENTS)
{
}

uint64_t
SeenSegments::Mix(const CapturedSegment& captured, const HashedEnds& ends) const
{
    const auto& segment = captured.segment;
    const auto sizes = uint64_t{segment.payloadBytes} << 32 | uint64_t{segment.window} << 16 |
                       uint64_t{segment.flags} << 8 | captured.optionsBytes;
    auto print = KeyedHash(m_seed, uint64_t{segment.seq} << 32 | segment.ack, sizes);
    print += ends.source + std::rotl(ends.destination, 32);
    print += captured.identification * HASH_KEYS[1];
    if (!(segment.flags & SYN))
    {
        return print + KeyedHash(~m_seed, captured.options, captured.optionsBytes);
    }
    // On its way through a host a SYN may be told of a smaller MSS.
    if (segment.hasTimestamps)
    {
        print += KeyedHash(m_seed - HASH_KEYS[2], segment.tsval, segment.tsecr);
    }
    const auto at = std::min(captured.mptcpAt, captured.optionsBytes);
    uint8_t options[MAX_OPTIONS_BYTES]{};
    std::copy(captured.options + at, captured.options + captured.optionsBytes, options);
    return print + KeyedHash(~m_seed, options, captured.optionsBytes - at);
}

uint64_t
SeenSegments::Print(const CapturedSegment& captured, const HashedEnds& ends) const
{
    const auto print = Mix(captured, ends);
    return print == 0 ? 1 : print;
}

SeenSegment*
SeenSegments::Find(uint64_t print)
{
    size_t back = static_cast<uint16_t>(m_count - m_heads[print % HEADS]);
    while (back < SEEN_SEGMENTS)
    {
        const auto at = (m_count - back) % SEEN_SEGMENTS;
        if (m_prints[at] == print)
        {
            return &m_seen[at];
        }
        back += m_older[at];
    }
    return nullptr;
}

uint32_t
SeenSegments::Add(uint64_t print,
                  const CapturedSegment& captured,
                  const Way& way,
                  uint32_t place)
{
    // None has number 0.
    m_count += m_count == UINT32_MAX ? 2 : 1;
    auto& head = m_heads[print % HEADS];
    const auto at = m_count % SEEN_SEGMENTS;
    const auto back = static_cast<uint16_t>(m_count - head);
    // At least one: a head of the same low half is 65,536 numbers back.
    m_older[at] = back == 0 ? SEEN_SEGMENTS : std::min<uint16_t>(back, SEEN_SEGMENTS);
    m_prints[at] = print;
    auto& seen = m_seen[at];
    seen.firstNs = captured.segment.timeNs;
    seen.number = m_count;
    seen.ways[0] = way.mark;
    seen.place = static_cast<uint8_t>(place);
    seen.wayCount = 1;
    seen.isOutgoing = way.isOutgoing;
    head = static_cast<uint16_t>(m_count);
    return m_count;
}

Way
WayOf(const Frame& frame, const CapturedSegment& captured)
{
    const auto where = uint64_t{frame.interface} << 32 | frame.link;
    const auto seed = (where ^ HASH_KEYS[2]) * HASH_KEYS[0] + captured.hops;
    const auto mark = KeyedHash(seed, frame.data, NamingBytes(frame));
    return {static_cast<uint16_t>(mark >> 32), IsOutgoing(frame)};
}

} // namespace packets
