// SPDX-License-Identifier: GPL-2.0-only
//! What is in force under sbd_smart, for the host or for a cgroup: also for connections that there are.

use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::{fs, str};

use libbpf_rs::{MapCore, MapFlags};

use crate::instances::{self, Instance};
use crate::state::Shared;
use crate::told::MODES;
use crate::{kernel, pins};

pub const AUTO: u32 = 0;
pub const HOST: u32 = 3;

/// Type of the second hierarchy's file system (statfs(2)).
const CGROUP2: i64 = 0x6367_7270;

/// A cgroup as its file system numbers it, which is its folder's inode.
fn id(cgroup: &Path) -> Result<u64, String> {
    let named = |what: &str| format!("{}: {what}", cgroup.display());
    let data = fs::metadata(cgroup).map_err(|error| named(&error.to_string()))?;
    let path = std::ffi::CString::new(cgroup.as_os_str().as_encoded_bytes())
        .map_err(|_| named("no name of a folder"))?;
    let mut system: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the string ends in zero, and the memory is the struct's.
    let failed = unsafe { libc::statfs(path.as_ptr(), &raw mut system) };
    if failed != 0 || system.f_type as i64 != CGROUP2 || !data.is_dir() {
        return Err(named("no folder of cgroup2"));
    }
    Ok(data.st_ino())
}

/// Folders that are looked through for a cgroup's name.
const MOST_FOLDERS: usize = 16_384;

/// Where a cgroup is mounted, by its number; its number where that is not found.
pub fn place(id: u64) -> String {
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mut folders: Vec<PathBuf> = mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').skip(1);
            let place = words.next()?;
            (words.next()? == "cgroup2").then(|| place.into())
        })
        .collect();
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        looked += 1;
        if fs::metadata(&folder).is_ok_and(|data| data.st_ino() == id) {
            return folder.display().to_string();
        }
        if looked > MOST_FOLDERS {
            break;
        }
        let within = fs::read_dir(&folder).into_iter().flatten().flatten();
        folders.extend(
            within
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
    format!("number {id}")
}

/// The modes of cgroups: numbers and modes.
pub fn of_cgroups(instance: &Instance) -> Result<Vec<(u64, u32)>, String> {
    let map = instance.map("cgroup_modes")?;
    let mut each = Vec::new();
    for key in map.keys() {
        let value = map
            .lookup(&key, MapFlags::ANY)
            .map_err(|error| error.to_string())?;
        if let (Ok(key), Some(Ok(value))) = (
            key.as_slice().try_into().map(u64::from_ne_bytes),
            value.map(|own| own.as_slice().try_into().map(u32::from_ne_bytes)),
        ) {
            each.push((key, value));
        }
    }
    each.sort_unstable();
    Ok(each)
}

/// Let a mode be in force.
pub fn set(instance: &Instance, mode: u32, cgroup: Option<&Path>) -> Result<(), String> {
    let shared = Shared::of(instance)?;
    match cgroup {
        None => shared.state().mode.store(mode, Ordering::SeqCst),
        Some(path) => {
            let map = instance.map("cgroup_modes")?;
            map.update(&id(path)?.to_ne_bytes(), &mode.to_ne_bytes(), MapFlags::ANY)
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    let count = of_cgroups(instance)?.len() as u32;
    shared.state().cgroups.store(count, Ordering::SeqCst);
    instance.apply()
}

/// Let no cgroup have a mode of its own.
pub fn forget_cgroups(instance: &Instance) -> Result<(), String> {
    let map = instance.map("cgroup_modes")?;
    for (id, _) in of_cgroups(instance)? {
        map.delete(&id.to_ne_bytes())
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The command `auto`, `couple` or `uncouple`.
pub fn change(mode: u32, cgroup: Option<&PathBuf>) -> Result<(), String> {
    kernel::check_rights()?;
    let _lock = pins::Lock::take()?;
    let instance = instances::registered().ok_or("the controllers are not loaded")?;
    if cgroup.is_some() {
        return set(&instance, mode, cgroup.map(PathBuf::as_path));
    }
    // The host's reaches all that is controlled; `auto` lets sockets of other cgroups be controlled too.
    let shared = Shared::of(&instance)?;
    if mode == AUTO {
        forget_cgroups(&instance)?;
    } else {
        let map = instance.map("cgroup_modes")?;
        for (id, _) in of_cgroups(&instance)? {
            map.update(&id.to_ne_bytes(), &mode.to_ne_bytes(), MapFlags::ANY)
                .map_err(|error| error.to_string())?;
        }
        if shared.state().mode.load(Ordering::SeqCst) == HOST {
            return instance.apply();
        }
    }
    set(&instance, mode, None)
}

/// A mode's word.
pub fn name(mode: u32) -> &'static str {
    MODES.get(mode as usize).copied().unwrap_or("unknown")
}
