// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SUBFLOW_SOCKET_H
#define SMARTSBD_SUBFLOW_SOCKET_H

#include "sender/rtt-sampler.h"
#include "sender/transmission-listener.h"

#include "ns3/tag.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace smartsbd
{

/// Carries the data-level cumulative acknowledgment with an ACK packet, as the DSS option does.
class DataAckTag : public ns3::Tag
{
  public:
    /**
     * @param dataAck Bytes of the connection acknowledged.
     */
    explicit DataAckTag(uint64_t dataAck = 0);

    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /// @return Bytes of the connection acknowledged.
    uint64_t GetDataAck() const;

    ns3::TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(ns3::TagBuffer buffer) const override;
    void Deserialize(ns3::TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

  private:
    uint64_t m_dataAck; //!< Bytes of the connection acknowledged
};

/// An ACK as the sender of a subflow sees it, before congestion control reacts.
struct AckReport
{
    AckOutcome outcome; //!< Newly acknowledged bytes and RTT sample
    uint64_t acked;     //!< Cumulatively acknowledged bytes of the subflow, this ACK included
    bool duplicate;     //!< Whether it acknowledges nothing new while data are outstanding
    bool ecnEcho;       //!< Whether the ECN echo flag is set
    uint64_t dataAck;   //!< Data-level cumulative acknowledgment it carries, in bytes
};

/**
 * The sending end of a subflow.
 *
 * It replaces TcpSocketBase's RTT samples by RttSampler's, reports every ACK, and asks for data
 * at the moment when the window is known and before the socket chooses what to send. A controller
 * that has CongControl() knows its window only after that: then it asks when the ACK is done with.
 */
class SubflowSender : public ns3::TcpSocketBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    ns3::TypeId GetInstanceTypeId() const override;

    /**
     * @param callback Called for each ACK of the established subflow.
     */
    void SetAckCallback(ns3::Callback<void, const AckReport&> callback);

    /**
     * @param callback Called when the window may have room for data.
     */
    void SetRoomCallback(ns3::Callback<void> callback);

    /**
     * @param listener Told of transmissions and ACKs; it must outlive the socket. Null: nobody.
     */
    void SetListener(TransmissionListener* listener);

    /**
     * Note that a data segment has reached the receiver.
     *
     * @param sequence The segment's sequence number.
     */
    void NoteArrival(ns3::SequenceNumber32 sequence);

    /**
     * @param size Bytes to send.
     * @return Whether the window has room for them at once, after all that is waiting; never
     *         while the subflow recovers from a timeout, nor while it is paced and enough is
     *         waiting.
     */
    bool HasRoom(uint32_t size) const;

    /// @return Whether it has not lost all it has in flight to a timeout.
    bool IsAvailable() const;

    /// @return The smoothed RTT; zero before the first sample.
    ns3::Time GetSmoothedRtt() const;

    /// @return Least smoothed RTT so far; zero before the first sample.
    ns3::Time GetLeastSmoothedRtt() const;

    /// @return Largest smoothed RTT so far; zero before the first sample.
    ns3::Time GetMostSmoothedRtt() const;

    /// @return Mean deviation of the RTT samples.
    ns3::Time GetRttVariation() const;

    /// @return The slow start threshold in bytes.
    uint32_t GetThreshold() const;

    /// @return Bytes in flight, as the pipe of RFC 6675 counts them.
    uint32_t GetBytesInFlight() const;

    /// @return Bytes it was given and has not acknowledged.
    uint64_t GetUnacknowledgedBytes() const;

    /// @return Data segments sent so far, those sent again included.
    uint64_t GetSentSegments() const;

    /// @return Data segments sent again so far.
    uint64_t GetRepeatedSegments() const;

    /**
     * Halve the window and, if the window is not below it, the slow start threshold, as
     * mptcp_rcv_buf_optimization of Linux's mptcp_sched.c does.
     */
    void Penalise();

    /// @return The congestion window in bytes.
    uint32_t GetWindow() const;

    /// @return The rate it is paced at in bit/s, or none if it is not.
    std::optional<uint64_t> GetPacingRate() const;

    /// @return Retransmission timeouts so far.
    uint64_t GetTimeouts() const;

    /// @return State of the socket, which its controller has too.
    ns3::Ptr<const ns3::TcpSocketState> GetSocketState() const;

    /// @return The congestion state.
    ns3::TcpSocketState::TcpCongState_t GetCongestionState() const;

    /**
     * @param openOnly Whether that means in state Open.
     * @return Whether the subflow is in congestion avoidance: its window is not below its slow
     *         start threshold, or CWR or Recovery are about to bring it there.
     */
    bool AvoidsCongestion(bool openOnly) const;

    /// @return Segments marked lost and not yet repaired, at least 1.
    uint32_t CountLostSegments() const;

    /// @return Cumulatively acknowledged bytes.
    uint64_t GetAckedBytes() const;

  protected:
    void ReceivedAck(ns3::Ptr<ns3::Packet> packet, const ns3::TcpHeader& tcpHeader) override;
    void ProcessAck(const ns3::SequenceNumber32& ackNumber,
                    bool scoreboardUpdated,
                    uint32_t currentDelivered,
                    const ns3::SequenceNumber32& oldHeadSequence,
                    bool receivedData) override;
    void EstimateRtt(const ns3::TcpHeader& tcpHeader) override;
    void UpdateRttHistory(const ns3::SequenceNumber32& seq,
                          uint32_t sz,
                          bool isRetransmission) override;
    void ReTxTimeout() override;

  private:
    /**
     * @param sequence A sequence number near the first unacknowledged one.
     * @return Its position in the subflow in bytes, from 0.
     */
    uint64_t GetPosition(ns3::SequenceNumber32 sequence) const;

    /**
     * @param tcpHeader Header of an ACK.
     * @return What the ACK tells.
     */
    AckOutcome Sample(const ns3::TcpHeader& tcpHeader);

    /**
     * Feed the smoothed RTT and the retransmission timeout.
     *
     * @param rtt An RTT sample.
     */
    void UseSample(ns3::Time rtt);

    RttSampler m_sampler;                              //!< Takes the RTT samples
    std::vector<RttSampler::Block> m_sackBlocks;       //!< SACK blocks of the present ACK
    ns3::SequenceNumber32 m_acked{1};                  //!< First unacknowledged sequence number
    ns3::Time m_synSent;                               //!< When the first SYN was sent, or zero
    uint64_t m_timeouts{0};                            //!< Timeouts with data outstanding
    ns3::Time m_leastSrtt;                             //!< Least smoothed RTT, or zero
    ns3::Time m_mostSrtt;                              //!< Largest smoothed RTT
    uint64_t m_sent{0};                                //!< Data segments sent, repeated or not
    uint64_t m_repeated{0};                            //!< Data segments sent again
    bool m_synRetransmitted{false};                    //!< Whether the SYN was sent again
    ns3::Callback<void, const AckReport&> m_reportAck; //!< Called for each ACK
    ns3::Callback<void> m_askForData;                  //!< Called when there may be room
    TransmissionListener* m_listener{nullptr};         //!< Told of transmissions and ACKs, or null
};

/// The receiving end of a subflow.
class SubflowReceiver : public ns3::TcpSocketBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    ns3::TypeId GetInstanceTypeId() const override;

    /**
     * @param callback Called with its sequence number when a data segment arrives.
     */
    void SetArrivalCallback(ns3::Callback<void, ns3::SequenceNumber32> callback);

  protected:
    ns3::Ptr<ns3::TcpSocketBase> Fork() override;
    void ReceivedData(ns3::Ptr<ns3::Packet> packet, const ns3::TcpHeader& tcpHeader) override;

  private:
    ns3::Callback<void, ns3::SequenceNumber32> m_noteArrival; //!< Called for each data segment
};

} // namespace smartsbd

#endif /* SMARTSBD_SUBFLOW_SOCKET_H */
