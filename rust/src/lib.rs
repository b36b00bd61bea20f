// SPDX-License-Identifier: GPL-2.0-only OR MIT

#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod coupling;
mod evidence;
mod features;
mod group;
mod lattice;
mod levels;
mod pair;
mod queue;
mod samples;
mod signs;
mod sums;
mod tree;
mod trees;
mod window;

pub use coupling::{
    COUPLED_Q10, Coupling, Mode, UNCOUPLED_Q10, Window, lia_acks, mixed_acks, theta_q10,
};
pub use evidence::Evidence;
pub use features::Features;
pub use group::{Group, Group3, Group4, Group5, Joint, Relation};
pub use pair::{Judgement, Pair, Path, Rule, Verdict};
pub use tree::Tree;
pub use trees::{Feature, TREE_INVARIANT, TREE_PAPER};
pub use window::{PairWindow, PairWindows};
