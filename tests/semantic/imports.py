"""Indexes imported into segments of their own, and what came of it with the bytes at each place."""

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass, replace
from cairn.semantic.importing import ImportResult, ImportSource, import_index
from cairn.semantic.scip.reader import read_index
from cairn.store import Recorded, SemanticMeta, SemanticSymbol, SemanticWriter
from cairn.store._semanticfile import SemanticMade, SemanticReader
from cairn.store.layout import StoreKind, create_layout
from cairn.store.semantics import DEFINITION

META = SemanticMeta("python:.", "job", "tool", "1", "c", "head")


class Texts:
    """Sources from memory; what is absent changed during the run."""

    def __init__(
        self, files: Mapping[str, str | bytes], *, absent: Collection[str] = (), **sources: ImportSource
    ) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self._absent = absent
        self._sources = sources

    def with_source(self, path: str, **changes: Any) -> "Texts":
        found = self.source(path)
        assert found is not None
        return Texts(self.files, absent=self._absent, **{**self._sources, path: replace(found, **changes)})

    def source(self, path: str) -> ImportSource | None:
        if path in self._absent or path not in self.files:
            return None
        return self._sources.get(path) or ImportSource(self.files[path], hash_of(self.files[path]), f"shown {path}")

    def is_indexed(self, path: str) -> bool:
        return path in self.files or path in self._absent


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Fact(NamedTuple):
    """One occurrence, by what is written there."""

    path: str
    line: int
    column: int
    written: str
    symbol: str
    roles: int


@dataclass(frozen=True, slots=True)
class Outcome:
    imported: ImportResult
    facts: list[Fact]
    symbols: list[SemanticSymbol]
    """By the order of their texts."""
    recorded: dict[str, Recorded]
    relations: set[tuple[str, str, str]]

    def of(self, symbol: str) -> list[tuple[str, int, str]]:
        """(path, line, text) of a symbol's places; by a symbol's whole text or by its end."""
        return [(fact.path, fact.line, fact.written) for fact in self.facts if fact.symbol.endswith(symbol)]

    def named(self, symbol: str) -> SemanticSymbol:
        (found,) = [each for each in self.symbols if each.symbol.endswith(symbol)]
        return found


class Former:
    """The definitions of a segment, and the segment itself to copy the rest from."""

    def __init__(self, made: SemanticMade, outcome: Outcome) -> None:
        self.folder = made.folder
        self.paths = list(outcome.recorded)
        self._definers: dict[str, set[str]] = {}
        for fact in outcome.facts:
            if fact.roles & DEFINITION:
                self._definers.setdefault(fact.symbol, set()).add(fact.path)

    def defined(self, symbols: Collection[str]) -> dict[str, set[str]]:
        return {symbol: self._definers[symbol] for symbol in symbols if symbol in self._definers}


def write_segment(
    folder: Path, index: Path, texts: Texts, *, root: str = "", prefix: str = "", former: Former | None = None
) -> tuple[SemanticMade, ImportResult]:
    layout = create_layout(str(folder / "store"), StoreKind.PRIVATE)
    writer = SemanticWriter(layout, str(folder / new_ulid()), META)
    imported = import_index(read_index(str(index)), root, prefix, texts, writer, META.job_id, former)
    if former is not None:
        writer.copy("sem_former", former.folder, former.paths)
    return writer.finish(), imported


def run(folder: Path, index: Path | bytes, texts: Texts, *, root: str = "", prefix: str = "") -> Outcome:
    made, imported = write_segment(folder, as_file(folder, index), texts, root=root, prefix=prefix)
    assert (made.files, made.occurrences) == (imported.files, imported.occurrences)
    return read_back(made, imported, texts)


def as_file(folder: Path, index: Path | bytes) -> Path:
    if isinstance(index, Path):
        return index
    path = folder / "index.scip"
    path.write_bytes(index)
    return path


def read_back(made: SemanticMade, imported: ImportResult, texts: Texts) -> Outcome:
    reader = SemanticReader(made.folder)
    try:
        numbers = {n for file in reader.files() for n in (each.symbol for each in reader.occurrences_in(file.path))}
        symbols = reader.symbols(sorted(numbers))
        facts = [
            Fact(
                file.path,
                each.line,
                each.column,
                _written(texts.files[file.path], *each[:4]),
                symbols[each.symbol].symbol,
                each.roles,
            )
            for file in reader.files()
            for each in reader.occurrences_in(file.path)
        ]
        related = reader.related(sorted(numbers))
        all_symbols = reader.symbols(sorted(numbers | {n for _, *pair, _ in related for n in pair}))
        relations = {(all_symbols[a].symbol, all_symbols[b].symbol, kind) for _, a, b, kind in related}
        ordered = sorted(all_symbols.values(), key=lambda each: each.symbol)
        return Outcome(imported, facts, ordered, reader.recorded(), relations)
    finally:
        reader.close()


def _written(data: bytes, line: int, column: int, end_line: int, end_column: int) -> str:
    lines = data.split(b"\n")
    assert 0 <= column <= len(lines[line - 1])
    assert 0 <= end_column <= len(lines[end_line - 1])
    start = sum(len(each) + 1 for each in lines[: line - 1]) + column
    end = sum(len(each) + 1 for each in lines[: end_line - 1]) + end_column
    return data[start:end].decode("utf-8", "surrogateescape")
