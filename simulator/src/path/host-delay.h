// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_HOST_DELAY_H
#define SMARTSBD_HOST_DELAY_H

#include "path/extra-delay.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace smartsbd
{

/**
 * The random delay after which packets leave a host, as processing takes.
 *
 * Without it, packets reach a drop-tail queue in step with its departures, and chance never
 * decides which flow loses. The delays are independent and uniform; a packet that would overtake
 * the one before it leaves together with it.
 */
class HostDelay : public ExtraDelay
{
  public:
    /**
     * @param largest Largest delay; zero for none.
     * @param stream Number of the random stream.
     */
    HostDelay(ns3::Time largest, int64_t stream);

    ns3::Time Get(ns3::Time time) override;

  private:
    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Delay as a part of the largest
    ns3::Time m_largest;                         //!< Largest delay
    ns3::Time m_last;                            //!< When the last packet left
};

} // namespace smartsbd

#endif /* SMARTSBD_HOST_DELAY_H */
