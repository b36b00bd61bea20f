/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sbd_loaded.h - models that come from a file, and every feature they may take
 *
 * The file is checked before any of it is used: what a loaded model reads lies
 * within its tables, and each step of a walk leads on, whatever the file holds.
 * The checksum finds damage; it does not say who wrote the file.
 *
 * Generated from export/templates/loaded.h.j2 and export/fragments/.
 */
#ifndef SBD_LOADED_H
#define SBD_LOADED_H

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

#ifndef SBD_HAS_COINCIDENCE
#define SBD_HAS_COINCIDENCE
/* How often a series of yes and no says yes within reach of the first point, but for the last in reach. */
static inline sbd_u32 sbd_near_first(const sbd_u8 *congested, sbd_u32 points, sbd_u32 reach)
{
	sbd_u32 k, count = 0;

	for (k = SBD_ZERO; SBD_BELOW(k, points) && k < reach; k++)
		count += congested[k];
	return count;
}

SBD_ALONE sbd_u32 sbd_is_any(sbd_u32 count)
{
	return count > 0;
}

/* Whether it does within reach of each point, a point at a time. */
static inline sbd_u32 sbd_near(const sbd_u8 *congested, sbd_u32 points, sbd_u32 k, sbd_u32 reach,
			       sbd_u32 *count)
{
	/* The window slides: what comes into reach is added, what leaves it is taken away. */
	if (k + reach < points)
		*count += congested[k + reach];
	if (k > reach)
		*count -= congested[k - reach - 1];
	return sbd_is_any(*count);
}

/* Coincidence of congestion within a larger RTT (Jaccard), less what chance would give. */
static inline void sbd_coincidence(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	const sbd_u8 *congested_a = w->series[!w->denominator].congested;
	const sbd_u8 *congested_b = w->series[w->denominator].congested;
	sbd_u32 k, count_a = sbd_near_first(congested_a, w->points, w->rtt_steps);
	sbd_u32 count_b = sbd_near_first(congested_b, w->points, w->rtt_steps);
	sbd_u32 a = SBD_ZERO, b = SBD_ZERO, both = SBD_ZERO;
	sbd_u64 seen, expected;

	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		sbd_u32 near_a = sbd_near(congested_a, w->points, k, w->rtt_steps, &count_a);
		sbd_u32 near_b = sbd_near(congested_b, w->points, k, w->rtt_steps, &count_b);

		a += near_a;
		b += near_b;
		both += near_a & near_b;
	}
	scratch->x[SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10] = 0;
	if (!a || !b)
		return;
	seen = sbd_div((sbd_u64)both << 10, a + b - both);
	expected = sbd_div((sbd_u64)a * b << 10, (sbd_u64)w->points * (a + b) - (sbd_u64)a * b);
	scratch->x[SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10] = (sbd_s32)seen - (sbd_s32)expected;
}
#endif /* SBD_HAS_COINCIDENCE */

#ifndef SBD_HAS_RATE
#define SBD_HAS_RATE
#if !SBD_WITH_ACKED
#error "this model takes a feature of rates: SBD_WITH_ACKED must be 1"
#endif

/* What time bytes are counted over, in larger RTTs. */
#define SBD_RATE_RTTS	5
#define SBD_RATE_BITS	21

/* How far a number is shifted right until it has 21 bits. */
SBD_ALONE sbd_u32 sbd_rate_shift(sbd_u64 most)
{
	sbd_u32 shift = 0;

	while (most >> SBD_RATE_BITS) {
		most >>= 1;
		shift++;
	}
	return shift;
}

/* Bytes delivered over span points, shifted right until the largest has 21 bits. */
static inline void sbd_delivered(const sbd_u64 *acked_bytes, sbd_u32 points, sbd_u32 span,
				 sbd_s32 *delivered)
{
	sbd_u32 k, shift;
	sbd_u64 most = 0;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		sbd_u64 bytes = acked_bytes[k + span] - acked_bytes[k];

		most = bytes > most ? bytes : most;
	}
	shift = sbd_rate_shift(most);
	for (k = SBD_ZERO; SBD_BELOW(k, points); k++)
		delivered[k] = (sbd_s32)((acked_bytes[k + span] - acked_bytes[k]) >> shift);
}

