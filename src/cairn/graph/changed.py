"""Which definitions some changes of files changed, added or removed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from cairn.base.values import dataclass, field
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import scope_of
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.languages.files import language_of
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.facts import ParsedFile, Symbol
from cairn.syntax.parse import parse_file

ADDED, MODIFIED, SIGNATURE, REMOVED = "added", "modified", "signature", "removed"


class Defined(Protocol):
    """A definition, from a parse or from the snapshot."""

    @property
    def qualified_name(self) -> str:
        """Its name with those of its containers."""

    @property
    def signature(self) -> str:
        """Its head, as it is written."""

    @property
    def start_line(self) -> int:
        """Its first line, from 1."""

    @property
    def end_line(self) -> int:
        """Its last line."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A definition that is not as it was."""

    qualified_name: str
    change: str
    """added, modified, signature (its head differs, which callers see) or removed"""
    ordinal: int = 0
    """Which of several definitions of one name."""


def differences(
    old_symbols: Sequence[Defined], old_text: str, new_symbols: Sequence[Defined], new_text: str
) -> list[Difference]:
    """Definitions that differ, by name; one is modified by its own lines, not by those of what is defined in it."""
    before, after = _own_texts(old_symbols, old_text), _own_texts(new_symbols, new_text)
    found = []
    for key, (signature, text) in after.items():
        if key not in before:
            found.append(Difference(key[0], ADDED, key[1]))
        elif before[key][0] != signature:
            found.append(Difference(key[0], SIGNATURE, key[1]))
        elif before[key][1] != text:
            found.append(Difference(key[0], MODIFIED, key[1]))
    return found + [Difference(key[0], REMOVED, key[1]) for key in before if key not in after]


def outside_of_symbols(symbols: Iterable[Defined], text: str) -> str:
    """What a file says beside its definitions."""
    inside = {line for symbol in symbols for line in range(symbol.start_line, symbol.end_line + 1)}
    lines = enumerate(text.split("\n"), start=1)
    # Blank lines come and go with the definitions beside them.
    return "\n".join(line.rstrip() for number, line in lines if number not in inside and line.strip())


def _own_texts(symbols: Sequence[Defined], text: str) -> dict[tuple[str, int], tuple[str, str]]:
    lines = text.split("\n")
    owner: dict[int, int] = {}
    # The inner ones come later in a file than what they are in, and take their lines over.
    for place, symbol in sorted(enumerate(symbols), key=lambda item: (item[1].start_line, -item[1].end_line)):
        owner.update(dict.fromkeys(range(symbol.start_line, symbol.end_line + 1), place))
    own: dict[int, list[str]] = {place: [] for place in range(len(symbols))}
    for line, place in sorted(owner.items()):
        if line <= len(lines) and (text_of_line := lines[line - 1].rstrip()):
            # Blank lines come and go with what stands beside them.
            own[place].append(text_of_line)
    found: dict[tuple[str, int], tuple[str, str]] = {}
    seen: dict[str, int] = {}
    for place, symbol in enumerate(symbols):
        ordinal = seen.get(symbol.qualified_name, 0)
        seen[symbol.qualified_name] = ordinal + 1
        found[symbol.qualified_name, ordinal] = symbol.signature, "\n".join(own[place])
    return found


_LAYER = "syntactic"


@dataclass(frozen=True, slots=True)
class GoneFile:
    """A file of which the snapshot has nothing any more."""

    language: str
    text: str
    edges: tuple[EdgeRow, ...]


class Former(World):
    """A world in which removed definitions are at hand; all else is as it is now."""

    def __init__(self, world: World, removed: Iterable[Definition], gone: Mapping[str, GoneFile]) -> None:
        super().__init__(world.view)
        self._now = world
        self._gone = gone
        self._put_back: dict[str, list[SymbolRow]] = {}
        for item in removed:
            self._put_back.setdefault(item.path, []).append(item.symbol)

    @cached_property
    def languages(self) -> dict[str, str]:
        gone = {path: file.language for path, file in self._gone.items()}
        return dict(sorted({**self._now.languages, **gone}.items()))

    @cached_property
    def aliases(self) -> dict[str, list[tuple[str, str]]]:
        return self._now.aliases

    def load(self, paths: Iterable[str]) -> None:
        wanted = [path for path in dict.fromkeys(paths) if path not in self._scopes]
        super().load(wanted)
        for path in wanted:
            scope, gone = self._scopes[path], self._gone.get(path)
            if gone is not None:
                self._scopes[path] = scope_of(path, gone.language, self._put_back.get(path, ()), gone.edges)
            elif path in self._put_back:
                symbols = (*scope.symbols, *self._put_back[path])
                self._scopes[path] = scope_of(path, scope.language, symbols, scope.edges)

    def namesakes(self, name: str) -> tuple[Definition, ...]:
        found = self._namesakes.get(name)
        if found is None:
            back = (
                Definition(path, symbol)
                for path, symbols in self._put_back.items()
                for symbol in symbols
                if symbol.name == name
            )
            every = (*self._now.namesakes(name), *back)
            found = self._namesakes[name] = tuple(sorted(every, key=lambda item: (item.path, item.symbol.name_line)))
        return found

    def text(self, path: str) -> str | None:
        """A file's text, also of one that is gone."""
        gone = self._gone.get(path)
        return gone.text if gone is not None else super().text(path)


