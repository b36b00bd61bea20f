// SPDX-License-Identifier: GPL-2.0-only

#include "sender/monitor-intervals.h"

#include "ns3/assert.h"

#include <algorithm>

namespace smartsbd
{

using ns3::Time;

namespace
{

/// Smoothed RTTs after closing when what is missing is lost.
constexpr double PATIENCE = 2.5;
/// Share of what the rate makes of the time; an interval with less is void.
constexpr double LEAST_SHARE = 0.7;

} // namespace

double
IntervalResult::GetLoss() const
{
    return sent == 0 ? 0 : static_cast<double>(lost) / sent;
}

double
IntervalResult::GetRttSlope() const
{
    return duration.IsZero() ? 0 : (rttAtLast - rttAtFirst).GetSeconds() / duration.GetSeconds();
}

double
IntervalResult::GetThroughput() const
{
    return duration.IsZero() ? 0 : sent / duration.GetSeconds();
}

void
MonitorIntervals::Open(std::size_t purpose, double rate, Time duration)
{
    NS_ASSERT_MSG(!IsOpen(), "an interval is open");
    auto& interval = m_intervals.emplace_back();
    interval.result.purpose = purpose;
    interval.result.rate = rate;
    interval.least = duration;
}

bool
MonitorIntervals::IsOpen() const
{
    return !m_intervals.empty() && m_intervals.back().open;
}

bool
MonitorIntervals::Close(Time now, Time srtt)
{
    if (!IsOpen())
    {
        return false;
    }
    auto& interval = m_intervals.back();
    auto& result = interval.result;
    if (interval.segments.empty() || now - interval.begin < interval.least)
    {
        return false;
    }
    interval.open = false;
    interval.deadline = now + srtt * PATIENCE;
    result.duration = now - interval.begin;
    const auto& last = interval.segments.back();
    const auto left = result.sent + result.repeated + (last.end - last.begin);
    result.limitedByRate =
        interval.timedOut || left >= LEAST_SHARE * result.rate * result.duration.GetSeconds();
    return true;
}

void
MonitorIntervals::NoteSent(uint64_t position, uint32_t size, bool repeated, Time now)
{
    if (!repeated)
    {
        if (IsOpen())
        {
            auto& interval = m_intervals.back();
            if (interval.segments.empty())
            {
                interval.begin = now;
            }
            interval.segments.push_back({position, position + size});
            interval.result.sent += size;
            ++interval.underWay;
        }
        return;
    }
    if (IsOpen())
    {
        m_intervals.back().result.repeated += size;
    }
    for (auto& interval : m_intervals)
    {
        for (auto& segment : interval.segments)
        {
            if (segment.underWay && segment.begin < position + size && position < segment.end)
            {
                segment.underWay = false;
                --interval.underWay;
                interval.result.lost += segment.end - segment.begin;
            }
        }
    }
}

void
MonitorIntervals::NoteAck(uint64_t acked,
                          const std::vector<RttSampler::Block>& sackBlocks,
                          Time srtt,
                          std::optional<Time> rtt,
                          Time now)
{
    for (auto& interval : m_intervals)
    {
        bool arrived = Deliver(interval, 0, acked);
        for (const auto& [begin, end] : sackBlocks)
        {
            arrived |= Deliver(interval, begin, end);
        }
        if (!arrived)
        {
            continue;
        }
        auto& result = interval.result;
        if (result.rttAtFirst.IsZero())
        {
            result.rttAtFirst = srtt;
        }
        result.rttAtLast = srtt;
        if (rtt)
        {
            result.rttSum += *rtt;
            ++result.samples;
            result.rtts.Add(now.GetSeconds(), rtt->GetSeconds());
        }
    }
}

void
MonitorIntervals::NoteTimeout()
{
    for (auto& interval : m_intervals)
    {
        interval.timedOut = true;
        interval.result.limitedByRate = true;
    }
}

std::optional<IntervalResult>
MonitorIntervals::Take(Time now)
{
    if (m_intervals.empty() || m_intervals.front().open)
    {
        return std::nullopt;
    }
    auto& oldest = m_intervals.front();
    if (oldest.underWay > 0 && now < oldest.deadline)
    {
        return std::nullopt;
    }
    LoseRest(oldest);
    const auto result = oldest.result;
    m_intervals.pop_front();
    return result;
}

void
MonitorIntervals::Clear()
{
    m_intervals.clear();
}

bool
MonitorIntervals::Deliver(Interval& interval, uint64_t begin, uint64_t end)
{
    if (interval.underWay == 0)
    {
        return false;
    }
    bool arrived = false;
    auto& segments = interval.segments;
    auto it = std::partition_point(segments.begin(), segments.end(), [begin](const Segment& one) {
        return one.begin < begin;
    });
    for (; it != segments.end() && it->end <= end; ++it)
    {
        if (it->underWay)
        {
            it->underWay = false;
            --interval.underWay;
            interval.result.delivered += it->end - it->begin;
            arrived = true;
        }
    }
    return arrived;
}

void
MonitorIntervals::LoseRest(Interval& interval)
{
    for (auto& segment : interval.segments)
    {
        if (segment.underWay)
        {
            segment.underWay = false;
            interval.result.lost += segment.end - segment.begin;
        }
    }
    interval.underWay = 0;
}

} // namespace smartsbd
