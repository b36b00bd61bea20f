// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/fmbbr.h"

#include "controllers/multipath-bbr.h"
#include "sender/modal-controller.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

namespace
{

/// How long the others of a connection are waited for at most.
const Time PATIENCE = ns3::Seconds(1);

/**
 * @param signals Signals of a subflow.
 * @param start Its start.
 * @return The RTT that gives it its turn; the largest time while nothing is known.
 */
Time
GetTurnRtt(const SubflowSignals& signals, const BbrStart& start)
{
    if (!start.turnRtt.IsZero())
    {
        return start.turnRtt;
    }
    if (!signals.baseRtt.IsZero())
    {
        return signals.baseRtt;
    }
    return signals.Counts() ? signals.tcb->m_srtt.Get() : Time::Max();
}

/**
 * @param signals All subflows of a connection.
 * @param starts Their starts.
 * @param index One of them.
 * @return Indices of its group, itself included, without those whose start is untold.
 */
std::vector<std::size_t>
GetTold(const ConnectionSignals& signals, const std::vector<BbrStart>& starts, std::size_t index)
{
    std::vector<std::size_t> told;
    for (std::size_t i = 0; i < signals.size(); ++i)
    {
        if (signals[i].group == signals[index].group && starts[i].phase != StartPhase::UNTOLD)
        {
            told.push_back(i);
        }
    }
    return told;
}

/// What a scenario chooses of FMBBR.
struct FmbbrChoice
{
    bool stepwise{true};       //!< Whether those of a group start up one after the other
    bool heldBetween{true};    //!< Whether one that has ended its start waits for its group
    bool limitsProbing{false}; //!< Whether gains do not lead beyond the limit
    double leastShare{0};      //!< Share of the largest bandwidth that each has at least
    Time refresh;              //!< After which time all of a group start up again; zero: never
};

/// FMBBR, of one subflow.
class TcpFmbbr : public MultipathBbr, public ModalController
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpFmbbr")
                                     .SetParent<MultipathBbr>()
                                     .AddConstructor<TcpFmbbr>();
        return tid;
    }

    /**
     * @param choice What the scenario chooses.
     */
    void Choose(const FmbbrChoice& choice)
    {
        m_choice = choice;
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpFmbbr>(this);
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        m_established = m_established.IsZero() ? Simulator::Now() : m_established;
        MultipathBbr::CongestionStateSet(tcb, newState);
        TellPhase();
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection& rc,
                     const ns3::TcpRateOps::TcpRateSample& rs) override
    {
        Refresh();
        MultipathBbr::CongControl(tcb, rc, rs);
        TellPhase();
    }

  protected:
    bool MayBegin() override
    {
        auto& starts = GetStarts();
        const bool all = std::none_of(starts.begin(), starts.end(), [](const BbrStart& start) {
            return start.phase == StartPhase::UNTOLD;
        });
        if (!all && Simulator::Now() - m_established < PATIENCE)
        {
            return false;
        }
        if (IsAlone(GetConnectionSignals(), GetIndex()))
        {
            return true;
        }
        if (GetSignals().baseRtt.IsZero() ||
            (m_choice.stepwise && !FmbbrMayStart(GetConnectionSignals(), starts, GetIndex())))
        {
            return false;
        }
        // The order of turns is that of limits, whatever RTTs are sampled meanwhile.
        for (const auto i : GetGroup())
        {
            const auto rtt = GetTurnRtt(GetConnectionSignals()[i], starts[i]);
            starts[i].turnRtt = rtt == Time::Max() ? Time() : rtt;
        }
        return true;
    }

    bool IsHeld() override
    {
        return m_choice.stepwise && m_choice.heldBetween &&
               GetStartup().phase == StartPhase::ENDED && GroupStarts();
    }

    std::optional<BbrCap> GetCap() override
    {
        const auto& starts = GetStarts();
        auto& limit = GetStarts()[GetIndex()].limit;
        limit = std::nullopt;
        if (!GroupStarts())
        {
            std::vector<FmbbrProbe> group;
            std::size_t place = 0;
            for (const auto i : GetGroup())
            {
                place = i == GetIndex() ? group.size() : place;
                group.push_back(
                    {starts[i].probed, GetTurnRtt(GetConnectionSignals()[i], starts[i])});
            }
            if (group.size() > 1)
            {
                limit = FmbbrLimits(group, m_choice.leastShare)[place];
            }
        }
        if (!limit)
        {
            return std::nullopt;
        }
        return BbrCap{*limit, true, m_choice.limitsProbing};
    }

  private:
    /// @return Indices of its group, itself included, without those whose start is untold.
    std::vector<std::size_t> GetGroup() const
    {
        return GetTold(GetConnectionSignals(), GetStarts(), GetIndex());
    }

    /// @return Whether one of its group waits or starts up.
    bool GroupStarts() const
    {
        return FmbbrGroupStarts(GetConnectionSignals(), GetStarts(), GetIndex());
    }

    /// Let all of the group start up again, if it is time.
    void Refresh()
    {
        const auto group = GetGroup();
        if (m_choice.refresh.IsZero() || group.size() < 2 || GroupStarts())
        {
            return;
        }
        Time last;
        for (const auto i : group)
        {
            last = std::max(last, GetStarts()[i].ended);
        }
        if (Simulator::Now() - last < m_choice.refresh)
        {
            return;
        }
        for (const auto i : group)
        {
            GetStarts()[i].phase = StartPhase::WAITS;
        }
    }

    /// Tell the truth what it does.
    void TellPhase()
    {
        switch (GetStartup().phase)
        {
        case StartPhase::UNTOLD:
            break;
        case StartPhase::WAITS:
            EnterMode("wait");
            break;
        case StartPhase::STARTS:
            EnterMode("start");
            break;
        case StartPhase::DRAINS:
            EnterMode("drain");
            break;
        case StartPhase::ENDED:
            EnterMode(IsHeld() ? "hold" : "run");
            break;
        }
    }

    FmbbrChoice m_choice; //!< What the scenario chooses
    Time m_established;   //!< When it was established, or zero
};

