// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/sending-interval.h"

#include <algorithm>

namespace smartsbd
{

void
SentRange::Begin(uint64_t begin)
{
    m_begin = begin;
    m_end = begin;
    m_acked = begin;
}

void
SentRange::Extend(uint64_t end, ns3::Time now)
{
    if (m_end == m_begin)
    {
        m_firstSent = now;
    }
    m_end = end;
}

void
SentRange::Acknowledge(uint64_t acked, ns3::Time now)
{
    const auto within = std::min(acked, m_end);
    if (within > m_acked)
    {
        m_acked = within;
        m_lastAcked = now;
    }
}

bool
SentRange::IsComplete() const
{
    return m_acked == m_end;
}

double
SentRange::GetThroughput() const
{
    const auto bytes = static_cast<double>(m_acked - m_begin);
    return bytes > 0 ? bytes / (m_lastAcked - m_firstSent).GetSeconds() : 0;
}

SendingInterval::SendingInterval(std::size_t subflows, bool waits)
    : m_waits(waits),
      m_given(subflows),
      m_subflow(subflows)
{
}

void
SendingInterval::Begin(ns3::Time now, ns3::Time length)
{
    m_begin = now;
    m_length = length;
    for (std::size_t i = 0; i < m_subflow.size(); ++i)
    {
        m_subflow[i].Begin(m_given[i]);
    }
    m_data.Begin(m_givenNew);
}

void
SendingInterval::NoteGiven(std::size_t subflow, uint32_t bytes, bool isNew, ns3::Time now)
{
    m_given[subflow] += bytes;
    m_givenNew += isNew ? bytes : 0;
    if (now - m_begin >= m_length)
    {
        return;
    }
    m_subflow[subflow].Extend(m_given[subflow], now);
    if (isNew)
    {
        m_data.Extend(m_givenNew, now);
    }
}

void
SendingInterval::NoteAck(std::size_t subflow, uint64_t acked, uint64_t dataAck, ns3::Time now)
{
    m_subflow[subflow].Acknowledge(acked, now);
    m_data.Acknowledge(dataAck, now);
}

bool
SendingInterval::IsOver(ns3::Time now) const
{
    const auto lasts = now - m_begin;
    if (!m_waits)
    {
        return lasts >= m_length;
    }
    const bool complete = std::all_of(m_subflow.begin(), m_subflow.end(), [](const auto& range) {
        return range.IsComplete();
    });
    return lasts >= 2 * m_length || (lasts >= m_length && complete && m_data.IsComplete());
}

ns3::Time
SendingInterval::GetBegin() const
{
    return m_begin;
}

double
SendingInterval::GetThroughput(std::size_t subflow) const
{
    return m_subflow[subflow].GetThroughput();
}

double
SendingInterval::GetGoodput() const
{
    return m_data.GetThroughput();
}

} // namespace smartsbd
