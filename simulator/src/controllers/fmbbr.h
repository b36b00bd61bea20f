// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_FMBBR_H
#define SMARTSBD_FMBBR_H

#include "controllers/multipath-bbr.h"
#include "sender/subflow-signals.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <vector>

namespace smartsbd
{

/// What FMBBR has found of a subflow when it had its turn.
struct FmbbrProbe
{
    double bandwidth; //!< Largest delivery rate, in any unit
    ns3::Time rtt;    //!< Base RTT
};

/**
 * The limits of subflows that share a bottleneck (FMBBR, Algorithm 1, step 3): the largest of their
 * bandwidths in sum, which the one of least RTT takes first; of equal RTTs the first one.
 *
 * @param group What was found of each subflow of the group.
 * @param leastShare Share of the largest bandwidth that each has at least; 0 in the paper.
 * @return Limit of each, in the unit of the bandwidths.
 */
std::vector<double> FmbbrLimits(const std::vector<FmbbrProbe>& group, double leastShare);

/**
 * Whose turn it is to start up (FMBBR, Algorithm 1, step 2): of those that wait in a group, the one
 * of least RTT, while none of the group starts up. A subflow alone in its group need not wait.
 *
 * @param signals All subflows of the connection.
 * @param starts Their starts; a subflow whose start is untold is of no account.
 * @param index A subflow that waits.
 * @return Whether it is its turn.
 */
bool FmbbrMayStart(const ConnectionSignals& signals,
                   const std::vector<BbrStart>& starts,
                   std::size_t index);

/**
 * @param signals All subflows of the connection.
 * @param starts Their starts.
 * @param index A subflow.
 * @return Whether one of its group waits or starts up.
 */
bool FmbbrGroupStarts(const ConnectionSignals& signals,
                      const std::vector<BbrStart>& starts,
                      std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_FMBBR_H */
