// SPDX-License-Identifier: GPL-2.0-only
//! What the controllers tell; twin of controller.h.

pub const SUBFLOWS: usize = 4;
pub const MOST_CONNECTIONS: u32 = 16384;
pub const NEVER: u8 = 255;

pub const BY: [&str; 3] = ["always", "common_lag", "model"];
pub const BY_COMMON_LAG: u32 = 1;
pub const BY_MODEL: u32 = 2;
pub const PLAIN: [&str; 2] = ["reno", "cubic"];
pub const MODES: [&str; 4] = ["auto", "couple", "uncouple", "host"];
/// Places in the map of counts.
pub const COUNTS: [&str; 11] = [
    "connections",
    "ended",
    "connections_without_room",
    "subflows_without_room",
    "times_without_memory",
    "sockets_left_to_the_host",
    "checks",
    "checks_apart",
    "checks_shared",
    "checks_unknown",
    "check_events_lost",
];
/// Words of enum sbd_common_said.
const LAG_SAID: [&str; 4] = ["apart", "shared", "nothing", "no_queue"];

/// Words of enum check_state.
pub const CHECK_STATES: [&str; 5] = ["none", "running", "apart", "shared", "unknown"];
/// Bytes of struct check_event.
pub const CHECK_EVENT_BYTES: usize = 40;

const CHECK_BYTES: usize = 16;
const PAIR_BYTES: usize = 24;
const SUBFLOW_BYTES: usize = 40;
const HEAD_BYTES: usize = 48;

pub struct Subflow {
    pub place: usize,
    pub id: u32,
    pub local_port: u16,
    pub remote_port: u16,
    pub cwnd: u32,
    pub srtt_us: u32,
    pub group: u8,
    /// The share of Reno's increase beside LIA's.
    pub theta_q10: u16,
    pub signals: u64,
    pub lost: u64,
}

pub struct Pair {
    /// Places of the subflows, not their numbers.
    pub subflow: [usize; 2],
    pub verdicts: u32,
    pub unknown: u32,
    pub last_ns: u64,
    pub shared: Option<bool>,
    pub said: Option<&'static str>,
    pub score_q10: i32,
    pub coupled: bool,
    pub check: Option<Check>,
}

/// The last check of a pair, since the common lag says "shared" of it.
pub struct Check {
    pub state: &'static str,
    pub since_ns: u64,
    pub took_ms: u32,
    pub symbols: u16,
}

/// What a check was given, or what became of it.
pub struct CheckEvent {
    pub time_ns: u64,
    pub begin_ns: u64,
    pub middle_ns: u64,
    pub token: u32,
    pub value: u32,
    /// Places of the subflows.
    pub subflow: [usize; 2],
    pub kind: u8,
}

pub struct Connection {
    pub token: u32,
    pub netns: u32,
    pub by: &'static str,
    pub mode: &'static str,
    /// Has more subflows than have room.
    pub crowded: bool,
    pub since_ns: u64,
    pub works: u64,
    pub work_ns: u64,
    pub work_most_ns: u64,
    pub subflows: Vec<Subflow>,
    pub pairs: Vec<Pair>,
}

struct Reader<'bytes>(&'bytes [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (own, rest) = self.0.split_at(N);
        self.0 = rest;
        own.try_into().expect("as many were taken")
    }

    fn u64(&mut self) -> u64 {
        u64::from_ne_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_ne_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_ne_bytes(self.take())
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }
}

/// A subflow, and whether its place is taken.
fn subflow(bytes: &[u8], place: usize) -> (bool, Subflow) {
    let mut reader = Reader(bytes);
    let (signals, lost) = (reader.u64(), reader.u64());
    let (id, cwnd, srtt_8us) = (reader.u32(), reader.u32(), reader.u32());
    let (local_port, remote_port) = (reader.u16(), reader.u16());
    let (used, group, theta_q10) = (reader.u8(), reader.u8(), reader.u16());
    let own = Subflow {
        place,
        id,
        local_port,
        remote_port,
        cwnd,
        srtt_us: srtt_8us >> 3,
        group,
        theta_q10,
        signals,
        lost,
    };
    (used != 0, own)
}

/// Places of the subflows of each pair.
fn places() -> Vec<[usize; 2]> {
    (1..SUBFLOWS)
        .flat_map(|later| (0..later).map(move |earlier| [earlier, later]))
        .collect()
}

impl CheckEvent {
    /// An event of the log; none if it is of another release.
    pub fn of(bytes: &[u8]) -> Option<CheckEvent> {
        let mut reader = Reader(bytes.get(..CHECK_EVENT_BYTES)?);
        let (time_ns, begin_ns, middle_ns) = (reader.u64(), reader.u64(), reader.u64());
        let (token, value) = (reader.u32(), reader.u32());
        let (pair, kind) = (reader.u8(), reader.u8());
        Some(CheckEvent {
            time_ns,
            begin_ns,
            middle_ns,
            token,
            value,
            subflow: *places().get(usize::from(pair))?,
            kind,
        })
    }
}

fn check(bytes: &[u8]) -> Option<Check> {
    let mut reader = Reader(bytes);
    let (since_ns, took_ms) = (reader.u64(), reader.u32());
    let (symbols, state) = (reader.u16(), reader.u8());
    (state != 0).then(|| Check {
        state: CHECK_STATES
            .get(usize::from(state))
            .copied()
            .unwrap_or("unknown"),
        since_ns,
        took_ms,
        symbols,
    })
}

