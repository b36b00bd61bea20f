// SPDX-License-Identifier: MIT

#ifndef PACKETS_SEEN_SEGMENTS_H
#define PACKETS_SEEN_SEGMENTS_H

#include "bounds.h"
#include "keyed-hash.h"
#include "segment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace packets
{

/// The way by which a frame came to the capture: where it was seen, and who sent it.
struct Way
{
    uint16_t mark; //!< Of the interface, the link layer's addresses and tags, and the hops left
    bool isOutgoing; //!< Whether the host that captured sends it, as far as a frame says so
};

/// A segment that was captured, and where else it was.
struct SeenSegment
{
    static constexpr size_t MOST_WAYS = 6;

    int64_t firstNs; //!< When it was captured first
    uint32_t number; //!< Of those seen, from 1 on
    std::array<uint16_t, MOST_WAYS> ways;
    uint8_t place; //!< Of the copy that is kept, among those that wait
    uint8_t wayCount;
    bool isOutgoing; //!< All of it that was seen

    /// @return How long before or after the first copy a time is.
    int64_t ApartNs(int64_t timeNs) const
    {
        return timeNs < firstNs ? firstNs - timeNs : timeNs - firstNs;
    }

    bool Has(const Way& way) const;
    void Add(const Way& way);
};

/// The last segments of a capture, to be found by what copies of a packet have in common.
class SeenSegments
{
  public:
    /// @param seed Nobody knows it who wrote the capture.
    explicit SeenSegments(uint64_t seed);

    /// @return What copies of a packet have in common, and nearly nothing else has; never 0.
    uint64_t Print(const CapturedSegment& captured, const HashedEnds& ends) const;

    /// Have at hand what Find() looks at first.
    void Foresee(uint64_t print) const
    {
        __builtin_prefetch(&m_heads[print % HEADS]);
    }

    /// @return The last segment with such a print; null if it is none of the last that are kept.
    SeenSegment* Find(uint64_t print);

    /**
     * Add a segment that is no copy.
     *
     * @param print Of the segment.
     * @param captured The segment.
     * @param way Its way.
     * @param place Among those that wait.
     * @return Its number.
     */
    uint32_t Add(uint64_t print, const CapturedSegment& captured, const Way& way, uint32_t place);

  private:
    static constexpr size_t HEADS = 4 * SEEN_SEGMENTS;

    /// @return The print of a segment; may be 0.
    uint64_t Mix(const CapturedSegment& captured, const HashedEnds& ends) const;

    uint64_t m_seed;
    uint32_t m_count{0}; //!< Some four billion later it begins anew
    /**
     * Low half of the number of the last with a print that ends so. One that is no longer kept may
     * look like one that is: it leads to prints that are others.
     */
    std::vector<uint16_t> m_heads;
    std::vector<uint64_t> m_prints; //!< Of those kept, by number; 0 where there is none yet
    std::vector<uint16_t> m_older;  //!< How many numbers the one before is back, if it is kept
    std::vector<SeenSegment> m_seen;
};

/**
 * @param frame A frame with a segment.
 * @param captured The segment.
 * @return How it came to the capture.
 */
Way WayOf(const Frame& frame, const CapturedSegment& captured);

} // namespace packets

#endif // PACKETS_SEEN_SEGMENTS_H
