"""A file's occurrences as columns say of each name what is said of that name alone."""

import random

import pytest

from cairn.base.columns import split_columns
from cairn.languages.files import language_of
from cairn.syntax.blocks import AGAIN, KEYWORD, LOCAL, QUOTED, REBINDS, ROLES, TIES, occurrence_block
from cairn.syntax.quoted import quoted_types
from cairn.syntax.ties import Tie, is_rebound, this_of, ties_of
from cairn.syntax.uses import Use, uses_of
from tests.kernel.test_parsing import SAMPLES, broken
from tests.long import LONG

Said = tuple[list[Use], tuple[Tie, ...] | None, bool]


def scopes_numbered(uses: list[Use]) -> list[tuple[object, ...]]:
    """Uses with the scopes that bind them by order of mention: only which are the same counts."""
    numbers = {bound: number for number, bound in enumerate(dict.fromkeys(["", *(use.bound for use in uses)]))}
    return [
        (u.line, u.column, u.name, u.role, u.receiver, u.within, u.local, u.keyword, numbers[u.bound]) for u in uses
    ]


def in_block(path: str, language: str, data: bytes) -> dict[str, tuple[list[Use], list[Tie], bool]]:
    """What the block of a file says of each of its names; `this` stands for itself."""
    found: dict[str, tuple[list[Use], list[Tie], bool]] = {}
    columns = split_columns(occurrence_block(path, language, data), 4, 4)
    for name, receiver, within, function, line, column, what, bound in zip(
        *map(columns.text, range(4)), *columns.numbers, strict=True
    ):
        role, kind = ROLES[what & 7], TIES[what >> 6 & 7]
        uses, ties, again = found.get(" this" if role == "this" else name, ([], [], False))
        if role != "this":
            local, keyword = bool(what & LOCAL), bool(what & KEYWORD)
            uses.append(Use(line, column, name, role, receiver, within, local, keyword, f"{bound or ''}"))
        if kind:
            ties.append(
                Tie(line, column, kind, receiver if role == "this" else function, bool(what & AGAIN), role == "call")
            )
        assert not what & QUOTED or (role == "type" and not kind)
        found[" this" if role == "this" else name] = uses, ties, again or bool(what & REBINDS)
    return found


def assert_same(path: str, text: str) -> int:
    data = text.encode()
    language = language_of(path, data[:100])
    said = in_block(path, language, data)
    assert said.pop(" this", ([], [], False))[1] == [*(this_of(path, language, data) or ())]
    for name, (uses, ties, rebound) in said.items():
        alone = [*uses_of(path, language, data, name), *quoted_types(path, language, data, name)]
        alone.sort(key=lambda use: (use.line, use.column))
        assert scopes_numbered(uses) == scopes_numbered(alone), name
        assert ties_of(path, language, data, name) in (None, tuple(ties)), name
        assert is_rebound(path, language, data, name) == rebound, name
    return len(said)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_the_block_of_a_file_says_what_is_said_of_each_name_alone(path: str) -> None:
    assert_same(path, SAMPLES[path])


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


@pytest.mark.parametrize(("path", "text"), [("m.py", SOME_PYTHON), ("m.js", SOME_SCRIPT), ("m.ts", SOME_SCRIPT)])
def test_quoted_types_ties_and_this(path: str, text: str) -> None:
    assert assert_same(path, text) > 3


def test_what_has_no_grammar_has_no_block() -> None:
    assert occurrence_block("a.txt", "text", b"some words") == b""
    assert occurrence_block("a.py", "python", b"") == b""
    assert occurrence_block("a.py", "python", b"x" * 30_000) == b""
