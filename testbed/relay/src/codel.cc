// SPDX-License-Identifier: MIT

#include "codel.h"

#include <cmath>

namespace relay
{

namespace
{

/// As RFC 8289 has them, and Linux.
constexpr int64_t TARGET_NS = 5'000'000;
constexpr int64_t INTERVAL_NS = 100'000'000;
constexpr uint64_t MOST_PACKET_BYTES = 1514;

} // namespace

void
Codel::Push(const Frame& frame, int64_t nowNs)
{
    m_waiting.push_back({frame, nowNs});
    m_bytes += frame.packet.bytes;
}

std::optional<Frame>
Codel::Pop(int64_t nowNs, std::vector<Frame>& dropped)
{
    auto frame = Take(nowNs);
    if (m_dropping)
    {
        m_dropping = m_tooLong;
        while (m_dropping && nowNs >= m_dropNextNs)
        {
            dropped.push_back(*frame);
            ++m_count;
            frame = Take(nowNs);
            m_dropping = m_tooLong;
            if (m_dropping)
            {
                m_dropNextNs = NextDropNs(m_dropNextNs);
            }
        }
    }
    else if (m_tooLong)
    {
        dropped.push_back(*frame);
        frame = Take(nowNs);
        m_dropping = true;
        // If it dropped lately, it goes on about as often as it did.
        const auto delta = m_count - m_lastCount;
        m_count = delta > 1 && nowNs - m_dropNextNs < 16 * INTERVAL_NS ? delta : 1;
        m_dropNextNs = NextDropNs(nowNs);
        m_lastCount = m_count;
    }
    return frame;
}

uint64_t
Codel::GetBytes() const
{
    return m_bytes;
}

/// The first packet; whether it may be dropped is noted.
std::optional<Frame>
Codel::Take(int64_t nowNs)
{
    m_tooLong = false;
    if (m_waiting.empty())
    {
        m_firstAboveNs = 0;
        return std::nullopt;
    }
    const auto [frame, sinceNs] = m_waiting.front();
    m_waiting.pop_front();
    m_bytes -= frame.packet.bytes;
    if (nowNs - sinceNs < TARGET_NS || m_bytes <= MOST_PACKET_BYTES)
    {
        m_firstAboveNs = 0;
    }
    else if (m_firstAboveNs == 0)
    {
        m_firstAboveNs = nowNs + INTERVAL_NS;
    }
    else
    {
        m_tooLong = nowNs >= m_firstAboveNs;
    }
    return frame;
}

int64_t
Codel::NextDropNs(int64_t afterNs) const
{
    return afterNs + std::llround(static_cast<double>(INTERVAL_NS) / std::sqrt(m_count));
}

} // namespace relay
