// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"
#include "dithered-pairs.h"
#include "scenario.h"

#include <algorithm>
#include <utility>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Time;

namespace
{

/// What the active check says of every two subflows, from the beginning to the end.
class Active : public VerdictSource
{
  public:
    /**
     * @param seat What the source is made for.
     */
    explicit Active(const VerdictSeat& seat)
        : m_pairs(seat),
          m_subflows(seat.scenario.subflows.size()),
          m_said(m_pairs.GetCount(), SBD_UNSAID),
          m_last(m_subflows),
          m_opinions(m_subflows)
    {
        for (std::size_t pair = 0; pair < m_pairs.GetCount(); ++pair)
        {
            m_pairs.Begin(pair);
        }
    }

    bool Decide(Time) override
    {
        m_opinions.Check();
        return std::exchange(m_judged, false);
    }

    void Take(const Signal& signal) override
    {
        if (signal.kind != EventKind::RTT || !m_pairs.Take(signal))
        {
            return;
        }
        for (std::size_t a = 0; a < m_subflows; ++a)
        {
            for (auto b = a + 1; b < m_subflows; ++b)
            {
                const auto pair = sbd_pair_place(a, b, m_subflows);
                const auto verdict = m_pairs.GetVerdict(pair);
                m_said[pair] = verdict == SBD_ACTIVE_SHARED  ? SBD_TOGETHER
                               : verdict == SBD_ACTIVE_APART ? SBD_APART
                                                             : SBD_UNSAID;
                if (m_said[pair] != SBD_UNSAID && (a == signal.subflow || b == signal.subflow))
                {
                    m_last[a] = m_last[b] = signal.time;
                }
            }
        }
        sbd_say_pairs(m_opinions.Get(), signal.time.GetNanoSeconds(), m_said.data());
        m_judged = true;
    }

    Partition GetPartition() const override
    {
        return m_opinions.GetLast();
    }

    Time GetLastVerdict(std::size_t subflow) const override
    {
        return m_last[subflow];
    }

    ordered_json Print() const override
    {
        ordered_json printed{{"verdicts", m_opinions.Print()}};
        printed.update(m_pairs.Print());
        return printed;
    }

  private:
    DitheredPairs m_pairs;        //!< Every two subflows
    const std::size_t m_subflows; //!< How many subflows there are
    std::vector<int8_t> m_said;   //!< What holds of each pair
    std::vector<Time> m_last;     //!< When something was last said of each subflow
    Opinions m_opinions;          //!< What was said
    bool m_judged{false};         //!< Whether pairs were judged since the last Decide()
};

/**
 * @param seat What the source is made for.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues&)
{
    return std::make_unique<Active>(seat);
}

} // namespace

extern const VerdictKind ACTIVE{
    {"active",
     "The active check alone: whether the signs by which the controller dither moves windows show "
     "in the RTTs of other subflows (sbd_active.h). Under another controller it never speaks.",
     UnknownParameters()},
    Create,
};

} // namespace smartsbd
