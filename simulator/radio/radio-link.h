// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_RADIO_LINK_H
#define SMARTSBD_RADIO_LINK_H

#include "path/port.h"
#include "program.h"
#include "scenario.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/wifi-mac.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace smartsbd
{

/**
 * A port whose packets go through the air before its line takes them.
 *
 * Its line is fast: what limits packets is the radio, and the bytes that may wait for it.
 */
class RadioPort : public Port
{
  public:
    using Port::Port;

    /**
     * Send through a device from now on.
     *
     * @param device The device; it tells a packet's end to this port alone.
     * @param peer Address of the only device that it sends to.
     * @param limit Most bytes in the MAC and the air, link headers included.
     */
    void SetDevice(ns3::Ptr<ns3::NetDevice> device, ns3::Mac48Address peer, uint32_t limit);

    /**
     * The other side of the air has a packet.
     *
     * @param packet The packet, which one of these ports sent.
     */
    void Deliver(ns3::Ptr<const ns3::Packet> packet);

    void Send(const Frame& frame) override;

  private:
    /**
     * The MAC gives a packet up.
     *
     * @param reason Whether it was sent in vain, or not at all.
     * @param mpdu The packet.
     */
    void Drop(ns3::WifiMacDropReason reason, ns3::Ptr<const ns3::WifiMpdu> mpdu);

    /**
     * @param packet A packet that this port sent.
     * @return Its frame if it is still under way; it no longer is.
     */
    std::optional<Frame> Take(ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param trace What to call, or null.
     * @param frame What to call it with.
     */
    static void Tell(const ns3::Callback<void, const Frame&>& trace, const Frame& frame);

    ns3::Ptr<ns3::NetDevice> m_device;              //!< What sends
    ns3::Mac48Address m_peer;                       //!< Whom it sends to
    uint64_t m_last{0};                             //!< Number of the last packet sent
    std::unordered_map<uint64_t, Frame> m_underWay; //!< Packets in the MAC or the air, by number
    uint32_t m_limit{0};                            //!< Most bytes there
    uint32_t m_underWayBytes{0};                    //!< Bytes there
};

/**
 * Make an 802.11n link: an access point, and a station that walks away from it, on a channel of
 * their own.
 *
 * @param access The link.
 * @param firstStream Number of the first random stream.
 * @return The access point's port, and the station's.
 */
AccessPorts MakeRadio(const AccessSpec& access, int64_t firstStream);

} // namespace smartsbd

#endif /* SMARTSBD_RADIO_LINK_H */
