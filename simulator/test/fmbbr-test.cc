// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the functions of FMBBR, of Coupled BBR and of C-MPBBR with values computed by hand.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/fmbbr.h"

#include "check.h"
#include "controllers/cmpbbr.h"
#include "controllers/coupled-bbr.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace
{

using namespace smartsbd;
using ns3::MilliSeconds;

/**
 * @param name What is compared.
 * @param values Some values.
 * @param due What they should be.
 */
void
Expect(const char* name, const std::vector<double>& values, const std::vector<double>& due)
{
    const auto same = [](double a, double b) { return std::abs(a - b) < 1e-9; };
    Check(name, std::equal(values.begin(), values.end(), due.begin(), due.end(), same));
}

/**
 * @param bandwidths Of subflows that all are of one group.
 * @return The subflows.
 */
Siblings
Advertise(const std::vector<double>& bandwidths)
{
    Siblings siblings(bandwidths.size());
    for (std::size_t i = 0; i < bandwidths.size(); ++i)
    {
        siblings[i].advertisedRate = bandwidths[i];
    }
    return siblings;
}

/// By RTT: the largest of the bandwidths in sum.
void
TestLimits()
{
    const auto fast = MilliSeconds(20);
    const auto slow = MilliSeconds(60);
    Expect("(8, 6)", FmbbrLimits({{8, fast}, {6, slow}}, 0), {8, 0});
    Expect("(6, 8)", FmbbrLimits({{6, fast}, {8, slow}}, 0), {6, 2});
    Expect("the slower one comes first", FmbbrLimits({{8, slow}, {6, fast}}, 0), {2, 6});
    Expect("equal RTTs", FmbbrLimits({{6, fast}, {8, fast}}, 0), {6, 2});
    Expect("three", FmbbrLimits({{5, slow}, {3, fast}, {9, MilliSeconds(40)}}, 0), {0, 3, 6});
    Expect("a share for each", FmbbrLimits({{8, fast}, {6, slow}}, 0.05), {8, 0.4});
    Expect("nothing found", FmbbrLimits({{0, fast}, {0, slow}}, 0.05), {0, 0});
    for (const double first : {1.0, 4.0, 9.0})
    {
        const auto limits = FmbbrLimits({{first, fast}, {5, slow}, {7, slow}}, 0);
        Expect("their sum is the largest",
               {std::accumulate(limits.begin(), limits.end(), 0.0)},
               {std::max(first, 7.0)});
    }
}

/// One of a group after the other.
void
TestTurns()
{
    Siblings siblings(4);
    siblings[2].group = siblings[3].group = 1;
    const int64_t rtts[]{60, 20, 40, 30};
    for (std::size_t i = 0; i < siblings.size(); ++i)
    {
        siblings[i].baseRtt = MilliSeconds(rtts[i]);
    }
    Check("who is not established does not start", !FmbbrGroupStarts(siblings, 0));
    for (auto& sibling : siblings)
    {
        sibling.startup.phase = StartPhase::WAITS;
    }
    Check("the least RTT of each group has its turn",
          !FmbbrMayStart(siblings, 0) && FmbbrMayStart(siblings, 1) &&
              !FmbbrMayStart(siblings, 2) && FmbbrMayStart(siblings, 3));
    for (const auto phase : {StartPhase::STARTS, StartPhase::DRAINS})
    {
        siblings[1].startup.phase = phase;
        Check("nobody else while it starts up", !FmbbrMayStart(siblings, 0));
        Check("its group does", FmbbrGroupStarts(siblings, 0) && FmbbrGroupStarts(siblings, 1));
    }
    siblings[1].startup.phase = StartPhase::ENDED;
    Check("the next one afterwards", FmbbrMayStart(siblings, 0));
    Check("its group still does", FmbbrGroupStarts(siblings, 1));
    siblings[0].startup.phase = StartPhase::ENDED;
    Check("its group has ended", !FmbbrGroupStarts(siblings, 1));
    Check("another one has not", FmbbrGroupStarts(siblings, 2));
    siblings[3].startup.rtt = MilliSeconds(50);
    Check("an RTT that gave a turn stays", FmbbrMayStart(siblings, 2));
}

/// Coupled BBR: in proportion, the largest in sum.
void
TestCoupled()
{
    auto siblings = Advertise({8, 6, 2});
    Expect("(8, 6, 2)",
           {CoupledBbrRate(siblings, 0), CoupledBbrRate(siblings, 1), CoupledBbrRate(siblings, 2)},
           {4, 3, 1});
    siblings[0].group = 1;
    Expect("apart", {CoupledBbrRate(siblings, 0), CoupledBbrRate(siblings, 1)}, {8, 4.5});
    Expect("nothing found", {CoupledBbrRate(Advertise({0, 0}), 0)}, {0});
}

/// C-MPBBR: bandwidths within 20 % of the own one, in two cycles.
void
TestAlike()
{
    auto siblings = Advertise({10, 8, 12, 7.9});
    Check("from 8 to 12", CountAlike(siblings, 0) == 3);
    Check("from 6.4 to 9.6", CountAlike(siblings, 1) == 2);
    siblings[1].group = 1;
    Check("another group does not count", CountAlike(siblings, 0) == 2);
    AlikeDivisor divisor;
    const auto after = [&divisor](uint32_t count) {
        divisor.Note(count);
        return divisor.Get();
    };
    Check("once is not enough", after(2) == 1 && after(1) == 1 && after(2) == 1);
    Check("twice is", after(3) == 3 && after(2) == 2);
    Check("one miss is survived", after(1) == 2 && after(2) == 2);
    Check("two are not", after(1) == 2 && after(1) == 1 && after(2) == 1);
}

} // namespace

int
main()
{
    TestLimits();
    TestTurns();
    TestCoupled();
    TestAlike();
    return g_status;
}
