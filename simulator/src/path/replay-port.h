// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_REPLAY_PORT_H
#define SMARTSBD_REPLAY_PORT_H

#include "path/opportunities.h"
#include "path/port.h"

#include <cstdint>
#include <deque>
#include <memory>

namespace smartsbd
{

/**
 * A port whose line sends at the moments of a recording, as mahimahi's link does.
 *
 * Each moment carries Opportunities::BYTES bytes of IP packets, of one after another: where a
 * packet ends before the bytes do, the next one begins, and where the bytes end before the packet
 * does, its rest waits for the next moment. A packet leaves, whole, at the moment that carries its
 * last byte. What comes at a moment waits for a later one. Bytes that nobody waits for are lost.
 *
 * The queue does not count the packet of which a part is gone.
 */
class ReplayPort : public Port
{
  public:
    /**
     * @param opportunities When the line sends.
     * @param limit Queue limit in bytes.
     * @param delay Delay of propagation.
     */
    ReplayPort(std::shared_ptr<const Opportunities> opportunities,
               uint32_t limit,
               ns3::Time delay);

    void Send(const Frame& frame) override;

  private:
    /// @return Whether there is something to send that came before now.
    bool HasMore() const;

    /// Wait for the next moment.
    void Plan();

    /// Send what the present moment carries.
    void Deliver();

    /// Send what one opportunity carries.
    void UseOne();

    std::shared_ptr<const Opportunities> m_opportunities; //!< When the line sends
    uint64_t m_next{0};                                   //!< Number of the next one
    bool m_planned{false};                                //!< Whether Deliver() will be called
    std::deque<ns3::Time> m_came;                         //!< When what waits came
    Frame m_sending{};                                     //!< Packet of which a part is gone
    uint32_t m_left{0};                                   //!< Bytes of it that are not; 0: none is
};

} // namespace smartsbd

#endif /* SMARTSBD_REPLAY_PORT_H */
