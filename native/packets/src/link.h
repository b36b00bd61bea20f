// SPDX-License-Identifier: MIT

#ifndef PACKETS_LINK_H
#define PACKETS_LINK_H

#include "frame.h"

namespace packets
{

/// Where the IP packet starts in a frame, or why it does not.
struct IpStart
{
    Verdict verdict;
    uint32_t at{0};
};

/// @return Whether an EtherType is that of a VLAN tag.
inline bool
IsVlan(uint16_t kind)
{
    return kind == 0x8100 || kind == 0x88a8 || kind == 0x9100;
}

/**
 * Find the IP packet behind the link layer.
 *
 * The list of LINKTYPE_ numbers of draft-ietf-opsawg-pcaplinktype; RFC 1661 and 1662 (PPP), IEEE
 * 802.1Q and 802.1ad. A new link layer is one function and one line in link.cc.
 *
 * @param frame The frame.
 * @return Verdict::Segment and where IP starts, or why it does not.
 */
IpStart FindIp(const Frame& frame);

} // namespace packets

#endif // PACKETS_LINK_H
