/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model 4eda182293b16438, trained on default profile, tiled windows.
 * Do not edit: change the model, or export/templates/tree.h.j2.
 *
 * 39 splits, 40 leaves, depth 7. Integers only; no state, no allocation.
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
 * @SBD_CSTATE_ED_4US: ED of the congestion series
 * @SBD_RTT_CSTATE_ED_4US: ED of the (RTT, congestion) series
 * @SBD_RTT_DTWD_4US: DTW distance of the RTT series
 * @SBD_RTT_SD_RATIO_Q10: ratio of the RTT series' standard deviations
 * @SBD_MIN_RTT_RATIO_Q10: ratio of the minimum RTTs up to the window
 * @SBD_TREE_PAPER_INPUTS: how many there are
 */
enum sbd_tree_paper_input {
	SBD_CSTATE_ED_4US,
	SBD_RTT_CSTATE_ED_4US,
	SBD_RTT_DTWD_4US,
	SBD_RTT_SD_RATIO_Q10,
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
			if (x[SBD_RTT_SD_RATIO_Q10] <= 666) {
				if (x[SBD_RTT_SD_RATIO_Q10] <= 407)
					return SBD_SHARED;
				return SBD_NOT_SHARED;
			}
			if (x[SBD_RTT_DTWD_4US] <= 94393) {
				if (x[SBD_MIN_RTT_RATIO_Q10] <= 1328) {
					if (x[SBD_RTT_SD_RATIO_Q10] <= 836) {
						if (x[SBD_RTT_SD_RATIO_Q10] <= 727)
							return SBD_SHARED;
						return SBD_NOT_SHARED;
					}
					return SBD_SHARED;
				}
				return SBD_NOT_SHARED;
			}
			if (x[SBD_RTT_DTWD_4US] <= 287289) {
				if (x[SBD_RTT_CSTATE_ED_4US] <= 149482)
					return SBD_NOT_SHARED;
				return SBD_SHARED;
			}
			return SBD_NOT_SHARED;
		}
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 1929) {
			if (x[SBD_RTT_CSTATE_ED_4US] <= 712465) {
				if (x[SBD_RTT_SD_RATIO_Q10] <= 1174) {
					if (x[SBD_RTT_DTWD_4US] <= 20871) {
						if (x[SBD_RTT_SD_RATIO_Q10] <= 1103)
							return SBD_NOT_SHARED;
						return SBD_SHARED;
					}
					return SBD_SHARED;
				}
				if (x[SBD_RTT_CSTATE_ED_4US] <= 79006)
					return SBD_SHARED;
				if (x[SBD_CSTATE_ED_4US] <= 636904)
					return SBD_NOT_SHARED;
				return SBD_SHARED;
			}
			if (x[SBD_MIN_RTT_RATIO_Q10] <= 1320) {
				if (x[SBD_MIN_RTT_RATIO_Q10] <= 1253)
					return SBD_NOT_SHARED;
				return SBD_SHARED;
			}
			return SBD_NOT_SHARED;
		}
		if (x[SBD_RTT_CSTATE_ED_4US] <= 870960) {
			if (x[SBD_RTT_DTWD_4US] <= 113315)
				return SBD_SHARED;
			if (x[SBD_RTT_DTWD_4US] <= 114006)
				return SBD_NOT_SHARED;
			return SBD_SHARED;
		}
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2444) {
			if (x[SBD_RTT_DTWD_4US] <= 74176)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		return SBD_SHARED;
	}
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1438) {
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2452) {
			if (x[SBD_MIN_RTT_RATIO_Q10] <= 1055)
				return SBD_SHARED;
			if (x[SBD_RTT_CSTATE_ED_4US] <= 50627)
				return SBD_SHARED;
			if (x[SBD_MIN_RTT_RATIO_Q10] <= 1903)
				return SBD_NOT_SHARED;
			if (x[SBD_RTT_CSTATE_ED_4US] <= 803663)
				return SBD_SHARED;
			return SBD_NOT_SHARED;
		}
		if (x[SBD_RTT_CSTATE_ED_4US] <= 899391)
			return SBD_SHARED;
		if (x[SBD_MIN_RTT_RATIO_Q10] <= 2883)
			return SBD_NOT_SHARED;
		return SBD_SHARED;
	}
	if (x[SBD_RTT_CSTATE_ED_4US] <= 323531) {
		if (x[SBD_RTT_SD_RATIO_Q10] <= 1854) {
			if (x[SBD_RTT_CSTATE_ED_4US] <= 296340)
				return SBD_NOT_SHARED;
			return SBD_SHARED;
		}
		return SBD_SHARED;
	}
	if (x[SBD_MIN_RTT_RATIO_Q10] <= 2997) {
		if (x[SBD_RTT_DTWD_4US] <= 126669) {
			if (x[SBD_MIN_RTT_RATIO_Q10] <= 2811)
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
