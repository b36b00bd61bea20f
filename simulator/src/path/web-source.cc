// SPDX-License-Identifier: GPL-2.0-only

#include "path/web-source.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

using ns3::DoubleValue;
using ns3::Ptr;
using ns3::Simulator;

NS_OBJECT_ENSURE_REGISTERED(WebSource);

namespace
{

/// Shape of the Pareto distribution of sizes.
constexpr double SHAPE = 1.2;
/// Smallest transfer in bytes.
constexpr double SMALLEST = 8e3;
/// Largest transfer in bytes.
constexpr double LARGEST = 1e6;

/// @return Mean of the sizes in bytes.
double
GetMeanSize()
{
    const double part = SMALLEST / LARGEST;
    return SHAPE / (SHAPE - 1) * SMALLEST * (1 - std::pow(part, SHAPE - 1)) /
           (1 - std::pow(part, SHAPE));
}

} // namespace

ns3::TypeId
WebSource::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::WebSource")
                                 .SetParent<ns3::Application>()
                                 .AddConstructor<WebSource>();
    return tid;
}

WebSource::WebSource()
    : m_size(ns3::CreateObject<ns3::ParetoRandomVariable>()),
      m_pause(ns3::CreateObject<ns3::ExponentialRandomVariable>())
{
    m_size->SetAttribute("Scale", DoubleValue(SMALLEST));
    m_size->SetAttribute("Shape", DoubleValue(SHAPE));
    m_size->SetAttribute("Bound", DoubleValue(LARGEST));
}

void
WebSource::Setup(uint64_t rate, uint32_t segment, const ns3::Address& sink)
{
    m_pause->SetAttribute("Mean", DoubleValue(8 * GetMeanSize() / rate));
    m_segment = segment;
    m_sink = sink;
}

int64_t
WebSource::AssignStreams(int64_t stream)
{
    m_size->SetStream(stream);
    m_pause->SetStream(stream + 1);
    return 2;
}

void
WebSource::StartApplication()
{
    Pause();
}

void
WebSource::StopApplication()
{
    m_begin.Cancel();
}

void
WebSource::Pause()
{
    m_begin = Simulator::Schedule(ns3::Seconds(m_pause->GetValue()), &WebSource::Begin, this);
}

void
WebSource::Begin()
{
    const auto socket = ns3::Socket::CreateSocket(GetNode(), ns3::TcpSocketFactory::GetTypeId());
    socket->SetConnectCallback(ns3::MakeCallback(&WebSource::Write, this),
                               ns3::MakeNullCallback<void, Ptr<ns3::Socket>>());
    NS_ABORT_MSG_IF(socket->Connect(m_sink) < 0, "no port is left for a web transfer");
    Pause();
}

void
WebSource::Write(Ptr<ns3::Socket> socket)
{
    auto rest = static_cast<uint32_t>(m_size->GetValue());
    while (rest > 0)
    {
        const auto size = std::min(rest, m_segment);
        const auto sent = socket->Send(ns3::Create<ns3::Packet>(size));
        NS_ABORT_MSG_IF(sent < 0, "a web transfer exceeds the send buffer");
        rest -= size;
    }
    socket->Close();
}

} // namespace smartsbd
