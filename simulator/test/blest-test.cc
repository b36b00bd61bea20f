// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the functions of BLEST with values computed by hand. Exit status: 0 if all agree, else 1
 * with a line on standard error for each that differs.
 * 
 * A fast subflow of 20 ms and a slow one of 100 ms, both with a window of 10 segments of 1,400 B;
 * 4 segments of the slow one are in flight.
 */

#include "schedulers/blest.h"

#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace
{

using smartsbd::BlestLinger;
using smartsbd::BlestSegments;
using smartsbd::BlestWaits;
using smartsbd::Check;
using smartsbd::g_status;
using smartsbd::PathView;

/**
 * @param name What is compared.
 * @param value A value.
 * @param due What it should be.
 */
void
Expect(const char* name, double value, double due)
{
    if (std::abs(value - due) > 1e-9 * std::max(1.0, std::abs(due)))
    {
        std::fprintf(stderr, "%s: %.12g, not %.12g\n", name, value, due);
        g_status = 1;
    }
}

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

/// With one RTT ever a segment stays for it; else longer, the fuller the window is.
void
TestLinger()
{
    auto slow = Path(100, 4);
    Expect("one RTT", BlestLinger(slow).GetMilliSeconds(), 100);
    slow.leastSrtt = ns3::MilliSeconds(80);
    slow.mostSrtt = ns3::MilliSeconds(180);
    // 80 + 100 * 5 / 10.
    Expect("half full", BlestLinger(slow).GetMilliSeconds(), 130);
    slow.inFlight = 0;
    // 80 + 100 / 10 is less than the smoothed RTT.
    Expect("nearly empty", BlestLinger(slow).GetMilliSeconds(), 100);
    slow.inFlight = 9;
    Expect("full", BlestLinger(slow).GetMilliSeconds(), 180);
}

/// 100 ms are six round trips of 20 ms: 6 windows of 10 + 1, rounded down from 11 + 5 / 2.
void
TestSegments()
{
    auto fast = Path(20, 10);
    Expect("six round trips", BlestSegments(fast, ns3::MilliSeconds(99)), (11 + 2) * 5);
    Expect("a sixth begins", BlestSegments(fast, ns3::MilliSeconds(100)), 78);
    fast.threshold = 9;
    Expect("at the threshold", BlestSegments(fast, ns3::MilliSeconds(100)), 72);
    fast.initialSlowStart = true;
    Expect("doubling", BlestSegments(fast, ns3::MilliSeconds(100)), 10 * 63);
    Expect("16 times at most", BlestSegments(fast, ns3::Seconds(10)), 10 * 65'535);
    fast.leastSrtt = fast.mostSrtt = ns3::Time();
    Expect("no RTT yet", BlestSegments(fast, ns3::Seconds(10)), 10);
}

/// 72 segments of 1,400 B times 1.2 are 120,960 B; the slow one has 5 * 1,400 B of the window.
void
TestWaits()
{
    auto fast = Path(20, 10);
    fast.threshold = 9;
    const auto slow = Path(100, 4);
    Check("waits, 93,000 B are left", BlestWaits(fast, slow, 1.2, 1400, 100'000));
    Check("sends, 193,000 B are left", !BlestWaits(fast, slow, 1.2, 1400, 200'000));
    Check("sends, exactly enough", !BlestWaits(fast, slow, 1.2, 1400, 127'960));
    Check("waits, a byte too few", BlestWaits(fast, slow, 1.2, 1400, 127'959));
    Check("waits, no window at all", BlestWaits(fast, slow, 1.2, 1400, 1400));
}

} // namespace

int
main()
{
    TestLinger();
    TestSegments();
    TestWaits();
    return g_status;
}
