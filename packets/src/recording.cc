// SPDX-License-Identifier: MIT

#include "recording.h"

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
constexpr int64_t LEFT_SILENT = 1;
constexpr int64_t LEFT_DISPLACED = 2;
// Of the flows alive, the share that gives way when there are too many.
constexpr size_t DISPLACED_SHARE = 8;

uint64_t
Mixed(uint64_t value)
{
    value ^= value >> 32;
    value *= 0x9e3779b97f4a7c15U;
    return value ^ value >> 29;
}

uint64_t
Number(const Endpoint& end)
{
    return Mixed(end.high + 0x2545f4914f6cdd1dU * end.low) + end.port;
}

} // namespace

Recording::Recording(int fd, Limits limits)
    : m_reader(*this),
      m_spool(fd, limits.partRows),
      m_limits(limits),
      m_room(OUT_OF_ORDER_SEGMENTS + 1),
      m_slots(FIRST_SLOTS),
      m_untilSweep(SWEEP_SEGMENTS)
{
    std::random_device random;
    m_hashSeed = uint64_t{random()} << 32 | random();
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
    for (auto& flow : m_alive)
    {
        if (flow)
        {
            End(flow, 0);
        }
    }
    m_alive.clear();
    m_slots.clear();
    WriteRefusals();
    m_spool.Flush();
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
    ++m_records;
    ++m_verdicts[static_cast<size_t>(refusal.verdict)];
    m_refusals.push_back(refusal);
    if (m_refusals.size() >= REFUSALS_IN_MEMORY)
    {
        WriteRefusals();
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
                         m_room[m_waiting[(m_waitingHead + i) % WAITING_PLACES]].segment.offset);
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
Recording::RefuseSegment(const Segment& segment, Verdict verdict, int64_t beforeNs)
{
    // It was counted when it came.
    --m_records;
    Refusal refusal{segment.offset, segment.timeNs, beforeNs, verdict, segment.rawBytes, {}};
    std::copy_n(segment.raw, segment.rawBytes, refusal.raw);
    Refuse(refusal);
}

void
Recording::Take(const Frame& frame)
{
    const auto place = m_free.back();
    auto& waiting = m_room[place];
    const auto unusable = ReadSegment(frame, waiting.segment);
    auto verdict = unusable.verdict;
    if (verdict == Verdict::Segment && (frame.timeNs < 0 || frame.timeNs > MAX_TIME_NS))
    {
        verdict = frame.timeNs < 0 ? Verdict::BeforeTime : Verdict::BeyondTime;
    }
    if (verdict > Verdict::Fragment)
    {
        Refusal refusal{frame.offset, unusable.first, unusable.second, verdict, 0, {}};
        refusal.rawBytes = static_cast<uint8_t>(std::min(frame.capturedBytes, RAW_BYTES));
        std::copy_n(frame.data, refusal.rawBytes, refusal.raw);
        Refuse(refusal);
        return;
    }
    ++m_records;
    ++m_verdicts[static_cast<size_t>(verdict)];
    if (verdict != Verdict::Segment)
    {
        return;
    }
    waiting.hash = Hash(waiting.segment.source, waiting.segment.destination);
    waiting.flow = 0;
    __builtin_prefetch(&m_slots[waiting.hash & (m_slots.size() - 1)]);
    m_free.pop_back();
    // From the back, past those that are later: mostly none.
    auto at = m_waitingCount++;
    for (; at > 0; --at)
    {
        const auto before = m_waiting[(m_waitingHead + at - 1) % WAITING_PLACES];
        if (m_room[before].segment.timeNs <= waiting.segment.timeNs)
        {
            break;
        }
        m_waiting[(m_waitingHead + at) % WAITING_PLACES] = before;
    }
    m_waiting[(m_waitingHead + at) % WAITING_PLACES] = place;
    Prefetch();
    if (m_waitingCount > OUT_OF_ORDER_SEGMENTS)
    {
        TakeEarliest();
    }
}

void
Recording::Prefetch()
{
    // As many segments as pass while a line of memory comes; more would drive out of the cache what
    // waits there.
    constexpr size_t step = 6;
    constexpr size_t start = OUT_OF_ORDER_SEGMENTS - 3 * step;
    if (m_waitingCount < OUT_OF_ORDER_SEGMENTS)
    {
        return;
    }
    auto& first = Behind(start);
    const auto mask = m_slots.size() - 1;
    auto at = first.hash & mask;
    while (m_slots[at].flow != 0 && m_slots[at].hash != first.hash)
    {
        at = (at + 1) & mask;
    }
    first.flow = m_slots[at].flow;
    // A flow may have ended since: its place is free, or another's.
    if (const auto* flow = FlowOf(first))
    {
        flow->Prefetch();
    }
    if (const auto* flow = FlowOf(Behind(start + step)))
    {
        flow->PrefetchSenders();
    }
    const auto& next = Behind(start + 2 * step);
    if (const auto* flow = FlowOf(next))
    {
        flow->PrefetchRows(next.segment);
    }
}

const Flow*
Recording::FlowOf(const Waiting& waiting) const
{
    return waiting.flow == 0 || waiting.flow > m_alive.size() ? nullptr
                                                              : m_alive[waiting.flow - 1].get();
}

void
Recording::TakeEarliest()
{
    const auto place = m_waiting[m_waitingHead];
    m_waitingHead = (m_waitingHead + 1) % WAITING_PLACES;
    --m_waitingCount;
    TakeSegment(m_room[place]);
    m_free.push_back(place);
}

uint32_t
Recording::Hash(const Endpoint& one, const Endpoint& other) const
{
    // The same for both directions.
    const auto both = Number(one) + Number(other);
    return static_cast<uint32_t>(Mixed(both ^ m_hashSeed) >> 16);
}

std::unique_ptr<Flow>&
Recording::Find(const Waiting& waiting)
{
    const auto& segment = waiting.segment;
    const auto* expected = FlowOf(waiting);
    if (expected && expected->IsBetween(segment))
    {
        return m_alive[waiting.flow - 1];
    }
    const auto hash = waiting.hash;
    const auto mask = m_slots.size() - 1;
    for (auto at = hash & mask; m_slots[at].flow != 0; at = (at + 1) & mask)
    {
        auto& flow = m_alive[m_slots[at].flow - 1];
        if (m_slots[at].hash == hash && flow->IsBetween(segment))
        {
            return flow;
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
    m_alive[place] = std::make_unique<Flow>(m_nextNumber++, segment, m_spool);
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
    return m_alive[place];
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
        if (const auto* flow = m_alive[place].get())
        {
            Insert(Hash(flow->GetEndpoint(0), flow->GetEndpoint(1)), place);
        }
    }
}

void
Recording::TakeSegment(const Waiting& waiting)
{
    const auto& segment = waiting.segment;
    if (--m_untilSweep <= 0)
    {
        Sweep(segment.timeNs);
    }
    auto& flow = Find(waiting);
    if (flow->BeginsAnew(segment))
    {
        End(flow, 0);
        flow = std::make_unique<Flow>(m_nextNumber++, segment, m_spool);
    }
    const auto beforeNs = flow->GetEnd();
    const auto end = flow->EndOf(segment);
    const auto resentBefore = flow->GetResent(end);
    const auto verdict = flow->Take(segment);
    if (flow->IsToAdmit())
    {
        Admit(*flow);
    }
    if (verdict != Verdict::Segment)
    {
        --m_verdicts[static_cast<size_t>(Verdict::Segment)];
        RefuseSegment(segment, verdict, beforeNs);
    }
    else if (m_limits.isListing && !flow->IsPlain())
    {
        const auto resent = flow->GetResent(end) - resentBefore;
        m_listed.push_back(ListSegment(segment, flow->GetNumber(), end, resent));
    }
}

void
Recording::Admit(Flow& flow)
{
    const bool hasRoom = m_admitted < m_limits.subflows;
    flow.SetAdmission(hasRoom ? Flow::Admission::Kept : Flow::Admission::Beyond);
    m_admitted += hasRoom;
}

void
Recording::End(std::unique_ptr<Flow>& flow, int64_t left)
{
    const bool isKept = flow->GetAdmission() == Flow::Admission::Kept;
    if (flow->IsSubflow() && isKept)
    {
        m_flows.push_back(flow->Finish(left));
    }
    else if (flow->IsSubflow())
    {
        m_counts.beyondSegments += flow->GetSegments();
    }
    else
    {
        m_admitted -= isKept;
        (flow->IsOffered() ? m_counts.notAnsweredSegments : m_counts.plainSegments) +=
            flow->GetSegments();
    }
    m_counts.silent += left == LEFT_SILENT;
    m_counts.displaced += left == LEFT_DISPLACED;
    flow.reset();
}

void
Recording::Sweep(int64_t nowNs)
{
    size_t ended = 0;
    for (uint32_t place = 0; place < m_alive.size(); ++place)
    {
        auto& flow = m_alive[place];
        if (!flow)
        {
            continue;
        }
        const auto silentNs = nowNs - flow->GetEnd();
        if (silentNs > (flow->IsOver() ? m_limits.overNs : m_limits.idleNs))
        {
            End(flow, flow->IsOver() ? 0 : LEFT_SILENT);
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
    std::vector<std::pair<int64_t, uint32_t>> alive;
    for (uint32_t place = 0; place < m_alive.size(); ++place)
    {
        if (m_alive[place])
        {
            alive.emplace_back(m_alive[place]->GetEnd(), place);
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
