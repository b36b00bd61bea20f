// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the functions of MP-OL with values computed by hand.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 *
 * 32^0.9 = 2^4.5 = 22.627417.
 */

#include "controllers/mpol.h"

#include <cmath>
#include <cstdio>

namespace
{

using smartsbd::MpolChange;
using smartsbd::MpolDistance;
using smartsbd::MpolRound;
using smartsbd::MpolUtility;

int g_status = 0; //!< Exit status

/**
 * @param name What is compared.
 * @param value A value.
 * @param due What it should be.
 */
void
Expect(const char* name, double value, double due)
{
    if (!(std::abs(value - due) < 1e-6))
    {
        std::fprintf(stderr, "%s: %.9g, not %.9g\n", name, value, due);
        g_status = 1;
    }
}

void
TestUtility()
{
    Expect("alone", MpolUtility(32, 0, 0, 0), 22.627417);
    Expect("beside another", MpolUtility(32, 32, 0, 0), 45.254834);
    Expect("1 % lost", MpolUtility(32, 0, 0.01, 0), 22.627417 - 3.52);
    Expect("RTT grows", MpolUtility(32, 0, 0, 0.05), 22.627417 - 1.6);
    Expect("RTT falls", MpolUtility(32, 0, 0, -0.05), 22.627417 + 1.6);
    // The unit decides on what loss is tolerated: at 3 %, a rate of 50 Mbit/s is to grow in Mbit/s
    // and to fall in bytes/s.
    Expect("3 %, Mbit/s", MpolUtility(51, 0, 0.03, 0) > MpolUtility(50, 0, 0.03, 0), 1);
    Expect("3 %, bytes/s", MpolUtility(6.375e6, 0, 0.03, 0) < MpolUtility(6.25e6, 0, 0.03, 0), 1);
}

/// Rates of 19, 20 and 21: their utilities are a unit apart, so the gradient is 1.
void
TestChange()
{
    const smartsbd::MpolStep absolute{1, false};
    Expect("up", MpolChange({20, 10, 9, 11}, absolute, 1).value(), 1);
    Expect("down", MpolChange({20, 10, 11, 9}, absolute, 1).value(), -1);
    Expect("half as much", MpolChange({20, 10, 9, 11}, {0.5, false}, 1).value(), 0.5);
    Expect("the third in a row", MpolChange({20, 10, 9, 11}, {0.5, false}, 3).value(), 1.5);
    Expect("a tenth at most", MpolChange({20, 10, 9, 11}, absolute, 3).value(), 2);
    Expect("a tenth at most, down", MpolChange({20, 10, 11, 9}, absolute, 3).value(), -2);
    Expect("relative", MpolChange({20, 10, 9, 11}, {0.5, true}, 1).value(), 0.5);
    Expect("relative, another rate", MpolChange({40, 10, 8, 12}, {0.5, true}, 1).value(), 1);
    Expect("best in the middle", MpolChange({20, 12, 9, 11}, absolute, 1).has_value(), 0);
    Expect("worst in the middle", MpolChange({20, 8, 9, 11}, absolute, 1).has_value(), 0);
    Expect("all alike", MpolChange({20, 9, 9, 9}, absolute, 1).has_value(), 0);
}

/// Two periods of five rounds each.
void
TestDistance()
{
    std::deque<MpolRound> ramp;
    std::deque<MpolRound> step;
    std::deque<MpolRound> both;
    std::deque<MpolRound> once;
    for (int k = 0; k < 10; ++k)
    {
        ramp.push_back({0, 0.100 + 0.001 * k});
        step.push_back({0, k < 5 ? 0.1 : 0.2});
        both.push_back({k < 5 ? 0.01 : 0, k < 5 ? 0.1 : 0.2});
        once.push_back({k == 3 ? 0.05 : 0, 0.1});
    }
    Expect("a step", MpolDistance(step, 0), 1);
    Expect("a step of both", MpolDistance(both, 0), std::sqrt(2));
    Expect("one loss in ten rounds", MpolDistance(once, 0), 0.2);
    // The means are 2 and 7 of 9, however slow the drift is: more than the 0.5 that is recommended.
    Expect("a drift", MpolDistance(ramp, 0), 5.0 / 9);
    Expect("a drift of 8.6 %", MpolDistance(ramp, 0.086), 5.0 / 9);
    Expect("is still", MpolDistance(ramp, 0.0862), 0);
    Expect("nothing", MpolDistance({{0.1, 0.1}, {0.1, 0.1}}, 0), 0);
}

} // namespace

int
main()
{
    TestUtility();
    TestChange();
    TestDistance();
    return g_status;
}
