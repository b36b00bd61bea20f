// SPDX-License-Identifier: GPL-2.0-only

#include "sender/subflow-signals.h"

#include <algorithm>

namespace smartsbd
{

bool
SubflowSignals::Counts() const
{
    return tcb && tcb->m_srtt.Get().IsStrictlyPositive();
}

uint64_t
SubflowSignals::GetBytesOfLosses() const
{
    return std::max(sinceLoss, betweenLosses);
}

void
SubflowSignals::NoteAck(const AckOutcome& outcome)
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
SubflowSignals::NoteState(ns3::TcpSocketState::TcpCongState_t state, ns3::Time now)
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
IsAlone(const ConnectionSignals& signals, std::size_t index)
{
    return std::count_if(signals.begin(), signals.end(), [&](const SubflowSignals& subflow) {
               return subflow.group == signals[index].group;
           }) == 1;
}

} // namespace smartsbd
