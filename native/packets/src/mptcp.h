// SPDX-License-Identifier: MIT

#ifndef PACKETS_MPTCP_H
#define PACKETS_MPTCP_H

#include "segment.h"

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

    uint8_t mappingBits{0}; //!< Of the data sequence number of DSS, 0 if it maps nothing
    bool isMappingCut{false}; //!< DSS says that it maps something, and has no room for it
    bool isDataFin{false};    //!< Of DSS
    uint64_t dataSeq{0};
    uint32_t subflowSeq{0}; //!< Counts from the subflow's SYN
    bool hasDataBytes{false};
    uint16_t dataBytes{0}; //!< Mapped by DSS, or by MP_CAPABLE of version 1

    /**
     * What else it says, -1 if nothing: an address id of MP_JOIN, ADD_ADDR and the first of
     * REMOVE_ADDR, 1 for backup and 0 for not of MP_PRIO, the reason of MP_TCPRST. DETAIL_FLAG is
     * added for an ADD_ADDR that is an echo and for a MP_JOIN of a backup.
     */
    int16_t detail{-1};
};

constexpr int16_t DETAIL_FLAG = 256;

/**
 * Read the data acknowledgement of a DSS.
 *
 * @param body From the subtype on.
 * @param bytes How long it is.
 * @param dataAck Is set to it.
 * @param bits Are set to how long it is, 0 if there is none.
 * @return Whether this is a DSS, and a good one.
 */
bool ReadDataAck(const uint8_t* body, uint8_t bytes, uint64_t& dataAck, uint8_t& bits);

/**
 * Read an MPTCP option.
 *
 * @param body From the subtype on.
 * @param bytes How long it is.
 * @param isSyn Whether the segment has the SYN flag.
 * @return What it says.
 */
MptcpOption ReadMptcp(const uint8_t* body, uint8_t bytes, bool isSyn);

/**
 * Read the MPTCP options of a segment, one after the other.
 *
 * @param captured The segment.
 * @param take Is called with each, good or not.
 */
template <class Take>
void
ForEachMptcp(const CapturedSegment& captured, Take&& take)
{
    for (auto at = captured.mptcpAt; at < captured.optionsBytes;)
    {
        if (captured.options[at] == 1)
        {
            ++at;
            continue;
        }
        const auto length = captured.options[at + 1];
        if (captured.options[at] == MPTCP_OPTION)
        {
            take(ReadMptcp(captured.options + at + 2, length - 2, captured.segment.flags & SYN));
        }
        at += length;
    }
}

} // namespace packets

#endif // PACKETS_MPTCP_H
