// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_COUPLED_BBR_H
#define SMARTSBD_COUPLED_BBR_H

#include "controllers/advertised-rate.h"
#include "sender/subflow-signals.h"

#include <cstddef>

namespace smartsbd
{

/**
 * The rate of a subflow under Coupled BBR: its bandwidth times the largest of its group over the
 * sum of all, so that a group has the largest in sum at most.
 *
 * @param signals All subflows of the connection.
 * @param rates The bandwidths that they advertise.
 * @param index A subflow that advertises one.
 * @return Its rate, in the unit of the bandwidths.
 */
double CoupledBbrRate(const ConnectionSignals& signals,
                      const std::vector<AdvertisedRate>& rates,
                      std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_COUPLED_BBR_H */
