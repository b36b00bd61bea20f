// SPDX-License-Identifier: GPL-2.0-only
//! Loads the controllers, and takes them away again.

use std::time::{Duration, Instant};

use libbpf_rs::{Link, MapCore, Object, ObjectBuilder, ProgramInput};

use sbd_libbpf::{libbpf_said, program_info};

use crate::options::Wanted;
use crate::told::{BY_COMMON_LAG, BY_MODEL, PLAIN};
use crate::{checks, instances, kernel, model, modes, namespaces, pins, status};

#[repr(align(8))]
struct Aligned<Bytes: ?Sized>(Bytes);

const PROGRAMS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(
    env!("OUT_DIR"),
    "/controller.bpf.o"
)));

/// What sockets have that are not controlled: what the host's have, if the controllers can give it.
fn plain(wanted: &Wanted) -> u32 {
    let [reno, cubic] = [0, 1];
    let host = namespaces::own_default().unwrap_or_default();
    let chosen = wanted
        .plain
        .unwrap_or(if host == PLAIN[0] { reno } else { cubic });
    let chosen = if kernel::has_cubic() { chosen } else { reno };
    let name = PLAIN[chosen as usize];
    if wanted.plain.map_or(host != name, |asked| asked != chosen) {
        eprintln!("sbd kernel: sockets that are no subflow have {name} under these controllers");
    }
    chosen
}

fn settings(wanted: &Wanted) -> Vec<u8> {
    let by = match wanted.model {
        Some(_) => BY_MODEL,
        None => BY_COMMON_LAG,
    };
    [
        wanted.connections,
        by,
        plain(wanted),
        wanted.epsilon_q10,
        u32::from(wanted.check),
        u32::from(wanted.log_checks),
    ]
    .iter()
    .flat_map(|word| word.to_ne_bytes())
    .collect()
}

/// The programs in the kernel, checked by its verifier, with places for connections.
fn loaded(wanted: &Wanted) -> Result<Object, String> {
    let mut builder = ObjectBuilder::default();
    let named = |error| libbpf_said::reason(&error);
    builder.name("smartsbd").map_err(named)?;
    let mut open = builder.open_memory(&PROGRAMS.0).map_err(named)?;
    let settings = settings(wanted);
    for mut map in open.maps_mut() {
        match map.name().to_string_lossy().as_ref() {
            name if name.ends_with(".settings") => {
                let whole = map.initial_value_mut().ok_or("no settings")?;
                whole
                    .get_mut(..settings.len())
                    .ok_or("no settings")?
                    .copy_from_slice(&settings);
            }
            "told" | "places" | "free_places" => {
                map.set_max_entries(wanted.connections).map_err(named)?;
            }
            checks::LOG if wanted.log_checks => {
                map.set_max_entries(checks::LOG_BYTES).map_err(named)?;
            }
            "sbd_arena" => map.set_map_extra(model::ARENA_ADDRESS).map_err(named)?,
            _ => {}
        }
    }
    let object = open.load().map_err(named)?;
    if wanted.verbose {
        for program in object.progs_mut() {
            let count = program_info::verified(&program).map_err(|error| error.to_string())?;
            eprintln!(
                "{}: {count} instructions verified",
                program.name().display()
            );
        }
    }
    make_places(&object, wanted.connections)?;
    Ok(object)
}

/// What the kernel allocates for BPF may fail for a moment, longer where processors are busy.
const PAUSE: Duration = Duration::from_millis(2);
const PATIENCE: Duration = Duration::from_secs(5);
/// Workers take so long to see what is in force.
const SETTLED: Duration = Duration::from_millis(50);

/// As many steps as program prepare has beside places.
const WORKERS: u32 = 32;

