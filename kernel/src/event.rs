// SPDX-License-Identifier: GPL-2.0-only
//! What the program in the kernel says: twin of `record.h`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const IDS_TELL: u32 = 1 << 31;
const BYTES: usize = 72;
const INET: u8 = 2;
const INET6: u8 = 10;

/// After an ACK, or with a change of state.
pub struct Event {
    pub time_ns: u64,
    pub token: u32,
    pub identity: Identity,
    pub rtt_us: u32,
    pub snd_una: u32,
    pub sent_again: u32,
    pub ca_state: u8,
    pub ends: Option<(SocketAddr, SocketAddr)>,
}

/// What tells a connection's subflows apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Identity {
    /// The kernel's number, from 1 on.
    Number(u32),
    /// Made of the ids of its addresses and of its ports, where the kernel gives no number.
    Ids(u32),
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the slice has N bytes")
}

impl Event {
    /// None if these are not the bytes of an event.
    pub fn of(bytes: &[u8]) -> Option<Event> {
        if bytes.len() != BYTES {
            return None;
        }
        let word = |at| u32::from_ne_bytes(number(bytes, at));
        let half = |at| u16::from_ne_bytes(number(bytes, at));
        let address = |at: usize| match bytes[33] {
            INET => Some(IpAddr::from(Ipv4Addr::from(number::<4>(bytes, at)))),
            INET6 => Some(Ipv6Addr::from(number::<16>(bytes, at)).to_canonical()),
            _ => None,
        };
        let (local_port, remote_port) = (half(28), half(30));
        let subflow = word(12);
        Some(Event {
            time_ns: u64::from_ne_bytes(number(bytes, 0)),
            token: word(8),
            identity: match subflow & IDS_TELL {
                0 => Identity::Number(subflow),
                _ => Identity::Ids(subflow),
            },
            rtt_us: word(16),
            snd_una: word(20),
            sent_again: word(24),
            ca_state: bytes[32],
            ends: address(40).zip(address(56)).map(|(local, remote)| {
                (
                    SocketAddr::new(local, local_port),
                    SocketAddr::new(remote, remote_port),
                )
            }),
        })
    }
}
