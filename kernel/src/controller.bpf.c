// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion controllers of MPTCP's subflows
 *
 *	sbd_lia		all subflows coupled, by LIA
 *	sbd_smart	coupled by LIA while a verdict says that they share a bottleneck, or none is
 *			known; Reno otherwise
 *
 * Both leave what is no increase in congestion avoidance to Reno, and what is no subflow to the
 * host's controller.
 */
#include "controller.h"
#include "kernel.h"

/* In a section of its own: the loader writes it. */
const volatile struct controller_settings settings SEC(".rodata.settings") = { .connections = 64 };

#include "connections.h"
#include "coupled.h"
#include "deciding.h"
#include "dither.h"
#include "host.h"
#include "siblings.h"

char LICENSE[] SEC("license") = "GPL";

extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;

/*
 * Who may choose a controller: everybody. Where only some may, a network namespace that asks for it
 * as its default is refused, and what the kernel counted for it is never given back: it would stay
 * loaded (tcp_set_default_congestion_control, Linux 6.18).
 */
#define TCP_CONG_NON_RESTRICTED	1

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 flags;
	char name[16];
};

/* Show its window to the others of its group. */
static __always_inline void show(struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct subflow *own = seated(seat_of(sk));

	own->cwnd = base_window(sk);
	own->srtt_8us = tp->srtt_us;
}

static __always_inline void sit(struct sock *sk, __u32 by)
{
	struct seat *seat = seat_of(sk);
	__u32 found = join(sk, by), place = found >> 3, side = found & 7;

	if (!place)
		return;
	seat->own = &place_of[(place - 1) % CONTROLLED_CONNECTIONS]->subflow[side];
	seat->side = side;
	seat->place = place;
}

static __always_inline bool may_sit(const struct seat *seat)
{
	return seat->begun && !seat->place && seat->tries < TRIES;
}

static __always_inline bool is_left_to_host(struct sock *sk)
{
	struct cgroup_path path = {};

	if (!BPF_CORE_READ_BITFIELD_PROBED((struct tcp_sock *)sk, is_mptcp))
		return true;
	read_cgroups(sk, &path);
	return mode_in_force(&path) == MODE_HOST;
}

/* The SYN's ACK is told before this, to a memory of zeros. */
static __always_inline void begin(struct sock *sk, __u32 by)
{
	if (is_left_to_host(sk)) {
		count(COUNT_PLAIN);
		host_init(sk);
		seat_of(sk)->host = 1;
		return;
	}
	seat_of(sk)->begun = 1;
	sit(sk, by);
}

SEC("struct_ops")
void BPF_PROG(lia_init, struct sock *sk)
{
	begin(sk, BY_LIA);
}

SEC("struct_ops")
void BPF_PROG(smart_init, struct sock *sk)
{
	begin(sk, settings.by);
}

SEC("struct_ops")
void BPF_PROG(any_release, struct sock *sk)
{
	struct seat *seat = seat_of(sk);

	if (!seat->place)
		return;
	if (settings.check && dither_of(sk)->offset)
		((struct tcp_sock *)sk)->snd_cwnd = base_window(sk);
	seated(seat)->released = 1;
	leave(seat->place - 1);
	seat->place = 0;
}

SEC("struct_ops")
void BPF_PROG(lia_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct seat *seat = seat_of(sk);

	if (seat->host) {
		host_pkts_acked(sk, sample);
		return;
	}
	if (may_sit(seat))
		sit(sk, BY_LIA);
	if (!seat->place)
		return;
	show(sk);
	kick_if_due(seat, ((struct tcp_sock *)sk)->tcp_clock_cache);
}

/* After a timeout the window is 1, and no ACK may come for long. */
SEC("struct_ops")
void BPF_PROG(lia_set_state, struct sock *sk, __u8 new_state)
{
	if (seat_of(sk)->host)
		host_set_state(sk, new_state);
	else if (seat_of(sk)->place)
		show(sk);
}

SEC("struct_ops")
void BPF_PROG(smart_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct seat *seat = seat_of(sk);
	struct signal signal = { .now_ns = tp->tcp_clock_cache };
	__s32 rtt_us = sample->rtt_us;

	if (seat->host) {
		host_pkts_acked(sk, sample);
		return;
	}
	if (may_sit(seat))
		sit(sk, settings.by);
	if (!seat->place)
		return;
	show(sk);
	signal.bytes_acked = tp->bytes_acked;
	if (rtt_us > 0)
		signal.rtt_and_state = rtt_us < SIGNAL_RTT_US ? rtt_us : SIGNAL_RTT_US;
	put(seat, &signal);
}

