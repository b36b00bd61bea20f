// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PACING_H
#define SMARTSBD_PACING_H

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace smartsbd
{

/**
 * The window of a subflow that is limited by its rate: twice what the rate sends in a round trip,
 * and four segments at least, as in the kernel module of MPCC.
 *
 * @param rate Its rate in bytes/s.
 * @param srtt Its smoothed RTT.
 * @param segment Size of a segment in bytes.
 * @return The window in bytes, in whole segments.
 */
uint32_t GetPacedWindow(double rate, ns3::Time srtt, uint32_t segment);

/**
 * What a paced subflow may hold that it has not sent: a tenth of what the rate sends in a round
 * trip, as in the scheduler of MPCC's kernel module, and two segments at least (a reconstruction).
 *
 * @param rate Its rate in bytes/s.
 * @param srtt Its smoothed RTT.
 * @param segment Size of a segment in bytes.
 * @return The amount in bytes from which on it is given nothing.
 */
double GetBacklogLimit(double rate, ns3::Time srtt, uint32_t segment);

/**
 * Let a socket send at a rate, from its next packet on.
 *
 * @param tcb State of the socket, whose RTT is known.
 * @param rate The rate in bytes/s.
 */
void Pace(ns3::Ptr<ns3::TcpSocketState> tcb, double rate);

} // namespace smartsbd

#endif /* SMARTSBD_PACING_H */
