// SPDX-License-Identifier: GPL-2.0-only
//! The command line.

use std::path::PathBuf;

use crate::told::{MODES, MOST_CONNECTIONS, PLAIN};

pub const HELP: &str = "\
usage: sbd kernel load [options] | status [--json] | checks | couple | uncouple | auto | model FILE | unload
Congestion controllers for MPTCP's subflows in this machine's kernel: sbd_lia and sbd_smart.
  load                 register both; sbd_smart asks the common lag
    --model FILE       sbd_smart asks the model of this .sbd file instead
    --connections N    room for N connections at once (default: 4096)
    --cgroup FOLDER    sockets of this cgroup alone; all others have the host's controller
    --by-odds PERCENT  sbd_smart mixes LIA and Reno by the odds of a shared bottleneck, so that a rival is expected
                       to lose at most so much; without it, it has the one or the other
    --check            verdicts of a shared bottleneck are checked: windows are moved by a little, up and down in random order, for
                       300 round trips at most, and subflows that do not answer to each other's are apart
    --log-checks       keep what checks are given, for the command checks
    --plain NAME       cubic or reno, for sockets that are no subflow (default: the host's, else cubic)
    --verbose          show what libbpf and the kernel's verifier say
  status               connections, what couples them, and why
    --json             the same as JSON
  checks               what checks were given since it was last asked, as lines (load --check --log-checks)
  couple, uncouple     whatever verdicts say, from now on, also connections that there are
    --cgroup FOLDER    those of this cgroup
  auto                 as verdicts say again, for all cgroups
    --cgroup FOLDER    in this cgroup
  model FILE           change the model; windows that end from then on are judged by it
  unload               take them away; connections that have one keep it, coupled, until they end
";

const DEFAULT_CONNECTIONS: u32 = 4096;

pub struct Wanted {
    pub model: Option<PathBuf>,
    pub connections: u32,
    pub cgroup: Option<PathBuf>,
    pub plain: Option<u32>,
    pub epsilon_q10: u32,
    pub check: bool,
    pub log_checks: bool,
    pub verbose: bool,
}

pub enum Command {
    Help,
    Load(Wanted),
    Unload,
    Status { json: bool },
    Checks,
    Model(PathBuf),
    Mode { mode: u32, cgroup: Option<PathBuf> },
}

fn load(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut wanted = Wanted {
        model: None,
        connections: DEFAULT_CONNECTIONS,
        cgroup: None,
        plain: None,
        epsilon_q10: 0,
        check: false,
        log_checks: false,
        verbose: false,
    };
    while let Some(name) = arguments.next() {
        let switch = match name.as_str() {
            "--verbose" => Some(&mut wanted.verbose),
            "--check" => Some(&mut wanted.check),
            "--log-checks" => Some(&mut wanted.log_checks),
            _ => None,
        };
        if let Some(switch) = switch {
            *switch = true;
            continue;
        }
        if ![
            "--model",
            "--connections",
            "--cgroup",
            "--plain",
            "--by-odds",
        ]
        .contains(&name.as_str())
        {
            return Err(format!("load has no option {name:?}; --help lists them"));
        }
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--model" => wanted.model = Some(value.into()),
            "--cgroup" => wanted.cgroup = Some(value.into()),
            "--plain" => {
                let place = PLAIN.iter().position(|own| *own == value);
                let place =
                    place.ok_or_else(|| format!("{name} {value:?} is neither reno nor cubic"))?;
                wanted.plain = Some(place as u32);
            }
            "--by-odds" => wanted.epsilon_q10 = epsilon_q10(&name, &value)?,
            _ => wanted.connections = connections(&name, &value)?,
        }
    }
    if wanted.epsilon_q10 > 0 && wanted.model.is_some() {
        return Err("a model tells no odds: --by-odds goes without --model".into());
    }
    if wanted.check && wanted.model.is_some() {
        return Err("what a model says is not checked: --check goes without --model".into());
    }
    if wanted.log_checks && !wanted.check {
        return Err("there are no checks to log: --log-checks goes with --check".into());
    }
    Ok(Command::Load(wanted))
}

fn epsilon_q10(name: &str, value: &str) -> Result<u32, String> {
    let percent = value
        .parse()
        .ok()
        .filter(|percent| (1..=100).contains(percent));
    percent
        .map(|percent: u32| percent * 1024 / 100)
        .ok_or_else(|| format!("{name} {value:?} is not from 1 to 100"))
}

fn connections(name: &str, value: &str) -> Result<u32, String> {
    value
        .parse()
        .ok()
        .filter(|count| (1..=MOST_CONNECTIONS).contains(count))
        .ok_or_else(|| format!("{name} {value:?} is not from 1 to {MOST_CONNECTIONS}"))
}

impl Command {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
        let name = arguments.next().unwrap_or_else(|| "--help".into());
        let mut rest = arguments.peekable();
        let command = match name.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "load" => return load(rest),
            "unload" => Command::Unload,
            "status" => Command::Status {
                json: rest.next_if_eq("--json").is_some(),
            },
            "checks" => Command::Checks,
            "auto" | "couple" | "uncouple" => Command::Mode {
                mode: MODES
                    .iter()
                    .position(|own| *own == name)
                    .unwrap_or_default() as u32,
                cgroup: match rest.next_if_eq("--cgroup") {
                    Some(_) => Some(rest.next().ok_or("--cgroup needs a value")?.into()),
                    None => None,
                },
            },
            "model" => Command::Model(rest.next().ok_or("model needs a file")?.into()),
            _ => return Err(format!("unknown command {name:?}; --help lists them")),
        };
        match rest.next() {
            Some(more) => Err(format!("{name} takes no {more:?}")),
            None => Ok(command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Command, String> {
        Command::parse(words.split_whitespace().map(String::from))
    }

    #[test]
    fn commands_are_told_apart() {
        assert!(matches!(
            parse("status"),
            Ok(Command::Status { json: false })
        ));
        assert!(matches!(
            parse("status --json"),
            Ok(Command::Status { json: true })
        ));
        assert!(matches!(parse("unload"), Ok(Command::Unload)));
        assert!(matches!(parse(""), Ok(Command::Help)));
        let Ok(Command::Load(wanted)) =
            parse("load --model a.sbd --connections 16384 --plain cubic")
        else {
            panic!("load");
        };
        assert_eq!(wanted.connections, MOST_CONNECTIONS);
        assert_eq!(
            (wanted.model, wanted.plain),
            (Some("a.sbd".into()), Some(1))
        );
        assert!(!wanted.check);
        let Ok(Command::Load(wanted)) = parse("load --check --log-checks --by-odds 10") else {
            panic!("load");
        };
        assert!(wanted.check && wanted.log_checks && !wanted.verbose);
        assert!(matches!(parse("checks"), Ok(Command::Checks)));
        let Ok(Command::Mode { mode: 2, cgroup }) = parse("uncouple --cgroup /a") else {
            panic!("uncouple");
        };
        assert_eq!(cgroup, Some("/a".into()));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for words in [
            "load --connections 0",
            "load --connections 16385",
            "load --plain bbr",
            "load --by-odds 0",
            "load --by-odds 10 --model a.sbd",
            "load --check --model a.sbd",
            "load --log-checks",
            "checks --json",
            "couple --cgroup",
            "couple now",
            "load --connections",
            "load --json",
            "unload now",
            "model",
            "model a b",
            "reload",
        ] {
            assert!(parse(words).is_err(), "{words}");
        }
    }
}
