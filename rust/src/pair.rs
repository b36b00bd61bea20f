// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! A pair of paths: takes their RTT samples, and judges each block once no sample can change it.

use crate::evidence::Evidence;
use crate::lattice::{
    Cuts, Delays, LEAD, LIMIT_US, LONGEST_STEPS, Lattice, SILENT_STEPS, STEPS_PER_RTT, Sample,
    WAITING, WINDOW,
};
use crate::levels::{Levels, Means};
use crate::queue::Queue;
use crate::samples::{
    CROSSING, Chain, Close, Counted, Counting, LEAST_SAMPLES, SLOT_STEPS, Waiting,
};
use crate::signs::{Agreed, History, LAGS, correlogram};
use crate::sums::{Block, FAST_LOSS, SLOW_LOSS, Sums};

/// Most that a round trip counts, µs.
const CAP_US: u32 = 256_000;
const FIRST_SAMPLES: u16 = 10;
/// Silences of both paths that end together, from which on they are a stall that both meet.
const EXCISED_FROM: u8 = 4;
const EXCISED_STEPS: i64 = 16;
/// Blocks without anything that are made up for.
const MOST_VOID: i64 = 64;
/// Blocks after which nothing earlier is compared.
const FORGOTTEN: u32 = 8;
/// From a sample to a close sample, in steps.
const CLOSE_STEPS: i64 = 2;
const FLIP_Q10: i32 = 2048;
const FLIP_BLOCKS: u8 = 2;
const FLIP_AGE: u32 = 4;
const FLIPPED_AGE: u32 = 3;
/// Later times count as this: 146 years.
const LATEST_NS: u64 = 1 << 62;

/// Which path of a pair a sample is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// The first.
    A,
    /// The second.
    B,
}

/// What is known of a pair of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No bottleneck is shared.
    Apart,
    /// Both paths lead through one bottleneck.
    Shared,
    /// There is not enough to tell.
    Unknown,
    /// A path shows no sign of a queue: nothing can be known.
    NoQueue,
}

/// What a [`Pair`] does beyond comparing its score with the threshold; the default does all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The last verdict holds where the score allows none.
    pub holds: bool,
    /// Sums of recent blocks that contradict take over.
    pub flips: bool,
    /// Nothing is known while a path shows no sign of a queue.
    pub needs_queues: bool,
}

impl Rule {
    const ALL: Self = Self {
        holds: true,
        flips: true,
        needs_queues: true,
    };
}

impl Default for Rule {
    fn default() -> Self {
        Self::ALL
    }
}

/// A judgement on a pair of paths, at the end of a block of 16 round trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// What is known now.
    pub verdict: Verdict,
    /// Natural logarithm of the odds that the pair shares a bottleneck, in 1/1024.
    pub score_q10: i32,
    /// Blocks since the sums began.
    pub age: u32,
    /// What the score rests on.
    pub evidence: Evidence,
}

/// What is held of a path.
#[derive(Clone, Debug)]
struct Side {
    chain: Chain,
    /// The other's chain, when the last sample of this path came.
    beside: Chain,
    /// Both chains, this path's first, when its last silence began.
    before: [Chain; 2],
    adjacent: Option<Counted>,
    probe: Option<Counted>,
    /// What a sample of the other path at the same time completes.
    adjacent_pending: Option<Counted>,
    probe_pending: Option<Counted>,
    /// The last sample, kept or not.
    raw: Sample,
    silence_begin_ns: i64,
    silence_end_ns: i64,
    was_silent: bool,
    close: Close,
    history: History,
    delays: Delays,
    min_us: u32,
    /// Up to [`FIRST_SAMPLES`].
    samples: u16,
}

impl Side {
    const NEW: Self = Self {
        chain: Chain::NONE,
        beside: Chain::NONE,
        before: [Chain::NONE; 2],
        adjacent: None,
        probe: None,
        adjacent_pending: None,
        probe_pending: None,
        raw: Sample::ZERO,
        silence_begin_ns: 0,
        silence_end_ns: 0,
        was_silent: false,
        close: Close::NONE,
        history: History::NONE,
        delays: Delays::NONE,
        min_us: u32::MAX,
        samples: 0,
    };

