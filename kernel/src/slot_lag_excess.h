/* SPDX-License-Identifier: GPL-2.0-only */
/* The lag excess, with its default rule, judges the connections of slot.h by their RTT samples. */
#ifndef SBD_SLOT_LAG_EXCESS_H
#define SBD_SLOT_LAG_EXCESS_H

#include "slot.h"
#include "sbd_lag_excess.h"

static struct sbd_lag_in_arena SBD_IN_ARENA sbd_lag_pairs[SBD_SLOTS];

static __always_inline struct sbd_lag_pair *sbd_lag_pair_of(u32 slot)
{
	SBD_USE_ARENA();
	return &((struct sbd_lag_in_arena *)&sbd_lag_pairs[slot % SBD_SLOTS])->pair;
}

/* Its judgements are those of sbd_slot_take() alone. */
SBD_SLOT_CALL int sbd_slot_judge(u32 slot, u64 now_ns)
{
	return 0;
}

SBD_SLOT_CALL int sbd_slot_finish(u32 slot, u64 end_ns)
{
	return 0;
}

/* A subflow needs no place before its first sample. */
SBD_SLOT_CALL int sbd_slot_join(u32 slot)
{
	return 0;
}

SBD_SLOT_CALL int sbd_slot_take(u32 slot, u32 side, u32 place)
{
	struct sbd_signal *g = &sbd_slot_of(slot)->ring[side & 1].signal[place % SBD_RING];
	struct sbd_lag_pair *pair = sbd_lag_pair_of(slot);
	struct sbd_slot *s = sbd_slot_of(slot);
	u64 begin_ns = bpf_ktime_get_ns();
	struct sbd_judgement *j;

	if (!(g->has & SBD_HAS_RTT) || !sbd_lag_on_rtt(pair, side & 1, g->now_ns, g->rtt_us))
		return 0;
	j = sbd_slot_note(s);
	j->took_ns = bpf_ktime_get_ns() - begin_ns;
	j->start_ns = 0;
	j->window_ns = 0;
	j->decided_ns = pair->decided_ns;
	j->said = pair->said;
	j->values = pair->has_score;
	j->value[0] = pair->score_q10;
	s->judged++;
	return 1;
}

SBD_SLOT_CALL int sbd_slot_reset(u32 slot)
{
	const struct sbd_lag_rule rule = SBD_LAG_RULE;

	sbd_lag_init(sbd_lag_pair_of(slot), rule);
	return 0;
}

#endif
