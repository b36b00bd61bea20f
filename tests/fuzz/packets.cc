// SPDX-License-Identifier: MIT
//
// The parser of captures on any bytes. What it promises is looked after on the way; a promise that
// does not hold ends the program.

#include "grouping.h"
#include "holds.h"
#include "recording.h"
#include "way-back.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace packets;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr size_t ENDS = 2;
/// Of every so many inputs, by their size, one is read with room for few flows.
constexpr size_t FEW_FLOWS_EVERY = 4;

/// Everything that is read of one end of a subflow.
struct End
{
    std::vector<AckRow> rows;
    std::vector<StateRow> states;
    std::vector<LossRow> losses;
};

/// Everything that is read of a capture.
struct Capture
{
    Unreadable unreadable;
    int64_t records;
    std::array<int64_t, static_cast<size_t>(Verdict::COUNT)> verdicts;
    std::vector<FlowSummary> flows;
    std::vector<End> ends; //!< Two of each flow
    std::vector<ListedSegment> listed;
    std::vector<Refusal> refusals;
};

int
SpoolFile()
{
    static const int fd = memfd_create("spool", 0);
    HOLDS(fd >= 0 && ftruncate(fd, 0) == 0);
    return fd;
}

template <class Row>
void
CheckTimes(const std::vector<Row>& rows, const FlowSummary& flow)
{
    auto before = flow.startNs;
    for (const auto& row : rows)
    {
        HOLDS(row.timeNs >= before && row.timeNs <= flow.endNs);
        before = row.timeNs;
    }
}

std::vector<AckRow>
ReadRows(const Spool::Place& place, const SenderSummary& sender, uint32_t partRows)
{
    std::vector<AckRow> rows;
    for (const auto& part : Spool::Read<AckPart>(place, {sender.partsLast, sender.parts}))
    {
        HOLDS(part.rows > 0 && part.rows <= partRows);
        HOLDS(part.bytes <= part.rows * AckRows::MAX_ROW_BYTES);
        AckRows::Reader reader(place, {part.last, part.bytes});
        for (int64_t row = 0; row < part.rows; ++row)
        {
            rows.push_back(reader.Next());
        }
        HOLDS(reader.IsAtEnd());
    }
    HOLDS(static_cast<int64_t>(rows.size()) == sender.rows);
    return rows;
}

void
CheckRows(const std::vector<AckRow>& rows)
{
    int64_t ackedBytes = 0;
    WayBackFit fit;
    for (const auto& row : rows)
    {
        HOLDS(row.ackedBytes >= ackedBytes && row.newlySackedBytes >= 0);
        HOLDS(row.rttUs == NOT_OBSERVED || row.rttUs > 0);
        HOLDS(row.tsval == NOT_OBSERVED || (row.rttUs != NOT_OBSERVED && !row.isDup));
        ackedBytes = row.ackedBytes;
        if (row.tsval != NOT_OBSERVED)
        {
            fit.Take(row.timeNs, static_cast<uint32_t>(row.tsval));
        }
    }
    const auto wayBack = fit.Get();
    for (const auto& row : rows)
    {
        if (row.tsval != NOT_OBSERVED)
        {
            const auto tsval = static_cast<uint32_t>(row.tsval);
            const auto delayUs = wayBack.GetDelay(row.timeNs, row.rttUs, tsval);
            HOLDS(delayUs == NOT_OBSERVED || (delayUs >= 0 && delayUs <= INT32_MAX));
        }
    }
}

End
ReadEnd(const Spool::Place& place, const FlowSummary& flow, size_t end, uint32_t partRows)
{
    const auto& sender = flow.senders[end];
    End found{ReadRows(place, sender, partRows),
              Spool::Read<StateRow>(place, {sender.statesLast, sender.states}),
              Spool::Read<LossRow>(place, {sender.lossesLast, sender.losses})};
    CheckTimes(found.rows, flow);
    CheckTimes(found.states, flow);
    CheckTimes(found.losses, flow);
    CheckRows(found.rows);
    for (const auto& row : found.states)
    {
        HOLDS(row.state <= CaState::Loss);
    }
    for (const auto& row : found.losses)
    {
        HOLDS(row.packets > 0 && row.kind <= LossKind::Tlp);
    }
    HOLDS(sender.payloadBytes >= 0 && sender.resentSegments >= 0 && sender.shortestNs >= -1);
    return found;
}

