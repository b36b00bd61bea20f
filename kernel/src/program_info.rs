// SPDX-License-Identifier: GPL-2.0-only
//! What the kernel tells of a program that is loaded: how much its verifier went through, how often and how long it ran.

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use libbpf_rs::{ProgramMut, libbpf_sys};

fn of(program: BorrowedFd<'_>) -> io::Result<libbpf_sys::bpf_prog_info> {
    let mut info = libbpf_sys::bpf_prog_info::default();
    let mut size = mem::size_of_val(&info) as u32;
    // SAFETY: the size is the struct's, and no array is asked for.
    let failed = unsafe {
        libbpf_sys::bpf_prog_get_info_by_fd(program.as_raw_fd(), &raw mut info, &raw mut size)
    };
    match failed {
        0 => Ok(info),
        _ => Err(io::Error::last_os_error()),
    }
}

/// How many instructions of a program the verifier went through.
pub fn verified(program: &ProgramMut<'_>) -> io::Result<u32> {
    of(program.as_fd()).map(|info| info.verified_insns)
}

/// How often a program ran while the kernel counted (`kernel.bpf_stats_enabled`), and for how long.
pub struct Runs {
    pub count: u64,
    pub ns: u64,
}
