// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the functions of MPCC with values computed by hand, and its plan with decisions that
 * follow from them. Exit status: 0 if all agree, else 1 with a line on standard error for each
 * that differs.
 *
 * 100,000^0.9 = 10^4.5 = 31,622.7766.
 */

#include "controllers/mpcc.h"

#include "check.h"

#include <cmath>
#include <cstdio>

namespace
{

using smartsbd::Check;
using smartsbd::g_status;
using smartsbd::IntervalResult;
using smartsbd::MpccAgreement;
using smartsbd::MpccDirection;
using smartsbd::MpccGradient;
using smartsbd::MpccMode;
using smartsbd::MpccPairs;
using smartsbd::MpccPlan;
using smartsbd::MpccProbes;
using smartsbd::MpccStep;
using smartsbd::MpccUtility;

/**
 * @param name What is compared.
 * @param value A value.
 * @param due What it should be.
 */
void
Expect(const char* name, double value, double due)
{
    if (std::abs(value - due) > 1e-6 * std::max(1.0, std::abs(due)))
    {
        std::fprintf(stderr, "%s: %.9g, not %.9g\n", name, value, due);
        g_status = 1;
    }
}

/// 250 times (31,622.7766 - 11 losses - RTT slope, both times 100,000).
void
TestUtility()
{
    const double reward = 250 * 31622.776601683795;
    Expect("nothing lost", MpccUtility(1e5, 0, 0, false), reward);
    Expect("2 % lost", MpccUtility(1e5, 0.02, 0, false), reward - 250 * 22'000);
    Expect("RTT grows", MpccUtility(1e5, 0, 0.1, false), reward - 250 * 10'000);
    Expect("RTT falls", MpccUtility(1e5, 0, -0.1, false), reward + 250 * 10'000);
    Expect("RTT still", MpccUtility(1e5, 0, 0.029, false), reward);
    Expect("RTT still, falling", MpccUtility(1e5, 0, -0.029, false), reward);
    Expect("start: RTT falls", MpccUtility(1e5, 0, -0.1, true), reward);
    Expect("start: RTT grows", MpccUtility(1e5, 0, 0.1, true), reward - 250 * 10'000);
    Expect("start: 14 % lost", MpccUtility(1e5, 0.14, 0, true), reward);
    Expect("start: 15 % lost", MpccUtility(1e5, 0.15, 0, true), reward - 250 * 165'000);
}

void
TestGradient()
{
    Expect("up", MpccGradient({1000, 5}, {1100, 25}), 200);
    Expect("the other way round", MpccGradient({1100, 25}, {1000, 5}), 200);
    Expect("down", MpccGradient({1000, 25}, {1100, 5}), -200);
    Expect("too near", MpccGradient({100'000, 5}, {100'099, 25}), 0);
    Expect("near enough", MpccGradient({100'000, 5}, {100'100, 25}), 200);
}

/// Around 100,000 of a total of 300,000, by 15,000 and 1 % for each decision to stay.
void
TestProbes()
{
    const auto first = MpccProbes(1e5, 3e5, 1, {true, false});
    Expect("low first", first[0].rate, 84'000);
    Expect("then high", first[1].rate, 116'000);
    Expect("high first", first[2].rate, 116'000);
    Expect("then low", first[3].rate, 84'000);
    Expect("without the percent", MpccProbes(1e5, 3e5, 0, {true, true})[0].rate, 85'000);
    // 50,000 is more than the rate: half of 60,000 stands for what would be negative.
    Expect("no room below", MpccProbes(1e4, 1e6, 0, {true, true})[0].rate, 30'000);
    Expect("nothing below", MpccProbes(25'000, 5e5, 0, {true, true})[0].rate, 25'000);
    Expect("room above", MpccProbes(1e4, 1e6, 0, {true, true})[1].rate, 60'000);
}

/// The pairs must agree, and the smaller gradient holds.
void
TestAgreement()
{
    MpccPairs pairs{{{900, 10}, {1100, 30}, {1100, 50}, {900, 10}}};
    Expect("agree, up", MpccAgreement(pairs), 100);
    pairs[2].utility = 12;
    Expect("the smaller one", MpccAgreement(pairs), 10);
    pairs[2].utility = 9;
    Expect("disagree", MpccAgreement(pairs), 0);
    pairs[1].utility = 6;
    Expect("agree, down", MpccAgreement(pairs), -5);
}

/// Steps of half the gradient, amplified by 1, 3, 5 ... once two have swung out.
void
TestStep()
{
    MpccStep step;
    step.SetLast(MpccDirection::STAY);
    // At first the direction is another one: no amplifier, and one step of swing.
    Expect("first", step.Take(200'000, 4e6, 8e6, 62'500), 100'000);
    step.SetLast(MpccDirection::UP);
    Expect("second, swings", step.Take(200'000, 4e6, 8e6, 62'500), 100'000);
    Expect("third, before the amplifier", step.Take(200'000, 4e6, 8e6, 62'500), 100'000);
    Expect("fourth, threefold", step.Take(200'000, 4e6, 8e6, 62'500), 300'000);
    // 500,000 is more than 5 % of the total; the next time 10 % are allowed.
    Expect("fifth, bounded", step.Take(200'000, 4e6, 8e6, 62'500), 400'000);
    Expect("sixth, sevenfold", step.Take(200'000, 4e6, 8e6, 62'500), 700'000);
    Expect("down, not amplified", step.Take(-200'000, 4e6, 8e6, 62'500), -100'000);
    Expect("least step", step.Take(2, 4e6, 8e6, 62'500), 62'500);
    Expect("half the rate", step.Take(2, 100'000, 8e6, 62'500), 50'000);
    MpccStep released;
    // As the code begins: going up, amplified twofold, with a bound far away.
    Expect("from the beginning", released.Take(200'000, 4e6, 8e6, 62'500), 200'000);
}

/**
 * @param aim What was sent.
 * @param loss Share of it that was lost.
 * @return Its result: 200 segments, at its rate.
 */
IntervalResult
Come(const smartsbd::MpccAim& aim, double loss)
{
    IntervalResult result;
    result.purpose = aim.purpose;
    result.rate = aim.rate;
    result.sent = 280'000;
    result.lost = static_cast<uint64_t>(280'000 * loss);
    result.duration = ns3::Seconds(280'000 / aim.rate);
    return result;
}

/// Doubles up to 4 Mbyte/s, where a fifth is lost: tries twice again, goes back to 2 and probes.
void
TestPlan()
{
    bool bit = false;
    MpccPlan plan([&bit] { return bit = !bit; }, 0);
    const auto take = [&plan](const smartsbd::MpccAim& aim, double loss) {
        plan.Take(Come(aim, loss), 1400, 0, 62'500);
    };
    for (const double rate : {5e5, 1e6, 2e6})
    {
        const auto aim = plan.Next();
        Expect("doubled", aim->rate, rate);
        Check("one at a time", !plan.Next());
        take(*aim, 0);
    }
    auto aim = plan.Next();
    auto voided = Come(*aim, 0);
    voided.limitedByRate = false;
    plan.Take(voided, 1400, 0, 62'500);
    for (int k = 0; k < 3; ++k)
    {
        aim = plan.Next();
        Expect("tried again", aim->rate, 4e6);
        take(*aim, 0.2);
    }
    Check("probes", plan.GetMode() == MpccMode::PROBE);
    Expect("went back", plan.GetRate(), 2e6);
    // 5 % of the total and 1 % for the first decision.
    const double rates[] = {1.88e6, 2.12e6, 2.12e6, 1.88e6};
    smartsbd::MpccAim sent[4];
    for (int k = 0; k < 4; ++k)
    {
        aim = plan.Next();
        Expect("probe", aim->rate, rates[k]);
        sent[k] = *aim;
    }
    Check("four of them", !plan.Next());
    take(sent[0], 0);
    take(sent[1], 0);
    take(sent[2], 0);
    Expect("advertises the old rate", plan.GetAdvertised(), 5e5);
    take(sent[3], 0);
    Check("moves", plan.GetMode() == MpccMode::MOVE);
    // Twofold, as the code begins.
    const auto gradient = 1000 * 250 * (std::pow(2.12e6, 0.9) - std::pow(1.88e6, 0.9)) / 0.24e6;
    const auto rate = 2e6 + std::max(62'500.0, gradient);
    Expect("upwards", plan.GetRate(), rate);
    Expect("advertises the new rate", plan.GetAdvertised(), rate);
    // A fifth is lost: downwards would be another direction, so it probes where it is.
    take(*plan.Next(), 0.2);
    Check("probes again", plan.GetMode() == MpccMode::PROBE);
    Expect("where it is", plan.GetRate(), rate);
    Expect("without the percent", plan.Next()->rate, rate * 0.95);
}

/// Three of four intervals that lose more than 30 % halve the rate.
void
TestBrake()
{
    for (const double loss : {0.31, 0.29})
    {
        MpccPlan plan([] { return false; }, 0);
        while (plan.GetMode() == MpccMode::START)
        {
            plan.Take(Come(*plan.Next(), 0.5), 1400, 0, 62'500);
        }
        Expect("as it began", plan.GetRate(), 5e5);
        for (int k = 0; k < 4; ++k)
        {
            plan.Take(Come(*plan.Next(), loss), 1400, 0, 62'500);
        }
        // Otherwise it goes down by the least step, which is more than 5 %.
        Expect("halved", plan.GetRate(), loss > 0.3 ? 2.5e5 : 5e5 - 62'500);
    }
}

} // namespace

int
main()
{
    TestUtility();
    TestGradient();
    TestProbes();
    TestAgreement();
    TestStep();
    TestPlan();
    TestBrake();
    return g_status;
}
