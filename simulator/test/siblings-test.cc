// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Tells smartsbd::Sibling ACKs and states, and compares what it keeps with values known by hand.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "sender/siblings.h"

#include "check.h"

namespace
{

using smartsbd::Check;
using smartsbd::g_status;

/**
 * @param bytes Newly acknowledged bytes.
 * @param rtt RTT sample in ms; 0: none.
 * @return What such an ACK tells.
 */
smartsbd::AckOutcome
Ack(uint64_t bytes, int64_t rtt)
{
    smartsbd::AckOutcome outcome;
    outcome.newlyAcked = bytes;
    if (rtt > 0)
    {
        outcome.sample = smartsbd::RttSample{ns3::MilliSeconds(rtt), ns3::Time()};
    }
    return outcome;
}

} // namespace

int
main()
{
    using ns3::MilliSeconds;
    using ns3::TcpSocketState;
    smartsbd::Sibling sibling;
    Check("no socket, no part", !sibling.Counts());
    const auto tcb = ns3::CreateObject<TcpSocketState>();
    sibling.tcb = tcb;
    Check("no RTT, no part", !sibling.Counts());
    tcb->m_srtt = MilliSeconds(1);
    Check("an RTT, a part", sibling.Counts());

    sibling.NoteAck(Ack(3000, 50));
    sibling.NoteAck(Ack(2000, 0));
    sibling.NoteAck(Ack(0, 70));
    Check("bytes without a loss", sibling.acked == 5000 && sibling.sinceLoss == 5000);
    Check("the last RTT is raw", sibling.lastRtt == MilliSeconds(70));
    Check("the least RTT", sibling.baseRtt == MilliSeconds(50));
    Check("all samples", sibling.samples == 2 && sibling.sampleSum == MilliSeconds(120));

    sibling.NoteState(TcpSocketState::CA_DISORDER, MilliSeconds(900));
    Check("disorder is no loss", sibling.sinceLoss == 5000 && sibling.lastLoss.IsZero());
    sibling.NoteState(TcpSocketState::CA_RECOVERY, MilliSeconds(1000));
    Check("a loss", sibling.betweenLosses == 5000 && sibling.sinceLoss == 0);
    sibling.NoteState(TcpSocketState::CA_LOSS, MilliSeconds(1100));
    Check("the same loss", sibling.betweenLosses == 5000 && sibling.sinceLoss == 0);
    Check("its time", sibling.lastLoss == MilliSeconds(1100));
    sibling.NoteAck(Ack(4000, 0));
    Check("less since then", sibling.GetBytesOfLosses() == 5000);
    sibling.NoteAck(Ack(2000, 0));
    Check("more since then", sibling.GetBytesOfLosses() == 6000);
    sibling.NoteState(TcpSocketState::CA_CWR, MilliSeconds(2000));
    Check("the next loss", sibling.betweenLosses == 6000 && sibling.sinceLoss == 0);

    smartsbd::Siblings siblings(3);
    Check("one group", !smartsbd::IsAlone(siblings, 0));
    siblings[1].group = 1;
    Check("groups of two and one",
          !smartsbd::IsAlone(siblings, 0) && smartsbd::IsAlone(siblings, 1));
    return g_status;
}
