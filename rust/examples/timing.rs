// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What a sample and a judgement cost, on samples in the form of the example `judgements`.
//!
//! ```sh
//! cargo run --release --example timing < samples
//! ```
//!
//! Prints calls that do not judge, their mean in nanoseconds, calls that judge, and theirs. Of each call the least of five
//! runs counts; the clock's own reading, some 20 ns, is in it.

use smartsbd::{Pair, Path};
use std::hint::black_box;
use std::io::{self, Read};
use std::time::Instant;

const RUNS: usize = 5;

struct Sample {
    time_ns: u64,
    rtt_us: u32,
    /// None begins the next pair.
    path: Option<Path>,
}

fn read() -> io::Result<Vec<Sample>> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let sample = |row: &[u8]| Sample {
        time_ns: i64::from_le_bytes(row[..8].try_into().unwrap()) as u64,
        rtt_us: u32::from_le_bytes(row[8..12].try_into().unwrap()),
        path: match i32::from_le_bytes(row[12..].try_into().unwrap()) {
            0 => Some(Path::A),
            1 => Some(Path::B),
            _ => None,
        },
    };
    Ok(bytes.chunks_exact(16).map(sample).collect())
}

fn main() -> io::Result<()> {
    let samples = read()?;
    let mut least_ns = vec![u128::MAX; samples.len()];
    let mut judged = vec![false; samples.len()];
    for _ in 0..RUNS {
        let mut pair = Pair::new();
        for (i, sample) in samples.iter().enumerate() {
            let Some(path) = sample.path else {
                pair = Pair::new();
                continue;
            };
            let begin = Instant::now();
            let judgement = black_box(pair.on_rtt(path, sample.time_ns, sample.rtt_us));
            least_ns[i] = least_ns[i].min(begin.elapsed().as_nanos());
            judged[i] = judgement.is_some();
        }
    }
    for judges in [false, true] {
        let of_kind = || {
            let all = least_ns.iter().zip(&judged).zip(&samples);
            all.filter(|((_, judged), sample)| **judged == judges && sample.path.is_some())
                .map(|((ns, _), _)| *ns)
        };
        let count = of_kind().count().max(1) as u128;
        print!("{} {} ", of_kind().count(), of_kind().sum::<u128>() / count);
    }
    println!();
    Ok(())
}
