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
    std::optional<std::size_t> Next(const std::vector<PathView>& paths) override
    {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < paths.size(); ++i)
        {
            if (paths[i].usable && (!best || paths[i].srtt < paths[*best].srtt))
            {
                best = i;
            }
        }
        return best;
    }
};

/**
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const ParameterValues&)
{
    return std::make_unique<MinRtt>();
}

} // namespace

extern const SchedulerKind MIN_RTT{
    {"min_rtt", "The subflow with the lowest smoothed RTT of those with room in the window.", {}},
    Create,
};

} // namespace smartsbd
