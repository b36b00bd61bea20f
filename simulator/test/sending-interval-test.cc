// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the throughputs of a sending interval with values computed by hand. Exit status: 0 if
 * all agree, else 1 with a line on standard error for each that differs.
 */

#include "schedulers/sending-interval.h"

#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace
{

using smartsbd::Check;
using smartsbd::g_status;
using smartsbd::SendingInterval;

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

using ns3::MilliSeconds;

/// Two segments on a subflow and a copy on the other; what is sent later counts for nobody.
void
TestThroughput()
{
    SendingInterval interval(2);
    Check("over before the first one", interval.IsOver(MilliSeconds(0)));
    interval.Begin(MilliSeconds(100), MilliSeconds(50));
    interval.NoteGiven(0, 1000, true, MilliSeconds(100));
    interval.NoteGiven(0, 1000, true, MilliSeconds(120));
    interval.NoteGiven(1, 1000, false, MilliSeconds(130));
    Check("time is not up", !interval.IsOver(MilliSeconds(149)));
    interval.NoteGiven(0, 1000, true, MilliSeconds(150));
    interval.NoteAck(0, 1000, 1000, MilliSeconds(160));
    Check("not all is acknowledged", !interval.IsOver(MilliSeconds(160)));
    interval.NoteAck(0, 3000, 3000, MilliSeconds(180));
    Check("the other subflow's is not", !interval.IsOver(MilliSeconds(180)));
    interval.NoteAck(1, 1000, 3000, MilliSeconds(190));
    Check("over", interval.IsOver(MilliSeconds(190)));
    // 2,000 B in 80 ms, 1,000 B in 60 ms, and 2,000 B of new data in 80 ms.
    Expect("first subflow", interval.GetThroughput(0), 25'000);
    Expect("second subflow", interval.GetThroughput(1), 1000 / 0.06);
    Expect("connection", interval.GetGoodput(), 25'000);
}

/// The next one begins behind what was sent between them, and ends by force after twice its time.
void
TestNext()
{
    SendingInterval interval(1);
    interval.Begin(MilliSeconds(0), MilliSeconds(50));
    interval.NoteGiven(0, 1000, true, MilliSeconds(60));
    interval.Begin(MilliSeconds(100), MilliSeconds(50));
    interval.NoteAck(0, 1000, 1000, MilliSeconds(110));
    Expect("nothing of its own", interval.GetThroughput(0), 0);
    interval.NoteGiven(0, 1000, true, MilliSeconds(110));
    interval.NoteGiven(0, 1000, true, MilliSeconds(120));
    interval.NoteAck(0, 2000, 2000, MilliSeconds(160));
    Check("waits for the rest", !interval.IsOver(MilliSeconds(199)));
    Check("but not for ever", interval.IsOver(MilliSeconds(200)));
    Expect("what is acknowledged", interval.GetThroughput(0), 20'000);
}

/// One that does not wait is over when its time is up, and has what is acknowledged by then.
void
TestTimed()
{
    SendingInterval interval(1, false);
    interval.Begin(MilliSeconds(0), MilliSeconds(50));
    interval.NoteGiven(0, 1000, true, MilliSeconds(0));
    interval.NoteGiven(0, 1000, true, MilliSeconds(30));
    interval.NoteAck(0, 1000, 1000, MilliSeconds(40));
    Check("its time is not up", !interval.IsOver(MilliSeconds(49)));
    Check("its time is up", interval.IsOver(MilliSeconds(50)));
    Expect("acknowledged in its time", interval.GetGoodput(), 25'000);
}

} // namespace

int
main()
{
    TestThroughput();
    TestNext();
    TestTimed();
    return g_status;
}
