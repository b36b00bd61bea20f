// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_DISC_PORT_H
#define SMARTSBD_DISC_PORT_H

#include "path/port.h"
#include "scenario.h"

#include "ns3/ptr.h"
#include "ns3/queue-disc.h"

#include <cstdint>
#include <optional>

namespace smartsbd
{

/**
 * A port whose queue is one of ns-3's queue discs, which decides what is dropped, and when.
 *
 * A disc sees every packet, also one that the line takes at once. No disc marks.
 */
class DiscPort : public Port
{
  public:
    /**
     * @param link The link; its discipline is that of a queue disc.
     * @param packet Usual bytes of a packet, link header included.
     * @param stream Number of the random stream of the disc.
     */
    DiscPort(const LinkSpec& link, uint32_t packet, int64_t stream);

    void Send(const Frame& frame) override;

  protected:
    bool HasWaiting() const override;
    std::optional<Frame> TakeNext() override;

  private:
    /**
     * @param item What the disc has dropped.
     */
    void HandleDrop(ns3::Ptr<const ns3::QueueDiscItem> item);

    ns3::Ptr<ns3::QueueDisc> m_disc; //!< The queue
};

} // namespace smartsbd

#endif /* SMARTSBD_DISC_PORT_H */
