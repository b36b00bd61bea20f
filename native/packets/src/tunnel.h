// SPDX-License-Identifier: MIT

#ifndef PACKETS_TUNNEL_H
#define PACKETS_TUNNEL_H

#include "link.h"

namespace packets
{

/**
 * Look for a packet in the payload of an IP packet.
 *
 * RFC 2003 and 2473 (IP in IP), 2784 and 2890 (GRE), 2637 (PPTP), 4023 (MPLS in IP), 3378
 * (EtherIP), 7348 (VXLAN), 3GPP TS 29.281 (GTP-U). A packet with TCP, or with anything else, is
 * where the frame's IP packet starts.
 *
 * @param frame The frame.
 * @param at Where the IP packet starts.
 * @return The layer in its payload, or the packet itself.
 */
LinkStep AfterIp(const Frame& frame, uint32_t at);

} // namespace packets

#endif // PACKETS_TUNNEL_H
