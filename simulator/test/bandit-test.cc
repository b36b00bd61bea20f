// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Plays the bandits with rewards of known distributions, and feeds the reward monitor sequences
 * whose outcome is known. Exit status: 0 if all agree, else 1 with a line on standard error for
 * each that differs.
 * 
 * Rewards are Bernoulli with means 0.9, 0.5 and 0.5. Over 1,000 rounds the regret of UCB1 is at
 * most the sum over the worse arms of 8 ln n / gap + (1 + pi^2 / 3) gap = 279.7 (Auer,
 * Cesa-Bianchi, Fischer 2002), and that of Exp3 with g = 0.2 at most (e - 1) g G + K ln K / g =
 * 325.8, with the gain G = 900 of the best arm (Auer, Cesa-Bianchi, Freund, Schapire 2002).
 */

#include "schedulers/bandit.h"

#include "check.h"

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace
{

using smartsbd::Bandit;
using smartsbd::Check;
using smartsbd::Exp3;
using smartsbd::g_status;
using smartsbd::MonitorRules;
using smartsbd::RewardMonitor;
using smartsbd::Ucb1;

const std::vector<double> MEANS{0.9, 0.5, 0.5};
constexpr int ROUNDS = 1000;
constexpr int GAMES = 200;
constexpr double UCB1_BOUND = 279.7;
constexpr double EXP3_BOUND = 325.8;

/**
 * @param bandit Plays.
 * @param rewards Draws the rewards.
 * @return Mean gain of the best arm less the mean gain of what was played.
 */
double
PlayRegret(Bandit& bandit, ns3::Ptr<ns3::UniformRandomVariable> rewards)
{
    double regret = 0;
    for (int round = 0; round < ROUNDS; ++round)
    {
        const auto mean = MEANS[bandit.Choose()];
        bandit.Learn(rewards->GetValue(0, 1) < mean ? 1 : 0);
        regret += MEANS[0] - mean;
    }
    return regret;
}

/**
 * @tparam Make Makes a bandit of a number of a random stream.
 * @param make Makes a bandit.
 * @return Mean regret of many games.
 */
template <class Make>
double
MeanRegret(Make make)
{
    const auto rewards = ns3::CreateObject<ns3::UniformRandomVariable>();
    rewards->SetStream(1);
    double sum = 0;
    for (int game = 0; game < GAMES; ++game)
    {
        auto bandit = make(game + 2);
        sum += PlayRegret(bandit, rewards);
    }
    return sum / GAMES;
}

/**
 * @param name The bandit.
 * @param regret Its mean regret.
 * @param expected About what it is in other programs.
 * @param bound What it cannot be above.
 */
void
CheckRegret(const char* name, double regret, double expected, double bound)
{
    std::printf("%s: mean regret %.1f, bound %.1f\n", name, regret, bound);
    Check(name, regret < bound && std::abs(regret - expected) < 0.1 * expected);
}

/// Each arm once, then as rewards tell: with rewards that are their means, 1 beats 0.5.
void
TestUcb1()
{
    Ucb1 bandit(3);
    for (std::size_t arm = 0; arm < 3; ++arm)
    {
        Check("each arm once", bandit.Choose() == arm);
        bandit.Learn(arm == 1 ? 1 : 0.5);
    }
    Check("then the best", bandit.Choose() == 1);
    bandit.Restart();
    Check("from the beginning", bandit.Choose() == 0);
    Ucb1 plays(3);
    int best = 0;
    for (int round = 0; round < 500; ++round)
    {
        const auto arm = plays.Choose();
        best += arm == 0;
        plays.Learn(arm == 0 ? 1 : 0.5);
        if (round == 49)
        {
            Check("33 of 50", best == 33);
        }
        if (round == 99)
        {
            Check("74 of 100", best == 74);
        }
    }
    Check("444 of 500", best == 444);
}

/// With all exploration every arm is as likely as another, and rewards move the weights.
void
TestExp3()
{
    Exp3 blind(2, 1, 1, 7);
    int first = 0;
    for (int round = 0; round < 4000; ++round)
    {
        first += blind.Choose() == 0;
        blind.Learn(0);
    }
    // Four standard deviations of 31.6.
    Check("blind", std::abs(first - 2000) < 127);
    Exp3 seeing(2, 0.1, 0.1, 7);
    int later = 0;
    for (int round = 0; round < 1000; ++round)
    {
        const auto arm = seeing.Choose();
        later += round >= 900 && arm == 1;
        seeing.Learn(arm == 1 ? 1 : 0);
    }
    Check("has learnt", later >= 88);
    seeing.Restart();
    int after = 0;
    for (int round = 0; round < 20; ++round)
    {
        after += seeing.Choose() == 1;
    }
    Check("has forgotten", after < 18);
}

constexpr MonitorRules PLAIN{.firstDeviation = 0.5,
                             .most = 4,
                             .warmUp = 10,
                             .gates = true,
                             .directed = false};

/**
 * @param monitor A monitor.
 * @param arm An arm.
 * @param reward A reward of it.
 * @param count How often it comes.
 * @return How many of them went by before a change was found; count, if none was.
 */
int
CountUntilChange(RewardMonitor& monitor, std::size_t arm, double reward, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (monitor.Note(arm, reward))
        {
            return i;
        }
    }
    return count;
}

