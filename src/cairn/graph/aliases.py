"""Names that imports give to a definition, wherever it is passed on."""

from cairn.graph.customs import family
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition

_DEFAULT = "default"


def other_names(resolver: Resolver, item: Definition) -> tuple[str, ...]:
    """Every other name under which some file of the snapshot has a definition, in order of finding."""
    world = resolver.world
    own = item.symbol.name
    waiting = [own]
    if family(world.languages.get(item.path, "")) == "javascript" and not item.symbol.container:
        waiting.append(_DEFAULT)
    found: dict[str, None] = {}
    while waiting:
        for path, local in world.aliases.get(waiting.pop(), ()):
            if local in found or local in (own, _DEFAULT) or "." in local:
                continue
            if is_among(item, resolver.top(path, local).targets):
                found[local] = None
                waiting.append(local)
    return tuple(found)


def is_among(item: Definition, targets: tuple[Definition, ...]) -> bool:
    return any(same(item, each) for each in targets)


def same(one: Definition, other: Definition) -> bool:
    """Overloads of one name in one place are one thing."""
    return (one.path, one.symbol.qualified_name) == (other.path, other.symbol.qualified_name)
