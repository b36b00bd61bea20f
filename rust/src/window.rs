// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Windows of a pair of paths: signals in, and series of RTT and congestion on a grid out.
//!
//! From the moment both paths have been congested, windows of 50 times the larger minimum RTT follow each
//! other. Each signal is put on the grid of its window at once, so that memory does not depend on how many
//! there are.

use crate::pair::Path;

/// Most points of a grid.
pub(crate) const POINTS: usize = 682;

/// Length of a window in larger minimum RTTs.
const WINDOW_RTTS: u64 = 50;
/// Steps of the longest grid.
const MOST_STEPS: u64 = POINTS as u64 - 1;
/// Times from here on are refused: 146 years.
const LATEST_NS: u64 = 1 << 62;
/// Acknowledgements of new data that make a rate.
const ADVANCES: u8 = 2;

/// `rise * elapsed / span`, truncated.
fn share_us(rise_us: u32, elapsed_ns: u64, span_ns: u64) -> u32 {
    // The product of a jump of seconds and a gap of hours has more than 64 bits.
    (u128::from(rise_us) * u128::from(elapsed_ns) / u128::from(span_ns)) as u32
}

/// Signals of a path on the grid of a window.
#[derive(Clone, Debug)]
struct Series {
    rtt_us: [u32; POINTS],
    congested: [bool; POINTS],
    /// How many points of each are known.
    rtt_points: usize,
    state_points: usize,
    /// The window holds an RTT sample.
    sampled: bool,
}

impl Series {
    const NONE: Self = Self {
        rtt_us: [0; POINTS],
        congested: [false; POINTS],
        rtt_points: 0,
        state_points: 0,
        sampled: false,
    };
}

/// What is known of a path now.
#[derive(Clone, Debug)]
struct Signals {
    /// The newest RTT sample, and the one before.
    before_ns: u64,
    last_ns: u64,
    before_us: u32,
    last_us: u32,
    min_rtt_us: u32,
    ack_ns: u64,
    acked_bytes: u64,
    /// Most that was acknowledged by what no acknowledgement of the same time can follow.
    most_bytes: u64,
    /// Another acknowledgement of the newest one's time may follow.
    ack_open: bool,
    /// Acknowledgements of new data, up to [`ADVANCES`].
    advances: u8,
    sampled: bool,
    congested: bool,
    was_congested: bool,
}

impl Signals {
    const NONE: Self = Self {
        before_ns: 0,
        last_ns: 0,
        before_us: 0,
        last_us: 0,
        min_rtt_us: 0,
        ack_ns: 0,
        acked_bytes: 0,
        most_bytes: 0,
        ack_open: false,
        advances: 0,
        sampled: false,
        congested: false,
        was_congested: false,
    };

    /// The RTT at a time between the newest sample and the one before, µs.
    fn between_us(&self, at_ns: u64) -> u32 {
        let elapsed_ns = at_ns - self.before_ns;
        let span_ns = self.last_ns - self.before_ns;
        if self.last_us >= self.before_us {
            self.before_us + share_us(self.last_us - self.before_us, elapsed_ns, span_ns)
        } else {
            self.before_us - share_us(self.before_us - self.last_us, elapsed_ns, span_ns)
        }
    }

    fn take_rtt(&mut self, now_ns: u64, rtt_us: u32) {
        // Of several samples at one time the last counts.
        if !self.sampled || now_ns > self.last_ns {
            self.before_ns = self.last_ns;
            self.before_us = self.last_us;
            self.last_ns = now_ns;
        }
        self.last_us = rtt_us;
        if !self.sampled || rtt_us < self.min_rtt_us {
            self.min_rtt_us = rtt_us;
        }
        self.sampled = true;
    }

    /// Count an acknowledgement of new data once no other of its time can follow.
    fn settle_ack(&mut self, now_ns: u64) {
        if !self.ack_open || now_ns <= self.ack_ns {
            return;
        }
        self.ack_open = false;
        if self.advances > 0 && self.acked_bytes <= self.most_bytes {
            return;
        }
        self.most_bytes = self.acked_bytes;
        self.advances = ADVANCES.min(self.advances + 1);
    }
}

