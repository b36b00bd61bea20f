// SPDX-License-Identifier: GPL-2.0-only
//! What the controllers have decided, and why: as a table or as JSON.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::atomic::Ordering;

use libbpf_rs::{MapCore, MapFlags};
use sbd_libbpf::program_info::Runs;

use crate::instances::{self, Instance};
use crate::pins::LINKS;
use crate::state::{PAGE, Shared};
use crate::told::{BY, CHECK_STATES, COUNTS, Check, Connection, PLAIN, Pair};
use crate::{kernel, modes, namespaces};

/// The share of a subflow that is alone in its group.
const COUPLED_BY_NOTHING: u16 = 1024;

/// What is asked where both controllers are mixed.
const BY_ODDS: &str = "common_lag_odds";

/// Connections that have a place.
pub fn connections(instance: &Instance) -> Result<Vec<Connection>, String> {
    if !instance.has("told") {
        return Ok(Vec::new());
    }
    let told = instance.map("told")?;
    let mut each = Vec::new();
    for place in 0..told.max_entries() {
        let bytes = told
            .lookup(&place.to_ne_bytes(), MapFlags::ANY)
            .map_err(|error| format!("told: {error}"))?;
        each.extend(bytes.as_deref().and_then(Connection::of));
    }
    each.sort_by_key(|own| own.since_ns);
    Ok(each)
}

