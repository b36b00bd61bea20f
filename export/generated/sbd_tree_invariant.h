/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model ca5fe00d6a6cec1a, trained on default profile, tiled windows.
 * Do not edit: change the model, or export/templates/tree.h.j2.
 *
 * 20 splits, 21 leaves, depth 6. Integers only; no state, no allocation.
 */
#ifndef SBD_TREE_INVARIANT_H
#define SBD_TREE_INVARIANT_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef s32 sbd_feature_t;
#else
#include <stdint.h>
typedef int32_t sbd_feature_t;
#endif

/**
 * enum sbd_tree_invariant_input - positions of the features in the input
 * @SBD_QUEUE_ED_4US: ED of the queueing delays, per point
 * @SBD_QUEUE_DTWD_4US: DTW distance of the queueing delays, per point
 * @SBD_QUEUE_ED_RATIO_Q10: ED of the queueing delays against their size: 0 where they are equal, 1 where never both wait
 * @SBD_RTT_CORRELATION_Q10: correlation of the RTT series (Pearson)
 * @SBD_RTT_RANK_CORRELATION_Q10: rank correlation of the RTT series (Spearman), equals at their mean rank
 * @SBD_RTT_LAGGED_CORRELATION_Q10: largest correlation of the RTT series within a lag of two of the larger minimum RTT
 * @SBD_RTT_CHANGE_CORRELATION_Q10: correlation of the RTT series' changes over two of the larger minimum RTT
 * @SBD_QUEUE_MEAN_RATIO_Q10: mean queueing delays, the smaller over the larger
 * @SBD_QUEUE_SD_RATIO_Q10: spread (SD) of the queueing delays, the smaller over the larger
 * @SBD_TREE_INVARIANT_INPUTS: how many there are
 */
enum sbd_tree_invariant_input {
	SBD_QUEUE_ED_4US,
	SBD_QUEUE_DTWD_4US,
	SBD_QUEUE_ED_RATIO_Q10,
	SBD_RTT_CORRELATION_Q10,
	SBD_RTT_RANK_CORRELATION_Q10,
	SBD_RTT_LAGGED_CORRELATION_Q10,
	SBD_RTT_CHANGE_CORRELATION_Q10,
	SBD_QUEUE_MEAN_RATIO_Q10,
	SBD_QUEUE_SD_RATIO_Q10,
	SBD_TREE_INVARIANT_INPUTS
};

/**
 * enum sbd_tree_invariant_verdict - what a window says of two subflows
 * @SBD_NOT_SHARED: separate bottlenecks; uncoupled control is fair
 * @SBD_SHARED: one bottleneck; couple the subflows
 */
enum sbd_tree_invariant_verdict {
	SBD_NOT_SHARED,
	SBD_SHARED
};

/**
 * sbd_tree_invariant() - decide whether two subflows share a bottleneck
 * @x: the window's features, indexed by &enum sbd_tree_invariant_input
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_tree_invariant_verdict
sbd_tree_invariant(const sbd_feature_t x[SBD_TREE_INVARIANT_INPUTS])
{
	if (x[SBD_QUEUE_ED_RATIO_Q10] <= 358) {
		if (x[SBD_QUEUE_ED_4US] <= 12996) {
			if (x[SBD_QUEUE_SD_RATIO_Q10] <= 663)
				return SBD_NOT_SHARED;
			if (x[SBD_RTT_CHANGE_CORRELATION_Q10] <= 102) {
				if (x[SBD_QUEUE_DTWD_4US] <= 469)
					return SBD_SHARED;
				if (x[SBD_RTT_CORRELATION_Q10] <= 971)
					return SBD_SHARED;
				return SBD_NOT_SHARED;
			}
			if (x[SBD_QUEUE_SD_RATIO_Q10] <= 803) {
				if (x[SBD_RTT_LAGGED_CORRELATION_Q10] <= 913)
					return SBD_SHARED;
				return SBD_NOT_SHARED;
			}
			return SBD_SHARED;
		}
		if (x[SBD_RTT_LAGGED_CORRELATION_Q10] <= 944) {
			if (x[SBD_RTT_RANK_CORRELATION_Q10] <= 800)
				return SBD_NOT_SHARED;
			if (x[SBD_RTT_RANK_CORRELATION_Q10] <= 855)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		return SBD_SHARED;
	}
	if (x[SBD_QUEUE_ED_4US] <= 2278)
		return SBD_SHARED;
	if (x[SBD_RTT_CORRELATION_Q10] <= 518) {
		if (x[SBD_RTT_LAGGED_CORRELATION_Q10] <= 436)
			return SBD_NOT_SHARED;
		if (x[SBD_RTT_RANK_CORRELATION_Q10] <= 94)
			return SBD_SHARED;
		return SBD_NOT_SHARED;
	}
	if (x[SBD_QUEUE_MEAN_RATIO_Q10] <= 728) {
		if (x[SBD_RTT_CHANGE_CORRELATION_Q10] <= 360)
			return SBD_NOT_SHARED;
		if (x[SBD_QUEUE_DTWD_4US] <= 5070)
			return SBD_SHARED;
		return SBD_NOT_SHARED;
	}
	if (x[SBD_QUEUE_ED_RATIO_Q10] <= 362)
		return SBD_NOT_SHARED;
	if (x[SBD_QUEUE_ED_RATIO_Q10] <= 485)
		return SBD_SHARED;
	return SBD_NOT_SHARED;
}

#endif /* SBD_TREE_INVARIANT_H */
