// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::MonitorIntervals with intervals worked out by hand, and what paces a socket
 * with windows and backlogs computed by hand.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 *
 * Segments have 1000 bytes. An interval of 100,000 bytes/s for 40 ms makes four of them.
 */

#include "sender/monitor-intervals.h"

#include "check.h"
#include "sender/pacing.h"

#include <cmath>

namespace
{

using ns3::MilliSeconds;
using ns3::Time;
using smartsbd::Check;
using smartsbd::g_status;
using smartsbd::IntervalResult;
using smartsbd::MonitorIntervals;

/// Size of a segment.
constexpr uint32_t SIZE = 1000;
/// The smoothed RTT, where it does not matter.
const Time SRTT = MilliSeconds(20);

/**
 * Send segments, one every 10 ms, and close the interval 10 ms after the last one.
 *
 * @param intervals Where they go.
 * @param first Number of the first one, which leaves at so many times 10 ms.
 * @param count How many there are.
 */
void
Send(MonitorIntervals& intervals, uint64_t first, uint64_t count)
{
    for (auto k = first; k < first + count; ++k)
    {
        Check("not yet over", !intervals.Close(MilliSeconds(10 * k), SRTT));
        intervals.NoteSent(k * SIZE, SIZE, false, MilliSeconds(10 * k));
    }
    Check("over", intervals.Close(MilliSeconds(10 * (first + count)), SRTT));
}

/// All arrives: nothing is lost, and the RTTs are those of the first and the last ACK.
void
TestDelivery()
{
    MonitorIntervals intervals;
    Check("none at first", !intervals.IsOpen() && !intervals.Take(MilliSeconds(0)));
    intervals.Open(7, 100'000, MilliSeconds(40));
    Check("open", intervals.IsOpen());
    Send(intervals, 0, 4);
    Check("closed", !intervals.IsOpen());
    intervals.NoteAck(1000, {}, MilliSeconds(20), MilliSeconds(22), MilliSeconds(22));
    intervals.NoteAck(3000, {}, MilliSeconds(21), std::nullopt, MilliSeconds(23));
    Check("not complete", !intervals.Take(MilliSeconds(41)));
    intervals.NoteAck(4000, {}, MilliSeconds(24), MilliSeconds(26), MilliSeconds(42));
    intervals.NoteAck(4000, {}, MilliSeconds(50), MilliSeconds(50), MilliSeconds(90));
    const auto result = intervals.Take(MilliSeconds(41));
    Check("complete", result.has_value());
    Check("purpose, rate", result->purpose == 7 && result->rate == 100'000);
    Check("bytes", result->sent == 4000 && result->delivered == 4000 && result->lost == 0);
    Check("duration", result->duration == MilliSeconds(40));
    Check("limited by its rate", result->limitedByRate);
    Check("samples", result->samples == 2 && result->rttSum == MilliSeconds(48));
    Check("loss", result->GetLoss() == 0);
    Check("slope", std::abs(result->GetRttSlope() - 0.1) < 1e-12);
    Check("throughput", std::abs(result->GetThroughput() - 100'000) < 1e-6);
    Check("taken", !intervals.Take(MilliSeconds(1000)));
}

/// What is sent again is lost, once, in the interval that owns it; the rest is delivered by SACK.
void
TestLoss()
{
    MonitorIntervals intervals;
    intervals.Open(0, 100'000, MilliSeconds(40));
    Send(intervals, 0, 4);
    intervals.Open(1, 100'000, MilliSeconds(40));
    intervals.NoteSent(4000, SIZE, false, MilliSeconds(40));
    // The second one is missing, and is sent again twice, while the next interval is open.
    intervals.NoteAck(1000, {{2000, 4000}}, SRTT, std::nullopt, MilliSeconds(50));
    Check("one is missing", !intervals.Take(MilliSeconds(45)));
    intervals.NoteSent(1000, SIZE, true, MilliSeconds(45));
    intervals.NoteSent(1000, SIZE, true, MilliSeconds(46));
    intervals.NoteAck(4000, {}, SRTT, std::nullopt, MilliSeconds(50));
    const auto first = intervals.Take(MilliSeconds(50));
    Check("lost once", first && first->lost == 1000 && first->delivered == 3000);
    Check("a quarter", first->GetLoss() == 0.25);
    Check("not repeated in it", first->repeated == 0);
    Check("close the next", intervals.Close(MilliSeconds(80), SRTT));
    intervals.NoteAck(5000, {}, SRTT, std::nullopt, MilliSeconds(50));
    const auto second = intervals.Take(MilliSeconds(80));
    Check("owns its own bytes alone", second && second->sent == 1000 && second->lost == 0);
    Check("repeated in it", second->repeated == 2000);
    // One of its own, two that were repeated, one more: four.
    Check("repeated bytes take their turn", second->limitedByRate);
}

/// What is missing is lost 2.5 smoothed RTTs after the end, and not earlier.
void
TestPatience()
{
    MonitorIntervals intervals;
    intervals.Open(0, 100'000, MilliSeconds(40));
    Send(intervals, 0, 4);
    intervals.NoteAck(2000, {}, SRTT, std::nullopt, MilliSeconds(50));
    Check("waits", !intervals.Take(MilliSeconds(89)));
    const auto result = intervals.Take(MilliSeconds(90));
    Check("lost at last", result && result->delivered == 2000 && result->lost == 2000);
}

/// With less than 0.7 of what the rate makes, and a segment less, an interval is void.
void
TestVoid()
{
    for (const bool timeout : {false, true})
    {
        MonitorIntervals intervals;
        intervals.Open(0, 100'000, MilliSeconds(100));
        Check("no segment, no end", !intervals.Close(MilliSeconds(500), SRTT));
        // Its time begins here. Of ten segments, six would do.
        for (uint64_t k = 0; k < 5; ++k)
        {
            intervals.NoteSent(k * SIZE, SIZE, false, MilliSeconds(500 + 10 * k));
        }
        if (timeout)
        {
            intervals.NoteTimeout();
        }
        Check("too early", !intervals.Close(MilliSeconds(599), SRTT));
        Check("in time", intervals.Close(MilliSeconds(600), SRTT));
        intervals.NoteAck(5000, {}, SRTT, std::nullopt, MilliSeconds(50));
        const auto result = intervals.Take(MilliSeconds(600));
        Check("void, but after a timeout", result && result->limitedByRate == timeout);
    }
    MonitorIntervals intervals;
    intervals.Open(0, 100'000, MilliSeconds(100));
    for (uint64_t k = 0; k < 6; ++k)
    {
        intervals.NoteSent(k * SIZE, SIZE, false, MilliSeconds(10 * k));
    }
    intervals.Close(MilliSeconds(100), SRTT);
    intervals.NoteAck(6000, {}, SRTT, std::nullopt, MilliSeconds(50));
    Check("six of ten", intervals.Take(MilliSeconds(100))->limitedByRate);
    intervals.Open(0, 0, MilliSeconds(100));
    intervals.NoteSent(6000, SIZE, false, MilliSeconds(200));
    intervals.Close(MilliSeconds(900), SRTT);
    intervals.NoteAck(7000, {}, SRTT, std::nullopt, MilliSeconds(50));
    Check("no rate, never void", intervals.Take(MilliSeconds(900))->limitedByRate);
}

/// Windows and backlogs of paced sockets.
void
TestPacing()
{
    // 1 Mbyte/s for 50 ms are 50,000 bytes; twice that are 71 segments of 1400 and some more.
    Check("window", smartsbd::GetPacedWindow(1e6, MilliSeconds(50), 1400) == 71 * 1400);
    Check("least window", smartsbd::GetPacedWindow(25'000, MilliSeconds(50), 1400) == 4 * 1400);
    Check("unknown RTT", smartsbd::GetPacedWindow(1e6, Time(), 1400) == 4 * 1400);
    const auto backlog = smartsbd::GetBacklogLimit(1e6, MilliSeconds(50), 1400);
    Check("backlog", std::abs(backlog - 5000) < 1e-6);
    Check("least backlog", smartsbd::GetBacklogLimit(1e5, MilliSeconds(50), 1400) == 2800);
}

} // namespace

int
main()
{
    TestDelivery();
    TestLoss();
    TestPatience();
    TestVoid();
    TestPacing();
    return g_status;
}
