/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The work of a connection: takes signals in order of time, asks for verdicts, chooses groups
 *
 * Most functions take the number of a place, and are global: the verifier takes each by itself, and
 * none from within those that call it.
 */
#ifndef SBD_DECIDING_H
#define SBD_DECIDING_H

#include "connections.h"

/* Another processor may have stamped what its ring has not yet. */
#define MARGIN_NS	1000000ULL
/* For so long a verdict holds when nothing is known any more. */
#define HELD_WINDOWS	4
#define FOR_EVER	~0ULL

/* By place; a token of 0 is none. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CONTROLLED_CONNECTIONS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct told_connection);
} told SEC(".maps");

/* Models of files, one in use and one that may be written. */
static struct sbd_loaded SBD_IN_ARENA models[MODELS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct kept_models);
} kept SEC(".maps");

/* Whether a connection's verdicts come from there; the verifier leaves out what was not loaded. */
static __always_inline bool asks(const struct connection *c, __u32 by)
{
	return settings.by == by && c->by == by;
}

static __always_inline bool is_known(const struct connection *c, __u32 side)
{
	return c->known >> side & 1;
}

static __always_inline struct told_pair *pair_at(struct connection *c, __u32 pair)
{
	return &c->pair[pair % CONTROLLED_PAIRS];
}

/* Note what is said of a pair. */
static __always_inline void note_verdict(struct connection *c, __u32 pair, bool shared,
					 __u64 now_ns, __u64 holds_from_ns)
{
	struct told_pair *own = pair_at(c, pair);

	own->shared = shared;
	own->last_ns = now_ns;
	own->verdicts++;
	c->holds_from_ns[pair % CONTROLLED_PAIRS] = holds_from_ns;
}

/* Note that nothing is: what was said before holds for some windows more. */
static __always_inline void note_unknown(struct connection *c, __u32 pair, __u64 now_ns)
{
	__u64 *holds_from_ns = &c->holds_from_ns[pair % CONTROLLED_PAIRS];

	pair_at(c, pair)->unknown++;
	if (now_ns < *holds_from_ns)
		*holds_from_ns = now_ns;
}

/* ---- by the lag excess */

__noinline int lag_begin(__u32 place, __u32 pair)
{
	sbd_lag_init(&connection_at(place)->verdicts.lag[pair % CONTROLLED_PAIRS].pair,
		     (struct sbd_lag_rule)SBD_LAG_RULE);
	return 0;
}

__noinline int lag_on_rtt(__u32 place, __u32 pair, __u32 which, __u64 now_ns, __u32 rtt_us)
{
	struct sbd_lag_pair *lag = &connection_at(place)->verdicts.lag[pair % CONTROLLED_PAIRS].pair;

	return sbd_lag_on_rtt(lag, which & 1, now_ns, rtt_us);
}

static __always_inline void lag_take(__u32 place, __u32 side, __u32 other, __u64 now_ns,
				     __u32 rtt_us)
{
	struct connection *c = connection_at(place);
	__u32 pair = sbd_pair_of(side, other);
	struct sbd_lag_pair *lag = &c->verdicts.lag[pair % CONTROLLED_PAIRS].pair;
	struct told_pair *own = pair_at(c, pair);

	if (!lag_on_rtt(place, pair, side > other, now_ns, rtt_us))
		return;
	own->said = lag->said;
	own->score_q10 = lag->has_score ? lag->score_q10 : 0;
	if (lag->said == SBD_LAG_SHARED || lag->said == SBD_LAG_APART)
		note_verdict(c, pair, lag->said == SBD_LAG_SHARED, now_ns, FOR_EVER);
	else
		note_unknown(c, pair, now_ns);
}

/* ---- by a model of a file */

