// SPDX-License-Identifier: MIT

//! The window of one path: Reno's, except that coupling says how fast it grows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smartsbd::Window;

use crate::coupled_paths::{CoupledPaths, PATHS};

/// Packets of the first window (RFC 9002, section 7.2).
const FIRST_PACKETS: u64 = 10;
const LEAST_PACKETS: u64 = 2;

/// What a congestion controller of any stack needs of a path.
#[derive(Clone, Debug)]
pub struct PathWindow {
    paths: Arc<CoupledPaths>,
    path: usize,
    packet_bytes: u64,
    window: u64,
    ssthresh: u64,
    recovery_begin: Option<Instant>,
    srtt: Duration,
    /// When the last packet that gave an RTT was sent.
    sampled: Option<Instant>,
    /// When the newest of the packets that are now acknowledged was sent.
    newest: Option<Instant>,
}

impl PathWindow {
    /// A path, by its number, below [`PATHS`], or a higher one: that is by itself and not judged.
    #[must_use]
    pub fn new(paths: Arc<CoupledPaths>, path: usize, packet_bytes: u16) -> Self {
        let packet_bytes = u64::from(packet_bytes);
        Self {
            paths,
            path,
            packet_bytes,
            window: FIRST_PACKETS * packet_bytes,
            ssthresh: u64::MAX,
            recovery_begin: None,
            srtt: Duration::ZERO,
            sampled: None,
            newest: None,
        }
    }

    /// A packet was acknowledged; `srtt` is the smoothed RTT.
    pub fn on_ack(&mut self, sent: Instant, bytes: u64, app_limited: bool, srtt: Duration) {
        self.newest = self.newest.max(Some(sent));
        self.srtt = srtt;
        if self.is_coupled() {
            let cwnd = u32::try_from(self.window / self.packet_bytes).unwrap_or(u32::MAX);
            let srtt_us = u32::try_from(srtt.as_micros()).unwrap_or(u32::MAX);
            self.paths
                .note(self.path, Window::new(cwnd, srtt_us), bytes);
        }
        if app_limited || Some(sent) <= self.recovery_begin {
            return;
        }
        self.window += if self.window < self.ssthresh {
            bytes
        } else if self.is_coupled() {
            let acked_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            self.paths.growth(self.path, acked_bytes).into()
        } else {
            bytes * self.packet_bytes / self.window
        };
    }

    /// All packets that an ACK acknowledges have been given: the newest of them has the RTT.
    pub fn on_end_acks(&mut self, now: Instant) {
        let Some(sent) = self.newest.take().filter(|&sent| Some(sent) > self.sampled) else {
            return;
        };
        let rtt = now.saturating_duration_since(sent);
        if self.sampled.replace(sent).is_none() {
            // Until now it was what the stack begins with.
            self.srtt = rtt;
        }
        if self.is_coupled() {
            self.paths
                .on_rtt(self.path, now, rtt, self.srtt, self.window);
        }
    }

    /// Packets were lost or marked, of which the newest was sent at `sent`.
    pub fn on_congestion(&mut self, now: Instant, sent: Instant, is_persistent: bool) {
        if Some(sent) <= self.recovery_begin {
            return;
        }
        self.recovery_begin = Some(now);
        self.window = (self.window / 2).max(LEAST_PACKETS * self.packet_bytes);
        self.ssthresh = self.window;
        if is_persistent {
            self.window = LEAST_PACKETS * self.packet_bytes;
        }
        if self.is_coupled() {
            self.paths.on_state(self.path, now, "recovery");
        }
    }

    /// A packet was lost.
    pub fn on_lost(&self, now: Instant, packet_number: u64) {
        if self.is_coupled() {
            self.paths.on_lost(self.path, now, packet_number);
        }
    }

    /// Packets have another size from here on.
    pub fn on_packet_bytes(&mut self, packet_bytes: u16) {
        self.packet_bytes = packet_bytes.into();
        self.window = self.window.max(LEAST_PACKETS * self.packet_bytes);
    }

    /// How much may be in flight, bytes.
    #[must_use]
    pub fn window(&self) -> u64 {
        self.window
    }

    /// How much may be in flight at first, bytes.
    #[must_use]
    pub fn first_window(&self) -> u64 {
        FIRST_PACKETS * self.packet_bytes
    }

    fn is_coupled(&self) -> bool {
        self.path < PATHS
    }
}
