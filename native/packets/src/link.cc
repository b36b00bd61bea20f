// SPDX-License-Identifier: MIT

#include "link.h"

#include <algorithm>

namespace packets
{

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint16_t IPV6 = 0x86dd;
constexpr uint16_t PPP_IPV4 = 0x0021;
constexpr uint16_t PPP_IPV6 = 0x0057;

constexpr IpStart CUT{Verdict::CutLink};
constexpr IpStart NOT_IP{Verdict::NotIp};

IpStart
Found(uint32_t at)
{
    return {Verdict::Segment, at};
}

/// IP after the EtherType at `at`, past VLAN tags.
IpStart
AfterEtherType(const Frame& frame, uint32_t at)
{
    for (;; at += 4)
    {
        if (frame.capturedBytes < at + 2)
        {
            return CUT;
        }
        const auto kind = Read16(frame.data + at);
        if (kind == IPV4 || kind == IPV6)
        {
            return Found(at + 2);
        }
        if (!IsVlan(kind))
        {
            return NOT_IP;
        }
    }
}

IpStart
Ethernet(const Frame& frame)
{
    return AfterEtherType(frame, 12);
}

IpStart
CookedV1(const Frame& frame)
{
    return AfterEtherType(frame, 14);
}

/// Linux cooked v2: the protocol comes first, the packet after 20 bytes.
IpStart
CookedV2(const Frame& frame)
{
    if (frame.capturedBytes < 20)
    {
        return CUT;
    }
    const auto kind = Read16(frame.data);
    if (IsVlan(kind))
    {
        return AfterEtherType(frame, 22);
    }
    return kind == IPV4 || kind == IPV6 ? Found(20) : NOT_IP;
}

IpStart
Raw(const Frame& frame)
{
    if (frame.capturedBytes == 0)
    {
        return CUT;
    }
    const auto version = frame.data[0] >> 4;
    return version == 4 || version == 6 ? Found(0) : NOT_IP;
}

/// PPP, with or without the address and control bytes of HDLC, its protocol in one byte or two.
IpStart
Ppp(const Frame& frame)
{
    const auto* data = frame.data;
    const auto captured = frame.capturedBytes;
    uint32_t at = captured >= 2 && data[0] == 0xff && data[1] == 0x03 ? 2 : 0;
    const auto left = captured - at;
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
    return kind == PPP_IPV4 || kind == PPP_IPV6 ? Found(at) : NOT_IP;
}

/// A 32-bit address family, in the byte order of the capturing machine (NULL) or network (LOOP).
IpStart
Loopback(const Frame& frame)
{
    if (frame.capturedBytes < 4)
    {
        return CUT;
    }
    const auto family = Read32(frame.data);
    switch (std::min(family, __builtin_bswap32(family)))
    {
    case 2:  // AF_INET
    case 10: // AF_INET6 of Linux, and of others
    case 24:
    case 28:
    case 30:
        return Found(4);
    default:
        return NOT_IP;
    }
}

} // namespace

IpStart
FindIp(const Frame& frame)
{
    switch (frame.link)
    {
    case 1:
        return Ethernet(frame);
    case 0:
    case 108:
        return Loopback(frame);
    case 9:
    case 50:
        return Ppp(frame);
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
        return Raw(frame);
    case 113:
        return CookedV1(frame);
    case 276:
        return CookedV2(frame);
    default:
        return {Verdict::UnknownLink};
    }
}

} // namespace packets
