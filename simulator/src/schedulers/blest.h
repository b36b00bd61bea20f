// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BLEST_H
#define SMARTSBD_BLEST_H

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

/**
 * How long a segment would occupy the send window on a slow subflow.
 *
 * @param slow The subflow.
 * @return Its smoothed RTT, or more: the more of its window is taken, the nearer to the largest
 *         one so far (mptcp_blest.c, blest_estimate_linger_time).
 */
ns3::Time BlestLinger(const PathView& slow);

/**
 * How many segments a subflow could send in a time, under Reno and without a loss.
 *
 * @param fast The subflow.
 * @param time The time.
 * @return Segments in as many round trips, of the mean of its least and largest smoothed RTT, as
 *         begin in that time (mptcp_blest.c, blest_estimate_bytes, without its factor).
 */
uint64_t BlestSegments(const PathView& fast, ns3::Time time);

/**
 * Whether a segment on the slow subflow would keep the fast one from sending.
 *
 * @param fast The fastest subflow.
 * @param slow The subflow with room.
 * @param factor Safety factor on what the fast one could send.
 * @param mss Bytes of a segment.
 * @param sendWindow The client's receive window in bytes.
 * @return Whether the fast one could send more than the window leaves beside what the slow one
 *         has in flight, the segment included.
 */
bool BlestWaits(const PathView& fast,
                const PathView& slow,
                double factor,
                uint32_t mss,
                uint32_t sendWindow);

} // namespace smartsbd

#endif /* SMARTSBD_BLEST_H */
