// SPDX-License-Identifier: MIT

#include "gathered-segments.h"

#include <utility>

namespace packets
{

GatheredSegments::GatheredSegments(uint16_t most)
    : m_room(most)
{
    // Segments refer to them.
    m_edges.reserve(most);
    m_flows.reserve(most);
}

void
GatheredSegments::Add(Flow& flow, Own& own, const CapturedSegment& captured, int end)
{
    const auto place = m_count++;
    auto& gathered = m_room[place];
    gathered.segment = captured.segment;
    gathered.next = NONE;
    gathered.end = static_cast<uint8_t>(end);
    if (gathered.segment.sackBlocks)
    {
        m_edges.push_back(captured.sack);
        gathered.segment.sack = m_edges.back().data();
    }
    if (!Has(flow, own))
    {
        own.flow = static_cast<uint16_t>(m_flows.size());
        m_flows.push_back({&flow, place});
    }
    else if (m_flows[own.flow].first == NONE)
    {
        m_flows[own.flow].first = place;
    }
    else
    {
        m_room[own.last].next = place;
    }
    own.last = place;
}

void
GatheredSegments::Take(const Flow& flow, const Own& own)
{
    if (Has(flow, own))
    {
        Take(m_flows[own.flow]);
    }
}

void
GatheredSegments::Take(OfFlow& of)
{
    for (auto place = std::exchange(of.first, NONE); place != NONE;)
    {
        const auto& one = m_room[place];
        place = one.next;
        Prefetch(place);
        of.flow->Take(one.segment, one.end);
    }
}

void
GatheredSegments::TakeAll()
{
    // A flow that has taken its segments may be no more.
    const auto ahead = [this](size_t at) -> const OfFlow* {
        return at < m_flows.size() && m_flows[at].first != NONE ? &m_flows[at] : nullptr;
    };
    for (size_t at = 0; at < m_flows.size(); ++at)
    {
        // While one takes its own, what those behind it need comes into the cache, in steps.
        if (const auto* of = ahead(at + 3))
        {
            of->flow->Prefetch();
            Prefetch(of->first);
        }
        if (const auto* of = ahead(at + 2))
        {
            of->flow->PrefetchSenders();
        }
        if (const auto* of = ahead(at + 1))
        {
            of->flow->PrefetchRows(m_room[of->first].end);
        }
        Take(m_flows[at]);
    }
    m_count = 0;
    m_edges.clear();
    m_flows.clear();
}

} // namespace packets
