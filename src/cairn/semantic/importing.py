"""Imports a tool's output as the facts of a context: occurrences, definitions, and dependencies between files.

An index is read once, one document at a time. A place is kept if it exists in the text and its text can be explained
(`edges`). A symbol that claims to be the project's own but is defined nowhere makes no edge. Both checks need all
documents, so places wait until the last one is read.
"""

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from operator import eq
from typing import Protocol

from cairn.base.errors import PathKeyError
from cairn.base.linemap import line_marks
from cairn.base.values import dataclass, replace
from cairn.semantic.ambiguity import MULTIPLE_DEFINITIONS, unresolved
from cairn.semantic.documents import DocumentFacts, DocumentReader, defined_in
from cairn.semantic.edges import ImportAliases, Suspect
from cairn.semantic.scip.decode import Document, Index
from cairn.semantic.symboltable import SymbolTable, package_of
from cairn.store import OccurrenceRow, SemanticFile, SemanticFlag, SemanticWriter
from cairn.store.semantics import DEFINITION
from cairn.workspace.pathkey import path_key

MODULE_END = "/__init__:"
_ABSOLUTE = re.compile(r"\s*(?:from\s+|import\s+(?:[\w.]+\s*,\s*)*)$")
_ENDINGS = (".py", ".pyi", "/__init__.py", "/__init__.pyi")


# scip-python gives a module that is imported relatively only the last parts of its name: `from . import string` in
# `a/b.py` gives the symbol of a module `string`, which may well be there, and be another one.
def is_module(symbol: str) -> bool:
    """Whether a symbol is a Python module by scip-python."""
    return symbol.startswith("scip-python ") and symbol.endswith(MODULE_END)


def trusted(suspects: Sequence[Suspect], name: str, *, ours: bool, relative: bool) -> list[Suspect]:
    """The places of one module in one file that can be trusted.

    A name of several parts is complete. In our own project, a name of one part is trusted if it is imported
    absolutely, and at its uses in such a file. It is not trusted after a dot, and in a file with imports by dots alone
    (`relative`) only at the import itself.
    """
    if "." in name:
        return [each for each in suspects if each.written in (name, name.rpartition(".")[2])]
    named = [each for each in suspects if each.written == name]
    if not ours:
        return named
    absolute = [each for each in named if _ABSOLUTE.fullmatch(each.before)]
    if not absolute or relative:
        return absolute
    return [each for each in named if not each.before.endswith(".")]


def targets(path: str, name: str, written: str) -> Iterator[str]:
    """The files that a relative import may mean; several if nothing says how far up the module is."""
    if "." in name and written == name:
        return
    folders = path.split("/")[:-1]
    dots = len(written) - len(written.lstrip("."))
    ups = range(len(folders), -1, -1) if not dots else range(len(folders) - dots + 1, len(folders) - dots, -1)
    for depth in ups:
        if depth >= 0:
            base = "/".join((*folders[:depth], *name.split(".")))
            yield from (base + ending for ending in _ENDINGS)


_ONCE = ("function", "method", "class")
"""Kinds that are normally defined in one place only."""


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file of the context, with the content that it had before and after the run."""

    data: bytes
    content_hash: str
    shown: str
    """What others can see of it and its content (`FileNow.seen`); empty if that is unknown."""
    flags: tuple[SemanticFlag, ...] = ()
    calls: Collection[OccurrenceRow] = ()
    """Its calls by syntax, if unresolved calls are to be flagged."""
    frame: str = ""
    """By what it can be told to mean the same after an edit (`frames`); empty if that is unknown."""
    own: bool = True
    """False for a file of another context: none of its facts are imported, but others may depend on it."""


class ImportSources(Protocol):
    """The files that an import may use."""

    def source(self, path: str) -> ImportSource | None:
        """A file by its path key; None if it changed during the run, is gone, or belongs to no context here."""

    def is_indexed(self, path: str) -> bool:
        """Whether a file is or will be in a snapshot: only then can its state be tracked."""


class Definitions(Protocol):
    """Facts from earlier imports, which an import of a part builds upon."""

    def defined(self, symbols: Collection[str]) -> Mapping[str, Collection[str]]:
        """The files with earlier facts that define some symbols."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """How much was imported, and which files have to be refreshed again."""

    files: int
    occurrences: int
    dropped: int
    """Occurrences that were left out: wrong edges, and places that the text doesn't have."""
    touched: frozenset[str]
    """Files of the output that changed during the run, and imported files that depend on one of them."""
    documents: frozenset[str] = frozenset()
    """The files that the output is about."""


