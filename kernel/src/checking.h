/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The active check of pairs of which the common lag says "shared"; twin of
 * simulator/loop/verdicts/checked.cc
 *
 * A check begins when the common lag says "shared" of a pair of which it did not say so before, and
 * runs for CHECK_RTTS at most. Until it says "apart" the pair is taken to share. What it said holds
 * as long as the common lag says "shared".
 */
#ifndef SBD_CHECKING_H
#define SBD_CHECKING_H

#include "connections.h"
#include "dither.h"
#include "pages.h"

#define CHECK_RTTS	300	/* the larger minimum RTT */
#define HALF_RTT_US	10000000	/* most that half an RTT is taken for */

/* The symbol that a subflow is in, as far as it was told. */
struct check_turn {
	__u64 begin_ns;
	__u64 middle_ns;
	__s8 amplitude;
	__u8 symbol;
	__u8 phase;	/* enum dither_phase */
};

/* One page, while a check goes on. */
struct check {
	struct sbd_active_pair pair;
	__u64 until_ns;
	struct check_turn turn[2];
};

_Static_assert(sizeof(struct check) <= PAGE, "a check has a page");

/* What checks were given, in order; user space takes it out. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PAGE);
} check_log SEC(".maps");

static __always_inline struct check *check_of(struct connection *c, __u32 pair)
{
	SBD_USE_ARENA();
	return (struct check *)c->check[pair % CONTROLLED_PAIRS];
}

/* Log an RTT sample (of a subflow), or what became of a check. */
__noinline int check_log_value(__u32 place, __u32 pair, __u64 time_ns, __u32 kind, __u32 value)
{
	struct check_event *event;

	if (!settings.check_log)
		return 0;
	event = bpf_ringbuf_reserve(&check_log, sizeof(*event), 0);
	if (!event) {
		count(COUNT_CHECK_LOG_LOST);
		return 0;
	}
	event->time_ns = time_ns;
	event->begin_ns = 0;
	event->middle_ns = 0;
	event->token = connection_at(place)->token;
	event->value = value;
	event->pair = pair;
	event->kind = kind;
	event->unused = 0;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Log a symbol that has ended. */
__noinline int check_log_symbol(__u32 place, __u32 pair, __u32 which, __u64 time_ns)
{
	struct check *check = check_of(connection_at(place), pair);
	struct check_turn *turn = &check->turn[which & 1];
	struct check_event *event;

	if (!settings.check_log)
		return 0;
	event = bpf_ringbuf_reserve(&check_log, sizeof(*event), 0);
	if (!event) {
		count(COUNT_CHECK_LOG_LOST);
		return 0;
	}
	event->time_ns = time_ns;
	event->begin_ns = turn->begin_ns;
	event->middle_ns = turn->middle_ns;
	event->token = connection_at(place)->token;
	event->value = (__u8)turn->amplitude;
	event->pair = pair;
	event->kind = CHECK_LOG_SYMBOL + (which & 1);
	event->unused = 0;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

/* What status shows of a check that has begun or ended. */
__noinline int check_tell(__u32 place, __u32 pair, __u64 now_ns)
{
	struct told_connection *to = bpf_map_lookup_elem(&told, &place);
	struct connection *c = connection_at(place);
	struct told_check *own;

	if (!to || pair >= CONTROLLED_PAIRS)
		return 0;
	own = &to->check[pair];
	own->state = pair_at(c, pair)->checked;
	if (own->state == CHECK_NONE) {
		own->since_ns = 0;
		own->took_ms = 0;
		own->symbols = 0;
		return 0;
	}
	if (!own->since_ns)
		own->since_ns = now_ns;
	own->took_ms = (now_ns - own->since_ns) / 1000000;
	if (c->check[pair % CONTROLLED_PAIRS]) {
		struct sbd_active_pair *active = &check_of(c, pair)->pair;
		__u32 symbols = active->direction[0].symbols + active->direction[1].symbols;

		own->symbols = symbols;
	}
	return 0;
}

__noinline int check_begin(__u32 place, __u32 pair, __u32 m_us, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	struct check *check;

	if (!m_us || c->check[pair % CONTROLLED_PAIRS])
		return 0;
	/* New pages are zeros. */
	c->check[pair % CONTROLLED_PAIRS] = take_pages(1);
	if (!c->check[pair % CONTROLLED_PAIRS])
		return 0;
	check = check_of(c, pair);
	sbd_active_init(&check->pair, m_us);
	check->until_ns = now_ns + (__u64)m_us * 1000 * CHECK_RTTS;
	/* The one before, if there was one, is not shown any more. */
	pair_at(c, pair)->checked = CHECK_NONE;
	check_tell(place, pair, now_ns);
	pair_at(c, pair)->checked = CHECK_RUNS;
	check_tell(place, pair, now_ns);
	check_log_value(place, pair, now_ns, CHECK_LOG_BEGIN, m_us);
	count(COUNT_CHECKS);
	return 0;
}

/* Let a pair be as a check, or the common lag, has it; one that goes on gives its memory back. */
__noinline int check_end(__u32 place, __u32 pair, __u32 state, __u64 now_ns)
{
	struct connection *c = connection_at(place);

	pair_at(c, pair)->checked = state;
	check_tell(place, pair, now_ns);
	if (!c->check[pair % CONTROLLED_PAIRS])
		return 0;
	check_log_value(place, pair, now_ns, CHECK_LOG_END, state);
	if (state == CHECK_APART)
		count(COUNT_CHECKS_APART);
	else if (state == CHECK_SHARED)
		count(COUNT_CHECKS_SHARED);
	else
		count(COUNT_CHECKS_UNKNOWN);
	give_pages(c->check[pair % CONTROLLED_PAIRS], 1);
	c->check[pair % CONTROLLED_PAIRS] = NULL;
	return 0;
}

/*
 * Begin and end the check of a pair by what the common lag says of it. Asked after all that waits
 * is taken: where each judgement is made, it costs 6.12's verifier a seventh more.
 */
__noinline int check_heed(__u32 place, __u32 one, __u32 other, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	__u32 pair = sbd_pair_of(one, other);
	__u32 one_us = subflow_at(place, one)->min_rtt_us;
	__u32 other_us = subflow_at(place, other)->min_rtt_us;
	struct told_pair *own = pair_at(c, pair);

	if (own->shared == 1 && own->checked == CHECK_NONE && c->mode == MODE_AUTO && !c->crowded)
		return check_begin(place, pair, one_us > other_us ? one_us : other_us, now_ns);
	if (own->shared == 0 && own->checked != CHECK_NONE)
		return check_end(place, pair, CHECK_NONE, now_ns);
	return 0;
}

/* A half has begun; with the first of another symbol, the one before is complete. */
__noinline int check_on_turn(__u32 place, __u32 pair, __u32 which, __u32 told_turn, __u64 now_ns)
{
	struct check *check = check_of(connection_at(place), pair);
	struct check_turn *turn = &check->turn[which & 1];
	__u8 symbol = told_turn >> TURN_SYMBOL, phase = told_turn >> TURN_PHASE;

	if (phase == DITHER_SECOND) {
		bool follows = turn->phase == DITHER_FIRST && turn->symbol == symbol;

		turn->phase = follows ? DITHER_SECOND : DITHER_OFF;
		turn->middle_ns = now_ns;
		return 0;
	}
	if (turn->phase == DITHER_SECOND && (__u8)(turn->symbol + 1) == symbol) {
		__u32 size = (__u8)turn->amplitude;

		check_log_symbol(place, pair, which, now_ns);
		sbd_active_on_symbol(&check->pair, which & 1, turn->begin_ns, turn->middle_ns,
				     now_ns, size < 128 ? (__s32)size : (__s32)size - 256);
	}
	turn->phase = DITHER_FIRST;
	turn->symbol = symbol;
	turn->amplitude = told_turn & 0xff;
	turn->begin_ns = now_ns;
	return 0;
}

/* Whether the check has said something. */
__noinline int check_on_rtt(__u32 place, __u32 pair, __u32 which, __u64 now_ns, __u32 rtt_us)
{
	struct check *check = check_of(connection_at(place), pair);

	return sbd_active_on_rtt(&check->pair, which & 1, now_ns, rtt_us) &&
	       check->pair.said != SBD_ACTIVE_UNKNOWN;
}

/* What the check of a pair is given of a subflow. */
__noinline int check_take(__u32 place, __u32 side, __u32 other, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	struct subflow *own = subflow_at(place, side);
	const struct signal *signal = &ring_at(place, side)->signal[own->tail % RING_SIGNALS];
	__u32 rtt_us = signal->rtt_and_state & SIGNAL_RTT_US, pair = sbd_pair_of(side, other);

	if (signal->rtt_and_state >> SIGNAL_STATE == SIGNAL_TURN)
		return check_on_turn(place, pair, side > other, signal->bytes_acked, signal->now_ns);
	if (!rtt_us)
		return 0;
	check_log_value(place, pair, now_ns, CHECK_LOG_RTT + (side > other), rtt_us);
	if (check_on_rtt(place, pair, side > other, now_ns, rtt_us))
		return check_end(place, pair,
				 check_of(c, pair)->pair.said == SBD_ACTIVE_APART ? CHECK_APART :
										    CHECK_SHARED,
				 now_ns);
	return 0;
}

static __always_inline bool is_in_check(const struct connection *c, __u32 side)
{
	__u32 other, is_in = SBD_ZERO;

	for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
		if (other != side && is_known(c, other) &&
		    c->check[sbd_pair_of(side, other) % CONTROLLED_PAIRS])
			is_in = 1;
	return is_in;
}

/* Begin checks, end those that are not wanted or whose time is up; move the windows of the rest. */
__noinline int check_settle(__u32 place, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	__u32 pair, side, other, least_us, larger_us = SBD_ZERO;

	for (pair = SBD_ZERO; SBD_WHILE(pair < CONTROLLED_PAIRS); pair++) {
		bool wanted = c->mode == MODE_AUTO && !c->crowded;

		if (!c->check[pair % CONTROLLED_PAIRS])
			continue;
		if (!wanted)
			check_end(place, pair, CHECK_NONE, now_ns);
		else if (now_ns > check_of(c, pair)->until_ns)
			check_end(place, pair, CHECK_UNKNOWN, now_ns);
	}
	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++)
		for (other = side + 1; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
			if (is_known(c, side) && is_known(c, other))
				check_heed(place, side, other, now_ns);
	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		least_us = is_known(c, side) ? subflow_at(place, side)->min_rtt_us : 0;
		if (least_us > larger_us)
			larger_us = least_us;
	}
	if (larger_us / 2 > HALF_RTT_US)
		larger_us = 2 * HALF_RTT_US;
	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++)
		subflow_at(place, side)->half_us = is_known(c, side) && is_in_check(c, side) ?
							   larger_us / 2 : 0;
	return 0;
}

#endif
