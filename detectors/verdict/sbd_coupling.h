/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Coupling by odds: how much of Reno's increase a subflow has beside that of LIA
 *
 * Twin of coupling.py, where the rule is derived. Integers of 32 bits, and one division of 64; no
 * loops, no allocation, no library.
 *
 *	theta_q10 = sbd_coupling_theta_q10(score_q10, epsilon_q10, subflows);
 *	acks = sbd_coupling_acks(coupled_acks, cwnd, theta_q10);
 *
 * Two subflows whose theta is below SBD_COUPLING_APART_Q10 are coupled, and so are those
 * that others link. A subflow's theta is the least of its pairs in its set; that of one alone is
 * SBD_COUPLING_APART_Q10. Before the first score on a pair, 0 stands for it: as likely as not.
 * Where a score is too old, or there is no sign of a queue, theta is SBD_COUPLING_COUPLED_Q10.
 */
#ifndef SBD_COUPLING_H
#define SBD_COUPLING_H

#ifdef __KERNEL__
#include <linux/types.h>
#elif !defined(SBD_BPF)
#include <stdint.h>
#endif

#define SBD_COUPLING_COUPLED_Q10	0	/* LIA */
#define SBD_COUPLING_APART_Q10		1024	/* Reno */
#define SBD_COUPLING_SUBFLOWS		64	/* at most */
#define SBD_COUPLING_SCORE_Q10		8192	/* a larger score says no more */
#define SBD_COUPLING_LOG2_E_Q10		1477

/*
 * The odds that two subflows do not share, exp(-score).
 *
 * @score_q10: natural logarithm of the odds that they share
 */
static inline uint32_t sbd_coupling_odds_q10(int32_t score_q10)
{
	uint32_t log2_q10, part, whole;

	if (score_q10 > SBD_COUPLING_SCORE_Q10)
		score_q10 = SBD_COUPLING_SCORE_Q10;
	if (score_q10 < -SBD_COUPLING_SCORE_Q10)
		score_q10 = -SBD_COUPLING_SCORE_Q10;
	/* Of 2^12 times the odds, so that it is above 0. */
	log2_q10 = (uint32_t)((12 << 20) - SBD_COUPLING_LOG2_E_Q10 * score_q10) >> 10;
	whole = log2_q10 >> 10;
	part = log2_q10 & 1023;
	/* 2^part between two powers, within 0.3 %. */
	part = 1024 + (part * (672 + (352 * part >> 10)) >> 10);
	return whole < 12 ? part >> (12 - whole) : part << (whole - 12);
}

/*
 * The share of Reno's increase, so that what a rival loses is at most epsilon times the odds that
 * nothing is shared.
 *
 * @score_q10: natural logarithm of the odds that two subflows share
 * @epsilon_q10: from 0, where theta is 0, to 1024
 * @subflows: of the connection, up to SBD_COUPLING_SUBFLOWS
 *
 * Return: SBD_COUPLING_COUPLED_Q10 to SBD_COUPLING_APART_Q10; the larger the score, the less.
 */
static inline uint32_t sbd_coupling_theta_q10(int32_t score_q10, uint32_t epsilon_q10,
					      uint32_t subflows)
{
	uint32_t loss_q20, rest_q10, theta_q10;

	if (subflows < 2)
		return SBD_COUPLING_APART_Q10;
	if (subflows > SBD_COUPLING_SUBFLOWS)
		subflows = SBD_COUPLING_SUBFLOWS;
	if (epsilon_q10 > 1024)
		epsilon_q10 = 1024;
	loss_q20 = epsilon_q10 * sbd_coupling_odds_q10(score_q10);
	/* No more is lost beside Reno: (n - 1) / (n + 1). */
	if (loss_q20 >> 20 || loss_q20 * (subflows + 1) >= (subflows - 1) << 20)
		return SBD_COUPLING_APART_Q10;
	rest_q10 = 1024 - (loss_q20 >> 10);
	theta_q10 = (loss_q20 << 12) / ((subflows * subflows - 1) * rest_q10 * rest_q10);
	return theta_q10 < SBD_COUPLING_APART_Q10 ? theta_q10 : SBD_COUPLING_APART_Q10;
}

/*
 * How many segments must be acknowledged for a window to grow by one.
 *
 * @coupled_acks: so many under LIA, below 2^31; not fewer than @cwnd
 * @cwnd: so many under Reno, below 2^20
 * @theta_q10: the share of Reno's increase
 *
 * Return: at least @cwnd, Reno's, and at most @coupled_acks.
 */
static inline uint32_t sbd_coupling_acks(uint32_t coupled_acks, uint32_t cwnd, uint32_t theta_q10)
{
	uint64_t growth;

	if (!cwnd)
		cwnd = 1;
	if (coupled_acks < cwnd)
		coupled_acks = cwnd;
	if (theta_q10 > SBD_COUPLING_APART_Q10)
		theta_q10 = SBD_COUPLING_APART_Q10;
	growth = (uint64_t)(SBD_COUPLING_APART_Q10 - theta_q10) * cwnd +
		 (uint64_t)theta_q10 * coupled_acks;
	/* Rounded up, so that it never grows faster. */
	return (uint32_t)((((uint64_t)coupled_acks * cwnd << 10) + growth - 1) / growth);
}

#endif
