// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"
#include "exported-verdicts.h"
#include "scenario.h"

// It is C, where { 0 } are zeros alone.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "sbd_lag_excess.h"
#pragma GCC diagnostic pop

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Time;

namespace
{

/// Verdicts on a pair of which most may hold.
constexpr std::size_t LAST_VERDICTS = 3;

/// What the lag excess says, in the order of sbd_lag_said.
constexpr std::array SAID{"apart",
                          "shared",
                          "between",
                          "idle",
                          "sparse",
                          "stalled",
                          "still",
                          "deep",
                          "too_early"};

/// What the exported lag excess says of every two subflows, at the sample that completes a tile.
class LagExcess : public VerdictSource
{
  public:
    /**
     * @param subflows How many subflows there are.
     * @param majority Whether most of the last three verdicts on a pair hold, not the last one.
     */
    LagExcess(std::size_t subflows, bool majority)
        : m_majority(majority),
          m_pairs(subflows * (subflows - 1) / 2),
          m_subflows(subflows),
          m_said(m_pairs.size(), SBD_UNSAID),
          m_held(m_pairs.size(), SBD_UNSAID),
          m_last(subflows),
          m_opinions(subflows),
          m_heldOpinions(subflows)
    {
        for (auto& pair : m_pairs)
        {
            sbd_lag_init(&pair.lag, SBD_LAG_RULE);
        }
    }

    bool Decide(Time) override
    {
        m_opinions.Check();
        return std::exchange(m_judged, false);
    }

    void Take(const Signal& signal) override
    {
        if (signal.kind != EventKind::RTT)
        {
            return;
        }
        bool judged = false;
        for (std::size_t other = 0; other < m_subflows; ++other)
        {
            if (other == signal.subflow)
            {
                continue;
            }
            const auto [a, b] = std::minmax(other, signal.subflow);
            const auto place = sbd_pair_place(a, b, m_subflows);
            if (sbd_lag_on_rtt(&m_pairs[place].lag,
                               a != signal.subflow,
                               signal.time.GetNanoSeconds(),
                               static_cast<uint32_t>(signal.value)))
            {
                Note(a, b, place, signal.time);
                judged = true;
            }
        }
        if (judged)
        {
            const auto now = signal.time.GetNanoSeconds();
            sbd_say_pairs(m_opinions.Get(), now, m_said.data());
            sbd_say_pairs(m_heldOpinions.Get(), now, m_held.data());
            m_judged = true;
        }
    }

    Partition GetPartition() const override
    {
        return m_heldOpinions.GetLast();
    }

    Time GetLastVerdict(std::size_t subflow) const override
    {
        return m_last[subflow];
    }

    ordered_json Print() const override
    {
        return {{"verdicts", m_opinions.Print()}, {"judgements", m_judgements}};
    }

  private:
    /// Two subflows.
    struct Pair
    {
        sbd_lag_pair lag;                        //!< What the exported C keeps
        std::array<int8_t, LAST_VERDICTS> last{}; //!< Its last verdicts, in a ring
        std::size_t verdicts{0};                 //!< How many there were
    };

    /**
     * Note a judgement.
     *
     * @param a Index of a subflow.
     * @param b Index of the other one.
     * @param place Place of the pair.
     * @param now When.
     */
    void Note(std::size_t a, std::size_t b, std::size_t place, Time now)
    {
        auto& pair = m_pairs[place];
        const auto& lag = pair.lag;
        m_judgements.push_back(
            {{"subflow_a", a},
             {"subflow_b", b},
             {"decided_ns", lag.decided_ns},
             {"said", SAID[lag.said]},
             {"score_q10", lag.has_score ? ordered_json(lag.score_q10) : ordered_json()}});
        m_said[place] = lag.said == SBD_LAG_SHARED  ? SBD_TOGETHER
                        : lag.said == SBD_LAG_APART ? SBD_APART
                                                    : SBD_UNSAID;
        m_held[place] = m_said[place];
        if (m_said[place] == SBD_UNSAID)
        {
            return;
        }
        m_last[a] = m_last[b] = now;
        pair.last[pair.verdicts++ % LAST_VERDICTS] = m_said[place];
        if (m_majority && pair.verdicts >= LAST_VERDICTS)
        {
            const auto shared = std::count(pair.last.begin(), pair.last.end(), SBD_TOGETHER);
            m_held[place] = 2 * shared > static_cast<int>(LAST_VERDICTS) ? SBD_TOGETHER : SBD_APART;
        }
    }

    const bool m_majority;        //!< Whether most of the last three verdicts hold
    std::vector<Pair> m_pairs;    //!< Every two subflows, by sbd_pair_place()
    const std::size_t m_subflows; //!< How many subflows there are
    std::vector<int8_t> m_said;   //!< What was said last of each pair
    std::vector<int8_t> m_held;   //!< What holds of each pair
    std::vector<Time> m_last;     //!< When something was last said of each subflow
    Opinions m_opinions;          //!< What was said
    Opinions m_heldOpinions;      //!< What holds
    bool m_judged{false};         //!< Whether something was judged since the last Decide()
    ordered_json m_judgements = ordered_json::array(); //!< All judgements
};

/**
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues& values)
{
    return std::make_unique<LagExcess>(seat.scenario.subflows.size(),
                                       values.Is("hysteresis", "majority"));
}

} // namespace

extern const VerdictKind LAG_EXCESS{
    {"lag_excess",
     "The lag excess, which needs RTT samples alone and accumulates over four tiles "
     "(sbd_lag_excess.h).",
     WindowParameters()},
    Create,
};

} // namespace smartsbd