def import_index(
    index: Index,
    context_root: str,
    prefix: str,
    sources: ImportSources,
    writer: SemanticWriter,
    job_id: str,
    former: Definitions | None = None,
) -> ImportResult:
    """Write what an index says into a segment that is being made; ScipError for output that is no index.

    Documents are named relative to `prefix`, which is relative to `context_root`, which is relative to the root.
    `former` are the facts that stay beside those of an index of a part: what it uses of the rest is defined there.
    """
    work = _Import(index.metadata.tool, sources, former)
    for document in index.documents():
        path = _path_of(document, context_root, prefix)
        if path is not None:
            work.take(path, document)
    return work.write(writer, job_id)


def _path_of(document: Document, context_root: str, prefix: str) -> str | None:
    """The document's path key; None if it lies outside of the root, which tools report too."""
    if not document.is_inside:
        return None
    try:
        return path_key("/".join(part for part in (context_root, prefix, document.path) if part))
    except PathKeyError:
        return None


class _Import:
    def __init__(self, tool: str, sources: ImportSources, former: Definitions | None) -> None:
        self._tool = tool
        self._sources = sources
        self._former = former
        self._table = SymbolTable()
        self._gatherer = DocumentReader(tool, self._table)
        self._documents: set[str] = set()
        self._files: dict[str, tuple[DocumentFacts, ImportSource]] = {}
        """Those of the documents whose facts are imported."""
        self._lines: dict[str, bytes] = {}
        self._shown: dict[str, str | None] = {}
        """What files show; None for one that changed during the run, or isn't there."""
        self._packages: set[str] = set()
        """The project's, as the first definition of each document has it."""
        self._definers: dict[int, set[str]] = {}
        self._touched: set[str] = set()

    def take(self, path: str, document: Document) -> None:
        first = next((each.symbol for each in document.occurrences if each.defines and not each.local), "")
        self._packages.add(package_of(first))
        source = self._sources.source(path)
        self._documents.add(path)
        self._shown[path] = source.shown if source is not None else None
        if source is None:
            self._touched.add(path)
        if source is None or not source.own:
            for symbol in defined_in(document):
                self._definers.setdefault(self._table.number(symbol), set()).add(path)
            return
        if source.frame:
            self._lines[path] = line_marks(source.data)
        file, _ = self._files.setdefault(path, (DocumentFacts(path), replace(source, data=b"")))
        self._gatherer.take(file, document, source.data)

    def write(self, writer: SemanticWriter, job_id: str) -> ImportResult:
        self._packages.discard("")
        aliases = ImportAliases(self._table, self._gatherer.bindings)
        for file, _ in self._files.values():
            self._judge(file, aliases)
            self._note_definitions(file)
        unknown = self._unknown()
        used: set[int] = set()
        occurrences = dropped = 0
        for file, source in self._files.values():
            places = sorted(row for row in file.each() if row[4] not in unknown)
            # A tool may report a place twice; the writer keeps one.
            occurrences += len(places) - sum(map(eq, places, places[1:]))
            dropped += file.dropped + len(file) - len(places)
            relations = {each for each in file.relations if each[0] not in unknown and each[1] not in unknown}
            used.update(file.numbers(), *(each[:2] for each in relations))
            writer.add_file(SemanticFile(file.path, source.content_hash, job_id), places)
            writer.add_relationships(file.path, sorted(relations))
            writer.add_dependencies(file.path, self._dependencies(file))
            writer.add_flags(file.path, self._flags(file, source, unknown))
            if source.frame:
                writer.add_frame(file.path, source.frame, self._lines[file.path])
        writer.add_symbols(self._table.rows(used - unknown))
        return ImportResult(
            len(self._files), occurrences, dropped, frozenset(self._touched), frozenset(self._documents)
        )

    def _note_definitions(self, file: DocumentFacts) -> None:
        for at, (number, roles) in enumerate(zip(file.numbers(), file.roles(), strict=True)):
            if roles & DEFINITION:
                paths = self._definers.setdefault(number, set())
                if file.path in paths:
                    file.again.append(file.row(at))
                paths.add(file.path)

    def _judge(self, file: DocumentFacts, aliases: ImportAliases) -> None:
        """Move the places that can be explained to the others."""
        modules: dict[int, list[Suspect]] = {}
        for suspect in file.suspects:
            if is_module(self._table.symbols[suspect.number]):
                modules.setdefault(suspect.number, []).append(suspect)
            elif aliases.explain(suspect.number, suspect.written):
                file.add(suspect.row)
            else:
                file.dropped += 1
        for number, suspects in modules.items():
            ours = package_of(self._table.symbols[number]) in self._packages
            believed = trusted(suspects, self._table.named[number].name, ours=ours, relative=file.relative)
            file.dropped += len(suspects) - len(believed)
            for suspect in believed:
                file.add(suspect.row)
            file.vague.update((self._table.named[number].name, each.written) for each in {*suspects} - {*believed})

    def _unknown(self) -> set[int]:
        """Symbols that are defined nowhere though they should be: local ones, and those of the project."""
        table = self._table
        unknown = {
            number
            for number, symbol in enumerate(table.symbols)
            if number not in self._definers and (table.is_local(number) or package_of(symbol) in self._packages)
        }
        if self._former is not None:
            asked = {table.symbols[number]: number for number in unknown if not table.is_local(number)}
            for symbol, paths in self._former.defined(asked).items():
                elsewhere = set(paths) - self._documents
                if elsewhere:
                    self._definers[asked[symbol]] = elsewhere
                    unknown.remove(asked[symbol])
        return unknown

    def _dependencies(self, file: DocumentFacts) -> dict[str, str]:
        """The files that define what a file mentions, even wrongly: a change there may change its meaning."""
        numbers = {*file.numbers(), *(suspect.number for suspect in file.suspects)}
        found = {path for number in numbers for path in self._definers.get(number, ())}
        for name, written in file.vague:
            found.update(path for path in targets(file.path, name, written) if self._is_there(path))
        found.discard(file.path)
        found = {path for path in found if self._what_is_shown(path) is not None or self._sources.is_indexed(path)}
        if any(self._what_is_shown(path) is None for path in found):
            self._touched.add(file.path)
        return {path: self._what_is_shown(path) or "" for path in sorted(found)}

    def _is_there(self, path: str) -> bool:
        """Whether a file is one of the project; in an index of all of it those are the documents."""
        return path in self._documents or (self._former is not None and self._what_is_shown(path) is not None)

    def _what_is_shown(self, path: str) -> str | None:
        if path not in self._shown:
            source = self._sources.source(path)
            self._shown[path] = source.shown if source is not None else None
        return self._shown[path]

    def _flags(self, file: DocumentFacts, source: ImportSource, unknown: Container[int]) -> list[SemanticFlag]:
        table = self._table
        found = {*source.flags, *self._conflated(file)}
        if source.calls:
            # A symbol that a tool describes without a place lies outside of the project.
            resolved = {
                (row[0], table.named[row[4]].name)
                for row in file.each()
                if row[4] not in unknown or table.describes(row[4])
            }
            found.update(SemanticFlag(*flag) for flag in unresolved(source.calls, resolved))
        return sorted(found)

    def _conflated(self, file: DocumentFacts) -> Iterator[SemanticFlag]:
        """scip-python gives functions within two methods of one class one symbol, if they have one name."""
        if self._tool == "scip-python":
            for row in file.again:
                name, kind, _ = self._table.named[row[4]]
                if kind in _ONCE:
                    yield SemanticFlag(row[0], MULTIPLE_DEFINITIONS, name)
