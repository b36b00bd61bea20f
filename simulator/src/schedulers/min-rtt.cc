// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

namespace
{

/// Takes the subflow with the lowest smoothed RTT; of equal ones, the first.
class MinRtt : public SubflowScheduler
{
  public:
    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        const auto fastest = FindFastestUsable(paths);
        if (!fastest || !meta.hasNew)
        {
            return std::nullopt;
        }
        return Choice{*fastest, meta.queue.GetNext()};
    }
};

/**
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const SchedulerSeat&, const ParameterValues&)
{
    return std::make_unique<MinRtt>();
}

} // namespace

extern const SchedulerKind MIN_RTT{
    {"min_rtt", "The subflow with the lowest smoothed RTT of those with room in the window.", {}},
    Create,
};

} // namespace smartsbd