std::vector<Refusal>
ReadRefusals(const Spool::Place& place, const Recording& recording, size_t size)
{
    std::vector<Refusal> found;
    for (const auto& chunk : Spool::Chunks(place, recording.GetRefusals().last))
    {
        const auto own = Spool::ReadChunk<Refusal>(place, chunk);
        found.insert(found.end(), own.begin(), own.end());
    }
    uint64_t offset = 0;
    for (const auto& one : found)
    {
        HOLDS(one.verdict > LAST_UNUSED && one.verdict < Verdict::COUNT);
        HOLDS(one.offset >= offset && one.offset <= size && one.rawBytes <= RAW_BYTES);
        offset = one.offset;
    }
    return found;
}

/// Each record that comes in is a segment of a subflow, good and of no subflow, or refused.
void
CheckCounts(const Recording& recording, const Capture& found)
{
    const auto& verdicts = found.verdicts;
    const auto firstRefused = verdicts.begin() + static_cast<size_t>(LAST_UNUSED) + 1;
    const auto refused = std::accumulate(firstRefused, verdicts.end(), int64_t{0});
    HOLDS(std::all_of(verdicts.begin(), verdicts.end(), [](int64_t count) { return count >= 0; }));
    HOLDS(std::accumulate(verdicts.begin(), firstRefused, refused) == found.records);
    HOLDS(static_cast<int64_t>(found.refusals.size()) == refused);
    const auto& counts = recording.GetCounts();
    auto segments = counts.plainSegments + counts.notAnsweredSegments + counts.cutSegments +
                    counts.beyondSegments;
    int64_t number = -1;
    for (const auto& flow : found.flows)
    {
        HOLDS(flow.number > number && flow.segments > 0 && flow.startNs >= 0);
        HOLDS(flow.startNs <= flow.endNs && flow.endNs <= MAX_TIME_NS);
        number = flow.number;
        segments += flow.segments;
    }
    HOLDS(segments == verdicts[static_cast<size_t>(Verdict::Segment)]);
    HOLDS(found.unreadable == Unreadable::No || found.records == 0);
}

/**
 * The segments of a subflow are listed in order of time. All are, unless it was taken for TCP
 * without MPTCP before; so those that were sent again are.
 */
void
CheckListed(const Capture& found, bool isListing)
{
    HOLDS(isListing || found.listed.empty());
    auto listed = found.listed;
    const auto isBefore = [](const ListedSegment& one, const ListedSegment& other) {
        return one.flow < other.flow;
    };
    std::stable_sort(listed.begin(), listed.end(), isBefore);
    for (const auto& flow : found.flows)
    {
        int64_t segments = 0;
        int64_t resent[ENDS] = {0, 0};
        auto before = flow.startNs;
        ListedSegment first{};
        first.flow = flow.number;
        const auto [begin, end] = std::equal_range(listed.begin(), listed.end(), first, isBefore);
        for (const auto& one : std::vector<ListedSegment>(begin, end))
        {
            HOLDS(one.timeNs >= before && one.timeNs <= flow.endNs && one.end < ENDS);
            HOLDS(one.dataBytes >= -1 && one.dataBytes <= UINT16_MAX);
            before = one.timeNs;
            resent[one.end] += one.resent;
            ++segments;
        }
        HOLDS(segments <= flow.segments);
        HOLDS(!isListing || resent[0] == flow.senders[0].resentSegments);
        HOLDS(!isListing || resent[1] == flow.senders[1].resentSegments);
    }
}

/// Read a capture that comes in pieces of so many bytes; check what is promised of it.
Capture
Read(const uint8_t* bytes, size_t size, size_t pieceBytes, const Limits& limits)
{
    const Spool::Place place{SpoolFile(), 0};
    Recording recording(place.fd, limits);
    std::vector<ListedSegment> listed;
    const auto takeListed = [&recording, &listed] {
        const auto more = recording.TakeListed();
        listed.insert(listed.end(), more.begin(), more.end());
    };
    for (size_t at = 0; at < size;)
    {
        // In memory of its own: nothing beyond it may be read.
        const Bytes piece(bytes + at, bytes + std::min(size, at + pieceBytes));
        at += piece.size();
        if (!recording.Feed(piece.data(), piece.size()))
        {
            break;
        }
        takeListed();
    }
    recording.Finish();
    takeListed();
    Capture found{recording.GetUnreadable(),
                  recording.GetRecords(),
                  recording.GetVerdicts(),
                  recording.GetFlows(),
                  {},
                  std::move(listed),
                  ReadRefusals(place, recording, size)};
    CheckCounts(recording, found);
    CheckListed(found, limits.isListing);
    for (const auto& flow : found.flows)
    {
        for (size_t end = 0; end < ENDS; ++end)
        {
            found.ends.push_back(ReadEnd(place, flow, end, limits.partRows));
        }
    }
    return found;
}

