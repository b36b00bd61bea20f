// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::Opportunities with the moments of its rounds, written out one by one. Exit
 * status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "path/opportunities.h"

#include "check.h"


namespace
{

using ns3::MilliSeconds;
using ns3::NanoSeconds;
using ns3::Time;
using smartsbd::Check;
using smartsbd::g_status;
using smartsbd::Opportunities;

/**
 * @param moments A trace.
 */
void
Compare(const std::vector<uint32_t>& moments)
{
    constexpr uint64_t ROUNDS = 4;
    const Opportunities opportunities(moments);
    std::vector<uint64_t> every;
    for (uint64_t round = 0; round < ROUNDS; ++round)
    {
        for (const auto moment : moments)
        {
            every.push_back(round * moments.back() + moment);
        }
    }
    for (std::size_t i = 0; i < every.size(); ++i)
    {
        Check("its time", opportunities.GetTime(i) == MilliSeconds(every[i]));
    }
    for (uint64_t ms = 0; ms < (ROUNDS - 1) * moments.back(); ++ms)
    {
        uint64_t until = 0;
        uint64_t before = 0;
        for (const auto moment : every)
        {
            until += moment <= ms;
            before += moment < ms;
        }
        const auto time = MilliSeconds(ms);
        Check("at a moment", opportunities.CountUntil(time) == until);
        Check("after it", opportunities.CountUntil(time + NanoSeconds(999'999)) == until);
        Check("before it", opportunities.CountUntil(time - NanoSeconds(1)) == before);
    }
}

} // namespace

int
main()
{
    Compare({1});
    Compare({0, 3});
    Compare({0, 0, 2, 2, 2, 7, 9, 9});
    Compare({5, 5});
    Check("none before the beginning", Opportunities({0, 1}).CountUntil(Time(-1)) == 0);
    Check("12 Mbit/s", Opportunities({1, 1, 3, 4}).GetMean() == 12);
    return g_status;
}
