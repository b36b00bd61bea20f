// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

namespace
{

/// Gives each segment to every subflow: each walks through the queue at its own pace.
class Redundant : public SubflowScheduler
{
  public:
    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        for (const auto subflow : SortUsable(paths))
        {
            if (const auto missing = meta.queue.FindMissing(subflow))
            {
                return Choice{subflow, *missing};
            }
            if (meta.hasNew)
            {
                return Choice{subflow, meta.queue.GetNext()};
            }
        }
        return std::nullopt;
    }
};

/**
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const SchedulerSeat&, const ParameterValues&)
{
    return std::make_unique<Redundant>();
}

} // namespace

extern const SchedulerKind REDUNDANT{
    {"redundant",
     "Each segment on every subflow (ReMP): the oldest without DATA_ACK that it has not sent, else "
     "new data. As Linux's mptcp_redundant.c has it.",
     {}},
    Create,
};

} // namespace smartsbd
