// SPDX-License-Identifier: MIT

#ifndef RELAY_TUNNEL_H
#define RELAY_TUNNEL_H

#include "plan.h"

#include <cstdint>

namespace relay
{

/// A TUN device in a network namespace.
class Tunnel
{
  public:
    /**
     * Make the device. The thread is in its namespace from then on.
     *
     * @param host Where, and its name.
     */
    explicit Tunnel(const HostPlan& host);
    ~Tunnel();
    Tunnel(const Tunnel&) = delete;
    Tunnel& operator=(const Tunnel&) = delete;

    /// @return Its file.
    int GetFile() const;

    /**
     * @param data Where a packet is put.
     * @param room Bytes there.
     * @return Bytes of the packet; 0 if there is none.
     */
    uint32_t Read(uint8_t* data, uint32_t room) const;

    /**
     * @param data A packet.
     * @param bytes Its size.
     * @return Whether the device took it.
     */
    bool Write(const uint8_t* data, uint32_t bytes) const;

  private:
    int m_file;
};

} // namespace relay

#endif
