// SPDX-License-Identifier: MIT

#include "link.h"

#include "tunnel.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace packets
{

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint16_t IPV6 = 0x86dd;
constexpr uint16_t TRANSPARENT_ETHERNET = 0x6558;
constexpr uint16_t MPLS = 0x8847;
constexpr uint16_t MPLS_UPSTREAM = 0x8848;
constexpr uint16_t PPPOE_SESSION = 0x8864;
constexpr uint16_t EDSA_TAG = 0xdada;
/// Less is no EtherType but a length, and LLC follows.
constexpr uint16_t LOWEST_ETHERTYPE = 0x0600;
constexpr uint16_t PPP_IPV4 = 0x0021;
constexpr uint16_t PPP_IPV6 = 0x0057;

constexpr uint32_t MAC_ADDRESSES_BYTES = 12;
constexpr uint32_t ETHERNET_BYTES = MAC_ADDRESSES_BYTES + 2;
constexpr uint32_t PPPOE_BYTES = 6;
constexpr uint32_t LABEL_BYTES = 4;

/// LLC of SNAP, and the organisation whose types are EtherTypes: RFC 1042, and the bridges' own.
constexpr uint8_t SNAP[][6] = {{0xaa, 0xaa, 3, 0, 0, 0}, {0xaa, 0xaa, 3, 0, 0, 0xf8}};
constexpr uint32_t SNAP_BYTES = 6;

const LinkStep CUT{Verdict::CutLink};
const LinkStep NOT_IP{Verdict::NotIp};

/// @return A step that goes on with what starts at `at`.
LinkStep
GoOn(LayerReader next, uint32_t at)
{
    return {Verdict::Segment, at, next};
}

uint16_t
ReadLittle16(const uint8_t* at)
{
    return static_cast<uint16_t>(at[1] << 8 | at[0]);
}

uint32_t
ReadLittle32(const uint8_t* at)
{
    return __builtin_bswap32(Read32(at));
}

/// @return How many bytes were captured from `at` on.
uint32_t
LeftOf(const Frame& frame, uint32_t at)
{
    return frame.capturedBytes > at ? frame.capturedBytes - at : 0;
}

/// IP, if its first bits say that it is.
LinkStep
Raw(const Frame& frame, uint32_t at)
{
    if (LeftOf(frame, at) == 0)
    {
        return CUT;
    }
    const auto version = frame.data[at] >> 4;
    return version == 4 || version == 6 ? GoOn(AfterIp, at) : NOT_IP;
}

/// PPP, with or without the address and control bytes of HDLC, its protocol in one byte or two.
LinkStep
Ppp(const Frame& frame, uint32_t at)
{
    const auto* data = frame.data;
    at += LeftOf(frame, at) >= 2 && data[at] == 0xff && data[at + 1] == 0x03 ? 2 : 0;
    const auto left = LeftOf(frame, at);
    // Address without control, or half a protocol that may be IP's.
    if (left == 0 || (left == 1 && (data[at] == 0xff || data[at] == 0)))
    {
        return CUT;
    }
    uint16_t kind = data[at];
    if (kind & 1)
    {
        at += 1;
    }
    else
    {
        kind = left < 2 ? kind : Read16(data + at);
        at += 2;
    }
    return kind == PPP_IPV4 || kind == PPP_IPV6 ? GoOn(AfterIp, at) : NOT_IP;
}

LinkStep
Pppoe(const Frame& frame, uint32_t at)
{
    if (LeftOf(frame, at) < PPPOE_BYTES)
    {
        return CUT;
    }
    // Version 1, type 1, and the code of a session.
    return frame.data[at] == 0x11 && frame.data[at + 1] == 0 ? GoOn(Ppp, at + PPPOE_BYTES) : NOT_IP;
}

/// A stack of labels. What follows the last is IP if its first bits say so.
LinkStep
MplsStack(const Frame& frame, uint32_t at)
{
    for (;; at += LABEL_BYTES)
    {
        if (LeftOf(frame, at) < LABEL_BYTES)
        {
            return CUT;
        }
        if (frame.data[at + 2] & 1)
        {
            return Raw(frame, at + LABEL_BYTES);
        }
    }
}

/// LLC with SNAP, and the EtherType behind it.
LinkStep
Llc(const Frame& frame, uint32_t at)
{
    const auto there = std::min(LeftOf(frame, at), SNAP_BYTES);
    const auto isSnap = [&](const uint8_t* snap) {
        return std::memcmp(frame.data + at, snap, there) == 0;
    };
    if (there > 0 && std::none_of(std::begin(SNAP), std::end(SNAP), isSnap))
    {
        return NOT_IP;
    }
    return there < SNAP_BYTES ? CUT : GoOn(AfterEtherType, at + SNAP_BYTES);
}

LinkStep
Ethernet(const Frame& frame, uint32_t at)
{
    return AfterEtherType(frame, at + MAC_ADDRESSES_BYTES);
}

/// An Ethernet frame with a switch's tag of four bytes behind its addresses, or before them.
LinkStep
TaggedEthernet(const Frame& frame, uint32_t at)
{
    return AfterEtherType(frame, at + 4 + MAC_ADDRESSES_BYTES);
}

/// A switch's tag of eight bytes, of which the first two are an EtherType of its own.
LinkStep
EdsaEthernet(const Frame& frame, uint32_t at)
{
    return AfterEtherType(frame, at + 8 + MAC_ADDRESSES_BYTES);
}

LinkStep
CookedV1(const Frame& frame, uint32_t at)
{
    return AfterEtherType(frame, at + 14);
}

/// Linux cooked v2: the protocol comes first, the packet after 20 bytes.
LinkStep
CookedV2(const Frame& frame, uint32_t at)
{
    if (LeftOf(frame, at) < 20)
    {
        return CUT;
    }
    const auto kind = Read16(frame.data + at);
    return IsVlan(kind) ? AfterEtherType(frame, at + 22) : AfterKind(kind, at + 20);
}

/// A 32-bit address family, in the byte order of the capturing machine (NULL) or network (LOOP).
bool
IsIpFamily(const uint8_t* at)
{
    const auto family = Read32(at);
    switch (std::min(family, __builtin_bswap32(family)))
    {
    case 2:  // AF_INET
    case 10: // AF_INET6 of Linux, and of others
    case 24:
    case 28:
    case 30:
        return true;
    default:
        return false;
    }
}

LinkStep
Loopback(const Frame& frame, uint32_t at)
{
    if (LeftOf(frame, at) < 4)
    {
        return CUT;
    }
    return IsIpFamily(frame.data + at) ? GoOn(AfterIp, at + 4) : NOT_IP;
}

/// OpenBSD's IPsec: an address family, an index and flags.
LinkStep
Enc(const Frame& frame, uint32_t at)
{
    if (LeftOf(frame, at) < 12)
    {
        return CUT;
    }
    return IsIpFamily(frame.data + at) ? GoOn(AfterIp, at + 12) : NOT_IP;
}

/// OpenBSD's packet filter: a header that says how long it is, but for its padding.
LinkStep
Pflog(const Frame& frame, uint32_t at)
{
    return LeftOf(frame, at) == 0 ? CUT : Raw(frame, at + (frame.data[at] + 3U) / 4 * 4);
}

LinkStep
Ipnet(const Frame& frame, uint32_t at)
{
    return Raw(frame, at + 24);
}

/// HDLC as Cisco has it: address, control, EtherType.
LinkStep
CiscoHdlc(const Frame& frame, uint32_t at)
{
    return AfterEtherType(frame, at + 2);
}

LinkStep
CiscoHdlcWithDirection(const Frame& frame, uint32_t at)
{
    return CiscoHdlc(frame, at + 1);
}

/// A byte that says which way the frame went, then PPP.
LinkStep
PppWithDirection(const Frame& frame, uint32_t at)
{
    return Ppp(frame, at + 1);
}

/// The address byte says which way the frame went.
LinkStep
Pppd(const Frame& frame, uint32_t at)
{
    return Ppp(frame, at + 2);
}

/// IP over FireWire: two addresses of eight bytes.
LinkStep
FireWire(const Frame& frame, uint32_t at)
{
    return AfterEtherType(frame, at + 16);
}

LinkStep
Atm(const Frame& frame, uint32_t at)
{
    return Llc(frame, at);
}

/**
 * Netfilter's log: four bytes, then attributes in the byte order of the capturing machine. The
 * kinds of attributes are less than 256, so the first of them tells the order.
 */
LinkStep
Nflog(const Frame& frame, uint32_t at)
{
    constexpr uint16_t payload = 9;
    constexpr uint32_t headBytes = 4;
    at += 4;
    if (LeftOf(frame, at) < headBytes)
    {
        return CUT;
    }
    const auto read = frame.data[at + 3] == 0 ? ReadLittle16 : Read16;
    while (LeftOf(frame, at) >= headBytes)
    {
        const uint32_t length = read(frame.data + at);
        if (read(frame.data + at + 2) == payload)
        {
            return Raw(frame, at + headBytes);
        }
        if (length < headBytes)
        {
            return NOT_IP;
        }
        at += (length + 3) / 4 * 4;
    }
    return CUT;
}

/// What Apple's kernel writes of each packet, with the link type of its interface, a number of
/// 16 bits: before the interface's name, or behind it, where letters are in its place.
LinkStep
Pktap(const Frame& frame, uint32_t at)
{
    constexpr uint32_t packetRecord = 1;
    constexpr uint32_t leastBytes = 12;
    constexpr uint32_t behindName = 32;
    if (LeftOf(frame, at) < leastBytes)
    {
        return CUT;
    }
    const auto* data = frame.data + at;
    const auto bytes = ReadLittle32(data);
    if (bytes < leastBytes || ReadLittle32(data + 4) != packetRecord)
    {
        return NOT_IP;
    }
    if (bytes > LeftOf(frame, at))
    {
        return CUT;
    }
    auto link = ReadLittle32(data + 8);
    if (link > UINT16_MAX && bytes >= behindName + 4)
    {
        link = ReadLittle32(data + behindName);
    }
    return OfLink(link, at + bytes);
}

/// The number that Apple's tcpdump gives PKTAP is anybody's: it is where it looks so.
LinkStep
PktapOrUser(const Frame& frame, uint32_t at)
{
    constexpr uint32_t leastBytes = 76;
    constexpr uint32_t mostBytes = 512;
    const auto bytes = LeftOf(frame, at) < 8 ? 0 : ReadLittle32(frame.data + at);
    const bool isPktap = bytes >= leastBytes && bytes <= mostBytes && bytes % 4 == 0 &&
                         ReadLittle32(frame.data + at + 4) <= 1;
    return isPktap ? Pktap(frame, at) : LinkStep{Verdict::UnknownLink, frame.link};
}

/// @return The payload of an 802.11 data frame whose header starts at `at` and has `bytes`.
LinkStep
WirelessBody(const Frame& frame, uint32_t at, uint32_t bytes, bool isProtected)
{
    // Drivers that decrypt may leave the flag, and the fields before what was encrypted.
    for (const uint32_t past : {0, 4, 8})
    {
        const auto body = at + bytes + past;
        if (!isProtected)
        {
            return Llc(frame, body);
        }
        if (LeftOf(frame, body) >= SNAP_BYTES &&
            std::memcmp(frame.data + body, SNAP[0], SNAP_BYTES) == 0)
        {
            return Llc(frame, body);
        }
    }
    return {Verdict::Encrypted};
}

/// An 802.11 frame; `padTo` is what its header is a multiple of, in bytes.
LinkStep
WirelessFrame(const Frame& frame, uint32_t at, uint32_t padTo)
{
    constexpr uint32_t leastBytes = 24;
    if (LeftOf(frame, at) < 2)
    {
        return CUT;
    }
    const auto control = frame.data[at];
    const auto flags = frame.data[at + 1];
    const bool isData = (control & 0x0f) == 0x08;
    if (!isData || control & 0x40)
    {
        // Of another version, no data frame, or one without data.
        return NOT_IP;
    }
    const bool isQos = control & 0x80;
    const uint32_t addressBytes = leastBytes + ((flags & 3) == 3 ? 6 : 0);
    auto bytes = addressBytes + (isQos ? 2 : 0) + (isQos && flags & 0x80 ? 4 : 0);
    if (LeftOf(frame, at) < bytes)
    {
        return CUT;
    }
    // More fragments, or not the first.
    if (flags & 0x04 || frame.data[at + 22] & 0x0f)
    {
        return {Verdict::Fragment};
    }
    if (isQos && frame.data[at + addressBytes] & 0x80)
    {
        return {Verdict::Aggregate};
    }
    bytes = (bytes + padTo - 1) / padTo * padTo;
    return WirelessBody(frame, at, bytes, flags & 0x40);
}

LinkStep
Wireless(const Frame& frame, uint32_t at)
{
    return WirelessFrame(frame, at, 1);
}

/// A header of which fields are there as its bits say. Of them the flags are read.
LinkStep
Radiotap(const Frame& frame, uint32_t at)
{
    constexpr uint32_t hasMore = 1U << 31;
    if (LeftOf(frame, at) < 8)
    {
        return CUT;
    }
    const auto* data = frame.data + at;
    const uint32_t bytes = ReadLittle16(data + 2);
    if (data[0] != 0 || bytes < 8)
    {
        return NOT_IP;
    }
    if (LeftOf(frame, at) < bytes)
    {
        return CUT;
    }
    const auto present = ReadLittle32(data + 4);
    uint32_t field = 4;
    while (field + 4 <= bytes && ReadLittle32(data + field) & hasMore)
    {
        field += 4;
    }
    field += 4;
    if (present & 1)
    {
        // A time of eight bytes, at a multiple of eight.
        field = (field + 7) / 8 * 8 + 8;
    }
    const auto flags = present & 2 && field < bytes ? data[field] : uint8_t{0};
    if (flags & 0x40)
    {
        return {Verdict::Damaged};
    }
    return WirelessFrame(frame, at + bytes, flags & 0x20 ? 4 : 1);
}

/// Prism and AVS: a header that says how long it is, then an 802.11 frame.
LinkStep
Prism(const Frame& frame, uint32_t at)
{
    if (LeftOf(frame, at) < 8)
    {
        return CUT;
    }
    const auto bytes = std::min(Read32(frame.data + at + 4), ReadLittle32(frame.data + at + 4));
    if (bytes < 8)
    {
        return NOT_IP;
    }
    return LeftOf(frame, at) < bytes ? CUT : Wireless(frame, at + bytes);
}

/// A header that says how long it is, and of which link type what follows is.
LinkStep
Ppi(const Frame& frame, uint32_t at)
{
    constexpr uint32_t leastBytes = 8;
    if (LeftOf(frame, at) < leastBytes)
    {
        return CUT;
    }
    const uint32_t bytes = ReadLittle16(frame.data + at + 2);
    if (bytes < leastBytes)
    {
        return NOT_IP;
    }
    return LeftOf(frame, at) < bytes ? CUT
                                     : OfLink(ReadLittle32(frame.data + at + 4), at + bytes);
}

/// @return Whether a frame is what most are: TCP over IPv4 over Ethernet.
bool
IsPlain(const Frame& frame)
{
    constexpr uint32_t ethernet = 1;
    constexpr uint32_t ipv4Bytes = 20;
    constexpr uint8_t tcp = 6;
    const auto* ip = frame.data + ETHERNET_BYTES;
    return frame.link == ethernet && frame.capturedBytes >= ETHERNET_BYTES + ipv4Bytes &&
           Read16(frame.data + MAC_ADDRESSES_BYTES) == IPV4 && ip[0] >> 4 == 4 && ip[9] == tcp;
}

} // namespace

