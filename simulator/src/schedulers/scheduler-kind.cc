// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

// Each is defined in the file of its name.
extern const SchedulerKind MIN_RTT;
extern const SchedulerKind ROUND_ROBIN;

const std::vector<const SchedulerKind*>&
GetSchedulers()
{
    static const std::vector<const SchedulerKind*> schedulers{
        &MIN_RTT,
        &ROUND_ROBIN,
    };
    return schedulers;
}

} // namespace smartsbd
