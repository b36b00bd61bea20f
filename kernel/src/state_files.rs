// SPDX-License-Identifier: GPL-2.0-only
//! A state log for each connection, `<token>.state.csv`, as docs/formats.md has it, and the subflows' ends beside them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::event::Event;
use crate::subflows::Change;

/// Logs that are open at a time; of more, the one written to longest ago is closed, and opened again.
const MOST_OPEN: usize = 256;
const ENDS: &str = "subflows.csv";

struct Log {
    to: BufWriter<File>,
    last_ns: u64,
}

pub struct StateFiles {
    folder: PathBuf,
    ends: Option<BufWriter<File>>,
    open: HashMap<u32, Log>,
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl StateFiles {
    pub fn new(folder: PathBuf, addresses: bool) -> io::Result<StateFiles> {
        fs::create_dir_all(&folder).map_err(|error| named(&folder, &error))?;
        if fs::read_dir(&folder)
            .map_err(|error| named(&folder, &error))?
            .next()
            .is_some()
        {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{}: not empty", folder.display()),
            ));
        }
        let mut ends = None;
        if addresses {
            let mut to = BufWriter::new(File::create_new(folder.join(ENDS))?);
            writeln!(to, "token,subflow,local,remote")?;
            ends = Some(to);
        }
        Ok(StateFiles {
            folder,
            ends,
            open: HashMap::new(),
        })
    }

    fn log(&mut self, token: u32) -> io::Result<&mut Log> {
        if !self.open.contains_key(&token) {
            if self.open.len() >= MOST_OPEN {
                let oldest = self
                    .open
                    .iter()
                    .min_by_key(|(_, log)| log.last_ns)
                    .map(|(token, _)| *token);
                if let Some(mut log) = oldest.and_then(|token| self.open.remove(&token)) {
                    log.to.flush()?;
                }
            }
            let path = self.folder.join(format!("{token:08x}.state.csv"));
            let fresh = !path.exists();
            let file = File::options()
                .append(true)
                .create(true)
                .open(&path)
                .map_err(|error| named(&path, &error))?;
            let mut to = BufWriter::new(file);
            if fresh {
                writeln!(to, "t,sf,var,value")?;
            }
            self.open.insert(token, Log { to, last_ns: 0 });
        }
        Ok(self.open.get_mut(&token).expect("it was opened"))
    }

    pub fn take(&mut self, event: &Event, change: &Change) -> io::Result<()> {
        if let (true, Some((local, remote)), Some(to)) =
            (change.begins, event.ends, self.ends.as_mut())
        {
            writeln!(
                to,
                "{:08x},{},{local},{remote}",
                event.token, change.subflow
            )?;
        }
        let (seconds, rest_ns) = (event.time_ns / 1_000_000_000, event.time_ns % 1_000_000_000);
        let before = format!("{seconds}.{rest_ns:09},{}", change.subflow);
        let log = self.log(event.token)?;
        log.last_ns = event.time_ns;
        if change.new_state {
            writeln!(log.to, "{before},ca_state,{}", event.ca_state)?;
        }
        for _ in 0..change.sent_again {
            writeln!(log.to, "{before},retrans,1")?;
        }
        if change.advanced {
            writeln!(log.to, "{before},ack,{}", event.snd_una)?;
        }
        if event.rtt_us > 0 {
            writeln!(log.to, "{before},rtt_us,{}", event.rtt_us)?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        if let Some(ends) = &mut self.ends {
            ends.flush()?;
        }
        self.open.values_mut().try_for_each(|log| log.to.flush())
    }
}
