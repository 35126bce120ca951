"""Which definitions some changes of files changed, added or removed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from cairn.base.values import dataclass, field
from cairn.graph.difference import ADDED, REMOVED, RENAMED, differences, outside_of_symbols
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import scope_of
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.languages.files import language_of
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.facts import ParsedFile, Symbol
from cairn.syntax.parse import parse_file

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
    only: tuple[tuple[str, int], ...] = ()
    """Where nothing is known of before: qualified name and line of the definitions that count, if not all do."""


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A definition that was changed."""

    path: str
    name: str
    kind: str
    change: str
    line: int
    """0 for one that is gone."""
    uses: int = 0
    """Uses that are still there of one that is gone, or of the name that it had."""
    former: str = ""
    """The name that it had, where it has another one now."""


@dataclass(slots=True)
class ChangedDefinitions:
    """What was changed: as it is said, as the definitions there are now, and as those that were."""

    reported: list[ChangedSymbol] = field(default_factory=list)
    roots: list[Definition] = field(default_factory=list)
    removed: list[Definition] = field(default_factory=list)
    renamed: dict[Definition, ChangedSymbol] = field(default_factory=dict)
    """By what was removed: the same thing under another name."""
    gone: dict[str, GoneFile] = field(default_factory=dict)

    @property
    def former(self) -> list[Definition]:
        """What has its name no more."""
        return [*self.removed, *self.renamed]


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
            asked = change.only
            symbols = [each for each in scope.symbols if not asked or (each.qualified_name, each.name_line) in asked]
            found = [(symbol, ADDED) for symbol in symbols]
        else:
            old = parsed(change.path, scope.language, change.before)
            found = []
            for each in differences(old.symbols, change.before, scope.symbols, text):
                name = each.former or each.qualified_name
                former = next((one for one in old.symbols if one.qualified_name == name), None)
                if each.change == REMOVED and former is not None:
                    found_all.removed.append(Definition(change.path, row_of(former)))
                    continue
                symbol = by_place[each.qualified_name, each.ordinal]
                if each.change == RENAMED and former is not None:
                    said = (change.path, each.qualified_name, symbol.kind, RENAMED, symbol.name_line)
                    found_all.renamed[Definition(change.path, row_of(former))] = ChangedSymbol(*said, former=name)
                    found_all.roots.append(Definition(change.path, symbol))
                else:
                    found.append((symbol, each.change))
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
            file = parsed(path, language, texts[path])
            found.gone[path] = gone_file(language, texts[path], file)
            found.removed += [Definition(path, row_of(symbol)) for symbol in file.symbols]


def parsed(path: str, language: str, text: str) -> ParsedFile:
    """What is defined in a text that is no file of the tree."""
    return parse_file(path, language, text.encode("utf-8", "replace"), _CHUNK_BYTES, _MAX_CHUNKS)
