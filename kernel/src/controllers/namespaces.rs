// SPDX-License-Identifier: GPL-2.0-only
//! Network namespaces of this machine, and what controller each gives to new sockets.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;

const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// Where ip(8) and Docker keep names of namespaces.
const NAMED: [&str; 2] = ["/run/netns", "/run/docker/netns"];

fn default_here() -> Option<String> {
    fs::read_to_string(DEFAULT)
        .ok()
        .map(|text| text.trim().to_owned())
}

/// What a namespace gives; a thread of its own goes there.
fn default_in(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    thread::spawn(move || {
        // SAFETY: the descriptor is open; this thread alone changes its namespace.
        match unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) } {
            0 => default_here(),
            _ => None,
        }
    })
    .join()
    .ok()?
}

fn listed(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The controller of new sockets here.
pub fn own_default() -> Option<String> {
    default_here()
}

/// Namespaces other than this process's whose default is one of some controllers: where they are found, and which.
///
/// Those that have neither a process nor a name in the usual places are not seen.
pub fn elsewhere(controllers: &[&str]) -> Vec<(String, String)> {
    let inode = |path: &Path| fs::metadata(path).map(|data| data.st_ino()).ok();
    let here = inode(Path::new("/proc/self/ns/net"));
    let mut places: BTreeMap<u64, PathBuf> = BTreeMap::new();
    let names = NAMED.iter().flat_map(|folder| listed(folder));
    let of_processes = listed("/proc").into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        name.parse::<u32>().ok().map(|_| path.join("ns/net"))
    });
    for path in names.chain(of_processes) {
        if let Some(inode) = inode(&path).filter(|own| Some(*own) != here) {
            places.entry(inode).or_insert(path);
        }
    }
    places
        .into_values()
        .filter_map(|path| {
            let controller = default_in(&path)?;
            controllers
                .contains(&controller.as_str())
                .then(|| (path.display().to_string(), controller))
        })
        .collect()
}
