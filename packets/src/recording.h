// SPDX-License-Identifier: MIT

#ifndef PACKETS_RECORDING_H
#define PACKETS_RECORDING_H

#include "flow.h"
#include "bounds.h"
#include "listed-segment.h"
#include "pcap.h"
#include "spool.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace packets
{

/**
 * How long and how many flows are kept, of how many subflows a summary stays, and how many rows of
 * an end go into one part.
 */
struct Limits
{
    size_t flows{MAX_FLOWS};
    size_t subflows{MAX_SUBFLOWS};
    int64_t overNs{OVER_NS};
    int64_t idleNs{IDLE_NS};
    uint32_t partRows{PART_ROWS};
    bool isListing{false}; //!< Whether segments are listed, too
};

/// What became of the flows that are no subflows, and of those let go of early.
struct FlowCounts
{
    int64_t plainSegments{0};       //!< Of TCP without MPTCP
    int64_t notAnsweredSegments{0}; //!< Of TCP, MPTCP offered and not answered
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
class Recording : private FrameSink
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

    /// @return Subflows, in order of their first segment.
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
        Segment segment;
        uint32_t hash;
        uint32_t flow; //!< Place of its flow plus one, as far as known; 0 if not
    };

    void Take(const Frame& frame) override;
    void Refuse(const Refusal& refusal) override;
    void WriteRefusals();
    void RefuseSegment(const Segment& segment, Verdict verdict, int64_t beforeNs);

    /// Fetch what segments that wait will need into the cache, step by step as they come nearer.
    void Prefetch();

    const Flow* FlowOf(const Waiting& waiting) const;

    /// @return The segment that came so many before the last.
    Waiting& Behind(size_t segments)
    {
        return m_room[m_waiting[(m_waitingHead + m_waitingCount - 1 - segments) % WAITING_PLACES]];
    }

    /// Take the earliest of the segments that wait.
    void TakeEarliest();
    void TakeSegment(const Waiting& waiting);
    uint32_t Hash(const Endpoint& one, const Endpoint& other) const;

    /// @return The flow of a segment, a new one if there is none.
    std::unique_ptr<Flow>& Find(const Waiting& waiting);

    /// Keep a flow that is known to be a subflow from now on, if there is room.
    void Admit(Flow& flow);
    void Insert(uint32_t hash, uint32_t place);
    void End(std::unique_ptr<Flow>& flow, int64_t left);

    /// Let go of flows that ended or are silent for long.
    void Sweep(int64_t nowNs);

    /// Let go of the longest silent.
    void Displace();
    void Rebuild();

    PcapReader m_reader;
    Spool m_spool;
    Limits m_limits;

    // Segments that wait for earlier ones: a ring, in order of time.
    std::vector<Waiting> m_room;
    std::vector<uint32_t> m_free;
    std::array<uint32_t, WAITING_PLACES> m_waiting{};
    size_t m_waitingHead{0};
    size_t m_waitingCount{0};

    std::vector<Slot> m_slots;
    std::vector<std::unique_ptr<Flow>> m_alive; //!< None where a place is free
    std::vector<uint32_t> m_freePlaces;
    uint64_t m_hashSeed;
    int64_t m_nextNumber{0};
    int64_t m_untilSweep;

    int64_t m_records{0};
    std::array<int64_t, static_cast<size_t>(Verdict::COUNT)> m_verdicts{};
    FlowCounts m_counts;
    size_t m_admitted{0}; //!< Subflows that are or will be in m_flows
    std::vector<FlowSummary> m_flows;
    std::vector<ListedSegment> m_listed; //!< Taken since they were asked for
    std::vector<Refusal> m_refusals;
    Chain m_refusalsWritten;
};

} // namespace packets

#endif // PACKETS_RECORDING_H
