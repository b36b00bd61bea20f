// SPDX-License-Identifier: GPL-2.0-only

#include "path/policer-port.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace smartsbd
{

namespace
{

/// How many times as fast the line behind the bucket is.
constexpr int64_t LINE_TIMES = 10;

} // namespace

void
PolicerPort::Send(const Frame& frame)
{
    if (!Admit(frame))
    {
        return;
    }
    const auto now = ns3::Simulator::Now();
    m_lineFree = std::max(m_lineFree, now) + GetDuration(frame.size) / LINE_TIMES;
    Leave(frame, m_lineFree - now);
    Accept(frame);
}

void
PolicerPort::Depart(const Frame&, ns3::Time)
{
    // It has left when it came.
}

} // namespace smartsbd
