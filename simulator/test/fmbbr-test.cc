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
    ConnectionSignals signals(4);
    std::vector<BbrStart> starts(signals.size());
    signals[2].group = signals[3].group = 1;
    const int64_t rtts[]{60, 20, 40, 30};
    for (std::size_t i = 0; i < signals.size(); ++i)
    {
        signals[i].baseRtt = MilliSeconds(rtts[i]);
    }
    Check("who is not established does not start", !FmbbrGroupStarts(signals, starts, 0));
    for (auto& start : starts)
    {
        start.phase = StartPhase::WAITS;
    }
    Check("the least RTT of each group has its turn",
          !FmbbrMayStart(signals, starts, 0) && FmbbrMayStart(signals, starts, 1) &&
              !FmbbrMayStart(signals, starts, 2) && FmbbrMayStart(signals, starts, 3));
    for (const auto phase : {StartPhase::STARTS, StartPhase::DRAINS})
    {
        starts[1].phase = phase;
        Check("nobody else while it starts up", !FmbbrMayStart(signals, starts, 0));
        Check("its group does",
              FmbbrGroupStarts(signals, starts, 0) && FmbbrGroupStarts(signals, starts, 1));
    }
    starts[1].phase = StartPhase::ENDED;
    Check("the next one afterwards", FmbbrMayStart(signals, starts, 0));
    Check("its group still does", FmbbrGroupStarts(signals, starts, 1));
    starts[0].phase = StartPhase::ENDED;
    Check("its group has ended", !FmbbrGroupStarts(signals, starts, 1));
    Check("another one has not", FmbbrGroupStarts(signals, starts, 2));
    starts[3].turnRtt = MilliSeconds(50);
    Check("an RTT that gave a turn stays", FmbbrMayStart(signals, starts, 2));
}

/// Coupled BBR: in proportion, the largest in sum.
void
TestCoupled()
{
    ConnectionSignals signals(3);
    const std::vector<AdvertisedRate> rates{{8}, {6}, {2}};
    const auto rate = [&](std::size_t index) { return CoupledBbrRate(signals, rates, index); };
    Expect("(8, 6, 2)", {rate(0), rate(1), rate(2)}, {4, 3, 1});
    signals[0].group = 1;
    Expect("apart", {rate(0), rate(1)}, {8, 4.5});
    Expect("nothing found", {CoupledBbrRate(ConnectionSignals(2), {{0}, {0}}, 0)}, {0});
}

/// C-MPBBR: bandwidths within 20 % of the own one, in two cycles.
void
TestAlike()
{
    ConnectionSignals signals(4);
    const std::vector<AdvertisedRate> rates{{10}, {8}, {12}, {7.9}};
    Check("from 8 to 12", CountAlike(signals, rates, 0) == 3);
    Check("from 6.4 to 9.6", CountAlike(signals, rates, 1) == 2);
    signals[1].group = 1;
    Check("another group does not count", CountAlike(signals, rates, 0) == 2);
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
