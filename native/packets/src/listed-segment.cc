// SPDX-License-Identifier: MIT

#include "listed-segment.h"

namespace packets
{

ListedSegment
ListSegment(const CapturedSegment& captured, int64_t flow, int end, int64_t resent)
{
    const auto& segment = captured.segment;
    ListedSegment listed{};
    listed.flow = flow;
    listed.timeNs = segment.timeNs;
    listed.seq = segment.seq;
    listed.ack = segment.ack;
    listed.payloadBytes = segment.payloadBytes;
    listed.dataBytes = -1;
    listed.resent = static_cast<uint32_t>(resent);
    listed.window = segment.window;
    listed.detail.fill(-1);
    listed.end = static_cast<uint8_t>(end);
    listed.flags = segment.flags;
    listed.windowScale = segment.windowScale;
    ForEachMptcp(captured, [&listed](const MptcpOption& option) {
        if (!option.isGood)
        {
            return;
        }
        const auto place = static_cast<size_t>(option.subtype);
        const auto bit = static_cast<uint16_t>(1U << place);
        listed.repeated |= listed.subtypes & bit;
        listed.subtypes |= bit;
        listed.detail[place] = option.detail;
        if (option.subtype == Subtype::Dss)
        {
            listed.dataAck = option.dataAck;
            listed.dataAckBits = option.dataAckBits;
            listed.dataSeq = option.dataSeq;
            listed.subflowSeq = option.subflowSeq;
            listed.mappingBits = option.mappingBits;
            listed.isDataFin = option.isDataFin;
            listed.isMappingCut = option.isMappingCut;
        }
        if (option.hasDataBytes)
        {
            listed.dataBytes = option.dataBytes;
        }
    });
    return listed;
}

} // namespace packets
