// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/controller-kind.h"

#include "ns3/tcp-linux-reno.h"

namespace smartsbd
{

namespace
{

/**
 * @return A controller, which knows nothing of the other subflows.
 */
ns3::Ptr<ns3::TcpCongestionOps>
Create(const Seat&, const ParameterValues&)
{
    return ns3::CreateObject<ns3::TcpLinuxReno>();
}

} // namespace

extern const ControllerKind RENO{
    {"reno", "Linux's Reno, each subflow on its own.", {}},
    Create,
};

} // namespace smartsbd
