/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs and user space share of a connection, in the arena; twin of slot.rs. */
#ifndef SBD_SLOT_MEMORY_H
#define SBD_SLOT_MEMORY_H

#define SBD_RING	1024	/* signals that may wait, of a subflow */
#define SBD_LOG		64	/* judgements that are kept, of a connection */
#define SBD_VALUES	32	/* most features of a model */
#define SBD_SIDES	2	/* subflows of a connection */

enum sbd_signal_has {
	SBD_HAS_RTT = 1,
	SBD_HAS_ACK = 2,
	SBD_HAS_STATE = 4
};

/**
 * struct sbd_signal - what a subflow's sender was told at one time
 * @now_ns: when
 * @acked_bytes: acknowledged cumulatively, if it has an ACK
 * @rtt_us: the sample, if it has one
 * @has: enum sbd_signal_has, taken in this order
 * @ca_state: what the congestion state changed to, if it did
 */
struct sbd_signal {
	u64 now_ns;
	u64 acked_bytes;
	u32 rtt_us;
	u8 has;
	u8 ca_state;
	u8 unused[2];
};

/**
 * struct sbd_ring - signals of a subflow that wait, of one producer and one consumer
 * @head: how many were put in; the producer's, who writes it last (in order on x86-64; other
 *	processors need a release)
 * @tail: how many were taken out; the consumer's
 * @lost: how many found it full
 * @id: the subflow's number
 * @signal: the one of number n is at n % SBD_RING
 */
struct sbd_ring {
	u64 head;
	u64 tail;
	u64 lost;
	u32 id;
	u32 unused;
	struct sbd_signal signal[SBD_RING];
};

/**
 * struct sbd_judgement - what was said once
 * @start_ns: of the window; 0 of the lag excess
 * @window_ns: its length; 0 of the lag excess
 * @decided_ns: the time of the signal that led to it
 * @took_ns: how long judging took
 * @said: enum sbd_verdict, or enum sbd_lag_said
 * @values: how many of @value there are
 * @value: the features, in the order of enum sbd_feature; or the score of the lag excess, in Q10
 */
struct sbd_judgement {
	u64 start_ns;
	u64 window_ns;
	u64 decided_ns;
	u64 took_ns;
	u32 said;
	u32 values;
	s32 value[SBD_VALUES];
};

/**
 * struct sbd_slot - a connection
 * @subflows: how many of @ring have one
 * @judged: how many judgements there were
 * @rejected: windows that could not be judged
 * @missed: windows that were not judged in time
 * @refused: signals without effect
 * @group: of each subflow in the end, 255 if nothing is known
 * @ring: signals of each subflow
 * @log: the judgement of number n is at n % SBD_LOG
 */
struct sbd_slot {
	u32 subflows;
	u32 judged;
	u32 rejected;
	u32 missed;
	u32 refused;
	u8 group[4];
	struct sbd_ring ring[SBD_SIDES];
	struct sbd_judgement log[SBD_LOG];
};

#endif
