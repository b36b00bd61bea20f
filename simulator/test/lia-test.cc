// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::LiaIncrease() with values computed by hand from RFC 6356, section 3, and
 * smartsbd::CountAcknowledged() with the counting of Linux's mptcp_coupled.c.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/lia.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace
{

/// One hand computed increase.
struct Case
{
    const char* name;                           //!< What is special about it
    std::vector<smartsbd::CoupledSubflow> subflows; //!< Windows in segments and RTTs in s
    std::size_t index;                          //!< Subflow that receives the acknowledgment
    double increase;                            //!< Increase in segments
};

/// One count of what an ACK acknowledges.
struct CountCase
{
    uint32_t segments;        //!< Segments the ACK acknowledges
    smartsbd::Counted counts; //!< What counts
    uint32_t counted;         //!< How often
};

const std::vector<CountCase> COUNT_CASES{
    {1, smartsbd::Counted::PACKETS, 1},
    {2, smartsbd::Counted::PACKETS, 2},
    {1, smartsbd::Counted::ACKS, 1},
    {2, smartsbd::Counted::ACKS, 1},
    // No segment is left by slow start.
    {0, smartsbd::Counted::ACKS, 0},
};

const std::vector<Case> CASES{
    // alpha = 10 * 1000 / 100^2 = 1, so the increase is Reno's 1 / 10.
    {"a single subflow", {{10, 0.1}}, 0, 0.1},
    // alpha = 20 * 1000 / 200^2 = 1/2; alpha / 20 = 1/40.
    {"two equal subflows", {{10, 0.1}, {10, 0.1}}, 0, 0.025},
    // alpha = 30 * 25000 / (500 + 250)^2 = 4/3; alpha / 30 = 2/45, below 1/10 and below 1/20.
    {"the faster of two", {{10, 0.02}, {20, 0.08}}, 0, 2.0 / 45},
    {"the slower of two", {{10, 0.02}, {20, 0.08}}, 1, 2.0 / 45},
    // alpha = 101 * 10000 / (100 + 100)^2 = 101/4; alpha / 101 = 1/4, above 1/100.
    {"capped at Reno's increase", {{1, 0.01}, {100, 1}}, 1, 0.01},
    {"not capped beside a capped one", {{1, 0.01}, {100, 1}}, 0, 0.25},
    // alpha = 30 * 1000 / 300^2 = 1/3; alpha / 30 = 1/90.
    {"three equal subflows", {{10, 0.1}, {10, 0.1}, {10, 0.1}}, 2, 1.0 / 90},
};

} // namespace

int
main()
{
    int status = 0;
    for (const auto& check : COUNT_CASES)
    {
        const auto counted = smartsbd::CountAcknowledged(check.segments, check.counts);
        if (counted != check.counted)
        {
            std::fprintf(stderr, "%u segments count %u times\n", check.segments, counted);
            status = 1;
        }
    }
    for (const auto& check : CASES)
    {
        const auto increase = smartsbd::LiaIncrease(check.subflows, check.index);
        if (!(std::abs(increase - check.increase) < 1e-12))
        {
            std::fprintf(stderr, "%s: %.17g, not %.17g\n", check.name, increase, check.increase);
            status = 1;
        }
    }
    return status;
}
