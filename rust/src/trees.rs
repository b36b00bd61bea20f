// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The trees of the project's headers, and the features that they take.
//!
//! Do not edit: `python -m smartsbd.export.emit_rust` writes this from `export/generated`.

use crate::pair::Verdict;
use crate::tree::{Node, Tree};

/// A feature of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// ED of the RTT series.
    RttEd4us,
    /// ED of the congestion series.
    CstateEd4us,
    /// ED of the (RTT, congestion) series.
    RttCstateEd4us,
    /// DTW distance of the RTT series.
    RttDtwd4us,
    /// DTW distance of the congestion series.
    CstateDtwd4us,
    /// DTW distance of the (RTT, congestion) series.
    RttCstateDtwd4us,
    /// Ratio of the RTT series' standard deviations.
    RttSdRatioQ10,
    /// Ratio of the congestion series' standard deviations.
    CstateSdRatioQ10,
    /// Ratio of the minimum RTTs up to the window.
    MinRttRatioQ10,
    /// ED of the queueing delays, per point.
    QueueEd4us,
    /// DTW distance of the queueing delays, per point.
    QueueDtwd4us,
    /// ED of the queueing delays against their size: 0 where they are equal, 1 where never both wait.
    QueueEdRatioQ10,
    /// Correlation of the RTT series (Pearson).
    RttCorrelationQ10,
    /// Rank correlation of the RTT series (Spearman), equals at their mean rank.
    RttRankCorrelationQ10,
    /// Largest correlation of the RTT series within a lag of two of the larger minimum RTT.
    RttLaggedCorrelationQ10,
    /// Correlation of the RTT series' changes over two of the larger minimum RTT.
    RttChangeCorrelationQ10,
    /// Mean queueing delays, the smaller over the larger.
    QueueMeanRatioQ10,
    /// Spread (SD) of the queueing delays, the smaller over the larger.
    QueueSdRatioQ10,
}

impl Feature {
    /// Every feature, in the order of the project's catalogue.
    pub const ALL: [Self; 18] = [
        Self::RttEd4us,
        Self::CstateEd4us,
        Self::RttCstateEd4us,
        Self::RttDtwd4us,
        Self::CstateDtwd4us,
        Self::RttCstateDtwd4us,
        Self::RttSdRatioQ10,
        Self::CstateSdRatioQ10,
        Self::MinRttRatioQ10,
        Self::QueueEd4us,
        Self::QueueDtwd4us,
        Self::QueueEdRatioQ10,
        Self::RttCorrelationQ10,
        Self::RttRankCorrelationQ10,
        Self::RttLaggedCorrelationQ10,
        Self::RttChangeCorrelationQ10,
        Self::QueueMeanRatioQ10,
        Self::QueueSdRatioQ10,
    ];

    /// Its name in the project's catalogue.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RttEd4us => "rtt_ed_4us",
            Self::CstateEd4us => "cstate_ed_4us",
            Self::RttCstateEd4us => "rtt_cstate_ed_4us",
            Self::RttDtwd4us => "rtt_dtwd_4us",
            Self::CstateDtwd4us => "cstate_dtwd_4us",
            Self::RttCstateDtwd4us => "rtt_cstate_dtwd_4us",
            Self::RttSdRatioQ10 => "rtt_sd_ratio_q10",
            Self::CstateSdRatioQ10 => "cstate_sd_ratio_q10",
            Self::MinRttRatioQ10 => "min_rtt_ratio_q10",
            Self::QueueEd4us => "queue_ed_4us",
            Self::QueueDtwd4us => "queue_dtwd_4us",
            Self::QueueEdRatioQ10 => "queue_ed_ratio_q10",
            Self::RttCorrelationQ10 => "rtt_correlation_q10",
            Self::RttRankCorrelationQ10 => "rtt_rank_correlation_q10",
            Self::RttLaggedCorrelationQ10 => "rtt_lagged_correlation_q10",
            Self::RttChangeCorrelationQ10 => "rtt_change_correlation_q10",
            Self::QueueMeanRatioQ10 => "queue_mean_ratio_q10",
            Self::QueueSdRatioQ10 => "queue_sd_ratio_q10",
        }
    }
}

