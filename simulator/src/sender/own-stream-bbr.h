// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_OWN_STREAM_BBR_H
#define SMARTSBD_OWN_STREAM_BBR_H

#include "ns3/tcp-bbr.h"

namespace smartsbd
{

/**
 * ns-3's BBR, version 1, with random numbers of its own.
 *
 * The streams of ns-3's instances all have one number, so that all begin the cycle of gains at the
 * same phase. Here each has the next one, in the order in which the instances are made.
 */
class OwnStreamBbr : public ns3::TcpBbr
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

  protected:
    void NotifyConstructionCompleted() override;
};

} // namespace smartsbd

#endif /* SMARTSBD_OWN_STREAM_BBR_H */
