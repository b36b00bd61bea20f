/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model 17d8be278f3a3d16, trained on sites, tiled windows, default profile
 *
 * Linear SVM.
 * Integers only; no state, no allocation.
 *
 * Do not edit: change the model, export/templates/svm.h.j2 or export/fragments/.
 */
#ifndef SBD_SVM_LINEAR_PAPER_H
#define SBD_SVM_LINEAR_PAPER_H

#include "smartsbd.h"

#ifndef SBD_HAS_ABOVE
#define SBD_HAS_ABOVE
/* Both RTT series above their common minimum. */
static inline void sbd_above(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	const sbd_u32 *a_us = w->series[!w->denominator].rtt_us;
	const sbd_u32 *b_us = w->series[w->denominator].rtt_us;
	sbd_u32 k, least_us = a_us[0];

	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		least_us = a_us[k] < least_us ? a_us[k] : least_us;
		least_us = b_us[k] < least_us ? b_us[k] : least_us;
	}
	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		sbd_u32 a = a_us[k] - least_us, b = b_us[k] - least_us;

		scratch->above_us[0][k] = (sbd_s32)(a < SBD_RTT_LIMIT_US ? a : SBD_RTT_LIMIT_US);
		scratch->above_us[1][k] = (sbd_s32)(b < SBD_RTT_LIMIT_US ? b : SBD_RTT_LIMIT_US);
	}
}
#endif /* SBD_HAS_ABOVE */

#ifndef SBD_HAS_WARPING
#define SBD_HAS_WARPING
#define SBD_OF_RTT	1U
#define SBD_OF_STATE	2U
#define SBD_OF_BOTH	4U

/* Farther than any path, and no sum with a cost leaves 64 bits. */
#define SBD_FAR	(1ULL << 62)

static __always_inline sbd_u64 sbd_lesser(sbd_u64 one, sbd_u64 other)
{
#ifdef SBD_BPF
	/* Below 2^63, the sign of the difference is the comparison: the verifier would follow a branch both ways. */
	sbd_u64 less = (one - other) >> 63;

	SBD_HIDE(less);
	return other + ((one - other) & -less);
#else
	return one < other ? one : other;
#endif
}

/**
 * struct sbd_apart - squared distances of two series, microseconds squared
 * @rtt: of the RTTs
 * @state: of the congestion states
 * @both: of RTTs and states together
 */
struct sbd_apart {
	sbd_u64 rtt;
	sbd_u64 state;
	sbd_u64 both;
};

/*
 * Dynamic time warping with steps of weight 1: up to three distances in one
 * pass over the same differences. The costs are squares, so that each
 * distance takes one root in the end. @of is constant where this is called.
 */
static __always_inline void sbd_warp(const sbd_s32 *a_us, const sbd_s32 *b_us,
				     const sbd_u8 *congested_a,
				     const sbd_u8 *congested_b, sbd_u32 points, sbd_u32 of,
				     struct sbd_scratch *scratch, struct sbd_apart *apart)
{
	const sbd_u64 weight = (sbd_u64)SBD_CONGESTED_US * SBD_CONGESTED_US;
	struct sbd_cell *row = scratch->row;
	struct sbd_apart corner = { 0, 0, 0 };	/* the first column's cell above a row */
	sbd_u32 i, j;

	if (points > SBD_POINTS)
		points = SBD_POINTS;
	for (j = SBD_ZERO; SBD_WHILE(j <= points); j++) {
		row[j].rtt = SBD_FAR;
		row[j].state = SBD_FAR;
		row[j].both = SBD_FAR;
		row[j].weight_b = 0;
		row[j].b_us = 0;
	}
	for (j = SBD_ZERO; SBD_WHILE(j < points); j++) {
		row[j].b_us = b_us[j];
		if (of & (SBD_OF_STATE | SBD_OF_BOTH) && congested_b[j])
			row[j].weight_b = weight;
	}
	apart->rtt = 0;
	apart->state = 0;
	apart->both = 0;
	for (i = SBD_ZERO; SBD_WHILE(i < points); i++) {
		sbd_u64 rtt = SBD_FAR, rtt_above = corner.rtt;
		sbd_u64 state = SBD_FAR, state_above = corner.state;
		sbd_u64 both = SBD_FAR, both_above = corner.both;
		sbd_u64 weight_a = of & (SBD_OF_STATE | SBD_OF_BOTH) && congested_a[i] ? weight : 0;
		sbd_s64 a = a_us[i];

		/*
		 * What lies above a cell, straight and aslant, is compared a
		 * cell ahead: only one comparison and one sum of each cell
		 * wait for the cell to its left.
		 */
		for (j = SBD_ZERO; SBD_WHILE(j < points); j++) {
			struct sbd_cell *cell = row + j;
			sbd_s64 difference = a - cell->b_us;
			sbd_u64 cost = (sbd_u64)(difference * difference);
			sbd_u64 differ = weight_a ^ cell->weight_b;

			if (of & SBD_OF_RTT) {
				rtt = sbd_lesser(rtt, rtt_above) + cost;
				rtt_above = sbd_lesser(cell[0].rtt, cell[1].rtt);
				cell->rtt = rtt;
			}
			if (of & SBD_OF_STATE) {
				state = sbd_lesser(state, state_above) + differ;
				state_above = sbd_lesser(cell[0].state, cell[1].state);
				cell->state = state;
			}
			if (of & SBD_OF_BOTH) {
				both = sbd_lesser(both, both_above) + (cost + differ);
				both_above = sbd_lesser(cell[0].both, cell[1].both);
				cell->both = both;
			}
		}
		corner.rtt = row[0].rtt;
		corner.state = row[0].state;
		corner.both = row[0].both;
		apart->rtt = rtt;
		apart->state = state;
		apart->both = both;
	}
}

