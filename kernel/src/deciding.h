/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The work of a connection: takes signals in order of time, asks for verdicts, chooses groups
 *
 * Most functions take the number of a place, and are global: the verifier takes each by itself, and
 * none from within those that call it.
 */
#ifndef SBD_DECIDING_H
#define SBD_DECIDING_H

#include "checking.h"
#include "connections.h"
#include "pages.h"

#define EBUSY		16
#define CLOCK_MONOTONIC	1

/* Another processor may have stamped what its ring has not yet. */
#define MARGIN_NS	1000000ULL
/*
 * A verdict holds for so many windows of SBD_WINDOW_RTTS: the common lag judges three times in
 * one, while both subflows send; a model judges windows that begin with a loss. At least, for
 * HELD_NS.
 */
#define HELD_WINDOWS_LAG	2
#define HELD_WINDOWS_MODEL	4
#define HELD_NS			1000000000ULL
/*
 * Of two paths with shorter RTTs nothing is judged: blocks are 16 RTTs long, and each costs what it
 * costs, however few samples it has.
 */
#define LEAST_RTT_US		1000

/* Models of files, one in use and one that may be written. */
static struct sbd_loaded SBD_IN_ARENA models[MODELS];

/* Memory to judge in; a worker judges one pair at a time. */
struct judging {
	union {
		struct sbd_common_scratch lag;
		struct sbd_scratch model;
	};
};

static struct judging SBD_IN_ARENA judging[WORKERS];

static __always_inline struct judging *judging_of(__u32 place)
{
	SBD_USE_ARENA();
	return (struct judging *)&judging[place % WORKERS];
}

/* Whether a connection's verdicts come from there; the verifier leaves out what was not loaded. */
static __always_inline bool asks(const struct connection *c, __u32 by)
{
	return settings.by == by && c->by == by;
}

/* Note what is said of a pair. */
static __always_inline void note_verdict(struct connection *c, __u32 pair, bool shared,
					 __u64 now_ns)
{
	struct told_pair *own = pair_at(c, pair);

	own->shared = shared;
	own->last_ns = now_ns;
	own->verdicts++;
}

/* Places and workers that have been made. */
__u32 places_made;
__u32 workers_made;

/* ---- by the common lag */

static __always_inline struct sbd_common_pair *lag_of(struct connection *c, __u32 pair)
{
	SBD_USE_ARENA();
	return (struct sbd_common_pair *)c->lag[pair % CONTROLLED_PAIRS];
}

/* Memory of a pair, new or used again. */
__noinline int lag_begin(__u32 place, __u32 pair)
{
	const struct sbd_common_rule rule = SBD_COMMON_RULE;
	struct connection *c = connection_at(place);

	if (!c->lag[pair % CONTROLLED_PAIRS])
		c->lag[pair % CONTROLLED_PAIRS] = take_pages(PAGES_OF(struct sbd_common_pair));
	if (c->lag[pair % CONTROLLED_PAIRS])
		sbd_common_init(lag_of(c, pair), rule);
	return 0;
}

__noinline int lag_end(__u32 place, __u32 pair)
{
	struct connection *c = connection_at(place);

	give_pages(c->lag[pair % CONTROLLED_PAIRS], PAGES_OF(struct sbd_common_pair));
	c->lag[pair % CONTROLLED_PAIRS] = NULL;
	return 0;
}

__noinline int lag_on_rtt(__u32 place, __u32 pair, __u32 which, __u64 now_ns, __u32 rtt_us)
{
	struct sbd_common_pair *lag = lag_of(connection_at(place), pair);

	if (lag->side[0].min_us < LEAST_RTT_US && lag->side[1].min_us < LEAST_RTT_US)
		return 0;
	return sbd_common_on_rtt(lag, &judging_of(place)->lag, which & 1, (__s64)now_ns, rtt_us);
}

