// SPDX-License-Identifier: GPL-2.0-only
//! What the controllers have decided, and why: as a table or as JSON.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use libbpf_rs::{MapCore, MapFlags, MapHandle};

use crate::told::{COUNTS, Connection, Pair};
use crate::{kernel, pins};

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

fn table(connections: &[Connection], counts: &[u64], now_ns: u64) -> String {
    let mut text = String::new();
    let line = COUNTS
        .iter()
        .zip(counts)
        .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
        .collect::<Vec<_>>()
        .join(", ");
    let write = |text: &mut String, line: &str| writeln!(text, "{line}").expect("a string grows");
    write(&mut text, &line);
    for own in connections {
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

fn json(connections: &[Connection], counts: &[u64], now_ns: u64) -> String {
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
    let connections = connections.iter().map(|own| {
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
        .zip(counts)
        .map(|(name, count)| format!("\"{name}\": {count}"))
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "{{\"now_ns\": {now_ns}, \"counts\": {{{counts}}}, \"connections\": {}}}\n",
        list(connections.collect())
    )
}

pub fn print(as_json: bool) -> Result<(), String> {
    kernel::check_rights()?;
    if !pins::exist() {
        return Err("the controllers are not loaded".into());
    }
    let (connections, counts, now_ns) = (connections()?, counts()?, now_ns());
    let text = match as_json {
        true => json(&connections, &counts, now_ns),
        false => table(&connections, &counts, now_ns),
    };
    io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())
}
