// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares BALIA's increase and decrease with values computed by hand, from the rule of
 * draft-walid-mptcp-congestion-control and from the integers of Linux's mptcp_balia.c.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/balia.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace
{

using Subflows = std::vector<smartsbd::CoupledSubflow>;

/// One hand computed step.
struct Case
{
    const char* name;     //!< What is special about it
    Subflows subflows;    //!< Windows in segments and RTTs in s
    std::size_t index;    //!< The subflow
    double increase;      //!< Increase in segments for each counted one
    double cut;           //!< Decrease at a loss in segments
    uint64_t kernelAcks;  //!< Kernel: ACKs for each segment of increase
    uint64_t kernelCut;   //!< Kernel: decrease at a loss in segments
};

// x = 500 and 250, their sum 750; a = 1 and 2.
const Subflows PAIR{{10, 0.02}, {20, 0.08}};
// x = 240, 200 and 40, their sum 480; a = 1, 1.2 and 6.
const Subflows THREE{{12, 0.05}, {10, 0.05}, {4, 0.1}};

const std::vector<Case> CASES{
    // x = 100: 100 / (0.1 * 100^2) = 0.1; 100^2 * 10 * 10 / (200 * 500) = 10.
    {"a single subflow is Reno", {{10, 0.1}}, 0, 0.1, 5, 10, 5},
    // 500 / (0.02 * 562500) = 2/45; 562500 * 100 / (1000 * 2500) = 22.5.
    {"the faster of two", PAIR, 0, 2.0 / 45, 5, 22, 5},
    // 250 / (0.08 * 562500) * 3/2 * 6/5 = 1/100; 562500 * 200 / (750 * 1500) = 100.
    {"the slower of two", PAIR, 1, 0.01, 15, 100, 15},
    // 240 / (0.05 * 230400) = 1/48; 230400 * 120 / (480 * 1200) = 48.
    {"the fastest of three", THREE, 0, 1.0 / 48, 6, 48, 6},
    // 200 / (0.05 * 230400) * 1.1 * 1.04 = 0.019861; 230400 * 100 / (440 * 1040) = 50.35. The
    // cut is 5 * 1.2, and the kernel's quotient 1.
    {"the second of three", THREE, 1, 200 / 11520. * 1.144, 6, 50, 5},
    // 40 / (0.1 * 230400) * 3.5 * 2 = 0.012153; 230400 * 40 / (280 * 400) = 82.29.
    {"the slowest of three", THREE, 2, 40 / 23040. * 7, 3, 82, 3},
    // a = 1.9: the cut of the draft is 3/4 of the window, the kernel's one half.
    {"a quotient below 2", {{19, 0.1}, {10, 0.1}}, 1, 10 / 84.1 / 10 * 1.45 * 1.18, 7.5, 49, 5},
};

} // namespace

int
main()
{
    int status = 0;
    for (const auto& check : CASES)
    {
        const auto increase = smartsbd::BaliaIncrease(check.subflows, check.index);
        const auto cut = smartsbd::BaliaCut(check.subflows, check.index);
        const auto kernelAcks = smartsbd::BaliaKernelThreshold(check.subflows, check.index);
        const auto kernelCut = smartsbd::BaliaKernelCut(check.subflows, check.index);
        if (!(std::abs(increase - check.increase) < 1e-12 && std::abs(cut - check.cut) < 1e-12 &&
              kernelAcks == check.kernelAcks && kernelCut == check.kernelCut))
        {
            std::fprintf(stderr,
                         "%s: %.17g, %.17g, %ju, %ju, not %.17g, %.17g, %ju, %ju\n",
                         check.name,
                         increase,
                         cut,
                         static_cast<uintmax_t>(kernelAcks),
                         static_cast<uintmax_t>(kernelCut),
                         check.increase,
                         check.cut,
                         static_cast<uintmax_t>(check.kernelAcks),
                         static_cast<uintmax_t>(check.kernelCut));
            status = 1;
        }
    }
    return status;
}
