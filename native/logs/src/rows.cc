// SPDX-License-Identifier: MIT

#include "rows.h"

#include <algorithm>

namespace logs
{

namespace
{

constexpr int64_t WRAP = int64_t{1} << 32;
constexpr int64_t HALF = int64_t{1} << 31;
constexpr int8_t RECOVERY = 3;
constexpr int8_t LOSS = 4;

/// @return The number nearest to another whose low 32 bits are these.
int64_t
Unwrapped(int64_t previous, int64_t low32)
{
    return previous + ((low32 - previous + HALF) & (WRAP - 1)) - HALF;
}

} // namespace

void
AckedBytes::Count(int64_t value)
{
    // An older value changes nothing: no window is as large as half of 2^32.
    if (value < WRAP && m_bytes - value > HALF)
    {
        value = Unwrapped(m_bytes, value);
    }
    m_bytes = std::max(m_bytes, value);
}

void
AckedBytes::SndUna(int64_t sndUna)
{
    if (!m_base)
    {
        m_base = sndUna;
    }
    m_bytes = std::max(m_bytes, Unwrapped(*m_base + m_bytes, sndUna) - *m_base);
}

void
Rows::Take(int64_t timeNs, Kind kind, int64_t value)
{
    switch (kind)
    {
    case Kind::RTT:
        Attribute(timeNs, AckColumn::RTT_US, value);
        break;
    case Kind::SRTT:
        Attribute(timeNs, AckColumn::SRTT_US, value);
        break;
    case Kind::OWD:
        Attribute(timeNs, AckColumn::OWD_US, value);
        break;
    case Kind::ECE:
        Attribute(timeNs, AckColumn::ECE, value);
        break;
    case Kind::DACK:
        Attribute(timeNs, AckColumn::DATA_ACK, value);
        break;
    case Kind::ACK:
        Ack(timeNs);
        Value(AckColumn::IS_DUP) = 0;
        m_acked.Count(value);
        break;
    case Kind::UNA:
        Ack(timeNs);
        m_acked.SndUna(value);
        break;
    case Kind::DUP:
        Ack(timeNs);
        Value(AckColumn::IS_DUP) = 1;
        Value(AckColumn::NEWLY_SACKED_BYTES) = value;
        break;
    case Kind::CA:
        stateTimeNs.push_back(timeNs);
        caStates.push_back(static_cast<int8_t>(value));
        break;
    case Kind::LOSS:
        lossTimeNs.push_back(timeNs);
        lossKinds.push_back(KindOfLoss());
        lossPackets.push_back(value);
        break;
    case Kind::RTX:
        retransmissions = retransmissions.value_or(0) + value;
        break;
    case Kind::COUNT:
        break;
    }
}

void
Rows::Flush()
{
    if (!m_isOpen)
    {
        return;
    }
    Value(AckColumn::ACKED_BYTES) = m_acked.Get();
    m_acks.push_back(m_row);
    m_isOpen = false;
}

void
Rows::Start(int64_t timeNs)
{
    Flush();
    m_row.fill(NOT_OBSERVED);
    Value(AckColumn::TIME_NS) = timeNs;
    m_isOpen = true;
    m_hasAck = false;
}

void
Rows::Attribute(int64_t timeNs, AckColumn column, int64_t value)
{
    if (!m_isOpen || Value(AckColumn::TIME_NS) != timeNs || Value(column) != NOT_OBSERVED)
    {
        Start(timeNs);
    }
    Value(column) = value;
}

void
Rows::Ack(int64_t timeNs)
{
    if (!m_isOpen || Value(AckColumn::TIME_NS) != timeNs || m_hasAck)
    {
        Start(timeNs);
    }
    m_hasAck = true;
}

LossKind
Rows::KindOfLoss() const
{
    const auto state = caStates.empty() ? int8_t{0} : caStates.back();
    return state == RECOVERY ? LossKind::FAST : state == LOSS ? LossKind::RTO : LossKind::TLP;
}

} // namespace logs
