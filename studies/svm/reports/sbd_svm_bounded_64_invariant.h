/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model 7c039e7e3e893196, trained on sites, tiled windows, default profile
 *
 * SVM with RBF kernel, 64 vectors.
 * Integers only; no state, no allocation.
 *
 * Do not edit: change the model, export/templates/svm.h.j2 or export/fragments/.
 */
#ifndef SBD_SVM_BOUNDED_64_INVARIANT_H
#define SBD_SVM_BOUNDED_64_INVARIANT_H

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

#ifndef SBD_HAS_RBF
#define SBD_HAS_RBF
/*
 * Kernel values of an SVM with RBF kernel. A scaled feature has 12 fractional bits, so a squared
 * distance d has 24; a kernel value is 2^-d in Q30. With at most 32 features d is below 2^45, and
 * what is multiplied in sbd_scaled() below 2^60.
 */
#define SBD_SCALED_LIMIT	(1 << 19)

/* 2^-f in Q30, f from 0 to 1 in steps of 1/64. */
SBD_TABLE(sbd_u32, sbd_power) = {
	1073741824, 1062175491, 1050733751, 1039415261, 1028218693, 1017142735,
	1006186087, 995347464, 984625594, 974019220, 963527098, 953147997,
	942880699, 932724001, 922676710, 912737649, 902905651, 893179563,
	883558244, 874040567, 864625413, 855311680, 846098274, 836984114,
	827968132, 819049271, 810226483, 801498734, 792865000, 784324269,
	775875538, 767517817, 759250125, 751071493, 742980960, 734977579,
	727060411, 719228525, 711481005, 703816941, 696235434, 688735596,
	681316545, 673977412, 666717336, 659535466, 652430958, 645402981,
	638450708, 631573326, 624770026, 618040012, 611382493, 604796689,
	598281827, 591837143, 585461881, 579155293, 572916640, 566745190,
	560640218, 554601009, 548626854, 542717053, 536870912,
};

static inline sbd_s32 sbd_scaled(sbd_s32 x, sbd_s32 centre, sbd_s32 factor, sbd_u32 shift)
{
	sbd_s64 scaled = ((sbd_s64)x - centre) * factor >> shift;

	if (scaled > SBD_SCALED_LIMIT)
		return SBD_SCALED_LIMIT;
	return scaled < -SBD_SCALED_LIMIT ? -SBD_SCALED_LIMIT : (sbd_s32)scaled;
}

static inline sbd_u64 sbd_square(sbd_s32 x)
{
	return (sbd_u64)((sbd_s64)x * x);
}

/* The fraction of d by the table, linearly between two places of it; the whole part is a shift. */
static inline sbd_u32 sbd_kernel_value(sbd_u64 distance)
{
	const sbd_u32 *power = (const sbd_u32 *)sbd_power + (distance >> 18 & 63);
	sbd_u64 fall = (sbd_u64)(power[0] - power[1]) * (distance >> 8 & 1023) >> 10;

	return distance >> 24 < 32 ? (power[0] - (sbd_u32)fall) >> (distance >> 24) : 0;
}
#endif /* SBD_HAS_RBF */