__noinline int model_judge(__u32 place, __u32 pair)
{
	struct verdicts *v = &connection_at(place)->verdicts;
	const struct sbd_window *window = sbd_judged(&v->windows.pair[pair % CONTROLLED_PAIRS]);
	__u32 first = 0, used, verdict;
	struct kept_models *own = bpf_map_lookup_elem(&kept, &first);

	if (!own)
		return 0;
	/* Nobody writes a model that has readers, nor one that is in use. */
	for (used = own->used & 1; SBD_WHILE(true); used = own->used & 1) {
		__sync_fetch_and_add(&own->readers[used], 1);
		if ((*(volatile __u32 *)&own->used & 1) == used)
			break;
		__sync_fetch_and_add(&own->readers[used], -1);
	}
	verdict = sbd_loaded_judge(window, (struct sbd_loaded *)&models[used], &v->scratch);
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
	struct verdicts *v = &c->verdicts;
	struct sbd_pair *p = &v->windows.pair[pair % CONTROLLED_PAIRS];

	void *numbers = (void *)(unsigned long)(place << 3 | pair % CONTROLLED_PAIRS);

	if (!sbd_decide_pair(&v->windows, p, now_ns, judge_at, numbers, &v->scratch))
		return 0;
	note_verdict(c, pair, p->verdict == SBD_SHARED, now_ns, now_ns);
	return 1;
}

__noinline int model_on_rtt(__u32 place, __u32 side, __u64 now_ns, __u32 rtt_us)
{
	sbd_on_rtt(&connection_at(place)->verdicts.windows, side, now_ns, rtt_us);
	return 0;
}

__noinline int model_on_ack(__u32 place, __u32 side, __u64 now_ns, __u64 bytes_acked)
{
	sbd_on_ack(&connection_at(place)->verdicts.windows, side, now_ns, bytes_acked);
	return 0;
}

__noinline int model_on_state(__u32 place, __u32 side, __u64 now_ns, __u32 ca_state)
{
	sbd_on_state(&connection_at(place)->verdicts.windows, side, now_ns, ca_state);
	return 0;
}

/* A subflow comes, maybe to where another has been. */
__noinline int model_begin(__u32 place, __u32 side)
{
	struct connection *c = connection_at(place);
	struct sbd_connection *windows = &c->verdicts.windows;
	struct sbd_subflow *own = &windows->subflow[side % CONTROLLED_SUBFLOWS];
	__u32 other;

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

static __always_inline void model_take(__u32 place, __u32 side, const struct signal *signal,
				       __u64 now_ns)
{
	model_judge_due(place, now_ns);
	if (signal->kind == SIGNAL_STATE) {
		model_on_state(place, side, now_ns, signal->ca_state);
		return;
	}
	if (signal->rtt_us)
		model_on_rtt(place, side, now_ns, signal->rtt_us);
	model_on_ack(place, side, now_ns, signal->bytes_acked);
}

/* ---- signals */

/* Subflows that have come since the last work. */
__noinline int greet(__u32 place)
{
	struct connection *c = connection_at(place);
	__u32 side, other;

	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		if (is_known(c, side) || !(c->used >> side & 1))
			continue;
		if (asks(c, BY_MODEL))
			model_begin(place, side);
		for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++) {
			__u32 pair = sbd_pair_of(side, other);
			struct told_pair *own = pair_at(c, pair);

			if (other == side)
				continue;
			own->shared = TOLD_NEVER;
			own->said = TOLD_NEVER;
			own->coupled = 1;
			own->verdicts = 0;
			own->unknown = 0;
			own->score_q10 = 0;
			own->last_ns = 0;
			if (asks(c, BY_LAG_EXCESS))
				lag_begin(place, pair);
		}
		c->known |= 1U << side;
	}
	return 0;
}

