/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model fd453ab94de35d6a, trained on sites, tiled windows, default profile
 *
 * 100 trees, 3827 splits, 3927 leaves, depth 10; packed.
 * Integers only; no state, no allocation.
 *
 * Do not edit: change the model, export/templates/model.h.j2 or export/fragments/.
 */
#ifndef SBD_FOREST_INVARIANT_H
#define SBD_FOREST_INVARIANT_H

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

/* Bits of the features it takes. */
enum {
	sbd_forest_invariant_wanted =
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

SBD_TABLE(sbd_u64, sbd_forest_invariant_node) = {
	0x400001790000010b, 0x4000279f00000309, 0x400003bb00001e0a, 0x400003cc0000050c,
	0x400003c10014a811, 0x40000acd0000070a, 0x400000660000110f, 0x400001710000090b,
	0x400002ed00000b11, 0x8100000000000909, 0x400003a70014aa11, 0x8000000000000b09,
	0x4000031c00000d0c, 0x40001eea00000f09, 0x400003490014a810, 0x400003a70014aa11,
	0x8000000000001009, 0x400003dd0000130d, 0x400000f400001d0f, 0x3fffff530000150f,
	0x400003c100001b10, 0x8100000000001509, 0x400003d100001711, 0x8100000000001709,
	0x400003ed00001911, 0x400002820014aa0a, 0x8000000000001a09, 0x8100000000001b09,
	0x400003e70014a80d, 0x400004030014aa09, 0x8100000000001e09, 0x4000027d0000200d,
	0x400000e30000220f, 0x400029fb00002d09, 0x4000012c0000240c, 0x400015fb00002a09,
	0x400009590014aa09, 0x4000013c0000260c, 0x8100000000002609, 0x3fffffc30000280f,
	0x3fffffbd0014a80f, 0x8000000000002909, 0x400001b100002b0d, 0x8000000000002b09,
	0x400001b20014a80b, 0x400002b90014a810, 0x8000000000002e09, 0x4000024b0000300c,
	0x40000b2100003209, 0x400002ef00004610, 0x3ffffff40000340e, 0x400001ee00003a0c,
	0x8000000000003409, 0x400004fa0000360a, 0x8100000000003609, 0x4000008d0000380c,
	0x8100000000003809, 0x400001b60014a80e, 0x400001bb00003c0e, 0x4000013f0000420f,
	0x8000000000003c09, 0x4000192000003e09, 0x400001a90000400d, 0x8000000000003f09,
	0x400001d70014aa0e, 0x8000000000004109, 0x400012650014aa09, 0x400002150000440c,
	0x400002400014a80d, 0x8100000000004509, 0x4000028900004810, 0x400003cd00004e0c,
	0x400003d400004a11, 0x400002fb00004c0e, 0x8000000000004a09, 0x400032310014aa0a,
	0x8100000000004c09, 0x4000029a0014aa10, 0x4000034500005010, 0x400003e00000600e,
	0x400002d20000520e, 0x40000ac900005a0a, 0x8000000000005209, 0x400011eb00005409,
	0x8100000000005409, 0x400000b60000560f, 0x8100000000005609, 0x4000033300005811,
	0x8000000000005809, 0x40000f640014a80a, 0x8100000000005a09, 0x4000016400005c0f,
	0x40001e2600005e09, 0x400002c60014a811, 0x400000db0014a80b, 0x8000000000005f09,
	0x400003d00000620d, 0x3fffffeb0000640f, 0x400003fa0014aa11, 0x400000fb0014a80f,
	0x400002260014aa0a, 0x8100000000006509, 0x4000037600006711, 0x400002060000690c,
	0x4000027c0000840c, 0x400001ee00006b0c, 0x40002ad800007509, 0x400003af00006d0a,
	0x400012650014aa09, 0x8100000000006d09, 0x4000015c00006f0b, 0x4000014f0014a80b,
	0x400001740000710c, 0x8000000000007109, 0x4000022b00007311, 0x4000025b0014aa0b,
	0x8000000000007409, 0x400002a00000770c, 0x4000021700007a0c, 0x4000035900007910,
	0x4000174a0000800a, 0x4000023f00007e0c, 0x8100000000007a09, 0x4000019000007c0d,
	0x400003240014a80e, 0x8000000000007d09, 0x8100000000007e09, 0x400003450014a811,
	0x400001220000820f, 0x400001380014aa0b, 0x400000db0014a80b, 0x8100000000008309,
	0x400005010000860a, 0x4000000a00008c0f, 0x40000caa0014aa09, 0x400002ae0000880d,
	0x4000018900008a0c, 0x8100000000008909, 0x8000000000008a09, 0x400003c70014aa11,
	0x400003cb00008e0c, 0x400001aa0000940b, 0x8100000000008e09, 0x400002200000900a,
	0x8100000000009009, 0x400003e10000920c, 0x8000000000009209, 0x400003f30014a811,
	0x400023d300009609, 0x8000000000009509, 0x400003d90000980c, 0x4000266d0014a809,
	0x40000b4400009a0a, 0x4000005f00009f0b, 0x8100000000009a09, 0x4000030d00009c0c,
	0x400003a70014aa11, 0x4000034900009e10, 0x400003db0014aa11, 0x8100000000009f09,
	0x400003cc0000a10d, 0x810000000000a109, 0x400003ed0000a309, 0x810000000000a309,
	0x400000210014ac0f, 0x4000029e0000a60c, 0x400001930000a80b, 0x400002950000b611,
	0x400002db0000aa11, 0x400009590000ae09, 0x800000000000aa09, 0x400020130000ac09,
	0x4000010f0014a80e, 0x800000000000ad09, 0x810000000000ae09, 0x400010d80000b00a,
	0x400010370000b20a, 0x800000000000b109, 0x400002090000b40c, 0x810000000000b309,
	0x800000000000b409, 0x4000090a0014a80a, 0x4000013e0000b80f, 0x400000230000ba0f,
	0x800000000000b809, 0x400002ef0014aa0c, 0x400003dd0000bc0d, 0x400022aa0000c609,
	0x400003850000be10, 0x810000000000bd09, 0x400006270000c009, 0x400003e70000c20e,
	0x810000000000c009, 0x400007450014a809, 0x3fffffae0000c40f, 0x810000000000c309,
	0x400003d40014aa0d, 0x800000000000c509, 0x400002f60000c810, 0x400003830000d40c,
	0x400002eb0014aa10, 0x400003d30000ca0d, 0x400001520000cc0f, 0x400003d40000ce0d,
	0x4000014e0014aa0f, 0x810000000000cd09, 0x800000000000ce09, 0x4000078e0000d009,
	0x400003e10000d20e, 0x800000000000d109, 0x4000007b0014a80f, 0x810000000000d309,
	0x4000032e0000d611, 0x810000000000d509, 0x800000000000d609, 0x4000356d0000d809,
	0x4000031a0000da10, 0x810000000000d909, 0x800000000000da09, 0x400003530014aa0d,
	0x4000028a0000dd0d, 0x4000098f0000df09, 0x400023b90000fb09, 0x810000000000df09,
	0x4000015a0000e10f, 0x4000039c0000e310, 0x400026f00000f309, 0x4000015b0000e50b,
	0x4000030a0000ef0e, 0x400000860014a80f, 0x400001ca0000e70e, 0x800000000000e709,
	0x400001d00000e90e, 0x810000000000e909, 0x4000031d0000eb0e, 0x400000fe0000ed0f,
	0x400002a20014a810, 0x800000000000ed09, 0x400001e10014a80d, 0x400001000000f10c,
	0x810000000000f009, 0x800000000000f109, 0x4000001d0014aa0f, 0x400003440000f510,
	0x800000000000f409, 0x400009470000f70a, 0x810000000000f609, 0x800000000000f709,
	0x40001be30000f909, 0x810000000000f909, 0x4000243f0014a809, 0x400001970000fd0b,
	0x4000038f0001170d, 0x4000005c0000ff0f, 0x800000000000fe09, 0x400003ba00010109,
	0x4000031000010d11, 0x8100000000010109, 0x400003e00001030d, 0x400004bf00010509,
	0x8100000000010409, 0x400003cb0001070c, 0x400009dc0001090a, 0x8100000000010709,
	0x400001f20014aa0a, 0x400003dc00010b0c, 0x8000000000010a09, 0x400003860014a810,
	0x8000000000010c09, 0x40000d5a00010f0a, 0x40001cea00011309, 0x8100000000010f09,
	0x4000033a0001110e, 0x8100000000011109, 0x4000217b0014a809, 0x400003e70001150d,
	0x40001d2c0014a809, 0x8100000000011509, 0x400003eb0014a80d, 0x400002e600011911,
	0x8100000000011809, 0x8000000000011909, 0x4000038300011b0c, 0x4000034b0014aa11,
	0x8100000000011c09, 0x400002ba00011e0e, 0x400004200001200a, 0x4000032c00012f11,
	0x400001b40001220b, 0x40000c1100012409, 0x8100000000012209, 0x400003af0014aa0a,
	0x400005f70014a80a, 0x400001330001260c, 0x8000000000012609, 0x400011900001280a,
	0x400009900001290a, 0x8000000000012909, 0x400000c000012b0f, 0x400001c700012d0e,
	0x400001a70014a80e, 0x8100000000012d09, 0x400003b20014a811, 0x40000a600001310a,
	0x400001890001390b, 0x400002f80014a810, 0x4000294400013309, 0x400001400001350b,
	0x400003980001370d, 0x4000142c0014a80a, 0x400002ed0014a80e, 0x8000000000013709,
	0x4000020b0014aa0f, 0x4000004000013b0f, 0x4000035a0014aa11, 0x400003b200013d09,
	0x40000e810001470a, 0x8100000000013d09, 0x400003c800013f10, 0x400003eb0001410e,
	0x8000000000014009, 0x400003d10001430d, 0x8000000000014209, 0x8100000000014309,
	0x400003e10001450e, 0x8000000000014509, 0x3fffff7d0014a80f, 0x400003e70001490d,
	0x400001370001510b, 0x4000005800014b0f, 0x400003ec0014a80c, 0x400003d90014aa0e,
	0x400003d000014d0d, 0x8100000000014d09, 0x400003dd00014f11, 0x400003f20014aa10,
	0x8100000000015009, 0x4000012a0001520f, 0x8000000000015209, 0x40000efc0014a80a,
	0x4000028c0001550e, 0x4000020c0001570b, 0x400001210001650f, 0x400003bb0001590a,
	0x400008a500016109, 0x8100000000015909, 0x4000019400015b0b, 0x4000334400015d09,
	0x400001eb00015e0d, 0x400000ae0001600f, 0x8000000000015e09, 0x400001ee0014a80c,
	0x4000003a0014aa0f, 0x8100000000016109, 0x400001ce0001630e, 0x8000000000016309,
	0x400001dc0014aa0e, 0x4000029400016711, 0x400001fd00017211, 0x8000000000016709,
	0x400003cc0001690d, 0x4000028a00016b10, 0x4000005800017c0b, 0x8000000000016b09,
	0x4000034c00016d0c, 0x400000d800016f0b, 0x8100000000016e09, 0x8000000000016f09,
	0x4000421f00017109, 0x400003a700017a0e, 0x8000000000017209, 0x400002b000017410,
	0x400003350001760e, 0x4000203400017809, 0x400002660014aa0f, 0x8000000000017709,
	0x8100000000017809, 0x400011b40014a80a, 0x400003ad0014ae11, 0x8000000000017b09,
	0x400002180014aa0a, 0x400003de00017e0d, 0x400001bb00017f0a, 0x8100000000017f09,
	0x400003da0001810d, 0x8000000000018109, 0x400003dc0001830d, 0x400000730014aa0b,
	0x8000000000018409, 0x4000028a0001860d, 0x400002810001880c, 0x40001ee10001a209,
	0x400003d300018a0a, 0x400002f000019a0c, 0x8100000000018a09, 0x40000b7600018c09,
	0x400000fa00018e0d, 0x400001c80001900e, 0x400001a60014aa11, 0x8100000000018f09,
	0x8000000000019009, 0x400001d00001920e, 0x4000026e0014aa0b, 0x40001fe200019409,
	0x400016d100019609, 0x8000000000019509, 0x4000022b0001980e, 0x400001f10014aa0b,
	0x4000124c0014b009, 0x8000000000019909, 0x40000bcd00019c0a, 0x400001790001a00b,
	0x400000ea00019e0f, 0x8000000000019d09, 0x8100000000019e09, 0x400002850014a80d,
	0x810000000001a009, 0x400001be0014a80b, 0x400000660001a40f, 0x400003540001a70e,
	0x400003fd0001a611, 0x400002500001aa11, 0x40000a4a0001be09, 0x800000000001a709,
	0x400003590001a90d, 0x400003b10001b80e, 0x800000000001aa09, 0x400003cd0001ac0c,
	0x40001b1d0001ae09, 0x4000035b0001b011, 0x810000000001ae09, 0x400003a60014a810,
	0x800000000001b009, 0x400003ec0001b20e, 0x400003e70001b40d, 0x810000000001b309,
	0x400003dc0001b60c, 0x800000000001b509, 0x810000000001b609, 0x400003dd0014a80c,
	0x400034110001ba09, 0x800000000001b909, 0x810000000001ba09, 0x400056480001bc09,
	0x400002d50014aa0d, 0x800000000001bd09, 0x400001f20001c00a, 0x800000000001bf09,
	0x810000000001c009, 0x400003da0001c20c, 0x400003d40001c40e, 0x400003e10001c60c,
	0x810000000001c409, 0x400003dc0014a80e, 0x800000000001c609, 0x400003f80014aa11,
	0x400002770001c90d, 0x400002810001cb0c, 0x400002c60001d60c, 0x4000082f0001cd09,
	0x4000101f0001d00a, 0x810000000001cd09, 0x400002e10001cf0f, 0x400003a60001d210,
	0x810000000001d009, 0x400001aa0014a80f, 0x800000000001d209, 0x400003ae0001d410,
	0x3fffffd30014a80f, 0x800000000001d509, 0x400002fe0001d811, 0x400003230001dc11,
	0x4000015b0001da0f, 0x400001d10014aa0b, 0x400003080014a80d, 0x400002af0014aa0c,
	0x400003740001de0c, 0x400000400001e70f, 0x40000d5a0001e00a, 0x800000000001df09,
	0x810000000001e009, 0x400019c30001e20a, 0x400012d50001e40a, 0x800000000001e309,
	0x400002b10001e511, 0x810000000001e509, 0x4000012f0014a80b, 0x400003df0001e90d,
	0x4000028b0001f110, 0x400000890001eb0b, 0x810000000001ea09, 0x400003ba0001ed11,
	0x400002860014aa0a, 0x810000000001ed09, 0x400003da0001ef0d, 0x800000000001ef09,
	0x400000230014aa0f, 0x800000000001f109, 0x400002b90001f30d, 0x400002b50014aa0d,
	0x810000000001f409, 0x400002810001f60c, 0x40000c110001f809, 0x400002ad00020610,
	0x400003880001fa10, 0x400001750001fc0d, 0x810000000001fa09, 0x400001800014aa0b,
	0x800000000001fc09, 0x400003f40001fe10, 0x400019cb00020009, 0x810000000001ff09,
	0x4000022b00020211, 0x8000000000020109, 0x8100000000020209, 0x400001e90002040e,
	0x8100000000020409, 0x40000bda0014a80a, 0x4000136a00020809, 0x4000028600020a11,
	0x4000023f0014aa0d, 0x8000000000020909, 0x4000128a0014aa09, 0x4000008500020c0b,
	0x400003d000020e0d, 0x40000b390002110a, 0x400000270002100f, 0x400000660002190f,
	0x400003e60014aa11, 0x8100000000021109, 0x4000034900021310, 0x400001fc0002150f,
	0x40000b880002170a, 0x8100000000021509, 0x400003bb0014a80e, 0x8000000000021709,
	0x4000013c0014a80f, 0x4000003100021b0f, 0x4000036a0002200a, 0x400003d700021c0d,
	0x8000000000021c09, 0x400003cd00021e10, 0x8100000000021e09, 0x400002000014aa0a,
	0x8100000000022009, 0x400000660014aa0b, 0x4000036f00022311, 0x400002880002250c,
	0x4000027c0002390c, 0x400003bb0002270a, 0x400002c300023510, 0x8100000000022709,
	0x400002710002290d, 0x400001c800022b0e, 0x4000015b0002310f, 0x400008e60014aa09,
	0x400001cc00022d0e, 0x8100000000022d09, 0x4000124c00022f09, 0x4000121c0014a809,
	0x8000000000023009, 0x40000acb0002330a, 0x8100000000023209, 0x400001760014a80b,
	0x8000000000023409, 0x400011230014aa0a, 0x400003a50002370e, 0x8100000000023709,
	0x400003830014a80c, 0x4000017000023b0b, 0x4000005b00023d0f, 0x400000b70014aa0f,
	0x400007650014aa09, 0x400001e300023f0a, 0x400023d300024909, 0x8100000000023f09,
	0x400003f900024109, 0x8000000000024109, 0x4000027a0002430a, 0x400004a900024509,
	0x400003d20002470e, 0x8100000000024509, 0x400003da0014a80d, 0x400000370014aa0f,
	0x8000000000024809, 0x4000006e00024b0b, 0x4000032f0002520d, 0x4000038200024d10,
	0x40001cea00025009, 0x8000000000024d09, 0x400000e700024f0f, 0x400000ca0014aa0f,
	0x8100000000025009, 0x40000f7a0014a80a, 0x4000343e0014a809, 0x8100000000025309,
	0x400002c60002550c, 0x40000c1100025709, 0x400002ad00027010, 0x400001240002590c,
	0x400001ee00025c0c, 0x4000082f00025a09, 0x8100000000025a09, 0x4000014f0014a80e,
	0x400001a400025e0c, 0x40000f4a0002680a, 0x400002b300026011, 0x400003ac00026410,
	0x8000000000026009, 0x400001ac0002620e, 0x8000000000026209, 0x400001c30014aa0e,
	0x400001af0002660c, 0x8100000000026509, 0x400001bb0014a80e, 0x8000000000026709,
	0x4000022f00026a0d, 0x400001be00026e0f, 0x4000023f0014a810, 0x4000016b00026c0f,
	0x4000035d0014a811, 0x8100000000026d09, 0x8000000000026e09, 0x4000025e0014aa0c,
	0x400003a000027211, 0x40000b390002760a, 0x4000028f00027410, 0x400000c30014a80f,
	0x8000000000027409, 0x400001520014a80d, 0x400003d50002780e, 0x40000ddc00028609,
	0x8100000000027809, 0x400003d000027a0d, 0x8100000000027a09, 0x400003e100027c0e,
	0x4000037600027e10, 0x4000004d0002820b, 0x8100000000027e09, 0x400003d90002800d,
	0x400003f50014a811, 0x8100000000028109, 0x400003db00028410, 0x8100000000028309,
	0x400003ee0014a80c, 0x8100000000028509, 0x8000000000028609, 0x4000031f00028810,
	0x400003020014aa10, 0x400002e500028a11, 0x400003490014a80d, 0x4000035200028c10,
	0x400003db0014aa11, 0x8100000000028d09, 0x4000028c00028f0e, 0x400003bb0002910a,
	0x4000031000029d11, 0x8100000000029109, 0x4000023a0002930c, 0x400002e10002950f,
	0x400001fc0014a80d, 0x400001580002970b, 0x8100000000029609, 0x4000014b0014a80b,
	0x4000021f0002990e, 0x400009590014aa09, 0x400000e300029b0f, 0x8000000000029b09,
	0x400001e30014a80d, 0x4000163a00029f09, 0x40001eb70002a70a, 0x400007a50014a80a,
	0x40000b780002a10a, 0x810000000002a109, 0x400002970002a30d, 0x400002e30014a80c,
	0x400002f10002a511, 0x800000000002a509, 0x4000036c0014aa0e, 0x400003cd0002a90c,
	0x400003b80014a811, 0x40002d670002ab09, 0x400003fd0002af11, 0x400002820002ad0c,
	0x800000000002ac09, 0x40000a520014aa0a, 0x810000000002ae09, 0x400003db0002b111,
	0x400003e70014a80e, 0x3fffffee0002b30f, 0x4000037b0002b910, 0x4000006e0014aa0b,
	0x400000f70002b50b, 0x400003e00002b70e, 0x800000000002b609, 0x400000630014a80b,
	0x810000000002b809, 0x400003670014aa0a, 0x400000610002bb0f, 0x400002810014aa0a,
	0x810000000002bc09, 0x400003750002be11, 0x40000be60002c009, 0x4000012c0002dd0c,
	0x4000027e0002c20c, 0x4000030f0002c50e, 0x400003bb0002c30a, 0x810000000002c309,
	0x400000e20014a80f, 0x400002d30002c70d, 0x400002e80002cc0c, 0x400001930002c90b,
	0x400002db0002db0e, 0x400027e90002cb09, 0x400001360002cf0c, 0x4000025f0014aa0e,
	0x800000000002cc09, 0x400003a30002ce0e, 0x4000024e0002d310, 0x800000000002cf09,
	0x400002bc0002d10b, 0x800000000002d109, 0x4000026d0014a810, 0x800000000002d309,
	0x400000f10002d50f, 0x400003310014a80e, 0x400000bc0002d70b, 0x400017d20014aa09,
	0x400003890002d90d, 0x810000000002d909, 0x400003a40014a80d, 0x810000000002db09,
	0x400011a40014aa0a, 0x3ffffebc0014aa0f, 0x400040ea0002df0a, 0x400000660002e10f,
	0x800000000002e009, 0x400003960002e310, 0x400002500002ef0d, 0x400003df0002e50e,
	0x400003e00002e90e, 0x400003cc0002e70c, 0x400003df0014a80d, 0x810000000002e709,
	0x4000021c0014aa0a, 0x400003d80002eb0e, 0x810000000002ea09, 0x400003d10002ed0e,
	0x400001f70014aa0a, 0x810000000002ed09, 0x400003fc0014aa11, 0x4000022f0002f10d,
	0x400003f30002f310, 0x4000039d0014a811, 0x800000000002f209, 0x400000e90002f50f,
	0x400003f40002f810, 0x400003580002f60a, 0x810000000002f609, 0x400003920014aa0c,
	0x400003c60014aa0c, 0x810000000002f909, 0x400002ba0002fb0e, 0x400002060002fd0c,
	0x400024d900031209, 0x40000b210002ff09, 0x4000025d00030e0e, 0x400000d50003010c,
	0x400001780003030d, 0x8100000000030109, 0x400001b70014aa0b, 0x400001b40003050e,
	0x3fffffc90003090f, 0x8000000000030509, 0x4000112a0003070a, 0x400000d50014aa0d,
	0x8000000000030809, 0x400002340014aa11, 0x4000126500030b09, 0x400001d800030c0d,
	0x8000000000030c09, 0x40000af60014a80a, 0x400001e10014a810, 0x4000015b0003100f,
	0x8000000000031009, 0x4000021b0014aa0b, 0x400001940003140b, 0x4000012300032d0b,
	0x4000000d0003160f, 0x40000c5900032b0a, 0x4000034200031809, 0x400002f500032010,
	0x8100000000031809, 0x400004a600031a09, 0x8000000000031a09, 0x400003c500031c11,
	0x8100000000031c09, 0x400003ca00031e0e, 0x8100000000031e09, 0x3fffffce0014a80f,
	0x4000052e0014aa0a, 0x400000660003220f, 0x400000640003240b, 0x40000d8f0003250a,
	0x400003e30014a80c, 0x8100000000032509, 0x400002fd0003270c, 0x8000000000032709,
	0x400003bd0003290e, 0x4000199a0014b209, 0x400001ba0014a80f, 0x8000000000032b09,
	0x400001a50014aa0d, 0x4000012a0014a80f, 0x400064f000032f0a, 0x400002e600033111,
	0x8100000000033009, 0x8000000000033109, 0x4000030a00033311, 0x8100000000033309,
	0x400003340003350c, 0x4000032e0014a811, 0x8000000000033609, 0x400001660003380b,
	0x400032c400033a09, 0x400002f200035f0c, 0x4000003600033c0f, 0x400003b00003590e,
	0x400003cb00033e0c, 0x400002ad00034310, 0x400003010014a811, 0x400003e10003400c,
	0x4000041d00034209, 0x4000004d0003570b, 0x400003d500035510, 0x8000000000034309,
	0x40000ac90003450a, 0x400003d00003470d, 0x400002ed00034d11, 0x8100000000034709,
	0x400000610003490f, 0x8000000000034909, 0x400003f300034b10, 0x8100000000034b09,
	0x400003e90014a811, 0x8000000000034d09, 0x400003c600034f0d, 0x40001d0000035109,
	0x8000000000035009, 0x8100000000035109, 0x4000013b0003530f, 0x8000000000035309,
	0x4000034a0014b410, 0x8100000000035509, 0x400000640014a80b, 0x400003e70014a80d,
	0x8100000000035809, 0x4000032700035b11, 0x8100000000035a09, 0x8000000000035b09,
	0x400003b600035d10, 0x400003570014aa0d, 0x8000000000035e09, 0x400004370003610a,
	0x400001e80003700b, 0x3fffffbd0014a80f, 0x400003780003630d, 0x400008e600036409,
	0x8100000000036409, 0x4000030b0003660f, 0x400001840003680b, 0x8100000000036709,
	0x4000032500036a10, 0x400001ce00036c0e, 0x8000000000036a09, 0x400002b90014aa0e,
	0x8000000000036c09, 0x3fffffc900036e0f, 0x400001c00014b60d, 0x8000000000036f09,
	0x4000028500037210, 0x8000000000037109, 0x400003220014aa0e, 0x8100000000037309,
	0x400002810003750c, 0x400003ac0003770a, 0x400001cc00038f0b, 0x8100000000037709,
	0x400002710003790d, 0x400008e600037b09, 0x4000012400038a0f, 0x8100000000037b09,
	0x400003aa00037d10, 0x400012cd00037f09, 0x4000021f0003880f, 0x4000019b0003810c,
	0x4000016b0003840c, 0x8000000000038109, 0x400001ee0003830d, 0x40000c780014aa0a,
	0x8000000000038409, 0x400019a100038609, 0x400002240014a80b, 0x8000000000038709,
	0x400003ae0014aa10, 0x8100000000038909, 0x4000028000038b0d, 0x8100000000038b09,
	0x4000033900038d11, 0x8000000000038d09, 0x400002b80014aa0d, 0x4000028800039010,
	0x8000000000039009, 0x400000400003920f, 0x400003e00003940e, 0x4000029600039a0c,
	0x400003d20003960d, 0x4000002d0014aa0f, 0x3ffffff30003980f, 0x8000000000039709,
	0x8100000000039809, 0x4000038e0014aa0c, 0x40001dea0014aa09, 0x4000031000039c11,
	0x4000123200039e09, 0x400000610003a00b, 0x8100000000039e09, 0x400001760014a80b,
	0x400000660003a20f, 0x40001d000003a509, 0x800000000003a209, 0x400003e00003a40e,
	0x400003dc0014aa0c, 0x810000000003a509, 0x40001d4a0003a709, 0x800000000003a709,
	0x400003460014b811, 0x400002770003aa0c, 0x40000b760003ac09, 0x400023fb0003b809,
	0x3fffffa90014a80c, 0x4000640c0003ae0a, 0x400002dc0003b00f, 0x400066f40014aa0a,
	0x400001b40003b20e, 0x810000000003b109, 0x800000000003b209, 0x400001780003b40c,
	0x400002030014a80b, 0x40000e220003b60a, 0x40000b560014a80a, 0x800000000003b709,
	0x400003cd0003ba0d, 0x400002c90003bf10, 0x400002880003bc10, 0x400000660003d10f,
	0x4000136a0003be09, 0x40000ac90003c30a, 0x400001eb0014aa0b, 0x800000000003bf09,
	0x400025fe0003c109, 0x800000000003c109, 0x4000126c0014a80a, 0x4000042d0003c509,
	0x4000011e0003c70f, 0x400004250014aa09, 0x810000000003c609, 0x4000202a0003c909,
	0x400003c30003cb0d, 0x800000000003c909, 0x400003700014aa10, 0x40001d000003cd09,
	0x800000000003cc09, 0x810000000003cd09, 0x400002ce0003cf0d, 0x40001d6b0014ba09,
	0x810000000003d009, 0x400003de0003d30d, 0x400003df0003dd0e, 0x400003530003d509,
	0x3fffffe80003db0f, 0x810000000003d509, 0x400000600003d70b, 0x400003e20014a80e,
	0x400003d10003d90c, 0x400003800014a810, 0x800000000003da09, 0x400003eb0014aa0e,
	0x810000000003dc09, 0x400003f10014aa10, 0x810000000003de09, 0x400002b40003e00e,
	0x40000a900003e209, 0x4000017a0003f50b, 0x400001600003e40c, 0x400001360003e60c,
	0x400000e60014aa0f, 0x810000000003e509, 0x4000045b0003e80a, 0x400003f40003ea10,
	0x40000aee0014a809, 0x800000000003e909, 0x400001380003eb0c, 0x810000000003eb09,
	0x40000b2b0003ed0a, 0x400002230003ef11, 0x400001d60003f10e, 0x810000000003ef09,
	0x400012a50014a809, 0x4000022e0003f311, 0x800000000003f209, 0x400001890014aa0d,
	0x800000000003f409, 0x4000024b0003f70c, 0x4000031c00041011, 0x800000000003f709,
	0x400002e10003f911, 0x400003460014aa0e, 0x400000230003fb0f, 0x400003e10003fd0e,
	0x400022aa00040509, 0x400003f10003ff10, 0x4000004e0004030b, 0x400000810004010b,
	0x8100000000040009, 0x8000000000040109, 0x400006270014aa09, 0x4000004b0014aa0b,
	0x8100000000040409, 0x4000028a00040710, 0x4000014600040c0b, 0x8000000000040709,
	0x400000610004090b, 0x4000006000040a0b, 0x8100000000040a09, 0x400003d10014aa0d,
	0x400003af00040e0e, 0x8000000000040d09, 0x8100000000040e09, 0x400018a00014a80a,
	0x400014ab0004120a, 0x4000033e0004170e, 0x8100000000041209, 0x4000017600041410,
	0x8100000000041409, 0x400000a80004160f, 0x400003720014a80e, 0x8000000000041709,
	0x400002980014a810, 0x4000015a00041a0b, 0x400002c200041c0e, 0x4000028400043b0d,
	0x400001450014a80b, 0x4000000a00041e0f, 0x400003cb0004200c, 0x4000028b00042810,
	0x8100000000042009, 0x4000033800042209, 0x8100000000042209, 0x400003ba00042411,
	0x8100000000042409, 0x400005a400042609, 0x8000000000042609, 0x400005f90014aa09,
	0x8000000000042809, 0x400002dd00042a11, 0x4000012500042c0b, 0x400003d900042e0c,
	0x8000000000042c09, 0x40001be60014aa0a, 0x4000034500043010, 0x400003e10004370e,
	0x400003a80004320e, 0x400002c70004340c, 0x8100000000043209, 0x4000196d0014aa09,
	0x40001f6700043509, 0x8100000000043509, 0x400003970014aa10, 0x400000640014a80b,
	0x400000f40004390f, 0x400003890014a810, 0x8100000000043a09, 0x40000c1100043d09,
	0x400002b700044810, 0x4000031c00043f11, 0x400001490004410d, 0x8100000000043f09,
	0x400003a10014aa0a, 0x8000000000044109, 0x4000014f0004430d, 0x8100000000044309,
	0x400003ac00044510, 0x4000022a0004470e, 0x8100000000044609, 0x4000021f00044e0e,
	0x8000000000044809, 0x4000024a00044a11, 0x400001210014a80f, 0x4000016a00044c0b,
	0x4000025d0014aa0c, 0x8100000000044d09, 0x4000197a00045009, 0x8100000000044f09,
	0x3fffffd90014aa0f, 0x8000000000045109, 0x400001780004530b, 0x400002a30004550c,
	0x400003d300046b0a, 0x40001eea00045709, 0x400002a200045810, 0x4000009e0004870f,
	0x8000000000045809, 0x4000000a00045a0f, 0x400003cb00045c0c, 0x40000b390004640a,
	0x8100000000045c09, 0x400003da00045e0d, 0x8000000000045e09, 0x4000058200046009,
	0x3fffffe10004620f, 0x8000000000046109, 0x8100000000046209, 0x400002ea0014aa09,
	0x400003d00004660d, 0x400002ed00047f11, 0x8100000000046609, 0x400003d20004680d,
	0x400002ed0014a80a, 0x400003de00046a0e, 0x400003dc0014aa0e, 0x8100000000046b09,
	0x400002b200046d0e, 0x400002dc00046f0f, 0x400002c800047b10, 0x4000022700047111,
	0x8100000000047009, 0x8000000000047109, 0x4000022900047311, 0x4000197a0014aa09,
	0x4000000a0004750f, 0x8000000000047509, 0x400001b00004770e, 0x8000000000047709,
	0x4000039d00047910, 0x400001f10014bc0d, 0x400003b90014aa10, 0x400001b900047d0f,
	0x8100000000047c09, 0x8000000000047d09, 0x400003530014aa0c, 0x8000000000047f09,
	0x4000010c0004810f, 0x8000000000048109, 0x400003de00048311, 0x8100000000048309,
	0x400003a40004850c, 0x8100000000048509, 0x400002f40014a80f, 0x400001ab0014aa0d,
	0x8100000000048809, 0x400002c200048a0e, 0x400003a600048c10, 0x400001660004a20b,
	0x4000041d00048e0a, 0x40000b7600049509, 0x400001c10004900b, 0x400008e600049209,
	0x8100000000049009, 0x400000d30014aa0e, 0x8100000000049209, 0x400002a00004940c,
	0x4000015b00049b0b, 0x8100000000049509, 0x4000010f0004970c, 0x8000000000049709,
	0x400003dd00049910, 0x8100000000049909, 0x400001b10014a80c, 0x400014520014aa0a,
	0x400001ed00049d0b, 0x400000f000049e0f, 0x8000000000049e09, 0x400001b10004a00d,
	0x800000000004a009, 0x400001360014aa0f, 0x400002e70004a411, 0x400002f20004ba10,
	0x400011490014aa09, 0x400003cc0004a60c, 0x400022bc0004a809, 0x4000000a0004b20f,
	0x400003110004aa11, 0x400025fe0004ae09, 0x400002c10014a80c, 0x40001d000004ac09,
	0x810000000004ac09, 0x40000f7a0014a80a, 0x800000000004ae09, 0x400012d60004b00a,
	0x40002d670014aa09, 0x810000000004b109, 0x400001d40004b40a, 0x4000035b0004b611,
	0x810000000004b409, 0x3fffff7f0014aa0f, 0x800000000004b609, 0x400001060004b80f,
	0x400002750014aa0a, 0x810000000004b909, 0x400003e20004bc11, 0x400001690014a80b,
	0x400012a90004be09, 0x810000000004bd09, 0x400002eb0014aa10, 0x400002170004c00c,
	0x40003e780014a80a, 0x800000000004c109, 0x40000c8e0004c309, 0x400000660004c50f,
	0x4000028e0004db0e, 0x400001d50004c70a, 0x400001240004d50c, 0x810000000004c709,
	0x400003cb0004c90c, 0x400001c60004cb0d, 0x400003c40004cf10, 0x400000be0004cd0d,
	0x810000000004cc09, 0x400008190014aa09, 0x800000000004ce09, 0x400003920004d110,
	0x800000000004d009, 0x3fffffce0004d30f, 0x810000000004d209, 0x400003e90014a80e,
	0x4000027e0014aa0a, 0x4000023f0014aa11, 0x400002f80004d711, 0x400000aa0014a80f,
	0x400004140004d909, 0x400002770014aa0a, 0x810000000004da09, 0x400001ce0004dd0e,
	0x40001c7e0004df0a, 0x800000000004dd09, 0x400001d00014aa0e, 0x400002900004e110,
	0x400075e70004ed09, 0x400003e20014a811, 0x400000960004e30f, 0x400002df0014a811,
	0x4000037e0004e50e, 0x810000000004e509, 0x4000034c0004e711, 0x4000030a0004e910,
	0x400003490004eb10, 0x400003b00014aa0c, 0x800000000004ea09, 0x400003a10014aa0c,
	0x810000000004ec09, 0x400003890004ef11, 0x810000000004ee09, 0x800000000004ef09,
	0x400002f00014a80c, 0x400002b20004f20e, 0x4000015d0004f40b, 0x400029fb00050209,
	0x40000bae0014aa0a, 0x400008e60004f609, 0x810000000004f609, 0x4000030b0004f80f,
	0x400001b10004fa0e, 0x810000000004f909, 0x800000000004fa09, 0x400003870004fc10,
	0x400000ff0004fe0f, 0x810000000004fd09, 0x800000000004fe09, 0x400013dd00050009,
	0x400001210014aa0f, 0x8000000000050109, 0x4000028200050410, 0x4000032e00051b11,
	0x400001a50014aa0d, 0x400000660005060f, 0x400003d00005080e, 0x4000030f00051211,
	0x4000087b0014aa0a, 0x400001f700050a0a, 0x400003fc0014aa11, 0x400003cb00050c0c,
	0x8100000000050c09, 0x400003c400050e10, 0x4000006d0005100b, 0x8000000000050f09,
	0x8100000000051009, 0x400003df0014a80d, 0x4000033c0005140c, 0x4000251d00051909,
	0x4000021500051511, 0x8000000000051509, 0x40000a7900051709, 0x8000000000051709,
	0x400002a10014a80d, 0x8100000000051909, 0x400025fe0014a809, 0x4000032600051d0c,
	0x8100000000051c09, 0x8000000000051d09, 0x400003380014aa0c, 0x400002810005200c,
	0x40000a9000052209, 0x4000028900052a10, 0x400004fa0005240a, 0x400002f00005280e,
	0x8100000000052409, 0x4000022900052611, 0x8100000000052609, 0x40000a1d0014a809,
	0x8000000000052809, 0x400000fd0014a80f, 0x4000136a00052c09, 0x40000acd00052e0a,
	0x400001330014a80f, 0x8000000000052d09, 0x400003cc0005300c, 0x400002f400053a11,
	0x8100000000053009, 0x4000000e0005320f, 0x400003b200053409, 0x4000059c00053809,
	0x8100000000053409, 0x400003da0005360d, 0x8000000000053609, 0x400005f90014aa09,
	0x8100000000053809, 0x400001010014a80f, 0x8000000000053a09, 0x4000003200053c0f,
	0x8000000000053c09, 0x40000ad900053e0a, 0x8000000000053e09, 0x4000034900054010,
	0x400000cb0014a80b, 0x8100000000054109, 0x400002810005430c, 0x4000020c0005450c,
	0x4000028900054e10, 0x4000015c0005470b, 0x40000f5a00056f09, 0x400001dd0014aa0d,
	0x4000080700054909, 0x8100000000054909, 0x4000017800054b0d, 0x8000000000054b09,
	0x4000113200054d0a, 0x3fffffc90014aa0f, 0x8000000000054e09, 0x400022d100055009,
	0x400000400005520f, 0x4000011a00056d0b, 0x400003ac00055409, 0x400002aa00055d0e,
	0x8100000000055409, 0x400003dd0005560d, 0x400003cb0005580c, 0x8100000000055709,
	0x4000000b00055a0f, 0x4000006a00055c0b, 0x8100000000055a09, 0x400003c40014aa10,
	0x4000042a0014a809, 0x8000000000055d09, 0x400016a600055f09, 0x400001610005610b,
	0x4000037b0005650d, 0x400003e70005630d, 0x400003090014aa0d, 0x8100000000056309,
	0x400005cf0014aa09, 0x400003bd0005670e, 0x400003820005690d, 0x8100000000056709,
	0x400003960014a80c, 0x8000000000056909, 0x4000033a00056b11, 0x400000ff0014aa0f,
	0x8100000000056c09, 0x400000ee0014aa0b, 0x8100000000056e09, 0x400001620005710f,
	0x400001a60005730b, 0x8100000000057109, 0x4000025a0014aa0c, 0x400003a60014a810,
	0x8000000000057409, 0x400001790005760b, 0x400002bc0005780c, 0x4000042000059a0a,
	0x4000031100057a11, 0x4000032300057e11, 0x4000137e0014aa09, 0x4000006700057c0f,
	0x400000190014aa0f, 0x8100000000057d09, 0x400011eb00058009, 0x400003d70005840c,
	0x8100000000058009, 0x4000216a00058209, 0x8000000000058209, 0x400003320014a80c,
	0x400000140005860f, 0x400003e000058e0e, 0x3ffffff70014aa0f, 0x4000251d00058809,
	0x400002bd00058a0d, 0x400017000014a80a, 0x400000bf00058c0b, 0x8100000000058b09,
	0x400003ad0014a80e, 0x8100000000058d09, 0x400003dc0005900c, 0x400000820005940b,
	0x400003e800059210, 0x8000000000059109, 0x400000640014a80f, 0x8100000000059309,
	0x4000039400059610, 0x400010e10014a809, 0x400003f300059811, 0x8100000000059709,
	0x400001d40014aa0a, 0x8100000000059909, 0x4000000400059c0f, 0x4000031800059e0e,
	0x400008d80014aa09, 0x8100000000059d09, 0x400001930005a00b, 0x400002850014a810,
	0x400000f30014a80f, 0x400000ff0005a20f, 0x400001b40005a40e, 0x400001070005aa0f,
	0x800000000005a409, 0x400001bd0005a60e, 0x810000000005a609, 0x400001880005a80d,
	0x3fffffc90014aa0f, 0x800000000005a909, 0x400002860014aa0b, 0x800000000005ab09,
	0x400002810005ad0c, 0x400002750005af0d, 0x4000003f0005bf0f, 0x4000082f0005b109,
	0x400001240005bb0f, 0x810000000005b109, 0x4000015c0005b30b, 0x4000007d0005b50f,
	0x400001b40005b90e, 0x800000000005b509, 0x400000c00005b70f, 0x400001260014aa0b,
	0x810000000005b809, 0x800000000005b909, 0x400001b90014aa0e, 0x4000024b0005bd0c,
	0x400002660014aa0f, 0x400002800014aa0d, 0x400002a00014a80d, 0x400009dc0005c10a,
	0x400002e20005c911, 0x400003cf0005c30d, 0x800000000005c209, 0x810000000005c309,
	0x400003e00005c50e, 0x800000000005c509, 0x400002260005c70a, 0x810000000005c709,
	0x400003d90014aa0d, 0x4000036c0005cb0e, 0x400002ae0005d110, 0x40000e350005cd0a,
	0x800000000005cc09, 0x810000000005cd09, 0x400001be0005cf0f, 0x800000000005cf09,
	0x400002fe0014a80c, 0x4000017f0014aa0d, 0x400010790005d30a, 0x810000000005d309,
	0x4000031a0005d510, 0x400016790014a80a, 0x810000000005d609, 0x400002770005d80d,
	0x400001420005da0b, 0x400002a30005e810, 0x4000034a0014a80e, 0x400004200005dc0a,
	0x3fffff820005de0f, 0x400001c50005e00f, 0x800000000005de09, 0x4000095f0014aa09,
	0x400003a90005e210, 0x400013ce0014aa0a, 0x4000016f0005e40d, 0x400001a60005e60e,
	0x800000000005e409, 0x400001850014aa0d, 0x800000000005e609, 0x400002a10014a811,
	0x800000000005e809, 0x400001f70005ea0c, 0x800000000005ea09, 0x400000400005ec0f,
	0x400003db0005ee11, 0x40000c700005fa0a, 0x400003d00005f00d, 0x400003e90005f610,
	0x400003ba0005f211, 0x400003e00005f40e, 0x400002e60014aa0c, 0x810000000005f309,
	0x800000000005f409, 0x400003da0014a80d, 0x400003ca0005f810, 0x810000000005f709,
	0x400000300014aa0f, 0x800000000005f909, 0x400000e90005fc0f, 0x400000f20006040f,
	0x400003eb0005fe0c, 0x810000000005fd09, 0x400002fc00060010, 0x800000000005ff09,
	0x4000034c0014a80e, 0x400003e400060210, 0x8100000000060209, 0x4000008b0014a80f,
	0x4000009f0014aa0f, 0x400003ac00060610, 0x400003360006080d, 0x4000199a00060e09,
	0x4000039b00060a0e, 0x40001afc00060c09, 0x8100000000060a09, 0x400019380014be0a,
	0x400000ef0014aa0b, 0x8000000000060d09, 0x400018770014aa09, 0x8100000000060f09,
	0x40000bbe00061109, 0x400001690006130e, 0x400001ba0006210f, 0x400008e60014aa09,
	0x400000580006150f, 0x400003e00006170e, 0x8100000000061609, 0x400003cc0006190c,
	0x400003f900061d11, 0x8100000000061909, 0x400003f100061b10, 0x400003de0014a80d,
	0x8100000000061c09, 0x400003eb00061f0e, 0x8000000000061e09, 0x8100000000061f09,
	0x400003e80014a80d, 0x400001910006230b, 0x400001a20006360b, 0x4000031d0006250d,
	0x4000030100062e0e, 0x40001b2b00062709, 0x4000039300062c0e, 0x400000960006280f,
	0x8000000000062809, 0x4000011000062a0d, 0x8000000000062a09, 0x40000f770014aa0a,
	0x8100000000062c09, 0x400003690014aa0c, 0x400003ac00063010, 0x400002a200063410,
	0x8000000000063009, 0x400002bf00063211, 0x4000015a0014a80e, 0x8000000000063309,
	0x4000121b0014aa0a, 0x8100000000063509, 0x400032c900063809, 0x4000013500064210,
	0x400000b400063a0b, 0x400019a30014a80a, 0x8100000000063a09, 0x400002b900063c11,
	0x8000000000063c09, 0x400003a700063e0c, 0x8100000000063e09, 0x400002390006400d,
	0x8100000000064009, 0x400003e20014a811, 0x8100000000064209, 0x40001d420014aa09,
	0x4000028c0006450e, 0x40000a9000064709, 0x4000032300065111, 0x8100000000064709,
	0x400001680006490b, 0x40002d1e0014aa09, 0x40000c1100064b09, 0x400006ac0014a80a,
	0x400001ee00064d0c, 0x400018d600064f09, 0x400000fe0014a80f, 0x400018c30014a809,
	0x8000000000065009, 0x400009a90006530a, 0x4000006600065d0f, 0x400002c80014a810,
	0x4000020900065511, 0x8000000000065509, 0x4000031d00065711, 0x400002c50006590c,
	0x8000000000065809, 0x400002200014aa10, 0x400020d200065b09, 0x400003300014aa0c,
	0x8100000000065c09, 0x400001fc00065f0a, 0x400040ea00066b0a, 0x400003cf0006610d,
	0x400000890006630b, 0x400003d10014aa0c, 0x8100000000066209, 0x400003e00006650e,
	0x4000030c0006690c, 0x400003ee0014a810, 0x400003c700066709, 0x8000000000066709,
	0x400003eb0014aa0e, 0x400009dc0014aa0a, 0x8100000000066a09, 0x40001cea00066d09,
	0x8000000000066c09, 0x400003d000066f0d, 0x40001d2c00067509, 0x8100000000066f09,
	0x400003d10006710d, 0x8000000000067109, 0x4000038700067310, 0x400003e50014aa11,
	0x8100000000067409, 0x8000000000067509, 0x4000012a0014a80f, 0x400002ba0006780e,
	0x40000b7c00067a09, 0x4000028c00068810, 0x4000030800067c10, 0x4000021d00067e0e,
	0x400002a00014aa10, 0x8100000000067d09, 0x400001b40006800e, 0x40000e3a00068209,
	0x8000000000068009, 0x400002ae0014a80b, 0x8100000000068209, 0x4000103f0006840a,
	0x400003ac00068610, 0x8000000000068509, 0x4000022b0014aa0e, 0x8100000000068709,
	0x4000012700068a10, 0x400022bc00068c09, 0x4000033e0014a80d, 0x8000000000068b09,
	0x4000029400068e11, 0x400003270006a40c, 0x400003740014aa10, 0x400003cc0006900c,
	0x40001ccb00069209, 0x400003e00006980e, 0x40000b440006940a, 0x40001d2c00069609,
	0x8100000000069409, 0x40000b4c0014a80a, 0x8000000000069609, 0x400001af0014a80f,
	0x400003d000069a0d, 0x400003660006a010, 0x4000002700069c0f, 0x400003dc00069e0e,
	0x400003e00014aa11, 0x8100000000069d09, 0x400004430014aa09, 0x400001c10014aa0a,
	0x800000000006a009, 0x400003e70006a20d, 0x810000000006a209, 0x4000037b0014a810,
	0x4000017c0006a60b, 0x810000000006a509, 0x800000000006a609, 0x400001d60014a80d,
	0x400002880006a90c, 0x400009580006ab09, 0x4000028b0006b910, 0x810000000006ab09,
	0x400001320006ad0c, 0x800000000006ad09, 0x400003a60006af10, 0x400002270006b111,
	0x400002a10006b511, 0x800000000006b109, 0x400001860006b30b, 0x400001760014a80b,
	0x400002300014aa11, 0x800000000006b509, 0x400003c40006b710, 0x810000000006b709,
	0x400003960014a811, 0x400003d40014a811, 0x4000011b0006bb0f, 0x40000a140006bd0a,
	0x400003450006cf10, 0x400003d10006bf0e, 0x400012e80006cb09, 0x400003cb0006c10c,
	0x400003de0006c30d, 0x810000000006c109, 0x400003cb0014a80d, 0x400001f20006c50a,
	0x400003e90006c90c, 0x400003fc0014aa11, 0x400000630006c70b, 0x400003d90014aa0c,
	0x800000000006c809, 0x810000000006c909, 0x400003e90014a80d, 0x810000000006cb09,
	0x400003490006cd0d, 0x800000000006cd09, 0x4000014e0014a80b, 0x400001050006d10b,
	0x400002c20014a811, 0x4000034a0006d311, 0x810000000006d209, 0x800000000006d309,
	0x40001bd80014aa09, 0x400002820006d60c, 0x400004420006d80a, 0x40002c030006ea09,
	0x400000bd0006da0d, 0x400001ee0006dc0c, 0x810000000006da09, 0x400001580014a80e,
	0x4000082f0006de09, 0x400011860006e60a, 0x810000000006de09, 0x400003c40006e011,
	0x400001640006e20c, 0x400003ca0014aa11, 0x800000000006e209, 0x4000023b0006e40b,
	0x800000000006e409, 0x4000116f0014aa0a, 0x4000027f0014a810, 0x400002bb0006e80b,
	0x800000000006e809, 0x400002b70014a80d, 0x4000028e0006ec10, 0x400002c30014aa0d,
	0x400003d40014a811, 0x400002940006ee11, 0x400003150014aa10, 0x4000000d0006f00f,
	0x400000050006f20f, 0x400000340006f70f, 0x3fffffe80006f40f, 0x800000000006f309,
	0x400003ba0006f511, 0x810000000006f509, 0x400003e80014a80d, 0x400003b50014a80e,
	0x400016a60006f909, 0x810000000006f909, 0x400002f30006fb10, 0x400003800014aa0c,
	0x400003490006fd10, 0x400000cb0014a80b, 0x810000000006fe09, 0x400002820007000c,
	0x400002060007020c, 0x40000acd0007100a, 0x4000095900070409, 0x4000036900070c10,
	0x8100000000070409, 0x400003f500070610, 0x4000024a0007080b, 0x400001a60014aa0b,
	0x400001ea00070a10, 0x8000000000070909, 0x40002d180014aa0a, 0x8000000000070b09,
	0x400000f500070e0f, 0x8100000000070d09, 0x8000000000070e09, 0x400002470014aa0c,
	0x4000000d0007120f, 0x4000035400071f10, 0x400000740007140b, 0x400003d00007150d,
	0x4000006a00071b0b, 0x8100000000071509, 0x400003fc00071711, 0x4000026a0007190a,
	0x8000000000071809, 0x8100000000071909, 0x4000020d0014a80f, 0x3ffffff800071d0f,
	0x8000000000071c09, 0x400002260014aa0a, 0x8000000000071e09, 0x400003e300072111,
	0x400002f000072d11, 0x4000028f00072310, 0x8100000000072209, 0x8000000000072309,
	0x400002eb00072510, 0x8100000000072509, 0x400000930007270f, 0x8100000000072709,
	0x400001870007290b, 0x400003c100072b0c, 0x8100000000072a09, 0x40000b9e0014aa0a,
	0x8100000000072c09, 0x8000000000072d09, 0x40000b4c00072f0a, 0x400002c30014aa0d,
	0x8100000000073009, 0x400001670007320b, 0x40001ee100073409, 0x4000020600074f0c,
	0x4000032300073611, 0x4000016400074b0f, 0x400003460014aa0c, 0x400003d80007380c,
	0x4000002300073a0f, 0x400003dd00074211, 0x3ffffff700073c0f, 0x40000e2e00073e0a,
	0x8100000000073c09, 0x400002810014aa0e, 0x8100000000073e09, 0x400003a40007400c,
	0x8100000000074009, 0x400003b20014a80e, 0x4000005e0007440b, 0x400003e10007460e,
	0x8100000000074409, 0x400003cf0014aa11, 0x4000007b0007480b, 0x4000081700074909,
	0x400003ee0014aa11, 0x8100000000074909, 0x400001da0014a80f, 0x8000000000074b09,
	0x4000036b00074d0d, 0x8100000000074d09, 0x400003500014a810, 0x400003d200075110,
	0x4000028900075d10, 0x400008e600075309, 0x400007740014aa09, 0x8100000000075309,
	0x400001b00007550e, 0x8000000000075509, 0x400010dd0007570a, 0x400002a100075911,
	0x8000000000075809, 0x4000017e00075b0c, 0x400003010014aa11, 0x4000010c0014a80d,
	0x8000000000075c09, 0x400003d800075f11, 0x400002850007610c, 0x400003980014a80d,
	0x8100000000076009, 0x4000022f0014aa0d, 0x8100000000076209, 0x400002840007640d,
	0x4000015b0007660b, 0x40000ae40007780a, 0x40000dc30007680a, 0x4000098c00076a09,
	0x8100000000076809, 0x400002e50014a80c, 0x8100000000076a09, 0x400002fc00076c0e,
	0x4000019400076e0b, 0x400001ab0014a80b, 0x400001f90007700e, 0x400001360007720c,
	0x8000000000077009, 0x40000d620014a80a, 0x8000000000077209, 0x4000121c0007740a,
	0x400000750007760d, 0x8000000000077509, 0x8100000000077609, 0x3fffffc30014aa0f,
	0x400003d000077a0d, 0x400002e200078e11, 0x400003cd00077c0d, 0x400003e00007800e,
	0x8100000000077c09, 0x400003e600077e09, 0x400003d00014aa0c, 0x8100000000077f09,
	0x400003c400078210, 0x400000f40007880f, 0x400001d90007840a, 0x400003d80007860d,
	0x8100000000078409, 0x400000770014a80f, 0x8000000000078609, 0x4000005a0014aa0b,
	0x4000006c00078a0b, 0x8100000000078909, 0x400003eb00078c0e, 0x400003e90014aa0e,
	0x8100000000078c09, 0x400003420014aa09, 0x40000e1f0007900a, 0x40001eb70007920a,
	0x8100000000079009, 0x400064f00014a80a, 0x400000f20007940f, 0x4000014a0014aa0f,
	0x40000c380007960a, 0x40000b080007970a, 0x40000f430014a809, 0x8000000000079709,
	0x4000031f00079910, 0x8000000000079909, 0x4000016300079b0f, 0x400003660014aa0d,
	0x40000ea500079d0a, 0x40001bdb0014aa09, 0x8100000000079e09, 0x400002060007a00c,
	0x400009590007a209, 0x400017c00007ac0a, 0x810000000007a209, 0x400001320007a40c,
	0x400004420007a60a, 0x4000013c0007a80c, 0x4000010b0014a80d, 0x800000000007a709,
	0x810000000007a809, 0x400002f90007aa10, 0x800000000007aa09, 0x4000030d0014aa10,
	0x400002590007ae10, 0x400003ac0007cf10, 0x800000000007ae09, 0x400003cd0007b00d,
	0x400003440007b210, 0x400003e10007c40e, 0x4000020a0007b411, 0x400022bc0007bc09,
	0x800000000007b409, 0x400008380007b60a, 0x810000000007b609, 0x400003770007b80d,
	0x40000dbd0007ba09, 0x800000000007b909, 0x400002a60014a80d, 0x4000038c0014c011,
	0x4000000d0007be0f, 0x400003460014a811, 0x4000045e0014a809, 0x400000bb0007c00b,
	0x810000000007c009, 0x400000bc0007c20b, 0x400003840014aa0c, 0x810000000007c309,
	0x400003ab0007c609, 0x400003940007cb10, 0x810000000007c609, 0x400000fb0007c80f,
	0x400001b20007c90a, 0x810000000007c909, 0x4000038e0014a80a, 0x400003f70007cd11,
	0x810000000007cc09, 0x400003de0014a80d, 0x800000000007ce09, 0x4000021a0007d00c,
	0x810000000007d009, 0x4000032f0007d20f, 0x400002c90007d410, 0x810000000007d309,
	0x800000000007d409, 0x40003fa20014aa09, 0x4000028a0007d70d, 0x4000029e0007d90c,
	0x400002b40007ee10, 0x400003d30007da0a, 0x810000000007da09, 0x40000c110007dc09,
	0x400001620007de0b, 0x4000015b0007e20b, 0x810000000007de09, 0x400008e60007e009,
	0x810000000007e009, 0x40000bf90014a809, 0x4000007f0014a80f, 0x400001eb0007e40d,
	0x400001b10007e60e, 0x400012650007ec09, 0x800000000007e609, 0x400010dd0007e80a,
	0x4000244c0007ea09, 0x800000000007e909, 0x400010790014a80a, 0x810000000007eb09,
	0x400002990014a811, 0x800000000007ed09, 0x400002170007f00c, 0x400043f20007f409,
	0x400003290014a80d, 0x4000039c0007f211, 0x800000000007f209, 0x400003b70014aa11,
	0x40001d000007f609, 0x800000000007f509, 0x400003fd0007f811, 0x400003bf0008090d,
	0x400003de0007fa0e, 0x400003d00008050c, 0x400000740007fc0b, 0x400003e00008020e,
	0x400003eb0007fe11, 0x40000e260008000a, 0x810000000007fe09, 0x400003d00014aa0e,
	0x8100000000080009, 0x400003010014a811, 0x400001e50014aa0a, 0x400002310008040a,
	0x4000039400080710, 0x8100000000080509, 0x400003e40014a80e, 0x400000730014a80b,
	0x4000022a0014aa0a, 0x4000109d00080b0a, 0x8000000000080a09, 0x4000039e00080d0e,
	0x4000032400080f0c, 0x400002fc0014a80d, 0x8000000000080e09, 0x400001d80014aa0f,
	0x8100000000081009, 0x400001660008120b, 0x400002ac0008140e, 0x4000021300082e0c,
	0x400001b00008160d, 0x40000e5b00081a0a, 0x8100000000081609, 0x4000039c00081810,
	0x8000000000081809, 0x400001400014a80f, 0x400003d000081c0d, 0x4000031000082611,
	0x4000000d00081e0f, 0x400003e00008200e, 0x3fffffc80014aa0f, 0x4000201f0014aa09,
	0x400000fb0014a80f, 0x3fffffe80008220f, 0x3fffffe10014aa0f, 0x4000037b00082410,
	0x400003ef0014aa11, 0x8100000000082509, 0x8000000000082609, 0x400001460008280b,
	0x4000251d00082a09, 0x4000035b0014aa0c, 0x8100000000082a09, 0x4000034700082c0c,
	0x400003610014aa0e, 0x8100000000082d09, 0x4000007c0008300f, 0x40001c1100084409,
	0x4000028f00083211, 0x400001aa00083e0c, 0x8000000000083209, 0x3fffffef0008340d,
	0x8000000000083409, 0x3ffffff50008360d, 0x8100000000083609, 0x400000080008380f,
	0x8000000000083809, 0x4000042700083a0a, 0x8100000000083a09, 0x400002b600083c11,
	0x400000260014aa0f, 0x8000000000083d09, 0x4000007e0008400f, 0x400001b30008420c,
	0x400001cb0014aa11, 0x8000000000084109, 0x8100000000084209, 0x400001eb0014a80d,
	0x400001030008460f, 0x400012fd0008480a, 0x3ffffffe0014aa0f, 0x400003280014aa11,
	0x8100000000084809, 0x400002cf00084a10, 0x8000000000084a09, 0x400002b30014a811,
	0x40000cb100084d09, 0x4000001400084f0e, 0x400002d200085a0c, 0x8000000000084f09,
	0x400000130008510f, 0x400003da0008530d, 0x400003d90008540c, 0x400003cb0008580c,
	0x8100000000085409, 0x400003de0008560e, 0x400003e30014a811, 0x4000078e0014aa09,
	0x400004cf0014aa0a, 0x8000000000085909, 0x4000017800085c0d, 0x4000032c00086c11,
	0x8000000000085c09, 0x4000019000085e0d, 0x8100000000085e09, 0x400001ee0008600c,
	0x40000b560008620a, 0x400003a300086410, 0x400002600014a80e, 0x8000000000086309,
	0x400003440008660e, 0x8100000000086509, 0x4000037a00086810, 0x8000000000086709,
	0x400002c800086a0d, 0x8100000000086909, 0x4000130b0014c209, 0x400002b60014aa0c,
	0x400002f300086e10, 0x400001d80008750b, 0x8000000000086e09, 0x4000037b0008700d,
	0x4000023300087111, 0x8000000000087109, 0x400000fd0008730b, 0x400001790014a80f,
	0x8100000000087409, 0x40001eb70008770a, 0x8000000000087609, 0x400000e30008790f,
	0x4000031f0014aa0d, 0x400003090014aa0c, 0x8100000000087a09, 0x400002b400087c0e,
	0x4000044200087e0a, 0x4000014e0008910b, 0x8100000000087e09, 0x400001360008800c,
	0x400008e60014aa09, 0x400003a700088210, 0x40000c780008840a, 0x400002a100088d11,
	0x400002f800088610, 0x4000197600088c09, 0x400000fb0008880f, 0x400000ac00088a0f,
	0x8000000000088809, 0x400001210014aa0f, 0x8000000000088a09, 0x4000033a0014aa10,
	0x3fffffc30014aa0f, 0x8000000000088d09, 0x4000012b00088f0b, 0x400001830014a80c,
	0x8100000000089009, 0x40000ac30008930a, 0x400012d60008b009, 0x400003d10008950c,
	0x400001110008a70f, 0x8100000000089509, 0x400003e00008970e, 0x400003dc0008990e,
	0x400003d900089f0d, 0x400003c500089b11, 0x400003de00089d0c, 0x8000000000089b09,
	0x400003eb0014aa11, 0x8000000000089d09, 0x400004e10014aa09, 0x8100000000089f09,
	0x3fffffe80008a10f, 0x3fffffe10008a30f, 0x810000000008a209, 0x400003e50008a50e,
	0x800000000008a409, 0x4000020b0014a80a, 0x810000000008a609, 0x4000031e0014aa0e,
	0x400003490008a910, 0x400002190008aa0d, 0x810000000008aa09, 0x4000031f0008ac10,
	0x800000000008ac09, 0x40001bd80008ae09, 0x810000000008ae09, 0x40000e2e0014aa0a,
	0x4000009e0014a80f, 0x400003040008b20c, 0x400009e60008b40a, 0x400002740014a810,
	0x810000000008b409, 0x400061010014a80a, 0x4000015b0008b70b, 0x4000009b0008b90f,
	0x400003ea0008d50a, 0x400009dc0008bb0a, 0x400003370008c310, 0x400001f20008bd0a,
	0x800000000008bc09, 0x810000000008bd09, 0x400003cf0008bf0d, 0x810000000008bf09,
	0x400003e10008c10e, 0x800000000008c109, 0x400003ca0014aa10, 0x4000028a0008c510,
	0x40002c6c0008cb0a, 0x800000000008c509, 0x40001ce20008c709, 0x400002df0008c911,
	0x800000000008c809, 0x400002c60014aa11, 0x810000000008ca09, 0x400002a50008cc11,
	0x800000000008cc09, 0x40001cea0008ce09, 0x810000000008ce09, 0x400003bf0008d00d,
	0x4000013b0008d10f, 0x800000000008d109, 0x400003db0008d311, 0x810000000008d309,
	0x400000ec0014a80b, 0x400000d30008d70e, 0x400008e60008d909, 0x810000000008d709,
	0x400009ec0014aa09, 0x810000000008d909, 0x400001930008db0b, 0x400001c40008dd0e,
	0x400003800008e10e, 0x800000000008dd09, 0x40000ac80008df09, 0x800000000008df09,
	0x4000009a0014a80f, 0x4000015c0008e30f, 0x400002e50014a80c, 0x400001660008e50c,
	0x400003530008eb10, 0x800000000008e509, 0x4000116d0008e70a, 0x400010790008e90a,
	0x800000000008e809, 0x400001ee0014c40c, 0x810000000008ea09, 0x400001610008ec0f,
	0x810000000008ec09, 0x400002bd0008ee0b, 0x800000000008ee09, 0x4000030d0014aa0b,
	0x400001660008f10b, 0x400014290008f309, 0x400001ee0009130c, 0x400003d00008f50d,
	0x4000031000090511, 0x400000230008f70f, 0x400003e00008fb0e, 0x400000210008f90f,
	0x810000000008f809, 0x400003ca0014aa0c, 0x800000000008fa09, 0x4000028f0008fd0a,
	0x4000038700090310, 0x400003fb0008ff11, 0x800000000008fe09, 0x400003dd0009010e,
	0x8000000000090009, 0x8100000000090109, 0x400003db0014a80d, 0x400003e90014aa0c,
	0x8100000000090409, 0x400001a00009070f, 0x400001110009090f, 0x8000000000090709,
	0x400003580014a810, 0x40000df800090b0a, 0x4000032a00090d11, 0x40000b130014a80a,
	0x8000000000090c09, 0x4000031d0014aa11, 0x4000013f00090f0b, 0x4000034a00091110,
	0x8000000000091009, 0x400003b70014a80e, 0x8100000000091209, 0x4000035600091510,
	0x400001ed00091b0b, 0x400003af0014aa0a, 0x4000089d00091709, 0x8100000000091709,
	0x4000265d00091909, 0x8000000000091909, 0x400000610014a80c, 0x4000028200091d10,
	0x400003660009230d, 0x8000000000091d09, 0x4000097100091f0a, 0x4000027e0009210c,
	0x4000020a0014a811, 0x4000024f0014aa0e, 0x8100000000092209, 0x400009fd0014aa09,
	0x8100000000092409, 0x400002810009260c, 0x400002850009280a, 0x40001ee100093a09,
	0x8100000000092809, 0x4000016200092a0b, 0x40000c0d0014aa0a, 0x400001b400092c0e,
	0x400008e60014aa09, 0x400001d400092e0e, 0x4000017e0009300c, 0x400003c800093210,
	0x400016c70014aa0a, 0x8000000000093109, 0x400002030009340c, 0x8100000000093309,
	0x8000000000093409, 0x400002080009360d, 0x400000c10014aa0f, 0x400002990009380e,
	0x4000028f0014a80e, 0x8000000000093909, 0x400003cd00093c0d, 0x400002f00009580c,
	0x400002ef00093e10, 0x400003e000094c0e, 0x4000033900094011, 0x400001540009440b,
	0x4000032f0009420c, 0x8100000000094109, 0x400002b20014a80e, 0x8000000000094309,
	0x400000230009460f, 0x40000acf0014aa0a, 0x400003f100094811, 0x40001d0000094a09,
	0x4000092c0014aa09, 0x8000000000094909, 0x8100000000094a09, 0x400002e00014a80d,
	0x4000007600094e0b, 0x4000039500095410, 0x400001cd0009500a, 0x4000028f0014aa0a,
	0x8100000000095009, 0x400000570009520b, 0x8100000000095209, 0x400003d00014aa0c,
	0x400002230014a80f, 0x400002260009560a, 0x8100000000095609, 0x400002410014a80a,
	0x400003460014a811, 0x40001eb700095a0a, 0x400001ae00095c0b, 0x400002fd0014a810,
	0x4000032a00095e0c, 0x8000000000095d09, 0x4000014a0014a80b, 0x8100000000095f09,
	0x4000036d00096111, 0x40000bb800096309, 0x400002750009820e, 0x400001dd0009650e,
	0x4000028a0009670d, 0x400002ec0014aa11, 0x8100000000096609, 0x4000015b0009690b,
	0x4000020900097211, 0x4000014f00096b0b, 0x400002dc00096d0f, 0x400000f30014aa0b,
	0x8100000000096c09, 0x400001b100096f0e, 0x8100000000096e09, 0x8000000000096f09,
	0x4000121c0009710a, 0x4000103400097e0a, 0x8000000000097209, 0x400001400009740b,
	0x400000ec0009760b, 0x400001ee00097a0c, 0x400003de0014aa10, 0x4000034600097811,
	0x4000127f0014aa09, 0x8100000000097909, 0x8000000000097a09, 0x400002c800097c10,
	0x400001b00014a80f, 0x8100000000097d09, 0x400002850009800d, 0x8100000000097f09,
	0x400003010014c60e, 0x8100000000098109, 0x40000b210014aa09, 0x400003d10009840c,
	0x4000027c0009860c, 0x400000660009910f, 0x400002250014aa0d, 0x4000026600098810,
	0x8000000000098809, 0x3ffffffd00098a0f, 0x4000036f00098c10, 0x400002bd00098e0d,
	0x8000000000098c09, 0x3fffffc90014aa0f, 0x4000025f00098f0f, 0x8100000000098f09,
	0x40001b9b0014aa09, 0x400001d40009930a, 0x400000f40009970f, 0x8100000000099309,
	0x400003f100099511, 0x8000000000099509, 0x400003d90014a80d, 0x400002e20014aa0a,
	0x8100000000099809, 0x4000015d00099a0b, 0x400002f000099c11, 0x400004560009af0a,
	0x400002070014a80f, 0x400003cc00099e0c, 0x40000ac90009a00a, 0x400000660009a80f,
	0x810000000009a009, 0x400003580009a210, 0x40001ce60009a409, 0x400003800009a60e,
	0x810000000009a409, 0x400012d60014a80a, 0x810000000009a609, 0x400003350014a80c,
	0x400003e70009aa0d, 0x810000000009a909, 0x400002810009ac0a, 0x810000000009ab09,
	0x400003f30009ad11, 0x800000000009ad09, 0x400000530014aa0f, 0x400008d80014aa09,
	0x400001e30009b10d, 0x400001780009b30d, 0x400012650009b909, 0x400003ac0009b510,
	0x4000197a0009b709, 0x800000000009b509, 0x400003af0014aa10, 0x400002370014a80b,
	0x800000000009b809, 0x40000dbd0009bb09, 0x400000850009c20f, 0x400005ef0009bd0a,
	0x400003620009c111, 0x810000000009bd09, 0x400001760009bf0b, 0x800000000009bf09,
	0x40000cce0014aa09, 0x400009cf0014a80a, 0x800000000009c209, 0x400002590009c411,
	0x800000000009c409, 0x400002850014a810, 0x400002770009c70d, 0x4000016b0009c90b,
	0x4000028c0009d410, 0x400002470014aa0d, 0x400008e60009cb09, 0x810000000009cb09,
	0x400003ac0009cd10, 0x400003240009cf0e, 0x400003ae0014aa10, 0x400012410009d109,
	0x4000034c0014aa0e, 0x400001ee0009d20c, 0x800000000009d209, 0x400002630014aa0e,
	0x4000724e0009d609, 0x40003e730009d809, 0x800000000009d609, 0x4000019c0014a80f,
	0x400002940009da11, 0x800000000009d909, 0x400012860014aa09, 0x4000000d0009dc0f,
	0x400003da0009de0d, 0x400003450009e010, 0x400003ee0014a810, 0x810000000009df09,
	0x400003440009e210, 0x400000660009e80f, 0x4000031f0009e410, 0x800000000009e309,
	0x400003220009e60c, 0x810000000009e509, 0x40000d680014aa0a, 0x810000000009e709,
	0x400003f50009ea11, 0x400022d10009ec09, 0x810000000009ea09, 0x4000005e0014a80b,
	0x4000034a0009ee0c, 0x40000e500014a80a, 0x400003bd0014aa0e, 0x810000000009ef09,
	0x400002f20009f10e, 0x400002060009f30c, 0x40002c03000a0d09, 0x400001360009f50c,
	0x4000027f000a0511, 0x3ffffe920009f70f, 0x4000005e0009f90d, 0x3fffffc30014aa0c,
	0x4000082f0014aa09, 0x810000000009f909, 0x400003f40009fb10, 0x4000018f0009fd0d,
	0x810000000009fc09, 0x400001780009ff0b, 0x400001ee000a030c, 0x810000000009ff09,
	0x3fffffd5000a010f, 0x81000000000a0109, 0x400003300014a811, 0x80000000000a0309,
	0x400002ba0014a811, 0x80000000000a0509, 0x40000cce000a0709, 0x4000030f000a0910,
	0x4000016b000a0b0f, 0x400000920014aa0f, 0x81000000000a0a09, 0x80000000000a0b09,
	0x400033350014aa0a, 0x4000015e000a0f0b, 0x40000389000a2d11, 0x400003d0000a110d,
	0x40001120000a2b0a, 0x40000023000a130f, 0x400003e1000a210e, 0x4000075b000a150a,
	0x40000aba000a190a, 0x400003ca000a170c, 0x80000000000a1609, 0x81000000000a1709,
	0x4000006d0014aa0b, 0x81000000000a1909, 0x400002f3000a1b10, 0x80000000000a1b09,
	0x4000011e000a1d0f, 0x4000028a0014aa0c, 0x40000386000a1f0e, 0x400002b30014a811,
	0x81000000000a2009, 0x40000066000a230f, 0x3fffff4f000a250f, 0x400003760014aa10,
	0x81000000000a2409, 0x80000000000a2509, 0x400003f9000a2711, 0x81000000000a2709,
	0x400003fa000a2911, 0x400000c70014a80f, 0x81000000000a2a09, 0x4000006e0014a80f,
	0x80000000000a2c09, 0x40006101000a2f0a, 0x81000000000a2e09, 0x400002a9000a310d,
	0x81000000000a3009, 0x400000bf0014aa0f, 0x80000000000a3209, 0x40000275000a340d,
	0x40000b21000a3609, 0x40000c3e000a4a0a, 0x4000010b000a380d, 0x4000015a000a3a0b,
	0x400009590014aa09, 0x81000000000a3909, 0x400001830014a80c, 0x40000217000a3c0c,
	0x40000227000a3e11, 0x400002e0000a4810, 0x80000000000a3e09, 0x4000012a000a400c,
	0x80000000000a4009, 0x40000073000a420d, 0x81000000000a4209, 0x3fffffc7000a440f,
	0x81000000000a4409, 0x400001d6000a460c, 0x80000000000a4609, 0x400002ba0014c811,
	0x400003dd0014a811, 0x400003360014aa11, 0x400003cd000a4c0d, 0x40000119000a600b,
	0x4000028a000a4e10, 0x400003e1000a560e, 0x80000000000a4e09, 0x4000027f000a500c,
	0x400002760014aa0c, 0x40000b44000a520a, 0x81000000000a5209, 0x400000f4000a540b,
	0x81000000000a5409, 0x400003120014a80d, 0x40000066000a580f, 0x40000082000a5c0b,
	0x400003d1000a5a0c, 0x400003dc0014aa0c, 0x81000000000a5a09, 0x400003dc0014a80d,
	0x4000006c000a5e0b, 0x80000000000a5d09, 0x81000000000a5e09, 0x4000006f0014a80b,
	0x4000031f000a6210, 0x40000372000a670e, 0x80000000000a6209, 0x40001944000a6409,
	0x400003e9000a6510, 0x81000000000a6509, 0x400003890014a80d, 0x40001286000a6909,
	0x40001923000a6b0a, 0x81000000000a6909, 0x4000724e0014a809, 0x81000000000a6b09,
	0x400003550014aa0c, 0x40000178000a6e0b, 0x40000acd000a700a, 0x40000959000a7509,
	0x400003cd000a720d, 0x400000fc000a8e0b, 0x4000030d000a7411, 0x40000066000a850f,
	0x40000acb0014a809, 0x81000000000a7509, 0x40000214000a770e, 0x40000174000a790c,
	0x4000103f000a7d0a, 0x80000000000a7909, 0x3fffffc3000a7b0f, 0x400016580014aa0a,
	0x80000000000a7c09, 0x40000082000a7f0f, 0x400002ed000a8310, 0x80000000000a7f09,
	0x4000030b000a8111, 0x81000000000a8109, 0x40000a9e0014a80a, 0x80000000000a8309,
	0x400002890014a80d, 0x40000285000a870a, 0x400003f2000a8c10, 0x400003e0000a890e,
	0x400003d30014aa0e, 0x400003d10014aa0c, 0x400003e1000a8b0c, 0x4000020b0014a80a,
	0x81000000000a8c09, 0x400003f60014a810, 0x40000156000a900f, 0x40000329000a920c,
	0x400000dd0014a80b, 0x81000000000a9109, 0x400003c6000a9411, 0x400002f30014a810,
	0x400001d1000a950d, 0x81000000000a9509, 0x40000390000a9710, 0x80000000000a9709,
	0x400002a0000a990d, 0x80000000000a9909, 0x400002ba0014aa0c, 0x40000277000a9c0d,
	0x4000016b000a9e0b, 0x40000167000ab00b, 0x400021ac0014aa09, 0x400002ee000aa00f,
	0x400003bb000aa20a, 0x81000000000aa109, 0x40000285000aa40a, 0x400008e6000aa609,
	0x81000000000aa409, 0x400000000014a80f, 0x81000000000aa609, 0x400001e7000aa80b,
	0x400001e1000aaa0b, 0x400026f0000aae09, 0x4000033e000aac0e, 0x81000000000aab09,
	0x80000000000aac09, 0x400002740014a810, 0x80000000000aae09, 0x400027060014aa09,
	0x4000001e000ab20f, 0x400001c8000acb0b, 0x4000021c000ab40a, 0x40000321000abd10,
	0x400003e1000ab60e, 0x40000358000ab710, 0x400003d50014aa0c, 0x81000000000ab709,
	0x4000024c000ab90a, 0x80000000000ab909, 0x400003bf000abb11, 0x3fffff730014aa0f,
	0x81000000000abc09, 0x4000131f0014aa09, 0x400002f4000abf11, 0x400001560014a80f,
	0x40000062000ac10b, 0x400003fd000ac311, 0x400002c4000ac80c, 0x400003e1000ac50e,
	0x80000000000ac409, 0x400003d9000ac60e, 0x81000000000ac609, 0x400003d90014ca10,
	0x400002bf000ac90c, 0x81000000000ac909, 0x400009a00014aa0a, 0x40000280000acd0c,
	0x80000000000acc09, 0x4000030f000acf10, 0x400003a40014aa0e, 0x80000000000acf09,
	0x400000fd0014a80f, 0x4000015d000ad20b, 0x40000e5b000ad40a, 0x40000420000af20a,
	0x400002a1000ad610, 0x40000327000aec0c, 0x80000000000ad609, 0x400003d0000ad80d,
	0x40000ac9000ada0a, 0x400003de000ae60d, 0x40000429000adc09, 0x4000006e000ae00f,
	0x40000015000ade0f, 0x81000000000add09, 0x3ffffff30014aa0f, 0x81000000000adf09,
	0x80000000000ae009, 0x400002f9000ae210, 0x80000000000ae209, 0x40000349000ae411,
	0x400003370014aa0d, 0x81000000000ae509, 0x4000007b000ae80f, 0x81000000000ae709,
	0x4000006d000aea0b, 0x81000000000ae909, 0x400003e00014a80e, 0x80000000000aeb09,
	0x40000338000aee11, 0x40000ea5000af00a, 0x80000000000aee09, 0x400003510014a810,
	0x80000000000af009, 0x400002d50014a810, 0x400003bb000af40a, 0x400002f2000af60e,
	0x81000000000af409, 0x400003e60014a80a, 0x40000178000af80d, 0x400012d6000aff09,
	0x40000033000afa0d, 0x400002dc000afe0f, 0x80000000000afa09, 0x400003a6000afc10,
	0x80000000000afc09, 0x4000015a0014a80e, 0x400019a1000b0509, 0x81000000000aff09,
	0x400002f8000b010e, 0x81000000000b0109, 0x400002c9000b0310, 0x80000000000b0309,
	0x4000032f0014a80e, 0x4000021d000b070b, 0x80000000000b0609, 0x400002aa000b090d,
	0x81000000000b0809, 0x400009cf000b0b0a, 0x81000000000b0a09, 0x40000cbc0014b009,
	0x4000130b0014aa09, 0x4000010d000b0e0f, 0x40000946000b1009, 0x40000196000b300b,
	0x400003cb000b120c, 0x400002d3000b1b0d, 0x81000000000b1209, 0x400003e1000b140e,
	0x400003f7000b1610, 0x400003eb000b170e, 0x4000007d000b190b, 0x81000000000b1709,
	0x400003e90014a80d, 0x400003420014aa09, 0x400002340014aa0a, 0x400002a0000b1d0c,
	0x40000290000b2a11, 0x40000442000b1f0a, 0x400000b4000b280f, 0x400001240014a80e,
	0x400002b6000b210d, 0x40000136000b230c, 0x400003860014a810, 0x80000000000b2309,
	0x40000073000b250d, 0x81000000000b2509, 0x400003f4000b2710, 0x400001da0014cc0e,
	0x81000000000b2809, 0x400002bb0014aa0c, 0x80000000000b2a09, 0x400002b0000b2c10,
	0x80000000000b2c09, 0x400000dd000b2e0f, 0x81000000000b2e09, 0x400001040014a80f,
	0x40000323000b3211, 0x400001e7000b3c0b, 0x40000115000b340b, 0x81000000000b3309,
	0x400012d5000b360a, 0x400003bf000b380e, 0x80000000000b3609, 0x400002f20014a80c,
	0x40002013000b3a09, 0x80000000000b3909, 0x81000000000b3a09, 0x400003110014a811,
	0x4000014d000b3e0f, 0x80000000000b3d09, 0x4000087f0014aa09, 0x400001c6000b400b,
	0x40000abd000b420a, 0x81000000000b4109, 0x4000025e0014a80d, 0x80000000000b4309,
	0x400002c2000b450e, 0x400003a6000b4710, 0x40000040000b570f, 0x400002d4000b490d,
	0x40000194000b530b, 0x400001ed000b4b0b, 0x81000000000b4a09, 0x400001e2000b4d0c,
	0x40000807000b4f09, 0x400008300014aa09, 0x400002270014aa0c, 0x81000000000b4f09,
	0x400001cd000b510e, 0x80000000000b5109, 0x400001e00014aa0e, 0x400003dd000b5510,
	0x400003ff0014aa0a, 0x81000000000b5509, 0x400001830014a80c, 0x40000377000b5909,
	0x40001ee1000b6109, 0x81000000000b5909, 0x4000001b000b5b0f, 0x400003f3000b5d11,
	0x80000000000b5c09, 0x400003ba000b5f11, 0x400003d50014a80c, 0x81000000000b5f09,
	0x4000000d0014a80f, 0x40000294000b6311, 0x400003ad000b7110, 0x80000000000b6309,
	0x400002ad000b6510, 0x80000000000b6509, 0x40001d00000b6709, 0x400002f8000b6910,
	0x40001d2f0014a809, 0x4000033d0014a811, 0x400003fd000b6b11, 0x400003e7000b6d0d,
	0x40000060000b6f0b, 0x81000000000b6d09, 0x400000610014aa0b, 0x400000540014aa0b,
	0x81000000000b7009, 0x400001bd000b730f, 0x81000000000b7209, 0x400000c5000b750f,
	0x400003350014aa11, 0x400003420014a80d, 0x400002ba000b770c, 0x400001280014aa0b,
	0x80000000000b7809, 0x4000020c000b7a0c, 0x3ffffe92000b7c0f, 0x40000286000b8711,
	0x4000007a0014aa0d, 0x4000067a000b7e09, 0x81000000000b7e09, 0x400003ac000b8010,
	0x40000174000b820c, 0x400002bf000b850b, 0x80000000000b8209, 0x3fffffc3000b840f,
	0x4000021c0014aa10, 0x80000000000b8509, 0x400002ce0014aa0b, 0x40000e51000b8909,
	0x40002c54000b8d09, 0x81000000000b8909, 0x40001232000b8b09, 0x4000029e0014a810,
	0x80000000000b8c09, 0x40000066000b8f0f, 0x4000032e000b9211, 0x40000104000b910b,
	0x40000277000b9a0d, 0x400003d0000b940c, 0x80000000000b9209, 0x400002f10014a80e,
	0x81000000000b9409, 0x400001d4000b960a, 0x81000000000b9609, 0x400003e0000b980e,
	0x80000000000b9809, 0x400003eb0014aa0e, 0x400021ac000b9c09, 0x40000ae4000ba20a,
	0x4000022f000b9e0d, 0x80000000000b9d09, 0x400001a2000ba00b, 0x80000000000b9f09,
	0x81000000000ba009, 0x4000121b0014aa0a, 0x400003f3000ba410, 0x40000308000ba810,
	0x81000000000ba409, 0x400003d6000ba60c, 0x81000000000ba609, 0x400003f60014a810,
	0x40000d4b0014a80a, 0x40000156000baa0f, 0x400000d40014a80b, 0x400002ce000bac0d,
	0x40001be70014aa09, 0x81000000000bad09, 0x40000206000baf0c, 0x40000b21000bb109,
	0x400024d9000bbc09, 0x400004aa0014aa0a, 0x4000016b000bb30c, 0x80000000000bb309,
	0x40000396000bb511, 0x3fffffc3000bb70f, 0x81000000000bb609, 0x40000234000bb911,
	0x400002ed000bba11, 0x3fffffbd0014a80f, 0x80000000000bba09, 0x400003010014aa11,
	0x40000166000bbe0b, 0x40000385000be70e, 0x40000066000bc00f, 0x40000309000bda0d,
	0x40000220000bc20a, 0x40000ac9000bce0a, 0x40000054000bc40f, 0x400003cb000bc80c,
	0x400003e2000bc610, 0x80000000000bc509, 0x81000000000bc609, 0x400003f00014a810,
	0x400003a0000bca0e, 0x4000000e000bcc0f, 0x400000250014a80f, 0x81000000000bcb09,
	0x80000000000bcc09, 0x400002760014aa0a, 0x400003db000bd00c, 0x40000308000bd410,
	0x81000000000bd009, 0x400003dd000bd20c, 0x4000020c0014aa0a, 0x81000000000bd309,
	0x80000000000bd409, 0x400002da000bd60e, 0x80000000000bd609, 0x40000156000bd80f,
	0x40001e260014aa09, 0x81000000000bd909, 0x40000176000bdc0b, 0x400002bf000bdf10,
	0x80000000000bdc09, 0x40000340000bde0e, 0x4000090a000be10a, 0x80000000000bdf09,
	0x400003430014a80e, 0x4000013e000be30f, 0x81000000000be209, 0x400001df000be50b,
	0x80000000000be409, 0x81000000000be509, 0x4000024d0014aa0c, 0x4000032e000be911,
	0x4000126c000beb0a, 0x80000000000be909, 0x400001780014aa0d, 0x80000000000beb09,
	0x400001a40014aa0b, 0x4000037b000bee11, 0x40000cae000bf009, 0x400001af000c110b,
	0x40000162000bf20b, 0x4000015b000bf60f, 0x81000000000bf209, 0x400002af000bf410,
	0x81000000000bf409, 0x400003ac0014aa0a, 0x4000030d000bf80e, 0x4000027f000c050d,
	0x400010cf000bfa0a, 0x400002ef000bfb0c, 0x400001c4000c010e, 0x80000000000bfb09,
	0x40000317000bfd0c, 0x81000000000bfd09, 0x40000363000bff0d, 0x80000000000bff09,
	0x400021910014a809, 0x80000000000c0109, 0x400001d7000c030e, 0x400001bb0014a810,
	0x80000000000c0409, 0x40000363000c070e, 0x400002b8000c0b10, 0x40000196000c090b,
	0x81000000000c0809, 0x400001680014a80b, 0x80000000000c0a09, 0x400061010014a80a,
	0x4000037c000c0d0e, 0x81000000000c0d09, 0x40002aac000c0f09, 0x400002ef0014a811,
	0x80000000000c1009, 0x4000000a000c130f, 0x400003e7000c2711, 0x400003cf000c1511,
	0x4000026f000c1d0e, 0x400003d0000c170c, 0x400003f0000c1910, 0x81000000000c1709,
	0x4000025a0014aa0a, 0x400003df000c1b0d, 0x81000000000c1a09, 0x80000000000c1b09,
	0x400003cd0014aa10, 0x40000aae0014aa09, 0x4000006f000c1f0b, 0x400003e1000c210e,
	0x400003e7000c250c, 0x40000066000c230f, 0x400003820014a810, 0x80000000000c2309,
	0x400003f30014aa10, 0x81000000000c2509, 0x400003740014a810, 0x80000000000c2709,
	0x400001ad0014a810, 0x4000015b000c2a0b, 0x400002e1000c2c11, 0x400008e6000c3f09,
	0x40000314000c2e0e, 0x4000000e000c300f, 0x4000022e0014a80c, 0x80000000000c2f09,
	0x3ffffff7000c320f, 0x40000dea000c380a, 0x400003cd000c340c, 0x4000038f0014aa10,
	0x81000000000c3409, 0x40000220000c360a, 0x4000006e0014aa0b, 0x80000000000c3709,
	0x4000201f000c3a09, 0x4000013e000c590b, 0x400003d0000c3c0d, 0x80000000000c3b09,
	0x4000030d000c3e0c, 0x400003d1000c550d, 0x40000373000c4d0e, 0x81000000000c3f09,
	0x4000021d000c410e, 0x400001ce000c430e, 0x40000085000c460f, 0x80000000000c4309,
	0x400010dd000c450a, 0x400001800014aa0c, 0x80000000000c4609, 0x40001e71000c4809,
	0x4000016a000c4a0b, 0x400001a8000c4f0b, 0x4000017b0014a80f, 0x40000dbd000c4c09,
	0x40000cce0014aa09, 0x81000000000c4d09, 0x400002f80014aa0d, 0x40002b290014aa09,
	0x4000724e000c5109, 0x40000326000c530c, 0x400002b10014a80b, 0x80000000000c5309,
	0x400000cc0014aa0f, 0x4000022a0014a80f, 0x4000028e000c570a, 0x81000000000c5709,
	0x400003da0014aa0d, 0x4000010c000c5b0f, 0x400002300014a80f, 0x80000000000c5b09,
	0x40000268000c5d0f, 0x4000025f000c5f0f, 0x81000000000c5e09, 0x400003660014a810,
	0x80000000000c6009, 0x4000029c000c620c, 0x40000136000c640c, 0x400017c0000c800a,
	0x400003ac000c660a, 0x400003a6000c7010, 0x81000000000c6609, 0x40000125000c680d,
	0x4000007c000c6a0f, 0x40000158000c6e0b, 0x80000000000c6a09, 0x40000170000c6c11,
	0x40000b940014aa0a, 0x80000000000c6d09, 0x81000000000c6e09, 0x400006dc0014aa0a,
	0x40000083000c720f, 0x400002a10014a811, 0x3fffffc3000c740f, 0x4000137e000c7609,
	0x4000021c0014aa10, 0x80000000000c7509, 0x400002fb000c7810, 0x40006e18000c7c09,
	0x4000029d000c7a11, 0x81000000000c7909, 0x80000000000c7a09, 0x4000023a0014aa0d,
	0x40000363000c7e10, 0x81000000000c7d09, 0x80000000000c7e09, 0x400001480014a80f,
	0x40000322000c8211, 0x40000157000c9a0b, 0x4000033b000c840d, 0x4000000a000c860f,
	0x400000c90014a80f, 0x400003780014aa0e, 0x3ffffff5000c880f, 0x40000066000c900f,
	0x400003d0000c8a0d, 0x400003cc0014aa0e, 0x81000000000c8a09, 0x400003df000c8c0d,
	0x80000000000c8c09, 0x4000004b000c8e0b, 0x81000000000c8e09, 0x400003f30014a811,
	0x400003fd000c9211, 0x400023ad000c9809, 0x400003c4000c9410, 0x80000000000c9309,
	0x81000000000c9409, 0x400003ca000c9610, 0x80000000000c9609, 0x4000068e0014aa0a,
	0x81000000000c9809, 0x4000012a0014a80f, 0x81000000000c9a09, 0x400002e70014a810,
	0x40000273000c9d0c, 0x4000015a000c9f0f, 0x40000288000caf10, 0x400001e3000ca10b,
	0x40000161000ca90f, 0x40000285000ca30a, 0x40000206000ca70c, 0x81000000000ca309,
	0x4000028c000ca50e, 0x80000000000ca509, 0x40000c0d0014aa0a, 0x400008e60014aa09,
	0x400002270014aa0d, 0x81000000000ca909, 0x40000196000cab0b, 0x81000000000cab09,
	0x40006e18000cad09, 0x80000000000cad09, 0x400002eb0014aa11, 0x400001f5000cb10b,
	0x40001b2b000cb309, 0x400002110014aa10, 0x80000000000cb209, 0x400003d0000cb50d,
	0x400003ab000cc910, 0x400003d7000cb710, 0x40000394000cbf10, 0x400002fb000cb911,
	0x4000002a000cbb0f, 0x40000ab70014a809, 0x81000000000cba09, 0x3ffffff30014aa0f,
	0x40000ddd000cbd0a, 0x81000000000cbd09, 0x4000030f0014a811, 0x400003700014aa10,
	0x40000058000cc10b, 0x3fffffeb000cc30f, 0x400003e0000cc50e, 0x400003de0014aa11,
	0x81000000000cc409, 0x400003d6000cc70c, 0x81000000000cc609, 0x400000760014a80b,
	0x80000000000cc809, 0x4000039b000ccb0e, 0x81000000000cca09, 0x4000031a000ccd0c,
	0x4000010f000ccf0b, 0x4000037c0014a811, 0x81000000000cce09, 0x4000027c0014aa0d,
	0x81000000000cd009, 0x4000028b000cd20e, 0x40000a90000cd409, 0x4000033f000ce011,
	0x81000000000cd409, 0x400001b4000cd60e, 0x40000b76000cd809, 0x4000005e000cda0d,
	0x4000018c0014aa0b, 0x80000000000cd909, 0x81000000000cda09, 0x4000018d000cdc0b,
	0x400002490014aa0e, 0x4000022d000cde11, 0x40001b7b0014aa09, 0x80000000000cdf09,
	0x40001286000ce209, 0x40000211000cef0c, 0x400002ac000ce40e, 0x400001a0000ce60f,
	0x400002990014aa0e, 0x81000000000ce509, 0x40000a5d000ce80a, 0x400000bc000ceb0b,
	0x81000000000ce809, 0x4000004b000cea0f, 0x4000019e0014aa0d, 0x80000000000ceb09,
	0x400001ac000ced0f, 0x400002780014a811, 0x81000000000cee09, 0x400002b90014aa0e,
	0x4000000a000cf10f, 0x400003d1000cf30e, 0x40001799000cf80a, 0x81000000000cf309,
	0x400003ef000cf50e, 0x400003ba000cf611, 0x81000000000cf609, 0x4000037a0014aa10,
	0x400003dc000cfa0d, 0x4000021f000d040f, 0x40000b44000cfc0a, 0x400002860014aa0a,
	0x400003dc000cfe0c, 0x40000b4f000d000a, 0x81000000000cfe09, 0x400003e10014a811,
	0x80000000000d0009, 0x400000f2000d020f, 0x40000df80014aa0a, 0x400003a70014ce0e,
	0x400030d10014a809, 0x81000000000d0509, 0x40000282000d070c, 0x40000b8a000d0909,
	0x400001e8000d1f0b, 0x3fffffa1000d0b0d, 0x400002f2000d110e, 0x80000000000d0b09,
	0x3ffffffc000d0d0f, 0x80000000000d0d09, 0x40000287000d0f0d, 0x81000000000d0f09,
	0x400001130014a80f, 0x400003f5000d1310, 0x4000013c0014a80b, 0x400001b4000d150e,
	0x400000be0014a80e, 0x80000000000d1509, 0x40001920000d1709, 0x4000184f000d1909,
	0x400002bc000d1d0b, 0x40000c2f000d1b0a, 0x81000000000d1a09, 0x80000000000d1b09,
	0x400001820014a80c, 0x80000000000d1d09, 0x4000262a0014a809, 0x40000148000d210b,
	0x80000000000d2009, 0x400003cd000d230d, 0x40002b29000d3b09, 0x40000342000d2511,
	0x400003e1000d2f0e, 0x40000383000d270e, 0x40000316000d2910, 0x81000000000d2709,
	0x40001dab0014a80a, 0x40001da20014aa09, 0x40000b15000d2b0a, 0x81000000000d2b09,
	0x4000030d000d2d0c, 0x40000f430014a809, 0x81000000000d2e09, 0x40000277000d310a,
	0x40000363000d3510, 0x400003de000d330e, 0x400003cf0014aa0d, 0x400003d30014a80e,
	0x80000000000d3409, 0x4000034c0014aa10, 0x3fffffe8000d370f, 0x40000051000d390b,
	0x81000000000d3809, 0x400003e30014a810, 0x81000000000d3a09, 0x4000006e000d3c0f,
	0x80000000000d3c09, 0x400002330014a811, 0x40000179000d3f0b, 0x400032c4000d4109,
	0x40000202000d5c0c, 0x400000e9000d430f, 0x80000000000d4209, 0x40001326000d4509,
	0x400002ad000d4c10, 0x400003cd000d470c, 0x400000c6000d5a0f, 0x40000023000d490f,
	0x40000220000d520a, 0x40000a4a000d4b09, 0x81000000000d4a09, 0x400003cb0014aa0c,
	0x80000000000d4c09, 0x400018fa000d4e09, 0x81000000000d4e09, 0x4000030f000d5011,
	0x4000142c0014a80a, 0x81000000000d5109, 0x400003fd000d5411, 0x4000006a000d560b,
	0x81000000000d5409, 0x400003dd0014a80d, 0x4000046f000d5809, 0x80000000000d5709,
	0x400003770014aa09, 0x81000000000d5909, 0x400003240014a811, 0x80000000000d5b09,
	0x400008e6000d5e09, 0x400001e8000d660b, 0x81000000000d5e09, 0x400001b4000d600e,
	0x80000000000d6009, 0x400002bc000d620b, 0x40001920000d6409, 0x400001f20014aa0e,
	0x4000184f0014a809, 0x80000000000d6509, 0x400002ca000d6810, 0x400009fd000d6909,
	0x400001d5000d6f0b, 0x81000000000d6909, 0x4000724e000d6b09, 0x80000000000d6b09,
	0x4000019c000d6d0f, 0x80000000000d6d09, 0x400001350014aa10, 0x40000e060014aa09,
	0x81000000000d7009, 0x400002c2000d720e, 0x400001a5000d740c, 0x40000166000d820b,
	0x400008a2000d7609, 0x4000027d000d7a10, 0x81000000000d7609, 0x40000133000d780c,
	0x80000000000d7809, 0x4000005e0014aa0d, 0x80000000000d7a09, 0x40000d84000d7c09,
	0x81000000000d7c09, 0x400002b5000d7e11, 0x400002aa000d800e, 0x400002290014aa0c,
	0x80000000000d8009, 0x400003250014aa10, 0x40000e0f000d840a, 0x40001120000d9d0a,
	0x40000066000d860f, 0x40000310000d9911, 0x40000226000d880a, 0x40001f67000d9109,
	0x400003d7000d8a0d, 0x400003ce000d8b0d, 0x4000006f0014a80b, 0x81000000000d8b09,
	0x400003e1000d8d11, 0x80000000000d8d09, 0x400003e5000d8f0c, 0x81000000000d8f09,
	0x400003d90014aa0d, 0x400000e9000d930f, 0x80000000000d9209, 0x400000e6000d950f,
	0x81000000000d9409, 0x400000ce000d970f, 0x80000000000d9609, 0x81000000000d9709,
	0x400005590014a809, 0x400003b40014a810, 0x40000349000d9b10, 0x400003ab0014a80c,
	0x4000026e0014a80c, 0x40000355000d9f0d, 0x40000398000da00d, 0x400000650014a80f,
	0x80000000000da009, 0x400002f00014aa0c, 0x4000028e000da30e, 0x40000158000da50f,
	0x4000028a000daf10, 0x400003af000da70a, 0x400001de0014aa0b, 0x81000000000da709,
	0x4000007c000da90f, 0x80000000000da909, 0x400008e6000dab09, 0x81000000000dab09,
	0x400001d6000dad0c, 0x80000000000dad09, 0x40000e450014aa0a, 0x40000398000db10d,
	0x40003fa2000db309, 0x400003e20014a811, 0x4000019f0014aa10, 0x4000000a000db50f,
	0x80000000000db409, 0x400003e7000db70d, 0x40000c3e000dba0a, 0x400003d1000db811,
	0x81000000000db809, 0x400003d10014aa0e, 0x400000e9000dbc0f, 0x400002e5000dc611,
	0x400003fd000dbe11, 0x81000000000dbd09, 0x400003db000dc00c, 0x400003e60014a80c,
	0x40000326000dc211, 0x400000ba000dc40f, 0x4000070a0014a80a, 0x81000000000dc309,
	0x400003e10014d00c, 0x80000000000dc509, 0x400012dd0014aa09, 0x400021ef000dc809,
	0x81000000000dc809, 0x40000329000dca10, 0x400001e10014aa0d, 0x400003220014a80e,
	0x4000028a000dcd0d, 0x400004fa000dcf0a, 0x400002a3000de110, 0x400003af000dd10a,
	0x400002f0000dd30c, 0x81000000000dd109, 0x400008d80014aa09, 0x4000020c000dd50c,
	0x4000036a000ddf0e, 0x40000133000dd70b, 0x4000024b0014aa0e, 0x400003e90014a810,
	0x40000136000dd90c, 0x80000000000dd909, 0x400003a7000ddb10, 0x3fffffc3000ddd0f,
	0x4000030b0014aa11, 0x4000027e0014aa10, 0x80000000000dde09, 0x400001be0014a80b,
	0x81000000000de009, 0x400064f00014a80a, 0x400002e5000de311, 0x4000013f000de50b,
	0x400003fd000de911, 0x80000000000de509, 0x40000169000de70b, 0x400001610014aa0b,
	0x81000000000de809, 0x40000008000deb0f, 0x400003d0000dee0c, 0x400003e5000ded0c,
	0x40001d00000df409, 0x400003d2000df00e, 0x81000000000dee09, 0x400000540014aa0b,
	0x81000000000df009, 0x400003e0000df20e, 0x80000000000df209, 0x400003c70014aa11,
	0x4000006e000df60b, 0x400003a2000df90e, 0x400000fb000df80f, 0x400003d9000dfd0d,
	0x40000428000dfb09, 0x81000000000df909, 0x400003e10014a811, 0x81000000000dfb09,
	0x400003d90014d20c, 0x81000000000dfd09, 0x4000063a0014a809, 0x40000284000e000d,
	0x4000029d000e020c, 0x400024d9000e1409, 0x400001df000e040b, 0x400002c3000e1010,
	0x400004b0000e060a, 0x400003ea000e0e0a, 0x4000037f000e0810, 0x4000021d000e0a0e,
	0x81000000000e0809, 0x3fffffbe0014a80f, 0x80000000000e0a09, 0x40000cce000e0c09,
	0x81000000000e0c09, 0x400002630014a80f, 0x81000000000e0e09, 0x40000a0d0014aa09,
	0x400001be000e120b, 0x81000000000e1109, 0x80000000000e1209, 0x400003080014a80e,
	0x400001e5000e160b, 0x400075e7000e3a09, 0x40000058000e180f, 0x80000000000e1709,
	0x400003c4000e1a10, 0x4000033e000e2811, 0x3fffff54000e1c0f, 0x400003ee000e2210,
	0x400003a00014a810, 0x3fffffcc000e1e0f, 0x40000070000e200b, 0x81000000000e1f09,
	0x4000041a0014aa09, 0x81000000000e2109, 0x40000222000e240a, 0x81000000000e2309,
	0x3fffff8d000e260f, 0x80000000000e2509, 0x81000000000e2609, 0x400001e20014aa0a,
	0x400003a6000e2a0c, 0x400003dc000e2e0c, 0x400022aa000e2c09, 0x80000000000e2b09,
	0x400000d70014a80b, 0x400000ea0014aa0b, 0x400002b7000e300d, 0x400003e0000e340e,
	0x400000cd000e320b, 0x81000000000e3109, 0x4000029e0014aa0d, 0x81000000000e3309,
	0x80000000000e3409, 0x4000006d000e360b, 0x81000000000e3609, 0x40000071000e380b,
	0x400003ef0014a80c, 0x81000000000e3909, 0x40002a14000e3c09, 0x81000000000e3b09,
	0x4000029b0014a811, 0x400003ce0014a810, 0x400002ed000e3f0e, 0x40000c58000e4109,
	0x4000028b000e5110, 0x400001c0000e430b, 0x400010cf000e450a, 0x81000000000e4309,
	0x400008a20014aa09, 0x40000156000e470f, 0x80000000000e4609, 0x400001b0000e490e,
	0x400001b60014a80e, 0x80000000000e4909, 0x40000244000e4b0b, 0x400001e5000e4d0b,
	0x400000140014aa0f, 0x80000000000e4d09, 0x40000bda000e4f0a, 0x80000000000e4f09,
	0x400001970014a80d, 0x400075e70014a809, 0x40000327000e5311, 0x40000391000e550e,
	0x400003d0000e5c0d, 0x40000233000e5611, 0x80000000000e5609, 0x4000029d000e580c,
	0x80000000000e5809, 0x4000036f000e5a0d, 0x81000000000e5a09, 0x4000028e0014a80f,
	0x4000033e000e5e11, 0x400003e0000e630e, 0x4000039a0014aa0e, 0x40000345000e6010,
	0x400003a6000e610c, 0x81000000000e6109, 0x400003b30014a80e, 0x400001dc000e650a,
	0x4000022a000e6a0a, 0x81000000000e6509, 0x40000482000e6709, 0x80000000000e6709,
	0x4000009f000e690b, 0x400003ae0014a810, 0x81000000000e6a09, 0x400003e4000e6c0d,
	0x40000563000e6e09, 0x80000000000e6d09, 0x81000000000e6e09, 0x400003ef0014aa11,
	0x40000206000e710c, 0x3ffffe99000e730f, 0x40000285000e8910, 0x81000000000e7309,
	0x400003d0000e7510, 0x4000020e000e770b, 0x4000089d000e8509, 0x40000458000e790a,
	0x40000648000e7f0a, 0x81000000000e7909, 0x400001eb000e7b0d, 0x80000000000e7b09,
	0x4000022e000e7d0e, 0x400001f30014aa0d, 0x80000000000e7e09, 0x4000062c0014a80a,
	0x400003aa000e8110, 0x80000000000e8109, 0x3fffffb0000e830d, 0x80000000000e8309,
	0x400003ae0014aa10, 0x81000000000e8509, 0x400003f5000e8710, 0x80000000000e8709,
	0x400000250014a80c, 0x4000021a000e8b0c, 0x4000009c000e8d0f, 0x81000000000e8b09,
	0x4000139b0014aa09, 0x400002ad000e8f0c, 0x400026db000e9c0a, 0x80000000000e8f09,
	0x400003d0000e910e, 0x81000000000e9109, 0x40000362000e9310, 0x80000000000e9309,
	0x400003d9000e950d, 0x4000007f000e970b, 0x4000021e000e980a, 0x400003ca000e9a0c,
	0x81000000000e9809, 0x400003c70014aa10, 0x81000000000e9a09, 0x400003e20014a80e,
	0x40000c70000e9e0a, 0x80000000000e9d09, 0x400000e9000ea00f, 0x40000358000ea310,
	0x400003eb000ea10c, 0x81000000000ea109, 0x400002630014aa0a, 0x40000309000ea50d,
	0x81000000000ea409, 0x400001400014a80b, 0x400003c10014a80c, 0x400002b4000ea80e,
	0x40000185000eaa0b, 0x400002f5000eb810, 0x4000083f000eac0a, 0x40000865000eae09,
	0x81000000000eac09, 0x400001bd0014aa0d, 0x81000000000eae09, 0x4000030b000eb00f,
	0x400001b4000eb20e, 0x81000000000eb109, 0x80000000000eb209, 0x400002bc000eb40b,
	0x3fffffc9000eb60f, 0x81000000000eb509, 0x4000021c0014aa10, 0x80000000000eb709,
	0x400009a3000eba09, 0x4000024b000ebe0c, 0x81000000000eba09, 0x400012f9000ebc09,
	0x400003010014a80e, 0x400064f00014a80a, 0x80000000000ebe09, 0x400003cd000ec00d,
	0x40000233000ec211, 0x400003d7000ecf0d, 0x80000000000ec209, 0x40000acd000ec40a,
	0x81000000000ec409, 0x4000031a000ec60c, 0x4000030c000ec80d, 0x400003a7000ecb0e,
	0x40000387000eca0e, 0x80000000000ec909, 0x400002930014aa0c, 0x81000000000ecb09,
	0x40000358000ecd10, 0x400003340014aa10, 0x81000000000ece09, 0x400002f9000ed10a,
	0x40000394000ed810, 0x400003d1000ed20c, 0x81000000000ed209, 0x400003e5000ed40e,
	0x40000072000ed60b, 0x81000000000ed509, 0x80000000000ed609, 0x4000025d0014a80a,
	0x4000034c000eda10, 0x400003ee000edc11, 0x81000000000eda09, 0x400004a90014aa09,
	0x81000000000edc09, 0x400003f0000ede11, 0x400003e80014a80d, 0x81000000000edf09,
	0x40000277000ee10d, 0x4000035d000ee30c, 0x400024d9000ef209, 0x400004fa000ee50a,
	0x81000000000ee409, 0x4000004d000ee70f, 0x400001c8000eea0e, 0x40000012000ee90f,
	0x81000000000ee809, 0x3fffff89000ef00f, 0x80000000000eea09, 0x400001d0000eec0e,
	0x81000000000eec09, 0x400002e1000eee0f, 0x400003f40014a810, 0x81000000000eef09,
	0x3ffffef60014aa0c, 0x81000000000ef109, 0x4000028a000ef410, 0x400002e5000ef911,
	0x80000000000ef409, 0x40000040000ef60f, 0x40000628000ef809, 0x40000280000f040c,
	0x40000085000efd0b, 0x80000000000ef909, 0x400001e3000efb0f, 0x400002d60014a810,
	0x400003a70014a80e, 0x400003ee000eff0e, 0x81000000000efe09, 0x400003ee000f0110,
	0x81000000000f0009, 0x400003c3000f0211, 0x81000000000f0209, 0x400003f20014c811,
	0x400002760014aa0c, 0x40000346000f0610, 0x400012320014aa09, 0x4000006f000f080b,
	0x40000066000f0a0f, 0x81000000000f0909, 0x80000000000f0a09, 0x400003820014a810,
	0x4000028f000f0d0e, 0x40000a90000f0f09, 0x400002d3000f190c, 0x4000012a000f110e,
	0x40000133000f130c, 0x400000e60014aa0f, 0x81000000000f1209, 0x80000000000f1309,
	0x4000005e000f150d, 0x81000000000f1509, 0x40000c78000f170a, 0x400000db0014a80f,
	0x80000000000f1809, 0x40001ab7000f1b09, 0x40000040000f250f, 0x400001df000f1d0b,
	0x40000320000f230d, 0x400002f5000f1f10, 0x80000000000f1e09, 0x400001a3000f210b,
	0x81000000000f2009, 0x400002d40014aa0e, 0x81000000000f2209, 0x400003320014a811,
	0x4000011a0014a80b, 0x400003ac000f2709, 0x40000281000f3310, 0x81000000000f2709,
	0x40000459000f2909, 0x80000000000f2909, 0x400003e6000f2b10, 0x400003cb000f2d0c,
	0x81000000000f2c09, 0x400003a20014a80e, 0x40000499000f2f09, 0x81000000000f2f09,
	0x4000000a000f310f, 0x80000000000f3109, 0x400003e00014aa0c, 0x400012b30014aa0a,
	0x40000e5b000f350a, 0x400003db000f370c, 0x400002f2000f3f0c, 0x81000000000f3709,
	0x400003dd000f390c, 0x80000000000f3909, 0x400003e0000f3b0c, 0x400003e60014a80e,
	0x400003e7000f3d0d, 0x81000000000f3d09, 0x400006200014aa09, 0x80000000000f3f09,
	0x40000358000f4110, 0x4000039e000f430e, 0x400002c60014a811, 0x400003630014aa0d,
	0x400002a80014a80f, 0x4000036f000f4611, 0x40000206000f480c, 0x4000023c000f6c0e,
	0x4000007c000f4a0f, 0x400012e8000f5a09, 0x4000002e000f4c0c, 0x40000a8c000f5409,
	0x80000000000f4c09, 0x40000816000f4e09, 0x81000000000f4e09, 0x400001cd000f500e,
	0x80000000000f5009, 0x4000023a000f520b, 0x80000000000f5209, 0x400002220014a811,
	0x81000000000f5409, 0x40000178000f560b, 0x40002dd60014aa09, 0x40000225000f580e,
	0x80000000000f5809, 0x400001ed0014a80c, 0x40000196000f5c0b, 0x40000351000f600e,
	0x4000009c000f5e0f, 0x4000020a0014aa0d, 0x400003f70014aa0a, 0x81000000000f5f09,
	0x400002bd000f620b, 0x400002f3000f6610, 0x4000023a000f640e, 0x400002af0014a80e,
	0x81000000000f6409, 0x40000acf0014aa0a, 0x400003590014aa0e, 0x40000bf8000f680a,
	0x80000000000f6809, 0x400002dd000f6a11, 0x400001070014aa0f, 0x81000000000f6b09,
	0x400001700014aa0b, 0x40000266000f6e10, 0x400002380014aa0d, 0x40001cea000f7009,
	0x400003cc000f720c, 0x400002ce0014a80d, 0x81000000000f7209, 0x4000000a000f740f,
	0x400003e1000f760c, 0x400000e7000f7a0f, 0x80000000000f7609, 0x3fffffe1000f780f,
	0x81000000000f7809, 0x400003eb0014a80d, 0x400003ed000f7b09, 0x81000000000f7b09,
	0x400003dd000f7d11, 0x80000000000f7d09, 0x400003ea0014aa0e, 0x4000015c000f800b,
	0x40000121000f820f, 0x400008e6000f9309, 0x4000024b000f840c, 0x400002de000faf11,
	0x400001f10014aa0d, 0x400003cc000f860d, 0x40000349000f8811, 0x40000377000f8c09,
	0x4000130b0014aa09, 0x40000bf1000f8a09, 0x81000000000f8a09, 0x400003a00014aa11,
	0x81000000000f8c09, 0x40000082000f8e0b, 0x400003e0000f900e, 0x80000000000f8f09,
	0x400003fe000f9211, 0x400000c6000fad0f, 0x40000037000f9e0f, 0x81000000000f9309,
	0x400001ca000f950b, 0x400002ac000f970e, 0x40000167000fa20f, 0x400002dc000f990f,
	0x40000306000f9d0d, 0x400001ea000f9b0c, 0x81000000000f9a09, 0x80000000000f9b09,
	0x400002450014aa0c, 0x40000170000fa00b, 0x80000000000f9e09, 0x400003f50014aa11,
	0x80000000000fa009, 0x400002210014a811, 0x400001b4000fa40e, 0x4000017b000fa90f,
	0x80000000000fa409, 0x40000189000fa60d, 0x40001034000fa70a, 0x80000000000fa709,
	0x400001220014a80c, 0x81000000000fa909, 0x40000127000fab10, 0x400049810014a80a,
	0x80000000000fac09, 0x400003a10014a809, 0x80000000000fae09, 0x400002a20014aa0c,
	0x40000134000fb10b, 0x40001d00000fb309, 0x40000a8e000fb50a, 0x81000000000fb309,
	0x4000035c0014a810, 0x81000000000fb509, 0x400002190014aa0d, 0x400001fb000fb80d,
	0x40000b8a000fba09, 0x400024d9000fca09, 0x3fffffaa000fbc0d, 0x40000148000fbe0b,
	0x400003480014aa0a, 0x3ffffffd0014a80f, 0x81000000000fbe09, 0x400001ee000fc00c,
	0x40000136000fc20c, 0x400001f6000fc80b, 0x80000000000fc209, 0x400000aa000fc40d,
	0x81000000000fc409, 0x40000179000fc60c, 0x400001660014a80c, 0x80000000000fc709,
	0x400003350014aa0c, 0x80000000000fc909, 0x40000286000fcc11, 0x40000320000fe00d,
	0x40000b36000fce0a, 0x40000280000fcf10, 0x400002850014a80d, 0x80000000000fcf09,
	0x400003cd000fd10c, 0x40000273000fd30c, 0x400003e0000fd90e, 0x400003300014aa11,
	0x40000034000fd50f, 0x400007dd0014aa0a, 0x40002034000fd709, 0x81000000000fd709,
	0x400000d50014a80b, 0x400003dc000fdb0c, 0x40000083000fde0b, 0x40000027000fdd0f,
	0x80000000000fdc09, 0x400001bb0014aa0a, 0x81000000000fde09, 0x400003eb0014aa0e,
	0x40000385000fe20e, 0x40000356000fe410, 0x80000000000fe209, 0x4000030c0014a80c,
	0x400002930014aa0c, 0x81000000000fe509, 0x40000d42000fe709, 0x4000027e000fe90c,
	0x400002ef0010060c, 0x400003af000feb0a, 0x400003cd000fef0d, 0x81000000000feb09,
	0x40000162000fed0b, 0x81000000000fed09, 0x400002a00014aa10, 0x4000002a000ff10f,
	0x400003c1000ff311, 0x400007a20014aa0a, 0x81000000000ff209, 0x80000000000ff309,
	0x4000005f000ff50b, 0x4000022a000ff70a, 0x400003c8000ff910, 0x81000000000ff709,
	0x400001830014a80f, 0x40000588000ffb09, 0x400003f100100211, 0x3fffffe8000ffd0f,
	0x400003d4000ffe0d, 0x400000700014a80b, 0x81000000000ffe09, 0x4000036400100010,
	0x8000000000100009, 0x400003e90014aa0e, 0x8000000000100209, 0x400003fb00100411,
	0x8100000000100409, 0x400003d10014aa0e, 0x400001cb0010080c, 0x400003850010100e,
	0x400001b400100a0e, 0x400000b000100c0f, 0x8000000000100a09, 0x400002bc0014a80b,
	0x8000000000100c09, 0x40000f0100100e0a, 0x4000026f0014a810, 0x8000000000100f09,
	0x400027fd00101209, 0x400002f300101910, 0x4000037e0010140e, 0x8000000000101309,
	0x4000024a00101511, 0x8000000000101509, 0x400002c900101710, 0x400002290014aa10,
	0x8100000000101809, 0x4000020e0014aa0d, 0x400000f200101b0f, 0x400003260014a80c,
	0x8100000000101c09, 0x4000036c00101e11, 0x4000018e0010200b, 0x400001650010390b,
	0x40000d6e0010220a, 0x400008e600102709, 0x40000a830010240a, 0x4000032900103311,
	0x40000a7900102609, 0x400013400014aa09, 0x400003300014a810, 0x8100000000102709,
	0x400002f300102910, 0x4000034600102b0c, 0x4000020700102f0c, 0x400001cd00102d0e,
	0x400002490014a811, 0x8000000000102d09, 0x400001d70014aa0e, 0x4000265d00103109,
	0x8100000000103009, 0x8000000000103109, 0x400001650014a80e, 0x400003240010350c,
	0x400001200010370b, 0x8000000000103509, 0x400000d50014a80b, 0x8100000000103709,
	0x4000037d0014a80e, 0x40000b4400103b0a, 0x400001460010470f, 0x4000000d00103d0f,
	0x400003270010490c, 0x400002e600103f0a, 0x4000006f0010420b, 0x400001d40010400a,
	0x8100000000104009, 0x400003cc0014aa0e, 0x400000f40010440f, 0x8100000000104309,
	0x400006d000104609, 0x8100000000104509, 0x400002870014aa0a, 0x8000000000104709,
	0x400018e20014aa09, 0x8000000000104909, 0x400002d300104b0d, 0x400003520014a810,
	0x8100000000104c09, 0x4000015d00104e0b, 0x400028ef00105009, 0x400002060010780c,
	0x4000032300105211, 0x400003500014a80c, 0x400013bb00105409, 0x400003f900105811,
	0x8100000000105409, 0x400020d300105609, 0x8000000000105609, 0x400003240014a80e,
	0x3fffffe800105a0f, 0x400003ca00105d0d, 0x400003e700105c0d, 0x4000002c0010680f,
	0x400003ba00106011, 0x8100000000105d09, 0x400003e100105f0d, 0x400003e900106410,
	0x8100000000106009, 0x4000007e0010620b, 0x8000000000106209, 0x400000880014aa0b,
	0x4000006a0010660b, 0x8100000000106509, 0x400003da0014aa0c, 0x8000000000106709,
	0x400003e000106a0e, 0x400003eb0010700c, 0x400003d200106c0d, 0x8100000000106b09,
	0x400003e700106e11, 0x8000000000106d09, 0x400009dc0014aa0a, 0x400004fe0014a809,
	0x40001d0000107209, 0x400001060010760f, 0x8100000000107209, 0x4000037b00107410,
	0x400002ce0014a80d, 0x8100000000107509, 0x400005bb0014aa09, 0x8100000000107709,
	0x400003ac00107a0a, 0x400023cf00108609, 0x8100000000107a09, 0x4000095900107c09,
	0x8100000000107c09, 0x400001ce00107e0e, 0x8000000000107e09, 0x4000116d0010800a,
	0x400001820010820c, 0x8000000000108109, 0x8100000000108209, 0x400001c10010840d,
	0x8000000000108409, 0x400012650014aa09, 0x400002f500108810, 0x400002c900108c10,
	0x400001410014a80f, 0x4000016900108a0b, 0x4000031b0014a80c, 0x8100000000108b09,
	0x400002bb00108e0b, 0x8100000000108d09, 0x8000000000108e09, 0x400003410014a80d,
	0x400002420010910c, 0x40000b2100109309, 0x400002a20010a010, 0x4000030f00109510,
	0x400002060010970c, 0x400000390014a80f, 0x8100000000109609, 0x400001360010990c,
	0x400000f30010a70f, 0x8000000000109909, 0x4000013c00109b0c, 0x8100000000109b09,
	0x3fffffc900109d0f, 0x4000022e0014a80b, 0x40000b0b00109f0a, 0x400000a30010b10f,
	0x800000000010a009, 0x400000400010a20f, 0x400002260010a40a, 0x400002860010ac11,
	0x400003fd0010a611, 0x400003bb0014aa0d, 0x3fffff4f0010a90f, 0x800000000010a709,
	0x400003680014aa11, 0x400003c70010aa11, 0x810000000010aa09, 0x400003d20014aa0e,
	0x800000000010ac09, 0x400003440010ae10, 0x40000f390010b00a, 0x40001f890010b709,
	0x4000027d0010b30d, 0x800000000010b109, 0x40000a470014a80a, 0x4000019d0014aa0d,
	0x40000bf40010b50a, 0x810000000010b509, 0x4000017e0014aa0f, 0x400003fd0010b911,
	0x400010b30014a80a, 0x810000000010b909, 0x400003c40010bb0d, 0x810000000010bb09,
	0x400003ce0014aa10, 0x400002be0010be0e, 0x400008e60010c009, 0x400002b40010d010,
	0x810000000010c009, 0x400001a60010c20e, 0x800000000010c209, 0x4000116d0010c40a,
	0x400001d40010c60e, 0x800000000010c509, 0x4000017e0010c80c, 0x400000b10010ca0f,
	0x810000000010c809, 0x4000007d0014a80f, 0x800000000010ca09, 0x400002990010cc0e,
	0x400001ee0010ce0c, 0x800000000010cd09, 0x400003f30014a810, 0x810000000010cf09,
	0x400003430010d20d, 0x400032c90010d409, 0x400003e20014a811, 0x400003b00014aa0e,
	0x40000b090010d60a, 0x40001f8d0014a80a, 0x400000400010d80f, 0x400001720010e80f,
	0x400003cc0010da0d, 0x4000009c0010e20f, 0x810000000010da09, 0x400003e70010dc0d,
	0x400000850010de0b, 0x810000000010dd09, 0x400003e50010e00e, 0x810000000010df09,
	0x800000000010e009, 0x400003ec0014d411, 0x4000029d0010e40d, 0x810000000010e309,
	0x800000000010e409, 0x400003d70010e60c, 0x810000000010e609, 0x400003c40014aa10,
	0x400002820010ea0c, 0x400003490010f010, 0x810000000010ea09, 0x400002f20010ec0c,
	0x800000000010ec09, 0x40000df10010ee0a, 0x800000000010ee09, 0x400003570014aa0c,
	0x400003ab0010f20e, 0x4000020f0010f40f, 0x400003db0014aa11, 0x810000000010f309,
	0x400003430014aa0d, 0x810000000010f509, 0x400001780010f70b, 0x400003230010f911,
	0x400001360011180c, 0x400003ab0010fb10, 0x400000740011010b, 0x400001620010fd0b,
	0x400038250010ff09, 0x400009f50014aa0a, 0x400002f50014a810, 0x4000037b0014aa0d,
	0x8000000000110009, 0x400000730011030b, 0x400003d500110e0d, 0x4000038100110510,
	0x400003bc0014aa0d, 0x8000000000110509, 0x400003fd00110711, 0x400000370011090f,
	0x400003d60014aa10, 0x400001d100110a0a, 0x8100000000110a09, 0x4000006400110c0b,
	0x400003d90014aa0c, 0x8100000000110d09, 0x40001cea00111009, 0x400003d70011140d,
	0x8100000000111009, 0x400002fb0011120c, 0x8000000000111209, 0x40000f9e0014a80a,
	0x8000000000111409, 0x400002860011160a, 0x8100000000111609, 0x4000034d0014aa10,
	0x400009590014aa09, 0x4000097400111a09, 0x8100000000111a09, 0x400019f400111c09,
	0x4000022d00111e11, 0x400002e50011220c, 0x8100000000111e09, 0x400000ca0011200f,
	0x8000000000112009, 0x400001ee0014a80c, 0x8000000000112209, 0x400013ff0014aa0a,
	0x400002730011250c, 0x400004ff0011270a, 0x400002ad00113810, 0x40000b7600112909,
	0x400002ec00112d0e, 0x4000010b00112b0d, 0x8000000000112a09, 0x400003af0014aa0a,
	0x8100000000112c09, 0x400002e100112f0f, 0x40000cab0011300a, 0x4000027d0011320d,
	0x8100000000113009, 0x4000030a0014aa0e, 0x400006340011340a, 0x4000019b0014a80b,
	0x4000098c0014aa09, 0x400003a900113610, 0x8000000000113609, 0x400003ae0014aa10,
	0x4000033e00113a0c, 0x4000000a00113c0f, 0x8000000000113a09, 0x400003550014aa0c,
	0x400003d700113e10, 0x40000c3e0011420a, 0x400003cb0011400c, 0x3ffffff20014aa0f,
	0x8100000000114009, 0x400003e00014a80e, 0x400000e90011440f, 0x40000c9b0011490a,
	0x400003eb0011460e, 0x8100000000114509, 0x400003fd00114811, 0x400003ec0014a80c,
	0x4000028500114f0c, 0x8000000000114909, 0x4000034f00114b10, 0x4000031400114d0c,
	0x400002f00014a811, 0x40001c7e0014aa0a, 0x400012d20014a80a, 0x8000000000114f09,
	0x4000005e0011510b, 0x400003f80014aa11, 0x8100000000115209, 0x4000015a0011540b,
	0x400045b600115609, 0x4000028d0011770e, 0x4000032400115810, 0x8000000000115709,
	0x4000013400115a0b, 0x4000006500115e0b, 0x400016400014aa09, 0x4000014400115c0b,
	0x8000000000115c09, 0x4000035d0014aa0c, 0x400003eb0011600c, 0x4000029400116711,
	0x400000e70011620f, 0x8100000000116109, 0x400003ca00116310, 0x8100000000116309,
	0x400003cf00116511, 0x8100000000116509, 0x400003360014aa09, 0x8000000000116709,
	0x400002110011690c, 0x400003960014a811, 0x40000b3900116b0a, 0x400003d600116d0d,
	0x4000034900117310, 0x3ffffffd00116f0f, 0x400003dd0011710d, 0x400003e00014d611,
	0x8100000000117009, 0x3fffffee0014d80f, 0x8100000000117209, 0x8000000000117309,
	0x40000e7500117509, 0x8000000000117509, 0x400002f80014a811, 0x400002870011790f,
	0x400011cf00117b0a, 0x4000095c0014aa09, 0x8100000000117a09, 0x400002aa00117d0d,
	0x400002ed00118310, 0x4000034500117f11, 0x8100000000117e09, 0x400000c00011810f,
	0x8100000000118009, 0x8000000000118109, 0x40000dbd0014a809, 0x400075e700118509,
	0x8100000000118409, 0x8000000000118509, 0x400064f00014a80a, 0x400002820011880c,
	0x4000091400118a09, 0x4000251d00119b09, 0x8100000000118a09, 0x4000033a00118c0d,
	0x40000b2100118e09, 0x8100000000118d09, 0x400003670014a810, 0x400001360011900c,
	0x8000000000119009, 0x400003a600119210, 0x4000197600119409, 0x400000640011970f,
	0x400002440011960b, 0x8000000000119509, 0x40000c2f0011990a, 0x8100000000119709,
	0x400031a80014aa09, 0x8000000000119909, 0x4000020b0014a80e, 0x4000028e00119d10,
	0x400002c90011a010, 0x4000136a00119f09, 0x4000030f0011a411, 0x400001ee0014aa0d,
	0x800000000011a009, 0x400001160011a20b, 0x400002bb0014aa0d, 0x810000000011a309,
	0x400003460011a60c, 0x400003cc0011aa0c, 0x400000df0011a80f, 0x400002d40014aa11,
	0x400001760014a80b, 0x400021970014aa09, 0x4000033f0011ac11, 0x4000000e0011b00f,
	0x400003a90014aa0e, 0x400000340011ae0f, 0x400008bf0014aa09, 0x810000000011af09,
	0x400003e90011b210, 0x400000f90011b60f, 0x400003e50011b40e, 0x810000000011b309,
	0x800000000011b409, 0x3fffffe10014aa0f, 0x400003e10011b80e, 0x810000000011b709,
	0x400003de0011ba0e, 0x810000000011b909, 0x400003e60014a811, 0x800000000011bb09,
	0x400001660011bd0b, 0x400002ff0011bf11, 0x400002730011da0d, 0x400011e00014aa09,
	0x400000660011c10f, 0x400002810011c30a, 0x4000028b0011c610, 0x400003fd0011c511,
	0x400000050011d60f, 0x400001f20011d00a, 0x800000000011c609, 0x400003e70011c80d,
	0x400003220011ca11, 0x400003930014a810, 0x4000031d0014aa11, 0x400003a80011cc0c,
	0x810000000011cc09, 0x40001cc00011ce09, 0x810000000011ce09, 0x40001d650014a809,
	0x810000000011d009, 0x400003d70011d210, 0x400003e10011d411, 0x800000000011d309,
	0x400003dd0014aa0c, 0x810000000011d509, 0x400004e90011d809, 0x4000035d0014aa10,
	0x800000000011d809, 0x400003d20014aa0e, 0x400002130011dc0b, 0x400002f50011e810,
	0x3ffffec50011de0f, 0x4000095c0011e409, 0x810000000011de09, 0x400004390011e00a,
	0x4000095f0014aa09, 0x400003c80011e210, 0x800000000011e209, 0x40001b180014a809,
	0x810000000011e409, 0x400001360011e60c, 0x800000000011e609, 0x400003660014a810,
	0x400064f00011ea0a, 0x4000030e0011ee0d, 0x400001860011ec0b, 0x810000000011eb09,
	0x400001750014a80b, 0x800000000011ed09, 0x400026eb0014aa0a, 0x4000030b0014a80c,
	0x4000015a0011f10b, 0x400002e10011f311, 0x4000085d0011fe09, 0x40000ae10014aa0a,
	0x400003cc0011f50c, 0x400003510011f711, 0x400000fb0012130f, 0x400003380011f911,
	0x40000e8100120f0a, 0x400003bf0011fb0d, 0x4000010f0012110b, 0x400000fa0011fd0b,
	0x800000000011fc09, 0x400003240014a80c, 0x810000000011fe09, 0x400002060012000c,
	0x400001b10012020e, 0x400002f500120a10, 0x8000000000120209, 0x4000005e0012040d,
	0x8100000000120409, 0x400000f00012060f, 0x8000000000120609, 0x400001170012080f,
	0x400002030014a80e, 0x8000000000120909, 0x400075e700120c09, 0x400014fb00120e09,
	0x8000000000120c09, 0x400078ca0014aa09, 0x4000033a0014aa10, 0x8100000000120f09,
	0x400003490014a810, 0x8100000000121109, 0x400003570014aa0e, 0x400001f70012150a,
	0x400000f70014aa0b, 0x8100000000121509, 0x400003e00012170e, 0x400000660012190f,
	0x400003eb00121b0e, 0x8000000000121909, 0x400003d20014a80d, 0x3fffff7d00121d0f,
	0x8000000000121c09, 0x4000020b0014a80a, 0x8100000000121e09, 0x400001780012200b,
	0x400022bc00122209, 0x400008a200122b09, 0x4000011b0012240f, 0x4000038100124d0c,
	0x4000134000122609, 0x400014b400124309, 0x400003d00012280e, 0x8000000000122709,
	0x4000002a00122a0f, 0x400001f90012400a, 0x400003bf0014aa10, 0x8100000000122b09,
	0x4000010300122d0f, 0x4000030400122f0c, 0x4000027d0012380c, 0x400003ac00123110,
	0x4000026c0014a810, 0x400001c60012330e, 0x400000fc0012360c, 0x8000000000123309,
	0x4000018b0012350d, 0x400001750014a80d, 0x8000000000123609, 0x400003cf0014aa10,
	0x4000144000123a09, 0x4000035300123e0c, 0x400002b300123c10, 0x8000000000123b09,
	0x400001c00014a80d, 0x8000000000123d09, 0x400030ab0014aa0a, 0x8000000000123f09,
	0x400003d100124211, 0x400000ed0012470f, 0x400001d10014aa0a, 0x8100000000124309,
	0x4000033900124510, 0x400003b70014a80d, 0x8100000000124609, 0x400003f30012490a,
	0x8100000000124809, 0x4000040100124b09, 0x8100000000124a09, 0x400003f30014a811,
	0x400004ed0014da09, 0x4000014c00124f0f, 0x8100000000124e09, 0x8000000000124f09,
	0x400003630014a810, 0x400002ba0012520e, 0x4000015b0012540b, 0x4000003f0012660f,
	0x400000af0014a80f, 0x400003af0012560a, 0x8100000000125609, 0x4000030b0012580f,
	0x400002a000125a0c, 0x8100000000125909, 0x4000043900125c0a, 0x8100000000125b09,
	0x3fffffc10014aa0f, 0x4000007c00125e0f, 0x400002470012600b, 0x400008e600126209,
	0x400002080014aa10, 0x8000000000126109, 0x8100000000126209, 0x400001eb0012640d,
	0x8000000000126409, 0x400013400014cc09, 0x400000fc0012680b, 0x400002b400127010,
	0x400003d000126a0d, 0x8000000000126909, 0x8100000000126a09, 0x400003ee00126c0e,
	0x4000052600126e09, 0x8100000000126d09, 0x400003db0014a811, 0x8000000000126f09,
	0x4000012700127210, 0x400002130012730c, 0x400064f00014a80a, 0x8000000000127309,
	0x400002c50012750c, 0x40000a090012770a, 0x4000032200127911, 0x8100000000127709,
	0x400003a30014a810, 0x4000031800127b0d, 0x4000005800127f0f, 0x8100000000127b09,
	0x400013e800127d0a, 0x40000b7a0014aa0a, 0x8100000000127e09, 0x400000510014aa0f,
	0x40000e750012810a, 0x4000041500128309, 0x400003a60012840c, 0x400003f30014dc10,
	0x8100000000128409, 0x40000ea50014a80a, 0x400001210012870f, 0x400001260012890b,
	0x400001a30012a30b, 0x4000028c00128b0e, 0x400003340012970e, 0x8000000000128b09,
	0x400003de00128d0d, 0x40000a7500128f0a, 0x8100000000128e09, 0x400003cc0012910d,
	0x8000000000129009, 0x8100000000129109, 0x400003c400129310, 0x4000049800129509,
	0x400003f10014a810, 0x8100000000129509, 0x400003a00014a810, 0x400002120012990b,
	0x400002cf0014a810, 0x4000045b00129b0a, 0x400006380012a10a, 0x3fffff8200129d0f,
	0x400000f100129f0f, 0x8000000000129d09, 0x40000b760014aa09, 0x8000000000129f09,
	0x400002f40014aa10, 0x4000004b0014a80e, 0x800000000012a209, 0x400003230012a511,
	0x40006e180012b009, 0x4000036f0012a70d, 0x400002ae0012aa10, 0x810000000012a709,
	0x400003920012a90d, 0x4000124d0014aa09, 0x800000000012aa09, 0x400003450012ac10,
	0x400002bf0012ae0d, 0x810000000012ad09, 0x4000196d0014aa09, 0x810000000012af09,
	0x40001c220012b209, 0x400001080014a810, 0x400003120012b411, 0x800000000012b309,
	0x400002650014a80c, 0x810000000012b509, 0x400002060012b70c, 0x3ffffe990012b90f,
	0x400003100012c111, 0x400002350014aa0b, 0x400003d20012bb10, 0x400006480012bd0a,
	0x4000089d0014aa09, 0x400001c10014aa11, 0x400001a50012bf0c, 0x800000000012bf09,
	0x400001a90014aa0c, 0x4000015a0012c30f, 0x400000700012d30f, 0x4000024c0012c50d,
	0x400003070012cd0e, 0x810000000012c509, 0x400001c80012c70b, 0x400001840012c90b,
	0x800000000012c809, 0x40000f270012cb09, 0x400056480014aa09, 0x400002e70014aa11,
	0x800000000012cc09, 0x810000000012cd09, 0x4000131f0012cf09, 0x810000000012cf09,
	0x400010340012d10a, 0x400002bd0014aa0d, 0x800000000012d209, 0x400003e80012d50c,
	0x40002c540012dd09, 0x400003cf0012d70c, 0x810000000012d609, 0x400002e00012d910,
	0x400005ad0014a809, 0x4000025b0014a80c, 0x400003cc0012db0c, 0x810000000012db09,
	0x400000830014a80b, 0x400002b20012df0e, 0x400002d70014aa0c, 0x400008180014aa0a,
	0x400001040012e10f, 0x400003f10012e310, 0x40000e810012e90a, 0x400018b50012e509,
	0x400003f90014a810, 0x400003eb0012e70e, 0x800000000012e609, 0x810000000012e709,
	0x400003930014a810, 0x810000000012e909, 0x40000ea10014a80a, 0x400002730012ec0c,
	0x400001b50012ee0b, 0x400002890012f310, 0x4000010d0012f00f, 0x400008a20014aa09,
	0x4000015c0012f20b, 0x400002b10014aa0d, 0x4000254b0014aa09, 0x800000000012f309,
	0x4000243f0012f509, 0x4000009c0012f70f, 0x400003930013080e, 0x400009dc0012f90a,
	0x400001610013020b, 0x400000740012fb0b, 0x400001710014a80b, 0x4000000a0012fd0f,
	0x400003230014a811, 0x400003ef0012ff0e, 0x4000004e0013000f, 0x400003d40014aa11,
	0x8100000000130009, 0x400003f90014aa11, 0x400003ed00130410, 0x400002330014a811,
	0x400003e60013060d, 0x400002c60014a811, 0x8100000000130609, 0x400003870014a810,
	0x400002c90014a810, 0x400000cc0014aa0b, 0x4000028100130b0c, 0x4000020600130d0c,
	0x4000026200131b11, 0x4000016b00130f0b, 0x4000021f0013170c, 0x40000c780014aa0a,
	0x400003af0013110a, 0x40000a360014aa09, 0x4000016c0013130d, 0x8000000000131309,
	0x3fffffc90013150f, 0x4000020d0014aa10, 0x8000000000131609, 0x4000023c0014aa0f,
	0x400002560013190e, 0x8100000000131909, 0x400003a60014a810, 0x40000f7700131d0a,
	0x4000028900131f10, 0x400002440014aa11, 0x8000000000131e09, 0x4000021f0014aa10,
	0x400000740013210b, 0x400000730013230b, 0x4000032400132e10, 0x400000690013250f,
	0x400003d80014a810, 0x4000035b00132609, 0x8100000000132609, 0x400003e00013280e,
	0x4000053000132a09, 0x3ffffff800132c0f, 0x4000006d0014de0b, 0x8100000000132b09,
	0x3fffffe10014ca0f, 0x8100000000132d09, 0x400010630013300a, 0x400003c80013320d,
	0x8100000000133009, 0x400003660014a80c, 0x400002dd00133411, 0x4000039b00133a0c,
	0x4000032b0013360d, 0x400000250013380f, 0x400025e30014aa09, 0x8100000000133709,
	0x400000120014aa0f, 0x8100000000133909, 0x8000000000133a09, 0x3fffff640014a80f,
	0x4000029000133d0c, 0x4000033a00133f0d, 0x400001ae0013500b, 0x400003af0013400a,
	0x8100000000134009, 0x40000a9000134209, 0x400002710013440b, 0x400001ac0013460e,
	0x400001b70014a80e, 0x8100000000134509, 0x8000000000134609, 0x400001d00013480e,
	0x4000029a00134a11, 0x4000014e00134c0f, 0x400001cd0014a80e, 0x8100000000134b09,
	0x8000000000134c09, 0x4000016200134e0f, 0x8100000000134e09, 0x400003750014a810,
	0x400032c900135209, 0x400002aa00135f0c, 0x400003cd0013540d, 0x8000000000135309,
	0x400002ef00135610, 0x400000580013610b, 0x400002eb0014aa10, 0x400002c40013580c,
	0x400009b60014aa0a, 0x4000032e00135a0e, 0x400002330014a811, 0x400003c300135c0d,
	0x8100000000135c09, 0x4000044500135e09, 0x400003df0014a810, 0x8100000000135f09,
	0x400012980014aa0a, 0x8100000000136109, 0x400003dd00136311, 0x400003c100136510,
	0x4000005c0013660b, 0x400000260013680f, 0x8000000000136609, 0x400003d80014a809,
	0x400003e30014aa0e, 0x8100000000136909, 0x4000026200136b0d, 0x40000b2100136d09,
	0x4000029700137c11, 0x40000a0200136f09, 0x400003080013710e, 0x8100000000136f09,
	0x3ffffffd0014a80f, 0x400001b40013730e, 0x40001d5b00137a09, 0x8000000000137309,
	0x400002bc0013750b, 0x400001d00013770e, 0x400002cc0014aa0b, 0x40001e8f0014aa09,
	0x400002e10013790f, 0x400001260014aa0b, 0x8100000000137a09, 0x400003380014aa0c,
	0x40005bdf00137e0a, 0x400000660013820f, 0x400001320013800f, 0x8100000000137f09,
	0x8000000000138009, 0x400002fe0014aa0e, 0x400001cc0013840a, 0x4000032300138e11,
	0x8100000000138409, 0x400003ba00138611, 0x8100000000138609, 0x400003c10013880e,
	0x400002e30014a810, 0x400003e500138a11, 0x8000000000138a09, 0x400003b200138c10,
	0x400003f80014aa11, 0x8000000000138d09, 0x400003910013900e, 0x40003c530013960a,
	0x40003ef10013920a, 0x8000000000139109, 0x400003780013940e, 0x8000000000139309,
	0x8100000000139409, 0x400003830014a80e, 0x400003d00013980d, 0x8000000000139709,
	0x40001eb700139a0a, 0x400003f30013a010, 0x4000109200139c0a, 0x4000039a0014a811,
	0x8100000000139c09, 0x4000032700139e0c, 0x400013d50014a80a, 0x8100000000139f09,
	0x4000036a0013a20a, 0x400003db0014a80d, 0x810000000013a209, 0x400002040014a80f,
	0x400001480013a50b, 0x400000400013a70f, 0x400002060013c20c, 0x400001d30013a90a,
	0x400003230013b411, 0x810000000013a909, 0x400003d10013ab0e, 0x40000b380013ad0a,
	0x400005ad0013af09, 0x400000740014a80b, 0x800000000013ae09, 0x400004890013b109,
	0x810000000013b009, 0x400003e10013b20e, 0x800000000013b209, 0x3ffffffd0014a80f,
	0x40002cfd0013b609, 0x400002500013b70e, 0x4000031e0013bf11, 0x800000000013b709,
	0x40001d000013b909, 0x810000000013b909, 0x400003640013bb10, 0x400002100013bd0f,
	0x4000013b0014a80f, 0x4000014e0014a80f, 0x800000000013be09, 0x400000dc0013c00b,
	0x800000000013c009, 0x400000b30014a80f, 0x40000b210013c409, 0x400012860013cc09,
	0x400000ed0014aa0c, 0x400003ac0013c610, 0x400001730013c80d, 0x400024a50013ca09,
	0x800000000013c809, 0x400001850014aa0d, 0x800000000013ca09, 0x400000360014a80c,
	0x400003300014aa11, 0x400002ed0013ce10, 0x400001c60013d00f, 0x400016b10014a809,
	0x800000000013d009, 0x4000025e0014aa0c, 0x400002ab0013d30d, 0x4000015b0013d50b,
	0x400003230013ea11, 0x400002c20013d70e, 0x400008e60013d809, 0x400002080014aa0e,
	0x810000000013d809, 0x400001e50013da0d, 0x400001b10013dc0e, 0x4000029e0013e20c,
	0x800000000013dc09, 0x400002b90013de0b, 0x400002f00013e00c, 0x810000000013df09,
	0x800000000013e009, 0x400003510014aa0e, 0x400000fe0013e40f, 0x400001bd0014a80b,
	0x800000000013e409, 0x400001f10013e60d, 0x810000000013e609, 0x40000ef00013e809,
	0x40000dbd0014a809, 0x800000000013e909, 0x40000d5a0013ec0a, 0x400000550013f40f,
	0x4000013f0014a80b, 0x400003ab0013ee10, 0x400064f00013f00a, 0x810000000013ef09,
	0x400003120013f211, 0x810000000013f109, 0x800000000013f209, 0x4000037c0014aa0e,
	0x400001e40013f60a, 0x4000028b0013fd10, 0x810000000013f609, 0x4000056f0013f809,
	0x4000000e0013fa0f, 0x4000014a0013fc0b, 0x800000000013fa09, 0x4000001e0014aa0f,
	0x3fffffce0014030f, 0x800000000013fd09, 0x400003160013ff10, 0x400002eb0014a80d,
	0x400000f00014010f, 0x400000e70014aa0f, 0x8100000000140209, 0x400000830014aa0b,
	0x8100000000140409, 0x400001660014060b, 0x40001f1700140809, 0x400002880014200c,
	0x4000006600140a0f, 0x4000032700141c0c, 0x4000007200140c0b, 0x400002e100141511,
	0x400003e100140e0c, 0x400003d400140f0d, 0x400003d60014110e, 0x8100000000140f09,
	0x400003d90014a811, 0x400001bb0014aa0a, 0x400003c400141310, 0x400003dc0014aa0c,
	0x8000000000141409, 0x4000033b0014aa0d, 0x40001d0000141709, 0x400000ec0014190f,
	0x400003db0014aa11, 0x400003e700141a0d, 0x8100000000141a09, 0x400003eb0014a80d,
	0x400002a400141e0c, 0x400003bb0014aa0d, 0x8000000000141e09, 0x4000011a0014a80b,
	0x4000017a0014220d, 0x4000028500142c10, 0x400008e60014aa09, 0x4000057d0014240a,
	0x8100000000142409, 0x4000039600142610, 0x40000c780014280a, 0x8100000000142709,
	0x400001ee00142a0d, 0x8000000000142909, 0x40000a010014a80a, 0x8000000000142b09,
	0x400003d40014a811, 0x4000013200142e0f, 0x400002fd0014300c, 0x8100000000142f09,
	0x40000f760014aa09, 0x8100000000143109, 0x400002ba0014330e, 0x400003bb0014350a,
	0x400002b400144910, 0x8100000000143509, 0x400001a50014370c, 0x40000b7600143909,
	0x400002ed00143f11, 0x4000014f00143b0e, 0x4000013200143d0c, 0x400002840014aa10,
	0x8100000000143c09, 0x8000000000143d09, 0x400001380014aa0c, 0x40000e3a00144109,
	0x400002090014450b, 0x8100000000144109, 0x4000116400144309, 0x4000022d0014aa11,
	0x8000000000144409, 0x400002560014470e, 0x8000000000144609, 0x8100000000144709,
	0x3ffffffe0014aa0f, 0x400012f900144b09, 0x400002df00144f11, 0x8100000000144b09,
	0x400001be00144d0f, 0x8000000000144d09, 0x400001f30014aa0f, 0x400001150014510b,
	0x400003d90014590c, 0x8000000000145109, 0x400002f70014530d, 0x8000000000145309,
	0x400001610014550b, 0x8100000000145509, 0x400002e80014570c, 0x8100000000145709,
	0x40001b1b0014a809, 0x4000021100145b0c, 0x400003e00014680c, 0x8000000000145b09,
	0x4000002300145d0f, 0x400000e500145f0b, 0x40000e810014620a, 0x400000740014600b,
	0x8000000000146009, 0x400003cc0014aa0c, 0x8100000000146209, 0x400003c30014640d,
	0x400003240014660c, 0x8000000000146509, 0x4000018b0014aa0f, 0x400003490014e010,
	0x4000008100146a0f, 0x4000006d00146b0b, 0x400003b800147110, 0x8100000000146b09,
	0x4000037c00146d10, 0x400003e000146f0d, 0x8100000000146e09, 0x8000000000146f09,
	0x400003e70014aa0d, 0x400003e30014aa0e, 0x8000000000147209, 0x4000028a0014740d,
	0x4000091400147609, 0x4000028b00148910, 0x8100000000147609, 0x400001620014780b,
	0x4000030b00147a0c, 0x4000030800147e0e, 0x4000014900147c0b, 0x8100000000147b09,
	0x400003b20014a811, 0x40000a330014aa0a, 0x400001360014800c, 0x40001dca0014aa09,
	0x8000000000148009, 0x4000000d0014820f, 0x400002910014840b, 0x4000014e0014870f,
	0x400001e90014860e, 0x8100000000148509, 0x400001cd0014a80e, 0x8000000000148709,
	0x400002cd0014a810, 0x400075e700148b09, 0x4000006600148d0f, 0x8000000000148b09,
	0x400002c30014aa0c, 0x400001f800148f0a, 0x400002c20014960e, 0x400003fb0014aa11,
	0x400003ce0014910d, 0x400007930014930a, 0x400003e00014940c, 0x400003cb0014aa0c,
	0x8000000000149409, 0x4000021e0014aa0a, 0x4000013e0014a80f, 0x400022d100149809,
	0x400018fa00149a09, 0x400003550014a410, 0x400000d300149c0f, 0x400003460014a010,
	0x4000006300149e0b, 0x8100000000149d09, 0x400003f10014aa10, 0x8100000000149f09,
	0x800000000014a009, 0x400003850014a20c, 0x400000da0014a80b, 0x810000000014a309,
	0x400002ae0014aa0d, 0x4000039d0014a610, 0x810000000014a609, 0x400000ea0014aa0b,
	0x800000000014a809, 0x810000000014a909, 0x810000000014aa09, 0x800000000014ab09,
	0x810000000014ac09, 0x804000000014ad09, 0x810000000014ae09, 0x80c000000014af09,
	0x805555550014b009, 0x800000000014b109, 0x80d555550014b209, 0x810000000014b309,
	0x809249250014b409, 0x810000000014b509, 0x808000000014b609, 0x800000000014b709,
	0x80cccccd0014b809, 0x810000000014b909, 0x800000000014ba09, 0x80cccccd0014bb09,
	0x802000000014bc09, 0x800000000014bd09, 0x805555550014be09, 0x810000000014bf09,
	0x80f286bd0014c009, 0x800000000014c109, 0x804000000014c209, 0x800000000014c309,
	0x800000000014c409, 0x802000000014c509, 0x8013b13b0014c609, 0x810000000014c709,
	0x800000000014c809, 0x805555550014c909, 0x80aaaaab0014ca09, 0x800000000014cb09,
	0x802aaaab0014cc09, 0x800000000014cd09, 0x810000000014ce09, 0x80e8ba2f0014cf09,
	0x808000000014d009, 0x810000000014d109, 0x810000000014d209, 0x802aaaab0014d309,
	0x810000000014d409, 0x803333330014d509, 0x810000000014d609, 0x808000000014d709,
	0x800000000014d809, 0x80e000000014d909, 0x800000000014da09, 0x802492490014db09,
	0x810000000014dc09, 0x80e38e390014dd09, 0x800000000014de09, 0x808000000014df09,
	0x80c000000014e009, 0x810000000014e109,
};

/* Where each tree begins. */
SBD_TABLE(sbd_u32, sbd_forest_invariant_root) = {
	0, 47, 102, 165,
	220, 285, 340, 389,
	456, 501, 546, 596,
	654, 701, 762, 823,
	884, 937, 991, 1049,
	1106, 1161, 1218, 1265,
	1311, 1346, 1397, 1452,
	1495, 1552, 1604, 1655,
	1704, 1749, 1791, 1841,
	1891, 1951, 2006, 2065,
	2124, 2171, 2230, 2288,
	2341, 2400, 2457, 2502,
	2544, 2611, 2669, 2715,
	2769, 2829, 2884, 2937,
	2990, 3053, 3113, 3169,
	3228, 3281, 3334, 3390,
	3441, 3490, 3532, 3583,
	3646, 3696, 3751, 3808,
	3852, 3909, 3967, 4023,
	4070, 4125, 4173, 4240,
	4285, 4342, 4388, 4435,
	4487, 4540, 4592, 4639,
	4689, 4742, 4790, 4843,
	4874, 4924, 4970, 5028,
	5074, 5125, 5170, 5235,
};

/**
 * sbd_forest_invariant() - decide by the features of a window
 * @x: the features, indexed by &enum sbd_feature; those it does not take may be any numbers
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_verdict sbd_forest_invariant(const sbd_s32 x[SBD_FEATURES])
{
	sbd_u64 votes = sbd_votes((const sbd_u64 *)sbd_forest_invariant_node, (const sbd_u32 *)sbd_forest_invariant_root,
				  100, 10, x);

	return votes > 100 * 8388608ULL ? SBD_SHARED : SBD_NOT_SHARED;
}

/* Compute the features it takes, and nothing else. */
static inline void sbd_forest_invariant_features(const struct sbd_window *window,
	struct sbd_scratch *scratch)
{
	const sbd_u32 wanted = sbd_forest_invariant_wanted;

	sbd_queue(window, scratch);
	sbd_queue_distance(window, wanted, scratch);
	sbd_queue_ratio(window, wanted, scratch);
	sbd_correlation(window, wanted, scratch);
}

/**
 * sbd_forest_invariant_judge() - for sbd_decide(), without a model of a file
 * @window: a complete window
 * @model: not used
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_forest_invariant_judge(const struct sbd_window *window,
	const void *model, struct sbd_scratch *scratch)
{
	(void)model;
	sbd_forest_invariant_features(window, scratch);
	return sbd_forest_invariant(scratch->x);
}

#endif /* SBD_FOREST_INVARIANT_H */
