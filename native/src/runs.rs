//! What is remembered of runs of text. Most are short: those are told apart by a number, without a look elsewhere.

use crate::hashing::HashMap;

const SHORT: usize = 15;

/// A value for each of some runs.
pub struct RunMap<V> {
    short: HashMap<u128, V>,
    long: HashMap<Box<str>, V>,
}

impl<V> Default for RunMap<V> {
    fn default() -> Self {
        Self { short: HashMap::default(), long: HashMap::default() }
    }
}

/// The bytes of a short run and how many they are.
fn number_of(run: &[u8]) -> u128 {
    let eight = |at: usize| u64::from_le_bytes(run[at..at + 8].try_into().expect("eight bytes"));
    let four = |at: usize| u64::from(u32::from_le_bytes(run[at..at + 4].try_into().expect("four bytes")));
    let size = run.len();
    // Reads may overlap: with the size they say all bytes.
    let (low, high) = match size {
        0 => (0, 0),
        1..4 => (u64::from(run[0]) | u64::from(run[size / 2]) << 8 | u64::from(run[size - 1]) << 16, 0),
        4..8 => (four(0) | four(size - 4) << 32, 0),
        // The bytes that the first read has too make room for the size.
        _ => (eight(0), eight(size - 8).checked_shr(8 * (16 - size as u32)).unwrap_or(0)),
    };
    u128::from(low) | u128::from(high) << 64 | (size as u128) << 120
}

impl<V> RunMap<V> {
    pub fn get(&self, run: &str) -> Option<&V> {
        if run.len() <= SHORT { self.short.get(&number_of(run.as_bytes())) } else { self.long.get(run) }
    }

    pub fn insert(&mut self, run: &str, value: V) {
        if run.len() <= SHORT {
            self.short.insert(number_of(run.as_bytes()), value);
        } else {
            self.long.insert(run.into(), value);
        }
    }

    pub fn remove(&mut self, run: &str) {
        if run.len() <= SHORT {
            self.short.remove(&number_of(run.as_bytes()));
        } else {
            self.long.remove(run);
        }
    }

    pub fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }
}
