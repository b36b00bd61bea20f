/* SPDX-License-Identifier: MIT */
/* Every judgement of the common lag on a pair of subflows, whose samples are read from stdin, with what it rests on. */
#include <stdio.h>
#include <stdint.h>

struct sbd_common_pair;
struct sbd_common_evidence;

static void print(const struct sbd_common_pair *pair, const struct sbd_common_evidence *evidence);

#define SBD_COMMON_JUDGED(pair, evidence)	print(pair, evidence)
#include "sbd_common_lag.h"

struct sample {
	int64_t time_ns;
	uint32_t rtt_us;
	int32_t which;
};

static void print(const struct sbd_common_pair *pair, const struct sbd_common_evidence *evidence)
{
	printf("%d %d %d %d %d %d %d %d %d %d\n", pair->score_q10, pair->age, pair->said, evidence->bands,
	       evidence->samples, evidence->probes, evidence->bands ? evidence->lag_q10 : INT32_MIN,
	       evidence->has_level ? evidence->level_q10 : INT32_MIN,
	       evidence->has_own ? evidence->own_q10 : INT32_MIN,
	       evidence->has_lead ? evidence->lead_q10 : INT32_MIN);
}

int main(void)
{
	static struct sbd_common_pair pair;
	struct sample sample;
	int64_t last_ns = 0;

	sbd_common_init(&pair, (struct sbd_common_rule)SBD_COMMON_RULE);
	while (fread(&sample, sizeof(sample), 1, stdin)) {
		sbd_common_on_rtt(&pair, sample.which, sample.time_ns, sample.rtt_us);
		last_ns = sample.time_ns;
	}
	sbd_common_finish(&pair, last_ns);
	printf("%d\n", pair.said);
	return (int)(sizeof(pair) > 16 << 10);
}
