// SPDX-License-Identifier: GPL-2.0-only

#include "path/replay-port.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace smartsbd
{

using ns3::Simulator;
using ns3::Time;

ReplayPort::ReplayPort(std::shared_ptr<const Opportunities> opportunities,
                       uint32_t limit,
                       Time delay)
    : Port(0, limit, delay),
      m_opportunities(std::move(opportunities))
{
}

void
ReplayPort::Send(const Frame& frame)
{
    if (!Admit(frame))
    {
        return;
    }
    Wait(frame);
    m_came.push_back(Simulator::Now());
    if (!m_planned)
    {
        m_next = m_opportunities->CountUntil(Simulator::Now());
        Plan();
    }
}

bool
ReplayPort::HasMore() const
{
    return m_left > 0 || (!m_came.empty() && m_came.front() < Simulator::Now());
}

void
ReplayPort::Plan()
{
    const auto wait = m_opportunities->GetTime(m_next) - Simulator::Now();
    Simulator::Schedule(wait, &ReplayPort::Deliver, this);
    m_planned = true;
}

void
ReplayPort::Deliver()
{
    m_planned = false;
    const auto now = Simulator::Now();
    for (; HasMore() && m_opportunities->GetTime(m_next) == now; ++m_next)
    {
        UseOne();
    }
    if (m_left > 0 || !m_came.empty())
    {
        m_next = m_opportunities->CountUntil(now);
        Plan();
    }
}

void
ReplayPort::UseOne()
{
    auto left = Opportunities::BYTES;
    while (left > 0 && HasMore())
    {
        if (m_left == 0)
        {
            m_sending = TakeWaiting();
            m_came.pop_front();
            m_left = m_sending.size - LINK_HEADER;
        }
        const auto bytes = std::min(left, m_left);
        left -= bytes;
        m_left -= bytes;
        if (m_left == 0)
        {
            Leave(m_sending, Time());
        }
    }
    if (!GetTraces().used.IsNull())
    {
        GetTraces().used(Opportunities::BYTES - left);
    }
}

} // namespace smartsbd