/// The tree of `sbd_tree_invariant.h`: model ca5fe00d6a6cec1a, trained on sites, tiled windows, default profile; 20 splits.
pub const TREE_INVARIANT: Tree = Tree {
    features: &[
        Feature::QueueEd4us,
        Feature::QueueDtwd4us,
        Feature::QueueEdRatioQ10,
        Feature::RttCorrelationQ10,
        Feature::RttRankCorrelationQ10,
        Feature::RttLaggedCorrelationQ10,
        Feature::RttChangeCorrelationQ10,
        Feature::QueueMeanRatioQ10,
        Feature::QueueSdRatioQ10,
    ],
    nodes: &[
        Node::Split(Feature::QueueEdRatioQ10, 358, 22),
        Node::Split(Feature::QueueEd4us, 12996, 15),
        Node::Split(Feature::QueueSdRatioQ10, 663, 4),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttChangeCorrelationQ10, 102, 10),
        Node::Split(Feature::QueueDtwd4us, 469, 7),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttCorrelationQ10, 971, 9),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::QueueSdRatioQ10, 803, 14),
        Node::Split(Feature::RttLaggedCorrelationQ10, 913, 13),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttLaggedCorrelationQ10, 944, 21),
        Node::Split(Feature::RttRankCorrelationQ10, 800, 18),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttRankCorrelationQ10, 855, 20),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::QueueEd4us, 2278, 24),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttCorrelationQ10, 518, 30),
        Node::Split(Feature::RttLaggedCorrelationQ10, 436, 27),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttRankCorrelationQ10, 94, 29),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::QueueMeanRatioQ10, 728, 36),
        Node::Split(Feature::RttChangeCorrelationQ10, 360, 33),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::QueueDtwd4us, 5070, 35),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::QueueEdRatioQ10, 362, 38),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::QueueEdRatioQ10, 485, 40),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
    ],
};

/// The tree of `sbd_tree_paper.h`: model e26f85a994b4b12a, trained on sites, tiled windows, default profile; 40 splits.
pub const TREE_PAPER: Tree = Tree {
    features: &[
        Feature::RttEd4us,
        Feature::CstateEd4us,
        Feature::RttCstateEd4us,
        Feature::RttDtwd4us,
        Feature::CstateDtwd4us,
        Feature::RttCstateDtwd4us,
        Feature::RttSdRatioQ10,
        Feature::CstateSdRatioQ10,
        Feature::MinRttRatioQ10,
    ],
    nodes: &[
        Node::Split(Feature::RttSdRatioQ10, 1227, 46),
        Node::Split(Feature::RttSdRatioQ10, 890, 21),
        Node::Split(Feature::RttCstateDtwd4us, 299915, 16),
        Node::Split(Feature::RttCstateDtwd4us, 101773, 9),
        Node::Split(Feature::CstateSdRatioQ10, 1070, 6),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::CstateEd4us, 375000, 8),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttCstateEd4us, 516319, 13),
        Node::Split(Feature::RttCstateEd4us, 149482, 12),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::CstateSdRatioQ10, 811, 15),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttSdRatioQ10, 730, 18),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttSdRatioQ10, 796, 20),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::MinRttRatioQ10, 1929, 35),
        Node::Split(Feature::RttCstateEd4us, 712465, 30),
        Node::Split(Feature::RttSdRatioQ10, 1174, 27),
        Node::Split(Feature::RttDtwd4us, 20871, 26),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttCstateEd4us, 79006, 29),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::MinRttRatioQ10, 1320, 34),
        Node::Split(Feature::RttCstateDtwd4us, 229225, 33),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttCstateEd4us, 870960, 41),
        Node::Split(Feature::RttEd4us, 168227, 38),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttDtwd4us, 130603, 40),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::MinRttRatioQ10, 2444, 45),
        Node::Split(Feature::RttEd4us, 102519, 44),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttSdRatioQ10, 1438, 66),
        Node::Split(Feature::MinRttRatioQ10, 2452, 59),
        Node::Split(Feature::CstateSdRatioQ10, 316, 54),
        Node::Split(Feature::MinRttRatioQ10, 1909, 53),
        Node::Split(Feature::RttCstateDtwd4us, 302447, 52),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttCstateEd4us, 50627, 56),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::MinRttRatioQ10, 1055, 58),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::CstateDtwd4us, 393282, 61),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttCstateDtwd4us, 674134, 63),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::CstateEd4us, 983095, 65),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::RttCstateEd4us, 323531, 72),
        Node::Split(Feature::RttDtwd4us, 89437, 71),
        Node::Split(Feature::RttCstateDtwd4us, 44711, 70),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Split(Feature::MinRttRatioQ10, 2997, 78),
        Node::Split(Feature::CstateSdRatioQ10, 583, 77),
        Node::Split(Feature::RttCstateEd4us, 763045, 76),
        Node::Leaf(Verdict::Apart),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
        Node::Split(Feature::RttDtwd4us, 159075, 80),
        Node::Leaf(Verdict::Shared),
        Node::Leaf(Verdict::Apart),
    ],
};
