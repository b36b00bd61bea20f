// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What samples themselves say: adjacent samples of a path, probes that cross, and close samples.
//!
//! Two samples of a path are adjacent if the other path has a sample between them. A probe is the first
//! sample of half a round trip; the other path's next sample crosses it, and the path's next probe
//! follows it.

use crate::lattice::{Lattice, Sample, WAITING};
use crate::levels::deviation_us;

/// Bits of the part of a count of samples.
pub(crate) const SAMPLE_PARTS_LOG: u32 = 8;
/// Samples with which there is enough for a verdict, in parts.
pub(crate) const LEAST_SAMPLES: i32 = 8 << SAMPLE_PARTS_LOG;
/// A probe in each slot of so many steps.
pub(crate) const SLOT_STEPS: i64 = 8;
/// The delays of a probe, of what crosses it, of the next probe.
pub(crate) const PROBE: usize = 0;
pub(crate) const CROSSING: usize = 1;
pub(crate) const FOLLOWING: usize = 2;

/// The largest spread of an adjacent or close sample, µs.
const SPREAD_US: i64 = (1 << 22) - 1;
/// Adjacent samples that are counted in a block.
const MOST_ADJACENT: i32 = 8192;
/// Close samples that are counted, in parts.
const MOST_CLOSE: i32 = 65536 << SAMPLE_PARTS_LOG;
const DELAYS: usize = 3;

/// Less so many eighths, rounded to zero.
pub(crate) fn faded(sum: i64, eighths: i64) -> i64 {
    // Beyond what the sums of any network are: the smallest delay of zero, and then of 16 s.
    if sum < 0 {
        sum.saturating_add(sum.saturating_neg().saturating_mul(eighths) >> 3)
    } else {
        sum - (sum.saturating_mul(eighths) >> 3)
    }
}

fn spread_us(delay_us: u32, from_us: u32) -> i64 {
    (i64::from(delay_us) - i64::from(from_us)).clamp(-SPREAD_US, SPREAD_US)
}

/// Deviations of adjacent samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjacent {
    /// µs².
    pub(crate) before_squares: i64,
    pub(crate) after_squares: i64,
    pub(crate) products: i64,
    /// Of pairs of samples; in parts where sums fade.
    pub(crate) count: i32,
}

impl Adjacent {
    const NONE: Self = Self {
        before_squares: 0,
        after_squares: 0,
        products: 0,
        count: 0,
    };

    fn fade(&mut self, eighths: i64) {
        self.count = faded(self.count.into(), eighths) as i32;
        self.before_squares = faded(self.before_squares, eighths);
        self.after_squares = faded(self.after_squares, eighths);
        self.products = faded(self.products, eighths);
    }

    fn add(&mut self, block: &Self) {
        self.count += block.count;
        self.before_squares = self.before_squares.saturating_add(block.before_squares);
        self.after_squares = self.after_squares.saturating_add(block.after_squares);
        self.products = self.products.saturating_add(block.products);
    }
}

/// The same less the delay at the start, while the mean is not known.
#[derive(Clone, Copy, Debug)]
struct RawAdjacent {
    before_us: i64,
    after_us: i64,
    sums: Adjacent,
}

impl RawAdjacent {
    /// As deviations from a mean that is so far above the delay at the start, µs.
    fn deviations(&self, above_us: i64) -> Adjacent {
        let n = i64::from(self.sums.count);
        let squared = n * above_us * above_us;
        Adjacent {
            count: self.sums.count * (1 << SAMPLE_PARTS_LOG),
            before_squares: self.sums.before_squares - 2 * above_us * self.before_us + squared,
            after_squares: self.sums.after_squares - 2 * above_us * self.after_us + squared,
            products: self.sums.products - above_us * (self.before_us + self.after_us) + squared,
        }
    }
}

