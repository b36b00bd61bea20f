// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! How much each path may add to its window for what is acknowledged: LIA, Reno, and between them.
//!
//! The integers are those of the controllers in the kernel: `coupled.h` (RFC 6356) and
//! `sbd_coupling.h` (the mix by the odds).

use crate::pair::Verdict;

/// The share of Reno's increase, in 1/1024, of a path that is coupled by LIA.
pub const COUPLED_Q10: u32 = 0;
/// The share of Reno's increase, in 1/1024, of a path by itself.
pub const UNCOUPLED_Q10: u32 = 1024;

const RATIO_BITS: u32 = 16;
/// An RTT 1,024 times another.
const RATIO_MOST: u64 = 1 << 26;
const CWND_MOST: u32 = (1 << 20) - 1;
const ACKS_MOST: u32 = u32::MAX >> 1;
const MOST_PATHS: u32 = 64;
/// A larger score says no more, Q10.
const SCORE_Q10: i32 = 8192;
const LOG2_E_Q10: i32 = 1477;

/// What coupling needs of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Window, segments; 0 for a path that takes no part.
    pub cwnd: u32,
    /// Smoothed RTT in eighths of a microsecond, as Linux has it; 0 before the first sample.
    pub srtt_8us: u32,
}

impl Window {
    /// A window in segments, and a smoothed RTT in microseconds, up to 536 s.
    #[must_use]
    pub const fn new(cwnd: u32, srtt_us: u32) -> Self {
        Self {
            cwnd,
            srtt_8us: srtt_us.saturating_mul(8),
        }
    }

    fn capped(self) -> u64 {
        self.cwnd.min(CWND_MOST).into()
    }

    /// Whether this has a larger w / r^2.
    fn leads(self, other: Self) -> bool {
        let (mut a, mut b) = (u64::from(self.srtt_8us), u64::from(other.srtt_8us));
        // Windows of 20 bits and two RTTs of 22 have room: above half a second, RTTs lose bits.
        let bits = (64 - (a | b).leading_zeros()).saturating_sub(22).min(10);
        a >>= bits;
        b >>= bits;
        self.capped() * b * b > other.capped() * a * a
    }
}

/// How many segments must be acknowledged for a window to grow by one under LIA (RFC 6356, section 3).
///
/// `windows` are of all paths that are coupled, `cwnd` is the window that grows, in segments. Never less
/// than `cwnd`, which is Reno's; `cwnd` too where no other path has an RTT.
///
/// ```
/// use smartsbd::{Window, lia_acks};
///
/// // Two equal paths: both together grow as a single window of 20 does.
/// assert_eq!(lia_acks(&[Window::new(10, 100_000); 2], 10), 40);
/// ```
#[must_use]
pub fn lia_acks(windows: &[Window], cwnd: u32) -> u32 {
    let mut best: Option<Window> = None;
    let mut paths = 0;
    for &window in windows
        .iter()
        .filter(|window| window.srtt_8us != 0 && window.cwnd != 0)
    {
        paths += 1;
        if best.is_none_or(|best| window.leads(best)) {
            best = Some(window);
        }
    }
    let Some(best) = best.filter(|_| paths >= 2) else {
        return cwnd;
    };
    let mut sum_q16: u64 = 0;
    for window in windows.iter().filter(|window| window.srtt_8us != 0) {
        let ratio_q16 = (u64::from(best.srtt_8us) << RATIO_BITS) / u64::from(window.srtt_8us);
        sum_q16 += window.capped() * ratio_q16.min(RATIO_MOST);
    }
    // The square of 32 bits has room.
    let shift = (64 - sum_q16.leading_zeros())
        .saturating_sub(32)
        .min(RATIO_BITS);
    sum_q16 >>= shift;
    let acks = (sum_q16.saturating_mul(sum_q16) / best.capped()) >> (2 * (RATIO_BITS - shift));
    if acks > ACKS_MOST.into() {
        ACKS_MOST
    } else {
        cwnd.max(acks as u32)
    }
}

