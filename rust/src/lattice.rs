// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The grid of steps that delays are compared on, and a path's delays at its steps.
//!
//! A step is a sixteenth of a round trip; 256 steps are a block. A block is judged with the 255 steps
//! before it, which its longest changes reach back to.

/// Steps in a round trip.
pub(crate) const STEPS_PER_RTT: usize = 16;
/// Steps in a block.
pub(crate) const BLOCK: usize = 256;
/// Steps before a block that its first changes reach back to.
pub(crate) const LEAD: usize = 255;
/// Steps that the changes of a block span.
pub(crate) const SPANNED: usize = LEAD + BLOCK;
/// A longer silence, in steps, is as long as any.
pub(crate) const LONGEST_STEPS: i64 = 512;
/// Steps whose delays are held.
pub(crate) const WINDOW: usize = SPANNED + LONGEST_STEPS as usize + 2;
/// The shortest silence, and the first of the levels, in steps.
pub(crate) const SILENT_STEPS: i64 = 8;
/// Levels of silences: 8, 16, ... 512 steps.
pub(crate) const LEVELS: u32 = 7;
/// Blocks whose samples may come before they are judged, and the next.
pub(crate) const WAITING: usize = 4;
/// The longest delay, µs: 24 bits.
pub(crate) const LIMIT_US: u32 = (1 << 24) - 1;

/// Delays neither rise nor fall in a silence of this level.
const HELD_LEVEL: u32 = 6;
/// Cuts that steps may lie in that are not known yet.
const CUTS: usize = 8;

/// The grid: where it begins, its step, and the block that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    pub(crate) start_ns: i64,
    pub(crate) step_ns: i64,
    pub(crate) number: i64,
}

impl Lattice {
    pub(crate) const NONE: Self = Self {
        start_ns: 0,
        step_ns: 0,
        number: 0,
    };

    pub(crate) fn block_ns(&self) -> i64 {
        BLOCK as i64 * self.step_ns
    }

    /// Time of the first step of the window.
    pub(crate) fn first_ns(&self) -> i64 {
        self.start_ns + (self.number * BLOCK as i64 - LEAD as i64) * self.step_ns
    }

    /// End of the block that is waited for.
    pub(crate) fn end_ns(&self) -> i64 {
        self.start_ns + (self.number + 1) * self.block_ns()
    }

    /// Place among the blocks that wait of the block that a time is in; None if it is judged already.
    pub(crate) fn waiting_place(&self, time_ns: i64) -> Option<usize> {
        let number = (time_ns - self.start_ns) / self.block_ns();
        (number >= self.number).then_some(number as usize % WAITING)
    }

    /// The level of a silence: how many of 8, 16, ... 512 steps it exceeds.
    fn level(&self, gap_ns: i64) -> u32 {
        let mut level = 0;
        while level < LEVELS && gap_ns > (SILENT_STEPS << level) * self.step_ns {
            level += 1;
        }
        level
    }
}

/// A sample: its time and its RTT.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) time_ns: i64,
    pub(crate) rtt_us: u32,
}

impl Sample {
    pub(crate) const ZERO: Self = Self {
        time_ns: 0,
        rtt_us: 0,
    };
}

/// What is excised: samples and steps between two times.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from_ns: i64,
    to_ns: i64,
}

/// The last cuts since the lattice began.
#[derive(Clone, Debug)]
pub(crate) struct Cuts {
    cut: [Cut; CUTS],
    count: usize,
    next: usize,
}

impl Cuts {
    pub(crate) const NONE: Self = Self {
        cut: [Cut {
            from_ns: 0,
            to_ns: 0,
        }; CUTS],
        count: 0,
        next: 0,
    };

    pub(crate) fn add(&mut self, from_ns: i64, to_ns: i64) {
        self.cut[self.next] = Cut { from_ns, to_ns };
        self.next = (self.next + 1) % CUTS;
        self.count = (self.count + 1).min(CUTS);
    }

    fn contain(&self, time_ns: i64) -> bool {
        self.cut[..self.count]
            .iter()
            .any(|cut| cut.from_ns < time_ns && time_ns < cut.to_ns)
    }
}

/// A path's delay at a step, µs, and the level of the silence that the step is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point(u32);

impl Point {
    fn new(delay_us: u32, level: u32) -> Self {
        Self(delay_us | level << 24)
    }

    pub(crate) fn delay_us(self) -> u32 {
        self.0 & LIMIT_US
    }

    pub(crate) fn level(self) -> u32 {
        self.0 >> 24
    }
}

/// A delay between two samples, step by step, as a division for each would round it.
#[derive(Default)]
struct Slope {
    rise_us: i64,
    rest: i64,
    step_us: i64,
    step_rest: i64,
}

impl Slope {
    fn go_on(&mut self, gap_ns: i64) {
        self.rise_us += self.step_us;
        self.rest += self.step_rest;
        if self.rest >= gap_ns {
            self.rest -= gap_ns;
            self.rise_us += 1;
        }
    }
}

/// A path's delays at the steps of the window, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Delays {
    /// From the window's first step on.
    pub(crate) point: [Point; WINDOW],
    /// The step whose delay is not known yet.
    pub(crate) next: usize,
    /// Delay at the start of the lattice, µs.
    pub(crate) reference_us: u32,
}

impl Delays {
    pub(crate) const NONE: Self = Self {
        point: [Point(0); WINDOW],
        next: 0,
        reference_us: 0,
    };

    /// Note delays of the steps from the last sample up to, and without, the time of the next.
    pub(crate) fn fill(&mut self, lattice: &Lattice, cuts: &Cuts, last: Sample, now: Sample) {
        let gap_ns = now.time_ns - last.time_ns;
        let mut at_ns = lattice.first_ns() + self.next as i64 * lattice.step_ns;
        if at_ns >= now.time_ns || self.next >= WINDOW {
            return;
        }
        let size_us = i64::from(now.rtt_us.abs_diff(last.rtt_us));
        let level = lattice.level(gap_ns);
        let mut slope = Slope::default();
        if level < HELD_LEVEL && size_us != 0 {
            // No step that is not known yet is before the last sample.
            let (risen, step) = (size_us * (at_ns - last.time_ns), size_us * lattice.step_ns);
            slope = Slope {
                rise_us: risen / gap_ns,
                rest: risen % gap_ns,
                step_us: step / gap_ns,
                step_rest: step % gap_ns,
            };
        }
        while self.next < WINDOW && at_ns < now.time_ns {
            let rise_us = slope.rise_us as u32;
            let delay_us = if now.rtt_us < last.rtt_us {
                last.rtt_us - rise_us
            } else {
                last.rtt_us + rise_us
            };
            let level = if cuts.contain(at_ns) {
                LEVELS
            } else if at_ns == last.time_ns {
                0
            } else {
                level
            };
            self.point[self.next] = Point::new(delay_us, level);
            if at_ns == lattice.start_ns {
                self.reference_us = delay_us;
            }
            at_ns += lattice.step_ns;
            slope.go_on(gap_ns);
            self.next += 1;
        }
    }

    /// Let the window begin a block later.
    pub(crate) fn go_on(&mut self) {
        self.point.copy_within(BLOCK..self.next.max(BLOCK), 0);
        self.next = self.next.saturating_sub(BLOCK);
    }
}
