// SPDX-License-Identifier: MIT

#ifndef PACKETS_SEGMENT_H
#define PACKETS_SEGMENT_H

#include "frame.h"

#include <array>
#include <tuple>

namespace packets
{

/// TCP flags.
enum Flag : uint8_t
{
    FIN = 1,
    SYN = 2,
    RST = 4,
    PSH = 8,
    ACK = 16,
    URG = 32,
    ECE = 64,
    CWR = 128
};

/// Address and port.
struct Endpoint
{
    uint64_t high{0}; //!< Of an IPv6 address
    uint64_t low{0};  //!< Of an IPv6 address; an IPv4 address
    uint16_t port{0};
    uint8_t family{0}; //!< 4 or 6

    bool operator==(const Endpoint&) const = default;

    bool operator<(const Endpoint& other) const
    {
        return std::tie(low, port, high, family) <
               std::tie(other.low, other.port, other.high, other.family);
    }
};

/// What is wrong with the options of a segment.
enum class OptionFault : uint8_t
{
    None,
    Cut,      //!< Not captured whole
    BadLength //!< A length no option has
};

constexpr uint8_t MPTCP_OPTION = 30;
constexpr uint8_t MAX_OPTIONS_BYTES = 40;
constexpr uint8_t MAX_SACK_BLOCKS = 4;
constexpr int8_t NO_WINDOW_SCALE = -1;

/// The edges of SACK blocks, left and right.
using SackEdges = std::array<uint32_t, 2 * MAX_SACK_BLOCKS>;

/// The MPTCP options of a segment.
enum class MptcpOptions : uint8_t
{
    None,
    OneDss, //!< A good one, which is most of what there is
    Other
};

/// One TCP segment, as the ends of its connection take it.
struct Segment
{
    int64_t timeNs;
    uint32_t seq;
    uint32_t ack; //!< Counts if flags has ACK
    uint32_t payloadBytes; //!< Also of what was not captured
    uint16_t window;       //!< As on the wire, not scaled
    uint8_t flags;

    OptionFault fault;
    bool hasTimestamps;
    bool sackPermitted;
    uint8_t sackBlocks;
    int8_t windowScale;
    uint16_t mss; //!< 0 where there is none
    MptcpOptions mptcp;
    uint8_t dataAckBits; //!< Of MptcpOptions::OneDss, 0 if it has none
    uint64_t dataAck;
    uint32_t tsval;
    uint32_t tsecr;
    const uint32_t* sack; //!< Left and right edges

    /// @return Whether it opens a connection.
    bool IsSyn() const
    {
        return (flags & (SYN | ACK)) == SYN;
    }

    /// @return Whether it answers one that does.
    bool IsSynAck() const
    {
        return (flags & (SYN | ACK)) == (SYN | ACK);
    }

    /// @return Whether it takes numbers of sequence.
    bool TakesNumbers() const
    {
        return payloadBytes > 0 || flags & (SYN | FIN);
    }

    /// @return Sequence number after the segment, not wrapped: SYN and FIN take one each.
    uint64_t End() const
    {
        return uint64_t{seq} + payloadBytes + ((flags & SYN) != 0) + ((flags & FIN) != 0);
    }
};

/// A segment, whom it is between and what it was read from.
struct CapturedSegment
{
    CapturedSegment() = default;
    // A segment refers to its edges.
    CapturedSegment(const CapturedSegment&) = delete;
    CapturedSegment& operator=(const CapturedSegment&) = delete;

    Segment segment;
    SackEdges sack;
    uint64_t offset; //!< Of its record
    Endpoint source;
    Endpoint destination;
    uint32_t identification; //!< Of the IPv4 packet; of IPv6 the flow label
    uint8_t hops;            //!< That are left to it

    uint8_t optionsBytes; //!< Of options that are whole
    uint8_t mptcpAt;      //!< Where the first MPTCP option is, beyond them if there is none
    uint8_t options[MAX_OPTIONS_BYTES];

    uint8_t rawBytes;
    uint8_t raw[RAW_BYTES]; //!< The frame's first bytes
};

/// Why a frame is no segment.
struct Unusable
{
    Verdict verdict; //!< Verdict::Segment where it is one
    int64_t first{0};
    int64_t second{0};
};

/**
 * Read the TCP segment in a frame.
 *
 * @param frame The frame.
 * @param captured Is filled in where there is one.
 * @return Why there is none.
 */
Unusable ReadSegment(const Frame& frame, CapturedSegment& captured);

} // namespace packets

#endif // PACKETS_SEGMENT_H
