// SPDX-License-Identifier: MIT

#include "recording.h"

#include "free-memory.h"

#include <algorithm>
#include <random>
#include <utility>

namespace packets
{

namespace
{

constexpr size_t FIRST_SLOTS = 1024;
constexpr int64_t SWEEP_SEGMENTS = 1 << 16;
constexpr size_t REFUSALS_IN_MEMORY = 1024;
// Of those behind a segment that waits.
constexpr size_t MOST_REFUSALS = size_t{1} << 14;
constexpr size_t FLOWS_IN_MEMORY = 256;
constexpr int64_t LEFT_SILENT = 1;
constexpr int64_t LEFT_DISPLACED = 2;
// Of the flows alive, the share that gives way when there are too many.
constexpr size_t DISPLACED_SHARE = 8;

/// @return How far one number of sequence is beyond another.
int32_t
Beyond(uint32_t one, uint32_t other)
{
    return static_cast<int32_t>(one - other);
}

/**
 * @return Whether an answer may be why a segment is sent again at once, or why another follows that
 *         looks the same.
 */
bool
IsCause(const CapturedSegment& answer, const Segment& segment)
{
    if (!segment.TakesNumbers() || answer.segment.ack == segment.seq)
    {
        return true;
    }
    for (size_t block = 0; block < answer.segment.sackBlocks; ++block)
    {
        if (Beyond(answer.sack[2 * block + 1], segment.seq) > 0)
        {
            return true;
        }
    }
    return false;
}

/// @return A number that nobody knows who wrote a capture.
uint64_t
Seed()
{
    std::random_device random;
    return uint64_t{random()} << 32 | random();
}

} // namespace

Recording::Recording(int fd, Limits limits)
    : m_reader(*this),
      m_spool(fd, limits.partRows),
      m_limits(limits),
      m_seen(Seed()),
      m_room(OUT_OF_ORDER_SEGMENTS + 1),
      m_gathered(limits.gathered),
      m_slots(FIRST_SLOTS),
      m_hashSeed(Seed()),
      m_untilSweep(SWEEP_SEGMENTS),
      m_mostRefusals(REFUSALS_IN_MEMORY)
{
    for (uint32_t i = 0; i < m_room.size(); ++i)
    {
        m_free.push_back(i);
    }
}

bool
Recording::Feed(const uint8_t* data, size_t bytes)
{
    m_reader.Feed(data, bytes);
    return !m_reader.IsStopped();
}

void
Recording::Finish()
{
    m_reader.Finish();
    while (m_waitingCount > 0)
    {
        TakeEarliest();
    }
    m_gathered.TakeAll();
    for (auto& live : m_alive)
    {
        if (live.flow)
        {
            End(live, 0);
        }
    }
    m_alive.clear();
    m_alive.shrink_to_fit();
    m_slots.clear();
    m_slots.shrink_to_fit();
    WriteRefusals();
    WriteFlows();
    m_spool.Flush();
    // The room of flows first, then that of their summaries.
    ReturnMemory();
    m_flows = Spool::Read<FlowSummary>(m_spool.GetPlace(), m_flowsWritten);
    std::sort(m_flows.begin(), m_flows.end(), [](const FlowSummary& one, const FlowSummary& other) {
        return one.number < other.number;
    });
}

Unreadable
Recording::GetUnreadable() const
{
    return m_reader.GetUnreadable();
}

int64_t
Recording::GetRecords() const
{
    return m_records;
}

const std::array<int64_t, static_cast<size_t>(Verdict::COUNT)>&
Recording::GetVerdicts() const
{
    return m_verdicts;
}

const FlowCounts&
Recording::GetCounts() const
{
    return m_counts;
}

const std::vector<FlowSummary>&
Recording::GetFlows() const
{
    return m_flows;
}

const Chain&
Recording::GetRefusals() const
{
    return m_refusalsWritten;
}

std::vector<ListedSegment>
Recording::TakeListed()
{
    return std::exchange(m_listed, {});
}

void
Recording::Refuse(const Refusal& refusal)
{
    KeepRefusal(refusal);
    if (m_refusals.size() > MOST_REFUSALS)
    {
        // Segments that wait hold back what was refused behind them: not without end.
        while (m_waitingCount > 0)
        {
            TakeEarliest();
        }
        WriteRefusals();
        m_mostRefusals = REFUSALS_IN_MEMORY;
    }
}

void
Recording::KeepRefusal(const Refusal& refusal)
{
    ++m_records;
    ++m_verdicts[static_cast<size_t>(refusal.verdict)];
    m_refusals.push_back(refusal);
    if (m_refusals.size() >= m_mostRefusals)
    {
        WriteRefusals();
        // If few could be written yet, not again at the next one.
        m_mostRefusals = std::max(REFUSALS_IN_MEMORY, 2 * m_refusals.size());
    }
}

/**
 * Write refused records, in order of where they are: but for those before which a segment that
 * waits may come.
 */
void
Recording::WriteRefusals()
{
    auto until = UINT64_MAX;
    for (size_t i = 0; i < m_waitingCount; ++i)
    {
        until = std::min(until,
                         m_room[m_waiting[(m_waitingHead + i) % WAITING_PLACES]].captured.offset);
    }
    std::sort(m_refusals.begin(), m_refusals.end(), [](const Refusal& one, const Refusal& other) {
        return one.offset < other.offset;
    });
    const auto end =
        std::find_if(m_refusals.begin(), m_refusals.end(), [until](const Refusal& one) {
            return one.offset >= until;
        });
    m_spool.Append(m_refusalsWritten,
                   m_refusals.data(),
                   static_cast<size_t>(end - m_refusals.begin()));
    m_refusals.erase(m_refusals.begin(), end);
}

void
Recording::RefuseSegment(const CapturedSegment& captured, Verdict verdict, int64_t beforeNs)
{
    // It was counted when it came.
    --m_records;
    --m_verdicts[static_cast<size_t>(Verdict::Segment)];
    Refusal refusal{captured.offset,
                    captured.segment.timeNs,
                    beforeNs,
                    verdict,
                    captured.rawBytes,
                    {}};
    std::copy_n(captured.raw, captured.rawBytes, refusal.raw);
    KeepRefusal(refusal);
}

void
Recording::Take(const Frame& frame)
{
    const auto place = m_free.back();
    auto& waiting = m_room[place];
    const auto unusable = ReadSegment(frame, waiting.captured);
    auto verdict = unusable.verdict;
    if (verdict == Verdict::Segment && (frame.timeNs < 0 || frame.timeNs > MAX_TIME_NS))
    {
        verdict = frame.timeNs < 0 ? Verdict::BeforeTime : Verdict::BeyondTime;
    }
    if (verdict > LAST_UNUSED)
    {
        Refusal refusal{frame.offset, unusable.first, unusable.second, verdict, 0, {}};
        refusal.rawBytes = static_cast<uint8_t>(std::min(frame.capturedBytes, RAW_BYTES));
        std::copy_n(frame.data, refusal.rawBytes, refusal.raw);
        Refuse(refusal);
        return;
    }
    ++m_records;
    if (verdict == Verdict::Segment)
    {
        // What both look up comes meanwhile.
        const auto ends = Hash(waiting.captured.source, waiting.captured.destination);
        const auto print = m_seen.Print(waiting.captured, ends);
        m_seen.Foresee(print);
        waiting.hash = ends.OfFlow();
        waiting.flow = 0;
        __builtin_prefetch(&m_slots[waiting.hash & (m_slots.size() - 1)]);
        if (IsCopy(place, print, WayOf(frame, waiting.captured)))
        {
            verdict = Verdict::SeenTwice;
        }
    }
    ++m_verdicts[static_cast<size_t>(verdict)];
    if (verdict != Verdict::Segment)
    {
        return;
    }
    m_free.pop_back();
    Await(place);
    Foresee();
    if (m_waitingCount > OUT_OF_ORDER_SEGMENTS)
    {
        TakeEarliest();
    }
}

void
Recording::Await(uint32_t place)
{
    // From the back, past those that are later: mostly none.
    auto at = m_waitingCount++;
    for (; at > 0; --at)
    {
        const auto before = m_waiting[(m_waitingHead + at - 1) % WAITING_PLACES];
        if (m_room[before].captured.segment.timeNs <= m_room[place].captured.segment.timeNs)
        {
            break;
        }
        m_waiting[(m_waitingHead + at) % WAITING_PLACES] = before;
    }
    m_waiting[(m_waitingHead + at) % WAITING_PLACES] = place;
}

size_t
Recording::OrderOf(uint32_t place) const
{
    size_t order = 0;
    while (m_waiting[(m_waitingHead + order) % WAITING_PLACES] != place)
    {
        ++order;
    }
    return order;
}

bool
Recording::IsCopy(uint32_t place, uint64_t print, const Way& way)
{
    auto& waiting = m_room[place];
    const auto& captured = waiting.captured;
    const auto timeNs = captured.segment.timeNs;
    auto* seen = m_seen.Find(print);
    if (!seen || !IsCopyOf(*seen, captured, way))
    {
        waiting.seen = m_seen.Add(print, captured, way, place);
        return false;
    }
    const auto apartNs = seen->ApartNs(timeNs);
    if (apartNs <= SAME_WAY_NS && captured.segment.TakesNumbers() && seen->Has(way))
    {
        m_sameWayNs = std::max(m_sameWayNs, apartNs);
    }
    seen->Add(way);
    seen->isOutgoing &= way.isOutgoing;
    // What the host sends is captured nearest to the wire last; what it receives, first.
    const auto keptNs = m_room[seen->place].captured.segment.timeNs;
    const bool isNearer = seen->isOutgoing ? timeNs > keptNs : timeNs < keptNs;
    if (!isNearer || apartNs > NO_TIMER_NS || !IsWaiting(*seen))
    {
        return true;
    }
    auto at = OrderOf(seen->place);
    for (--m_waitingCount; at < m_waitingCount; ++at)
    {
        m_waiting[(m_waitingHead + at) % WAITING_PLACES] =
            m_waiting[(m_waitingHead + at + 1) % WAITING_PLACES];
    }
    m_room[seen->place].seen = 0;
    m_free.back() = seen->place;
    waiting.seen = seen->number;
    seen->place = static_cast<uint8_t>(place);
    Await(place);
    return true;
}

bool
Recording::IsCopyOf(const SeenSegment& seen, const CapturedSegment& captured, const Way& way) const
{
    const auto timeNs = captured.segment.timeNs;
    const auto apartNs = seen.ApartNs(timeNs);
    if (apartNs > COPY_NS)
    {
        return false;
    }
    if (apartNs <= NO_TIMER_NS && !seen.Has(way))
    {
        return true;
    }
    // What waits tells whether the sender numbers its packets, and what passed between the two.
    const bool isWaiting = IsWaiting(seen);
    const auto first = isWaiting ? OrderOf(seen.place) : 0;
    const bool hasNumber = captured.source.family == 4 && captured.identification != 0;
    bool hasConstant = false;
    bool hasAnswer = false;
    bool hasCauseBetween = false;
    bool hasLaterBetween = false;
    for (size_t order = 0; order < m_waitingCount; ++order)
    {
        const auto& other = m_room[m_waiting[(m_waitingHead + order) % WAITING_PLACES]].captured;
        // Its own place would be behind those that are not later.
        const bool isBefore = other.segment.timeNs <= timeNs;
        const bool isBetween = order != first && (order > first) == isBefore;
        if (other.source == captured.source && other.destination == captured.destination)
        {
            if (hasNumber && other.identification != captured.identification)
            {
                return true;
            }
            hasConstant |= !(isWaiting && order == first);
            hasLaterBetween |= isBetween && Beyond(other.segment.seq, captured.segment.seq) > 0;
        }
        else if (other.source == captured.destination && other.destination == captured.source)
        {
            hasAnswer = true;
            hasCauseBetween |= isBetween && IsCause(other, captured.segment);
        }
    }
    if (hasNumber && !hasConstant && !seen.Has(way))
    {
        return true;
    }
    if (apartNs > SAME_WAY_NS || !isWaiting)
    {
        return false;
    }
    // Alike are answers to segments that came at once: the copies of others tell them from copies.
    if (!captured.segment.TakesNumbers() && apartNs > m_sameWayNs)
    {
        return false;
    }
    // A segment is sent again at once only if later ones arrived, and an answer says so.
    return hasAnswer ? !hasCauseBetween : !hasLaterBetween || apartNs <= m_sameWayNs;
}

void
Recording::Foresee()
{
    // As many segments as pass while a line of memory comes.
    constexpr size_t step = 12;
    if (m_waitingCount < OUT_OF_ORDER_SEGMENTS)
    {
        return;
    }
    auto& soon = Behind(OUT_OF_ORDER_SEGMENTS - step);
    const auto mask = m_slots.size() - 1;
    auto at = soon.hash & mask;
    while (m_slots[at].flow != 0 && m_slots[at].hash != soon.hash)
    {
        at = (at + 1) & mask;
    }
    // The flow may end before: its place is free then, or another's.
    soon.flow = m_slots[at].flow;
    if (soon.flow != 0)
    {
        __builtin_prefetch(&m_alive[soon.flow - 1]);
    }
}

void
Recording::TakeEarliest()
{
    const auto place = m_waiting[m_waitingHead];
    m_waitingHead = (m_waitingHead + 1) % WAITING_PLACES;
    --m_waitingCount;
    m_room[place].seen = 0;
    TakeSegment(m_room[place]);
    m_free.push_back(place);
}

HashedEnds
Recording::Hash(const Endpoint& source, const Endpoint& destination) const
{
    return {KeyedHash(m_hashSeed, source), KeyedHash(m_hashSeed, destination)};
}

int
Recording::Begin(LiveFlow& live, const CapturedSegment& first)
{
    // A SYN/ACK is answered to the end that opened the connection.
    const int end = first.segment.IsSynAck() ? 1 : 0;
    live.ends[end] = first.source;
    live.ends[1 - end] = first.destination;
    live.flow =
        std::make_unique<Flow>(m_nextNumber++,
                               first.segment,
                               m_spool,
                               m_limits.isListing,
                               m_limits.isKeepingPlain);
    live.own = {};
    live.isAdmitted = false;
    return end;
}

Recording::Found
Recording::Find(const Waiting& waiting)
{
    const auto& captured = waiting.captured;
    const auto endOf = [this, &captured](uint32_t place) {
        const auto& live = m_alive[place];
        return live.flow ? live.EndOf(captured) : -1;
    };
    if (waiting.flow != 0 && waiting.flow <= m_alive.size())
    {
        const auto place = waiting.flow - 1;
        if (const int end = endOf(place); end >= 0)
        {
            return {place, end};
        }
    }
    const auto hash = waiting.hash;
    const auto mask = m_slots.size() - 1;
    for (auto at = hash & mask; m_slots[at].flow != 0; at = (at + 1) & mask)
    {
        if (m_slots[at].hash == hash)
        {
            const auto place = m_slots[at].flow - 1;
            if (const int end = endOf(place); end >= 0)
            {
                return {place, end};
            }
        }
    }
    if (m_alive.size() - m_freePlaces.size() >= m_limits.flows)
    {
        Displace();
    }
    if (m_freePlaces.empty())
    {
        m_freePlaces.push_back(static_cast<uint32_t>(m_alive.size()));
        m_alive.emplace_back();
    }
    const auto place = m_freePlaces.back();
    m_freePlaces.pop_back();
    const int end = Begin(m_alive[place], captured);
    // Room enough that most are found at once.
    if (4 * (m_alive.size() - m_freePlaces.size()) > m_slots.size())
    {
        m_slots.assign(2 * m_slots.size(), {});
        Rebuild();
    }
    else
    {
        Insert(hash, place);
    }
    return {place, end};
}

void
Recording::Insert(uint32_t hash, uint32_t place)
{
    const auto mask = m_slots.size() - 1;
    auto at = hash & mask;
    while (m_slots[at].flow != 0)
    {
        at = (at + 1) & mask;
    }
    m_slots[at] = {hash, place + 1};
}

/// Put all flows into a table that is empty.
void
Recording::Rebuild()
{
    for (uint32_t place = 0; place < m_alive.size(); ++place)
    {
        if (const auto& live = m_alive[place]; live.flow)
        {
            Insert(Hash(live.ends[0], live.ends[1]).OfFlow(), place);
        }
    }
}

void
Recording::TakeSegment(const Waiting& waiting)
{
    const auto& segment = waiting.captured.segment;
    if (--m_untilSweep <= 0)
    {
        Sweep(segment.timeNs);
    }
    const auto found = Find(waiting);
    auto& live = m_alive[found.place];
    if (MayGather(live, segment))
    {
        m_latestNs = segment.timeNs;
        Gather(found, waiting.captured);
        return;
    }
    m_latestNs = std::max(m_latestNs, segment.timeNs);
    m_gathered.Take(*live.flow, live.own);
    TakeAtOnce(live, waiting.captured, found.end);
}

void
Recording::TakeAtOnce(LiveFlow& live, const CapturedSegment& captured, int end)
{
    const auto& segment = captured.segment;
    if (live.flow->BeginsAnew(segment))
    {
        End(live, 0);
        end = Begin(live, captured);
    }
    auto& flow = *live.flow;
    const auto verdict = flow.Judge(segment);
    if (verdict != Verdict::Segment)
    {
        RefuseSegment(captured, verdict, flow.GetEnd());
        return;
    }
    const auto resentBefore = flow.GetResent(end);
    flow.Take(captured, end);
    if (flow.IsToAdmit())
    {
        Admit(live);
    }
    if (m_limits.isListing && !flow.IsPlain())
    {
        const auto resent = flow.GetResent(end) - resentBefore;
        m_listed.push_back(ListSegment(captured, flow.GetNumber(), end, resent));
    }
}

bool
Recording::MayGather(const LiveFlow& live, const Segment& segment) const
{
    // Not if it may be refused, begin another flow, admit its own, or is listed.
    const bool mayAdmit = !live.isAdmitted && segment.mptcp != MptcpOptions::None;
    return segment.timeNs >= m_latestNs && !(segment.flags & SYN) &&
           segment.mptcp != MptcpOptions::Other && !mayAdmit && !m_limits.isListing;
}

void
Recording::Gather(const Found& found, const CapturedSegment& captured)
{
    auto& live = m_alive[found.place];
    m_gathered.Add(*live.flow, live.own, captured, found.end);
    if (m_gathered.IsFull())
    {
        m_gathered.TakeAll();
    }
}

void
Recording::Admit(LiveFlow& live)
{
    const bool hasRoom = m_admitted < m_limits.subflows;
    live.flow->SetAdmission(hasRoom ? Flow::Admission::Kept : Flow::Admission::Beyond);
    live.isAdmitted = true;
    m_admitted += hasRoom;
}

void
Recording::End(LiveFlow& live, int64_t left)
{
    auto& flow = live.flow;
    const bool isKept = flow->GetAdmission() == Flow::Admission::Kept;
    if (flow->IsSubflow())
    {
        if (isKept)
        {
            Keep(live, left);
        }
        else
        {
            m_counts.beyondSegments += flow->GetSegments();
        }
    }
    else
    {
        m_admitted -= isKept;
        if (m_limits.isKeepingPlain && AdmitPlain(*flow))
        {
            Keep(live, left);
        }
        else
        {
            CountSegments(*flow);
        }
    }
    m_counts.silent += left == LEFT_SILENT;
    m_counts.displaced += left == LEFT_DISPLACED;
    flow.reset();
}

void
Recording::Keep(LiveFlow& live, int64_t left)
{
    m_flows.push_back(live.flow->Finish(live.ends, left));
    if (m_flows.size() >= FLOWS_IN_MEMORY)
    {
        WriteFlows();
    }
}

bool
Recording::AdmitPlain(Flow& flow)
{
    const bool isBulk = flow.GetPayload() >= BULK_BYTES;
    auto& kept = isBulk ? m_admitted : m_small;
    const auto most = isBulk ? m_limits.subflows : std::min(m_limits.subflows, MAX_SMALL_FLOWS);
    // Where the first segment is a SYN, the flow begins with it once more.
    if (kept >= most || flow.GetSegments() == 0)
    {
        return false;
    }
    ++kept;
    return true;
}

/// Count the segments of a flow that is no subflow.
void
Recording::CountSegments(const Flow& flow)
{
    const auto kind = flow.GetPlainKind();
    auto& segments = kind == PlainKind::NotAnswered ? m_counts.notAnsweredSegments
                     : kind == PlainKind::Cut       ? m_counts.cutSegments
                                                    : m_counts.plainSegments;
    segments += flow.GetSegments();
}

void
Recording::WriteFlows()
{
    m_spool.Append(m_flowsWritten, m_flows.data(), m_flows.size());
    m_flows.clear();
}

void
Recording::Sweep(int64_t nowNs)
{
    m_gathered.TakeAll();
    size_t ended = 0;
    for (uint32_t place = 0; place < m_alive.size(); ++place)
    {
        auto& live = m_alive[place];
        if (!live.flow)
        {
            continue;
        }
        const auto silentNs = nowNs - live.flow->GetEnd();
        const bool isOver = live.flow->IsOver();
        if (silentNs > (isOver ? m_limits.overNs : m_limits.idleNs))
        {
            End(live, isOver ? 0 : LEFT_SILENT);
            m_freePlaces.push_back(place);
            ++ended;
        }
    }
    if (ended > 0)
    {
        m_slots.assign(m_slots.size(), {});
        Rebuild();
    }
    m_untilSweep = std::max<int64_t>(SWEEP_SEGMENTS, static_cast<int64_t>(m_alive.size()));
}

void
Recording::Displace()
{
    m_gathered.TakeAll();
    std::vector<std::pair<int64_t, uint32_t>> alive;
    for (uint32_t place = 0; place < m_alive.size(); ++place)
    {
        if (m_alive[place].flow)
        {
            alive.emplace_back(m_alive[place].flow->GetEnd(), place);
        }
    }
    const auto count = std::max<size_t>(1, alive.size() / DISPLACED_SHARE);
    std::nth_element(alive.begin(), alive.begin() + static_cast<ptrdiff_t>(count - 1), alive.end());
    for (size_t i = 0; i < count; ++i)
    {
        End(m_alive[alive[i].second], LEFT_DISPLACED);
        m_freePlaces.push_back(alive[i].second);
    }
    m_slots.assign(m_slots.size(), {});
    Rebuild();
}

} // namespace packets
