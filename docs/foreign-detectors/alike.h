/* Two subflows share where their RTTs of a window are alike: correlation above a half. */
#ifndef ALIKE_H
#define ALIKE_H

#include "smartsbd.h"

static inline enum sbd_verdict alike_judge(const struct sbd_window *w, const void *model,
	struct sbd_scratch *scratch)
{
	sbd_s64 mean[2] = { 0 }, var[2] = { 0 }, both = 0, x[2];
	sbd_u32 k, i;

	(void)model;
	(void)scratch;
	for (k = 0; k < w->points; k++)
		for (i = 0; i < 2; i++)
			mean[i] += w->series[i].rtt_us[k];
	for (k = 0; k < w->points; k++) {
		for (i = 0; i < 2; i++) {
			x[i] = w->series[i].rtt_us[k] - mean[i] / w->points;
			var[i] += x[i] * x[i] >> 16;
		}
		both += x[0] * x[1] / 65536;
	}
	return both > 0 && 4 * both * both > var[0] * var[1] ? SBD_SHARED : SBD_NOT_SHARED;
}

/* What the programs for models of features want too: none is taken, and none is judged. */
static const sbd_u32 alike_wanted;

static inline enum sbd_verdict alike(const sbd_s32 *features)
{
	(void)features;
	return SBD_NOT_SHARED;
}

#endif /* ALIKE_H */
