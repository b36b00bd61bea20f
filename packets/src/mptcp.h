// SPDX-License-Identifier: MIT

#ifndef PACKETS_MPTCP_H
#define PACKETS_MPTCP_H

#include <cstdint>

namespace packets
{

/// MPTCP options by subtype.
enum class Subtype : uint8_t
{
    MpCapable,
    MpJoin,
    Dss,
    AddAddr,
    RemoveAddr,
    MpPrio,
    MpFail,
    MpFastclose,
    MpTcprst,
    COUNT
};

/// What is counted of a connection's options; traces/recorded.py has the words, in this order.
enum class Signal : uint8_t
{
    // The subtypes come first.
    AnotherKey = static_cast<uint8_t>(Subtype::COUNT),
    CutOptions,
    BadOptionLength,
    BadMptcpLength,
    UnknownSubtype,
    UnknownVersion,
    COUNT
};

constexpr uint8_t KEY_BYTES = 8;

/// An MPTCP option, version 0 or 1 (RFC 6824, RFC 8684).
struct MptcpOption
{
    bool isGood{false};
    Signal fault{};    //!< What is wrong, if it is not good
    Subtype subtype{}; //!< What it is, if it is good

    uint8_t version{0};                        //!< Of MP_CAPABLE
    uint8_t keys{0};                           //!< Of MP_CAPABLE, its sender's first
    const uint8_t* key[2]{};                   //!< Of MP_CAPABLE

    bool hasToken{false}; //!< Of MP_JOIN
    uint32_t token{0};
    bool hasAddressId{false}; //!< Of MP_JOIN, its sender's
    uint8_t addressId{0};

    uint8_t dataAckBits{0}; //!< Of DSS, 0 if it has none
    uint64_t dataAck{0};
};

/**
 * Read an MPTCP option.
 *
 * @param body From the subtype on.
 * @param bytes How long it is.
 * @param isSyn Whether the segment has the SYN flag.
 * @return What it says.
 */
MptcpOption ReadMptcp(const uint8_t* body, uint8_t bytes, bool isSyn);

} // namespace packets

#endif // PACKETS_MPTCP_H
