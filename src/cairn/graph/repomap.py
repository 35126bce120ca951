"""The map of a repository, within a budget: what it is made of, its ways in, and the files that matter most."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from cairn.graph.common import common_members
from cairn.graph.overview import SIDE, Overview, overview
from cairn.graph.rank import links_of, page_ranks
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.world import World
from cairn.store import SymbolRow
from cairn.syntax.cost import token_cost, token_cost_of
from cairn.syntax.filekind import kinds_of
from cairn.syntax.imported import EVERYTHING, unpacked
from cairn.values import dataclass, replace

_SHOWN = frozenset(
    {"class", "function", "interface", "method", "struct", "enum", "trait", "type", "module", "macro", "table"}
)
_HEAD_SHARE = 0.4
"""How much of a budget the parts before the files may take."""
_FIRST_LINES = 12
_SIDE_SHARE = 0.1
_ENTRIES = 12
_LEAST_ENTRY = 60
_API_NAMES = 40


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One file with the definitions that are worth showing."""

    path: str
    rank: float
    symbols: tuple[SymbolRow, ...]

    def text(self) -> str:
        return "\n".join([self.path, *(f"  {line_of(symbol)}" for symbol in self.symbols), ""])


@dataclass(frozen=True, slots=True)
class Ground:
    """What a snapshot's map is made from, whatever the budget."""

    overview: Overview
    order: tuple[tuple[str, float], ...]
    """(path, rank) of every file that defines something, the most used first."""
    api: tuple[tuple[str, tuple[str, ...]], ...]
    """(file that stands for a package, names that it offers)"""
    definitions: int
    sizes: Mapping[str, int]
    """The bytes that the entry of each file takes."""


@dataclass(frozen=True, slots=True)
class RepoMap:
    """What fits into a budget, and how much doesn't."""

    entries: tuple[MapEntry, ...]
    files_left_out: int
    tokens: int
    """What the parts and entries take."""
    snapshot_id: str
    budget_tokens: int
    definitions_left_out: int = 0
    """In files that are shown."""
    full_tokens: int = 0
    """The budget that would hold all of it."""
    head: str = ""
    """The parts before the files, as text."""
    overview: Overview | None = None
    api: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def text(self) -> str:
        """The map as it is meant to be read: never more than the budget, with the last line about the rest."""
        return self.head + "".join(entry.text() for entry in self.entries) + self.rest

    @property
    def rest(self) -> str:
        """What is left out and how to get it; empty where nothing is, or where the budget has no room for a word."""
        text = _rest(self.files_left_out, self.definitions_left_out, self.full_tokens)
        return text if self.tokens + token_cost(text) <= self.budget_tokens else ""


def ground_of(world: World) -> Ground:
    """Everything that a map of a snapshot rests on: made once for a snapshot."""
    view = world.view
    defined = []
    sizes: dict[str, int] = {}
    for path, name, kind, _, length in view.offered():
        if kind in _SHOWN:
            defined.append((path, name))
            sizes[path] = sizes.get(path, len(path.encode()) + 1) + length + 3
    ranks = page_ranks(world.languages, links_of(_telling(world, defined), view.use_counts()))
    for path, language in world.languages.items():
        if kinds_of(path, language) & SIDE:
            # Much used among tests is not what a newcomer asks for.
            ranks[path] *= _SIDE_SHARE
    holding = {path for path, _ in defined}
    order = sorted(((path, ranks[path]) for path in holding), key=lambda item: (-item[1], item[0]))
    # Others need not see it: the system calls it.
    mains = [
        item.path for item in world.namesakes("main") if item.symbol.kind in FUNCTIONS and not item.symbol.container
    ]
    found = overview(list(view.files()), mains, world.text)
    return Ground(found, tuple(order), _api(world, found.fronts[:_FIRST_LINES]), len(defined), sizes)


