"""The names of a whole snapshot: files, scopes and modules, each made with its first use and kept."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property

from cairn.graph.customs import Modules, customs_of
from cairn.graph.exports import Starred, commonjs_exports, renamed_exports, starred
from cairn.graph.flows import FileFlows
from cairn.graph.occurrences import rebinds, recalled, this_in, tied_in, tree_in, uses_in
from cairn.graph.scopes import FileScope, scope_of
from cairn.graph.symbols import Definition, ids_of
from cairn.languages.record import Customs
from cairn.store import NameInFile, NamePlace, OccurrenceRow, SnapshotView
from cairn.syntax.imported import EVERYTHING, unpacked
from cairn.syntax.occurrences import FileOccurrences
from cairn.syntax.uses import Use, scoped_language

_NOTHING = scope_of("", "", (), ())

_KEPT_TEXTS = 500
_KEPT_ROWS = 20_000
_KEPT_NAMES = 64
_THIS = "this"
_NAMESPACE = re.compile(r"^\s*(?:<\?php\s+)?namespace\b\s*([\w\\]*)\s*[;{]", re.MULTILINE)
_MODULE = re.compile(r"^\s*(?:import|export)\b|\brequire\s*\(|\bexports\b", re.MULTILINE)
_JOINTS = re.compile(r"\.|::|\\")


class World:
    """What a snapshot says about names; for one snapshot, over whichever view of it is at hand."""

    def __init__(self, view: SnapshotView) -> None:
        self.snapshot_id = view.snapshot_id
        self.state = view.state
        self._view = view
        self._scopes: dict[str, FileScope] = {}
        self._ids: dict[str, dict[tuple[str, int], str]] = {}
        self._lines: dict[str, list[str]] = {}
        self._namesakes: dict[str, tuple[Definition, ...]] = {}
        self._beside: dict[str, dict[tuple[str, str], list[Definition]]] = {}
        self._calls_in: dict[str, tuple[OccurrenceRow, ...]] = {}
        self._exports: dict[str, dict[str, str]] = {}
        self._namespaces: dict[str, frozenset[str]] = {}
        self._clauses: dict[str, str] = {}
        self._rows: dict[tuple[str, str], tuple[NamePlace, ...]] = {}
        self._used: dict[str, dict[str, NameInFile]] = {}
        self._flows: dict[str, FileFlows] = {}
        self._starred: dict[str, Starred] = {}
        self._scripts: dict[str, bool] = {}
        self.other_names: dict[tuple[str, str], tuple[str, ...]] = {}
        """Names that imports give to definitions, by their files and qualified names, as they were asked for."""

    def over(self, view: SnapshotView) -> "World":
        """The same world, read through another view: a new one where that is of another snapshot."""
        if view.state != self.state:
            return World(view)
        self._view = view
        return self

    @property
    def view(self) -> SnapshotView:
        """The snapshot that is asked."""
        return self._view

    @cached_property
    def languages(self) -> dict[str, str]:
        """The language of every live file, by path, in order of paths."""
        return dict(sorted(self._view.rows.languages()))

    def spoken(self, asked: Callable[[Customs], bool]) -> list[str]:
        """The languages of live files whose customs are asked for."""
        return [language for language in sorted(set(self.languages.values())) if asked(customs_of(language))]

    @cached_property
    def modules(self) -> Modules:
        """Where imports lead, by the files of the snapshot."""
        return Modules(self.languages, self.text, self._view.aliases)

    @cached_property
    def folders(self) -> dict[str, tuple[str, ...]]:
        """The files of each folder."""
        found: dict[str, list[str]] = {}
        for path in self.languages:
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return {folder: tuple(paths) for folder, paths in found.items()}

    @cached_property
    def stems(self) -> frozenset[str]:
        """The names of files, without what follows the first dot, and of their folders."""
        return frozenset(path.rsplit("/", 1)[-1].partition(".")[0] for path in (*self.languages, *self.folders))

    @cached_property
    def stubs(self) -> dict[str, tuple[str, ...]]:
        """Files beside a file that declare what it defines, or define what it declares."""
        found: dict[str, tuple[str, ...]] = {}
        for path, language in self.languages.items():
            for ending, others in customs_of(language).stubs:
                stem = path.removesuffix(ending)
                for body in (stem + other for other in others if stem != path):
                    if body in self.languages:
                        found[path] = (*found.get(path, ()), body)
                        found[body] = (*found.get(body, ()), path)
        return found

    def scope(self, path: str) -> FileScope:
        """The names of a file; its rows are read once."""
        found = self._scopes.get(path)
        if found is None:
            self.load([path])
            found = self._scopes[path]
        return found

    def ids(self, path: str) -> dict[tuple[str, int], str]:
        """The ids of a file's definitions, by qualified name and first line."""
        found = self._ids.get(path)
        if found is None:
            found = self._ids[path] = {}
            for key, symbol in ids_of(path, self.scope(path).symbols):
                found.setdefault((symbol.qualified_name, symbol.start_line), key)
        return found

    def load(self, paths: Iterable[str]) -> None:
        """Make the scopes of several files at once, which is cheaper than one by one."""
        wanted = [path for path in dict.fromkeys(paths) if path not in self._scopes]
        said = self._view.facts.names_of(wanted) if wanted else {}
        for path in wanted:
            self._scopes[path] = scope_of(path, *said[path]) if path in said else _NOTHING

    def exports(self, path: str) -> dict[str, str]:
        """What a file of JavaScript calls its exports, by other names that it gives them; "" where it is unclear."""
        found = self._exports.get(path)
        if found is None:
            script = customs_of(self.languages.get(path, "")).default_export
            text = (self.text(path) or "") if script else ""
            found = self._exports[path] = {**commonjs_exports(text), **renamed_exports(text)}
        return found

    def is_script(self, path: str) -> bool:
        """Whether a file of JavaScript is no module, or says itself that it adds to what all files see."""
        found = self._scripts.get(path)
        if found is None:
            text = self.text(path) or ""
            found = self._scripts[path] = "declare global" in text or _MODULE.search(text) is None
        return found

    def starred(self, path: str) -> Starred:
        """What a file gives to those who import everything of it, as far as it says so."""
        found = self._starred.get(path)
        if found is None:
            lists = self.languages.get(path) == "python"
            found = self._starred[path] = starred(self.text(path) or "") if lists else Starred()
        return found

    def namespaces(self, path: str) -> frozenset[str]:
        """The namespaces of a file of PHP, dotted; "" is that of all."""
        found = self._namespaces.get(path)
        if found is None:
            said = _NAMESPACE.findall(self.text(path) or "")
            found = self._namespaces[path] = frozenset(each.replace("\\", ".") for each in said) or frozenset({""})
        return found

    def clause(self, path: str) -> str:
        """The package of its folder that a file says it is of."""
        found = self._clauses.get(path)
        if found is None:
            pattern = customs_of(self.languages.get(path, "")).clause
            said = pattern.match(self.text(path) or "") if pattern is not None else None
            found = self._clauses[path] = said[1] if said else ""
        return found

    def namesakes(self, name: str) -> tuple[Definition, ...]:
        """Every definition of a name, as written, in order of path and line."""
        found = self._namesakes.get(name)
        if found is None:
            found = tuple(
                Definition(path, symbol)
                for path, symbol in self._view.facts.symbols_with_paths([name], sys.maxsize)
                if symbol.name == name
            )
            self._namesakes[name] = found
        return found

    def beside(self, item: Definition) -> list[Definition]:
        """The definitions of a file that have one's qualified name, in order: itself and maybe others."""
        name = item.symbol.name
        found = self._beside.get(name)
        if found is None:
            found = self._beside[name] = {}
            for each in self.namesakes(name):
                found.setdefault((each.path, each.symbol.qualified_name), []).append(each)
        return found.get((item.path, item.symbol.qualified_name), [])

    def calls_in(self, path: str) -> tuple[OccurrenceRow, ...]:
        """What a file calls, in order."""
        found = self._calls_in.get(path)
        if found is None:
            found = self._calls_in[path] = self._view.facts.occurrences_in(path)
        return found

    def used(self, name: str) -> dict[str, NameInFile]:
        """The places of a name in code, by file. Kept for the last names: each thing of a name asks for them."""
        found = self._used.get(name)
        if found is None:
            if len(self._used) >= _KEPT_NAMES:
                self._used.clear()
            found = self._used[name] = self._view.occurrences.named(_composed(name))
        return found

    def uses(self, path: str, name: str) -> list[Use]:
        """What a file does with a name, in order of place."""
        return uses_in(self._view.occurrences.named_in(_composed(name), path))

    def use_at(self, path: str, name: str, line: int, column: int) -> Use | None:
        """The use of a name at a place of a file, `column` in bytes from 0; None where none stands there."""
        return next((each for each in self.uses(path, name) if (each.line, each.column) == (line, column)), None)

    def found(self, path: str, data: bytes, name: str) -> FileOccurrences | None:
        """The occurrences of a name in a file with a text, as its tree has them; None where no grammar parsed it."""
        tree = tree_in(self._view, path, data)
        rows = self._view.occurrences.named_in(_composed(name), path) if tree is not None else ()
        return recalled(path, self.scope(path).language, tree, _composed(name), rows) if tree is not None else None

    def rows(self, path: str, word: str) -> tuple[NamePlace, ...]:
        """The places of a word in a file, as they are stored."""
        key = (path, word)
        found = self._rows.get(key)
        if found is None:
            if len(self._rows) >= _KEPT_ROWS:
                self._rows.clear()
            found = self._rows[key] = tuple(self._view.occurrences.named_in(_composed(word), path))
        return found

    def flows(self, path: str) -> FileFlows:
        """How values flow in a file."""
        found = self._flows.get(path)
        if found is None:
            found = self._flows[path] = FileFlows(self._view.occurrences.flows_of(path))
        return found

    def tied(self, path: str, word: str) -> tuple[NamePlace, ...] | None:
        """The places of a file that tie a word, in order; None where no rules tell what is local."""
        rows = self.rows(path, word)
        if word == _THIS:
            return this_in(rows)
        ruled = scoped_language(self.scope(path).language) and (rows or self._is_parsed(path))
        return tied_in(rows) if ruled else None

    def is_rebound(self, path: str, name: str) -> bool:
        """Whether a file gives a word another value at its top, or lets a function do so."""
        return rebinds(self._view.occurrences.whats_in(_composed(name), path))

    def _is_parsed(self, path: str) -> bool:
        file = self._view.rows.file(path)
        return file is not None and bool(file.interface_hash)

    @cached_property
    def aliases(self) -> dict[str, list[tuple[str, str]]]:
        """(file, other name) of everything that an import gives another name, by its own."""
        found: dict[str, list[tuple[str, str]]] = {}
        for path, names in self._view.facts.renaming_imports():
            for binding in unpacked(names):
                if binding.name and binding.local not in (binding.name, EVERYTHING):
                    found.setdefault(binding.name.rpartition(".")[2], []).append((path, binding.local))
        for path, source, names in self._view.facts.module_imports(self.spoken(lambda customs: customs.paths_to_names)):
            # A path that names a definition ends with it: `use a::b as d`.
            last = _JOINTS.split(source.partition(" as ")[0].strip())[-1]
            for binding in unpacked(names):
                if not binding.name and binding.local != last:
                    found.setdefault(last, []).append((path, binding.local))
        return found

    def lines(self, path: str) -> list[str]:
        """The lines of a file as it was indexed; those of the last files that were asked for are kept."""
        found = self._lines.get(path)
        if found is None:
            if len(self._lines) >= _KEPT_TEXTS:
                self._lines.clear()
            found = self._lines[path] = (self.text(path) or "").split("\n")
        return found

    def text(self, path: str) -> str | None:
        """A file's text in the snapshot; None where it has no such file."""
        data = self._view.rows.whole_text_of(path)
        return None if data is None else data.decode("utf-8", "replace")


def _composed(name: str) -> str:
    """A name as occurrences have it: letters with accents may be written in several ways."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)
