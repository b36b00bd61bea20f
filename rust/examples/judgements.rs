// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Every judgement on pairs of paths, to compare with those of other implementations.
//!
//! ```sh
//! cargo run --release --example judgements < samples > judgements
//! ```
//!
//! Samples and judgements are as `export/programs/common_lag_judgements.c` has them, little-endian. A
//! sample is `i64 time_ns, u32 rtt_us, i32 path`; a path of -1 begins the next pair.

use smartsbd::{Judgement, Pair, Path, Verdict};
use std::io::{self, BufWriter, Read, Write};

const SAMPLE_BYTES: usize = 16;

fn row(number: i32, judgement: &Judgement) -> [i32; 15] {
    let evidence = &judgement.evidence;
    let value = |value: Option<i32>| value.unwrap_or(i32::MIN);
    let verdict = match judgement.verdict {
        Verdict::Apart => 0,
        Verdict::Shared => 1,
        Verdict::Unknown => 2,
        Verdict::NoQueue => 3,
    };
    [
        number,
        verdict,
        judgement.score_q10,
        judgement.age as i32,
        evidence.bands as i32,
        evidence.samples,
        evidence.probes,
        value(evidence.lag_q10),
        value(evidence.level_q10),
        value(evidence.adjacent_q10),
        value(evidence.lead_q10),
        value(evidence.memory_q10[0]),
        value(evidence.memory_q10[1]),
        i32::from(evidence.queues[0]) | i32::from(evidence.queues[1]) << 1,
        size_of::<Pair>() as i32,
    ]
}

fn main() -> io::Result<()> {
    let mut samples = Vec::new();
    io::stdin().read_to_end(&mut samples)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut result = Ok(());
    let mut write = |number: i32, judgement: &Judgement| {
        for field in row(number, judgement) {
            if let Err(error) = out.write_all(&field.to_le_bytes()) {
                result = Err(error);
            }
        }
    };
    let (mut pair, mut number, mut last_ns) = (Pair::new(), -1, 0);
    for sample in samples.chunks_exact(SAMPLE_BYTES) {
        let (time_ns, rest) = sample.split_at(8);
        let (rtt_us, path) = rest.split_at(4);
        let time_ns = i64::from_le_bytes(time_ns.try_into().unwrap()) as u64;
        let rtt_us = u32::from_le_bytes(rtt_us.try_into().unwrap());
        let path = match i32::from_le_bytes(path.try_into().unwrap()) {
            0 => Path::A,
            1 => Path::B,
            _ => {
                pair.finish_each(last_ns, |judgement| write(number, judgement));
                pair = Pair::new();
                number += 1;
                continue;
            }
        };
        pair.on_rtt_each(path, time_ns, rtt_us, |judgement| write(number, judgement));
        last_ns = time_ns;
    }
    pair.finish_each(last_ns, |judgement| write(number, judgement));
    result?;
    out.flush()
}
