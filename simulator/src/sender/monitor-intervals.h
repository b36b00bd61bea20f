// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MONITOR_INTERVALS_H
#define SMARTSBD_MONITOR_INTERVALS_H

#include "sender/line-fit.h"
#include "sender/rtt-sampler.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What a monitor interval came to.
struct IntervalResult
{
    std::size_t purpose{0};  //!< What it was opened for, in numbers of whoever did
    double rate{0};          //!< Rate it was sent at, in bytes/s; 0: at none in particular
    uint64_t sent{0};        //!< Bytes sent first in it
    uint64_t repeated{0};    //!< Bytes of retransmissions that left in it
    uint64_t delivered{0};   //!< Of the bytes sent first in it, those that arrived
    uint64_t lost{0};        //!< Of the bytes sent first in it, those that were sent again
    ns3::Time duration;      //!< From its first segment until it was closed
    ns3::Time rttAtFirst;    //!< Smoothed RTT when the first of its bytes had arrived
    ns3::Time rttAtLast;     //!< Smoothed RTT when the last of those that did had arrived
    ns3::Time rttSum;        //!< Sum of RTT samples that came with its bytes
    uint64_t samples{0};     //!< Number of these
    LineFit rtts;            //!< The line through these in s, over the times of their ACKs in s
    bool limitedByRate{true}; //!< Whether it says something of its rate; otherwise it is void

    /// @return Bytes lost over bytes sent.
    double GetLoss() const;

    /// @return Change of the smoothed RTT over the time in which it was sent.
    double GetRttSlope() const;

    /// @return Bytes sent first in it over the time that took, in bytes/s.
    double GetThroughput() const;
};

/**
 * The monitor intervals of a subflow (a reconstruction, after MPCC's kernel module).
 *
 * An interval owns the bytes that are sent first while it is open, and is complete when each of
 * them has arrived or has been sent again. A byte that was sent again is lost, whatever becomes of
 * it. What is missing 2.5 smoothed RTTs after it was closed is lost too.
 *
 * An interval is void if the sender had less to send, or was not allowed to: if all that left in
 * it, one segment more, is less than 0.7 of what its rate makes of its time. Retransmissions are
 * part of what left, for they take their turn in the pacing. After a timeout none is void.
 */
class MonitorIntervals
{
  public:
    /**
     * Open an interval, while none is open. Its time begins with its first segment.
     *
     * @param purpose What it is for.
     * @param rate Rate it is sent at, in bytes/s; 0: at none in particular, it is never void.
     * @param duration How long it is open at least.
     */
    void Open(std::size_t purpose, double rate, ns3::Time duration);

    /// @return Whether an interval is open.
    bool IsOpen() const;

    /**
     * Close the open interval, if there is one and its time has passed.
     *
     * @param now The time.
     * @param srtt The smoothed RTT.
     * @return Whether it was closed now.
     */
    bool Close(ns3::Time now, ns3::Time srtt);

    /**
     * A segment leaves.
     *
     * @param position Its first byte.
     * @param size Its size in bytes.
     * @param repeated Whether it left before.
     * @param now The time.
     */
    void NoteSent(uint64_t position, uint32_t size, bool repeated, ns3::Time now);

    /**
     * An ACK has come.
     *
     * @param acked All bytes before this one have arrived.
     * @param sackBlocks What has arrived beyond it.
     * @param srtt The smoothed RTT, with the sample of this ACK.
     * @param rtt The sample, if it gives one.
     * @param now The time.
     */
    void NoteAck(uint64_t acked,
                 const std::vector<RttSampler::Block>& sackBlocks,
                 ns3::Time srtt,
                 std::optional<ns3::Time> rtt,
                 ns3::Time now);

    /// The retransmission timer has run out.
    void NoteTimeout();

    /**
     * Take the oldest interval, if it is complete.
     *
     * @param now The time.
     * @return What it came to, or none.
     */
    std::optional<IntervalResult> Take(ns3::Time now);

    /// Forget all intervals.
    void Clear();

  private:
    /// A segment that was sent first in an interval.
    struct Segment
    {
        uint64_t begin;        //!< First byte
        uint64_t end;          //!< Byte after the last one
        bool underWay{true};   //!< Whether nothing is known of it
    };

    /// An interval.
    struct Interval
    {
        IntervalResult result;         //!< What it came to so far
        ns3::Time least;               //!< How long it is open at least
        ns3::Time begin;               //!< When its first segment left
        ns3::Time deadline;            //!< When what is missing is lost
        std::vector<Segment> segments; //!< Its segments, in order
        std::size_t underWay{0};       //!< How many of them nothing is known of
        bool open{true};               //!< Whether it is open
        bool timedOut{false};          //!< Whether the retransmission timer ran out meanwhile
    };

    /**
     * Mark the segments of a range that have arrived.
     *
     * @param interval An interval.
     * @param begin First byte of the range.
     * @param end Byte after the last one.
     * @return Whether one of them has.
     */
    static bool Deliver(Interval& interval, uint64_t begin, uint64_t end);

    /**
     * @param interval An interval; all of it that is under way is lost.
     */
    static void LoseRest(Interval& interval);

    std::deque<Interval> m_intervals; //!< Those that have not been taken, in order
};

} // namespace smartsbd

#endif /* SMARTSBD_MONITOR_INTERVALS_H */
