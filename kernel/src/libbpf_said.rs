// SPDX-License-Identifier: GPL-2.0-only
//! What libbpf said of what went wrong; its errors are numbers.

use std::sync::Mutex;

use libbpf_rs::{PrintLevel, set_print};

static SAID: Mutex<Option<String>> = Mutex::new(None);

fn keep(_level: PrintLevel, text: String) {
    let line = text.trim().trim_start_matches("libbpf: ").to_owned();
    if let Ok(mut said) = SAID.lock() {
        // The verifier's log has many lines, the reason first.
        if said.is_none() && !line.is_empty() {
            *said = line.lines().next().map(str::to_owned);
        }
    }
}

fn keep_and_show(level: PrintLevel, text: String) {
    eprint!("{text}");
    keep(level, text);
}

/// Keep its first warning from now on, and show all of them if wanted.
pub fn listen(show: bool) {
    set_print(Some((
        PrintLevel::Warn,
        if show { keep_and_show } else { keep },
    )));
}

/// What it said, or else the error.
pub fn reason(error: &libbpf_rs::Error) -> String {
    let said = SAID.lock().ok().and_then(|mut said| said.take());
    said.unwrap_or_else(|| error.to_string())
}
