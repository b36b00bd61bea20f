// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Signs of a path's changes of delay in eight bands, and how those of two paths agree at each lag.
//!
//! A change of a band of span `s` is the sum of the delays of half a span, less that of the half
//! before. Its sign is whether it is above the mean of three blocks. Signs are bits.

use crate::lattice::{BLOCK, Delays, LEAD, Point, SPANNED, STEPS_PER_RTT};

/// Bands of changes: spans of 2, 4, ... 256 steps.
pub(crate) const BANDS: usize = 8;
/// Lags on either side that cannot be common, of each band.
pub(crate) const NULL_LAGS: usize = 20;
/// Lags of all bands.
pub(crate) const LAGS: usize = 422;

/// 64 bits of earlier blocks, and those of a block.
const WORDS: usize = 5;
/// Bits of a count of steps.
const STEPS_BITS: u32 = 9;
/// 1 in such a count of each level.
const EACH_LEVEL: u64 = 0x0040_2010_0804_0201;

const fn span(band: usize) -> usize {
    2 << band
}

/// Logarithm of the steps from a change of a band to the next that is compared.
pub(crate) const fn stride_log(band: usize) -> usize {
    if band < 2 { 0 } else { band - 1 }
}

/// The largest lag of a band that a bottleneck may have, in strides: a round trip.
pub(crate) const fn possible(band: usize) -> usize {
    STEPS_PER_RTT >> stride_log(band)
}

const fn first_null(band: usize) -> usize {
    possible(band) + if band == 0 { 2 } else { 4 } + 1
}

pub(crate) const fn lags(band: usize) -> usize {
    2 * (possible(band) + NULL_LAGS) + 1
}

/// Changes of a band that begin in a block.
const fn changes(band: usize) -> usize {
    BLOCK >> stride_log(band)
}

/// Words of a block's changes.
const fn words(band: usize) -> usize {
    changes(band).div_ceil(64)
}

/// Changes of a band that a word has bits of.
const fn word_changes(band: usize) -> usize {
    if changes(band) < 64 {
        changes(band)
    } else {
        64
    }
}

/// Bits of a word that changes of a band take.
const fn word_mask(band: usize) -> u64 {
    u64::MAX >> (64 - word_changes(band))
}

/// Step up to which sums reach where the first change of a word of a band ends.
const fn word_end(band: usize, word: usize) -> usize {
    LEAD + 1 + (word << (6 + stride_log(band)))
}

/// A path's delays and silent steps, summed up to each step.
pub(crate) struct StepSums {
    /// µs, modulo 2^32.
    delays_us: [u32; SPANNED + 1],
    /// Of each level and longer, in [`STEPS_BITS`] each.
    silent: [u64; SPANNED + 1],
}

impl StepSums {
    pub(crate) fn new(point: &[Point]) -> Self {
        let mut sums = Self {
            delays_us: [0; SPANNED + 1],
            silent: [0; SPANNED + 1],
        };
        let (mut delays_us, mut silent) = (0u32, 0u64);
        for (i, point) in point.iter().take(SPANNED).enumerate() {
            delays_us = delays_us.wrapping_add(point.delay_us());
            // 1 in each level up to that of the step.
            silent += EACH_LEVEL & !(u64::MAX << (point.level() * STEPS_BITS));
            sums.delays_us[i + 1] = delays_us;
            sums.silent[i + 1] = silent;
        }
        sums
    }

    /// The sum of the block's delays, µs: 256 of 24 bits are below 2^32.
    fn block_us(&self) -> u32 {
        self.delays_us[SPANNED].wrapping_sub(self.delays_us[LEAD])
    }

    /// Steps up to one that are silent for longer than changes of a band may be.
    fn silent_steps(&self, end: usize, steps: usize, band: usize) -> u64 {
        let shift = band.saturating_sub(1) as u32 * STEPS_BITS;
        (self.silent[end].wrapping_sub(self.silent[end - steps]) >> shift) & ((1 << STEPS_BITS) - 1)
    }

    /// Which changes of a word of a band count: those silent for half of their steps at most.
    fn counted(&self, band: usize, word: usize) -> u64 {
        let (span, stride, n) = (span(band), 1 << stride_log(band), word_changes(band));
        let (first, last) = (
            word_end(band, word),
            word_end(band, word) + (n - 1) * stride,
        );
        let reach = span + (n - 1) * stride;
        let silent = self.silent_steps(last, reach, band);
        if silent == 0 {
            return word_mask(band);
        }
        if silent == reach as u64 {
            return 0;
        }
        (0..n).rev().fold(0, |bits, i| {
            let counts = self.silent_steps(first + i * stride, span, band) <= span as u64 / 2;
            bits << 1 | u64::from(counts)
        })
    }

