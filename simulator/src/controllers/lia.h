// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_LIA_H
#define SMARTSBD_LIA_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/// What the Linked Increases Algorithm needs to know of a subflow.
struct LiaSubflow
{
    double window; //!< Congestion window in segments
    double rtt;    //!< Smoothed RTT in s
};

/// What LIA counts as one acknowledged segment.
enum class LiaCounts
{
    PACKETS, //!< A segment (RFC 6356)
    ACKS,    //!< An ACK, however many segments it acknowledges (Linux's mptcp_coupled.c)
};

/**
 * The window increase of RFC 6356, section 3.
 *
 * @param subflows All established subflows of the connection; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @return Increase of its window in segments for each acknowledged segment.
 */
double LiaIncrease(const std::vector<LiaSubflow>& subflows, std::size_t index);

/**
 * The window increase for one ACK.
 *
 * @param subflows All established subflows of the connection; windows and RTTs are positive.
 * @param index The subflow that received the ACK.
 * @param segments Segments the ACK acknowledges in congestion avoidance.
 * @param counts What counts as one acknowledged segment.
 * @return Increase of its window in segments.
 */
double LiaIncreaseForAck(const std::vector<LiaSubflow>& subflows,
                         std::size_t index,
                         uint32_t segments,
                         LiaCounts counts);

} // namespace smartsbd

#endif /* SMARTSBD_LIA_H */
