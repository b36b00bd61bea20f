// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_LIA_H
#define SMARTSBD_LIA_H

#include "controllers/coupled-controller.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * The window increase of RFC 6356, section 3.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @return Increase of its window in segments for each acknowledged segment.
 */
double LiaIncrease(const std::vector<CoupledSubflow>& subflows, std::size_t index);

/**
 * Between that increase and Reno's.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @param thetaQ10 The share of Reno's increase, up to 1024; 0: that of RFC 6356.
 * @return Increase of its window in segments for each acknowledged segment.
 */
double MixedIncrease(const std::vector<CoupledSubflow>& subflows,
                     std::size_t index,
                     uint32_t thetaQ10);

/**
 * The factor of Linux's mptcp_coupled.c: 4096 alpha / (sum of the windows), in whole numbers.
 *
 * Windows count in whole segments, RTTs in eighths of a microsecond, as in the kernel's srtt_us.
 * The quotient that names the best subflow is rounded down, often to 0, and the last of equals is
 * taken. The kernel's list begins with the newest subflow, so that is the oldest one.
 *
 * @param subflows All established subflows of the group, oldest first; windows are of a segment
 *                 at least, RTTs positive.
 * @return The factor, 1 at least.
 */
uint64_t LiaKernelAlpha(const std::vector<CoupledSubflow>& subflows);

/// What the subflows of a group share in kernel mode: each of the group writes to all.
struct LinkedIncrease
{
    uint64_t alpha{1};       //!< Factor of the last calculation, see LiaKernelAlpha()
    bool stale{false};       //!< Whether a congestion state was set since then
    uint32_t regroupings{0}; //!< How often groups had changed then

    /**
     * @param now How often groups of the connection have changed.
     * @return Whether the factor is to be calculated before it is next used: a congestion state was
     *         set, or it was calculated for other groups.
     */
    bool IsStale(uint32_t now) const;
};

/**
 * The increase of Linux's mptcp_coupled.c, which counts ACKs. The ACK that finds the count
 * complete is not counted, so there is one more to each increase.
 *
 * @param alpha What LiaKernelAlpha() returned.
 * @param window Congestion window in segments.
 * @return ACKs that are counted for each segment of increase.
 */
uint64_t LiaKernelThreshold(uint64_t alpha, uint64_t window);

} // namespace smartsbd

#endif /* SMARTSBD_LIA_H */
