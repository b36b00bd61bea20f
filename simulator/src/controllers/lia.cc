// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/lia.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

using ns3::Ptr;
using ns3::TcpSocketState;

namespace
{

// Shifts of Linux's mptcp_coupled.c.
constexpr int ALPHA_SCALE_NUMERATOR = 32;
constexpr int ALPHA_SCALE_DENOMINATOR = 10;
constexpr int ALPHA_SCALE = 12;

/**
 * @param subflow A subflow.
 * @return Its smoothed RTT in the unit of the kernel's srtt_us, 1/8 us.
 */
uint64_t
KernelRtt(const CoupledSubflow& subflow)
{
    return std::max<uint64_t>(std::llround(subflow.rtt * 8e6), 1);
}

/**
 * Congestion control of a subflow under the Linked Increases Algorithm (RFC 6356).
 *
 * In kernel mode the group has one factor, which each subflow calculates for all: at an ACK in
 * slow start, at an increase, at a timeout, and at the first ACK in congestion avoidance after any
 * subflow's congestion state was set.
 */
class TcpLia : public CoupledController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpLia")
                                     .SetParent<CoupledController>()
                                     .AddConstructor<TcpLia>();
        return tid;
    }

    /// Count and round as the kernel does; to be called when it has its seat.
    void UseKernelMode()
    {
        m_kernel = true;
        m_linked = GetSeat().shared->Get<LinkedIncrease>();
    }

    std::string GetName() const override
    {
        return "TcpLia";
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpLia>(this);
    }

    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override
    {
        CoupledController::CwndEvent(tcb, event);
        if (event == TcpSocketState::CA_EVENT_LOSS)
        {
            Recalculate();
        }
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        CoupledController::CongestionStateSet(tcb, newState);
        if (m_kernel)
        {
            for (const auto i : GetGroup())
            {
                (*m_linked)[i].stale = true;
            }
        }
    }

  protected:
    uint32_t SlowStart(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const auto rest = CoupledController::SlowStart(tcb, segmentsAcked);
        Recalculate();
        // The kernel leaves what slow start did not use.
        return m_kernel && IsCoupled() ? 0 : rest;
    }

    void Couple(Ptr<TcpSocketState> tcb, uint32_t counted) override
    {
        if (!m_kernel)
        {
            const auto& group = Look();
            Grow(tcb,
                 counted * MixedIncrease(group.subflows, group.own, GetSignals().thetaQ10));
            return;
        }
        if (counted == 0)
        {
            return;
        }
        const auto& linked = (*m_linked)[GetSeat().index];
        if (linked.IsStale(GetSignals().regroupings))
        {
            Recalculate();
            for (const auto i : GetGroup())
            {
                (*m_linked)[i].stale = false;
                (*m_linked)[i].regroupings = GetSignals().regroupings;
            }
        }
        const uint64_t window = tcb->GetCwndInSegments();
        const auto others = Look().subflows.size() > 1;
        if (m_acks < (others ? LiaKernelThreshold(linked.alpha, window) : window))
        {
            ++m_acks;
            return;
        }
        m_acks = 0;
        tcb->m_cWnd += tcb->m_segmentSize;
        Recalculate();
    }

  private:
    /// Take the group's factor from the present windows and RTTs, in kernel mode.
    void Recalculate()
    {
        if (m_kernel && IsCoupled())
        {
            const auto alpha = LiaKernelAlpha(Look().subflows);
            for (const auto i : GetGroup())
            {
                (*m_linked)[i].alpha = alpha;
            }
        }
    }

    /// @return Indices of the subflows of the group, established or not.
    std::vector<std::size_t> GetGroup() const
    {
        const auto& signals = *GetSeat().signals;
        std::vector<std::size_t> group;
        for (std::size_t i = 0; i < signals.size(); ++i)
        {
            if (signals[i].group == GetSignals().group)
            {
                group.push_back(i);
            }
        }
        return group;
    }

    bool m_kernel{false};            //!< Whether it counts and rounds as the kernel does
    Shared<LinkedIncrease> m_linked; //!< Kernel mode: the factors of the subflows
    uint64_t m_acks{0};              //!< Kernel mode: ACKs since the last increase
};

NS_OBJECT_ENSURE_REGISTERED(TcpLia);

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpLia>();
    if (!values.Is("mode", "kernel"))
    {
        controller->Setup(seat, values);
        return controller;
    }
    auto used = values;
    used.Set("counts", "acks");
    used.Set("recovery_window", "window");
    controller->Setup(seat, used);
    controller->UseKernelMode();
    return controller;
}

} // namespace

double
LiaIncrease(const std::vector<CoupledSubflow>& subflows, std::size_t index)
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
MixedIncrease(const std::vector<CoupledSubflow>& subflows, std::size_t index, uint32_t thetaQ10)
{
    const double theta = thetaQ10 / 1024.0;
    return (1 - theta) * LiaIncrease(subflows, index) + theta / subflows[index].window;
}

uint64_t
LiaKernelAlpha(const std::vector<CoupledSubflow>& subflows)
{
    uint64_t most = 0;
    uint64_t bestWindow = 0;
    uint64_t bestRtt = 0;
    for (auto subflow = subflows.rbegin(); subflow != subflows.rend(); ++subflow)
    {
        const auto window = static_cast<uint64_t>(subflow->window);
        const auto rtt = KernelRtt(*subflow);
        const auto quotient = (window << ALPHA_SCALE_NUMERATOR) / (rtt * rtt);
        if (quotient >= most)
        {
            most = quotient;
            bestWindow = window;
            bestRtt = rtt;
        }
    }
    uint64_t denominator = 0;
    for (const auto& subflow : subflows)
    {
        const auto window = static_cast<uint64_t>(subflow.window);
        denominator += (window << ALPHA_SCALE_DENOMINATOR) * bestRtt / KernelRtt(subflow);
    }
    return std::max<uint64_t>((bestWindow << ALPHA_SCALE_NUMERATOR) / (denominator * denominator),
                              1);
}

bool
LinkedIncrease::IsStale(uint32_t now) const
{
    return stale || regroupings != now;
}

uint64_t
LiaKernelThreshold(uint64_t alpha, uint64_t window)
{
    return std::max((uint64_t{1} << ALPHA_SCALE) / alpha, window);
}

extern const ControllerKind LIA{
    {"lia",
     "The Linked Increases Algorithm (RFC 6356), coupled over the subflows.",
     {OneOf("mode",
            "plain: the RFC's rule; kernel: as Linux's mptcp_coupled.c, in whole numbers and with "
            "the factor of its last calculation. In kernel mode ACKs count and a window in "
            "recovery stays one, whatever the other parameters say.",
            {"plain", "kernel"}),
      CountsParameter(),
      RecoveryWindowParameter()}},
    Create,
};

} // namespace smartsbd
