// SPDX-License-Identifier: MIT

#include "scoreboard.h"

#include "bounds.h"

#include <algorithm>

namespace packets
{

namespace
{

// Acknowledged pieces are dropped in batches: dropping each would move all that follow.
constexpr size_t MIN_DROPPED = 16;

// Room for what a call looks at: one for all flows, of which there may be many.
thread_local std::vector<Piece> roomForPieces;
thread_local std::vector<Range> roomForRanges;

} // namespace

void
Scoreboard::Begin(int64_t seq)
{
    m_pieces.clear();
    m_holes.reset();
    m_head = 0;
    m_una = m_next = seq;
    m_sackedBytes = m_resentBytes = 0;
    m_hasBegun = true;
}

Scoreboard::Holes&
Scoreboard::GetHoles()
{
    if (!m_holes)
    {
        m_holes = std::make_unique<Holes>();
    }
    return *m_holes;
}

size_t
Scoreboard::FirstAt(int64_t seq, size_t from) const
{
    const auto found =
        std::lower_bound(m_pieces.begin() + static_cast<ptrdiff_t>(from),
                         m_pieces.end(),
                         seq,
                         [](const Piece& one, int64_t sought) { return one.seq < sought; });
    return static_cast<size_t>(found - m_pieces.begin());
}

Sending
Scoreboard::Send(Range range, int64_t timeNs, int64_t& sinceNs)
{
    sinceNs = timeNs;
    if (range.low >= m_next)
    {
        if (range.low > m_next)
        {
            GetHoles().gaps.push_back({m_next, range.low, timeNs});
        }
        m_pieces.push_back({range.low, range.high, timeNs, 0U, false});
        m_next = range.high;
        return Sending::New;
    }
    if (range.high <= m_una)
    {
        return Sending::AcknowledgedBefore;
    }
    const auto low = std::max(range.low, m_una);
    const auto high = std::min(range.high, m_next);
    const auto known = Pieces(low, high);
    auto& pieces = roomForPieces;
    pieces.clear();
    auto at = low;
    for (auto i = known.first; i < known.second; ++i)
    {
        auto& one = m_pieces[i];
        if (at < one.seq)
        {
            pieces.push_back({at, one.seq, timeNs, 1, false});
        }
        if (one.copies == 0 && !one.sacked)
        {
            m_resentBytes += one.end - one.seq;
        }
        ++one.copies;
        one.sentNs = timeNs;
        pieces.push_back(one);
        at = one.end;
    }
    if (at < high)
    {
        pieces.push_back({at, high, timeNs, 1, false});
    }
    const bool hasFilled = pieces.size() > known.second - known.first;
    if (hasFilled)
    {
        Fill(known, pieces);
    }
    if (range.high > m_next)
    {
        // Sent again together with what follows.
        m_pieces.push_back({m_next, range.high, timeNs, 0U, false});
        m_next = range.high;
    }
    if (!hasFilled || known.first < known.second)
    {
        return Sending::Again;
    }
    const auto& gaps = GetHoles().gaps;
    const auto gap =
        std::upper_bound(gaps.begin(), gaps.end(), low, [](int64_t sought, const Gap& one) {
            return sought < one.high;
        });
    sinceNs = gap == gaps.end() ? timeNs : gap->sinceNs;
    return Sending::FillsGap;
}

void
Scoreboard::Fill(Slice known, const std::vector<Piece>& pieces)
{
    int64_t more = 0;
    for (const auto& one : pieces)
    {
        more += one.end - one.seq;
    }
    for (auto i = known.first; i < known.second; ++i)
    {
        more -= m_pieces[i].end - m_pieces[i].seq;
    }
    m_resentBytes += more;
    const auto begin = m_pieces.begin() + static_cast<ptrdiff_t>(known.first);
    const auto count = static_cast<ptrdiff_t>(known.second - known.first);
    std::copy_n(pieces.begin(), count, begin);
    m_pieces.insert(begin + count, pieces.begin() + count, pieces.end());
    const auto low = pieces.front().seq;
    const auto high = pieces.back().end;
    // It was SACKed before it was seen.
    const auto& runs = GetHoles().runs;
    auto run =
        std::upper_bound(runs.begin(), runs.end(), low, [](int64_t sought, const Range& one) {
            return sought < one.high;
        });
    Covered ignored;
    for (; run != runs.end() && run->low < high; ++run)
    {
        Mark(std::max(low, run->low), std::min(high, run->high), ignored);
    }
}

void
Scoreboard::TakeAsFirst(int64_t seq)
{
    const auto at = FirstAt(seq, m_head);
    if (at < m_pieces.size())
    {
        auto& one = m_pieces[at];
        if (one.copies && !one.sacked)
        {
            m_resentBytes -= one.end - one.seq;
        }
        one.copies = 0;
    }
}

void
Scoreboard::Cut(int64_t edge)
{
    const auto after =
        std::upper_bound(m_pieces.begin() + static_cast<ptrdiff_t>(m_head),
                         m_pieces.end(),
                         edge,
                         [](int64_t sought, const Piece& one) { return sought < one.seq; });
    if (after == m_pieces.begin() + static_cast<ptrdiff_t>(m_head))
    {
        return;
    }
    auto& one = *(after - 1);
    if (one.seq < edge && edge < one.end)
    {
        auto second = one;
        second.seq = edge;
        one.end = edge;
        m_pieces.insert(after, second);
    }
}

Scoreboard::Slice
Scoreboard::Pieces(int64_t low, int64_t high)
{
    Cut(low);
    Cut(high);
    const auto first = FirstAt(low, m_head);
    return {first, FirstAt(high, first)};
}

void
Scoreboard::Sack(Range* blocks, size_t count, Covered& found)
{
    std::sort(blocks, blocks + count, [](const Range& one, const Range& other) {
        return std::pair(one.low, one.high) < std::pair(other.low, other.high);
    });
    for (size_t i = 0; i < count; ++i)
    {
        News(std::max(blocks[i].low, m_una), std::min(blocks[i].high, m_next), found);
    }
}

/// Mark the parts of [low, high) that were not SACKed before, and remember that they are.
void
Scoreboard::News(int64_t low, int64_t high, Covered& found)
{
    if (low >= high)
    {
        return;
    }
    auto& runs = GetHoles().runs;
    const auto first =
        std::lower_bound(runs.begin(), runs.end(), low, [](const Range& one, int64_t sought) {
            return one.high < sought;
        });
    const auto last =
        std::upper_bound(first, runs.end(), high, [](int64_t sought, const Range& one) {
            return sought < one.low;
        });
    if (first == last && runs.size() >= MAX_PIECES)
    {
        return;
    }
    auto& parts = roomForRanges;
    parts.clear();
    auto at = low;
    for (auto run = first; run != last; ++run)
    {
        if (at < run->low)
        {
            parts.push_back({at, run->low});
        }
        at = std::max(at, run->high);
    }
    if (at < high)
    {
        parts.push_back({at, high});
    }
    if (first == last)
    {
        runs.insert(first, {low, high});
    }
    else
    {
        *first = {std::min(low, first->low), std::max(high, (last - 1)->high)};
        runs.erase(first + 1, last);
    }
    for (const auto& part : parts)
    {
        Mark(part.low, part.high, found);
    }
}

void
Scoreboard::Mark(int64_t low, int64_t high, Covered& found)
{
    const auto range = Pieces(low, high);
    for (auto i = range.first; i < range.second; ++i)
    {
        auto& one = m_pieces[i];
        if (!one.sacked)
        {
            one.sacked = true;
            m_sackedBytes += one.end - one.seq;
            if (one.copies)
            {
                m_resentBytes -= one.end - one.seq;
            }
            found.Take(one);
        }
    }
}

void
Scoreboard::Drop(const Piece& piece, Covered& found)
{
    if (piece.sacked)
    {
        m_sackedBytes -= piece.end - piece.seq;
        found.resent |= piece.copies > 0;
        return;
    }
    if (piece.copies)
    {
        m_resentBytes -= piece.end - piece.seq;
    }
    found.Take(piece);
}

void
Scoreboard::Acknowledge(int64_t ack, Covered& found)
{
    m_next = std::max(m_next, ack);
    for (; m_head < m_pieces.size() && m_pieces[m_head].seq < ack; ++m_head)
    {
        auto& one = m_pieces[m_head];
        if (one.end > ack)
        {
            auto first = one;
            first.end = ack;
            Drop(first, found);
            one.seq = ack;
            break;
        }
        Drop(one, found);
    }
    m_una = ack;
    if (m_head == m_pieces.size())
    {
        m_pieces.clear();
        m_head = 0;
    }
    else if (m_head > MIN_DROPPED && 2 * m_head > m_pieces.size())
    {
        m_pieces.erase(m_pieces.begin(), m_pieces.begin() + static_cast<ptrdiff_t>(m_head));
        m_head = 0;
    }
    if (m_holes)
    {
        const auto isBefore = [](int64_t sought, const auto& one) { return sought < one.high; };
        auto& [gaps, runs] = *m_holes;
        gaps.erase(gaps.begin(), std::upper_bound(gaps.begin(), gaps.end(), ack, isBefore));
        runs.erase(runs.begin(), std::upper_bound(runs.begin(), runs.end(), ack, isBefore));
    }
}

bool
Scoreboard::Bound()
{
    if (m_pieces.size() - m_head <= MAX_PIECES)
    {
        return false;
    }
    while (m_pieces.size() - m_head > MAX_PIECES)
    {
        Covered ignored;
        Acknowledge(m_pieces[m_head].end, ignored);
    }
    return true;
}

} // namespace packets
