// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What sums say, and the odds that follow.

use crate::lattice::STEPS_PER_RTT;
use crate::levels::{LEVEL_LAGS, Levels, PARTS_LOG};
use crate::samples::{
    Adjacent, CROSSING, FOLLOWING, LEAST_SAMPLES, PROBE, Probes, SAMPLE_PARTS_LOG, Samples,
};
use crate::signs::{BANDS, NULL_LAGS, lags, possible, stride_log};
use crate::sums::Sums;

/// What the sums of a pair of paths say: numbers in 1/1024 (Q10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// How many deviations of chance the signs of changes agree more at a common lag, -3 to 8; None
    /// without a band that says anything.
    pub lag_q10: Option<i32>,
    /// Correlation of the delays themselves at their best lag; None without enough of them.
    pub level_q10: Option<i32>,
    /// Mean correlation of a path's adjacent samples, 0 to 1.
    pub adjacent_q10: Option<i32>,
    /// How much more the samples that cross a probe resemble it than the next probes do, -1.5 to 0.5.
    pub lead_q10: Option<i32>,
    /// Correlation of each path's probes with the next.
    pub memory_q10: [Option<i32>; 2],
    /// Bands that say anything, up to 8.
    pub bands: u32,
    /// Adjacent samples of the path that has fewer, in 1/256.
    pub samples: i32,
    /// Probes of the path that has fewer, in 1/256.
    pub probes: i32,
    /// Whether each path shows a sign of a queue.
    pub queues: [bool; 2],
}

/// How often two sums of squares have to be quartered until they are below 2^40.
fn quarters(a: i64, b: i64) -> u32 {
    let bits = 64 - (a | b).leading_zeros();
    bits.saturating_sub(40).div_ceil(2)
}

/// The scale of correlations of two sums of squares.
#[derive(Clone, Copy)]
struct Scale {
    size: i64,
    quarters: u32,
}

impl Scale {
    /// None if a sum does not vary.
    fn new(a: i64, b: i64) -> Option<Self> {
        if a <= 0 || b <= 0 {
            return None;
        }
        let quarters = quarters(a, b);
        let size = (a >> (2 * quarters)).isqrt() * (b >> (2 * quarters)).isqrt();
        (size != 0).then_some(Self { size, quarters })
    }

    fn correlation_q10(self, both: i64) -> i32 {
        let both = both / (1 << (2 * self.quarters));
        (both.saturating_mul(1024) / self.size).clamp(-1024, 1024) as i32
    }
}

/// What a band's lags say that cannot be common, and which of the others count.
struct Nulls {
    /// 2^47 / counted and a little more, where all have one count; else 0.
    inverse: u64,
    /// Count of a lag that counts.
    least: i32,
    lags: i32,
    total_q15: i32,
    squares_q30: i64,
}

/// What agrees as a share of what was counted, Q15.
///
/// The product with the inverse is exact for what is below 2^31 and counts below 2^16.
fn share_q15(agreement: i32, counted: u16, inverse: u64) -> i32 {
    let size = agreement.unsigned_abs() << 15;
    let share = if inverse != 0 {
        ((u64::from(size) * inverse) >> 47) as i32
    } else {
        (size / u32::from(counted.max(1))) as i32
    };
    if agreement < 0 { -share } else { share }
}

impl Nulls {
    fn new(agreement: &[i32], counted: &[u16]) -> Option<Self> {
        let (mut most, mut least) = (0, u16::MAX);
        for &count in counted {
            most = most.max(count);
            least = least.min(count);
        }
        if most < 12 << PARTS_LOG {
            return None;
        }
        let mut nulls = Self {
            inverse: if most == least {
                (1 << 47) / u64::from(most) + 1
            } else {
                0
            },
            // No less than three tenths.
            least: (i32::from(most) * 3 + 9) / 10,
            lags: 0,
            total_q15: 0,
            squares_q30: 0,
        };
        let least = nulls.least.max(8 << PARTS_LOG);
        let after = counted.len() - NULL_LAGS;
        let any = counted[NULL_LAGS..after]
            .iter()
            .any(|&count| i32::from(count) >= nulls.least);
        for place in (0..NULL_LAGS).chain(after..counted.len()) {
            if i32::from(counted[place]) < least {
                continue;
            }
            let share = share_q15(agreement[place], counted[place], nulls.inverse);
            nulls.total_q15 += share;
            nulls.squares_q30 += i64::from(share) * i64::from(share);
            nulls.lags += 1;
        }
        (nulls.lags >= 10 && any).then_some(nulls)
    }