/* Correlation of the bytes delivered. */
static inline void sbd_rate(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	sbd_u32 span = SBD_RATE_RTTS * w->rtt_steps, points = span < w->points ? w->points - span : 0;

	sbd_delivered(w->series[!w->denominator].acked_bytes, points, span, scratch->change[0]);
	sbd_delivered(w->series[w->denominator].acked_bytes, points, span, scratch->change[1]);
	scratch->x[SBD_RATE_CORRELATION_Q10] =
		sbd_correlation_of(scratch->change[0], scratch->change[1], points);
}
#endif /* SBD_HAS_RATE */

#ifndef SBD_HAS_VOTES
#define SBD_HAS_VOTES
/*
 * A packed node is a word of 64 bits. Of a split: threshold + SBD_BIAS (31
 * bits, the top one 0), place of its low side (24), feature (8); the high side
 * is the word behind. Of a leaf: the top bit, its vote (31), its own place
 * (24), a feature that is taken.
 */
#define SBD_BIAS	(1U << 30)
#define SBD_LEAF	(1ULL << 63)
#define SBD_ALL_FOR	(1U << 24)	/* the vote of a leaf that is sure */
#define SBD_LANES	10		/* trees walked in lock step */

/* One step down a tree: the sign of threshold - x is what leads on, and 0 of a leaf. */
#define SBD_STEP(at) do {						\
		sbd_u64 word = node[at];					\
									\
		at = (sbd_u32)word >> 8;					\
		at += ((sbd_u32)(word >> 32) - SBD_BIAS - (sbd_u32)x[(sbd_u8)word]) >> 31;	\
	} while (0)

#define SBD_VOTE(at)	((sbd_u32)(node[at] >> 32) & (2 * SBD_BIAS - 1))

static inline sbd_u32 sbd_vote(const sbd_u64 *node, sbd_u32 root, sbd_u32 depth, const sbd_s32 *x)
{
	sbd_u32 level, at = root;

	for (level = SBD_ZERO; SBD_WHILE(level < depth); level++)
		SBD_STEP(at);
	return SBD_VOTE(at);
}

/* Sum of the votes of trees of at most some depth. */
static inline sbd_u64 sbd_votes(const sbd_u64 *node, const sbd_u32 *root, sbd_u32 trees,
				sbd_u32 depth, const sbd_s32 *x)
{
	sbd_u64 votes = 0;
	sbd_u32 tree, level;

	for (tree = SBD_ZERO; SBD_WHILE(tree + SBD_LANES <= trees); tree += SBD_LANES,
	     root += SBD_LANES) {
		sbd_u32 at0 = root[0], at1 = root[1], at2 = root[2], at3 = root[3], at4 = root[4];
		sbd_u32 at5 = root[5], at6 = root[6], at7 = root[7], at8 = root[8], at9 = root[9];

		for (level = SBD_ZERO; SBD_WHILE(level < depth); level++) {
			SBD_STEP(at0);
			SBD_STEP(at1);
			SBD_STEP(at2);
			SBD_STEP(at3);
			SBD_STEP(at4);
			SBD_STEP(at5);
			SBD_STEP(at6);
			SBD_STEP(at7);
			SBD_STEP(at8);
			SBD_STEP(at9);
		}
		votes += SBD_VOTE(at0) + SBD_VOTE(at1) + SBD_VOTE(at2) + SBD_VOTE(at3) + SBD_VOTE(at4);
		votes += SBD_VOTE(at5) + SBD_VOTE(at6) + SBD_VOTE(at7) + SBD_VOTE(at8) + SBD_VOTE(at9);
	}
	for (; SBD_WHILE(tree < trees); tree++, root++)
		votes += sbd_vote(node, *root, depth, x);
	return votes;
}
#endif /* SBD_HAS_VOTES */

/* What a loaded model may have; define them before for other sizes. */
#ifndef SBD_LOADED_TREES
#define SBD_LOADED_TREES	256
#endif
#ifndef SBD_LOADED_WORDS
#define SBD_LOADED_WORDS	65536
#endif

