"""Patterns for lines: what a line must match, and which trigrams its file must hold.

The index answers the second part. A part of an expression that isn't understood requires no trigrams:
then more files are searched, and none is missed.
"""

import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from cairn.base import lazy
from cairn.base.errors import UsageError
from cairn.base.values import dataclass, field, replace
from cairn.kernel.grams import buckets_in, folded
from cairn.search.linear import linear_form
from cairn.store import Clause

MAX_PATTERN_CHARS = 10_000
_MOST_BUCKETS = 48
_MOST_ALTERNATIVES = 64
_FEW_BRANCHES = 3
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_BY_LINES = "Matches lie within one line: look for the part that stands in one."
_NEWLINE = 10
_GLOBAL_FLAGS = lazy.expression(r"(?:\(\?[aiLmsux]+\))+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What to look for, line by line."""

    expression: re.Pattern[str]
    clauses: tuple[Clause, ...] = ()
    """Trigrams of every file that has a matching line."""
    needle: bytes = b""
    """A text that every matching line holds; empty when none is known."""
    ignore_case: bool = False
    """Whether the needle is folded, so that it has to be looked for in folded text."""
    steady: bool = True
    """Whether matching takes a time that grows with the text alone; other expressions may backtrack without end."""
    plain: bool = False
    """Whether it is a text as it stands, and no expression."""
    linear: str = ""
    """The same for an engine that never backtracks, and for lines of ASCII; empty where only Python's will do."""
    inverted: bool = False
    """Whether the lines are meant that don't match."""
    whole: bool = False
    """Whether lines are wanted as they are, however long, with where they begin and what is around them."""
    every: bool = False
    """Whether all matches of a line are wanted, and not the first alone."""

    def other_lines(self) -> "Pattern":
        """The lines that don't match: any file may have some."""
        return replace(self, inverted=True, clauses=())


def parse_literal(text: str, *, ignore_case: bool = False) -> Pattern:
    """A pattern for a text as it stands; UsageError for one that no line can hold."""
    _require_sound(text)
    if "\n" in text:
        raise UsageError("The text to look for has a line break.", hint=_BY_LINES)
    needs = _Needs(ignore_case)
    for character in text:
        needs.take(ord(character))
    needs.end_run()
    expression = re.compile(re.escape(text), re.IGNORECASE if ignore_case else 0)
    return Pattern(expression, tuple(needs.clauses), needs.needle, ignore_case, plain=True)


def parse_words(text: str, *, regex: bool, ignore_case: bool = False) -> Pattern:
    """A pattern for what no character of a word stands right before or behind: `grep -w`."""
    inner = text if regex else re.escape(text)
    plain = parse_regex(inner, ignore_case=ignore_case)
    flags = _GLOBAL_FLAGS.match(inner)
    at = flags.end() if flags is not None else 0
    around = parse_regex(rf"{inner[:at]}(?<!\w)(?:{inner[at:]})(?!\w)", ignore_case=ignore_case)
    return replace(around, linear=rf"\b{{start-half}}(?:{plain.linear})\b{{end-half}}" if plain.linear else "")


def parse_regex(text: str, *, ignore_case: bool = False) -> Pattern:
    """A pattern for a regular expression in Python's syntax; UsageError, with the position, for a bad one."""
    _require_sound(text)
    flags = re.IGNORECASE if ignore_case else 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about syntax that may change its meaning one day.
            expression = re.compile(text, flags)
            tree = import_module("re._parser").parse(text, flags)
        nodes = list(_nodes(tree))
        needs = _Needs(bool(expression.flags & re.IGNORECASE))
        needs.read(tree)
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}"
        raise UsageError(
            f"The regular expression can't be read: {error.msg}{at}.",
            hint="Mend it, or ask for the literal text as it stands instead.",
        ) from error
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UsageError(
            f"The regular expression can't be used: {reason}.", hint="Look for something simpler."
        ) from error
    if any(name == "LITERAL" and value == _NEWLINE for name, value in nodes):
        raise UsageError("The regular expression asks for a line break.", hint=_BY_LINES)
    needs.end_run()
    return Pattern(
        expression,
        tuple(needs.clauses),
        needs.needle,
        needs.ignore_case,
        _is_steady(nodes),
        linear=linear_form(tree, expression.flags),
    )


def _require_sound(text: str) -> None:
    if not text:
        raise UsageError("There is nothing to look for.", hint="Give a text, for example TODO(.")
    if len(text) > MAX_PATTERN_CHARS:
        raise UsageError(
            f"The pattern has {len(text)} characters; at most {MAX_PATTERN_CHARS} are looked for.",
            hint="Look for a part of it.",
        )
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("The pattern is not valid text.", hint="Give it in UTF-8: only such files are indexed.")


@dataclass(slots=True)
class _Needs:
    """Collects what a line must hold, along a sequence in which every part must match."""

    ignore_case: bool
    clauses: list[Clause] = field(default_factory=list)
    needle: bytes = b""
    run: bytearray = field(default_factory=bytearray)
    """Characters that follow each other in any match."""

    def take(self, character: int) -> None:
        if self.ignore_case and character > 127:
            # The other cases of this character have other bytes.
            self.end_run()
        else:
            self.run += chr(character).encode("utf-8", "surrogatepass")

    def end_run(self) -> None:
        found = bytes(self.run)
        self.run.clear()
        buckets = buckets_in(found)[:_MOST_BUCKETS]
        if buckets:
            self.clauses.append((buckets,))
        if len(found) > len(self.needle):
            self.needle = folded(found) if self.ignore_case else found

    def read(self, tree: Any) -> None:
        for operator, value in tree:
            name = str(operator)
            if name == "LITERAL":
                self.take(value)
            elif name == "SUBPATTERN" and not value[1] & re.IGNORECASE:
                self.read(value[3])
            elif name == "ATOMIC_GROUP":
                self.read(value)
            elif name == "AT":
                continue  # An anchor matches a position, not a character.
            elif name in _REPEATS and value[0]:
                self.end_run()
                self.read(value[2])
                self.end_run()
            elif name == "BRANCH":
                self.end_run()
                clause = self._one_of(value[1])
                if clause:
                    self.clauses.append(clause)
            else:
                self.end_run()

    def _one_of(self, branches: Any) -> Clause:
        """What a line must hold if one of some branches matches; empty if nothing is certain."""
        alternatives: list[tuple[int, ...]] = []
        for branch in branches:
            inner = _Needs(self.ignore_case)
            inner.read(branch)
            inner.end_run()
            certain = {bucket for clause in inner.clauses if len(clause) == 1 for bucket in clause[0]}
            if certain:
                alternatives.append(tuple(sorted(certain))[:_MOST_BUCKETS])
            elif inner.clauses:
                alternatives += sorted(inner.clauses, key=len)[0]
            else:
                return ()
        return tuple(alternatives) if len(alternatives) <= _MOST_ALTERNATIVES else ()


def _nodes(tree: Any) -> Iterator[tuple[str, Any]]:
    """Every node of a parsed expression, by the name of its operator."""
    for operator, value in tree:
        yield str(operator), value
        for inner in _inside(value, type(tree)):
            yield from _nodes(inner)


def _inside(value: Any, kind: type) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _inside(part, kind)


def _is_steady(nodes: list[tuple[str, Any]]) -> bool:
    names = [name for name, _ in nodes]
    return not _REPEATS.intersection(names) and "GROUPREF" not in names and names.count("BRANCH") <= _FEW_BRANCHES
