"""C's declarations: prototypes and `extern`, which only say that something is defined elsewhere."""

from collections.abc import Iterable, Sequence

from cairn.graph.customs import family, is_header
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition
from cairn.graph.world import World

_LONGEST = 40
"""Lines; no prototype is longer."""


def is_declaration(world: World, item: Definition) -> bool:
    """Whether something in C or C++ is only declared, and defined elsewhere."""
    symbol = item.symbol
    if symbol.kind == "macro" or not _is_c(world, item):
        return False
    if symbol.kind not in FUNCTIONS:
        return symbol.signature.startswith("extern ") and "=" not in symbol.signature
    if symbol.signature.endswith(";"):
        return True
    if symbol.end_line == symbol.start_line or symbol.end_line - symbol.start_line > _LONGEST:
        return False
    # A signature is one line, and the head may go on.
    return not any("{" in line for line in world.lines(item.path)[symbol.start_line - 1 : symbol.end_line])


def bodies_of(world: World, items: Iterable[Definition]) -> list[Definition]:
    """Of some declarations the definitions that other files can mean by them, each once."""
    found = (
        body
        for item in items
        for body in _namesakes(world, item)
        if not is_declaration(world, body) and (body.symbol.exported or body.symbol.container)
    )
    return list(dict.fromkeys(found))


def together(world: World, definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """Definitions with what says in other files that they are there: all of them are one thing."""
    found = dict.fromkeys(definitions)
    for item in definitions:
        symbol = item.symbol
        if not _is_c(world, item) or not (symbol.exported or symbol.container or is_header(item.path)):
            continue
        if is_declaration(world, item):
            found |= dict.fromkeys(bodies_of(world, [item]))
        found |= dict.fromkeys(each for each in _namesakes(world, item) if is_declaration(world, each))
    return tuple(found)


def _namesakes(world: World, item: Definition) -> Iterable[Definition]:
    return (
        each
        for each in world.namesakes(item.symbol.name)
        if each.symbol.qualified_name == item.symbol.qualified_name and _is_c(world, each)
    )


def _is_c(world: World, item: Definition) -> bool:
    return family(world.languages.get(item.path, "")) == "c"
