/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections that are controlled, each in a place of its own in a BPF arena
 *
 * A place has what coupling needs. Memory of verdicts is taken once a second subflow has come: a
 * ring of signals for each subflow, and for each pair what the detector remembers. ACKs write
 * signals; the subflow's lock makes one producer of them. The connection's worker is the consumer.
 * A place is free again once all subflows have been released and the worker has seen it.
 */
#ifndef SBD_CONNECTIONS_H
#define SBD_CONNECTIONS_H

#include "arena.h"
#include "controller.h"
#include "kernel.h"
#include "modes.h"
#include "verdicts.h"

#define RING_SIGNALS	512		/* a power of two */
#define RING_KICK	384		/* signals that wait for the worker at most */
#define WORK_NS		200000000ULL	/* and how long */
#define NO_MORE		(1U << 16)	/* added to the subflows of a connection that ends */
#define NO_ROOM		(~0U)
#define TRIES		8		/* ACKs at which a subflow that has no place asks for one */
#define WORKERS		32		/* connections share them */
#define PUSHES		64		/* tries to tell a worker of a connection */
#define PAGE		4096

#define SIGNAL_RTT_US	0xffffff	/* what has room; nobody waits for so long */
#define SIGNAL_STATE	24		/* bits to the left: a state counted from 1; 0: an ACK */
#define SIGNAL_TURN	128		/* in place of a state: a half of a symbol begins */
#define TURN_SYMBOL	8		/* then behind the amplitude, where other signals have bytes */
#define TURN_PHASE	16

struct signal {
	__u64 now_ns;
	__u32 bytes_acked;	/* modulo 2^32 */
	__u32 rtt_and_state;	/* an RTT of 0: none */
};

/* Two pages. */
struct ring {
	struct signal signal[RING_SIGNALS];
};

#define PAGES_OF(type)	((sizeof(type) + PAGE - 1) / PAGE)

struct subflow {
	__u32 id;
	__u32 cwnd;
	__u32 srtt_8us;
	__u32 min_rtt_us;	/* 0: no sample yet */
	__u16 local_port;
	__u16 remote_port;
	__u8 released;
	__u8 group;		/* written by the worker */
	__u16 theta_q10;	/* by the worker too: the share of Reno's increase */
	__u64 head;		/* signals written so far, by ACKs */
	__u64 tail;		/* and taken, by the worker */
	__u64 lost;
	__u64 bytes_acked;	/* as of the last signal that was taken */
	struct ring __arena *ring;	/* NULL: of a single subflow nothing is judged */
	__u32 half_us;		/* least length of a half of a symbol; 0: the window is not moved */
};

struct check;

struct connection {
	__u32 token;
	__u32 netns;
	__u32 live;		/* subflows not released, and NO_MORE; never cleared */
	__u32 used;		/* bits of the subflows' places that are taken */
	__u32 known;		/* and of those that the worker knows */
	__u32 by;		/* enum controlled_by */
	__u32 next;		/* place that its worker attends to afterwards, counted from 1 */
	__u32 waits;		/* for its worker */
	__u32 mode;		/* enum coupling_mode */
	__u32 parted;		/* has subflows that are not coupled, or not whole */
	__u32 crowded;		/* a subflow found no place: all are coupled by siblings.h */
	__u64 kicked_ns;
	__u64 since_ns;
	__u64 taken_ns;		/* time of the last signal that was taken */
	__u64 works;
	__u64 work_ns;
	__u64 work_most_ns;
	struct cgroup_path cgroups;	/* of the socket that came first */
	struct subflow subflow[CONTROLLED_SUBFLOWS];
	struct told_pair pair[CONTROLLED_PAIRS];
	__u64 judged_ns[CONTROLLED_PAIRS];	/* when its score was made; 0: there is none */
	__u16 theta_q10[CONTROLLED_PAIRS];
	struct sbd_common_pair __arena *lag[CONTROLLED_PAIRS];
	struct check __arena *check[CONTROLLED_PAIRS];	/* NULL: none goes on */
	struct sbd_connection __arena *windows;
};

/* Subflows whose controller is changed while they run leave one place for another. */
struct place_key {
	__u32 token;
	__u32 by;		/* enum controlled_by */
};