/// Two paths on one grid: a window that is complete.
#[derive(Clone, Debug)]
pub struct PairWindow {
    start_ns: u64,
    window_ns: u64,
    step_ns: u64,
    points: usize,
    rtt_steps: usize,
    min_rtt_us: [u32; 2],
    denominator: usize,
    series: [Series; 2],
}

impl PairWindow {
    const NONE: Self = Self {
        start_ns: 0,
        window_ns: 0,
        step_ns: 0,
        points: 0,
        rtt_steps: 0,
        min_rtt_us: [0; 2],
        denominator: 0,
        series: [Series::NONE; 2],
    };

    /// Its start, and first point of the grid.
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// Its length.
    pub fn window_ns(&self) -> u64 {
        self.window_ns
    }

    /// Points of the grid.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// Steps of the grid in the larger minimum RTT.
    pub(crate) fn rtt_steps(&self) -> usize {
        self.rtt_steps
    }

    /// Which path is below the line in ratios.
    fn below_last(&self) -> [usize; 2] {
        [1 - self.denominator, self.denominator]
    }

    /// RTTs of both paths, the denominator's second, µs.
    pub(crate) fn rtts_us(&self) -> [&[u32]; 2] {
        self.below_last()
            .map(|side| &self.series[side].rtt_us[..self.points])
    }

    /// Where both paths are congested, the denominator's second.
    pub(crate) fn congested(&self) -> [&[bool]; 2] {
        self.below_last()
            .map(|side| &self.series[side].congested[..self.points])
    }

    /// Smallest RTTs of both paths up to the start, the denominator's second, µs.
    pub(crate) fn min_rtts_us(&self) -> [u32; 2] {
        self.below_last().map(|side| self.min_rtt_us[side])
    }

    fn point_ns(&self, point: usize) -> u64 {
        self.start_ns + point as u64 * self.step_ns
    }

    fn end_ns(&self) -> u64 {
        self.start_ns + self.window_ns
    }

    fn begin(&mut self, start_ns: u64, sides: &[Signals; 2]) {
        for (side, signals) in sides.iter().enumerate() {
            self.min_rtt_us[side] = signals.min_rtt_us;
            let series = &mut self.series[side];
            series.rtt_points = 0;
            series.state_points = 0;
            series.sampled = signals.last_ns == start_ns;
        }
        self.denominator = usize::from(self.min_rtt_us[0] > self.min_rtt_us[1]);
        let [high_ns, low_ns] = self.min_rtts_us().map(|rtt_us| u64::from(rtt_us) * 1000);
        self.start_ns = start_ns;
        self.window_ns = WINDOW_RTTS * high_ns;
        self.step_ns = low_ns.max(self.window_ns.div_ceil(MOST_STEPS));
        self.points = (self.window_ns / self.step_ns) as usize + 1;
        self.rtt_steps = (high_ns / self.step_ns) as usize;
    }

    /// Points up to the newest RTT sample; those behind it need the next one.
    fn fill_rtt(&mut self, side: usize, signals: &Signals, now_ns: u64) {
        if now_ns <= signals.last_ns {
            return;
        }
        let mut point = self.series[side].rtt_points;
        while point < self.points {
            let at_ns = self.point_ns(point);
            if at_ns > signals.last_ns {
                break;
            }
            self.series[side].rtt_us[point] = if at_ns == signals.last_ns {
                signals.last_us
            } else {
                signals.between_us(at_ns)
            };
            point += 1;
        }
        self.series[side].rtt_points = point;
    }

    /// No sample follows: hold the newest.
    fn hold_rtt(&mut self, side: usize, signals: &Signals) {
        let series = &mut self.series[side];
        series.rtt_us[series.rtt_points..self.points].fill(signals.last_us);
        series.rtt_points = self.points;
    }

    /// Points before now: what holds at them can change no more.
    fn fill_state(&mut self, side: usize, signals: &Signals, now_ns: u64) {
        let mut point = self.series[side].state_points;
        while point < self.points && self.point_ns(point) < now_ns {
            self.series[side].congested[point] = signals.congested;
            point += 1;
        }
        self.series[side].state_points = point;
    }
}

