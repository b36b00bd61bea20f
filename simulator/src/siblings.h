// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SIBLINGS_H
#define SMARTSBD_SIBLINGS_H

#include "ns3/tcp-socket-state.h"

#include <vector>

namespace smartsbd
{

/// What the controllers of one connection know of a subflow.
struct Sibling
{
    ns3::Ptr<const ns3::TcpSocketState> tcb; //!< State of its socket; null before it has a socket
};

/// The subflows of one connection, by their index.
using Siblings = std::vector<Sibling>;

} // namespace smartsbd

#endif /* SMARTSBD_SIBLINGS_H */
