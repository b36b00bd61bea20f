/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coupling without a place: of a connection that found no room, or that has more subflows than have
 * room, windows and RTTs are read where the kernel lists its subflows. Nothing is judged then, and
 * all are coupled.
 */
#ifndef SBD_SIBLINGS_H
#define SBD_SIBLINGS_H

#include "coupled.h"
#include "kernel.h"

#define SIBLINGS	8	/* the most that Linux gives a connection */
#define TCP_ESTABLISHED	1

/* Subflows of other processors change while they are read: a window may be one of a moment ago. */
static __noinline int siblings_acks(struct sock *sk, __u32 cwnd)
{
	struct coupled_subflow sibling[SIBLINGS] = {};
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	struct mptcp_subflow_context *context = icsk->icsk_ulp_data;
	struct mptcp_sock *connection = (struct mptcp_sock *)BPF_CORE_READ(context, conn);
	void *list, *node;
	__u32 i;

	if (!connection)
		return cwnd;
	list = (void *)connection + bpf_core_field_offset(struct mptcp_sock, conn_list);
	node = BPF_CORE_READ(connection, conn_list.next);
	for (i = 0; i < SIBLINGS && node && node != list; i++) {
		struct mptcp_subflow_context *of =
			node - bpf_core_field_offset(struct mptcp_subflow_context, node);
		struct tcp_sock *tp = (struct tcp_sock *)BPF_CORE_READ(of, tcp_sock);
		struct sock *subflow = (struct sock *)tp;

		if (BPF_CORE_READ(subflow, __sk_common.skc_state) == TCP_ESTABLISHED) {
			sibling[i].cwnd = BPF_CORE_READ(tp, snd_cwnd);
			sibling[i].srtt_8us = BPF_CORE_READ(tp, srtt_us);
		}
		node = BPF_CORE_READ(of, node.next);
	}
	return coupled_acks(sibling, SIBLINGS, cwnd);
}

#endif
