// SPDX-License-Identifier: MIT

#include "spool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace packets
{

namespace
{

constexpr size_t BUFFER_BYTES = size_t{1} << 18;

} // namespace

SpoolError::SpoolError(const std::string& what, int error)
    : std::runtime_error(what + ": " + std::strerror(error)),
      error(error)
{
}

Spool::Spool(int fd, uint32_t partRows)
    : m_fd(fd),
      m_partRows(partRows)
{
    m_buffer.reserve(BUFFER_BYTES);
}

void
Spool::Write(Chain& chain, const void* records, size_t count, size_t recordBytes)
{
    const auto bytes = count * recordBytes;
    if (m_buffer.size() + sizeof(Head) + bytes > BUFFER_BYTES)
    {
        Flush();
    }
    const Head head{chain.last, static_cast<uint64_t>(chain.lastRecords), count};
    chain.last = m_written + static_cast<int64_t>(m_buffer.size());
    chain.records += static_cast<int64_t>(count);
    chain.lastRecords = static_cast<int64_t>(count);
    const auto* headBytes = reinterpret_cast<const uint8_t*>(&head);
    m_buffer.insert(m_buffer.end(), headBytes, headBytes + sizeof head);
    const auto* recordsBytes = static_cast<const uint8_t*>(records);
    m_buffer.insert(m_buffer.end(), recordsBytes, recordsBytes + bytes);
}

void
Spool::Flush()
{
    size_t at = 0;
    while (at < m_buffer.size())
    {
        const auto written = pwrite(m_fd, m_buffer.data() + at, m_buffer.size() - at, m_written);
        if (written < 0 && errno == EINTR)
        {
            continue;
        }
        if (written <= 0)
        {
            throw SpoolError("cannot write the spool", written < 0 ? errno : EIO);
        }
        at += static_cast<size_t>(written);
        m_written += written;
    }
    m_buffer.clear();
}

Spool::Head
Spool::ReadHead(const Place& place, int64_t at)
{
    uint8_t bytes[sizeof(Head)];
    ReadAt(place, bytes, sizeof bytes, at);
    return HeadOf(bytes, at);
}

Spool::Head
Spool::HeadOf(const uint8_t* bytes, int64_t at)
{
    Head head;
    std::memcpy(&head, bytes, sizeof head);
    // Chunks lie in the order they were written.
    if (head.before >= at)
    {
        throw SpoolError("the spool is broken", EIO);
    }
    return head;
}

std::vector<Chain>
Spool::Chunks(const Place& place, int64_t last)
{
    std::vector<Chain> chunks;
    for (auto at = last; at >= 0;)
    {
        const auto head = ReadHead(place, at);
        chunks.push_back({at, static_cast<int64_t>(head.count)});
        at = head.before;
    }
    std::reverse(chunks.begin(), chunks.end());
    return chunks;
}

void
Spool::ReadAt(const Place& place, void* into, size_t bytes, int64_t at)
{
    auto* to = static_cast<uint8_t*>(into);
    while (bytes > 0)
    {
        const auto got = pread(place.fd, to, bytes, place.base + at);
        if (got < 0 && errno == EINTR)
        {
            continue;
        }
        if (got <= 0)
        {
            throw SpoolError("cannot read the spool", got < 0 ? errno : EIO);
        }
        to += got;
        at += got;
        bytes -= static_cast<size_t>(got);
    }
}

} // namespace packets
