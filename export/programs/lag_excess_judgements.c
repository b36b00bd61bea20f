/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * lag_excess_judgements - every judgement of the lag excess on pairs of subflows
 *
 *	cc -O2 -I<headers> -o lag_excess_judgements lag_excess_judgements.c
 *	lag_excess_judgements <shared above> <apart below> <tiles> <compares> < samples > judgements
 *
 * Samples and judgements are structs as below, in the machine's byte order. A sample of no
 * subflow begins the next pair.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sbd_lag_excess.h"

#define NEXT_PAIR	(-1)
#define NO_SCORE	INT32_MIN

struct sample {
	int64_t time_ns;
	uint32_t rtt_us;
	int32_t subflow;	/* 0, 1 or NEXT_PAIR */
};

struct judgement {
	int64_t decided_ns;
	int32_t pair;		/* from 0 */
	int32_t said;		/* enum sbd_lag_said */
	int32_t score_q10;	/* or NO_SCORE */
	int32_t bytes;		/* of a pair */
};

int main(int argc, char **argv)
{
	static struct sbd_lag_pair pair;
	struct judgement judgement = { .pair = -1, .bytes = sizeof(pair) };
	struct sbd_lag_rule rule;
	struct sample sample;

	if (argc != 5)
		return 2;
	rule.shared_above_q10 = atoi(argv[1]);
	rule.apart_below_q10 = atoi(argv[2]);
	rule.tiles = atoi(argv[3]);
	rule.compares = atoi(argv[4]);
	while (fread(&sample, sizeof(sample), 1, stdin)) {
		if (sample.subflow == NEXT_PAIR) {
			sbd_lag_init(&pair, rule);
			judgement.pair++;
			continue;
		}
		if (judgement.pair < 0 || sample.subflow < 0 || sample.subflow > 1)
			return 2;
		if (!sbd_lag_on_rtt(&pair, sample.subflow, sample.time_ns, sample.rtt_us))
			continue;
		judgement.decided_ns = pair.decided_ns;
		judgement.said = pair.said;
		judgement.score_q10 = pair.has_score ? pair.score_q10 : NO_SCORE;
		if (!fwrite(&judgement, sizeof(judgement), 1, stdout))
			return 1;
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
