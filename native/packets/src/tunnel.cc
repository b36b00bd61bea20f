// SPDX-License-Identifier: MIT

#include "tunnel.h"

namespace packets
{

namespace
{

enum Protocol : uint8_t
{
    HOP_BY_HOP = 0,
    IP_IN_IP = 4,
    TCP = 6,
    UDP = 17,
    IPV6_IN_IP = 41,
    ROUTING = 43,
    FRAGMENT = 44,
    GRE = 47,
    AUTHENTICATION = 51,
    DESTINATION = 60,
    ETHER_IP = 97,
    MPLS_IN_IP = 137
};

constexpr uint16_t MPLS = 0x8847;
constexpr uint16_t GRE_PPP = 0x880b;
constexpr uint32_t IPV4_BYTES = 20;
constexpr uint32_t IPV6_BYTES = 40;
constexpr uint32_t UDP_BYTES = 8;
constexpr uint16_t VXLAN_PORT = 4789;
/// What Linux takes if it is not told another.
constexpr uint16_t OLD_VXLAN_PORT = 8472;
constexpr uint16_t GTP_PORT = 2152;

const LinkStep CUT{Verdict::CutLink};

/// @return Whether so many bytes from `at` on were captured.
bool
Has(const Frame& frame, uint32_t at, uint32_t bytes)
{
    return frame.capturedBytes >= at && frame.capturedBytes - at >= bytes;
}

/// @return The IP packet at `start` itself: it carries no other.
LinkStep
Itself(uint32_t start)
{
    return {Verdict::Segment, start};
}

LinkStep
Gre(const Frame& frame, uint32_t at, uint32_t start)
{
    constexpr uint16_t hasChecksum = 0x8000;
    constexpr uint16_t hasRoute = 0x4000;
    constexpr uint16_t hasKey = 0x2000;
    constexpr uint16_t hasNumber = 0x1000;
    constexpr uint16_t hasAck = 0x0080;
    constexpr uint16_t version = 0x0007;
    if (!Has(frame, at, 4))
    {
        return CUT;
    }
    const auto flags = Read16(frame.data + at);
    const auto kind = Read16(frame.data + at + 2);
    at += 4;
    at += flags & (hasChecksum | hasRoute) ? 4 : 0;
    at += flags & hasKey ? 4 : 0;
    at += flags & hasNumber ? 4 : 0;
    if ((flags & version) == 1 && kind == GRE_PPP)
    {
        // PPTP; without a number it is an acknowledgement alone.
        at += flags & hasAck ? 4 : 0;
        return flags & hasNumber ? AfterPpp(frame, at) : Itself(start);
    }
    if (flags & (version | hasRoute))
    {
        return Itself(start);
    }
    const auto step = AfterKind(kind, at);
    return step.verdict == Verdict::NotIp ? Itself(start) : step;
}

/// VXLAN and GTP-U, by their ports and what their headers must be; all else is no TCP.
LinkStep
Udp(const Frame& frame, uint32_t at, uint32_t start)
{
    constexpr uint8_t hasNetwork = 0x08;
    constexpr uint8_t gtpPacket = 0xff;
    if (!Has(frame, at, UDP_BYTES + 8))
    {
        return Itself(start);
    }
    const auto port = Read16(frame.data + at + 2);
    at += UDP_BYTES;
    const auto* data = frame.data + at;
    if (port == VXLAN_PORT || port == OLD_VXLAN_PORT)
    {
        return data[0] == hasNetwork && data[7] == 0 ? AfterEthernet(frame, at + 8) : Itself(start);
    }
    // Version 1 of the protocol of users' packets.
    if (port != GTP_PORT || (data[0] & 0xf0) != 0x30 || data[1] != gtpPacket)
    {
        return Itself(start);
    }
    at += 8;
    // With any of these flags there are four bytes more, with one of them further headers.
    at += data[0] & 7 ? 4 : 0;
    // The byte before a header is its kind, and its first byte the length in words.
    while (data[0] & 4 && Has(frame, at, 0) && frame.data[at - 1] != 0)
    {
        if (!Has(frame, at, 1))
        {
            return CUT;
        }
        const uint32_t bytes = 4U * frame.data[at];
        if (bytes == 0)
        {
            return Itself(start);
        }
        at += bytes;
    }
    return IfIp(frame, at);
}

LinkStep
Payload(const Frame& frame, uint8_t protocol, uint32_t at, uint32_t start)
{
    switch (protocol)
    {
    case IP_IN_IP:
    case IPV6_IN_IP:
        return IfIp(frame, at);
    case GRE:
        return Gre(frame, at, start);
    case ETHER_IP:
        return AfterEthernet(frame, at + 2);
    case MPLS_IN_IP:
        return AfterKind(MPLS, at);
    case UDP:
        return Udp(frame, at, start);
    default:
        return Itself(start);
    }
}

LinkStep
AfterIpv4(const Frame& frame, uint32_t start)
{
    const auto* header = frame.data + start;
    const uint32_t headerBytes = 4 * (header[0] & 15);
    // More fragments, or not the first: it carries no packet that is whole.
    const bool isWhole = (Read16(header + 6) & 0x3fff) == 0;
    return isWhole && headerBytes >= IPV4_BYTES
               ? Payload(frame, header[9], start + headerBytes, start)
               : Itself(start);
}

LinkStep
AfterIpv6(const Frame& frame, uint32_t start)
{
    auto kind = frame.data[start + 6];
    auto at = start + IPV6_BYTES;
    while (kind == HOP_BY_HOP || kind == ROUTING || kind == FRAGMENT || kind == AUTHENTICATION ||
           kind == DESTINATION)
    {
        if (!Has(frame, at, 8) ||
            (kind == FRAGMENT && Read16(frame.data + at + 2) & 0xfff9))
        {
            return Itself(start);
        }
        const auto* extension = frame.data + at;
        // An authentication header counts words of four bytes, the others of eight.
        at += kind == FRAGMENT         ? 8U
              : kind == AUTHENTICATION ? 4U * extension[1] + 8
                                       : 8U * extension[1] + 8;
        kind = extension[0];
    }
    return Payload(frame, kind, at, start);
}

} // namespace

LinkStep
AfterIp(const Frame& frame, uint32_t at)
{
    // What is cut or broken is so to whoever reads the packet.
    const auto version = Has(frame, at, 1) ? frame.data[at] >> 4 : 0;
    if (version == 4 && Has(frame, at, IPV4_BYTES) && frame.data[at + 9] != TCP)
    {
        return AfterIpv4(frame, at);
    }
    if (version == 6 && Has(frame, at, IPV6_BYTES) && frame.data[at + 6] != TCP)
    {
        return AfterIpv6(frame, at);
    }
    return Itself(at);
}

} // namespace packets
