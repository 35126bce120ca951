"""What other files do about a definition that moves: each import and each `module.name` is led to its new module."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass, field
from cairn.edit.source.changes import Changes
from cairn.edit.source.file import SourceFile
from cairn.edit.source.importing import (
    EVERYTHING,
    ImportedName,
    ImportStatement,
    alone,
    between,
    inner_module,
    parted,
    statements,
    without,
)
from cairn.edit.source.modulenames import ModuleNames
from cairn.edit.source.values import OpenPlace, Spot
from cairn.edit.source.words import CODE, words_in
from cairn.graph.binding import ChainPlace
from cairn.graph.resolve import Resolver

UNMENDED, MOCKED = "unmended_use", "mocked_module"
_CHAIN = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_MOCKS = re.compile(rb"\b(?:jest|vi)\.(?:mock|doMock|unmock|spyOn|setMock)\(\s*[\"'`]([^\"'`]+)")


@dataclass(slots=True)
class Mended:
    """What was found out about the files that use the definition."""

    opened: list[OpenPlace] = field(default_factory=list)
    loading: set[str] = field(default_factory=set)
    """Files that load the new module when they are loaded."""
    reasons: list[str] = field(default_factory=list)


class Mending:
    """Leads the uses of a name from one module to another."""

    def __init__(self, resolver: Resolver, names: ModuleNames, changes: Changes, name: str, old: str, new: str) -> None:
        self._resolver = resolver
        self._names = names
        self._changes = changes
        self._name, self._old, self._new = name, old, new
        self.found = Mended()

    def mend(self, source: SourceFile, spots: Sequence[Spot]) -> None:
        """Change what one file does about the name; the places are proven to mean it."""
        done: set[int] = set()
        text = source.text
        bare: list[Spot] = []
        for spot in spots:
            at = text.offset(spot.line, spot.column)
            statement = next((each for each in statements(source) if each.start <= at < each.end), None)
            if statement is not None:
                if statement.start not in done:
                    done.add(statement.start)
                    self._import(source, statement)
                continue
            node = source.node(at, at + len(spot.text.encode()))
            asked = _asked_of(node)
            if asked is not None:
                self._member(source, spot, at, asked)
            elif node is not None and ("identifier" in node.type or "string" in node.type):
                bare.append(spot)
            else:
                self._open(source, spot)
        if bare:
            self._bare(source, bare)
        self._mocked(source)

    def mend_star(self, source: SourceFile) -> None:
        """A file that takes all names of the old module, and may hand them on, takes this one from the new one."""
        if source.path == self._new:
            return
        for each in self._from_old(source):
            if any(name.name == EVERYTHING for name in each.names):
                self._beside(source, each, self._name)

    def _import(self, source: SourceFile, statement: ImportStatement) -> None:
        if self._names.file_of(source.path, statement.module) != self._old:
            return  # It takes the name from a module that hands it on.
        name = next((each for each in statement.names if each.name == self._name), None)
        if name is None:
            return
        if source.path == self._new:
            self._import_of_its_own(source, statement, name)
            return
        module = self._named(source, statement)
        if module:
            self._changes.replace(source.path, statement.start, statement.end, parted(source, statement, name, module))
            self._note_loading(source, statement, name)

    def _import_of_its_own(self, source: SourceFile, statement: ImportStatement, name: ImportedName) -> None:
        """The new module no longer imports what it has itself."""
        if name.local not in (self._name, ""):
            line = source.data.count(b"\n", 0, statement.start) + 1
            self.found.reasons.append(f"{source.path}:{line} takes it by another name, {name.local}")
        elif len(statement.names) > 1:
            self._changes.replace(source.path, statement.start, statement.end, without(source.data, statement, [name]))
        elif statement.late:
            self._changes.replace(source.path, statement.start, statement.end, "pass")
        else:
            start, end = whole_lines(source.data, statement.start, statement.end)
            self._changes.replace(source.path, start, end, "")

    def _member(self, source: SourceFile, spot: Spot, at: int, receiver: Any) -> None:
        chain = receiver.said
        if not _CHAIN.fullmatch(chain):
            self._open(source, spot)
            return
        place = ChainPlace(source.path, self._within(source, spot), spot.line, spot.column)
        modules = self._resolver.evaluator.at(place, chain).things.modules
        if self._old not in modules:
            if not modules:
                self._open(source, spot)
            return  # It asks a module that hands the name on.
        if source.path == self._new:
            self._changes.replace(source.path, receiver.start_byte, at, "")
            return
        bound = self._binding(source, chain.partition(".")[0], receiver.start_byte)
        said = self._module_said(source, *bound) if bound is not None else None
        if bound is None or said is None:
            self._open(source, spot)
            return
        written, importing = said
        statement = bound[0]
        if importing:
            self._changes.insert(source.path, statement.end, between(source.data, statement) + importing)
        self._changes.replace(source.path, receiver.start_byte, receiver.end_byte, written)
        self._note_loading(source, statement, bound[1])

    def _binding(self, source: SourceFile, local: str, at: int) -> tuple[ImportStatement, ImportedName] | None:
        """The import that gives a word its meaning; None where there are several."""
        found = [(each, name) for each in statements(source) for name in each.names if name.local == local]
        fitting = [each for each in found if each[0].plain or len(found) == 1]
        if not fitting or (len(found) > 1 and len(fitting) != len(found)):
            return None
        named = [each for each in fitting if self._names.file_of(source.path, each[0].module) == self._old]
        return (named or fitting)[0] if fitting[0][0].start < at else None

    def _module_said(
        self, source: SourceFile, statement: ImportStatement, name: ImportedName
    ) -> tuple[str, str] | None:
        """What the new module is called in a file that has the old one by an import, and the import for that."""
        module = self._named(source, statement, silent=True)
        for each in statements(source):
            for other in each.names:
                whole = self._names.file_of(source.path, inner_module(each, other)) == self._new
                if whole and other.local and (each.plain or not other.name or source.language == "python"):
                    dotted = each.plain and other.local == each.module.partition(".")[0]
                    if not each.late and not (each.types and not statement.types):
                        return each.module if dotted else other.local, ""
        if source.language != "python":
            local = re.sub(r"\W", "_", re.sub(r"\.\w+$", "", module.rpartition("/")[2]))
            local = local if local.isidentifier() and not _has(source, local) else f"{self._name}Module"
            head = f"import * as {local} from"
            quote = "'" if source.data[statement.module_start - 1 : statement.module_start] == b"'" else '"'
            end = ";" if source.data[: statement.end].endswith(b";") else ""
            fits = bool(module) and not _has(source, local) and name.name == ""
            return (local, f"{head} {quote}{module}{quote}{end}") if fits else None
        if statement.plain:
            absolute = self._names.name_of(self._new, source.path, statement.module, self._old)
            known = absolute.partition(".")[0] == statement.module.partition(".")[0] == name.local
            if not absolute or absolute.startswith(".") or not (known or self._is_free(source, absolute)):
                return None
            return absolute, f"import {absolute}"
        folder, _, last = self._absolute_or_relative(source, statement).rpartition(".")
        package = folder if folder.strip(".") else folder + "."
        if not last or _has(source, last) or self._names.file_of(source.path, f"{folder}.{last}") != self._new:
            return None
        return last, f"from {package} import {last}"

    def _is_free(self, source: SourceFile, module: str) -> bool:
        """Whether the first part of a module's name means nothing else in a file."""
        text, said, head = source.text, statements(source), module.partition(".")[0]
        places = [text.offset(word.line, word.column) for word in words_in(source, head)]
        inside = all(any(each.module_start <= at < each.module_end for each in said) for at in places)
        return inside or not _has(source, head)

    def _absolute_or_relative(self, source: SourceFile, statement: ImportStatement) -> str:
        like = statement.module + "." * (not statement.module.endswith(".")) + "x"
        return self._names.name_of(self._new, source.path, like)

    def _bare(self, source: SourceFile, spots: Sequence[Spot]) -> None:
        """Names that stand alone mean what an import gave the file; only one that takes all names doesn't say which."""
        local = {name.local for each in statements(source) for name in each.names}
        if self._name in local or source.path == self._new:
            return
        if not any(name.name == EVERYTHING for each in statements(source) for name in each.names):
            for spot in spots:
                self._open(source, spot)

    def _from_old(self, source: SourceFile) -> Iterator[ImportStatement]:
        return (each for each in statements(source) if self._names.file_of(source.path, each.module) == self._old)

    def _beside(self, source: SourceFile, statement: ImportStatement, said: str) -> None:
        module = self._named(source, statement)
        if module:
            more = between(source.data, statement) + alone(source, statement, said, module)
            self._changes.insert(source.path, statement.end, more)
            self._note_loading(source, statement, statement.names[0])

    def _named(self, source: SourceFile, statement: ImportStatement, *, silent: bool = False) -> str:
        module = self._names.name_of(self._new, source.path, statement.module, self._old)
        if not module and not silent:
            self.found.reasons.append(f"{source.path} has no name for {self._new}")
        return module

    def _note_loading(self, source: SourceFile, statement: ImportStatement, name: ImportedName) -> None:
        if not (statement.late or statement.types or name.types):
            self.found.loading.add(source.path)

    def _within(self, source: SourceFile, spot: Spot) -> str:
        uses = source.uses(self._name, quoted=True)
        return next((use.within for use in uses if (use.line, use.column) == (spot.line, spot.column)), "")

    def _mocked(self, source: SourceFile) -> None:
        """JavaScript: tests that replace a module by its path replace the name with it."""
        for match in _MOCKS.finditer(source.data) if source.language != "python" else ():
            if self._names.file_of(source.path, match[1].decode("utf-8", "replace")) == self._old:
                text = source.text
                line, column = text.place(match.start())
                self.found.opened.append(OpenPlace(source.path, line, column, MOCKED, text.shown(line)))

    def _open(self, source: SourceFile, spot: Spot) -> None:
        shown = source.text.shown(spot.line)
        self.found.opened.append(OpenPlace(source.path, spot.line, spot.column, UNMENDED, shown))


def _asked_of(node: Any) -> Any:
    """What stands before the dot of `module.name`; None for a name that stands alone."""
    above = node.parent if node is not None else None
    if above is None:
        return None
    for last, first in (("attribute", "object"), ("property", "object"), ("name", "module")):
        if above.child_by_field_name(last) == node and above.child_by_field_name(first) is not None:
            return above.child_by_field_name(first)
    return None


def _has(source: SourceFile, word: str) -> bool:
    """Whether the code of a file uses a word by itself."""
    return any(each.kind == CODE and not (each.use and each.use.receiver) for each in words_in(source, word))


def whole_lines(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Some bytes with the line around them, if nothing but a comment stands on it."""
    begin, stop = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", end)
    stop = len(data) if stop < 0 else stop + 1
    behind = data[end:stop].strip(b" \t\r\n;,")
    alone = not data[begin:start].strip() and (not behind or behind.startswith((b"#", b"//")))
    return (begin, stop) if alone else (start, end)
