// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Tells smartsbd::SubflowSignals ACKs and states, and compares what it keeps with values known by
 * hand. Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "sender/subflow-signals.h"

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
    smartsbd::SubflowSignals signals;
    Check("no socket, no part", !signals.Counts());
    const auto tcb = ns3::CreateObject<TcpSocketState>();
    signals.tcb = tcb;
    Check("no RTT, no part", !signals.Counts());
    tcb->m_srtt = MilliSeconds(1);
    Check("an RTT, a part", signals.Counts());

    signals.NoteAck(Ack(3000, 50));
    signals.NoteAck(Ack(2000, 0));
    signals.NoteAck(Ack(0, 70));
    Check("bytes without a loss", signals.acked == 5000 && signals.sinceLoss == 5000);
    Check("the last RTT is raw", signals.lastRtt == MilliSeconds(70));
    Check("the least RTT", signals.baseRtt == MilliSeconds(50));
    Check("all samples", signals.samples == 2 && signals.sampleSum == MilliSeconds(120));

    signals.NoteState(TcpSocketState::CA_DISORDER, MilliSeconds(900));
    Check("disorder is no loss", signals.sinceLoss == 5000 && signals.lastLoss.IsZero());
    signals.NoteState(TcpSocketState::CA_RECOVERY, MilliSeconds(1000));
    Check("a loss", signals.betweenLosses == 5000 && signals.sinceLoss == 0);
    signals.NoteState(TcpSocketState::CA_LOSS, MilliSeconds(1100));
    Check("the same loss", signals.betweenLosses == 5000 && signals.sinceLoss == 0);
    Check("its time", signals.lastLoss == MilliSeconds(1100));
    signals.NoteAck(Ack(4000, 0));
    Check("less since then", signals.GetBytesOfLosses() == 5000);
    signals.NoteAck(Ack(2000, 0));
    Check("more since then", signals.GetBytesOfLosses() == 6000);
    signals.NoteState(TcpSocketState::CA_CWR, MilliSeconds(2000));
    Check("the next loss", signals.betweenLosses == 6000 && signals.sinceLoss == 0);

    smartsbd::ConnectionSignals connection(3);
    Check("one group", !smartsbd::IsAlone(connection, 0));
    connection[1].group = 1;
    Check("groups of two and one",
          !smartsbd::IsAlone(connection, 0) && smartsbd::IsAlone(connection, 1));
    return g_status;
}
