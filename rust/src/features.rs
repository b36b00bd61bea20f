// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Features of a window, in integers: those that the trees take.

use crate::trees::Feature;
use crate::window::{POINTS, PairWindow};

/// Most that an RTT counts above the smallest, µs.
const RTT_LIMIT_US: u32 = 2_097_151;
/// Square of what a congested point weighs, µs².
const CONGESTED_SQUARED: u64 = 1_000_000 * 1_000_000;
/// The largest feature.
const FEATURE_LIMIT: u64 = 16_777_215;
const ONE_Q10: u64 = 1024;
/// Farther than any path, and no sum with a cost leaves 64 bits.
const FAR: u64 = 1 << 62;
/// How far the lagged correlation shifts, and what changes are taken over, in larger minimum RTTs.
const LAG_RTTS: usize = 2;
const CHANGE_RTTS: usize = 2;
/// From here on there is no head room for a quotient in Q10.
const SPREAD_BITS: u32 = 52;

/// Quotient, truncated: 0/0 is 1, anything else over 0 the limit.
fn ratio_q10(numerator: u64, denominator: u64) -> i32 {
    match (numerator, denominator) {
        (0, 0) => ONE_Q10 as i32,
        (_, 0) => FEATURE_LIMIT as i32,
        _ => FEATURE_LIMIT.min((numerator << 10) / denominator) as i32,
    }
}

/// The smaller over the larger.
fn folded_ratio_q10(a: u64, b: u64) -> i32 {
    ratio_q10(a.min(b), a.max(b))
}

/// Distance of which this is the square, in µs².
fn distance_4us(squared: u64) -> i32 {
    (squared >> 4).isqrt() as i32
}

/// Distance per point: the root of the mean square.
fn per_point_4us(distance_4us: i32, points: usize) -> i32 {
    let distance_4us = distance_4us as u64;
    (distance_4us * distance_4us / points as u64).isqrt() as i32
}

/// The number of values times their standard deviation, from their sums, truncated.
fn deviation(points: usize, sum: u64, sum_of_squares: u64) -> u64 {
    (points as u64 * sum_of_squares - sum * sum).isqrt()
}

fn deviation_us(values_us: &[i32]) -> u64 {
    let (mut sum, mut sum_of_squares) = (0, 0);
    for &value_us in values_us {
        let value_us = value_us as u64;
        sum += value_us;
        sum_of_squares += value_us * value_us;
    }
    deviation(values_us.len(), sum, sum_of_squares)
}

/// The same of points that are congested, each of which counts 1.
fn congested_deviation(congested: &[bool]) -> u64 {
    let sum = congested.iter().filter(|&&point| point).count() as u64;
    deviation(congested.len(), sum, sum)
}

fn squared_us(a_us: i32, b_us: i32) -> u64 {
    let difference_us = i64::from(a_us) - i64::from(b_us);
    (difference_us * difference_us) as u64
}

fn state_squared_us(a: bool, b: bool) -> u64 {
    if a == b { 0 } else { CONGESTED_SQUARED }
}

/// RTTs above so much, µs.
fn put_above(rtts_us: &[u32], least_us: u32, above_us: &mut [i32]) {
    for (above_us, &rtt_us) in above_us.iter_mut().zip(rtts_us) {
        *above_us = (rtt_us - least_us).min(RTT_LIMIT_US) as i32;
    }
}

/// Changes over a span of points, µs.
fn put_changes(values_us: &[i32], span: usize, changes_us: &mut [i32]) {
    let later = values_us.iter().skip(span);
    for (change_us, (later_us, earlier_us)) in changes_us.iter_mut().zip(later.zip(values_us)) {
        *change_us = later_us - earlier_us;
    }
}

fn sum_us(values_us: &[i32]) -> u64 {
    values_us.iter().map(|&value_us| value_us as u64).sum()
}

/// Sum of costs point by point: the square of a Euclidean distance.
fn straight(points: usize, cost: impl Fn(usize, usize) -> u64) -> u64 {
    (0..points).map(|point| cost(point, point)).sum()
}

/// Least sum of costs of a path through a matrix, by steps of weight 1: dynamic time warping.
fn warped(row: &mut [u64], points: usize, cost: impl Fn(usize, usize) -> u64) -> u64 {
    row[..=points].fill(FAR);
    let (mut corner, mut last) = (0, 0);
    for i in 0..points {
        let (mut left, mut above) = (FAR, corner);
        for j in 0..points {
            left = left.min(above) + cost(i, j);
            above = row[j].min(row[j + 1]);
            row[j] = left;
        }
        corner = row[0];
        last = left;
    }
    last
}

