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
    uint32_t at{0}; //!< Of Verdict::UnknownLink the link type
};

/// @return Whether an EtherType is that of a VLAN tag.
inline bool
IsVlan(uint16_t kind)
{
    return kind == 0x8100 || kind == 0x88a8 || kind == 0x9100;
}

struct LinkStep;

/// Reads the layer that starts at a place of a frame.
using LayerReader = LinkStep (*)(const Frame& frame, uint32_t at);

/**
 * Where the next layer starts, and what reads it; without that, where IP starts, or why it does
 * not. Each layer takes bytes, and none is read within another: a frame may have any number.
 */
struct LinkStep
{
    Verdict verdict;
    uint32_t at{0};
    LayerReader next{nullptr};
};

/// @return What follows the EtherType at `at`, past VLAN tags.
LinkStep AfterEtherType(const Frame& frame, uint32_t at);

/// @return What starts at `at`, of an EtherType.
LinkStep AfterKind(uint16_t kind, uint32_t at);

/// @return What is in the PPP frame at `at`.
LinkStep AfterPpp(const Frame& frame, uint32_t at);

/// @return What is in the Ethernet frame at `at`.
LinkStep AfterEthernet(const Frame& frame, uint32_t at);

/// @return IP at `at`, if its first bits say that it is.
LinkStep IfIp(const Frame& frame, uint32_t at);

/// @return What reads a link type, from `at` on.
LinkStep OfLink(uint32_t link, uint32_t at);

/**
 * Find the IP packet behind the link layer and, where that carries others, the innermost.
 *
 * The list of LINKTYPE_ numbers of draft-ietf-opsawg-pcaplinktype; RFC 1661 and 1662 (PPP), 2516
 * (PPPoE), 3032 (MPLS), 1042 (SNAP), IEEE 802.1Q, 802.1ad and 802.11. A new link layer is one
 * function and one line in link.cc.
 *
 * @param frame The frame.
 * @return Verdict::Segment and where IP starts, or why it does not.
 */
IpStart FindIp(const Frame& frame);

} // namespace packets

#endif // PACKETS_LINK_H
