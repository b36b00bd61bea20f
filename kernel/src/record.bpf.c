// SPDX-License-Identifier: GPL-2.0-only
/*
 * RTT samples, acknowledged bytes and congestion states of MPTCP's subflows, whatever their
 * congestion controller
 *
 * at_ack runs at the end of each tcp_ack(), and sees the sample that pkts_acked() gets. Where a
 * kernel refuses fentry, at_segment stands in: it runs when a segment comes in, before it is
 * taken, so it sees what the segment before has left.
 */
#include "kernel.h"
#include "record.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct record_filter filter = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECORD_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* What a segment has left; at_segment compares with what the one before it left. */
struct signals {
	__u64 rack_sent_us;
	__u32 rack_end;
	__u32 rack_rtt_us;
	__u32 delivered;
	__u32 snd_una;
	__u32 srtt_8us;		/* eighths of a microsecond */
	__u32 mdev_us;
	__u32 sacked_out;
	__u32 retrans_out;
	__u32 total_retrans;
};

struct before {
	__u64 segment_ns;
	struct signals signals;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct before);
} befores SEC(".maps");

static __always_inline void count(__u32 which)
{
	__u64 *own = bpf_map_lookup_elem(&counts, &which);

	if (own)
		++*own;
}

/* The subflow, if it is one and is wanted by what is known without its connection. */
static __always_inline struct tcp_sock *wanted(struct sock *sk)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	__u16 local_port, remote_port;

	if (!tp || !BPF_CORE_READ_BITFIELD(tp, is_mptcp))
		return NULL;
	if (filter.netns && sk->__sk_common.skc_net.net->ns.inum != filter.netns)
		return NULL;
	local_port = sk->__sk_common.skc_num;
	remote_port = bpf_ntohs(sk->__sk_common.skc_dport);
	if (filter.port && filter.port != local_port && filter.port != remote_port)
		return NULL;
	if (filter.local_port && filter.local_port != local_port)
		return NULL;
	if (filter.remote_port && filter.remote_port != remote_port)
		return NULL;
	return tp;
}

static __always_inline void put_addresses(struct record_event *event, struct sock *sk)
{
	struct sock_common *common = &sk->__sk_common;

	event->family = common->skc_family;
	if (event->family == AF_INET) {
		*(__be32 *)event->local = common->skc_rcv_saddr;
		*(__be32 *)event->remote = common->skc_daddr;
	} else if (event->family == AF_INET6 && bpf_core_field_exists(common->skc_v6_daddr)) {
		BPF_CORE_READ_INTO(&event->local, common, skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&event->remote, common, skc_v6_daddr);
	}
}

static __always_inline void put(struct sock *sk, struct tcp_sock *tp, __u64 time_ns, __u32 rtt_us,
				__u8 ca_state)
{
	struct record_event *event;
	__u32 token = sbd_token(tp);

	if (filter.token && token != filter.token)
		return;
	if (!token) {
		count(RECORD_NO_TOKEN);
		return;
	}
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		count(RECORD_LOST);
		return;
	}
	event->time_ns = time_ns;
	event->token = token;
	event->subflow = sbd_subflow(sk, tp);
	event->rtt_us = rtt_us;
	event->snd_una = tp->snd_una;
	event->sent_again = tp->total_retrans;
	event->ca_state = ca_state;
	event->family = 0;
	if (!filter.no_addresses) {
		event->local_port = sk->__sk_common.skc_num;
		event->remote_port = bpf_ntohs(sk->__sk_common.skc_dport);
		put_addresses(event, sk);
	}
	/* Waking the reader would take several times as long as all of the above. */
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline __u8 state_of(struct tcp_sock *tp)
{
	struct inet_connection_sock *icsk = &tp->inet_conn;

	return BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
}

SEC("?fentry/tcp_rate_gen")
int BPF_PROG(at_ack, struct sock *sk, __u32 delivered, __u32 lost, bool is_sack_reneg,
	     struct rate_sample *rs)
{
	long rtt_us = rs->rtt_us;
	struct tcp_sock *tp;

