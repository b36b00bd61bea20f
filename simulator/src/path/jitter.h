// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_JITTER_H
#define SMARTSBD_JITTER_H

#include "path/extra-delay.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace smartsbd
{

/**
 * The jitter of an access link.
 *
 * The extra delay is a continuous function of time: linear between knots, with independent
 * values at the knots, uniform over [0, 2 mean].
 * The knots are 4 mean apart (and 1 ms at least), so the extra delay never falls faster than half
 * as fast as time passes and packets keep their order.
 */
class Jitter : public ExtraDelay
{
  public:
    /**
     * @param mean Mean extra delay; zero for none.
     * @param stream Number of the random stream.
     */
    Jitter(ns3::Time mean, int64_t stream);

    ns3::Time Get(ns3::Time time) override;

  private:
    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Extra delay at a knot as a part of the largest
    ns3::Time m_largest;                         //!< Largest extra delay
    ns3::Time m_spacing;                         //!< Time between knots
    ns3::Time m_knot;                            //!< The knot after the present time
    double m_before{0};                          //!< Drawn value at the knot before m_knot
    double m_after{0};                           //!< Drawn value at m_knot
};

} // namespace smartsbd

#endif /* SMARTSBD_JITTER_H */
