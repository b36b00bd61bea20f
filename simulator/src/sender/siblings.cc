// SPDX-License-Identifier: GPL-2.0-only

#include "sender/siblings.h"

#include <algorithm>

namespace smartsbd
{

void
Sibling::TellMode(std::string_view mode, ns3::Time now)
{
    if (modes.empty() || modes.back().mode != mode)
    {
        modes.push_back({now, mode});
    }
}

bool
Sibling::Counts() const
{
    return tcb && tcb->m_srtt.Get().IsStrictlyPositive();
}

uint64_t
Sibling::GetBytesOfLosses() const
{
    return std::max(sinceLoss, betweenLosses);
}

void
Sibling::NoteAck(const AckOutcome& outcome)
{
    acked += outcome.newlyAcked;
    arrived += outcome.newlyArrived;
    sinceLoss += outcome.newlyAcked;
    if (outcome.sample)
    {
        lastRtt = outcome.sample->rtt;
        baseRtt = samples == 0 ? lastRtt : std::min(baseRtt, lastRtt);
        sampleSum += lastRtt;
        ++samples;
    }
}

void
Sibling::NoteState(ns3::TcpSocketState::TcpCongState_t state, ns3::Time now)
{
    using ns3::TcpSocketState;
    if (state != TcpSocketState::CA_RECOVERY && state != TcpSocketState::CA_CWR &&
        state != TcpSocketState::CA_LOSS)
    {
        return;
    }
    lastLoss = now;
    if (sinceLoss > 0)
    {
        betweenLosses = sinceLoss;
        sinceLoss = 0;
    }
}

bool
IsAlone(const Siblings& siblings, std::size_t index)
{
    return std::count_if(siblings.begin(), siblings.end(), [&](const Sibling& sibling) {
               return sibling.group == siblings[index].group;
           }) == 1;
}

double
SumAdvertised(const Siblings& siblings, std::size_t index)
{
    double sum = 0;
    for (const auto& sibling : siblings)
    {
        if (&sibling != &siblings[index] && sibling.group == siblings[index].group)
        {
            sum += sibling.advertisedRate;
        }
    }
    return sum;
}

} // namespace smartsbd
