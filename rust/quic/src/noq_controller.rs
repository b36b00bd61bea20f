// SPDX-License-Identifier: MIT

//! A congestion controller for noq, of which a connection has several paths.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use noq::congestion::{Controller, ControllerFactory};
use noq_proto::RttEstimator;

use crate::coupled_paths::CoupledPaths;
use crate::path_window::PathWindow;

/// Makes the controllers of one connection's paths.
///
/// noq does not say of which path a controller is: they are numbered as paths are opened.
pub struct PathsFactory {
    paths: Arc<CoupledPaths>,
    opened: AtomicUsize,
}

impl PathsFactory {
    /// No path is open yet.
    #[must_use]
    pub fn new(paths: Arc<CoupledPaths>) -> Self {
        let opened = AtomicUsize::new(0);
        Self { paths, opened }
    }
}

impl ControllerFactory for PathsFactory {
    fn build(self: Arc<Self>, _now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let path = self.opened.fetch_add(1, Ordering::Relaxed);
        let window = PathWindow::new(self.paths.clone(), path, current_mtu);
        Box::new(CoupledController(window))
    }
}

/// The controller of one path.
#[derive(Clone, Debug)]
pub struct CoupledController(PathWindow);

impl Controller for CoupledController {
    fn on_ack(
        &mut self,
        _now: Instant,
        sent: Instant,
        bytes: u64,
        _pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.0.on_ack(sent, bytes, app_limited, rtt.get());
    }

    fn on_end_acks(&mut self, now: Instant, _: u64, _: bool, _: Option<u64>) {
        self.0.on_end_acks(now);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent: bool,
        _is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        self.0.on_congestion(now, sent, is_persistent);
    }

    fn on_packet_lost(&mut self, _lost_bytes: u16, pn: u64, now: Instant) {
        self.0.on_lost(now, pn);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.0.on_packet_bytes(new_mtu);
    }

    fn window(&self) -> u64 {
        self.0.window()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.0.first_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
