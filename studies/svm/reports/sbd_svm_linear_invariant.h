/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model b9d1965034d4880e, trained on sites, tiled windows, default profile
 *
 * Linear SVM.
 * Integers only; no state, no allocation.
 *
 * Do not edit: change the model, export/templates/svm.h.j2 or export/fragments/.
 */
#ifndef SBD_SVM_LINEAR_INVARIANT_H
#define SBD_SVM_LINEAR_INVARIANT_H

#include "smartsbd.h"

#ifndef SBD_HAS_QUEUE
#define SBD_HAS_QUEUE
/* Queueing delays: each RTT series above its own minimum. */
static inline void sbd_queue(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	sbd_u32 side, k;

	for (side = 0; side < 2; side++) {
		const sbd_u32 *rtt_us = w->series[side ? w->denominator : !w->denominator].rtt_us;
		sbd_u32 least_us = rtt_us[0];

		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++)
			least_us = rtt_us[k] < least_us ? rtt_us[k] : least_us;
		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			sbd_u32 above = rtt_us[k] - least_us;

			scratch->queue_us[side][k] =
				(sbd_s32)(above < SBD_RTT_LIMIT_US ? above : SBD_RTT_LIMIT_US);
		}
	}
}
#endif /* SBD_HAS_QUEUE */

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

#ifndef SBD_HAS_MOMENTS
#define SBD_HAS_MOMENTS
/**
 * struct sbd_moments - sums over pairs of values
 * @x: of the first
 * @y: of the second
 * @xx: of the first's squares
 * @yy: of the second's squares
 * @xy: of the products
 *
 * With at most SBD_POINTS values below 2^21 no sum times the number of values
 * leaves 63 bits.
 */
struct sbd_moments {
	sbd_s64 x;
	sbd_s64 y;
	sbd_s64 xx;
	sbd_s64 yy;
	sbd_s64 xy;
};

/* What two series have in common over the product of their deviations, in Q10. */
SBD_ALONE sbd_s32 sbd_quotient_q10(sbd_s64 common, sbd_u64 deviation_x, sbd_u64 deviation_y)
{
	sbd_u64 spread, size;
	sbd_s32 correlation;

	if (!deviation_x || !deviation_y)
		return 0;
	spread = deviation_x * deviation_y;
	size = common < 0 ? -(sbd_u64)common : (sbd_u64)common;
	/* Ten bits of head room for the quotient. */
	while (spread >> 52) {
		spread >>= 1;
		size >>= 1;
	}
	size = sbd_div(size << 10, spread);
	correlation = size < SBD_ONE_Q10 ? (sbd_s32)size : SBD_ONE_Q10;
	return common < 0 ? -correlation : correlation;
}

/* Pearson's correlation in Q10, truncated toward zero; 0 of a constant series. */
static inline sbd_s32 sbd_correlation_q10(const struct sbd_moments *m, sbd_u32 points)
{
	sbd_s64 n = points, common = n * m->xy - m->x * m->y;

	return sbd_quotient_q10(common, sbd_isqrt((sbd_u64)(n * m->xx - m->x * m->x)),
				sbd_isqrt((sbd_u64)(n * m->yy - m->y * m->y)));
}

static inline void sbd_add_moments(struct sbd_moments *m, const sbd_s32 *x, const sbd_s32 *y,
				   sbd_u32 points)
{
	sbd_u32 k;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		m->x += x[k];
		m->y += y[k];
		m->xx += (sbd_s64)x[k] * x[k];
		m->yy += (sbd_s64)y[k] * y[k];
		m->xy += (sbd_s64)x[k] * y[k];
	}
}

static inline sbd_s32 sbd_correlation_of(const sbd_s32 *x, const sbd_s32 *y, sbd_u32 points)
{
	struct sbd_moments m = { 0, 0, 0, 0, 0 };

	sbd_add_moments(&m, x, y, points);
	return sbd_correlation_q10(&m, points);
}
#endif /* SBD_HAS_MOMENTS */

