// SPDX-License-Identifier: GPL-2.0-only

#include "agents/asked-agent.h"

#include <cmath>
#include <limits>

namespace smartsbd
{

AskedAgent::AskedAgent(std::ostream& questions, std::istream& answers)
    : m_questions(questions),
      m_answers(answers)
{
    m_questions.precision(std::numeric_limits<double>::max_digits10);
}

std::size_t
AskedAgent::GetInputs() const
{
    return 0;
}

double
AskedAgent::Answer(const AgentQuestion& question)
{
    const auto& last = question.last;
    m_questions << question.time.GetNanoSeconds() << ' ' << question.subflow << ' ' << last.rate
                << ' ' << last.rtt.GetSeconds() << ' ' << last.leastRtt.GetSeconds() << ' '
                << last.loss << ' ' << last.delivery;
    for (const auto value : question.state)
    {
        m_questions << ' ' << value;
    }
    m_questions << std::endl;
    double answer = 0;
    if (!(m_answers >> answer) || !std::isfinite(answer))
    {
        throw AgentError("the agent gives no answer");
    }
    return answer;
}

} // namespace smartsbd
