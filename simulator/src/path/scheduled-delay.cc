// SPDX-License-Identifier: GPL-2.0-only

#include "path/scheduled-delay.h"

#include <utility>

namespace smartsbd
{

using ns3::Time;

ScheduledDelay::ScheduledDelay(const Schedule<Time>& changes, std::unique_ptr<ExtraDelay> other)
    : m_changes(changes),
      m_other(std::move(other))
{
}

Time
ScheduledDelay::Get(Time time)
{
    while (m_past < m_changes.size() && m_changes[m_past].from <= time)
    {
        ++m_past;
    }
    const auto own = m_past == 0 ? Time() : m_changes[m_past - 1].value;
    m_last = ns3::Max(m_last, time + m_other->Get(time) + own);
    return m_last - time;
}

} // namespace smartsbd
