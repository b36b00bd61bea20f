// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"
#include "scenario.h"

struct sbd_common_pair;
struct sbd_common_evidence;

namespace
{

/**
 * @param pair What was judged, of a JudgedPair.
 * @param evidence What it was judged by.
 */
void NoteEvidence(sbd_common_pair* pair, const sbd_common_evidence* evidence);

} // namespace

#define SBD_COMMON_JUDGED(pair, evidence) NoteEvidence(pair, evidence)
// It is C, where { 0 } are zeros alone.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "sbd_common_lag.h"
#include "sbd_coupling.h"
#pragma GCC diagnostic pop

extern "C" {
#include "joint.h"
}

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

namespace
{

/// Two subflows.
struct JudgedPair
{
    sbd_common_pair common; //!< What the sender's C keeps; first, as judgements are told by it
    bool judged;            //!< Whether there was a judgement since it was noted
    bool speaks;            //!< Whether the last judgement had enough samples for a verdict
};

void
NoteEvidence(sbd_common_pair* pair, const sbd_common_evidence* evidence)
{
    auto* judged = reinterpret_cast<JudgedPair*>(pair);
    judged->judged = true;
    judged->speaks = sbd_common_speaks(evidence);
}

} // namespace

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Time;

namespace
{

/// What the common lag says, in the order of sbd_common_said.
constexpr std::array SAID{"apart", "shared", "unsaid", "no_queue"};

/// Ends the joint partition.
struct Destroy
{
    /**
     * @param joint The joint partition.
     */
    void operator()(sbd_joint_groups* joint) const
    {
        sbd_joint_destroy(joint);
    }
};

/**
 * What the sender's common lag says of every two subflows, and the groups that all pairs together
 * make the likeliest.
 *
 * A block has 16 of a pair's round trips. How long an unknown verdict leaves in force what is in
 * force is told in T as for every other source: of 50 of the larger minimum RTT, so that the
 * 4 T of UnknownRule are twelve blocks and a half. They begin anew with each judgement of samples
 * that are enough for a verdict, on paths that show a queue; a verdict that the detector holds
 * without such samples grows old.
 *
 * By odds, the score of every two subflows tells how much of Reno's increase they have, whatever is
 * said of them; that begins with odds of 1, and is as old as the last score with enough samples.
 *
 * Samples of one moment are told when it has passed, in order of the subflows, as a replay tells
 * them.
 */
class CommonLag : public VerdictSource
{
  public:
    /**
     * @param subflows How many subflows there are.
     * @param epsilonQ10 What a rival may be expected to lose of its rate, where odds couple.
     */
    CommonLag(std::size_t subflows, std::optional<uint32_t> epsilonQ10)
        : m_pairs(subflows * (subflows - 1) / 2),
          m_subflows(subflows),
          m_epsilonQ10(epsilonQ10),
          m_thetas(m_pairs.size(), {GetThetaOf(0), Time::Max()}),
          m_joint(sbd_joint_create(static_cast<unsigned int>(subflows))),
          m_last(subflows),
          m_opinions(subflows)
    {
        if (!m_joint)
        {
            throw std::bad_alloc();
        }
        for (auto& pair : m_pairs)
        {
            sbd_common_init(&pair.common, SBD_COMMON_RULE);
        }
    }

    bool Decide(Time now) override
    {
        if (now == m_moment)
        {
            return false;
        }
        m_moment = now;
        return Judge();
    }

    void Take(const Signal& signal) override
    {
        if (signal.kind == EventKind::RTT)
        {
            m_samples.push_back(signal);
        }
    }

    Partition GetPartition() const override
    {
        return m_opinions.GetLast();
    }

    Time GetLastVerdict(std::size_t subflow) const override
    {
        return m_last[subflow];
    }

    std::optional<PairTheta> GetTheta(std::size_t a, std::size_t b) const override
    {
        if (!m_epsilonQ10)
        {
            return std::nullopt;
        }
        return m_thetas[sbd_pair_place(a, b, m_subflows)];
    }

    void Finish(Time) override
    {
        Judge();
    }

    ordered_json Print() const override
    {
        return {{"verdicts", m_opinions.Print()}, {"judgements", m_judgements}};
    }

  private:
    /**
     * Judge by the samples of the moment that has passed.
     *
     * @return Whether there was a judgement.
     */
    bool Judge()
    {
        std::stable_sort(m_samples.begin(), m_samples.end(), [](const auto& a, const auto& b) {
            return a.subflow < b.subflow;
        });
        std::optional<Time> judged;
        for (const auto& sample : m_samples)
        {
            if (Tell(sample))
            {
                judged = sample.time;
            }
        }
        m_samples.clear();
        if (judged)
        {
            sbd_say_joint(m_joint.get(), m_opinions.Get(), judged->GetNanoSeconds());
            m_opinions.Check();
        }
        return judged.has_value();
    }

