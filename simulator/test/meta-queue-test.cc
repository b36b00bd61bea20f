// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Gives a meta queue segments and DATA_ACKs, and compares what it holds with values known by hand.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "sender/meta-queue.h"

#include "check.h"

#include <optional>

namespace
{

using smartsbd::Check;
using smartsbd::g_status;
using smartsbd::MetaQueue;

/// New data are behind all that was given, and a DATA_ACK takes segments from the front.
void
TestOrder()
{
    MetaQueue queue(2, 100);
    Check("empty", queue.GetHead() == 0 && queue.GetNext() == 0 && queue.GetBytes() == 0);
    queue.Give(0, 0);
    queue.Give(100, 1);
    queue.Give(200, 0);
    Check("three segments", queue.GetNext() == 300 && queue.GetBytes() == 300);
    queue.Acknowledge(200);
    Check("one is left", queue.GetHead() == 200 && queue.GetBytes() == 100);
    queue.Acknowledge(200);
    Check("the same DATA_ACK again", queue.GetHead() == 200);
    Check("where it went", queue.WentTo(200, 0) && !queue.WentTo(200, 1));
    queue.Acknowledge(300);
    Check("empty again", queue.GetBytes() == 0 && queue.GetNext() == 300);
}

/// Each subflow walks through what it was not given, and jumps over what is acknowledged.
void
TestMissing()
{
    MetaQueue queue(2, 100);
    Check("nothing given", !queue.FindMissing(0));
    queue.Give(0, 0);
    queue.Give(100, 0);
    queue.Give(200, 1);
    Check("first of the second subflow", queue.FindMissing(1) == 0);
    Check("first of the first subflow", queue.FindMissing(0) == 200);
    queue.Give(0, 1);
    Check("next of the second", queue.FindMissing(1) == 100);
    queue.Acknowledge(200);
    Check("behind the DATA_ACK", !queue.FindMissing(1));
    Check("still to be sent", queue.FindMissing(0) == 200);
    queue.Give(200, 0);
    Check("all sent", !queue.FindMissing(0));
    queue.Give(300, 1);
    Check("new data of the other", queue.FindMissing(0) == 300);
    queue.ClearMask(200);
    Check("forgotten, so missing again", queue.FindMissing(0) == 200);
    Check("on both", queue.FindMissing(1) == 200);
}

/// Segments go out again in the order they came in, each once, unless they are acknowledged.
void
TestReinjection()
{
    MetaQueue queue(2, 100);
    for (uint64_t segment = 0; segment < 400; segment += 100)
    {
        queue.Give(segment, 0);
    }
    Check("none waits", !queue.GetReinjected());
    queue.Reinject(100);
    queue.Reinject(300);
    queue.Reinject(100);
    Check("the first one", queue.GetReinjected() == 100);
    queue.Give(100, 1);
    Check("once", queue.GetReinjected() == 300);
    queue.Reinject(200);
    queue.Give(200, 1);
    Check("sent before its turn", queue.GetReinjected() == 300);
    queue.Acknowledge(400);
    Check("acknowledged meanwhile", !queue.GetReinjected());
    queue.Reinject(200);
    Check("acknowledged before", !queue.GetReinjected());
}

} // namespace

int
main()
{
    TestOrder();
    TestMissing();
    TestReinjection();
    return g_status;
}
