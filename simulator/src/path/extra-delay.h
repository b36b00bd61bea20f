// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_EXTRA_DELAY_H
#define SMARTSBD_EXTRA_DELAY_H

#include "ns3/nstime.h"

namespace smartsbd
{

/// A delay that comes on top of that of propagation, and that varies without reordering.
class ExtraDelay
{
  public:
    virtual ~ExtraDelay() = default;

    /**
     * @param time When a packet enters the line completely; not before any earlier one.
     * @return Its extra delay, which keeps the order of packets.
     */
    virtual ns3::Time Get(ns3::Time time) = 0;
};

} // namespace smartsbd

#endif /* SMARTSBD_EXTRA_DELAY_H */
