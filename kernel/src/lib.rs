// SPDX-License-Identifier: GPL-2.0-only
//! What all that loads programs into the kernel asks of libbpf.

pub mod libbpf_said;
pub mod program_info;