def repo_map(world: World, ground: Ground, budget_tokens: int, is_there: Callable[[str], bool]) -> RepoMap:
    """Files by PageRank over uses, ties by path, after what the repository is made of; gone files are left out."""
    whole_head = token_cost(_head(ground, sys.maxsize, is_there))
    full = whole_head + sum(map(token_cost_of, ground.sizes.values()))
    full = max(full, math.ceil(whole_head / _HEAD_SHARE))
    room = budget_tokens
    if full > room:
        # What is said about the rest must fit too.
        room -= token_cost(_rest(len(ground.order), ground.definitions, full))
    share = int(budget_tokens * _HEAD_SHARE)
    head = _head(ground, min(share, room) if room > 0 else share, is_there)
    spent = token_cost(head)
    entries: list[MapEntry] = []
    gone = missing = 0
    for path, rank in ground.order:
        if not is_there(path):
            gone += 1
            continue
        entry = MapEntry(path, rank, _in_order(world.scope(path).symbols))
        # One large file must not crowd out the others.
        most = room - spent if full <= budget_tokens else min(room - spent, max(room // _ENTRIES, _LEAST_ENTRY))
        kept = entry if token_cost(entry.text()) <= most else _shortened(entry, most)
        if not kept.symbols:
            break
        entries.append(kept)
        spent += token_cost(kept.text())
        missing += len(entry.symbols) - len(kept.symbols)
    left_out = len(ground.order) - gone - len(entries)
    return RepoMap(
        tuple(entries),
        left_out,
        spent,
        world.snapshot_id,
        budget_tokens,
        missing,
        full,
        head,
        _standing(ground.overview, is_there),
        tuple(each for each in ground.api if is_there(each[0])),
    )


def _standing(told: Overview, is_there: Callable[[str], bool]) -> Overview:
    """What is left of an overview without the files that are gone."""
    entry_points = tuple(each for each in told.entry_points if is_there(each.path))
    return replace(told, entry_points=entry_points, fronts=tuple(filter(is_there, told.fronts)))


def _telling(world: World, defined: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Definitions whose names say who is meant: not those that any value may have."""
    return ((path, name) for path, name in defined if name not in common_members(world.languages[path]))


def line_of(symbol: SymbolRow) -> str:
    """A definition in one line."""
    return symbol.signature or symbol.name


def _api(world: World, fronts: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What the files that stand for a package offer: their own and what they pass on."""
    found = []
    world.load(fronts)
    for path in fronts:
        scope = world.scope(path)
        own = [symbol.name for symbol in scope.symbols if symbol.exported and not symbol.container]
        passed = [
            binding.local
            for edge in scope.edges
            if edge.kind == "reexport" or scope.language == "python"
            if world.modules.resolve(scope.language, path, edge.target).paths
            for binding in unpacked(edge.names)
            if binding.name and binding.local != EVERYTHING
        ]
        names = tuple(name for name in dict.fromkeys((*own, *passed)) if not name.startswith("_"))
        if names:
            found.append((path, names))
    return tuple(found)


def _head(ground: Ground, room: int, is_there: Callable[[str], bool]) -> str:
    """Languages, folders, ways in, tests and what is offered: line by line, as long as there is room."""
    told = ground.overview
    total = sum(share.lines for share in told.languages) or 1
    languages = ", ".join(
        f"{share.language} {100 * share.lines // total}%" for share in told.languages[:8] if 100 * share.lines >= total
    )
    sections: list[list[str]] = [
        [f"languages: {languages}"] if languages else [],
        ["folders:", *(f"  {each.path or '.'}/  {each.files} files, {each.lines} lines" for each in told.folders)],
        ["entry points:", *(f"  {each.path}  ({each.why})" for each in told.entry_points if is_there(each.path))],
        ["tests:", *(f"  {each.path or '.'}/  {each.files} files" for each in told.tests)],
        ["public API:", *(f"  {path}: {_few(names)}" for path, names in ground.api if is_there(path))],
    ]
    kept: list[str] = []
    for lines in sections:
        if len(lines) == 1 and lines[0].endswith(":"):
            continue
        shown = 0
        for place, line in enumerate(lines[: _FIRST_LINES + 1]):
            # A title without a line below it says nothing.
            needed = "\n".join((*kept, line, *(lines[1:2] if not place and len(lines) > 1 else ()), ""))
            if token_cost(needed) > room:
                break
            kept.append(line)
            shown += 1
        more = f"  ({len(lines) - shown} more)"
        if 0 < shown < len(lines) and token_cost("\n".join((*kept, more, ""))) <= room:
            kept.append(more)
    return "\n".join((*kept, "")) + "\n" if kept else ""


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_API_NAMES])
    return shown + (f", ... ({len(names)} names)" if len(names) > _API_NAMES else "")


def _in_order(symbols: Sequence[SymbolRow]) -> tuple[SymbolRow, ...]:
    shown = (symbol for symbol in symbols if symbol.exported and symbol.kind in _SHOWN)
    return tuple(sorted(shown, key=lambda symbol: symbol.start_line))


def _rest(files: int, definitions: int, full_tokens: int) -> str:
    if not files and not definitions:
        return ""
    return f"({files} more files, {definitions} more names: ask for {full_tokens} tokens)\n"


def _shortened(entry: MapEntry, budget: int) -> MapEntry:
    """As many definitions as fit, types before members."""
    kept: list[SymbolRow] = []
    for symbol in sorted(entry.symbols, key=lambda symbol: (bool(symbol.container), symbol.start_line)):
        if token_cost(replace(entry, symbols=(*kept, symbol)).text()) > budget:
            break
        kept.append(symbol)
    return replace(entry, symbols=_in_order(kept))
