/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model e67355be3c7f3fb9, trained on sites, tiled windows, default profile
 *
 * SVM with RBF kernel, 64 vectors.
 * Integers only; no state, no allocation.
 *
 * Do not edit: change the model, export/templates/svm.h.j2 or export/fragments/.
 */
#ifndef SBD_SVM_BOUNDED_64_PAPER_H
#define SBD_SVM_BOUNDED_64_PAPER_H

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
	sbd_svm_bounded_64_paper_wanted =
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

/* Of each vector its place, as features are scaled, and its weight. */
SBD_TABLE(sbd_s32, sbd_svm_bounded_64_paper_vector) = {
	525, 4117, 4134, 769, 795, 695, 765, -296, 2971, 205147,
	-776, -527, -653, -1395, -2888, -3054, -867, -296, -2165, -799417,
	16770, 1902, 4146, 16808, -1250, 4782, 2720, -294, -956, -4017,
	890, 879, 865, 1062, 351, 316, 2447, -296, -451, -537355,
	2463, 3615, 3717, 2892, 4386, 4678, 1417, -296, 3644, -280535,
	830, 4173, 4204, 1044, 2658, 2661, 4000, -296, 1793, 14950,
	-26, -1269, -1348, 426, 1494, 1268, -911, 20442, -2462, -325951,
	-1001, 1932, 1835, -1069, 1210, 833, -596, -296, 179, 36417,
	636, -1041, -1075, 706, 431, 202, -1010, -296, -2167, -333427,
	1193, 2560, 2575, 1470, 1636, 1760, 6347, -296, 1701, -248427,
	3903, -2211, -1653, 4473, 76, 688, -1834, -297, -2281, -286971,
	-187, 2942, 2902, -264, -2888, -2418, 148, -296, 575, -157948,
	-1563, -3858, -3821, -1738, -2827, -3225, -1250, -296, -3193, -1048576,
	6989, 1465, 2038, 6259, -2169, 268, 1992, -295, -1905, 3761,
	-1719, -801, -997, -1613, 1755, 1363, -1154, -297, -1525, 34604,
	1530, 3681, 3734, 1914, 1501, 1711, 10753, -296, 2029, -24602,
	-394, 3728, 3701, -296, 3343, 3242, 2, -296, 2287, -33861,
	1924, 2463, 2520, 2213, 1201, 1342, 2651, -296, 1332, 360406,
	3727, -106, 167, 2036, -2888, -1727, 413, -296, -2577, -44628,
	2090, 6331, 6471, 2463, 9380, 10077, 5167, -295, 2975, -11196,
	211, 2039, 1993, 399, 2356, 2206, 707, -296, 2443, -506773,
	8154, -1953, -530, 8889, -73, 2133, -2014, -297, -2299, 34742,
	19280, 807, 3751, 20302, -2888, 6337, 17519, -293, 327, -1491,
	10270, 170, 1416, 10188, 469, 2774, 21976, -295, -2444, -1491,
	1781, 6681, 6814, 1978, 2545, 2699, 3513, -295, 2689, -74338,
	11743, 2141, 3322, 11109, 5995, 7628, 3024, 20442, -3480, -1491,
	3894, -4164, -2587, 4247, -2888, -852, -497, -296, -2422, -253874,
	2015, 3840, 3920, 2329, 3591, 3846, 5779, -296, 4510, -119274,
	531, 500, 457, 410, -2888, -2098, 1335, -295, -1170, 253571,
	4676, 3183, 3447, 4874, 2426, 3174, 3838, -295, 2518, 95554,
	-1224, 85, -68, -1189, 49, -424, -24, -296, -1328, 127480,
	890, 1566, 1547, 1048, 2854, 2804, 1216, -296, -433, 282005,
	-1280, -4588, -4292, -1497, -2888, -3208, -1267, -296, -199, 20539,
	-1185, -1150, -1330, -1064, 1519, 1132, -1262, -297, 631, 189795,
	-1955, -1446, -1669, -1834, 1260, 804, -1251, 20442, -1768, 329471,
	-807, 734, 611, -730, 741, 343, -1204, -296, 2332, 150021,
	-708, -981, -1124, -723, -2888, -2870, -1208, -296, -58, -139827,
	-1284, -2046, -2240, -1151, 329, -177, -1267, -297, -338, -12589,
	-1518, -385, -565, -1403, 2563, 2268, -1221, -297, 617, 86535,
	-24, 1729, 1667, -29, 850, 551, -680, -296, 4873, -229534,
	-301, 644, 544, -879, 2235, 1934, -1167, -296, 8223, 397946,
	2253, -1521, -1330, 2002, -2888, -1579, -1664, -296, -1848, -50015,
	-2002, -1984, -2220, -2003, -2888, -3187, -1305, -296, -3096, 217937,
	-1350, -165, -333, -1429, -2888, -3106, -1272, -296, 801, 84467,
	1, -1750, -1831, -219, -2672, -2331, -1355, -296, -2676, 391233,
	-492, 217, 103, -572, -2888, -2786, -1290, -296, 4290, 19983,
	-1736, -1118, -1324, -1575, 1500, 1079, -1307, -297, -1192, -249323,
	-584, -1460, -1600, -463, 792, 397, -1153, -297, 2142, 20826,
	-800, 243, 108, -732, 3117, 2918, -1097, -297, 2252, -197661,
	-1377, -906, -1081, -1339, -197, -722, -1506, -296, -3009, 140836,
	1992, -1060, -941, 1956, 318, 403, -1302, -296, -1932, 447599,
	333, -4588, -3820, 598, -2888, -2354, -1467, -296, -2322, 167987,
	4672, -2851, -1853, 4845, -2413, -396, -1641, -296, -586, 413001,
	-1559, -1746, -1952, -1650, -2888, -3240, -1330, -296, 262, 119432,
	-1407, 362, 204, -1090, 3647, 3484, -1311, 20442, 1320, 156662,
	-2047, -4588, -4517, -1975, -2888, -3405, -1162, -296, -2969, 696113,
	1098, 1325, 1316, 377, 3248, 3160, -887, -296, 10906, 74154,
	-1454, -209, -382, -1438, -63, -612, -1297, -296, 753, -378156,
	-940, 888, 764, -935, -2888, -2841, -1178, -296, 1722, 283476,
	-1400, 749, 603, -1481, 1618, 1221, -1273, -296, 806, 161295,
	-535, -220, -345, -588, 2052, 1757, -1118, -296, 4301, 403623,
	-1768, -664, -860, -1833, -2888, -3199, -1367, -296, -2934, 401225,
	-557, 1808, 1722, -753, 3858, 3740, -882, -296, 6461, 308236,
	-2424, -2464, -2731, -2192, -84, -706, -1465, -297, -2966, 122645,
};

