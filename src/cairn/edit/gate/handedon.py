"""Files that take all names of a module: what is renamed there gets its new name in each of them, too."""

from collections.abc import Iterator

from cairn.edit.gate.thing import TOP, Thing
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import key_of
from cairn.syntax.imported import EVERYTHING, unpacked


def taken_beside(resolver: Resolver, thing: Thing, new: str) -> Iterator[str]:
    """Where the new name means something else already in a file that is given the thing with all of its module."""
    own = set(map(key_of, thing.definitions))
    for path in _taking_all(resolver, thing.family) if thing.reach == TOP else ():
        if not any(key_of(each) in own for each in resolver.top(path, thing.name).targets):
            continue
        if _is_left_out(resolver, thing, path, new):
            yield f"{path} takes all names of its module, and so none that begins with an underscore"
        for other in resolver.top(path, new).targets:
            if key_of(other) not in own and not other.symbol.container:
                yield f"{other.path}:{other.symbol.name_line} defines {new} already, and {path} has the names of both"


def _is_left_out(resolver: Resolver, thing: Thing, path: str, new: str) -> bool:
    """Python: whether a file that takes all names of a module, and has no other way to this one, loses it."""
    scope = resolver.world.scope
    if thing.family != "python" or not new.startswith("_") or scope(path).bound.get(thing.name):
        return False
    homes = {item.path for item in thing.definitions}
    return path not in homes and not any(each.name == "__all__" for home in homes for each in scope(home).symbols)


def _taking_all(resolver: Resolver, language: str) -> Iterator[str]:
    """The files of a language with `from m import *`, `export * from "./m"`."""
    world, seen = resolver.world, set()
    for path, *_, names in world.view.facts.imports():
        if EVERYTHING in names and path not in seen and family(world.languages.get(path, "")) == family(language):
            if any(each.local == EVERYTHING for each in unpacked(names)):
                seen.add(path)
                yield path
