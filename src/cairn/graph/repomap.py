"""The map of a repository: the files that others use most, with what they offer, within a budget."""

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from cairn.store import SnapshotView, SymbolRow

CHARS_PER_TOKEN = 4
_SHOWN = frozenset(
    {"class", "function", "interface", "method", "struct", "enum", "trait", "type", "module", "macro", "table"}
)
_COMMON = 50
"""A name that is defined in more files than this says nothing about any of them."""


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One file with the definitions that are worth showing."""

    path: str
    rank: float
    symbols: tuple[SymbolRow, ...]


@dataclass(frozen=True, slots=True)
class RepoMap:
    """What fits into a budget, and how much doesn't."""

    entries: tuple[MapEntry, ...]
    files_left_out: int
    tokens: int
    snapshot_id: str

    def text(self) -> str:
        lines: list[str] = []
        for entry in self.entries:
            lines.append(entry.path)
            lines += [f"  {symbol.signature or symbol.name}" for symbol in entry.symbols]
        if self.files_left_out:
            lines.append(f"({self.files_left_out} more files; ask for a larger budget)")
        return "\n".join(lines)


def repo_map(view: SnapshotView, budget_tokens: int, is_there: Callable[[str], bool]) -> RepoMap:
    """Files by how often others call what they define; ties by path."""
    by_file: dict[str, list[SymbolRow]] = defaultdict(list)
    homes: dict[str, set[str]] = defaultdict(set)
    for path, symbol in view.all_symbols():
        if symbol.kind in _SHOWN and symbol.exported:
            by_file[path].append(symbol)
            homes[symbol.name].add(path)
    uses: dict[str, float] = defaultdict(float)
    for path, name, count in view.use_counts():
        owners = homes.get(name, set())
        if path not in owners and 0 < len(owners) <= _COMMON:
            for owner in owners:
                uses[owner] += math.log1p(count) / len(owners)
    order = sorted(by_file, key=lambda path: (-uses[path], path))
    entries: list[MapEntry] = []
    spent = 0
    for path in order:
        if not is_there(path):
            continue
        symbols = sorted(by_file[path], key=lambda symbol: symbol.start_line)
        entry = MapEntry(path, round(float(uses[path]), 6), tuple(symbols))
        cost = _tokens(entry)
        if spent + cost > budget_tokens:
            room = budget_tokens - spent
            entry = _shortened(entry, room)
            cost = _tokens(entry)
            if not entry.symbols or cost > room:
                break
        entries.append(entry)
        spent += cost
    return RepoMap(tuple(entries), len(order) - len(entries), spent, view.snapshot_id)


def _tokens(entry: MapEntry) -> int:
    chars = len(entry.path) + sum(len(symbol.signature or symbol.name) + 3 for symbol in entry.symbols)
    return math.ceil(chars / CHARS_PER_TOKEN)


def _shortened(entry: MapEntry, budget: int) -> MapEntry:
    """As many definitions as fit, types before members."""
    kept: list[SymbolRow] = []
    ordered = sorted(entry.symbols, key=lambda symbol: (bool(symbol.container), symbol.start_line))
    for symbol in ordered:
        if _tokens(MapEntry(entry.path, entry.rank, (*kept, symbol))) > budget:
            break
        kept.append(symbol)
    return MapEntry(entry.path, entry.rank, tuple(sorted(kept, key=lambda symbol: symbol.start_line)))
