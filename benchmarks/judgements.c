/*
 * Reads samples as export/programs/lag_excess_judgements.c does. Prints of each call how long it
 * took, ns, and whether it judged.
 */
#include <stdio.h>
#include <time.h>

#include "sbd_lag_excess.h"

struct sample {
	int64_t time_ns;
	uint32_t rtt_us;
	int32_t subflow;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void)
{
	static struct sbd_lag_pair pair;
	const struct sbd_lag_rule rule = SBD_LAG_RULE;
	struct sample sample;

	while (fread(&sample, sizeof(sample), 1, stdin)) {
		int64_t took_ns;
		bool judged;

		if (sample.subflow < 0) {
			sbd_lag_init(&pair, rule);
			continue;
		}
		took_ns = now_ns();
		judged = sbd_lag_on_rtt(&pair, sample.subflow, sample.time_ns, sample.rtt_us);
		took_ns = now_ns() - took_ns;
		printf("%lld %d\n", (long long)took_ns, judged);
	}
	printf("%zu -1\n", sizeof(pair));
	return 0;
}
