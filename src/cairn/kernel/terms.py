"""The terms of texts, counted for many at once.

Runs and terms get numbers, so that counting is arithmetic over arrays: code repeats its names, and a
run that was met before costs one look into a dictionary.
"""

import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from cairn.base.terms import term_hash
from cairn.kernel.characters import described
from cairn.kernel.core import core
from cairn.kernel.runs import MAX_REMEMBERED, REMEMBERED_CHARS, runs
from cairn.kernel.tokens import tokens_of_run

_MOST = 255
_GROUP_ROWS = 64
"""Texts that are counted together: enough to be worth the calls, few enough for the caches of a processor."""

_Numbers = npt.NDArray[np.int64]


class CountedTerms(NamedTuple):
    """The terms of one text and of the symbols beside it: those of the text first, each once."""

    body: str
    """The terms, joined by spaces."""
    hashes: bytes
    """uint64, in the order of the terms, as are the counts; a count above 255 is 255."""
    text_counts: bytes
    symbol_counts: bytes
    length: int
    """Tokens in the text."""


class TermCounter(Protocol):
    """Counts terms, and remembers what it met."""

    def count(self, texts: list[str], symbols: list[str]) -> Sequence[tuple[str, bytes, bytes, bytes, int]]:
        """The terms of each text and of the symbols beside it, as `CountedTerms` has them."""


def count_terms(texts: list[str], symbols: list[str]) -> list[CountedTerms]:
    """The terms of each text and of the symbols beside it; one has the same in every batch."""
    if not hasattr(_OWN, "table"):
        native = core()
        _OWN.table = TermTable() if native is None else native.TermTable(described, tokens_of_run, MAX_REMEMBERED)
    table: TermCounter = _OWN.table
    return [*map(CountedTerms._make, table.count(texts, symbols))]


class TermTable:
    """The terms of every run that was met; not for several threads at once."""

    def __init__(self, most: int = MAX_REMEMBERED) -> None:
        """`most`: how many runs, terms, or terms of runs are remembered before all of them are forgotten."""
        self._most = most
        self._forget()

    def count(self, texts: list[str], symbols: list[str]) -> list[CountedTerms]:
        """The terms of each text and of the symbols beside it."""
        found: list[CountedTerms] = []
        for start in range(0, len(texts), _GROUP_ROWS):
            if max(len(self._sizes), len(self._names), len(self._flat) // 4) >= self._most:
                self._forget()
            end = start + _GROUP_ROWS
            found += self._counted(texts[start:end], symbols[start:end])
        return found

    def _forget(self) -> None:
        self._numbers = _Learnt(self._learn)
        # Of each run: where its terms begin in `flat`, and how many there are.
        self._starts = array("q")
        self._sizes = array("q")
        self._flat = array("q")
        self._terms: dict[str, int] = {}
        self._names: list[str] = []
        self._hashes = bytearray()

    def _learn(self, run: str) -> int:
        number = len(self._sizes)
        self._starts.append(len(self._flat))
        for term in tokens_of_run(run):
            known = self._terms.setdefault(term, len(self._names))
            if known == len(self._names):
                self._names.append(term)
                self._hashes += term_hash(term)
            self._flat.append(known)
        self._sizes.append(len(self._flat) - self._starts[number])
        return number

    def _counted(self, texts: list[str], symbols: list[str]) -> Iterator[CountedTerms]:
        # Each row is two parts: its text and its symbols.
        parts = [runs(part) for row in zip(texts, symbols, strict=True) for part in row]
        met = np.fromiter(map(self._numbers.__getitem__, chain.from_iterable(parts)), dtype=np.int64)
        terms, ends = self._terms_in(met)
        part_ends = np.concatenate(([0], ends))[np.cumsum([len(part) for part in parts])]
        part_sizes = np.diff(part_ends, prepend=0)
        part_of = np.repeat(np.arange(len(parts)), part_sizes)
        _, group_term = _firsts(terms, len(self._names))
        terms_here = int(group_term.max(initial=-1)) + 1
        first, entry = _firsts((part_of >> 1) * terms_here + group_term, len(texts) * terms_here)
        of_symbols = (part_of & 1).astype(np.bool_)
        text_counts = _bounded(np.bincount(entry[~of_symbols], minlength=len(first)))
        symbol_counts = _bounded(np.bincount(entry[of_symbols], minlength=len(first)))
        distinct = terms[first]
        hashes = np.frombuffer(self._hashes, dtype=np.uint64)[distinct].tobytes()
        words = [*map(self._names.__getitem__, distinct.tolist())]
        row_ends = np.searchsorted(first, part_ends[1::2]).tolist()
        left = 0
        for right, length in zip(row_ends, part_sizes[::2].tolist(), strict=True):
            yield CountedTerms(
                body=" ".join(words[left:right]),
                hashes=hashes[8 * left : 8 * right],
                text_counts=text_counts[left:right],
                symbol_counts=symbol_counts[left:right],
                length=length,
            )
            left = right

    def _terms_in(self, met: _Numbers) -> tuple[_Numbers, _Numbers]:
        """The terms of some runs, one after the other, and where those of each run end."""
        sizes = np.frombuffer(self._sizes, dtype=np.int64)[met]
        ends = np.cumsum(sizes)
        starts = np.frombuffer(self._starts, dtype=np.int64)[met]
        places = np.repeat(starts - (ends - sizes), sizes)
        places += np.arange(len(places))
        return np.frombuffer(self._flat, dtype=np.int64)[places], ends


class _Learnt(dict[str, int]):
    """The numbers of runs; what isn't there is learnt."""

    def __init__(self, learn: Callable[[str], int]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, run: str) -> int:
        number = self._learn(run)
        if len(run) <= REMEMBERED_CHARS:
            self[run] = number
        return number


def _firsts(values: _Numbers, bound: int) -> tuple[_Numbers, _Numbers]:
    """Where values below a bound come for the first time, and for each the rank of its first coming."""
    places = np.arange(len(values))
    first_of = np.empty(bound, dtype=np.int64)
    # The last to be written stays.
    first_of[values[::-1]] = places[::-1]
    came = first_of[values]
    first = np.flatnonzero(came == places)
    first_of[values[first]] = np.arange(len(first))
    return first, first_of[values]


def _bounded(counts: _Numbers) -> bytes:
    """Counts in a byte each; few are too large for one."""
    return np.minimum(counts, _MOST).astype(np.uint8).tobytes()


_OWN = threading.local()
