// SPDX-License-Identifier: GPL-2.0-only
//! What is remembered of each subflow: from the kernel's numbers to what changed.

use std::collections::{HashMap, HashSet};

use crate::event::{Event, Identity};

/// Subflows that are remembered; of more, those silent for long are forgotten.
const MOST: usize = 65_536;
const SILENT_NS: u64 = 600_000_000_000;
/// A log holds four digits.
const MOST_NUMBER: u32 = 9_999;

/// What an event changed.
pub struct Change {
    pub subflow: u32,
    /// First event of the subflow that is remembered.
    pub begins: bool,
    pub advanced: bool,
    pub new_state: bool,
    pub sent_again: u32,
}

struct Subflow {
    number: u32,
    last_ns: u64,
    snd_una: u32,
    sent_again: u32,
    ca_state: u8,
    /// Whether its state stands in the present part.
    stated: bool,
}

#[derive(Default)]
pub struct Subflows {
    known: HashMap<(u32, Identity), Subflow>,
    /// Numbers given to subflows that the kernel gives none, by token.
    given: HashMap<u32, u32>,
    tokens: HashSet<u32>,
    pub connections: u64,
    pub subflows: u64,
    /// Events of subflows beyond what is remembered, or beyond four digits.
    pub refused: u64,
    /// Events out of time order; none is known to occur.
    pub backwards: u64,
}

impl Subflows {
    /// States are said again: a part begins that stands for itself.
    pub fn begin_part(&mut self) {
        for one in self.known.values_mut() {
            one.stated = false;
        }
    }

    fn forget(&mut self, now_ns: u64) {
        self.known.retain(|_, one| one.last_ns + SILENT_NS > now_ns);
        self.tokens = self.known.keys().map(|key| key.0).collect();
        let tokens = &self.tokens;
        self.given.retain(|token, _| tokens.contains(token));
    }

    fn begin(&mut self, event: &Event) -> bool {
        if self.known.len() >= MOST {
            self.forget(event.time_ns);
        }
        let number = match event.identity {
            Identity::Number(number) => number,
            Identity::Ids(_) => self.given.get(&event.token).map_or(1, |last| last + 1),
        };
        if self.known.len() >= MOST || number > MOST_NUMBER {
            self.refused += 1;
            return false;
        }
        if let Identity::Ids(_) = event.identity {
            self.given.insert(event.token, number);
        }
        self.subflows += 1;
        self.connections += u64::from(self.tokens.insert(event.token));
        let fresh = Subflow {
            number,
            last_ns: event.time_ns,
            snd_una: event.snd_una,
            sent_again: 0,
            ca_state: 0,
            stated: true,
        };
        self.known.insert((event.token, event.identity), fresh);
        true
    }

    /// What the event changed; None if it is refused.
    pub fn take(&mut self, event: &Event) -> Option<Change> {
        let key = (event.token, event.identity);
        let begins = !self.known.contains_key(&key);
        if begins && !self.begin(event) {
            return None;
        }
        let own = self.known.get_mut(&key)?;
        if event.time_ns < own.last_ns {
            self.backwards += 1;
            return None;
        }
        let change = Change {
            subflow: own.number,
            begins,
            advanced: begins || event.snd_una != own.snd_una,
            new_state: event.ca_state != own.ca_state || (!own.stated && event.ca_state != 0),
            sent_again: event.sent_again.wrapping_sub(own.sent_again),
        };
        own.last_ns = event.time_ns;
        own.snd_una = event.snd_una;
        own.sent_again = event.sent_again;
        own.ca_state = event.ca_state;
        own.stated = true;
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time_ns: u64, identity: Identity, snd_una: u32, ca_state: u8) -> Event {
        Event {
            time_ns,
            token: 7,
            identity,
            rtt_us: 1,
            snd_una,
            sent_again: 0,
            ca_state,
            ends: None,
        }
    }

    #[test]
    fn subflows_without_a_number_are_given_one_in_order() {
        let mut own = Subflows::default();
        let numbers: Vec<u32> = [0x0101, 0x0200, 0x0101]
            .iter()
            .map(|&ids| {
                own.take(&event(1, Identity::Ids(ids), 5, 0))
                    .unwrap()
                    .subflow
            })
            .collect();
        assert_eq!(numbers, [1, 2, 1]);
        assert_eq!((own.connections, own.subflows), (1, 2));
    }

    #[test]
    fn a_state_is_said_when_it_changes_and_in_each_part() {
        let mut own = Subflows::default();
        let said = |own: &mut Subflows, time_ns, state| {
            own.take(&event(time_ns, Identity::Number(1), 5, state))
                .unwrap()
                .new_state
        };
        assert!(!said(&mut own, 1, 0));
        assert!(said(&mut own, 2, 3));
        assert!(!said(&mut own, 3, 3));
        own.begin_part();
        assert!(said(&mut own, 4, 3));
        assert!(!said(&mut own, 5, 3));
    }

    #[test]
    fn what_runs_backwards_or_has_five_digits_is_counted() {
        let mut own = Subflows::default();
        assert!(own.take(&event(9, Identity::Number(1), 5, 0)).is_some());
        assert!(own.take(&event(8, Identity::Number(1), 5, 0)).is_none());
        assert!(
            own.take(&event(9, Identity::Number(10_000), 5, 0))
                .is_none()
        );
        assert_eq!((own.backwards, own.refused), (1, 1));
    }
}
