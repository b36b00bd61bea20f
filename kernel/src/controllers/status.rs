// SPDX-License-Identifier: GPL-2.0-only
//! What the controllers have decided, and why: as a table or as JSON.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::Range;

use libbpf_rs::{MapCore, MapFlags, MapHandle};
use sbd_libbpf::program_info::{self, Runs};

use crate::told::{BY, COUNTS, Connection, Pair};
use crate::{kernel, pins};

/// Where struct kept_models has what sbd_smart asks.
const ASKED: Range<usize> = 8..12;

fn map(name: &str) -> Result<MapHandle, String> {
    MapHandle::from_pinned_path(pins::path(name)).map_err(|error| format!("{name}: {error}"))
}

/// Connections that have a place.
pub fn connections() -> Result<Vec<Connection>, String> {
    let told = map("told")?;
    let mut found = Vec::new();
    for place in 0..told.max_entries() {
        let bytes = told
            .lookup(&place.to_ne_bytes(), MapFlags::ANY)
            .map_err(|error| format!("told: {error}"))?;
        found.extend(bytes.as_deref().and_then(Connection::of));
    }
    found.sort_by_key(|own| own.since_ns);
    Ok(found)
}

fn counts() -> Result<Vec<u64>, String> {
    let counts = map("counts")?;
    (0..COUNTS.len() as u32)
        .map(|place| {
            let each = counts
                .lookup_percpu(&place.to_ne_bytes(), MapFlags::ANY)
                .map_err(|error| format!("counts: {error}"))?
                .unwrap_or_default();
            let number = |own: &Vec<u8>| Some(u64::from_ne_bytes(own.get(..8)?.try_into().ok()?));
            Ok(each.iter().filter_map(number).sum())
        })
        .collect()
}

/// What sbd_smart asks.
fn asked() -> Result<&'static str, String> {
    let kept = map("kept")?
        .lookup(&0u32.to_ne_bytes(), MapFlags::ANY)
        .map_err(|error| format!("kept: {error}"))?
        .unwrap_or_default();
    kept.get(ASKED)
        .and_then(|word| word.try_into().ok())
        .and_then(|word| BY.get(u32::from_ne_bytes(word) as usize).copied())
        .ok_or_else(|| "kept: says nothing".into())
}

/// How often each program ran while the kernel counted.
fn programs() -> Result<Vec<(&'static str, Runs)>, String> {
    pins::PROGRAMS
        .iter()
        .map(|name| {
            let runs = program_info::runs(&pins::path(name));
            Ok((*name, runs.map_err(|error| format!("{name}: {error}"))?))
        })
        .collect()
}

/// The last verdict on a pair, in a word.
fn verdict(pair: &Pair) -> &'static str {
    match pair.shared {
        Some(true) => "shared",
        Some(false) => "apart",
        None => "none yet",
    }
}

fn now_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it has room for the time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn seconds(later_ns: u64, earlier_ns: u64) -> f64 {
    later_ns.saturating_sub(earlier_ns) as f64 / 1e9
}

