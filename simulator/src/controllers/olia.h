// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_OLIA_H
#define SMARTSBD_OLIA_H

#include "controllers/coupled-controller.h"

namespace smartsbd
{

/**
 * The part of OLIA's increase that moves traffic to the best paths, epsilon (mptcp_olia.c).
 *
 * Best are the paths with most bytes between losses over the square of the RTT. If some of them
 * have not the largest window, in whole segments, then they gain what those with it lose.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index A subflow.
 * @return Its epsilon.
 */
double OliaEpsilon(const std::vector<CoupledSubflow>& subflows, std::size_t index);

/**
 * The window change of OLIA.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @return Change of its window in segments for each acknowledged segment; may be negative.
 */
double OliaChange(const std::vector<CoupledSubflow>& subflows, std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_OLIA_H */
