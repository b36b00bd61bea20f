// SPDX-License-Identifier: GPL-2.0-only
//! The command line.

use std::os::linux::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
usage: sbd record [options]
Log the subflows of MPTCP connections on this machine, whatever their congestion controller, until SIGINT or SIGTERM.
  --format FORMAT      events (default): lines with token and subflow; state: a CSV file for each connection
  --out PATH           file of events (default: standard output), or for --format state a folder that is made or empty
  --seconds S          stop after S seconds
  --token HEX          this connection only
  --port N             subflows with this port at either end
  --local-port N       subflows with this port here
  --remote-port N      subflows with this port at the other end
  --netns FILE         subflows of this network namespace, such as /run/netns/NAME
  --no-addresses       neither addresses nor ports in the output
  --rotate-mib N       begin a new part of --out after N MiB: FILE.0, FILE.1, ...
  --rotate-seconds S   begin a new part after S seconds
  --keep N             keep the last N parts only
  --ring-kib N         size of the ring buffer, a power of two from 4 (default: 4096)
  --btf FILE           the kernel's types (default: those the kernel shows)
  --probe              use the tracepoint tcp_probe even where fentry works
  --verbose            show what libbpf and the kernel's verifier say
";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Events,
    State,
}

pub struct Options {
    pub format: Format,
    pub out: Option<PathBuf>,
    pub seconds: Option<Duration>,
    pub token: u32,
    pub port: u16,
    pub local_port: u16,
    pub remote_port: u16,
    pub netns: u32,
    pub no_addresses: bool,
    pub rotate_bytes: Option<u64>,
    pub rotate_after: Option<Duration>,
    pub keep: Option<u64>,
    pub ring_bytes: u32,
    pub btf: Option<PathBuf>,
    pub probe: bool,
    pub verbose: bool,
    pub help: bool,
}

fn integer<T: std::str::FromStr + PartialOrd + From<u8>>(
    name: &str,
    text: &str,
) -> Result<T, String> {
    match text.parse() {
        Ok(value) if value >= T::from(1) => Ok(value),
        _ => Err(format!("{name} {text:?} is not a number that fits")),
    }
}

fn seconds(name: &str, text: &str) -> Result<Duration, String> {
    let found = text.parse().ok().filter(|&value: &f64| value > 0.0);
    found
        .and_then(|value| Duration::try_from_secs_f64(value).ok())
        .ok_or_else(|| format!("{name} {text:?} is not a number of seconds"))
}

fn inode(path: &str) -> Result<u32, String> {
    let found = std::fs::metadata(path).map_err(|error| format!("--netns {path}: {error}"))?;
    u32::try_from(found.st_ino()).map_err(|_| format!("--netns {path}: not a network namespace"))
}

impl Options {
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut own = Options {
            format: Format::Events,
            out: None,
            seconds: None,
            token: 0,
            port: 0,
            local_port: 0,
            remote_port: 0,
            netns: 0,
            no_addresses: false,
            rotate_bytes: None,
            rotate_after: None,
            keep: None,
            ring_bytes: 1 << 22,
            btf: None,
            probe: false,
            verbose: false,
            help: false,
        };
        let mut arguments = arguments;
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--no-addresses" => own.no_addresses = true,
                "--probe" => own.probe = true,
                "--verbose" => own.verbose = true,
                "--help" | "-h" => own.help = true,
                "--format" | "--out" | "--seconds" | "--token" | "--port" | "--local-port"
                | "--remote-port" | "--netns" | "--rotate-mib" | "--rotate-seconds" | "--keep"
                | "--ring-kib" | "--btf" => {
                    let value = arguments
                        .next()
                        .ok_or_else(|| format!("{name} needs a value"))?;
                    own.set(&name, &value)?;
                }
                _ => return Err(format!("unknown option {name:?}; --help lists them")),
            }
        }
        own.checked()
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "--format" => {
                self.format = match value {
                    "events" => Format::Events,
                    "state" => Format::State,
                    _ => return Err(format!("--format {value:?} is neither events nor state")),
                }
            }
            "--out" => self.out = (value != "-").then(|| value.into()),
            "--seconds" => self.seconds = Some(seconds(name, value)?),
            "--token" => {
                self.token = u32::from_str_radix(value.trim_start_matches("0x"), 16)
                    .ok()
                    .filter(|&token| token > 0)
                    .ok_or_else(|| {
                        format!("--token {value:?} is not hexadecimal, or does not fit")
                    })?;
            }
            "--port" => self.port = integer(name, value)?,
            "--local-port" => self.local_port = integer(name, value)?,
            "--remote-port" => self.remote_port = integer(name, value)?,
            "--netns" => self.netns = inode(value)?,
            "--rotate-mib" => {
                self.rotate_bytes = Some(u64::from(integer::<u32>(name, value)?) << 20)
            }
            "--rotate-seconds" => self.rotate_after = Some(seconds(name, value)?),
            "--keep" => self.keep = Some(integer(name, value)?),
            "--ring-kib" => {
                self.ring_bytes = integer::<u32>(name, value)?
                    .checked_mul(1024)
                    .filter(|bytes| bytes.is_power_of_two() && *bytes >= 4096)
                    .ok_or_else(|| format!("--ring-kib {value:?} is not a power of two from 4"))?;
            }
            _ => self.btf = Some(value.into()),
        }
        Ok(())
    }

    fn checked(self) -> Result<Options, String> {
        let rotates = self.rotate_bytes.is_some() || self.rotate_after.is_some();
        if self.format == Format::State && self.out.is_none() && !self.help {
            return Err("--format state needs a folder: --out DIR".into());
        }
        if rotates && (self.format == Format::State || self.out.is_none()) {
            return Err("parts are for a file of events: --out FILE".into());
        }
        if self.keep.is_some() && !rotates {
            return Err("--keep is for parts: --rotate-mib N or --rotate-seconds S".into());
        }
        Ok(self)
    }
}
