"""Files that take all names of a module: what is renamed there gets its new name in each of them, too."""

from collections.abc import Iterable, Iterator

from cairn.edit.gate.thing import TOP, Thing
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import key_of
from cairn.syntax.imported import EVERYTHING, unpacked


def files_given(resolver: Resolver, thing: Thing, new: str) -> frozenset[str]:
    """The files that have the thing by its new name because they take all names of a module."""
    if thing.reach != TOP:
        return frozenset()
    own = set(map(key_of, thing.definitions))
    found, waiting = set[str](), dict[str, set[str]]()
    for path in _taking_all(resolver, thing.family):
        if any(key_of(each) in own for each in resolver.top(path, thing.name).targets):
            found.add(path)
        else:
            waiting[path] = set(_taken_whole(resolver, path))
    if thing.family == "python" and thing.name.startswith("_") and not new.startswith("_"):
        # It was left out because of its underscore.
        homes = {item.path for item in thing.definitions if not _has_list(resolver, item.path)}
        while fresh := {path for path, taken in waiting.items() if path not in found and taken & homes}:
            found |= fresh
            homes |= {path for path in fresh if not _has_list(resolver, path)}
    return frozenset(found)


def taken_beside(resolver: Resolver, thing: Thing, new: str, given: Iterable[str]) -> Iterator[str]:
    """Where the new name means something else already in a file that is given the thing with all of its module."""
    own = set(map(key_of, thing.definitions))
    for path in sorted(given):
        if _is_left_out(resolver, thing, path, new):
            yield f"{path} takes all names of its module, and so none that begins with an underscore"
        for other in resolver.top(path, new).targets:
            if key_of(other) not in own and not other.symbol.container:
                yield f"{other.path}:{other.symbol.name_line} defines {new} already, and {path} has the names of both"


def _is_left_out(resolver: Resolver, thing: Thing, path: str, new: str) -> bool:
    """Python: whether a file that takes all names of a module, and has no other way to this one, loses it."""
    bound = resolver.world.scope(path).bound
    if thing.family != "python" or not new.startswith("_") or bound.get(thing.name):
        return False
    homes = {item.path for item in thing.definitions}
    return path not in homes and not any(_has_list(resolver, home) for home in homes)


def _has_list(resolver: Resolver, path: str) -> bool:
    """Python: whether a module says itself which names are taken with all of it."""
    return any(each.name == "__all__" for each in resolver.world.scope(path).symbols)


def _taken_whole(resolver: Resolver, path: str) -> Iterator[str]:
    """The files that a file takes all names of."""
    world = resolver.world
    for edge in world.scope(path).stars:
        yield from world.modules.resolve(world.languages.get(path, ""), path, edge.target).paths


def _taking_all(resolver: Resolver, language: str) -> Iterator[str]:
    """The files of a language with `from m import *`, `export * from "./m"`."""
    world, seen = resolver.world, set()
    for path, *_, names in world.view.facts.imports():
        if EVERYTHING in names and path not in seen and family(world.languages.get(path, "")) == family(language):
            if any(each.local == EVERYTHING for each in unpacked(names)):
                seen.add(path)
                yield path