    /// Begin anew with a lattice.
    fn restart(&mut self) {
        self.chain = Chain {
            last: self.raw,
            ..Chain::NONE
        };
        self.close = Close::NONE;
        self.forget_counted();
        self.was_silent = false;
        self.delays.next = LEAD;
        self.history.restart();
    }

    fn forget_counted(&mut self) {
        self.adjacent = None;
        self.probe = None;
        self.adjacent_pending = None;
        self.probe_pending = None;
    }

    /// Whether the path has been silent, of samples that are kept, for so long that it matters no more
    /// for how long.
    fn is_silent(&self, lattice: &Lattice, time_ns: i64) -> bool {
        time_ns - self.chain.last.time_ns > LONGEST_STEPS * lattice.step_ns
    }

    /// How far the mean delay is above the delay at the start, µs.
    fn above_start_us(&self) -> i64 {
        i64::from(self.history.mean_us) - i64::from(self.delays.reference_us)
    }
}

/// Two paths of a connection, and whether they share a bottleneck.
///
/// A pair takes less than 17 KiB, and no call allocates. A call that judges takes 12 KiB of stack in a
/// release build.
///
/// ```
/// use smartsbd::{Pair, Path, Verdict};
///
/// let mut pair = Pair::new();
/// // Without ten samples of each path there is no round trip to measure by.
/// assert!(pair.on_rtt(Path::A, 1_000_000, 20_000).is_none());
/// assert_eq!(pair.verdict(), Verdict::Unknown);
/// ```
#[derive(Clone, Debug)]
pub struct Pair {
    lattice: Lattice,
    /// 0 before the first lattice, µs.
    min_rtt_us: u32,
    /// Since when both know the block that is waited for; None if they do not.
    complete_ns: Option<i64>,
    /// Since when both have a sample that is no older than that.
    settled_ns: Option<i64>,
    /// Blocks without anything, to be made up for.
    void_blocks: i64,
    void_run: u32,
    /// Blocks since sums began.
    age: u32,
    /// Blocks in which the fast sums contradict.
    contrary: u8,
    /// Silences, up to [`EXCISED_FROM`].
    ended_together: u8,
    rule: Rule,
    verdict: Verdict,
    score_q10: i32,
    cuts: Cuts,
    /// Samples before are excised.
    cut_to_ns: i64,
    sides: [Side; 2],
    waiting: [Waiting; WAITING],
    slow: Sums,
    fast: Sums,
}

impl Default for Pair {
    fn default() -> Self {
        Self::new()
    }
}

type Each<'a> = &'a mut dyn FnMut(&Judgement);

