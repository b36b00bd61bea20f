// SPDX-License-Identifier: GPL-2.0-only
//! Recorded signals through an exported detector in the kernel, as `export/programs/replay.c` has them through it outside.
//!
//! `replay [-f] MODEL < events > decisions` takes event lines (all kinds of `replay.c` but WINDOW) of connections of two subflows
//! and prints what `replay.c` prints, connection after connection. MODEL is the name of an exported one (`tree_paper`), a model file,
//! or `lag_excess` or `common_lag`, which print a line for each judgement:
//! `C=<token> SF=<n>,<n> <decided, ns> <enum sbd_lag_said or sbd_common_said> <score in Q10, or ->`.
//! `replay --verify` loads them all, and prints of each program how many instructions the verifier went through.

#[path = "../src/slot.rs"]
mod slot;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::{env, fs, mem, ptr, slice};

use libbpf_rs::{Object, ObjectBuilder, ProgramInput};
use sbd_libbpf::program_info;
use slot::{HAS_ACK, HAS_RTT, HAS_STATE, Judgement, LOG, NO_GROUP, RING, SIDES, Signal, Slot};

#[repr(align(8))]
struct Aligned<Bytes: ?Sized>(Bytes);

// DETECTORS, with the objects, and FEATURES, the names in the order of enum sbd_feature.
include!(concat!(env!("OUT_DIR"), "/detectors.rs"));

/// Detectors that are no models.
const JUDGES: [&str; 2] = ["lag_excess", "common_lag"];
const MODEL_FILES: &str = "loaded";
/// Signals that are taken at once: each may lead to four judgements, and the log has room for 64.
const AT_ONCE: usize = LOG / 4;
const REFUSED: u8 = 2;

type Fault = Box<dyn std::error::Error>;

unsafe extern "C" {
    fn sbd_load_model(model: *mut u8, bytes: *const u8, size: u32) -> i32;
}

/// Twin of `struct order` in `src/replay.bpf.c`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Order {
    time_ns: u64,
    slots: u64,
    model: u64,
    wanted: u64,
}

/// A detector that is loaded, with one slot.
struct Detector {
    object: Object,
    slot: *mut Slot,
    wanted: u64,
    is_model: bool,
}

#[derive(Default)]
struct Counts {
    decided: u64,
    rejected: u64,
    missed: u64,
    refused: u64,
}

struct Connection {
    signals: Vec<(u32, Signal)>,
    end_ns: u64,
}

fn object_of(name: &str) -> Result<Object, Fault> {
    let (_, bytes) = DETECTORS
        .iter()
        .find(|(own, _)| *own == name)
        .ok_or_else(|| format!("{name}: neither an exported detector nor a model file"))?;
    Ok(ObjectBuilder::default().open_memory(&bytes.0)?.load()?)
}

impl Detector {
    fn load(model: &str) -> Result<Detector, Fault> {
        let is_file = model.ends_with(".sbd");
        let mut own = Detector {
            object: object_of(if is_file { MODEL_FILES } else { model })?,
            slot: ptr::null_mut(),
            wanted: 0,
            is_model: !JUDGES.contains(&model),
        };
        let places = own.places()?;
        if is_file {
            let bytes = fs::read(model).map_err(|error| format!("{model}: {error}"))?;
            let size = u32::try_from(bytes.len()).map_err(|_| format!("{model}: too large"))?;
            // SAFETY: the kernel says where libbpf has mapped its struct sbd_loaded; no program runs.
            let why = unsafe { sbd_load_model(places.model as *mut u8, bytes.as_ptr(), size) };
            if why != 0 {
                return Err(format!("{model}: refused ({why})").into());
            }
        }
        own.slot = places.slots as *mut Slot;
        own.wanted = own.places()?.wanted;
        Ok(own)
    }

    fn places(&self) -> Result<Order, Fault> {
        let mut order = Order::default();
        self.run("places", &mut order)?;
        Ok(order)
    }

    fn run(&self, name: &str, order: &mut Order) -> Result<u32, Fault> {
        let program = self
            .object
            .progs_mut()
            .find(|program| program.name() == OsStr::new(name))
            .ok_or("no such program")?;
        // SAFETY: an Order is numbers without gaps.
        let bytes = unsafe {
            slice::from_raw_parts_mut(ptr::from_mut(order).cast::<u8>(), mem::size_of::<Order>())
        };
        let output = program.test_run(ProgramInput {
            context_in: Some(bytes),
            ..ProgramInput::default()
        })?;
        Ok(output.return_value)
    }

    fn call(&self, name: &str, time_ns: u64) -> Result<u32, Fault> {
        let mut order = Order {
            time_ns,
            ..Order::default()
        };
        self.run(name, &mut order)
    }

    /// The slot, between two calls of programs.
    fn slot(&mut self) -> &mut Slot {
        // SAFETY: the arena stays mapped as long as the object, and no program runs now.
        unsafe { &mut *self.slot }
    }

    fn tell(&mut self, token: u64, from: u32, text: &mut String) {
        let (wanted, is_model) = (self.wanted, self.is_model);
        let slot = self.slot();
        let mut ids: Vec<u32> = slot.ring.iter().map(|ring| ring.id).collect();
        ids.sort_unstable();
        for number in from..slot.judged {
            let one = &slot.log[number as usize % LOG];
            write!(text, "C={token:x} SF={},{} ", ids[0], ids[1]).expect("a string grows");
            if is_model {
                tell_window(one, wanted, text);
            } else {
                tell_judgement(one, text);
            }
        }
    }

