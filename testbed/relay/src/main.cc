// SPDX-License-Identifier: MIT
//
// sbd-relay PLAN: links between network namespaces, in one process.
//
// It makes a TUN device in each namespace of the plan (plan.h), says "ready", and waits for a line
// with the time that is 0 to the plan, in ns of the monotonic clock. On SIGTERM or SIGINT it writes
// its counts as JSON and ends.

#include "network.h"
#include "plan.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <exception>

namespace
{

constexpr int USAGE = 2;
constexpr int PRIORITY = 20;

volatile std::sig_atomic_t g_stop = 0;

void
Stop(int)
{
    g_stop = 1;
}

/// Be on time as far as the machine allows: what it refuses shows in the lateness.
void
BeOnTime()
{
    prctl(PR_SET_TIMERSLACK, 1UL);
    const sched_param priority{PRIORITY};
    sched_setscheduler(0, SCHED_FIFO, &priority);
    mlockall(MCL_CURRENT | MCL_ONFAULT);
}

} // namespace

int
main(int count, char** words)
{
    if (count != 2)
    {
        std::fprintf(stderr, "usage: sbd-relay PLAN\n");
        return USAGE;
    }
    // Whoever started it may have had them ignored.
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    try
    {
        relay::Network network(relay::ReadPlan(words[1]));
        std::printf("ready\n");
        std::fflush(stdout);
        int64_t originNs = 0;
        if (std::scanf("%" SCNd64, &originNs) != 1)
        {
            std::fprintf(stderr, "sbd-relay: no time to begin at\n");
            return USAGE;
        }
        // Until here a signal ends it at once. From here on they are blocked except while it waits,
        // so that none comes between the last look and the wait.
        sigset_t stopping;
        sigset_t during;
        sigemptyset(&stopping);
        sigaddset(&stopping, SIGTERM);
        sigaddset(&stopping, SIGINT);
        sigprocmask(SIG_BLOCK, &stopping, &during);
        std::signal(SIGTERM, Stop);
        std::signal(SIGINT, Stop);
        BeOnTime();
        network.Run(originNs, g_stop, during);
        network.Report(stdout);
        return std::fflush(stdout) == 0 ? 0 : 1;
    }
    catch (const relay::PlanError& error)
    {
        std::fprintf(stderr, "sbd-relay: %s\n", error.what());
        return USAGE;
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "sbd-relay: %s\n", error.what());
        return 1;
    }
}
