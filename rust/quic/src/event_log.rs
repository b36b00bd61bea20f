// SPDX-License-Identifier: MIT

//! A qlog of the final schema, as JSON text sequences: what `sbd detect` reads.

use std::io::{self, Write};

use smartsbd::{Judgement, Verdict};

/// Before each record (RFC 7464).
const RECORD: &str = "\u{1e}";

/// Writes events as they come; the first error is kept until [`EventLog::flush`].
pub struct EventLog {
    out: Box<dyn Write + Send>,
    error: Option<io::Error>,
}

impl EventLog {
    /// Begin a log with its header.
    #[must_use]
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        let mut log = Self { out, error: None };
        log.write(concat!(
            r#"{"file_schema":"urn:ietf:params:qlog:file:sequential","#,
            r#""serialization_format":"application/qlog+json-seq","title":"smartsbd-quic","#,
            r#""trace":{"vantage_point":{"type":"client"},"#,
            r#""event_schemas":["urn:ietf:params:qlog:events:quic","urn:smartsbd:qlog:events:verdicts"],"#,
            r#""common_fields":{"time_format":"relative_to_epoch","#,
            r#""reference_time":{"clock_type":"monotonic","epoch":"unknown"}}}}"#,
        ));
        log
    }

    /// An RTT sample, with the smoothed RTT and the window after it.
    pub fn metrics(&mut self, now_ns: u64, path: usize, rtt_us: u32, srtt_us: u32, window: u64) {
        let data = format!(
            r#"{{"latest_rtt":{},"smoothed_rtt":{},"congestion_window":{window}}}"#,
            Ms(u64::from(rtt_us) * 1_000),
            Ms(u64::from(srtt_us) * 1_000),
        );
        self.event(now_ns, path, "quic:recovery_metrics_updated", &data);
    }

    /// The state of a path's controller.
    pub fn state(&mut self, now_ns: u64, path: usize, state: &str) {
        let data = format!(r#"{{"new":"{state}"}}"#);
        self.event(now_ns, path, "quic:congestion_state_updated", &data);
    }

    /// A packet that is taken for lost.
    pub fn lost(&mut self, now_ns: u64, path: usize, packet_number: u64) {
        let data =
            format!(r#"{{"header":{{"packet_type":"1RTT","packet_number":{packet_number}}}}}"#);
        self.event(now_ns, path, "quic:packet_lost", &data);
    }

    /// A judgement of this sender; readers of QUIC's events pass over it.
    pub fn judgement(&mut self, now_ns: u64, judgement: &Judgement) {
        let verdict = match judgement.verdict {
            Verdict::Apart => "apart",
            Verdict::Shared => "shared",
            Verdict::Unknown => "unknown",
            Verdict::NoQueue => "no queue",
        };
        self.write(&format!(
            r#"{{"time":{},"name":"verdicts:judged","data":{{"verdict":"{verdict}","score_q10":{}}}}}"#,
            Ms(now_ns),
            judgement.score_q10,
        ));
    }

    /// Write out what is held.
    ///
    /// # Errors
    /// The first error since the last call.
    pub fn flush(&mut self) -> io::Result<()> {
        self.error.take().map_or_else(|| self.out.flush(), Err)
    }

    fn event(&mut self, now_ns: u64, path: usize, name: &str, data: &str) {
        let time = Ms(now_ns);
        self.write(&format!(
            r#"{{"time":{time},"name":"{name}","tuple":"{path}","data":{data}}}"#
        ));
    }

    fn write(&mut self, record: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.out, "{RECORD}{record}").err();
        }
    }
}

/// Nanoseconds, shown in ms without rounding.
struct Ms(u64);

impl std::fmt::Display for Ms {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}