bool
IsSame(const AckRow& one, const AckRow& other)
{
    return one.timeNs == other.timeNs && one.ackedBytes == other.ackedBytes &&
           one.rttUs == other.rttUs && one.dataAck == other.dataAck &&
           one.newlySackedBytes == other.newlySackedBytes && one.tsval == other.tsval &&
           one.isAck == other.isAck && one.isDup == other.isDup && one.ece == other.ece;
}

bool
IsSame(const StateRow& one, const StateRow& other)
{
    return one.timeNs == other.timeNs && one.state == other.state;
}

bool
IsSame(const LossRow& one, const LossRow& other)
{
    return one.timeNs == other.timeNs && one.packets == other.packets && one.kind == other.kind;
}

bool
IsSame(const Refusal& one, const Refusal& other)
{
    return one.offset == other.offset && one.first == other.first && one.second == other.second &&
           one.verdict == other.verdict && one.rawBytes == other.rawBytes &&
           std::memcmp(one.raw, other.raw, one.rawBytes) == 0;
}

bool
IsSame(FlowSummary one, FlowSummary other)
{
    // Where rows lie depends on how many go into one part.
    for (auto* flow : {&one, &other})
    {
        for (auto& sender : flow->senders)
        {
            sender.partsLast = sender.parts = sender.statesLast = sender.lossesLast = 0;
        }
    }
    static_assert(std::has_unique_object_representations_v<FlowSummary>);
    return std::memcmp(&one, &other, sizeof one) == 0;
}

template <class Row>
bool
IsSame(const std::vector<Row>& one, const std::vector<Row>& other)
{
    return std::equal(
        one.begin(),
        one.end(),
        other.begin(),
        other.end(),
        [](const Row& first, const Row& second) { return IsSame(first, second); });
}

bool
IsSame(const End& one, const End& other)
{
    return IsSame(one.rows, other.rows) && IsSame(one.states, other.states) &&
           IsSame(one.losses, other.losses);
}

bool
IsSame(const Capture& one, const Capture& other)
{
    return one.unreadable == other.unreadable && one.records == other.records &&
           one.verdicts == other.verdicts && IsSame(one.flows, other.flows) &&
           IsSame(one.ends, other.ends) && IsSame(one.refusals, other.refusals);
}

/// Tokens that are those of the keys, as far as a join can find them: their first bytes.
std::vector<FlowTokens>
TokensOf(const std::vector<FlowSummary>& flows)
{
    std::vector<FlowTokens> tokens;
    for (const auto& flow : flows)
    {
        auto& own = tokens.emplace_back(FlowTokens{{-1, -1}, {}});
        for (size_t end = 0; end < ENDS; ++end)
        {
            if (flow.hasKey[end])
            {
                own.token[end] = Read32(flow.key[end].data());
            }
        }
    }
    return tokens;
}