/// The odds that two paths do not share, exp(-score), Q10; a score in 1/1024.
fn odds_apart_q10(score_q10: i32) -> u32 {
    let score_q10 = score_q10.clamp(-SCORE_Q10, SCORE_Q10);
    // Of 2^12 times the odds, so that it is above 0.
    let log2_q10 = ((12 << 20) - LOG2_E_Q10 * score_q10) as u32 >> 10;
    let (whole, part) = (log2_q10 >> 10, log2_q10 & 1023);
    // 2^part between two powers, within 0.3 %.
    let part = 1024 + ((part * (672 + ((352 * part) >> 10))) >> 10);
    if whole < 12 {
        part >> (12 - whole)
    } else {
        part << (whole - 12)
    }
}

/// The share of Reno's increase, in 1/1024, so that what a rival may be expected to lose is at most
/// `epsilon` times the odds that nothing is shared.
///
/// `score_q10` is the natural logarithm of the odds that two paths share, in 1/1024; `epsilon_q10` is
/// from 0, where the share is 0, to 1024; `paths` of the connection, of which 64 count at most. The
/// larger the score, the less.
///
/// ```
/// use smartsbd::{UNCOUPLED_Q10, theta_q10};
///
/// // A twentieth may be lost: paths that surely share are coupled, others are not.
/// assert_eq!(theta_q10(8192, 51, 2), 0);
/// assert_eq!(theta_q10(-8192, 51, 2), UNCOUPLED_Q10);
/// ```
#[must_use]
pub fn theta_q10(score_q10: i32, epsilon_q10: u32, paths: u32) -> u32 {
    if paths < 2 {
        return UNCOUPLED_Q10;
    }
    let paths = paths.min(MOST_PATHS);
    let loss_q20 = epsilon_q10.min(1024) * odds_apart_q10(score_q10);
    // No more is lost beside Reno: (n - 1) / (n + 1).
    if loss_q20 >> 20 != 0 || loss_q20 * (paths + 1) >= (paths - 1) << 20 {
        return UNCOUPLED_Q10;
    }
    let rest_q10 = 1024 - (loss_q20 >> 10);
    let most = u64::from(paths * paths - 1) * u64::from(rest_q10 * rest_q10);
    ((u64::from(loss_q20) << 12) / most).min(UNCOUPLED_Q10.into()) as u32
}

/// How many segments must be acknowledged for a window to grow by one, between LIA and Reno.
///
/// `coupled_acks` are as many under LIA, `cwnd` under Reno, and `theta_q10` is the share of Reno's
/// increase in 1/1024. At least `cwnd`, at most `coupled_acks`.
///
/// ```
/// use smartsbd::mixed_acks;
///
/// assert_eq!(mixed_acks(40, 10, 0), 40);
/// assert_eq!(mixed_acks(40, 10, 512), 16);
/// assert_eq!(mixed_acks(40, 10, 1024), 10);
/// ```
#[must_use]
pub fn mixed_acks(coupled_acks: u32, cwnd: u32, theta_q10: u32) -> u32 {
    let cwnd = u64::from(cwnd.clamp(1, CWND_MOST));
    let coupled_acks = u64::from(coupled_acks.min(ACKS_MOST)).max(cwnd);
    let theta_q10 = u64::from(theta_q10.min(UNCOUPLED_Q10));
    let growth = (u64::from(UNCOUPLED_Q10) - theta_q10) * cwnd + theta_q10 * coupled_acks;
    // Rounded up, so that it never grows faster.
    (((coupled_acks * cwnd) << 10).div_ceil(growth)) as u32
}

/// Which paths of a connection grow together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All paths are coupled by LIA.
    Lia,
    /// Each path is Reno by itself.
    Uncoupled,
    /// Coupled by LIA, except of paths with the verdict [`Verdict::Apart`].
    Verdicts,
    /// Between LIA and Reno by the odds ([`theta_q10`]).
    Odds {
        /// What a rival may be expected to lose, in 1/1024: 51 is a twentieth.
        epsilon_q10: u32,
    },
}