LinkStep
AfterEtherType(const Frame& frame, uint32_t at)
{
    for (;; at += 4)
    {
        if (LeftOf(frame, at) < 2)
        {
            return CUT;
        }
        const auto kind = Read16(frame.data + at);
        if (!IsVlan(kind))
        {
            return AfterKind(kind, at + 2);
        }
    }
}

LinkStep
AfterKind(uint16_t kind, uint32_t at)
{
    switch (kind)
    {
    case IPV4:
    case IPV6:
        return GoOn(AfterIp, at);
    case PPPOE_SESSION:
        return GoOn(Pppoe, at);
    case MPLS:
    case MPLS_UPSTREAM:
        return GoOn(MplsStack, at);
    case TRANSPARENT_ETHERNET:
        return GoOn(Ethernet, at);
    case EDSA_TAG:
        return GoOn(AfterEtherType, at + 6);
    default:
        return kind < LOWEST_ETHERTYPE ? GoOn(Llc, at) : NOT_IP;
    }
}

LinkStep
AfterPpp(const Frame& frame, uint32_t at)
{
    return Ppp(frame, at);
}

LinkStep
AfterEthernet(const Frame& frame, uint32_t at)
{
    return Ethernet(frame, at);
}

LinkStep
IfIp(const Frame& frame, uint32_t at)
{
    return Raw(frame, at);
}