/// Each flow of some captures counts in one connection, or another record of its subflow does.
void
CheckGroups(const std::vector<std::vector<FlowSummary>>& captures, size_t mostSubflows)
{
    std::vector<std::vector<FlowTokens>> tokens;
    Grouping grouping(mostSubflows);
    for (const auto& flows : captures)
    {
        tokens.push_back(TokensOf(flows));
    }
    for (size_t i = 0; i < captures.size(); ++i)
    {
        grouping.Add(captures[i].data(), tokens[i].data(), captures[i].size());
    }
    const auto found = grouping.Finish();
    HOLDS(found.counts.size() == captures.size());
    size_t flowCount = 0;
    for (size_t i = 0; i < captures.size(); ++i)
    {
        const auto& counts = found.counts[i];
        const auto isPositive = counts.segments >= 0 && counts.elsewhere >= 0 && counts.beyond >= 0;
        HOLDS(isPositive && counts.implausible >= 0 && counts.forgotten >= 0);
        auto segments = counts.segments + counts.elsewhere + counts.beyond;
        for (const auto& flow : captures[i])
        {
            segments -= flow.segments;
        }
        HOLDS(segments == 0);
        flowCount += captures[i].size();
    }
    HOLDS(found.flows.size() == flowCount);
    int64_t capture = 0;
    int64_t members = 0;
    std::set<int64_t> places;
    std::set<std::pair<int32_t, int32_t>> counted;
    auto link = found.links.begin();
    for (size_t number = 0; number < found.connections.size(); ++number)
    {
        const auto& one = found.connections[number];
        HOLDS(one.capture >= capture && one.firstMember == members && one.members > 0);
        HOLDS(static_cast<size_t>(one.members) <= mostSubflows);
        HOLDS(one.sender >= 0 && one.sender < static_cast<int64_t>(ENDS));
        HOLDS(places.insert(one.place).second);
        capture = one.capture;
        std::set<int32_t> linked;
        for (; members < one.firstMember + one.members; ++members)
        {
            const auto& member = found.members[static_cast<size_t>(members)];
            const auto& flows = captures[static_cast<size_t>(member.capture)];
            HOLDS(static_cast<size_t>(member.flow) < flows.size());
            HOLDS(static_cast<size_t>(member.end) < ENDS && member.address[0] >= 0);
            HOLDS(counted.insert({member.capture, member.flow}).second);
            linked.insert(member.capture);
        }
        for (const auto in : linked)
        {
            HOLDS(link != found.links.end() && link->capture == in);
            HOLDS(link->connection == static_cast<int64_t>(number));
            ++link;
        }
    }
    HOLDS(static_cast<size_t>(members) == found.members.size() && link == found.links.end());
    HOLDS(places.empty() || *places.rbegin() + 1 == static_cast<int64_t>(places.size()));
}

/// Tell by its first bytes whether an input is a capture, as traces/formats/capture.py does.
bool
IsCapture(const uint8_t* bytes, size_t size)
{
    constexpr uint32_t MAGICS[] = {0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1,
                                   0xa1b2cd34, 0x34cdb2a1, 0x0a0d0d0a};
    return size >= sizeof *MAGICS &&
           std::find(std::begin(MAGICS), std::end(MAGICS), Read32(bytes)) != std::end(MAGICS);
}

} // namespace

extern "C"
{

/// Called with bytes of their exact number; 0 if the input is no capture, else 1.
int
TryPackets(const uint8_t* bytes, size_t size)
{
    const auto whole = Read(bytes, size, std::max<size_t>(1, size), Limits{.isListing = true});
    // What is read depends on neither how the bytes come nor how many rows are read at once.
    const auto partRows = static_cast<uint32_t>(1 + size % 5);
    const auto pieces = Read(bytes, size, 1 + size % 97, Limits{.partRows = partRows});
    HOLDS(IsSame(whole, pieces));
    // What a second capture has a part of, or all of once more.
    const auto& flows = whole.flows;
    const auto shared = static_cast<ptrdiff_t>(size % (flows.size() + 1));
    const auto most = 1 + size % 3;
    CheckGroups({flows, {flows.begin() + shared, flows.end()}}, most);
    CheckGroups({{flows.begin(), flows.end() - shared}, flows, {}}, Limits{}.subflows);
    // With all flows kept, subflows are as they were.
    const auto all = Read(bytes, size, size + 1, Limits{.isKeepingPlain = true});
    CheckGroups({all.flows}, Limits{}.subflows);
    const auto isSubflow = [](const FlowSummary& flow) {
        return flow.plain == static_cast<uint16_t>(PlainKind::None);
    };
    const auto subflows = std::count_if(all.flows.begin(), all.flows.end(), isSubflow);
    HOLDS(subflows == static_cast<ptrdiff_t>(flows.size()));
    if (size % FEW_FLOWS_EVERY == 0)
    {
        const auto few = 1 + size / FEW_FLOWS_EVERY % 3;
        Read(bytes, size, size + 1, Limits{.flows = few});
        HOLDS(Read(bytes, size, size + 1, Limits{.subflows = few}).flows.size() <= few);
    }
    return IsCapture(bytes, size);
}

#ifdef TRY

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    return TRY(bytes, size) ? 0 : -1;
}

#endif

} // extern "C"

#ifdef TRY

