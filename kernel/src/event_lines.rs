// SPDX-License-Identifier: GPL-2.0-only
//! Event lines, as docs/formats.md has them, with comments between them that a parser counts as other lines.

use std::fmt::Write as _;
use std::io;

use crate::event::Event;
use crate::parts::Parts;
use crate::subflows::{Change, Subflows};

/// Before each record; with it a log may hold other lines.
const MARKER: &str = "smartsbd: ";
const COMMENT: &str = "# sbd record: ";

pub struct EventLines {
    parts: Parts,
    heading: String,
    line: String,
}

impl EventLines {
    pub fn new(parts: Parts, heading: String) -> io::Result<EventLines> {
        let mut own = EventLines {
            parts,
            heading,
            line: String::new(),
        };
        own.head()?;
        Ok(own)
    }

    fn head(&mut self) -> io::Result<()> {
        let heading = format!("{COMMENT}{}", self.heading);
        self.parts.line(&heading)
    }

    fn record(&mut self, event: &Event, subflow: u32, kind: &str, value: u32) -> io::Result<()> {
        self.line.clear();
        let _ = write!(
            self.line,
            "{MARKER}{} C={:x} SF={subflow} V={kind} {value}",
            event.time_ns, event.token
        );
        self.parts.line(&self.line)
    }

    /// An ACK stands before the sample that belongs to it, a state before what follows from it.
    pub fn take(&mut self, event: &Event, change: &Change) -> io::Result<()> {
        let subflow = change.subflow;
        if let (true, Some((local, remote))) = (change.begins, event.ends) {
            let ends = format!(
                "{COMMENT}C={:x} SF={subflow} is {local} > {remote}",
                event.token
            );
            self.parts.line(&ends)?;
        }
        if change.new_state {
            self.record(event, subflow, "CA", event.ca_state.into())?;
        }
        if change.sent_again > 0 {
            self.record(event, subflow, "RTX", change.sent_again)?;
        }
        if change.advanced {
            self.record(event, subflow, "UNA", event.snd_una)?;
        }
        if event.rtt_us > 0 {
            self.record(event, subflow, "RTT", event.rtt_us)?;
        }
        Ok(())
    }

    /// Say where events are missing, in words that a parser counts as a gap.
    pub fn lost(&mut self, events: u64) -> io::Result<()> {
        let line = format!("{COMMENT}{events} messages dropped, the ring buffer was full");
        self.parts.line(&line)
    }

    pub fn turn(&mut self, subflows: &mut Subflows) -> io::Result<()> {
        if self.parts.turn()? {
            subflows.begin_part();
            self.head()?;
        }
        self.parts.flush()
    }

    /// Say in the log's last line what was recorded and what is missing.
    pub fn end(&mut self, summary: &str) -> io::Result<()> {
        let line = format!("{COMMENT}{summary}");
        self.parts.line(&line)?;
        self.parts.flush()
    }

    pub fn removed(&self) -> u64 {
        self.parts.removed
    }
}
