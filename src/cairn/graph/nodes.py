"""The nodes of graphs: definitions, and the tops of files, as they are told."""

from collections.abc import Sequence

from cairn.base.values import dataclass
from cairn.graph.entities import place_of
from cairn.graph.symbols import Definition, symbol_id
from cairn.graph.world import World
from cairn.store import SymbolRow
from cairn.syntax.filekind import kinds_of

_APART = ("test", "example")


@dataclass(frozen=True, slots=True)
class Node:
    """A definition, or the top of a file, in a graph."""

    id: str
    path: str
    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    depth: int
    """Steps from where the graph began; below zero towards callers."""
    places: tuple[str, ...] = ()
    """Where else it is said: declarations, stubs, further parts and overloads of what was asked for."""
    apart: str = ""
    """Whether its file is a test or an example, which show the rest in use and are no part of it."""


def node_of(world: World, item: Definition, depth: int, others: Sequence[Definition] = ()) -> Node:
    """A definition as graphs tell it, with the other places of the same thing."""
    symbol = item.symbol
    return Node(
        id_of(world, item),
        item.path,
        symbol.qualified_name or item.path,
        symbol.kind,
        symbol.name_line,
        symbol.end_line,
        symbol.signature,
        depth,
        tuple(map(place_of, others)),
        apart(world, item.path),
    )


def apart(world: World, path: str) -> str:
    """What kind of file it is, where it is one that shows the code in use: test or example."""
    kinds = kinds_of(path, world.languages.get(path, ""))
    return next((kind for kind in _APART if kind in kinds), "")


def id_of(world: World, item: Definition) -> str:
    """The id of a definition, or of the top of a file."""
    symbol = item.symbol
    known = world.ids(item.path).get((symbol.qualified_name, symbol.start_line))
    return known or symbol_id(item.path, symbol.qualified_name)


def top_of() -> SymbolRow:
    """The top of a file, as what holds what stands outside of all definitions."""
    return SymbolRow("syntactic", "", "", "file", "", 1, 1, 1, "", False, "")
