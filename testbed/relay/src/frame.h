// SPDX-License-Identifier: MIT

#ifndef RELAY_FRAME_H
#define RELAY_FRAME_H

#include <cstddef>
#include <cstdint>

namespace relay
{

/// An IPv4 packet under way.
struct Packet
{
    uint8_t* data;
    uint32_t bytes;
    std::size_t route;
};

/// A packet, and where on its way it is.
struct Frame
{
    Packet packet;
    uint32_t slot;   //!< Of the relay's memory
    bool there;      //!< It goes from the route's address
    std::size_t hop; //!< Ports that it has passed
};

} // namespace relay

#endif
