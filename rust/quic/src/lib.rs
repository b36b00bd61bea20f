// SPDX-License-Identifier: MIT

#![doc = include_str!("../README.md")]

pub mod coupled_paths;
pub mod event_log;
pub mod noq_controller;
pub mod path_window;
pub mod quinn_controller;