#define SBD_FILE_VERSION	1
#define SBD_FILE_HEAD	24	/* bytes before the names */
#define SBD_FILE_NAME	32	/* bytes of a feature's name, zeros behind it */
#define SBD_FILE_ROOT	4	/* bytes of a tree's place */
#define SBD_FILE_WORD	8	/* bytes of a node */
#define SBD_FILE_SUM	4	/* bytes of the checksum */

/**
 * struct sbd_loaded - a model from a file
 * @node: the nodes of all trees
 * @root: where each tree begins
 * @wanted: bits of the features it takes
 * @trees: how many trees it has
 * @depth: of the deepest
 */
struct sbd_loaded {
	sbd_u64 node[SBD_LOADED_WORDS];
	sbd_u32 root[SBD_LOADED_TREES];
	sbd_u32 wanted;
	sbd_u32 trees;
	sbd_u32 depth;
};

/**
 * enum sbd_refusal - why a file is no model
 * @SBD_LOADED: it is one
 * @SBD_NOT_A_MODEL: too short, or another kind of file
 * @SBD_OTHER_VERSION: of another version
 * @SBD_DAMAGED: its length or its checksum is wrong
 * @SBD_UNKNOWN_FEATURE: takes what this header does not compute
 * @SBD_TOO_LARGE: more trees or nodes than there is memory for
 * @SBD_BAD_NODE: a node that leads nowhere, back, or to no feature, or a tree that begins nowhere
 */
enum sbd_refusal {
	SBD_LOADED = 0,
	SBD_NOT_A_MODEL = -1,
	SBD_OTHER_VERSION = -2,
	SBD_DAMAGED = -3,
	SBD_UNKNOWN_FEATURE = -4,
	SBD_TOO_LARGE = -5,
	SBD_BAD_NODE = -6
};

static const char sbd_feature_name[SBD_FEATURES][SBD_FILE_NAME] = {
	"rtt_ed_4us",
	"cstate_ed_4us",
	"rtt_cstate_ed_4us",
	"rtt_dtwd_4us",
	"cstate_dtwd_4us",
	"rtt_cstate_dtwd_4us",
	"rtt_sd_ratio_q10",
	"cstate_sd_ratio_q10",
	"min_rtt_ratio_q10",
	"queue_ed_4us",
	"queue_dtwd_4us",
	"queue_ed_ratio_q10",
	"rtt_correlation_q10",
	"rtt_rank_correlation_q10",
	"rtt_lagged_correlation_q10",
	"rtt_change_correlation_q10",
	"queue_mean_ratio_q10",
	"queue_sd_ratio_q10",
	"cstate_near_jaccard_excess_q10",
	"rate_correlation_q10",
};

static inline sbd_u32 sbd_le32(const sbd_u8 *bytes)
{
	return bytes[0] | (sbd_u32)bytes[1] << 8 | (sbd_u32)bytes[2] << 16 | (sbd_u32)bytes[3] << 24;
}

