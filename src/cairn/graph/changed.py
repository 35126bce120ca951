"""Which definitions some changes of files changed, added or removed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cairn.base.values import dataclass, field
from cairn.graph.compare import ADDED, REMOVED, differences, outside_of_symbols
from cairn.graph.former import GoneFile, gone_file, row_of
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition
from cairn.languages.files import language_of
from cairn.store import SymbolRow
from cairn.syntax.facts import ParsedFile
from cairn.syntax.parse import parse_file

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
