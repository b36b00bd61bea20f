// SPDX-License-Identifier: GPL-2.0-only

#include "sender/own-stream-bbr.h"

namespace smartsbd
{

NS_OBJECT_ENSURE_REGISTERED(OwnStreamBbr);

namespace
{

/// Random stream of the first instance; the others follow.
constexpr uint32_t FIRST_STREAM = 2000;

/// Instances so far.
uint32_t g_instances = 0;

} // namespace

ns3::TypeId
OwnStreamBbr::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::OwnStreamBbr")
                                 .SetParent<ns3::TcpBbr>()
                                 .AddConstructor<OwnStreamBbr>();
    return tid;
}

ns3::Ptr<ns3::TcpCongestionOps>
OwnStreamBbr::Fork()
{
    return ns3::CopyObject<OwnStreamBbr>(this);
}

void
OwnStreamBbr::NotifyConstructionCompleted()
{
    TcpBbr::NotifyConstructionCompleted();
    SetStream(FIRST_STREAM + g_instances++);
}

} // namespace smartsbd
