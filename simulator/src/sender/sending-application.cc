// SPDX-License-Identifier: GPL-2.0-only

#include "sender/sending-application.h"

#include "ns3/object.h"
#include "ns3/simulator.h"

#include <limits>

namespace smartsbd
{

using ns3::Simulator;

SendingApplication::SendingApplication(const ApplicationSpec& spec,
                                       uint32_t mss,
                                       int64_t stream,
                                       ns3::Callback<void> hasMore)
    : m_spec(spec),
      m_mss(mss),
      m_hasMore(hasMore),
      m_period(ns3::CreateObject<ns3::ExponentialRandomVariable>())
{
    m_period->SetStream(stream);
}

void
SendingApplication::Start()
{
    if (m_spec.kind == ApplicationKind::RATE)
    {
        Add();
    }
    else if (m_spec.kind == ApplicationKind::ON_OFF)
    {
        Toggle();
    }
    else if (m_spec.kind == ApplicationKind::SIZE)
    {
        m_given = *GetSize();
    }
    else
    {
        m_on = true;
    }
}

std::optional<uint64_t>
SendingApplication::GetSize() const
{
    if (m_spec.kind != ApplicationKind::SIZE)
    {
        return std::nullopt;
    }
    return (m_spec.bytes + m_mss - 1) / m_mss * m_mss;
}

bool
SendingApplication::Gives(uint64_t end) const
{
    return end <= GetGiven();
}

uint64_t
SendingApplication::GetGiven() const
{
    return m_on ? std::numeric_limits<uint64_t>::max() : m_given;
}

void
SendingApplication::Toggle()
{
    m_on = !m_on;
    const auto mean = m_on ? m_spec.on : m_spec.off;
    Simulator::Schedule(mean * m_period->GetValue(), &SendingApplication::Toggle, this);
    if (m_on)
    {
        m_hasMore();
    }
}

void
SendingApplication::Add()
{
    m_given += m_mss;
    Simulator::Schedule(ns3::Seconds(8.0 * m_mss / m_spec.rate), &SendingApplication::Add, this);
    m_hasMore();
}

} // namespace smartsbd
