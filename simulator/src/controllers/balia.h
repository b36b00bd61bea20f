// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BALIA_H
#define SMARTSBD_BALIA_H

#include "controllers/coupled-controller.h"

namespace smartsbd
{

/**
 * The window increase of BALIA (draft-walid-mptcp-congestion-control).
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @return Increase of its window in segments for each acknowledged segment.
 */
double BaliaIncrease(const std::vector<CoupledSubflow>& subflows, std::size_t index);

/**
 * What BALIA takes off a window at a loss.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index The subflow that had a loss.
 * @return Decrease of its window in segments.
 */
double BaliaCut(const std::vector<CoupledSubflow>& subflows, std::size_t index);

/**
 * The increase of Linux's mptcp_balia.c, which counts ACKs.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index A subflow.
 * @return ACKs for each segment its window grows by.
 */
uint64_t BaliaKernelThreshold(const std::vector<CoupledSubflow>& subflows, std::size_t index);

/**
 * The decrease of Linux's mptcp_balia.c, where the quotient of the largest rate and the own one
 * is an integer: a half for quotients below 2, else three quarters.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index A subflow.
 * @return Decrease of its window at a loss, in segments.
 */
uint64_t BaliaKernelCut(const std::vector<CoupledSubflow>& subflows, std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_BALIA_H */
