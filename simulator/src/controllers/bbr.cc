// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/multipath-bbr.h"

namespace smartsbd
{

namespace
{

/**
 * @param seat Where it stands.
 * @return A controller.
 */
ns3::Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues&)
{
    // Not OwnStreamBbr: its instances count, so one more would change the background's.
    const auto controller = ns3::CreateObject<MultipathBbr>();
    controller->Setup(seat);
    return controller;
}

} // namespace

extern const ControllerKind BBR{
    {"bbr", "ns-3's BBR, version 1, each subflow on its own.", {}},
    Create,
};

} // namespace smartsbd