static __always_inline void lag_take(__u32 place, __u32 side, __u32 other, __u64 now_ns,
				     __u32 rtt_us)
{
	struct connection *c = connection_at(place);
	__u32 pair = sbd_pair_of(side, other);
	struct told_pair *own = pair_at(c, pair);
	struct sbd_common_pair *lag;

	if (!c->lag[pair % CONTROLLED_PAIRS])
		return;
	if (!lag_on_rtt(place, pair, side > other, now_ns, rtt_us))
		return;
	lag = lag_of(c, pair);
	own->said = lag->said;
	own->score_q10 = lag->score_q10;
	if (lag->said != SBD_COMMON_NO_QUEUE)
		c->judged_ns[pair % CONTROLLED_PAIRS] = now_ns;
	if (lag->said == SBD_COMMON_SHARED || lag->said == SBD_COMMON_APART)
		note_verdict(c, pair, lag->said == SBD_COMMON_SHARED, now_ns);
	else
		own->unknown++;
}

/* ---- by a model of a file */

static __always_inline struct sbd_connection *windows_of(struct connection *c)
{
	SBD_USE_ARENA();
	return (struct sbd_connection *)c->windows;
}

__noinline int model_judge(__u32 place, __u32 pair)
{
	const struct sbd_window *window =
		sbd_judged(&windows_of(connection_at(place))->pair[pair % CONTROLLED_PAIRS]);
	struct controller_state *own = controller_state();
	__u32 used, verdict;

	if (!own)
		return 0;
	/* Nobody writes a model that has readers, nor one that is in use. */
	for (used = own->used & 1; SBD_WHILE(true); used = own->used & 1) {
		__sync_fetch_and_add(&own->readers[used], 1);
		if ((*(volatile __u32 *)&own->used & 1) == used)
			break;
		__sync_fetch_and_add(&own->readers[used], -1);
	}
	verdict = sbd_loaded_judge(window, (struct sbd_loaded *)&models[used],
				   &judging_of(place)->model);
	__sync_fetch_and_add(&own->readers[used], -1);
	return verdict;
}

/* What sbd_decide_pair() calls; the numbers of a place and a pair stand where it has a model. */
static __always_inline enum sbd_verdict judge_at(const struct sbd_window *window,
						 const void *place_and_pair,
						 struct sbd_scratch *scratch)
{
	__u32 numbers = (__u32)(unsigned long)place_and_pair;

	return model_judge(numbers >> 3, numbers & 7) & 1;
}

__noinline int model_decide(__u32 place, __u32 pair, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	struct sbd_connection *windows = windows_of(c);
	struct sbd_pair *p = &windows->pair[pair % CONTROLLED_PAIRS];
	void *numbers = (void *)(unsigned long)(place << 3 | pair % CONTROLLED_PAIRS);

	if (!sbd_decide_pair(windows, p, now_ns, judge_at, numbers, &judging_of(place)->model))
		return 0;
	note_verdict(c, pair, p->verdict == SBD_SHARED, now_ns);
	return 1;
}

__noinline int model_on_rtt(__u32 place, __u32 side, __u64 now_ns, __u32 rtt_us)
{
	sbd_on_rtt(windows_of(connection_at(place)), side, now_ns, rtt_us);
	return 0;
}

__noinline int model_on_ack(__u32 place, __u32 side, __u64 now_ns, __u64 bytes_acked)
{
	sbd_on_ack(windows_of(connection_at(place)), side, now_ns, bytes_acked);
	return 0;
}

__noinline int model_on_state(__u32 place, __u32 side, __u64 now_ns, __u32 ca_state)
{
	sbd_on_state(windows_of(connection_at(place)), side, now_ns, ca_state);
	return 0;
}

/* A subflow comes, maybe to where another has been. */
__noinline int model_begin(__u32 place, __u32 side)
{
	struct connection *c = connection_at(place);
	struct sbd_connection *windows;
	struct sbd_subflow *own;
	__u32 other;

	if (!c->windows)
		c->windows = take_pages(PAGES_OF(struct sbd_connection));
	if (!c->windows)
		return 0;
	windows = windows_of(c);
	own = &windows->subflow[side % CONTROLLED_SUBFLOWS];
	own->id = c->subflow[side % CONTROLLED_SUBFLOWS].id;
	own->advances = 0;
	own->ack_open = 0;
	own->acked_bytes = 0;
	own->most_bytes = 0;
	own->sampled = 0;
	own->congested = 0;
	own->was_congested = 0;
	if (windows->subflows <= side)
		windows->subflows = side + 1;
	for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++) {
		struct sbd_pair *p;
		__u32 lower;

		if (other == side)
			continue;
		p = &windows->pair[sbd_pair_of(side, other) % CONTROLLED_PAIRS];
		lower = own->id < windows->subflow[other].id ? side : other;
		p->subflow[0] = lower;
		p->subflow[1] = side + other - lower;
		p->decided = 0;
		p->rejected = 0;
		p->missed = 0;
		p->armed = 0;
		p->open = 0;
		p->waiting = 0;
		p->filling = 0;
	}
	return 0;
}

