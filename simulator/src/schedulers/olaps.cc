// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/bandit.h"
#include "schedulers/scheduler-kind.h"
#include "schedulers/sending-interval.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace smartsbd
{

namespace
{

/// Time over which the largest throughput of a subflow is taken.
const ns3::Time RECENT = ns3::Seconds(4);
/// Exploration of Exp3, and after a restart.
constexpr double EXPLORATION = 0.2;
constexpr double EXPLORATION_AFTER_RESTART = 0.5;
/// A subflow with a larger RTT and a larger share of repeated segments is ill-conditioned.
const ns3::Time ILL_RTT = ns3::MilliSeconds(150);
constexpr double ILL_LOSS = 0.2;
/// Subflows that are never left out.
constexpr std::size_t LEAST_SUBFLOWS = 2;

/// What differs between the paper and the authors' module mptcp_ol.c.
struct OlapsRules
{
    std::vector<double> shares; //!< Share of copies, by arm
    uint32_t quota;             //!< Segments of a quota; 0: the congestion window
    ns3::Time leastInterval;    //!< Least time of a sending interval
    int64_t roundTrips;         //!< Round trips of a sending interval
    bool waits;                 //!< Whether a sending interval waits for ACKs
    bool bounded;               //!< Whether rewards end at 1
    MonitorRules monitor;       //!< What the reward monitor does
};

/// @return The rules of the paper, where it leaves something open with ours.
OlapsRules
GetPaperRules()
{
    return {
        .shares = {0, 0.5, 1},
        .quota = 0,
        .leastInterval = ns3::Time(),
        .roundTrips = 3,
        .waits = true,
        .bounded = true,
        .monitor = {.firstDeviation = 0.5,
                    .most = 4,
                    .warmUp = 45,
                    .gates = true,
                    .directed = false},
    };
}

/// @return The rules of the module.
OlapsRules
GetCodeRules()
{
    return {
        .shares = {1, 0.5, 1.0 / 8192},
        .quota = 12,
        .leastInterval = ns3::MilliSeconds(40),
        .roundTrips = 2,
        .waits = true,
        .bounded = false,
        .monitor = {.firstDeviation = 0,
                    .most = 3,
                    .warmUp = 75,
                    .gates = false,
                    .directed = true},
    };
}

/// Learns what share of the segments goes out as copies.
class Olaps : public SubflowScheduler
{
  public:
    /**
     * @param seat What it is made of.
     * @param rules What it does.
     * @param bandit Learns which share to use, or null: the one of the rules is.
     * @param monitored Whether it finds changes.
     * @param damped Whether the learner gets rewards below 1 as less than they are.
     */
    Olaps(const SchedulerSeat& seat,
          OlapsRules rules,
          std::unique_ptr<Bandit> bandit,
          bool monitored,
          bool damped)
        : m_mss(seat.mss),
          m_rules(std::move(rules)),
          m_bandit(std::move(bandit)),
          m_monitor(m_rules.shares.size(), m_rules.monitor),
          m_monitored(monitored),
          m_damped(damped),
          m_interval(seat.subflows, m_rules.waits),
          m_subflows(seat.subflows)
    {
    }

    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        if (m_interval.IsOver(meta.now))
        {
            BeginInterval(meta.now, paths);
        }
        for (const auto i : SortUsable(paths))
        {
            auto& subflow = m_subflows[i];
            if (subflow.leftOut)
            {
                continue;
            }
            if (subflow.copies + subflow.fresh == 0)
            {
                const auto quota =
                    m_rules.quota > 0 ? m_rules.quota : std::max<uint32_t>(paths[i].window, 1);
                subflow.copies = static_cast<uint32_t>(std::lround(m_share * quota));
                subflow.fresh = quota - subflow.copies;
            }
            const auto copy = subflow.copies > 0 ? meta.queue.FindMissing(i) : std::nullopt;
            if (copy)
            {
                return Choice{i, *copy};
            }
            if (meta.hasNew)
            {
                return Choice{i, meta.queue.GetNext()};
            }
        }
        return std::nullopt;
    }

    void NoteGiven(const Choice& choice, bool isNew, ns3::Time now) override
    {
        auto& subflow = m_subflows[choice.subflow];
        auto& quota = subflow.copies > 0 ? subflow.copies : subflow.fresh;
        quota -= quota > 0;
        m_interval.NoteGiven(choice.subflow, m_mss, isNew, now);
    }

    void NoteAck(std::size_t subflow, uint64_t acked, uint64_t dataAck, ns3::Time now) override
    {
        m_interval.NoteAck(subflow, acked, dataAck, now);
    }

    const std::vector<SchedulerRound>& GetRounds() const override
    {
        return m_rounds;
    }

  private:
    /// What it keeps of a subflow.
    struct Subflow
    {
        uint32_t copies{0};                                //!< Copies left of its quota
        uint32_t fresh{0};                                 //!< New segments left of its quota
        std::deque<std::pair<ns3::Time, double>> recent;   //!< Throughputs, and when each was
        uint64_t sent{0};                                  //!< Segments sent when a SI began
        uint64_t repeated{0};                              //!< Those of them sent again
        bool leftOut{false};                               //!< Whether it is ill-conditioned
    };

    /**
     * Learn from the interval that is over, and begin another one.
     *
     * @param now The time.
     * @param paths All subflows.
     */
    void BeginInterval(ns3::Time now, const PathViews& paths)
    {
        if (!m_rounds.empty())
        {
            LearnFromInterval(now);
        }
        m_arm = m_bandit ? m_bandit->Choose() : 0;
        m_share = m_rules.shares[m_arm];
        LeaveOut(paths);
        // Those in Loss too: an interval without a subflow would be none.
        auto longest = ns3::Time();
        for (const auto& path : paths)
        {
            longest = std::max(longest, path.srtt);
        }
        m_interval.Begin(now, std::max(longest * m_rules.roundTrips, m_rules.leastInterval));
        for (auto& subflow : m_subflows)
        {
            subflow.copies = 0;
            subflow.fresh = 0;
        }
        m_rounds.push_back({now, m_share, std::nullopt, false});
    }

    /**
     * Find the reward of the interval, and teach it.
     *
     * @param now The time.
     */
    void LearnFromInterval(ns3::Time now)
    {
        double most = 0;
        for (std::size_t i = 0; i < m_subflows.size(); ++i)
        {
            auto& recent = m_subflows[i].recent;
            if (const auto throughput = m_interval.GetThroughput(i); throughput > 0)
            {
                recent.emplace_back(now, throughput);
            }
            while (!recent.empty() && now - recent.front().first > RECENT)
            {
                recent.pop_front();
            }
            const auto largest =
                std::max_element(recent.begin(), recent.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                });
            most += largest == recent.end() ? 0 : largest->second;
        }
        // Without an acknowledged byte there is nothing to learn.
        if (most == 0)
        {
            return;
        }
        auto reward = m_interval.GetGoodput() / most;
        if (m_rules.bounded)
        {
            reward = std::min(reward, 1.0);
        }
        m_rounds.back().reward = reward;
        if (!m_bandit)
        {
            return;
        }
        m_bandit->Learn(m_damped ? std::min(reward, std::exp(4 * (reward - 1))) : reward);
        if (m_monitored && m_monitor.Note(m_arm, reward))
        {
            m_bandit->Restart();
            m_rounds.back().changed = true;
        }
    }

    /**
     * Leave ill-conditioned subflows out, as long as two others are left.
     *
     * @param paths All subflows.
     */
    void LeaveOut(const PathViews& paths)
    {
        std::size_t left = 0;
        for (std::size_t i = 0; i < paths.size(); ++i)
        {
            left += paths[i].available && !m_subflows[i].leftOut;
        }
        for (std::size_t i = 0; i < paths.size(); ++i)
        {
            auto& subflow = m_subflows[i];
            const auto sent = paths[i].sent - std::exchange(subflow.sent, paths[i].sent);
            const auto repeated =
                paths[i].repeated - std::exchange(subflow.repeated, paths[i].repeated);
            const bool ill = paths[i].srtt > ILL_RTT &&
                             static_cast<double>(repeated) > ILL_LOSS * static_cast<double>(sent);
            if (ill && paths[i].available && !subflow.leftOut && left > LEAST_SUBFLOWS)
            {
                subflow.leftOut = true;
                --left;
            }
        }
        if (left < LEAST_SUBFLOWS)
        {
            for (auto& subflow : m_subflows)
            {
                subflow.leftOut = false;
            }
        }
    }

    uint32_t m_mss;                       //!< Bytes of a segment
    OlapsRules m_rules;                   //!< What it does
    std::unique_ptr<Bandit> m_bandit;     //!< Learns which share to use; null: a given one
    RewardMonitor m_monitor;              //!< Finds changes
    bool m_monitored;                     //!< Whether it does
    bool m_damped;                        //!< Whether the learner gets less of low rewards
    SendingInterval m_interval;           //!< The present sending interval
    std::vector<Subflow> m_subflows;      //!< What it keeps of the subflows
    std::size_t m_arm{0};                 //!< The present arm
    double m_share{0};                    //!< Its share of copies
    std::vector<SchedulerRound> m_rounds; //!< All intervals
};

