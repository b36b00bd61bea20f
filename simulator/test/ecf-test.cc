// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the decision of ECF with values computed by hand. Exit status: 0 if all agree, else 1
 * with a line on standard error for each that differs.
 * 
 * A fast subflow of 20 ms and a slow one of 100 ms, both with a window of 10 segments, and no
 * variation of the RTT.
 */

#include "schedulers/ecf.h"

#include "check.h"


namespace
{

using smartsbd::Check;
using smartsbd::EcfWaits;
using smartsbd::g_status;
using smartsbd::PathView;

/**
 * @param srtt Its smoothed RTT in ms, which has never been another one.
 * @param inFlight Segments in flight.
 * @return A subflow with a window of 10 segments.
 */
PathView
Path(int64_t srtt, uint32_t inFlight)
{
    PathView path;
    path.available = true;
    path.usable = inFlight < 10;
    path.initialSlowStart = false;
    path.srtt = path.leastSrtt = path.mostSrtt = ns3::MilliSeconds(srtt);
    path.window = path.threshold = 10;
    path.inFlight = inFlight;
    path.unacknowledged = 1400 * inFlight;
    return path;
}

/// 5 segments: 20 (10 + 10) = 400 < 10 * 100, and 100 * 10 >= 10 * 40.
void
TestEnd()
{
    bool waiting = false;
    Check("waits near the end", EcfWaits(Path(20, 10), Path(100, 4), 5, waiting) && waiting);
}

/// 200 segments: 20 (200 + 10) = 4,200 > 1,000.
void
TestMiddle()
{
    bool waiting = true;
    Check("sends long before it", !EcfWaits(Path(20, 10), Path(100, 4), 200, waiting));
    Check("and waits no more", !waiting);
}

/// 45 segments: 20 (45 + 10) = 1,100, which is between 1,000 and 1,250.
void
TestHysteresis()
{
    bool waiting = false;
    Check("does not begin to wait", !EcfWaits(Path(20, 10), Path(100, 4), 45, waiting));
    waiting = true;
    Check("goes on waiting", EcfWaits(Path(20, 10), Path(100, 4), 45, waiting) && waiting);
}

/// 30 and 40 ms: 40 * 10 < 10 * 2 * 30, so the slow one is done before a second round trip.
void
TestSecondRule()
{
    bool waiting = true;
    Check("sends on a subflow nearly as fast", !EcfWaits(Path(30, 10), Path(40, 4), 2, waiting));
    // 30 * 20 = 600 is not below 1.25 * 400.
    Check("and waits no more", !waiting);
    auto slow = Path(100, 4);
    slow.rttVariation = ns3::MilliSeconds(70);
    waiting = true;
    // 400 < 1.25 * 10 (100 + 70), but 1,000 < 10 (2 * 20 + 70).
    Check("sends on one that varies", !EcfWaits(Path(20, 10), slow, 5, waiting));
    Check("but remembers that it waited", waiting);
}

} // namespace

int
main()
{
    TestEnd();
    TestMiddle();
    TestHysteresis();
    TestSecondRule();
    return g_status;
}
