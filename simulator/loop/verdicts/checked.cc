// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"
#include "dithered-pairs.h"
#include "scenario.h"

#include <algorithm>
#include <array>
#include <utility>

namespace smartsbd
{

extern const VerdictKind COMMON_LAG;

using nlohmann::ordered_json;
using ns3::Time;

namespace
{

/// What became of a check, in the order of Checked::State.
constexpr std::array STATES{"none", "running", "confirmed", "vetoed", "undecided"};

/**
 * What the common lag says, whose "shared" is checked by moving windows.
 *
 * A check begins when the common lag says "shared" of a pair of which it did not say so before,
 * and runs for so many M at most. Until it says "apart" the pair is taken to share. What it said
 * holds as long as the common lag says "shared"; windows are moved while a check runs.
 */
class Checked : public VerdictSource
{
  public:
    /**
     * @param seat What the source is made for.
     * @param values Parameters, of which "check_rtts" is read.
     */
    Checked(const VerdictSeat& seat, const ParameterValues& values)
        : m_passive(COMMON_LAG.create(seat, values)),
          m_pairs(seat),
          m_subflows(seat.scenario.subflows.size()),
          m_longest(values.GetNumber("check_rtts")),
          m_checks(m_pairs.GetCount()),
          m_said(m_pairs.GetCount(), SBD_UNSAID),
          m_opinions(m_subflows)
    {
        m_pairs.Pause(true);
    }

    bool Decide(Time now) override
    {
        const bool told = m_passive->Decide(now);
        if (told)
        {
            NotePassive(now);
        }
        const bool ended = EndChecks(now);
        if (told || ended)
        {
            Say(now);
        }
        m_opinions.Check();
        return told || ended;
    }

    void Take(const Signal& signal) override
    {
        m_passive->Take(signal);
        if (signal.kind == EventKind::RTT)
        {
            m_pairs.Take(signal);
        }
    }

    Partition GetPartition() const override
    {
        return m_opinions.GetLast();
    }

    Time GetLastVerdict(std::size_t subflow) const override
    {
        return m_passive->GetLastVerdict(subflow);
    }

    void Finish(Time end) override
    {
        m_passive->Finish(end);
    }

    ordered_json Print() const override
    {
        ordered_json printed{{"verdicts", m_opinions.Print()},
                             {"checks", m_printed},
                             {"passive", m_passive->Print()}};
        printed.update(m_pairs.Print());
        return printed;
    }

  private:
    /// What is known of a pair by a check.
    enum class State : std::size_t
    {
        NONE,      //!< There was none since the common lag last said another thing than "shared"
        RUNNING,   //!< It runs
        CONFIRMED, //!< It said "shared"
        VETOED,    //!< It said "apart"
        UNDECIDED, //!< Its time was up
    };

    /// The check of a pair.
    struct Check
    {
        State state{State::NONE};      //!< What became of it
        Time begin;                    //!< When it began
        Time end;                      //!< When its time is up
        int8_t passive{SBD_UNSAID};    //!< What the common lag says of the pair
    };

    /**
     * Begin and end checks as the common lag speaks.
     *
     * @param now The time.
     */
    void NotePassive(Time now)
    {
        const auto partition = m_passive->GetPartition();
        for (std::size_t a = 0; a < m_subflows; ++a)
        {
            for (auto b = a + 1; b < m_subflows; ++b)
            {
                const auto pair = sbd_pair_place(a, b, m_subflows);
                auto& check = m_checks[pair];
                check.passive = !partition[a] || !partition[b] ? SBD_UNSAID
                                : partition[a] == partition[b] ? SBD_TOGETHER
                                                               : SBD_APART;
                if (check.passive == SBD_TOGETHER && check.state == State::NONE)
                {
                    Begin(pair, now);
                }
                // "Shared" of nothing that is known any more says nothing new when it comes back.
                if (check.passive == SBD_APART && check.state != State::NONE)
                {
                    End(pair, now, State::NONE);
                }
            }
        }
    }

