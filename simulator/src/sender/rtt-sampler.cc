// SPDX-License-Identifier: GPL-2.0-only

#include "sender/rtt-sampler.h"

#include <algorithm>

namespace smartsbd
{

void
RttSampler::Send(uint64_t position, uint32_t size, ns3::Time now)
{
    const auto end = position + size;
    for (auto it = Find(position); it != m_segments.end() && it->begin < end; ++it)
    {
        it->retransmitted = true;
    }
    if (end > m_sent)
    {
        m_segments.push_back({std::max(position, m_sent), end, now, ns3::Time()});
        m_sent = end;
    }
}

void
RttSampler::Arrive(uint64_t position, ns3::Time now)
{
    const auto it = Find(position);
    if (it != m_segments.end() && it->begin <= position && it->arrived.IsZero())
    {
        it->arrived = now;
    }
}

AckOutcome
RttSampler::Acknowledge(uint64_t ack, const std::vector<Block>& sackBlocks, ns3::Time now)
{
    AckOutcome outcome;
    AcknowledgeUpTo(ack, outcome, now);
    const Segment* last = nullptr;
    for (const auto& block : sackBlocks)
    {
        const auto* segment = MarkSacked(block, outcome);
        if (segment && (!last || segment->begin > last->begin))
        {
            last = segment;
        }
    }
    if (last && !outcome.sample)
    {
        outcome.sample = RttSample{now - last->sent, last->arrived - last->sent};
    }
    return outcome;
}

uint64_t
RttSampler::GetAcked() const
{
    return m_acked;
}

uint64_t
RttSampler::GetSent() const
{
    return m_sent;
}

bool
RttSampler::HasOutstanding() const
{
    return m_sent > m_acked;
}

std::deque<RttSampler::Segment>::iterator
RttSampler::Find(uint64_t position)
{
    return std::partition_point(m_segments.begin(),
                                m_segments.end(),
                                [position](const Segment& s) { return s.end <= position; });
}

void
RttSampler::AcknowledgeUpTo(uint64_t ack, AckOutcome& outcome, ns3::Time now)
{
    bool coversRetransmission = false;
    while (!m_segments.empty() && m_segments.front().end <= ack)
    {
        const auto& segment = m_segments.front();
        coversRetransmission |= segment.retransmitted;
        outcome.newlyArrived += segment.sacked ? 0 : segment.end - segment.begin;
        if (!segment.retransmitted && !segment.sacked)
        {
            outcome.sample = RttSample{now - segment.sent, segment.arrived - segment.sent};
        }
        m_segments.pop_front();
    }
    if (coversRetransmission)
    {
        outcome.sample.reset();
    }
    if (ack > m_acked)
    {
        outcome.newlyAcked = ack - m_acked;
        m_acked = ack;
    }
}

const RttSampler::Segment*
RttSampler::MarkSacked(const Block& block, AckOutcome& outcome)
{
    const Segment* last = nullptr;
    for (auto it = Find(block.first); it != m_segments.end() && it->end <= block.second; ++it)
    {
        if (it->begin < block.first || it->sacked)
        {
            continue;
        }
        it->sacked = true;
        outcome.newlySacked += it->end - it->begin;
        outcome.newlyArrived += it->end - it->begin;
        if (!it->retransmitted)
        {
            last = &*it;
        }
    }
    return last;
}

} // namespace smartsbd
