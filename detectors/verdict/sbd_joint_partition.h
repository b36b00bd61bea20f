/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Joint partition: the groups of up to five subflows that the scores of all pairs together make the
 * likeliest
 *
 * Twin of joint_partition.py, where the rule is explained. Integers only, no allocation, no
 * library, no recursion; each loop runs over a constant.
 *
 *	joint.weight_q10[sbd_joint_place(i, j)] = sbd_joint_weight_q10(verdict, score_q10);
 *	joint.judged |= 1 << sbd_joint_place(i, j);	where the pair has a verdict of its own
 *	sbd_joint_judge(&joint, subflows);
 *	sbd_joint_said(&joint, i, j);
 */
#ifndef SBD_JOINT_PARTITION_H
#define SBD_JOINT_PARTITION_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#endif

#define SBD_JOINT_SUBFLOWS	5
#define SBD_JOINT_PAIRS		10
#define SBD_JOINT_PARTITIONS	52	/* of five subflows; those of fewer are among them */
#define SBD_JOINT_MOST_Q10	3072	/* that a pair weighs */
#define SBD_JOINT_BAND_Q10	512	/* the least with a verdict, and the most without */
#define SBD_JOINT_MARGIN_Q10	512	/* by which a partition has to be likelier than another */

/* What is said of two subflows. */
enum sbd_joint_said {
	SBD_JOINT_UNKNOWN = -1,
	SBD_JOINT_APART = 0,
	SBD_JOINT_TOGETHER = 1
};

/* Bits and weights of pairs stand at sbd_joint_place(). Begun with zeros and .held as below. */
struct sbd_joint {
	/* What is known; a pair of which nothing is weighs 0. */
	int32_t weight_q10[SBD_JOINT_PAIRS];
	uint16_t judged;	/* pairs with a verdict of their own */
	uint16_t barred;	/* of which nothing may be said: no sign of a queue */

	/* What is said. */
	uint16_t known;		/* pairs of which something is */
	uint16_t together;	/* pairs in one group of the likeliest partition */

	/* The last partition; SBD_JOINT_PARTITIONS for none, as when a subflow comes or goes. */
	uint8_t held;
};

/* The pairs in one group, for each partition, those with the lower groups first. */
static const uint16_t sbd_joint_partitions[SBD_JOINT_PARTITIONS] = {
	0x3ff, 0x03f, 0x1c7, 0x207, 0x007, 0x2d9, 0x119, 0x019, 0x0e1, 0x321, 0x021, 0x0c1, 0x101,
	0x201, 0x001, 0x36a, 0x0aa, 0x02a, 0x152, 0x292, 0x012, 0x142, 0x082, 0x202, 0x002, 0x24c,
	0x18c, 0x00c, 0x074, 0x3b4, 0x034, 0x044, 0x184, 0x204, 0x004, 0x248, 0x088, 0x108, 0x008,
	0x050, 0x290, 0x110, 0x010, 0x060, 0x0a0, 0x320, 0x020, 0x040, 0x080, 0x100, 0x200, 0x000
};

/* Where a pair of two different subflows stands: (0, 1), (0, 2), (1, 2), (0, 3), ... */
static inline uint32_t sbd_joint_place(uint32_t i, uint32_t j)
{
	return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j;
}

/*
 * By how much a pair makes partitions likelier that have it in one group.
 *
 * @verdict: on the pair alone
 * @score_q10: logarithm of the odds that it shares; 0 without evidence
 */
static inline int32_t sbd_joint_weight_q10(enum sbd_joint_said verdict, int32_t score_q10)
{
	int32_t most = verdict == SBD_JOINT_UNKNOWN ? SBD_JOINT_BAND_Q10 : SBD_JOINT_MOST_Q10;

	if (score_q10 > most)
		score_q10 = most;
	if (score_q10 < -most)
		score_q10 = -most;
	if (verdict == SBD_JOINT_TOGETHER && score_q10 < SBD_JOINT_BAND_Q10)
		return SBD_JOINT_BAND_Q10;
	if (verdict == SBD_JOINT_APART && score_q10 > -SBD_JOINT_BAND_Q10)
		return -SBD_JOINT_BAND_Q10;
	return score_q10;
}

static inline int32_t sbd_joint_likelihood_q10(const struct sbd_joint *joint, uint16_t together)
{
	int32_t sum = 0;
	int pair;

	for (pair = 0; pair < SBD_JOINT_PAIRS; pair++)
		sum += together >> pair & 1 ? joint->weight_q10[pair] : 0;
	return sum;
}

/* Say what the scores of all pairs say together, of up to SBD_JOINT_SUBFLOWS subflows. */
static inline void sbd_joint_judge(struct sbd_joint *joint, uint32_t subflows)
{
	uint16_t there = (uint16_t)((1 << subflows * (subflows - 1) / 2) - 1);
	uint16_t all = there, some = 0;
	int32_t most_q10 = sbd_joint_likelihood_q10(joint, sbd_joint_partitions[0]), likelihood_q10;
	uint8_t number, likeliest = 0;

	for (number = 1; number < SBD_JOINT_PARTITIONS; number++) {
		likelihood_q10 = sbd_joint_likelihood_q10(joint, sbd_joint_partitions[number]);
		if (likelihood_q10 > most_q10) {
			most_q10 = likelihood_q10;
			likeliest = number;
		}
	}
	for (number = 0; number < SBD_JOINT_PARTITIONS; number++) {
		likelihood_q10 = sbd_joint_likelihood_q10(joint, sbd_joint_partitions[number]);
		if (likelihood_q10 < most_q10 - SBD_JOINT_MARGIN_Q10)
			continue;
		all &= sbd_joint_partitions[number];
		some |= sbd_joint_partitions[number];
		if (number == joint->held)
			likeliest = number;
	}
	joint->together = sbd_joint_partitions[likeliest] & there;
	joint->known = there & (joint->judged | all | ~some) & ~joint->barred;
	joint->held = joint->known ? likeliest : SBD_JOINT_PARTITIONS;
}

static inline enum sbd_joint_said sbd_joint_said(const struct sbd_joint *joint, uint32_t i,
						 uint32_t j)
{
	uint32_t place = sbd_joint_place(i, j);

	if (!(joint->known >> place & 1))
		return SBD_JOINT_UNKNOWN;
	return joint->together >> place & 1 ? SBD_JOINT_TOGETHER : SBD_JOINT_APART;
}

#endif
