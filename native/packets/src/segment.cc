// SPDX-License-Identifier: MIT

#include "segment.h"

#include "link.h"
#include "mptcp.h"

#include <algorithm>
#include <cstring>

namespace packets
{

namespace
{

constexpr uint8_t TCP = 6;
constexpr uint32_t IPV4_BYTES = 20;
constexpr uint32_t IPV6_BYTES = 40;
constexpr uint32_t TCP_BYTES = 20;

enum Extension : uint8_t
{
    HOP_BY_HOP = 0,
    ROUTING = 43,
    FRAGMENT = 44,
    AUTHENTICATION = 51,
    DESTINATION = 60
};

enum Option : uint8_t
{
    END = 0,
    NOP = 1,
    MSS = 2,
    WINDOW_SCALE = 3,
    SACK_PERMITTED = 4,
    SACK = 5,
    TIMESTAMPS = 8
};

/// More is taken as so much (RFC 7323, section 2.3).
constexpr uint8_t MAX_WINDOW_SCALE = 14;
constexpr uint32_t TIMESTAMPS_BYTES = 12;
constexpr uint32_t NOP_NOP_TIMESTAMPS = 0x0101080a;

constexpr Unusable GOOD{Verdict::Segment};

/// Where the transport layer starts, and how many bytes it has.
struct Transport
{
    uint32_t at;
    uint32_t bytes;
};

Unusable
ReadIpv4(const Frame& frame, uint32_t at, CapturedSegment& captured, Transport& transport)
{
    if (frame.capturedBytes < at + IPV4_BYTES)
    {
        return {Verdict::CutIpv4};
    }
    const auto* data = frame.data + at;
    const uint32_t headerBytes = 4 * (data[0] & 15);
    uint32_t total = Read16(data + 2);
    if (total == 0)
    {
        // A segment that the network card is to cut has no room for its length.
        total = frame.wireBytes > at ? frame.wireBytes - at : 0;
    }
    if (headerBytes < IPV4_BYTES || total < headerBytes)
    {
        return {Verdict::BadIpv4Length, headerBytes, total};
    }
    if (data[9] != TCP)
    {
        return {Verdict::NotTcp};
    }
    // More fragments, or not the first.
    if (Read16(data + 6) & 0x3fff)
    {
        return {Verdict::Fragment};
    }
    captured.identification = Read16(data + 4);
    captured.hops = data[8];
    captured.source.high = captured.destination.high = 0;
    captured.source.low = Read32(data + 12);
    captured.destination.low = Read32(data + 16);
    captured.source.family = captured.destination.family = 4;
    transport = {at + headerBytes, total - headerBytes};
    return GOOD;
}

bool
IsExtension(uint8_t kind)
{
    return kind == HOP_BY_HOP || kind == ROUTING || kind == FRAGMENT || kind == AUTHENTICATION ||
           kind == DESTINATION;
}

Unusable
ReadIpv6(const Frame& frame, uint32_t at, CapturedSegment& captured, Transport& transport)
{
    if (frame.capturedBytes < at + IPV6_BYTES)
    {
        return {Verdict::CutIpv6};
    }
    const auto* header = frame.data + at;
    uint8_t kind = header[6];
    uint32_t rest = Read16(header + 4);
    if (rest == 0 && frame.wireBytes > at + IPV6_BYTES)
    {
        rest = frame.wireBytes - at - IPV6_BYTES;
    }
    at += IPV6_BYTES;
    while (IsExtension(kind))
    {
        if (frame.capturedBytes < at + 8)
        {
            return {Verdict::CutExtension};
        }
        const auto* extension = frame.data + at;
        if (kind == FRAGMENT && (Read16(extension + 2) & 0xfff9))
        {
            return {Verdict::Fragment};
        }
        // An authentication header counts words of four bytes, the others of eight.
        const uint32_t size = kind == FRAGMENT         ? 8
                              : kind == AUTHENTICATION ? 4 * extension[1] + 8
                                                       : 8 * extension[1] + 8;
        if (size > rest)
        {
            return {Verdict::BadExtension, size, rest};
        }
        kind = extension[0];
        at += size;
        rest -= size;
    }
    if (kind != TCP)
    {
        return {Verdict::NotTcp};
    }
    captured.identification = Read32(header) & 0xfffff;
    captured.hops = header[7];
    captured.source.high = Read64(header + 8);
    captured.source.low = Read64(header + 16);
    captured.destination.high = Read64(header + 24);
    captured.destination.low = Read64(header + 32);
    captured.source.family = captured.destination.family = 6;
    transport = {at, rest};
    return GOOD;
}

void
ReadSack(const uint8_t* body, uint8_t bytes, CapturedSegment& captured)
{
    captured.segment.sackBlocks = bytes / 8;
    for (uint8_t i = 0; i < bytes / 4; ++i)
    {
        captured.sack[i] = Read32(body + 4 * i);
    }
}

/// Take note of an MPTCP option, and read it if it is the first, and a good DSS.
void
ReadMptcpOption(const uint8_t* body, uint8_t bytes, uint32_t at, CapturedSegment& captured)
{
    auto& segment = captured.segment;
    captured.mptcpAt = std::min(captured.mptcpAt, static_cast<uint8_t>(at));
    const bool isOneDss = segment.mptcp == MptcpOptions::None &&
                          ReadDataAck(body, bytes, segment.dataAck, segment.dataAckBits);
    segment.mptcp = isOneDss ? MptcpOptions::OneDss : MptcpOptions::Other;
}

/// Copy some bytes; all there is room for, in one go, where so many are behind.
template <size_t room>
void
Copy(uint8_t (&to)[room], const uint8_t* from, size_t bytes, size_t behind)
{
    if (behind >= room)
    {
        std::memcpy(to, from, room);
    }
    else
    {
        std::memcpy(to, from, bytes);
    }
}

/**
 * Read options.
 *
 * @param options The options.
 * @param there How many bytes of them are there.
 * @param size How many they are.
 * @param behind How many bytes are there, of options and payload.
 * @param captured Is filled in.
 */
void
ReadOptions(const uint8_t* options,
            uint32_t there,
            uint32_t size,
            uint32_t behind,
            CapturedSegment& captured)
{
    auto& segment = captured.segment;
    segment.fault = OptionFault::None;
    segment.hasTimestamps = segment.sackPermitted = false;
    segment.sackBlocks = 0;
    segment.sack = captured.sack.data();
    segment.mss = 0;
    segment.windowScale = NO_WINDOW_SCALE;
    Copy<MAX_OPTIONS_BYTES>(captured.options, options, there, behind);
    captured.mptcpAt = MAX_OPTIONS_BYTES;
    segment.mptcp = MptcpOptions::None;
    segment.dataAckBits = 0;
    uint32_t at = 0;
    if (there >= TIMESTAMPS_BYTES && Read32(options) == NOP_NOP_TIMESTAMPS)
    {
        // How most segments begin.
        segment.hasTimestamps = true;
        segment.tsval = Read32(options + 4);
        segment.tsecr = Read32(options + 8);
        at = TIMESTAMPS_BYTES;
    }
    while (at < there)
    {
        const auto kind = options[at];
        if (kind == NOP)
        {
            at += 1;
            continue;
        }
        if (kind == END)
        {
            break;
        }
        const uint32_t length = at + 1 < there ? options[at + 1] : 0;
        if (length < 2 || at + length > there)
        {
            segment.fault = there < size ? OptionFault::Cut : OptionFault::BadLength;
            captured.optionsBytes = static_cast<uint8_t>(at);
            return;
        }
        const auto* body = options + at + 2;
        const auto bodyBytes = static_cast<uint8_t>(length - 2);
        switch (kind)
        {
        case TIMESTAMPS:
            if (bodyBytes == 8)
            {
                segment.hasTimestamps = true;
                segment.tsval = Read32(body);
                segment.tsecr = Read32(body + 4);
            }
            break;
        case SACK:
            if (bodyBytes % 8 == 0)
            {
                ReadSack(body, bodyBytes, captured);
            }
            break;
        case SACK_PERMITTED:
            segment.sackPermitted = true;
            break;
        case MSS:
            if (bodyBytes == 2)
            {
                segment.mss = Read16(body);
            }
            break;
        case WINDOW_SCALE:
            if (bodyBytes == 1)
            {
                segment.windowScale = static_cast<int8_t>(std::min(body[0], MAX_WINDOW_SCALE));
            }
            break;
        case MPTCP_OPTION:
            ReadMptcpOption(body, bodyBytes, at, captured);
            break;
        default:
            break;
        }
        at += length;
    }
    captured.optionsBytes = static_cast<uint8_t>(std::min(at, there));
    if (at >= there && there < size)
    {
        segment.fault = OptionFault::Cut;
    }
}

} // namespace

Unusable
ReadSegment(const Frame& frame, CapturedSegment& captured)
{
    const auto ip = FindIp(frame);
    if (ip.verdict != Verdict::Segment)
    {
        return {ip.verdict, ip.verdict == Verdict::UnknownLink ? ip.at : 0};
    }
    if (ip.at >= frame.capturedBytes)
    {
        return {Verdict::CutIp};
    }
    const auto version = frame.data[ip.at] >> 4;
    Transport transport{};
    Unusable unusable{Verdict::BadVersion, version};
    if (version == 4)
    {
        unusable = ReadIpv4(frame, ip.at, captured, transport);
    }
    else if (version == 6)
    {
        unusable = ReadIpv6(frame, ip.at, captured, transport);
    }
    if (unusable.verdict != Verdict::Segment)
    {
        return unusable;
    }
    if (transport.bytes > MAX_PACKET_BYTES)
    {
        return {Verdict::BadIpLength, transport.bytes};
    }
    if (frame.capturedBytes < transport.at + TCP_BYTES)
    {
        return {Verdict::CutTcp};
    }
    const auto* tcp = frame.data + transport.at;
    const uint32_t headerBytes = 4 * (tcp[12] >> 4);
    if (headerBytes < TCP_BYTES || headerBytes > transport.bytes)
    {
        return {Verdict::BadTcpLength, headerBytes, transport.bytes};
    }
    auto& segment = captured.segment;
    segment.timeNs = frame.timeNs;
    captured.offset = frame.offset;
    captured.source.port = Read16(tcp);
    captured.destination.port = Read16(tcp + 2);
    segment.seq = Read32(tcp + 4);
    segment.ack = Read32(tcp + 8);
    segment.flags = tcp[13];
    segment.window = Read16(tcp + 14);
    segment.payloadBytes = transport.bytes - headerBytes;
    const auto size = headerBytes - TCP_BYTES;
    const auto behind = frame.capturedBytes - transport.at - TCP_BYTES;
    ReadOptions(tcp + TCP_BYTES, std::min(size, behind), size, behind, captured);
    captured.rawBytes = static_cast<uint8_t>(std::min(frame.capturedBytes, RAW_BYTES));
    Copy<RAW_BYTES>(captured.raw, frame.data, captured.rawBytes, frame.capturedBytes);
    return GOOD;
}

} // namespace packets
