"""Names that only their function knows, asked for by place: locals, and parameters with the arguments given to them."""

import re
from collections.abc import Callable, Iterator

from cairn.graph.arguments import named_arguments
from cairn.graph.entities import one_thing
from cairn.graph.makers import types_made
from cairn.graph.meaning import PROVEN
from cairn.graph.occurrences import tie_of
from cairn.graph.references import Reference, References, reference
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition
from cairn.graph.targets import Place
from cairn.store import SymbolRow
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.ties import PARAMETER

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w$\x80-\xff]*")


def find_local(resolver: Resolver, place: Place, present: Callable[[str], bool]) -> References | None:
    """The uses of the local or parameter at a place, in the scope that binds it; None where there is none."""
    world = resolver.world
    data = world.view.rows.whole_text_of(place.path) or b""
    lines = data.split(b"\n")
    words = _WORD.finditer(lines[place.line - 1]) if place.column is not None and place.line <= len(lines) else ()
    word = next((each for each in words if each.start() < (place.column or 0) <= each.end()), None)
    found = world.found(place.path, data, word[0].decode("utf-8", "replace")) if word is not None else None
    if found is None or word is None:
        return None
    own = [one for one in found.occurrences if (one.line, one.column) == (place.line, word.start())]
    home = _home(found, own[0]) if own else ""
    if not home:
        return None
    places = [(one, at) for one, at in zip(found.occurrences, found.withins, strict=True) if _home(found, one) == home]
    head, within = next(((one, at) for one, at in places if one.role in ("definition", "write")), places[0])
    kind = "parameter" if head.parameter else "variable"
    text = lines[head.line - 1].decode("utf-8", "replace").strip()
    name = f"{within}.{head.name}" if within else head.name
    row = SymbolRow("syntactic", head.name, name, kind, text, head.line, head.line, head.line, within, False, "")
    item = Definition(place.path, row)
    items = [
        Reference(place.path, one.line, one.column, one.name, one.role, at, PROVEN, item)
        for one, at in places
        if one is not head
    ]
    items += _given(resolver, item, head, present) if head.parameter else ()
    items.sort(key=lambda each: (each.path, each.line, each.column))
    return References((item,), tuple(items))


def _home(found: FileOccurrences, one: Occurrence) -> str:
    """The scope that binds a local name; empty for what others can see."""
    meant = found.meaning(one)
    return meant[0].place if meant is not None and meant[1].local else ""


def _given(
    resolver: Resolver, item: Definition, head: Occurrence, present: Callable[[str], bool]
) -> Iterator[Reference]:
    """Arguments by the name of a parameter, where its function is called."""
    world, own = resolver.world, item.symbol
    ties = map(tie_of, world.tied(item.path, own.name) or ())
    if not any((tie.line, tie.column, tie.kind) == (head.line, head.column, PARAMETER) for tie in ties):
        return  # of a function without a name
    scope = world.scope(item.path)
    around = [each for each in scope.named(own.container) if each.start_line <= own.name_line <= each.end_line]
    functions = [Definition(item.path, each) for each in around if each.kind in FUNCTIONS]
    called = [part for each in functions for part in one_thing(world, each)]
    called += [made.type for made in types_made(world, called, resolver.evaluator.derived).values()]
    for given in named_arguments(resolver, called, own.name, present) if called else ():
        yield reference(given.path, given.use, given.tier, item)