/// Deviations of probes from the delay at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probes {
    /// µs.
    pub(crate) total: [i64; DELAYS],
    /// µs².
    pub(crate) squares: [i64; DELAYS],
    /// Of the others with the probes' delays, µs².
    pub(crate) products: [i64; DELAYS - 1],
    /// In parts where sums fade.
    pub(crate) count: i32,
}

impl Probes {
    const NONE: Self = Self {
        total: [0; DELAYS],
        squares: [0; DELAYS],
        products: [0; DELAYS - 1],
        count: 0,
    };

    fn fade(&mut self, eighths: i64) {
        self.count = faded(self.count.into(), eighths) as i32;
        for sum in self.sums_mut() {
            *sum = faded(*sum, eighths);
        }
    }

    fn add(&mut self, block: &Self) {
        self.count += block.count;
        let mut block = *block;
        for (sum, added) in self.sums_mut().zip(block.sums_mut()) {
            *sum += *added;
        }
    }

    fn sums_mut(&mut self) -> impl Iterator<Item = &mut i64> {
        self.total
            .iter_mut()
            .chain(&mut self.squares)
            .chain(&mut self.products)
    }

    /// Variance or covariance of delays, times the count squared, µs².
    pub(crate) fn spread(&self, squares: i64, a_us: i64, b_us: i64) -> i64 {
        let count = i64::from(self.count);
        // The product with the count, which is in parts, may be more than 64 bits hold.
        count * (squares >> SAMPLE_PARTS_LOG)
            + ((count * (squares & ((1 << SAMPLE_PARTS_LOG) - 1))) >> SAMPLE_PARTS_LOG)
            - a_us * b_us
    }
}

/// What the samples of a block say of each path, or sums that fade.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) adjacent: [Adjacent; 2],
    pub(crate) probes: [Probes; 2],
}

impl Samples {
    pub(crate) const NONE: Self = Self {
        adjacent: [Adjacent::NONE; 2],
        probes: [Probes::NONE; 2],
    };

    pub(crate) fn fade(&mut self, eighths: i64) {
        for which in 0..2 {
            self.adjacent[which].fade(eighths);
            self.probes[which].fade(eighths);
        }
    }

    pub(crate) fn add(&mut self, block: &Self) {
        for which in 0..2 {
            self.adjacent[which].add(&block.adjacent[which]);
            self.probes[which].add(&block.probes[which]);
        }
    }
}

/// What the samples of a block say that is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    adjacent: [RawAdjacent; 2],
    probes: [Probes; 2],
}

impl Waiting {
    pub(crate) const NONE: Self = Self {
        adjacent: [RawAdjacent {
            before_us: 0,
            after_us: 0,
            sums: Adjacent::NONE,
        }; 2],
        probes: [Probes::NONE; 2],
    };

    /// What they say, with how far each path's mean is above its delay at the start, µs; and whether there are any.
    pub(crate) fn samples(&self, above_us: [i64; 2]) -> (Samples, bool) {
        let mut samples = Samples::NONE;
        let mut any = false;
        for (which, above_us) in above_us.into_iter().enumerate() {
            samples.adjacent[which] = self.adjacent[which].deviations(above_us);
            samples.probes[which] = self.probes[which];
            samples.probes[which].count <<= SAMPLE_PARTS_LOG;
            any |= self.adjacent[which].sums.count != 0 || self.probes[which].count != 0;
        }
        (samples, any)
    }

    /// Add two adjacent samples of a path, or take them away again (`times` -1).
    fn count_adjacent(&mut self, which: usize, counted: &Counted, from_us: u32, times: i64) {
        let before_us = spread_us(counted.delay_us[PROBE], from_us);
        let after_us = spread_us(counted.delay_us[FOLLOWING], from_us);
        let to = &mut self.adjacent[which];
        if times > 0 && to.sums.count == MOST_ADJACENT {
            return;
        }
        to.before_us += times * before_us;
        to.after_us += times * after_us;
        to.sums.count += times as i32;
        to.sums.before_squares += times * before_us * before_us;
        to.sums.after_squares += times * after_us * after_us;
        to.sums.products += times * before_us * after_us;
    }

