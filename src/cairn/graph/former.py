"""A snapshot's world with what was removed since a revision put back, to see who still asks for it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from cairn.base.values import dataclass
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import scope_of
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.facts import ParsedFile, Symbol

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