/* Place of each connection, counted from 0. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CONTROLLED_CONNECTIONS);
	__type(key, struct place_key);
	__type(value, __u32);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, CONTROLLED_CONNECTIONS);
	__type(value, __u32);
} free_places SEC(".maps");

/* The kernel gives few work queues, and not always: there is one for many connections. */
struct work {
	struct bpf_wq wq;
	struct bpf_timer clock;	/* of the first one alone */
	__u32 is_there;
	__u32 first;		/* place that waits for it, counted from 1; the others by next */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WORKERS);
	__type(key, __u32);
	__type(value, struct work);
} works SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* By place; a token of 0 is none. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CONTROLLED_CONNECTIONS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct told_connection);
} told SEC(".maps");

/* Addresses of the places in the arena. */
struct connection __arena *place_of[CONTROLLED_CONNECTIONS];

static __always_inline void count(__u32 which)
{
	__u64 *own = bpf_map_lookup_elem(&counts, &which);

	if (own)
		++*own;
}

static __always_inline struct connection *connection_at(__u32 place)
{
	SBD_USE_ARENA();
	return (struct connection *)place_of[place % CONTROLLED_CONNECTIONS];
}

static __always_inline struct subflow *subflow_at(__u32 place, __u32 side)
{
	return &connection_at(place)->subflow[side % CONTROLLED_SUBFLOWS];
}

static __always_inline bool is_known(const struct connection *c, __u32 side)
{
	return c->known >> side & 1;
}

static __always_inline struct told_pair *pair_at(struct connection *c, __u32 pair)
{
	return &c->pair[pair % CONTROLLED_PAIRS];
}

static __always_inline struct ring *ring_at(__u32 place, __u32 side)
{
	return (struct ring *)subflow_at(place, side)->ring;
}

/*
 * Let the connection's worker attend to it. It takes all that wait at once, so a place that is put
 * before them cannot be put there twice, nor be lost.
 */
static __noinline int kick(__u32 place)
{
	__u32 worker = place % WORKERS, first, i;
	struct work *work = bpf_map_lookup_elem(&works, &worker);
	struct connection *c = connection_at(place);

	if (!work)
		return 0;
	if (!__sync_val_compare_and_swap(&c->waits, 0, 1)) {
		for (i = SBD_ZERO; SBD_WHILE(i < PUSHES); i++) {
			first = *(volatile __u32 *)&work->first;
			c->next = first;
			if (__sync_val_compare_and_swap(&work->first, first, place + 1) == first)
				break;
		}
		/* The next ACK tries again. */
		if (i >= PUSHES) {
			c->waits = 0;
			return 0;
		}
	}
	bpf_wq_start(&work->wq, 0);
	return 0;
}

/* What a socket keeps of its place, behind what HOST_WORDS leaves of icsk_ca_priv. */
struct seat {
	__u32 place;		/* counted from 1; 0: none */
	__u8 side;
	__u8 tries;
	__u8 begun;
	__u8 host;		/* it is the host's: no subflow, or of a cgroup that is not controlled */
	__u64 kicked_ns;
	struct subflow __arena *own;
};

#define SEAT_WORD	8

_Static_assert(8 * SEAT_WORD + sizeof(struct seat) <=
		       sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv),
	       "a seat has room");

static __always_inline struct seat *seat_of(struct sock *sk)
{
	return (struct seat *)&((struct inet_connection_sock *)sk)->icsk_ca_priv[SEAT_WORD];
}

/* The subflow that has a seat. */
static __always_inline struct subflow *seated(const struct seat *seat)
{
	SBD_USE_ARENA();
	return (struct subflow *)seat->own;
}

/* One subflow less; after the last, the worker frees the place. */
static __always_inline void leave(__u32 place)
{
	__sync_fetch_and_add(&connection_at(place)->live, -1);
	kick(place);
}

/*
 * Take a place for a connection, with one live subflow; the place counted from 1, 0 if another
 * subflow came first, or NO_ROOM.
 */
static __always_inline __u32 take_place(const struct place_key *key)
{
	struct connection *c;
	__u32 place;

	if (bpf_map_pop_elem(&free_places, &place)) {
		count(COUNT_NO_ROOM);
		return NO_ROOM;
	}
	c = connection_at(place);
	/* Before it has a token: work that was kicked earlier ends no connection with a subflow. */
	__sync_fetch_and_add(&c->live, 1);
	c->by = key->by;
	c->since_ns = bpf_ktime_get_ns();
	c->token = key->token;
	if (bpf_map_update_elem(&places, key, &place, BPF_NOEXIST)) {
		leave(place);
		return 0;
	}
	count(COUNT_CONNECTIONS);
	return place + 1;
}

