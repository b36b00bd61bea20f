// SPDX-License-Identifier: GPL-2.0-only

#include "agents/subflow-agent.h"
#include "controllers/controller-kind.h"
#include "sender/pacing.h"
#include "sender/transmission-listener.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace smartsbd
{

using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

namespace
{

/// Segments in a round trip at first.
constexpr double FIRST_SEGMENTS = 10;
/// Least segments in a round trip.
constexpr double LEAST_SEGMENTS = 2;
/// RTT while none is known.
const Time UNKNOWN_RTT = ns3::Seconds(1);

/**
 * Congestion control of a subflow whose rate an agent changes in each round trip, whatever is lost.
 */
class TcpRlJoint : public ns3::TcpCongestionOps, public TransmissionListener
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::TcpRlJoint")
                                     .SetParent<ns3::TcpCongestionOps>()
                                     .AddConstructor<TcpRlJoint>();
        return tid;
    }

    /**
     * @param agent What asks the agent; to be set before the socket gets the controller.
     */
    void SetAgent(SubflowAgent agent)
    {
        m_agent.emplace(std::move(agent));
    }

    std::string GetName() const override
    {
        return "TcpRlJoint";
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpRlJoint>(this);
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        m_tcb = tcb;
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        if (newState == TcpSocketState::CA_OPEN && m_rate == 0)
        {
            m_rate = FIRST_SEGMENTS * tcb->m_segmentSize / GetRtt().GetSeconds();
            Pace(tcb, m_rate);
        }
    }

    /// At the end of recovery the socket makes the threshold its window.
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t) override
    {
        return tcb->m_cWnd;
    }

    void IncreaseWindow(Ptr<TcpSocketState>, uint32_t) override
    {
    }

    bool HasCongControl() const override
    {
        return true;
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection&,
                     const ns3::TcpRateOps::TcpRateSample&) override
    {
        // The window follows the RTT.
        Pace(tcb, m_rate);
    }

    void NoteSent(uint64_t, uint32_t size, bool repeated) override
    {
        m_agent->NoteSent(size, repeated);
    }

    void NoteAck(uint64_t, const std::vector<RttSampler::Block>&, std::optional<Time> rtt) override
    {
        const auto now = Simulator::Now();
        if (!m_agent->NoteAck(rtt, GetRtt(), now))
        {
            return;
        }
        const auto least = LEAST_SEGMENTS * m_tcb->m_segmentSize / GetRtt().GetSeconds();
        m_rate = std::max(m_agent->GetRate(m_rate, now).value_or(m_rate), least);
    }

    void NoteTimeout() override
    {
    }

  private:
    /// @return The smoothed RTT.
    Time GetRtt() const
    {
        return m_tcb->m_srtt.Get().IsZero() ? UNKNOWN_RTT : m_tcb->m_srtt.Get();
    }

    std::optional<SubflowAgent> m_agent; //!< Asks the agent
    Ptr<TcpSocketState> m_tcb;           //!< State of the socket
    double m_rate{0};                    //!< Rate at which is sent in bytes/s; 0: none yet
};

NS_OBJECT_ENSURE_REGISTERED(TcpRlJoint);

/**
 * @param seat The subflow and its connection.
 * @param values The parameters.
 * @return A controller.
 */
Ptr<ns3::TcpCongestionOps>
Create(const Seat& seat, const ParameterValues& values)
{
    const auto source =
        values.Is("agent", "random") ? AgentSource::RANDOM : AgentSource::LEARNT;
    const auto view =
        values.Is("sees", "subflow") ? AgentView::SUBFLOW : AgentView::CONNECTION;
    const auto controller = ns3::CreateObject<TcpRlJoint>();
    controller->SetAgent(SubflowAgent(seat, source, view));
    return controller;
}

} // namespace

extern const ControllerKind RL_JOINT{
    {"rl_joint",
     "An agent alone (MPLibra's clean-slate baseline, a reconstruction): in each round trip it "
     "changes the rate of the subflow, knowing of all subflows.",
     {AgentParameter({"learnt", "random"}),
      OneOf("sees",
            "connection: the agent sees all subflows, 5 at most; subflow: the own one alone, as "
            "MPLibra's does.",
            {"connection", "subflow"})}},
    Create,
};

} // namespace smartsbd
