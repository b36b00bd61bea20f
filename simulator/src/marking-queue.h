// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MARKING_QUEUE_H
#define SMARTSBD_MARKING_QUEUE_H

#include "ns3/drop-tail-queue.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace smartsbd
{

/**
 * A drop-tail queue of a point-to-point device that marks before it drops.
 *
 * A packet that finds more than a threshold of bytes waiting is marked "congestion experienced"
 * if its transport can use ECN. Other packets, and a full queue, are as without marking.
 */
class MarkingQueue : public ns3::DropTailQueue<ns3::Packet>
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /**
     * @param bytes Queue length in bytes above which packets are marked.
     */
    void SetThreshold(uint32_t bytes);

    bool Enqueue(ns3::Ptr<ns3::Packet> packet) override;

  private:
    /**
     * @param packet A packet with its link and IP headers.
     * @return Whether its transport can use ECN; if so, the packet is now marked.
     */
    static bool Mark(ns3::Ptr<ns3::Packet> packet);

    uint32_t m_threshold{0};                                      //!< Marking threshold in bytes
    ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> m_markTrace; //!< A packet was marked
};

} // namespace smartsbd

#endif /* SMARTSBD_MARKING_QUEUE_H */
