// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/balia.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

using ns3::Ptr;
using ns3::TcpSocketState;

namespace
{

/// Largest quotient of rates that counts at a loss.
constexpr double LARGEST_QUOTIENT = 1.5;

/**
 * Congestion control of a subflow under the Balanced Linked Adaptation Algorithm.
 *
 * In kernel mode both amounts are those of the last recalculation: at an ACK in slow start, at an
 * increase, at the end of a recovery, and at a timeout. The kernel's flag that forces one is set
 * on the subflow and read on the connection, so it never acts.
 */
class TcpBalia : public CoupledController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpBalia")
                                     .SetParent<CoupledController>()
                                     .AddConstructor<TcpBalia>();
        return tid;
    }

    /// Count and round as the kernel does.
    void UseKernelMode()
    {
        m_kernel = true;
    }

    std::string GetName() const override
    {
        return "TcpBalia";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpBalia>(this);
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        CoupledController::CongestionStateSet(tcb, newState);
        const auto state = tcb->m_congState.Get();
        const bool recovered = newState == TcpSocketState::CA_OPEN &&
                               (state == TcpSocketState::CA_RECOVERY ||
                                state == TcpSocketState::CA_CWR);
        if (recovered || newState == TcpSocketState::CA_LOSS)
        {
            Recalculate();
        }
    }

  protected:
    uint32_t SlowStart(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const auto rest = CoupledController::SlowStart(tcb, segmentsAcked);
        Recalculate();
        return rest;
    }

    void Couple(Ptr<TcpSocketState> tcb, uint32_t counted) override
    {
        if (!m_kernel)
        {
            const auto& group = Look();
            Grow(tcb, counted * BaliaIncrease(group.subflows, group.own));
            return;
        }
        if (counted == 0)
        {
            return;
        }
        if (m_acks < m_threshold)
        {
            ++m_acks;
            return;
        }
        m_acks = 0;
        tcb->m_cWnd += tcb->m_segmentSize;
        Recalculate();
    }

    uint32_t GetCoupledThreshold(Ptr<const TcpSocketState> tcb, uint32_t) override
    {
        double cut = m_cut;
        if (!m_kernel)
        {
            auto group = Look();
            // The socket may already have taken the state that makes its threshold count.
            group.subflows[group.own].window =
                static_cast<double>(tcb->m_cWnd.Get()) / tcb->m_segmentSize;
            cut = BaliaCut(group.subflows, group.own);
        }
        const auto bytes = static_cast<uint32_t>(cut * tcb->m_segmentSize);
        const auto window = tcb->m_cWnd.Get();
        return std::max(window - std::min(window, bytes), tcb->m_segmentSize);
    }

  private:
    /// Take both amounts from the present windows and RTTs, in kernel mode.
    void Recalculate()
    {
        if (m_kernel && IsCoupled())
        {
            const auto& group = Look();
            m_threshold = BaliaKernelThreshold(group.subflows, group.own);
            m_cut = static_cast<double>(BaliaKernelCut(group.subflows, group.own));
        }
    }

    bool m_kernel{false};     //!< Whether it counts and rounds as the kernel does
    uint64_t m_threshold{10}; //!< Kernel mode: ACKs for each segment of increase
    double m_cut{0};          //!< Kernel mode: decrease at a loss in segments
    uint64_t m_acks{0};       //!< Kernel mode: ACKs since the last increase
};

NS_OBJECT_ENSURE_REGISTERED(TcpBalia);

/// What BALIA takes of all subflows.
struct Rates
{
    double sum{0};     //!< Sum of the rates in segments/s
    double largest{0}; //!< Largest rate
    double own{0};     //!< Rate of the subflow that is asked about
};

/**
 * @param subflows All established subflows of the group.
 * @param index One of them.
 * @return Their rates.
 */
Rates
GetRates(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    Rates rates;
    for (const auto& subflow : subflows)
    {
        const auto rate = subflow.window / subflow.rtt;
        rates.sum += rate;
        rates.largest = std::max(rates.largest, rate);
    }
    rates.own = subflows[index].window / subflows[index].rtt;
    return rates;
}

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpBalia>();
    auto used = values;
    if (values.Is("mode", "kernel"))
    {
        used.Set("counts", "acks");
        used.Set("recovery_window", "window");
        controller->UseKernelMode();
    }
    controller->Setup(seat, used);
    return controller;
}

} // namespace

double
BaliaIncrease(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    const auto rates = GetRates(subflows, index);
    const auto quotient = rates.largest / rates.own;
    return rates.own / (subflows[index].rtt * rates.sum * rates.sum) * (1 + quotient) / 2 *
           (4 + quotient) / 5;
}

double
BaliaCut(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    const auto rates = GetRates(subflows, index);
    return subflows[index].window / 2 * std::min(rates.largest / rates.own, LARGEST_QUOTIENT);
}

uint64_t
BaliaKernelThreshold(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    const auto rates = GetRates(subflows, index);
    const auto window = std::floor(subflows[index].window);
    return static_cast<uint64_t>(rates.sum * rates.sum * 10 * window /
                                 ((rates.own + rates.largest) * (4 * rates.own + rates.largest)));
}

uint64_t
BaliaKernelCut(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    const auto rates = GetRates(subflows, index);
    const auto window = static_cast<uint64_t>(subflows[index].window);
    return rates.largest < 2 * rates.own ? window / 2 : window * 3 / 4;
}

extern const ControllerKind BALIA{
    {"balia",
     "The Balanced Linked Adaptation Algorithm (draft-walid-mptcp-congestion-control).",
     {OneOf("mode",
            "plain: the draft's rule; kernel: as Linux's mptcp_balia.c, which rounds and takes the "
            "amounts of its last recalculation. In kernel mode ACKs count and a window in recovery "
            "stays one, whatever the other parameters say.",
            {"plain", "kernel"}),
      CountsParameter(),
      RecoveryWindowParameter()}},
    Create,
};

} // namespace smartsbd
