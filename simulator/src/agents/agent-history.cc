// SPDX-License-Identifier: GPL-2.0-only

#include "agents/agent-history.h"

#include <algorithm>

namespace smartsbd
{

using ns3::Time;

namespace
{

/// What ratios are limited to, that a long queue may not be all an agent sees.
constexpr double LARGEST_RATIO = 10;

/**
 * @param value A value.
 * @param unit What it is relative to.
 * @return The ratio, within limits; 0 without a unit.
 */
double
GetRatio(double value, double unit)
{
    return unit > 0 ? std::min(value / unit, LARGEST_RATIO) : 0;
}

} // namespace

void
AgentHistory::NoteSent(uint32_t size, bool repeated)
{
    m_sent += size;
    m_repeated += repeated ? size : 0;
}

bool
AgentHistory::NoteAck(uint64_t delivered, std::optional<Time> rtt, Time srtt, Time now)
{
    if (rtt)
    {
        m_leastRtt = m_samples == 0 ? *rtt : std::min(m_leastRtt, *rtt);
        m_base = m_base.IsZero() ? *rtt : std::min(m_base, *rtt);
        m_rttSum += *rtt;
        ++m_samples;
    }
    const bool ends = m_begin && now > *m_begin && now - *m_begin >= srtt;
    if (ends)
    {
        const auto seconds = (now - *m_begin).GetSeconds();
        AgentRecord record;
        record.rate = static_cast<double>(m_sent) / seconds;
        record.rtt = m_samples > 0 ? m_rttSum / static_cast<int64_t>(m_samples) : srtt;
        record.leastRtt = m_samples > 0 ? m_leastRtt : srtt;
        const auto sent = static_cast<double>(m_sent);
        record.loss = m_sent > 0 ? static_cast<double>(m_repeated) / sent : 0;
        record.delivery = static_cast<double>(delivered - m_deliveredAtBegin) / seconds;
        m_largestDelivery = std::max(m_largestDelivery, record.delivery);
        m_records.push_back(record);
        if (m_records.size() > RECORDS)
        {
            m_records.pop_front();
        }
    }
    if (ends || !m_begin)
    {
        m_begin = now;
        m_sent = 0;
        m_repeated = 0;
        m_deliveredAtBegin = delivered;
        m_rttSum = Time();
        m_samples = 0;
    }
    return ends;
}

const AgentRecord&
AgentHistory::GetLast() const
{
    return m_records.back();
}

bool
AgentHistory::HasRecords() const
{
    return !m_records.empty();
}

double
AgentHistory::GetLargestDelivery() const
{
    return m_largestDelivery;
}

void
AgentHistory::AppendTo(std::vector<double>& state) const
{
    state.insert(state.end(), (RECORDS - m_records.size()) * VALUES, 0);
    const auto base = m_base.GetSeconds();
    for (const auto& record : m_records)
    {
        state.push_back(GetRatio(record.rate, m_largestDelivery));
        state.push_back(GetRatio(record.rtt.GetSeconds(), base));
        state.push_back(GetRatio(record.leastRtt.GetSeconds(), base));
        state.push_back(record.loss);
        state.push_back(GetRatio(record.delivery, m_largestDelivery));
    }
}

} // namespace smartsbd
