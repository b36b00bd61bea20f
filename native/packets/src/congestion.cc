// SPDX-License-Identifier: MIT

#include "congestion.h"

#include <algorithm>
#include <cstddef>

namespace packets
{

namespace
{

// Rows that may still change: packets that pass at almost the same time take back a state.
constexpr size_t KEPT_STATES = 64;
constexpr size_t KEPT_LOSSES = 1;
// So many are written: each sender alive has room for them.
constexpr size_t MANY_STATES = KEPT_STATES + 32;
constexpr size_t MANY_LOSSES = KEPT_LOSSES + 15;

template <class Row>
void
SpillRows(Spool& spool, Chain& chain, std::vector<Row>& rows, size_t kept)
{
    if (rows.size() <= kept)
    {
        return;
    }
    const auto count = rows.size() - kept;
    spool.Append(chain, rows.data(), count);
    rows.erase(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count));
}

} // namespace

Congestion::Rows&
Congestion::GetRows()
{
    if (!m_rows)
    {
        m_rows = std::make_unique<Rows>();
    }
    return *m_rows;
}

void
Congestion::Spill(Spool& spool, bool all)
{
    if (!m_rows)
    {
        return;
    }
    auto& [states, losses, statesWritten, lossesWritten] = *m_rows;
    if (all || states.size() >= MANY_STATES)
    {
        SpillRows(spool, statesWritten, states, all ? 0 : KEPT_STATES);
    }
    if (all || losses.size() >= MANY_LOSSES)
    {
        SpillRows(spool, lossesWritten, losses, all ? 0 : KEPT_LOSSES);
    }
}

void
Congestion::Enter(int64_t timeNs, CaState state)
{
    if (state == m_state)
    {
        return;
    }
    auto& states = GetRows().states;
    if (!states.empty() && timeNs <= states.back().timeNs)
    {
        // Two changes by one packet: the first has lasted no time.
        timeNs = states.back().timeNs;
        states.pop_back();
    }
    const auto before = states.empty() ? CaState::Open : states.back().state;
    m_state = state;
    if (state != before)
    {
        states.push_back({timeNs, state});
    }
}

/// tcp_try_keep_open().
void
Congestion::KeepOpen(int64_t timeNs, const Scoreboard& board)
{
    const bool left = board.GetSacked() || m_duplicates || board.IsResentOutstanding();
    Enter(timeNs, left ? CaState::Disorder : CaState::Open);
}

void
Congestion::TakeHeard(const Heard& ack, const Scoreboard& board)
{
    CountDuplicates(ack);
    if (ack.dsacked && ack.dsackEnd > m_undoAbove)
    {
        m_toUndo = std::max<int64_t>(0, m_toUndo - ack.dsacked);
    }
    if (ack.advanced)
    {
        m_timeouts = 0;
    }
    AnswerProbe(ack, board);
    if (IsInEpisode())
    {
        // Without SACK, an ACK of high_seq itself could be one of the duplicates.
        if (ack.ack >= m_highSeq + !m_hasSack)
        {
            Leave(ack, board);
        }
        else if (IsInVain(ack, board))
        {
            m_timeouts = 0;
            Enter(ack.timeNs, CaState::Open);
            KeepOpen(ack.timeNs, board);
        }
        else if (board.GetNext() > m_highSeq && (ack.isDup || ack.sacked.bytes))
        {
            // F-RTO: what was sent since arrives, what was sent before does not.
            m_frto = false;
        }
    }
    else if (m_state == CaState::Cwr && ack.ack > m_highSeq)
    {
        Enter(ack.timeNs, CaState::Open);
        KeepOpen(ack.timeNs, board);
    }
    if (m_state == CaState::Open || m_state == CaState::Disorder)
    {
        if (ack.ece && m_hasEcn)
        {
            m_highSeq = board.GetNext();
            Enter(ack.timeNs, CaState::Cwr);
        }
        else if (m_state == CaState::Disorder || ack.sacked.bytes || m_duplicates)
        {
            KeepOpen(ack.timeNs, board);
        }
    }
}

/**
 * End an episode whose data is acknowledged; what was sent again beyond it is a loss that begins
 * another.
 */
void
Congestion::Leave(const Heard& ack, const Scoreboard& board)
{
    Enter(ack.timeNs, CaState::Open);
    if (board.IsResentOutstanding())
    {
        m_highSeq = board.GetNext();
        m_toUndo = std::max<int64_t>(1, m_toUndo);
        Enter(ack.timeNs, CaState::Recovery);
    }
    else
    {
        KeepOpen(ack.timeNs, board);
    }
}

/// Count duplicate ACKs as tcp_add_reno_sack() does; with SACK, blocks tell more.
void
Congestion::CountDuplicates(const Heard& ack)
{
    if (ack.advanced)
    {
        m_duplicates = 0;
    }
    else if (ack.isDup && !m_hasSack)
    {
        ++m_duplicates;
    }
}