/// Sums over pairs of values. With at most 682 values below 2^21 no sum times the number of values leaves 63 bits.
#[derive(Clone, Copy, Default)]
struct Moments {
    x: i64,
    y: i64,
    xx: i64,
    yy: i64,
    xy: i64,
}

impl Moments {
    fn of(x: &[i32], y: &[i32]) -> Self {
        let mut moments = Self::default();
        for (&x, &y) in x.iter().zip(y) {
            let (x, y) = (i64::from(x), i64::from(y));
            moments.x += x;
            moments.y += y;
            moments.xx += x * x;
            moments.yy += y * y;
            moments.xy += x * y;
        }
        moments
    }

    /// Pearson's correlation, truncated toward zero; 0 of a constant series.
    fn correlation_q10(&self, points: usize) -> i32 {
        let n = points as i64;
        let common = n * self.xy - self.x * self.y;
        let deviation_x = ((n * self.xx - self.x * self.x) as u64).isqrt();
        let deviation_y = ((n * self.yy - self.y * self.y) as u64).isqrt();
        let spread = deviation_x * deviation_y;
        if spread == 0 {
            return 0;
        }
        let shift = (u64::BITS - spread.leading_zeros()).saturating_sub(SPREAD_BITS);
        let size = ((common.unsigned_abs() >> shift) << 10) / (spread >> shift);
        let correlation = size.min(ONE_Q10) as i32;
        if common < 0 {
            -correlation
        } else {
            correlation
        }
    }
}

fn correlation_q10(x: &[i32], y: &[i32]) -> i32 {
    Moments::of(x, y).correlation_q10(x.len())
}

/// Largest correlation of what overlaps over all shifts of the first by up to so many points.
fn shifted_q10(late: &[i32], early: &[i32], lag: usize) -> i32 {
    let points = late.len();
    let mut moments = Moments::of(late, early);
    let mut most = moments.correlation_q10(points);
    for shift in 1..points.min(lag + 1) {
        let (first, last) = (i64::from(late[shift - 1]), i64::from(early[points - shift]));
        moments.x -= first;
        moments.xx -= first * first;
        moments.y -= last;
        moments.yy -= last * last;
        moments.xy = late[shift..]
            .iter()
            .zip(early)
            .map(|(&late, &early)| i64::from(late) * i64::from(early))
            .sum();
        most = most.max(moments.correlation_q10(points - shift));
    }
    most
}

/// Twice the rank of each value, 1 the smallest; equals take their mean rank.
fn put_doubled_ranks(values: &[i32], order: &mut [u16], ranks: &mut [i32]) {
    for (place, number) in order.iter_mut().zip(0..) {
        *place = number;
    }
    order.sort_unstable_by_key(|&place| values[usize::from(place)]);
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[usize::from(a)] == values[usize::from(b)]) {
        let end = first + equal.len();
        for &place in equal {
            ranks[usize::from(place)] = (first + end + 1) as i32;
        }
        first = end;
    }
}

/// Features of a window, and the memory to compute them in; a value for each thread will do.
///
/// A value of less than 24 KiB; no call allocates.
#[derive(Clone, Debug)]
pub struct Features {
    values: [i32; Feature::ALL.len()],
    /// RTTs above both series' common minimum, the denominator's second.
    above_us: [[i32; POINTS]; 2],
    /// RTTs above each series' smallest, the denominator's second.
    queue_us: [[i32; POINTS]; 2],
    /// Ranks, or changes.
    derived: [[i32; POINTS]; 2],
    order: [u16; POINTS],
    row: [u64; POINTS + 1],
}

impl Features {
    /// Memory to compute in; every feature is 0.
    pub const fn new() -> Self {
        Self {
            values: [0; Feature::ALL.len()],
            above_us: [[0; POINTS]; 2],
            queue_us: [[0; POINTS]; 2],
            derived: [[0; POINTS]; 2],
            order: [0; POINTS],
            row: [0; POINTS + 1],
        }
    }

    /// A feature of the window that was taken last; any number if it was not wanted.
    pub fn value(&self, feature: Feature) -> i32 {
        self.values[feature as usize]
    }

