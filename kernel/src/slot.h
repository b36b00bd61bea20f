/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection in the kernel: signals wait in its slot's rings, one a subflow, until
 * sbd_slot_drain() takes them in order of time and lets the detector judge.
 *
 * The functions here are global and take the slot's number, not a pointer: the verifier takes each
 * by itself, once, and what calls it stays small. What a detector has to say is in slot_model.h for
 * an exported model and in slot_lag_excess.h:
 *
 *	sbd_slot_join(slot)		subflows that have come
 *	sbd_slot_judge(slot, now_ns)	a judgement, if one is due before a signal of this time
 *	sbd_slot_take(slot, side, place)	a signal; 1 if it led to a judgement
 *	sbd_slot_finish(slot, end_ns)	one of the judgements that the last signals leave
 *	sbd_slot_reset(slot)		a connection without subflows
 */
#ifndef SBD_SLOT_H
#define SBD_SLOT_H

#include "verifiable.h"
#include "slot_memory.h"

#ifndef SBD_SLOTS
#define SBD_SLOTS	16
#endif

/* Judgements that one signal may lead to. */
#define SBD_AT_ONCE	4

static struct sbd_slot SBD_IN_ARENA sbd_slots[SBD_SLOTS];

/* Weak: what calls them must be compiled, as it is verified, without a look into them. */
#define SBD_SLOT_CALL	__weak __noinline

SBD_SLOT_CALL int sbd_slot_join(u32 slot);
SBD_SLOT_CALL int sbd_slot_judge(u32 slot, u64 now_ns);
SBD_SLOT_CALL int sbd_slot_take(u32 slot, u32 side, u32 place);
SBD_SLOT_CALL int sbd_slot_finish(u32 slot, u64 end_ns);
SBD_SLOT_CALL int sbd_slot_reset(u32 slot);

static __always_inline struct sbd_slot *sbd_slot_of(u32 slot)
{
	SBD_USE_ARENA();
	return (struct sbd_slot *)&sbd_slots[slot % SBD_SLOTS];
}

/* Where the next judgement is noted; it counts once @judged does. */
static __always_inline struct sbd_judgement *sbd_slot_note(struct sbd_slot *s)
{
	return &s->log[s->judged % SBD_LOG];
}

/* The side whose signal is the oldest, the lower one of equals; SBD_SIDES if none waits. */
static __always_inline u32 sbd_slot_oldest(struct sbd_slot *s)
{
	struct sbd_ring *a = &s->ring[0], *b = &s->ring[1];

	if (a->tail == a->head)
		return b->tail == b->head ? SBD_SIDES : 1;
	if (b->tail == b->head)
		return 0;
	return b->signal[b->tail % SBD_RING].now_ns < a->signal[a->tail % SBD_RING].now_ns;
}

/* Take what waits and is older than a time; how many judgements that led to. */
SBD_SLOT_CALL int sbd_slot_drain(u32 slot, u64 until_ns)
{
	struct sbd_slot *s = sbd_slot_of(slot);
	u32 before = s->judged, i;

	sbd_slot_join(slot);
	for (i = SBD_ZERO; SBD_WHILE(i < SBD_SIDES * SBD_RING); i++) {
		u32 side = sbd_slot_oldest(s), more;
		struct sbd_ring *ring;
		u64 now_ns;

		if (side >= SBD_SIDES)
			break;
		ring = &s->ring[side & 1];
		now_ns = ring->signal[ring->tail % SBD_RING].now_ns;
		if (now_ns >= until_ns)
			break;
		for (more = SBD_ZERO; SBD_WHILE(more < SBD_AT_ONCE); more++)
			if (!sbd_slot_judge(slot, now_ns))
				break;
		sbd_slot_take(slot, side, ring->tail % SBD_RING);
		ring->tail++;
	}
	return s->judged - before;
}

/* Let another connection have the slot. */
SBD_SLOT_CALL int sbd_slot_clear(u32 slot)
{
	struct sbd_slot *s = sbd_slot_of(slot);
	u32 side;

	s->subflows = 0;
	s->judged = 0;
	s->rejected = 0;
	s->missed = 0;
	s->refused = 0;
	for (side = 0; side < SBD_SIDES; side++) {
		s->ring[side].head = 0;
		s->ring[side].tail = 0;
		s->ring[side].lost = 0;
	}
	return sbd_slot_reset(slot);
}

#endif
