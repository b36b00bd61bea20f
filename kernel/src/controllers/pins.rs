// SPDX-License-Identifier: GPL-2.0-only
//! What stays in the kernel when this program has ended: names in a BPF file system of its own.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

pub const FOLDER: &str = "/run/smartsbd";
/// Links keep the controllers registered.
pub const LINKS: [&str; 2] = ["sbd_lia", "sbd_smart"];
/// Without a name, no work is done by the kernel's queues.
pub const MAPS: [&str; 1] = ["works"];
/// Other commands call it.
pub const PROGRAMS: [&str; 1] = ["apply"];

fn mount(folder: &str) -> io::Result<()> {
    let target = CString::new(folder).expect("the name has no zero");
    // SAFETY: all strings end in zero and outlive the call.
    let failed = unsafe {
        libc::mount(
            c"smartsbd".as_ptr(),
            target.as_ptr(),
            c"bpf".as_ptr(),
            libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC,
            c"mode=0700".as_ptr().cast(),
        )
    };
    match failed {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn unmount(folder: &str) -> io::Result<()> {
    let target = CString::new(folder).expect("the name has no zero");
    // SAFETY: the string ends in zero and outlives the call.
    match unsafe { libc::umount2(target.as_ptr(), libc::UMOUNT_NOFOLLOW) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// The lock of the folder; commands that change what is in the kernel hold it.
pub struct Lock {
    _held: fs::File,
}

impl Lock {
    pub fn take() -> Result<Lock, String> {
        let path = Path::new("/run/smartsbd.lock");
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
            return Err("another sbd kernel is at work".into());
        }
        Ok(Lock { _held: file })
    }
}

/// Make the folder, with a BPF file system in it.
pub fn make() -> Result<(), String> {
    fs::create_dir_all(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    mount(FOLDER).map_err(|error| {
        let _ = fs::remove_dir(FOLDER);
        format!("{FOLDER}: a BPF file system cannot be mounted: {error}")
    })
}

/// Remove all names, the file system and the folder; what is not there is no error.
pub fn remove() -> Result<(), String> {
    for name in LINKS.iter().chain(&MAPS).chain(&PROGRAMS) {
        match fs::remove_file(path(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", path(name).display()));
            }
            _ => {}
        }
    }
    match unmount(FOLDER) {
        // EINVAL: nothing is mounted there.
        Err(error) if ![Some(libc::EINVAL), Some(libc::ENOENT)].contains(&error.raw_os_error()) => {
            return Err(format!("{FOLDER}: {error}"));
        }
        _ => {}
    }
    match fs::remove_dir(FOLDER) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{FOLDER}: {error}")),
        _ => Ok(()),
    }
}
