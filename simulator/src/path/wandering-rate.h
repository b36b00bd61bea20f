// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_WANDERING_RATE_H
#define SMARTSBD_WANDERING_RATE_H

#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace smartsbd
{

/**
 * A rate that wanders as that of a cellular link does.
 *
 * The n-th rate is mean * exp(x(n) - sigma^2 / 2), where x is a stationary Gaussian AR(1) process
 * of standard deviation sigma and correlation STEP_CORRELATION from one step to the next. So the
 * expected rate is the mean, and its standard deviation is mean * sqrt(exp(sigma^2) - 1).
 */
class WanderingRate
{
  public:
    /// Correlation of the process from one step to the next.
    static constexpr double STEP_CORRELATION = 0.9;

    /**
     * @param mean Expected rate.
     * @param sigma Standard deviation of the rate's logarithm.
     * @param stream Number of the random stream.
     */
    WanderingRate(double mean, double sigma, int64_t stream);

    /// @return The next rate.
    double Next();

  private:
    double m_mean;                              //!< Expected rate
    double m_sigma;                             //!< Standard deviation of the logarithm
    ns3::Ptr<ns3::NormalRandomVariable> m_draw; //!< Standard normal innovations
    double m_state;                             //!< The process over sigma
};

} // namespace smartsbd

#endif /* SMARTSBD_WANDERING_RATE_H */
