// SPDX-License-Identifier: GPL-2.0-only
//! What checks were given, taken out of the kernel as lines, so that they can be judged again.

use std::io::{self, Write as _};

use libbpf_rs::RingBufferBuilder;

use crate::instances;
use crate::kernel;
use crate::told::{CHECK_STATES, CheckEvent};

/// The map, and its size where checks are logged.
pub const LOG: &str = "check_log";
pub const LOG_BYTES: u32 = 1 << 23;

/// An event as a line: connection, places of the subflows, what it is.
fn line(event: &CheckEvent) -> String {
    let [earlier, later] = event.subflow;
    let head = format!("{:08x} {earlier} {later}", event.token);
    let (time_ns, value) = (event.time_ns, event.value);
    match event.kind {
        0 => format!("{head} begin {time_ns} {value}"),
        1 => format!(
            "{head} end {time_ns} {}",
            CHECK_STATES
                .get(value as usize)
                .copied()
                .unwrap_or("unknown")
        ),
        2 | 3 => format!(
            "{head} symbol {} {} {} {time_ns} {}",
            event.kind - 2,
            event.begin_ns,
            event.middle_ns,
            value as u8 as i8
        ),
        kind => format!("{head} rtt {} {time_ns} {value}", kind.saturating_sub(4)),
    }
}

/// Print what waits, and take it out.
pub fn print() -> Result<(), String> {
    kernel::check_rights()?;
    let instance = instances::registered().ok_or("the controllers are not loaded")?;
    let log = instance.map(LOG)?;
    let mut lines = String::new();
    let mut builder = RingBufferBuilder::new();
    builder
        .add(&log, |bytes| {
            if let Some(event) = CheckEvent::of(bytes) {
                lines += &line(&event);
                lines.push('\n');
            }
            0
        })
        .map_err(|error| error.to_string())?;
    let ring = builder.build().map_err(|error| error.to_string())?;
    ring.consume().map_err(|error| error.to_string())?;
    drop(ring);
    io::stdout()
        .write_all(lines.as_bytes())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: u8, value: u32) -> CheckEvent {
        CheckEvent {
            time_ns: 30,
            begin_ns: 10,
            middle_ns: 20,
            token: 0xab,
            value,
            subflow: [0, 1],
            kind,
        }
    }

    #[test]
    fn each_event_is_a_line() {
        for (kind, value, what) in [
            (0, 40_000, "begin 30 40000"),
            (1, 2, "end 30 apart"),
            (2, 253, "symbol 0 10 20 30 -3"),
            (3, 3, "symbol 1 10 20 30 3"),
            (4, 900, "rtt 0 30 900"),
            (5, 901, "rtt 1 30 901"),
        ] {
            assert_eq!(line(&event(kind, value)), format!("000000ab 0 1 {what}"));
        }
    }
}