fn pair(bytes: &[u8], check_bytes: &[u8], subflow: [usize; 2]) -> Pair {
    let mut reader = Reader(bytes);
    let last_ns = reader.u64();
    let (verdicts, unknown, score) = (reader.u32(), reader.u32(), reader.u32());
    let (shared, said, coupled) = (reader.u8(), reader.u8(), reader.u8());
    Pair {
        subflow,
        verdicts,
        unknown,
        last_ns,
        shared: (shared != NEVER).then_some(shared != 0),
        said: LAG_SAID.get(usize::from(said)).copied(),
        score_q10: score as i32,
        coupled: coupled != 0,
        check: check(check_bytes),
    }
}

impl Connection {
    /// What a place tells; none if it is free.
    pub fn of(bytes: &[u8]) -> Option<Connection> {
        let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
        let (subflows, pairs) = rest.split_at_checked(SUBFLOWS * SUBFLOW_BYTES)?;
        let mut reader = Reader(head);
        let (since_ns, works) = (reader.u64(), reader.u64());
        let (work_ns, work_most_ns) = (reader.u64(), reader.u64());
        let (token, netns) = (reader.u32(), reader.u32());
        let (by, mode, crowded) = (reader.u8(), reader.u8(), reader.u8());
        if token == 0 {
            return None;
        }
        let subflows: Vec<Subflow> = subflows
            .chunks_exact(SUBFLOW_BYTES)
            .enumerate()
            .map(|(place, own)| subflow(own, place))
            .filter_map(|(used, own)| used.then_some(own))
            .collect();
        let here = |place: usize| subflows.iter().any(|own| own.place == place);
        let places = places();
        let (pairs, checks) = pairs.split_at_checked(places.len() * PAIR_BYTES)?;
        let pairs = pairs
            .chunks_exact(PAIR_BYTES)
            .zip(checks.chunks_exact(CHECK_BYTES))
            .zip(places)
            .filter(|(_, [earlier, later])| here(*earlier) && here(*later))
            .map(|((own, check), subflow)| pair(own, check, subflow))
            .collect();
        Some(Connection {
            token,
            netns,
            by: BY.get(usize::from(by)).copied().unwrap_or("unknown"),
            mode: MODES.get(usize::from(mode)).copied().unwrap_or("unknown"),
            crowded: crowded != 0,
            since_ns,
            works,
            work_ns,
            work_most_ns,
            subflows,
            pairs,
        })
    }

    /// The number of the subflow at a place.
    pub fn id_of(&self, place: usize) -> u32 {
        self.subflows
            .iter()
            .find(|own| own.place == place)
            .map_or(0, |own| own.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(token: u32) -> Vec<u8> {
        let pairs = SUBFLOWS * (SUBFLOWS - 1) / 2;
        let whole = HEAD_BYTES + SUBFLOWS * SUBFLOW_BYTES + pairs * (PAIR_BYTES + CHECK_BYTES);
        let mut bytes = vec![0; whole];
        bytes[32..36].copy_from_slice(&token.to_ne_bytes());
        bytes[40] = BY_COMMON_LAG as u8;
        for place in [0, 2] {
            let own = &mut bytes[HEAD_BYTES + place * SUBFLOW_BYTES..][..SUBFLOW_BYTES];
            own[..8].copy_from_slice(&7u64.to_ne_bytes());
            own[16..20].copy_from_slice(&(place as u32 + 1).to_ne_bytes());
            own[24..28].copy_from_slice(&8000u32.to_ne_bytes());
            own[32] = 1;
        }
        // The pair of the first and the third is the second of all.
        let own = &mut bytes[HEAD_BYTES + SUBFLOWS * SUBFLOW_BYTES + PAIR_BYTES..][..PAIR_BYTES];
        own[8..12].copy_from_slice(&3u32.to_ne_bytes());
        own[16..20].copy_from_slice(&(-5i32).to_ne_bytes());
        own[20] = 1;
        own[21] = 2;
        own[22] = 1;
        let checks = whole - pairs * CHECK_BYTES;
        let own = &mut bytes[checks + CHECK_BYTES..][..CHECK_BYTES];
        own[..8].copy_from_slice(&9u64.to_ne_bytes());
        own[8..12].copy_from_slice(&1500u32.to_ne_bytes());
        own[12..14].copy_from_slice(&40u16.to_ne_bytes());
        own[14] = 2;
        bytes
    }

    #[test]
    fn a_connection_is_read() {
        let own = Connection::of(&bytes(0xabc)).expect("a connection");
        assert_eq!(
            (own.token, own.by, own.subflows.len()),
            (0xabc, "common_lag", 2)
        );
        assert_eq!((own.subflows[1].id, own.subflows[1].srtt_us), (3, 1000));
        assert_eq!(own.pairs.len(), 1);
        let pair = &own.pairs[0];
        assert_eq!((pair.subflow, own.id_of(2)), ([0, 2], 3));
        assert_eq!((pair.verdicts, pair.score_q10), (3, -5));
        assert_eq!((pair.shared, pair.said), (Some(true), Some("nothing")));
        let check = pair.check.as_ref().expect("a check");
        assert_eq!((check.state, check.since_ns), ("apart", 9));
        assert_eq!((check.took_ms, check.symbols), (1500, 40));
    }

    #[test]
    fn a_free_place_and_half_a_place_are_none() {
        assert!(Connection::of(&bytes(0)).is_none());
        assert!(Connection::of(&bytes(1)[..40]).is_none());
    }
}
