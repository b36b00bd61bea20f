// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares a long run of smartsbd::WanderingRate with the moments its definition implies.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "path/wandering-rate.h"

#include <cmath>
#include <cstdio>

namespace
{

/// Exit status so far.
int g_status = 0;

/**
 * @param name What is tested.
 * @param value A value.
 * @param expected What it must be.
 * @param tolerance Largest difference.
 */
void
Expect(const char* name, double value, double expected, double tolerance)
{
    if (!(std::abs(value - expected) <= tolerance))
    {
        std::fprintf(stderr, "%s: %g, not %g\n", name, value, expected);
        g_status = 1;
    }
}

} // namespace

int
main()
{
    constexpr int STEPS = 1000000;
    constexpr double SIGMA = 0.3;
    smartsbd::WanderingRate rate(2, SIGMA, 1);
    double sum = 0;
    double logSquares = 0;
    double logProducts = 0;
    double last = 0;
    for (int i = 0; i < STEPS; ++i)
    {
        const auto value = rate.Next();
        const auto x = std::log(value / 2) + SIGMA * SIGMA / 2;
        sum += value;
        logSquares += x * x;
        logProducts += x * last;
        last = x;
    }
    // The tolerances are five standard errors; correlation leaves about STEPS / 19 samples.
    Expect("mean", sum / STEPS, 2, 0.014);
    Expect("deviation", std::sqrt(logSquares / STEPS), SIGMA, 0.005);
    Expect("correlation", logProducts / logSquares, 0.9, 0.003);
    return g_status;
}
