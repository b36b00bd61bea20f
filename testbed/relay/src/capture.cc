// SPDX-License-Identifier: MIT

#include "capture.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace relay
{

namespace
{

/// Headers of IP and TCP with all their options.
constexpr uint32_t SNAP_BYTES = 120;
constexpr std::size_t BLOCK_BYTES = 1 << 18;
constexpr int64_t NS_PER_S = 1'000'000'000;

struct FileHeader
{
    uint32_t magic = 0xa1b23c4d; //!< Times in nanoseconds
    uint16_t major = 2;
    uint16_t minor = 4;
    uint32_t zone = 0;
    uint32_t accuracy = 0;
    uint32_t snapBytes = SNAP_BYTES;
    uint32_t link = 101; //!< IP without anything before it
};

struct PacketHeader
{
    uint32_t seconds;
    uint32_t nanoseconds;
    uint32_t capturedBytes;
    uint32_t bytes;
};

} // namespace

Capture::Capture(const std::string& path)
    : m_path(path),
      m_file(std::fopen(path.c_str(), "wbxe"))
{
    if (!m_file)
    {
        throw std::system_error(errno, std::generic_category(), path);
    }
    const FileHeader header;
    Put(&header, sizeof header);
    m_writer = std::thread(&Capture::Write, this);
}

Capture::~Capture()
{
    if (m_writer.joinable())
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ended = true;
        }
        m_changed.notify_one();
        m_writer.join();
        std::fclose(m_file);
    }
}

void
Capture::Add(int64_t timeNs, const uint8_t* data, uint32_t bytes)
{
    const PacketHeader header{static_cast<uint32_t>(timeNs / NS_PER_S),
                              static_cast<uint32_t>(timeNs % NS_PER_S),
                              std::min(bytes, SNAP_BYTES),
                              bytes};
    Put(&header, sizeof header);
    Put(data, header.capturedBytes);
    if (m_block.size() >= BLOCK_BYTES)
    {
        HandOver();
    }
}

void
Capture::Finish()
{
    HandOver();
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
    }
    m_changed.notify_one();
    m_writer.join();
    if (std::fclose(m_file) != 0 && m_error == 0)
    {
        m_error = errno;
    }
    if (m_error != 0)
    {
        throw std::system_error(m_error, std::generic_category(), m_path);
    }
}

void
Capture::Put(const void* data, std::size_t bytes)
{
    const auto* from = static_cast<const uint8_t*>(data);
    m_block.insert(m_block.end(), from, from + bytes);
}

void
Capture::HandOver()
{
    {
        const std::lock_guard lock(m_mutex);
        m_blocks.push_back(std::move(m_block));
    }
    m_changed.notify_one();
    m_block.clear();
    m_block.reserve(BLOCK_BYTES + sizeof(PacketHeader) + SNAP_BYTES);
}

void
Capture::Write()
{
    std::unique_lock lock(m_mutex);
    while (!m_ended || !m_blocks.empty())
    {
        m_changed.wait(lock, [this] { return m_ended || !m_blocks.empty(); });
        const auto blocks = std::move(m_blocks);
        m_blocks.clear();
        lock.unlock();
        int error = 0;
        for (const auto& block : blocks)
        {
            if (std::fwrite(block.data(), 1, block.size(), m_file) != block.size())
            {
                error = errno;
            }
        }
        lock.lock();
        m_error = m_error != 0 ? m_error : error;
    }
}

} // namespace relay