    /// The deviation of the shares, times their number, Q15: below 2^21.
    fn spread_q15(&self) -> u32 {
        let (lags, total) = (i64::from(self.lags), i64::from(self.total_q15));
        // 1e-4 is added to the variance.
        let variance = lags * self.squares_q30 - total * total + lags * lags * ((1 << 30) / 10000);
        variance.isqrt() as u32
    }
}

const EXCESSES: usize = 2 * STEPS_PER_RTT + 1;

/// Add a band's excess at each common lag, Q10; return whether it says anything.
fn add_band(
    agreement: &[i32],
    counted: &[u16],
    band: usize,
    sum_q10: &mut [i32; EXCESSES],
) -> bool {
    let (stride_log, possible) = (stride_log(band), possible(band));
    let Some(nulls) = Nulls::new(agreement, counted) else {
        return false;
    };
    let spread_q15 = nulls.spread_q15();
    let mut band_q10 = [-3072; EXCESSES];
    let common = NULL_LAGS..counted.len() - NULL_LAGS;
    for ((to, &agreement), &counted) in band_q10
        .iter_mut()
        .zip(&agreement[common.clone()])
        .zip(&counted[common])
    {
        if i32::from(counted) < nulls.least {
            continue;
        }
        let above = nulls.lags * share_q15(agreement, counted, nulls.inverse) - nulls.total_q15;
        // Below 2^22, so that this is below 2^32.
        let size = (above.unsigned_abs() * 1024 / spread_q15) as i32;
        *to = if above < 0 { -size } else { size }.clamp(-3072, 8192);
    }
    sum_q10[STEPS_PER_RTT] += band_q10[possible];
    for lag in 1..=STEPS_PER_RTT {
        // The nearest stride, the nearer to zero of two.
        let strides = ((lag + (((1 << stride_log) - 1) >> 1)) >> stride_log).min(possible);
        sum_q10[STEPS_PER_RTT + lag] += band_q10[possible + strides];
        sum_q10[STEPS_PER_RTT - lag] += band_q10[possible - strides];
    }
    true
}

/// How many bands say anything, and what they say, Q10.
fn lag_evidence(sums: &Sums) -> (u32, Option<i32>) {
    let mut excess_q10 = [0; EXCESSES];
    let (mut at, mut bands) = (0, 0);
    for band in 0..BANDS {
        let end = at + lags(band);
        bands += u32::from(add_band(
            &sums.agreement[at..end],
            &sums.counted[at..end],
            band,
            &mut excess_q10,
        ));
        at = end;
    }
    let most_q10 = excess_q10.iter().copied().max().unwrap_or(0);
    (bands, (bands > 0).then(|| most_q10 / bands as i32))
}

fn level_evidence(levels: &Levels) -> Option<i32> {
    if levels.both < 10 << PARTS_LOG {
        return None;
    }
    let scale = Scale::new(levels.squares[0], levels.squares[1])?;
    (0..2 * LEVEL_LAGS + 1)
        .filter(|&at| levels.counted[at] >= 10 << PARTS_LOG)
        .map(|at| {
            let products = levels.products[at] * i64::from(levels.both);
            scale.correlation_q10(products / i64::from(levels.counted[at]))
        })
        .max()
}

/// How probes' delays correlate with others, Q10; None if one does not vary.
fn probes_with(probes: &Probes, with: usize) -> Option<i32> {
    let (a_us, b_us) = (probes.total[PROBE], probes.total[with]);
    let scale = Scale::new(
        probes.spread(probes.squares[PROBE], a_us, a_us),
        probes.spread(probes.squares[with], b_us, b_us),
    )?;
    Some(scale.correlation_q10(probes.spread(probes.products[with - 1], a_us, b_us)))
}

