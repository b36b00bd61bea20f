// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/controller-kind.h"

#include "ns3/tcp-cubic.h"

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
    return ns3::CreateObject<ns3::TcpCubic>();
}

} // namespace

extern const ControllerKind CUBIC{
    {"cubic", "CUBIC (RFC 9438), each subflow on its own.", {}},
    Create,
};

} // namespace smartsbd
