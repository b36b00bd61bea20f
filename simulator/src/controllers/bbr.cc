// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/controller-kind.h"
#include "own-stream-bbr.h"

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
    const auto controller = ns3::CreateObject<OwnStreamBbr>();
    controller->SetStream(seat.stream);
    return controller;
}

} // namespace

extern const ControllerKind BBR{
    {"bbr", "ns-3's BBR, version 1, each subflow on its own.", {}},
    Create,
};

} // namespace smartsbd
