// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/lia.h"

#include <algorithm>

namespace smartsbd
{

namespace
{

/// Congestion control of a subflow under the Linked Increases Algorithm (RFC 6356).
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

    std::string GetName() const override
    {
        return "TcpLia";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpLia>(this);
    }

  protected:
    void Couple(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t counted) override
    {
        const auto& group = Look();
        Grow(tcb, counted * LiaIncrease(group.subflows, group.own));
    }
};

NS_OBJECT_ENSURE_REGISTERED(TcpLia);

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

extern const ControllerKind LIA{
    {"lia",
     "The Linked Increases Algorithm (RFC 6356), coupled over the subflows.",
     {CountsParameter(), RecoveryWindowParameter()}},
    CreateCoupled<TcpLia>,
};

} // namespace smartsbd