/**
 * sbd_svm_bounded_64_paper() - decide by the features of a window
 * @x: the features, indexed by &enum sbd_feature; those it does not take may be any numbers
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_verdict sbd_svm_bounded_64_paper(const sbd_s32 x[SBD_FEATURES])
{
	const sbd_s32 *vector = (const sbd_s32 *)sbd_svm_bounded_64_paper_vector;
	const sbd_s32 u0 =
		sbd_scaled(x[SBD_RTT_ED_4US], 139864, 109283660, 32);
	const sbd_s32 u1 =
		sbd_scaled(x[SBD_CSTATE_ED_4US], 637768, 123593211, 34);
	const sbd_s32 u2 =
		sbd_scaled(x[SBD_RTT_CSTATE_ED_4US], 665934, 127941082, 34);
	const sbd_s32 u3 =
		sbd_scaled(x[SBD_RTT_DTWD_4US], 119717, 112095610, 32);
	const sbd_s32 u4 =
		sbd_scaled(x[SBD_CSTATE_DTWD_4US], 304116, 81575714, 33);
	const sbd_s32 u5 =
		sbd_scaled(x[SBD_RTT_CSTATE_DTWD_4US], 364624, 91243116, 33);
	const sbd_s32 u6 =
		sbd_scaled(x[SBD_RTT_SD_RATIO_Q10], 1589, 78914537, 25);
	const sbd_s32 u7 =
		sbd_scaled(x[SBD_CSTATE_SD_RATIO_Q10], 240342, 84948018, 36);
	const sbd_s32 u8 =
		sbd_scaled(x[SBD_MIN_RTT_RATIO_Q10], 1947, 78262454, 24);
	sbd_s64 total = -81403148685135LL;
	sbd_u32 i;

	/* No sum exceeds 14691187525078863 in size. */
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
static inline void sbd_svm_bounded_64_paper_features(const struct sbd_window *window,
	struct sbd_scratch *scratch)
{
	const sbd_u32 wanted = sbd_svm_bounded_64_paper_wanted;

	sbd_above(window, scratch);
	sbd_distance(window, wanted, scratch);
	sbd_sd_ratio(window, wanted, scratch);
	sbd_min_rtt_ratio(window, scratch);
}

/**
 * sbd_svm_bounded_64_paper_judge() - for sbd_decide(), without a model of a file
 * @window: a complete window
 * @model: not used
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_svm_bounded_64_paper_judge(const struct sbd_window *window,
	const void *model, struct sbd_scratch *scratch)
{
	(void)model;
	sbd_svm_bounded_64_paper_features(window, scratch);
	return sbd_svm_bounded_64_paper(scratch->x);
}

#endif /* SBD_SVM_BOUNDED_64_PAPER_H */