SEC("struct_ops")
void BPF_PROG(smart_set_state, struct sock *sk, __u8 new_state)
{
	struct signal signal = {
		.rtt_and_state = (__u32)(new_state + 1) << SIGNAL_STATE,
		.now_ns = ((struct tcp_sock *)sk)->tcp_clock_cache,
	};
	struct seat *seat = seat_of(sk);

	if (seat->host)
		host_set_state(sk, new_state);
	if (!seat->place)
		return;
	if (settings.check)
		dither_set_state(dither_of(sk), new_state);
	show(sk);
	put(seat, &signal);
}

SEC("struct_ops")
void BPF_PROG(any_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	if (seat_of(sk)->host)
		host_cwnd_event(sk, event);
	else if (settings.check && event == CA_EVENT_CWND_RESTART)
		dither_forget(dither_of(sk));
}

SEC("struct_ops")
__u32 BPF_PROG(any_ssthresh, struct sock *sk)
{
	if (seat_of(sk)->host)
		return host_ssthresh(sk);
	return settings.check ? dither_ssthresh(sk) : tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
__u32 BPF_PROG(any_undo_cwnd, struct sock *sk)
{
	if (settings.check && !seat_of(sk)->host)
		return dither_undo(sk);
	return tcp_reno_undo_cwnd(sk);
}

/* Segments that must be acknowledged for the window to grow by one. */
static __always_inline __u32 acks_of(__u32 place, __u32 side, __u32 cwnd)
{
	struct coupled_subflow group[CONTROLLED_SUBFLOWS] = {};
	struct connection *c = connection_at(place);
	__u8 own = subflow_at(place, side)->group;
	__u32 theta_q10 = subflow_at(place, side)->theta_q10, acks, i;

	for (i = 0; i < CONTROLLED_SUBFLOWS; i++) {
		struct subflow *s = &c->subflow[i];

		if (!(c->used >> i & 1) || s->released || s->group != own)
			continue;
		group[i].cwnd = s->cwnd;
		group[i].srtt_8us = s->srtt_8us;
	}
	acks = coupled_acks(group, CONTROLLED_SUBFLOWS, cwnd);
	return theta_q10 ? sbd_coupling_acks(acks, cwnd, theta_q10) : acks;
}

static __always_inline bool is_cwnd_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

static __always_inline void increase(struct sock *sk, struct seat *seat, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 w;

	if (!is_cwnd_limited(tp))
		return;
	if (tp->snd_cwnd < tp->snd_ssthresh) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	w = tp->snd_cwnd;
	if (seat->place && !connection_at(seat->place - 1)->crowded)
		w = acks_of(seat->place - 1, seat->side, w);
	else if (seat->begun)
		w = siblings_acks(sk, w);
	tcp_cong_avoid_ai(tp, w, acked);
}

SEC("struct_ops")
void BPF_PROG(any_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct seat *seat = seat_of(sk);
	bool dithered;

	if (seat->host) {
		host_cong_avoid(sk, ack, acked);
		return;
	}
	dithered = is_dithered(sk, seat);
	if (dithered)
		take_off(sk, acked);
	increase(sk, seat, acked);
	if (dithered)
		put_on(sk, seat);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops sbd_lia = {
	.ssthresh = (void *)any_ssthresh,
	.cong_avoid = (void *)any_cong_avoid,
	.undo_cwnd = (void *)any_undo_cwnd,
	.pkts_acked = (void *)lia_pkts_acked,
	.set_state = (void *)lia_set_state,
	.cwnd_event = (void *)any_cwnd_event,
	.init = (void *)lia_init,
	.release = (void *)any_release,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "sbd_lia",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops sbd_smart = {
	.ssthresh = (void *)any_ssthresh,
	.cong_avoid = (void *)any_cong_avoid,
	.undo_cwnd = (void *)any_undo_cwnd,
	.pkts_acked = (void *)smart_pkts_acked,
	.set_state = (void *)smart_set_state,
	.cwnd_event = (void *)any_cwnd_event,
	.init = (void *)smart_init,
	.release = (void *)any_release,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "sbd_smart",
};
