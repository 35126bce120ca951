"""The interface hash: what other files can see of a file."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.languages.files import language_of
from cairn.syntax.facts import Symbol, interface_hash
from cairn.syntax.parse import parse_file

BASE = '''
import os

LIMIT = 10


class Lease:
    """A lease."""

    epoch = 0

    def release(self, force: bool = False) -> None:
        return os.unlink(self.path)

    def _private(self) -> None:
        pass


def take(path: str) -> Lease:
    def helper(x):
        return x

    class Local:
        def method(self):
            return 1

    return helper(Lease(path))


def _hidden(a):
    return a


class _Inner:
    class Deep:
        def method(self):
            return 1

    def method(self):
        return 1
'''


def hash_of(text: str, path: str = "a.py") -> str:
    parsed = parse_file(path, language_of(path), text.encode(), 1500, 1000)
    assert parsed.interface_hash
    return parsed.interface_hash


@pytest.mark.requirement("MOD.3")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return os.unlink(self.path)", "return None"),
        ('"""A lease."""', '"""Another text."""'),
        ("import os", "import os, sys"),
        ("def _hidden(a):", "def _hidden(a, b):"),
        ("def _private(self) -> None:", "def _secret(self, x) -> int:"),
        ("def helper(x):", "def helper(x, y):"),
        ("class _Inner:", "class _Other(Base):"),
        ("\n\n\n", "\n# a comment\n\n\n\n"),
        ("    class Local:\n        def method(self):", "    class Local:\n        def method(self, more):"),
        ("    class Deep:\n        def method(self):", "    class Deep:\n        def method(self, more):"),
    ],
)
def test_bodies_and_private_names_keep_it(old: str, new: str) -> None:
    assert old in BASE
    assert hash_of(BASE.replace(old, new)) == hash_of(BASE)


@pytest.mark.requirement("MOD.3")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def take(path: str) -> Lease:", "def take(path: str, wait: int) -> Lease:"),
        ("def take(path: str) -> Lease:", "def take(path: str) -> int:"),
        ("def take(", "def grab("),
        ("def take(", "async def take("),
        ("def take(", "def _take("),
        ("class Lease:", "class Lease(Base):"),
        ("class Lease:", "class Loan:"),
        ("def release(self, force: bool = False)", "def release(self)"),
        ("def _hidden(a):", "def shown(a):"),
        ("    epoch = 0\n", ""),
        ("LIMIT = 10\n", ""),
        ("LIMIT = 10\n", "def LIMIT(): pass\n"),
    ],
)
def test_exported_names_kinds_and_signatures_change_it(old: str, new: str) -> None:
    assert old in BASE
    assert hash_of(BASE.replace(old, new)) != hash_of(BASE)


@pytest.mark.requirement("MOD.3")
@pytest.mark.parametrize(
    ("path", "text", "same", "other"),
    [
        (
            "a.ts",
            "export function take(a: string): void { one() }\nfunction hidden() {}\n",
            "export function take(a: string): void { two() }\nfunction secret(x: number) {}\n",
            "export function take(a: number): void { one() }\nfunction hidden() {}\n",
        ),
        (
            "a.go",
            "package a\nfunc Take(a int) { one() }\nfunc hidden() {}\n",
            "package a\nfunc Take(a int) { two() }\nfunc secret(x int) {}\n",
            "package a\nfunc Take(a, b int) { one() }\nfunc hidden() {}\n",
        ),
        (
            "a.rs",
            "pub fn take(a: u8) { one() }\nfn hidden() {}\n",
            "pub fn take(a: u8) { two() }\nfn secret(x: u8) {}\n",
            "pub fn take(a: u8) -> u8 { one() }\nfn hidden() {}\n",
        ),
        (
            "A.java",
            "public class A { public void take(int a) { one(); } private void hidden() {} }\n",
            "public class A { public void take(int a) { two(); } private void secret(int x) {} }\n",
            "public class A { public void take(long a) { one(); } private void hidden() {} }\n",
        ),
    ],
)
def test_it_holds_for_other_languages(path: str, text: str, same: str, other: str) -> None:
    assert hash_of(text, path) == hash_of(same, path)
    assert hash_of(text, path) != hash_of(other, path)


@pytest.mark.requirement("MOD.3")
def test_the_order_of_definitions_does_not_count() -> None:
    one, two = "def a(x): return 1\n", "def b(y): return 2\n"
    assert hash_of(one + two) == hash_of(two + one)


def test_a_file_that_offers_nothing_has_one_all_the_same() -> None:
    assert hash_of("") == hash_of("_x = 1\n") != hash_of("x = 1\n")


def test_without_a_grammar_there_is_none() -> None:
    assert parse_file("a.txt", "text", b"words\n", 1500, 10).interface_hash == ""


def symbol(name: str, kind: str, signature: str, exported: bool) -> Symbol:
    return Symbol(name, name, kind, signature, 1, 2, 1, "", exported, "")


SYMBOLS = st.lists(
    st.builds(symbol, st.text(max_size=5), st.sampled_from(["class", "function"]), st.text(max_size=8), st.booleans()),
    max_size=6,
)


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
@given(SYMBOLS, st.permutations(range(6)))
def test_it_is_a_function_of_the_visible_symbols(found: list[Symbol], order: Sequence[int]) -> None:
    shuffled = [found[place] for place in order if place < len(found)]
    visible = [item for item in found if item.exported]
    assert interface_hash(found) == interface_hash(shuffled) == interface_hash(visible)
    for item in visible:
        others = [other for other in visible if other is not item]
        if others.count(item) == 0:
            assert interface_hash(others) != interface_hash(visible)
