// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/multipath-bbr.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace smartsbd
{

using ns3::DataRate;
using ns3::Ptr;
using ns3::TcpBbr;
using ns3::TcpRateOps;
using ns3::TcpSocketState;

NS_OBJECT_ENSURE_REGISTERED(MultipathBbr);

namespace
{

/// Least window of BBR in segments.
constexpr uint32_t LEAST_WINDOW = 4;
/// What BBR's window is over what its rate sends in a round trip.
constexpr double WINDOW_GAIN = 2;
/// Round trips over which the largest delivery rate is taken, as in BBR.
constexpr uint32_t ROUNDS = 10;

/**
 * @param rate A rate in bytes/s.
 * @return The same for ns-3.
 */
DataRate
ToDataRate(double rate)
{
    return DataRate(static_cast<uint64_t>(std::llround(8 * rate)));
}

/**
 * @param sample A sample of ns-3.
 * @return Whether it gives a delivery rate.
 */
bool
IsRate(const TcpRateOps::TcpRateSample& sample)
{
    return sample.m_delivered > 0 && sample.m_interval.IsStrictlyPositive();
}

} // namespace

ns3::TypeId
MultipathBbr::GetTypeId()
{
    static ns3::TypeId tid = ns3::TypeId("smartsbd::MultipathBbr")
                                 .SetParent<TcpBbr>()
                                 .AddConstructor<MultipathBbr>();
    return tid;
}

MultipathBbr::MultipathBbr()
    : m_fastest(ROUNDS, DataRate(0), 0)
{
}

void
MultipathBbr::Setup(const Seat& seat)
{
    m_seat = seat;
    m_rates = seat.shared->Get<AdvertisedRate>();
    m_starts = seat.shared->Get<BbrStart>();
    SetStream(seat.stream);
}

Ptr<ns3::TcpCongestionOps>
MultipathBbr::Fork()
{
    return ns3::CopyObject<MultipathBbr>(this);
}

void
MultipathBbr::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                 const TcpSocketState::TcpCongState_t newState)
{
    if (m_begun)
    {
        TcpBbr::CongestionStateSet(tcb, newState);
        return;
    }
    auto& phase = GetStart().phase;
    if (phase == StartPhase::UNTOLD)
    {
        phase = StartPhase::WAITS;
        if (MayBegin())
        {
            Begin(tcb);
            return;
        }
        m_waited = true;
        tcb->m_cWnd = LEAST_WINDOW * tcb->m_segmentSize;
    }
}

void
MultipathBbr::CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event)
{
    if (m_begun)
    {
        TcpBbr::CwndEvent(tcb, event);
    }
}

void
MultipathBbr::CongControl(Ptr<TcpSocketState> tcb,
                          const TcpRateOps::TcpRateConnection& rc,
                          const TcpRateOps::TcpRateSample& rs)
{
    NoteRate(rc, rs);
    const bool waits = GetStart().phase == StartPhase::WAITS;
    // After a timeout ns-3's BBR takes ACKs that give no rate for a full pipe.
    const bool sound = tcb->m_congState == TcpSocketState::CA_OPEN && IsRate(rs);
    if (waits && sound && MayBegin())
    {
        Begin(tcb);
    }
    else if (waits || IsHeld())
    {
        tcb->m_cWnd = LEAST_WINDOW * tcb->m_segmentSize;
        return;
    }
    const auto cap = GetBbrState() == BBR_PROBE_BW ? GetCap() : std::nullopt;
    auto sample = rs;
    if (cap && cap->limitsEstimate)
    {
        const auto most = ToDataRate(std::max(cap->rate, GetLeastRate(tcb)));
        sample.m_deliveryRate = std::min(rs.m_deliveryRate, most);
    }
    TcpBbr::CongControl(tcb, rc, sample);
    TellStart();
    if (cap && GetBbrState() == BBR_PROBE_BW)
    {
        Limit(tcb, *cap);
    }
}

const Startup&
MultipathBbr::GetStartup() const
{
    return GetStart();
}

bool
MultipathBbr::MayBegin()
{
    return true;
}

bool
MultipathBbr::IsHeld()
{
    return false;
}

std::optional<BbrCap>
MultipathBbr::GetCap()
{
    return std::nullopt;
}

