// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SUBFLOW_SIGNALS_H
#define SMARTSBD_SUBFLOW_SIGNALS_H

#include "sender/rtt-sampler.h"

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * What the sender sees of a subflow, whatever controls it. Controllers only read it.
 *
 * RTT samples are raw: ns-3 hands a controller the smoothed RTT, at every ACK.
 */
struct SubflowSignals
{
    ns3::Ptr<const ns3::TcpSocketState> tcb; //!< State of its socket; null before it has a socket
    uint32_t group{0};                       //!< Controllers couple subflows of one group
    uint32_t thetaQ10{0};                    //!< Share of Reno's increase that lia mixes in
    uint32_t regroupings{0};                 //!< How often groups of the connection have changed
    uint64_t acked{0};                       //!< Cumulatively acknowledged bytes
    uint64_t arrived{0};                     //!< Bytes acknowledged, selectively or not
    uint64_t sinceLoss{0};                   //!< Bytes acknowledged since the last loss
    uint64_t betweenLosses{0};               //!< Bytes acknowledged between the last two losses
    ns3::Time lastLoss;                      //!< When the last loss was found; zero: none yet
    ns3::Time lastRtt;                       //!< Last RTT sample; zero: none yet
    ns3::Time baseRtt;                       //!< Least RTT sample; zero: none yet
    uint64_t samples{0};                     //!< RTT samples so far
    ns3::Time sampleSum;                     //!< Sum of all RTT samples

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

/// Those of all subflows of one connection, by their index.
using ConnectionSignals = std::vector<SubflowSignals>;

/**
 * @param signals All subflows of a connection.
 * @param index One of them.
 * @return Whether no other one is of its group, established or not.
 */
bool IsAlone(const ConnectionSignals& signals, std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_SUBFLOW_SIGNALS_H */