/// tcp_process_tlp_ack(): a probe that repaired a loss costs a pulse of CWR.
void
Congestion::AnswerProbe(const Heard& ack, const Scoreboard& board)
{
    if (!m_hasProbe || ack.ack < m_probe)
    {
        return;
    }
    if (ack.dsacked || (ack.ack == m_probe && !ack.advanced && !ack.sacked.bytes))
    {
        m_hasProbe = false;
    }
    else if (ack.ack > m_probe)
    {
        m_hasProbe = false;
        if (m_state == CaState::Open || m_state == CaState::Disorder)
        {
            auto& states = GetRows().states;
            states.push_back({ack.timeNs, CaState::Cwr});
            states.push_back({ack.timeNs, CaState::Open});
            m_state = CaState::Open;
            KeepOpen(ack.timeNs, board);
        }
    }
}

/// Tell whether an ACK shows that what was sent again had arrived the first time.
bool
Congestion::IsInVain(const Heard& ack, const Scoreboard& board) const
{
    const bool isLoss = m_state == CaState::Loss;
    if (isLoss && m_frto && !(ack.acked.resent && !m_hasSack))
    {
        // F-RTO: after a timeout, something sent once and before it is acknowledged. Without SACK,
        // that says nothing if what was sent again is acknowledged with it.
        for (const auto* covered : {&ack.acked, &ack.sacked})
        {
            if (covered->hasOriginal && covered->originalBelow <= m_highSeq)
            {
                return true;
            }
        }
    }
    if (isLoss && !(ack.advanced && m_hasSack))
    {
        return false;
    }
    if (m_toUndo == 0)
    {
        return true;
    }
    if (!ack.advanced || !ack.hasEcho || !m_hasFirstTsval)
    {
        return false;
    }
    const bool delayed = ack.tsecr - m_firstTsval > uint32_t{1} << 31;
    return delayed && (isLoss || !board.IsResentOutstanding());
}

void
Congestion::TakeResent(const Resent& again, const Scoreboard& board)
{
    // A tenth less: the RTO's estimate lacks samples of the sender's, and puts a timeout later.
    const bool isSilent =
        10 * static_cast<__int128>(again.silenceNs) >= 9 * static_cast<__int128>(again.rtoNs);
    const bool isHead = again.range.low <= board.GetUna();
    const bool hasEvidence = board.GetSacked() > 0 || m_duplicates > 0;
    if (IsInEpisode())
    {
        if (isSilent && isHead)
        {
            TimeOut(again, board);
        }
        else
        {
            if (!m_timeouts && board.GetNext() <= m_highSeq)
            {
                // F-RTO ends where there is nothing new to send.
                m_frto = false;
            }
            Count(again);
        }
    }
    else if (again.range.high <= board.GetUna() && !isSilent)
    {
        // Under way when it was acknowledged: of the episode before.
        Count(again);
    }
    else if (!hasEvidence && again.range.high == board.GetNext() && m_hasSack && !m_hasProbe)
    {
        m_hasProbe = true;
        m_probe = board.GetNext();
        Event(again, again.causeNs, LossKind::Tlp);
    }
    else if (isHead && (isSilent || !hasEvidence))
    {
        TimeOut(again, board);
    }
    else
    {
        Recover(again, board);
    }
}

/// tcp_enter_recovery().
void
Congestion::Recover(const Resent& again, const Scoreboard& board)
{
    Begin(again, board);
    m_frto = false;
    m_hasProbe = false;
    Enter(again.causeNs, CaState::Recovery);
    Event(again, again.causeNs, LossKind::Fast);
}

/// tcp_enter_loss(); a timeout that repeats stays in Loss, and has more to be acknowledged.
void
Congestion::TimeOut(const Resent& again, const Scoreboard& board)
{
    m_frto = !IsInEpisode() || m_timeouts > 0;
    Begin(again, board);
    ++m_timeouts;
    m_hasProbe = false;
    Enter(again.timeNs, CaState::Loss);
    Event(again, again.timeNs, LossKind::Rto);
}

/// Begin an episode; a timeout within one goes on with what can be undone (tcp_init_undo()).
void
Congestion::Begin(const Resent& again, const Scoreboard& board)
{
    m_highSeq = board.GetNext();
    const bool begins = !IsInEpisode();
    if (begins)
    {
        m_hasFirstTsval = again.hasStamp;
        m_firstTsval = again.tsval;
    }
    if (begins || (m_state == CaState::Loss && !m_timeouts))
    {
        m_toUndo = 0;
        m_undoAbove = board.GetUna();
    }
}

void
Congestion::Event(const Resent& again, int64_t timeNs, LossKind kind)
{
    // A cause may be earlier than the last event.
    auto& losses = GetRows().losses;
    losses.push_back({losses.empty() ? timeNs : std::max(timeNs, losses.back().timeNs), 0, kind});
    Count(again);
}

void
Congestion::Count(const Resent& again)
{
    auto& losses = GetRows().losses;
    if (losses.empty())
    {
        Event(again, again.timeNs, LossKind::Tlp);
        return;
    }
    losses.back().packets += again.segments;
    m_toUndo += again.segments;
}

} // namespace packets
