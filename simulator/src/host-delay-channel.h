// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_HOST_DELAY_CHANNEL_H
#define SMARTSBD_HOST_DELAY_CHANNEL_H

#include "varying-channel.h"

#include "ns3/random-variable-stream.h"

namespace smartsbd
{

/**
 * The channel of a host whose packets leave after a random delay, as processing takes.
 *
 * Without it, packets reach a drop-tail queue in step with its departures, and chance never
 * decides which flow loses. The delays are independent and uniform; a packet that would overtake
 * the one before it leaves together with it.
 */
class HostDelayChannel : public VaryingChannel
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    HostDelayChannel();

    /**
     * @param largest Largest delay; zero for none.
     * @param stream Number of the random stream.
     */
    void SetHostDelay(ns3::Time largest, int64_t stream);

  private:
    ns3::Time GetExtraDelay(ns3::Time time) override;

    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Delay as a part of the largest
    ns3::Time m_largest;                         //!< Largest delay
    ns3::Time m_last;                            //!< When the last packet left
};

} // namespace smartsbd

#endif /* SMARTSBD_HOST_DELAY_CHANNEL_H */
