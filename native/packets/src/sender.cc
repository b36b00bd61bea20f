// SPDX-License-Identifier: MIT

#include "sender.h"

#include <algorithm>
#include <cstdlib>

namespace packets
{

namespace
{

constexpr int64_t US = 1'000;
constexpr int64_t MS = 1'000'000;
constexpr int64_t MIN_RTO_NS = 200 * MS;
constexpr int64_t FIRST_RTO_NS = 1'000 * MS;
// Sending follows the ACK that allows it at once; later than that, a timer fired.
constexpr int64_t AT_ONCE_NS = MS;
// A segment that comes late by less is out of order, where no RTT is known.
constexpr int64_t REORDERED_NS = 3 * MS;
// What one packet holds at most, where no SYN says less; more is several, cut by the network card.
constexpr int32_t DEFAULT_SEGMENT_BYTES = 1448;
constexpr int32_t TIMESTAMPS_OPTION_BYTES = 12;
constexpr int DUPLICATES = 3;

int64_t
CeilDiv(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

} // namespace

void
RttEstimate::Take(int64_t rttNs)
{
    if (m_srttNs == 0)
    {
        m_srttNs = rttNs;
        m_deviationNs = rttNs / 2;
        return;
    }
    // Shifts round down, as the kernel's do.
    m_deviationNs += (std::abs(rttNs - m_srttNs) - m_deviationNs) >> 2;
    m_srttNs += (rttNs - m_srttNs) >> 3;
}

int64_t
RttEstimate::GetRto() const
{
    if (m_srttNs == 0)
    {
        return FIRST_RTO_NS;
    }
    // So that the sum is a time yet.
    return m_srttNs + std::max(4 * std::min(m_deviationNs, MAX_TIME_NS / 8), MIN_RTO_NS);
}

Sender::Sender(int end, Answers& answers, Spool& spool)
    : m_answers(answers),
      m_spool(spool),
      m_segmentBytes(DEFAULT_SEGMENT_BYTES),
      m_end(static_cast<uint8_t>(end))
{
}

void
Sender::SetEcn()
{
    m_congestion.SetEcn();
}

void
Sender::UpdateSack()
{
    m_congestion.SetSack(m_sackHeard && m_sackSent);
}

void
Sender::Finish()
{
    m_rows.Finish(m_spool);
    m_congestion.Spill(m_spool, true);
}

void
Sender::BoundBoard()
{
    if (m_board.Bound())
    {
        ++m_forgotten;
    }
}

void
Sender::TakeSent(const Segment& segment)
{
    const auto timeNs = segment.timeNs;
    if (segment.flags & RST)
    {
        return;
    }
    if (segment.hasTimestamps)
    {
        TakeEcho(segment);
    }
    if (segment.flags & SYN)
    {
        m_sackSent = segment.sackPermitted;
        UpdateSack();
    }
    if (segment.flags & ACK)
    {
        if (m_synsHeard == 1)
        {
            m_answers.Take(m_end, timeNs - m_synHeardNs);
        }
        m_synsHeard = 0;
    }
    const auto size = static_cast<int64_t>(segment.End() - segment.seq);
    if (size == 0)
    {
        return;
    }
    // Another number: of a server that forgot its first SYN/ACK, or after an ACK of nothing.
    const bool isOther =
        segment.flags & SYN && int64_t{segment.seq} + 1 != m_firstSeq && m_ackedBytes == 0;
    if (!m_board.HasBegun() || isOther)
    {
        m_board.Begin(segment.seq);
        m_firstSeq = int64_t{segment.seq} + ((segment.flags & SYN) != 0);
    }
    const auto seq = Unwrapped(m_board.GetNext(), segment.seq);
    if (std::abs(seq - m_board.GetNext()) > MAX_AWAY_BYTES)
    {
        ++m_implausible;
        return;
    }
    if (size == 1 && !(segment.flags & (SYN | FIN)) && IsProbe(seq, segment.flags))
    {
        return;
    }
    if (segment.flags & FIN)
    {
        m_hasFin = true;
        m_finSeq = seq + size - 1;
    }
    const auto before = m_board.GetNext();
    int64_t sinceNs = 0;
    const auto sending = m_board.Send({seq, seq + size}, timeNs, sinceNs);
    const auto newBytes = sending == Sending::FillsGap ? size : m_board.GetNext() - before;
    m_payloadBytes += std::clamp<int64_t>(newBytes, 0, segment.payloadBytes);
    if (sending == Sending::FillsGap && timeNs - sinceNs < GetLate())
    {
        m_board.TakeAsFirst(seq);
    }
    else if (sending != Sending::New)
    {
        TakeResent(segment, {seq, seq + size});
    }
    m_sentNs = timeNs;
    BoundBoard();
}

/// Tell whether a byte is a keep-alive, which none pushes, or looks for room in a window of zero.
bool
Sender::IsProbe(int64_t seq, uint8_t flags) const
{
    const bool isKeepAlive = seq == m_board.GetUna() - 1 && !(flags & PSH);
    return isKeepAlive || (m_window == 0 && seq <= m_board.GetNext());
}

/// How late a segment must be to be a second copy whose first was lost before it came here.
int64_t
Sender::GetLate() const
{
    const auto roundTripNs = m_answers.GetRoundTrip();
    return roundTripNs < 0 ? REORDERED_NS : roundTripNs / 2;
}

void
Sender::TakeResent(const Segment& segment, Range range)
{
    const auto timeNs = segment.timeNs;
    const auto segments = std::max<int64_t>(1, CeilDiv(segment.payloadBytes, m_segmentBytes));
    m_resentSegments += segments;
    if (!m_isEstablished || segment.flags & SYN)
    {
        return;
    }
    const bool isFar = m_answers.GetVantage(m_end) == Vantage::Receiver;
    const auto delayNs = isFar ? m_echoNs : 0;
    int64_t causeNs;
    if (isFar)
    {
        causeNs = m_threeSackedNs >= 0 ? m_threeSackedNs : timeNs - delayNs;
    }
    else
    {
        causeNs = timeNs - m_heardNs <= AT_ONCE_NS ? m_heardNs : timeNs;
    }
    m_congestion.TakeResent({.timeNs = timeNs,
                             .range = range,
                             .segments = segments,
                             .silenceNs = timeNs - std::max(m_heardNs, m_sentNs) - delayNs,
                             .rtoNs = (isFar ? m_far : m_near).GetRto(),
                             .causeNs = causeNs,
                             .hasStamp = segment.hasTimestamps,
                             .tsval = segment.tsval},
                            m_board);
    m_congestion.Spill(m_spool, false);
}

/// Take a sample if a timestamp that passed towards this end comes back for the first time.
void
Sender::TakeEcho(const Segment& segment)
{
    // An echo tells which copy came of what was sent; what holds nothing has no copies.
    if (segment.payloadBytes || segment.flags & FIN)
    {
        m_own.Take(segment.tsval, segment.timeNs);
    }
    const auto passedNs = segment.flags & ACK ? m_toEcho.Pop(segment.tsecr) : -1;
    if (passedNs < 0)
    {
        return;
    }
    const auto rttNs = segment.timeNs - passedNs;
    m_answers.Take(m_end, rttNs);
    m_echoNs = rttNs;
    if (segment.payloadBytes)
    {
        m_far.Take(rttNs);
        m_rows.Append({.timeNs = segment.timeNs,
                      .ackedBytes = UpdateAcked(),
                      .rttUs = std::max<int64_t>(1, rttNs / US),
                      .dataAck = NOT_OBSERVED,
                      .newlySackedBytes = 0,
                      .tsval = NOT_OBSERVED,
                      .isAck = false,
                      .isDup = false,
                      .ece = false},
                      m_spool);
    }
}

void
Sender::TakeHeard(const Segment& segment, int64_t dataAck)
{
    if (segment.flags & RST)
    {
        return;
    }
    if (segment.hasTimestamps)
    {
        m_toEcho.Take(segment.tsval, segment.timeNs);
        m_own.DropBefore(segment.tsecr);
    }
    if (segment.flags & SYN)
    {
        if (segment.mss)
        {
            const auto stampsBytes = segment.hasTimestamps ? TIMESTAMPS_OPTION_BYTES : 0;
            m_segmentBytes = std::max(1, std::min(m_segmentBytes, segment.mss - stampsBytes));
        }
        m_sackHeard = segment.sackPermitted;
        UpdateSack();
        m_synsHeard = m_synsHeard == 0 ? 1 : 2;
        m_synHeardNs = segment.timeNs;
    }
    if (!(segment.flags & ACK))
    {
        return;
    }
    if (!m_board.HasBegun())
    {
        m_board.Begin(segment.ack);
        m_firstSeq = segment.ack;
    }
    TakeAck(segment, dataAck);
    m_heardNs = segment.timeNs;
    m_window = segment.window;
    m_isEstablished = true;
    if (segment.sackBlocks)
    {
        m_congestion.SetSack(true);
    }
}

void
Sender::TakeAck(const Segment& segment, int64_t dataAck)
{
    const auto timeNs = segment.timeNs;
    const auto ack = Unwrapped(m_board.GetUna(), segment.ack);
    if (ack > m_board.GetNext() + MAX_AWAY_BYTES)
    {
        // Linux drops an ACK of what was not sent; a capture may miss a part of what was.
        ++m_implausible;
        return;
    }
    const bool advanced = ack > m_board.GetUna();
    const bool hasNewDataAck = dataAck != NOT_OBSERVED && dataAck > m_dataAck;
    const bool ece = segment.flags & ECE;
    if (!advanced && !m_board.IsOutstanding() && !segment.sackBlocks && !(segment.flags & SYN) &&
        !ece && m_congestion.IsIdle())
    {
        // Of an end that only receives: nothing follows but a row.
        m_dataAck = hasNewDataAck ? dataAck : m_dataAck;
        m_rows.AppendBare(timeNs, UpdateAcked(), dataAck, m_spool);
        return;
    }
    const bool isOfSyn = advanced && ack == m_firstSeq;
    const bool isPure = !segment.payloadBytes && !(segment.flags & (SYN | FIN));
    const bool isDup = isPure && ack == m_board.GetUna() && m_board.IsOutstanding() &&
                       segment.window == m_window && m_window != 0 && !hasNewDataAck;
    Blocks sack;
    Covered sacked;
    if (segment.sackBlocks)
    {
        sack = ReadBlocks(segment, ack);
        m_board.Sack(sack.blocks, sack.count, sacked);
    }
    Covered acked;
    if (advanced)
    {
        m_board.Acknowledge(ack, acked);
    }
    BoundBoard();
    if (segment.flags & SYN)
    {
        TakeHandshake(timeNs, acked);
        return;
    }
    const auto rttNs = GetSample(timeNs, acked, sacked, segment);
    if (rttNs >= 0)
    {
        m_answers.Take(1 - m_end, rttNs);
        m_near.Take(rttNs);
    }
    // The third segment SACKed, of segments a little shorter too.
    if (m_board.GetSacked() <= int64_t{DUPLICATES - 1} * m_segmentBytes)
    {
        m_threeSackedNs = -1;
    }
    else if (m_threeSackedNs < 0)
    {
        m_threeSackedNs = timeNs;
    }
    m_congestion.TakeHeard({.timeNs = timeNs,
                            .ack = ack,
                            .advanced = advanced,
                            .isDup = isDup,
                            .acked = acked,
                            .sacked = sacked,
                            .dsacked = sack.dsacked,
                            .dsackEnd = sack.dsackEnd,
                            .hasEcho = segment.hasTimestamps,
                            .tsecr = segment.tsecr,
                            .ece = ece && ack >= m_board.GetUna()},
                           m_board);
    m_congestion.Spill(m_spool, false);
    if (hasNewDataAck)
    {
        m_dataAck = dataAck;
    }
    // A SYN/ACK is not in its sender's queue: its sample counts for the timeout alone, as a SYN's.
    const bool hasSample = rttNs >= 0 && !isOfSyn;
    m_rows.Append({.timeNs = timeNs,
                  .ackedBytes = UpdateAcked(),
                  .rttUs = hasSample ? std::max<int64_t>(1, rttNs / US) : NOT_OBSERVED,
                  .dataAck = dataAck,
                  .newlySackedBytes = sacked.bytes,
                  .tsval = hasSample && !isDup && segment.hasTimestamps ? int64_t{segment.tsval}
                                                                        : NOT_OBSERVED,
                  .isAck = true,
                  .isDup = isDup,
                  .ece = ece},
                  m_spool);
}

/// Take the sample of a SYN: it counts for the timeout, but no controller is there to be given it.
void
Sender::TakeHandshake(int64_t timeNs, const Covered& acked)
{
    if (acked.sentNs >= 0 && !acked.resent)
    {
        m_answers.Take(1 - m_end, timeNs - acked.sentNs);
        m_near.Take(timeNs - acked.sentNs);
    }
}

Sender::Blocks
Sender::ReadBlocks(const Segment& segment, int64_t ack) const
{
    Blocks found;
    const auto block = [&](size_t i) {
        return Range{Unwrapped(ack, segment.sack[2 * i]), Unwrapped(ack, segment.sack[2 * i + 1])};
    };
    size_t at = 0;
    const auto first = block(0);
    const bool isInside =
        segment.sackBlocks > 1 && block(1).low <= first.low && first.high <= block(1).high;
    // Of an ACK that is late, a block below what was acknowledged since is none.
    if (first.low < ack || isInside)
    {
        if (first.low < first.high)
        {
            found.dsacked = std::max<int64_t>(1, CeilDiv(first.high - first.low, m_segmentBytes));
            found.dsackEnd = first.high;
        }
        at = 1;
    }
    // Broken edges cover nothing; nor does what begins where it would have been acknowledged.
    const auto una = std::max(ack, m_board.GetUna());
    for (; at < segment.sackBlocks; ++at)
    {
        const auto one = block(at);
        if (una < one.low && one.low < one.high && one.high <= m_board.GetNext())
        {
            found.blocks[found.count++] = one;
        }
    }
    return found;
}

/// The RTT sample of an ACK, -1 if it gives none.
int64_t
Sender::GetSample(int64_t timeNs,
                  const Covered& acked,
                  const Covered& sacked,
                  const Segment& segment) const
{
    if (sacked.sentNs >= 0)
    {
        return timeNs - sacked.sentNs;
    }
    if (acked.sentNs >= 0 && !acked.resent)
    {
        return timeNs - acked.sentNs;
    }
    if (acked.bytes && segment.hasTimestamps)
    {
        const auto stampedNs = m_own.Find(segment.tsecr);
        return stampedNs < 0 ? -1 : timeNs - stampedNs;
    }
    return -1;
}

/// @return Bytes acknowledged, as a row has them.
int64_t
Sender::UpdateAcked()
{
    auto last = m_board.HasBegun() ? m_board.GetUna() : 0;
    if (m_hasFin)
    {
        last = std::min(last, m_finSeq);
    }
    // A FIN that is none, below what is acknowledged, takes nothing back.
    m_ackedBytes = std::max<int64_t>({0, last - m_firstSeq, m_ackedBytes});
    return m_ackedBytes;
}

} // namespace packets
