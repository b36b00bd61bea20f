/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * common_lag_judgements - every judgement of the common lag on pairs of subflows
 *
 *	cc -O2 -I<headers> -o common_lag_judgements common_lag_judgements.c
 *	common_lag_judgements < samples > judgements
 *
 * Samples and judgements are structs as below, in the machine's byte order. A sample of no
 * subflow begins the next pair.
 */
#include <stdint.h>
#include <stdio.h>

struct sbd_common_pair;
struct sbd_common_evidence;

static void put(const struct sbd_common_pair *pair, const struct sbd_common_evidence *evidence);

#define SBD_COMMON_JUDGED(pair, evidence)	put(pair, evidence)
#include "sbd_common_lag.h"

#define NEXT_PAIR	(-1)
#define NO_VALUE	INT32_MIN

struct sample {
	int64_t time_ns;
	uint32_t rtt_us;
	int32_t subflow;	/* 0, 1 or NEXT_PAIR */
};

struct judgement {
	int32_t pair;		/* from 0 */
	int32_t said;		/* enum sbd_common_said */
	int32_t score_q10, age;
	int32_t bands, samples, probes;
	int32_t lag_q10, level_q10, own_q10, lead_q10;	/* or NO_VALUE */
	int32_t memory_q10[2];	/* or NO_VALUE */
	int32_t queues;		/* a bit for each subflow whose path shows one */
	int32_t bytes;		/* of a pair */
};

static int32_t number = -1;
static bool failed;

static void put(const struct sbd_common_pair *pair, const struct sbd_common_evidence *evidence)
{
	const struct judgement judgement = {
		.pair = number,
		.said = pair->said,
		.score_q10 = pair->score_q10,
		.age = pair->age,
		.bands = evidence->bands,
		.samples = evidence->samples,
		.probes = evidence->probes,
		.lag_q10 = evidence->bands ? evidence->lag_q10 : NO_VALUE,
		.level_q10 = evidence->has_level ? evidence->level_q10 : NO_VALUE,
		.own_q10 = evidence->has_own ? evidence->own_q10 : NO_VALUE,
		.lead_q10 = evidence->has_lead ? evidence->lead_q10 : NO_VALUE,
		.memory_q10 = { evidence->memory_q10[0], evidence->memory_q10[1] },
		.queues = evidence->queue[0] | evidence->queue[1] << 1,
		.bytes = sizeof(*pair)
	};

	failed |= !fwrite(&judgement, sizeof(judgement), 1, stdout);
}

int main(void)
{
	static struct sbd_common_scratch scratch;
	static struct sbd_common_pair pair;
	struct sample sample;
	int64_t last_ns = 0;

	sbd_common_init(&pair, (struct sbd_common_rule)SBD_COMMON_RULE);
	while (fread(&sample, sizeof(sample), 1, stdin)) {
		if (sample.subflow == NEXT_PAIR) {
			sbd_common_finish(&pair, &scratch, last_ns);
			sbd_common_init(&pair, (struct sbd_common_rule)SBD_COMMON_RULE);
			number++;
			continue;
		}
		if (number < 0 || sample.subflow < 0 || sample.subflow > 1)
			return 2;
		sbd_common_on_rtt(&pair, &scratch, sample.subflow, sample.time_ns, sample.rtt_us);
		last_ns = sample.time_ns;
	}
	sbd_common_finish(&pair, &scratch, last_ns);
	return failed || fflush(stdout) || ferror(stdin);
}