    /// Compute features of a window: those that are wanted, and no others.
    pub fn take(&mut self, window: &PairWindow, wanted: &[Feature]) {
        let points = window.points();
        let rtts_us = window.rtts_us();
        let smallest_us = rtts_us.map(|rtts_us| rtts_us.iter().copied().min().unwrap_or(0));
        let common_us = smallest_us[0].min(smallest_us[1]);
        for (side, rtts_us) in rtts_us.into_iter().enumerate() {
            put_above(rtts_us, common_us, &mut self.above_us[side][..points]);
            put_above(
                rtts_us,
                smallest_us[side],
                &mut self.queue_us[side][..points],
            );
        }
        for &feature in wanted {
            self.values[feature as usize] = self.computed(window, feature);
        }
    }

    fn computed(&mut self, window: &PairWindow, feature: Feature) -> i32 {
        let points = window.points();
        let [a_us, b_us] = self.above_us.each_ref().map(|side| &side[..points]);
        let [queue_a_us, queue_b_us] = self.queue_us.each_ref().map(|side| &side[..points]);
        let [congested_a, congested_b] = window.congested();
        let rtt = |i: usize, j: usize| squared_us(a_us[i], b_us[j]);
        let state = |i: usize, j: usize| state_squared_us(congested_a[i], congested_b[j]);
        let both = |i: usize, j: usize| rtt(i, j) + state(i, j);
        let queue = |i: usize, j: usize| squared_us(queue_a_us[i], queue_b_us[j]);
        let row = &mut self.row;
        match feature {
            Feature::RttEd4us => distance_4us(straight(points, rtt)),
            Feature::CstateEd4us => distance_4us(straight(points, state)),
            Feature::RttCstateEd4us => distance_4us(straight(points, both)),
            Feature::RttDtwd4us => distance_4us(warped(row, points, rtt)),
            Feature::CstateDtwd4us => distance_4us(warped(row, points, state)),
            Feature::RttCstateDtwd4us => distance_4us(warped(row, points, both)),
            Feature::RttSdRatioQ10 => ratio_q10(deviation_us(a_us), deviation_us(b_us)),
            Feature::CstateSdRatioQ10 => ratio_q10(
                congested_deviation(congested_a),
                congested_deviation(congested_b),
            ),
            Feature::MinRttRatioQ10 => {
                let [above_us, below_us] = window.min_rtts_us();
                ratio_q10(above_us.into(), below_us.into())
            }
            Feature::QueueEd4us => per_point_4us(distance_4us(straight(points, queue)), points),
            Feature::QueueDtwd4us => {
                per_point_4us(distance_4us(warped(row, points, queue)), points)
            }
            Feature::QueueEdRatioQ10 => {
                let size =
                    |i: usize, _| squared_us(queue_a_us[i], 0) + squared_us(queue_b_us[i], 0);
                ratio_q10(
                    straight(points, queue).isqrt(),
                    straight(points, size).isqrt(),
                )
            }
            Feature::RttCorrelationQ10 => correlation_q10(queue_a_us, queue_b_us),
            Feature::RttRankCorrelationQ10 => {
                let [ranks_a, ranks_b] = self.derived.each_mut().map(|side| &mut side[..points]);
                put_doubled_ranks(queue_a_us, &mut self.order[..points], ranks_a);
                put_doubled_ranks(queue_b_us, &mut self.order[..points], ranks_b);
                correlation_q10(ranks_a, ranks_b)
            }
            Feature::RttLaggedCorrelationQ10 => {
                let lag = LAG_RTTS * window.rtt_steps();
                shifted_q10(queue_a_us, queue_b_us, lag)
                    .max(shifted_q10(queue_b_us, queue_a_us, lag))
            }
            Feature::RttChangeCorrelationQ10 => {
                let span = CHANGE_RTTS * window.rtt_steps();
                let changes = points.saturating_sub(span);
                let [changes_a, changes_b] =
                    self.derived.each_mut().map(|side| &mut side[..changes]);
                put_changes(queue_a_us, span, changes_a);
                put_changes(queue_b_us, span, changes_b);
                correlation_q10(changes_a, changes_b)
            }
            Feature::QueueMeanRatioQ10 => folded_ratio_q10(sum_us(queue_a_us), sum_us(queue_b_us)),
            Feature::QueueSdRatioQ10 => {
                folded_ratio_q10(deviation_us(queue_a_us), deviation_us(queue_b_us))
            }
        }
    }
}

impl Default for Features {
    fn default() -> Self {
        Self::new()
    }
}
