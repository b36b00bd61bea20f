// SPDX-License-Identifier: GPL-2.0-only
//! Compiles the programs for the kernel, with the headers of the libbpf that is linked.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang-19".into());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let headers = env::var("DEP_BPF_INCLUDE").expect("libbpf-sys sets it");
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    let kernel_name = match architecture.as_str() {
        "x86_64" => "x86",
        "aarch64" => "arm64",
        other => other,
    };
    for name in ["record", "witness"] {
        let source = format!("src/{name}.bpf.c");
        let status = Command::new(&clang)
            .args([
                "-target",
                "bpf",
                "-mcpu=v3",
                "-O2",
                "-g",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-unused-parameter",
            ])
            .arg(format!("-D__TARGET_ARCH_{kernel_name}"))
            .arg(format!("-I{headers}"))
            // Where Debian keeps asm/types.h.
            .arg(format!("-I/usr/include/{architecture}-linux-gnu"))
            .args(["-c", &source, "-o"])
            .arg(out.join(format!("{name}.bpf.o")))
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => panic!("{clang} {source}: {status}"),
            Err(error) => panic!("{clang}: {error}"),
        }
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-changed=src/kernel.h");
    println!("cargo:rerun-if-changed=src/record.h");
    println!("cargo:rerun-if-env-changed=CLANG");
}
