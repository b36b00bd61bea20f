/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Joint partitions of connections, step by step
 *
 *	cc -I<baselines> -o joint_groups joint_groups.c && joint_groups < steps > groups
 *
 * A line "subflows N" begins a connection; "pair PLACE VERDICT SCORE BARRED" notes a pair; "say"
 * prints the groups.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "joint.c"

void sbd_say(struct sbd_opinions *said, int64_t time_ns, const int *group)
{
	unsigned int i;

	(void)time_ns;
	for (i = 0; i < said->subflows; i++)
		printf(i + 1 < said->subflows ? "%d " : "%d\n", group[i]);
}

int main(void)
{
	struct sbd_joint_groups *joint = NULL;
	struct sbd_opinions said = { 0 };
	int verdict, score_q10, barred;
	size_t pair;
	char word[16];

	while (scanf("%15s", word) == 1) {
		if (!strcmp(word, "subflows")) {
			sbd_joint_destroy(joint);
			if (scanf("%u", &said.subflows) != 1)
				return 2;
			joint = sbd_joint_create(said.subflows);
		} else if (!strcmp(word, "pair")) {
			if (scanf("%zu %d %d %d", &pair, &verdict, &score_q10, &barred) != 4)
				return 2;
			sbd_joint_note(joint, pair, (enum sbd_said)verdict, score_q10, barred);
		} else {
			sbd_say_joint(joint, &said, 0);
		}
	}
	sbd_joint_destroy(joint);
	return 0;
}