/* Judge windows that ended before a time; few, as a gap without signals is one window. */
static __always_inline void model_judge_due(__u32 place, __u64 now_ns)
{
	__u32 pair, rounds, judged;

	for (rounds = SBD_ZERO; SBD_WHILE(rounds < 4); rounds++) {
		judged = 0;
		for (pair = SBD_ZERO; SBD_WHILE(pair < CONTROLLED_PAIRS); pair++)
			judged += model_decide(place, pair, now_ns);
		if (!judged)
			break;
	}
}

/* Take a subflow's next signal. */
__noinline int model_take(__u32 place, __u32 side, __u64 now_ns)
{
	struct subflow *own = subflow_at(place, side);
	const struct signal *signal = &ring_at(place, side)->signal[own->tail % RING_SIGNALS];
	__u32 rtt_us = signal->rtt_and_state & SIGNAL_RTT_US;
	__u32 state = signal->rtt_and_state >> SIGNAL_STATE;

	if (!connection_at(place)->windows)
		return 0;
	model_judge_due(place, now_ns);
	if (state)
		return model_on_state(place, side, now_ns, state - 1);
	if (rtt_us)
		model_on_rtt(place, side, now_ns, rtt_us);
	own->bytes_acked += (__u32)(signal->bytes_acked - (__u32)own->bytes_acked);
	return model_on_ack(place, side, now_ns, own->bytes_acked);
}

/* ---- signals */

/* Of a pair nothing is known. */
__noinline int forget(__u32 place, __u32 pair)
{
	struct connection *c = connection_at(place);
	struct told_pair *own = pair_at(c, pair);

	own->shared = TOLD_NEVER;
	own->said = TOLD_NEVER;
	own->coupled = 1;
	own->verdicts = 0;
	own->unknown = 0;
	own->score_q10 = 0;
	own->last_ns = 0;
	c->judged_ns[pair % CONTROLLED_PAIRS] = 0;
	if (settings.check)
		check_end(place, pair, CHECK_NONE, c->taken_ns);
	return 0;
}

/* Subflows that have come since the last work. */
__noinline int greet(__u32 place)
{
	struct connection *c = connection_at(place);
	__u32 side, other;

	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		if (is_known(c, side) || !(c->used >> side & 1))
			continue;
		for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
			if (other != side)
				forget(place, sbd_pair_of(side, other));
		c->known |= 1U << side;
	}
	return 0;
}

/* A subflow that has others beside it is listened to from now on. */
__noinline int listen_to(__u32 place, __u32 side)
{
	struct connection *c = connection_at(place);
	struct subflow *own = subflow_at(place, side);
	struct ring __arena *ring;
	__u32 other;

	ring = take_pages(PAGES_OF(struct ring));
	if (!ring)
		return 0;
	if (asks(c, BY_MODEL))
		model_begin(place, side);
	for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
		if (other != side && is_known(c, other) && asks(c, BY_COMMON_LAG))
			lag_begin(place, sbd_pair_of(side, other));
	own->ring = ring;
	return 1;
}

/* Memory for verdicts, if there is a pair to judge. */
__noinline int provide(__u32 place)
{
	struct connection *c = connection_at(place);
	__u32 side;

	if (c->by == BY_LIA || !(c->known & (c->known - 1)))
		return 0;
	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++)
		if (is_known(c, side) && !subflow_at(place, side)->ring)
			listen_to(place, side);
	return 0;
}