    /// The sum of those changes of a word of a band that count, µs.
    ///
    /// A change that ends half a span later begins where this has its middle: of a run of them, what is
    /// between cancels out.
    fn total_us(&self, band: usize, word: usize, mut counted: u64) -> i64 {
        let (half, stride_log, end) = (span(band) / 2, stride_log(band), word_end(band, word));
        let mut total = 0;
        while counted != 0 {
            let beyond = counted.wrapping_add(counted & counted.wrapping_neg());
            let first = end + ((counted.trailing_zeros() as usize) << stride_log);
            let next = end + ((beyond.trailing_zeros() as usize) << stride_log);
            for back in (1..=half).rev().step_by(1 << stride_log) {
                total += i64::from(self.between_us(next - back, half))
                    - i64::from(self.between_us(first - back, half));
            }
            counted &= beyond;
        }
        total
    }

    fn between_us(&self, end: usize, steps: usize) -> u32 {
        self.delays_us[end].wrapping_sub(self.delays_us[end - steps])
    }

    /// Which changes of a word of a band are above their mean, µs.
    fn above(&self, band: usize, word: usize, mean_us: i64) -> u64 {
        let (half, stride) = (span(band) / 2, 1 << stride_log(band));
        let first = word_end(band, word) - 2 * half;
        let n = word_changes(band);
        let delays_us = &self.delays_us[first..first + (n - 1) * stride + 2 * half + 1];
        // 128 delays less 128 others at most, which 32 bits hold.
        let mean_us = mean_us as i32;
        (0..n).rev().fold(0, |bits, i| {
            let at = i * stride;
            let change_us = delays_us[at + 2 * half]
                .wrapping_sub(delays_us[at + half].wrapping_mul(2))
                .wrapping_add(delays_us[at]);
            bits << 1 | u64::from(mean_us < change_us as i32)
        })
    }
}

/// Signs of a path's changes in a band: bits of earlier blocks, then those of the block.
#[derive(Clone, Copy)]
pub(crate) struct Signs {
    above: [u64; WORDS],
    counted: [u64; WORDS],
}

impl Signs {
    pub(crate) const NONE: Self = Self {
        above: [0; WORDS],
        counted: [0; WORDS],
    };
}

/// A path's changes of earlier blocks in a band.
#[derive(Clone, Copy, Debug)]
struct Earlier {
    /// The last 64 signs, the latest in the highest bit.
    above: u64,
    counted: u64,
    /// Of the two blocks before, µs.
    total_us: [i64; 2],
    /// Changes that these are of.
    points: [u16; 2],
}

impl Earlier {
    const NONE: Self = Self {
        above: 0,
        counted: 0,
        total_us: [0; 2],
        points: [0; 2],
    };

    /// Keep what the next block compares with.
    fn keep(&mut self, signs: &Signs, n: usize) {
        if n >= 64 {
            self.above = signs.above[n / 64];
            self.counted = signs.counted[n / 64];
        } else {
            self.above = self.above >> n | signs.above[1] << (64 - n);
            self.counted = self.counted >> n | signs.counted[1] << (64 - n);
        }
    }

    /// The signs of the block's changes in a band.
    fn sign(&mut self, sums: &StepSums, band: usize, is_first_block: bool) -> Signs {
        let mut signs = Signs::NONE;
        let words = words(band);
        for word in 0..words {
            signs.counted[word + 1] = sums.counted(band, word);
        }
        if is_first_block {
            // A change may not begin before the start: four at most do.
            let stride_log = stride_log(band);
            signs.counted[1] &= u64::MAX << ((span(band) - 2 + (1 << stride_log)) >> stride_log);
        }
        let (mut points, mut total_us) = (0, 0);
        for word in 0..words {
            let counted = signs.counted[word + 1];
            points += counted.count_ones() as u16;
            total_us += sums.total_us(band, word, counted);
        }
        let count = i64::from(self.points[0]) + i64::from(self.points[1]) + i64::from(points);
        // More than the mean is more than what it is rounded down to.
        let mean_us = match count {
            0 => 0,
            _ => (self.total_us[0] + self.total_us[1] + total_us).div_euclid(count),
        };
        for word in 0..words {
            let counted = signs.counted[word + 1];
            if counted != 0 {
                signs.above[word + 1] = counted & sums.above(band, word, mean_us);
            }
        }
        signs.above[0] = self.above;
        signs.counted[0] = self.counted;
        self.keep(&signs, changes(band));
        self.total_us = [self.total_us[1], total_us];
        self.points = [self.points[1], points];
        signs
    }
}

/// What a path's changes and mean delay are compared with: those of the blocks before.
#[derive(Clone, Debug)]
pub(crate) struct History {
    bands: [Earlier; BANDS],
    /// Sums of the delays of the two blocks before, µs.
    delays_us: [u32; 2],
    /// Mean delay over the last block and the two before, µs.
    pub(crate) mean_us: i32,
}

impl History {
    pub(crate) const NONE: Self = Self {
        bands: [Earlier::NONE; BANDS],
        delays_us: [0; 2],
        mean_us: 0,
    };

    /// Begin anew; the mean stays until the next block.
    pub(crate) fn restart(&mut self) {
        *self = Self {
            mean_us: self.mean_us,
            ..Self::NONE
        };
    }

