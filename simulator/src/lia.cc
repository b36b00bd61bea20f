// SPDX-License-Identifier: GPL-2.0-only

#include "lia.h"

#include <algorithm>

namespace smartsbd
{

NS_OBJECT_ENSURE_REGISTERED(TcpLia);

namespace
{

/**
 * @param tcb State of a subflow's socket.
 * @return Its window in segments as LIA counts it.
 */
double
GetLiaWindow(const ns3::TcpSocketState& tcb)
{
    const bool recovers = tcb.m_congState == ns3::TcpSocketState::CA_RECOVERY ||
                          tcb.m_congState == ns3::TcpSocketState::CA_CWR;
    const auto bytes = recovers ? tcb.m_ssThresh.Get() : tcb.m_cWnd.Get();
    return static_cast<double>(bytes) / tcb.m_segmentSize;
}

} // namespace

double
LiaIncrease(const std::vector<LiaSubflow>& subflows, std::size_t index)
{
    double total = 0;
    double best = 0;
    double rate = 0;
    for (const auto& subflow : subflows)
    {
        total += subflow.window;
        best = std::max(best, subflow.window / (subflow.rtt * subflow.rtt));
        rate += subflow.window / subflow.rtt;
    }
    const double alpha = total * best / (rate * rate);
    return std::min(alpha / total, 1 / subflows[index].window);
}

double
LiaIncreaseForAck(const std::vector<LiaSubflow>& subflows,
                  std::size_t index,
                  uint32_t segments,
                  LiaCounts counts)
{
    const auto counted = counts == LiaCounts::ACKS ? std::min<uint32_t>(segments, 1) : segments;
    return counted * LiaIncrease(subflows, index);
}

ns3::TypeId
TcpLia::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("smartsbd::TcpLia").SetParent<ns3::TcpLinuxReno>().AddConstructor<TcpLia>();
    return tid;
}

void
TcpLia::SetGroup(std::shared_ptr<LiaGroup> group, LiaCounts counts)
{
    m_group = std::move(group);
    m_counts = counts;
}

std::string
TcpLia::GetName() const
{
    return "TcpLia";
}

void
TcpLia::Init(ns3::Ptr<ns3::TcpSocketState> tcb)
{
    TcpLinuxReno::Init(tcb);
    m_group->push_back(tcb);
}

ns3::Ptr<ns3::TcpCongestionOps>
TcpLia::Fork()
{
    return ns3::CopyObject<TcpLia>(this);
}

void
TcpLia::CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (!tcb->m_srtt.Get().IsStrictlyPositive())
    {
        TcpLinuxReno::CongestionAvoidance(tcb, segmentsAcked);
        return;
    }
    m_view.clear();
    std::size_t index = 0;
    for (const auto& member : *m_group)
    {
        if (member == tcb)
        {
            index = m_view.size();
        }
        if (member->m_srtt.Get().IsStrictlyPositive())
        {
            m_view.push_back({GetLiaWindow(*member), member->m_srtt.Get().GetSeconds()});
        }
    }
    m_fraction += LiaIncreaseForAck(m_view, index, segmentsAcked, m_counts);
    const auto whole = static_cast<uint32_t>(m_fraction);
    m_fraction -= whole;
    tcb->m_cWnd += whole * tcb->m_segmentSize;
}

} // namespace smartsbd