/* CRC-32 of IEEE 802.3, bit by bit: a file is read once. */
static inline sbd_u32 sbd_crc32(const sbd_u8 *bytes, sbd_u32 size)
{
	sbd_u32 i, bit, crc = ~0U;

	for (i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

/* Number of the feature of a name; SBD_FEATURES if there is none. */
static inline sbd_u32 sbd_feature_of(const sbd_u8 *name)
{
	sbd_u32 i, k;

	for (i = 0; i < SBD_FEATURES; i++) {
		for (k = 0; k < SBD_FILE_NAME; k++)
			if (name[k] != (sbd_u8)sbd_feature_name[i][k])
				break;
		if (k == SBD_FILE_NAME)
			break;
	}
	return i;
}

static inline sbd_u64 sbd_le64(const sbd_u8 *bytes)
{
	return sbd_le32(bytes) | (sbd_u64)sbd_le32(bytes + 4) << 32;
}

/*
 * Take the words; the depth of the deepest tree, or -1 if one of them is bad.
 * A leaf stays where it is, a split leads to two words behind its own: so no
 * walk leaves the table, and none is longer than the depth.
 */
static inline int sbd_load_words(struct sbd_loaded *m, const sbd_u8 *bytes, sbd_u32 words,
				 const sbd_u8 *feature,
				 sbd_u32 inputs, sbd_u8 *level)
{
	sbd_u32 i, side, deepest = 0;

	for (i = 0; i < words; i++)
		level[i] = 0;
	for (i = 0; i < words; i++, bytes += SBD_FILE_WORD) {
		sbd_u64 word = sbd_le64(bytes);
		sbd_u32 place = (sbd_u32)word >> 8, number = (sbd_u32)word & 0xff;

		if (word & SBD_LEAF) {
			if (place != i || (number && number >= inputs) || (word & ~SBD_LEAF) >> 32 > SBD_ALL_FOR)
				return -1;
			m->node[i] = word - number + feature[number];
			continue;
		}
		if (place <= i || place >= words - 1 || number >= inputs || level[i] == 255)
			return -1;
		m->node[i] = word - number + feature[number];
		for (side = 0; side < 2; side++) {
			sbd_u8 *below = &level[place + side];

			if (*below <= level[i])
				*below = (sbd_u8)(level[i] + 1);
			deepest = *below > deepest ? *below : deepest;
		}
	}
	return (int)deepest;
}

/**
 * sbd_load() - take a model from the bytes of a file
 * @m: the model; of no use if it is refused
 * @bytes: the file
 * @size: its length
 * @level: memory for the check, a byte for each of SBD_LOADED_WORDS
 *
 * The file, little-endian: "SBDMODEL", sbd_u32 version, sbd_u32 features, sbd_u32 trees,
 * sbd_u32 words; names of the features; sbd_u32 where each tree begins; the words, a
 * split's feature being its place among the names; sbd_u32 checksum of all before.
 *
 * Return: SBD_LOADED, or why not.
 */
static inline enum sbd_refusal sbd_load(struct sbd_loaded *m, const sbd_u8 *bytes, sbd_u32 size,
					sbd_u8 *level)
{
	static const char magic[] = "SBDMODEL";
	sbd_u8 feature[SBD_FEATURES] = { 0 };
	sbd_u32 i, inputs, trees, words;
	const sbd_u8 *at;
	int depth;

	if (size < SBD_FILE_HEAD + SBD_FILE_SUM)
		return SBD_NOT_A_MODEL;
	for (i = 0; i < 8; i++)
		if (bytes[i] != (sbd_u8)magic[i])
			return SBD_NOT_A_MODEL;
	if (sbd_le32(bytes + 8) != SBD_FILE_VERSION)
		return SBD_OTHER_VERSION;
	inputs = sbd_le32(bytes + 12);
	trees = sbd_le32(bytes + 16);
	words = sbd_le32(bytes + 20);
	if (inputs > SBD_FEATURES)
		return SBD_UNKNOWN_FEATURE;
	if (trees > SBD_LOADED_TREES || words > SBD_LOADED_WORDS)
		return SBD_TOO_LARGE;
	size -= SBD_FILE_SUM;
	if (!trees || !words || size != SBD_FILE_HEAD + inputs * SBD_FILE_NAME + trees * SBD_FILE_ROOT +
						words * SBD_FILE_WORD)
		return SBD_DAMAGED;
	if (sbd_le32(bytes + size) != sbd_crc32(bytes, size))
		return SBD_DAMAGED;
	at = bytes + SBD_FILE_HEAD;
	m->wanted = 0;
	for (i = 0; i < inputs; i++, at += SBD_FILE_NAME) {
		feature[i] = (sbd_u8)sbd_feature_of(at);
		if (feature[i] == SBD_FEATURES)
			return SBD_UNKNOWN_FEATURE;
		m->wanted |= SBD_BIT(feature[i]);
	}
	for (i = 0; i < trees; i++, at += SBD_FILE_ROOT) {
		m->root[i] = sbd_le32(at);
		if (m->root[i] >= words)
			return SBD_BAD_NODE;
	}
	depth = sbd_load_words(m, at, words, feature, inputs, level);
	if (depth < 0)
		return SBD_BAD_NODE;
	m->trees = trees;
	m->depth = (sbd_u32)depth;
	return SBD_LOADED;
}

/**
 * sbd_features() - compute features
 * @window: a complete window
 * @wanted: bits of those to compute
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline void sbd_features(const struct sbd_window *window, sbd_u32 wanted,
				struct sbd_scratch *scratch)
{
	if (wanted & (SBD_BIT(SBD_RTT_ED_4US) | SBD_BIT(SBD_CSTATE_ED_4US) | SBD_BIT(SBD_RTT_CSTATE_ED_4US) | SBD_BIT(SBD_RTT_DTWD_4US) | SBD_BIT(SBD_CSTATE_DTWD_4US) | SBD_BIT(SBD_RTT_CSTATE_DTWD_4US) | SBD_BIT(SBD_RTT_SD_RATIO_Q10) | SBD_BIT(SBD_CSTATE_SD_RATIO_Q10)))
		sbd_above(window, scratch);
	if (wanted & (SBD_BIT(SBD_QUEUE_ED_4US) | SBD_BIT(SBD_QUEUE_DTWD_4US) | SBD_BIT(SBD_QUEUE_ED_RATIO_Q10) | SBD_BIT(SBD_QUEUE_MEAN_RATIO_Q10) | SBD_BIT(SBD_QUEUE_SD_RATIO_Q10) | SBD_BIT(SBD_RTT_CORRELATION_Q10) | SBD_BIT(SBD_RTT_RANK_CORRELATION_Q10) | SBD_BIT(SBD_RTT_LAGGED_CORRELATION_Q10) | SBD_BIT(SBD_RTT_CHANGE_CORRELATION_Q10)))
		sbd_queue(window, scratch);
	if (wanted & (SBD_BIT(SBD_RTT_ED_4US) | SBD_BIT(SBD_CSTATE_ED_4US) | SBD_BIT(SBD_RTT_CSTATE_ED_4US) | SBD_BIT(SBD_RTT_DTWD_4US) | SBD_BIT(SBD_CSTATE_DTWD_4US) | SBD_BIT(SBD_RTT_CSTATE_DTWD_4US)))
		sbd_distance(window, wanted, scratch);
	if (wanted & (SBD_BIT(SBD_RTT_SD_RATIO_Q10) | SBD_BIT(SBD_CSTATE_SD_RATIO_Q10)))
		sbd_sd_ratio(window, wanted, scratch);
	if (wanted & (SBD_BIT(SBD_MIN_RTT_RATIO_Q10)))
		sbd_min_rtt_ratio(window, scratch);
	if (wanted & (SBD_BIT(SBD_QUEUE_ED_4US) | SBD_BIT(SBD_QUEUE_DTWD_4US) | SBD_BIT(SBD_QUEUE_ED_RATIO_Q10)))
		sbd_queue_distance(window, wanted, scratch);
	if (wanted & (SBD_BIT(SBD_QUEUE_MEAN_RATIO_Q10) | SBD_BIT(SBD_QUEUE_SD_RATIO_Q10)))
		sbd_queue_ratio(window, wanted, scratch);
	if (wanted & (SBD_BIT(SBD_RTT_CORRELATION_Q10) | SBD_BIT(SBD_RTT_RANK_CORRELATION_Q10) | SBD_BIT(SBD_RTT_LAGGED_CORRELATION_Q10) | SBD_BIT(SBD_RTT_CHANGE_CORRELATION_Q10)))
		sbd_correlation(window, wanted, scratch);
	if (wanted & (SBD_BIT(SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10)))
		sbd_coincidence(window, scratch);
	if (wanted & (SBD_BIT(SBD_RATE_CORRELATION_Q10)))
		sbd_rate(window, scratch);
}

/**
 * sbd_loaded_judge() - for sbd_decide()
 * @window: a complete window
 * @model: a &struct sbd_loaded
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_loaded_judge(const struct sbd_window *window,
						const void *model, struct sbd_scratch *scratch)
{
	const struct sbd_loaded *m = model;
	sbd_u32 i;

	for (i = 0; i < SBD_FEATURES; i++)
		scratch->x[i] = 0;	/* a walk reads all of them */
	sbd_features(window, m->wanted, scratch);
	return sbd_votes(m->node, m->root, m->trees, m->depth, scratch->x) >
		m->trees * (sbd_u64)(SBD_ALL_FOR / 2) ? SBD_SHARED : SBD_NOT_SHARED;
}

#endif /* SBD_LOADED_H */
