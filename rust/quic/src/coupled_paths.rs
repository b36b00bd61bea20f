// SPDX-License-Identifier: MIT

//! What the controllers of two paths hold together: the detector, the coupling, and a log.

use std::io;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use smartsbd::{Coupling, Mode, Pair, Path, Verdict, Window};

use crate::event_log::EventLog;

/// How many paths are judged.
pub const PATHS: usize = 2;
/// Round trips of two of the detector's windows.
const VALID_RTTS: u64 = 100;
const LEAST_VALID_NS: u64 = 1_000_000_000;

/// Two paths of one sender; their controllers share it in an `Arc`.
pub struct CoupledPaths {
    begin: Instant,
    state: Mutex<State>,
}

struct State {
    pair: Pair,
    coupling: Coupling<PATHS>,
    windows: [Window; PATHS],
    acked_bytes: [u64; PATHS],
    now_ns: u64,
    /// Of the last RTT sample.
    sampled_ns: u64,
    /// Of the last judgement that coupling knows.
    judged_ns: Option<u64>,
    judgements: u64,
    log: Option<EventLog>,
}

impl CoupledPaths {
    /// Paths of which nothing is known, and where their events go.
    #[must_use]
    pub fn new(mode: Mode, log: Option<EventLog>) -> Self {
        Self {
            begin: Instant::now(),
            state: Mutex::new(State {
                pair: Pair::new(),
                coupling: Coupling::new(mode),
                windows: [Window::default(); PATHS],
                acked_bytes: [0; PATHS],
                now_ns: 0,
                sampled_ns: 0,
                judged_ns: None,
                judgements: 0,
                log,
            }),
        }
    }

    /// Take an RTT sample of a path; `srtt` is its smoothed RTT, `window` its window in bytes.
    pub(crate) fn on_rtt(
        &self,
        path: usize,
        now: Instant,
        rtt: Duration,
        srtt: Duration,
        window: u64,
    ) {
        let (now_ns, mut state) = self.at(now);
        // Packets that are read together have one time. A reader of the log could not tell which
        // sample was judged first.
        let now_ns = now_ns.max(state.sampled_ns + 1);
        state.now_ns = now_ns;
        state.sampled_ns = now_ns;
        let State {
            pair,
            coupling,
            log,
            judged_ns,
            judgements,
            ..
        } = &mut *state;
        let (rtt_us, srtt_us) = (in_us(rtt), in_us(srtt));
        if let Some(log) = log {
            log.metrics(now_ns, path, rtt_us, srtt_us, window);
        }
        pair.on_rtt_each([Path::A, Path::B][path], now_ns, rtt_us, |judgement| {
            coupling.note(0, 1, judgement.verdict, judgement.score_q10);
            *judged_ns = Some(now_ns);
            *judgements += 1;
            if let Some(log) = log {
                log.judgement(now_ns, judgement);
            }
        });
        let valid_ns = LEAST_VALID_NS.max(VALID_RTTS * 1_000 * u64::from(srtt_us));
        if judged_ns.is_some_and(|judged_ns| now_ns - judged_ns > valid_ns) {
            coupling.note(0, 1, Verdict::NoQueue, 0);
            *judged_ns = None;
        }
    }

    /// By how many bytes a path's window may grow for what is acknowledged.
    pub(crate) fn growth(&self, path: usize, acked_bytes: u32) -> u32 {
        let state = &mut *self.state();
        state.coupling.on_ack(path, acked_bytes, &state.windows)
    }

    /// Note a path's window, in segments, and what was acknowledged.
    pub(crate) fn note(&self, path: usize, window: Window, acked_bytes: u64) {
        let mut state = self.state();
        state.windows[path] = window;
        state.acked_bytes[path] += acked_bytes;
    }

    pub(crate) fn on_state(&self, path: usize, now: Instant, name: &str) {
        let (now_ns, mut state) = self.at(now);
        if let Some(log) = &mut state.log {
            log.state(now_ns, path, name);
        }
    }

    pub(crate) fn on_lost(&self, path: usize, now: Instant, packet_number: u64) {
        let (now_ns, mut state) = self.at(now);
        if let Some(log) = &mut state.log {
            log.lost(now_ns, path, packet_number);
        }
    }

    /// Judge what is complete at the end, write the log out, and say what became of the paths.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn finish(&self) -> io::Result<Outcome> {
        let mut state = self.state();
        let State {
            pair,
            log,
            sampled_ns,
            judgements,
            ..
        } = &mut *state;
        pair.finish_each(*sampled_ns, |judgement| {
            *judgements += 1;
            if let Some(log) = log {
                log.judgement(*sampled_ns, judgement);
            }
        });
        if let Some(log) = log {
            log.flush()?;
        }
        Ok(Outcome {
            acked_bytes: state.acked_bytes,
            judgements: state.judgements,
            verdict: state.pair.verdict(),
            score_q10: state.pair.score_q10(),
        })
    }

    /// Time since the beginning, never before an earlier call's.
    fn at(&self, now: Instant) -> (u64, MutexGuard<'_, State>) {
        let mut state = self.state();
        let since_ns = now.saturating_duration_since(self.begin).as_nanos();
        state.now_ns = state
            .now_ns
            .max(u64::try_from(since_ns).unwrap_or(u64::MAX));
        (state.now_ns, state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("no controller panics while it holds the lock")
    }
}

impl std::fmt::Debug for CoupledPaths {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("CoupledPaths").finish_non_exhaustive()
    }
}

/// What became of two paths.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Of each path, in packets that were acknowledged.
    pub acked_bytes: [u64; PATHS],
    /// How many judgements there were.
    pub judgements: u64,
    /// The last verdict.
    pub verdict: Verdict,
    /// Natural logarithm of the odds that the paths share, in 1/1024.
    pub score_q10: i32,
}

fn in_us(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("nobody panics").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn samples_that_are_read_together_are_logged_in_the_order_in_which_they_are_judged() {
        let kept = Kept::default();
        let log = EventLog::new(Box::new(kept.clone()));
        let paths = CoupledPaths::new(Mode::Verdicts, Some(log));
        let (now, rtt) = (Instant::now(), Duration::from_millis(20));
        for path in [1, 0, 1] {
            paths.on_rtt(path, now, rtt, rtt, 12_000);
        }
        paths.finish().expect("memory takes it");
        let text = String::from_utf8(kept.0.lock().expect("nobody panics").clone()).expect("ASCII");
        let times: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once(r#"{"time":"#)?.1.split_once(','))
            .map(|(time, _)| time)
            .collect();
        assert_eq!(times.len(), 3);
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    }
}
