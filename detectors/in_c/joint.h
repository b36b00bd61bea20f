/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The groups of any number of subflows that the scores of all pairs together make the likeliest:
 * twin of detectors/verdict/joint_partition.py
 */
#ifndef SBD_JOINT_H
#define SBD_JOINT_H

#include "baseline.h"

struct sbd_joint_groups;

/* NULL without memory. */
struct sbd_joint_groups *sbd_joint_create(unsigned int subflows);
void sbd_joint_destroy(struct sbd_joint_groups *joint);

/*
 * Note what is known of a pair.
 *
 * @pair: its place, sbd_pair_place()
 * @verdict: on the pair alone
 * @score_q10: logarithm of the odds that it shares; 0 without evidence
 * @barred: nothing may be said of it, whatever the others say
 */
void sbd_joint_note(struct sbd_joint_groups *joint, size_t pair, enum sbd_said verdict,
		    int32_t score_q10, bool barred);

/* Say the groups of subflows such that something is said of every two that have one. */
void sbd_say_joint(struct sbd_joint_groups *joint, struct sbd_opinions *said, int64_t time_ns);

#endif
