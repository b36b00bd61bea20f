// SPDX-License-Identifier: MIT
//
// The relay's reader of plans on any bytes: a plan that it returns can be run, and anything else
// ends in one line.

#include "holds.h"
#include "plan.h"

#include <algorithm>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace
{

/// @return The name of a file in memory that has the bytes.
std::string
Written(const uint8_t* bytes, size_t size)
{
    static const int file = memfd_create("plan", 0);
    HOLDS(file >= 0 && ftruncate(file, 0) == 0);
    HOLDS(pwrite(file, bytes, size, 0) == static_cast<ssize_t>(size));
    return "/proc/self/fd/" + std::to_string(file);
}

void
Check(const relay::Plan& plan)
{
    HOLDS(std::is_sorted(plan.marksNs.begin(), plan.marksNs.end()) && plan.marksNs[0] >= 0);
    HOLDS(plan.marksNs.size() >= 2 && plan.captureHost < plan.hosts.size());
    for (const auto& port : plan.ports)
    {
        HOLDS(std::is_sorted(port.momentsMs.begin(), port.momentsMs.end()));
        HOLDS(port.momentsMs.empty() || port.momentsMs.back() > 0);
        HOLDS(port.loss >= 0 && port.loss <= 1 && port.delayNs >= 0 && port.jitterNs >= 0);
        HOLDS(port.rate.empty() || port.rate.front().fromNs == 0);
        HOLDS(std::all_of(port.rate.begin(), port.rate.end(), [](const auto& change) {
            return change.bitS >= 1 && change.bitS <= 1e12;
        }));
        HOLDS(port.discipline == relay::Discipline::DROP_TAIL ||
              (!port.rate.empty() && port.momentsMs.empty() && !port.markBytes));
        HOLDS(port.burstLow <= port.burstHigh && port.holdNs >= 0 && port.rateStepNs >= 0);
    }
    for (const auto& route : plan.routes)
    {
        HOLDS(route.ackEvery >= 1 && route.ackEvery <= 1'000);
        HOLDS(route.from < plan.hosts.size() && route.to < plan.hosts.size());
        for (const auto* ports : {&route.there, &route.back})
        {
            HOLDS(std::all_of(ports->begin(), ports->end(), [&plan](auto port) {
                return port < plan.ports.size();
            }));
        }
    }
}

} // namespace

extern "C" int
TryRelayPlan(const uint8_t* bytes, size_t size)
{
    try
    {
        Check(relay::ReadPlan(Written(bytes, size)));
    }
    catch (const relay::PlanError& error)
    {
        HOLDS(std::string(error.what()).find('\n') == std::string::npos);
    }
    return 1;
}

#ifdef TRY
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    TRY(bytes, size);
    return 0;
}
#endif
