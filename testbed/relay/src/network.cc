// SPDX-License-Identifier: MIT

#include "network.h"

#include "big-endian.h"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <cinttypes>
#include <ctime>
#include <functional>
#include <string>

namespace relay
{

namespace
{

constexpr int64_t NS_PER_S = 1'000'000'000;
/// Packets taken from one device before the others have their turn.
constexpr int TURN_PACKETS = 64;
constexpr uint32_t IPV4_BYTES = 20;
constexpr uint32_t SOURCE = 12;
constexpr uint32_t DESTINATION = 16;

/// What this process has taken of a processor, in s.
double
GetCpuS()
{
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::string
Printed(const std::vector<uint64_t>& numbers)
{
    std::string text;
    for (const auto number : numbers)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return "[" + text + "]";
}

} // namespace

Network::Network(const Plan& plan)
    : m_plan(plan),
      m_bursts(plan.ports.size()),
      m_busy(plan.ports.size()),
      m_room(std::make_unique_for_overwrite<uint8_t[]>(std::size_t{MOST_PACKETS} * ROOM_BYTES))
{
    for (const auto& host : plan.hosts)
    {
        m_tunnels.push_back(std::make_unique<Tunnel>(host));
    }
    for (std::size_t i = 0; i < plan.ports.size(); ++i)
    {
        m_ports.emplace_back(plan.ports[i],
                             plan.seed * 1000 + i,
                             plan.marksNs,
                             plan.routes.size());
        if (plan.ports[i].burstHigh > 0)
        {
            m_bursts[i].size = m_ports[i].DrawBurst();
        }
    }
    for (std::size_t i = 0; i < plan.routes.size(); ++i)
    {
        m_routes[plan.routes[i].address] = i;
        m_thinning.emplace_back(plan.routes[i].ackEvery);
    }
    for (auto slot = MOST_PACKETS; slot > 0; --slot)
    {
        m_slots.push_back(slot - 1);
    }
    if (!plan.capturePath.empty())
    {
        m_capture = std::make_unique<Capture>(plan.capturePath);
    }
}

void
Network::Run(int64_t originNs, const volatile std::sig_atomic_t& stop, const sigset_t& during)
{
    m_originNs = originNs;
    std::vector<pollfd> files;
    for (const auto& tunnel : m_tunnels)
    {
        files.push_back({tunnel->GetFile(), POLLIN, 0});
    }
    while (!stop)
    {
        HandleUntil(Now());
        const auto waitNs =
            m_events.empty() ? NS_PER_S
                             : std::clamp<int64_t>(m_events.top().dueNs - Now(), 0, NS_PER_S);
        const timespec wait{waitNs / NS_PER_S, waitNs % NS_PER_S};
        if (ppoll(files.data(), files.size(), &wait, &during) <= 0)
        {
            continue;
        }
        for (std::size_t i = 0; i < files.size(); ++i)
        {
            if (files[i].revents & POLLIN)
            {
                Take(i);
            }
        }
    }
    const auto endNs = Now();
    for (auto& port : m_ports)
    {
        port.Advance(endNs);
    }
    if (m_capture)
    {
        m_capture->Finish();
    }
}

int64_t
Network::Now() const
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec - m_originNs;
}

void
Network::Take(std::size_t host)
{
    for (int i = 0; i < TURN_PACKETS; ++i)
    {
        if (m_slots.empty())
        {
            uint8_t dropped[ROOM_BYTES];
            if (m_tunnels[host]->Read(dropped, ROOM_BYTES) == 0)
            {
                return;
            }
            ++m_noRoom;
            continue;
        }
        const auto slot = m_slots.back();
        auto* data = m_room.get() + std::size_t{slot} * ROOM_BYTES;
        const auto bytes = m_tunnels[host]->Read(data, ROOM_BYTES);
        if (bytes == 0)
        {
            return;
        }
        m_slots.pop_back();
        const auto nowNs = Now();
        // What is due before this packet comes goes first, and gives its slots back.
        HandleUntil(nowNs);
        if (m_capture && host == m_plan.captureHost)
        {
            m_capture->Add(m_originNs + nowNs, data, bytes);
        }
        const auto way = FindWay(host, data, bytes);
        if (!way)
        {
            ++m_unrouted;
            m_slots.push_back(slot);
            continue;
        }
        if (!way->second && m_thinning[way->first].Drops(data, bytes))
        {
            m_slots.push_back(slot);
            continue;
        }
        Arrive({{data, bytes, way->first}, slot, way->second, 0}, nowNs);
    }
}

/// A packet's route, and whether it goes from the route's address; none if it has no route.
std::optional<std::pair<std::size_t, bool>>
Network::FindWay(std::size_t host, const uint8_t* data, uint32_t bytes) const
{
    if (bytes < IPV4_BYTES || data[0] >> 4 != 4)
    {
        return std::nullopt;
    }
    const auto source = m_routes.find(Read32(data + SOURCE));
    if (source != m_routes.end() && m_plan.routes[source->second].from == host)
    {
        return std::pair{source->second, true};
    }
    const auto destination = m_routes.find(Read32(data + DESTINATION));
    if (destination != m_routes.end() && m_plan.routes[destination->second].to == host)
    {
        return std::pair{destination->second, false};
    }
    return std::nullopt;
}

void
Network::HandleUntil(int64_t nowNs)
{
    while (!m_events.empty() && m_events.top().dueNs <= nowNs)
    {
        const auto event = m_events.top();
        m_events.pop();
        if (event.kind == EventKind::ARRIVE)
        {
            Arrive(event.frame, event.dueNs);
        }
        else if (event.kind == EventKind::SERVE)
        {
            Serve(event.port, event.dueNs);
        }
        else if (event.burstNumber == m_bursts[event.port].number)
        {
            Release(event.port, event.dueNs);
        }
    }
}

void
Network::Arrive(const Frame& frame, int64_t nowNs)
{
    const auto& route = m_plan.routes[frame.packet.route];
    const auto& ports = frame.there ? route.there : route.back;
    if (frame.hop == ports.size())
    {
        HandOver(frame, nowNs);
        return;
    }
    const auto port = ports[frame.hop];
    auto& burst = m_bursts[port];
    if (burst.size == 0)
    {
        Enter(frame, port, nowNs);
        return;
    }
    burst.frames.push_back(frame);
    if (burst.frames.size() >= burst.size)
    {
        Release(port, nowNs);
    }
    else if (burst.frames.size() == 1)
    {
        m_events.push({nowNs + BURST_HOLD_NS, m_number++, EventKind::BURST, port, burst.number});
    }
}

void
Network::Release(std::size_t port, int64_t nowNs)
{
    auto& burst = m_bursts[port];
    for (const auto& frame : burst.frames)
    {
        Enter(frame, port, nowNs);
    }
    burst.frames.clear();
    burst.size = m_ports[port].DrawBurst();
    ++burst.number;
}

void
Network::Enter(const Frame& frame, std::size_t port, int64_t nowNs)
{
    if (!m_ports[port].IsManaged())
    {
        Leave(frame, m_ports[port].Send(frame.packet, nowNs));
    }
    else if (!m_ports[port].Queue(frame, nowNs))
    {
        m_slots.push_back(frame.slot);
    }
    else if (!m_busy[port])
    {
        Serve(port, nowNs);
    }
}

void
Network::Serve(std::size_t port, int64_t nowNs)
{
    std::vector<Frame> dropped;
    const auto departure = m_ports[port].Serve(nowNs, dropped);
    for (const auto& frame : dropped)
    {
        m_slots.push_back(frame.slot);
    }
    m_busy[port] = departure.has_value();
    if (departure)
    {
        m_events.push({departure->freeNs, m_number++, EventKind::SERVE, port});
        Leave(departure->frame, departure->dueNs);
    }
}

/// A packet that a port has sent goes on; one that is dropped or lost gives its slot back.
void
Network::Leave(const Frame& frame, const std::optional<int64_t>& dueNs)
{
    if (!dueNs)
    {
        m_slots.push_back(frame.slot);
        return;
    }
    auto further = frame;
    ++further.hop;
    m_events.push({*dueNs, m_number++, EventKind::ARRIVE, 0, 0, further});
}

void
Network::HandOver(const Frame& frame, int64_t dueNs)
{
    const auto& route = m_plan.routes[frame.packet.route];
    const auto host = frame.there ? route.to : route.from;
    const auto nowNs = Now();
    m_lateness.Add(nowNs - dueNs);
    if (m_capture && host == m_plan.captureHost)
    {
        m_capture->Add(m_originNs + nowNs, frame.packet.data, frame.packet.bytes);
    }
    m_undelivered += !m_tunnels[host]->Write(frame.packet.data, frame.packet.bytes);
    m_slots.push_back(frame.slot);
}

void
Network::Report(std::FILE* file)
{
    std::fprintf(file, "{\"ports\": [");
    for (std::size_t i = 0; i < m_ports.size(); ++i)
    {
        std::fprintf(file, "%s\n [", i ? "," : "");
        const auto& counts = m_ports[i].GetCounts();
        for (std::size_t k = 0; k < counts.size(); ++k)
        {
            const auto& one = counts[k];
            const auto ns = static_cast<double>(m_plan.marksNs[k + 1] - m_plan.marksNs[k]);
            std::fprintf(file,
                         "%s{\"from_ns\": %" PRId64 ", \"packets\": %" PRIu64
                         ", \"bytes\": %" PRIu64 ", \"offered_bytes\": %" PRIu64
                         ", \"busy_ns\": %" PRId64
                         ", \"lost\": %" PRIu64 ", \"mean_waiting_bytes\": %.1f"
                         ", \"most_waiting_bytes\": %" PRIu64 ", \"drops\": %s, \"marks\": %s}",
                         k ? ",\n  " : "",
                         m_plan.marksNs[k],
                         one.packets,
                         one.bytes,
                         one.offeredBytes,
                         one.busyNs,
                         one.lost,
                         one.waitingByteNs / ns,
                         one.mostWaitingBytes,
                         Printed(one.drops).c_str(),
                         Printed(one.marks).c_str());
        }
        std::fprintf(file, "]");
    }
    std::vector<uint64_t> thinned;
    for (const auto& one : m_thinning)
    {
        thinned.push_back(one.GetDropped());
    }
    std::fprintf(file,
                 "],\n \"lateness\": {\"packets\": %" PRIu64
                 ", \"mean_us\": %.1f, \"p99_us\": %.1f, \"max_us\": %.1f},\n"
                 " \"unrouted\": %" PRIu64 ", \"no_room\": %" PRIu64 ", \"undelivered\": %" PRIu64
                 ",\n \"thinned_acks\": %s, \"cpu_s\": %.3f}\n",
                 m_lateness.GetPackets(),
                 m_lateness.GetMeanUs(),
                 m_lateness.GetQuantileUs(0.99),
                 m_lateness.GetMostUs(),
                 m_unrouted,
                 m_noRoom,
                 m_undelivered,
                 Printed(thinned).c_str(),
                 GetCpuS());
}

} // namespace relay
