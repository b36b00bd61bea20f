// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

#include <algorithm>

namespace smartsbd
{

namespace
{

/// Gives copies to subflows that start up, and new data to the others.
class Irps : public SubflowScheduler
{
  public:
    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        auto order = SortUsable(paths);
        std::stable_partition(order.begin(), order.end(), [&](auto subflow) {
            return paths[subflow].startsUp;
        });
        for (const auto subflow : order)
        {
            const auto copy = paths[subflow].startsUp ? meta.queue.FindMissing(subflow)
                                                              : std::nullopt;
            if (copy)
            {
                return Choice{subflow, *copy};
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
    return std::make_unique<Irps>();
}

} // namespace

extern const SchedulerKind IRPS{
    {"irps",
     "IRPS of FMBBR (Algorithm 2): a subflow that starts up gets copies, the oldest without "
     "DATA_ACK that it has not sent, and goes first; the others get new data by the lowest "
     "smoothed RTT. A subflow starts up while it is in BBR's STARTUP, under a controller without "
     "one until its first slow start threshold (ours). It gets new data if there is nothing to "
     "copy (ours).",
     {}},
    Create,
};

} // namespace smartsbd