/* Bits of the features it takes. */
enum {
	sbd_svm_bounded_64_invariant_wanted =
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

/* Of each vector its place, as features are scaled, and its weight. */
SBD_TABLE(sbd_s32, sbd_svm_bounded_64_invariant_vector) = {
	403, -225, -2148, 2325, 1194, 2095, 2942, 815, 2159, 234528,
	843, 101, -896, 1018, 879, 1390, 1374, 489, 135, 242745,
	931, -641, -1279, 1226, 2019, 2173, 96, 1668, 598, -1048576,
	-1641, -1532, -2531, 2496, 2628, 2300, -2411, 1083, 2053, 95625,
	-1701, -1575, -2717, 2548, 2609, 2359, -3633, 1466, 2111, -35563,
	-425, -671, 252, 900, 702, 1038, -1495, -1188, 347, -483570,
	-766, -779, 420, 218, 246, -15, 579, -48, -1773, 131589,
	-1458, -1446, -2858, 2638, 2697, 2418, -88, 1323, 2342, -760353,
	-1859, -1622, -2886, 2514, 2564, 2291, -1889, 2272, 2457, 6852,
	-1806, -1525, -3007, 2576, 2638, 2359, -1262, 2041, 2419, -86624,
	-1788, -1540, -2802, 2514, 2579, 2310, -2950, 2204, 1850, 4515,
	-1889, -1584, -3166, 2628, 2682, 2418, -2170, 2147, 2323, -3041,
	-1838, -1606, -3044, 2567, 2579, 2354, -1173, 2367, 2457, -109558,
	-1101, -590, -1429, 1572, 1547, 1924, -1680, 2224, 1744, 45682,
	-1287, -1156, -514, 871, 963, 1194, -707, 10, -87, -539539,
	-1738, -1589, -2839, 2576, 2613, 2359, -2435, 1505, 2342, 28167,
	-1778, -1607, -2820, 2581, 2623, 2384, -3713, 1572, 2101, 134161,
	-980, -859, -47, 843, 555, 798, 916, 786, 569, 344898,
	-1829, -1578, -2802, 2491, 2515, 2286, -2009, 2243, 2342, -32147,
	-449, 154, -532, 1425, 1675, 1488, -201, 786, -2486, -463315,
	-691, -899, -383, 540, 535, 455, -1061, -345, 2033, 263665,
	-1788, -1543, -2951, 2543, 2594, 2320, -1889, 2166, 2284, -150209,
	-1836, -1553, -2988, 2567, 2579, 2345, -289, 2492, 2130, 395479,
	-1854, -1610, -2970, 2557, 2604, 2354, -1913, 2367, 2014, -60342,
	-1821, -1529, -2979, 2552, 2594, 2345, -1640, 2252, 2043, -103601,
	-1695, -1539, -2652, 2619, 2628, 2418, -1479, 1064, 2419, 28944,
	-891, -1007, 2129, -1473, -1449, -1238, -2644, -2588, -2756, -59917,
	-1238, -1407, 346, -1051, -1037, -1072, -2041, -393, 491, 20693,
	-993, -1185, 224, -194, -226, 49, -1093, 2463, 954, -354730,
	1243, 261, -887, 2335, -39, 2105, 2853, 77, 260, -84113,
	-128, -632, -1597, 1563, 1169, 1928, 370, 911, 2130, -83383,
	-1715, -1436, 1046, -1894, -1390, -2242, -1816, 2310, -540, 100946,
	-524, -619, -654, -118, -265, -250, -386, 201, 125, -232633,
	-1720, -1423, 999, 369, 133, 396, -860, -1179, -39, 929993,
	-1908, -1625, -3128, 2623, 2692, 2413, -1800, 2214, 1899, 95322,
	-1937, -1630, -3072, 2557, 2628, 2335, -514, 2434, 2274, 490567,
	-1693, -1400, -2615, 2401, 2461, 2173, -1173, 1936, 1629, 97481,
	-1924, -1631, -3156, 2614, 2697, 2398, -1648, 2540, 2033, -47575,
	-1790, -1562, -2559, 2472, 2550, 2330, -2789, 1361, 1860, 330364,
	-1724, -1599, -2886, 2590, 2668, 2374, -1744, 1610, 2342, -104624,
	767, -387, -243, 1648, 1960, 1698, -796, 786, -858, 856822,
	-568, -470, 710, 232, 201, 196, 145, -978, -116, -836639,
	-637, -309, -131, 1387, 1518, 1219, 643, -105, -1137, 95589,
	21, 12, 1550, -350, -364, -230, -2475, -2569, -2072, 101149,
	-1789, -1610, -2830, 2619, 2697, 2447, -3046, 1342, 2371, 109709,
	-1734, -1480, -2811, 2467, 2550, 2286, -3239, 2502, 1764, -124755,
	-1185, -1193, -383, 1004, 997, 1057, -675, 1581, 1214, 67440,
	288, -583, -691, 696, 1199, 1605, -321, 1773, 1214, 758401,
	-1955, -1643, -2605, 2486, 2324, 2261, -1567, 2281, 2390, 363212,
	-1835, -1602, -2998, 2543, 2613, 2379, -1720, 2032, 2448, -41714,
	-1645, -1433, 1009, -2240, -2274, -2403, -1937, -1505, -1002, -21649,
	-1892, -1569, -3035, 2600, 2648, 2379, -1101, 2032, 2380, 162594,
	-1657, -1337, -2792, 2477, 2564, 2286, -2805, 2578, 2467, -608735,
	-962, -721, 187, 450, 963, 724, 852, 642, -2226, 203143,
	-1580, -1387, 93, 942, 275, 754, -2885, -958, 781, -16424,
	182, -248, -2064, 2145, 1931, 2227, 2556, 1006, 1831, 71895,
	-1847, -1589, -3110, 2633, 2722, 2413, -643, 1859, 2380, 175984,
	-1091, -900, -1560, 1226, 1336, 1439, -1640, 1850, 1156, -36415,
	-1690, -1562, -2689, 2595, 2668, 2389, -2315, 1141, 2390, 17744,
	-1774, -1592, -2895, 2552, 2628, 2364, -4260, 1802, 1764, 227484,
	-1741, -1556, -2970, 2543, 2628, 2403, -1873, 1984, 2371, -297520,
	-1458, -1448, -2054, 2183, 2279, 2168, -2058, 748, 2005, 9697,
	-1885, -1624, -3147, 2638, 2702, 2442, -2250, 2099, 2429, -23380,
	-1801, -1569, -2923, 2623, 2613, 2413, -1800, 1725, 2255, -14105,
};

/**
 * sbd_svm_bounded_64_invariant() - decide by the features of a window
 * @x: the features, indexed by &enum sbd_feature; those it does not take may be any numbers
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_verdict sbd_svm_bounded_64_invariant(const sbd_s32 x[SBD_FEATURES])
{
	const sbd_s32 *vector = (const sbd_s32 *)sbd_svm_bounded_64_invariant_vector;
	const sbd_s32 u0 =
		sbd_scaled(x[SBD_QUEUE_ED_4US], 6295, 93829111, 28);
	const sbd_s32 u1 =
		sbd_scaled(x[SBD_QUEUE_DTWD_4US], 4267, 114701635, 28);
	const sbd_s32 u2 =
		sbd_scaled(x[SBD_QUEUE_ED_RATIO_Q10], 416, 78336098, 23);
	const sbd_s32 u3 =
		sbd_scaled(x[SBD_RTT_CORRELATION_Q10], 447, 79445679, 24);
	const sbd_s32 u4 =
		sbd_scaled(x[SBD_RTT_RANK_CORRELATION_Q10], 452, 82418489, 24);
	const sbd_s32 u5 =
		sbd_scaled(x[SBD_RTT_LAGGED_CORRELATION_Q10], 510, 82118304, 24);
	const sbd_s32 u6 =
		sbd_scaled(x[SBD_RTT_CHANGE_CORRELATION_Q10], 244, 67421920, 23);
	const sbd_s32 u7 =
		sbd_scaled(x[SBD_QUEUE_MEAN_RATIO_Q10], 752, 80399962, 23);
	const sbd_s32 u8 =
		sbd_scaled(x[SBD_QUEUE_SD_RATIO_Q10], 767, 80842431, 23);
	sbd_s64 total = -86458801385971LL;
	sbd_u32 i;

	/* No sum exceeds 15234623770784243 in size. */
	for (i = SBD_ZERO; SBD_WHILE(i < 64); i++, vector += 10) {
		sbd_u64 distance = 0;

		distance += sbd_square(u0 - vector[0]);
		distance += sbd_square(u1 - vector[1]);
		distance += sbd_square(u2 - vector[2]);
		distance += sbd_square(u3 - vector[3]);
		distance += sbd_square(u4 - vector[4]);
		distance += sbd_square(u5 - vector[5]);
		distance += sbd_square(u6 - vector[6]);
		distance += sbd_square(u7 - vector[7]);
		distance += sbd_square(u8 - vector[8]);
		total += (sbd_s64)vector[9] * sbd_kernel_value(distance);
	}
	return total > 0 ? SBD_SHARED : SBD_NOT_SHARED;
}

/* Compute the features it takes, and nothing else. */
static inline void sbd_svm_bounded_64_invariant_features(const struct sbd_window *window,
	struct sbd_scratch *scratch)
{
	const sbd_u32 wanted = sbd_svm_bounded_64_invariant_wanted;

	sbd_queue(window, scratch);
	sbd_queue_distance(window, wanted, scratch);
	sbd_queue_ratio(window, wanted, scratch);
	sbd_correlation(window, wanted, scratch);
}

/**
 * sbd_svm_bounded_64_invariant_judge() - for sbd_decide(), without a model of a file
 * @window: a complete window
 * @model: not used
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_svm_bounded_64_invariant_judge(const struct sbd_window *window,
	const void *model, struct sbd_scratch *scratch)
{
	(void)model;
	sbd_svm_bounded_64_invariant_features(window, scratch);
	return sbd_svm_bounded_64_invariant(scratch->x);
}

#endif /* SBD_SVM_BOUNDED_64_INVARIANT_H */
