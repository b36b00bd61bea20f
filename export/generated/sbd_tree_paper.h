/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model 93e9388f93e0dfe9, trained on default profile, tiled windows.
 * Do not edit: change the model, or export/templates/tree.h.j2.
 *
 * 11 splits, 12 leaves, depth 4. Integers only; no state, no allocation.
 */
#ifndef SBD_TREE_PAPER_H
#define SBD_TREE_PAPER_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef s32 sbd_feature_t;
#else
#include <stdint.h>
typedef int32_t sbd_feature_t;
#endif

/**
 * enum sbd_tree_paper_input - positions of the features in the input
 * @SBD_RTT_ED_4US: ED of the RTT series
 * @SBD_CSTATE_ED_4US: ED of the congestion series
 * @SBD_RTT_SD_RATIO_Q10: ratio of the RTT series' standard deviations
 * @SBD_CSTATE_SD_RATIO_Q10: ratio of the congestion series' standard deviations
 * @SBD_MIN_RTT_RATIO_Q10: ratio of the minimum RTTs up to the window
 * @SBD_TREE_PAPER_INPUTS: how many there are
 */
enum sbd_tree_paper_input {
	SBD_RTT_ED_4US,
	SBD_CSTATE_ED_4US,
	SBD_RTT_SD_RATIO_Q10,
	SBD_CSTATE_SD_RATIO_Q10,
	SBD_MIN_RTT_RATIO_Q10,
	SBD_TREE_PAPER_INPUTS
};

/**
 * enum sbd_tree_paper_verdict - what a window says of two subflows
 * @SBD_NOT_SHARED: separate bottlenecks; uncoupled control is fair
 * @SBD_SHARED: one bottleneck; couple the subflows
 */
enum sbd_tree_paper_verdict {
	SBD_NOT_SHARED,
	SBD_SHARED
};

/**
 * sbd_tree_paper() - decide whether two subflows share a bottleneck
 * @x: the window's features, indexed by &enum sbd_tree_paper_input
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_tree_paper_verdict
sbd_tree_paper(const sbd_feature_t x[SBD_TREE_PAPER_INPUTS])
{
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1494) {
		if (x[SBD_RTT_SD_RATIO_Q10] <= 1212) {
			if (x[SBD_CSTATE_ED_4US] <= 1211850)
				return SBD_SHARED;
			if (x[SBD_RTT_ED_4US] <= 136994)
				return SBD_NOT_SHARED;
			return SBD_SHARED;
		}
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2320) {
			if (x[SBD_RTT_ED_4US] <= 104741)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		return SBD_SHARED;
	}
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1781) {
		if (x[SBD_CSTATE_ED_4US] <= 883706)
			return SBD_SHARED;
		if (x[SBD_CSTATE_SD_RATIO_Q10] <= 1276)
			return SBD_NOT_SHARED;
		return SBD_SHARED;
	}
	if (x[SBD_RTT_ED_4US] <= 110394) {
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2173)
			return SBD_NOT_SHARED;
		return SBD_SHARED;
	}
	return SBD_NOT_SHARED;
}

#endif /* SBD_TREE_PAPER_H */
