// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MPTCP_CONNECTION_H
#define SMARTSBD_MPTCP_CONNECTION_H

#include "controllers/shared-states.h"
#include "output/event-log.h"
#include "path/topology.h"
#include "scenario.h"
#include "schedulers/scheduler-kind.h"
#include "sender/coupling.h"
#include "sender/meta-queue.h"
#include "sender/modal-controller.h"
#include "sender/mptcp-option.h"
#include "sender/sending-application.h"
#include "sender/start-reporter.h"
#include "sender/subflow-signals.h"
#include "sender/subflow-socket.h"

#include "ns3/callback.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What a connection has sent more than once, on different subflows.
struct CopyCount
{
    uint64_t segments{0};      //!< Segments sent on a further subflow, for whatever reason
    uint64_t reinjected{0};    //!< Those of them sent after a timeout
    uint64_t opportunistic{0}; //!< Those of them sent to free the receive window
    uint64_t penalties{0};     //!< Windows halved for blocking it
};

/**
 * One MPTCP connection: a transfer from its server to its client over several subflows.
 *
 * The subflow that starts first opens the connection; the others join it when it is established,
 * or at their start if that is later. The scheduler gives each segment to a subflow that can send
 * it at once. No byte goes out beyond the receive window the subflows share, counted from the
 * highest DATA_ACK that has reached the sender. A segment goes out on a second subflow if the
 * scheduler says so, or by the rules of the scenario's meta queue: then as the MPTCP kernel v0.96
 * does it (mptcp_reinject_data, mptcp_rcv_buf_optimization).
 */
class MptcpConnection
{
  public:
    /**
     * Create all sockets of the observed connection and plan their start.
     *
     * @param scenario The scenario.
     * @param topology The network.
     * @param log Where the sender's events go; it must outlive the simulation.
     * @param withOptions Whether packets carry MPTCP options.
     */
    MptcpConnection(const Scenario& scenario,
                    const Topology& topology,
                    EventLog& log,
                    bool withOptions);

    /**
     * Create all sockets of a further connection and plan their start, and its stop.
     *
     * @param spec The connection.
     * @param ends Its hosts.
     * @param withOptions Whether packets carry MPTCP options.
     */
    MptcpConnection(const FurtherSpec& spec, const ConnectionEnds& ends, bool withOptions);

    MptcpConnection(const MptcpConnection&) = delete;
    MptcpConnection& operator=(const MptcpConnection&) = delete;

    /**
     * @param callback Called when the last subflow becomes established.
     */
    void SetAllEstablishedCallback(ns3::Callback<void> callback);

    /// @return Number of its subflows.
    std::size_t CountSubflows() const;

