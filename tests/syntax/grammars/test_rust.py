"""Rust: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/cache.rs"
SAMPLE = """//! A small cache for parsed files.

use std::collections::{BTreeMap, HashMap as Map};
use std::sync::Arc;
use crate::errors::Error;
use super::walk::*;
extern crate libc;

pub mod store;

const LIMIT: usize = 100;
pub static VERSION: &str = "1";

/// What is kept for one file.
#[derive(Debug, Clone)]
pub struct Entry<T> {
    pub key: String,
    value: T,
}

pub struct Meters(pub f64);

/// How an entry came to be.
pub enum Origin {
    Disk,
    Network { url: String },
}

pub trait Store {
    type Item;
    const MAX: usize;
    /// Put one in.
    fn put(&mut self, item: Self::Item) -> Result<(), Error>;
    fn count(&self) -> usize {
        0
    }
}

impl<T: Clone> Entry<T> {
    /// Makes an entry.
    #[inline]
    pub fn new(key: &str, value: T) -> Self {
        let kept = key.to_string();
        Entry { key: kept, value }
    }

    fn touch(&mut self) {
        trace!("touched");
        helper::<T>(1);
        store::flush(self);
    }
}

impl<T> Store for Entry<T> {
    type Item = T;
    const MAX: usize = 3;
    fn put(&mut self, item: T) -> Result<(), Error> {
        self.value = item;
        Ok(())
    }
}

#[macro_export]
macro_rules! square {
    ($x:expr) => { $x * $x };
}

pub type Shared<T> = Arc<Entry<T>>;

pub(crate) async fn helper<T>(
    depth: usize,
) -> usize {
    depth
}

mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(square!(2), 4);
    }
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant LIMIT 11-11",
        "variable VERSION 12-12 +",
        "struct Entry 15-19 +",
        "field Entry.key 17-17 +",
        "field Entry.value 18-18",
        "struct Meters 21-21 +",
        "enum Origin 24-27 +",
        "constant Origin.Disk 25-25 +",
        "constant Origin.Network 26-26 +",
        "field Origin.Network.url 26-26",
        "trait Store 29-37 +",
        "type Store.Item 30-30 +",
        "constant Store.MAX 31-31 +",
        "method Store.put 33-33 +",
        "method Store.count 34-36 +",
        "method Entry.new 41-45 +",
        "method Entry.touch 47-51",
        "type Entry.Item 55-55 +",
        "constant Entry.MAX 56-56 +",
        "method Entry.put 57-60 +",
        "macro square 63-66 +",
        "type Shared 68-68 +",
        "function helper 70-74 +",
        "module tests 76-83",
        "function tests.works 79-82",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Entry"] == "pub struct Entry<T>"
    assert found["Entry.new"] == "pub fn new(key: &str, value: T) -> Self"
    assert found["helper"] == "pub(crate) async fn helper<T>( depth: usize, ) -> usize"
    assert found["Shared"] == "pub type Shared<T> = Arc<Entry<T>>;"
    assert found["Store.put"] == "fn put(&mut self, item: Self::Item) -> Result<(), Error>;"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Entry": "What is kept for one file.",
        "Origin": "How an entry came to be.",
        "Store.put": "Put one in.",
        "Entry.new": "Makes an entry.",
    }
    assert read(PATH, SAMPLE).top_comment == "A small cache for parsed files."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("std::collections::{BTreeMap, HashMap as Map}", 3),
        ("std::sync::Arc", 4),
        ("crate::errors::Error", 5),
        ("super::walk::*", 6),
        ("libc", 7),
        ("store", 9),
        ("super::*", 77),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("to_string", 43, "Entry.new"),
        ("trace", 48, "Entry.touch"),
        ("helper", 49, "Entry.touch"),
        ("flush", 50, "Entry.touch"),
        ("Ok", 59, "Entry.put"),
        ("assert_eq", 81, "tests.works"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 21), (23, 37), (39, 52), (54, 74), (76, 83)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
