"""Modules that are written out in a file of Rust: what stands in them is seen from there."""

from pathlib import Path

from tests.graph.worlds import places, resolver_of, uses

_ONE = """mod b;
fn free() {}
fn helper() {}
fn h() {
    use b::free;
    free();
}
mod inner {
    pub struct T;
    impl T {
        pub fn make() -> T { T }
        pub fn run(&self) { helper(); super::free(); }
    }
    fn helper() {}
    pub mod deep {
        pub fn up() { super::helper(); super::T::make(); super::super::free(); }
        pub fn helper() {}
    }
}
fn j() { inner::T::make().run(); inner::deep::up(); }
"""
_TWO = """pub struct T;
fn own() {}
mod tests {
    use super::*;
    use super::super::top;
    fn t(_: T) { own(); top(); }
}
fn v() { super::top(); }
"""
_THREE = """mod a {
    pub struct T;
    impl T { pub fn new() { go(); } }
    fn go() {}
}
mod b {
    pub struct T;
    impl T { pub fn new() { go(); } }
    fn go() {}
}
pub struct U;
mod c {
    use super::U;
    impl U { pub fn new() { go(); } }
    fn go() {}
}
fn go() {}
"""


def test_the_body_of_an_impl_sees_the_module_that_it_stands_in(folder: Path) -> None:
    with resolver_of(folder, {"src/main.rs": _ONE, "src/b.rs": "pub fn free() {}\n"}) as resolver:
        assert places(uses(resolver, "inner.helper")) == [
            "src/main.rs:12:28 proven call",
            "src/main.rs:16:29 proven call",
        ]
        assert places(uses(resolver, "T.make")) == ["src/main.rs:16:49 proven call", "src/main.rs:20:19 proven call"]
        assert places(uses(resolver, "T.run")) == ["src/main.rs:20:26 proven call"]


def test_super_leaves_the_innermost_module_first(folder: Path) -> None:
    with resolver_of(folder, {"src/main.rs": _ONE, "src/b.rs": "pub fn free() {}\n"}) as resolver:
        assert places(uses(resolver, "free", "src/main.rs")) == [
            "src/main.rs:12:45 proven call",
            "src/main.rs:16:71 proven call",
        ]
        assert places(uses(resolver, "free", "src/b.rs")) == [
            "src/main.rs:5:11 proven import",
            "src/main.rs:6:4 proven call",
        ]


def test_an_import_in_a_module_begins_there(folder: Path) -> None:
    with resolver_of(folder, {"src/lib.rs": "pub mod a;\npub fn top() {}\n", "src/a.rs": _TWO}) as resolver:
        assert places(uses(resolver, "own")) == ["src/a.rs:6:17 proven call"]
        assert places(uses(resolver, "T")) == ["src/a.rs:6:12 proven type"]
        assert places(uses(resolver, "top")) == [
            "src/a.rs:5:22 proven import",
            "src/a.rs:6:24 proven call",
            "src/a.rs:8:16 proven call",
        ]


def test_members_of_one_name_in_several_modules_are_told_by_their_lines(folder: Path) -> None:
    with resolver_of(folder, {"src/lib.rs": _THREE}) as resolver:
        for name, line in (("a.go", 3), ("b.go", 8), ("c.go", 14)):
            assert places(uses(resolver, name)) == [f"src/lib.rs:{line}:28 proven call"], name
