// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the functions of MPLibra with values computed by hand, the history that an agent is told
 * of with round trips that were made up, and an actor with a network small enough to be computed by
 * hand. Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/mplibra.h"

#include "agents/actor.h"
#include "agents/agent-history.h"
#include "check.h"

#include <cmath>
#include <cstdio>

namespace
{

using smartsbd::Actor;
using smartsbd::AgentHistory;
using smartsbd::Check;
using smartsbd::ChooseMplibraPoint;
using smartsbd::g_status;
using smartsbd::MplibraDiverges;
using smartsbd::MplibraUtility;

/**
 * @param name What is compared.
 * @param value A value.
 * @param due What it should be.
 */
void
Expect(const char* name, double value, double due)
{
    if (std::abs(value - due) > 1e-12 * std::max(1.0, std::abs(due)))
    {
        std::fprintf(stderr, "%s: %.17g, not %.17g\n", name, value, due);
        g_status = 1;
    }
}

/// Equation 1: log S - S (10 L + 5 d).
void
TestUtility()
{
    Expect("nothing lost", MplibraUtility(1, 0, 0), 0);
    Expect("10 Mbit/s, 1 % lost", MplibraUtility(10, 0.01, 0), std::log(10.0) - 1);
    Expect("10 Mbit/s, RTT rises by a fiftieth", MplibraUtility(10, 0, 0.02), std::log(10.0) - 1);
    Expect("an RTT that falls is worth something", MplibraUtility(2, 0, -0.1), std::log(2.0) + 1);
    // At 1 % it stops rising at S = 1 / (10 L).
    Check("rises below", MplibraUtility(10, 0.01, 0) > MplibraUtility(9.9, 0.01, 0));
    Check("falls above", MplibraUtility(10, 0.01, 0) > MplibraUtility(10.1, 0.01, 0));
}

/// Section III.B: a fifth of the rate of the last cycle.
void
TestDivergence()
{
    Check("far apart", MplibraDiverges(100, 90, 115));
    Check("just so", MplibraDiverges(100, 90, 110));
    Check("near", !MplibraDiverges(100, 90, 109));
}

/// Algorithm 2, line 21.
void
TestChoice()
{
    Check("highest", ChooseMplibraPoint({{1, 0.5}, {2, 0.7}, {3, 0.6}}) == 1);
    Check("first of equals", ChooseMplibraPoint({{1, 0.7}, {2, 0.7}, {3, 0.7}}) == 0);
    Check("nothing told of it", ChooseMplibraPoint({{1, -5}, {2, {}}, {3, {}}}) == 0);
    Check("nothing told of the first", ChooseMplibraPoint({{1, {}}, {2, -5}, {3, {}}}) == 1);
    Check("nothing told", ChooseMplibraPoint({{1, {}}, {2, {}}, {3, {}}}) == 0);
}

/// Round trips of 100 ms, told with a third of the rate lost, then without.
void
TestHistory()
{
    using ns3::MilliSeconds;
    AgentHistory history;
    Check("none yet", !history.HasRecords());
    const auto base = MilliSeconds(100);
    Check("the first ACK begins one", !history.NoteAck(0, base, base, MilliSeconds(1000)));
    history.NoteSent(2000, false);
    history.NoteSent(1000, true);
    Check("too early", !history.NoteAck(500, MilliSeconds(200), base, MilliSeconds(1050)));
    Check("it ends", history.NoteAck(1000, MilliSeconds(400), base, MilliSeconds(1100)));
    const auto first = history.GetLast();
    Expect("rate", first.rate, 30'000);
    Expect("delivery", first.delivery, 10'000);
    Expect("loss", first.loss, 1.0 / 3);
    Check("mean RTT", first.rtt == MilliSeconds(300));
    Check("least RTT", first.leastRtt == MilliSeconds(200));
    history.NoteSent(4000, false);
    Check("no sample", history.NoteAck(5000, {}, MilliSeconds(150), MilliSeconds(1300)));
    Check("the smoothed RTT stands for it", history.GetLast().rtt == MilliSeconds(150));
    Expect("largest delivery", history.GetLargestDelivery(), 20'000);
    std::vector<double> state;
    history.AppendTo(state);
    Check("its size", state.size() == AgentHistory::RECORDS * AgentHistory::VALUES);
    const std::vector<double> last(state.end() - 10, state.end());
    const std::vector<double> due{1.5, 3, 2, 1.0 / 3, 0.5, 1, 1.5, 1.5, 0, 1};
    for (std::size_t i = 0; i < due.size(); ++i)
    {
        Expect("state", last[i], due[i]);
    }
    Check("what has not been", state[39] == 0 && state[0] == 0);
    for (int k = 0; k < 20; ++k)
    {
        history.NoteAck(5000, {}, MilliSeconds(100), MilliSeconds(1400 + 100 * k));
    }
    state.clear();
    history.AppendTo(state);
    Check("no more than the last", state.size() == AgentHistory::RECORDS * AgentHistory::VALUES);
    Check("the first is forgotten", state[3] == 0 && state[4] == 0);
}

/// Two inputs, two hidden outputs of which one is cut off, one output.
void
TestActor()
{
    const Actor actor({{2, 2, {1, 2, -1, -1}, {0.5, 0}}, {2, 1, {0.1, 5}, {-0.2}}});
    Check("inputs", actor.GetInputs() == 2);
    Expect("answer", actor.Answer({1, 1}), std::tanh(0.1 * 3.5 - 0.2));
    Expect("both", actor.Answer({-1, 0}), std::tanh(5.0 - 0.2));
}

} // namespace

int
main()
{
    TestUtility();
    TestDivergence();
    TestChoice();
    TestHistory();
    TestActor();
    return g_status;
}
