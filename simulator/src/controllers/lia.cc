// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/lia.h"

#include "controllers/controller-kind.h"

#include "ns3/tcp-linux-reno.h"

#include <algorithm>
#include <string>

namespace smartsbd
{

namespace
{

/**
 * Congestion control of a subflow under the Linked Increases Algorithm (RFC 6356).
 *
 * Only congestion avoidance differs from Linux's Reno. A subflow in fast recovery counts with its
 * slow start threshold instead of its window.
 */
class TcpLia : public ns3::TcpLinuxReno
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /**
     * Take a seat; to be called before the socket gets the controller.
     *
     * @param seat The seat.
     * @param counts What counts as one acknowledged segment.
     */
    void Setup(const Seat& seat, LiaCounts counts);

    std::string GetName() const override;
    void Init(ns3::Ptr<ns3::TcpSocketState> tcb) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

  protected:
    void CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;

  private:
    Seat m_seat;                    //!< The subflow and its connection
    LiaCounts m_counts{};           //!< What counts as one acknowledged segment
    std::vector<LiaSubflow> m_view; //!< Established subflows at the present ACK
    double m_fraction{0};           //!< Increase not yet given to the window, in segments
};

NS_OBJECT_ENSURE_REGISTERED(TcpLia);

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
TcpLia::Setup(const Seat& seat, LiaCounts counts)
{
    m_seat = seat;
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
    m_seat.siblings->at(m_seat.index).tcb = tcb;
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
    for (const auto& sibling : *m_seat.siblings)
    {
        if (sibling.tcb == tcb)
        {
            index = m_view.size();
        }
        if (sibling.tcb->m_srtt.Get().IsStrictlyPositive())
        {
            m_view.push_back({GetLiaWindow(*sibling.tcb), sibling.tcb->m_srtt.Get().GetSeconds()});
        }
    }
    m_fraction += LiaIncreaseForAck(m_view, index, segmentsAcked, m_counts);
    const auto whole = static_cast<uint32_t>(m_fraction);
    m_fraction -= whole;
    tcb->m_cWnd += whole * tcb->m_segmentSize;
}

namespace
{

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
ns3::Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpLia>();
    controller->Setup(seat, values.Is("counts", "acks") ? LiaCounts::ACKS : LiaCounts::PACKETS);
    return controller;
}

} // namespace

extern const ControllerKind LIA{
    {"lia",
     "The Linked Increases Algorithm (RFC 6356): coupled over the subflows.",
     {OneOf("counts",
            "What counts as one acknowledged segment. packets: a segment, as in RFC 6356; "
            "acks: an ACK, as in Linux's mptcp_coupled.c.",
            {"packets", "acks"})}},
    Create,
};

} // namespace smartsbd
