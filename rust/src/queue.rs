// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Signs of a queue on a path: without any, nothing can be known of a bottleneck.
//!
//! Jitter has no memory that lasts for half a round trip, and a delayed acknowledgement adds less than
//! [`HIGH_US`].

use crate::levels::DEVIATION_US;
use crate::samples::{Close, LEAST_SAMPLES, PROBE, Probes, SAMPLE_PARTS_LOG};

/// Rises of the mean delay over the smallest, µs.
const HIGH_US: i64 = 56_000;
const VARYING_US: i64 = 32_000;
const RISEN_US: i64 = 10_000;
/// Square of how many deviations of chance a correlation exceeds, Q4.
const DEVIATIONS_Q4: i64 = 49;

/// How many bits a size has to be shifted by to have 16, so that its square has room.
fn excess_bits(size: u64) -> u32 {
    (64 - size.leading_zeros()).saturating_sub(16)
}

/// Whether close samples differ less than chance would have it: von Neumann's ratio.
fn remember(close: &Close) -> bool {
    if close.count < LEAST_SAMPLES {
        return false;
    }
    let count = i64::from(close.count);
    let mean_us = close.total * (1 << SAMPLE_PARTS_LOG) / count;
    let whole = 2 * (close.squares - close.total * mean_us);
    let less = whole - close.differences;
    if less <= 0 {
        return false;
    }
    let bits = excess_bits(whole as u64);
    let (whole, less) = (whole >> bits, less >> bits);
    16 * less * less * count >= DEVIATIONS_Q4 * whole * whole * (1 << SAMPLE_PARTS_LOG)
}

/// What is known of a path: how far its delay is above the smallest, and how it varied.
pub(crate) struct Queue {
    risen_us: i64,
    /// Times the number of probes, squared, µs².
    squared_rise: i64,
    squared_deviation: i64,
}

impl Queue {
    pub(crate) fn new(mean_us: i32, min_us: u32, probes: &Probes) -> Self {
        let risen_us = i64::from(mean_us) - i64::from(min_us);
        let rise = risen_us.clamp(0, DEVIATION_US) * i64::from(probes.count >> SAMPLE_PARTS_LOG);
        let total_us = probes.total[PROBE];
        Self {
            risen_us,
            squared_rise: rise * rise,
            squared_deviation: probes.spread(probes.squares[PROBE], total_us, total_us),
        }
    }

    /// Whether the queue that probes were of has gone: the rise is less than an eighth of their deviation.
    pub(crate) fn has_gone(&self, probes: &Probes) -> bool {
        probes.count >= LEAST_SAMPLES && 64 * self.squared_rise < self.squared_deviation
    }

    /// Whether there is a sign of a queue.
    pub(crate) fn shows(&self, close: &Close, probes: &Probes, memory_q10: Option<i32>) -> bool {
        let total_us = probes.total[PROBE];
        if self.risen_us >= HIGH_US || (self.risen_us >= RISEN_US && remember(close)) {
            return true;
        }
        if probes.count < LEAST_SAMPLES {
            return false;
        }
        if self.risen_us >= VARYING_US && 9 * self.squared_deviation >= self.squared_rise {
            return true;
        }
        // Delays that hardly vary, far from that at the start, are lost in what sums round off.
        if 64 * self.squared_deviation < total_us * total_us {
            return false;
        }
        probes_remember(memory_q10, probes.count) && !self.has_gone(probes)
    }
}

/// Whether a path's probes resemble the next more than chance would have it.
fn probes_remember(memory_q10: Option<i32>, parts: i32) -> bool {
    memory_q10.is_some_and(|memory_q10| {
        let memory = i64::from(memory_q10);
        memory > 0
            && 16 * memory * memory * i64::from(parts) >= DEVIATIONS_Q4 << (20 + SAMPLE_PARTS_LOG)
    })
}
