// SPDX-License-Identifier: GPL-2.0-only

#include "sender/mptcp-option.h"

#include "ns3/abort.h"
#include "ns3/random-variable-stream.h"
#include "ns3/tcp-option-sack.h"

#include <limits>
#include <utility>

namespace smartsbd
{

using ns3::Ptr;
using ns3::TcpHeader;
using ns3::TcpOption;

NS_OBJECT_ENSURE_REGISTERED(MptcpOption);

namespace
{

/// Number of MPTCP's option kind.
constexpr uint8_t MPTCP_KIND = 30;
/// Bytes of kind and length of an option.
constexpr uint32_t OPTION_HEAD = 2;
/// Bytes of a key.
constexpr std::size_t KEY_SIZE = 8;
/// Bytes of a nonce, and of a token.
constexpr std::size_t NONCE_SIZE = 4;
/// Bytes of the truncated HMAC of a SYN/ACK.
constexpr std::size_t SHORT_HMAC = 8;
/// Bytes of the HMAC of the ACK that ends a handshake.
constexpr std::size_t LONG_HMAC = 20;
/// Most SACK blocks that leave room for a DSS option with a DATA_ACK of 8 bytes.
constexpr std::size_t MAX_SACK_BLOCKS = 3;

/// Subtype and version of MP_CAPABLE.
constexpr uint8_t MP_CAPABLE = 0x01;
/// MP_CAPABLE's flags: HMAC-SHA256, no checksums.
constexpr uint8_t CAPABLE_FLAGS = 0x01;
/// Subtype of MP_JOIN.
constexpr uint8_t MP_JOIN = 0x10;
/// Subtype of DSS.
constexpr uint8_t DSS = 0x20;
/// DSS's flags: a mapping with a data sequence number of 8 bytes.
constexpr uint8_t DSS_MAPPING = 0x0c;
/// DSS's flags: a DATA_ACK of 8 bytes.
constexpr uint8_t DSS_DATA_ACK = 0x03;

/**
 * @param bytes Where to append.
 * @param more What to append.
 * @param size How much of it.
 */
template <class T>
void
Append(Bytes& bytes, const T& more, std::size_t size)
{
    bytes.insert(bytes.end(), more.begin(), more.begin() + size);
}

/**
 * @tparam T Type of the number; its size is what appears.
 * @param bytes Where to append.
 * @param number A number, in network order.
 */
template <class T>
void
AppendNumber(Bytes& bytes, T number)
{
    for (std::size_t i = sizeof(T); i > 0; --i)
    {
        bytes.push_back(static_cast<uint8_t>(number >> 8 * (i - 1)));
    }
}

/**
 * @tparam T Type of the number; its size is what is read.
 * @param first First byte of a number in network order.
 * @return The number.
 */
template <class T>
T
ReadNumber(const uint8_t* first)
{
    T number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
        number = number << 8 | first[i];
    }
    return number;
}

/**
 * @param a Some bytes.
 * @param b More bytes.
 * @return Both.
 */
Bytes
Join(Bytes a, const Bytes& b)
{
    Append(a, b, b.size());
    return a;
}

/**
 * @param draw Random numbers.
 * @param size Number of bytes.
 * @return Random bytes.
 */
Bytes
Draw(Ptr<ns3::UniformRandomVariable> draw, std::size_t size)
{
    Bytes bytes;
    while (bytes.size() < size)
    {
        bytes.push_back(draw->GetInteger(0, std::numeric_limits<uint8_t>::max()));
    }
    return bytes;
}

/**
 * @param key A key.
 * @return The initial data sequence number it implies.
 */
uint64_t
GetInitialData(const Bytes& key)
{
    const auto digest = Sha256(key);
    return ReadNumber<uint64_t>(&digest[digest.size() - sizeof(uint64_t)]);
}

/**
 * @param header A header that is about to be sent.
 * @param body MPTCP option without kind and length.
 */
void
AppendOption(TcpHeader& header, const Bytes& body)
{
    const bool appended = header.AppendOption(ns3::CreateObject<MptcpOption>(body));
    NS_ABORT_MSG_IF(!appended, "no room for an MPTCP option");
}

/**
 * @param header A header.
 * @return The header without options.
 */
TcpHeader
CopyWithoutOptions(const TcpHeader& header)
{
    TcpHeader copy;
    copy.SetSourcePort(header.GetSourcePort());
    copy.SetDestinationPort(header.GetDestinationPort());
    copy.SetSequenceNumber(header.GetSequenceNumber());
    copy.SetAckNumber(header.GetAckNumber());
    copy.SetFlags(header.GetFlags());
    copy.SetWindowSize(header.GetWindowSize());
    copy.SetUrgentPointer(header.GetUrgentPointer());
    return copy;
}

/**
 * Drop the last SACK blocks of a header if a DSS option would not fit beside them.
 *
 * @param header The header.
 */
void
LimitSackBlocks(TcpHeader& header)
{
    const auto sack =
        ns3::DynamicCast<const ns3::TcpOptionSack>(header.GetOption(TcpOption::SACK));
    if (!sack || sack->GetNumSackBlocks() <= MAX_SACK_BLOCKS)
    {
        return;
    }
    const auto fewer = ns3::CreateObject<ns3::TcpOptionSack>();
    for (const auto& block : sack->GetSackList())
    {
        if (fewer->GetNumSackBlocks() < MAX_SACK_BLOCKS)
        {
            fewer->AddSackBlock(block);
        }
    }
    auto copy = CopyWithoutOptions(header);
    for (const auto& option : header.GetOptionList())
    {
        copy.AppendOption(option == sack ? Ptr<const TcpOption>(fewer) : option);
    }
    header = copy;
}

} // namespace