/* The subflow whose next signal is the oldest before a time; CONTROLLED_SUBFLOWS if none is. */
__noinline int oldest(__u32 place, __u64 until_ns)
{
	struct connection *c = connection_at(place);
	__u64 least_ns = until_ns;
	__u32 side, found = CONTROLLED_SUBFLOWS;

	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		struct ring *ring = &subflow_at(place, side)->ring;
		__u64 now_ns;

		if (!is_known(c, side) || ring->tail == acquire_load(&ring->head))
			continue;
		now_ns = ring->signal[ring->tail % RING_SIGNALS].now_ns;
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
	struct signal *signal = &own->ring.signal[own->ring.tail % RING_SIGNALS];
	__u32 other;

	if (signal->now_ns > c->taken_ns)
		c->taken_ns = signal->now_ns;
	if (signal->rtt_us && (!own->min_rtt_us || signal->rtt_us < own->min_rtt_us))
		own->min_rtt_us = signal->rtt_us;
	if (asks(c, BY_MODEL))
		model_take(place, side, signal, c->taken_ns);
	if (asks(c, BY_LAG_EXCESS) && signal->rtt_us)
		for (other = SBD_ZERO; SBD_WHILE(other < CONTROLLED_SUBFLOWS); other++)
			if (other != side && is_known(c, other))
				lag_take(place, side, other, c->taken_ns, signal->rtt_us);
	own->signals++;
	release_store(&own->ring.tail, own->ring.tail + 1);
}

__noinline int drain(__u32 place, __u64 until_ns)
{
	__u32 i, side;

	for (i = SBD_ZERO; SBD_WHILE(i < CONTROLLED_SUBFLOWS * RING_SIGNALS); i++) {
		side = oldest(place, until_ns);
		if (side >= CONTROLLED_SUBFLOWS)
			break;
		take(place, side);
	}
	return 0;
}

/* ---- groups */

static __always_inline bool is_coupled(struct connection *c, __u32 a, __u32 b, __u64 now_ns)
{
	__u32 pair = sbd_pair_of(a, b) % CONTROLLED_PAIRS;
	__u32 one_us = c->subflow[a % CONTROLLED_SUBFLOWS].min_rtt_us;
	__u32 other_us = c->subflow[b % CONTROLLED_SUBFLOWS].min_rtt_us;
	__u64 rtt_ns = (one_us > other_us ? one_us : other_us) * 1000ULL;
	__u64 from_ns = c->holds_from_ns[pair];

	if (c->pair[pair].shared == TOLD_NEVER)
		return true;
	if (now_ns > from_ns && now_ns - from_ns > HELD_WINDOWS * SBD_WINDOW_RTTS * rtt_ns)
		return true;
	return c->pair[pair].shared;
}

/* Those of one group are coupled: the connected components of the pairs that are. */
__noinline int choose(__u32 place, __u64 now_ns)
{
	struct connection *c = connection_at(place);
	/* A byte for each subflow. */
	__u32 groups = c->by == BY_LIA ? 0 : 0x03020100, a, b, i, own, its;

	for (a = SBD_ZERO; SBD_WHILE(a < CONTROLLED_SUBFLOWS); a++) {
		for (b = SBD_ZERO; SBD_WHILE(b < a); b++) {
			bool coupled =
				is_known(c, a) && is_known(c, b) && is_coupled(c, a, b, now_ns);

			pair_at(c, sbd_pair_of(a, b))->coupled = coupled;
			own = groups >> 8 * (b & 3) & 0xff;
			its = groups >> 8 * (a & 3) & 0xff;
			if (!coupled || own == its)
				continue;
			for (i = SBD_ZERO; SBD_WHILE(i < CONTROLLED_SUBFLOWS); i++)
				if ((groups >> 8 * (i & 3) & 0xff) == its)
					groups = (groups & ~(0xffU << 8 * (i & 3))) |
						 own << 8 * (i & 3);
		}
	}
	for (i = SBD_ZERO; SBD_WHILE(i < CONTROLLED_SUBFLOWS); i++)
		c->subflow[i % CONTROLLED_SUBFLOWS].group = groups >> 8 * (i & 3) & 0xff;
	return 0;
}

/* ---- ends */

