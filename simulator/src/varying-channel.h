// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_VARYING_CHANNEL_H
#define SMARTSBD_VARYING_CHANNEL_H

#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

namespace smartsbd
{

/**
 * A point-to-point channel whose delay varies in one direction without reordering.
 *
 * What the first attached device sends takes an extra delay.
 */
class VaryingChannel : public ns3::PointToPointChannel
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    bool TransmitStart(ns3::Ptr<const ns3::Packet> packet,
                       ns3::Ptr<ns3::PointToPointNetDevice> source,
                       ns3::Time txTime) override;

  private:
    /**
     * @param time When a packet enters the channel completely; not before any earlier one.
     * @return Its extra delay, which keeps the order of packets.
     */
    virtual ns3::Time GetExtraDelay(ns3::Time time) = 0;
};

} // namespace smartsbd

#endif /* SMARTSBD_VARYING_CHANNEL_H */
