// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BURST_DEVICE_H
#define SMARTSBD_BURST_DEVICE_H

#include "ns3/event-id.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * A point-to-point device that sends in bursts, as 802.11 aggregates frames.
 *
 * Packets wait until a burst is complete or its first packet has waited for BURST_HOLD. Then all
 * of them go to the device's queue at once, and from there onto the link back to back. The
 * packets that wait are beside the queue and do not count towards its limit.
 */
class BurstDevice : public ns3::PointToPointNetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    BurstDevice();

    /**
     * @param low Fewest packets of a complete burst.
     * @param high Most packets of a burst; sizes are uniform between the two.
     * @param stream Number of the random stream.
     */
    void SetBurst(uint32_t low, uint32_t high, int64_t stream);

    bool Send(ns3::Ptr<ns3::Packet> packet,
              const ns3::Address& destination,
              uint16_t protocol) override;

  private:
    /// A packet that waits for its burst, with the arguments of its Send().
    struct Waiting
    {
        ns3::Ptr<ns3::Packet> packet; //!< The packet
        ns3::Address destination;     //!< Its destination
        uint16_t protocol;            //!< Its protocol
    };

    /// Send all packets that wait.
    void Release();

    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Sizes of bursts
    uint32_t m_size{1};                          //!< Size of the present burst
    std::vector<Waiting> m_waiting;              //!< Packets of the present burst
    ns3::EventId m_release;                      //!< Ends the wait
};

} // namespace smartsbd

#endif /* SMARTSBD_BURST_DEVICE_H */