/* The subflow whose next signal is the oldest before a time; CONTROLLED_SUBFLOWS if none is. */
__noinline int oldest(__u32 place, __u64 until_ns)
{
	struct connection *c = connection_at(place);
	__u64 least_ns = until_ns;
	__u32 side, found = CONTROLLED_SUBFLOWS;

	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		struct subflow *own = subflow_at(place, side);
		__u64 now_ns;

		if (!is_known(c, side) || !own->ring || own->tail == acquire_load(&own->head))
			continue;
		now_ns = ring_at(place, side)->signal[own->tail % RING_SIGNALS].now_ns;
		if (now_ns < least_ns) {
			least_ns = now_ns;
			found = side;
		}
	}
	return found;
}

static __always_inline void take(__u32 place, __u32 side)
{
	struct connection *c = connection_at(place);
	struct subflow *own = subflow_at(place, side);
	struct signal *signal = &ring_at(place, side)->signal[own->tail % RING_SIGNALS];
	__u32 rtt_us = signal->rtt_and_state & SIGNAL_RTT_US, other;

	if (signal->now_ns > c->taken_ns)
		c->taken_ns = signal->now_ns;
	if (rtt_us && (!own->min_rtt_us || rtt_us < own->min_rtt_us))
		own->min_rtt_us = rtt_us;
	if (asks(c, BY_MODEL))
		model_take(place, side, c->taken_ns);
	if (asks(c, BY_COMMON_LAG) && rtt_us)
		for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
			if (other != side && is_known(c, other))
				lag_take(place, side, other, c->taken_ns, rtt_us);
	if (settings.check)
		for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
			if (other != side && is_known(c, other) &&
			    c->check[sbd_pair_of(side, other) % CONTROLLED_PAIRS])
				check_take(place, side, other, c->taken_ns);
	release_store(&own->tail, own->tail + 1);
}

static __always_inline void drain(__u32 place, __u64 until_ns)
{
	__u32 i, side;

	for (i = SBD_ZERO; SBD_WHILE(i < CONTROLLED_SUBFLOWS * RING_SIGNALS); i++) {
		side = oldest(place, until_ns);
		if (side >= CONTROLLED_SUBFLOWS)
			break;
		take(place, side);
	}
}

/* ---- groups */

/* For how long what was said of a pair holds: what its evidence was is past then. */
static __always_inline __u64 held_ns(struct connection *c, __u32 a, __u32 b)
{
	__u32 one_us = c->subflow[a % CONTROLLED_SUBFLOWS].min_rtt_us;
	__u32 other_us = c->subflow[b % CONTROLLED_SUBFLOWS].min_rtt_us;
	__u64 rtt_ns = (one_us > other_us ? one_us : other_us) * 1000ULL;
	__u32 windows = c->by == BY_MODEL ? HELD_WINDOWS_MODEL : HELD_WINDOWS_LAG;
	__u64 longest_ns = windows * SBD_WINDOW_RTTS * rtt_ns;

	return longest_ns > HELD_NS ? longest_ns : HELD_NS;
}

/* How many subflows a connection has. */
static __always_inline __u32 subflows_of(const struct connection *c)
{
	__u32 side, subflows = 0;

	for (side = 0; side < CONTROLLED_SUBFLOWS; side++)
		subflows += is_known(c, side);
	return subflows;
}

/* The share of Reno's increase that the odds allow: none where a score is too old to say. */
static __always_inline __u32 theta_by_odds_q10(struct connection *c, __u32 pair, __u64 now_ns,
					       __u64 longest_ns)
{
	__u64 judged_ns = c->judged_ns[pair % CONTROLLED_PAIRS];

	if (!judged_ns && pair_at(c, pair)->unknown)
		return SBD_COUPLING_COUPLED_Q10;
	if (judged_ns && now_ns > judged_ns && now_ns - judged_ns > longest_ns)
		return SBD_COUPLING_COUPLED_Q10;
	return sbd_coupling_theta_q10(judged_ns ? pair_at(c, pair)->score_q10 : 0,
				      settings.epsilon_q10, subflows_of(c));
}

