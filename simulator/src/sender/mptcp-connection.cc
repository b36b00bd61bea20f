// SPDX-License-Identifier: GPL-2.0-only

#include "sender/mptcp-connection.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace smartsbd
{

using ns3::CreateObject;
using ns3::InetSocketAddress;
using ns3::MakeCallback;
using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;

namespace
{

/// Port of the server's end of the first subflow; the others follow.
constexpr uint16_t SERVER_PORT = 40000;
/// Port of the client's end of the first subflow; the others follow.
constexpr uint16_t CLIENT_PORT = 5000;

/// Random streams of a connection, counted from its first one; below are those of its paths.
enum ConnectionStream
{
    KEYS = 500,
    PERIODS = 510,
    SCHEDULER = 520,
    FIRST_CONTROLLER = 600,
};

/**
 * @tparam T Type of the socket.
 * @param node Node of the socket.
 * @param controller Its congestion controller.
 * @return A socket, not yet bound.
 */
template <class T>
Ptr<T>
CreateSocket(Ptr<ns3::Node> node, Ptr<ns3::TcpCongestionOps> controller)
{
    const auto tcp = node->GetObject<ns3::TcpL4Protocol>();
    auto socket = CreateObject<T>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(CreateObject<ns3::RttMeanDeviation>());
    socket->SetCongestionControlAlgorithm(controller);
    socket->SetRecoveryAlgorithm(CreateObject<ns3::TcpPrrRecovery>());
    tcp->AddSocket(socket);
    return socket;
}

/// Window of a subflow, in segments, from which on it is not taken to be slow.
constexpr uint32_t SMALL_WINDOW = 4;
/// RTT of a slow subflow over that of a fast one.
constexpr int64_t SLOW_RTTS = 4;

/**
 * @param subflows The subflows of a scenario.
 * @return Index of the one that starts first.
 */
std::size_t
FindFirst(const std::vector<SubflowSpec>& subflows)
{
    const auto first =
        std::min_element(subflows.begin(),
                         subflows.end(),
                         [](const auto& a, const auto& b) { return a.start < b.start; });
    return first - subflows.begin();
}

} // namespace

MptcpConnection::MptcpConnection(const Scenario& scenario,
                                 const Topology& topology,
                                 EventLog& log,
                                 bool withOptions)
    : MptcpConnection(scenario.connection, scenario.subflows, topology.GetEnds(), &log, withOptions)
{
    if (m_spec.verdicts)
    {
        m_coupling =
            std::make_unique<Coupling>(scenario,
                                       m_signals,
                                       *m_shared,
                                       log,
                                       MakeCallback(&MptcpConnection::AvoidsCongestion, this));
    }
}

MptcpConnection::MptcpConnection(const FurtherSpec& spec,
                                 const ConnectionEnds& ends,
                                 bool withOptions)
    : MptcpConnection(spec.connection, spec.subflows, ends, nullptr, withOptions)
{
    if (spec.stop)
    {
        for (const auto& path : ends.paths)
        {
            Simulator::Schedule(*spec.stop, &HostDevice::Silence, path.serverDevice);
        }
    }
}

MptcpConnection::MptcpConnection(const ConnectionSpec& spec,
                                 const std::vector<SubflowSpec>& subflows,
                                 const ConnectionEnds& ends,
                                 EventLog* log,
                                 bool withOptions)
    : m_spec(spec),
      m_application(m_spec.application,
                    m_spec.mss,
                    ends.firstStream + PERIODS,
                    MakeCallback(&MptcpConnection::Schedule, this)),
      m_log(log),
      m_signals(std::make_shared<ConnectionSignals>(subflows.size())),
      m_shared(std::make_shared<SharedStates>(subflows.size())),
      m_scheduler(m_spec.scheduler.kind->create(
          {subflows.size(), m_spec.mss, ends.firstStream + SCHEDULER},
          m_spec.scheduler.values)),
      m_paths(subflows.size()),
      m_queue(subflows.size(), m_spec.mss),
      m_subflows(subflows.size()),
      m_first(FindFirst(subflows))
{
    if (m_spec.deliveryDetails)
    {
        m_orderDelays.emplace();
    }
    if (withOptions)
    {
        m_options.emplace(m_subflows.size(), m_first, m_spec.mss, ends.firstStream + KEYS);
    }
    for (std::size_t i = 0; i < m_subflows.size(); ++i)
    {
        (*m_signals)[i].group = subflows[i].group;
        CreateListener(i, ends);
        CreateSender(i, ends);
        Simulator::Schedule(subflows[i].start, &MptcpConnection::Connect, this, i);
    }
}

void
MptcpConnection::SetAllEstablishedCallback(ns3::Callback<void> callback)
{
    m_allEstablished = callback;
}

std::size_t
MptcpConnection::CountSubflows() const
{
    return m_subflows.size();
}

ns3::Time
MptcpConnection::GetEstablished(std::size_t subflow) const
{
    return m_subflows[subflow].established;
}

uint64_t
MptcpConnection::GetAckedBytes(std::size_t subflow) const
{
    return m_subflows[subflow].sender->GetAckedBytes();
}

uint32_t
MptcpConnection::GetWindow(std::size_t subflow) const
{
    return m_subflows[subflow].sender->GetWindow();
}

ns3::Time
MptcpConnection::GetSmoothedRtt(std::size_t subflow) const
{
    return m_subflows[subflow].sender->GetSmoothedRtt();
}

std::optional<uint64_t>
MptcpConnection::GetPacingRate(std::size_t subflow) const
{
    return m_subflows[subflow].sender->GetPacingRate();
}

const std::vector<ModeChange>&
MptcpConnection::GetModes(std::size_t subflow) const
{
    static const std::vector<ModeChange> none;
    const auto* controller = m_subflows[subflow].modal;
    return controller ? controller->GetModes() : none;
}

const Startup&
MptcpConnection::GetStartup(std::size_t subflow) const
{
    static const Startup untold;
    const auto* reporter = m_subflows[subflow].reporter;
    return reporter ? reporter->GetStartup() : untold;
}

uint64_t
MptcpConnection::GetTimeouts(std::size_t subflow) const
{
    return m_subflows[subflow].sender->GetTimeouts();
}

void
MptcpConnection::SetDelayCallback(ns3::Callback<void, std::size_t, ns3::Time> callback)
{
    m_noteDelay = callback;
}

uint32_t
MptcpConnection::GetGroup(std::size_t subflow) const
{
    return (*m_signals)[subflow].group;
}

Coupling*
MptcpConnection::GetCoupling() const
{
    return m_coupling.get();
}

std::optional<uint32_t>
MptcpConnection::GetOptionToken() const
{
    return m_options ? std::optional(m_options->GetToken()) : std::nullopt;
}

uint64_t
MptcpConnection::GetDeliveredBytes() const
{
    return m_delivered;
}

uint64_t
MptcpConnection::GetDuplicatedBytes() const
{
    return m_duplicated;
}

const CopyCount&
MptcpConnection::GetCopies() const
{
    return m_copies;
}

const std::optional<std::vector<ns3::Time>>&
MptcpConnection::GetOrderDelays() const
{
    return m_orderDelays;
}

const std::vector<SchedulerRound>&
MptcpConnection::GetRounds() const
{
    return m_scheduler->GetRounds();
}

std::optional<uint64_t>
MptcpConnection::GetSize() const
{
    return m_application.GetSize();
}

std::optional<ns3::Time>
MptcpConnection::GetCompletion() const
{
    return m_completion;
}

void
MptcpConnection::CreateSender(std::size_t subflow, const ConnectionEnds& ends)
{
    const auto& control = m_spec.congestionControl;
    const auto stream = ends.firstStream + FIRST_CONTROLLER + static_cast<int64_t>(subflow);
    const auto controller =
        control.kind->create({m_signals, m_shared, subflow, stream, m_spec.agent}, control.values);
    auto sender = CreateSocket<SubflowSender>(ends.server, controller);
    sender->Bind(InetSocketAddress(ends.paths[subflow].server, SERVER_PORT + subflow));
    sender->SetUseEcn(m_spec.ecn ? TcpSocketState::On : TcpSocketState::Off);
    sender->SetConnectCallback(MakeCallback(&MptcpConnection::HandleEstablished, this, subflow),
                               ns3::MakeNullCallback<void, Ptr<ns3::Socket>>());
    sender->SetAckCallback(MakeCallback(&MptcpConnection::HandleAck, this, subflow));
    sender->SetRoomCallback(MakeCallback(&MptcpConnection::Schedule, this));
    auto* listener = dynamic_cast<TransmissionListener*>(PeekPointer(controller));
    if (listener)
    {
        sender->SetListener(listener);
    }
    if (listener || controller->HasCongControl())
    {
        // What is paced, now or later, is asked for packet by packet.
        sender->SetDataSentCallback(MakeCallback(&MptcpConnection::HandleSent, this));
    }
    sender->TraceConnectWithoutContext(
        "CongState",
        MakeCallback(&MptcpConnection::HandleCongestionState, this, subflow));
    sender->TraceConnectWithoutContext(
        "Tx",
        MakeCallback(&MptcpConnection::HandleServerTx, this, subflow));
    (*m_signals)[subflow].tcb = sender->GetSocketState();
    auto& state = m_subflows[subflow];
    state.controller = controller;
    state.modal = dynamic_cast<const ModalController*>(PeekPointer(controller));
    state.reporter = dynamic_cast<const StartReporter*>(PeekPointer(controller));
    state.sender = sender;
}

void
MptcpConnection::CreateListener(std::size_t subflow, const ConnectionEnds& ends)
{
    auto listener = CreateSocket<SubflowReceiver>(ends.client, CreateObject<ns3::TcpLinuxReno>());
    const InetSocketAddress client(ends.paths[subflow].client, CLIENT_PORT + subflow);
    listener->Bind(client);
    listener->SetUseEcn(m_spec.ecn ? TcpSocketState::AcceptOnly : TcpSocketState::Off);
    listener->SetAcceptCallback(
        ns3::MakeNullCallback<bool, Ptr<ns3::Socket>, const ns3::Address&>(),
        MakeCallback(&MptcpConnection::HandleAccept, this, subflow));
    // The sockets of accepted connections inherit these.
    listener->SetAttribute("DelAckCount", ns3::UintegerValue(m_spec.segmentsPerAck));
    listener->TraceConnectWithoutContext(
        "Tx",
        MakeCallback(&MptcpConnection::HandleClientTx, this, subflow));
    listener->Listen();
    m_subflows[subflow].listener = listener;
    m_subflows[subflow].client = client;
}

void
MptcpConnection::Log(std::size_t subflow, EventKind kind, uint64_t value)
{
    if (m_log)
    {
        m_log->Write(subflow, kind, value);
    }
}

void
MptcpConnection::Connect(std::size_t subflow)
{
    if (subflow != m_first && m_subflows[m_first].established.IsZero())
    {
        m_joining.push_back(subflow);
        return;
    }
    m_subflows[subflow].sender->Connect(m_subflows[subflow].client);
}

void
MptcpConnection::HandleEstablished(std::size_t subflow, Ptr<ns3::Socket>)
{
    m_subflows[subflow].established = Simulator::Now();
    Log(subflow, EventKind::CA, m_subflows[subflow].sender->GetCongestionState());
    if (m_establishedCount == 0)
    {
        m_application.Start();
    }
    if (++m_establishedCount == m_subflows.size() && !m_allEstablished.IsNull())
    {
        m_allEstablished();
    }
    for (const auto joining : std::exchange(m_joining, {}))
    {
        Connect(joining);
    }
    Schedule();
}

void
MptcpConnection::HandleAck(std::size_t subflow, const AckReport& report)
{
    (*m_signals)[subflow].NoteAck(report.outcome);
    if (report.outcome.newlyAcked > 0)
    {
        Log(subflow, EventKind::ACK, report.acked);
    }
    else if (report.duplicate)
    {
        Log(subflow, EventKind::DUP, report.outcome.newlySacked);
    }
    if (report.outcome.sample)
    {
        Log(subflow, EventKind::RTT, report.outcome.sample->rtt.GetMicroSeconds());
        Log(subflow, EventKind::OWD, report.outcome.sample->oneWayDelay.GetMicroSeconds());
        if (!m_noteDelay.IsNull())
        {
            m_noteDelay(subflow, report.outcome.sample->oneWayDelay);
        }
    }
    if (report.ecnEcho)
    {
        Log(subflow, EventKind::ECE, 1);
    }
    if (report.dataAck > m_dataAckAtSender)
    {
        m_dataAckAtSender = report.dataAck;
        m_queue.Acknowledge(report.dataAck);
        Log(subflow, EventKind::DACK, report.dataAck);
    }
    auto& own = m_subflows[subflow];
    for (; (own.acknowledged + 1) * m_spec.mss <= report.acked; ++own.acknowledged)
    {
        own.unacknowledged.pop_front();
    }
    m_scheduler->NoteAck(subflow, report.acked, m_dataAckAtSender, Simulator::Now());
}

void
MptcpConnection::HandleCongestionState(std::size_t subflow,
                                       TcpSocketState::TcpCongState_t,
                                       TcpSocketState::TcpCongState_t newState)
{
    (*m_signals)[subflow].NoteState(newState, Simulator::Now());
    Log(subflow, EventKind::CA, newState);
    if (newState == TcpSocketState::CA_RECOVERY || newState == TcpSocketState::CA_LOSS)
    {
        Log(subflow, EventKind::LOSS, m_subflows[subflow].sender->CountLostSegments());
    }
    if (newState == TcpSocketState::CA_LOSS && m_spec.metaQueue.reinject)
    {
        for (const auto segment : m_subflows[subflow].unacknowledged)
        {
            m_queue.Reinject(segment);
        }
        // The socket is in the midst of its timeout.
        Simulator::ScheduleNow(&MptcpConnection::Schedule, this);
    }
}

void
MptcpConnection::HandleAccept(std::size_t subflow, Ptr<ns3::Socket> socket, const ns3::Address&)
{
    const auto receiver = ns3::DynamicCast<SubflowReceiver>(socket);
    const auto sender = m_subflows[subflow].sender;
    receiver->SetArrivalCallback(MakeCallback(&SubflowSender::NoteArrival, sender));
    receiver->SetRecvCallback(MakeCallback(&MptcpConnection::HandleReceive, this, subflow));
}

void
MptcpConnection::HandleReceive(std::size_t subflow, Ptr<ns3::Socket> socket)
{
    auto& state = m_subflows[subflow];
    while (const auto packet = socket->Recv())
    {
        state.received += packet->GetSize();
    }
    while (state.received >= m_spec.mss)
    {
        state.received -= m_spec.mss;
        Reassemble(state.segments.front());
        state.segments.pop_front();
    }
}

void
MptcpConnection::HandleServerTx(std::size_t subflow,
                                Ptr<const ns3::Packet> packet,
                                const ns3::TcpHeader& header,
                                Ptr<const ns3::TcpSocketBase>)
{
    if (m_options)
    {
        // The socket sends this very header after the trace.
        m_options->WriteSender(subflow, packet->GetSize(), const_cast<ns3::TcpHeader&>(header));
    }
}

void
MptcpConnection::HandleClientTx(std::size_t subflow,
                                Ptr<const ns3::Packet> packet,
                                const ns3::TcpHeader& header,
                                Ptr<const ns3::TcpSocketBase>)
{
    packet->AddPacketTag(DataAckTag(m_delivered));
    if (m_options)
    {
        m_options->WriteReceiver(subflow, m_delivered, const_cast<ns3::TcpHeader&>(header));
    }
}

bool
MptcpConnection::AvoidsCongestion(std::size_t subflow, bool openOnly)
{
    const auto phase = GetStartup(subflow).phase;
    return phase == StartPhase::UNTOLD ? m_subflows[subflow].sender->AvoidsCongestion(openOnly)
                                       : phase != StartPhase::STARTS && phase != StartPhase::DRAINS;
}

void
MptcpConnection::Schedule()
{
    while (true)
    {
        LookAtPaths();
        const auto choice = Choose(LookAtMeta());
        if (!choice)
        {
            return;
        }
        Give(*choice);
    }
}

std::optional<Choice>
MptcpConnection::Choose(const MetaView& meta)
{
    if (const auto segment = m_queue.GetReinjected())
    {
        return ChooseReinjected(*segment);
    }
    if (const auto choice = m_scheduler->Next(meta, m_paths))
    {
        return choice;
    }
    return Unblock(meta);
}

std::optional<Choice>
MptcpConnection::ChooseReinjected(uint64_t segment)
{
    auto unused = m_paths;
    for (std::size_t i = 0; i < unused.size(); ++i)
    {
        const bool sentIt = m_queue.WentTo(segment, i);
        unused[i].available &= !sentIt;
        unused[i].usable &= !sentIt;
    }
    if (!FindFastest(unused))
    {
        unused = m_paths;
    }
    const auto subflow = FindFastestUsable(unused);
    if (!subflow)
    {
        return std::nullopt;
    }
    if (m_queue.WentTo(segment, *subflow))
    {
        m_queue.ClearMask(segment);
    }
    ++m_copies.reinjected;
    return Choice{*subflow, segment};
}

std::optional<Choice>
MptcpConnection::Unblock(const MetaView& meta)
{
    const auto fast = FindFastestUsable(m_paths);
    const bool blocked = meta.buffered > 0 && !meta.hasNew;
    const auto head = m_queue.GetHead();
    if (!blocked || !fast || m_queue.GetBytes() == 0 || m_queue.WentTo(head, *fast))
    {
        return std::nullopt;
    }
    if (m_spec.metaQueue.penalise && meta.now - m_penalised >= m_paths[*fast].srtt)
    {
        Penalise(*fast);
    }
    for (std::size_t i = 0; i < m_paths.size() && m_spec.metaQueue.opportunistic; ++i)
    {
        const auto& path = m_paths[i];
        if (m_queue.WentTo(head, i) && (path.window <= SMALL_WINDOW ||
                                        path.srtt > SLOW_RTTS * m_paths[*fast].srtt))
        {
            ++m_copies.opportunistic;
            return Choice{*fast, head};
        }
    }
    return std::nullopt;
}

void
MptcpConnection::Penalise(std::size_t fast)
{
    for (std::size_t i = 0; i < m_subflows.size(); ++i)
    {
        const auto sender = m_subflows[i].sender;
        if (m_queue.WentTo(m_queue.GetHead(), i) && m_paths[fast].srtt < m_paths[i].srtt &&
            sender->GetCongestionState() == TcpSocketState::CA_OPEN)
        {
            sender->Penalise();
            m_penalised = Simulator::Now();
            ++m_copies.penalties;
        }
    }
}

void
MptcpConnection::Give(const Choice& choice)
{
    auto& subflow = m_subflows[choice.subflow];
    const bool isNew = choice.segment == m_queue.GetNext();
    m_queue.Give(choice.segment, choice.subflow);
    m_copies.segments += !isNew;
    if (m_options)
    {
        m_options->AddSegment(choice.subflow, choice.segment);
    }
    subflow.segments.push_back(choice.segment);
    subflow.unacknowledged.push_back(choice.segment);
    m_scheduler->NoteGiven(choice, isNew, Simulator::Now());
    const auto sent = subflow.sender->Send(ns3::Create<ns3::Packet>(m_spec.mss), 0);
    NS_ABORT_MSG_IF(sent < 0, "a subflow refuses data it has room for");
}

void
MptcpConnection::HandleSent(Ptr<ns3::Socket>, uint32_t)
{
    Schedule();
}

void
MptcpConnection::LookAtPaths()
{
    for (std::size_t i = 0; i < m_subflows.size(); ++i)
    {
        const auto& sender = *m_subflows[i].sender;
        auto& path = m_paths[i];
        path.available = !m_subflows[i].established.IsZero() && sender.IsAvailable();
        path.usable = path.available && sender.HasRoom(m_spec.mss);
        const auto phase = GetStartup(i).phase;
        path.initialSlowStart = sender.GetThreshold() == std::numeric_limits<uint32_t>::max();
        path.startsUp = phase == StartPhase::UNTOLD ? path.initialSlowStart
                                                    : phase == StartPhase::STARTS;
        path.srtt = sender.GetSmoothedRtt();
        path.leastSrtt = sender.GetLeastSmoothedRtt();
        path.mostSrtt = sender.GetMostSmoothedRtt();
        path.rttVariation = sender.GetRttVariation();
        path.window = sender.GetWindow() / m_spec.mss;
        path.threshold = sender.GetThreshold() / m_spec.mss;
        path.inFlight = sender.GetBytesInFlight() / m_spec.mss;
        path.unacknowledged = sender.GetUnacknowledgedBytes();
        path.sent = sender.GetSentSegments();
        path.repeated = sender.GetRepeatedSegments();
    }
}

MetaView
MptcpConnection::LookAtMeta()
{
    const auto next = m_queue.GetNext();
    const auto given = m_application.GetGiven();
    return {
        m_queue,
        m_spec.mss,
        GetSendWindow(),
        next + m_spec.mss <= m_dataAckAtSender + GetSendWindow() &&
            m_application.Gives(next + m_spec.mss),
        given - std::min(given, next),
        m_copies.reinjected + m_copies.opportunistic,
        Simulator::Now(),
    };
}

uint32_t
MptcpConnection::GetSendWindow() const
{
    return m_spec.metaQueue.halfWindow ? m_spec.receiveBuffer / 2 : m_spec.receiveBuffer;
}

void
MptcpConnection::Reassemble(uint64_t dataSequence)
{
    if (dataSequence < m_delivered)
    {
        m_duplicated += m_spec.mss;
        return;
    }
    const auto index = (dataSequence - m_delivered) / m_spec.mss;
    if (index >= m_window.size())
    {
        m_window.resize(index + 1);
    }
    if (m_window[index])
    {
        m_duplicated += m_spec.mss;
        return;
    }
    const auto now = Simulator::Now();
    m_window[index] = now;
    while (!m_window.empty() && m_window.front())
    {
        if (m_orderDelays)
        {
            m_orderDelays->push_back(now - *m_window.front());
        }
        m_window.pop_front();
        m_delivered += m_spec.mss;
    }
    if (!m_completion && m_application.GetSize() == m_delivered)
    {
        m_completion = now;
    }
}

} // namespace smartsbd