/* A distance in units of 4 us. */
static inline sbd_s32 sbd_distance_4us(sbd_u64 squared)
{
	return (sbd_s32)sbd_isqrt(squared >> 4);
}
#endif /* SBD_HAS_WARPING */

#ifndef SBD_HAS_DEVIATION
#define SBD_HAS_DEVIATION
/* n times the standard deviation from sums over n values, truncated. */
static inline sbd_u32 sbd_deviation(sbd_u32 points, sbd_u64 sum, sbd_u64 sum_of_squares)
{
	return sbd_isqrt(points * sum_of_squares - sum * sum);
}

static inline sbd_u32 sbd_deviation_of(const sbd_s32 *values, sbd_u32 points)
{
	sbd_u64 sum = 0, sum_of_squares = 0;
	sbd_u32 k;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		sum += (sbd_u64)values[k];
		sum_of_squares += (sbd_u64)values[k] * (sbd_u64)values[k];
	}
	return sbd_deviation(points, sum, sum_of_squares);
}
#endif /* SBD_HAS_DEVIATION */

#ifndef SBD_HAS_DISTANCE
#define SBD_HAS_DISTANCE
/* ED and DTW distance of RTT, congestion, and both together. */
static __always_inline void sbd_distance(const struct sbd_window *w, sbd_u32 wanted,
					 struct sbd_scratch *scratch)
{
	const sbd_u8 *congested_a = w->series[!w->denominator].congested;
	const sbd_u8 *congested_b = w->series[w->denominator].congested;
	const sbd_s32 *a_us = scratch->above_us[0], *b_us = scratch->above_us[1];
	const sbd_u64 weight = (sbd_u64)SBD_CONGESTED_US * SBD_CONGESTED_US;
	const sbd_u32 of = (wanted & SBD_BIT(SBD_RTT_DTWD_4US) ? SBD_OF_RTT : 0) |
		       (wanted & SBD_BIT(SBD_CSTATE_DTWD_4US) ? SBD_OF_STATE : 0) |
		       (wanted & SBD_BIT(SBD_RTT_CSTATE_DTWD_4US) ? SBD_OF_BOTH : 0);
	struct sbd_apart apart;
	sbd_s32 *x = scratch->x;

	if (wanted & (SBD_BIT(SBD_RTT_ED_4US) | SBD_BIT(SBD_CSTATE_ED_4US) | SBD_BIT(SBD_RTT_CSTATE_ED_4US))) {
		sbd_u64 rtt = 0;
		sbd_u32 k, state = 0;

		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			sbd_s64 difference = a_us[k] - b_us[k];

			rtt += (sbd_u64)(difference * difference);
			state += congested_a[k] ^ congested_b[k];
		}
		if (wanted & SBD_BIT(SBD_RTT_ED_4US))
			x[SBD_RTT_ED_4US] = sbd_distance_4us(rtt);
		if (wanted & SBD_BIT(SBD_CSTATE_ED_4US))
			x[SBD_CSTATE_ED_4US] = sbd_distance_4us(state * weight);
		if (wanted & SBD_BIT(SBD_RTT_CSTATE_ED_4US))
			x[SBD_RTT_CSTATE_ED_4US] = sbd_distance_4us(rtt + state * weight);
	}
	if (!of)
		return;
	sbd_warp(a_us, b_us, congested_a, congested_b, w->points, of, scratch, &apart);
	if (of & SBD_OF_RTT)
		x[SBD_RTT_DTWD_4US] = sbd_distance_4us(apart.rtt);
	if (of & SBD_OF_STATE)
		x[SBD_CSTATE_DTWD_4US] = sbd_distance_4us(apart.state);
	if (of & SBD_OF_BOTH)
		x[SBD_RTT_CSTATE_DTWD_4US] = sbd_distance_4us(apart.both);
}
#endif /* SBD_HAS_DISTANCE */

