"""Functions and types of Python that are called under the names of variables which hold them: `a = f; a()`."""

from collections.abc import Collection, Iterator, Sequence

from cairn.graph.binding import ChainPlace
from cairn.graph.customs import FIELDS
from cairn.graph.flows import CALL, MEMBER, RETURN
from cairn.graph.meaning import LIKELY, NAME, PROVEN, Meaning
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.store import FlowRow
from cairn.syntax.blocks import ROLE_MASK, ROLES
from cairn.syntax.uses import Use

_LANGUAGE = "python"
_READ, _WRITE, _CALL = map(ROLES.index, ("read", "write", "call"))
_MOST_FILES = 100
_MOST_NAMES = 50
"""What is handed on more widely than this is followed no further."""


def held_by(resolver: Resolver, path: str, use: Use, found: Meaning) -> Meaning | None:
    """What a call calls that is one of a variable's value; None where it is none, or nothing is known of it.

    What the variable's name means isn't touched by it: it is known whether this is something else.
    """
    if use.role != "call" or resolver.world.languages.get(path) != _LANGUAGE:
        return None
    if found.tier != NAME and any(item.symbol.kind not in FIELDS for item in found.targets):
        return None
    if not found.targets and not use.receiver and not resolver.world.flows(path).of(use.name):
        return None
    if use.receiver and not _is_set(resolver, use.name):
        return None
    chain = f"{use.receiver}{MEMBER}{use.name}" if use.receiver else use.name
    value = resolver.evaluator.held(ChainPlace(path, use.within, use.line, use.column), chain)
    targets = tuple(item for item in value.things.targets if item.symbol.kind in FUNCTIONS | TYPES)
    if not targets:
        return None
    sure = len(targets) == 1 and value.tier == value.things.tier == PROVEN and not value.open and not value.outside
    return Meaning(targets, PROVEN if sure else LIKELY)


class _SetNames(dict[str, bool]):
    """Of names whether anything sets an attribute of theirs, as far as was asked."""


def _is_set(resolver: Resolver, name: str) -> bool:
    """Whether values are given to something of a name anywhere: what is nothing but a method holds none."""
    known = resolver.kept.of(_SetNames, _SetNames)
    if name not in known:
        world = resolver.world
        known[name] = any(item.symbol.kind in FIELDS for item in world.namesakes(name)) or any(
            what & ROLE_MASK == _WRITE for here in world.used(name).values() for what in here.placed.whats
        )
    return known[name]


def other_holders(
    resolver: Resolver, wanted: Sequence[Definition], names: Collection[str]
) -> Iterator[tuple[str, str]]:
    """(file, name) of variables that may hold one of some definitions, or what gives it, where the name is another."""
    world = resolver.world
    # A name, the file where it is a local, and whether the thing is what calling it gives.
    waiting = [(item.symbol.name, "", False) for item in wanted if world.languages.get(item.path) == _LANGUAGE]
    seen: set[tuple[str, str, bool]] = set()
    while waiting and len(seen) < _MOST_NAMES:
        name, home, gives = waiting.pop()
        if (name, home, gives) in seen:
            continue
        seen.add((name, home, gives))
        waiting += [(local, path, gives) for path, local in world.aliases.get(name, ()) if not home]
        used = world.used(name)
        paths = [path for path in ([home] if home else used) if path in used]
        if len(paths) > _MOST_FILES:
            continue
        for path in paths:
            if world.languages.get(path) != _LANGUAGE:
                continue
            if name not in names and not gives:
                yield path, name
            role = _CALL if gives else _READ
            if not any(what & ROLE_MASK == role for what in used[path].placed.whats):
                continue
            for row in world.flows(path).holding(name):
                if row.value.endswith(CALL) == gives:
                    waiting.append(_holder(world, path, row))


def _holder(world: World, path: str, row: FlowRow) -> tuple[str, str, bool]:
    """What has a value from a flow on: a function that gives it, an attribute or a variable, which may be a local."""
    if row.target == RETURN:
        return row.within.rpartition(".")[2], "", True
    own = row.target.rpartition(MEMBER)[2]
    inside = any(each.kind in FUNCTIONS for each in world.scope(path).named(row.within))
    return own, path if inside and own == row.target else "", False
