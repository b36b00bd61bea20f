// SPDX-License-Identifier: GPL-2.0-only

#include "sender/pacing.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

namespace
{

/// Least window in segments.
constexpr double LEAST_WINDOW = 4;
/// Window over what the rate sends in a round trip.
constexpr double WINDOW_GAIN = 2;
/// Least backlog that is no reason to wait, in segments.
constexpr double LEAST_BACKLOG = 2;
/// Backlog over what the rate sends in a round trip.
constexpr double BACKLOG_SHARE = 0.1;
/// Largest window in bytes, well below what ns-3 holds in 32 bits.
constexpr double LARGEST_WINDOW = 1 << 30;

} // namespace

uint32_t
GetPacedWindow(double rate, ns3::Time srtt, uint32_t segment)
{
    const auto bytes = std::min(WINDOW_GAIN * rate * srtt.GetSeconds(), LARGEST_WINDOW);
    return static_cast<uint32_t>(std::max(LEAST_WINDOW, std::floor(bytes / segment))) * segment;
}

double
GetBacklogLimit(double rate, ns3::Time srtt, uint32_t segment)
{
    return std::max(LEAST_BACKLOG * segment, BACKLOG_SHARE * rate * srtt.GetSeconds());
}

void
Pace(ns3::Ptr<ns3::TcpSocketState> tcb, double rate)
{
    tcb->m_pacing = true;
    tcb->m_paceInitialWindow = true;
    tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(std::llround(8 * rate)));
    const auto window = GetPacedWindow(rate, tcb->m_srtt, tcb->m_segmentSize);
    if (tcb->m_cWnd != window)
    {
        tcb->m_cWnd = window;
    }
}

} // namespace smartsbd
