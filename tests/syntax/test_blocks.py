"""A file's occurrences as columns say of each name what its tree says of that name alone."""

import random

import pytest

from cairn.graph.occurrences import recalled
from cairn.graph.occurrences import uses_in as stored
from cairn.languages.files import language_of
from cairn.syntax.blocks import QUOTED, ROLES, TIE_MASK, TIE_SHIFT, occurrence_block, parse_with_block
from cairn.syntax.treeblocks import split_block
from cairn.syntax.trees import StoredTree
from cairn.syntax.uses import Use, uses_in
from tests.kernel.test_parsing import SAMPLES, broken
from tests.long import LONG
from tests.named import places


def scopes_numbered(uses: list[Use]) -> list[tuple[object, ...]]:
    """Uses with the scopes that bind them by order of mention: only which are the same counts."""
    numbers = {bound: number for number, bound in enumerate(dict.fromkeys(["", *(use.bound for use in uses)]))}
    return [
        (u.line, u.column, u.name, u.role, u.receiver, u.within, u.local, u.keyword, numbers[u.bound]) for u in uses
    ]


def assert_same(path: str, text: str) -> int:
    data = text.encode()
    language = language_of(path, data[:100])
    parsed, block = parse_with_block(path, language, data, 1500, 1000)
    rows = places(block)
    if not rows:
        return 0
    tree = StoredTree(*split_block(parsed.tree), data)
    for name in {row.name for row in rows}:
        own = [row for row in rows if row.name == name]
        alone = uses_in(recalled(path, language, tree, name, own))
        assert scopes_numbered(alone) == scopes_numbered(stored(own, quoted=False)), name
    for row in rows:
        tied = row.what >> TIE_SHIFT & TIE_MASK
        roles = ("type",) if language == "python" else ("type", "call", "read")
        assert not row.what & QUOTED or (ROLES[row.what & 7] in roles and not tied)
    return len({row.name for row in rows})


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_the_block_of_a_file_says_what_is_said_of_each_name_alone(path: str) -> None:
    assert_same(path, SAMPLES[path])


@pytest.mark.slow
def test_there_are_names_in_nearly_all_samples() -> None:
    without = [path for path, text in SAMPLES.items() if not occurrence_block(path, language_of(path), text.encode())]
    assert len(without) < 5 < len(SAMPLES), without


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_broken_files_too(path: str) -> None:
    made = random.Random(path)
    for _ in range(50 if LONG else 2):
        assert_same(path, broken(SAMPLES[path], made))


SOME_PYTHON = """
import os as system
TOP = 1
TOP = 2
def f(a: "A", b, this):
    def inner(a): return a
    b = inner(b)
    return [a for a in b], A, TOP
class A:
    def g(self, other: "list[A]"): self = other; return self.f(key=other)
"""
SOME_SCRIPT = "class A { m() { return this.n(() => this) } static s = this }\nfunction f() { return this }\n"


SOME_JAVA = "class A extends B {\n  A() { this(1); }\n  A(int n) { super(n); this.x = n; }\n}\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [("m.py", SOME_PYTHON), ("m.js", SOME_SCRIPT), ("m.ts", SOME_SCRIPT), ("M.java", SOME_JAVA)],
)
def test_quoted_types_ties_and_this(path: str, text: str) -> None:
    assert assert_same(path, text) > 3


def test_what_has_no_grammar_has_no_block() -> None:
    assert occurrence_block("a.txt", "text", b"some words") == b""
    assert occurrence_block("a.py", "python", b"") == b""
    assert occurrence_block("a.py", "python", b"x" * 30_000) == b""