/* Count a subflow of a connection that has a place; the place counted from 1, 0 if it ends. */
static __always_inline __u32 enter_place(__u32 place, const struct place_key *key)
{
	struct connection *c = connection_at(place);

	if (__sync_fetch_and_add(&c->live, 1) < NO_MORE && c->token == key->token &&
	    c->by == key->by)
		return place + 1;
	leave(place);
	return 0;
}

/* Take one of a connection's places for subflows; CONTROLLED_SUBFLOWS if there is none. */
static __always_inline __u32 take_side(struct connection *c)
{
	__u32 side, rounds, used;

	/* Who comes between takes a place or frees one: as often as there are places. */
	for (rounds = 0; rounds < CONTROLLED_SUBFLOWS; rounds++) {
		used = c->used;
		for (side = 0; side < CONTROLLED_SUBFLOWS; side++)
			if (!(used >> side & 1))
				break;
		if (side == CONTROLLED_SUBFLOWS ||
		    __sync_val_compare_and_swap(&c->used, used, used | 1U << side) == used)
			return side;
	}
	return CONTROLLED_SUBFLOWS;
}

static __always_inline void sit_down(struct sock *sk, struct tcp_sock *tp, struct connection *c,
				     __u32 side)
{
	struct subflow *own = &c->subflow[side % CONTROLLED_SUBFLOWS];
	struct cgroup_path path = {};
	__u32 i;

	read_cgroups(sk, &path);
	for (i = 0; i < CGROUP_LEVELS; i++)
		c->cgroups.id[i] = path.id[i];
	c->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	own->id = sbd_subflow(sk, tp);
	own->local_port = sk->__sk_common.skc_num;
	own->remote_port = bpf_ntohs(sk->__sk_common.skc_dport);
	own->cwnd = tp->snd_cwnd;
	own->srtt_8us = tp->srtt_us;
}

/*
 * Give a subflow its seat. Its token may not be there yet when the controller is chosen, so an ACK
 * asks again.
 */
static __noinline int join(struct sock *sk, __u32 by)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct seat *seat = seat_of(sk);
	struct place_key key = { .by = by };
	__u32 side, place, *known;
	struct connection *c;

	seat->tries++;
	key.token = sbd_token(tp);
	if (!key.token)
		return 0;
	known = bpf_map_lookup_elem(&places, &key);
	place = known ? enter_place(*known, &key) : take_place(&key);
	if (place == NO_ROOM)
		seat->tries = TRIES;
	if (place == NO_ROOM || !place)
		return 0;
	c = connection_at(place - 1);
	side = take_side(c);
	if (side == CONTROLLED_SUBFLOWS) {
		seat->tries = TRIES;
		count(COUNT_NO_PLACE);
		c->crowded = 1;
		leave(place - 1);
		return 0;
	}
	sit_down(sk, tp, c, side);
	kick(place - 1);
	return place << 3 | side;
}

/* Let the worker come if it has not for some time; each subflow asks that seldom. */
static __always_inline void kick_if_due(struct seat *seat, __u64 now_ns)
{
	struct connection *c;

	if (now_ns - seat->kicked_ns <= WORK_NS)
		return;
	seat->kicked_ns = now_ns;
	c = connection_at(seat->place - 1);
	if (now_ns - c->kicked_ns > WORK_NS) {
		c->kicked_ns = now_ns;
		kick(seat->place - 1);
	}
}

/* Put a signal into a subflow's ring; its lock is held. */
static __always_inline void put(struct seat *seat, const struct signal *signal)
{
	struct subflow *own = seated(seat);
	struct ring __arena *at = own->ring;
	struct ring *ring = (struct ring *)at;
	__u64 waiting;

	if (at) {
		waiting = own->head - own->tail;
		if (waiting >= RING_SIGNALS) {
			own->lost++;
		} else {
			struct signal *to = &ring->signal[own->head % RING_SIGNALS];

			to->now_ns = signal->now_ns;
			to->bytes_acked = signal->bytes_acked;
			to->rtt_and_state = signal->rtt_and_state;
			release_store(&own->head, own->head + 1);
		}
		if (waiting == RING_KICK)
			kick(seat->place - 1);
	}
	kick_if_due(seat, signal->now_ns);
}

#endif
