// SPDX-License-Identifier: GPL-2.0-only
/* Answers the lines that the crate's example `answers` reads, by the headers in C. */
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#include "../../detectors/verdict/sbd_coupling.h"
#include "../../detectors/verdict/sbd_joint_partition.h"
#include "../../kernel/src/coupled.h"

#define MOST		32
#define NO_QUEUE	3

static void answer_lia(const long long *number, int numbers)
{
	struct coupled_subflow subflow[MOST] = { 0 };
	__u32 subflows = (__u32)(numbers - 1) / 2, i;

	for (i = 0; i < subflows; i++) {
		subflow[i].cwnd = (__u32)number[1 + 2 * i];
		subflow[i].srtt_8us = (__u32)number[2 + 2 * i];
	}
	printf("%u\n", coupled_acks(subflow, subflows, (__u32)number[0]));
}

static void answer_joint(const long long *number)
{
	static const enum sbd_joint_said alone[] = { SBD_JOINT_APART, SBD_JOINT_TOGETHER,
						    SBD_JOINT_UNKNOWN, SBD_JOINT_UNKNOWN };
	static struct sbd_joint joint;
	static uint32_t last;
	uint32_t subflows = (uint32_t)number[0], i, j;

	if (subflows != last) {
		memset(&joint, 0, sizeof(joint));
		joint.held = SBD_JOINT_PARTITIONS;
		last = subflows;
	}
	joint.judged = 0;
	joint.barred = 0;
	for (i = 0; i < subflows * (subflows - 1) / 2; i++) {
		long long verdict = number[1 + 2 * i];
		int32_t weight_q10 =
		    sbd_joint_weight_q10(alone[verdict], (int32_t)number[2 + 2 * i]);

		joint.weight_q10[i] = verdict == NO_QUEUE ? 0 : weight_q10;
		joint.judged |= (verdict < 2) << i;
		joint.barred |= (verdict == NO_QUEUE) << i;
	}
	sbd_joint_judge(&joint, subflows);
	for (j = 1; j < subflows; j++)
		for (i = 0; i < j; i++)
			printf("%s%d", i + j > 1 ? " " : "", sbd_joint_said(&joint, i, j));
	printf("\n");
}

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		long long number[MOST] = { 0 };
		char *kind = strtok(line, " \n"), *word;
		int numbers = 0;

		while (numbers < MOST && (word = strtok(NULL, " \n")))
			number[numbers++] = strtoll(word, NULL, 10);
		if (!strcmp(kind, "lia"))
			answer_lia(number, numbers);
		else if (!strcmp(kind, "theta"))
			printf("%u\n",
			       sbd_coupling_theta_q10((int32_t)number[0], (uint32_t)number[1],
						      (uint32_t)number[2]));
		else if (!strcmp(kind, "mix"))
			printf("%u\n", sbd_coupling_acks((uint32_t)number[0], (uint32_t)number[1],
							 (uint32_t)number[2]));
		else
			answer_joint(number);
	}
	return 0;
}
