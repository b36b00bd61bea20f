// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BURST_PORT_H
#define SMARTSBD_BURST_PORT_H

#include "path/port.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * A port that sends in bursts, as 802.11 aggregates frames.
 *
 * Packets wait until a burst is complete or its first packet has waited for BURST_HOLD. Then all
 * of them go to the port's queue at once, and from there onto the line back to back. The packets
 * that wait are beside the queue and do not count towards its limit.
 */
class BurstPort : public Port
{
  public:
    using Port::Port;

    /**
     * @param low Fewest packets of a complete burst.
     * @param high Most packets of a burst; sizes are uniform between the two.
     * @param stream Number of the random stream.
     */
    void SetBurst(uint32_t low, uint32_t high, int64_t stream);

    void Send(const Frame& frame) override;

  private:
    /// Send all packets that wait.
    void Release();

    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Sizes of bursts
    uint32_t m_size{1};                          //!< Size of the present burst
    std::vector<Frame> m_burst;                  //!< Packets of the present burst
    ns3::EventId m_release;                      //!< Ends the wait
};

} // namespace smartsbd

#endif /* SMARTSBD_BURST_PORT_H */