    /**
     * @param subflow Index of the subflow.
     * @return When it became established, or zero.
     */
    ns3::Time GetEstablished(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Its cumulatively acknowledged bytes.
     */
    uint64_t GetAckedBytes(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Its congestion window in bytes.
     */
    uint32_t GetWindow(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Its smoothed RTT; zero before the first sample.
     */
    ns3::Time GetSmoothedRtt(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return The rate it is paced at in bit/s, or none if it is not.
     */
    std::optional<uint64_t> GetPacingRate(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return The modes its controller has had; none for one without modes.
     */
    const std::vector<ModeChange>& GetModes(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return What its controller tells of its start; untold for one that tells nothing.
     */
    const Startup& GetStartup(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Its retransmission timeouts so far.
     */
    uint64_t GetTimeouts(std::size_t subflow) const;

    /**
     * @param callback Called with each sample of a subflow's one way delay.
     */
    void SetDelayCallback(ns3::Callback<void, std::size_t, ns3::Time> callback);

    /**
     * @param subflow Index of the subflow.
     * @return Number of its group.
     */
    uint32_t GetGroup(std::size_t subflow) const;

    /// @return What decides on groups, or null: they are given.
    Coupling* GetCoupling() const;

    /// @return The token in the packets' MPTCP options, or none without options.
    std::optional<uint32_t> GetOptionToken() const;

    /// @return Bytes that reached the client's application in order.
    uint64_t GetDeliveredBytes() const;

    /// @return Bytes that reached the client's connection level more than once.
    uint64_t GetDuplicatedBytes() const;

    /// @return What it has sent more than once.
    const CopyCount& GetCopies() const;

    /// @return How long each segment waited at the client for those before it, if that is told.
    const std::optional<std::vector<ns3::Time>>& GetOrderDelays() const;

    /// @return Rounds of its scheduler; none for one that does not learn.
    const std::vector<SchedulerRound>& GetRounds() const;

    /// @return All bytes that the application will ever give, or none if there is no end to them.
    std::optional<uint64_t> GetSize() const;

    /// @return When the client had all of these, or none: it has not, or there is no end to them.
    std::optional<ns3::Time> GetCompletion() const;

  private:
    /**
     * Create all sockets and plan their start.
     *
     * @param spec Settings of the connection.
     * @param subflows Its subflows.
     * @param ends Its hosts.
     * @param log Where the sender's events go, or null: nobody observes it.
     * @param withOptions Whether packets carry MPTCP options.
     */
    MptcpConnection(const ConnectionSpec& spec,
                    const std::vector<SubflowSpec>& subflows,
                    const ConnectionEnds& ends,
                    EventLog* log,
                    bool withOptions);

    /// Both ends of a subflow.
    struct Subflow
    {
        ns3::Ptr<SubflowSender> sender;     //!< Socket of the server
        ns3::Ptr<SubflowReceiver> listener; //!< Listening socket of the client
        ns3::Address client;                //!< Address and port of the client
        ns3::Time established;              //!< When the sender became established, or zero
        std::deque<uint64_t> segments;      //!< Data sequence numbers on the way, in order
        uint32_t received{0};               //!< Bytes received of the first of these segments
        std::deque<uint64_t> unacknowledged; //!< Those the sender has no ACK for
        uint64_t acknowledged{0};            //!< Segments it has ACKs for
        ns3::Ptr<ns3::TcpCongestionOps> controller; //!< Its congestion controller
        const ModalController* modal{nullptr};      //!< The same if it has modes, or null
        const StartReporter* reporter{nullptr};     //!< The same if it tells of its start, or null
    };

    /**
     * @param subflow Index of the subflow.
     * @param ends Hosts of the connection.
     */
    void CreateSender(std::size_t subflow, const ConnectionEnds& ends);

    /**
     * @param subflow Index of the subflow.
     * @param ends Hosts of the connection.
     */
    void CreateListener(std::size_t subflow, const ConnectionEnds& ends);

    /**
     * Write a line of the event log, if there is one.
     *
     * @param subflow Index of the subflow.
     * @param kind What happened.
     * @param value The value in the unit of the kind.
     */
    void Log(std::size_t subflow, EventKind kind, uint64_t value);

    /**
     * Send the SYN, or wait until the connection is established.
     *
     * @param subflow Index of the subflow.
     */
    void Connect(std::size_t subflow);

    /**
     * The SYN-ACK has reached the sender.
     *
     * @param subflow Index of the subflow.
     * @param socket Its socket.
     */
    void HandleEstablished(std::size_t subflow, ns3::Ptr<ns3::Socket> socket);

    /**
     * An ACK has reached the sender.
     *
     * @param subflow Index of the subflow.
     * @param report What the ACK tells.
     */
    void HandleAck(std::size_t subflow, const AckReport& report);

    /**
     * The sender's congestion state has changed.
     *
     * @param subflow Index of the subflow.
     * @param oldState Former state.
     * @param newState Present state.
     */
    void HandleCongestionState(std::size_t subflow,
                               ns3::TcpSocketState::TcpCongState_t oldState,
                               ns3::TcpSocketState::TcpCongState_t newState);

    /**
     * The client has accepted a subflow.
     *
     * @param subflow Index of the subflow.
     * @param socket The new socket.
     * @param from Address of the server.
     */
    void HandleAccept(std::size_t subflow, ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);

    /**
     * In-order bytes of a subflow are ready at the client.
     *
     * @param subflow Index of the subflow.
     * @param socket Its socket.
     */
    void HandleReceive(std::size_t subflow, ns3::Ptr<ns3::Socket> socket);

    /**
     * The server sends a packet: let it carry its MPTCP option.
     *
     * @param subflow Index of the subflow.
     * @param packet The packet.
     * @param header Its TCP header.
     * @param socket Its socket.
     */
    void HandleServerTx(std::size_t subflow,
                        ns3::Ptr<const ns3::Packet> packet,
                        const ns3::TcpHeader& header,
                        ns3::Ptr<const ns3::TcpSocketBase> socket);

    /**
     * The client sends a packet: let it carry the present DATA_ACK.
     *
     * @param subflow Index of the subflow.
     * @param packet The packet.
     * @param header Its TCP header.
     * @param socket Its socket.
     */
    void HandleClientTx(std::size_t subflow,
                        ns3::Ptr<const ns3::Packet> packet,
                        const ns3::TcpHeader& header,
                        ns3::Ptr<const ns3::TcpSocketBase> socket);

    /**
     * @param subflow Index of an established subflow.
     * @param openOnly Whether in state Open alone.
     * @return Whether it is in congestion avoidance; under BBR, whether it does not start up.
     */
    bool AvoidsCongestion(std::size_t subflow, bool openOnly);

    /// Give data to the subflows until nothing more can be sent.
    void Schedule();

    /**
     * A subflow has sent a segment for the first time, and may hold less than it could.
     *
     * @param socket Its socket.
     * @param size Bytes of the segment.
     */
    void HandleSent(ns3::Ptr<ns3::Socket> socket, uint32_t size);

    /// Look at all subflows, for the scheduler.
    void LookAtPaths();

    /// @return What the scheduler sees of the connection.
    MetaView LookAtMeta();

    /// @return The receive window in bytes.
    uint32_t GetSendWindow() const;

    /**
     * @param meta The connection.
     * @return What goes out next, or none.
     */
    std::optional<Choice> Choose(const MetaView& meta);

    /**
     * @param segment A segment that goes out again after a timeout.
     * @return The fastest subflow with room that has not sent it; if no available one has not,
     *         the fastest with room; or none.
     */
    std::optional<Choice> ChooseReinjected(uint64_t segment);

    /**
     * The receive window is used up: see whether a fast subflow can free it.
     *
     * @param meta The connection.
     * @return The oldest segment, on a subflow that has not sent it; or none.
     */
    std::optional<Choice> Unblock(const MetaView& meta);

    /**
     * Halve the windows of slower subflows that have sent the oldest segment.
     *
     * @param fast Index of the subflow that could send.
     */
    void Penalise(std::size_t fast);

    /**
     * Send a segment.
     *
     * @param choice The segment and its subflow.
     */
    void Give(const Choice& choice);

    /**
     * Put a complete segment into the connection's order.
     *
     * @param dataSequence Its data sequence number.
     */
    void Reassemble(uint64_t dataSequence);

    ConnectionSpec m_spec;                         //!< Settings of the connection
    SendingApplication m_application;              //!< What gives the data
    EventLog* m_log;                               //!< Where the sender's events go, or null
    std::shared_ptr<ConnectionSignals> m_signals;  //!< What is seen of the subflows
    std::shared_ptr<SharedStates> m_shared;        //!< What their controllers tell each other
    std::unique_ptr<Coupling> m_coupling;          //!< Decides on their groups; null: given
    std::unique_ptr<SubflowScheduler> m_scheduler; //!< Chooses the subflow of each segment
    PathViews m_paths;                             //!< What it sees of them
    MetaQueue m_queue;                             //!< Segments no DATA_ACK covers
    std::vector<Subflow> m_subflows;               //!< All subflows
    std::size_t m_first;                           //!< Subflow that opens the connection
    std::vector<std::size_t> m_joining;            //!< Subflows that wait for it
    std::optional<MptcpOptionWriter> m_options;    //!< Writes MPTCP options, if packets carry them
    ns3::Callback<void> m_allEstablished; //!< Called when the last one is established
    ns3::Callback<void, std::size_t, ns3::Time> m_noteDelay; //!< Takes one way delays, or null
    std::size_t m_establishedCount{0};    //!< Established subflows
    uint64_t m_dataAckAtSender{0};        //!< Highest DATA_ACK that reached the sender
    uint64_t m_delivered{0};              //!< Bytes in order at the client; its DATA_ACK
    uint64_t m_duplicated{0};             //!< Bytes that arrived more than once
    std::deque<std::optional<ns3::Time>> m_window; //!< Arrivals of segments beyond m_delivered
    std::optional<ns3::Time> m_completion; //!< When the client had all there is
    CopyCount m_copies;                    //!< What it has sent more than once
    ns3::Time m_penalised;                 //!< When a window was last halved for blocking
    std::optional<std::vector<ns3::Time>> m_orderDelays; //!< Waits of segments, if they are told
};

/// The connections beside the observed one.
using FurtherConnections = std::vector<std::unique_ptr<MptcpConnection>>;

} // namespace smartsbd

#endif /* SMARTSBD_MPTCP_CONNECTION_H */
