// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

namespace
{

/// Takes the subflows in turn, one segment each, without those that have no room.
class RoundRobin : public SubflowScheduler
{
  public:
    std::optional<std::size_t> Next(const std::vector<PathView>& paths) override
    {
        for (std::size_t i = 0; i < paths.size(); ++i)
        {
            const auto candidate = (m_turn + i) % paths.size();
            if (paths[candidate].usable)
            {
                m_turn = (candidate + 1) % paths.size();
                return candidate;
            }
        }
        return std::nullopt;
    }

  private:
    std::size_t m_turn{0}; //!< Subflow whose turn it is
};

/**
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const ParameterValues&)
{
    return std::make_unique<RoundRobin>();
}

} // namespace

extern const SchedulerKind ROUND_ROBIN{
    {"round_robin", "The subflows in turn, without those that have no room in the window.", {}},
    Create,
};

} // namespace smartsbd