/* Places of subflows that have been released are free, once their signals are taken. */
__noinline int dismiss(__u32 place)
{
	struct connection *c = connection_at(place);
	__u32 side;

	for (side = SBD_ZERO; SBD_WHILE(side < CONTROLLED_SUBFLOWS); side++) {
		struct subflow *own = subflow_at(place, side);

		if (!is_known(c, side) || !own->released ||
		    own->ring.tail != acquire_load(&own->ring.head))
			continue;
		own->ring.head = 0;
		own->ring.tail = 0;
		own->ring.lost = 0;
		own->signals = 0;
		own->min_rtt_us = 0;
		own->released = 0;
		own->group = 0;
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
	drain(place, FOR_EVER);
	dismiss(place);
	at = bpf_map_lookup_elem(&places, &key);
	if (at && *at == place)
		bpf_map_delete_elem(&places, &key);
	if (own)
		own->token = 0;
	c->token = 0;
	for (side = 0; side < CONTROLLED_SUBFLOWS; side++)
		c->subflow[side].group = 0;
	c->verdicts.windows.subflows = 0;
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
	for (i = 0; i < CONTROLLED_SUBFLOWS; i++) {
		struct subflow *from = &c->subflow[i];
		struct told_subflow *to = &own->subflow[i];

		to->used = is_known(c, i) && !from->released;
		to->signals = from->signals;
		to->lost = from->ring.lost;
		to->id = from->id;
		to->cwnd = from->cwnd;
		to->srtt_8us = from->srtt_8us;
		to->local_port = from->local_port;
		to->remote_port = from->remote_port;
		to->group = from->group;
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
	own->token = c->token;
	return 0;
}

/* Runs in a kernel thread, away from ACKs; for one connection never twice at once. */
static int work_on(void *map, int *key, void *value)
{
	__u64 begun_ns = bpf_ktime_get_ns(), took_ns;
	struct connection *c;
	__u32 place = *key;

	greet(place);
	drain(place, begun_ns - MARGIN_NS);
	choose(place, begun_ns);
	dismiss(place);
	c = connection_at(place);
	took_ns = bpf_ktime_get_ns() - begun_ns;
	c->works++;
	c->work_ns += took_ns;
	if (took_ns > c->work_most_ns)
		c->work_most_ns = took_ns;
	if (!end(place))
		tell(place);
	return 0;
}

#define PAGE		4096
#define PLACE_PAGES	((sizeof(struct connection) + PAGE - 1) / PAGE)

#define PLACES_AT_ONCE	16

/* Places that have been made. */
__u32 places_made;

/*
 * Make some places; user space calls it until there are all. What a kernel allocates for BPF may
 * fail for a moment, and goes on where it was. Returns how many there are.
 */
SEC("syscall")
int prepare(void *ctx)
{
	__u32 first = 0, i;
	struct kept_models *own = bpf_map_lookup_elem(&kept, &first);

	if (!own)
		return 0;
	SBD_USE_ARENA();
	own->address = (__u64)&models[0];
	own->by = settings.by;
	for (i = SBD_ZERO; SBD_WHILE(i < PLACES_AT_ONCE); i++) {
		__u32 place = places_made;
		struct work *work = bpf_map_lookup_elem(&works, &place);
		struct connection __arena *c = place_of[place % CONTROLLED_CONNECTIONS];

		if (!work || place >= settings.connections)
			break;
		if (!c)
			c = bpf_arena_alloc_pages(&sbd_arena, NULL, PLACE_PAGES, -1, 0);
		if (!c)
			break;
		place_of[place % CONTROLLED_CONNECTIONS] = c;
		if (!work->is_there && bpf_wq_init(&work->wq, &works, 0))
			break;
		work->is_there = 1;
		if (bpf_wq_set_callback_impl(&work->wq, work_on, 0, NULL))
			break;
		if (bpf_map_push_elem(&free_places, &place, 0))
			break;
		places_made++;
	}
	return places_made;
}

#endif
