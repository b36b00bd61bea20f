// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Random signals for tests.

/// Numbers that are random enough, the same in each run (Marsaglia, Xorshift RNGs, 2003).
pub struct Draw(pub u64);

impl Draw {
    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `most`.
    pub fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// Of any size: each number of bits is as likely.
    pub fn of_any_size(&mut self) -> u64 {
        let bits = self.below(64);
        self.next() >> bits
    }
}
