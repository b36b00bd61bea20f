// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_AGENT_H
#define SMARTSBD_AGENT_H

#include "agents/agent-history.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace smartsbd
{

/// An agent that cannot be used; what() says why.
class AgentError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// What an agent is asked.
struct AgentQuestion
{
    ns3::Time time;            //!< The time
    std::size_t subflow;       //!< Index of the subflow whose rate it is about
    AgentRecord last;          //!< Its last round trip, in units
    std::vector<double> state; //!< The round trips that the agent sees
};

/// Says by what a subflow is to change its rate.
class Agent
{
  public:
    virtual ~Agent() = default;

    /// @return How many numbers its state must have, or 0: it takes any.
    virtual std::size_t GetInputs() const = 0;

    /**
     * @param question What is asked.
     * @return The exponent of the change: the rate is to be multiplied by 2 to its power.
     */
    virtual double Answer(const AgentQuestion& question) = 0;
};

/**
 * @param name Name of a file of weights, or "-": an agent that is asked over standard output and
 *             answers over standard input.
 * @return The agent.
 * @throws AgentError if there is none.
 */
std::shared_ptr<Agent> GetAgent(const std::string& name);

} // namespace smartsbd

#endif /* SMARTSBD_AGENT_H */
