// SPDX-License-Identifier: GPL-2.0-only

#include "dithered-pairs.h"

#include "scenario.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Time;

namespace
{

/// What the active check says, in the order of sbd_active_verdict.
constexpr std::array SAID{"apart", "shared", "unknown"};
/// RTT samples of a subflow before its least is taken for its minimum.
constexpr uint32_t FIRST_SAMPLES = 10;

} // namespace

DitheredPairs::DitheredPairs(const VerdictSeat& seat)
    : m_windows(seat.shared.Get<DitheredWindow>()),
      m_samples(seat.scenario.subflows.size()),
      m_least(seat.scenario.subflows.size(), std::numeric_limits<uint32_t>::max())
{
    for (std::size_t a = 0; a < m_samples.size(); ++a)
    {
        (*m_windows)[a].recorded = true;
        for (auto b = a + 1; b < m_samples.size(); ++b)
        {
            m_pairs.push_back({a, b, false, std::nullopt});
        }
    }
}

std::size_t
DitheredPairs::GetCount() const
{
    return m_pairs.size();
}

void
DitheredPairs::Begin(std::size_t pair)
{
    m_pairs[pair].begun = true;
}

void
DitheredPairs::End(std::size_t pair)
{
    m_pairs[pair].begun = false;
    m_pairs[pair].check.reset();
}

sbd_active_verdict
DitheredPairs::GetVerdict(std::size_t pair) const
{
    const auto& check = m_pairs[pair].check;
    return check ? static_cast<sbd_active_verdict>(check->said) : SBD_ACTIVE_UNKNOWN;
}

std::optional<Time>
DitheredPairs::GetLargerRtt(std::size_t pair) const
{
    const auto& [a, b, begun, check] = m_pairs[pair];
    if (m_samples[a] == 0 || m_samples[b] == 0)
    {
        return std::nullopt;
    }
    return ns3::MicroSeconds(std::max(m_least[a], m_least[b]));
}

bool
DitheredPairs::Take(const Signal& signal)
{
    TakeSymbols();
    const auto rtt = static_cast<uint32_t>(signal.value);
    ++m_samples[signal.subflow];
    m_least[signal.subflow] = std::min(m_least[signal.subflow], rtt);
    bool judged = false;
    for (auto& pair : m_pairs)
    {
        if (pair.a != signal.subflow && pair.b != signal.subflow)
        {
            continue;
        }
        Open(pair, signal.time);
        if (pair.check && sbd_active_on_rtt(&*pair.check,
                                            pair.b == signal.subflow,
                                            signal.time.GetNanoSeconds(),
                                            rtt))
        {
            Note(pair, signal.time);
            judged = true;
        }
    }
    return judged;
}

void
DitheredPairs::Pause(bool paused)
{
    for (auto& window : *m_windows)
    {
        window.paused = paused;
    }
}

ordered_json
DitheredPairs::Print() const
{
    return {{"begun", m_begun}, {"symbols", m_symbols}, {"active", m_judgements}};
}

void
DitheredPairs::TakeSymbols()
{
    for (std::size_t subflow = 0; subflow < m_windows->size(); ++subflow)
    {
        for (const auto& symbol : std::exchange((*m_windows)[subflow].symbols, {}))
        {
            m_symbols.push_back({{"subflow", subflow},
                                 {"begin_ns", symbol.begin.GetNanoSeconds()},
                                 {"middle_ns", symbol.middle.GetNanoSeconds()},
                                 {"end_ns", symbol.end.GetNanoSeconds()},
                                 {"segments", symbol.segments}});
            for (auto& pair : m_pairs)
            {
                if (pair.check && (pair.a == subflow || pair.b == subflow))
                {
                    sbd_active_on_symbol(&*pair.check,
                                         pair.b == subflow,
                                         symbol.begin.GetNanoSeconds(),
                                         symbol.middle.GetNanoSeconds(),
                                         symbol.end.GetNanoSeconds(),
                                         symbol.segments);
                }
            }
        }
    }
}

void
DitheredPairs::Open(Pair& pair, Time now)
{
    if (!pair.begun || pair.check ||
        std::min(m_samples[pair.a], m_samples[pair.b]) < FIRST_SAMPLES)
    {
        return;
    }
    const auto larger = std::max(m_least[pair.a], m_least[pair.b]);
    pair.check.emplace();
    sbd_active_init(&*pair.check, larger);
    m_begun.push_back({{"subflow_a", pair.a},
                       {"subflow_b", pair.b},
                       {"from_ns", now.GetNanoSeconds()},
                       {"m_us", larger}});
}

void
DitheredPairs::Note(const Pair& pair, Time now)
{
    sbd_active_evidence evidence;
    sbd_active_weigh(&*pair.check, &evidence);
    m_judgements.push_back({{"subflow_a", pair.a},
                            {"subflow_b", pair.b},
                            {"decided_ns", now.GetNanoSeconds()},
                            {"said", SAID[pair.check->said]},
                            {"symbols", evidence.symbols},
                            {"shared_q8", evidence.shared_q8},
                            {"own_q8", evidence.own_q8},
                            {"llr", evidence.llr},
                            {"left_out", pair.check->left_out}});
}

} // namespace smartsbd
