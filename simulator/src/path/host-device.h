// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_HOST_DEVICE_H
#define SMARTSBD_HOST_DEVICE_H

#include "path/frame.h"
#include "path/port.h"

#include "ns3/callback.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>
#include <list>

namespace smartsbd
{

/**
 * An interface of a host: where packets leave the IP layer for the network's ports and come back.
 *
 * It is a PointToPointNetDevice to the IP layer only (no ARP, MTU of 1500 bytes); neither the
 * queue nor the channel of one is used.
 */
class HostDevice : public ns3::PointToPointNetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /**
     * Let the host reach another one; the interface is up and has its address.
     *
     * @param destination Address of the other host.
     * @param route The way there; all routes of an interface begin with the same port.
     */
    void AddRoute(ns3::Ipv4Address destination, const Route& route);

    /**
     * @param callback Called with each packet, from its link header on, when it leaves or arrives;
     *                 to be set after the routes.
     */
    void SetRecordCallback(ns3::Callback<void, ns3::Ptr<const ns3::Packet>> callback);

    /**
     * A packet has reached the host.
     *
     * @param frame The packet.
     */
    void Receive(const Frame& frame);

    /// From now on nothing leaves this interface, as if its host were switched off.
    void Silence();

    bool Send(ns3::Ptr<ns3::Packet> packet,
              const ns3::Address& destination,
              uint16_t protocol) override;

  private:
    /// A way to another host.
    struct Destination
    {
        ns3::Ipv4Address address; //!< Address of the host
        Route route;              //!< The way
    };

    /**
     * @param packet A packet with its IP header.
     * @return Its way.
     */
    const Route& FindRoute(ns3::Ptr<const ns3::Packet> packet) const;

    /**
     * @param frame A packet to record.
     */
    void Record(const Frame& frame) const;

    std::list<Destination> m_destinations;                     //!< Ways to other hosts
    ns3::Ptr<ns3::Ipv4L3Protocol> m_ip;                        //!< IP layer of the host
    ns3::Ptr<ns3::Ipv4Interface> m_interface;                  //!< This interface, as it sees it
    ns3::Callback<void, ns3::Ptr<const ns3::Packet>> m_record; //!< Records packets, or null
    bool m_silent{false};                                      //!< Whether nothing leaves it
};

} // namespace smartsbd

#endif /* SMARTSBD_HOST_DEVICE_H */
