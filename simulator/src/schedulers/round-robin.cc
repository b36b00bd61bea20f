// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

namespace
{

/// Takes the subflows in turn, one segment each.
class RoundRobin : public SubflowScheduler
{
  public:
    /**
     * @param waits Whether one that is full keeps its turn.
     */
    explicit RoundRobin(bool waits)
        : m_waits(waits)
    {
    }

    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        for (std::size_t i = 0; i < paths.size() && meta.hasNew; ++i)
        {
            const auto candidate = (m_turn + i) % paths.size();
            if (paths[candidate].usable)
            {
                m_turn = (candidate + 1) % paths.size();
                return Choice{candidate, meta.queue.GetNext()};
            }
            if (m_waits && paths[candidate].available)
            {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

  private:
    bool m_waits;          //!< Whether one that is full keeps its turn
    std::size_t m_turn{0}; //!< Subflow whose turn it is
};

/**
 * @param values Its parameters.
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const SchedulerSeat&, const ParameterValues& values)
{
    return std::make_unique<RoundRobin>(values.Is("full", "wait"));
}

} // namespace

extern const SchedulerKind ROUND_ROBIN{
    {"round_robin",
     "The subflows in turn, one segment each.",
     {OneOf("full",
            "What happens at a subflow that has no room in the window. skip: the next one has its "
            "turn, as in Linux's mptcp_rr.c; wait: nobody sends until it has room, as there "
            "without cwnd_limited. One that is in Loss is passed over.",
            {"skip", "wait"})}},
    Create,
};

} // namespace smartsbd
