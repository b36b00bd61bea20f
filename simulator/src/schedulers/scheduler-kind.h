// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SCHEDULER_KIND_H
#define SMARTSBD_SCHEDULER_KIND_H

#include "sender/meta-queue.h"
#include "parameter.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What a scheduler sees of a subflow. Windows and what is in flight are in segments.
struct PathView
{
    bool available{false};         //!< Whether it is established and not in Loss
    bool usable{false};            //!< Whether it is, and its window has room for a segment
    bool initialSlowStart{false};  //!< Whether it has had no slow start threshold yet
    bool startsUp{false};          //!< Whether BBR is in STARTUP; without BBR, the same
    ns3::Time srtt;                //!< Its smoothed RTT; zero before the first sample
    ns3::Time leastSrtt;           //!< Least smoothed RTT so far; zero before the first sample
    ns3::Time mostSrtt;            //!< Largest smoothed RTT so far
    ns3::Time rttVariation;        //!< Mean deviation of its RTT samples
    uint32_t window{0};            //!< Its congestion window
    uint32_t threshold{0};         //!< Its slow start threshold
    uint32_t inFlight{0};          //!< Segments in flight, as the pipe of RFC 6675 counts them
    uint64_t unacknowledged{0};    //!< Bytes it was given and has not acknowledged
    uint64_t sent{0};              //!< Segments it has sent, repeated ones included
    uint64_t repeated{0};          //!< Segments it has sent again
};

/// The subflows of a connection, by their index.
using PathViews = std::vector<PathView>;

/// What a scheduler sees of the connection.
struct MetaView
{
    MetaQueue& queue;         //!< Segments no DATA_ACK covers yet
    uint32_t mss;             //!< Bytes of a segment
    uint32_t sendWindow;      //!< Receive window that the client tells, in bytes
    bool hasNew;              //!< Whether new data can go out now: there are some, and window left
    uint64_t buffered;        //!< Bytes the application has given and no subflow has got
    uint64_t retransmissions; //!< Segments that went out again, by reinjection or to free a window
    ns3::Time now;            //!< The time
};

/// A segment, and the subflow it goes to.
struct Choice
{
    std::size_t subflow; //!< Index of the subflow
    uint64_t segment;    //!< Data sequence number; new data, or a segment of the queue
};

/// A round of a scheduler that learns.
struct SchedulerRound
{
    ns3::Time from;               //!< When it began
    double share;                 //!< Share of the segments that went out as copies
    std::optional<double> reward; //!< What it brought, or none: nothing was acknowledged
    bool changed;                 //!< Whether the learner began again after it
};

/// Chooses what each subflow sends.
class SubflowScheduler
{
  public:
    virtual ~SubflowScheduler() = default;

    /**
     * Choose a segment and a subflow for it. It is called until it chooses none, after each ACK.
     *
     * @param meta The connection.
     * @param paths All subflows.
     * @return A usable subflow, with new data if there are any, or with a segment of the queue; or
     *         none.
     */
    virtual std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) = 0;

    /**
     * A segment has gone out: a choice of its own, or one that the connection sends again.
     *
     * @param choice The segment and its subflow.
     * @param isNew Whether the segment had never gone out.
     * @param now The time.
     */
    virtual void NoteGiven(const Choice& choice, bool isNew, ns3::Time now);

    /**
     * An ACK has come, before the subflows are asked for room.
     *
     * @param subflow Index of the subflow that it came on.
     * @param acked Cumulatively acknowledged bytes of that subflow.
     * @param dataAck Highest DATA_ACK so far.
     * @param now The time.
     */
    virtual void NoteAck(std::size_t subflow, uint64_t acked, uint64_t dataAck, ns3::Time now);

    /// @return Its rounds so far; none for one that does not learn.
    virtual const std::vector<SchedulerRound>& GetRounds() const;
};

/**
 * @param paths All subflows.
 * @return Index of the available one with the lowest smoothed RTT, the first of equal ones; or
 *         none.
 */
std::optional<std::size_t> FindFastest(const PathViews& paths);

/**
 * @param paths All subflows.
 * @return The same of those that are usable.
 */
std::optional<std::size_t> FindFastestUsable(const PathViews& paths);

/**
 * @param paths All subflows.
 * @return All usable ones by their smoothed RTT, the lowest first.
 */
std::vector<std::size_t> SortUsable(const PathViews& paths);

/// What a scheduler of one connection is made of.
struct SchedulerSeat
{
    std::size_t subflows; //!< Number of subflows
    uint32_t mss;         //!< Bytes of a segment
    int64_t stream;       //!< Number of the random stream that it may use
};

/// A scheduler that a connection can have.
struct SchedulerKind : Kind
{
    /// Makes the scheduler of one connection, from its seat and its parameters.
    std::unique_ptr<SubflowScheduler> (*create)(const SchedulerSeat& seat,
                                                const ParameterValues& values);
};

/// @return All schedulers, by name.
const std::vector<const SchedulerKind*>& GetSchedulers();

} // namespace smartsbd

#endif /* SMARTSBD_SCHEDULER_KIND_H */
