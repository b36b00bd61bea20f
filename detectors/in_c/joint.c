// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The groups of any number of subflows that the scores of all pairs together make the likeliest
 *
 * Up to five as a sender does it (sbd_joint_partition.h); more by joining groups.
 */
#include <stdlib.h>

#include "joint.h"
#include "sbd_joint_partition.h"

/* Square tables have a row for each subflow. */
struct sbd_joint_groups {
	unsigned int subflows;
	bool is_held;			/* group[] is the last partition */
	struct sbd_joint few;		/* of so few that all partitions are compared */
	int *group;			/* of each subflow: the first of its group */
	int *found;
	int32_t *weight_q10;		/* square */
	int32_t *between_q10;		/* square, of groups by their first subflows */
	int8_t *verdict;		/* square: on pairs alone, then by all */
	bool *barred;			/* square */
	int8_t *said;			/* square */
};

static size_t at(const struct sbd_joint_groups *joint, unsigned int i, unsigned int j)
{
	return (size_t)i * joint->subflows + j;
}

void sbd_joint_destroy(struct sbd_joint_groups *joint)
{
	if (!joint)
		return;
	free(joint->group);
	free(joint->found);
	free(joint->weight_q10);
	free(joint->between_q10);
	free(joint->verdict);
	free(joint->barred);
	free(joint->said);
	free(joint);
}

struct sbd_joint_groups *sbd_joint_create(unsigned int subflows)
{
	/* One more than needed: there may be no subflow. */
	size_t square = (size_t)subflows * subflows + 1, i;
	struct sbd_joint_groups *joint = calloc(1, sizeof(*joint));

	if (!joint)
		return NULL;
	joint->subflows = subflows;
	joint->few.held = SBD_JOINT_PARTITIONS;
	joint->group = calloc((size_t)subflows + 1, sizeof(*joint->group));
	joint->found = calloc((size_t)subflows + 1, sizeof(*joint->found));
	joint->weight_q10 = calloc(square, sizeof(*joint->weight_q10));
	joint->between_q10 = calloc(square, sizeof(*joint->between_q10));
	joint->verdict = calloc(square, sizeof(*joint->verdict));
	joint->barred = calloc(square, sizeof(*joint->barred));
	joint->said = calloc(square, sizeof(*joint->said));
	if (!joint->group || !joint->found || !joint->weight_q10 || !joint->between_q10 ||
	    !joint->verdict || !joint->barred || !joint->said) {
		sbd_joint_destroy(joint);
		return NULL;
	}
	for (i = 0; i < square; i++)
		joint->verdict[i] = SBD_UNSAID;
	return joint;
}

void sbd_joint_note(struct sbd_joint_groups *joint, size_t pair, enum sbd_said verdict,
		    int32_t score_q10, bool barred)
{
	enum sbd_joint_said alone = (enum sbd_joint_said)verdict;
	int32_t weight_q10 = barred ? 0 : sbd_joint_weight_q10(alone, score_q10);
	unsigned int i = 0, j;

	/* The first subflow's pairs stand in a row, then those of the next. */
	for (; pair >= joint->subflows - 1 - i; i++)
		pair -= joint->subflows - 1 - i;
	j = i + 1 + (unsigned int)pair;
	joint->weight_q10[at(joint, i, j)] = joint->weight_q10[at(joint, j, i)] = weight_q10;
	joint->verdict[at(joint, i, j)] = joint->verdict[at(joint, j, i)] = (int8_t)verdict;
	joint->barred[at(joint, i, j)] = joint->barred[at(joint, j, i)] = barred;
}

static void judge_few(struct sbd_joint_groups *joint)
{
	unsigned int subflows = joint->subflows, i, j;
	struct sbd_joint *few = &joint->few;

	few->judged = 0;
	few->barred = 0;
	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++) {
			uint32_t place = sbd_joint_place(i, j);
			size_t pair = at(joint, i, j);

			few->weight_q10[place] = joint->weight_q10[pair];
			few->judged |= (joint->verdict[pair] != SBD_UNSAID) << place;
			few->barred |= joint->barred[pair] << place;
		}
	}
	sbd_joint_judge(few, subflows);
	for (i = 0; i < subflows; i++) {
		joint->group[i] = (int)i;
		for (j = i; j-- > 0;) {
			enum sbd_joint_said said = sbd_joint_said(few, j, i);

			joint->said[at(joint, i, j)] = joint->said[at(joint, j, i)] = (int8_t)said;
			if (few->together >> sbd_joint_place(j, i) & 1)
				joint->group[i] = joint->group[j];
		}
	}
}

static int32_t likelihood_q10(const struct sbd_joint_groups *joint, const int *group)
{
	int32_t sum = 0;
	unsigned int i, j;

	for (i = 0; i < joint->subflows; i++)
		for (j = i + 1; j < joint->subflows; j++)
			sum += group[i] == group[j] ? joint->weight_q10[at(joint, i, j)] : 0;
	return sum;
}

