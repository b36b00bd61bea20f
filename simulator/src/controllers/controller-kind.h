// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_CONTROLLER_KIND_H
#define SMARTSBD_CONTROLLER_KIND_H

#include "agents/agent.h"
#include "controllers/shared-states.h"
#include "parameter.h"
#include "sender/subflow-signals.h"

#include "ns3/tcp-congestion-ops.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace smartsbd
{

/// Where a controller stands: which subflow of which connection it controls.
struct Seat
{
    std::shared_ptr<const ConnectionSignals> signals; //!< Signals of the connection's subflows
    std::shared_ptr<SharedStates> shared;             //!< What their controllers tell each other
    std::size_t index{0};                             //!< The subflow it controls
    int64_t stream{0};                                //!< Random stream that it may use
    std::shared_ptr<Agent> agent;                     //!< The agent of the command line, or null
};

/// A congestion controller that a connection can have.
struct ControllerKind : Kind
{
    /// Makes the controller of one subflow, from its seat and its parameters.
    ns3::Ptr<ns3::TcpCongestionOps> (*create)(const Seat& seat, const ParameterValues& values);
};

/**
 * @param chosen A controller and its parameters.
 * @return Whether it needs an agent of the command line.
 */
bool NeedsAgent(const Chosen<ControllerKind>& chosen);

/// @return All controllers, by name.
const std::vector<const ControllerKind*>& GetControllers();

} // namespace smartsbd

#endif /* SMARTSBD_CONTROLLER_KIND_H */