impl Pair {
    /// A pair without samples, of the default rule.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_rule(Rule::ALL)
    }

    /// A pair without samples.
    #[must_use]
    pub const fn with_rule(rule: Rule) -> Self {
        Self {
            lattice: Lattice::NONE,
            min_rtt_us: 0,
            complete_ns: None,
            settled_ns: None,
            void_blocks: 0,
            void_run: 0,
            age: 0,
            contrary: 0,
            ended_together: 0,
            rule,
            verdict: Verdict::Unknown,
            score_q10: 0,
            cuts: Cuts::NONE,
            cut_to_ns: i64::MIN,
            sides: [Side::NEW; 2],
            waiting: [Waiting::NONE; WAITING],
            slow: Sums::NONE,
            fast: Sums::NONE,
        }
    }

    /// What is known after the last judgement.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Natural logarithm of the odds that the pair shares a bottleneck, in 1/1024; 0 before the first
    /// judgement.
    #[must_use]
    pub const fn score_q10(&self) -> i32 {
        self.score_q10
    }

    /// Take an RTT sample, and return the judgement that it completes, if any.
    ///
    /// `now_ns` is of any clock that never runs backwards, in nanoseconds; an earlier time than the
    /// last counts as the last. `rtt_us` is in microseconds; 2^24 and more count as 2^24 - 1. Give
    /// every sample that there is, at least two in a round trip. If a sample completes several blocks,
    /// as after a silence, the last judgement is returned; [`Pair::on_rtt_each`] has all.
    pub fn on_rtt(&mut self, path: Path, now_ns: u64, rtt_us: u32) -> Option<Judgement> {
        let mut last = None;
        self.on_rtt_each(path, now_ns, rtt_us, |judgement| last = Some(*judgement));
        last
    }

    /// As [`Pair::on_rtt`], and call `each` with every judgement, in order of time.
    pub fn on_rtt_each(
        &mut self,
        path: Path,
        now_ns: u64,
        rtt_us: u32,
        mut each: impl FnMut(&Judgement),
    ) {
        let now = Sample {
            time_ns: self.monotonic_ns(now_ns),
            rtt_us: rtt_us.min(LIMIT_US),
        };
        self.accept(path as usize, now, &mut each);
    }

    /// Judge what is complete if no sample comes any more, as at the end of a connection.
    ///
    /// `now_ns` is as in [`Pair::on_rtt`]. Returns the last judgement, if there is any.
    pub fn finish(&mut self, now_ns: u64) -> Option<Judgement> {
        let mut last = None;
        self.finish_each(now_ns, |judgement| last = Some(*judgement));
        last
    }

    /// As [`Pair::finish`], and call `each` with every judgement, in order of time.
    pub fn finish_each(&mut self, now_ns: u64, mut each: impl FnMut(&Judgement)) {
        let time_ns = self.monotonic_ns(now_ns);
        if self.min_rtt_us != 0 {
            self.catch_up(time_ns, false, &mut each);
        }
    }

    fn monotonic_ns(&self, now_ns: u64) -> i64 {
        let last_ns = self.sides[0].raw.time_ns.max(self.sides[1].raw.time_ns);
        (now_ns.min(LATEST_NS) as i64).max(last_ns)
    }

    fn accept(&mut self, which: usize, now: Sample, each: Each<'_>) {
        let side = &mut self.sides[which];
        let before_ns = side.raw.time_ns;
        side.min_us = side.min_us.min(now.rtt_us);
        side.samples = (side.samples + 1).min(FIRST_SAMPLES);
        if self.min_rtt_us != 0 {
            self.catch_up(now.time_ns, true, each);
            self.end_silence_since(which, before_ns, now.time_ns);
            if now.time_ns >= self.cut_to_ns {
                self.take(which, now);
            }
        }
        self.note(which, now);
        if !self.is_outgrown() {
            return;
        }
        // What this sample completes is judged on the old lattice.
        if self.min_rtt_us != 0 {
            self.catch_up(now.time_ns, false, each);
        }
        self.start(now.time_ns);
        self.end_silence_since(which, before_ns, now.time_ns);
        self.take(which, now);
        self.note(which, now);
    }

    /// Note the sample itself, kept or not.
    fn note(&mut self, which: usize, now: Sample) {
        let [a, b] = &mut self.sides;
        let (side, other) = if which == 0 { (a, b) } else { (b, a) };
        side.raw = now;
        side.beside = other.chain;
        if other.raw.time_ns == now.time_ns {
            other.beside = side.chain;
        }
    }

    /// The larger of both smallest RTTs so far, µs.
    fn larger_min_us(&self) -> u32 {
        self.sides[0].min_us.max(self.sides[1].min_us).min(CAP_US)
    }

    /// Whether a new lattice has to begin: there is none, or both paths' round trips have turned out to
    /// be much shorter.
    fn is_outgrown(&self) -> bool {
        self.sides.iter().all(|side| side.samples >= FIRST_SAMPLES)
            && (self.min_rtt_us == 0 || 10 * self.larger_min_us() < 7 * self.min_rtt_us)
    }

    /// Begin a lattice at a sample's time.
    fn start(&mut self, time_ns: i64) {
        self.min_rtt_us = self.larger_min_us().max(1);
        self.lattice = Lattice {
            start_ns: time_ns,
            step_ns: i64::from(self.min_rtt_us) * 1000 / STEPS_PER_RTT as i64,
            number: 0,
        };
        self.complete_ns = None;
        self.void_blocks = 0;
        self.void_run = 0;
        self.ended_together = 0;
        self.cuts = Cuts::NONE;
        self.cut_to_ns = i64::MIN;
        self.waiting = [Waiting::NONE; WAITING];
        self.forget_sums();
        for side in &mut self.sides {
            side.restart();
        }
        self.sides[0].beside = self.sides[1].chain;
        self.sides[1].beside = self.sides[0].chain;
    }

    fn forget_sums(&mut self) {
        self.slow = Sums::NONE;
        self.fast = Sums::NONE;
        self.age = 0;
        self.contrary = 0;
    }

    // ---- samples that are kept

    fn counting(&mut self) -> Counting<'_> {
        Counting {
            waiting: &mut self.waiting,
            lattice: self.lattice,
            from_us: [
                self.sides[0].delays.reference_us,
                self.sides[1].delays.reference_us,
            ],
        }
    }

    fn count_adjacent(&mut self, which: usize, counted: Counted) {
        self.sides[which].adjacent = Some(counted);
        self.counting().adjacent(which, &counted, 1);
    }

    fn count_probe(&mut self, which: usize, counted: Counted) {
        self.sides[which].probe = Some(counted);
        self.counting().probe(which, &counted, 1);
    }

    /// Take a sample that is kept.
    fn take(&mut self, which: usize, now: Sample) {
        self.fill(which, now);
        self.cross(which, now);
        self.adjoin(which, now);
        self.probe(which, now);
        let side = &mut self.sides[which];
        let last = side.chain.last;
        if side.chain.has_last && now.time_ns - last.time_ns <= CLOSE_STEPS * self.lattice.step_ns {
            side.close
                .count(last.rtt_us, now.rtt_us, side.delays.reference_us);
        }
        side.chain.last = now;
        side.chain.has_last = true;
    }

    fn fill(&mut self, which: usize, now: Sample) {
        let side = &mut self.sides[which];
        side.delays
            .fill(&self.lattice, &self.cuts, side.chain.last, now);
    }

    /// A sample may be what lies between two of the other path that end at its very time, or behind its
    /// probe.
    fn cross(&mut self, which: usize, now: Sample) {
        let other = 1 - which;
        let at_once = |counted: &mut Counted| counted.time_ns == now.time_ns;
        if let Some(counted) = self.sides[other].adjacent_pending.take_if(at_once) {
            self.count_adjacent(other, counted);
        }
        if let Some(mut counted) = self.sides[other].probe_pending.take_if(at_once) {
            counted.delay_us[CROSSING] = now.rtt_us;
            self.count_probe(other, counted);
        }
        let chain = &mut self.sides[other].chain;
        if chain.crossing.is_none() && chain.probe.is_some_and(|probe| now.time_ns > probe.time_ns)
        {
            chain.crossing = Some(now);
        }
    }

    /// Count a sample with the sample before, if the other path has a sample between.
    fn adjoin(&mut self, which: usize, now: Sample) {
        let Chain { last, has_last, .. } = self.sides[which].chain;
        if !has_last || now.time_ns == last.time_ns {
            return;
        }
        let counted = Counted {
            time_ns: now.time_ns,
            delay_us: [last.rtt_us, 0, now.rtt_us],
        };
        if self.sides[1 - which].chain.last.time_ns > last.time_ns {
            self.sides[which].adjacent_pending = None;
            self.count_adjacent(which, counted);
        } else {
            self.sides[which].adjacent_pending = Some(counted);
        }
    }

    /// A sample is a probe if it is the first of half a round trip.
    fn probe(&mut self, which: usize, now: Sample) {
        let slot_ns = SLOT_STEPS * self.lattice.step_ns;
        let Chain {
            probe, crossing, ..
        } = self.sides[which].chain;
        if let Some(probe) = probe {
            let since_ns = now.time_ns - probe.time_ns;
            let in_slot_ns = || (probe.time_ns - self.lattice.start_ns) % slot_ns;
            if since_ns < slot_ns && in_slot_ns() + since_ns < slot_ns {
                return;
            }
        }
        self.sides[which].probe_pending = None;
        let counted = probe.map(|probe| Counted {
            time_ns: now.time_ns,
            delay_us: [
                probe.rtt_us,
                crossing.map_or(0, |crossing| crossing.rtt_us),
                now.rtt_us,
            ],
        });
        match (counted, crossing) {
            (Some(counted), Some(_)) => self.count_probe(which, counted),
            (counted, _) => self.sides[which].probe_pending = counted,
        }
        let chain = &mut self.sides[which].chain;
        chain.probe = Some(now);
        chain.crossing = None;
    }

    // ---- silences that end together

    fn end_silence_since(&mut self, which: usize, begin_ns: i64, time_ns: i64) {
        if time_ns - begin_ns <= SILENT_STEPS * self.lattice.step_ns {
            return;
        }
        let other = &self.sides[1 - which];
        let together =
            other.was_silent && time_ns - other.silence_end_ns <= self.lattice.step_ns / 2;
        let side = &mut self.sides[which];
        side.before = [side.chain, side.beside];
        if together {
            self.excise(which, begin_ns, time_ns);
        }
        let side = &mut self.sides[which];
        side.was_silent = true;
        side.silence_begin_ns = begin_ns;
        side.silence_end_ns = time_ns;
    }

    /// Silences of both that end together, again and again, are a stall that both meet: not a queue.
    ///
    /// What was sampled from where the earlier one began up to a round trip after the end is left out.
    /// Here the second of them ends.
    fn excise(&mut self, which: usize, begin_ns: i64, time_ns: i64) {
        let other = 1 - which;
        self.ended_together = (self.ended_together + 1).min(EXCISED_FROM);
        if self.ended_together < EXCISED_FROM {
            return;
        }
        let mut from_ns = begin_ns;
        if self.sides[other].silence_begin_ns <= begin_ns {
            let [chain, beside] = self.sides[other].before;
            from_ns = self.sides[other].silence_begin_ns;
            self.sides[other].chain = chain;
            self.sides[which].chain = beside;
        } else {
            self.sides[other].chain = self.sides[which].beside;
        }
        self.go_back(0, from_ns);
        self.go_back(1, from_ns);
        self.cut_to_ns = time_ns + EXCISED_STEPS * self.lattice.step_ns;
        self.cuts.add(from_ns, self.cut_to_ns);
        self.sides[which].beside = self.sides[other].chain;
        self.sides[other].beside = self.sides[which].chain;
        self.complete_ns = None;
    }

    /// Forget what a path's samples after a time say; steps after are known anew when the next sample
    /// that is kept comes.
    fn go_back(&mut self, which: usize, from_ns: i64) {
        let is_after = |counted: &Counted| counted.time_ns > from_ns;
        if let Some(counted) = self.sides[which].adjacent.filter(is_after) {
            self.counting().adjacent(which, &counted, -1);
        }
        if let Some(counted) = self.sides[which].probe.filter(is_after) {
            self.counting().probe(which, &counted, -1);
        }
        let since_ns = self.sides[which].chain.last.time_ns - self.lattice.first_ns();
        // What was judged stays.
        let known = (since_ns / self.lattice.step_ns + 1).max(LEAD as i64);
        let side = &mut self.sides[which];
        side.chain
            .crossing
            .take_if(|crossing| crossing.time_ns > from_ns);
        side.forget_counted();
        side.delays.next = side.delays.next.min(known.min(WINDOW as i64) as usize);
    }

    // ---- blocks

    /// Judge blocks that both paths' samples before a time have completed.
    ///
    /// While others may follow, each must have a sample that is no older than that which completed the
    /// block, and be half a step further: by then no silences can turn out to have ended together that
    /// would have samples excised by which the block is known. That is waited for as long as the window
    /// has room.
    fn catch_up(&mut self, time_ns: i64, others_follow: bool, each: Each<'_>) {
        loop {
            let end_ns = self.lattice.end_ns();
            let (mut latest_ns, mut earliest_ns) = (end_ns, i64::MAX);
            let mut fallen_silent = 0;
            for which in 0..2 {
                let is_silent = self.sides[which].is_silent(&self.lattice, time_ns);
                let last = self.sides[which].chain.last;
                if last.time_ns >= end_ns {
                    latest_ns = latest_ns.max(last.time_ns);
                    if !is_silent {
                        earliest_ns = earliest_ns.min(last.time_ns);
                    }
                    continue;
                }
                if time_ns < end_ns || !is_silent {
                    return;
                }
                let rtt_us = last.rtt_us;
                self.fill(which, Sample { time_ns, rtt_us });
                fallen_silent += 1;
            }
            if self.complete_ns.is_none() {
                self.settled_ns = None;
            }
            let complete_ns = *self.complete_ns.get_or_insert(latest_ns);
            if self.settled_ns.is_none() && earliest_ns >= complete_ns {
                self.settled_ns = Some(latest_ns);
            }
            let has_room = time_ns <= end_ns + LONGEST_STEPS * self.lattice.step_ns;
            let is_settled = self
                .settled_ns
                .is_some_and(|settled_ns| time_ns > settled_ns + self.lattice.step_ns / 2);
            if others_follow && has_room && !is_settled {
                return;
            }
            self.judge_block(fallen_silent > 0, each);
            self.go_on();
            if fallen_silent == 2 && self.void_run >= FORGOTTEN {
                self.skip(time_ns);
            }
        }
    }

    /// Judge a block; without anything in it, only unless a path has long been silent.
    ///
    /// By itself, so that only calls that judge take its stack.
    #[inline(never)]
    fn judge_block(&mut self, any_silent: bool, each: Each<'_>) {
        let (block, any) = self.read();
        if any || !any_silent {
            self.void_run = 0;
            // Make up for blocks without anything first.
            for _ in 0..core::mem::take(&mut self.void_blocks) {
                self.pass(None);
                self.judge(each);
            }
            self.pass(Some(&block));
            self.judge(each);
        } else {
            self.note_void(1);
            self.void_run += 1;
        }
    }

    /// What the block that is known says, and whether anything was counted.
    fn read(&mut self) -> (Block, bool) {
        let number = self.lattice.number;
        let earlier_us = self
            .sides
            .each_ref()
            .map(|side| (number != 0).then_some(side.history.mean_us));
        let signs = self
            .sides
            .each_mut()
            .map(|side| side.history.sign(&side.delays, number));
        let mut agreed = [Agreed::NONE; LAGS];
        let any_agreed = correlogram(&signs[0], &signs[1], &mut agreed);
        let [a, b] = &self.sides;
        let means = [(a, earlier_us[0]), (b, earlier_us[1])].map(|(side, earlier_us)| Means {
            mean_us: side.history.mean_us,
            earlier_us,
        });
        let (levels, any_level) = Levels::new([&a.delays.point, &b.delays.point], means);
        let waiting = &self.waiting[number as usize % WAITING];
        let (samples, any_sample) = waiting.samples([a.above_start_us(), b.above_start_us()]);
        let block = Block {
            levels,
            samples,
            agreed,
        };
        (block, any_agreed || any_level || any_sample)
    }

    /// Let sums fade for a block, and add what it says; None for a block without anything.
    fn pass(&mut self, block: Option<&Block>) {
        self.slow.pass(block, SLOW_LOSS);
        self.fast.pass(block, FAST_LOSS);
        for side in &mut self.sides {
            side.close.fade(SLOW_LOSS.into());
        }
        self.age = self.age.saturating_add(1);
    }

    /// Judge by the sums as they are.
    fn judge(&mut self, each: Each<'_>) {
        let mut evidence = Evidence::without_lags(&self.slow).with_lags(&self.slow);
        let mut score_q10 = evidence.score_q10();
        if self.rule.flips && self.age >= FLIP_AGE {
            let contrary = self.contradicting(score_q10);
            self.contrary = contrary.map_or(0, |_| self.contrary + 1);
            if let Some(recent) = contrary.filter(|_| self.contrary >= FLIP_BLOCKS) {
                self.slow = self.fast.clone();
                self.age = FLIPPED_AGE;
                self.contrary = 0;
                evidence = recent;
                score_q10 = recent.score_q10();
            }
        }
        self.score_q10 = score_q10;
        let has_gone = self.rule.needs_queues && self.look(&mut evidence);
        let shows_queues = evidence.queues[0] && evidence.queues[1];
        if self.rule.needs_queues && !shows_queues {
            self.verdict = Verdict::NoQueue;
        } else if evidence.speaks() && score_q10.abs() > least_score_q10(self.age) {
            self.verdict = if score_q10 > 0 {
                Verdict::Shared
            } else {
                Verdict::Apart
            };
        } else if !self.rule.holds || self.verdict == Verdict::NoQueue {
            self.verdict = Verdict::Unknown;
        }
        each(&Judgement {
            verdict: self.verdict,
            score_q10,
            age: self.age,
            evidence,
        });
        // Sums would tell for long of a queue that has gone.
        if has_gone {
            self.forget_sums();
        }
    }

    /// What recent blocks say, if it contradicts what all of them say.
    fn contradicting(&self, score_q10: i32) -> Option<Evidence> {
        let recent = Evidence::without_lags(&self.fast);
        // If their lags said as much against it as any may: what they do say takes longest.
        let extreme = Evidence {
            lag_q10: Some(if score_q10 > 0 { i32::MIN } else { i32::MAX }),
            ..recent
        };
        if recent.samples < LEAST_SAMPLES || !contradicts(extreme.score_q10(), score_q10) {
            return None;
        }
        let recent = recent.with_lags(&self.fast);
        contradicts(recent.score_q10(), score_q10).then_some(recent)
    }

    /// Note of each path whether it shows a sign of a queue; return whether a queue has gone.
    fn look(&self, evidence: &mut Evidence) -> bool {
        let mut has_gone = false;
        for (which, side) in self.sides.iter().enumerate() {
            let probes = &self.slow.samples.probes[which];
            let queue = Queue::new(side.history.mean_us, side.min_us, probes);
            evidence.queues[which] = queue.shows(&side.close, probes, evidence.memory_q10[which]);
            has_gone |= queue.has_gone(probes);
        }
        has_gone
    }

    fn note_void(&mut self, blocks: i64) {
        self.void_blocks = (self.void_blocks + blocks).clamp(0, MOST_VOID);
    }

    /// Wait for the next block.
    fn go_on(&mut self) {
        self.waiting[self.lattice.number as usize % WAITING] = Waiting::NONE;
        for side in &mut self.sides {
            side.delays.go_on();
        }
        self.lattice.number += 1;
        self.complete_ns = None;
    }

    /// Let blocks go by in which both paths are silent, when nothing earlier is compared any more.
    fn skip(&mut self, time_ns: i64) {
        let blocks = (time_ns - self.lattice.end_ns()) / self.lattice.block_ns();
        if blocks <= 0 {
            return;
        }
        self.note_void(blocks);
        self.lattice.number += blocks;
        // Steps from that time on are not known.
        let known = (time_ns - self.lattice.first_ns() - 1) / self.lattice.step_ns + 1;
        for side in &mut self.sides {
            side.delays.next = side.delays.next.min(known as usize);
        }
    }
}

/// The least score, Q10, with which there is a verdict, so many blocks after the sums began.
fn least_score_q10(age: u32) -> i32 {
    match age {
        0 | 1 => 2560,
        2 => 1536,
        3 => 1024,
        4 => 768,
        _ => 512,
    }
}

/// Whether recent blocks contradict what all of them say.
fn contradicts(recent_q10: i32, score_q10: i32) -> bool {
    (recent_q10 > 0) != (score_q10 > 0) && recent_q10.abs() > FLIP_Q10
}
