// SPDX-License-Identifier: GPL-2.0-only
//! A connection's signals and judgements in the arena; twin of `slot_memory.h`.

pub const RING: usize = 1024;
pub const LOG: usize = 64;
pub const SIDES: usize = 2;
const VALUES: usize = 32;

pub const HAS_RTT: u8 = 1;
pub const HAS_ACK: u8 = 2;
pub const HAS_STATE: u8 = 4;

/// The group of a subflow of which nothing is known.
pub const NO_GROUP: u8 = 255;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Signal {
    pub now_ns: u64,
    pub acked_bytes: u64,
    pub rtt_us: u32,
    pub has: u8,
    pub ca_state: u8,
    pub unused: [u8; 2],
}

#[repr(C)]
pub struct Ring {
    pub head: u64,
    pub tail: u64,
    pub lost: u64,
    pub id: u32,
    pub unused: u32,
    pub signal: [Signal; RING],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Judgement {
    pub start_ns: u64,
    pub window_ns: u64,
    pub decided_ns: u64,
    pub took_ns: u64,
    pub said: u32,
    pub values: u32,
    pub value: [i32; VALUES],
}

#[repr(C)]
pub struct Slot {
    pub subflows: u32,
    pub judged: u32,
    pub rejected: u32,
    pub missed: u32,
    pub refused: u32,
    pub group: [u8; 4],
    pub ring: [Ring; SIDES],
    pub log: [Judgement; LOG],
}