/// The fifth outlier in a row to one side is a change; what is known is forgotten then.
void
TestMonitor()
{
    RewardMonitor monitor(1, PLAIN);
    Check("no change", CountUntilChange(monitor, 0, 0.8, 100) == 100);
    Check("four", CountUntilChange(monitor, 0, 0.7, 4) == 4);
    Check("one as before", CountUntilChange(monitor, 0, 0.8, 1) == 1);
    Check("the fifth", CountUntilChange(monitor, 0, 0.7, 9) == 4);
    Check("forgotten", CountUntilChange(monitor, 0, 0.7, 100) == 100);
    Check("three up", CountUntilChange(monitor, 0, 0.9, 3) == 3);
    Check("to the other side", CountUntilChange(monitor, 0, 0.5, 4) == 4);
    Check("and the fifth again", CountUntilChange(monitor, 0, 0.5, 1) == 0);
}

/// Before the warm-up is over an outlier widens the deviation, and none is a change if it gates.
void
TestWarmUp()
{
    RewardMonitor gated(1, PLAIN);
    Check("rewards fall at once", CountUntilChange(gated, 0, 0.8, 2) == 2);
    Check("no change yet", CountUntilChange(gated, 0, 0.01, 8) == 8);
    auto rules = PLAIN;
    rules.firstDeviation = 0;
    RewardMonitor exact(1, rules);
    CountUntilChange(exact, 0, 0.8, 4);
    Check("all outliers, still no change", CountUntilChange(exact, 0, 0.7, 6) == 6);
    rules.gates = false;
    rules.most = 0;
    RewardMonitor open(1, rules);
    CountUntilChange(open, 0, 0.8, 4);
    Check("a change at once", CountUntilChange(open, 0, 0.7, 6) == 0);
}

/// More from the best arm and less from the worst change nothing, so they do not count.
void
TestDirection()
{
    auto rules = PLAIN;
    rules.directed = true;
    RewardMonitor monitor(2, rules);
    CountUntilChange(monitor, 0, 0.8, 100);
    CountUntilChange(monitor, 1, 0.4, 100);
    Check("more from the best", CountUntilChange(monitor, 0, 0.9, 20) == 20);
    Check("less from the worst", CountUntilChange(monitor, 1, 0.3, 20) == 20);
    Check("more from the worst", CountUntilChange(monitor, 1, 0.7, 20) == 4);
}

/// With means of 0.5 and 0.4 the worse arm is played next once the bonus outweighs the difference.
void
TestBonus()
{
    for (const auto& [bonus, next] : {std::pair{1.0, 1}, {0.1, 0}})
    {
        Ucb1 bandit(2, bonus);
        for (const auto reward : {0.5, 0.4})
        {
            bandit.Choose();
            bandit.Learn(reward);
        }
        // Played three times, the better one has six tenths of the other's bonus.
        for (auto played = 0; played < 2 && bandit.Choose() == 0; ++played)
        {
            bandit.Learn(0.5);
        }
        Check("the bonus decides", bandit.Choose() == static_cast<std::size_t>(next));
    }
}

} // namespace

int
main()
{
    TestUcb1();
    TestBonus();
    TestExp3();
    CheckRegret("UCB1", MeanRegret([](int64_t) { return Ucb1(3); }), 41, UCB1_BOUND);
    CheckRegret("Exp3",
                MeanRegret([](int64_t stream) { return Exp3(3, 0.2, 0.2, stream); }),
                71,
                EXP3_BOUND);
    TestMonitor();
    TestWarmUp();
    TestDirection();
    return g_status;
}
