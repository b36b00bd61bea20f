// SPDX-License-Identifier: GPL-2.0-only
//! How many instructions of a program the verifier went through.

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd};

use libbpf_rs::{ProgramMut, libbpf_sys};

/// What the kernel tells of a program that is loaded.
pub fn verified(program: &ProgramMut<'_>) -> io::Result<u32> {
    let mut info = libbpf_sys::bpf_prog_info::default();
    let mut size = mem::size_of_val(&info) as u32;
    // SAFETY: the size is the struct's, and no array is asked for.
    let failed = unsafe {
        libbpf_sys::bpf_prog_get_info_by_fd(
            program.as_fd().as_raw_fd(),
            &raw mut info,
            &raw mut size,
        )
    };
    match failed {
        0 => Ok(info.verified_insns),
        _ => Err(io::Error::last_os_error()),
    }
}
