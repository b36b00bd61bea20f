// SPDX-License-Identifier: GPL-2.0-only

#include "path/port.h"

#include "path/host-device.h"

#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <utility>

namespace smartsbd
{

using ns3::Ipv4Header;
using ns3::Packet;
using ns3::Ptr;
using ns3::Simulator;
using ns3::Time;

namespace
{

/**
 * @param packet A packet with its IP header.
 * @return Whether its transport can use ECN; if so, the packet is now marked.
 */
bool
Mark(Ptr<Packet> packet)
{
    Ipv4Header ip;
    packet->PeekHeader(ip);
    if (ip.GetEcn() == Ipv4Header::ECN_NotECT)
    {
        return false;
    }
    packet->RemoveHeader(ip);
    ip.SetEcn(Ipv4Header::ECN_CE);
    if (ns3::Node::ChecksumEnabled())
    {
        ip.EnableChecksum();
    }
    packet->AddHeader(ip);
    return true;
}

} // namespace

Port::Event::Event(Port& port, void (Port::*method)())
    : m_port(port),
      m_method(method)
{
}

void
Port::Event::Notify()
{
    (m_port.*m_method)();
}

Port::Port(uint64_t rate, uint32_t limit, Time delay)
    : m_rate(rate),
      m_limit(limit),
      m_delay(delay),
      m_end(ns3::Create<Event>(*this, &Port::End)),
      m_arrival(ns3::Create<Event>(*this, &Port::Arrive))
{
}

void
Port::SetRate(uint64_t rate)
{
    m_rate = ns3::DataRate(rate);
    m_lastSize = 0;
}

void
Port::SetMarkThreshold(uint32_t bytes)
{
    m_markThreshold = bytes;
}

void
Port::SetExtraDelay(std::unique_ptr<ExtraDelay> extra)
{
    m_extra = std::move(extra);
}

void
Port::SetLoss(double probability, int64_t stream)
{
    m_lossProbability = probability;
    if (probability > 0 && !m_draw)
    {
        m_draw = ns3::CreateObject<ns3::UniformRandomVariable>();
        m_draw->SetStream(stream);
    }
}

PortTraces&
Port::GetTraces()
{
    return m_traces;
}

bool
Port::Admit(const Frame& frame)
{
    const bool marked = m_markThreshold && m_waitingBytes > *m_markThreshold && Mark(frame.packet);
    if (m_waitingBytes + frame.size > m_limit)
    {
        if (!m_traces.drop.IsNull())
        {
            m_traces.drop(frame);
        }
        return false;
    }
    if (marked && !m_traces.mark.IsNull())
    {
        m_traces.mark(frame);
    }
    return true;
}

void
Port::Wait(const Frame& frame)
{
    m_waiting.push_back(frame);
    m_waitingBytes += frame.size;
}

Frame
Port::TakeWaiting()
{
    const auto frame = m_waiting.front();
    m_waiting.pop_front();
    m_waitingBytes -= frame.size;
    return frame;
}

void
Port::Send(const Frame& frame)
{
    if (Admit(frame))
    {
        Accept(frame);
    }
}

void
Port::Accept(const Frame& frame)
{
    if (!m_endPlanned && m_free <= Simulator::Now())
    {
        Begin(frame);
        return;
    }
    Wait(frame);
    PlanEnd();
}

void
Port::Serve()
{
    if (m_endPlanned || m_free > Simulator::Now())
    {
        PlanEnd();
    }
    else if (const auto next = TakeNext())
    {
        Begin(*next);
    }
}

bool
Port::HasWaiting() const
{
    return !m_waiting.empty();
}

std::optional<Frame>
Port::TakeNext()
{
    return m_waiting.empty() ? std::nullopt : std::optional(TakeWaiting());
}

void
Port::Depart(const Frame& frame, Time duration)
{
    Leave(frame, duration);
}

void
Port::PlanEnd()
{
    if (!m_endPlanned)
    {
        Simulator::Schedule(m_free - Simulator::Now(), m_end);
        m_endPlanned = true;
    }
}

void
Port::Begin(const Frame& frame)
{
    if (!m_traces.begin.IsNull())
    {
        m_traces.begin(frame);
    }
    const auto duration = GetDuration(frame.size);
    m_free = Simulator::Now() + duration;
    // As long as nobody waits or listens, nothing happens at the end.
    if (HasWaiting() || !m_traces.end.IsNull())
    {
        PlanEnd();
    }
    Depart(frame, duration);
}

void
Port::Leave(const Frame& frame, Time duration)
{
    auto delay = duration + m_delay;
    if (m_extra)
    {
        delay += m_extra->Get(Simulator::Now() + duration);
    }
    Simulator::Schedule(delay, m_arrival);
    m_underWay.push_back(frame);
}

void
Port::End()
{
    m_endPlanned = false;
    if (!m_traces.end.IsNull())
    {
        m_traces.end();
    }
    if (const auto next = TakeNext())
    {
        Begin(*next);
    }
}

void
Port::Arrive()
{
    auto frame = m_underWay.front();
    m_underWay.pop_front();
    if (m_draw && m_draw->GetValue() < m_lossProbability)
    {
        if (!m_traces.loss.IsNull())
        {
            m_traces.loss(frame);
        }
        return;
    }
    ++frame.hop;
    const auto& ports = frame.route->ports;
    if (frame.hop < ports.size())
    {
        ports[frame.hop]->Send(frame);
    }
    else
    {
        frame.route->end->Receive(frame);
    }
}

Time
Port::GetDuration(uint32_t size)
{
    if (size != m_lastSize)
    {
        m_lastSize = size;
        m_lastDuration = m_rate.CalculateBytesTxTime(size);
    }
    return m_lastDuration;
}

} // namespace smartsbd
