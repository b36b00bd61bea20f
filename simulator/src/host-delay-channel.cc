// SPDX-License-Identifier: GPL-2.0-only

#include "host-delay-channel.h"

#include <cmath>

namespace smartsbd
{

using ns3::Time;

NS_OBJECT_ENSURE_REGISTERED(HostDelayChannel);

ns3::TypeId
HostDelayChannel::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::HostDelayChannel")
                                 .SetParent<VaryingChannel>()
                                 .AddConstructor<HostDelayChannel>();
    return tid;
}

HostDelayChannel::HostDelayChannel()
    : m_draw(ns3::CreateObject<ns3::UniformRandomVariable>())
{
}

void
HostDelayChannel::SetHostDelay(Time largest, int64_t stream)
{
    m_draw->SetStream(stream);
    m_largest = largest;
}

Time
HostDelayChannel::GetExtraDelay(Time time)
{
    const double drawn = m_draw->GetValue(0, 1) * m_largest.GetNanoSeconds();
    m_last = ns3::Max(m_last, time + ns3::NanoSeconds(std::llround(drawn)));
    return m_last - time;
}

} // namespace smartsbd