/* Sum the weights of the pairs of every two groups. */
static void sum_between(struct sbd_joint_groups *joint, const int *group)
{
	unsigned int i, j;

	for (i = 0; i < joint->subflows; i++)
		for (j = 0; j < joint->subflows; j++)
			joint->between_q10[at(joint, i, j)] = 0;
	for (i = 0; i < joint->subflows; i++)
		for (j = 0; j < joint->subflows; j++)
			joint->between_q10[at(joint, (unsigned int)group[i], (unsigned int)group[j])] +=
			    group[i] == group[j] ? 0 : joint->weight_q10[at(joint, i, j)];
}

/* Join the two groups of the largest sum of weights while it is positive: joint->found. */
static void agglomerate(struct sbd_joint_groups *joint)
{
	unsigned int subflows = joint->subflows, first, second, i, j;
	int32_t most_q10;

	for (i = 0; i < subflows; i++)
		joint->found[i] = (int)i;
	do {
		sum_between(joint, joint->found);
		most_q10 = 0;
		first = second = 0;
		/* What is no group has sums of 0. */
		for (i = 0; i < subflows; i++) {
			for (j = i + 1; j < subflows; j++) {
				if (joint->between_q10[at(joint, i, j)] > most_q10) {
					most_q10 = joint->between_q10[at(joint, i, j)];
					first = i;
					second = j;
				}
			}
		}
		for (i = 0; i < subflows && most_q10 > 0; i++)
			if (joint->found[i] == (int)second)
				joint->found[i] = (int)first;
	} while (most_q10 > 0);
}

/* The sum of a subflow's weights in its group. */
static int32_t within_q10(const struct sbd_joint_groups *joint, unsigned int of)
{
	int32_t sum = 0;
	unsigned int i;

	for (i = 0; i < joint->subflows; i++)
		if (i != of && joint->group[i] == joint->group[of])
			sum += joint->weight_q10[at(joint, of, i)];
	return sum;
}

/* Whether a partition beside this one that says another thing of a pair is nearly as likely. */
static bool is_doubtful(const struct sbd_joint_groups *joint, unsigned int i, unsigned int j,
			int32_t spare_q10)
{
	if (joint->group[i] == joint->group[j])
		return within_q10(joint, i) <= spare_q10 || within_q10(joint, j) <= spare_q10;
	return -joint->between_q10[at(joint, (unsigned int)joint->group[i],
				      (unsigned int)joint->group[j])] <= spare_q10;
}

static void judge_many(struct sbd_joint_groups *joint)
{
	unsigned int subflows = joint->subflows, i, j;
	bool any_known = false;
	int32_t least_q10, spare_q10;

	agglomerate(joint);
	least_q10 = likelihood_q10(joint, joint->found) - SBD_JOINT_MARGIN_Q10;
	if (!joint->is_held || likelihood_q10(joint, joint->group) < least_q10)
		for (i = 0; i < subflows; i++)
			joint->group[i] = joint->found[i];
	spare_q10 = likelihood_q10(joint, joint->group) - least_q10;
	sum_between(joint, joint->group);
	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++) {
			size_t pair = at(joint, i, j);
			int8_t said = joint->group[i] == joint->group[j] ? SBD_TOGETHER : SBD_APART;

			if (joint->barred[pair] || (joint->verdict[pair] == SBD_UNSAID &&
						    is_doubtful(joint, i, j, spare_q10)))
				said = SBD_UNSAID;
			any_known |= said != SBD_UNSAID;
			joint->said[pair] = joint->said[at(joint, j, i)] = said;
		}
	}
	joint->is_held = any_known;
}

/*
 * Of the subflows that are left, the one of which most pairs are unknown; then that of the smallest
 * weights of known pairs, then the last. Returns how many there are if all pairs are known.
 */
static unsigned int most_doubtful(const struct sbd_joint_groups *joint, const bool *left)
{
	unsigned int subflows = joint->subflows, worst = subflows, most_unknown = 0, i, j;
	int32_t least_q10 = 0;

	for (i = 0; i < subflows; i++) {
		unsigned int unknown = 0;
		int32_t known_q10 = 0;

		for (j = 0; j < subflows && left[i]; j++) {
			if (j == i || !left[j])
				continue;
			if (joint->said[at(joint, i, j)] == SBD_UNSAID)
				unknown++;
			else
				known_q10 += abs(joint->weight_q10[at(joint, i, j)]);
		}
		if (!unknown || unknown < most_unknown ||
		    (unknown == most_unknown && known_q10 > least_q10))
			continue;
		worst = i;
		most_unknown = unknown;
		least_q10 = known_q10;
	}
	return worst;
}

void sbd_say_joint(struct sbd_joint_groups *joint, struct sbd_opinions *said, int64_t time_ns)
{
	unsigned int subflows = joint->subflows, remaining = subflows, i;
	bool left[SBD_SUBFLOWS_LIMIT];
	int group[SBD_SUBFLOWS_LIMIT];

	if (subflows <= SBD_JOINT_SUBFLOWS)
		judge_few(joint);
	else
		judge_many(joint);
	for (i = 0; i < subflows; i++)
		left[i] = true;
	for (i = most_doubtful(joint, left); i < subflows; i = most_doubtful(joint, left)) {
		left[i] = false;
		remaining--;
	}
	for (i = 0; i < subflows; i++)
		group[i] = left[i] && remaining > 1 ? joint->group[i] : SBD_NO_OPINION;
	sbd_say(said, time_ns, group);
}
