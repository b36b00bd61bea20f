// SPDX-License-Identifier: GPL-2.0-only
//! What a kernel must have, each missing part said in one line.

use std::fs;
use std::path::Path;

use libbpf_rs::HasSize;
use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::{Func, Struct};

pub const TYPES: &str = "/sys/kernel/btf/vmlinux";
/// Bits of CapEff, and what they are for.
const CAPABILITIES: [(u32, &str); 2] = [(21, "CAP_SYS_ADMIN"), (12, "CAP_NET_ADMIN")];
/// Structures and functions of the kernel, what they are, and since when.
const STRUCTURES: [(&str, &str); 3] = [
    ("mptcp_sock", "MPTCP (CONFIG_MPTCP)"),
    ("bpf_arena", "BPF arenas (Linux 6.9)"),
    ("bpf_struct_ops_link", "links of struct_ops (Linux 6.4)"),
];
const FUNCTIONS: [(&str, &str); 2] = [
    ("bpf_wq_init", "BPF work queues (Linux 6.10)"),
    (
        "tcp_cong_avoid_ai",
        "tcp_cong_avoid_ai for BPF (Linux 5.13)",
    ),
];

fn missing_capability() -> Option<&'static str> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))?;
    let effective = u64::from_str_radix(line.trim(), 16).ok()?;
    CAPABILITIES
        .iter()
        .find(|(bit, _)| effective >> bit & 1 == 0)
        .map(|(_, name)| *name)
}

/// Make sure of the rights that every command needs.
pub fn check_rights() -> Result<(), String> {
    match missing_capability() {
        Some(name) => Err(format!("{name} is missing: run it as root")),
        None => Ok(()),
    }
}

/// Make sure that the controllers can run here.
pub fn check() -> Result<(), String> {
    if !Path::new(TYPES).exists() {
        return Err(format!(
            "{TYPES} is missing: the kernel was built without BTF (CONFIG_DEBUG_INFO_BTF)"
        ));
    }
    let types = Btf::from_path(TYPES).map_err(|error| format!("{TYPES}: {error}"))?;
    for (name, what) in STRUCTURES {
        if types.type_by_name::<Struct<'_>>(name).is_none() {
            return Err(format!("this kernel has no {what}"));
        }
    }
    for (name, what) in FUNCTIONS {
        if types.type_by_name::<Func<'_>>(name).is_none() {
            return Err(format!("this kernel has no {what}"));
        }
    }
    Ok(())
}

/// Bytes that CUBIC's state may have: host.h leaves so many of a socket's to it.
const CUBIC_BYTES: usize = 64;

/// Whether sockets that are not controlled can have CUBIC.
pub fn has_cubic() -> bool {
    let Ok(types) = Btf::from_path(TYPES) else {
        return false;
    };
    types.type_by_name::<Func<'_>>("cubictcp_init").is_some()
        && types
            .type_by_name::<Struct<'_>>("bictcp")
            .is_some_and(|own| own.size() <= CUBIC_BYTES)
}