fn counts(instance: &Instance) -> Result<Vec<u64>, String> {
    let counts = instance.map("counts")?;
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

/// All that is told of an instance.
struct Told {
    now_ns: u64,
    registered: bool,
    asked: &'static str,
    mode: &'static str,
    cgroups: Vec<(u64, u32)>,
    plain: &'static str,
    epsilon_q10: u32,
    checks: bool,
    room: u32,
    memory_bytes: u64,
    elsewhere: Vec<(String, String)>,
    counts: Vec<u64>,
    programs: Vec<(&'static str, Runs)>,
    connections: Vec<Connection>,
}

impl Told {
    fn read(instance: Instance) -> Result<Told, String> {
        let shared = Shared::of(&instance)?;
        let state = shared.state();
        Ok(Told {
            registered: instance.registered,
            asked: match state.epsilon_q10 {
                0 => BY.get(state.by as usize).copied().unwrap_or("unknown"),
                _ => BY_ODDS,
            },
            mode: modes::name(state.mode.load(Ordering::Relaxed)),
            cgroups: modes::of_cgroups(&instance)?,
            plain: PLAIN
                .get(state.plain as usize)
                .copied()
                .unwrap_or("unknown"),
            epsilon_q10: state.epsilon_q10,
            checks: state.check != 0,
            room: state.connections,
            memory_bytes: state.pages.load(Ordering::Relaxed) * PAGE as u64,
            elsewhere: namespaces::elsewhere(&LINKS),
            counts: counts(&instance)?,
            connections: connections(&instance)?,
            programs: instance.programs,
            now_ns: now_ns(),
        })
    }

    /// What an operator has to do something about.
    fn alarms(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.registered {
            lines.push("unloaded; sockets that have it go on, coupled, until they end".to_owned());
        }
        for (place, name) in self.elsewhere.iter().filter(|_| !self.registered) {
            lines.push(format!(
                "{name} is still the default in {place}, where new sockets have {}",
                self.plain
            ));
        }
        if self.connections.len() as u32 >= self.room {
            lines.push(format!(
                "no room: all {} places are taken, further connections are coupled without verdicts; load with --connections N",
                self.room
            ));
        }
        lines
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

/// For how long a check has run, or did.
fn took_s(check: &Check, now_ns: u64) -> f64 {
    if check.state == CHECK_STATES[1] {
        seconds(now_ns, check.since_ns)
    } else {
        f64::from(check.took_ms) / 1e3
    }
}

/// What a check has found, in words.
fn checked(check: &Check, now_ns: u64) -> String {
    format!(
        "; check {}, begun {:.1} s ago, on for {:.1} s, symbols {}",
        check.state,
        seconds(now_ns, check.since_ns),
        took_s(check, now_ns),
        check.symbols
    )
}

fn table(told: &Told) -> String {
    let mut text = String::new();
    let now_ns = told.now_ns;
    let write = |text: &mut String, line: &str| writeln!(text, "{line}").expect("a string grows");
    for line in told.alarms() {
        write(&mut text, &format!("! {line}"));
    }
    let line = COUNTS
        .iter()
        .zip(&told.counts)
        .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
        .collect::<Vec<_>>()
        .join(", ");
    let in_force = match told.mode {
        "auto" if told.epsilon_q10 > 0 => {
            format!(
                ", with a rival that may lose {:.0} %",
                f64::from(told.epsilon_q10) * 100.0 / 1024.0
            )
        }
        "auto" => String::new(),
        mode => format!(", in force is {mode}"),
    };
    write(
        &mut text,
        &format!(
            "sbd_smart asks {}{}{in_force}; sockets of the host have {}; room for {} connections, memory {:.1} MB; {line}",
            told.asked,
            if told.checks { ", checked" } else { "" },
            told.plain,
            told.room,
            told.memory_bytes as f64 / 1e6
        ),
    );
    for (cgroup, mode) in &told.cgroups {
        write(
            &mut text,
            &format!("cgroup {}: {}", modes::place(*cgroup), modes::name(*mode)),
        );
    }
    for (place, name) in told.elsewhere.iter().filter(|_| told.registered) {
        write(&mut text, &format!("{name} is the default in {place}"));
    }
    if let Some(line) = mean_times(&told.programs) {
        write(&mut text, &line);
    }
    for own in &told.connections {
        write(
            &mut text,
            &format!(
                "connection {:08x}: coupled by {}{}, for {:.1} s; works {}, mean {:.1} us, most {:.1} us",
                own.token,
                own.by,
                match (own.crowded, own.mode) {
                    (true, _) => " no more: too many subflows".to_owned(),
                    (false, "auto") => String::new(),
                    (false, mode) => format!(" under {mode}"),
                },
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
                    "  subflow {}: ports {} {}, group {}{}, cwnd {}, srtt {:.1} ms, signals {}, lost {}",
                    subflow.id,
                    subflow.local_port,
                    subflow.remote_port,
                    subflow.group,
                    match subflow.theta_q10 {
                        0 | COUPLED_BY_NOTHING => String::new(),
                        share => format!(", {:.2} of Reno's increase", f64::from(share) / 1024.0),
                    },
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
                    ", last judged {said} (score {:.2}), unknown {}",
                    f64::from(pair.score_q10) / 1024.0,
                    pair.unknown
                );
            }
            if let Some(check) = &pair.check {
                why += &checked(check, now_ns);
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

fn check(own: &Check, now_ns: u64) -> String {
    format!(
        "{{\"state\": \"{}\", \"since_ns\": {}, \"took_s\": {:.3}, \"symbols\": {}}}",
        own.state,
        own.since_ns,
        took_s(own, now_ns),
        own.symbols
    )
}

fn json(told: &Told) -> String {
    let list = |each: Vec<String>| format!("[{}]", each.join(", "));
    let text = |word: Option<&str>| word.map_or("null".into(), |word| format!("\"{word}\""));
    let subflows = |own: &Connection| {
        let each = own.subflows.iter().map(|subflow| {
            format!(
                "{{\"subflow\": {}, \"local_port\": {}, \"remote_port\": {}, \"group\": {}, \"theta_q10\": {}, \"cwnd\": {}, \
                 \"srtt_us\": {}, \"signals\": {}, \"lost\": {}}}",
                subflow.id,
                subflow.local_port,
                subflow.remote_port,
                subflow.group,
                subflow.theta_q10,
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
                 \"unknown\": {}, \"said\": {}, \"score_q10\": {}, \"check\": {}}}",
                own.id_of(pair.subflow[0]),
                own.id_of(pair.subflow[1]),
                pair.coupled,
                pair.verdicts,
                pair.last_ns,
                pair.unknown,
                text(pair.said),
                pair.score_q10,
                pair.check.as_ref().map_or("null".into(), |own| check(own, told.now_ns))
            )
        });
        list(each.collect())
    };
    let connections = told.connections.iter().map(|own| {
        format!(
            "{{\"token\": \"{:08x}\", \"netns\": {}, \"by\": {}, \"mode\": {}, \"crowded\": {}, \"since_ns\": {}, \"works\": {}, \"work_ns\": {}, \
             \"work_most_ns\": {}, \"subflows\": {}, \"pairs\": {}}}",
            own.token,
            own.netns,
            text(Some(own.by)),
            text(Some(own.mode)),
            own.crowded,
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
    let cgroups = told.cgroups.iter().map(|(cgroup, mode)| {
        format!(
            "{{\"cgroup\": {cgroup}, \"place\": {:?}, \"mode\": {}}}",
            modes::place(*cgroup),
            text(Some(modes::name(*mode)))
        )
    });
    let elsewhere = told
        .elsewhere
        .iter()
        .map(|(place, name)| format!("{{\"place\": {place:?}, \"default\": {name:?}}}"));
    let alarms = told.alarms().into_iter().map(|line| format!("{line:?}"));
    format!(
        "{{\"now_ns\": {}, \"loaded\": {}, \"asks\": \"{}\", \"mode\": \"{}\", \"cgroups\": {}, \"plain\": \"{}\", \"epsilon_q10\": {}, \
         \"checks\": {}, \"room\": {}, \"memory_bytes\": {}, \"elsewhere\": {}, \"alarms\": {}, \"counts\": {{{counts}}}, \
         \"programs\": {}, \"connections\": {}}}",
        told.now_ns,
        told.registered,
        told.asked,
        told.mode,
        list(cgroups.collect()),
        told.plain,
        told.epsilon_q10,
        told.checks,
        told.room,
        told.memory_bytes,
        list(elsewhere.collect()),
        list(alarms.collect()),
        list(programs.collect()),
        list(connections.collect())
    )
}

/// Print what the controllers tell; one that was unloaded and goes on is told as `loaded: false`, or, beside one that is
/// loaded, after it.
pub fn print(as_json: bool) -> Result<(), String> {
    kernel::check_rights()?;
    let all = instances::all();
    if all.is_empty() {
        return Err("the controllers are not loaded".into());
    }
    let mut text = String::new();
    for instance in all {
        let registered = instance.registered;
        let told = match Told::read(instance) {
            // It has ended meanwhile.
            Err(_) if !registered => continue,
            told => told?,
        };
        text += &match as_json {
            true => json(&told) + "\n",
            false => table(&told),
        };
    }
    if text.is_empty() {
        return Err("the controllers are not loaded".into());
    }
    io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())
}