#ifndef SBD_HAS_RANK
#define SBD_HAS_RANK
/* Places of the values in order of one digit; equals keep the order they have. */
static inline void sbd_sort_digit(const sbd_s32 *values, sbd_u32 points, sbd_u32 shift,
				  sbd_u16 *before,
				  const sbd_u16 *from, sbd_u16 *to)
{
	sbd_u32 k, digit, sum = 0;

	for (digit = SBD_ZERO; SBD_WHILE(digit < 1 << SBD_DIGIT_BITS); digit++)
		before[digit] = 0;
	for (k = SBD_ZERO; SBD_BELOW(k, points); k++)
		before[(sbd_u32)values[k] >> shift & ((1 << SBD_DIGIT_BITS) - 1)]++;
	for (digit = SBD_ZERO; SBD_WHILE(digit < 1 << SBD_DIGIT_BITS); digit++) {
		sbd_u32 count = before[digit];

		before[digit] = (sbd_u16)sum;
		sum += count;
	}
	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		digit = (sbd_u32)values[from[k]] >> shift & ((1 << SBD_DIGIT_BITS) - 1);
		to[before[digit]++] = from[k];
	}
}

/* Twice the rank of each value, 1 the smallest; equals take their mean rank. */
static inline void sbd_doubled_ranks(const sbd_s32 *values, sbd_u32 points,
				     struct sbd_scratch *scratch, sbd_s32 *rank)
{
	sbd_u16 *before = scratch->ranked.before;
	sbd_u16 *one = scratch->ranked.order[0], *other = scratch->ranked.order[1];
	sbd_u32 k, first, end;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++)
		one[k] = (sbd_u16)k;
	sbd_sort_digit(values, points, 0, before, one, other);
	sbd_sort_digit(values, points, SBD_DIGIT_BITS, before, other, one);
	sbd_sort_digit(values, points, 2 * SBD_DIGIT_BITS, before, one, other);
	for (first = SBD_ZERO; SBD_BELOW(first, points); first = end) {
		for (end = first; SBD_WHILE(end < points && values[other[end]] == values[other[first]]); end++)
			;
		for (k = first; SBD_WHILE(k < end); k++)
			rank[other[k]] = (sbd_s32)(first + end + 1);
	}
}
#endif /* SBD_HAS_RANK */

#ifndef SBD_HAS_QUEUE_DISTANCE
#define SBD_HAS_QUEUE_DISTANCE
/* A distance per point, isqrt(distance^2 / n): the root of the mean square. */
static inline sbd_s32 sbd_per_point(sbd_s32 distance, sbd_u32 points)
{
	return (sbd_s32)sbd_isqrt(sbd_div((sbd_u64)distance * (sbd_u64)distance, points));
}

/* ED and DTW distance of the queueing delays, and ED against their size. */
static __always_inline void sbd_queue_distance(const struct sbd_window *w, sbd_u32 wanted,
					       struct sbd_scratch *scratch)
{
	const sbd_s32 *a_us = scratch->queue_us[0], *b_us = scratch->queue_us[1];
	sbd_s32 *x = scratch->x;

	if (wanted & (SBD_BIT(SBD_QUEUE_ED_4US) | SBD_BIT(SBD_QUEUE_ED_RATIO_Q10))) {
		sbd_u64 apart = 0, size = 0;
		sbd_u32 k;

		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			sbd_s64 a = a_us[k], b = b_us[k];

			apart += (sbd_u64)((a - b) * (a - b));
			size += (sbd_u64)(a * a + b * b);
		}
		if (wanted & SBD_BIT(SBD_QUEUE_ED_4US))
			x[SBD_QUEUE_ED_4US] = sbd_per_point(sbd_distance_4us(apart), w->points);
		if (wanted & SBD_BIT(SBD_QUEUE_ED_RATIO_Q10))
			x[SBD_QUEUE_ED_RATIO_Q10] = sbd_ratio_q10(sbd_isqrt(apart),
								  sbd_isqrt(size));
	}
	if (wanted & SBD_BIT(SBD_QUEUE_DTWD_4US)) {
		struct sbd_apart apart;

		sbd_warp(a_us, b_us, w->series[0].congested, w->series[1].congested, w->points,
			 SBD_OF_RTT, scratch, &apart);
		x[SBD_QUEUE_DTWD_4US] = sbd_per_point(sbd_distance_4us(apart.rtt), w->points);
	}
}
#endif /* SBD_HAS_QUEUE_DISTANCE */

