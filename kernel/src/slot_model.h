/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exported model judges the connections of slot.h: the one that SBD_MODEL names (a header of
 * export/generated), or sbd_loaded.
 *
 * A model of a file is checked by sbd_load() in user space, into sbd_model, before a program runs:
 * what sbd_load() takes, sbd_loaded_judge() decides with, and the kernel need not read a file.
 */
#ifndef SBD_SLOT_MODEL_H
#define SBD_SLOT_MODEL_H

#include "slot.h"

#define SBD_JOINED(a, b)	a##b
#define SBD_JOIN(a, b)	SBD_JOINED(a, b)
#define SBD_QUOTED(a)	#a
#define SBD_QUOTE(a)	SBD_QUOTED(a)
#include SBD_QUOTE(SBD_MODEL.h)

_Static_assert(SBD_SUBFLOWS == SBD_SIDES, "a ring for each subflow");
_Static_assert(SBD_FEATURES <= SBD_VALUES, "a judgement has room for all features");

static struct sbd_connection SBD_IN_ARENA sbd_connections[SBD_SLOTS];
static struct sbd_scratch SBD_IN_ARENA sbd_scratches[SBD_SLOTS];
#ifdef SBD_LOADED_H
static struct sbd_loaded SBD_IN_ARENA sbd_model;
#define SBD_MODEL_OF_FILE	((const void *)&sbd_model)
#else
#define SBD_MODEL_OF_FILE	NULL
#endif

static __always_inline struct sbd_connection *sbd_connection_of(u32 slot)
{
	SBD_USE_ARENA();
	return (struct sbd_connection *)&sbd_connections[slot % SBD_SLOTS];
}

static __always_inline struct sbd_scratch *sbd_scratch_of(u32 slot)
{
	SBD_USE_ARENA();
	return (struct sbd_scratch *)&sbd_scratches[slot % SBD_SLOTS];
}

/* The verdict on the window that is complete, 0 or 1. */
SBD_SLOT_CALL int sbd_slot_verdict(u32 slot)
{
	const struct sbd_window *w = sbd_judged(&sbd_connection_of(slot)->pair[0]);

	return SBD_JOIN(SBD_MODEL, _judge)(w, SBD_MODEL_OF_FILE, sbd_scratch_of(slot));
}

/* For sbd_decide(); the slot's number comes where a model of a file would. */
static __always_inline enum sbd_verdict sbd_slot_verdict_of(const struct sbd_window *window,
							    const void *model,
							    struct sbd_scratch *scratch)
{
	return sbd_slot_verdict((u32)(unsigned long)model) & 1;
}

static __always_inline void sbd_slot_tell(u32 slot, u64 now_ns, u64 begin_ns)
{
	const struct sbd_pair *p = &sbd_connection_of(slot)->pair[0];
	const struct sbd_window *w = sbd_judged(p);
	struct sbd_slot *s = sbd_slot_of(slot);
	struct sbd_judgement *j = sbd_slot_note(s);
	u32 k;

	j->took_ns = bpf_ktime_get_ns() - begin_ns;
	j->start_ns = w->start_ns;
	j->window_ns = w->window_ns;
	j->decided_ns = now_ns;
	j->said = p->verdict;
	j->values = SBD_FEATURES;
	for (k = SBD_ZERO; SBD_WHILE(k < SBD_FEATURES); k++)
		j->value[k] = sbd_scratch_of(slot)->x[k];
	s->judged++;
}

SBD_SLOT_CALL int sbd_slot_judge(u32 slot, u64 now_ns)
{
	u64 begin_ns = bpf_ktime_get_ns();

	if (!sbd_decide(sbd_connection_of(slot), now_ns, sbd_slot_verdict_of,
			(const void *)(unsigned long)slot, sbd_scratch_of(slot)))
		return 0;
	sbd_slot_tell(slot, now_ns, begin_ns);
	return 1;
}

SBD_SLOT_CALL int sbd_slot_finish(u32 slot, u64 end_ns)
{
	struct sbd_connection *c = sbd_connection_of(slot);
	struct sbd_slot *s = sbd_slot_of(slot);
	u64 begin_ns = bpf_ktime_get_ns();
	u8 group[SBD_SUBFLOWS];
	u32 i;

	if (c->subflows > 1 &&
	    sbd_finish_pair(c, &c->pair[0], end_ns, sbd_slot_verdict_of,
			    (const void *)(unsigned long)slot, sbd_scratch_of(slot))) {
		sbd_slot_tell(slot, end_ns, begin_ns);
		return 1;
	}
	s->rejected = c->pair[0].rejected;
	s->missed = c->pair[0].missed;
	s->refused = c->refused;
	sbd_groups(c, group);
	for (i = 0; i < SBD_SUBFLOWS; i++)
		s->group[i] = group[i];
	return 0;
}

SBD_SLOT_CALL int sbd_slot_take(u32 slot, u32 side, u32 place)
{
	struct sbd_signal *g = &sbd_slot_of(slot)->ring[side & 1].signal[place % SBD_RING];
	struct sbd_connection *c = sbd_connection_of(slot);

	if (g->has & SBD_HAS_RTT)
		sbd_on_rtt(c, side, g->now_ns, g->rtt_us);
	if (g->has & SBD_HAS_ACK)
		sbd_on_ack(c, side, g->now_ns, g->acked_bytes);
	if (g->has & SBD_HAS_STATE)
		sbd_on_state(c, side, g->now_ns, g->ca_state);
	return 0;
}

SBD_SLOT_CALL int sbd_slot_join(u32 slot)
{
	struct sbd_connection *c = sbd_connection_of(slot);
	struct sbd_slot *s = sbd_slot_of(slot);
	u32 i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_SIDES); i++)
		if (c->subflows < s->subflows && c->subflows < SBD_SUBFLOWS)
			sbd_add_subflow(c, s->ring[c->subflows & 1].id);
	return 0;
}

SBD_SLOT_CALL int sbd_slot_reset(u32 slot)
{
	sbd_clear(sbd_connection_of(slot), sizeof(struct sbd_connection));
	return 0;
}

#endif
