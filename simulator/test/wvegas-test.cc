// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::EndWvegasRound() with values computed by hand from the rule of Linux's
 * mptcp_wvegas.c.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/wvegas.h"

#include <cmath>
#include <cstdio>
#include <vector>

namespace
{

/// One hand computed end of a round.
struct Case
{
    const char* name;            //!< What is special about it
    smartsbd::WvegasPath before; //!< The subflow before: window, threshold, base, alpha, ...
    int64_t rtt;                 //!< Mean RTT in us
    double otherRates;           //!< Rates of the others in segments/s
    smartsbd::WvegasPath after;  //!< The subflow after
    bool slowStart;              //!< Whether a step of slow start is due
};

const std::vector<Case> CASES{
    // 10 * 5000 / 105000 = 0 segments wait; 10 * 3 / 4 = 7.
    {"slow start goes on", {10, 100, 100000}, 105000, 0, {10, 100, 100000}, true},
    // One segment waits, which is gamma.
    {"slow start at gamma", {10, 100, 100000}, 111111, 0, {10, 100, 100000}, true},
    // 20 * 100 / 125 = 16 are on the way, 4 wait: 17, and the threshold 16.
    {"slow start ends", {20, 100, 100000}, 125000, 0, {17, 16, 100000}, false},
    // 20 * 5 / 105 = 0 wait: one more. The least queue is this one, and nothing drains.
    {"too few wait", {20, 15, 100000}, 105000, 0, {21, 15, 100000, 2, 1, 0, 5000}, false},
    // 4 of 20 wait: the rate is 160 segments/s, the weight 1/2 and alpha 5, so one more.
    {"half of the total", {20, 15, 100000}, 125000, 160,
     {21, 15, 100000, 5, .5, 160, 25000}, false},
    // The weight is 2/3, and alpha 6.
    {"two thirds of it", {20, 15, 100000}, 125000, 80,
     {21, 15, 100000, 6, 2. / 3, 160, 25000}, false},
    // The weight is 0.16, so alpha is its least.
    {"the least of it", {20, 15, 100000}, 125000, 840, {19, 15, 100000, 2, .16, 160, 25000}, false},
    // 5 of 25 wait, which is alpha: the window stays. Three quarters are 18.
    {"as many as due", {25, 20, 100000, 5, .5, 160, 0}, 125000, 200,
     {25, 20, 100000, 5, .5, 200, 25000}, false},
    // 8 of 20 wait; alpha is 5. Its rate is 120, the others' too. One less, so the threshold of
    // 19 falls to 18; the queue is more than twice the least one, so half of what is on the way
    // stays: 19 * 100 / (2 * 166.667) = 5.7.
    {"a long queue drains", {20, 19, 100000, 5, .5, 120, 30000}, 166667, 20 * 1e6 / 166667,
     {5, 18, 100000, 5, .5, 20 * 1e6 / 166667, 0}, false},
    // 0 of 3 wait, so 4; 4 * 100 / 260 is 1, and 2 the least window.
    {"the least window", {3, 2, 100000, 2, 1, 0, 10000}, 130000, 0,
     {2, 2, 100000, 2, 1, 0, 0}, false},
    // Without any queue the kernel drains: twice nothing is reached.
    {"no queue at all", {20, 10, 100000}, 100000, 0, {10, 10, 100000, 2, 1, 0, 0}, false},
};

/**
 * @param a A number.
 * @param b Another one.
 * @return Whether they are equal but for rounding.
 */
bool
AreClose(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

} // namespace

int
main()
{
    int status = 0;
    for (const auto& check : CASES)
    {
        auto path = check.before;
        const bool slowStart = smartsbd::EndWvegasRound(path, check.rtt, check.otherRates);
        const auto& due = check.after;
        if (path.window != due.window || path.threshold != due.threshold ||
            path.base != due.base || path.alpha != due.alpha ||
            path.leastQueue != due.leastQueue || !AreClose(path.weight, due.weight) ||
            !AreClose(path.rate, due.rate) || slowStart != check.slowStart)
        {
            std::fprintf(stderr,
                         "%s: window %u, threshold %u, alpha %u, weight %.17g, rate %.17g, "
                         "queue %lld, slow start %d\n",
                         check.name,
                         path.window,
                         path.threshold,
                         path.alpha,
                         path.weight,
                         path.rate,
                         static_cast<long long>(path.leastQueue),
                         slowStart);
            status = 1;
        }
    }
    return status;
}
