"""The outline of a file: a tree of its definitions, whole or within a budget, and single ones by id or label."""

from collections.abc import Callable, Container, Iterator, Sequence

from cairn.base.values import dataclass, replace
from cairn.graph.symbols import ids_of
from cairn.kernel.tokens import token_cost
from cairn.store import SymbolRow

_SUGGESTED = 5


@dataclass(frozen=True, slots=True)
class Outline:
    """Definitions in the order of the file: those that fit, and those that don't."""

    kept: tuple[SymbolRow, ...]
    left_out: tuple[SymbolRow, ...]
    full_tokens: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A definition with what is defined in it."""

    id: str
    symbol: SymbolRow
    children: tuple["Branch", ...] = ()


@dataclass(frozen=True, slots=True)
class Exact:
    """The answer to a question for one definition of a file."""

    status: str
    """ok, ambiguous or not_found"""
    branches: tuple[Branch, ...] = ()
    """The one that was meant, or all that may be."""
    suggestions: tuple[str, ...] = ()
    """Labels of the file that are like the one that wasn't found."""


def outline_tree(path: str, symbols: Sequence[SymbolRow]) -> tuple[Branch, ...]:
    """Definitions as they are nested, each with its id."""
    children: dict[int, list[int]] = {-1: []}
    stack: list[int] = []
    said = list(ids_of(path, symbols))
    order = sorted(range(len(said)), key=lambda at: (said[at][1].start_line, -said[at][1].end_line, at))
    for at in order:
        symbol = said[at][1]
        while stack and not _holds(said[stack[-1]][1], symbol):
            stack.pop()
        children.setdefault(stack[-1] if stack else -1, []).append(at)
        stack.append(at)
    made: dict[int, Branch] = {}
    # The inner ones stand behind what they are in: from the end on, children are made before parents.
    for at in reversed(order):
        made[at] = Branch(*said[at], tuple(made[child] for child in children.get(at, ())))
    return tuple(made[at] for at in children[-1])


def walk(branches: Sequence[Branch]) -> Iterator[tuple[int, Branch]]:
    """Every branch with its depth, from the top down."""
    waiting = [(0, branch) for branch in reversed(branches)]
    while waiting:
        depth, branch = waiting.pop()
        yield depth, branch
        waiting += [(depth + 1, child) for child in reversed(branch.children)]


def narrowed(branches: Sequence[Branch], depth: int | None, around: int | None) -> tuple[Branch, ...]:
    """What is not too deep, and around a line: all that holds it, and what the innermost of these holds."""
    rows = [(level, branch) for level, branch in walk(branches) if depth is None or level < depth]
    if around is not None:
        holding = [branch for _, branch in rows if branch.symbol.start_line <= around <= branch.symbol.end_line]
        shown = [*holding, *(holding[-1].children if holding else branches)]
        rows = [(level, branch) for level, branch in rows if any(branch is each for each in shown)]
    return only(branches, {id(branch.symbol) for _, branch in rows})


def only(branches: Sequence[Branch], kept: Container[int]) -> tuple[Branch, ...]:
    """The tree of some of its symbols, by their identity: nothing is kept of what stands in one that isn't."""
    made: dict[int, list[Branch]] = {}
    # From the end on, what a branch holds is made just before it.
    for level, branch in reversed([*walk(branches)]):
        children = made.pop(level + 1, [])
        if id(branch.symbol) in kept:
            made.setdefault(level, []).append(replace(branch, children=tuple(reversed(children))))
    return tuple(reversed(made.get(0, [])))


def exact(branches: Sequence[Branch], wanted: str) -> Exact:
    """One definition by its id or its label: a qualified name, a plain one, or a signature."""
    every = [branch for _, branch in walk(branches)]
    name = wanted.replace("::", ".").replace("#", ".").strip()
    ways: tuple[Callable[[Branch], bool], ...] = (
        lambda branch: branch.id == wanted,
        lambda branch: branch.symbol.qualified_name == name,
        lambda branch: branch.symbol.signature == wanted,
        lambda branch: branch.symbol.name == name or branch.symbol.qualified_name.endswith(f".{name}"),
    )
    for fits in ways:
        found = tuple(filter(fits, every))
        if found:
            return Exact("ok" if len(found) == 1 else "ambiguous", found)
    import difflib

    labels = list(dict.fromkeys(branch.symbol.qualified_name for branch in every))
    near = difflib.get_close_matches(name, labels, _SUGGESTED, 0.5)
    return Exact("not_found", (), tuple(near))


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


def _holds(outer: SymbolRow, inner: SymbolRow) -> bool:
    within = inner.container == outer.qualified_name or inner.container.startswith(f"{outer.qualified_name}.")
    return within and outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


def _depth(symbol: SymbolRow) -> int:
    return symbol.container.count(".") + 1 if symbol.container else 0