    /// Feed a connection to the kernel, and print what is said of it.
    fn replay(&mut self, token: u64, of: &Connection, counts: &mut Counts) -> Result<(), Fault> {
        let ids: BTreeSet<u32> = of.signals.iter().map(|(id, _)| *id).collect();
        let ids: Vec<u32> = ids.into_iter().collect();
        if ids.len() > SIDES {
            return Err(
                format!("C={token:x} has {} subflows, more than {SIDES}", ids.len()).into(),
            );
        }
        let mut text = String::new();
        self.call("clear", 0)?;
        let slot = self.slot();
        for (ring, id) in slot.ring.iter_mut().zip(&ids) {
            ring.id = *id;
        }
        slot.subflows = u32::try_from(ids.len())?;
        for some in of.signals.chunks(AT_ONCE) {
            let slot = self.slot();
            for (id, signal) in some {
                let side = ids
                    .iter()
                    .position(|own| own == id)
                    .ok_or("no such subflow")?;
                let ring = &mut slot.ring[side];
                ring.signal[ring.head as usize % RING] = *signal;
                ring.head += 1;
            }
            let before = slot.judged;
            self.call("drain", u64::MAX)?;
            self.tell(token, before, &mut text);
        }
        loop {
            let before = self.slot().judged;
            if self.call("finish", of.end_ns)? == 0 {
                break;
            }
            self.tell(token, before, &mut text);
        }
        if self.is_model {
            self.tell_groups(token, &ids, &mut text);
        }
        let slot = self.slot();
        counts.decided += u64::from(slot.judged);
        counts.rejected += u64::from(slot.rejected);
        counts.missed += u64::from(slot.missed);
        counts.refused += u64::from(slot.refused);
        io::stdout().write_all(text.as_bytes())?;
        Ok(())
    }

    fn tell_groups(&mut self, token: u64, ids: &[u32], text: &mut String) {
        write!(text, "C={token:x} GROUPS").expect("a string grows");
        for (id, group) in ids.iter().zip(self.slot().group) {
            match group {
                NO_GROUP => write!(text, " {id}:-"),
                group => write!(text, " {id}:{group}"),
            }
            .expect("a string grows");
        }
        text.push('\n');
    }
}

fn tell_window(one: &Judgement, wanted: u64, text: &mut String) {
    let verdict = if one.said == 1 { "SB" } else { "NSB" };
    write!(text, "{} {} {verdict}", one.start_ns, one.window_ns).expect("a string grows");
    for (number, (name, value)) in FEATURES.iter().zip(one.value).enumerate() {
        if wanted >> number & 1 == 1 {
            write!(text, " {name}={value}").expect("a string grows");
        }
    }
    text.push('\n');
}

fn tell_judgement(one: &Judgement, text: &mut String) {
    write!(text, "{} {} ", one.decided_ns, one.said).expect("a string grows");
    match one.values {
        0 => text.push_str("-\n"),
        _ => writeln!(text, "{}", one.value[0]).expect("a string grows"),
    }
}

/// What a line says of a connection: a signal of a subflow, or else that it ends.
struct Event {
    token: u64,
    now_ns: u64,
    signal: Option<(u32, Signal)>,
}

fn event(line: &str) -> Option<Event> {
    let mut words = line.split(' ');
    let now_ns = words.next()?.parse().ok()?;
    let token = u64::from_str_radix(words.next()?.strip_prefix("C=")?, 16).ok()?;
    let subflow = words.next()?.strip_prefix("SF=")?.parse().ok()?;
    let kind = words.next()?.strip_prefix("V=")?;
    let value: u64 = words.next()?.parse().ok()?;
    let mut signal = Signal {
        now_ns,
        ..Signal::default()
    };
    match kind {
        "RTT" => (signal.has, signal.rtt_us) = (HAS_RTT, value.try_into().ok()?),
        "ACK" => (signal.has, signal.acked_bytes) = (HAS_ACK, value),
        "CA" => (signal.has, signal.ca_state) = (HAS_STATE, value.try_into().ok()?),
        "END" => {}
        _ => return None,
    }
    Some(Event {
        token,
        now_ns,
        signal: (kind != "END").then_some((subflow, signal)),
    })
}

fn replay(model: &str, with_features: bool) -> Result<ExitCode, Fault> {
    let mut detector = Detector::load(model)?;
    if !with_features {
        detector.wanted = 0;
    }
    let mut open: BTreeMap<u64, Connection> = BTreeMap::new();
    let mut counts = Counts::default();
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    for line in input.lines() {
        let Event {
            token,
            now_ns,
            signal,
        } = event(line).ok_or_else(|| format!("{line:?}: no event"))?;
        let connection = open.entry(token).or_insert_with(|| Connection {
            signals: Vec::new(),
            end_ns: 0,
        });
        connection.end_ns = now_ns;
        match signal {
            Some(signal) => connection.signals.push(signal),
            None => {
                let ended = open.remove(&token).ok_or("no such connection")?;
                detector.replay(token, &ended, &mut counts)?;
            }
        }
    }
    for (token, connection) in &open {
        detector.replay(*token, connection, &mut counts)?;
    }
    eprintln!(
        "replay: decided {}, rejected {}, missed {}, refused {}",
        counts.decided, counts.rejected, counts.missed, counts.refused
    );
    if counts.missed + counts.refused > 0 {
        return Ok(REFUSED.into());
    }
    Ok(ExitCode::SUCCESS)
}

fn verify() -> Result<ExitCode, Fault> {
    for (name, _) in DETECTORS {
        let object = object_of(name)?;
        for program in object.progs_mut() {
            println!(
                "{name} {} {}",
                program.name().display(),
                program_info::verified(&program)?
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn run() -> Result<ExitCode, Fault> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["--verify"] => verify(),
        ["-f", model] => replay(model, true),
        [model] => replay(model, false),
        _ => Err("usage: replay [-f] MODEL, or replay --verify".into()),
    }
}

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("replay: {error}");
        ExitCode::FAILURE
    })
}
