// SPDX-License-Identifier: GPL-2.0-only
//! What the controllers and this program keep together; twin of struct controller_state in controller.h.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::instances::Instance;

pub const PAGE: usize = 4096;

#[repr(C)]
pub struct State {
    pub address: u64,
    pub by: u32,
    pub used: AtomicU32,
    pub readers: [AtomicU32; 2],
    pub mode: AtomicU32,
    pub cgroups: AtomicU32,
    pub pages: AtomicU64,
    pub connections: u32,
    pub plain: u32,
    pub epsilon_q10: u32,
    pub check: u32,
}

/// Memory of a map, shared with the kernel.
pub struct Mapped {
    at: *mut c_void,
    bytes: usize,
}

impl Mapped {
    /// Map it, at an address if that is not 0.
    pub fn of(map: BorrowedFd<'_>, address: u64, bytes: usize) -> Result<Mapped, String> {
        // SAFETY: a new mapping, which replaces no other.
        let at = unsafe {
            libc::mmap(
                address as *mut c_void,
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                map.as_raw_fd(),
                0,
            )
        };
        match at {
            libc::MAP_FAILED => Err(io::Error::last_os_error().to_string()),
            at => Ok(Mapped { at, bytes }),
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: it was mapped so.
        unsafe { libc::munmap(self.at, self.bytes) };
    }
}

/// The state of an instance, as long as this is there.
pub struct Shared(Mapped);

impl Shared {
    pub fn of(instance: &Instance) -> Result<Shared, String> {
        let map = instance.map("state")?;
        Mapped::of(map.as_fd(), 0, PAGE).map(Shared)
    }

    pub fn state(&self) -> &State {
        // SAFETY: the map has one of it, and outlives the reference.
        unsafe { &*self.0.at.cast::<State>() }
    }
}
