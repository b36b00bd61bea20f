/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model e26f85a994b4b12a, trained on default profile, tiled windows.
 * Do not edit: change the model, or export/templates/tree.h.j2.
 *
 * 40 splits, 41 leaves, depth 6. Integers only; no state, no allocation.
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
 * @SBD_RTT_CSTATE_ED_4US: ED of the (RTT, congestion) series
 * @SBD_RTT_DTWD_4US: DTW distance of the RTT series
 * @SBD_CSTATE_DTWD_4US: DTW distance of the congestion series
 * @SBD_RTT_CSTATE_DTWD_4US: DTW distance of the (RTT, congestion) series
 * @SBD_RTT_SD_RATIO_Q10: ratio of the RTT series' standard deviations
 * @SBD_CSTATE_SD_RATIO_Q10: ratio of the congestion series' standard deviations
 * @SBD_MIN_RTT_RATIO_Q10: ratio of the minimum RTTs up to the window
 * @SBD_TREE_PAPER_INPUTS: how many there are
 */
enum sbd_tree_paper_input {
	SBD_RTT_ED_4US,
	SBD_CSTATE_ED_4US,
	SBD_RTT_CSTATE_ED_4US,
	SBD_RTT_DTWD_4US,
	SBD_CSTATE_DTWD_4US,
	SBD_RTT_CSTATE_DTWD_4US,
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
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1227) {
		if (x[SBD_RTT_SD_RATIO_Q10] <= 890) {
			if (x[SBD_RTT_CSTATE_DTWD_4US] <= 299915) {
				if (x[SBD_RTT_CSTATE_DTWD_4US] <= 101773) {
					if (x[SBD_CSTATE_SD_RATIO_Q10] <= 1070)
						return SBD_NOT_SHARED;
					if (x[SBD_CSTATE_ED_4US] <= 375000)
						return SBD_SHARED;
					return SBD_NOT_SHARED;
				}
				if (x[SBD_RTT_CSTATE_ED_4US] <= 516319) {
					if (x[SBD_RTT_CSTATE_ED_4US] <= 149482)
						return SBD_NOT_SHARED;
					return SBD_SHARED;
				}
				if (x[SBD_CSTATE_SD_RATIO_Q10] <= 811)
					return SBD_SHARED;
				return SBD_NOT_SHARED;
			}
			if (x[SBD_RTT_SD_RATIO_Q10] <= 730)
				return SBD_NOT_SHARED;
			if (x[SBD_RTT_SD_RATIO_Q10] <= 796)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 1929) {
			if (x[SBD_RTT_CSTATE_ED_4US] <= 712465) {
				if (x[SBD_RTT_SD_RATIO_Q10] <= 1174) {
					if (x[SBD_RTT_DTWD_4US] <= 20871)
						return SBD_NOT_SHARED;
					return SBD_SHARED;
				}
				if (x[SBD_RTT_CSTATE_ED_4US] <= 79006)
					return SBD_SHARED;
				return SBD_NOT_SHARED;
			}
			if (x[SBD_MIN_RTT_RATIO_Q10] <= 1320) {
				if (x[SBD_RTT_CSTATE_DTWD_4US] <= 229225)
					return SBD_NOT_SHARED;
				return SBD_SHARED;
			}
			return SBD_NOT_SHARED;
		}
		if (x[SBD_RTT_CSTATE_ED_4US] <= 870960) {
			if (x[SBD_RTT_ED_4US] <= 168227)
				return SBD_SHARED;
			if (x[SBD_RTT_DTWD_4US] <= 130603)
				return SBD_NOT_SHARED;
			return SBD_SHARED;
		}
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2444) {
			if (x[SBD_RTT_ED_4US] <= 102519)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		return SBD_SHARED;
	}
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1438) {
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2452) {
			if (x[SBD_CSTATE_SD_RATIO_Q10] <= 316) {
				if (x[SBD_MIN_RTT_RATIO_Q10] <= 1909) {
					if (x[SBD_RTT_CSTATE_DTWD_4US] <= 302447)
						return SBD_SHARED;
					return SBD_NOT_SHARED;
				}
				return SBD_SHARED;
			}
			if (x[SBD_RTT_CSTATE_ED_4US] <= 50627)
				return SBD_SHARED;
			if (x[SBD_MIN_RTT_RATIO_Q10] <= 1055)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		if (x[SBD_CSTATE_DTWD_4US] <= 393282)
			return SBD_NOT_SHARED;
		if (x[SBD_RTT_CSTATE_DTWD_4US] <= 674134)
			return SBD_SHARED;
		if (x[SBD_CSTATE_ED_4US] <= 983095)
			return SBD_NOT_SHARED;
		return SBD_SHARED;
	}
	if (x[SBD_RTT_CSTATE_ED_4US] <= 323531) {
		if (x[SBD_RTT_DTWD_4US] <= 89437) {
			if (x[SBD_RTT_CSTATE_DTWD_4US] <= 44711)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		return SBD_SHARED;
	}
	if (x[SBD_MIN_RTT_RATIO_Q10] <= 2997) {
		if (x[SBD_CSTATE_SD_RATIO_Q10] <= 583) {
			if (x[SBD_RTT_CSTATE_ED_4US] <= 763045)
				return SBD_NOT_SHARED;
			return SBD_SHARED;
		}
		return SBD_NOT_SHARED;
	}
	if (x[SBD_RTT_DTWD_4US] <= 159075)
		return SBD_SHARED;
	return SBD_NOT_SHARED;
}

#endif /* SBD_TREE_PAPER_H */
