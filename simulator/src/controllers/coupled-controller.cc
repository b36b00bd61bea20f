// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/coupled-controller.h"

#include <algorithm>

namespace smartsbd
{

using ns3::Ptr;
using ns3::TcpSocketState;

NS_OBJECT_ENSURE_REGISTERED(CoupledController);

uint32_t
CountAcknowledged(uint32_t segments, Counted counts)
{
    return counts == Counted::ACKS ? std::min<uint32_t>(segments, 1) : segments;
}

ns3::TypeId
CoupledController::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("smartsbd::CoupledController").SetParent<ns3::TcpLinuxReno>();
    return tid;
}

void
CoupledController::Setup(const Seat& seat, const ParameterValues& values)
{
    m_seat = seat;
    m_counts = values.Is("counts", "acks") ? Counted::ACKS : Counted::PACKETS;
    m_thresholdInRecovery = values.Is("recovery_window", "threshold");
}

void
CoupledController::Init(Ptr<TcpSocketState> tcb)
{
    TcpLinuxReno::Init(tcb);
    GetOwn().tcb = tcb;
}

uint32_t
CoupledController::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return IsCoupled() ? GetCoupledThreshold(tcb, bytesInFlight)
                       : TcpLinuxReno::GetSsThresh(tcb, bytesInFlight);
}

void
CoupledController::CongestionAvoidance(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (!IsCoupled())
    {
        TcpLinuxReno::CongestionAvoidance(tcb, segmentsAcked);
        return;
    }
    Couple(tcb, CountAcknowledged(segmentsAcked, m_counts));
}

uint32_t
CoupledController::GetCoupledThreshold(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return TcpLinuxReno::GetSsThresh(tcb, bytesInFlight);
}

bool
CoupledController::IsCoupled() const
{
    return GetOwn().Counts() && !IsAlone(*m_seat.siblings, m_seat.index);
}

const GroupView&
CoupledController::Look()
{
    m_view.subflows.clear();
    for (const auto& sibling : *m_seat.siblings)
    {
        if (sibling.group != GetOwn().group || !sibling.Counts())
        {
            continue;
        }
        if (&sibling == &GetOwn())
        {
            m_view.own = m_view.subflows.size();
        }
        const auto state = sibling.tcb->m_congState.Get();
        const bool recovers =
            state == TcpSocketState::CA_RECOVERY || state == TcpSocketState::CA_CWR;
        const auto bytes = recovers && m_thresholdInRecovery ? sibling.tcb->m_ssThresh.Get()
                                                             : sibling.tcb->m_cWnd.Get();
        const auto window = static_cast<double>(bytes) / sibling.tcb->m_segmentSize;
        m_view.subflows.push_back({sibling.toldWindow > 0 ? sibling.toldWindow : window,
                                   sibling.tcb->m_srtt.Get().GetSeconds(),
                                   static_cast<double>(sibling.GetBytesOfLosses())});
    }
    return m_view;
}

Sibling&
CoupledController::GetOwn() const
{
    return (*m_seat.siblings)[m_seat.index];
}

const Siblings&
CoupledController::GetSiblings() const
{
    return *m_seat.siblings;
}

void
CoupledController::TellGroup(const std::function<void(Sibling&)>& tell)
{
    for (auto& sibling : *m_seat.siblings)
    {
        if (sibling.group == GetOwn().group)
        {
            tell(sibling);
        }
    }
}

void
CoupledController::Grow(Ptr<TcpSocketState> tcb, double segments)
{
    m_fraction += segments;
    const auto whole = static_cast<uint32_t>(m_fraction);
    m_fraction -= whole;
    tcb->m_cWnd += whole * tcb->m_segmentSize;
}

Parameter
CountsParameter()
{
    return OneOf("counts",
                 "What counts as one acknowledged segment. packets: a segment, as in RFC 6356; "
                 "acks: an ACK, as in Linux's mptcp_coupled.c.",
                 {"packets", "acks"});
}

Parameter
RecoveryWindowParameter()
{
    return OneOf("recovery_window",
                 "What counts as the window of a subflow in fast recovery. threshold: its slow "
                 "start threshold (RFC 6356); window: its window, as in the kernel's LIA and "
                 "BALIA.",
                 {"threshold", "window"});
}

} // namespace smartsbd
