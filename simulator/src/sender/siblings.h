// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SIBLINGS_H
#define SMARTSBD_SIBLINGS_H

#include "agents/agent-history.h"
#include "sender/rtt-sampler.h"

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace smartsbd
{

/// What the Linked Increases Algorithm keeps for a group in kernel mode.
struct LinkedIncrease
{
    uint64_t alpha{1};  //!< Factor of the last calculation, see LiaKernelAlpha()
    bool stale{false};  //!< Whether it is to be calculated before it is next used
};

/// A controller has another mode from now on.
struct ModeChange
{
    ns3::Time from;        //!< Since when
    std::string_view mode; //!< Its name
};

/// How far the start of a subflow has come, if its controller tells.
enum class StartPhase
{
    UNTOLD, //!< It is not told, or the subflow is not established
    WAITS,  //!< It has not begun
    STARTS, //!< It looks for the bandwidth
    DRAINS, //!< It has found one, and lets the queue drain
    ENDED,  //!< It has ended
};

/// What a controller tells of the start of its subflow.
struct Startup
{
    StartPhase phase{StartPhase::UNTOLD}; //!< How far it has come
    ns3::Time ended;                      //!< When it last ended; zero: it has not
    double probed{0};                     //!< Largest delivery rate meanwhile, in bytes/s
    ns3::Time rtt;                        //!< Base RTT by which it had its turn; zero: none
    std::optional<double> limit;          //!< What it is limited to since, in bytes/s
};

/**
 * What the controllers of one connection know of a subflow.
 *
 * RTT samples are raw: ns-3 hands a controller the smoothed RTT, at every ACK.
 */
struct Sibling
{
    ns3::Ptr<const ns3::TcpSocketState> tcb; //!< State of its socket; null before it has a socket
    uint32_t group{0};                       //!< Controllers couple subflows of one group
    uint64_t acked{0};                       //!< Cumulatively acknowledged bytes
    uint64_t arrived{0};                     //!< Bytes acknowledged, selectively or not
    uint64_t sinceLoss{0};                   //!< Bytes acknowledged since the last loss
    uint64_t betweenLosses{0};               //!< Bytes acknowledged between the last two losses
    ns3::Time lastLoss;                      //!< When the last loss was found; zero: none yet
    ns3::Time lastRtt;                       //!< Last RTT sample; zero: none yet
    ns3::Time baseRtt;                       //!< Least RTT sample; zero: none yet
    uint64_t samples{0};                     //!< RTT samples so far
    ns3::Time sampleSum;                     //!< Sum of all RTT samples
    uint64_t samplesAtRound{0};              //!< Samples when its controller's round began
    double advertisedRate{0};                //!< Rate its controller tells, in bytes/s; or 0
    double weighedRate{0};                   //!< Rate by which wVegas weighs it, segments/s; or 0
    Startup startup;                         //!< Of its controller, if that tells
    LinkedIncrease linked;                   //!< Of its group; each of the group writes to all
    double toldWindow{0};                    //!< Window that others take for its own, or 0: its own
    std::vector<ModeChange> modes;           //!< Modes of its controller so far, if it has any
    std::shared_ptr<AgentHistory> history;   //!< What an agent is told of it, if one is

    /**
     * The controller has another mode, or still the same.
     *
     * @param mode Its name, which is a literal.
     * @param now The time.
     */
    void TellMode(std::string_view mode, ns3::Time now);

    /// @return Whether it is established and has a smoothed RTT, so that it counts for others.
    bool Counts() const;

    /// @return More of the bytes since the last loss and between the last two.
    uint64_t GetBytesOfLosses() const;

    /**
     * An ACK has come, and congestion control has not reacted yet.
     *
     * @param outcome What it tells.
     */
    void NoteAck(const AckOutcome& outcome);

    /**
     * The congestion state has changed. Recovery, CWR and Loss begin with a loss; without bytes
     * acknowledged since the one before, it is the same one.
     *
     * @param state The present state.
     * @param now The time.
     */
    void NoteState(ns3::TcpSocketState::TcpCongState_t state, ns3::Time now);
};

/// The subflows of one connection, by their index.
using Siblings = std::vector<Sibling>;

/**
 * @param siblings All subflows of a connection.
 * @param index One of them.
 * @return Whether no other one is of its group, established or not.
 */
bool IsAlone(const Siblings& siblings, std::size_t index);

/**
 * @param siblings All subflows of a connection.
 * @param index One of them.
 * @return Sum of the rates that the others of its group advertise.
 */
double SumAdvertised(const Siblings& siblings, std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_SIBLINGS_H */
