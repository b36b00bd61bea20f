// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BANDIT_H
#define SMARTSBD_BANDIT_H

#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/// Learns which of some arms has the largest reward, while it plays them.
class Bandit
{
  public:
    virtual ~Bandit() = default;

    /// @return Index of the arm to play.
    virtual std::size_t Choose() = 0;

    /**
     * Learn from the arm that was chosen last.
     *
     * @param reward Its reward.
     */
    virtual void Learn(double reward) = 0;

    /// Forget everything: rewards have changed.
    virtual void Restart() = 0;
};

/// UCB1 (Auer, Cesa-Bianchi, Fischer 2002): the largest mean with a bonus for what is unknown.
class Ucb1 : public Bandit
{
  public:
    /**
     * @param arms Number of arms.
     * @param bonus What the bonus is multiplied by; Auer et al. have 1.
     */
    explicit Ucb1(std::size_t arms, double bonus = 1);

    std::size_t Choose() override;
    void Learn(double reward) override;
    void Restart() override;

  private:
    std::vector<double> m_means;   //!< Mean reward of each arm
    std::vector<uint64_t> m_plays; //!< How often each was played
    uint64_t m_rounds{0};          //!< How often any was
    double m_bonus;                //!< What the bonus is multiplied by
    std::size_t m_chosen{0};       //!< The arm chosen last
};

/// Exp3 (Auer, Cesa-Bianchi, Freund, Schapire 2002): draws arms by weights that grow with rewards.
class Exp3 : public Bandit
{
  public:
    /**
     * @param arms Number of arms.
     * @param exploration Share of draws that weights do not decide.
     * @param afterRestart The same for RESTARTED_ROUNDS rounds after a restart.
     * @param stream Number of its random stream.
     */
    Exp3(std::size_t arms, double exploration, double afterRestart, int64_t stream);

    std::size_t Choose() override;
    void Learn(double reward) override;
    void Restart() override;

    /// Rounds after a restart with more exploration, as in the authors' module mptcp_ol.c.
    static constexpr uint32_t RESTARTED_ROUNDS = 75;

  private:
    /// @return The share of draws that weights do not decide now.
    double GetExploration() const;

    std::vector<double> m_weights; //!< Weight of each arm; their sum is 1
    double m_exploration;          //!< Share of draws that weights do not decide
    double m_afterRestart;         //!< The same after a restart
    uint32_t m_restarted{0};       //!< Rounds left of that
    std::size_t m_chosen{0};       //!< The arm drawn last
    double m_probability{1};       //!< The probability it was drawn with
    ns3::Ptr<ns3::UniformRandomVariable> m_draws; //!< Draws
};

/// What the reward monitor of OLAPS does, by paper or by code.
struct MonitorRules
{
    double firstDeviation; //!< Deviation after an arm's first reward, as a share of it
    uint32_t most;         //!< Outliers in a row that are no change yet
    uint32_t warmUp;       //!< Rewards before outliers are left out of mean and deviation
    bool gates;            //!< Whether no change is found before that either
    bool directed;         //!< Whether only what can change the best arm counts
};

/**
 * Finds that rewards have changed (Algorithm 2 of OLAPS).
 *
 * A reward is an outlier if it is further from the mean of its arm than three mean deviations.
 * Outliers of one arm in a row, all to one side, are a change.
 */
class RewardMonitor
{
  public:
    /**
     * @param arms Number of arms.
     * @param rules What it does.
     */
    RewardMonitor(std::size_t arms, const MonitorRules& rules);

    /**
     * @param arm An arm that was played.
     * @param reward Its reward.
     * @return Whether rewards have changed; then it has forgotten everything.
     */
    bool Note(std::size_t arm, double reward);

  private:
    /// What it knows of an arm.
    struct Arm
    {
        double mean{0};      //!< Mean reward
        double deviation{0}; //!< Mean deviation from it
        uint64_t plays{0};   //!< Rewards in these
        int32_t outliers{0}; //!< Outliers in a row, positive if above the mean
    };

    /**
     * @param arm An arm.
     * @param side Where its outlier is, 1 or -1.
     * @return Whether it counts.
     */
    bool Matters(std::size_t arm, int side) const;

    MonitorRules m_rules;    //!< What it does
    std::vector<Arm> m_arms; //!< What it knows of the arms
    uint64_t m_rewards{0};   //!< Rewards so far
};

} // namespace smartsbd

#endif /* SMARTSBD_BANDIT_H */
