// SPDX-License-Identifier: MIT

#ifndef PACKETS_SENDER_H
#define PACKETS_SENDER_H

#include "ack-rows.h"
#include "answers.h"
#include "congestion.h"
#include "bounds.h"
#include "prefetch.h"
#include "scoreboard.h"
#include "segment.h"
#include "spool.h"
#include "stamps.h"

#include <cstdint>

namespace packets
{

/// SRTT and RTO as Linux has them: the deviation counts no less than 200 ms.
class RttEstimate
{
  public:
    void Take(int64_t rttNs);
    int64_t GetRto() const;

  private:
    int64_t m_srttNs{0};
    int64_t m_deviationNs{0};
};

/**
 * One end of a TCP connection as a sender: its signals, from packets that pass a point of the path.
 *
 * RTT samples are taken as tcp_clean_rtx_queue() takes those it gives to the congestion
 * controller: from the last segment an ACK acknowledges or SACKs first, unless something
 * acknowledged was sent again (Karn's rule); then from the timestamp, if there is one. Where
 * packets are captured far from the sender, a second kind of sample is taken: from a timestamp
 * that passes towards the sender to its echo coming back.
 *
 * Linux net/ipv4/tcp_input.c; RFC 6298, RFC 7323 section 4; K. Nichols, pping (echoed timestamps).
 */
class alignas(CACHE_LINE_BYTES) Sender
{
  public:
    /**
     * @param end Which end of the subflow it is, 0 or 1.
     * @param answers Of both ends.
     * @param spool Where its rows go.
     */
    Sender(int end, Answers& answers, Spool& spool);

    /// Take a segment this end sent.
    void TakeSent(const Segment& segment);

    /// Take a segment that came to this end; `dataAck` counts from the first one heard.
    void TakeHeard(const Segment& segment, int64_t dataAck);

    /// Both ends use ECN.
    void SetEcn();

    /// Fetch itself into the cache, but for what is seldom looked at.
    void Prefetch() const
    {
        PrefetchLines<OFTEN_BYTES>(this);
    }

    /// Fetch into the cache what the next segment looks at, of what lies elsewhere.
    void PrefetchSent() const
    {
        m_own.Prefetch();
        m_toEcho.Prefetch();
        m_board.PrefetchSent();
        m_rows.Prefetch();
    }

    /// The same for one that comes to this end.
    void PrefetchHeard() const
    {
        m_own.Prefetch();
        m_toEcho.Prefetch();
        m_board.PrefetchHeard();
        m_rows.Prefetch();
    }

    /// Write all rows; nothing more will come.
    void Finish();

    /// @return Bytes sent the first time.
    int64_t GetPayload() const
    {
        return m_payloadBytes;
    }

    /// @return Segments sent again, SYN and FIN included.
    int64_t GetResent() const
    {
        return m_resentSegments;
    }

    /// @return Numbers so far from what was sent that nothing follows from them.
    int64_t GetImplausible() const
    {
        return m_implausible;
    }

    /// @return Times more was outstanding than is kept.
    int64_t GetForgotten() const
    {
        return m_forgotten;
    }

    const AckRows& GetRows() const
    {
        return m_rows;
    }

    const Congestion& GetCongestion() const
    {
        return m_congestion;
    }

  private:
    /// The SACK blocks of an ACK without a DSACK, and the DSACK.
    struct Blocks
    {
        Range blocks[MAX_SACK_BLOCKS];
        size_t count{0};
        int64_t dsacked{0};
        int64_t dsackEnd{0};
    };

    bool IsProbe(int64_t seq, uint8_t flags) const;
    int64_t GetLate() const;
    void TakeResent(const Segment& segment, Range range);
    void TakeEcho(const Segment& segment);
    void TakeAck(const Segment& segment, int64_t dataAck);
    void TakeHandshake(int64_t timeNs, const Covered& acked);
    Blocks ReadBlocks(const Segment& segment, int64_t ack) const;
    int64_t GetSample(int64_t timeNs,
                      const Covered& acked,
                      const Covered& sacked,
                      const Segment& segment) const;
    int64_t UpdateAcked();
    void BoundBoard();
    void UpdateSack();

    /// What every segment may look at comes first, in so many bytes.
    static constexpr size_t OFTEN_BYTES = 448;

    Stamps m_toEcho; //!< When each TSval was first seen on its way to this end
    Stamps m_own;    //!< When each was on its way from it
    Scoreboard m_board;

    int64_t m_firstSeq{0};
    int64_t m_finSeq{0};
    int64_t m_ackedBytes{0};
    int64_t m_heardNs{-1};
    int64_t m_sentNs{-1};
    int64_t m_threeSackedNs{-1};
    int64_t m_echoNs{0}; //!< Last sample by echo
    int64_t m_dataAck{-1};
    int64_t m_payloadBytes{0};
    Answers& m_answers;
    Spool& m_spool;
    RttEstimate m_near;
    RttEstimate m_far;
    int32_t m_window{-1};
    int32_t m_segmentBytes;
    uint8_t m_end;
    /// Not answered yet: one, or two, of which it is not known which an answer is for.
    uint8_t m_synsHeard{0};
    bool m_hasFin{false};
    bool m_isEstablished{false};
    // Both ends permit SACK, or it is not used; a SYN that was not seen is taken to permit it.
    bool m_sackSent{true};
    bool m_sackHeard{false};

    Congestion m_congestion;
    AckRows m_rows;

    int64_t m_synHeardNs{0};
    int64_t m_resentSegments{0};
    int64_t m_implausible{0};
    int64_t m_forgotten{0};
};

} // namespace packets

#endif // PACKETS_SENDER_H