NS_OBJECT_ENSURE_REGISTERED(TcpFmbbr);

/**
 * @param seat Where it stands.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    FmbbrChoice choice;
    choice.stepwise = !values.Is("start", "together");
    choice.heldBetween = !values.Is("between", "run");
    choice.limitsProbing = values.Is("cap", "probing");
    choice.leastShare = values.GetNumber("least_share");
    choice.refresh = ns3::Seconds(values.GetNumber("refresh_s"));
    const auto controller = ns3::CreateObject<TcpFmbbr>();
    controller->Setup(seat);
    controller->Choose(choice);
    return controller;
}

} // namespace

std::vector<double>
FmbbrLimits(const std::vector<FmbbrProbe>& group, double leastShare)
{
    std::vector<std::size_t> order(group.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return group[a].rtt < group[b].rtt;
    });
    double largest = 0;
    for (const auto& probe : group)
    {
        largest = std::max(largest, probe.bandwidth);
    }
    std::vector<double> limits(group.size());
    double left = largest;
    for (const auto i : order)
    {
        limits[i] = std::min(group[i].bandwidth, left);
        left -= limits[i];
    }
    for (auto& limit : limits)
    {
        limit = std::max(limit, leastShare * largest);
    }
    return limits;
}

bool
FmbbrMayStart(const ConnectionSignals& signals,
              const std::vector<BbrStart>& starts,
              std::size_t index)
{
    for (const auto i : GetTold(signals, starts, index))
    {
        const auto phase = starts[i].phase;
        if (phase == StartPhase::STARTS || phase == StartPhase::DRAINS)
        {
            return false;
        }
        const auto rtt = GetTurnRtt(signals[i], starts[i]);
        const auto own = GetTurnRtt(signals[index], starts[index]);
        if (phase == StartPhase::WAITS && (rtt < own || (rtt == own && i < index)))
        {
            return false;
        }
    }
    return true;
}

bool
FmbbrGroupStarts(const ConnectionSignals& signals,
                 const std::vector<BbrStart>& starts,
                 std::size_t index)
{
    const auto told = GetTold(signals, starts, index);
    return std::any_of(told.begin(), told.end(), [&](std::size_t i) {
        return starts[i].phase != StartPhase::ENDED;
    });
}

extern const ControllerKind FMBBR{
    {"fmbbr",
     "FMBBR: BBR, where subflows of one group start up in turn by their base RTT, and have the "
     "largest bandwidth found by one of them in sum (Algorithm 1). A subflow alone in its group is "
     "bbr from its start. Ours: BBR learns nothing while its subflow waits; others of the "
     "connection are waited for 1 s at most; one that joins later has its turn then.",
     {OneOf("start",
            "stepwise: one of a group after the other; together: all at once, with limits "
            "afterwards.",
            {"stepwise", "together"}),
      OneOf("between",
            "What a subflow does between the end of its start and that of the last of its group. "
            "wait: it keeps the window of 4 segments, as the third branch of step 2; run: it goes "
            "on.",
            {"wait", "run"}),
      OneOf("cap",
            "What the limit is of. estimate: of the bandwidth, so that gains lead beyond it; "
            "probing: of the rate.",
            {"estimate", "probing"}),
      Number("least_share",
             "Share of the group's bandwidth that each subflow has at least (ours; none in the "
             "paper, where the window of 4 segments is left).",
             0,
             0.5,
             0),
      Number("refresh_s",
             "Time in s after which all of a group start up again (ours); 0: never.",
             0,
             3600,
             0)}},
    Create,
};

} // namespace smartsbd