/// How the others' delays follow the probes' more than the next probes' do, and how these do, Q10.
fn probes_lead(probes: &Probes) -> Option<(i32, i32)> {
    if probes.count < LEAST_SAMPLES {
        return None;
    }
    let crossing_q10 = probes_with(probes, CROSSING)?;
    let following_q10 = probes_with(probes, FOLLOWING)?;
    Some((crossing_q10 - following_q10, following_q10))
}

fn adjacent_correlation(adjacent: &Adjacent) -> Option<i32> {
    if adjacent.count < 5 << SAMPLE_PARTS_LOG {
        return None;
    }
    let scale = Scale::new(adjacent.before_squares, adjacent.after_squares)?;
    Some(scale.correlation_q10(adjacent.products))
}

fn sum_of_both(values: [Option<i32>; 2]) -> Option<i32> {
    Some(values[0]? + values[1]?)
}

/// log2 of a count in parts, Q10, from 3 to 10, linear between powers of two.
fn log_q10(parts: i32) -> i32 {
    if parts < LEAST_SAMPLES {
        return 3 << 10;
    }
    let power = parts.ilog2() - SAMPLE_PARTS_LOG;
    if power >= 10 {
        return 10 << 10;
    }
    let above = i64::from(parts - (1 << (power + SAMPLE_PARTS_LOG)));
    (power << 10) as i32 + ((above * 1024) >> (power + SAMPLE_PARTS_LOG)) as i32
}

/// A correlation that counts for less where few samples have it, Q10.
fn weighed(correlation_q10: i32, parts: i32) -> i64 {
    let whole = i64::from(parts) + (15 << SAMPLE_PARTS_LOG);
    if whole == 0 {
        return 0;
    }
    i64::from(correlation_q10) * i64::from(parts) / whole
}

impl Evidence {
    /// All but what lags say, which takes longest.
    pub(crate) fn without_lags(sums: &Sums) -> Self {
        let Samples { adjacent, probes } = &sums.samples;
        let leads = [probes_lead(&probes[0]), probes_lead(&probes[1])];
        let correlations = [
            adjacent_correlation(&adjacent[0]),
            adjacent_correlation(&adjacent[1]),
        ];
        Self {
            lag_q10: None,
            level_q10: level_evidence(&sums.levels),
            adjacent_q10: sum_of_both(correlations).map(|sum| (sum / 2).clamp(0, 1024)),
            lead_q10: sum_of_both(leads.map(|lead| lead.map(|(lead_q10, _)| lead_q10)))
                .map(|sum| sum.clamp(-1536, 512)),
            memory_q10: leads.map(|lead| lead.map(|(_, memory_q10)| memory_q10)),
            bands: 0,
            samples: adjacent[0].count.min(adjacent[1].count),
            probes: probes[0].count.min(probes[1].count),
            queues: [false; 2],
        }
    }

    pub(crate) fn with_lags(mut self, sums: &Sums) -> Self {
        (self.bands, self.lag_q10) = lag_evidence(sums);
        self
    }

    /// The natural logarithm of the odds that the pair shares a bottleneck, Q10.
    pub(crate) fn score_q10(&self) -> i32 {
        let mut sum = 0;
        if let Some(lag_q10) = self.lag_q10 {
            sum += 1770 * i64::from(lag_q10.clamp(-1024, 5120));
        }
        if let Some(level_q10) = self.level_q10 {
            sum += 5940 * weighed(level_q10, self.samples);
        }
        if let Some(lead_q10) = self.lead_q10 {
            sum += 5242 * weighed(lead_q10, self.probes);
        }
        if let Some(adjacent_q10) = self.adjacent_q10 {
            sum -= 767 * ((i64::from(log_q10(self.samples)) * i64::from(adjacent_q10)) >> 10);
        }
        ((sum >> 10) - 1348) as i32
    }

    /// Whether there is enough for a verdict.
    #[must_use]
    pub fn speaks(&self) -> bool {
        self.samples >= LEAST_SAMPLES && self.bands > 0
    }
}