#ifndef SBD_HAS_QUEUE_RATIO
#define SBD_HAS_QUEUE_RATIO
/* The smaller over the larger. */
static inline sbd_s32 sbd_folded_ratio_q10(sbd_u64 one, sbd_u64 other)
{
	return one < other ? sbd_ratio_q10(one, other) : sbd_ratio_q10(other, one);
}

/* Means and spreads of the queueing delays. */
static __always_inline void sbd_queue_ratio(const struct sbd_window *w, sbd_u32 wanted,
					    struct sbd_scratch *scratch)
{
	const sbd_s32 *a_us = scratch->queue_us[0], *b_us = scratch->queue_us[1];
	sbd_u64 a = 0, b = 0;
	sbd_u32 k;

	if (wanted & SBD_BIT(SBD_QUEUE_MEAN_RATIO_Q10)) {
		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			a += (sbd_u64)a_us[k];
			b += (sbd_u64)b_us[k];
		}
		scratch->x[SBD_QUEUE_MEAN_RATIO_Q10] = sbd_folded_ratio_q10(a, b);
	}
	if (wanted & SBD_BIT(SBD_QUEUE_SD_RATIO_Q10))
		scratch->x[SBD_QUEUE_SD_RATIO_Q10] =
			sbd_folded_ratio_q10(sbd_deviation_of(a_us, w->points),
					     sbd_deviation_of(b_us, w->points));
}
#endif /* SBD_HAS_QUEUE_RATIO */

#ifndef SBD_HAS_CORRELATION
#define SBD_HAS_CORRELATION
/* How far the lagged correlation shifts, and what changes are taken over, in larger RTTs. */
#define SBD_LAG_RTTS	2
#define SBD_CHANGE_RTTS	2

SBD_ALONE sbd_s32 sbd_larger(sbd_s32 one, sbd_s32 other)
{
	return one > other ? one : other;
}

/* Largest correlation of what overlaps over all shifts of up to lag points either way. */
static inline sbd_s32 sbd_lagged_q10(const sbd_s32 *x, const sbd_s32 *y, sbd_u32 points,
				     sbd_u32 lag)
{
	sbd_s32 most = -SBD_ONE_Q10;
	sbd_u32 way;

	for (way = 0; way < 2; way++) {
		const sbd_s32 *late = way ? y : x, *early = way ? x : y;
		struct sbd_moments m = { 0, 0, 0, 0, 0 };
		sbd_u32 shift, k;

		sbd_add_moments(&m, late, early, points);
		most = sbd_larger(most, sbd_correlation_q10(&m, points));
		for (shift = SBD_ZERO + 1; SBD_BELOW(shift, points) && shift <= lag; shift++) {
			sbd_s64 first = late[shift - 1], last = early[points - shift];

			m.x -= first;
			m.xx -= first * first;
			m.y -= last;
			m.yy -= last * last;
			m.xy = 0;
			for (k = SBD_ZERO; SBD_BELOW(k, points - shift); k++)
				m.xy += (sbd_s64)late[k + shift] * early[k];
			most = sbd_larger(most, sbd_correlation_q10(&m, points - shift));
		}
	}
	return most;
}

/* Correlations of the RTT series: plain, of ranks, of changes, and the largest within a lag. */
static __always_inline void sbd_correlation(const struct sbd_window *w, sbd_u32 wanted,
					    struct sbd_scratch *scratch)
{
	const sbd_s32 *a_us = scratch->queue_us[0], *b_us = scratch->queue_us[1];
	const sbd_u32 points = w->points;
	sbd_s32 *x = scratch->x;