/// The coupling of a connection's paths in congestion avoidance.
///
/// Slow start and what is no increase are the sender's.
///
/// ```
/// use smartsbd::{Coupling, Mode, Verdict, Window};
///
/// let windows = [Window::new(10, 100_000); 2];
/// let mut coupling = Coupling::<2>::new(Mode::Verdicts);
/// // As long as nothing is known: LIA, a segment for 40 that are acknowledged.
/// assert_eq!(coupling.on_ack(0, 12_000, &windows), 300);
/// coupling.note(0, 1, Verdict::Apart, -3000);
/// // Reno, a segment for ten.
/// assert_eq!(coupling.on_ack(0, 12_000, &windows), 1_200);
/// ```
#[derive(Clone, Debug)]
pub struct Coupling<const PATHS: usize> {
    mode: Mode,
    /// Of each pair, both ways, in 1/1024.
    pair_q10: [[u32; PATHS]; PATHS],
    group: [usize; PATHS],
    /// The least of a path's pairs in its group, in 1/1024.
    share_q10: [u32; PATHS],
    /// Of what was acknowledged, what has not made a window grow yet.
    carried: [u64; PATHS],
}

impl<const PATHS: usize> Coupling<PATHS> {
    /// Paths of which nothing is known.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        let pair_q10 = match mode {
            Mode::Lia | Mode::Verdicts => COUPLED_Q10,
            Mode::Uncoupled => UNCOUPLED_Q10,
            // As likely as not.
            Mode::Odds { epsilon_q10 } => theta_q10(0, epsilon_q10, PATHS as u32),
        };
        let mut coupling = Self {
            mode,
            pair_q10: [[pair_q10; PATHS]; PATHS],
            group: [0; PATHS],
            share_q10: [0; PATHS],
            carried: [0; PATHS],
        };
        coupling.choose();
        coupling
    }

    /// Note a judgement on two paths: its verdict, and its score in 1/1024.
    ///
    /// [`Verdict::Unknown`] and [`Verdict::NoQueue`] couple by verdicts, and so does `NoQueue` by the odds. Note
    /// `NoQueue` too when a judgement has become too old: the controllers in the kernel do so after
    /// the longer of a second and two windows of 50 round trips.
    pub fn note(&mut self, i: usize, j: usize, verdict: Verdict, score_q10: i32) {
        let pair_q10 = match (self.mode, verdict) {
            (Mode::Lia, _) => COUPLED_Q10,
            (Mode::Uncoupled, _) | (Mode::Verdicts, Verdict::Apart) => UNCOUPLED_Q10,
            (Mode::Verdicts, _) | (Mode::Odds { .. }, Verdict::NoQueue) => COUPLED_Q10,
            (Mode::Odds { epsilon_q10 }, _) => theta_q10(score_q10, epsilon_q10, PATHS as u32),
        };
        self.pair_q10[i][j] = pair_q10;
        self.pair_q10[j][i] = pair_q10;
        self.choose();
    }

    /// Paths of one group are coupled: the connected components of the pairs that are.
    fn choose(&mut self) {
        self.group = core::array::from_fn(|path| path);
        for i in 0..PATHS {
            for j in 0..i {
                let (lower, higher) = (self.group[j], self.group[i]);
                if lower != higher && self.pair_q10[i][j] < UNCOUPLED_Q10 {
                    for group in self.group.iter_mut().filter(|group| **group == higher) {
                        *group = lower;
                    }
                }
            }
        }
        self.share_q10 = core::array::from_fn(|path| {
            (0..PATHS)
                .filter(|&other| other != path && self.group[other] == self.group[path])
                .map(|other| self.pair_q10[path][other])
                .min()
                .unwrap_or(UNCOUPLED_Q10)
        });
    }

    /// How many segments must be acknowledged for a path's window to grow by one.
    #[must_use]
    pub fn acks(&self, path: usize, windows: &[Window; PATHS]) -> u32 {
        let coupled: [Window; PATHS] = core::array::from_fn(|other| {
            if self.group[other] == self.group[path] {
                windows[other]
            } else {
                Window::default()
            }
        });
        let acks = lia_acks(&coupled, windows[path].cwnd);
        match self.share_q10[path] {
            COUPLED_Q10 => acks,
            share_q10 => mixed_acks(acks, windows[path].cwnd, share_q10),
        }
    }

    /// By how much a path's window grows for what is acknowledged, in the same unit: bytes or segments.
    ///
    /// What is left over counts for the next. Call it in congestion avoidance, where the window limits the sender.
    pub fn on_ack(&mut self, path: usize, acked: u32, windows: &[Window; PATHS]) -> u32 {
        let acks = u64::from(self.acks(path, windows).max(1));
        let carried = self.carried[path].min(acks - 1) + u64::from(acked);
        self.carried[path] = carried % acks;
        (carried / acks) as u32
    }
}
