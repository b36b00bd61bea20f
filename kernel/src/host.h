/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sockets have that are not controlled: plain TCP, and all outside of the cgroups that are
 *
 * CUBIC keeps its state from the beginning of icsk_ca_priv on, in at most HOST_WORDS; the loader
 * makes sure of it.
 */
#ifndef SBD_HOST_H
#define SBD_HOST_H

#include "controller.h"
#include "kernel.h"

#define HOST_WORDS	8

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_init(struct sock *sk) __ksym __weak;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym __weak;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym __weak;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym __weak;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym __weak;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym __weak;

static __always_inline bool host_has_cubic(void)
{
	return settings.plain == PLAIN_CUBIC && bpf_ksym_exists(cubictcp_init);
}

static __always_inline void host_init(struct sock *sk)
{
	if (host_has_cubic())
		cubictcp_init(sk);
}

static __always_inline __u32 host_ssthresh(struct sock *sk)
{
	return host_has_cubic() ? cubictcp_recalc_ssthresh(sk) : tcp_reno_ssthresh(sk);
}

static __always_inline void host_cong_avoid(struct sock *sk, __u32 ack, __u32 acked)
{
	if (host_has_cubic())
		cubictcp_cong_avoid(sk, ack, acked);
	else
		tcp_reno_cong_avoid(sk, ack, acked);
}

static __always_inline void host_set_state(struct sock *sk, __u8 new_state)
{
	if (host_has_cubic())
		cubictcp_state(sk, new_state);
}

static __always_inline void host_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (host_has_cubic())
		cubictcp_cwnd_event(sk, event);
}

static __always_inline void host_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	if (host_has_cubic())
		cubictcp_acked(sk, sample);
}

#endif
