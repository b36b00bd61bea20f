// SPDX-License-Identifier: GPL-2.0-only

#include "path/disc-port.h"

#include "ns3/boolean.h"
#include "ns3/codel-queue-disc.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fq-codel-queue-disc.h"
#include "ns3/hash.h"
#include "ns3/queue-item.h"
#include "ns3/queue-size.h"
#include "ns3/red-queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace smartsbd
{

namespace
{

/// Protocol number of IPv4 in Ethernet, as queue discs know it.
constexpr uint16_t ETHERNET_IPV4 = 0x0800;
/// Bytes of an IPv4 header and of the two port numbers behind it.
constexpr std::size_t IP_AND_PORTS = 24;
/// Offset of the protocol in an IPv4 header.
constexpr std::size_t IP_PROTOCOL = 9;
/// Offset of the addresses, which the port numbers follow.
constexpr std::size_t IP_ADDRESSES = 12;

/// Bytes that a flow of FQ-CoDel may send in its turn: an Ethernet frame, as on Linux.
constexpr uint32_t QUANTUM = 1514;

/// A packet as queue discs take it.
class FrameItem : public ns3::QueueDiscItem
{
  public:
    /**
     * @param frame The packet.
     */
    explicit FrameItem(const Frame& frame)
        : QueueDiscItem(frame.packet, ns3::Address(), ETHERNET_IPV4),
          m_frame(frame)
    {
        SetTimeStamp(ns3::Simulator::Now());
    }

    /// @return The packet.
    const Frame& GetFrame() const
    {
        return m_frame;
    }

    uint32_t GetSize() const override
    {
        return m_frame.size;
    }

    void AddHeader() override
    {
        // The packet has its IP header.
    }

    bool Mark() override
    {
        return false;
    }

    uint32_t Hash(uint32_t perturbation) const override
    {
        std::array<uint8_t, IP_AND_PORTS> header{};
        m_frame.packet->CopyData(header.data(), header.size());
        std::array<char, IP_AND_PORTS - IP_ADDRESSES + 1 + sizeof(perturbation)> flow;
        std::memcpy(flow.data(), header.data() + IP_ADDRESSES, IP_AND_PORTS - IP_ADDRESSES);
        flow[IP_AND_PORTS - IP_ADDRESSES] = static_cast<char>(header[IP_PROTOCOL]);
        std::memcpy(flow.data() + flow.size() - sizeof(perturbation),
                    &perturbation,
                    sizeof(perturbation));
        return ns3::Hash32(flow.data(), flow.size());
    }

  private:
    Frame m_frame; //!< The packet
};

/**
 * Random early detection whose thresholds follow from the limit: a third of one another, as Floyd
 * recommends, so that the gentle part ends at the limit.
 *
 * @param link The link.
 * @param packet Usual bytes of a packet.
 * @param stream Number of its random stream.
 * @return The disc.
 */
ns3::Ptr<ns3::QueueDisc>
CreateRed(const LinkSpec& link, uint32_t packet, int64_t stream)
{
    const auto red = ns3::CreateObjectWithAttributes<ns3::RedQueueDisc>(
        "MaxSize",
        ns3::QueueSizeValue(ns3::QueueSize(ns3::QueueSizeUnit::BYTES, link.queue)),
        "MinTh",
        ns3::DoubleValue(link.queue / 6.0),
        "MaxTh",
        ns3::DoubleValue(link.queue / 2.0),
        // One over the largest probability below the upper threshold.
        "LInterm",
        ns3::DoubleValue(10),
        // The average follows with a time constant of 1 s, whatever the rate.
        "QW",
        ns3::DoubleValue(0),
        "MeanPktSize",
        ns3::UintegerValue(packet),
        "LinkBandwidth",
        ns3::DataRateValue(ns3::DataRate(link.rate.front().value)));
    red->AssignStreams(stream);
    return red;
}

/**
 * @param link The link.
 * @param packet Usual bytes of a packet.
 * @param stream Number of the random stream, if the disc has one.
 * @return The disc of the link.
 */
ns3::Ptr<ns3::QueueDisc>
CreateDisc(const LinkSpec& link, uint32_t packet, int64_t stream)
{
    if (link.discipline == Discipline::RED)
    {
        return CreateRed(link, packet, stream);
    }
    if (link.discipline == Discipline::CODEL)
    {
        return ns3::CreateObjectWithAttributes<ns3::CoDelQueueDisc>(
            "MaxSize",
            ns3::QueueSizeValue(ns3::QueueSize(ns3::QueueSizeUnit::BYTES, link.queue)));
    }
    // ns-3's FQ-CoDel counts packets alone.
    const auto packets = std::max<uint32_t>(1, link.queue / packet);
    const auto fair = ns3::CreateObjectWithAttributes<ns3::FqCoDelQueueDisc>(
        "MaxSize",
        ns3::QueueSizeValue(ns3::QueueSize(ns3::QueueSizeUnit::PACKETS, packets)),
        "UseEcn",
        ns3::BooleanValue(false));
    fair->SetQuantum(QUANTUM);
    return fair;
}

} // namespace

DiscPort::DiscPort(const LinkSpec& link, uint32_t packet, int64_t stream)
    : Port(link.rate.front().value, link.queue, link.delay),
      m_disc(CreateDisc(link, packet, stream))
{
    m_disc->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&DiscPort::HandleDrop, this));
    m_disc->Initialize();
}

void
DiscPort::Send(const Frame& frame)
{
    m_disc->Enqueue(ns3::Create<FrameItem>(frame));
    Serve();
}

bool
DiscPort::HasWaiting() const
{
    return m_disc->GetNPackets() > 0;
}

std::optional<Frame>
DiscPort::TakeNext()
{
    const auto item = m_disc->Dequeue();
    return item ? std::optional(static_cast<const FrameItem&>(*item).GetFrame()) : std::nullopt;
}

void
DiscPort::HandleDrop(ns3::Ptr<const ns3::QueueDiscItem> item)
{
    if (!GetTraces().drop.IsNull())
    {
        GetTraces().drop(static_cast<const FrameItem&>(*item).GetFrame());
    }
}

} // namespace smartsbd
