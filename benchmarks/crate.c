/*
 * As rust/examples/timing.rs, by the header in C: reads samples, prints calls that do not judge,
 * their mean, ns, calls that judge, and theirs. Of each call the least of five runs counts.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sbd_common_pair;

static bool judged;

#define SBD_COMMON_JUDGED(pair, evidence)	(judged = true)
#include "sbd_common_lag.h"

#define RUNS	5

struct sample {
	int64_t time_ns;
	uint32_t rtt_us;
	int32_t subflow;	/* -1 begins the next pair */
};

struct call {
	int64_t least_ns;
	bool judged;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void time_calls(const struct sample *sample, struct call *call, size_t samples)
{
	static struct sbd_common_scratch scratch;
	static struct sbd_common_pair pair;
	size_t i;

	for (i = 0; i < samples; i++) {
		int64_t took_ns;

		if (sample[i].subflow < 0) {
			sbd_common_init(&pair, (struct sbd_common_rule)SBD_COMMON_RULE);
			continue;
		}
		judged = false;
		took_ns = now_ns();
		sbd_common_on_rtt(&pair, &scratch, sample[i].subflow, sample[i].time_ns,
				  sample[i].rtt_us);
		took_ns = now_ns() - took_ns;
		call[i].judged = judged;
		if (took_ns < call[i].least_ns)
			call[i].least_ns = took_ns;
	}
}

int main(void)
{
	size_t room = 1 << 16, samples = 0, i;
	struct sample *sample = malloc(room * sizeof(*sample));
	long long calls[2] = { 0, 0 }, sum_ns[2] = { 0, 0 };
	struct call *call;
	int run;

	while (sample && fread(&sample[samples], sizeof(*sample), 1, stdin)) {
		if (++samples == room)
			sample = realloc(sample, (room *= 2) * sizeof(*sample));
	}
	call = calloc(samples + 1, sizeof(*call));
	if (!sample || !call)
		return 1;
	for (i = 0; i < samples; i++)
		call[i].least_ns = INT64_MAX;
	for (run = 0; run < RUNS; run++)
		time_calls(sample, call, samples);
	for (i = 0; i < samples; i++) {
		if (sample[i].subflow < 0)
			continue;
		calls[call[i].judged]++;
		sum_ns[call[i].judged] += call[i].least_ns;
	}
	for (i = 0; i < 2; i++)
		printf("%lld %lld ", calls[i], sum_ns[i] / (calls[i] ? calls[i] : 1));
	printf("\n");
	return 0;
}
