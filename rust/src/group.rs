// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Groups of three to five paths: the partition that the scores of all pairs together make the likeliest.

use crate::pair::{Pair, Path, Verdict};

/// Pairs of five paths.
const PAIRS: usize = 10;
/// Partitions of five paths; those of fewer are among them.
const PARTITIONS: usize = 52;
/// The most that a pair weighs, Q10.
const MOST_Q10: i32 = 3072;
/// The least that a pair with a verdict weighs, and the most that a pair without one does, Q10.
const BAND_Q10: i32 = 512;
/// By which a partition has to be likelier than another, Q10.
const MARGIN_Q10: i32 = 512;

/// The pairs in one group, for each partition, those with the lower groups first.
const PARTITION: [u16; PARTITIONS] = [
    0x3ff, 0x03f, 0x1c7, 0x207, 0x007, 0x2d9, 0x119, 0x019, 0x0e1, 0x321, 0x021, 0x0c1, 0x101,
    0x201, 0x001, 0x36a, 0x0aa, 0x02a, 0x152, 0x292, 0x012, 0x142, 0x082, 0x202, 0x002, 0x24c,
    0x18c, 0x00c, 0x074, 0x3b4, 0x034, 0x044, 0x184, 0x204, 0x004, 0x248, 0x088, 0x108, 0x008,
    0x050, 0x290, 0x110, 0x010, 0x060, 0x0a0, 0x320, 0x020, 0x040, 0x080, 0x100, 0x200, 0x000,
];

/// What is known of two paths of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// They share no bottleneck.
    Apart,
    /// They share a bottleneck.
    Together,
    /// There is not enough to tell.
    Unknown,
}

/// Place of a pair of two different paths: (0, 1), (0, 2), (1, 2), (0, 3), ...
pub(crate) const fn place(i: usize, j: usize) -> usize {
    if i < j {
        j * (j - 1) / 2 + i
    } else {
        i * (i - 1) / 2 + j
    }
}

/// The groups of up to five paths that the verdicts and scores of all their pairs make the likeliest.
///
/// [`Group`] has it; by itself it takes verdicts of any origin. Twin of `sbd_joint_partition.h`.
///
/// ```
/// use smartsbd::{Joint, Relation, Verdict};
///
/// let mut joint = Joint::new(3);
/// joint.note(0, 1, Verdict::Shared, 4000);
/// joint.note(1, 2, Verdict::Shared, 4000);
/// // Nothing is known of this pair alone, but of its other pairs.
/// joint.note(0, 2, Verdict::Unknown, 0);
/// joint.judge();
/// assert_eq!(joint.relation(0, 2), Relation::Together);
/// ```
#[derive(Clone, Debug)]
pub struct Joint {
    paths: usize,
    /// A pair of which nothing is known weighs 0.
    weight_q10: [i32; PAIRS],
    /// Bits: pairs with a verdict of their own.
    judged: u16,
    /// Pairs of which nothing may be known: no sign of a queue.
    barred: u16,
    /// Pairs of which something is known.
    known: u16,
    /// Pairs in one group of the likeliest partition.
    together: u16,
    /// The last partition; [`PARTITIONS`] for none.
    held: usize,
}

/// By how much a pair makes partitions likelier that have it in one group, Q10.
fn weight_q10(verdict: Verdict, score_q10: i32) -> i32 {
    match verdict {
        Verdict::Shared => score_q10.clamp(BAND_Q10, MOST_Q10),
        Verdict::Apart => score_q10.clamp(-MOST_Q10, -BAND_Q10),
        Verdict::Unknown => score_q10.clamp(-BAND_Q10, BAND_Q10),
        Verdict::NoQueue => 0,
    }
}

impl Joint {
    /// Of 2 to 5 paths of which nothing is known; panics for other numbers.
    #[must_use]
    pub const fn new(paths: usize) -> Self {
        assert!(paths >= 2 && paths <= 5, "a group is of 2 to 5 paths");
        Self {
            paths,
            weight_q10: [0; PAIRS],
            judged: 0,
            barred: 0,
            known: 0,
            together: 0,
            held: PARTITIONS,
        }
    }

    /// Note the verdict on two paths alone, and its score in 1/1024: 0 where there is not enough for a verdict.
    pub fn note(&mut self, i: usize, j: usize, verdict: Verdict, score_q10: i32) {
        let place = place(i, j);
        let is_verdict = matches!(verdict, Verdict::Shared | Verdict::Apart);
        self.weight_q10[place] = weight_q10(verdict, score_q10);
        self.judged = self.judged & !(1 << place) | u16::from(is_verdict) << place;
        self.barred = self.barred & !(1 << place) | u16::from(verdict == Verdict::NoQueue) << place;
    }

