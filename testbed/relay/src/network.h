// SPDX-License-Identifier: MIT

#ifndef RELAY_NETWORK_H
#define RELAY_NETWORK_H

#include "ack-thinning.h"
#include "capture.h"
#include "frame.h"
#include "lateness.h"
#include "plan.h"
#include "port.h"
#include "tunnel.h"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relay
{

/**
 * Hosts and the ports between them. A packet is taken from a host's device, is due at one port
 * after another, and is handed to the other host's device when it is due there. How late one step
 * is done moves no later one.
 */
class Network
{
  public:
    /// @param plan What it is.
    explicit Network(const Plan& plan);

    /**
     * Carry packets.
     *
     * @param originNs What is 0 to the plan, by the monotonic clock.
     * @param stop Set by a signal that is blocked.
     * @param during Signals that are blocked while it waits: those, without that one.
     */
    void Run(int64_t originNs, const volatile std::sig_atomic_t& stop, const sigset_t& during);

    /**
     * Write the counts as JSON.
     *
     * @param file Where.
     */
    void Report(std::FILE* file);

  private:
    /// Largest packet that a device gives.
    static constexpr uint32_t ROOM_BYTES = 2048;
    static constexpr uint32_t MOST_PACKETS = 1 << 16;
    /// How long the first packet of a burst waits for the others.
    static constexpr int64_t BURST_HOLD_NS = 4'000'000;

    enum class EventKind
    {
        ARRIVE, //!< A packet comes to the next port, or to the end of its way
        BURST,  //!< A burst of a port goes on
        SERVE,  //!< The line of a port with a managed queue is free
    };

    struct Event
    {
        int64_t dueNs;
        uint64_t number; //!< Of two that are due together, the one that came first is first
        EventKind kind;
        std::size_t port = 0;     //!< BURST, SERVE: which one
        uint64_t burstNumber = 0; //!< BURST: which one
        Frame frame = {};         //!< ARRIVE: the packet

        bool operator>(const Event& other) const
        {
            return dueNs != other.dueNs ? dueNs > other.dueNs : number > other.number;
        }
    };

    struct Burst
    {
        std::vector<Frame> frames;
        uint32_t size = 0;
        uint64_t number = 0;
    };

    int64_t Now() const;
    void Take(std::size_t host);
    std::optional<std::pair<std::size_t, bool>> FindWay(std::size_t host,
                                                        const uint8_t* data,
                                                        uint32_t bytes) const;
    void HandleUntil(int64_t nowNs);
    void Arrive(const Frame& frame, int64_t nowNs);
    void Release(std::size_t port, int64_t nowNs);
    void Enter(const Frame& frame, std::size_t port, int64_t nowNs);
    void Serve(std::size_t port, int64_t nowNs);
    void Leave(const Frame& frame, const std::optional<int64_t>& dueNs);
    void HandOver(const Frame& frame, int64_t dueNs);

    Plan m_plan;
    std::vector<std::unique_ptr<Tunnel>> m_tunnels;
    std::vector<Port> m_ports;
    std::vector<Burst> m_bursts;
    std::vector<bool> m_busy; //!< Ports whose managed queue is to be asked when the line is free
    std::unordered_map<uint32_t, std::size_t> m_routes;
    std::vector<AckThinning> m_thinning; //!< By route, of what comes to its way back
    std::unique_ptr<uint8_t[]> m_room;
    std::vector<uint32_t> m_slots;
    std::priority_queue<Event, std::deque<Event>, std::greater<>> m_events;
    std::unique_ptr<Capture> m_capture;
    Lateness m_lateness;
    int64_t m_originNs = 0;
    uint64_t m_number = 0;
    uint64_t m_unrouted = 0;
    uint64_t m_noRoom = 0;
    uint64_t m_undelivered = 0;
};

} // namespace relay

#endif
