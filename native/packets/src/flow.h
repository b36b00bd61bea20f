// SPDX-License-Identifier: MIT

#ifndef PACKETS_FLOW_H
#define PACKETS_FLOW_H

#include "answers.h"
#include "mptcp.h"
#include "prefetch.h"
#include "segment-log.h"
#include "segment.h"
#include "sender.h"
#include "spool.h"

#include <array>
#include <cstdint>
#include <memory>

namespace packets
{

constexpr size_t SIGNALS = static_cast<size_t>(Signal::COUNT);

/// What stays of one end of a flow that is done with; its rows are in the spool.
struct SenderSummary
{
    int64_t payloadBytes;
    int64_t resentSegments;
    int64_t shortestNs; //!< Its shortest answer, -1 if it never answered
    uint64_t firstDataAck;
    int64_t rows;
    int64_t partsLast;
    int64_t statesLast;
    int64_t states;
    int64_t lossesLast;
    int64_t losses;
    uint32_t parts;
    uint32_t implausible;
    uint32_t forgotten;
    uint32_t firstDataAckBits; //!< 0 if no data acknowledgement came to it
};

/// What a flow that is no subflow is.
enum class PlainKind : uint8_t
{
    None,        //!< It is a subflow
    Plain,       //!< TCP without MPTCP
    NotAnswered, //!< MPTCP was offered, and not answered
    Cut          //!< Its options are cut: it cannot be told
};

/// What stays of a flow that is done with; end 0 opened it. Absent numbers are -1.
struct FlowSummary
{
    int64_t number; //!< In order of the first segment
    int64_t startNs;
    int64_t endNs;
    int64_t segments;
    int64_t firstSyn;
    int64_t joinToken;
    std::array<uint8_t, 16> address[2]; //!< The first four bytes of IPv4
    std::array<uint8_t, KEY_BYTES> key[2];
    std::array<uint32_t, SIGNALS> signals;
    uint16_t port[2];
    int16_t addressId[2];
    uint8_t family;
    int8_t version;
    uint8_t hasKey[2];
    /// How it was reset: -2 if it was not, -1 without a reason, else the reason of MP_TCPRST.
    int16_t reset;
    uint16_t isAnswered; //!< A SYN/ACK was seen
    uint16_t isBackup;   //!< So the last MP_JOIN or MP_PRIO said
    uint16_t plain;      //!< What it is if it is no subflow, as PlainKind has it
    /// Why it was let go of before its end: 1 if it was silent for long, 2 if there were too many.
    int64_t left;
    SenderSummary senders[2];
};

/// One TCP connection: both ends as senders, and what its options say of MPTCP.
class alignas(CACHE_LINE_BYTES) Flow
{
  public:
    /**
     * @param number Of the flow, in order of the first segment.
     * @param first Its first segment.
     * @param spool Where its rows go.
     * @param isAtOnce Whether both ends take each segment at once; else GetResent() tells nothing.
     * @param isKeptPlain Whether its ends are senders, too, where it is TCP without MPTCP.
     */
    Flow(int64_t number, const Segment& first, Spool& spool, bool isAtOnce, bool isKeptPlain);

    /// @return Whether a segment opens another connection between the same addresses and ports.
    bool BeginsAnew(const Segment& segment) const;

    /// @return Verdict::Segment, or why it refuses a segment.
    Verdict Judge(const Segment& segment) const;

    /// Take a segment that `end` sent and that is not refused.
    void Take(const CapturedSegment& captured, int end);

    /// The same of a segment that has no MPTCP option but one DSS.
    void Take(const Segment& segment, int end);

    /// @return Whether it is a subflow of an MPTCP connection.
    bool IsSubflow() const
    {
        return !m_refused && (m_offered || m_hasDataSignal);
    }

    /// @return What it is if it is no subflow.
    PlainKind GetPlainKind() const
    {
        if (IsSubflow())
        {
            return PlainKind::None;
        }
        if (m_offered)
        {
            return PlainKind::NotAnswered;
        }
        const bool isCut = m_signals[static_cast<size_t>(Signal::CutOptions)] > 0;
        return isCut && !m_isSynWhole ? PlainKind::Cut : PlainKind::Plain;
    }

    /// @return Bytes that the end sent that sent more; of TCP without MPTCP only if it is kept.
    int64_t GetPayload();

    /// Whether it is kept as a subflow: not known yet, yes, or no as there were too many before it.
    enum class Admission : uint8_t
    {
        Open,
        Kept,
        Beyond
    };

    /// @return Whether it is a subflow of which it is to be said whether it is kept.
    bool IsToAdmit() const
    {
        return m_admission == Admission::Open && IsSubflow();
    }

