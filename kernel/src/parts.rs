// SPDX-License-Identifier: GPL-2.0-only
//! Where event lines go: standard output, a file, or numbered parts of one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub struct Parts {
    path: Option<PathBuf>,
    most_bytes: Option<u64>,
    longest: Option<Duration>,
    keep: Option<u64>,
    to: BufWriter<Box<dyn Write>>,
    number: u64,
    bytes: u64,
    since: Instant,
    pub removed: u64,
}

impl Parts {
    /// A file that is there is not written over.
    pub fn open(
        path: Option<PathBuf>,
        most_bytes: Option<u64>,
        longest: Option<Duration>,
        keep: Option<u64>,
    ) -> io::Result<Parts> {
        let mut own = Parts {
            path,
            most_bytes,
            longest,
            keep,
            to: BufWriter::new(Box::new(io::stdout())),
            number: 0,
            bytes: 0,
            since: Instant::now(),
            removed: 0,
        };
        own.to = own.part()?;
        Ok(own)
    }

    fn rotates(&self) -> bool {
        self.most_bytes.is_some() || self.longest.is_some()
    }

    fn name(&self, number: u64) -> Option<PathBuf> {
        let mut name = OsString::from(self.path.as_ref()?);
        if self.rotates() {
            name.push(format!(".{number}"));
        }
        Some(name.into())
    }

    fn part(&self) -> io::Result<BufWriter<Box<dyn Write>>> {
        let Some(name) = self.name(self.number) else {
            return Ok(BufWriter::new(Box::new(io::stdout())));
        };
        let file = File::create_new(&name).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", name.display()))
        })?;
        Ok(BufWriter::with_capacity(1 << 16, Box::new(file)))
    }

    /// Begin the next part if it is time to; true if it is.
    pub fn turn(&mut self) -> io::Result<bool> {
        let full = self.most_bytes.is_some_and(|most| self.bytes >= most);
        if !full
            && self
                .longest
                .is_none_or(|longest| self.since.elapsed() < longest)
        {
            return Ok(false);
        }
        self.to.flush()?;
        self.number += 1;
        self.to = self.part()?;
        self.bytes = 0;
        self.since = Instant::now();
        if let Some(old) = self
            .keep
            .and_then(|keep| self.number.checked_sub(keep))
            .and_then(|old| self.name(old))
        {
            fs::remove_file(old)?;
            self.removed += 1;
        }
        Ok(true)
    }

    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.bytes += line.len() as u64 + 1;
        self.to.write_all(line.as_bytes())?;
        self.to.write_all(b"\n")
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
