// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_START_REPORTER_H
#define SMARTSBD_START_REPORTER_H

#include "ns3/nstime.h"

#include <optional>

namespace smartsbd
{

/// How far the start of a subflow has come, if its controller tells.
enum class StartPhase
{
    UNTOLD, //!< It is not told, or the subflow is not established
    WAITS,  //!< It has not begun
    STARTS, //!< It looks for the bandwidth
    DRAINS, //!< It has found one, and lets the queue drain
    ENDED,  //!< It has ended
};

/// What a controller tells of the start of its subflow.
struct Startup
{
    StartPhase phase{StartPhase::UNTOLD}; //!< How far it has come
    ns3::Time ended;                      //!< When it last ended; zero: it has not
    double probed{0};                     //!< Largest delivery rate meanwhile, in bytes/s
    std::optional<double> limit;          //!< What it is limited to since, in bytes/s
};

/**
 * Tells how the start of a subflow goes. A controller derives from it whose start does not end at a
 * slow start threshold.
 */
class StartReporter
{
  public:
    virtual ~StartReporter() = default;

    /// @return How far the start has come.
    virtual const Startup& GetStartup() const = 0;
};

} // namespace smartsbd

#endif /* SMARTSBD_START_REPORTER_H */
