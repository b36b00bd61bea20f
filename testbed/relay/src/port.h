// SPDX-License-Identifier: MIT

#ifndef RELAY_PORT_H
#define RELAY_PORT_H

#include "codel.h"
#include "frame.h"
#include "line.h"
#include "plan.h"
#include "policer.h"
#include "random.h"
#include "replay.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace relay
{

/// A packet that leaves a managed queue.
struct Departure
{
    Frame frame;
    int64_t freeNs;               //!< When the line has sent it
    std::optional<int64_t> dueNs; //!< When it is at the other end; none if it is lost
};

/// What a port did in one period.
struct PortCounts
{
    uint64_t packets = 0;           //!< Sent
    uint64_t bytes = 0;             //!< Sent
    uint64_t offeredBytes = 0;      //!< What a recorded line could have sent
    uint64_t lost = 0;              //!< Packets lost at random
    int64_t busyNs = 0;             //!< The line was sending; a token bucket was not full
    double waitingByteNs = 0;       //!< Integral of the bytes that waited
    uint64_t mostWaitingBytes = 0;  //!< Most bytes that waited
    std::vector<uint64_t> drops;    //!< Packets that the queue dropped, by route
    std::vector<uint64_t> marks;    //!< Packets marked, by route
};

/**
 * A queue, a line, a delay, and loss. Packets come in order of time. When each will leave a
 * drop-tail queue or a policer is known at once; a managed queue is asked whenever the line is
 * free.
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

    /// @return Whether the queue is managed: Queue() and Serve() stand in for Send().
    bool IsManaged() const;

    /**
     * @param frame A packet.
     * @param nowNs When it comes.
     * @return Whether there was room for it.
     */
    bool Queue(const Frame& frame, int64_t nowNs);

    /**
     * Send the next packet of a managed queue.
     *
     * @param nowNs When the line is free.
     * @param dropped Packets that are dropped before it, added at the end.
     * @return The packet; none if none is left.
     */
    std::optional<Departure> Serve(int64_t nowNs, std::vector<Frame>& dropped);

    /// @return How many packets the next burst has.
    uint32_t DrawBurst();

    /**
     * Count the bytes that wait until then, and the time in which a token bucket is not full.
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
    void CountSent(int64_t atNs, uint32_t bytes);
    std::optional<int64_t> OnLine(const Packet& packet, int64_t nowNs);
    std::optional<int64_t> Police(const Packet& packet, int64_t nowNs);
    std::optional<int64_t> Behind(int64_t cameNs, int64_t sentNs);
    int64_t Jitter(int64_t timeNs);

    PortPlan m_plan;
    std::vector<int64_t> m_marksNs;
    std::vector<PortCounts> m_counts;
    std::optional<Line> m_line;
    std::optional<Replay> m_replay;
    std::optional<Codel> m_codel;
    std::optional<Policer> m_policer;
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
