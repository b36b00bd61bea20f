// SPDX-License-Identifier: MIT

#ifndef PACKETS_CONGESTION_H
#define PACKETS_CONGESTION_H

#include "scoreboard.h"
#include "spool.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace packets
{

/// Congestion states of a Linux sender, as icsk_ca_state numbers them.
enum class CaState : uint8_t
{
    Open,
    Disorder,
    Cwr,
    Recovery,
    Loss
};

/// A change of state.
struct StateRow
{
    int64_t timeNs;
    CaState state;
};

/// Why segments were sent again.
enum class LossKind : uint8_t
{
    Fast,
    Rto,
    Tlp
};

/// A loss event.
struct LossRow
{
    int64_t timeNs;
    int64_t packets; //!< Segments sent again
    LossKind kind;
};

/// An ACK, with what it changed.
struct Heard
{
    int64_t timeNs;
    int64_t ack;      //!< Unwrapped
    bool advanced;    //!< It acknowledged something new
    bool isDup;       //!< It did not, while data was outstanding
    const Covered& acked;  //!< What it acknowledged first
    const Covered& sacked; //!< What it SACKed first
    int64_t dsacked;  //!< Segments it reports as received twice
    int64_t dsackEnd; //!< Where they end
    bool hasEcho;
    uint32_t tsecr;
    bool ece; //!< It echoes congestion; an ACK older than another does not count
};

/// A segment sent again.
struct Resent
{
    int64_t timeNs;
    Range range;
    int64_t segments;  //!< Packets of it on the wire
    int64_t silenceNs; //!< Since the sender last sent or heard anything, as it saw it
    int64_t rtoNs;     //!< Estimate of its timeout
    /// When what made it do so passed: the ACK before, or, at the receiver, one RTT earlier.
    int64_t causeNs;
    bool hasStamp;
    uint32_t tsval;
};

/**
 * The congestion state of a Linux sender, inferred from the packets it sent and received.
 *
 * The rules are those of tcp_fastretrans_alert() and its neighbours, as far as packets show what
 * they depend on. A sender is in Recovery or Loss because it sent something again; the packets
 * tell why: SACKed segments above it, or silence.
 *
 * Linux net/ipv4/tcp_input.c; RFC 6675, RFC 8985 (RACK and tail loss probes), RFC 5682 (F-RTO),
 * RFC 2883 (DSACK), RFC 3522 (timestamps of a spurious retransmission).
 */
class Congestion
{
  public:
    /// Take an ACK in.
    void TakeHeard(const Heard& ack, const Scoreboard& board);

    /// Take a segment in that was sent again.
    void TakeResent(const Resent& again, const Scoreboard& board);

    /// Tell whether both ends use SACK.
    void SetSack(bool hasSack)
    {
        m_hasSack = hasSack;
    }

    /// Both ends use ECN.
    void SetEcn()
    {
        m_hasEcn = true;
    }

    /// @return Whether an ACK of nothing, while nothing is outstanding, changes nothing.
    bool IsIdle() const
    {
        return m_state == CaState::Open && !m_hasProbe && m_duplicates == 0;
    }

    /// Write rows that will not change any more.
    void Spill(Spool& spool, bool all);

    /// @return Changes of state that are written.
    Chain GetStates() const
    {
        return m_rows ? m_rows->statesWritten : Chain{};
    }

    /// @return Loss events that are written.
    Chain GetLosses() const
    {
        return m_rows ? m_rows->lossesWritten : Chain{};
    }

  private:
    /// Rows, of which most senders of little have none.
    struct Rows
    {
        std::vector<StateRow> states;
        std::vector<LossRow> losses;
        Chain statesWritten;
        Chain lossesWritten;
    };

    Rows& GetRows();

    bool IsInEpisode() const
    {
        return m_state == CaState::Recovery || m_state == CaState::Loss;
    }

    void Enter(int64_t timeNs, CaState state);
    void KeepOpen(int64_t timeNs, const Scoreboard& board);
    void Leave(const Heard& ack, const Scoreboard& board);
    void CountDuplicates(const Heard& ack);
    void AnswerProbe(const Heard& ack, const Scoreboard& board);
    bool IsInVain(const Heard& ack, const Scoreboard& board) const;
    void Recover(const Resent& again, const Scoreboard& board);
    void TimeOut(const Resent& again, const Scoreboard& board);
    void Begin(const Resent& again, const Scoreboard& board);
    void Event(const Resent& again, int64_t timeNs, LossKind kind);
    void Count(const Resent& again);

    CaState m_state{CaState::Open};
    bool m_hasSack{false};
    bool m_hasEcn{false};
    bool m_hasProbe{false};
    bool m_frto{false}; //!< Of the episode: F-RTO looks on
    bool m_hasFirstTsval{false};
    int64_t m_highSeq{0};
    int64_t m_duplicates{0};
    int64_t m_timeouts{0}; //!< Since the last ACK that advanced
    int64_t m_probe{0};    //!< What was not sent yet when a tail loss probe was

    std::unique_ptr<Rows> m_rows; //!< None before the first

    // Of the episode: what it sent again, less what was in vain; from where on; the first's TSval.
    int64_t m_toUndo{0};
    int64_t m_undoAbove{0};
    uint32_t m_firstTsval{0};
};

} // namespace packets

#endif // PACKETS_CONGESTION_H
