// SPDX-License-Identifier: GPL-2.0-only

#include "agents/subflow-agent.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace smartsbd
{

using ns3::Time;

namespace
{

/// Largest exponent of a change, as the paper has it.
constexpr double LARGEST_EXPONENT = 5;
/// Largest exponent by chance, that of the agent.
constexpr double RANDOM_EXPONENT = 1;
/// Largest rate over the largest that ever arrived.
constexpr double LARGEST_GAIN = 2;

} // namespace

SubflowAgent::SubflowAgent(const Seat& seat, AgentSource source, AgentView view)
    : m_seat(seat),
      m_source(source),
      m_view(view),
      m_histories(seat.shared->Get<AgentHistory>()),
      m_draw(ns3::CreateObject<ns3::UniformRandomVariable>())
{
    m_draw->SetStream(seat.stream);
    if (source != AgentSource::LEARNT)
    {
        return;
    }
    if (!seat.agent)
    {
        throw AgentError("the controller needs an agent");
    }
    const auto inputs = AgentHistory::RECORDS * AgentHistory::VALUES *
                        (view == AgentView::CONNECTION ? MOST_SUBFLOWS : 1);
    if (seat.agent->GetInputs() != 0 && seat.agent->GetInputs() != inputs)
    {
        throw AgentError("the agent takes " + std::to_string(seat.agent->GetInputs()) +
                         " numbers, the controller has " + std::to_string(inputs));
    }
}

AgentSource
SubflowAgent::GetSource() const
{
    return m_source;
}

void
SubflowAgent::NoteSent(uint32_t size, bool repeated)
{
    (*m_histories)[m_seat.index].NoteSent(size, repeated);
}

bool
SubflowAgent::NoteAck(std::optional<Time> rtt, Time srtt, Time now)
{
    const auto arrived = (*m_seat.signals)[m_seat.index].arrived;
    return (*m_histories)[m_seat.index].NoteAck(arrived, rtt, srtt, now);
}

std::optional<double>
SubflowAgent::GetRate(double rate, Time now)
{
    const auto& history = (*m_histories)[m_seat.index];
    if (m_source == AgentSource::CLASSIC || !history.HasRecords())
    {
        return std::nullopt;
    }
    const auto exponent =
        m_source == AgentSource::RANDOM
            ? m_draw->GetValue(-RANDOM_EXPONENT, RANDOM_EXPONENT)
            : m_seat.agent->Answer({now, m_seat.index, history.GetLast(), See()});
    const auto wanted = rate * std::exp2(std::clamp(exponent, -LARGEST_EXPONENT, LARGEST_EXPONENT));
    return std::min(wanted, LARGEST_GAIN * history.GetLargestDelivery());
}

std::vector<double>
SubflowAgent::See() const
{
    const auto& histories = *m_histories;
    std::vector<double> state;
    histories[m_seat.index].AppendTo(state);
    if (m_view == AgentView::SUBFLOW)
    {
        return state;
    }
    for (std::size_t i = 0; i < histories.size(); ++i)
    {
        if (i != m_seat.index)
        {
            histories[i].AppendTo(state);
        }
    }
    state.resize(MOST_SUBFLOWS * AgentHistory::RECORDS * AgentHistory::VALUES, 0);
    return state;
}

Parameter
AgentParameter(const std::vector<std::string>& sources)
{
    std::string description =
        "What says how the rate is to change. learnt: the agent of the command line; random: "
        "chance, between half and twice the rate";
    if (std::find(sources.begin(), sources.end(), "classic") != sources.end())
    {
        description += "; classic: the classic part";
    }
    return OneOf("agent", description + ".", sources);
}

} // namespace smartsbd