const ConnectionSignals&
MultipathBbr::GetConnectionSignals() const
{
    return *m_seat.signals;
}

const std::vector<AdvertisedRate>&
MultipathBbr::GetRates() const
{
    return *m_rates;
}

std::vector<BbrStart>&
MultipathBbr::GetStarts() const
{
    return *m_starts;
}

std::size_t
MultipathBbr::GetIndex() const
{
    return m_seat.index;
}

const SubflowSignals&
MultipathBbr::GetSignals() const
{
    return (*m_seat.signals)[m_seat.index];
}

BbrStart&
MultipathBbr::GetStart() const
{
    return (*m_starts)[m_seat.index];
}

void
MultipathBbr::Begin(Ptr<TcpSocketState> tcb)
{
    auto& start = GetStart();
    start.phase = StartPhase::STARTS;
    start.probed = 0;
    if (m_begun)
    {
        // BBR remembers the rate it was limited to: a smaller window would look like a full pipe.
        tcb->m_cWnd = GetWindow(tcb, WINDOW_GAIN * start.limit.value_or(0));
        InitFullPipe();
        EnterStartup();
        return;
    }
    m_begun = true;
    if (m_waited)
    {
        tcb->m_cWnd = tcb->m_initialCWnd * tcb->m_segmentSize;
    }
    TcpBbr::CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    if (tcb->m_congState != TcpSocketState::CA_OPEN)
    {
        TcpBbr::CongestionStateSet(tcb, tcb->m_congState);
    }
}

void
MultipathBbr::NoteRate(const TcpRateOps::TcpRateConnection& rc,
                       const TcpRateOps::TcpRateSample& rs)
{
    if (!IsRate(rs))
    {
        return;
    }
    if (rs.m_priorDelivered >= m_endOfRound)
    {
        m_endOfRound = rc.m_delivered;
        ++m_rounds;
    }
    if (!rs.m_isAppLimited || rs.m_deliveryRate >= m_fastest.GetBest())
    {
        m_fastest.Update(rs.m_deliveryRate, m_rounds);
    }
    (*m_rates)[m_seat.index].rate = static_cast<double>(m_fastest.GetBest().GetBitRate()) / 8;
    auto& start = GetStart();
    const bool starts = start.phase == StartPhase::STARTS || start.phase == StartPhase::DRAINS;
    if (starts && !rs.m_isAppLimited)
    {
        const auto rate = static_cast<double>(rs.m_deliveryRate.GetBitRate()) / 8;
        start.probed = std::max(start.probed, rate);
    }
}

void
MultipathBbr::TellStart()
{
    auto& start = GetStart();
    const auto state = GetBbrState();
    if (start.phase == StartPhase::STARTS && state != BBR_STARTUP)
    {
        start.phase = StartPhase::DRAINS;
    }
    if (start.phase == StartPhase::DRAINS && state == BBR_PROBE_BW)
    {
        start.phase = StartPhase::ENDED;
        start.ended = ns3::Simulator::Now();
    }
}

void
MultipathBbr::Limit(Ptr<TcpSocketState> tcb, const BbrCap& cap)
{
    const auto rate = std::max(cap.rate, GetLeastRate(tcb));
    const auto paced = ToDataRate(cap.limitsProbing ? rate : rate * GetPacingGain());
    if (paced < tcb->m_pacingRate.Get())
    {
        tcb->m_pacingRate = paced;
    }
    const auto window = GetWindow(tcb, GetCwndGain() * cap.rate);
    if (window < tcb->m_cWnd.Get())
    {
        tcb->m_cWnd = window;
    }
}

uint32_t
MultipathBbr::GetWindow(Ptr<const TcpSocketState> tcb, double rate) const
{
    const auto segments = rate * GetSignals().baseRtt.GetSeconds() / tcb->m_segmentSize;
    return std::max(LEAST_WINDOW, static_cast<uint32_t>(segments)) * tcb->m_segmentSize;
}

double
MultipathBbr::GetLeastRate(Ptr<const TcpSocketState> tcb) const
{
    // There is a delivery rate, so there is an RTT.
    return LEAST_WINDOW * tcb->m_segmentSize / GetSignals().baseRtt.GetSeconds();
}

} // namespace smartsbd
