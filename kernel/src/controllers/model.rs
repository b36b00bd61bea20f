// SPDX-License-Identifier: GPL-2.0-only
//! Model files: checked here, by the exported C, into memory that the controllers decide with.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use libbpf_rs::MapCore;

use crate::instances::{self, Instance};
use crate::state::{Mapped, PAGE, Shared};
use crate::told::BY_MODEL;
use crate::{kernel, pins};

unsafe extern "C" {
    fn sbd_load_model(model: *mut u8, bytes: *const u8, size: u32) -> i32;
    fn sbd_model_bytes() -> u32;
}

/// Where every process maps the arena.
pub const ARENA_ADDRESS: u64 = if cfg!(target_arch = "x86_64") {
    1 << 44
} else {
    1 << 32
};
const MODELS: usize = 2;
/// A file of all the trees and words that a loaded model may have, and more.
const MOST_BYTES: u64 = 1 << 20;
/// A judgement takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// Words of enum sbd_refusal, from -1 down.
const REFUSALS: [&str; 6] = [
    "no model file",
    "a model file of another version",
    "damaged: its length or its checksum is wrong",
    "a model of features that are not known here",
    "too large a model",
    "damaged: a node leads nowhere, back, or to no feature",
];

/// A model that has been checked.
pub struct Model(Vec<u8>);

/// Read a model file, and check it.
pub fn read(path: &Path) -> Result<Model, String> {
    let named = |what: &str| format!("{}: {what}", path.display());
    // A pipe is not waited for.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .map_err(|error| named(&error.to_string()))?;
    let kind = file.metadata().map_err(|error| named(&error.to_string()))?;
    if !kind.is_file() {
        return Err(named("no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| named(&error.to_string()))?;
    let size = u32::try_from(bytes.len())
        .ok()
        .filter(|size| u64::from(*size) <= MOST_BYTES)
        .ok_or_else(|| named("too large a model"))?;
    // SAFETY: it has no arguments.
    let mut model = vec![0; unsafe { sbd_model_bytes() } as usize];
    // SAFETY: the memory has the size of the model, and the bytes theirs.
    match unsafe { sbd_load_model(model.as_mut_ptr(), bytes.as_ptr(), size) } {
        0 => Ok(Model(model)),
        why => {
            let place = usize::try_from(-1 - why).unwrap_or(usize::MAX);
            Err(named(REFUSALS.get(place).unwrap_or(&"no model")))
        }
    }
}

/// Let the controllers decide by a model from the next window on; the arena is mapped.
pub fn put(instance: &Instance, model: &Model) -> Result<(), String> {
    let shared = Shared::of(instance)?;
    let kept = shared.state();
    if kept.by != BY_MODEL {
        return Err(
            "sbd_smart does not ask a model; sbd kernel unload, and load it with --model".into(),
        );
    }
    let next = (kept.used.load(Ordering::SeqCst) as usize + 1) % MODELS;
    let begun = Instant::now();
    while kept.readers[next].load(Ordering::SeqCst) > 0 {
        if begun.elapsed() > PATIENCE {
            return Err("windows are still judged by the model before the last".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let models = kept.address as *mut u8;
    // SAFETY: the arena is mapped where the kernel has this address from, and nobody reads this model.
    unsafe {
        ptr::copy_nonoverlapping(
            model.0.as_ptr(),
            models.add(next * model.0.len()),
            model.0.len(),
        );
    }
    kept.used.store(next as u32, Ordering::SeqCst);
    Ok(())
}

pub fn change(path: &Path) -> Result<(), String> {
    kernel::check_rights()?;
    let _lock = pins::Lock::take()?;
    let instance = instances::registered().ok_or("the controllers are not loaded")?;
    let model = read(path)?;
    let arena = instance.map("sbd_arena")?;
    let _mapped = Mapped::of(
        arena.as_fd(),
        ARENA_ADDRESS,
        arena.max_entries() as usize * PAGE,
    )?;
    put(&instance, &model)
}