    /**
     * @param pair Place of a pair.
     * @param now The time.
     */
    void Begin(std::size_t pair, Time now)
    {
        const auto larger = m_pairs.GetLargerRtt(pair).value_or(Time());
        auto& check = m_checks[pair];
        check.state = State::RUNNING;
        check.begin = now;
        check.end = now + ns3::NanoSeconds(static_cast<int64_t>(
                              m_longest * static_cast<double>(larger.GetNanoSeconds())));
        m_pairs.Begin(pair);
        m_pairs.Pause(false);
    }

    /**
     * @param pair Place of a pair whose check is at an end.
     * @param now The time.
     * @param state What became of it.
     */
    void End(std::size_t pair, Time now, State state)
    {
        auto& check = m_checks[pair];
        if (std::exchange(check.state, state) != State::RUNNING)
        {
            return;
        }
        m_pairs.End(pair);
        m_printed.push_back({{"pair", pair},
                             {"from_ns", check.begin.GetNanoSeconds()},
                             {"to_ns", now.GetNanoSeconds()},
                             {"outcome", STATES[static_cast<std::size_t>(state)]}});
        m_pairs.Pause(std::none_of(m_checks.begin(), m_checks.end(), [](const auto& one) {
            return one.state == State::RUNNING;
        }));
    }

    /**
     * End the checks that have said something, or whose time is up.
     *
     * @param now The time.
     * @return Whether there was one.
     */
    bool EndChecks(Time now)
    {
        bool ended = false;
        for (std::size_t pair = 0; pair < m_checks.size(); ++pair)
        {
            if (m_checks[pair].state != State::RUNNING)
            {
                continue;
            }
            const auto verdict = m_pairs.GetVerdict(pair);
            if (verdict != SBD_ACTIVE_UNKNOWN || now > m_checks[pair].end)
            {
                End(pair,
                    now,
                    verdict == SBD_ACTIVE_SHARED  ? State::CONFIRMED
                    : verdict == SBD_ACTIVE_APART ? State::VETOED
                                                  : State::UNDECIDED);
                ended = true;
            }
        }
        return ended;
    }

    /**
     * Say what holds.
     *
     * @param now The time.
     */
    void Say(Time now)
    {
        for (std::size_t pair = 0; pair < m_checks.size(); ++pair)
        {
            const auto& check = m_checks[pair];
            const bool vetoed = check.passive == SBD_TOGETHER && check.state == State::VETOED;
            m_said[pair] = vetoed ? static_cast<int8_t>(SBD_APART) : check.passive;
        }
        sbd_say_pairs(m_opinions.Get(), now.GetNanoSeconds(), m_said.data());
    }

    const std::unique_ptr<VerdictSource> m_passive; //!< The common lag
    DitheredPairs m_pairs;                          //!< What the check says of every two subflows
    const std::size_t m_subflows;                   //!< How many subflows there are
    const double m_longest;                         //!< How long a check is at most, in M
    std::vector<Check> m_checks;                    //!< Of each pair, by sbd_pair_place()
    std::vector<int8_t> m_said;                     //!< What holds of each pair
    Opinions m_opinions;                            //!< What was said
    ordered_json m_printed = ordered_json::array(); //!< The checks that are at an end
};

/**
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues& values)
{
    return std::make_unique<Checked>(seat, values);
}

/// @return The parameters of the source.
std::vector<Parameter>
CheckedParameters()
{
    auto parameters = UnknownParameters();
    parameters.push_back(Number("check_rtts",
                                "How long a check is at most, in the larger minimum RTT.",
                                0,
                                10'000,
                                300));
    return parameters;
}

} // namespace

extern const VerdictKind CHECKED{
    {"checked",
     "The common lag, whose \"shared\" of two subflows is checked by moving their windows: the "
     "active check runs then, and if it says \"apart\" they are taken to be apart. The controller "
     "has to be dither.",
     CheckedParameters()},
    Create,
};

} // namespace smartsbd
