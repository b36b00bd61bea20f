// SPDX-License-Identifier: GPL-2.0-only
/* Reads lines "<own cwnd> <cwnd> <srtt> <cwnd> <srtt> ..."; writes what coupled_acks() says. */
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#include "../../kernel/src/coupled.h"

#define MOST	4

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		struct coupled_subflow subflow[MOST] = { 0 };
		char *word = strtok(line, " \n");
		__u32 own = strtoul(word, NULL, 10), i;

		for (i = 0; i < MOST && (word = strtok(NULL, " \n")); i++) {
			subflow[i].cwnd = strtoul(word, NULL, 10);
			subflow[i].srtt_8us = strtoul(strtok(NULL, " \n"), NULL, 10);
		}
		printf("%u\n", coupled_acks(subflow, MOST, own));
	}
	return 0;
}
