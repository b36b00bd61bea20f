// SPDX-License-Identifier: GPL-2.0-only
/* Reno that tells each RTT sample it is given: what the recorder is compared with. */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void (*set_state)(struct sock *sk, __u8 new_state);
	char name[16];
};

struct witness_event {
	__u64 time_ns;
	__u32 token;
	__u32 subflow;
	__s32 rtt_us;		/* negative: none; -2: a change of state */
	__u32 ca_state;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 23);
} events SEC(".maps");

static __always_inline void put(struct sock *sk, __s32 rtt_us, __u32 ca_state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct witness_event *event;

	if (!BPF_CORE_READ_BITFIELD_PROBED(tp, is_mptcp))
		return;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event)
		return;
	event->time_ns = bpf_ktime_get_ns();
	event->token = sbd_token(tp);
	event->subflow = sbd_subflow(sk, tp);
	event->rtt_us = rtt_us;
	event->ca_state = ca_state;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

SEC("struct_ops")
__u32 BPF_PROG(witness_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(witness_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
__u32 BPF_PROG(witness_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC("struct_ops")
void BPF_PROG(witness_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	put(sk, sample->rtt_us, 0);
}

SEC("struct_ops")
void BPF_PROG(witness_set_state, struct sock *sk, __u8 new_state)
{
	put(sk, -2, new_state);
}

SEC(".struct_ops")
struct tcp_congestion_ops sbd_witness = {
	.ssthresh = (void *)witness_ssthresh,
	.cong_avoid = (void *)witness_cong_avoid,
	.undo_cwnd = (void *)witness_undo_cwnd,
	.pkts_acked = (void *)witness_pkts_acked,
	.set_state = (void *)witness_set_state,
	.name = "sbd_witness",
};
