// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! How the delays themselves of two paths correlate within a block, every fourth step.

use crate::lattice::{BLOCK, LEAD, Point};
use crate::signs::earlier_word;

/// Lags on either side, in strides of [`DECIMATION`] steps.
pub(crate) const LEVEL_LAGS: usize = 4;
/// Bits of the part of a count, where sums fade.
pub(crate) const PARTS_LOG: u32 = 4;
/// The largest deviation that is counted, µs.
pub(crate) const DEVIATION_US: i64 = (1 << 20) - 1;

/// Steps from a delay that is compared to the next.
const DECIMATION: usize = 4;
/// Steps in silences of this level and longer are left out.
const LEVEL_LIMIT: u32 = 4;
/// Delays of a block that are compared.
const POINTS: usize = BLOCK / DECIMATION;

/// Sums of a block, or sums that fade, of the products of deviations at each lag.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// µs², the second path ahead first.
    pub(crate) products: [i64; 2 * LEVEL_LAGS + 1],
    /// µs², of each path where both count.
    pub(crate) squares: [i64; 2],
    /// Products that were counted, in parts.
    pub(crate) counted: [i32; 2 * LEVEL_LAGS + 1],
    /// Squares that were counted, in parts.
    pub(crate) both: i32,
}

/// A path's deviations that are compared, from those of just before the block on.
struct Deviations {
    /// µs, 0 where it does not count.
    deviation_us: [i32; POINTS + LEVEL_LAGS],
    /// Bits: before the block, and in it.
    counted: [u64; 2],
}

/// What a path's delays are compared with: the means of the block and of the block before, µs.
#[derive(Clone, Copy)]
pub(crate) struct Means {
    pub(crate) mean_us: i32,
    /// None for the first block.
    pub(crate) earlier_us: Option<i32>,
}

pub(crate) fn deviation_us(delay_us: u32, from_us: i64) -> i64 {
    (i64::from(delay_us) - from_us).clamp(-DEVIATION_US, DEVIATION_US)
}

impl Deviations {
    fn new(point: &[Point], means: Means) -> Self {
        let mut deviations = Self {
            deviation_us: [0; POINTS + LEVEL_LAGS],
            counted: [0; 2],
        };
        let points = point[LEAD - LEVEL_LAGS * DECIMATION..]
            .iter()
            .step_by(DECIMATION);
        let mut word = 0;
        for (i, (to, point)) in deviations.deviation_us.iter_mut().zip(points).enumerate() {
            let from_us = if i < LEVEL_LAGS {
                means.earlier_us
            } else {
                Some(means.mean_us)
            };
            word >>= 1;
            if let Some(from_us) = from_us.filter(|_| point.level() < LEVEL_LIMIT) {
                *to = deviation_us(point.delay_us(), i64::from(from_us)) as i32;
                word |= 1 << 63;
            }
            if i == LEVEL_LAGS - 1 {
                deviations.counted[0] = word;
            }
        }
        deviations.counted[1] = word;
        deviations
    }

    fn block_us(&self) -> &[i32] {
        &self.deviation_us[LEVEL_LAGS..]
    }

    /// The sum of products with the other's deviations that were so many strides earlier, µs².
    fn products(&self, other: &Self, lag: usize) -> i64 {
        let earlier_us = &other.deviation_us[LEVEL_LAGS - lag..];
        self.block_us()
            .iter()
            .zip(earlier_us)
            .map(|(&a_us, &b_us)| i64::from(a_us) * i64::from(b_us))
            .sum()
    }

    /// The sum of squares where both count, µs².
    fn squares(&self, both: u64) -> i64 {
        self.block_us()
            .iter()
            .enumerate()
            .map(|(i, &a_us)| -((both >> i & 1) as i64) & (i64::from(a_us) * i64::from(a_us)))
            .sum()
    }
}

fn parts(counted: u64) -> i32 {
    (counted.count_ones() << PARTS_LOG) as i32
}

impl Levels {
    pub(crate) const NONE: Self = Self {
        products: [0; 2 * LEVEL_LAGS + 1],
        squares: [0; 2],
        counted: [0; 2 * LEVEL_LAGS + 1],
        both: 0,
    };

    /// What the block's delays say, and whether anything was counted.
    pub(crate) fn new(point: [&[Point]; 2], means: [Means; 2]) -> (Self, bool) {
        let deviations = [
            Deviations::new(point[0], means[0]),
            Deviations::new(point[1], means[1]),
        ];
        let mut levels = Self::NONE;
        let both = deviations[0].counted[1] & deviations[1].counted[1];
        let mut any = 0;
        levels.both = parts(both);
        for way in 0..2 {
            let (of, with) = (&deviations[way], &deviations[1 - way]);
            levels.squares[way] = of.squares(both);
            for lag in way..=LEVEL_LAGS {
                let at = if way == 0 {
                    LEVEL_LAGS + lag
                } else {
                    LEVEL_LAGS - lag
                };
                let counted = of.counted[1] & earlier_word(&with.counted, 0, lag);
                levels.products[at] = of.products(with, lag);
                levels.counted[at] = parts(counted);
                any |= counted;
            }
        }
        (levels, any != 0)
    }
}
