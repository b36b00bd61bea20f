// SPDX-License-Identifier: MIT

#ifndef PACKETS_SCOREBOARD_H
#define PACKETS_SCOREBOARD_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace packets
{

/// What sending a range of bytes is.
enum class Sending : uint8_t
{
    New,
    Again,
    FillsGap,
    AcknowledgedBefore
};

/// A half-open range of sequence numbers, unwrapped.
struct Range
{
    int64_t low;
    int64_t high;
};

/// A segment, or a piece of one.
struct Piece
{
    int64_t seq;
    int64_t end;
    int64_t sentNs;
    uint32_t copies; //!< Sent again so often
    bool sacked;
};

/// What an acknowledgement or SACK covers for the first time.
struct Covered
{
    int64_t bytes{0};
    /// When the last of it that was never sent again was sent, -1 if there is none.
    int64_t sentNs{-1};
    bool resent{false};        //!< Whether some of it was sent again
    int64_t originalBelow{0}; //!< The lowest end of a piece of it that was never sent again
    bool hasOriginal{false};   //!< Whether there is such a piece

    /// Take one piece in.
    void Take(const Piece& piece)
    {
        bytes += piece.end - piece.seq;
        if (piece.copies)
        {
            resent = true;
            return;
        }
        sentNs = piece.sentNs;
        if (!hasOriginal)
        {
            hasOriginal = true;
            originalBelow = piece.end;
        }
    }
};

/**
 * What a sender has outstanding, as packets show it: sent, sent again, SACKed, acknowledged.
 *
 * Sequence numbers are unwrapped.
 */
class Scoreboard
{
  public:
    /// Fetch what sending looks at into the cache.
    void PrefetchSent() const
    {
        __builtin_prefetch(m_pieces.data() + m_pieces.size());
    }

    /// Fetch what an acknowledgement looks at into the cache.
    void PrefetchHeard() const
    {
        __builtin_prefetch(m_pieces.data() + m_head);
    }

    /// Begin at a sequence number that nothing is known of.
    void Begin(int64_t seq);

    /// @return Whether it has begun.
    bool HasBegun() const
    {
        return m_hasBegun;
    }

    /// @return First byte not acknowledged, as far as packets show.
    int64_t GetUna() const
    {
        return m_una;
    }

    /// @return First byte not sent, as far as packets show.
    int64_t GetNext() const
    {
        return m_next;
    }

    /// @return Bytes sent, and SACKed above what is acknowledged.
    int64_t GetSacked() const
    {
        return m_sackedBytes;
    }

    /// @return Whether something is sent and not acknowledged.
    bool IsOutstanding() const
    {
        return m_next > m_una;
    }

    /// @return Whether something that was sent again is neither acknowledged nor SACKed.
    bool IsResentOutstanding() const
    {
        return m_resentBytes > 0;
    }

    /**
     * Take a segment that was sent.
     *
     * @param range What it holds.
     * @param timeNs The time.
     * @param sinceNs Is set to since when a gap was open that it fills.
     * @return What it is.
     */
    Sending Send(Range range, int64_t timeNs, int64_t& sinceNs);

    /// Take the segment at `seq`, which filled a gap, for its first copy: it was only late.
    void TakeAsFirst(int64_t seq);

    /**
     * Take the SACK blocks of an ACK, without a DSACK.
     *
     * @param blocks The blocks, at most MAX_SACK_BLOCKS; they are sorted.
     * @param count How many there are.
     * @param found What they cover first is added to it.
     */
    void Sack(Range* blocks, size_t count, Covered& found);

    /// Take a cumulative acknowledgement that advances, and add what it covers first to `found`.
    void Acknowledge(int64_t ack, Covered& found);

    /**
     * Let go of the oldest pieces, as if they were acknowledged, where there are too many.
     *
     * @return Whether there were.
     */
    bool Bound();

  private:
    /// Pieces from one place to another.
    using Slice = std::pair<size_t, size_t>;

    /// What was not seen when more was sent.
    struct Gap
    {
        int64_t low;
        int64_t high;
        int64_t sinceNs;
    };

    /// What came out of order or was lost: mostly nothing.
    struct Holes
    {
        std::vector<Gap> gaps;   //!< In order
        std::vector<Range> runs; //!< What is SACKed, in order
    };

    Holes& GetHoles();
    void Cut(int64_t edge);
    Slice Pieces(int64_t low, int64_t high);
    size_t FirstAt(int64_t seq, size_t from) const;
    void Fill(Slice known, const std::vector<Piece>& pieces);
    void News(int64_t low, int64_t high, Covered& found);
    void Mark(int64_t low, int64_t high, Covered& found);
    void Drop(const Piece& piece, Covered& found);

    // What every segment looks at comes first.
    std::vector<Piece> m_pieces; //!< In order
    size_t m_head{0};            //!< Pieces before are acknowledged
    int64_t m_una{0};
    int64_t m_next{0};
    int64_t m_sackedBytes{0};
    int64_t m_resentBytes{0};
    bool m_hasBegun{false};
    std::unique_ptr<Holes> m_holes; //!< None before the first
};

} // namespace packets

#endif // PACKETS_SCOREBOARD_H
