// SPDX-License-Identifier: MIT

#include "port.h"

#include <algorithm>
#include <cmath>

namespace relay
{

namespace
{

constexpr uint8_t ECN_BITS = 3;
constexpr uint32_t TOS = 1;
constexpr uint32_t CHECKSUM = 10;

/// Mark an IPv4 packet whose transport can use ECN; return whether it can.
bool
Mark(const Packet& packet)
{
    auto* header = packet.data;
    if ((header[TOS] & ECN_BITS) == 0)
    {
        return false;
    }
    header[TOS] |= ECN_BITS;
    header[CHECKSUM] = header[CHECKSUM + 1] = 0;
    const auto bytes = std::min<uint32_t>(4U * (header[0] & 15U), packet.bytes);
    uint32_t sum = 0;
    for (uint32_t i = 0; i + 1 < bytes; i += 2)
    {
        sum += static_cast<uint32_t>(header[i] << 8 | header[i + 1]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~(sum + (sum >> 16)) & 0xffff;
    header[CHECKSUM] = static_cast<uint8_t>(sum >> 8);
    header[CHECKSUM + 1] = static_cast<uint8_t>(sum);
    return true;
}

} // namespace

Port::Port(const PortPlan& plan,
           uint64_t seed,
           const std::vector<int64_t>& marksNs,
           std::size_t routes)
    : m_plan(plan),
      m_marksNs(marksNs),
      m_counts(marksNs.size() - 1),
      m_draw(seed),
      m_spacingNs(std::max<int64_t>(4 * plan.jitterNs, 1'000'000)),
      m_after(m_draw.Uniform())
{
    const auto seedOfLine = seed ^ 0x5deece66d;
    if (plan.discipline == Discipline::POLICER)
    {
        m_policer.emplace(plan, seedOfLine);
    }
    else if (!plan.rate.empty())
    {
        m_line.emplace(plan, seedOfLine);
    }
    if (!plan.momentsMs.empty())
    {
        m_replay.emplace(plan.momentsMs);
        for (std::size_t i = 0; i < m_counts.size(); ++i)
        {
            const auto moments =
                m_replay->CountBefore(marksNs[i + 1]) - m_replay->CountBefore(marksNs[i]);
            m_counts[i].offeredBytes = Replay::BYTES * moments;
        }
    }
    if (plan.discipline == Discipline::CODEL)
    {
        m_codel.emplace();
    }
    for (auto& counts : m_counts)
    {
        counts.drops.resize(routes);
        counts.marks.resize(routes);
    }
}

std::optional<int64_t>
Port::Send(const Packet& packet, int64_t nowNs)
{
    Advance(nowNs);
    std::optional<int64_t> atNs = nowNs;
    if (m_policer)
    {
        atNs = Police(packet, nowNs);
    }
    else if (m_line || m_replay)
    {
        atNs = OnLine(packet, nowNs);
    }
    if (!atNs)
    {
        return std::nullopt;
    }
    CountSent(*atNs, packet.bytes);
    return Behind(nowNs, *atNs);
}

/// When the line has sent a packet; none if the queue is full.
std::optional<int64_t>
Port::OnLine(const Packet& packet, int64_t nowNs)
{
    auto* counts = CountsAt(nowNs);
    const bool marked = m_plan.markBytes && m_waitingBytes > *m_plan.markBytes && Mark(packet);
    if (m_waitingBytes + packet.bytes > m_plan.queueBytes)
    {
        if (counts)
        {
            ++counts->drops[packet.route];
        }
        return std::nullopt;
    }
    const auto passage = Pass(nowNs, packet.bytes);
    m_freeNs = passage.endNs;
    CountBusy(passage.beginNs, passage.endNs);
    if (passage.beginNs > nowNs)
    {
        m_waiting.push_back({passage.beginNs, packet.bytes});
        m_waitingBytes += packet.bytes;
    }
    if (counts)
    {
        counts->marks[packet.route] += marked;
        counts->mostWaitingBytes = std::max(counts->mostWaitingBytes, m_waitingBytes);
    }
    return m_freeNs;
}

/// When the line behind the token bucket has sent a packet; none if there are too few tokens.
std::optional<int64_t>
Port::Police(const Packet& packet, int64_t nowNs)
{
    const auto atNs = m_policer->Send(nowNs, packet.bytes);
    if (auto* counts = CountsAt(nowNs); counts && !atNs)
    {
        ++counts->drops[packet.route];
    }
    return atNs;
}

bool
Port::IsManaged() const
{
    return m_codel.has_value();
}

bool
Port::Queue(const Frame& frame, int64_t nowNs)
{
    CountWaiting(nowNs);
    auto* counts = CountsAt(nowNs);
    if (m_waitingBytes + frame.packet.bytes > m_plan.queueBytes)
    {
        if (counts)
        {
            ++counts->drops[frame.packet.route];
        }
        return false;
    }
    m_codel->Push(frame, nowNs);
    m_waitingBytes = m_codel->GetBytes();
    if (counts)
    {
        counts->mostWaitingBytes = std::max(counts->mostWaitingBytes, m_waitingBytes);
    }
    return true;
}

std::optional<Departure>
Port::Serve(int64_t nowNs, std::vector<Frame>& dropped)
{
    CountWaiting(nowNs);
    const auto frame = m_codel->Pop(nowNs, dropped);
    m_waitingBytes = m_codel->GetBytes();
    if (auto* counts = CountsAt(nowNs))
    {
        for (const auto& one : dropped)
        {
            ++counts->drops[one.packet.route];
        }
    }
    if (!frame)
    {
        return std::nullopt;
    }
    const auto passage = Pass(nowNs, frame->packet.bytes);
    m_freeNs = passage.endNs;
    CountBusy(passage.beginNs, passage.endNs);
    CountSent(m_freeNs, frame->packet.bytes);
    return Departure{*frame, m_freeNs, Behind(nowNs, m_freeNs)};
}

uint32_t
Port::DrawBurst()
{
    const auto sizes = m_plan.burstHigh - m_plan.burstLow + 1;
    return m_plan.burstLow + static_cast<uint32_t>(m_draw.Uniform() * sizes);
}

void
Port::Advance(int64_t nowNs)
{
    if (m_policer)
    {
        const auto taken = m_policer->Refill(nowNs);
        CountBusy(taken.beginNs, taken.endNs);
    }
    while (!m_waiting.empty() && m_waiting.front().startNs <= nowNs)
    {
        CountWaiting(m_waiting.front().startNs);
        m_waitingBytes -= m_waiting.front().bytes;
        m_waiting.pop_front();
    }
    CountWaiting(nowNs);
}

const std::vector<PortCounts>&
Port::GetCounts() const
{
    return m_counts;
}

PortCounts*
Port::CountsAt(int64_t timeNs)
{
    const auto next = std::upper_bound(m_marksNs.begin(), m_marksNs.end(), timeNs);
    const bool counted = next != m_marksNs.begin() && next != m_marksNs.end();
    return counted ? &m_counts[static_cast<std::size_t>(next - m_marksNs.begin() - 1)] : nullptr;
}

Passage
Port::Pass(int64_t nowNs, uint32_t bytes)
{
    if (m_replay)
    {
        return m_replay->Send(nowNs, bytes);
    }
    const auto startNs = std::max(nowNs, m_freeNs);
    return {startNs, m_line->Send(startNs, bytes)};
}

void
Port::CountWaiting(int64_t untilNs)
{
    for (std::size_t i = 0; i < m_counts.size() && m_waitingBytes > 0; ++i)
    {
        const auto ns = std::min(untilNs, m_marksNs[i + 1]) - std::max(m_countedNs, m_marksNs[i]);
        if (ns > 0)
        {
            m_counts[i].waitingByteNs +=
                static_cast<double>(ns) * static_cast<double>(m_waitingBytes);
        }
    }
    m_countedNs = std::max(m_countedNs, untilNs);
}

void
Port::CountBusy(int64_t fromNs, int64_t toNs)
{
    for (std::size_t i = 0; i < m_counts.size(); ++i)
    {
        const auto ns = std::min(toNs, m_marksNs[i + 1]) - std::max(fromNs, m_marksNs[i]);
        m_counts[i].busyNs += std::max<int64_t>(ns, 0);
    }
}

void
Port::CountSent(int64_t atNs, uint32_t bytes)
{
    if (auto* counts = CountsAt(atNs))
    {
        ++counts->packets;
        counts->bytes += bytes;
    }
}

/// What is behind the line: when a packet that it has sent is at the other end, unless it is lost.
std::optional<int64_t>
Port::Behind(int64_t cameNs, int64_t sentNs)
{
    if (m_plan.loss > 0 && m_draw.Uniform() < m_plan.loss)
    {
        if (auto* counts = CountsAt(cameNs))
        {
            ++counts->lost;
        }
        return std::nullopt;
    }
    auto atNs = sentNs + m_plan.delayNs + Jitter(sentNs);
    if (m_plan.holdNs > 0)
    {
        atNs += std::llround(m_draw.Uniform() * static_cast<double>(m_plan.holdNs));
    }
    m_lastNs = std::max(m_lastNs, atNs);
    return m_lastNs;
}

/// Between knots that are drawn the delay goes straight, so slowly that packets keep their order.
int64_t
Port::Jitter(int64_t timeNs)
{
    if (m_plan.jitterNs == 0)
    {
        return 0;
    }
    while (m_knotNs <= timeNs)
    {
        m_knotNs += m_spacingNs;
        m_before = m_after;
        m_after = m_draw.Uniform();
    }
    const double rest = static_cast<double>(m_knotNs - timeNs) / static_cast<double>(m_spacingNs);
    const double part = m_after + (m_before - m_after) * rest;
    return std::llround(part * 2 * static_cast<double>(m_plan.jitterNs));
}

} // namespace relay
