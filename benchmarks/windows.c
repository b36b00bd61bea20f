/* SPDX-License-Identifier: MIT */
/*
 * Times of a header on windows: reads them from standard input, writes for each the least of
 * ROUNDS times, in nanoseconds, of computing its features and of judging it by them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)
#include TEXT(SBD_MODEL.h)

#define ROUNDS	7

/* In another object, which is compiled as a kernel's. */
void bench_features(const struct sbd_window *window, struct sbd_scratch *scratch);
enum sbd_verdict bench_model(const struct sbd_scratch *scratch);

static struct sbd_window window;
static struct sbd_scratch scratch;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int read_all(void *to, size_t size)
{
	return fread(to, 1, size, stdin) == size;
}

int main(void)
{
	uint32_t head[5];

	while (read_all(head, sizeof(head))) {
		uint64_t features = UINT64_MAX, model = UINT64_MAX;
		int round, side;

		window.points = head[0];
		window.rtt_steps = head[1];
		window.min_rtt_us[0] = head[2];
		window.min_rtt_us[1] = head[3];
		window.denominator = head[4];
		if (window.points > SBD_POINTS)
			return 1;
		for (side = 0; side < 2; side++) {
			struct sbd_series *series = &window.series[side];

			if (!read_all(series->rtt_us, sizeof(series->rtt_us[0]) * window.points) ||
			    !read_all(series->congested, window.points) ||
			    !read_all(series->acked_bytes, sizeof(series->acked_bytes[0]) * window.points))
				return 1;
		}
		for (round = 0; round < ROUNDS; round++) {
			uint64_t start = now_ns(), between, end;

			bench_features(&window, &scratch);
			between = now_ns();
			bench_model(&scratch);
			end = now_ns();
			features = between - start < features ? between - start : features;
			model = end - between < model ? end - between : model;
		}
		printf("%" PRIu64 " %" PRIu64 "\n", features, model);
	}
	return 0;
}