LinkStep
OfLink(uint32_t link, uint32_t at)
{
    switch (link)
    {
    case 0:
    case 108:
        return GoOn(Loopback, at);
    case 1:
        return GoOn(Ethernet, at);
    case 9:
    case 50:
        return GoOn(Ppp, at);
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
        return GoOn(Raw, at);
    case 51:
        return GoOn(Pppoe, at);
    case 100:
        return GoOn(Atm, at);
    case 104:
        return GoOn(CiscoHdlc, at);
    case 105:
        return GoOn(Wireless, at);
    case 109:
        return GoOn(Enc, at);
    case 113:
        return GoOn(CookedV1, at);
    case 117:
        return GoOn(Pflog, at);
    case 119:
    case 163:
        return GoOn(Prism, at);
    case 127:
        return GoOn(Radiotap, at);
    case 138:
        return GoOn(FireWire, at);
    case 149:
        return GoOn(PktapOrUser, at);
    case 166:
        return GoOn(Pppd, at);
    case 192:
        return GoOn(Ppi, at);
    case 204:
        return GoOn(PppWithDirection, at);
    case 205:
        return GoOn(CiscoHdlcWithDirection, at);
    case 226:
        return GoOn(Ipnet, at);
    case 239:
        return GoOn(Nflog, at);
    case 258:
        return GoOn(Pktap, at);
    case 276:
        return GoOn(CookedV2, at);
    case 281:
    case 282:
    case 284:
        return GoOn(TaggedEthernet, at);
    case 285:
        return GoOn(EdsaEthernet, at);
    default:
        return {Verdict::UnknownLink, link};
    }
}

IpStart
FindIp(const Frame& frame)
{
    if (IsPlain(frame))
    {
        return {Verdict::Segment, ETHERNET_BYTES};
    }
    auto step = OfLink(frame.link, 0);
    while (step.next)
    {
        step = step.next(frame, step.at);
    }
    return {step.verdict, step.at};
}

} // namespace packets
