// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/cmpbbr.h"

#include "controllers/multipath-bbr.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

namespace
{

/// What counts as like a bandwidth, over it.
constexpr double TOLERANCE = 0.2;

/// C-MPBBR, of one subflow.
class TcpCmpbbr : public MultipathBbr
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpCmpbbr")
                                     .SetParent<MultipathBbr>()
                                     .AddConstructor<TcpCmpbbr>();
        return tid;
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCmpbbr>(this);
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection& rc,
                     const ns3::TcpRateOps::TcpRateSample& rs) override
    {
        MultipathBbr::CongControl(tcb, rc, rs);
        if (GetBbrState() != BBR_PROBE_BW || GetPacingGain() != 1)
        {
            m_cruises = Time();
            m_counted = false;
            return;
        }
        m_cruises = m_cruises.IsZero() ? Simulator::Now() : m_cruises;
        // Phase 3 is the second one with gain 1; a phase lasts for a base RTT.
        if (!m_counted && Simulator::Now() - m_cruises >= GetSignals().baseRtt)
        {
            m_counted = true;
            m_divisor.Note(CountAlike(GetConnectionSignals(), GetRates(), GetIndex()));
        }
    }

  protected:
    std::optional<BbrCap> GetCap() override
    {
        if (m_divisor.Get() == 1 || GetPacingGain() != 1)
        {
            return std::nullopt;
        }
        return BbrCap{GetRates()[GetIndex()].rate / m_divisor.Get()};
    }

  private:
    AlikeDivisor m_divisor; //!< What the bandwidth is divided by
    Time m_cruises;         //!< Since when the gain is 1; zero: it is not
    bool m_counted{false};  //!< Whether this cycle has its count
};

NS_OBJECT_ENSURE_REGISTERED(TcpCmpbbr);

/**
 * @param seat Where it stands.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues&)
{
    const auto controller = ns3::CreateObject<TcpCmpbbr>();
    controller->Setup(seat);
    return controller;
}

} // namespace

uint32_t
CountAlike(const ConnectionSignals& signals,
           const std::vector<AdvertisedRate>& rates,
           std::size_t index)
{
    const auto bandwidth = rates[index].rate;
    uint32_t count = 0;
    for (std::size_t i = 0; i < signals.size(); ++i)
    {
        count += signals[i].group == signals[index].group &&
                 std::abs(rates[i].rate - bandwidth) <= TOLERANCE * bandwidth;
    }
    return count;
}

void
AlikeDivisor::Note(uint32_t count)
{
    if (count > 1)
    {
        m_divisor = m_before || m_divisor > 1 ? count : 1;
        m_missed = false;
    }
    else if (m_divisor > 1 && !m_missed)
    {
        m_missed = true;
    }
    else
    {
        m_divisor = 1;
        m_missed = false;
    }
    m_before = count > 1;
}

uint32_t
AlikeDivisor::Get() const
{
    return m_divisor;
}

extern const ControllerKind CMPBBR{
    {"cmpbbr",
     "C-MPBBR (Mahmud et al., 2020), as its kernel module has it: in the phases of PROBE_BW with "
     "gain 1 a bandwidth is divided by the number of subflows whose bandwidths are within 20 % of "
     "it, found in two cycles in a row. It closes no subflow.",
     {}},
    Create,
};

} // namespace smartsbd
