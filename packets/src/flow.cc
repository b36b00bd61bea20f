// SPDX-License-Identifier: MIT

#include "flow.h"

#include <algorithm>
#include <cstring>

namespace packets
{

namespace
{

constexpr uint8_t SYN_ACK = SYN | ACK;
constexpr uint8_t ECN_SETUP = ECE | CWR;

bool
IsSyn(const Segment& segment)
{
    return (segment.flags & SYN_ACK) == SYN;
}

bool
IsSynAck(const Segment& segment)
{
    return (segment.flags & SYN_ACK) == SYN_ACK;
}

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
Summary(const Sender& sender, int64_t shortestNs)
{
    const auto& parts = sender.GetRows().GetParts();
    const auto& states = sender.GetCongestion().GetStates();
    const auto& losses = sender.GetCongestion().GetLosses();
    return {.payloadBytes = sender.GetPayload(),
            .resentSegments = sender.GetResent(),
            .implausible = sender.GetImplausible(),
            .forgotten = sender.GetForgotten(),
            .shortestNs = shortestNs,
            .firstDataAck = sender.GetFirstDataAck(),
            .firstDataAckBits = sender.GetFirstDataAckBits(),
            .rows = sender.GetRows().GetCount(),
            .partsLast = parts.last,
            .parts = parts.records,
            .statesLast = states.last,
            .states = states.records,
            .lossesLast = losses.last,
            .losses = losses.records};
}

} // namespace

Flow::Flow(int64_t number, const Segment& first, Spool& spool)
    : m_endNs(first.timeNs),
      m_spool(spool),
      m_startNs(first.timeNs),
      m_number(number)
{
    // A SYN/ACK is answered to the end that opened the connection.
    const bool isTurned = IsSynAck(first);
    m_ends[0] = isTurned ? first.destination : first.source;
    m_ends[1] = isTurned ? first.source : first.destination;
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
    if (m_offered || m_hasDataSignal || m_hasSignal)
    {
        return false;
    }
    return m_firstSyn >= 0 || m_segments > MANY_SEGMENTS;
}

bool
Flow::BeginsAnew(const Segment& segment) const
{
    if (!IsSyn(segment) || segment.seq == m_firstSyn || IsAnswered(segment))
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
Flow::Take(const Segment& segment)
{
    if (segment.timeNs < m_endNs)
    {
        return Verdict::Backwards;
    }
    const int end = EndOf(segment);
    const bool isSyn = IsSyn(segment);
    if (isSyn && m_segments > 0 && segment.seq != m_firstSyn && !IsAnswered(segment))
    {
        return Verdict::SynInside;
    }
    if (isSyn)
    {
        m_firstSyn = segment.seq;
    }
    m_endNs = segment.timeNs;
    ++m_segments;
    m_isOver |= (segment.flags & (FIN | RST)) != 0;
    if (segment.flags & SYN)
    {
        TakeEcn(segment);
    }
    const auto dataAck = TakeMptcp(segment, end);
    if (IsSynAck(segment))
    {
        m_synAcked = segment.ack;
    }
    if (IsPlain())
    {
        m_senders.reset();
        return Verdict::Segment;
    }
    auto& senders = GetSenders().sender;
    senders[end].TakeSent(segment);
    senders[1 - end].TakeHeard(segment, dataAck);
    return Verdict::Segment;
}

void
Flow::TakeEcn(const Segment& segment)
{
    if (IsSyn(segment))
    {
        m_ecnOffered = (segment.flags & ECN_SETUP) == ECN_SETUP;
    }
    else if (m_ecnOffered && (segment.flags & ECN_SETUP) == ECE)
    {
        for (auto& sender : GetSenders().sender)
        {
            sender.SetEcn();
        }
    }
}

void
Flow::Count(Signal signal)
{
    m_hasSignal = true;
    ++m_signals[static_cast<size_t>(signal)];
}

/**
 * Read the MPTCP options of a segment that `end` sent; return its data acknowledgement, from the
 * first on.
 */
int64_t
Flow::TakeMptcp(const Segment& segment, int end)
{
    auto dataAck = NOT_OBSERVED;
    if (segment.fault != OptionFault::None)
    {
        Count(segment.fault == OptionFault::Cut ? Signal::CutOptions : Signal::BadOptionLength);
    }
    bool hasFound = false;
    const bool isSyn = segment.flags & SYN;
    ForEachMptcp(segment, [&](const MptcpOption& option) {
        if (!option.isGood)
        {
            Count(option.fault);
            return;
        }
        hasFound = true;
        Count(static_cast<Signal>(option.subtype));
        if (option.subtype == Subtype::MpCapable)
        {
            TakeCapable(option, isSyn, end);
        }
        else if (option.subtype == Subtype::MpJoin)
        {
            TakeJoin(option, end);
        }
        else if (option.subtype == Subtype::Dss)
        {
            m_hasDataSignal = true;
            if (option.dataAckBits)
            {
                dataAck = TakeDataAck(option, end);
            }
        }
    });
    if (IsSynAck(segment) && m_offered && segment.fault == OptionFault::None)
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
    if (option.hasAddressId)
    {
        m_addressId[end] = option.addressId;
    }
}

int64_t
Flow::TakeDataAck(const MptcpOption& option, int end)
{
    auto& known = m_dataAcks[end];
    const auto low32 = static_cast<uint32_t>(option.dataAck);
    if (!known.isKnown)
    {
        known = {true, low32, 0};
        GetSenders().sender[1 - end].SetFirstDataAck(option.dataAck, option.dataAckBits);
    }
    known.last += static_cast<int32_t>(low32 - known.last32);
    known.last32 = low32;
    return known.last;
}

FlowSummary
Flow::Finish(int64_t left)
{
    auto& senders = GetSenders().sender;
    for (auto& sender : senders)
    {
        sender.Finish();
    }
    FlowSummary summary{.number = m_number,
                        .family = m_ends[0].family,
                        .address = {Address(m_ends[0]), Address(m_ends[1])},
                        .port = {m_ends[0].port, m_ends[1].port},
                        .startNs = m_startNs,
                        .endNs = m_endNs,
                        .segments = m_segments,
                        .firstSyn = m_firstSyn,
                        .version = m_version,
                        .hasKey = {m_hasKey[0], m_hasKey[1]},
                        .key = {m_key[0], m_key[1]},
                        .joinToken = m_joinToken,
                        .addressId = {m_addressId[0], m_addressId[1]},
                        .left = left,
                        .signals = {},
                        .senders = {Summary(senders[0], m_answers.GetShortest(0)),
                                    Summary(senders[1], m_answers.GetShortest(1))}};
    std::copy(m_signals.begin(), m_signals.end(), summary.signals.begin());
    m_senders.reset();
    return summary;
}

} // namespace packets
