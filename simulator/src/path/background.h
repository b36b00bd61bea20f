// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BACKGROUND_H
#define SMARTSBD_BACKGROUND_H

#include "scenario.h"
#include "path/topology.h"

#include "ns3/packet-sink.h"

#include <vector>

namespace smartsbd
{

/**
 * Start the background flows and their sinks.
 *
 * @param scenario The scenario.
 * @param topology Its network.
 * @return The sink of each flow.
 */
std::vector<ns3::Ptr<ns3::PacketSink>> InstallBackground(const Scenario& scenario,
                                                         const Topology& topology);

} // namespace smartsbd

#endif /* SMARTSBD_BACKGROUND_H */
