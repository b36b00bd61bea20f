// SPDX-License-Identifier: MIT

#include "ack-thinning.h"

#include "big-endian.h"

#include <optional>

namespace relay
{

namespace
{

constexpr uint32_t LEAST_HEADER_BYTES = 20;
constexpr uint32_t TOTAL_BYTES = 2;
constexpr uint32_t FRAGMENT = 6;
constexpr uint32_t FRAGMENT_BITS = 0x3fff;
constexpr uint32_t PROTOCOL = 9;
constexpr uint8_t TCP = 6;
constexpr uint32_t ACKNOWLEDGED = 8;
constexpr uint32_t FLAGS = 12;
/// All flags, those beside the length of the header among them.
constexpr uint32_t FLAG_BITS = 0xfff;
constexpr uint32_t ACK = 0x10;

constexpr uint8_t END = 0;
constexpr uint8_t PADDING = 1;
constexpr uint8_t TIMESTAMPS = 8;
constexpr uint8_t MPTCP = 30;
constexpr uint32_t DSS_BYTES = 4;
constexpr uint8_t DSS = 2;
/// Of DSS: there is a data acknowledgement, of 8 bytes or of 4.
constexpr uint8_t DATA_ACK_BITS = 3;

struct Segment
{
    uint32_t ports;
    uint32_t acknowledged;
    uint32_t flags;
    const uint8_t* options;
    const uint8_t* end; //!< Of the options
    bool hasData;
};

/// The whole TCP segment that a packet is; none if it is something else.
std::optional<Segment>
Parse(const uint8_t* data, uint32_t bytes)
{
    if (bytes < LEAST_HEADER_BYTES || data[0] >> 4 != 4 || data[PROTOCOL] != TCP ||
        (Read16(data + FRAGMENT) & FRAGMENT_BITS) != 0 || Read16(data + TOTAL_BYTES) != bytes)
    {
        return std::nullopt;
    }
    const uint32_t ipBytes = 4U * (data[0] & 15U);
    if (ipBytes < LEAST_HEADER_BYTES || bytes < ipBytes + LEAST_HEADER_BYTES)
    {
        return std::nullopt;
    }
    const auto* tcp = data + ipBytes;
    const uint32_t tcpBytes = 4U * (tcp[FLAGS] >> 4);
    if (tcpBytes < LEAST_HEADER_BYTES || bytes < ipBytes + tcpBytes)
    {
        return std::nullopt;
    }
    return Segment{Read32(tcp),
                   Read32(tcp + ACKNOWLEDGED),
                   Read16(tcp + FLAGS) & FLAG_BITS,
                   tcp + LEAST_HEADER_BYTES,
                   tcp + tcpBytes,
                   bytes > ipBytes + tcpBytes};
}

/// Whether a later ACK says all that these options say.
bool
AreCovered(const uint8_t* at, const uint8_t* end)
{
    while (at < end && *at != END)
    {
        if (*at == PADDING)
        {
            ++at;
            continue;
        }
        if (end - at < 2 || at[1] < 2 || end - at < at[1])
        {
            return false;
        }
        const bool acknowledges = *at == MPTCP && at[1] >= DSS_BYTES && at[2] >> 4 == DSS &&
                                  (at[2] & 15) == 0 && (at[3] & ~DATA_ACK_BITS) == 0;
        if (*at != TIMESTAMPS && !acknowledges)
        {
            return false;
        }
        at += at[1];
    }
    return true;
}

} // namespace

AckThinning::AckThinning(uint32_t every)
    : m_every(every)
{
}

bool
AckThinning::Drops(const uint8_t* data, uint32_t bytes)
{
    const auto segment = m_every > 1 ? Parse(data, bytes) : std::nullopt;
    if (!segment || !(segment->flags & ACK))
    {
        return false;
    }
    const bool follows = m_known && segment->ports == m_ports;
    const bool advances = follows && static_cast<int32_t>(segment->acknowledged - m_acked) > 0;
    if (!follows || advances)
    {
        m_known = true;
        m_ports = segment->ports;
        m_acked = segment->acknowledged;
    }
    if (!advances || segment->flags != ACK || segment->hasData ||
        !AreCovered(segment->options, segment->end) || ++m_skipped == m_every)
    {
        m_skipped = 0;
        return false;
    }
    ++m_dropped;
    return true;
}

uint64_t
AckThinning::GetDropped() const
{
    return m_dropped;
}

} // namespace relay