/* The share of Reno's increase of a pair: of those that are not coupled, all. */
__noinline int choose_theta(__u32 place, __u32 a, __u32 b, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	__u32 pair = sbd_pair_of(a, b);
	struct told_pair *own = pair_at(c, pair);
	__u64 longest_ns = held_ns(c, a, b);
	__u32 theta_q10 = SBD_COUPLING_COUPLED_Q10;

	if (c->mode != MODE_AUTO)
		theta_q10 = c->mode == MODE_UNCOUPLE ? SBD_COUPLING_APART_Q10 : 0;
	else if (c->crowded || !is_known(c, a) || !is_known(c, b))
		theta_q10 = SBD_COUPLING_COUPLED_Q10;
	else if (settings.check && own->checked == CHECK_APART && own->shared == 1 &&
		 (now_ns <= own->last_ns || now_ns - own->last_ns <= longest_ns))
		theta_q10 = SBD_COUPLING_APART_Q10;
	else if (settings.epsilon_q10 && asks(c, BY_COMMON_LAG))
		theta_q10 = theta_by_odds_q10(c, pair, now_ns, longest_ns);
	else if (own->shared == 0 && (now_ns <= own->last_ns || now_ns - own->last_ns <= longest_ns))
		theta_q10 = SBD_COUPLING_APART_Q10;
	c->theta_q10[pair % CONTROLLED_PAIRS] = theta_q10;
	own->coupled = theta_q10 < SBD_COUPLING_APART_Q10;
	if ((theta_q10 || (settings.check && c->check[pair % CONTROLLED_PAIRS])) &&
	    is_known(c, a) && is_known(c, b))
		c->parted = 1;
	return 0;
}

__noinline int find_mode(__u32 place)
{
	struct connection *c = connection_at(place);
	struct cgroup_path path = {};
	__u32 i;

	for (i = 0; i < CGROUP_LEVELS; i++)
		path.id[i] = c->cgroups.id[i];
	c->mode = mode_in_force(&path);
	return 0;
}

/*
 * Those of one group are coupled: the connected components of the pairs that are. A byte for each
 * subflow.
 */
__noinline int groups_of(__u32 place)
{
	struct connection *c = connection_at(place);
	__u32 groups = c->by == BY_LIA ? 0 : 0x03020100, a, b, i, own, its;

	for (a = SBD_ZERO; SBD_WHILE(a < CONTROLLED_SUBFLOWS); a++) {
		for (b = SBD_ZERO; SBD_WHILE(b < a); b++) {
			own = groups >> 8 * (b & 3) & 0xff;
			its = groups >> 8 * (a & 3) & 0xff;
			if (!is_known(c, a) || !is_known(c, b) || own == its ||
			    !pair_at(c, sbd_pair_of(a, b))->coupled)
				continue;
			for (i = SBD_ZERO; SBD_WHILE(i < CONTROLLED_SUBFLOWS); i++)
				if ((groups >> 8 * (i & 3) & 0xff) == its)
					groups = (groups & ~(0xffU << 8 * (i & 3))) |
						 own << 8 * (i & 3);
		}
	}
	return groups;
}

/* Groups, and of each subflow the least share of its pairs within its group. */
__noinline int choose(__u32 place, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	__u32 groups, a, b;

	c->parted = 0;
	for (a = SBD_ZERO; SBD_WHILE(a < CONTROLLED_SUBFLOWS); a++)
		for (b = SBD_ZERO; SBD_WHILE(b < a); b++)
			choose_theta(place, a, b, now_ns);
	groups = groups_of(place);
	for (a = SBD_ZERO; SBD_WHILE(a < CONTROLLED_SUBFLOWS); a++) {
		__u32 least_q10 = SBD_COUPLING_APART_Q10, group = groups >> 8 * (a & 3) & 0xff;

		for (b = SBD_ZERO; SBD_WHILE(b < CONTROLLED_SUBFLOWS); b++) {
			__u32 theta_q10 = c->theta_q10[sbd_pair_of(a, b) % CONTROLLED_PAIRS];

			if (a != b && is_known(c, b) && (groups >> 8 * (b & 3) & 0xff) == group &&
			    theta_q10 < least_q10)
				least_q10 = theta_q10;
		}
		subflow_at(place, a)->group = group;
		/* LIA's own subflows have no share of Reno's. */
		subflow_at(place, a)->theta_q10 = c->by == BY_LIA ? 0 : least_q10;
	}
	return 0;
}

/* ---- ends */

/*
 * Places of subflows that have been released are free, once their signals are taken, or at once if
 * it is the end of the connection.
 */
