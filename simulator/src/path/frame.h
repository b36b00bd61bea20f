// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_FRAME_H
#define SMARTSBD_FRAME_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace smartsbd
{

class HostDevice;
class Port;

/// Bytes of the link header.
inline constexpr uint32_t LINK_HEADER = 2;

/// The way of packets from one host to another.
struct Route
{
    std::vector<Port*> ports;           //!< Ports they leave, in this order; the host's own first
    HostDevice* end;                    //!< Interface they reach
    std::optional<std::size_t> subflow; //!< Subflow they belong to, or none: background traffic
};

/// A packet on its way.
struct Frame
{
    ns3::Ptr<ns3::Packet> packet; //!< The packet, from its IP header on; nobody else changes it
    const Route* route;           //!< Its way; it outlives the frame
    std::size_t hop;              //!< Index of the port it leaves next, or is leaving
    uint32_t size;                //!< Bytes it takes on the line, link header included
};

} // namespace smartsbd

#endif /* SMARTSBD_FRAME_H */
