// SPDX-License-Identifier: MIT

#ifndef PACKETS_FRAME_H
#define PACKETS_FRAME_H

#include <cstdint>

namespace packets
{

/// A packet and its headers; captures of segments the network card is to cut hold 64 KiB and more.
constexpr uint32_t MAX_PACKET_BYTES = 1U << 19;

/// How much of a refused record is kept.
constexpr uint32_t RAW_BYTES = 64;

/// What becomes of a frame; traces/recorded.py has the words, in this order.
enum class Verdict : uint8_t
{
    Segment,
    // Good, but no record of a connection.
    NotIp,
    NotTcp,
    Fragment,
    Encrypted, // 802.11
    Aggregate, // 802.11: several packets in one frame
    Damaged,   // 802.11
    SeenTwice, // A copy of a packet that was captured before
    // Refused. In the comments: the two numbers that go with it.
    CutRecordHead,    // captured, wanted
    CutRecord,        // captured, wanted
    TooLong,          // length
    BadMagic,         // magic
    BadBlockLength,   // length
    CutBlockHead,     // captured, wanted
    CutBlock,         // captured, wanted
    TwoLengths,       //
    BadInterface,     //
    NoTime,           //
    ShortPacketBlock, // length
    NoInterface,      // number, interfaces
    BeyondBlock,      // captured, length
    UnknownLink,      // link
    CutLink,          //
    CutIp,            //
    CutIpv4,          //
    CutIpv6,          //
    CutExtension,     //
    CutTcp,           //
    BadVersion,       // version
    BadIpv4Length,    // header, total
    BadExtension,     // header, rest
    BadIpLength,      // length
    BadTcpLength,     // header, transport
    BeforeTime,       //
    BeyondTime,       //
    Backwards,        // time, time before
    SynInside,        // time, time before
    COUNT
};

/// The last verdict on a frame that is good, but no record of a connection.
constexpr auto LAST_UNUSED = Verdict::SeenTwice;

/// One captured packet.
struct Frame
{
    uint64_t offset;     //!< Where its record starts, bytes of the decompressed input
    int64_t timeNs;      //!< Since 1970, or the capture's own origin
    uint32_t link;       //!< Link-layer type (LINKTYPE_ number)
    uint32_t capturedBytes;
    uint32_t wireBytes;  //!< How long it was
    const uint8_t* data; //!< From the link layer on
    uint32_t interface{0}; //!< Number of the interface in its section, of a pcapng file
};

/// A frame or a record that is refused.
struct Refusal
{
    uint64_t offset;
    int64_t first;  //!< What goes with the verdict
    int64_t second; //!< What goes with the verdict
    Verdict verdict;
    uint8_t rawBytes;
    uint8_t raw[RAW_BYTES]; //!< The record's first bytes
};

/// @return A number in the network's byte order.
inline uint16_t
Read16(const uint8_t* at)
{
    return static_cast<uint16_t>(at[0] << 8 | at[1]);
}

/// @return A number in the network's byte order.
inline uint32_t
Read32(const uint8_t* at)
{
    uint32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return __builtin_bswap32(value);
}

/// @return A number in the network's byte order.
inline uint64_t
Read64(const uint8_t* at)
{
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return __builtin_bswap64(value);
}

} // namespace packets

#endif // PACKETS_FRAME_H