fn make_places(object: &Object, connections: u32) -> Result<(), String> {
    let wanted = connections + WORKERS;
    let (mut made, mut last_made) = (0, Instant::now());
    while made < wanted {
        let before = made;
        made = object
            .progs_mut()
            .find(|program| program.name() == "prepare")
            .ok_or("no program prepare")?
            .test_run(ProgramInput::default())
            .map_err(|error| error.to_string())?
            .return_value;
        if made > before {
            last_made = Instant::now();
            continue;
        }
        std::thread::sleep(PAUSE);
        if last_made.elapsed() > PATIENCE {
            return Err(format!(
                "the kernel gave room for {} connections of {connections} (--connections)",
                made.saturating_sub(WORKERS)
            ));
        }
    }
    Ok(())
}

fn pin(object: &mut Object) -> Result<(), String> {
    for mut map in object.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        if pins::MAPS.contains(&name.as_str()) {
            map.pin(pins::path(&name))
                .map_err(|error| format!("{name}: {error}"))?;
        }
    }
    for mut program in object.progs_mut() {
        let name = program.name().to_string_lossy().into_owned();
        if pins::PROGRAMS.contains(&name.as_str()) {
            program
                .pin(pins::path(&name))
                .map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

fn register(object: &mut Object) -> Result<(), String> {
    for mut map in object.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        if pins::LINKS.contains(&name.as_str()) {
            let mut link: Link = map
                .attach_struct_ops()
                .map_err(|error| format!("{name}: {}", libbpf_said::reason(&error)))?;
            link.pin(pins::path(&name))
                .map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

pub fn load(wanted: &Wanted) -> Result<(), String> {
    kernel::check_rights()?;
    kernel::check()?;
    let _lock = pins::Lock::take()?;
    if instances::registered().is_some() {
        return Err("the controllers are loaded already; sbd kernel unload takes them away".into());
    }
    // What a load that was killed has left.
    pins::remove()?;
    libbpf_said::listen(wanted.verbose);
    let file = wanted.model.as_deref().map(model::read).transpose()?;
    let mut object = loaded(wanted)?;
    pins::make()?;
    let done = pin(&mut object).and_then(|()| begin(wanted, file.as_ref(), &mut object));
    if done.is_err() {
        let _ = instances::withdraw();
        let _ = pins::remove();
    }
    done
}

/// Let it decide, and register it: in this order, so that no socket has it before it is whole.
fn begin(wanted: &Wanted, file: Option<&model::Model>, object: &mut Object) -> Result<(), String> {
    let instance = instances::all().into_iter().next();
    let instance = instance.ok_or("the programs are not in the kernel")?;
    if let Some(file) = file {
        model::put(&instance, file)?;
    }
    if let Some(cgroup) = &wanted.cgroup {
        modes::set(&instance, modes::AUTO, Some(cgroup))?;
        modes::set(&instance, modes::HOST, None)?;
    }
    register(object)
}

/// The controllers are off, except where it is said.
pub fn unload() -> Result<(), String> {
    kernel::check_rights()?;
    let _lock = pins::Lock::take()?;
    if let Some(name) = namespaces::own_default()
        && pins::LINKS.contains(&name.as_str())
    {
        return Err(format!(
            "net.ipv4.tcp_congestion_control is {name}; set another one first"
        ));
    }
    let all = instances::all();
    // New sockets that still get it have the host's controller; no verdict comes any more.
    for instance in &all {
        match modes::forget_cgroups(instance).and_then(|()| modes::set(instance, modes::HOST, None))
        {
            // It has ended meanwhile.
            Err(_) if !instance.registered => {}
            done => done?,
        }
    }
    let left: usize = all
        .iter()
        .map(|own| status::connections(own).map_or(0, |own| own.len()))
        .sum();
    std::thread::sleep(SETTLED);
    instances::withdraw()?;
    pins::remove()?;
    if left > 0 {
        eprintln!(
            "sbd kernel: {left} connections go on with their controller, coupled, until they end"
        );
    }
    let named = namespaces::elsewhere(&pins::LINKS);
    match named.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "still the default in other network namespaces, where new sockets have the host's controller by it, \
             until net.ipv4.tcp_congestion_control is another: {}",
            named
                .iter()
                .map(|(place, name)| format!("{name} in {place}"))
                .collect::<Vec<_>>()
                .join(", ")
        )),
    }
}
