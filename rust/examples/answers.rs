// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What coupling and groups answer, to compare with the C of a sender.
//!
//! ```sh
//! printf 'lia 10 10 800000 10 800000\n' | cargo run --release --example answers
//! ```
//!
//! Lines of words and numbers:
//!
//! - `lia CWND (CWND SRTT_8US)...`
//! - `theta SCORE_Q10 EPSILON_Q10 PATHS`
//! - `mix COUPLED_ACKS CWND THETA_Q10`
//! - `joint PATHS (VERDICT SCORE_Q10)...` with pairs (0, 1), (0, 2), (1, 2), ...: 0 apart, 1 shared, 2 unknown, 3 no
//!   queue. What was answered last holds as long as `PATHS` stays the same.

use smartsbd::{Joint, Relation, Verdict, Window, lia_acks, mixed_acks, theta_q10};
use std::io::{self, BufRead, BufWriter, Write};

fn verdict(number: i64) -> Verdict {
    match number {
        0 => Verdict::Apart,
        1 => Verdict::Shared,
        2 => Verdict::Unknown,
        _ => Verdict::NoQueue,
    }
}

fn relations(held: &mut Option<(usize, Joint)>, paths: usize, numbers: &[i64]) -> String {
    if held.as_ref().is_none_or(|(last, _)| *last != paths) {
        *held = Some((paths, Joint::new(paths)));
    }
    let Some((_, joint)) = held else {
        return String::new();
    };
    let pairs: Vec<_> = (1..paths)
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .collect();
    for (&(i, j), values) in pairs.iter().zip(numbers.chunks_exact(2)) {
        joint.note(i, j, verdict(values[0]), values[1] as i32);
    }
    joint.judge();
    let words = pairs.iter().map(|&(i, j)| match joint.relation(i, j) {
        Relation::Apart => "0",
        Relation::Together => "1",
        Relation::Unknown => "-1",
    });
    words.collect::<Vec<_>>().join(" ")
}

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut held = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let numbers: Vec<i64> = words.map(|word| word.parse().expect("a number")).collect();
        let answer = match kind {
            "lia" => {
                let windows: Vec<_> = numbers[1..]
                    .chunks_exact(2)
                    .map(|values| Window {
                        cwnd: values[0] as u32,
                        srtt_8us: values[1] as u32,
                    })
                    .collect();
                lia_acks(&windows, numbers[0] as u32).to_string()
            }
            "theta" => {
                theta_q10(numbers[0] as i32, numbers[1] as u32, numbers[2] as u32).to_string()
            }
            "mix" => {
                mixed_acks(numbers[0] as u32, numbers[1] as u32, numbers[2] as u32).to_string()
            }
            "joint" => relations(&mut held, numbers[0] as usize, &numbers[1..]),
            _ => panic!("{kind}: no such question"),
        };
        writeln!(out, "{answer}")?;
    }
    out.flush()
}
