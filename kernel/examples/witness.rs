// SPDX-License-Identifier: GPL-2.0-only
//! Registers the controller sbd_witness until standard input ends, and prints what it was told: `<time_ns> <token> <subflow> RTT|CA <value>`.

use std::io::{self, Read, Write};

use libbpf_rs::{MapCore, ObjectBuilder, RingBufferBuilder};

#[repr(align(8))]
struct Aligned<Bytes: ?Sized>(Bytes);

const CONTROLLER: &Aligned<[u8]> =
    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/witness.bpf.o")));

fn print(bytes: &[u8]) {
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let time_ns = u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"));
    let rtt_us = word(16) as i32;
    let (kind, value) = if rtt_us == -2 {
        ("CA", word(20))
    } else {
        ("RTT", word(16))
    };
    if kind == "CA" || rtt_us > 0 {
        println!("{time_ns} {:x} {} {kind} {value}", word(8), word(12));
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut object = ObjectBuilder::default()
        .open_memory(&CONTROLLER.0)?
        .load()?;
    let _link = {
        let mut controller = object
            .maps_mut()
            .find(|map| map.name() == "sbd_witness")
            .ok_or("no controller")?;
        controller.attach_struct_ops()?
    };
    println!("ready");
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    let events = object
        .maps()
        .find(|map| map.name() == "events")
        .ok_or("no ring buffer")?;
    let mut builder = RingBufferBuilder::new();
    builder.add(&events, |bytes| {
        print(bytes);
        0
    })?;
    builder.build()?.consume()?;
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("witness: {error}");
        std::process::exit(1);
    }
}
