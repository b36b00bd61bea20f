/* SPDX-License-Identifier: GPL-2.0-only */
/* The common lag, with its default rule, judges the connections of slot.h by their RTT samples. */
#ifndef SBD_SLOT_COMMON_LAG_H
#define SBD_SLOT_COMMON_LAG_H

#include "slot.h"

struct sbd_common_pair;
struct sbd_common_evidence;

/* One call may lead to several judgements: each is noted as it is made. */
static __always_inline void sbd_common_note_judged(struct sbd_common_pair *pair);

#define SBD_COMMON_JUDGED(pair, evidence)	sbd_common_note_judged(pair)
#include "sbd_common_lag.h"

/* A pair with the slot that it judges. */
struct sbd_common_judged {
	struct sbd_common_pair pair;
	u64 slot, begin_ns, now_ns;
};

static struct sbd_common_judged SBD_IN_ARENA sbd_common_pairs[SBD_SLOTS];
/* Slots may be drained at the same time: each has its own. */
static struct sbd_common_scratch SBD_IN_ARENA sbd_common_scratches[SBD_SLOTS];

static __always_inline struct sbd_common_judged *sbd_common_judged_of(u32 slot)
{
	SBD_USE_ARENA();
	return (struct sbd_common_judged *)&sbd_common_pairs[slot % SBD_SLOTS];
}

static __always_inline struct sbd_common_scratch *sbd_common_scratch_of(u32 slot)
{
	SBD_USE_ARENA();
	return (struct sbd_common_scratch *)&sbd_common_scratches[slot % SBD_SLOTS];
}

static __always_inline void sbd_common_note_judged(struct sbd_common_pair *pair)
{
	struct sbd_common_judged *own = (struct sbd_common_judged *)pair;
	struct sbd_slot *s = sbd_slot_of((u32)own->slot);
	struct sbd_judgement *j = sbd_slot_note(s);

	j->took_ns = bpf_ktime_get_ns() - own->begin_ns;
	j->start_ns = 0;
	j->window_ns = 0;
	j->decided_ns = own->now_ns;
	j->said = pair->said;
	j->values = 1;
	j->value[0] = pair->score_q10;
	s->judged++;
}

/* Its judgements are those of sbd_slot_take() and, of what is complete, of sbd_slot_finish(). */
SBD_SLOT_CALL int sbd_slot_judge(u32 slot, u64 now_ns)
{
	return 0;
}

static __always_inline void sbd_common_begin(struct sbd_common_judged *own, u32 slot, u64 now_ns)
{
	own->slot = slot;
	own->now_ns = now_ns;
	own->begin_ns = bpf_ktime_get_ns();
}

SBD_SLOT_CALL int sbd_slot_finish(u32 slot, u64 end_ns)
{
	struct sbd_common_judged *own = sbd_common_judged_of(slot);

	/* Of the last sample: the pipeline knows no later time. */
	sbd_common_begin(own, slot, own->now_ns);
	return sbd_common_finish(&own->pair, sbd_common_scratch_of(slot), (s64)own->now_ns);
}

/* A subflow needs no place before its first sample. */
SBD_SLOT_CALL int sbd_slot_join(u32 slot)
{
	return 0;
}

SBD_SLOT_CALL int sbd_slot_take(u32 slot, u32 side, u32 place)
{
	struct sbd_signal *g = &sbd_slot_of(slot)->ring[side & 1].signal[place % SBD_RING];
	struct sbd_common_judged *own = sbd_common_judged_of(slot);

	if (!(g->has & SBD_HAS_RTT))
		return 0;
	sbd_common_begin(own, slot, g->now_ns);
	return sbd_common_on_rtt(&own->pair, sbd_common_scratch_of(slot), side & 1,
				 (s64)g->now_ns, g->rtt_us);
}

SBD_SLOT_CALL int sbd_slot_reset(u32 slot)
{
	const struct sbd_common_rule rule = SBD_COMMON_RULE;

	sbd_common_init(&sbd_common_judged_of(slot)->pair, rule);
	return 0;
}

#endif