ns3::TypeId
MptcpOption::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::MptcpOption")
                                 .SetParent<TcpOption>()
                                 .AddConstructor<MptcpOption>();
    return tid;
}

MptcpOption::MptcpOption(Bytes body)
    : m_body(std::move(body))
{
}

ns3::TypeId
MptcpOption::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
MptcpOption::Print(std::ostream& os) const
{
    os << "MPTCP, " << m_body.size() << " bytes";
}

void
MptcpOption::Serialize(ns3::Buffer::Iterator start) const
{
    start.WriteU8(MPTCP_KIND);
    start.WriteU8(static_cast<uint8_t>(GetSerializedSize()));
    start.Write(m_body.data(), m_body.size());
}

uint32_t
MptcpOption::Deserialize(ns3::Buffer::Iterator start)
{
    start.Next();
    m_body.resize(start.ReadU8() - OPTION_HEAD);
    start.Read(m_body.data(), m_body.size());
    return GetSerializedSize();
}

uint8_t
MptcpOption::GetKind() const
{
    return NOP;
}

uint32_t
MptcpOption::GetSerializedSize() const
{
    return OPTION_HEAD + m_body.size();
}

MptcpOptionWriter::MptcpOptionWriter(std::size_t subflows,
                                     std::size_t first,
                                     uint16_t mss,
                                     int64_t stream)
    : m_first(first),
      m_mss(mss)
{
    const auto draw = ns3::CreateObject<ns3::UniformRandomVariable>();
    draw->SetStream(stream);
    m_senderKey = Draw(draw, KEY_SIZE);
    m_receiverKey = Draw(draw, KEY_SIZE);
    m_firstData = GetInitialData(m_senderKey) + 1;
    for (std::size_t i = 0; i < subflows; ++i)
    {
        auto senderNonce = Draw(draw, NONCE_SIZE);
        m_subflows.push_back({std::move(senderNonce), Draw(draw, NONCE_SIZE), {}});
    }
}

uint32_t
MptcpOptionWriter::GetToken() const
{
    return ReadNumber<uint32_t>(Sha256(m_receiverKey).data());
}

void
MptcpOptionWriter::AddSegment(std::size_t subflow, uint64_t dataSequence)
{
    m_subflows[subflow].dataSequences.push_back(dataSequence);
}

void
MptcpOptionWriter::WriteSender(std::size_t subflow, uint32_t size, TcpHeader& header) const
{
    if (header.GetFlags() & TcpHeader::SYN)
    {
        AppendOption(header, PrintSyn(subflow));
    }
    else if (size == 0)
    {
        // The sender never acknowledges data.
        AppendOption(header, PrintHandshakeAck(subflow));
    }
    else
    {
        AppendOption(header, PrintData(subflow, header.GetSequenceNumber().GetValue() - 1));
    }
}

void
MptcpOptionWriter::WriteReceiver(std::size_t subflow, uint64_t dataAck, TcpHeader& header) const
{
    if (header.GetFlags() & TcpHeader::SYN)
    {
        AppendOption(header, PrintSynAck(subflow));
        return;
    }
    LimitSackBlocks(header);
    Bytes body{DSS, DSS_DATA_ACK};
    AppendNumber<uint64_t>(body, m_firstData + dataAck);
    AppendOption(header, body);
}

uint8_t
MptcpOptionWriter::GetAddressId(std::size_t subflow) const
{
    return static_cast<uint8_t>(subflow == m_first ? 0 : subflow + 1);
}

Bytes
MptcpOptionWriter::PrintSyn(std::size_t subflow) const
{
    if (subflow == m_first)
    {
        return {MP_CAPABLE, CAPABLE_FLAGS};
    }
    Bytes body{MP_JOIN, GetAddressId(subflow)};
    AppendNumber(body, GetToken());
    return Join(body, m_subflows[subflow].senderNonce);
}

Bytes
MptcpOptionWriter::PrintSynAck(std::size_t subflow) const
{
    if (subflow == m_first)
    {
        return Join({MP_CAPABLE, CAPABLE_FLAGS}, m_receiverKey);
    }
    const auto& [senderNonce, receiverNonce, segments] = m_subflows[subflow];
    Bytes body{MP_JOIN, GetAddressId(subflow)};
    Append(body,
           HmacSha256(Join(m_receiverKey, m_senderKey), Join(receiverNonce, senderNonce)),
           SHORT_HMAC);
    return Join(body, receiverNonce);
}

Bytes
MptcpOptionWriter::PrintHandshakeAck(std::size_t subflow) const
{
    const auto keys = Join(m_senderKey, m_receiverKey);
    if (subflow == m_first)
    {
        return Join({MP_CAPABLE, CAPABLE_FLAGS}, keys);
    }
    const auto& [senderNonce, receiverNonce, segments] = m_subflows[subflow];
    Bytes body{MP_JOIN, 0};
    Append(body, HmacSha256(keys, Join(senderNonce, receiverNonce)), LONG_HMAC);
    return body;
}

Bytes
MptcpOptionWriter::PrintData(std::size_t subflow, uint64_t position) const
{
    Bytes body;
    if (subflow == m_first && position == 0)
    {
        body = PrintHandshakeAck(subflow);
    }
    else
    {
        const auto segment = position / m_mss;
        body = {DSS, DSS_MAPPING};
        AppendNumber<uint64_t>(body, m_firstData + m_subflows[subflow].dataSequences[segment]);
        AppendNumber(body, static_cast<uint32_t>(segment * m_mss + 1));
    }
    AppendNumber(body, m_mss);
    return body;
}

} // namespace smartsbd
