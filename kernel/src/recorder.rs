// SPDX-License-Identifier: GPL-2.0-only
//! The programs in the kernel: chosen, loaded, attached, counted.

use std::path::Path;

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder};
use sbd_libbpf::libbpf_said;

use crate::options::Options;

const PROGRAMS: &Aligned<[u8]> =
    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/record.bpf.o")));
pub const KERNEL_TYPES: &str = "/sys/kernel/btf/vmlinux";

/// libelf reads words of what it is given.
#[repr(align(8))]
struct Aligned<Bytes: ?Sized>(Bytes);

/// Where samples are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Fentry,
    Probe,
}

impl Place {
    fn program(self) -> &'static str {
        match self {
            Place::Fentry => "at_ack",
            Place::Probe => "at_segment",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Place::Fentry => "fentry/tcp_rate_gen",
            Place::Probe => "tp_btf/tcp_probe",
        }
    }
}

/// Counts of the program in the kernel, all processors together.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub lost: u64,
    pub no_token: u64,
    pub untold: u64,
}

pub struct Recorder {
    pub place: Place,
    /// Why it is not fentry, if it is not.
    pub refused: Option<String>,
    /// Whether each change of state is seen, and not just what an ACK leaves.
    pub states: bool,
    object: Object,
    _links: Vec<Link>,
}

fn has_states(kernel_types: &Path) -> bool {
    libbpf_rs::btf::Btf::from_path(kernel_types).is_ok_and(|types| {
        types
            .type_by_name::<libbpf_rs::btf::types::Typedef<'_>>("btf_trace_tcp_cong_state_set")
            .is_some()
    })
}

fn settings(options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(options.token.to_ne_bytes());
    bytes.extend(options.netns.to_ne_bytes());
    for port in [options.port, options.local_port, options.remote_port] {
        bytes.extend(port.to_ne_bytes());
    }
    bytes.extend([u8::from(options.no_addresses), 0]);
    bytes
}

fn loaded(options: &Options, place: Place, states: bool) -> libbpf_rs::Result<(Object, Vec<Link>)> {
    let mut builder = ObjectBuilder::default();
    builder.name("sbd_record")?;
    if let Some(path) = &options.btf {
        builder.btf_custom_path(path)?;
    }
    let mut open = builder.open_memory(&PROGRAMS.0)?;
    for mut map in open.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        if name.ends_with(".rodata") {
            map.set_initial_value(&settings(options))?;
        } else if name == "events" {
            map.set_max_entries(options.ring_bytes)?;
        }
    }
    let wanted = |name: &str| name == place.program() || (states && name == "at_state");
    for mut program in open.progs_mut() {
        let is_wanted = wanted(&program.name().to_string_lossy());
        program.set_autoload(is_wanted);
    }
    let object = open.load()?;
    let mut links = Vec::new();
    for program in object.progs_mut() {
        if wanted(&program.name().to_string_lossy()) {
            links.push(program.attach()?);
        }
    }
    Ok((object, links))
}

impl Recorder {
    /// Record by fentry, or where the kernel refuses it by the tracepoint.
    pub fn attach(options: &Options) -> Result<Recorder, String> {
        libbpf_said::listen(options.verbose);
        let kernel_types = options.btf.as_deref().unwrap_or(Path::new(KERNEL_TYPES));
        let states = has_states(kernel_types);
        let mut refused = None;
        for place in [Place::Fentry, Place::Probe] {
            if place == Place::Fentry && options.probe {
                refused = Some("--probe".into());
                continue;
            }
            match loaded(options, place, states) {
                Ok((object, _links)) => {
                    return Ok(Recorder {
                        place,
                        refused,
                        states,
                        object,
                        _links,
                    });
                }
                Err(error) if place == Place::Fentry => refused = Some(libbpf_said::reason(&error)),
                Err(error) => {
                    return Err(format!("{}: {}", place.name(), libbpf_said::reason(&error)));
                }
            }
        }
        unreachable!("the last place returns")
    }

    pub fn map(&self, name: &str) -> libbpf_rs::Map<'_> {
        self.object
            .maps()
            .find(|map| map.name() == name)
            .expect("the object has it")
    }

    pub fn counts(&self) -> Counts {
        let map = self.map("counts");
        let sum = |place: u32| {
            let each = map
                .lookup_percpu(&place.to_ne_bytes(), MapFlags::ANY)
                .ok()
                .flatten()
                .unwrap_or_default();
            each.iter()
                .filter_map(|own| Some(u64::from_ne_bytes(own.get(..8)?.try_into().ok()?)))
                .sum()
        };
        Counts {
            lost: sum(0),
            no_token: sum(1),
            untold: sum(2),
        }
    }
}
