// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

#include <algorithm>

namespace smartsbd
{

/// All schedulers, by name; each is defined in the file of its name.
#define SCHEDULERS(ROW) \
    ROW(BLEST)          \
    ROW(ECF)            \
    ROW(IRPS)           \
    ROW(MIN_RTT)        \
    ROW(OLAPS)          \
    ROW(REDUNDANT)      \
    ROW(ROUND_ROBIN)

#define DECLARE(NAME) extern const SchedulerKind NAME;
SCHEDULERS(DECLARE)
#undef DECLARE

namespace
{

/**
 * @param paths All subflows.
 * @param flag What a subflow must be.
 * @return Index of the one with the lowest smoothed RTT, the first of equal ones; or none.
 */
std::optional<std::size_t>
FindFastestThat(const PathViews& paths, bool PathView::*flag)
{
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < paths.size(); ++i)
    {
        if (paths[i].*flag && (!best || paths[i].srtt < paths[*best].srtt))
        {
            best = i;
        }
    }
    return best;
}

} // namespace

void
SubflowScheduler::NoteGiven(const Choice&, bool, ns3::Time)
{
}

void
SubflowScheduler::NoteAck(std::size_t, uint64_t, uint64_t, ns3::Time)
{
}

const std::vector<SchedulerRound>&
SubflowScheduler::GetRounds() const
{
    static const std::vector<SchedulerRound> none;
    return none;
}

std::optional<std::size_t>
FindFastest(const PathViews& paths)
{
    return FindFastestThat(paths, &PathView::available);
}

std::optional<std::size_t>
FindFastestUsable(const PathViews& paths)
{
    return FindFastestThat(paths, &PathView::usable);
}

std::vector<std::size_t>
SortUsable(const PathViews& paths)
{
    std::vector<std::size_t> sorted;
    for (std::size_t i = 0; i < paths.size(); ++i)
    {
        if (paths[i].usable)
        {
            sorted.push_back(i);
        }
    }
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) {
        return paths[a].srtt < paths[b].srtt;
    });
    return sorted;
}

const std::vector<const SchedulerKind*>&
GetSchedulers()
{
#define ADDRESS(NAME) &NAME,
    static const std::vector<const SchedulerKind*> schedulers{SCHEDULERS(ADDRESS)};
#undef ADDRESS
    return schedulers;
}

} // namespace smartsbd