namespace
{

constexpr size_t HEADER_BYTES = 24;
constexpr size_t RECORD_BYTES = 16;
constexpr size_t BLOCK_BYTES = 12;
/// What stands before the packet in a block.
constexpr size_t PACKET_BLOCK_BYTES = 28;

/// A capture as its header and records, or as its blocks, of which the last may be broken.
class Pieces
{
  public:
    Pieces(const uint8_t* bytes, size_t size)
        : m_isBlocks(Read32(bytes) == 0x0a0d0d0a)
    {
        const auto first = Read32(bytes);
        m_isSwapped = m_isBlocks ? size >= BLOCK_BYTES && Read32(bytes + 8) == 0x1a2b3c4d
                                 : first == 0xa1b2c3d4 || first == 0xa1b23c4d;
        auto at = m_isBlocks ? 0 : std::min(size, HEADER_BYTES);
        m_pieces.emplace_back(bytes, bytes + at);
        while (at < size)
        {
            const auto field = at + (m_isBlocks ? 4 : 8);
            size_t length = size;
            if (field + 4 <= size)
            {
                const auto said = size_t{Get(bytes + field)};
                length = m_isBlocks ? std::max(said, BLOCK_BYTES) : RECORD_BYTES + said;
            }
            const auto end = at + std::min(length, size - at);
            m_pieces.emplace_back(bytes + at, bytes + end);
            at = end;
        }
    }

    size_t GetCount() const
    {
        return m_pieces.size();
    }

    /// Lose, repeat or move a record, or change bytes inside it, its length then set right.
    void Change(std::mt19937& random)
    {
        const auto at = 1 + random() % (m_pieces.size() - 1);
        const auto to = 1 + static_cast<ptrdiff_t>(random() % (m_pieces.size() - 1));
        const auto place = m_pieces.begin() + static_cast<ptrdiff_t>(at);
        switch (random() % 6)
        {
        case 0:
            if (m_pieces.size() > 2)
            {
                m_pieces.erase(place);
            }
            break;
        case 1:
            m_pieces.insert(m_pieces.begin() + to, Bytes(*place));
            break;
        case 2:
            std::swap(m_pieces[at], m_pieces[static_cast<size_t>(to)]);
            break;
        case 3:
            // Its time and lengths too.
            ChangeInside(*place, m_isBlocks ? BLOCK_BYTES - 4 : 0);
            break;
        default:
            ChangeInside(*place, m_isBlocks ? PACKET_BLOCK_BYTES : RECORD_BYTES);
        }
    }

    Bytes Join() const
    {
        Bytes joined;
        for (const auto& piece : m_pieces)
        {
            joined.insert(joined.end(), piece.begin(), piece.end());
        }
        return joined;
    }

  private:
    uint32_t Get(const uint8_t* at) const
    {
        const auto value = Read32(at);
        return m_isSwapped ? value : __builtin_bswap32(value);
    }

    void Set(uint8_t* at, size_t number) const
    {
        const auto value = static_cast<uint32_t>(number);
        const auto stored = m_isSwapped ? __builtin_bswap32(value) : value;
        std::memcpy(at, &stored, sizeof stored);
    }

    void ChangeInside(Bytes& piece, size_t head) const
    {
        if (piece.size() < head || piece.size() < RECORD_BYTES)
        {
            return;
        }
        auto inner = piece.size() - head;
        piece.resize(head + inner + RECORD_BYTES);
        inner = LLVMFuzzerMutate(piece.data() + head, inner, inner + RECORD_BYTES);
        piece.resize(std::max(RECORD_BYTES, head + inner));
        if (m_isBlocks)
        {
            piece.resize((piece.size() + 3) / 4 * 4);
            Set(piece.data() + 4, piece.size());
            Set(piece.data() + piece.size() - 4, piece.size());
        }
        else
        {
            Set(piece.data() + 8, piece.size() - RECORD_BYTES);
        }
    }

    bool m_isBlocks;
    bool m_isSwapped;
    std::vector<Bytes> m_pieces;
};

} // namespace

/// Half the time changes any bytes, else packets, as tests/fuzz/mutations.py does.
size_t
LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned int seed)
{
    std::mt19937 random(seed);
    if (random() % 2 == 0 || !IsCapture(data, size))
    {
        return LLVMFuzzerMutate(data, size, maxSize);
    }
    Pieces pieces(data, size);
    for (auto left = 1 + random() % 3; left > 0 && pieces.GetCount() > 1; --left)
    {
        pieces.Change(random);
    }
    const auto joined = pieces.Join();
    const auto kept = std::min(joined.size(), maxSize);
    std::copy_n(joined.begin(), kept, data);
    return kept;
}

#endif