    /// The same of a probe; delays at the start of each path, µs.
    fn count_probe(&mut self, which: usize, counted: &Counted, from_us: [u32; 2], times: i64) {
        let to = &mut self.probes[which];
        let delays_us: [i64; DELAYS] = core::array::from_fn(|i| {
            let whose = if i == CROSSING { 1 - which } else { which };
            deviation_us(counted.delay_us[i], i64::from(from_us[whose]))
        });
        to.count += times as i32;
        for (i, &delay_us) in delays_us.iter().enumerate() {
            to.total[i] += times * delay_us;
            to.squares[i] += times * delay_us * delay_us;
            if i > 0 {
                to.products[i - 1] += times * delays_us[PROBE] * delay_us;
            }
        }
    }
}

/// What was counted last, in case it is excised; or what a sample of the same time may add.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// Of the later sample.
    pub(crate) time_ns: i64,
    pub(crate) delay_us: [u32; DELAYS],
}

/// The blocks that are not judged yet, of a path and the delays that they are counted from.
pub(crate) struct Counting<'a> {
    pub(crate) waiting: &'a mut [Waiting; WAITING],
    pub(crate) lattice: Lattice,
    /// Delays at the start, µs.
    pub(crate) from_us: [u32; 2],
}

impl Counting<'_> {
    /// The block that a time is in. What was judged stays: nothing is taken away from it.
    fn block_of(&mut self, time_ns: i64) -> Option<&mut Waiting> {
        let place = self.lattice.waiting_place(time_ns)?;
        Some(&mut self.waiting[place])
    }

    pub(crate) fn adjacent(&mut self, which: usize, counted: &Counted, times: i64) {
        let from_us = self.from_us[which];
        if let Some(block) = self.block_of(counted.time_ns) {
            block.count_adjacent(which, counted, from_us, times);
        }
    }

    pub(crate) fn probe(&mut self, which: usize, counted: &Counted, times: i64) {
        let from_us = self.from_us;
        if let Some(block) = self.block_of(counted.time_ns) {
            block.count_probe(which, counted, from_us, times);
        }
    }
}

/// Where a path's samples have come to, of those that are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    pub(crate) last: Sample,
    /// The last sample came since the start.
    pub(crate) has_last: bool,
    pub(crate) probe: Option<Sample>,
    pub(crate) crossing: Option<Sample>,
}

impl Chain {
    pub(crate) const NONE: Self = Self {
        last: Sample::ZERO,
        has_last: false,
        probe: None,
        crossing: None,
    };
}

/// Samples of a path that are close to the sample before, less the delay at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Close {
    /// Of the earlier ones, µs and µs².
    pub(crate) total: i64,
    pub(crate) squares: i64,
    /// Squares of the differences, µs².
    pub(crate) differences: i64,
    /// In parts.
    pub(crate) count: i32,
}

impl Close {
    pub(crate) const NONE: Self = Self {
        total: 0,
        squares: 0,
        differences: 0,
        count: 0,
    };

    pub(crate) fn fade(&mut self, eighths: i64) {
        self.total = faded(self.total, eighths);
        self.squares = faded(self.squares, eighths);
        self.differences = faded(self.differences, eighths);
        self.count = faded(self.count.into(), eighths) as i32;
    }

    /// Count a sample with the sample before, to which it is close, unless there are many.
    pub(crate) fn count(&mut self, before_us: u32, after_us: u32, from_us: u32) {
        let before_us = spread_us(before_us, from_us);
        let after_us = spread_us(after_us, from_us);
        if self.count >= MOST_CLOSE {
            return;
        }
        self.count += 1 << SAMPLE_PARTS_LOG;
        self.total += before_us;
        self.squares += before_us * before_us;
        self.differences += (after_us - before_us) * (after_us - before_us);
    }
}