    void SetAdmission(Admission admission)
    {
        m_admission = admission;
    }

    Admission GetAdmission() const
    {
        return m_admission;
    }

    /**
     * @return Whether it is TCP without MPTCP, as far as can be told: by its SYN, or by many
     *         segments without an option.
     */
    bool IsPlain() const;

    /// @return Whether an end closed it.
    bool IsOver() const
    {
        return m_isOver;
    }

    int64_t GetEnd() const
    {
        return m_endNs;
    }

    int64_t GetSegments() const
    {
        return m_segments;
    }

    /// Fetch itself into the cache, but for what is seldom looked at.
    void Prefetch() const
    {
        PrefetchLines<OFTEN_BYTES>(this);
    }

    /// Fetch its senders, or what is there in place of them, into the cache.
    void PrefetchSenders() const
    {
        if (m_log)
        {
            m_log->Prefetch();
        }
        else if (m_senders)
        {
            m_senders->sender[0].Prefetch();
            m_senders->sender[1].Prefetch();
        }
    }

    /// Fetch what these, which are in the cache, look at for a segment that `end` sent.
    void PrefetchRows(int end) const
    {
        if (m_log)
        {
            m_log->PrefetchEnd();
        }
        else if (m_senders)
        {
            m_senders->sender[end].PrefetchSent();
            m_senders->sender[1 - end].PrefetchHeard();
        }
    }

    int64_t GetNumber() const
    {
        return m_number;
    }

    /// @return How many segments an end has sent again so far.
    int64_t GetResent(int end) const
    {
        return m_senders ? m_senders->sender[end].GetResent() : 0;
    }

    /**
     * Write what is still in memory; nothing more will come.
     *
     * @param ends Its ends.
     * @param left Why it was let go of, as FlowSummary has it.
     * @return What stays.
     */
    FlowSummary Finish(const Endpoint (&ends)[2], int64_t left);

  private:
    /// Both ends as senders: TCP without MPTCP, of which a capture may hold much, needs none.
    struct Senders
    {
        Senders(Answers& answers, Spool& spool)
            : sender{{0, answers, spool}, {1, answers, spool}}
        {
        }

        Sender sender[2];
    };

    bool IsAnswered(const Segment& syn) const;
    bool SettlesEcn(const Segment& segment);
    void TakeFault(const Segment& segment);
    int64_t TakeMptcp(const CapturedSegment& captured, int end);
    int64_t TakeDss(uint64_t dataAck, uint8_t bits, int end);
    void TakeCapable(const MptcpOption& option, bool isSyn, int end);
    void TakeJoin(const MptcpOption& option, int end);
    void Count(Signal signal);
    void Take(const Segment& segment, int64_t dataAck, int end);
    void TakeAsSenders(const Segment& segment, int64_t dataAck, int end, bool settlesEcn);
    void TakeLogged();
    Senders& GetSenders();

    /// Data acknowledgements of an end, from the first on.
    struct DataAcks
    {
        uint8_t firstBits{0}; //!< 32 or 64; 0 before the first
        uint32_t last32{0};
        int64_t last{0};
        uint64_t first{0};
    };

    static constexpr int16_t NOT_RESET = -2;
    static constexpr int16_t NO_REASON = -1;

    /// What every segment may look at comes first, in so many bytes.
    static constexpr size_t OFTEN_BYTES = 192;

    std::unique_ptr<SegmentLog> m_log; //!< What the senders have yet to take, while it is little
    std::unique_ptr<Senders> m_senders;
    int64_t m_endNs;

    int64_t m_segments{0};
    int64_t m_firstSyn{-1};
    int64_t m_synAcked{-1}; //!< What the SYN/ACK acknowledges
    DataAcks m_dataAcks[2];
    bool m_offered{false};
    bool m_refused{false}; //!< The SYN/ACK had no MPTCP option: from then on it is plain TCP
    bool m_hasDataSignal{false};
    bool m_hasSignal{false};
    bool m_isOver{false};
    bool m_ecnOffered{false};
    bool m_isAtOnce;
    bool m_isKeptPlain;
    bool m_isSynWhole{false}; //!< All options of the SYN were captured
    bool m_isBackup{false};
    Admission m_admission{Admission::Open};
    int8_t m_version{-1};

    Answers m_answers;
    std::array<uint32_t, SIGNALS> m_signals{};

    Spool& m_spool;
    int64_t m_startNs;
    bool m_hasKey[2]{};
    std::array<uint8_t, KEY_BYTES> m_key[2]{};
    int64_t m_joinToken{-1};
    int16_t m_addressId[2]{-1, -1};
    int16_t m_reset{NOT_RESET};
    int64_t m_number;
};

} // namespace packets

#endif // PACKETS_FLOW_H
