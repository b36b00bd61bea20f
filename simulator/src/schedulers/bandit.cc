// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/bandit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace smartsbd
{

namespace
{

/// Deviations from the mean that a reward may have.
constexpr double USUAL_DEVIATIONS = 3;
/// Weight of a new deviation in the mean deviation.
constexpr double DEVIATION_GAIN = 0.125;

} // namespace

Ucb1::Ucb1(std::size_t arms, double bonus)
    : m_means(arms),
      m_plays(arms),
      m_bonus(bonus)
{
}

std::size_t
Ucb1::Choose()
{
    const auto bound = [&](std::size_t arm) {
        if (m_plays[arm] == 0)
        {
            return std::numeric_limits<double>::infinity();
        }
        const auto rounds = static_cast<double>(m_rounds);
        const auto plays = static_cast<double>(m_plays[arm]);
        return m_means[arm] + m_bonus * std::sqrt(2 * std::log(rounds) / plays);
    };
    m_chosen = 0;
    for (std::size_t arm = 1; arm < m_means.size(); ++arm)
    {
        if (bound(arm) > bound(m_chosen))
        {
            m_chosen = arm;
        }
    }
    return m_chosen;
}

void
Ucb1::Learn(double reward)
{
    ++m_rounds;
    const auto plays = static_cast<double>(++m_plays[m_chosen]);
    m_means[m_chosen] += (reward - m_means[m_chosen]) / plays;
}

void
Ucb1::Restart()
{
    std::fill(m_means.begin(), m_means.end(), 0);
    std::fill(m_plays.begin(), m_plays.end(), 0);
    m_rounds = 0;
}

Exp3::Exp3(std::size_t arms, double exploration, double afterRestart, int64_t stream)
    : m_weights(arms, 1.0 / static_cast<double>(arms)),
      m_exploration(exploration),
      m_afterRestart(afterRestart),
      m_draws(ns3::CreateObject<ns3::UniformRandomVariable>())
{
    m_draws->SetStream(stream);
}

double
Exp3::GetExploration() const
{
    return m_restarted > 0 ? m_afterRestart : m_exploration;
}

std::size_t
Exp3::Choose()
{
    const auto exploration = GetExploration();
    const auto arms = static_cast<double>(m_weights.size());
    auto rest = m_draws->GetValue(0, 1);
    for (m_chosen = 0;; ++m_chosen)
    {
        m_probability = (1 - exploration) * m_weights[m_chosen] + exploration / arms;
        rest -= m_probability;
        // Rounding may leave something of the last one.
        if (rest < 0 || m_chosen + 1 == m_weights.size())
        {
            return m_chosen;
        }
    }
}

void
Exp3::Learn(double reward)
{
    const auto arms = static_cast<double>(m_weights.size());
    m_weights[m_chosen] *= std::exp(GetExploration() * reward / (m_probability * arms));
    const auto sum = std::accumulate(m_weights.begin(), m_weights.end(), 0.0);
    for (auto& weight : m_weights)
    {
        weight /= sum;
    }
    m_restarted -= m_restarted > 0;
}

void
Exp3::Restart()
{
    std::fill(m_weights.begin(), m_weights.end(), 1.0 / static_cast<double>(m_weights.size()));
    m_restarted = RESTARTED_ROUNDS;
}

RewardMonitor::RewardMonitor(std::size_t arms, const MonitorRules& rules)
    : m_rules(rules),
      m_arms(arms)
{
}

bool
RewardMonitor::Note(std::size_t arm, double reward)
{
    auto& state = m_arms[arm];
    const bool warm = ++m_rewards > m_rules.warmUp;
    const auto distance = reward - state.mean;
    const bool outlier =
        state.plays > 0 && std::abs(distance) > USUAL_DEVIATIONS * state.deviation;
    const int side = distance > 0 ? 1 : -1;
    if (!outlier || state.outliers * side < 0 || !Matters(arm, side))
    {
        state.outliers = 0;
    }
    if (outlier && Matters(arm, side))
    {
        state.outliers += side;
    }
    if (std::abs(state.outliers) > static_cast<int32_t>(m_rules.most) && (warm || !m_rules.gates))
    {
        std::fill(m_arms.begin(), m_arms.end(), Arm());
        m_rewards = 0;
        return true;
    }
    if (outlier && warm)
    {
        return false;
    }
    if (state.plays == 0)
    {
        state.deviation = m_rules.firstDeviation * reward;
    }
    else
    {
        state.deviation += DEVIATION_GAIN * (std::abs(distance) - state.deviation);
    }
    ++state.plays;
    state.mean += distance / static_cast<double>(state.plays);
    return false;
}

bool
RewardMonitor::Matters(std::size_t arm, int side) const
{
    if (!m_rules.directed)
    {
        return true;
    }
    const auto [worst, best] =
        std::minmax_element(m_arms.begin(), m_arms.end(), [](const Arm& a, const Arm& b) {
            return a.mean < b.mean;
        });
    return &m_arms[arm] != (side > 0 ? &*best : &*worst);
}

} // namespace smartsbd
