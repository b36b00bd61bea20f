// SPDX-License-Identifier: MIT

#ifndef PACKETS_LISTED_SEGMENT_H
#define PACKETS_LISTED_SEGMENT_H

#include "mptcp.h"
#include "segment.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace packets
{

constexpr size_t SUBTYPES = static_cast<size_t>(Subtype::COUNT);

/// A segment of a flow, and what its MPTCP options say: traces/mptcp_analysis.py reads it.
struct ListedSegment
{
    int64_t flow; //!< Its number
    int64_t timeNs;
    uint64_t dataSeq;    //!< Counts if mappingBits is not 0
    uint64_t dataAck;    //!< Counts if dataAckBits is not 0
    uint32_t seq;
    uint32_t ack;        //!< Counts if flags has ACK
    uint32_t payloadBytes;
    uint32_t subflowSeq; //!< Counts if mappingBits is not 0
    int32_t dataBytes;   //!< That DSS or MP_CAPABLE maps, -1 if none does
    uint32_t resent;     //!< How many segments it sends again
    uint16_t window;     //!< As on the wire, not scaled
    uint16_t subtypes;   //!< A bit for each that it has
    uint16_t repeated;   //!< A bit for each that it has more than once; the last one counts
    std::array<int16_t, SUBTYPES> detail; //!< MptcpOption::detail by subtype
    uint8_t end;                          //!< Which end of the flow sent it
    uint8_t flags;
    uint8_t dataAckBits;
    uint8_t mappingBits;
    uint8_t isDataFin;
    uint8_t isMappingCut;
    int8_t windowScale; //!< Of a SYN, NO_WINDOW_SCALE if it has none
};

/**
 * List a segment.
 *
 * @param captured The segment.
 * @param flow The number of its flow.
 * @param end Which end of it sent the segment.
 * @param resent How many segments it sends again.
 * @return What is listed.
 */
ListedSegment ListSegment(const CapturedSegment& captured, int64_t flow, int end, int64_t resent);

} // namespace packets

#endif // PACKETS_LISTED_SEGMENT_H