/// The windows of a pair of paths, built from a sender's signals.
///
/// A value of less than 14 KiB. Times are of a clock that does not run backwards; a call with an earlier time,
/// with one beyond 146 years or with an RTT of nothing has no effect, and is counted by
/// [`refused`](Self::refused).
///
/// ```
/// use smartsbd::{Features, PairWindows, Path, TREE_INVARIANT, Verdict};
///
/// let mut windows = PairWindows::new();
/// let mut features = Features::new();
/// let mut verdict = None;
/// for step in 0..2_000u64 {
///     let now_ns = step * 2_000_000;
///     // Call before each signal: it may end the window after the one that is complete now.
///     while let Some(window) = windows.decide(now_ns) {
///         assert_eq!(window.window_ns(), 50 * 35_000_000);
///         verdict = Some(TREE_INVARIANT.judge(window, &mut features));
///     }
///     let queue_us = (step % 200) as u32 * 100;
///     for (path, base_us) in [(Path::A, 20_000), (Path::B, 35_000)] {
///         windows.on_rtt(path, now_ns, base_us + queue_us);
///         windows.on_ack(path, now_ns, step * 1_200);
///         windows.on_state(path, now_ns, step % 200 == 0);
///     }
/// }
/// assert_eq!(verdict, Some(Verdict::Shared));
/// ```
#[derive(Clone, Debug)]
pub struct PairWindows {
    now_ns: u64,
    /// Where the next window starts, or the open one did.
    start_ns: u64,
    sides: [Signals; 2],
    /// The one that is filled, and the one before.
    windows: [PairWindow; 2],
    /// Which of both is filled.
    filling: usize,
    /// Both paths have been congested.
    armed: bool,
    /// The window that is filled has begun.
    open: bool,
    /// The other window has ended, and is not judged yet.
    waiting: bool,
    decided: u32,
    rejected: u32,
    missed: u32,
    refused: u32,
}

impl PairWindows {
    /// Two paths without any signal.
    pub const fn new() -> Self {
        Self {
            now_ns: 0,
            start_ns: 0,
            sides: [Signals::NONE; 2],
            windows: [PairWindow::NONE; 2],
            filling: 0,
            armed: false,
            open: false,
            waiting: false,
            decided: 0,
            rejected: 0,
            missed: 0,
            refused: 0,
        }
    }

    /// Windows that were complete, and handed out.
    pub fn decided(&self) -> u32 {
        self.decided
    }

    /// Windows without an RTT sample of a path, or without a rate up to their end.
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    /// Windows that were complete, and that [`decide`](Self::decide) was not called for.
    pub fn missed(&self) -> u32 {
        self.missed
    }

    /// Calls without effect.
    pub fn refused(&self) -> u32 {
        self.refused
    }

    /// Take an RTT sample.
    pub fn on_rtt(&mut self, path: Path, now_ns: u64, rtt_us: u32) {
        if rtt_us == 0 || !self.reach(now_ns) {
            self.refused = self.refused.saturating_add(1);
            return;
        }
        let (side, filling) = (path as usize, self.filling);
        let signals = &mut self.sides[side];
        if self.waiting {
            self.windows[1 - filling].fill_rtt(side, signals, now_ns);
        }
        if self.open {
            self.windows[filling].fill_rtt(side, signals, now_ns);
            self.windows[filling].series[side].sampled = true;
        }
        signals.take_rtt(now_ns, rtt_us);
        self.arm(now_ns);
    }

    /// Take an acknowledgement: so many bytes are acknowledged cumulatively on the path.
    ///
    /// Two acknowledgements of new data make a rate, and windows before them do not count.
    pub fn on_ack(&mut self, path: Path, now_ns: u64, acked_bytes: u64) {
        if !self.reach(now_ns) {
            self.refused = self.refused.saturating_add(1);
            return;
        }
        let signals = &mut self.sides[path as usize];
        signals.settle_ack(now_ns);
        signals.ack_ns = now_ns;
        signals.acked_bytes = acked_bytes;
        signals.ack_open = true;
    }

    /// Take a change of the congestion state: congested is a sender in Recovery or Loss, in TCP's words.
    pub fn on_state(&mut self, path: Path, now_ns: u64, congested: bool) {
        if !self.reach(now_ns) {
            self.refused = self.refused.saturating_add(1);
            return;
        }
        let side = path as usize;
        let signals = &mut self.sides[side];
        if self.open {
            self.windows[self.filling].fill_state(side, signals, now_ns);
        }
        signals.congested = congested;
        signals.was_congested |= congested;
        self.arm(now_ns);
    }