    fn likelihood_q10(&self, together: u16) -> i32 {
        self.weight_q10
            .iter()
            .enumerate()
            .map(|(pair, &weight_q10)| {
                if together >> pair & 1 != 0 {
                    weight_q10
                } else {
                    0
                }
            })
            .sum()
    }

    /// Choose the partition by what was noted; the last one stays while it is nearly as likely.
    pub fn judge(&mut self) {
        let there = ((1u32 << (self.paths * (self.paths - 1) / 2)) - 1) as u16;
        let (mut all, mut some) = (there, 0);
        let (mut likeliest, mut most_q10) = (0, self.likelihood_q10(PARTITION[0]));
        for (number, &together) in PARTITION.iter().enumerate() {
            let likelihood_q10 = self.likelihood_q10(together);
            if likelihood_q10 > most_q10 {
                (likeliest, most_q10) = (number, likelihood_q10);
            }
        }
        for (number, &together) in PARTITION.iter().enumerate() {
            if self.likelihood_q10(together) < most_q10 - MARGIN_Q10 {
                continue;
            }
            all &= together;
            some |= together;
            if number == self.held {
                likeliest = number;
            }
        }
        self.together = PARTITION[likeliest] & there;
        self.known = there & (self.judged | all | !some) & !self.barred;
        self.held = if self.known != 0 {
            likeliest
        } else {
            PARTITIONS
        };
    }

    /// What is known of two paths after the last [`Joint::judge`].
    #[must_use]
    pub const fn relation(&self, i: usize, j: usize) -> Relation {
        if i == j {
            return Relation::Together;
        }
        match (
            self.known >> place(i, j) & 1,
            self.together >> place(i, j) & 1,
        ) {
            (0, _) => Relation::Unknown,
            (_, 0) => Relation::Apart,
            _ => Relation::Together,
        }
    }
}

/// A connection's three to five paths: each two are a [`Pair`], and all together are put into groups.
///
/// `PAIRS` is `PATHS * (PATHS - 1) / 2`, which the compiler checks. Each pair takes less than 17 KiB.
///
/// ```
/// use smartsbd::{Group3, Relation};
///
/// let mut group = Box::new(Group3::new());
/// for ms in 0..100u64 {
///     for path in 0..3 {
///         group.on_rtt(path, ms * 1_000_000, 20_000);
///     }
/// }
/// // No block of 16 round trips is complete.
/// assert_eq!(group.relation(0, 2), Relation::Unknown);
/// ```
#[derive(Clone, Debug)]
pub struct Group<const PATHS: usize, const PAIRS: usize> {
    pairs: [Pair; PAIRS],
    joint: Joint,
}

/// Three paths.
pub type Group3 = Group<3, 3>;
/// Four paths.
pub type Group4 = Group<4, 6>;
/// Five paths.
pub type Group5 = Group<5, 10>;

impl<const PATHS: usize, const PAIRS: usize> Default for Group<PATHS, PAIRS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const PATHS: usize, const PAIRS: usize> Group<PATHS, PAIRS> {
    const CHECKED: () = assert!(PAIRS == PATHS * (PATHS - 1) / 2, "PAIRS of PATHS");

    /// Paths without samples.
    #[must_use]
    pub const fn new() -> Self {
        let () = Self::CHECKED;
        Self {
            pairs: [const { Pair::new() }; PAIRS],
            joint: Joint::new(PATHS),
        }
    }

    /// Take an RTT sample of a path from 0, as [`Pair::on_rtt`] does; return whether any pair was judged.
    ///
    /// Panics if there is no such path.
    pub fn on_rtt(&mut self, path: usize, now_ns: u64, rtt_us: u32) -> bool {
        assert!(path < PATHS, "no such path");
        let mut any = false;
        for other in (0..PATHS).filter(|&other| other != path) {
            let which = if path < other { Path::A } else { Path::B };
            let pair = &mut self.pairs[place(path, other)];
            if let Some(judgement) = pair.on_rtt(which, now_ns, rtt_us) {
                let speaks = judgement.evidence.speaks();
                let score_q10 = if speaks { judgement.score_q10 } else { 0 };
                self.joint.note(path, other, judgement.verdict, score_q10);
                any = true;
            }
        }
        if any {
            self.joint.judge();
        }
        any
    }

    /// What is known of two paths.
    #[must_use]
    pub const fn relation(&self, i: usize, j: usize) -> Relation {
        self.joint.relation(i, j)
    }

    /// Two different paths by themselves; the lower number is [`Path::A`].
    #[must_use]
    pub const fn pair(&self, i: usize, j: usize) -> &Pair {
        &self.pairs[place(i, j)]
    }
}
