// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::RttSampler with samples worked out by hand from Linux's rules.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 *
 * Segments have 10 bytes. Segment k is sent at k ms and arrives, if it does, 30 ms later.
 */

#include "sender/rtt-sampler.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace
{

using ns3::MilliSeconds;
using smartsbd::AckOutcome;
using smartsbd::RttSampler;

/// Exit status so far.
int g_status = 0;

/**
 * Compare an outcome with what it must be.
 *
 * @param name What is tested.
 * @param outcome The outcome.
 * @param newlyAcked Bytes newly acknowledged.
 * @param newlySacked Bytes newly SACKed.
 * @param rtt RTT sample in ms; negative: none.
 */
void
Expect(const char* name,
       const AckOutcome& outcome,
       uint64_t newlyAcked,
       uint64_t newlySacked,
       int64_t rtt)
{
    const bool sampled = outcome.sample.has_value();
    bool right = outcome.newlyAcked == newlyAcked && outcome.newlySacked == newlySacked &&
                 sampled == (rtt >= 0);
    if (right && sampled)
    {
        right = outcome.sample->rtt == MilliSeconds(rtt) &&
                outcome.sample->oneWayDelay == MilliSeconds(30);
    }
    if (!right)
    {
        std::fprintf(stderr,
                     "%s: acked %lu, SACKed %lu, RTT %ld ms\n",
                     name,
                     static_cast<unsigned long>(outcome.newlyAcked),
                     static_cast<unsigned long>(outcome.newlySacked),
                     sampled ? static_cast<long>(outcome.sample->rtt.GetMilliSeconds()) : -1L);
        g_status = 1;
    }
}

/**
 * @param lost Segments that do not arrive.
 * @return A sampler after four segments were sent.
 */
RttSampler
SendFour(const std::vector<int>& lost)
{
    RttSampler sampler;
    for (int k = 0; k < 4; ++k)
    {
        sampler.Send(10 * k, 10, MilliSeconds(k));
    }
    for (int k = 0; k < 4; ++k)
    {
        if (std::find(lost.begin(), lost.end(), k) == lost.end())
        {
            sampler.Arrive(10 * k, MilliSeconds(30 + k));
        }
    }
    return sampler;
}

/// A cumulative ACK samples its last segment, and each segment once.
void
TestCumulative()
{
    auto sampler = SendFour({});
    Expect("two segments", sampler.Acknowledge(20, {}, MilliSeconds(61)), 20, 0, 60);
    Expect("the same ACK again", sampler.Acknowledge(20, {}, MilliSeconds(62)), 0, 0, -1);
    Expect("the rest", sampler.Acknowledge(40, {}, MilliSeconds(70)), 20, 0, 67);
}

/// A SACK samples its last new segment when it arrives, and never again.
void
TestSack()
{
    auto sampler = SendFour({0});
    Expect("first SACK", sampler.Acknowledge(0, {{10, 20}}, MilliSeconds(61)), 0, 10, 60);
    Expect("repeated SACK", sampler.Acknowledge(0, {{10, 20}}, MilliSeconds(62)), 0, 0, -1);
    Expect("longer SACK", sampler.Acknowledge(0, {{10, 40}}, MilliSeconds(63)), 0, 20, 60);
    sampler.Send(0, 10, MilliSeconds(70));
    Expect("repaired", sampler.Acknowledge(40, {}, MilliSeconds(900)), 40, 0, -1);
}

/// A segment that overtook others gives no second sample at the cumulative ACK.
void
TestSackedBefore()
{
    auto sampler = SendFour({});
    Expect("overtaking", sampler.Acknowledge(0, {{10, 20}}, MilliSeconds(61)), 0, 10, 60);
    Expect("overtaken", sampler.Acknowledge(20, {}, MilliSeconds(80)), 20, 0, 80);
}

/// A cumulative ACK of any retransmitted segment gives none, unless a SACK comes with it.
void
TestRetransmitted()
{
    auto sampler = SendFour({0, 2});
    sampler.Send(0, 10, MilliSeconds(50));
    Expect("retransmitted and not", sampler.Acknowledge(20, {}, MilliSeconds(90)), 20, 0, -1);
    auto another = SendFour({0, 2});
    another.Send(0, 10, MilliSeconds(50));
    const auto outcome = another.Acknowledge(20, {{30, 40}}, MilliSeconds(90));
    Expect("retransmitted, with a SACK", outcome, 20, 10, 87);
}

/// A retransmitted segment gives none when it is SACKed.
void
TestRetransmittedSack()
{
    auto sampler = SendFour({0});
    sampler.Send(20, 10, MilliSeconds(50));
    Expect("SACK of it", sampler.Acknowledge(0, {{20, 30}}, MilliSeconds(90)), 0, 10, -1);
    Expect("SACK around it", sampler.Acknowledge(0, {{10, 30}}, MilliSeconds(91)), 0, 10, 90);
}

/// The cumulative part goes before the SACK.
void
TestBoth()
{
    auto sampler = SendFour({1});
    const auto outcome = sampler.Acknowledge(10, {{20, 30}}, MilliSeconds(64));
    Expect("cumulative and SACK", outcome, 10, 10, 64);
}

} // namespace

int
main()
{
    TestCumulative();
    TestSack();
    TestSackedBefore();
    TestRetransmitted();
    TestRetransmittedSack();
    TestBoth();
    return g_status;
}
