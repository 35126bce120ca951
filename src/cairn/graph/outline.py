"""The outline of a file within a budget: the frame before what hangs in it."""

from collections.abc import Sequence

from cairn.store import SymbolRow
from cairn.syntax.cost import token_cost
from cairn.values import dataclass


@dataclass(frozen=True, slots=True)
class Outline:
    """Definitions in the order of the file: those that fit, and those that don't."""

    kept: tuple[SymbolRow, ...]
    left_out: tuple[SymbolRow, ...]
    full_tokens: int


def outline_line(symbol: SymbolRow) -> str:
    """A definition as a line of an outline: what counts against a budget."""
    return f"{'  ' * _depth(symbol)}{symbol.signature or symbol.name}  :{symbol.start_line}-{symbol.end_line}\n"


def outline_within(symbols: Sequence[SymbolRow], budget_tokens: int) -> Outline:
    """What stands at the top first, then members, then theirs; at the first that doesn't fit it ends."""
    costs = [token_cost(outline_line(symbol)) for symbol in symbols]
    by_depth = sorted(range(len(symbols)), key=lambda at: _depth(symbols[at]))
    room = budget_tokens
    kept: set[int] = set()
    for at in by_depth:
        if costs[at] > room:
            break
        room -= costs[at]
        kept.add(at)
    return Outline(
        tuple(symbol for at, symbol in enumerate(symbols) if at in kept),
        tuple(symbol for at, symbol in enumerate(symbols) if at not in kept),
        sum(costs),
    )


def _depth(symbol: SymbolRow) -> int:
    return symbol.container.count(".") + 1 if symbol.container else 0
