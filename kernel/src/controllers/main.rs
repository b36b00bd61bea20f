// SPDX-License-Identifier: GPL-2.0-only
//! `sbd kernel`: congestion controllers that couple MPTCP's subflows, in this machine's kernel.

mod checks;
mod instances;
mod kernel;
mod loading;
mod model;
mod modes;
mod namespaces;
mod options;
mod pins;
mod state;
mod status;
mod told;

use std::process::ExitCode;

use options::{Command, HELP};

const EXIT_FAILED: u8 = 1;
const EXIT_USAGE: u8 = 2;

fn run(command: &Command) -> Result<(), String> {
    match command {
        Command::Help => print!("{HELP}"),
        Command::Load(wanted) => return loading::load(wanted),
        Command::Unload => return loading::unload(),
        Command::Status { json } => return status::print(*json),
        Command::Checks => return checks::print(),
        Command::Model(path) => return model::change(path),
        Command::Mode { mode, cgroup } => return modes::change(*mode, cgroup.as_ref()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let command = match Command::parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(why) => {
            eprintln!("sbd kernel: {why}");
            return ExitCode::from(EXIT_USAGE);
        }
    };
    match run(&command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("sbd kernel: {why}");
            ExitCode::from(EXIT_FAILED)
        }
    }
}
