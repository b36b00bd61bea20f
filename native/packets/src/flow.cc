// SPDX-License-Identifier: MIT

#include "flow.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace packets
{

namespace
{

constexpr uint8_t ECN_SETUP = ECE | CWR;

std::array<uint8_t, 16>
Address(const Endpoint& end)
{
    std::array<uint8_t, 16> address{};
    if (end.family == 4)
    {
        const auto number = __builtin_bswap32(static_cast<uint32_t>(end.low));
        std::memcpy(address.data(), &number, sizeof number);
        return address;
    }
    const uint64_t numbers[] = {__builtin_bswap64(end.high), __builtin_bswap64(end.low)};
    std::memcpy(address.data(), numbers, sizeof numbers);
    return address;
}

SenderSummary
Summary(const Sender& sender, int64_t shortestNs, uint64_t firstDataAck, uint8_t firstDataAckBits)
{
    const auto& parts = sender.GetRows().GetParts();
    const auto states = sender.GetCongestion().GetStates();
    const auto losses = sender.GetCongestion().GetLosses();
    const auto bounded = [](int64_t count) {
        return static_cast<uint32_t>(std::min<int64_t>(count, UINT32_MAX));
    };
    return {.payloadBytes = sender.GetPayload(),
            .resentSegments = sender.GetResent(),
            .shortestNs = shortestNs,
            .firstDataAck = firstDataAck,
            .rows = sender.GetRows().GetCount(),
            .partsLast = parts.last,
            .statesLast = states.last,
            .states = states.records,
            .lossesLast = losses.last,
            .losses = losses.records,
            .parts = static_cast<uint32_t>(parts.records),
            .implausible = bounded(sender.GetImplausible()),
            .forgotten = bounded(sender.GetForgotten()),
            .firstDataAckBits = firstDataAckBits};
}

} // namespace

Flow::Flow(int64_t number,
           const Segment& first,
           Spool& spool,
           bool isAtOnce,
           bool isKeptPlain)
    : m_endNs(first.timeNs),
      m_isAtOnce(isAtOnce),
      m_isKeptPlain(isKeptPlain),
      m_spool(spool),
      m_startNs(first.timeNs),
      m_number(number)
{
}

Flow::Senders&
Flow::GetSenders()
{
    if (!m_senders)
    {
        m_senders = std::make_unique<Senders>(m_answers, m_spool);
    }
    return *m_senders;
}

bool
Flow::IsPlain() const
{
    if (m_isKeptPlain || m_offered || m_hasDataSignal || m_hasSignal)
    {
        return false;
    }
    return m_firstSyn >= 0 || m_segments > MANY_SEGMENTS;
}

bool
Flow::BeginsAnew(const Segment& segment) const
{
    if (!segment.IsSyn() || segment.seq == m_firstSyn || IsAnswered(segment))
    {
        return false;
    }
    // What came before a first SYN was the end of an earlier connection.
    return m_firstSyn < 0 || m_isOver;
}

/// Tell whether a SYN is the one that was answered, sent again or seen late.
bool
Flow::IsAnswered(const Segment& syn) const
{
    return m_synAcked == int64_t{syn.seq + 1};
}

Verdict
Flow::Judge(const Segment& segment) const
{
    if (segment.timeNs < m_endNs)
    {
        return Verdict::Backwards;
    }
    const bool isInside = segment.IsSyn() && m_segments > 0 && segment.seq != m_firstSyn &&
                          !IsAnswered(segment);
    return isInside ? Verdict::SynInside : Verdict::Segment;
}

void
Flow::Take(const CapturedSegment& captured, int end)
{
    Take(captured.segment, TakeMptcp(captured, end), end);
}

void
Flow::Take(const Segment& segment, int end)
{
    TakeFault(segment);
    const auto dataAck = segment.mptcp == MptcpOptions::OneDss
                             ? TakeDss(segment.dataAck, segment.dataAckBits, end)
                             : NOT_OBSERVED;
    Take(segment, dataAck, end);
}

/// Take a segment whose MPTCP options are taken, with its data acknowledgement from the first on.
void
Flow::Take(const Segment& segment, int64_t dataAck, int end)
{
    if (segment.IsSyn())
    {
        m_firstSyn = segment.seq;
        m_isSynWhole = segment.fault != OptionFault::Cut;
    }
    if (segment.flags & RST && m_reset == NOT_RESET)
    {
        m_reset = NO_REASON;
    }
    m_endNs = segment.timeNs;
    ++m_segments;
    m_isOver |= (segment.flags & (FIN | RST)) != 0;
    const bool settlesEcn = segment.flags & SYN && SettlesEcn(segment);
    if (segment.IsSynAck())
    {
        m_synAcked = segment.ack;
    }
    if (IsPlain())
    {
        m_log.reset();
        m_senders.reset();
        return;
    }
    if (m_isAtOnce || m_senders)
    {
        TakeAsSenders(segment, dataAck, end, settlesEcn);
        return;
    }
    if (!m_log)
    {
        m_log = std::make_unique<SegmentLog>();
    }
    m_log->Append(segment, dataAck, end, settlesEcn);
    if (m_log->IsFull())
    {
        TakeLogged();
    }
}

void
Flow::TakeAsSenders(const Segment& segment, int64_t dataAck, int end, bool settlesEcn)
{
    auto& senders = GetSenders().sender;
    if (settlesEcn)
    {
        senders[0].SetEcn();
        senders[1].SetEcn();
    }
    senders[end].TakeSent(segment);
    senders[1 - end].TakeHeard(segment, dataAck);
}

/// Let the senders take what they have yet to take.
void
Flow::TakeLogged()
{
    const auto log = std::move(m_log);
    if (!log)
    {
        return;
    }
    SegmentLog::Reader reader(*log);
    LoggedSegment one{};
    while (reader.Next(one))
    {
        TakeAsSenders(one.segment, one.dataAck, one.end, one.settlesEcn);
    }
}

/// Tell whether both ends use ECN from a segment of the handshake on.
bool
Flow::SettlesEcn(const Segment& segment)
{
    if (segment.IsSyn())
    {
        m_ecnOffered = (segment.flags & ECN_SETUP) == ECN_SETUP;
        return false;
    }
    return m_ecnOffered && (segment.flags & ECN_SETUP) == ECE;
}

void
Flow::Count(Signal signal)
{
    m_hasSignal = true;
    ++m_signals[static_cast<size_t>(signal)];
}

void
Flow::TakeFault(const Segment& segment)
{
    if (segment.fault != OptionFault::None)
    {
        Count(segment.fault == OptionFault::Cut ? Signal::CutOptions : Signal::BadOptionLength);
    }
}

/**
 * Read the MPTCP options of a segment that `end` sent; return its data acknowledgement, from the
 * first on.
 */
int64_t
Flow::TakeMptcp(const CapturedSegment& captured, int end)
{
    const auto& segment = captured.segment;
    TakeFault(segment);
    auto dataAck = NOT_OBSERVED;
    bool hasFound = false;
    const bool isSyn = segment.flags & SYN;
    ForEachMptcp(captured, [&](const MptcpOption& option) {
        if (!option.isGood)
        {
            Count(option.fault);
            return;
        }
        hasFound = true;
        if (option.subtype == Subtype::Dss)
        {
            const auto acked = TakeDss(option.dataAck, option.dataAckBits, end);
            dataAck = option.dataAckBits ? acked : dataAck;
            return;
        }
        Count(static_cast<Signal>(option.subtype));
        if (option.subtype == Subtype::MpCapable)
        {
            TakeCapable(option, isSyn, end);
        }
        else if (option.subtype == Subtype::MpJoin)
        {
            TakeJoin(option, end);
        }
        else if (option.subtype == Subtype::MpPrio)
        {
            m_isBackup = option.detail != 0;
        }
        else if (option.subtype == Subtype::MpTcprst && option.detail >= 0)
        {
            m_reset = option.detail;
        }
    });
    if (segment.IsSynAck() && m_offered && segment.fault == OptionFault::None)
    {
        m_refused = !hasFound;
    }
    return dataAck;
}

void
Flow::TakeCapable(const MptcpOption& option, bool isSyn, int end)
{
    m_offered |= isSyn;
    // The server settles the version.
    if (m_version < 0 || end == 1)
    {
        m_version = static_cast<int8_t>(option.version);
    }
    for (int i = 0; i < option.keys; ++i)
    {
        const auto place = i == 0 ? end : 1 - end;
        if (!m_hasKey[place])
        {
            m_hasKey[place] = true;
            std::memcpy(m_key[place].data(), option.key[i], KEY_BYTES);
        }
        else if (std::memcmp(m_key[place].data(), option.key[i], KEY_BYTES) != 0)
        {
            Count(Signal::AnotherKey);
        }
    }
}

void
Flow::TakeJoin(const MptcpOption& option, int end)
{
    m_offered = true;
    if (option.hasToken)
    {
        m_joinToken = option.token;
    }
    m_isBackup |= option.detail >= DETAIL_FLAG;
    if (option.hasAddressId)
    {
        m_addressId[end] = option.addressId;
    }
}

/// Take a good DSS that `end` sent; return its data acknowledgement, from the first on.
int64_t
Flow::TakeDss(uint64_t dataAck, uint8_t bits, int end)
{
    Count(Signal{static_cast<uint8_t>(Subtype::Dss)});
    m_hasDataSignal = true;
    if (bits == 0)
    {
        return NOT_OBSERVED;
    }
    auto& known = m_dataAcks[end];
    const auto low32 = static_cast<uint32_t>(dataAck);
    if (known.firstBits == 0)
    {
        known = {bits, low32, 0, dataAck};
    }
    known.last += static_cast<int32_t>(low32 - known.last32);
    known.last32 = low32;
    return known.last;
}

int64_t
Flow::GetPayload()
{
    TakeLogged();
    const auto& sender = GetSenders().sender;
    return std::max(sender[0].GetPayload(), sender[1].GetPayload());
}

FlowSummary
Flow::Finish(const Endpoint (&ends)[2], int64_t left)
{
    TakeLogged();
    auto& senders = GetSenders().sender;
    for (auto& sender : senders)
    {
        sender.Finish();
    }
    FlowSummary summary{.number = m_number,
                        .startNs = m_startNs,
                        .endNs = m_endNs,
                        .segments = m_segments,
                        .firstSyn = m_firstSyn,
                        .joinToken = m_joinToken,
                        .address = {Address(ends[0]), Address(ends[1])},
                        .key = {m_key[0], m_key[1]},
                        .signals = m_signals,
                        .port = {ends[0].port, ends[1].port},
                        .addressId = {m_addressId[0], m_addressId[1]},
                        .family = ends[0].family,
                        .version = m_version,
                        .hasKey = {m_hasKey[0], m_hasKey[1]},
                        .reset = m_reset,
                        .isAnswered = m_synAcked >= 0,
                        .isBackup = m_isBackup,
                        .plain = static_cast<uint16_t>(GetPlainKind()),
                        .left = left,
                        .senders = {}};
    for (int end = 0; end < 2; ++end)
    {
        // The other end sent them.
        const auto& dataAcks = m_dataAcks[1 - end];
        summary.senders[end] = Summary(senders[end],
                                       m_answers.GetShortest(end),
                                       dataAcks.first,
                                       dataAcks.firstBits);
    }
    m_senders.reset();
    if (!IsSubflow())
    {
        // It is a connection of its own, whatever was offered.
        summary.joinToken = -1;
        summary.version = -1;
        summary.hasKey[0] = summary.hasKey[1] = 0;
    }
    return summary;
}

} // namespace packets
