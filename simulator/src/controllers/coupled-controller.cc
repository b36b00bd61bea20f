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
    m_windows = seat.shared->Get<CountedWindow>();
    m_counts = values.Is("counts", "acks") ? Counted::ACKS : Counted::PACKETS;
    m_thresholdInRecovery = values.Is("recovery_window", "threshold");
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
    return GetSignals().Counts() && !IsAlone(*m_seat.signals, m_seat.index);
}

const GroupView&
CoupledController::Look()
{
    m_view.subflows.clear();
    for (std::size_t i = 0; i < m_seat.signals->size(); ++i)
    {
        const auto& subflow = (*m_seat.signals)[i];
        if (subflow.group != GetSignals().group || !subflow.Counts())
        {
            continue;
        }
        if (i == m_seat.index)
        {
            m_view.own = m_view.subflows.size();
        }
        const auto state = subflow.tcb->m_congState.Get();
        const bool recovers =
            state == TcpSocketState::CA_RECOVERY || state == TcpSocketState::CA_CWR;
        const auto bytes = recovers && m_thresholdInRecovery ? subflow.tcb->m_ssThresh.Get()
                                                             : subflow.tcb->m_cWnd.Get();
        const auto window = static_cast<double>(bytes) / subflow.tcb->m_segmentSize;
        const auto counted = (*m_windows)[i].segments;
        m_view.subflows.push_back({counted > 0 ? counted : window,
                                   subflow.tcb->m_srtt.Get().GetSeconds(),
                                   static_cast<double>(subflow.GetBytesOfLosses())});
    }
    return m_view;
}

const SubflowSignals&
CoupledController::GetSignals() const
{
    return (*m_seat.signals)[m_seat.index];
}

void
CoupledController::CountWindowAs(double segments)
{
    (*m_windows)[m_seat.index].segments = segments;
}

const Seat&
CoupledController::GetSeat() const
{
    return m_seat;
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
