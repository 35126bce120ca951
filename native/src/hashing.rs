//! Tables that are keyed by what a repository says: hashed quickly, and with a key that is drawn anew in every process.

use std::collections;

use foldhash::fast::RandomState;

pub type HashMap<K, V> = collections::HashMap<K, V, RandomState>;
pub type HashSet<K> = collections::HashSet<K, RandomState>;
