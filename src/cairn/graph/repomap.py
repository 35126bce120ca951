"""The map of a repository: the files that others use most, with what they offer, within a budget."""

import math
from collections import defaultdict
from collections.abc import Callable

from cairn.store import SnapshotView, SymbolRow
from cairn.syntax.cost import token_cost
from cairn.values import dataclass, replace

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

    def text(self) -> str:
        return "\n".join([self.path, *(f"  {line_of(symbol)}" for symbol in self.symbols), ""])


@dataclass(frozen=True, slots=True)
class RepoMap:
    """What fits into a budget, and how much doesn't."""

    entries: tuple[MapEntry, ...]
    files_left_out: int
    tokens: int
    """What the entries take."""
    snapshot_id: str
    budget_tokens: int
    definitions_left_out: int = 0
    """In files that are shown."""
    full_tokens: int = 0
    """What all of it would take."""

    def text(self) -> str:
        """The map as it is meant to be read: never more than the budget, with the last line about the rest."""
        return "".join(entry.text() for entry in self.entries) + self.rest

    @property
    def rest(self) -> str:
        """What is left out and how to get it; empty where nothing is, or where the budget has no room for a word."""
        text = _rest(self.files_left_out, self.definitions_left_out, self.full_tokens)
        return text if self.tokens + token_cost(text) <= self.budget_tokens else ""


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
    whole = [MapEntry(path, round(float(uses[path]), 6), _in_order(by_file[path])) for path in order]
    full = sum(token_cost(entry.text()) for entry in whole)
    room = budget_tokens
    if full > room:
        # What is said about the rest must fit too.
        room -= token_cost(_rest(len(whole), sum(len(entry.symbols) for entry in whole), full))
    entries: list[MapEntry] = []
    spent = gone = missing = 0
    for entry in whole:
        if not is_there(entry.path):
            gone += 1
            continue
        kept = entry if spent + token_cost(entry.text()) <= room else _shortened(entry, room - spent)
        if not kept.symbols:
            break
        entries.append(kept)
        spent += token_cost(kept.text())
        missing += len(entry.symbols) - len(kept.symbols)
    left_out = len(whole) - gone - len(entries)
    return RepoMap(tuple(entries), left_out, spent, view.snapshot_id, budget_tokens, missing, full)


def line_of(symbol: SymbolRow) -> str:
    """A definition in one line."""
    return symbol.signature or symbol.name


def _in_order(symbols: list[SymbolRow]) -> tuple[SymbolRow, ...]:
    return tuple(sorted(symbols, key=lambda symbol: symbol.start_line))


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
