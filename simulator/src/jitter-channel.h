// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_JITTER_CHANNEL_H
#define SMARTSBD_JITTER_CHANNEL_H

#include "varying-channel.h"

#include "ns3/random-variable-stream.h"

namespace smartsbd
{

/**
 * A channel with jitter.
 *
 * The extra delay is a continuous function of time: linear between knots, with independent
 * values at the knots, uniform over [0, 2 mean].
 * The knots are 4 mean apart (and 1 ms at least), so the extra delay never falls faster than half
 * as fast as time passes and packets keep their order.
 */
class JitterChannel : public VaryingChannel
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    JitterChannel();

    /**
     * @param mean Mean extra delay; zero for none.
     * @param stream Number of the random stream.
     */
    void SetJitter(ns3::Time mean, int64_t stream);

  private:
    ns3::Time GetExtraDelay(ns3::Time time) override;

    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Extra delay at a knot as a part of the largest
    ns3::Time m_largest;                         //!< Largest extra delay
    ns3::Time m_spacing;                         //!< Time between knots
    ns3::Time m_knot;                            //!< The knot after the present time
    double m_before{0};                          //!< Drawn value at the knot before m_knot
    double m_after{0};                           //!< Drawn value at m_knot
};

} // namespace smartsbd

#endif /* SMARTSBD_JITTER_CHANNEL_H */
