// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MPTCP_OPTION_H
#define SMARTSBD_MPTCP_OPTION_H

#include "output/sha256.h"

#include "ns3/tcp-header.h"
#include "ns3/tcp-option.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * An MPTCP option (RFC 8684, section 3) in a header that is about to be sent.
 *
 * ns3::TcpHeader accepts only options of kinds it knows, so GetKind() says NOP; the bytes on the
 * wire have kind 30.
 */
class MptcpOption : public ns3::TcpOption
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /**
     * @param body The option without kind and length.
     */
    explicit MptcpOption(Bytes body = {});

    ns3::TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    void Serialize(ns3::Buffer::Iterator start) const override;
    uint32_t Deserialize(ns3::Buffer::Iterator start) override;
    uint8_t GetKind() const override;
    uint32_t GetSerializedSize() const override;

  private:
    Bytes m_body; //!< The option without kind and length
};

/**
 * Gives the packets of a connection the options of MPTCP version 1 (RFC 8684).
 *
 * One subflow opens the connection with MP_CAPABLE, and the others join it with MP_JOIN. All
 * data carry a DSS option with their mapping (the very first have it in MP_CAPABLE), and all
 * ACKs of the receiver one with the DATA_ACK. There are no DSS checksums.
 */
class MptcpOptionWriter
{
  public:
    /**
     * Draw keys and nonces.
     *
     * @param subflows Number of subflows.
     * @param first Index of the subflow that opens the connection.
     * @param mss Payload of every data segment in bytes.
     * @param stream Number of the random stream of keys and nonces.
     */
    MptcpOptionWriter(std::size_t subflows, std::size_t first, uint16_t mss, int64_t stream);

    /// @return The token that identifies the connection in MP_JOIN: the receiver's.
    uint32_t GetToken() const;

    /**
     * Note what the next segment of a subflow carries.
     *
     * @param subflow Index of the subflow.
     * @param dataSequence Position of the segment in the connection in bytes, from 0.
     */
    void AddSegment(std::size_t subflow, uint64_t dataSequence);

    /**
     * Add the option of a packet of the data's sender.
     *
     * @param subflow Index of the subflow.
     * @param size Payload of the packet in bytes.
     * @param header The packet's header.
     */
    void WriteSender(std::size_t subflow, uint32_t size, ns3::TcpHeader& header) const;

    /**
     * Add the option of a packet of the data's receiver; SACK blocks make room for it.
     *
     * @param subflow Index of the subflow.
     * @param dataAck Bytes of the connection received in order.
     * @param header The packet's header.
     */
    void WriteReceiver(std::size_t subflow, uint64_t dataAck, ns3::TcpHeader& header) const;

  private:
    /// What each subflow remembers.
    struct Subflow
    {
        Bytes senderNonce;                   //!< Random number of the SYN
        Bytes receiverNonce;                 //!< Random number of the SYN/ACK
        std::vector<uint64_t> dataSequences; //!< Position of each of its segments
    };

    /**
     * @param subflow Index of the subflow.
     * @return Address identifier; 0 for the one that opens the connection.
     */
    uint8_t GetAddressId(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Option of the SYN.
     */
    Bytes PrintSyn(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Option of the SYN/ACK.
     */
    Bytes PrintSynAck(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @return Option of the ACK that ends the handshake.
     */
    Bytes PrintHandshakeAck(std::size_t subflow) const;

    /**
     * @param subflow Index of the subflow.
     * @param position Position of the packet's first byte in the subflow, from 0.
     * @return Option of a data packet.
     */
    Bytes PrintData(std::size_t subflow, uint64_t position) const;

    std::size_t m_first;             //!< Subflow that opens the connection
    uint16_t m_mss;                  //!< Payload of every data segment in bytes
    Bytes m_senderKey;               //!< Key of the data's sender
    Bytes m_receiverKey;             //!< Key of the data's receiver
    uint64_t m_firstData;            //!< Data sequence number of the first byte
    std::vector<Subflow> m_subflows; //!< All subflows
};

} // namespace smartsbd

#endif /* SMARTSBD_MPTCP_OPTION_H */
