// SPDX-License-Identifier: MIT

//! A congestion controller for quinn, of which each path is a connection.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn::congestion::{Controller, ControllerFactory};
use quinn_proto::RttEstimator;

use crate::coupled_paths::CoupledPaths;
use crate::path_window::PathWindow;

/// Makes the controller of the connection over one path.
pub struct PathFactory {
    /// What both connections share.
    pub paths: Arc<CoupledPaths>,
    /// Which path it is, from 0.
    pub path: usize,
}

impl ControllerFactory for PathFactory {
    fn build(self: Arc<Self>, _now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let window = PathWindow::new(self.paths.clone(), self.path, current_mtu);
        Box::new(CoupledController(window))
    }
}

/// The controller of one connection.
#[derive(Clone, Debug)]
pub struct CoupledController(PathWindow);

impl Controller for CoupledController {
    fn on_ack(
        &mut self,
        _now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.0.on_ack(sent, bytes, app_limited, rtt.get());
    }

    fn on_end_acks(&mut self, now: Instant, _: u64, _: bool, _: Option<u64>) {
        self.0.on_end_acks(now);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent: bool, _: u64) {
        self.0.on_congestion(now, sent, is_persistent);
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
