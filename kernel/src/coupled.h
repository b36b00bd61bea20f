/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The Linked Increases Algorithm (RFC 6356) in whole numbers
 *
 * The RFC lets a window of w segments grow, for each that is acknowledged, by the lesser of 1 / w
 * and alpha / total. With its alpha that is one more segment for every
 *
 *	(w_1 / r_1 + w_2 / r_2 + ...)^2 / max(w_i / r_i^2)
 *
 * acknowledged, and not for fewer than w. With the subflow b that has the largest w / r^2, it is
 * (w_1 r_b / r_1 + w_2 r_b / r_2 + ...)^2 / w_b, so only ratios of RTTs are needed.
 */
#ifndef SBD_COUPLED_H
#define SBD_COUPLED_H

#define COUPLED_RATIO_BITS	16
#define COUPLED_RATIO_MOST	(1ULL << 26)	/* an RTT 1,024 times another */
#define COUPLED_CWND_MOST	((1U << 20) - 1)
#define COUPLED_ACKS_MOST	(~0U >> 1)

/**
 * struct coupled_subflow - what coupling needs of a subflow
 * @cwnd: window, segments
 * @srtt_8us: smoothed RTT in eighths of a microsecond, as the kernel has it; 0 for a subflow that
 *	is not of the group
 */
struct coupled_subflow {
	__u32 cwnd;
	__u32 srtt_8us;
};

static __always_inline __u64 coupled_ratio_q16(__u32 numerator, __u32 denominator)
{
	__u64 ratio = ((__u64)numerator << COUPLED_RATIO_BITS) / denominator;

	return ratio < COUPLED_RATIO_MOST ? ratio : COUPLED_RATIO_MOST;
}

static __always_inline __u64 coupled_cwnd(const struct coupled_subflow *s)
{
	return s->cwnd < COUPLED_CWND_MOST ? s->cwnd : COUPLED_CWND_MOST;
}

/* Whether the first has a larger w / r^2. */
static __always_inline bool coupled_leads(const struct coupled_subflow *one,
					  const struct coupled_subflow *other)
{
	__u64 own = one->srtt_8us, its = other->srtt_8us;
	int i;

	/* Windows of 20 bits and two RTTs of 22 have room: above half a second, RTTs lose bits. */
	for (i = 0; i < 10 && (own | its) >> 22; i++) {
		own >>= 1;
		its >>= 1;
	}
	return coupled_cwnd(one) * its * its > coupled_cwnd(other) * own * own;
}

/**
 * coupled_acks() - how many segments must be acknowledged for a window to grow by one
 * @subflow: all of a connection
 * @subflows: how many there are
 * @cwnd: the window that grows, segments
 *
 * Return: never less than @cwnd, Reno's; @cwnd too where no other subflow has an RTT.
 */
static __always_inline __u32 coupled_acks(const struct coupled_subflow *subflow, __u32 subflows,
					  __u32 cwnd)
{
	__u64 sum_q16 = 0, acks;
	__u32 i, shift, others = 0;
	struct coupled_subflow best = { 0, 0 };

	for (i = 0; i < subflows; i++) {
		if (!subflow[i].srtt_8us || !subflow[i].cwnd)
			continue;
		others++;
		if (!best.srtt_8us || coupled_leads(&subflow[i], &best))
			best = subflow[i];
	}
	if (others < 2)
		return cwnd;
	for (i = 0; i < subflows; i++)
		if (subflow[i].srtt_8us)
			sum_q16 += coupled_cwnd(&subflow[i]) *
				   coupled_ratio_q16(best.srtt_8us, subflow[i].srtt_8us);
	/* The square of 32 bits has room. */
	for (shift = 0; shift < COUPLED_RATIO_BITS && sum_q16 >> 32; shift++)
		sum_q16 >>= 1;
	acks = sum_q16 * sum_q16 / coupled_cwnd(&best) >> 2 * (COUPLED_RATIO_BITS - shift);
	if (acks > COUPLED_ACKS_MOST)
		return COUPLED_ACKS_MOST;
	return acks > cwnd ? (__u32)acks : cwnd;
}

#endif
