// SPDX-License-Identifier: GPL-2.0-only
//! Controllers that are in this kernel, whoever loaded them and in whatever mount namespace their names are.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libbpf_rs::query::{
    LinkInfoIter, LinkTypeInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions,
};
use libbpf_rs::{MapHandle, libbpf_sys};

use sbd_libbpf::program_info::Runs;

use crate::pins::LINKS;

/// The program by which an instance is known, and programs that the kernel calls; it counts their runs.
const FIRST: &str = "smart_init";
const PROGRAMS: [&str; 9] = [
    "lia_init",
    FIRST,
    "any_release",
    "lia_pkts_acked",
    "lia_set_state",
    "smart_pkts_acked",
    "smart_set_state",
    "any_ssthresh",
    "any_cong_avoid",
];
/// The kernel keeps so much of a name.
const NAME_BYTES: usize = 15;
/// The program that user space calls.
const APPLY: &str = "apply";

/// What one `sbd kernel load` has loaded.
pub struct Instance {
    pub programs: Vec<(&'static str, Runs)>,
    /// Whether new sockets can ask for its controllers.
    pub registered: bool,
    maps: Vec<(String, u32)>,
    apply: Option<u32>,
}

fn failed(result: i32) -> Result<i32, String> {
    match result {
        0.. => Ok(result),
        _ => Err(io::Error::last_os_error().to_string()),
    }
}

fn owned(descriptor: i32) -> Result<OwnedFd, String> {
    // SAFETY: it is open, and nobody else's.
    failed(descriptor).map(|descriptor| unsafe { OwnedFd::from_raw_fd(descriptor) })
}

impl Instance {
    /// Whether it has a map: one that was unloaded has those alone that sockets need.
    pub fn has(&self, name: &str) -> bool {
        self.maps.iter().any(|(own, _)| own == name)
    }

    /// One of its maps.
    pub fn map(&self, name: &str) -> Result<MapHandle, String> {
        let (_, id) = self
            .maps
            .iter()
            .find(|(own, _)| own == name)
            .ok_or_else(|| {
                format!(
                    "the controllers in this kernel have no {name}: they are of another release"
                )
            })?;
        MapHandle::from_map_id(*id).map_err(|error| format!("{name}: {error}"))
    }

    /// Let what was changed be in force for the connections that there are.
    pub fn apply(&self) -> Result<(), String> {
        let id = self
            .apply
            .ok_or("the controllers in this kernel are of another release")?;
        // SAFETY: the number is a program's, or refused.
        let program = owned(unsafe { libbpf_sys::bpf_prog_get_fd_by_id(id) })?;
        let mut options = libbpf_sys::bpf_test_run_opts {
            sz: size_of::<libbpf_sys::bpf_test_run_opts>() as libbpf_sys::size_t,
            ..Default::default()
        };
        // SAFETY: the options have their size, and no memory is given.
        let result =
            unsafe { libbpf_sys::bpf_prog_test_run_opts(program.as_raw_fd(), &raw mut options) };
        failed(result).map(|_| ())
    }
}

/// Links that keep our controllers registered.
fn links() -> Vec<u32> {
    let ours: BTreeSet<u32> = MapInfoIter::default()
        .filter(|map| LINKS.iter().any(|name| map.name == *name))
        .map(|map| map.id)
        .collect();
    LinkInfoIter::default()
        .filter(
            |link| matches!(&link.info, LinkTypeInfo::StructOps(of) if ours.contains(&of.map_id)),
        )
        .map(|link| link.id)
        .collect()
}

/// All instances, the one that was loaded last first: of several, no other can be registered.
pub fn all() -> Vec<Instance> {
    let options = ProgInfoQueryOptions::default().include_map_ids(true);
    let mut programs: Vec<_> = ProgInfoIter::with_query_opts(options).collect();
    let maps: Vec<_> = MapInfoIter::default().collect();
    programs.sort_by_key(|program| std::cmp::Reverse(program.id));
    let registered = !links().is_empty();
    let first = programs.iter().filter(|program| program.name == FIRST);
    first
        .enumerate()
        .map(|(place, first)| {
            let ids: BTreeSet<u32> = first.map_ids.iter().copied().collect();
            let beside = programs
                .iter()
                .filter(|program| program.map_ids.iter().any(|id| ids.contains(id)));
            let mut own = Instance {
                programs: Vec::new(),
                registered: registered && place == 0,
                maps: Vec::new(),
                apply: None,
            };
            let mut all_ids = ids.clone();
            for program in beside {
                all_ids.extend(&program.map_ids);
                if program.name == APPLY {
                    own.apply = Some(program.id);
                }
                let kept = |name: &&&str| program.name == name[..name.len().min(NAME_BYTES)];
                if let Some(name) = PROGRAMS.iter().find(kept) {
                    let runs = Runs {
                        count: program.run_cnt,
                        ns: program.run_time_ns,
                    };
                    own.programs.push((name, runs));
                }
            }
            own.programs
                .sort_by_key(|(name, _)| PROGRAMS.iter().position(|other| other == name));
            own.maps = maps
                .iter()
                .filter(|map| all_ids.contains(&map.id))
                .map(|map| (map.name.to_string_lossy().into_owned(), map.id))
                .collect();
            own
        })
        // One that ends has programs for a moment longer than maps.
        .filter(|own| own.registered || own.map("state").is_ok())
        .collect()
}

/// The instance whose controllers can be asked for.
pub fn registered() -> Option<Instance> {
    all().into_iter().find(|own| own.registered)
}

/// Take our controllers from the list of those that can be asked for, whoever keeps their names.
pub fn withdraw() -> Result<(), String> {
    for id in links() {
        // SAFETY: the number is a link's, or refused.
        let link = owned(unsafe { libbpf_sys::bpf_link_get_fd_by_id(id) })?;
        // SAFETY: the descriptor is open.
        failed(unsafe { libbpf_sys::bpf_link_detach(link.as_raw_fd()) })?;
    }
    Ok(())
}
