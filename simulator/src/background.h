// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BACKGROUND_H
#define SMARTSBD_BACKGROUND_H

#include "scenario.h"
#include "topology.h"

namespace smartsbd
{

/**
 * Start the background flows and their sinks.
 *
 * @param scenario The scenario.
 * @param topology Its network.
 */
void InstallBackground(const Scenario& scenario, const Topology& topology);

} // namespace smartsbd

#endif /* SMARTSBD_BACKGROUND_H */
