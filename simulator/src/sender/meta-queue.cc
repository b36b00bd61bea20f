// SPDX-License-Identifier: GPL-2.0-only

#include "sender/meta-queue.h"

#include "ns3/abort.h"

#include <algorithm>

namespace smartsbd
{

MetaQueue::MetaQueue(std::size_t subflows, uint32_t mss)
    : m_mss(mss),
      m_complete(subflows)
{
    NS_ABORT_MSG_IF(subflows > MOST_SUBFLOWS, "more subflows than a mask has bits");
}

uint64_t
MetaQueue::GetHead() const
{
    return m_head;
}

uint64_t
MetaQueue::GetNext() const
{
    return m_head + GetBytes();
}

uint64_t
MetaQueue::GetBytes() const
{
    return static_cast<uint64_t>(m_segments.size()) * m_mss;
}

bool
MetaQueue::WentTo(uint64_t segment, std::size_t subflow) const
{
    return m_segments[(segment - m_head) / m_mss].mask >> subflow & 1;
}

std::optional<uint64_t>
MetaQueue::FindMissing(std::size_t subflow)
{
    auto& segment = m_complete[subflow];
    segment = std::max(segment, m_head);
    while (segment < GetNext() && WentTo(segment, subflow))
    {
        segment += m_mss;
    }
    return segment < GetNext() ? std::optional(segment) : std::nullopt;
}

void
MetaQueue::Give(uint64_t segment, std::size_t subflow)
{
    if (segment == GetNext())
    {
        m_segments.emplace_back();
    }
    At(segment).mask |= uint32_t{1} << subflow;
    At(segment).reinjected = false;
}

void
MetaQueue::Acknowledge(uint64_t dataAck)
{
    while (m_head < dataAck)
    {
        NS_ABORT_MSG_IF(m_segments.empty(), "a DATA_ACK covers what was never given");
        m_segments.pop_front();
        m_head += m_mss;
    }
}

void
MetaQueue::Reinject(uint64_t segment)
{
    if (segment >= m_head && !At(segment).reinjected)
    {
        At(segment).reinjected = true;
        m_reinjected.push_back(segment);
    }
}

std::optional<uint64_t>
MetaQueue::GetReinjected()
{
    const auto isOver = [this](uint64_t segment) {
        return segment < m_head || !At(segment).reinjected;
    };
    while (!m_reinjected.empty() && isOver(m_reinjected.front()))
    {
        m_reinjected.pop_front();
    }
    return m_reinjected.empty() ? std::nullopt : std::optional(m_reinjected.front());
}

void
MetaQueue::ClearMask(uint64_t segment)
{
    At(segment).mask = 0;
    for (auto& complete : m_complete)
    {
        complete = std::min(complete, segment);
    }
}

MetaQueue::Segment&
MetaQueue::At(uint64_t segment)
{
    return m_segments[(segment - m_head) / m_mss];
}

} // namespace smartsbd
