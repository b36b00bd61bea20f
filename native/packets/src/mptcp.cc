// SPDX-License-Identifier: MIT

#include "mptcp.h"

#include "frame.h"

#include <algorithm>

namespace packets
{

namespace
{

constexpr uint8_t JOIN_SYN_BYTES = 10;
constexpr uint8_t JOIN_SYN_ACK_BYTES = 14;
constexpr uint8_t JOIN_ACK_BYTES = 22;
constexpr uint8_t HAS_DATA_ACK = 1;
constexpr uint8_t LONG_DATA_ACK = 2;
constexpr uint8_t HAS_MAPPING = 4;
constexpr uint8_t LONG_DATA_SEQ = 8;
constexpr uint8_t DATA_FIN = 16;
/// Backup of MP_JOIN and MP_PRIO, echo of ADD_ADDR.
constexpr uint8_t LOWEST_BIT = 1;

MptcpOption
Bad(Signal fault)
{
    MptcpOption option;
    option.fault = fault;
    return option;
}

MptcpOption
ReadCapable(const uint8_t* body, uint8_t bytes)
{
    MptcpOption option;
    option.subtype = Subtype::MpCapable;
    option.version = body[0] & 15;
    if (option.version > 1)
    {
        return Bad(Signal::UnknownVersion);
    }
    if (bytes < 2)
    {
        return Bad(Signal::BadMptcpLength);
    }
    // Keys come whole; after both, version 1 may have a data-level length and a checksum.
    option.keys = static_cast<uint8_t>(std::min(2, (bytes - 2) / KEY_BYTES));
    const auto left = bytes - 2 - option.keys * KEY_BYTES;
    const bool mayHaveMore = option.keys == 2 && option.version == 1;
    if (!(left == 0 || (mayHaveMore && (left == 2 || left == 4))) ||
        option.keys < 1 - option.version)
    {
        return Bad(Signal::BadMptcpLength);
    }
    for (uint8_t i = 0; i < option.keys; ++i)
    {
        option.key[i] = body + 2 + i * KEY_BYTES;
    }
    if (left > 0)
    {
        option.hasDataBytes = true;
        option.dataBytes = Read16(body + 2 + option.keys * KEY_BYTES);
    }
    option.isGood = true;
    return option;
}

MptcpOption
ReadJoin(const uint8_t* body, uint8_t bytes, bool isSyn)
{
    MptcpOption option;
    option.subtype = Subtype::MpJoin;
    if (isSyn && (bytes == JOIN_SYN_BYTES || bytes == JOIN_SYN_ACK_BYTES))
    {
        option.hasAddressId = true;
        option.addressId = body[1];
        option.hasToken = bytes == JOIN_SYN_BYTES;
        option.token = Read32(body + 2);
        option.detail =
            static_cast<int16_t>(body[1] + (body[0] & LOWEST_BIT ? DETAIL_FLAG : int16_t{0}));
    }
    else if (isSyn || bytes != JOIN_ACK_BYTES)
    {
        return Bad(Signal::BadMptcpLength);
    }
    option.isGood = true;
    return option;
}

MptcpOption
ReadDss(const uint8_t* body, uint8_t bytes)
{
    MptcpOption option;
    option.subtype = Subtype::Dss;
    if (!ReadDataAck(body, bytes, option.dataAck, option.dataAckBits))
    {
        return Bad(Signal::BadMptcpLength);
    }
    option.isGood = true;
    option.isDataFin = body[1] & DATA_FIN;
    if (body[1] & HAS_MAPPING)
    {
        const bool isLong = body[1] & LONG_DATA_SEQ;
        const auto at = 2 + option.dataAckBits / 8;
        const auto seqBytes = isLong ? 8 : 4;
        // Number of the subflow and length follow; a checksum may.
        option.isMappingCut = bytes < at + seqBytes + 6;
        if (!option.isMappingCut)
        {
            option.mappingBits = static_cast<uint8_t>(8 * seqBytes);
            option.dataSeq = isLong ? Read64(body + at) : Read32(body + at);
            option.subflowSeq = Read32(body + at + seqBytes);
            option.hasDataBytes = true;
            option.dataBytes = Read16(body + at + seqBytes + 4);
        }
    }
    return option;
}

/// An option whose presence counts, however long it is.
MptcpOption
ReadOther(Subtype subtype, const uint8_t* body, uint8_t bytes)
{
    MptcpOption option;
    option.isGood = true;
    option.subtype = subtype;
    if (subtype == Subtype::MpPrio)
    {
        option.detail = body[0] & LOWEST_BIT;
    }
    else if (bytes > 1 && subtype == Subtype::AddAddr)
    {
        option.detail =
            static_cast<int16_t>(body[1] + (body[0] & LOWEST_BIT ? DETAIL_FLAG : int16_t{0}));
    }
    else if (bytes > 1 && (subtype == Subtype::RemoveAddr || subtype == Subtype::MpTcprst))
    {
        option.detail = body[1];
    }
    return option;
}

} // namespace

bool
ReadDataAck(const uint8_t* body, uint8_t bytes, uint64_t& dataAck, uint8_t& bits)
{
    if (bytes < 2 || body[0] >> 4 != static_cast<int>(Subtype::Dss))
    {
        return false;
    }
    bits = 0;
    if (body[1] & HAS_DATA_ACK)
    {
        const bool isLong = body[1] & LONG_DATA_ACK;
        if (bytes < (isLong ? 10 : 6))
        {
            return false;
        }
        bits = isLong ? 64 : 32;
        dataAck = isLong ? Read64(body + 2) : Read32(body + 2);
    }
    return true;
}

MptcpOption
ReadMptcp(const uint8_t* body, uint8_t bytes, bool isSyn)
{
    if (bytes == 0)
    {
        return Bad(Signal::BadMptcpLength);
    }
    const auto subtype = body[0] >> 4;
    if (subtype >= static_cast<int>(Subtype::COUNT))
    {
        return Bad(Signal::UnknownSubtype);
    }
    switch (static_cast<Subtype>(subtype))
    {
    case Subtype::MpCapable:
        return ReadCapable(body, bytes);
    case Subtype::MpJoin:
        return ReadJoin(body, bytes, isSyn);
    case Subtype::Dss:
        return ReadDss(body, bytes);
    default:
        return ReadOther(static_cast<Subtype>(subtype), body, bytes);
    }
}

} // namespace packets
