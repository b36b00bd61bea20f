// SPDX-License-Identifier: GPL-2.0-only
//! `sbd record`: logs MPTCP's subflows on a stock kernel.

mod event;
mod event_lines;
mod options;
mod parts;
mod recorder;
mod state_files;
mod subflows;

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use libbpf_rs::RingBufferBuilder;
use signal_hook::consts::{SIGINT, SIGTERM};

use event::Event;
use event_lines::EventLines;
use options::{Format, HELP, Options};
use parts::Parts;
use recorder::{Counts, KERNEL_TYPES, Place, Recorder};
use state_files::StateFiles;
use subflows::Subflows;

const EXIT_FAILED: u8 = 1;
const EXIT_USAGE: u8 = 2;
/// The ring buffer is read this often; nobody is woken in between.
const PAUSE: Duration = Duration::from_millis(20);
/// Bits of CapEff.
const CAPABILITIES: [(u32, &str); 2] = [(39, "CAP_BPF"), (38, "CAP_PERFMON")];
const CAP_SYS_ADMIN: u32 = 21;

enum Log {
    Lines(Box<EventLines>),
    Files(StateFiles),
}

struct Reading {
    log: Log,
    subflows: Subflows,
    samples: u64,
    failed: Option<io::Error>,
}

impl Reading {
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(event) = Event::of(bytes) else {
            return Err(io::Error::other(
                "the ring buffer holds something else than events",
            ));
        };
        let Some(change) = self.subflows.take(&event) else {
            return Ok(());
        };
        self.samples += u64::from(event.rtt_us > 0);
        match &mut self.log {
            Log::Lines(lines) => lines.take(&event, &change),
            Log::Files(files) => files.take(&event, &change),
        }
    }

    /// Take the bytes of an event; negative if that fails, which ends the reading.
    fn keep(&mut self, bytes: &[u8]) -> i32 {
        self.failed = self.take(bytes).err();
        -i32::from(self.failed.is_some())
    }

    fn settle(&mut self, lost: u64) -> io::Result<()> {
        match &mut self.log {
            Log::Lines(lines) => {
                if lost > 0 {
                    lines.lost(lost)?;
                }
                lines.turn(&mut self.subflows)
            }
            Log::Files(files) => files.flush(),
        }
    }
}

/// The first capability that is missing.
fn missing_capability() -> Option<&'static str> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))?;
    let effective = u64::from_str_radix(line.trim(), 16).ok()?;
    let has = |bit: u32| effective >> bit & 1 == 1;
    CAPABILITIES
        .iter()
        .find(|(bit, _)| !has(*bit) && !has(CAP_SYS_ADMIN))
        .map(|(_, name)| *name)
}

fn heading(recorder: &Recorder) -> String {
    let mut text = format!("samples from {}", recorder.place.name());
    if let (Place::Probe, Some(why)) = (recorder.place, &recorder.refused) {
        text += &format!(
            " in place of {}, which was refused ({why}): some samples are missing, the summary says how many",
            Place::Fentry.name()
        );
    }
    if !recorder.states {
        text += "; states as an ACK leaves them: the kernel has no tracepoint tcp_cong_state_set";
    }
    text
}

fn summary(recorder: &Recorder, reading: &Reading, counts: Counts) -> String {
    let own = &reading.subflows;
    let mut text = format!(
        "{} connections, {} subflows, {} samples; lost in the ring buffer {}; dropped before a token {}",
        own.connections, own.subflows, reading.samples, counts.lost, counts.no_token
    );
    if recorder.place == Place::Probe {
        let share = 100.0 * counts.untold as f64 / (counts.untold + reading.samples).max(1) as f64;
        text += &format!(
            "; samples missing by tcp_probe {} ({share:.1} %)",
            counts.untold
        );
    }
    for (count, what) in [
        (own.refused, "of too many subflows"),
        (own.backwards, "out of time order"),
    ] {
        if count > 0 {
            text += &format!("; dropped {what} {count}");
        }
    }
    if let Log::Lines(lines) = &reading.log
        && lines.removed() > 0
    {
        text += &format!("; old parts removed {}", lines.removed());
    }
    text
}

fn log_of(options: &Options, heading: String) -> io::Result<Log> {
    Ok(match (&options.format, &options.out) {
        (Format::State, Some(folder)) => {
            Log::Files(StateFiles::new(folder.clone(), !options.no_addresses)?)
        }
        (_, out) => {
            let parts = Parts::open(
                out.clone(),
                options.rotate_bytes,
                options.rotate_after,
                options.keep,
            )?;
            Log::Lines(Box::new(EventLines::new(parts, heading)?))
        }
    })
}

/// Record until it is time to stop; what stopped it, if that was an error.
fn read(
    recorder: &Recorder,
    reading: &RefCell<Reading>,
    options: &Options,
    stop: &AtomicBool,
) -> Result<(), String> {
    let events = recorder.map("events");
    let mut builder = RingBufferBuilder::new();
    builder
        .add(&events, |bytes| reading.borrow_mut().keep(bytes))
        .map_err(|error| error.to_string())?;
    let ring = builder.build().map_err(|error| error.to_string())?;
    let begun = Instant::now();
    let mut lost = 0;
    loop {
        let over = stop.load(Ordering::Relaxed)
            || options
                .seconds
                .is_some_and(|longest| begun.elapsed() >= longest);
        let _ = ring.consume_raw();
        let now_lost = recorder.counts().lost;
        let mut own = reading.borrow_mut();
        let settled = match own.failed.take() {
            Some(error) => Err(error),
            None => own.settle(now_lost - lost),
        };
        drop(own);
        lost = now_lost;
        match settled {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(error.to_string()),
            Ok(()) if over => return Ok(()),
            Ok(()) => std::thread::sleep(PAUSE),
        }
    }
}

fn record(options: &Options) -> Result<(), String> {
    if let Some(path) = &options.btf
        && !path.is_file()
    {
        return Err(format!(
            "{}: no such file of kernel types (BTF)",
            path.display()
        ));
    }
    if options.btf.is_none() && !Path::new(KERNEL_TYPES).exists() {
        return Err(format!(
            "{KERNEL_TYPES} is missing: the kernel was built without BTF; --btf FILE names a file of its types"
        ));
    }
    if let Some(name) = missing_capability() {
        return Err(format!(
            "{name} is missing: run it as root, or give it CAP_BPF and CAP_PERFMON"
        ));
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| error.to_string())?;
    }
    let recorder = Recorder::attach(options)?;
    let heading = heading(&recorder);
    eprintln!("sbd record: {heading}");
    let log = log_of(options, heading).map_err(|error| error.to_string())?;
    let reading = RefCell::new(Reading {
        log,
        subflows: Subflows::default(),
        samples: 0,
        failed: None,
    });
    let ended = read(&recorder, &reading, options, &stop);
    let mut reading = reading.into_inner();
    let summary = summary(&recorder, &reading, recorder.counts());
    eprintln!("sbd record: {summary}");
    // Where the log is not whole, that is said already.
    if let (Ok(()), Log::Lines(lines)) = (&ended, &mut reading.log) {
        let _ = lines.end(&summary);
    }
    ended
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("sbd record: {why}");
            return ExitCode::from(EXIT_USAGE);
        }
    };
    if options.help {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match record(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("sbd record: {why}");
            ExitCode::from(EXIT_FAILED)
        }
    }
}