    /**
     * Tell every pair of a subflow of a sample.
     *
     * @param sample The sample.
     * @return Whether it completed a block of a pair.
     */
    bool Tell(const Signal& sample)
    {
        bool judged = false;
        for (std::size_t other = 0; other < m_subflows; ++other)
        {
            if (other == sample.subflow)
            {
                continue;
            }
            const auto [a, b] = std::minmax(other, sample.subflow);
            const auto place = sbd_pair_place(a, b, m_subflows);
            auto& pair = m_pairs[place];
            pair.judged = false;
            sbd_common_on_rtt(&pair.common,
                              &m_scratch,
                              a != sample.subflow,
                              sample.time.GetNanoSeconds(),
                              static_cast<uint32_t>(sample.value));
            if (pair.judged)
            {
                Note(a, b, place, sample.time);
                judged = true;
            }
        }
        return judged;
    }

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
        const auto& [common, judged, speaks] = m_pairs[place];
        const bool barred = common.said == SBD_COMMON_NO_QUEUE;
        const auto verdict = common.said == SBD_COMMON_SHARED  ? SBD_TOGETHER
                             : common.said == SBD_COMMON_APART ? SBD_APART
                                                               : SBD_UNSAID;
        sbd_joint_note(m_joint.get(), place, verdict, speaks ? common.score_q10 : 0, barred);
        if (speaks && !barred)
        {
            m_last[a] = m_last[b] = now;
            m_thetas[place] = {GetThetaOf(common.score_q10), now};
        }
        else
        {
            // What holds before the first score grows old from here on.
            m_thetas[place].last = std::min(m_thetas[place].last, now);
        }
        m_judgements.push_back({{"subflow_a", a},
                                {"subflow_b", b},
                                {"decided_ns", now.GetNanoSeconds()},
                                {"said", SAID[common.said]},
                                {"score_q10", common.score_q10},
                                {"speaks", speaks}});
    }

    /**
     * @param scoreQ10 Logarithm of the odds that two subflows share.
     * @return The share of Reno's increase that they have; 0 if odds do not couple.
     */
    uint32_t GetThetaOf(int32_t scoreQ10) const
    {
        return sbd_coupling_theta_q10(scoreQ10,
                                      m_epsilonQ10.value_or(0),
                                      static_cast<uint32_t>(m_subflows));
    }

    std::vector<JudgedPair> m_pairs; //!< Every two subflows, by sbd_pair_place()
    const std::size_t m_subflows;    //!< How many subflows there are
    const std::optional<uint32_t> m_epsilonQ10; //!< What a rival may lose, where odds couple
    std::vector<PairTheta> m_thetas; //!< What every two subflows have of Reno's increase
    sbd_common_scratch m_scratch;    //!< Memory that a call is lent
    std::unique_ptr<sbd_joint_groups, Destroy> m_joint; //!< What all pairs say together
    std::vector<Signal> m_samples;   //!< Samples of the present moment
    Time m_moment;                   //!< The present moment
    std::vector<Time> m_last;        //!< When there was last evidence of each subflow
    Opinions m_opinions;             //!< What was said
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
    std::optional<uint32_t> epsilonQ10;
    if (values.Is("coupling", "odds"))
    {
        epsilonQ10 = static_cast<uint32_t>(std::lround(1024 * values.GetNumber("epsilon")));
    }
    return std::make_unique<CommonLag>(seat.scenario.subflows.size(), epsilonQ10);
}

/// @return The parameters.
std::vector<Parameter>
GetParameters()
{
    auto parameters = UnknownParameters();
    parameters.push_back(
        OneOf("coupling",
              "verdict: subflows are under LIA or under Reno, as the verdict says; odds: under a "
              "mix of both (sbd_coupling.h), with the controller lia in plain mode; other "
              "controllers couple those that have less than all of Reno's increase.",
              {"verdict", "odds"}));
    parameters.push_back(
        Number("epsilon",
               "By odds: what a rival may be expected to lose of its rate, times the chance that "
               "nothing is shared.",
               0,
               1,
               0.1));
    return parameters;
}

} // namespace

extern const VerdictKind COMMON_LAG{
    {"common_lag",
     "The common lag, which needs RTT samples alone, and groups by all pairs together "
     "(sbd_common_lag.h).",
     GetParameters()},
    Create,
};

} // namespace smartsbd
