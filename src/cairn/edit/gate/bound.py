"""What one scope binds has one name, whatever a use is taken for: a rename changes all of these places or none."""

import builtins
from collections.abc import Collection, Iterator

from cairn.edit.source.file import SourceFile
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.scopes import SPACE

Spot = tuple[int, int]
"""A line from 1, and bytes from the start of that line."""


def torn(source: SourceFile, name: str, changed: Collection[Spot]) -> frozenset[Spot]:
    """Places that would keep the name though the scope that binds them gives it to places that are changed."""
    mixed = (places for places in (_bound(source, name) if changed else ()) if not places.isdisjoint(changed))
    return frozenset(place for places in mixed for place in places if place not in changed)


def read_in_class(source: SourceFile, name: str) -> frozenset[Spot]:
    """Places in the body of a class that read a name which the class binds, and others around it do, too.

    Python: until the class has bound it, that is the other, and which comes first isn't told by where it stands.
    """
    found = source.found(name)
    if found is None:
        return frozenset()
    meant = [(one, found.meaning(one)) for one in found.occurrences if one.bare]
    own = {id(scope[0]) for _, scope in meant if scope is not None and scope[0].kind == SPACE and not scope[1].local}
    outer = hasattr(builtins, name) or any(
        one.binds is not None and one.binds.kind != SPACE and id(one.binds) not in own for one, _ in meant
    )
    reads = (one for one, scope in meant if one.binds is None and scope is not None and id(scope[0]) in own)
    return frozenset((one.line, one.column) for one in reads if outer and one.scope.kind == SPACE)


def bound_with(source: SourceFile, name: str, place: Spot) -> frozenset[Spot]:
    """All places that the scope binds which binds a place."""
    return frozenset(each for places in _bound(source, name) if place in places for each in places)


def _bound(source: SourceFile, name: str) -> Collection[set[Spot]]:
    """The places of a name, together if one scope binds them."""
    found = source.found(name)
    bound: dict[object, set[Spot]] = {}
    for one in found.occurrences if found is not None else ():
        if found is not None and one.bare:
            bound.setdefault(_scope(found, one), set()).add((one.line, one.column))
    return bound.values()


def _scope(found: FileOccurrences, one: Occurrence) -> object:
    """The scope that binds a name; the file itself where no other does."""
    meant = found.meaning(one)
    return id(meant[0]) if meant is not None else None


def promoted(resolver: Resolver, item: Definition) -> Iterator[Occurrence]:
    """The uses of a parameter that is a member too: `constructor(private name)`. No place binds it but the member's."""
    world = resolver.world
    data = world.view.rows.whole_text_of(item.path) or b""
    found = world.found(item.path, data, item.symbol.name)
    own: dict[int, list[Occurrence]] = {}
    for one in found.occurrences if found is not None else ():
        meant = found.meaning(one) if found is not None else None
        if meant is not None and meant[1].local:
            own.setdefault(id(meant[0]), []).append(one)
            within = (
                data.count(b"\n", 0, meant[0].start) < item.symbol.name_line <= data.count(b"\n", 0, meant[0].end) + 1
            )
            if not within:
                own[id(meant[0])].clear()
    for places in own.values():
        if all(one.binds is None for one in places):
            yield from places
