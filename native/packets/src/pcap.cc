// SPDX-License-Identifier: MIT

#include "pcap.h"

#include "bounds.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace packets
{

namespace
{

static_assert(std::endian::native == std::endian::little);

constexpr size_t PCAP_HEADER_BYTES = 24;
constexpr size_t RECORD_BYTES = 16;
/// Of Kuznetsov's form, which says more of the interface.
constexpr size_t LONG_RECORD_BYTES = 24;
constexpr uint32_t SECTION = 0x0a0d0d0a;
constexpr size_t BLOCK_BYTES = 12;
constexpr size_t SECTION_BYTES = 28;
constexpr uint32_t MAX_BLOCK_BYTES = 1U << 24;
constexpr uint32_t PACKET_BLOCK_BYTES = 20;
constexpr uint32_t BYTE_ORDER_MAGIC = 0x1a2b3c4d;
constexpr int64_t NS_PER_S = 1'000'000'000;
constexpr size_t MAX_INTERFACES = 1U << 16;

enum Block : uint32_t
{
    INTERFACE = 1,
    OBSOLETE_PACKET = 2,
    SIMPLE_PACKET = 3,
    ENHANCED_PACKET = 6
};

enum InterfaceOption : uint16_t
{
    END_OF_OPTIONS = 0,
    TSRESOL = 9,
    TSOFFSET = 14
};

} // namespace

PcapReader::PcapReader(FrameSink& sink)
    : m_sink(sink)
{
}

Unreadable
PcapReader::GetUnreadable() const
{
    return m_unreadable;
}

bool
PcapReader::IsStopped() const
{
    return m_stopped;
}

uint16_t
PcapReader::Get16(const uint8_t* at) const
{
    uint16_t value;
    std::memcpy(&value, at, sizeof value);
    return m_swapped ? __builtin_bswap16(value) : value;
}

uint32_t
PcapReader::Get32(const uint8_t* at) const
{
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return m_swapped ? __builtin_bswap32(value) : value;
}

void
PcapReader::Refuse(Verdict verdict,
                   const uint8_t* raw,
                   size_t rawBytes,
                   int64_t first,
                   int64_t second)
{
    Refusal refusal{m_offset, first, second, verdict, 0, {}};
    refusal.rawBytes = static_cast<uint8_t>(std::min<size_t>(rawBytes, RAW_BYTES));
    std::memcpy(refusal.raw, raw, refusal.rawBytes);
    m_sink.Refuse(refusal);
}

void
PcapReader::Stop(Verdict verdict,
                 const uint8_t* raw,
                 size_t rawBytes,
                 int64_t first,
                 int64_t second)
{
    Refuse(verdict, raw, rawBytes, first, second);
    m_stopped = true;
}

void
PcapReader::CannotRead(Unreadable why)
{
    m_unreadable = why;
    m_stopped = true;
}

void
PcapReader::Feed(const uint8_t* data, size_t bytes)
{
    // First the record whose beginning came before, then the others where they lie.
    while (!m_rest.empty() && bytes > 0 && !m_stopped)
    {
        const auto more = std::min(bytes, m_wanted - m_rest.size());
        m_rest.insert(m_rest.end(), data, data + more);
        data += more;
        bytes -= more;
        const auto read = Read(m_rest.data(), m_rest.size(), false);
        m_rest.erase(m_rest.begin(), m_rest.begin() + static_cast<ptrdiff_t>(read));
    }
    if (bytes == 0 || m_stopped)
    {
        return;
    }
    const auto read = Read(data, bytes, false);
    if (!m_stopped)
    {
        m_rest.assign(data + read, data + bytes);
    }
}

void
PcapReader::Finish()
{
    Read(m_rest.data(), m_rest.size(), true);
    m_rest.clear();
    m_stopped = true;
}

size_t
PcapReader::Read(const uint8_t* data, size_t bytes, bool last)
{
    size_t at = 0;
    while (!m_stopped && (at < bytes || (last && m_format == Format::Unknown)))
    {
        const auto left = bytes - at;
        size_t read = 0;
        switch (m_format)
        {
        case Format::Unknown:
            read = ReadStart(data + at, left, last);
            break;
        case Format::Pcap:
            read = ReadPcapRecord(data + at, left, last);
            break;
        case Format::Pcapng:
            read = ReadBlock(data + at, left, last);
            break;
        }
        if (read == 0)
        {
            break;
        }
        at += read;
        m_offset += read;
    }
    return at;
}

size_t
PcapReader::ReadStart(const uint8_t* data, size_t bytes, bool last)
{
    if (bytes < 4)
    {
        m_wanted = 4;
        if (last)
        {
            CannotRead(Unreadable::NeitherFormat);
        }
        return 0;
    }
    uint32_t magic;
    std::memcpy(&magic, data, sizeof magic);
    if (magic == SECTION)
    {
        if (bytes < SECTION_BYTES)
        {
            m_wanted = SECTION_BYTES;
            if (last)
            {
                CannotRead(Unreadable::CutSectionHeader);
            }
            return 0;
        }
        m_format = Format::Pcapng;
        return ReadBlock(data, bytes, last);
    }
    m_swapped = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1 || magic == 0x34cdb2a1;
    const auto written = m_swapped ? __builtin_bswap32(magic) : magic;
    if (written != 0xa1b2c3d4 && written != 0xa1b23c4d && written != 0xa1b2cd34)
    {
        CannotRead(Unreadable::NeitherFormat);
        return 0;
    }
    if (bytes < PCAP_HEADER_BYTES)
    {
        m_wanted = PCAP_HEADER_BYTES;
        if (last)
        {
            CannotRead(Unreadable::CutPcapHeader);
        }
        return 0;
    }
    m_tickNs = written == 0xa1b23c4d ? 1 : 1000;
    m_recordBytes = written == 0xa1b2cd34 ? LONG_RECORD_BYTES : RECORD_BYTES;
    // The upper bits may hold the length of a frame check sequence.
    m_link = Get32(data + 20) & 0xffff;
    m_format = Format::Pcap;
    return PCAP_HEADER_BYTES;
}

size_t
PcapReader::ReadPcapRecord(const uint8_t* data, size_t bytes, bool last)
{
    if (bytes < m_recordBytes)
    {
        m_wanted = m_recordBytes;
        if (last)
        {
            Stop(Verdict::CutRecordHead,
                 data,
                 bytes,
                 static_cast<int64_t>(bytes),
                 static_cast<int64_t>(m_recordBytes));
        }
        return 0;
    }
    const auto captured = Get32(data + 8);
    if (captured > MAX_PACKET_BYTES)
    {
        Stop(Verdict::TooLong, data, m_recordBytes, captured);
        return 0;
    }
    const auto length = m_recordBytes + captured;
    if (bytes < length)
    {
        m_wanted = length;
        if (last)
        {
            Stop(Verdict::CutRecord,
                 data,
                 bytes,
                 static_cast<int64_t>(bytes - m_recordBytes),
                 captured);
        }
        return 0;
    }
    m_sink.Take({.offset = m_offset,
                 .timeNs = Get32(data) * NS_PER_S + int64_t{Get32(data + 4)} * m_tickNs,
                 .link = m_link,
                 .capturedBytes = captured,
                 .wireBytes = Get32(data + 12),
                 .data = data + m_recordBytes});
    return length;
}

size_t
PcapReader::ReadBlock(const uint8_t* data, size_t bytes, bool last)
{
    if (bytes < BLOCK_BYTES)
    {
        m_wanted = BLOCK_BYTES;
        if (last)
        {
            Stop(Verdict::CutBlockHead, data, bytes, static_cast<int64_t>(bytes), BLOCK_BYTES);
        }
        return 0;
    }
    uint32_t kind;
    std::memcpy(&kind, data, sizeof kind);
    if (kind == SECTION)
    {
        uint32_t magic;
        std::memcpy(&magic, data + 8, sizeof magic);
        if (magic != BYTE_ORDER_MAGIC && magic != __builtin_bswap32(BYTE_ORDER_MAGIC))
        {
            if (m_offset == 0)
            {
                CannotRead(Unreadable::BadSectionMagic);
            }
            else
            {
                Stop(Verdict::BadMagic, data, BLOCK_BYTES, Read32(data + 8));
            }
            return 0;
        }
        m_swapped = magic != BYTE_ORDER_MAGIC;
    }
    kind = Get32(data);
    const auto length = Get32(data + 4);
    if (length < BLOCK_BYTES || length % 4 != 0 || length > MAX_BLOCK_BYTES)
    {
        Stop(Verdict::BadBlockLength, data, BLOCK_BYTES, length);
        return 0;
    }
    if (bytes < length)
    {
        m_wanted = length;
        if (last)
        {
            Stop(Verdict::CutBlock, data, bytes, static_cast<int64_t>(bytes), length);
        }
        return 0;
    }
    if (Get32(data + length - 4) != length)
    {
        Stop(Verdict::TwoLengths, data, length);
        return 0;
    }
    const auto* body = data + 8;
    const auto bodyBytes = length - static_cast<uint32_t>(BLOCK_BYTES);
    if (kind == SECTION)
    {
        m_interfaces.clear();
    }
    else if (kind == INTERFACE)
    {
        if (!ReadInterface(body, bodyBytes))
        {
            Stop(Verdict::BadInterface, data, length);
            return 0;
        }
    }
    else if (kind == ENHANCED_PACKET || kind == OBSOLETE_PACKET || kind == SIMPLE_PACKET)
    {
        ReadPacketBlock(kind, body, bodyBytes);
    }
    return length;
}

bool
PcapReader::ReadInterface(const uint8_t* body, uint32_t bytes)
{
    // Link type, two bytes that are reserved, snap length.
    if (bytes < 8 || m_interfaces.size() >= MAX_INTERFACES)
    {
        return false;
    }
    Interface interface{.link = Get16(body)};
    uint32_t at = 8;
    while (at + 4 <= bytes)
    {
        const auto code = Get16(body + at);
        const uint32_t length = Get16(body + at + 2);
        const auto* value = body + at + 4;
        if (code == END_OF_OPTIONS)
        {
            break;
        }
        if (at + 4 + length > bytes)
        {
            return false;
        }
        if (code == TSRESOL && length == 1)
        {
            const unsigned base = value[0] & 0x80 ? 2 : 10;
            const unsigned exponent = value[0] & 0x80 ? value[0] & 0x7f : value[0];
            if (exponent > (base == 2 ? 64 : 19))
            {
                return false;
            }
            interface.ticksPerS = 1;
            for (unsigned i = 0; i < exponent; ++i)
            {
                interface.ticksPerS *= base;
            }
        }
        else if (code == TSOFFSET && length == 8)
        {
            const uint64_t first = Get32(value);
            const uint64_t second = Get32(value + 4);
            interface.offsetS =
                static_cast<int64_t>(m_swapped ? first << 32 | second : second << 32 | first);
        }
        at += 4 + (length + 3) / 4 * 4;
    }
    m_interfaces.push_back(interface);
    return true;
}

void
PcapReader::ReadPacketBlock(uint32_t kind, const uint8_t* body, uint32_t bytes)
{
    if (kind == SIMPLE_PACKET)
    {
        Refuse(Verdict::NoTime, body, bytes);
        return;
    }
    if (bytes < PACKET_BLOCK_BYTES)
    {
        Refuse(Verdict::ShortPacketBlock, body, bytes, bytes);
        return;
    }
    const uint32_t number = kind == ENHANCED_PACKET ? Get32(body) : Get16(body);
    const auto captured = Get32(body + 12);
    if (number >= m_interfaces.size())
    {
        Refuse(Verdict::NoInterface,
               body,
               bytes,
               number,
               static_cast<int64_t>(m_interfaces.size()));
        return;
    }
    if (captured > bytes - PACKET_BLOCK_BYTES)
    {
        Refuse(Verdict::BeyondBlock, body, bytes, captured, bytes);
        return;
    }
    const auto& interface = m_interfaces[number];
    Frame frame{.offset = m_offset,
                .timeNs = 0,
                .link = interface.link,
                .capturedBytes = captured,
                .wireBytes = Get32(body + 16),
                .data = body + PACKET_BLOCK_BYTES,
                .interface = number};
    const auto ticks = uint64_t{Get32(body + 4)} << 32 | Get32(body + 8);
    frame.timeNs = TimeOf(interface, ticks);
    m_sink.Take(frame);
}

int64_t
PcapReader::TimeOf(const Interface& interface, uint64_t ticks)
{
    if (interface.ticksPerS == NS_PER_S && interface.offsetS == 0)
    {
        return static_cast<int64_t>(std::min<uint64_t>(ticks, MAX_TIME_NS + 1));
    }
    const auto seconds = static_cast<__int128>(ticks) / interface.ticksPerS + interface.offsetS;
    const auto rest = static_cast<__int128>(ticks) % interface.ticksPerS;
    const auto timeNs = seconds * NS_PER_S + rest * NS_PER_S / interface.ticksPerS;
    return static_cast<int64_t>(std::clamp<__int128>(timeNs, -1, __int128{MAX_TIME_NS} + 1));
}

} // namespace packets
