// SPDX-License-Identifier: GPL-2.0-only
//! Compiles the programs for the kernel, with the headers of the libbpf that is linked.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the headers are, unless SBD_HEADERS says so: with models that are in no release.
const GENERATED: &str = "../export/generated";
const LAG_EXCESS: &str = "lag_excess";
/// The header of the default.
const VERDICT: &str = "../detectors/verdict";
/// The header of the active check.
const ACTIVE: &str = "../detectors/active";
const COMMON_LAG: &str = "common_lag";
const MODEL_FILES: &str = "loaded";

/// The lag excess, as the common lag, divides signed numbers, for which there are instructions from v4 on. Those that load signed numbers are not for arenas.
const SIGNED: [&str; 3] = ["-mcpu=v4", "-mllvm", "-disable-ldsx"];

/// The folder of the headers.
fn headers() -> String {
    env::var("SBD_HEADERS").unwrap_or_else(|_| GENERATED.into())
}

struct Compiler {
    clang: String,
    out: PathBuf,
    options: Vec<String>,
}

impl Compiler {
    fn found() -> Compiler {
        let headers = env::var("DEP_BPF_INCLUDE").expect("libbpf-sys sets it");
        let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
        let kernel_name = match architecture.as_str() {
            "x86_64" => "x86",
            "aarch64" => "arm64",
            other => other,
        };
        let mut options: Vec<String> = [
            "-target",
            "bpf",
            "-O2",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
        ]
        .map(String::from)
        .into();
        options.push(format!("-D__TARGET_ARCH_{kernel_name}"));
        options.push(format!("-I{headers}"));
        // Where Debian keeps asm/types.h.
        options.push(format!("-I/usr/include/{architecture}-linux-gnu"));
        Compiler {
            clang: env::var("CLANG").unwrap_or_else(|_| "clang-19".into()),
            out: PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")),
            options,
        }
    }

    /// Compile `src/<name>.bpf.c`, with options, to `<object>.bpf.o`; return its path.
    fn compile(&self, name: &str, object: &str, options: &[&str]) -> PathBuf {
        let source = format!("src/{name}.bpf.c");
        let path = self.out.join(format!("{object}.bpf.o"));
        let status = Command::new(&self.clang)
            .args(&self.options)
            .args(options)
            .args(["-c", &source, "-o"])
            .arg(&path)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => panic!("{} {source}: {status}", self.clang),
            Err(error) => panic!("{}: {error}", self.clang),
        }
        path
    }
}

/// Names of the exported models: `tree_paper` of `sbd_tree_paper.h`.
fn models() -> Vec<String> {
    let folder = headers();
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix("sbd_")?.strip_suffix(".h")?.to_owned()))
        .filter(|name| ![LAG_EXCESS, COMMON_LAG].contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

/// Names of the features, in the order of `enum sbd_feature`.
fn features() -> Vec<String> {
    let path = format!("{}/smartsbd.h", headers());
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (_, behind) = text.split_once("enum sbd_feature {").expect("there is one");
    behind
        .lines()
        .map_while(|line| match line.trim().trim_end_matches(',') {
            "SBD_FEATURES" => None,
            word => Some(word.trim_start_matches("SBD_").to_lowercase()),
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Compile the replay for every exported detector; `detectors.rs` has their names and objects.
fn compile_detectors(compiler: &Compiler) {
    let folder = headers();
    let (included, verdict) = (format!("-I{folder}"), format!("-I{VERDICT}"));
    let mut listed = String::from("const DETECTORS: &[(&str, &Aligned<[u8]>)] = &[\n");
    for name in models()
        .iter()
        .map(String::as_str)
        .chain([LAG_EXCESS, COMMON_LAG])
    {
        let model = format!("-DSBD_MODEL=sbd_{name}");
        let mut options = vec![included.as_str()];
        if name == LAG_EXCESS {
            options.extend(SIGNED);
            options.push("-DSBD_LAG_EXCESS");
        } else if name == COMMON_LAG {
            options.extend(SIGNED);
            options.extend([verdict.as_str(), "-DSBD_COMMON_LAG"]);
        } else {
            options.extend(["-mcpu=v3", &model]);
        }
        let object = compiler.compile("replay", &format!("replay_{name}"), &options);
        writeln!(
            listed,
            "    (\"{name}\", &Aligned(*include_bytes!({object:?}))),"
        )
        .expect("a string grows");
    }
    listed.push_str("];\n");
    writeln!(listed, "const FEATURES: &[&str] = &{:?};", features()).expect("a string grows");
    fs::write(compiler.out.join("detectors.rs"), listed).expect("OUT_DIR can be written");
    println!("cargo:rerun-if-changed=src/replay.bpf.c");
    assert!(
        Path::new(&folder)
            .join(format!("sbd_{MODEL_FILES}.h"))
            .exists(),
        "{folder} has no header for model files"
    );
}

fn main() {
    let compiler = Compiler::found();
    for name in ["record", "witness"] {
        compiler.compile(name, name, &["-mcpu=v3"]);
        println!("cargo:rerun-if-changed=src/{name}.bpf.c");
    }
    let folder = headers();
    let (included, verdict) = (format!("-I{folder}"), format!("-I{VERDICT}"));
    let active = format!("-I{ACTIVE}");
    let options = [&SIGNED[..], &[&included, &verdict, &active]].concat();
    compiler.compile("controller", "controller", &options);
    cc::Build::new()
        .include(&folder)
        .file("src/model_file.c")
        .compile("model_file");
    println!("cargo:rerun-if-changed={folder}");
    println!("cargo:rerun-if-changed={VERDICT}");
    println!("cargo:rerun-if-changed={ACTIVE}");
    println!("cargo:rerun-if-env-changed=SBD_HEADERS");
    for name in ["controller.bpf.c", "model_file.c"] {
        println!("cargo:rerun-if-changed=src/{name}");
    }
    if env::var_os("CARGO_FEATURE_DETECTORS").is_some() {
        compile_detectors(&compiler);
    }
    for name in [
        "arena.h",
        "checking.h",
        "connections.h",
        "controller.h",
        "coupled.h",
        "deciding.h",
        "dither.h",
        "host.h",
        "kernel.h",
        "modes.h",
        "pages.h",
        "siblings.h",
        "verdicts.h",
        "record.h",
        "slot.h",
        "slot_common_lag.h",
        "slot_lag_excess.h",
        "slot_memory.h",
        "slot_model.h",
        "verifiable.h",
    ] {
        println!("cargo:rerun-if-changed=src/{name}");
    }
    println!("cargo:rerun-if-env-changed=CLANG");
}