    /// The window that has ended, once its last points are known; another may be complete, so call again.
    ///
    /// A window's last points lie between its last RTT sample and the first one after it: until each path has
    /// had that one, the window waits. A window that waits when the next one ends is missed. None is, if this
    /// is called before each signal, with the signal's time, until it returns `None`.
    pub fn decide(&mut self, now_ns: u64) -> Option<&PairWindow> {
        if !self.follows(now_ns) {
            self.refused = self.refused.saturating_add(1);
            return None;
        }
        self.now_ns = now_ns;
        self.complete(now_ns)
    }

    /// What the last signals leave, one window a call; no signal follows.
    ///
    /// The newest RTT samples are held to the end of the window.
    pub fn finish(&mut self, end_ns: u64) -> Option<&PairWindow> {
        if !self.follows(end_ns) {
            self.refused = self.refused.saturating_add(1);
            return None;
        }
        self.now_ns = end_ns;
        if !self.waiting {
            self.advance(end_ns + 1, true);
        }
        if !self.waiting {
            return None;
        }
        let window = &mut self.windows[1 - self.filling];
        for (side, signals) in self.sides.iter().enumerate() {
            window.fill_rtt(side, signals, end_ns + 1);
            window.hold_rtt(side, signals);
        }
        self.complete(end_ns)
    }

    fn follows(&self, now_ns: u64) -> bool {
        self.now_ns <= now_ns && now_ns < LATEST_NS
    }

    /// Take the time of a signal: windows open and close; false if it cannot be.
    fn reach(&mut self, now_ns: u64) -> bool {
        if !self.follows(now_ns) {
            return false;
        }
        self.now_ns = now_ns;
        self.advance(now_ns, false);
        true
    }

    fn complete(&mut self, now_ns: u64) -> Option<&PairWindow> {
        if !self.waiting {
            self.advance(now_ns, true);
        }
        if !self.waiting {
            return None;
        }
        let window = &mut self.windows[1 - self.filling];
        for (side, signals) in self.sides.iter().enumerate() {
            window.fill_rtt(side, signals, now_ns);
            if window.series[side].rtt_points < window.points {
                return None;
            }
        }
        self.waiting = false;
        self.decided = self.decided.saturating_add(1);
        Some(window)
    }

    fn arm(&mut self, now_ns: u64) {
        if self.armed || !self.sides.iter().all(|s| s.was_congested && s.sampled) {
            return;
        }
        self.armed = true;
        self.start_ns = now_ns;
    }

    fn open(&mut self) {
        self.windows[self.filling].begin(self.start_ns, &self.sides);
        self.open = true;
    }

    /// The open window has ended: it waits for its last points, or is no window.
    fn close(&mut self, now_ns: u64) {
        let window = &mut self.windows[self.filling];
        let mut usable = true;
        for (side, signals) in self.sides.iter_mut().enumerate() {
            signals.settle_ack(now_ns);
            window.fill_state(side, signals, now_ns);
            usable &= window.series[side].sampled && signals.advances == ADVANCES;
        }
        self.start_ns = window.end_ns();
        self.open = false;
        if !usable {
            self.rejected = self.rejected.saturating_add(1);
            return;
        }
        if self.waiting {
            self.missed = self.missed.saturating_add(1);
        }
        self.waiting = true;
        self.filling = 1 - self.filling;
    }

    /// Open and close windows up to now, before anything of now is taken; if `judging`, not past one that waits
    /// to be judged.
    fn advance(&mut self, now_ns: u64, judging: bool) {
        if !self.armed || now_ns <= self.start_ns {
            return;
        }
        // Beside the open window, a sample may lie on the start of the next one alone.
        for _ in 0..2 {
            if !self.open {
                self.open();
            }
            if now_ns <= self.windows[self.filling].end_ns() {
                return;
            }
            self.close(now_ns);
            if now_ns <= self.start_ns || (judging && self.waiting) {
                return;
            }
        }
        self.open();
        let window = &mut self.windows[self.filling];
        let silent = (now_ns - 1 - self.start_ns) / window.window_ns;
        self.rejected = self.rejected.saturating_add(silent as u32);
        self.start_ns += silent * window.window_ns;
        window.start_ns = self.start_ns;
    }
}

impl Default for PairWindows {
    fn default() -> Self {
        Self::new()
    }
}
