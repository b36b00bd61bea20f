// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Every window of every pair of paths, its features and what a tree says, to compare with the headers in C.
//!
//! ```sh
//! cargo run --release --example windows invariant < events > windows
//! cargo run --release --example windows invariant -x < rows > verdicts
//! ```
//!
//! Events and windows are lines, as `export/programs/replay.c` has them with `-f`; those of a connection are in
//! order of time. Other kinds of lines are left out. Rows are of every [`Feature`], as little-endian `i32`; a
//! verdict on one is a byte.

use smartsbd::{
    Feature, Features, PairWindow, PairWindows, Path, TREE_INVARIANT, TREE_PAPER, Tree, Verdict,
};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{self, BufWriter, Read, Write};

/// Congestion states from Recovery on.
const CONGESTED: u64 = 3;
const ROW_BYTES: usize = 4 * Feature::ALL.len();

/// A line `<ns> C=<token, hex> SF=<n> V=<kind> <value>`.
struct Event<'a> {
    now_ns: u64,
    token: u64,
    subflow: u32,
    kind: &'a str,
    value: u64,
}

impl<'a> Event<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split(' ');
        Some(Self {
            now_ns: words.next()?.parse().ok()?,
            token: u64::from_str_radix(words.next()?.strip_prefix("C=")?, 16).ok()?,
            subflow: words.next()?.strip_prefix("SF=")?.parse().ok()?,
            kind: words.next()?.strip_prefix("V=")?,
            value: words.next()?.parse().ok()?,
        })
    }
}

/// Every two subflows of a connection, the lower number first.
struct Connection {
    pairs: Vec<(u32, u32, PairWindows)>,
    now_ns: u64,
}

impl Connection {
    fn new(subflows: &BTreeSet<u32>) -> Self {
        let pairs = subflows.iter().flat_map(|&a| {
            let others = subflows.iter().filter(move |&&b| a < b);
            others.map(move |&b| (a, b, PairWindows::new()))
        });
        Self {
            pairs: pairs.collect(),
            now_ns: 0,
        }
    }
}

/// A tree at work, and how many windows there were.
struct Replay<'a, W: Write> {
    tree: &'a Tree,
    features: Features,
    out: W,
    decided: u32,
    rejected: u32,
    missed: u32,
}

impl<W: Write> Replay<'_, W> {
    fn judge(&mut self, token: u64, subflows: (u32, u32), window: &PairWindow) -> io::Result<()> {
        let verdict = match self.tree.judge(window, &mut self.features) {
            Verdict::Shared => "SB",
            _ => "NSB",
        };
        let (a, b) = subflows;
        let (start_ns, window_ns) = (window.start_ns(), window.window_ns());
        write!(
            self.out,
            "C={token:x} SF={a},{b} {start_ns} {window_ns} {verdict}"
        )?;
        for &feature in self.tree.features() {
            write!(
                self.out,
                " {}={}",
                feature.name(),
                self.features.value(feature)
            )?;
        }
        writeln!(self.out)
    }

    fn take(&mut self, connection: &mut Connection, event: &Event) -> io::Result<()> {
        connection.now_ns = event.now_ns;
        for (a, b, windows) in &mut connection.pairs {
            // Before the signal is taken: it may end the window after the one that is complete now.
            while let Some(window) = windows.decide(event.now_ns) {
                self.judge(event.token, (*a, *b), window)?;
            }
            let path = match event.subflow {
                subflow if subflow == *a => Path::A,
                subflow if subflow == *b => Path::B,
                _ => continue,
            };
            match event.kind {
                "RTT" => windows.on_rtt(path, event.now_ns, event.value as u32),
                "ACK" => windows.on_ack(path, event.now_ns, event.value),
                _ => windows.on_state(path, event.now_ns, event.value >= CONGESTED),
            }
        }
        Ok(())
    }

    fn finish(&mut self, token: u64, mut connection: Connection, end_ns: u64) -> io::Result<()> {
        for (a, b, windows) in &mut connection.pairs {
            while let Some(window) = windows.finish(end_ns) {
                self.judge(token, (*a, *b), window)?;
            }
            assert_eq!(windows.refused(), 0, "a line that cannot be");
            self.decided += windows.decided();
            self.rejected += windows.rejected();
            self.missed += windows.missed();
        }
        Ok(())
    }
}

fn replay_events(tree: &Tree, out: impl Write) -> io::Result<()> {
    let text = io::read_to_string(io::stdin())?;
    let events = || text.lines().filter_map(Event::parse);
    let mut subflows = BTreeMap::<u64, BTreeSet<u32>>::new();
    for event in events().filter(|event| ["RTT", "ACK", "CA"].contains(&event.kind)) {
        subflows
            .entry(event.token)
            .or_default()
            .insert(event.subflow);
    }
    let mut connections: BTreeMap<u64, Connection> = subflows
        .iter()
        .map(|(&token, ids)| (token, Connection::new(ids)))
        .collect();
    let mut replay = Replay {
        tree,
        features: Features::new(),
        out,
        decided: 0,
        rejected: 0,
        missed: 0,
    };
    for event in events() {
        match event.kind {
            "END" => {
                if let Some(connection) = connections.remove(&event.token) {
                    replay.finish(event.token, connection, event.now_ns)?;
                }
            }
            "RTT" | "ACK" | "CA" => {
                if let Some(connection) = connections.get_mut(&event.token) {
                    replay.take(connection, &event)?;
                }
            }
            _ => {}
        }
    }
    for (token, connection) in connections {
        let end_ns = connection.now_ns;
        replay.finish(token, connection, end_ns)?;
    }
    eprintln!(
        "decided {}, rejected {}, missed {}",
        replay.decided, replay.rejected, replay.missed
    );
    replay.out.flush()
}

fn replay_rows(tree: &Tree, mut out: impl Write) -> io::Result<()> {
    let mut rows = Vec::new();
    io::stdin().read_to_end(&mut rows)?;
    for row in rows.chunks_exact(ROW_BYTES) {
        let verdict = tree.verdict(|feature| {
            let bytes = &row[4 * feature as usize..][..4];
            i32::from_le_bytes(bytes.try_into().unwrap())
        });
        out.write_all(&[u8::from(verdict == Verdict::Shared)])?;
    }
    out.flush()
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let tree = match arguments.first().map(String::as_str) {
        Some("invariant") => &TREE_INVARIANT,
        Some("paper") => &TREE_PAPER,
        _ => return Err(io::Error::other("usage: windows invariant|paper [-x]")),
    };
    let out = BufWriter::new(io::stdout().lock());
    if arguments.get(1).is_some_and(|option| option == "-x") {
        replay_rows(tree, out)
    } else {
        replay_events(tree, out)
    }
}
