// SPDX-License-Identifier: GPL-2.0-only

#include "sender/subflow-socket.h"

#include "sender/pacing.h"

#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace smartsbd
{

using ns3::DynamicCast;
using ns3::Max;
using ns3::Ptr;
using ns3::SequenceNumber32;
using ns3::Simulator;
using ns3::TcpHeader;
using ns3::TcpOption;
using ns3::TcpOptionSack;
using ns3::TcpSocketBase;
using ns3::TcpSocketState;
using ns3::Time;
using ns3::TypeId;

NS_OBJECT_ENSURE_REGISTERED(DataAckTag);
NS_OBJECT_ENSURE_REGISTERED(SubflowSender);
NS_OBJECT_ENSURE_REGISTERED(SubflowReceiver);

DataAckTag::DataAckTag(uint64_t dataAck)
    : m_dataAck(dataAck)
{
}

TypeId
DataAckTag::GetTypeId()
{
    static TypeId tid =
        TypeId("smartsbd::DataAckTag").SetParent<ns3::Tag>().AddConstructor<DataAckTag>();
    return tid;
}

uint64_t
DataAckTag::GetDataAck() const
{
    return m_dataAck;
}

TypeId
DataAckTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
DataAckTag::GetSerializedSize() const
{
    return sizeof(m_dataAck);
}

void
DataAckTag::Serialize(ns3::TagBuffer buffer) const
{
    buffer.WriteU64(m_dataAck);
}

void
DataAckTag::Deserialize(ns3::TagBuffer buffer)
{
    m_dataAck = buffer.ReadU64();
}

void
DataAckTag::Print(std::ostream& os) const
{
    os << "DATA_ACK=" << m_dataAck;
}

TypeId
SubflowSender::GetTypeId()
{
    static TypeId tid = TypeId("smartsbd::SubflowSender")
                            .SetParent<TcpSocketBase>()
                            .AddConstructor<SubflowSender>();
    return tid;
}

TypeId
SubflowSender::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
SubflowSender::SetAckCallback(ns3::Callback<void, const AckReport&> callback)
{
    m_reportAck = callback;
}

void
SubflowSender::SetRoomCallback(ns3::Callback<void> callback)
{
    m_askForData = callback;
}

void
SubflowSender::SetListener(TransmissionListener* listener)
{
    m_listener = listener;
}

void
SubflowSender::NoteArrival(SequenceNumber32 sequence)
{
    if (sequence >= m_acked)
    {
        m_sampler.Arrive(GetPosition(sequence), Simulator::Now());
    }
}

bool
SubflowSender::HasRoom(uint32_t size) const
{
    if (!IsAvailable())
    {
        return false;
    }
    const auto lost = m_txBuffer->GetLost();
    const auto unrepaired = lost - std::min(lost, m_txBuffer->GetRetransmitsCount());
    const auto unsent = m_txBuffer->SizeFromSequence(m_tcb->m_highTxMark);
    if (const auto rate = GetPacingRate();
        rate && unsent >= GetBacklogLimit(*rate / 8.0, m_tcb->m_srtt, m_tcb->m_segmentSize))
    {
        return false;
    }
    return AvailableWindow() >= unrepaired + unsent + size;
}

bool
SubflowSender::IsAvailable() const
{
    return m_tcb->m_congState != TcpSocketState::CA_LOSS;
}

Time
SubflowSender::GetSmoothedRtt() const
{
    return m_tcb->m_srtt;
}

Time
SubflowSender::GetLeastSmoothedRtt() const
{
    return m_leastSrtt;
}

Time
SubflowSender::GetMostSmoothedRtt() const
{
    return m_mostSrtt;
}

Time
SubflowSender::GetRttVariation() const
{
    return m_rtt->GetVariation();
}

uint32_t
SubflowSender::GetThreshold() const
{
    return m_tcb->m_ssThresh;
}

uint32_t
SubflowSender::GetBytesInFlight() const
{
    return BytesInFlight();
}

uint64_t
SubflowSender::GetUnacknowledgedBytes() const
{
    return m_txBuffer->Size();
}

uint64_t
SubflowSender::GetSentSegments() const
{
    return m_sent;
}

uint64_t
SubflowSender::GetRepeatedSegments() const
{
    return m_repeated;
}

void
SubflowSender::Penalise()
{
    const auto segment = m_tcb->m_segmentSize;
    const auto window = m_tcb->m_cWnd.Get();
    const auto threshold = m_tcb->m_ssThresh.Get();
    m_tcb->m_cWnd = std::max(window / segment / 2, 1U) * segment;
    if (window >= threshold)
    {
        m_tcb->m_ssThresh = std::max(threshold / segment / 2, 2U) * segment;
    }
}

uint32_t
SubflowSender::GetWindow() const
{
    return m_tcb->m_cWnd;
}

std::optional<uint64_t>
SubflowSender::GetPacingRate() const
{
    return m_tcb->m_pacing ? std::optional(m_tcb->m_pacingRate.Get().GetBitRate()) : std::nullopt;
}

uint64_t
SubflowSender::GetTimeouts() const
{
    return m_timeouts;
}

Ptr<const TcpSocketState>
SubflowSender::GetSocketState() const
{
    return m_tcb;
}

TcpSocketState::TcpCongState_t
SubflowSender::GetCongestionState() const
{
    return m_tcb->m_congState;
}

bool
SubflowSender::AvoidsCongestion(bool openOnly) const
{
    const auto state = m_tcb->m_congState.Get();
    const bool above = m_tcb->m_cWnd.Get() >= m_tcb->m_ssThresh.Get();
    if (openOnly)
    {
        return above && state == TcpSocketState::CA_OPEN;
    }
    return above || state == TcpSocketState::CA_CWR || state == TcpSocketState::CA_RECOVERY;
}

uint32_t
SubflowSender::CountLostSegments() const
{
    const auto size = m_tcb->m_segmentSize;
    return std::max<uint32_t>(1, (m_txBuffer->GetLost() + size - 1) / size);
}

uint64_t
SubflowSender::GetAckedBytes() const
{
    return m_sampler.GetAcked();
}

void
SubflowSender::ReceivedAck(Ptr<ns3::Packet> packet, const TcpHeader& tcpHeader)
{
    const bool outstanding = m_sampler.HasOutstanding();
    AckReport report;
    report.outcome = Sample(tcpHeader);
    report.acked = m_sampler.GetAcked();
    report.duplicate = outstanding && report.outcome.newlyAcked == 0;
    report.ecnEcho = (tcpHeader.GetFlags() & TcpHeader::ECE) != 0;
    DataAckTag tag;
    packet->PeekPacketTag(tag);
    report.dataAck = tag.GetDataAck();
    if (report.outcome.sample)
    {
        UseSample(report.outcome.sample->rtt);
    }
    m_reportAck(report);
    if (m_listener)
    {
        const auto& sample = report.outcome.sample;
        m_listener->NoteAck(report.acked,
                            m_sackBlocks,
                            sample ? std::optional(sample->rtt) : std::nullopt);
    }
    const bool asksLater = m_congestionControl->HasCongControl();
    TcpSocketBase::ReceivedAck(packet, tcpHeader);
    if (asksLater)
    {
        m_askForData();
    }
}

void
SubflowSender::ProcessAck(const SequenceNumber32& ackNumber,
                          bool scoreboardUpdated,
                          uint32_t currentDelivered,
                          const SequenceNumber32& oldHeadSequence,
                          bool receivedData)
{
    TcpSocketBase::ProcessAck(ackNumber,
                              scoreboardUpdated,
                              currentDelivered,
                              oldHeadSequence,
                              receivedData);
    if (!m_congestionControl->HasCongControl())
    {
        m_askForData();
    }
}

void
SubflowSender::EstimateRtt(const TcpHeader& tcpHeader)
{
    // ReceivedAck() takes all other samples.
    if ((tcpHeader.GetFlags() & TcpHeader::SYN) && !m_synRetransmitted)
    {
        UseSample(Simulator::Now() - m_synSent);
    }
}

void
SubflowSender::UpdateRttHistory(const SequenceNumber32& seq, uint32_t sz, bool)
{
    if (m_state == ESTABLISHED)
    {
        const auto position = GetPosition(seq);
        const bool repeated = position < m_sampler.GetSent();
        m_sampler.Send(position, sz, Simulator::Now());
        ++m_sent;
        m_repeated += repeated;
        if (m_listener)
        {
            m_listener->NoteSent(position, sz, repeated);
        }
    }
    else if (m_synSent.IsZero())
    {
        m_synSent = Simulator::Now();
    }
    else
    {
        m_synRetransmitted = true;
    }
}

void
SubflowSender::ReTxTimeout()
{
    const bool outstanding = m_sampler.HasOutstanding();
    m_timeouts += outstanding;
    if (outstanding && m_listener)
    {
        m_listener->NoteTimeout();
    }
    TcpSocketBase::ReTxTimeout();
}

uint64_t
SubflowSender::GetPosition(SequenceNumber32 sequence) const
{
    return m_sampler.GetAcked() + static_cast<int64_t>(sequence - m_acked);
}

AckOutcome
SubflowSender::Sample(const TcpHeader& tcpHeader)
{
    m_sackBlocks.clear();
    if (const auto option = DynamicCast<const TcpOptionSack>(tcpHeader.GetOption(TcpOption::SACK)))
    {
        for (const auto& block : option->GetSackList())
        {
            m_sackBlocks.emplace_back(GetPosition(block.first), GetPosition(block.second));
        }
    }
    const auto ack = GetPosition(tcpHeader.GetAckNumber());
    const auto outcome = m_sampler.Acknowledge(ack, m_sackBlocks, Simulator::Now());
    m_acked = std::max(m_acked, tcpHeader.GetAckNumber());
    return outcome;
}

void
SubflowSender::UseSample(Time rtt)
{
    m_rtt->Measurement(rtt);
    m_rto =
        Max(m_rtt->GetEstimate() + Max(m_clockGranularity, m_rtt->GetVariation() * 4), m_minRto);
    m_tcb->m_srtt = m_rtt->GetEstimate();
    m_tcb->m_lastRtt = rtt;
    m_tcb->m_minRtt = ns3::Min(rtt, m_tcb->m_minRtt);
    const auto srtt = m_tcb->m_srtt.Get();
    m_leastSrtt = m_leastSrtt.IsZero() ? srtt : ns3::Min(m_leastSrtt, srtt);
    m_mostSrtt = ns3::Max(m_mostSrtt, srtt);
}

TypeId
SubflowReceiver::GetTypeId()
{
    static TypeId tid = TypeId("smartsbd::SubflowReceiver")
                            .SetParent<TcpSocketBase>()
                            .AddConstructor<SubflowReceiver>();
    return tid;
}

TypeId
SubflowReceiver::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
SubflowReceiver::SetArrivalCallback(ns3::Callback<void, SequenceNumber32> callback)
{
    m_noteArrival = callback;
}

Ptr<TcpSocketBase>
SubflowReceiver::Fork()
{
    return ns3::CopyObject<SubflowReceiver>(this);
}

void
SubflowReceiver::ReceivedData(Ptr<ns3::Packet> packet, const TcpHeader& tcpHeader)
{
    m_noteArrival(tcpHeader.GetSequenceNumber());
    TcpSocketBase::ReceivedData(packet, tcpHeader);
}

} // namespace smartsbd
