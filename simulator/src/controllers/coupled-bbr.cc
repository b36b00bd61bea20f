// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/coupled-bbr.h"

#include "controllers/multipath-bbr.h"

#include <algorithm>

namespace smartsbd
{

using ns3::Ptr;

namespace
{

/// Coupled BBR, of one subflow.
class TcpCoupledBbr : public MultipathBbr
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpCoupledBbr")
                                     .SetParent<MultipathBbr>()
                                     .AddConstructor<TcpCoupledBbr>();
        return tid;
    }

    /**
     * @param always Whether rates are coupled while BBR probes too.
     */
    void Choose(bool always)
    {
        m_always = always;
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCoupledBbr>(this);
    }

  protected:
    std::optional<BbrCap> GetCap() override
    {
        if (IsAlone(GetConnectionSignals(), GetIndex()) || (!m_always && GetPacingGain() != 1))
        {
            return std::nullopt;
        }
        return BbrCap{CoupledBbrRate(GetConnectionSignals(), GetRates(), GetIndex())};
    }

  private:
    bool m_always{false}; //!< Whether rates are coupled while BBR probes too
};

NS_OBJECT_ENSURE_REGISTERED(TcpCoupledBbr);

/**
 * @param seat Where it stands.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto controller = ns3::CreateObject<TcpCoupledBbr>();
    controller->Setup(seat);
    controller->Choose(values.Is("applies", "always"));
    return controller;
}

} // namespace

double
CoupledBbrRate(const ConnectionSignals& signals,
               const std::vector<AdvertisedRate>& rates,
               std::size_t index)
{
    const auto bandwidth = rates[index].rate;
    double largest = bandwidth;
    for (std::size_t i = 0; i < signals.size(); ++i)
    {
        if (signals[i].group == signals[index].group)
        {
            largest = std::max(largest, rates[i].rate);
        }
    }
    const auto sum = bandwidth + SumAdvertised(signals, rates, index);
    return sum > 0 ? bandwidth * largest / sum : 0;
}

extern const ControllerKind COUPLED_BBR{
    {"coupled_bbr",
     "Coupled BBR (Han et al., 2021): in PROBE_BW the subflows of a group have the largest of "
     "their bandwidths in sum, each in proportion to its own. A reconstruction of one sentence.",
     {OneOf("applies",
            "cruise: in the phases with gain 1, so that probing finds what there is (ours); "
            "always: in all of them, and then each estimate is of a rate that was coupled before.",
            {"cruise", "always"})}},
    Create,
};

} // namespace smartsbd
