// SPDX-License-Identifier: GPL-2.0-only
//! The command line.

use std::path::PathBuf;

use crate::told::MOST_CONNECTIONS;

pub const HELP: &str = "\
usage: sbd kernel load [--model FILE] [--connections N] | unload | status [--json] | model FILE
Congestion controllers for MPTCP's subflows in this machine's kernel: sbd_lia and sbd_smart.
  load                 register both; sbd_smart asks the lag excess
    --model FILE       sbd_smart asks the model of this .sbd file instead
    --connections N    room for N connections at once (default: 64)
    --verbose          show what libbpf and the kernel's verifier say
  unload               take them away; connections that have one keep it until they end
  status               connections, what couples them, and why
    --json             the same as JSON
  model FILE           change the model; windows that end from then on are judged by it
";

const DEFAULT_CONNECTIONS: u32 = 64;

pub struct Wanted {
    pub model: Option<PathBuf>,
    pub connections: u32,
    pub verbose: bool,
}

pub enum Command {
    Help,
    Load(Wanted),
    Unload,
    Status { json: bool },
    Model(PathBuf),
}

fn load(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut wanted = Wanted {
        model: None,
        connections: DEFAULT_CONNECTIONS,
        verbose: false,
    };
    while let Some(name) = arguments.next() {
        if name == "--verbose" {
            wanted.verbose = true;
            continue;
        }
        if !["--model", "--connections"].contains(&name.as_str()) {
            return Err(format!("load has no option {name:?}; --help lists them"));
        }
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} needs a value"))?;
        if name == "--model" {
            wanted.model = Some(value.into());
            continue;
        }
        wanted.connections = value
            .parse()
            .ok()
            .filter(|count| (1..=MOST_CONNECTIONS).contains(count))
            .ok_or_else(|| format!("{name} {value:?} is not from 1 to {MOST_CONNECTIONS}"))?;
    }
    Ok(Command::Load(wanted))
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
        let Ok(Command::Load(wanted)) = parse("load --model a.sbd --connections 4096") else {
            panic!("load");
        };
        assert_eq!(wanted.connections, MOST_CONNECTIONS);
        assert_eq!(wanted.model, Some("a.sbd".into()));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for words in [
            "load --connections 0",
            "load --connections 4097",
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