__noinline int dismiss(__u32 place, __u32 ends)
{
	struct connection *c = connection_at(place);
	__u32 side, other;

	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		struct subflow *own = subflow_at(place, side);

		if (!is_known(c, side) || !own->released ||
		    (!ends && own->tail != acquire_load(&own->head)))
			continue;
		give_pages(own->ring, PAGES_OF(struct ring));
		own->ring = NULL;
		for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
			if (other != side)
				lag_end(place, sbd_pair_of(side, other));
		if (settings.check)
			for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
				if (other != side)
					check_end(place, sbd_pair_of(side, other), CHECK_NONE,
						  c->taken_ns);
		own->head = 0;
		own->tail = 0;
		own->lost = 0;
		own->bytes_acked = 0;
		own->min_rtt_us = 0;
		own->released = 0;
		own->group = 0;
		own->theta_q10 = 0;
		own->half_us = 0;
		c->known &= ~(1U << side);
		__sync_fetch_and_and(&c->used, ~(1U << side));
	}
	return 0;
}

/* If no subflow is left, and none can come any more, the place is free. */
__noinline int end(__u32 place)
{
	struct connection *c = connection_at(place);
	struct told_connection *own = bpf_map_lookup_elem(&told, &place);
	struct place_key key = { .token = c->token, .by = c->by };
	__u32 side, *at;

	if (!key.token || __sync_val_compare_and_swap(&c->live, 0, NO_MORE))
		return 0;
	greet(place);
	dismiss(place, true);
	at = bpf_map_lookup_elem(&places, &key);
	if (at && *at == place)
		bpf_map_delete_elem(&places, &key);
	if (own)
		own->token = 0;
	c->token = 0;
	for (side = 0; side < CONTROLLED_SUBFLOWS; side++)
		c->subflow[side].group = 0;
	give_pages(c->windows, PAGES_OF(struct sbd_connection));
	c->windows = NULL;
	c->crowded = 0;
	c->parted = 0;
	c->works = 0;
	c->work_ns = 0;
	c->work_most_ns = 0;
	c->kicked_ns = 0;
	c->taken_ns = 0;
	count(COUNT_ENDED);
	__sync_fetch_and_add(&c->live, -NO_MORE);
	bpf_map_push_elem(&free_places, &place, 0);
	return 1;
}

/* ---- what is told */

__noinline int tell(__u32 place)
{
	struct told_connection *own = bpf_map_lookup_elem(&told, &place);
	struct connection *c = connection_at(place);
	__u32 i;

	if (!own)
		return 0;
	own->since_ns = c->since_ns;
	own->works = c->works;
	own->work_ns = c->work_ns;
	own->work_most_ns = c->work_most_ns;
	own->netns = c->netns;
	own->by = c->by;
	own->mode = c->mode;
	own->crowded = c->crowded;
	for (i = 0; i < CONTROLLED_SUBFLOWS; i++) {
		struct subflow *from = &c->subflow[i];
		struct told_subflow *to = &own->subflow[i];

		to->used = is_known(c, i) && !from->released;
		to->signals = from->tail;
		to->lost = from->lost;
		to->id = from->id;
		to->cwnd = from->cwnd;
		to->srtt_8us = from->srtt_8us;
		to->local_port = from->local_port;
		to->remote_port = from->remote_port;
		to->group = from->group;
		to->theta_q10 = from->theta_q10;
	}
	for (i = 0; i < CONTROLLED_PAIRS; i++) {
		struct told_pair *from = &c->pair[i], *to = &own->pair[i];

		to->last_ns = from->last_ns;
		to->verdicts = from->verdicts;
		to->unknown = from->unknown;
		to->score_q10 = from->score_q10;
		to->shared = from->shared;
		to->said = from->said;
		to->coupled = from->coupled;
	}
	if (settings.check)
		for (i = SBD_ZERO; SBD_WHILE(i < CONTROLLED_PAIRS); i++)
			if (c->check[i % CONTROLLED_PAIRS])
				check_tell(place, i, c->taken_ns);
	own->token = c->token;
	return 0;
}

/* What is decided of the signals that were taken. Small frames: those of verdicts are deep. */
__noinline int settle(__u32 place, __u64 begun_ns)
{
	struct connection *c = connection_at(place);
	__u64 took_ns;

	find_mode(place);
	if (settings.check)
		check_settle(place, begun_ns);
	choose(place, begun_ns);
	dismiss(place, false);
	took_ns = bpf_ktime_get_ns() - begun_ns;
	c->works++;
	c->work_ns += took_ns;
	if (took_ns > c->work_most_ns)
		c->work_most_ns = took_ns;
	return end(place) ? 0 : tell(place);
}

