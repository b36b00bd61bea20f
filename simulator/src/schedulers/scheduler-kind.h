// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SCHEDULER_KIND_H
#define SMARTSBD_SCHEDULER_KIND_H

#include "parameter.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What a scheduler sees of a subflow.
struct PathView
{
    bool usable{false}; //!< Whether it is established and its window has room for a segment
    ns3::Time srtt;     //!< Its smoothed RTT; zero before the first sample
};

/// Chooses the subflow of each segment.
class SubflowScheduler
{
  public:
    virtual ~SubflowScheduler() = default;

    /**
     * Choose a subflow for the next segment. It is called until it chooses none.
     *
     * @param paths All subflows, by their index.
     * @return Index of a usable one, or none.
     */
    virtual std::optional<std::size_t> Next(const std::vector<PathView>& paths) = 0;
};

/// A scheduler that a connection can have.
struct SchedulerKind : Kind
{
    /// Makes the scheduler of one connection, from its parameters.
    std::unique_ptr<SubflowScheduler> (*create)(const ParameterValues& values);
};

/// @return All schedulers, by name.
const std::vector<const SchedulerKind*>& GetSchedulers();

} // namespace smartsbd

#endif /* SMARTSBD_SCHEDULER_KIND_H */
