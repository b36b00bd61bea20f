/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs read of the kernel: fields by name, which libbpf finds in the running
 * kernel's BTF (CO-RE).
 */
#ifndef SBD_KERNEL_H
#define SBD_KERNEL_H

#include <linux/types.h>
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>

#define AF_INET		2
#define AF_INET6	10

struct sk_buff;
enum tcp_ca_event { CA_EVENT_TX_START, CA_EVENT_CWND_RESTART };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	__u32 inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	__u8 bytes[16];
};

struct list_head {
	struct list_head *next;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	struct sock_cgroup_data sk_cgrp_data;
};

struct inet_connection_sock {
	void *icsk_ulp_data;
	__u64 icsk_ca_priv[13];	/* a controller's own */
	__u8 icsk_ca_state:5;
};

struct tcp_rack {
	__u64 mstamp;		/* when the segment was sent that was delivered last */
	__u32 rtt_us;
	__u32 end_seq;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	struct tcp_rack rack;
	__u64 tcp_clock_cache;	/* when it last looked at the monotonic clock, ns */
	__u64 bytes_acked;
	__u32 snd_una;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 prior_cwnd;	/* before it was last reduced */
	__u32 max_packets_out;
	__u32 srtt_us;
	__u32 mdev_us;
	__u32 delivered;
	__u32 sacked_out;
	__u32 retrans_out;
	__u32 total_retrans;
	__u8 is_mptcp:1;
	__u8 is_cwnd_limited:1;
};

struct mptcp_sock {
	__u32 token;
	struct list_head conn_list;	/* of contexts of subflows */
};

struct mptcp_subflow_context {
	struct list_head node;
	struct sock *tcp_sock;
	struct sock *conn;
	__u32 subflow_id;	/* 6.5 and later */
	__u8 local_id;
	__u8 remote_id;
};

struct rate_sample {
	long rtt_us;		/* negative: none */
};

struct ack_sample {
	__s32 rtt_us;		/* negative: none */
};

#pragma clang attribute pop

/* The token of a subflow's connection, 0 before there is one. */
static __always_inline __u32 sbd_token(struct tcp_sock *tp)
{
	struct mptcp_subflow_context *context = tp->inet_conn.icsk_ulp_data;
	struct mptcp_sock *connection = (struct mptcp_sock *)BPF_CORE_READ(context, conn);

	return BPF_CORE_READ(connection, token);
}

#define SBD_IDS_TELL	(1U << 31)

/*
 * A subflow's number, or on older kernels, with SBD_IDS_TELL, the ids of its addresses and its
 * ports: one that is made anew between the same addresses has another port.
 */
static __always_inline __u32 sbd_subflow(struct sock *sk, struct tcp_sock *tp)
{
	struct mptcp_subflow_context *context = tp->inet_conn.icsk_ulp_data;
	__u16 ports = sk->__sk_common.skc_num ^ bpf_ntohs(sk->__sk_common.skc_dport);
	__u8 local_id, remote_id;

	if (bpf_core_field_exists(context->subflow_id))
		return BPF_CORE_READ(context, subflow_id);
	local_id = BPF_CORE_READ(context, local_id);
	remote_id = BPF_CORE_READ(context, remote_id);
	return SBD_IDS_TELL | ports << 15 | (remote_id & 0x7f) << 8 | local_id;
}

#endif