	/* What came in acknowledged nothing: data, a window, an ACK that says what is known. */
	if (!delivered && rtt_us <= 0)
		return 0;
	tp = wanted(sk);
	if (tp)
		put(sk, tp, bpf_ktime_get_ns(), rtt_us > 0 ? rtt_us : 0, state_of(tp));
	return 0;
}

static __always_inline struct signals signals_of(struct tcp_sock *tp)
{
	return (struct signals){
		.rack_sent_us = tp->rack.mstamp,
		.rack_end = tp->rack.end_seq,
		.rack_rtt_us = tp->rack.rtt_us,
		.delivered = tp->delivered,
		.snd_una = tp->snd_una,
		.srtt_8us = tp->srtt_us,
		.mdev_us = tp->mdev_us,
		.sacked_out = tp->sacked_out,
		.retrans_out = tp->retrans_out,
		.total_retrans = tp->total_retrans,
	};
}

/* Whether the kernel took a sample: tcp_rtt_estimator() ran. */
static __always_inline bool was_taken(const struct signals *now, const struct signals *then)
{
	return now->srtt_8us != then->srtt_8us || now->mdev_us != then->mdev_us;
}

/*
 * The sample that was taken, 0 if it is not to be told. The smoothed RTT gives away what it was
 * made of: the RTT of the first segment that was delivered, or a timestamp's, in milliseconds,
 * where that had been sent again. The sample is the RTT of the last one, RACK's.
 */
static __always_inline __u32 taken_us(const struct signals *now, const struct signals *then)
{
	__u32 old_8us = then->srtt_8us, new_8us = now->srtt_8us;
	__u32 first_us = old_8us ? new_8us - old_8us + (old_8us >> 3) : new_8us >> 3;
	bool sent_again = then->retrans_out + now->total_retrans - then->total_retrans != now->retrans_out;
	bool advanced = now->snd_una != then->snd_una, sacked = now->sacked_out || then->sacked_out;

	if (now->delivered - then->delivered == 1)
		return first_us;
	if (sent_again || (advanced && sacked))
		return first_us % 1000 ? 0 : first_us;
	if (now->rack_sent_us == then->rack_sent_us && now->rack_end == then->rack_end &&
	    now->rack_rtt_us == then->rack_rtt_us)
		return 0;
	if (first_us < now->rack_rtt_us || (first_us != now->rack_rtt_us && first_us % 1000 == 0))
		return 0;
	return now->rack_rtt_us;
}

/* Put what a segment has left, if it acknowledged something. */
static __always_inline void put_segment(struct sock *sk, struct tcp_sock *tp, struct before *before)
{
	struct signals now = signals_of(tp), *then = &before->signals;
	__u32 rtt_us = 0;

	if (now.delivered != then->delivered || now.snd_una != then->snd_una) {
		if (was_taken(&now, then)) {
			rtt_us = taken_us(&now, then);
			if (!rtt_us)
				count(RECORD_UNTOLD);
		}
		put(sk, tp, before->segment_ns, rtt_us, state_of(tp));
	}
	*then = now;
}

SEC("?tp_btf/tcp_probe")
int BPF_PROG(at_segment, struct sock *sk, struct sk_buff *skb)
{
	struct tcp_sock *tp = wanted(sk);
	struct before *before;

	if (!tp)
		return 0;
	before = bpf_sk_storage_get(&befores, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!before)
		return 0;
	if (before->segment_ns)
		put_segment(sk, tp, before);
	else
		before->signals = signals_of(tp);
	before->segment_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/tcp_cong_state_set")
int BPF_PROG(at_state, struct sock *sk, __u8 ca_state)
{
	struct tcp_sock *tp = wanted(sk);
	struct before *before;

	if (!tp)
		return 0;
	/* What the last segment acknowledged comes before the state it led to; none for at_ack. */
	before = bpf_sk_storage_get(&befores, sk, NULL, 0);
	if (before && before->segment_ns)
		put_segment(sk, tp, before);
	put(sk, tp, bpf_ktime_get_ns(), 0, ca_state);
	return 0;
}