#ifndef SBD_HAS_SD_RATIO
#define SBD_HAS_SD_RATIO
/* Ratios of the standard deviations of RTT and congestion. */
static __always_inline void sbd_sd_ratio(const struct sbd_window *w, sbd_u32 wanted,
					 struct sbd_scratch *scratch)
{
	const sbd_u8 *congested_a = w->series[!w->denominator].congested;
	const sbd_u8 *congested_b = w->series[w->denominator].congested;
	sbd_u32 k, a = 0, b = 0;

	if (wanted & SBD_BIT(SBD_RTT_SD_RATIO_Q10))
		scratch->x[SBD_RTT_SD_RATIO_Q10] =
			sbd_ratio_q10(sbd_deviation_of(scratch->above_us[0], w->points),
				      sbd_deviation_of(scratch->above_us[1], w->points));
	if (!(wanted & SBD_BIT(SBD_CSTATE_SD_RATIO_Q10)))
		return;
	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		a += congested_a[k];
		b += congested_b[k];
	}
	scratch->x[SBD_CSTATE_SD_RATIO_Q10] =
		sbd_ratio_q10(sbd_deviation(w->points, a, a), sbd_deviation(w->points, b, b));
}
#endif /* SBD_HAS_SD_RATIO */

#ifndef SBD_HAS_MIN_RTT_RATIO
#define SBD_HAS_MIN_RTT_RATIO
/* Ratio of the minimum RTTs up to the window. */
static inline void sbd_min_rtt_ratio(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	scratch->x[SBD_MIN_RTT_RATIO_Q10] =
		sbd_ratio_q10(w->min_rtt_us[!w->denominator], w->min_rtt_us[w->denominator]);
}
#endif /* SBD_HAS_MIN_RTT_RATIO */

/* Bits of the features it takes. */
enum {
	sbd_svm_linear_paper_wanted =
		SBD_BIT(SBD_RTT_ED_4US) |
		SBD_BIT(SBD_CSTATE_ED_4US) |
		SBD_BIT(SBD_RTT_CSTATE_ED_4US) |
		SBD_BIT(SBD_RTT_DTWD_4US) |
		SBD_BIT(SBD_CSTATE_DTWD_4US) |
		SBD_BIT(SBD_RTT_CSTATE_DTWD_4US) |
		SBD_BIT(SBD_RTT_SD_RATIO_Q10) |
		SBD_BIT(SBD_CSTATE_SD_RATIO_Q10) |
		SBD_BIT(SBD_MIN_RTT_RATIO_Q10)
};

/**
 * sbd_svm_linear_paper() - decide by the features of a window
 * @x: the features, indexed by &enum sbd_feature; those it does not take may be any numbers
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_verdict sbd_svm_linear_paper(const sbd_s32 x[SBD_FEATURES])
{
	/* No sum exceeds 292335969187838832 in size, whatever the features are. */
	sbd_s64 total = 42387815280LL;

	total += -314353LL * x[SBD_RTT_ED_4US];
	total += 429240LL * x[SBD_CSTATE_ED_4US];
	total += -560770LL * x[SBD_RTT_CSTATE_ED_4US];
	total += 161132LL * x[SBD_RTT_DTWD_4US];
	total += -319729LL * x[SBD_CSTATE_DTWD_4US];
	total += 357926LL * x[SBD_RTT_CSTATE_DTWD_4US];
	total += -67108864LL * x[SBD_RTT_SD_RATIO_Q10];
	total += 465LL * x[SBD_CSTATE_SD_RATIO_Q10];
	total += 66877045LL * x[SBD_MIN_RTT_RATIO_Q10];
	return total > 0 ? SBD_SHARED : SBD_NOT_SHARED;
}

/* Compute the features it takes, and nothing else. */
static inline void sbd_svm_linear_paper_features(const struct sbd_window *window,
	struct sbd_scratch *scratch)
{
	const sbd_u32 wanted = sbd_svm_linear_paper_wanted;

	sbd_above(window, scratch);
	sbd_distance(window, wanted, scratch);
	sbd_sd_ratio(window, wanted, scratch);
	sbd_min_rtt_ratio(window, scratch);
}

/**
 * sbd_svm_linear_paper_judge() - for sbd_decide(), without a model of a file
 * @window: a complete window
 * @model: not used
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_svm_linear_paper_judge(const struct sbd_window *window,
	const void *model, struct sbd_scratch *scratch)
{
	(void)model;
	sbd_svm_linear_paper_features(window, scratch);
	return sbd_svm_linear_paper(scratch->x);
}

#endif /* SBD_SVM_LINEAR_PAPER_H */
