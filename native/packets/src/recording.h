// SPDX-License-Identifier: MIT

#ifndef PACKETS_RECORDING_H
#define PACKETS_RECORDING_H

#include "bounds.h"
#include "flow.h"
#include "gathered-segments.h"
#include "keyed-hash.h"
#include "listed-segment.h"
#include "pcap.h"
#include "prefetch.h"
#include "seen-segments.h"
#include "spool.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace packets
{

/**
 * How long and how many flows are kept, of how many subflows a summary stays, how many rows of an
 * end go into one part, and how many segments are gathered.
 */
struct Limits
{
    size_t flows{MAX_FLOWS};
    size_t subflows{MAX_SUBFLOWS};
    int64_t overNs{OVER_NS};
    int64_t idleNs{IDLE_NS};
    uint32_t partRows{PART_ROWS};
    bool isListing{false}; //!< Whether segments are listed, too
    uint16_t gathered{GATHERED_SEGMENTS};
    bool isKeepingPlain{false}; //!< Whether flows that are no subflows are kept, too
};

/// What became of the flows that are no subflows, and of those let go of early.
struct FlowCounts
{
    int64_t plainSegments{0};       //!< Of TCP without MPTCP
    int64_t notAnsweredSegments{0}; //!< Of TCP, MPTCP offered and not answered
    int64_t cutSegments{0};         //!< Of TCP whose options are cut
    int64_t silent{0};              //!< Flows let go of because they were silent for long
    int64_t displaced{0};           //!< Flows let go of because there were too many
    int64_t beyondSegments{0};      //!< Of subflows after as many as are kept
};

/**
 * A capture, from its bytes to its MPTCP subflows.
 *
 * Memory is bounded by the flows alive: rows go to the spool, and of a flow that ended stays a
 * summary if it is a subflow, else nothing.
 */
class Recording final : private FrameSink
{
  public:
    /**
     * @param fd An empty file for rows; whoever opened it closes it.
     * @param limits Of what is kept.
     */
    Recording(int fd, Limits limits);

    /// Take the next bytes of the capture; return whether more will be read.
    bool Feed(const uint8_t* data, size_t bytes);

    /// The capture is at its end.
    void Finish();

    /// @return Why the capture as a whole cannot be read.
    Unreadable GetUnreadable() const;

    /// @return Frames and refused records.
    int64_t GetRecords() const;

    /**
     * @return Frames and refused records by verdict; those taken as segments include refused ones
     *         of their flow.
     */
    const std::array<int64_t, static_cast<size_t>(Verdict::COUNT)>& GetVerdicts() const;

    const FlowCounts& GetCounts() const;

    /// @return Subflows, in order of their first segment, once the capture is at its end.
    const std::vector<FlowSummary>& GetFlows() const;

    const Chain& GetRefusals() const;

    /**
     * @return The segments taken since this was asked last, in the order in which they were taken:
     *         those of flows that may be subflows. Without Limits::isListing there are none.
     */
    std::vector<ListedSegment> TakeListed();

  private:
    /// A slot of the hash table.
    struct Slot
    {
        uint32_t hash;
        uint32_t flow; //!< Its place plus one; 0 where there is none
    };

    /// A segment that waits for earlier ones.
    struct Waiting
    {
        CapturedSegment captured;
        uint32_t hash;
        uint32_t flow; //!< Place of its flow plus one, as far as known; 0 if not
        uint32_t seen; //!< Its number among those seen; 0 once it waits no more
    };

    /// A flow that is alive, and what is looked at to find it: in one line of the cache.
    struct alignas(CACHE_LINE_BYTES) LiveFlow
    {
        /// End 0 opened the connection or, without a handshake, sent the first segment.
        Endpoint ends[2];
        std::unique_ptr<Flow> flow; //!< None where the place is free
        GatheredSegments::Own own;  //!< What it has yet to take
        bool isAdmitted{false}; //!< Whether it is settled if it is kept as a subflow

        /// @return Which end sent a segment; -1 if it is not between these ends.
        int EndOf(const CapturedSegment& captured) const
        {
            if (captured.source == ends[0])
            {
                return captured.destination == ends[1] ? 0 : -1;
            }
            return captured.source == ends[1] && captured.destination == ends[0] ? 1 : -1;
        }
    };

    static_assert(sizeof(LiveFlow) == CACHE_LINE_BYTES);

    /// Where the flow of a segment is, and which end of it sent the segment.
    struct Found
    {
        uint32_t place;
        int end;
    };

    void Take(const Frame& frame) override;
    void Refuse(const Refusal& refusal) override;
    void KeepRefusal(const Refusal& refusal);
    void WriteRefusals();
    void WriteFlows();
    void RefuseSegment(const CapturedSegment& captured, Verdict verdict, int64_t beforeNs);

    /// Look for the flow of a segment that is soon taken, and fetch it into the cache.
    void Foresee();

    /// @return The segment that came so many before the last.
    Waiting& Behind(size_t segments)
    {
        return m_room[m_waiting[(m_waitingHead + m_waitingCount - 1 - segments) % WAITING_PLACES]];
    }

    /// Have a segment wait, behind those that are not later.
    void Await(uint32_t place);

    /// @return The place of a segment in the order of those that wait.
    size_t OrderOf(uint32_t place) const;

    /**
     * Tell whether a segment is a copy of a packet that was captured before, by another interface
     * or the same; if so, that one of them waits on that is nearest to the wire.
     *
     * @param place Where the segment is, among those that wait.
     * @param print Its print.
     * @param way Its way.
     */
    bool IsCopy(uint32_t place, uint64_t print, const Way& way);

    /// @return Whether a segment is a copy of another that looks the same.
    bool IsCopyOf(const SeenSegment& seen, const CapturedSegment& captured, const Way& way) const;

    /// @return Whether a segment that waits is the one that was seen.
    bool IsWaiting(const SeenSegment& seen) const
    {
        return m_room[seen.place].seen == seen.number;
    }

    /// Take the earliest of the segments that wait.
    void TakeEarliest();
    void TakeSegment(const Waiting& waiting);
    void TakeAtOnce(LiveFlow& live, const CapturedSegment& captured, int end);

    /// @return Whether a flow may take a segment later than other flows take theirs.
    bool MayGather(const LiveFlow& live, const Segment& segment) const;
    void Gather(const Found& found, const CapturedSegment& captured);

    HashedEnds Hash(const Endpoint& source, const Endpoint& destination) const;

    /// Make a flow that begins with a segment; return which end sent that.
    int Begin(LiveFlow& live, const CapturedSegment& first);

    /// @return Where the flow of a segment is, a new one if there was none.
    Found Find(const Waiting& waiting);

    /// Keep a flow that is known to be a subflow from now on, if there is room.
    void Admit(LiveFlow& live);
    void Insert(uint32_t hash, uint32_t place);

    /// Keep what stays of a flow that is done with.
    void Keep(LiveFlow& live, int64_t left);

    /// @return Whether a flow that is no subflow is kept; it takes a place then.
    bool AdmitPlain(Flow& flow);
    void CountSegments(const Flow& flow);
    void End(LiveFlow& live, int64_t left);

    /// Let go of flows that ended or are silent for long.
    void Sweep(int64_t nowNs);

    /// Let go of the longest silent.
    void Displace();
    void Rebuild();

    PcapReader m_reader;
    Spool m_spool;
    Limits m_limits;
    SeenSegments m_seen;
    int64_t m_sameWayNs{-1}; //!< Longest between copies by one way that hold data, if there are any

    // Segments that wait for earlier ones: a ring, in order of time.
    static_assert(OUT_OF_ORDER_SEGMENTS < UINT8_MAX, "a place is of one byte");
    std::vector<Waiting> m_room;
    std::vector<uint32_t> m_free;
    std::array<uint32_t, WAITING_PLACES> m_waiting{};
    size_t m_waitingHead{0};
    size_t m_waitingCount{0};

    // Segments that are in order and that their flows have yet to take.
    GatheredSegments m_gathered;
    int64_t m_latestNs{0}; //!< Of the segments taken from those that wait

    std::vector<Slot> m_slots;
    std::vector<LiveFlow> m_alive;
    std::vector<uint32_t> m_freePlaces;
    uint64_t m_hashSeed;
    int64_t m_nextNumber{0};
    int64_t m_untilSweep;

    int64_t m_records{0};
    std::array<int64_t, static_cast<size_t>(Verdict::COUNT)> m_verdicts{};
    FlowCounts m_counts;
    size_t m_admitted{0}; //!< Subflows that are or will be in m_flows
    size_t m_small{0};    //!< Flows in m_flows that are no subflows, and that sent little
    std::vector<FlowSummary> m_flows; //!< Not written yet; at the end, all
    Chain m_flowsWritten;
    std::vector<ListedSegment> m_listed; //!< Taken since they were asked for
    std::vector<Refusal> m_refusals;
    size_t m_mostRefusals; //!< So many are written, as far as they can be
    Chain m_refusalsWritten;
};

} // namespace packets

#endif // PACKETS_RECORDING_H
