// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::OliaEpsilon() and smartsbd::OliaChange() with values computed by hand from
 * the rule of Linux's mptcp_olia.c.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/olia.h"

#include <cmath>
#include <cstdio>
#include <vector>

namespace
{

/// One hand computed change.
struct Case
{
    const char* name;                               //!< What is special about it
    std::vector<smartsbd::CoupledSubflow> subflows; //!< Windows, RTTs in s, bytes of losses
    std::size_t index;                              //!< Subflow that receives an acknowledgment
    double epsilon;                                 //!< Its epsilon
    double change;                                  //!< Change of its window in segments
};

const std::vector<Case> CASES{
    // (10 / 0.1^2) / (10 / 0.1)^2 = 0.1.
    {"a single subflow is Reno", {{10, 0.1, 5000}}, 0, 0, 0.1},
    // 1000 / 200^2.
    {"two equal subflows", {{10, 0.1, 5000}, {10, 0.1, 5000}}, 0, 0, 0.025},
    // 25000 / 750^2 = 2/45; 3125 / 750^2 = 1/180. The second is best by 6.4e7 / 6.4e-3, and has
    // the largest window.
    {"the best has the largest window, the other", {{10, 0.02, 1}, {20, 0.08, 100}}, 0, 0, 2. / 45},
    {"the best has the largest window, itself", {{10, 0.02, 1}, {20, 0.08, 100}}, 1, 0, 1. / 180},
    // The first is best: epsilon is 1/2 over its window, and -1/2 over that of the second.
    {"the best gains", {{10, 0.02, 9000}, {20, 0.08, 9000}}, 0, 0.5, 2. / 45 + 0.05},
    {"the largest loses", {{10, 0.02, 9000}, {20, 0.08, 9000}}, 1, -0.5, 1. / 180 - 0.025},
    // Windows of 20 whole segments are equal: the first is largest too, so none is collected.
    {"windows are compared in whole segments", {{20.9, 0.1, 9000}, {20.1, 0.1, 1}}, 1, 0,
     2010 / (410. * 410)},
    // Two best ones with 5 segments of four subflows, two largest ones with 20; x = 500.
    {"two of four gain", {{5, .1, 90}, {5, .1, 90}, {20, .1, 1}, {20, .1, 1}}, 0, 1. / 8,
     500 / 250000. + 1. / 40},
    {"two of four lose", {{5, .1, 90}, {5, .1, 90}, {20, .1, 1}, {20, .1, 1}}, 3, -1. / 8,
     2000 / 250000. - 1. / 160},
    // The third is neither best nor largest.
    {"one between them", {{5, .1, 90}, {20, .1, 1}, {10, .1, 1}}, 2, 0, 1000 / 122500.},
};

} // namespace

int
main()
{
    int status = 0;
    for (const auto& check : CASES)
    {
        const auto epsilon = smartsbd::OliaEpsilon(check.subflows, check.index);
        const auto change = smartsbd::OliaChange(check.subflows, check.index);
        if (!(std::abs(epsilon - check.epsilon) < 1e-12 && std::abs(change - check.change) < 1e-12))
        {
            std::fprintf(stderr,
                         "%s: %.17g and %.17g, not %.17g and %.17g\n",
                         check.name,
                         epsilon,
                         change,
                         check.epsilon,
                         check.change);
            status = 1;
        }
    }
    return status;
}