static __always_inline void attend(__u32 place)
{
	__u64 begun_ns = bpf_ktime_get_ns();

	greet(place);
	provide(place);
	drain(place, begun_ns - MARGIN_NS);
	settle(place, begun_ns);
}

/* Runs in a kernel thread, away from ACKs; of one worker never twice at once. */
static int work_on(void *map, int *key, void *value)
{
	struct work *work = value;
	__u32 next = __sync_lock_test_and_set(&work->first, 0), place;

	while (SBD_WHILE(next)) {
		struct connection *c = connection_at(next - 1);

		place = next - 1;
		next = c->next;
		/* Whatever comes from now on kicks again. */
		__sync_lock_test_and_set(&c->waits, 0);
		attend(place);
	}
	return 0;
}

/*
 * What was said holds no longer than its evidence, also where no ACK comes: once a second, those
 * that are not coupled are looked at.
 */
#define LOOK_NS	1000000000ULL

static int look(void *map, int *key, struct work *work)
{
	__u32 place;

	for (place = SBD_ZERO; SBD_WHILE(place < places_made); place++)
		if (connection_at(place)->parted)
			kick(place);
	bpf_timer_start(&work->clock, LOOK_NS, 0);
	return 0;
}

/* ---- called by user space */

/* What was changed is in force at once, also where no ACK comes. */
SEC("syscall")
int apply(void *ctx)
{
	__u32 place;

	for (place = SBD_ZERO; SBD_WHILE(place < settings.connections); place++)
		if (connection_at(place)->token)
			kick(place);
	return 0;
}

#define PLACES_OF_PAGE	(PAGE / sizeof(struct connection))
#define PAGES_AT_ONCE	256

static __always_inline bool start_clock(struct work *work)
{
	int failed = bpf_timer_init(&work->clock, &works, CLOCK_MONOTONIC);

	if (failed && failed != -EBUSY)
		return false;
	return !bpf_timer_set_callback(&work->clock, look) &&
	       !bpf_timer_start(&work->clock, LOOK_NS, 0);
}

static __always_inline bool make_worker(__u32 worker)
{
	struct work *work = bpf_map_lookup_elem(&works, &worker);

	if (!work || (!work->is_there && bpf_wq_init(&work->wq, &works, 0)))
		return false;
	work->is_there = 1;
	if (!worker && !start_clock(work))
		return false;
	return !bpf_wq_set_callback_impl(&work->wq, work_on, 0, NULL);
}

/* A page of places. */
__noinline int make_places(void)
{
	struct connection __arena *page = take_pages(1);
	__u32 i, place;

	if (!page)
		return 0;
	for (i = SBD_ZERO; SBD_WHILE(i < PLACES_OF_PAGE); i++) {
		place = places_made;
		if (place >= settings.connections)
			break;
		place_of[place % CONTROLLED_CONNECTIONS] = &page[i];
		if (bpf_map_push_elem(&free_places, &place, 0))
			break;
		places_made++;
	}
	return 1;
}

/*
 * Make workers, then places; user space calls it until there are all. What a kernel allocates for
 * BPF may fail for a moment, and goes on where it was. Returns how many steps are done.
 */
SEC("syscall")
int prepare(void *ctx)
{
	struct controller_state *own = controller_state();
	__u32 i;

	if (!own)
		return 0;
	SBD_USE_ARENA();
	own->address = (__u64)&models[0];
	own->by = settings.by;
	own->plain = settings.plain;
	own->epsilon_q10 = settings.epsilon_q10;
	own->check = settings.check;
	own->connections = settings.connections;
	for (i = SBD_ZERO; SBD_WHILE(workers_made < WORKERS); i++) {
		if (!make_worker(workers_made))
			break;
		workers_made++;
	}
	for (i = SBD_ZERO; SBD_WHILE(i < PAGES_AT_ONCE && places_made < settings.connections); i++)
		if (!make_places())
			break;
	return workers_made + places_made;
}

#endif
