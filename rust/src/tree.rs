// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Decision trees over features of a window, as tables.

use crate::features::Features;
use crate::pair::Verdict;
use crate::trees::Feature;
use crate::window::PairWindow;

/// A node of a tree, whose nodes are in order from the top: the lower side of a split follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// On with the next node if the feature is at most the threshold, else with the node of that number.
    Split(Feature, i32, usize),
    Leaf(Verdict),
}

/// A decision tree: what a window says of two paths, by its features.
#[derive(Debug)]
pub struct Tree {
    pub(crate) features: &'static [Feature],
    pub(crate) nodes: &'static [Node],
}

impl Tree {
    /// The features that it takes.
    pub fn features(&self) -> &'static [Feature] {
        self.features
    }

    /// [`Verdict::Shared`] or [`Verdict::Apart`], by the features' values.
    pub fn verdict(&self, value: impl Fn(Feature) -> i32) -> Verdict {
        let mut number = 0;
        loop {
            match self.nodes[number] {
                Node::Leaf(verdict) => return verdict,
                Node::Split(feature, threshold, high) => {
                    number = if value(feature) <= threshold {
                        number + 1
                    } else {
                        high
                    };
                }
            }
        }
    }

    /// The same of a window; its features are in `features` afterwards.
    pub fn judge(&self, window: &PairWindow, features: &mut Features) -> Verdict {
        features.take(window, self.features);
        self.verdict(|feature| features.value(feature))
    }
}

#[cfg(test)]
mod tests {
    use super::Node;
    use crate::trees::{TREE_INVARIANT, TREE_PAPER};

    #[test]
    fn nodes_lead_on_and_no_split_is_the_last() {
        for tree in [&TREE_INVARIANT, &TREE_PAPER] {
            for (number, node) in tree.nodes.iter().enumerate() {
                if let Node::Split(feature, _, high) = *node {
                    assert!(number + 1 < high && high < tree.nodes.len());
                    assert!(tree.features.contains(&feature));
                }
            }
        }
    }
}
