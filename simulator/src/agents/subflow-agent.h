// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SUBFLOW_AGENT_H
#define SMARTSBD_SUBFLOW_AGENT_H

#include "agents/agent-history.h"
#include "agents/agent.h"
#include "controllers/controller-kind.h"
#include "parameter.h"

#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smartsbd
{

/// Where the answers for a subflow come from.
enum class AgentSource
{
    LEARNT,  //!< An agent that was trained, or is
    RANDOM,  //!< Chance: a control of what the agent adds
    CLASSIC, //!< Always what the classic controller says: another one
};

/// Which subflows an agent sees.
enum class AgentView
{
    SUBFLOW,    //!< The own one
    CONNECTION, //!< All of the connection: the own one first, then the others by index
};

/// Asks an agent for the rate of a subflow, and keeps what it is told.
class SubflowAgent
{
  public:
    /// Most subflows of a connection that an agent sees.
    static constexpr std::size_t MOST_SUBFLOWS = 5;

    /**
     * @param seat The subflow and its connection.
     * @param source Where answers come from.
     * @param view What the agent sees.
     * @throws AgentError if an agent is needed and there is none, or it takes another view.
     */
    SubflowAgent(const Seat& seat, AgentSource source, AgentView view);

    /// @return Where answers come from.
    AgentSource GetSource() const;

    /**
     * A segment leaves.
     *
     * @param size Its size in bytes.
     * @param repeated Whether it left before.
     */
    void NoteSent(uint32_t size, bool repeated);

    /**
     * An ACK has come.
     *
     * @param rtt Its RTT sample, if it gives one.
     * @param srtt The smoothed RTT.
     * @param now The time.
     * @return Whether it ends a round trip that the agent is told of.
     */
    bool NoteAck(std::optional<ns3::Time> rtt, ns3::Time srtt, ns3::Time now);

    /**
     * @param rate The present rate in bytes/s.
     * @param now The time.
     * @return The rate that the agent wants, no more than twice what ever arrived (ours); none
     *         while it knows of no round trip, and none if the classic controller is to answer.
     */
    std::optional<double> GetRate(double rate, ns3::Time now);

  private:
    /// @return What the agent sees.
    std::vector<double> See() const;

    Seat m_seat;                                 //!< The subflow and its connection
    AgentSource m_source;                        //!< Where answers come from
    AgentView m_view;                            //!< What the agent sees
    Shared<AgentHistory> m_histories;            //!< What an agent is told of the subflows
    ns3::Ptr<ns3::UniformRandomVariable> m_draw; //!< Gives random answers
};

/**
 * @param sources All sources that there are; the first is the default.
 * @return The parameter that says where answers come from.
 */
Parameter AgentParameter(const std::vector<std::string>& sources);

} // namespace smartsbd

#endif /* SMARTSBD_SUBFLOW_AGENT_H */
