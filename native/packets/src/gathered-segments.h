// SPDX-License-Identifier: MIT

#ifndef PACKETS_GATHERED_SEGMENTS_H
#define PACKETS_GATHERED_SEGMENTS_H

#include "flow.h"
#include "prefetch.h"
#include "segment.h"

#include <cstdint>
#include <vector>

namespace packets
{

/// Segments in order that their flows have yet to take, each flow all of its own at once.
class GatheredSegments
{
  public:
    /// @param most How many there may be.
    explicit GatheredSegments(uint16_t most);

    // Segments refer to their edges.
    GatheredSegments(const GatheredSegments&) = delete;
    GatheredSegments& operator=(const GatheredSegments&) = delete;

    static constexpr uint16_t NONE = UINT16_MAX;

    /// Where the segments of a flow were, when the last was added: there may be none any more.
    struct Own
    {
        uint16_t flow{NONE}; //!< Among the flows of which there are segments
        uint16_t last{NONE};
    };

    /**
     * Add a segment; there is room.
     *
     * @param flow Its flow.
     * @param own Of this flow; kept by the caller.
     * @param captured The segment.
     * @param end Which end of the flow sent it.
     */
    void Add(Flow& flow, Own& own, const CapturedSegment& captured, int end);

    bool IsFull() const
    {
        return m_count == m_room.size();
    }

    /// Let one flow take its segments.
    void Take(const Flow& flow, const Own& own);

    /// Let all flows take theirs; then there are none.
    void TakeAll();

  private:
    /// In one line of the cache.
    struct alignas(CACHE_LINE_BYTES) Gathered
    {
        Segment segment;
        uint16_t next; //!< Place of the flow's next; NONE after the last
        uint8_t end;   //!< Which end of the flow sent it
    };

    static_assert(sizeof(Gathered) == CACHE_LINE_BYTES);

    struct OfFlow
    {
        Flow* flow;
        uint16_t first; //!< Place of its first segment; NONE once it has taken them
    };

    /// @return Whether a flow has, or had, segments here since the last TakeAll().
    bool Has(const Flow& flow, const Own& own) const
    {
        return own.flow < m_flows.size() && m_flows[own.flow].flow == &flow;
    }

    void Take(OfFlow& of);

    /// Fetch a segment into the cache, if there is one.
    void Prefetch(uint16_t place) const
    {
        if (place != NONE)
        {
            __builtin_prefetch(&m_room[place]);
        }
    }

    std::vector<Gathered> m_room; //!< For as many as there may be
    uint16_t m_count{0};
    std::vector<SackEdges> m_edges; //!< Of those that have SACK blocks
    std::vector<OfFlow> m_flows;
};

} // namespace packets

#endif // PACKETS_GATHERED_SEGMENTS_H
