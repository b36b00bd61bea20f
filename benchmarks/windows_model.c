/* SPDX-License-Identifier: MIT */
/* The two calls that windows.c times, by themselves: no floating-point registers here. */
#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)
#define JOIN_OF(x, y)	x##y
#define JOIN(x, y)	JOIN_OF(x, y)
#include TEXT(SBD_MODEL.h)

void bench_features(const struct sbd_window *window, struct sbd_scratch *scratch);
enum sbd_verdict bench_model(const struct sbd_scratch *scratch);

void bench_features(const struct sbd_window *window, struct sbd_scratch *scratch)
{
	JOIN(SBD_MODEL, _features)(window, scratch);
}

enum sbd_verdict bench_model(const struct sbd_scratch *scratch)
{
	return SBD_MODEL(scratch->x);
}
