// SPDX-License-Identifier: MIT

#ifndef RELAY_PORT_H
#define RELAY_PORT_H

#include "line.h"
#include "plan.h"
#include "random.h"
#include "replay.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace relay
{

/// An IPv4 packet under way.
struct Packet
{
    uint8_t* data;
    uint32_t bytes;
    std::size_t route;
};

/// What a port did in one period.
struct PortCounts
{
    uint64_t packets = 0;           //!< Sent
    uint64_t bytes = 0;             //!< Sent
    uint64_t offeredBytes = 0;      //!< What a recorded line could have sent
    uint64_t lost = 0;              //!< Packets lost at random
    int64_t busyNs = 0;             //!< The line was sending
    double waitingByteNs = 0;       //!< Integral of the bytes that waited
    uint64_t mostWaitingBytes = 0;  //!< Most bytes that waited
    std::vector<uint64_t> drops;    //!< Packets that found the queue full, by route
    std::vector<uint64_t> marks;    //!< Packets marked, by route
};

/**
 * A drop-tail queue, a line, a delay, and loss. Packets come in order of time; when each will
 * leave is known at once.
 */
class Port
{
  public:
    /**
     * @param plan What it is.
     * @param seed Of its draws.
     * @param marksNs Bounds of the periods that are counted.
     * @param routes Number of routes.
     */
    Port(const PortPlan& plan,
         uint64_t seed,
         const std::vector<int64_t>& marksNs,
         std::size_t routes);

    /**
     * @param packet A packet.
     * @param nowNs When it comes.
     * @return When it is at the other end; none if it is dropped or lost.
     */
    std::optional<int64_t> Send(const Packet& packet, int64_t nowNs);

    /// @return How many packets the next burst has.
    uint32_t DrawBurst();

    /**
     * Count the bytes that wait until then.
     *
     * @param nowNs A time.
     */
    void Advance(int64_t nowNs);

    /// @return Counts, one for each period.
    const std::vector<PortCounts>& GetCounts() const;

  private:
    struct Waiting
    {
        int64_t startNs;
        uint32_t bytes;
    };

    PortCounts* CountsAt(int64_t timeNs);
    Passage Pass(int64_t nowNs, uint32_t bytes);
    void CountWaiting(int64_t untilNs);
    void CountBusy(int64_t fromNs, int64_t toNs);
    int64_t Jitter(int64_t timeNs);

    PortPlan m_plan;
    std::vector<int64_t> m_marksNs;
    std::vector<PortCounts> m_counts;
    std::optional<Line> m_line;
    std::optional<Replay> m_replay;
    Random m_draw;
    int64_t m_freeNs = INT64_MIN;
    std::deque<Waiting> m_waiting;
    uint64_t m_waitingBytes = 0;
    int64_t m_countedNs = 0;
    int64_t m_lastNs = INT64_MIN;
    int64_t m_knotNs = 0;
    int64_t m_spacingNs;
    double m_before = 0;
    double m_after;
};

} // namespace relay

#endif
