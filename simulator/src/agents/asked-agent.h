// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_ASKED_AGENT_H
#define SMARTSBD_ASKED_AGENT_H

#include "agents/agent.h"

#include <istream>
#include <ostream>

namespace smartsbd
{

/**
 * An agent elsewhere, which is asked by a line and answers by one: so one is trained.
 *
 * A question is the time in ns, the index of the subflow, and of its last round trip the rate in
 * bytes/s, mean and least RTT in s, loss, and delivery rate in bytes/s; then the state. The answer
 * is a number.
 */
class AskedAgent : public Agent
{
  public:
    /**
     * @param questions Where questions go; it must outlive this.
     * @param answers Where answers come from; it must outlive this.
     */
    AskedAgent(std::ostream& questions, std::istream& answers);

    std::size_t GetInputs() const override;
    double Answer(const AgentQuestion& question) override;

  private:
    std::ostream& m_questions; //!< Where questions go
    std::istream& m_answers;   //!< Where answers come from
};

} // namespace smartsbd

#endif /* SMARTSBD_ASKED_AGENT_H */