def gone_file(language: str, text: str, parsed: ParsedFile) -> GoneFile:
    """A file that is gone, with the rows that it would have had."""
    edges = (
        EdgeRow(_LAYER, "reexport" if item.again else "import", item.source, item.line, item.names)
        for item in parsed.imports
    )
    return GoneFile(language, text, tuple(edges))


def row_of(symbol: Symbol) -> SymbolRow:
    """A former definition as one of the snapshot's; it stands on no line, for its file has other ones now."""
    return SymbolRow(
        _LAYER,
        symbol.name,
        symbol.qualified_name,
        symbol.kind,
        symbol.signature,
        0,
        0,
        0,
        symbol.container,
        symbol.exported,
        symbol.doc,
    )


def missing(resolver: Resolver, removed: Sequence[Definition]) -> list[Definition]:
    """Those of some removed definitions of which nothing took the place: nothing has their name there now."""
    return [item for item in removed if not _is_taken(resolver, item)]


def _is_taken(resolver: Resolver, item: Definition) -> bool:
    scope, symbol = resolver.world.scope(item.path), item.symbol
    if symbol.name in scope.members.get(symbol.container, {}):
        return True
    return not symbol.container and (bool(resolver.top(item.path, symbol.name)) or symbol.name in scope.bound)


MAX_CHANGED_FILES = 500
_HEAD = 1_000
_CHUNK_BYTES, _MAX_CHUNKS = 2_000, 100_000


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is not as it was; `before` is its former text, None where it is new or all of it counts."""

    path: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A definition that was changed."""

    path: str
    name: str
    kind: str
    change: str
    line: int
    """0 for one that is gone."""
    callers: int = 0
    """Calls that are still there of one that is gone."""


@dataclass(slots=True)
class ChangedDefinitions:
    """What was changed: as it is told, as the definitions there are now, and as those that were."""

    reported: list[ChangedSymbol] = field(default_factory=list)
    roots: list[Definition] = field(default_factory=list)
    removed: list[Definition] = field(default_factory=list)
    gone: dict[str, GoneFile] = field(default_factory=dict)


def changed_symbols(resolver: Resolver, changes: Iterable[Change]) -> ChangedDefinitions:
    """The definitions that some changes of files touch."""
    world = resolver.world
    found_all = ChangedDefinitions()
    for change in changes:
        scope = world.scope(change.path)
        text = (world.view.rows.whole_text_of(change.path) or b"").decode("utf-8", "replace")
        by_place: dict[tuple[str, int], SymbolRow] = {}
        seen: Counter[str] = Counter()
        for symbol in scope.symbols:
            by_place[symbol.qualified_name, seen[symbol.qualified_name]] = symbol
            seen[symbol.qualified_name] += 1
        if change.before is None:
            found = [(symbol, ADDED) for symbol in scope.symbols]
        else:
            old = _parsed(change.path, scope.language, change.before)
            found = []
            for each in differences(old.symbols, change.before, scope.symbols, text):
                if each.change == REMOVED:
                    former = next(one for one in old.symbols if one.qualified_name == each.qualified_name)
                    found_all.removed.append(Definition(change.path, row_of(former)))
                else:
                    found.append((by_place[each.qualified_name, each.ordinal], each.change))
            if outside_of_symbols(old.symbols, change.before) != outside_of_symbols(scope.symbols, text):
                found_all.reported.append(ChangedSymbol(change.path, change.path, "file", "modified", 1))
        found_all.reported += [
            ChangedSymbol(change.path, symbol.qualified_name, symbol.kind, kind, symbol.name_line)
            for symbol, kind in found
        ]
        found_all.roots += [Definition(change.path, symbol) for symbol, _ in found]
    return found_all


def add_gone_files(
    resolver: Resolver, removed: Sequence[str], texts: Mapping[str, str], found: ChangedDefinitions
) -> None:
    """Add what went with whole files: as a snapshot that is older has it, or else as the revision had it."""
    world = resolver.world
    for path in removed[:MAX_CHANGED_FILES]:
        if path in world.languages:
            found.removed += [Definition(path, symbol) for symbol in world.scope(path).symbols]
        elif path in texts:
            language = language_of(path, texts[path][:_HEAD].encode())
            parsed = _parsed(path, language, texts[path])
            found.gone[path] = gone_file(language, texts[path], parsed)
            found.removed += [Definition(path, row_of(symbol)) for symbol in parsed.symbols]


def _parsed(path: str, language: str, text: str) -> ParsedFile:
    return parse_file(path, language, text.encode("utf-8", "replace"), _CHUNK_BYTES, _MAX_CHUNKS)