/**
 * @param seat What it is made of.
 * @param values Its parameters.
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const SchedulerSeat& seat, const ParameterValues& values)
{
    const bool code = values.Is("mode", "code");
    auto rules = code ? GetCodeRules() : GetPaperRules();
    rules.waits = values.Is("interval", "acks");
    const auto arms = rules.shares.size();
    std::unique_ptr<Bandit> bandit;
    if (values.Is("learner", "ucb1"))
    {
        bandit = std::make_unique<Ucb1>(arms, values.GetNumber("bonus"));
    }
    else if (values.Is("learner", "exp3"))
    {
        bandit = std::make_unique<Exp3>(arms, EXPLORATION, EXPLORATION_AFTER_RESTART, seat.stream);
    }
    else
    {
        rules.shares.assign(arms, values.GetNumber("share"));
    }
    const bool damped = code && values.Is("learner", "exp3");
    return std::make_unique<Olaps>(seat,
                                   std::move(rules),
                                   std::move(bandit),
                                   values.Is("monitor", "on"),
                                   damped);
}

} // namespace

extern const SchedulerKind OLAPS{
    {"olaps",
     "OLAPS: learns what share of the segments to send as copies, by the throughput of each "
     "sending interval. Segments go by the lowest smoothed RTT.",
     {OneOf("learner",
            "What chooses the share from 0, 0.5 and 1. ucb1: UCB1; exp3: Exp3 with exploration "
            "0.2, 0.5 for 75 intervals after a change; none: the share is given.",
            {"ucb1", "exp3", "none"}),
      OneOf("monitor",
            "Whether the learner begins again when rewards have changed (Algorithm 2).",
            {"on", "off"}),
      OneOf("mode",
            "Whose rules. paper: intervals of three of the largest RTT, quotas of a window; code: "
            "as the authors' module mptcp_ol.c, intervals of two RTTs and 40 ms at least, quotas "
            "of 12, copies first, 1/8192 for 0, rewards without bound, its counting of outliers.",
            {"paper", "code"}),
      OneOf("interval",
            "When a sending interval is over. acks: its time is up, and what went out in it is "
            "acknowledged or as much time has passed again; time: its time is up.",
            {"acks", "time"}),
      Number("bonus", "What UCB1's bonus for arms played seldom is multiplied by.", 0, 10, 1),
      Number("share", "Share of copies, if the learner is none.", 0, 1, 0)}},
    Create,
};

} // namespace smartsbd