	if (wanted & SBD_BIT(SBD_RTT_CORRELATION_Q10))
		x[SBD_RTT_CORRELATION_Q10] = sbd_correlation_of(a_us, b_us, points);
	if (wanted & SBD_BIT(SBD_RTT_RANK_CORRELATION_Q10)) {
		sbd_s32 *rank_a = scratch->ranked.rank[0], *rank_b = scratch->ranked.rank[1];

		sbd_doubled_ranks(a_us, points, scratch, rank_a);
		sbd_doubled_ranks(b_us, points, scratch, rank_b);
		x[SBD_RTT_RANK_CORRELATION_Q10] = sbd_correlation_of(rank_a, rank_b, points);
	}
	if (wanted & SBD_BIT(SBD_RTT_LAGGED_CORRELATION_Q10))
		x[SBD_RTT_LAGGED_CORRELATION_Q10] =
			sbd_lagged_q10(a_us, b_us, points, SBD_LAG_RTTS * w->rtt_steps);
	if (wanted & SBD_BIT(SBD_RTT_CHANGE_CORRELATION_Q10)) {
		sbd_u32 k, span = SBD_CHANGE_RTTS * w->rtt_steps;
		sbd_u32 changes = span < points ? points - span : 0;

		for (k = SBD_ZERO; SBD_BELOW(k, changes); k++) {
			scratch->change[0][k] = a_us[k + span] - a_us[k];
			scratch->change[1][k] = b_us[k + span] - b_us[k];
		}
		x[SBD_RTT_CHANGE_CORRELATION_Q10] =
			sbd_correlation_of(scratch->change[0], scratch->change[1], changes);
	}
}
#endif /* SBD_HAS_CORRELATION */

/* Bits of the features it takes. */
enum {
	sbd_svm_linear_invariant_wanted =
		SBD_BIT(SBD_QUEUE_ED_4US) |
		SBD_BIT(SBD_QUEUE_DTWD_4US) |
		SBD_BIT(SBD_QUEUE_ED_RATIO_Q10) |
		SBD_BIT(SBD_RTT_CORRELATION_Q10) |
		SBD_BIT(SBD_RTT_RANK_CORRELATION_Q10) |
		SBD_BIT(SBD_RTT_LAGGED_CORRELATION_Q10) |
		SBD_BIT(SBD_RTT_CHANGE_CORRELATION_Q10) |
		SBD_BIT(SBD_QUEUE_MEAN_RATIO_Q10) |
		SBD_BIT(SBD_QUEUE_SD_RATIO_Q10)
};

/**
 * sbd_svm_linear_invariant() - decide by the features of a window
 * @x: the features, indexed by &enum sbd_feature; those it does not take may be any numbers
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_verdict sbd_svm_linear_invariant(const sbd_s32 x[SBD_FEATURES])
{
	/* No sum exceeds 669746407592349265 in size, whatever the features are. */
	sbd_s64 total = -153178263121LL;

	total += -3696334LL * x[SBD_QUEUE_ED_4US];
	total += 522893LL * x[SBD_QUEUE_DTWD_4US];
	total += 58920251LL * x[SBD_QUEUE_ED_RATIO_Q10];
	total += 12270244LL * x[SBD_RTT_CORRELATION_Q10];
	total += 20036295LL * x[SBD_RTT_RANK_CORRELATION_Q10];
	total += 42480514LL * x[SBD_RTT_LAGGED_CORRELATION_Q10];
	total += 64083449LL * x[SBD_RTT_CHANGE_CORRELATION_Q10];
	total += 67108864LL * x[SBD_QUEUE_MEAN_RATIO_Q10];
	total += 42756059LL * x[SBD_QUEUE_SD_RATIO_Q10];
	return total > 0 ? SBD_SHARED : SBD_NOT_SHARED;
}

/* Compute the features it takes, and nothing else. */
static inline void sbd_svm_linear_invariant_features(const struct sbd_window *window,
	struct sbd_scratch *scratch)
{
	const sbd_u32 wanted = sbd_svm_linear_invariant_wanted;

	sbd_queue(window, scratch);
	sbd_queue_distance(window, wanted, scratch);
	sbd_queue_ratio(window, wanted, scratch);
	sbd_correlation(window, wanted, scratch);
}

/**
 * sbd_svm_linear_invariant_judge() - for sbd_decide(), without a model of a file
 * @window: a complete window
 * @model: not used
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_svm_linear_invariant_judge(const struct sbd_window *window,
	const void *model, struct sbd_scratch *scratch)
{
	(void)model;
	sbd_svm_linear_invariant_features(window, scratch);
	return sbd_svm_linear_invariant(scratch->x);
}

#endif /* SBD_SVM_LINEAR_INVARIANT_H */
