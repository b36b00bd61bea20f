// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_ADVERTISED_RATE_H
#define SMARTSBD_ADVERTISED_RATE_H

#include "sender/subflow-signals.h"

#include <cstddef>
#include <vector>

namespace smartsbd
{

/// What controllers that couple rates share: the rate that a subflow advertises to the others.
struct AdvertisedRate
{
    double rate{0}; //!< In bytes/s; 0: none yet
};

/**
 * @param signals All subflows of a connection.
 * @param rates Their rates.
 * @param index One of them.
 * @return Sum of the rates that the others of its group advertise.
 */
double SumAdvertised(const ConnectionSignals& signals,
                     const std::vector<AdvertisedRate>& rates,
                     std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_ADVERTISED_RATE_H */
