"""`lexical/`: the Tantivy index of one segment.

Text arrives as tokens joined by spaces: how text becomes tokens is decided where queries are made
too, not here, and Tantivy's query parser never sees what a user typed.
"""

import contextlib
import os
import weakref
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

import numpy as np
import tantivy

from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of
from cairn.engines import Mask
from cairn.store._matched import DIGITS, LEXICAL_FOLDER, Matched
from cairn.store._terms import Terms
from cairn.store.digest import files_beneath

FIELDS = ("body", "path")
_HEAP_BYTES = 32_000_000
_FIRST_REACH = 4
_MAX_FREQUENCIES = 20_000


@cache
def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", stored=False, indexed=False, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field("path_key", tokenizer_name="raw", index_option="basic")
    return builder.build()


class LexicalWriter:
    """Writes the postings of one segment."""

    def __init__(self, folder: str) -> None:
        path = os.path.join(folder, LEXICAL_FOLDER)
        os.mkdir(path)
        index = tantivy.Index(_schema(), path=path)
        self._writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        self._next = 0

    def add(self, path_key: str, terms: Terms) -> None:
        """Add the next row: its number is its place in the order of calls."""
        document = tantivy.Document()
        document.add_integer("number", self._next)
        document.add_text("body", terms.body)
        document.add_text("path", terms.path)
        document.add_text("path_key", path_key)
        try:
            self._writer.add_document(document)
        except ValueError:
            # It knows only that its thread is gone; the commit, which waits for the thread, says of what.
            self._writer.commit()
            raise
        self._next += 1

    def close(self) -> None:
        """Write what was added, and wait until Tantivy has merged it."""
        self._writer.commit()
        self._writer.wait_merging_threads()

    def abandon(self) -> None:
        """Stop Tantivy's threads: they would go on writing into a folder that is being removed."""
        with contextlib.suppress(ValueError, RuntimeError):
            self._writer.rollback()
            self._writer.wait_merging_threads()


class Postings:
    """The open Tantivy index of one segment."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, LEXICAL_FOLDER)
        try:
            place = self.path
            if not os.access(self.path, os.W_OK):
                import shutil  # only a store that can't be written to needs one

                place = _writable(self.path)
                weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
            self._index = tantivy.Index.open(place)
            self._index.config_reader(reload_policy="manual")  # else a thread watches, and locks, a sealed folder
            self.searcher: Any = self._index.searcher()
        except ValueError as error:
            raise shortage_of(error) or CorruptStoreError(f"{self.path} can't be opened: {error}.") from error


def _writable(path: str) -> str:
    """A folder with links to the files of an index: Tantivy takes a lock to read, where a store may be read-only."""
    import tempfile

    place = tempfile.mkdtemp(prefix="cairn-")
    for name in files_beneath(path):
        os.symlink(os.path.join(path, name), os.path.join(place, name))
    return place


class LexicalReader:
    """The postings of one segment; `dead` paths never match."""

    def __init__(self, postings: Postings, dead: Collection[str], live: Mask | None) -> None:
        """`live` tells the same of row numbers as `dead` of paths."""
        self._live = live
        self.path = postings.path
        self._searcher = postings.searcher
        self._frequencies: dict[tuple[str, str], int] = {}
        self._dead = tantivy.Query.term_set_query(_schema(), "path_key", sorted(dead)) if dead else None

    def document_frequency(self, field: str, token: str) -> int:
        """How many live rows hold a token."""
        known = self._frequencies.get((field, token))
        if known is None:
            if len(self._frequencies) >= _MAX_FREQUENCIES:
                self._frequencies.clear()
            known = self._frequencies[field, token] = self._count(field, token)
        return known

    def _count(self, field: str, token: str) -> int:
        count: int = self._searcher.doc_freq(field, token)
        if count and self._dead is not None:
            must = tantivy.Occur.Must
            both = tantivy.Query.boolean_query([(must, self._term(field, token)), (must, self._dead)])
            found: Any = self._searcher.search(both, limit=1, count=True)
            count -= found.count
        return count

    def numbers(self, weights: Mapping[tuple[str, str], float], limit: int, most: int) -> Matched:
        """The best live rows that hold any of the (field, token) pairs.

        The score is the sum of the weights of the pairs that a row holds, which doesn't depend on
        how rows are spread over segments. Rows that tie with the last place all come along, up to
        a bound far above it.
        """
        clauses = [
            (tantivy.Occur.Should, tantivy.Query.const_score_query(self._term(field, token), weight))
            for (field, token), weight in weights.items()
            if weight > 0
        ]
        if not clauses:
            return Matched(np.zeros(0, dtype=np.int64), np.zeros(0))
        query = tantivy.Query.boolean_query(clauses)
        reach = min(_FIRST_REACH * limit, most)
        try:
            while True:
                hits: Any = self._searcher.search(query, limit=reach, count=False).hits
                said, places = zip(*hits, strict=True) if hits else ((), ())
                found: Any = self._searcher.fast_field_values("number", list(places))
                numbers = np.array(found, dtype=np.int64)
                scores = np.array(said, dtype=np.float64).round(DIGITS)
                lowest = scores[-1] if len(hits) == reach else -np.inf
                if self._live is not None:
                    # Cheaper than to have Tantivy leave out what is dead.
                    alive = self._live[numbers]
                    numbers, scores = numbers[alive], scores[alive]
                if len(scores) >= limit and scores[limit - 1] > lowest:
                    # Best first: those that count stand at the front.
                    last = int(np.searchsorted(-scores, -scores[limit - 1], side="right"))
                    return Matched(numbers[:last], scores[:last])
                if len(hits) < reach or reach == most:
                    return Matched(numbers, scores, all_seen=len(hits) < reach)
                # Rows that tie are mostly many, and what was found so far is found again.
                reach = min(16 * reach, most)
        except ValueError as error:
            raise shortage_of(error) or CorruptStoreError(f"{self.path} can't be searched: {error}.") from error

    def _term(self, field: str, token: str) -> Any:
        return tantivy.Query.term_query(_schema(), field, token)
