// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Sums over blocks that fade: slow by an eighth at each block, fast by three.

use crate::levels::Levels;
use crate::samples::{Samples, faded};
use crate::signs::{Agreed, LAGS};

/// Eighths that slow sums lose at each block.
pub(crate) const SLOW_LOSS: i32 = 1;
/// Eighths that fast sums lose at each block.
pub(crate) const FAST_LOSS: i32 = 3;

/// What a block says.
pub(crate) struct Block {
    pub(crate) levels: Levels,
    pub(crate) samples: Samples,
    pub(crate) agreed: [Agreed; LAGS],
}

/// Sums that fade; counts in parts.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub(crate) levels: Levels,
    pub(crate) samples: Samples,
    /// Changes that agree less those that do not, at each lag of each band.
    pub(crate) agreement: [i32; LAGS],
    pub(crate) counted: [u16; LAGS],
}

/// Less so many eighths, rounded to zero, of what is below 2^28.
fn less(sum: i32, eighths: i32) -> i32 {
    let lost = sum * eighths;
    sum - ((lost + (lost >> 31 & 7)) >> 3)
}

impl Sums {
    pub(crate) const NONE: Self = Self {
        levels: Levels::NONE,
        samples: Samples::NONE,
        agreement: [0; LAGS],
        counted: [0; LAGS],
    };

    fn fade(&mut self, eighths: i32) {
        let by = i64::from(eighths);
        let levels = &mut self.levels;
        for sum in levels.products.iter_mut().chain(&mut levels.squares) {
            *sum = faded(*sum, by);
        }
        for count in levels.counted.iter_mut().chain([&mut levels.both]) {
            *count = faded((*count).into(), by) as i32;
        }
        self.samples.fade(by);
    }

    fn add(&mut self, block: &Block) {
        let levels = &mut self.levels;
        for (sum, added) in levels.products.iter_mut().zip(&block.levels.products) {
            *sum += added;
        }
        for (sum, added) in levels.squares.iter_mut().zip(&block.levels.squares) {
            *sum += added;
        }
        for (count, added) in levels.counted.iter_mut().zip(&block.levels.counted) {
            *count += added;
        }
        levels.both += block.levels.both;
        self.samples.add(&block.samples);
    }

    /// Let sums fade for a block, and add what it says; None for a block without anything.
    ///
    /// Counts stay below 2^16 then, and what agrees is no more.
    pub(crate) fn pass(&mut self, block: Option<&Block>, eighths: i32) {
        self.fade(eighths);
        for agreement in &mut self.agreement {
            *agreement = less(*agreement, eighths);
        }
        for counted in &mut self.counted {
            *counted -= ((u32::from(*counted) * eighths as u32) >> 3) as u16;
        }
        let Some(block) = block else {
            return;
        };
        self.add(block);
        for ((agreement, counted), agreed) in self
            .agreement
            .iter_mut()
            .zip(&mut self.counted)
            .zip(&block.agreed)
        {
            *agreement += i32::from(agreed.agreement) << crate::levels::PARTS_LOG;
            *counted += agreed.counted << crate::levels::PARTS_LOG;
        }
    }
}
