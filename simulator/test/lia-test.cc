// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::LiaIncrease() with values computed by hand from RFC 6356, section 3,
 * smartsbd::MixedIncrease() with means of those and Reno's, and smartsbd::CountAcknowledged(),
 * smartsbd::LiaKernelAlpha() and smartsbd::LiaKernelThreshold() with the counting and the integers
 * of Linux's mptcp_coupled.c.
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

/// One increase between LIA's and Reno's, of two equal subflows with windows of 10.
struct MixedCase
{
    uint32_t thetaQ10; //!< The share of Reno's
    double increase;   //!< Increase in segments
};

// LIA's is 1/40, Reno's 1/10.
constexpr MixedCase MIXED_CASES[] = {{0, 0.025}, {512, 0.0625}, {1024, 0.1}};

/// One hand computed factor of the kernel.
struct KernelCase
{
    const char* name;                               //!< What is special about it
    std::vector<smartsbd::CoupledSubflow> subflows; //!< Windows in segments and RTTs in s
    uint64_t window;                                //!< Window of the one that is asked about
    uint64_t alpha;                                 //!< The group's factor
    uint64_t acks;                                  //!< ACKs that are counted for each segment
};

const std::vector<KernelCase> KERNEL_CASES{
    // srtt_us 160000 and 640000; 10 * 2^32 / 160000^2 = 1.7, so the first is the best one. Terms
    // 10240 and 20480 / 4 = 5120; 10 * 2^32 / 15360^2 = 182.04; 4096 / 182 = 22.5.
    {"the faster of two", {{10, 0.02}, {20, 0.08}}, 10, 182, 22},
    // The same, the other way round: 20 * 2^32 / 640000^2 = 0.2, so 1 against 0.
    {"the order is of no effect there", {{20, 0.08}, {10, 0.02}}, 20, 182, 22},
    // Quotients 0.07 and 0.12 are both 0: the oldest is taken, though the other one is better.
    // Terms 10240 and 18 * 1024; 10 * 2^32 / 28672^2 = 52.2; 4096 / 52 = 78.8.
    {"the best one is not seen", {{10, 0.1}, {18, 0.1}}, 10, 52, 78},
    // Terms 10240 and 18432: 18 * 2^32 / 28672^2 = 94.04; 4096 / 94 = 43.6.
    {"the oldest is the best one", {{18, 0.1}, {10, 0.1}}, 10, 94, 43},
    // Terms 1024 and 100 * 1024 / 100 = 1024, quotients 0.67 and 0: the oldest by 0 to 0.
    // 2^32 / 2048^2 = 1024; 4096 / 1024 = 4, below the window of 100.
    {"not faster than Reno", {{1, 0.01}, {100, 1}}, 100, 1024, 100},
    // Terms 1024 * 3000 twice; 3000 * 2^32 / 6144000^2 = 0.3, so 1: 4096, below the window.
    {"never 0", {{3000, 0.1}, {3000, 0.1}}, 3000, 1, 4096},
    {"never 0, whatever the window", {{5000, 0.1}, {5000, 0.1}}, 5000, 1, 5000},
    // A window of 10.9 segments counts as 10: 10 * 2^32 / 20480^2 = 102.4; 4096 / 102 = 40.2.
    {"whole segments", {{10.9, 0.1}, {10.9, 0.1}}, 10, 102, 40},
};

/// A factor, and whether it is stale after two regroupings.
struct StaleCase
{
    bool stale;           //!< Whether a congestion state was set
    uint32_t regroupings; //!< Regroupings when it was calculated
    bool due;             //!< Whether it is stale
};

constexpr StaleCase STALE_CASES[] = {{false, 2, false}, {true, 2, true}, {false, 1, true}};

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
    for (const auto& [thetaQ10, expected] : MIXED_CASES)
    {
        const auto increase = smartsbd::MixedIncrease({{10, 0.1}, {10, 0.1}}, 1, thetaQ10);
        if (!(std::abs(increase - expected) < 1e-12))
        {
            std::fprintf(stderr, "theta %u: %.17g, not %.17g\n", thetaQ10, increase, expected);
            status = 1;
        }
    }
    for (const auto& check : KERNEL_CASES)
    {
        const auto alpha = smartsbd::LiaKernelAlpha(check.subflows);
        const auto acks = smartsbd::LiaKernelThreshold(alpha, check.window);
        if (alpha != check.alpha || acks != check.acks)
        {
            std::fprintf(stderr,
                         "%s: %ju, %ju, not %ju, %ju\n",
                         check.name,
                         static_cast<uintmax_t>(alpha),
                         static_cast<uintmax_t>(acks),
                         static_cast<uintmax_t>(check.alpha),
                         static_cast<uintmax_t>(check.acks));
            status = 1;
        }
    }
    for (const auto& [stale, regroupings, due] : STALE_CASES)
    {
        if (smartsbd::LinkedIncrease{100, stale, regroupings}.IsStale(2) != due)
        {
            std::fprintf(stderr, "after %u of 2 regroupings: stale is not %d\n", regroupings, due);
            status = 1;
        }
    }
    return status;
}