/// All that is told.
struct Told {
    now_ns: u64,
    asked: &'static str,
    counts: Vec<u64>,
    programs: Vec<(&'static str, Runs)>,
    connections: Vec<Connection>,
}

impl Told {
    fn read() -> Result<Told, String> {
        Ok(Told {
            asked: asked()?,
            counts: counts()?,
            programs: programs()?,
            connections: connections()?,
            now_ns: now_ns(),
        })
    }
}

/// Mean time of each program that was counted, or nothing.
fn mean_times(programs: &[(&'static str, Runs)]) -> Option<String> {
    let each: Vec<String> = programs
        .iter()
        .filter(|(_, runs)| runs.count > 0)
        .map(|(name, runs)| {
            let mean_ns = runs.ns as f64 / runs.count as f64;
            format!("{name} {mean_ns:.0} ns ({} runs)", runs.count)
        })
        .collect();
    (!each.is_empty()).then(|| format!("mean time: {}", each.join(", ")))
}

fn table(told: &Told) -> String {
    let mut text = String::new();
    let now_ns = told.now_ns;
    let line = COUNTS
        .iter()
        .zip(&told.counts)
        .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
        .collect::<Vec<_>>()
        .join(", ");
    let write = |text: &mut String, line: &str| writeln!(text, "{line}").expect("a string grows");
    write(&mut text, &format!("sbd_smart asks {}; {line}", told.asked));
    if let Some(line) = mean_times(&told.programs) {
        write(&mut text, &line);
    }
    for own in &told.connections {
        write(
            &mut text,
            &format!(
                "connection {:08x}: coupled by {}, for {:.1} s; works {}, mean {:.1} us, most {:.1} us",
                own.token,
                own.by,
                seconds(now_ns, own.since_ns),
                own.works,
                own.work_ns as f64 / 1e3 / own.works.max(1) as f64,
                own.work_most_ns as f64 / 1e3,
            ),
        );
        for subflow in &own.subflows {
            write(
                &mut text,
                &format!(
                    "  subflow {}: ports {} {}, group {}, cwnd {}, srtt {:.1} ms, signals {}, lost {}",
                    subflow.id,
                    subflow.local_port,
                    subflow.remote_port,
                    subflow.group,
                    subflow.cwnd,
                    f64::from(subflow.srtt_us) / 1e3,
                    subflow.signals,
                    subflow.lost,
                ),
            );
        }
        for pair in &own.pairs {
            let mut why = match pair.verdicts {
                0 => "no verdict yet".to_owned(),
                verdicts => format!(
                    "{} {:.1} s ago, verdicts {verdicts}",
                    verdict(pair),
                    seconds(now_ns, pair.last_ns)
                ),
            };
            if let Some(said) = pair.said {
                why += &format!(
                    ", last judged {said} ({:.2} SD), unknown {}",
                    f64::from(pair.score_q10) / 1024.0,
                    pair.unknown
                );
            }
            write(
                &mut text,
                &format!(
                    "  subflows {} and {}: {}; {why}",
                    own.id_of(pair.subflow[0]),
                    own.id_of(pair.subflow[1]),
                    if pair.coupled { "coupled" } else { "uncoupled" },
                ),
            );
        }
    }
    text
}

fn json(told: &Told) -> String {
    let list = |each: Vec<String>| format!("[{}]", each.join(", "));
    let text = |word: Option<&str>| word.map_or("null".into(), |word| format!("\"{word}\""));
    let subflows = |own: &Connection| {
        let each = own.subflows.iter().map(|subflow| {
            format!(
                "{{\"subflow\": {}, \"local_port\": {}, \"remote_port\": {}, \"group\": {}, \"cwnd\": {}, \
                 \"srtt_us\": {}, \"signals\": {}, \"lost\": {}}}",
                subflow.id,
                subflow.local_port,
                subflow.remote_port,
                subflow.group,
                subflow.cwnd,
                subflow.srtt_us,
                subflow.signals,
                subflow.lost
            )
        });
        list(each.collect())
    };
    let pairs = |own: &Connection| {
        let each = own.pairs.iter().map(|pair| {
            let shared = pair.shared.map_or("null".into(), |shared| shared.to_string());
            format!(
                "{{\"subflows\": [{}, {}], \"coupled\": {}, \"shared\": {shared}, \"verdicts\": {}, \"last_ns\": {}, \
                 \"unknown\": {}, \"said\": {}, \"score_q10\": {}}}",
                own.id_of(pair.subflow[0]),
                own.id_of(pair.subflow[1]),
                pair.coupled,
                pair.verdicts,
                pair.last_ns,
                pair.unknown,
                text(pair.said),
                pair.score_q10
            )
        });
        list(each.collect())
    };
    let connections = told.connections.iter().map(|own| {
        format!(
            "{{\"token\": \"{:08x}\", \"netns\": {}, \"by\": {}, \"since_ns\": {}, \"works\": {}, \"work_ns\": {}, \
             \"work_most_ns\": {}, \"subflows\": {}, \"pairs\": {}}}",
            own.token,
            own.netns,
            text(Some(own.by)),
            own.since_ns,
            own.works,
            own.work_ns,
            own.work_most_ns,
            subflows(own),
            pairs(own)
        )
    });
    let counts = COUNTS
        .iter()
        .zip(&told.counts)
        .map(|(name, count)| format!("\"{name}\": {count}"))
        .collect::<Vec<_>>()
        .join(", ");
    let programs = told.programs.iter().map(|(name, runs)| {
        format!(
            "{{\"name\": \"{name}\", \"runs\": {}, \"run_ns\": {}}}",
            runs.count, runs.ns
        )
    });
    format!(
        "{{\"now_ns\": {}, \"asks\": \"{}\", \"counts\": {{{counts}}}, \"programs\": {}, \"connections\": {}}}\n",
        told.now_ns,
        told.asked,
        list(programs.collect()),
        list(connections.collect())
    )
}

pub fn print(as_json: bool) -> Result<(), String> {
    kernel::check_rights()?;
    if !pins::exist() {
        return Err("the controllers are not loaded".into());
    }
    let told = Told::read()?;
    let text = match as_json {
        true => json(&told),
        false => table(&told),
    };
    io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())
}