    /// Note the mean delay of a path, and return the signs of its changes in all bands.
    pub(crate) fn sign(&mut self, delays: &Delays, number: i64) -> [Signs; BANDS] {
        let sums = StepSums::new(&delays.point);
        let block_us = sums.block_us();
        let total_us =
            i64::from(block_us) + i64::from(self.delays_us[0]) + i64::from(self.delays_us[1]);
        self.mean_us = (total_us / (BLOCK as i64 * (number + 1).min(3))) as i32;
        self.delays_us = [self.delays_us[1], block_us];
        let mut signs = [Signs::NONE; BANDS];
        for (band, (to, earlier)) in signs.iter_mut().zip(&mut self.bands).enumerate() {
            *to = earlier.sign(&sums, band, number == 0);
        }
        signs
    }
}

/// Bits of a word of a block that were so many strides earlier, 0 to 63.
pub(crate) fn earlier_word(words: &[u64], word: usize, lag: usize) -> u64 {
    words[word + 1] << lag | words[word] >> 1 >> (63 - lag)
}

/// How many changes agree, less those that do not, at a lag, and how many were counted.
#[derive(Clone, Copy)]
pub(crate) struct Agreed {
    pub(crate) agreement: i16,
    pub(crate) counted: u16,
}

impl Agreed {
    pub(crate) const NONE: Self = Self {
        agreement: 0,
        counted: 0,
    };
}

/// How many of a band's changes of both paths were counted, in the block and just before.
enum Coverage {
    None,
    Some,
    All,
}

fn coverage(a: &Signs, b: &Signs, band: usize) -> Coverage {
    let (mut all, mut any_a, mut any_b) = (a.counted[0] & b.counted[0], a.counted[0], b.counted[0]);
    for word in 1..=words(band) {
        all &= (a.counted[word] & b.counted[word]) | !word_mask(band);
        any_a |= a.counted[word];
        any_b |= b.counted[word];
    }
    match (all == u64::MAX, any_a != 0 && any_b != 0) {
        (true, _) => Coverage::All,
        (false, true) => Coverage::Some,
        (false, false) => Coverage::None,
    }
}

/// A path's changes with the other's that were so many strides earlier.
fn agreed<const WORDS: usize, const ALL: bool>(
    of: &Signs,
    with: &Signs,
    lag: usize,
    band_mask: u64,
) -> Agreed {
    let (mut both, mut different) = (0, 0);
    for word in 0..WORDS {
        let mut mask = band_mask;
        if !ALL {
            mask &= of.counted[word + 1] & earlier_word(&with.counted, word, lag);
        }
        both += mask.count_ones();
        different +=
            ((of.above[word + 1] ^ earlier_word(&with.above, word, lag)) & mask).count_ones();
    }
    Agreed {
        agreement: (both as i32 - 2 * different as i32) as i16,
        counted: both as u16,
    }
}

/// Correlate a band at all its lags; return whether any changes were counted.
fn correlate_lags<const WORDS: usize, const ALL: bool>(
    a: &Signs,
    b: &Signs,
    band: usize,
    to: &mut [Agreed],
) -> bool {
    let (possible, mask) = (possible(band), word_mask(band));
    let (zero, beyond) = (to.len() / 2, first_null(band) - possible - 1);
    let mut any = 0;
    for place in 0..=zero {
        let lag = if place <= possible {
            place
        } else {
            place + beyond
        };
        let ahead = agreed::<WORDS, ALL>(a, b, lag, mask);
        let behind = agreed::<WORDS, ALL>(b, a, lag, mask);
        any |= ahead.counted | behind.counted;
        to[zero + place] = ahead;
        to[zero - place] = behind;
    }
    any != 0
}

/// The correlogram of all bands, one behind the other; return whether any changes were counted.
pub(crate) fn correlogram(a: &[Signs; BANDS], b: &[Signs; BANDS], to: &mut [Agreed; LAGS]) -> bool {
    let (mut any, mut rest) = (false, &mut to[..]);
    for (band, (a, b)) in a.iter().zip(b).enumerate() {
        let (to, after) = rest.split_at_mut(lags(band));
        any |= match (coverage(a, b, band), words(band)) {
            (Coverage::All, 4) => correlate_lags::<4, true>(a, b, band, to),
            (Coverage::All, 2) => correlate_lags::<2, true>(a, b, band, to),
            (Coverage::All, _) => correlate_lags::<1, true>(a, b, band, to),
            (Coverage::Some, 4) => correlate_lags::<4, false>(a, b, band, to),
            (Coverage::Some, 2) => correlate_lags::<2, false>(a, b, band, to),
            (Coverage::Some, _) => correlate_lags::<1, false>(a, b, band, to),
            (Coverage::None, _) => {
                to.fill(Agreed::NONE);
                false
            }
        };
        rest = after;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lags_of_all_bands_fill_the_correlogram() {
        assert_eq!((0..BANDS).map(lags).sum::<usize>(), LAGS);
    }
}
