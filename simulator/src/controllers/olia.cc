// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/olia.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

namespace
{

/// Congestion control of a subflow under the Opportunistic Linked Increases Algorithm.
class TcpOlia : public CoupledController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpOlia")
                                     .SetParent<CoupledController>()
                                     .AddConstructor<TcpOlia>();
        return tid;
    }

    /**
     * @param segments Least slow start threshold in segments.
     */
    void SetLeastThreshold(double segments)
    {
        m_leastThreshold = segments;
    }

    std::string GetName() const override
    {
        return "TcpOlia";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpOlia>(this);
    }

  protected:
    void Couple(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t counted) override
    {
        // The kernel's slow start lasts while the window is not above the threshold.
        if (counted > 0 && tcb->m_cWnd == tcb->m_ssThresh)
        {
            tcb->m_cWnd += tcb->m_segmentSize;
            --counted;
        }
        for (; counted > 0; --counted)
        {
            const auto& group = Look();
            m_change += OliaChange(group.subflows, group.own);
            if (m_change >= 1)
            {
                tcb->m_cWnd += tcb->m_segmentSize;
                m_change = 0;
            }
            else if (m_change <= -1)
            {
                const auto least = std::min(tcb->m_segmentSize, tcb->m_cWnd.Get());
                const auto less = tcb->m_cWnd.Get() - least;
                tcb->m_cWnd = std::max(less, tcb->m_segmentSize);
                m_change = 0;
            }
        }
    }

    uint32_t GetCoupledThreshold(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t) override
    {
        const auto least = static_cast<uint32_t>(m_leastThreshold * tcb->m_segmentSize);
        return std::max(least, tcb->m_cWnd.Get() / 2);
    }

  private:
    double m_leastThreshold{2}; //!< Least slow start threshold in segments
    double m_change{0};         //!< Change not yet made to the window, in segments
};

NS_OBJECT_ENSURE_REGISTERED(TcpOlia);

/**
 * @param subflow A subflow.
 * @return How good its path is.
 */
double
GetQuality(const CoupledSubflow& subflow)
{
    return subflow.bytes / (subflow.rtt * subflow.rtt);
}

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
ns3::Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpOlia>();
    controller->Setup(seat, values);
    controller->SetLeastThreshold(values.GetNumber("least_threshold"));
    return controller;
}

} // namespace

double
OliaEpsilon(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    double largest = 0;
    double best = 0;
    for (const auto& subflow : subflows)
    {
        largest = std::max(largest, std::floor(subflow.window));
        best = std::max(best, GetQuality(subflow));
    }
    const auto isLargest = [&](const CoupledSubflow& subflow) {
        return std::floor(subflow.window) == largest;
    };
    const auto isCollected = [&](const CoupledSubflow& subflow) {
        return GetQuality(subflow) == best && !isLargest(subflow);
    };
    const auto collected = std::count_if(subflows.begin(), subflows.end(), isCollected);
    if (collected == 0)
    {
        return 0;
    }
    const auto all = static_cast<double>(subflows.size());
    if (isCollected(subflows[index]))
    {
        return 1 / (all * collected);
    }
    if (isLargest(subflows[index]))
    {
        return -1 / (all * std::count_if(subflows.begin(), subflows.end(), isLargest));
    }
    return 0;
}

double
OliaChange(const std::vector<CoupledSubflow>& subflows, std::size_t index)
{
    double rate = 0;
    for (const auto& subflow : subflows)
    {
        rate += subflow.window / subflow.rtt;
    }
    const auto& own = subflows[index];
    return own.window / (own.rtt * own.rtt) / (rate * rate) +
           OliaEpsilon(subflows, index) / own.window;
}

extern const ControllerKind OLIA{
    {"olia",
     "The Opportunistic Linked Increases Algorithm (draft-khalili-mptcp-congestion-control), as "
     "Linux's mptcp_olia.c has it.",
     {CountsParameter(),
      RecoveryWindowParameter(),
      Number("least_threshold",
             "Least slow start threshold in segments; 2 in the kernel.",
             1,
             10,
             2)}},
    Create,
};

} // namespace smartsbd
