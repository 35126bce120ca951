"""Parts of one thing that several files define: what TypeScript adds to a module, and Go's files for each system."""

import re
from collections.abc import Iterator, Sequence

from cairn.graph.customs import family
from cairn.graph.meaning import PROVEN
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of

_ADDED = re.compile(r"\bdeclare\s+module\s+[\"']([^\"']+)[\"']")
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)


def augmented(resolver: Resolver, item: Definition) -> Iterator[Definition]:
    """What `declare module "./m" { interface It {} }` adds to, and what such blocks add."""
    world, own = resolver.world, item.symbol
    for other in world.namesakes(own.name):
        for added, whole in ((item, other), (other, item)):
            language = world.languages.get(added.path, "")
            module = _augments(resolver, added) if added.symbol.container else ""
            if added.path != whole.path and module and not whole.symbol.container and family(language) == "javascript":
                if whole.path in world.modules.resolve(language, added.path, module).paths:
                    yield other


def _augments(resolver: Resolver, item: Definition) -> str:
    """The module that the block around a definition adds to."""
    said = _ADDED.findall("\n".join(resolver.world.lines(item.path)[: item.symbol.name_line]))
    return said[-1] if said else ""


def variants(resolver: Resolver, item: Definition) -> Iterator[Definition]:
    """Go: files of a package may define the same for different systems."""
    world, own = resolver.world, item.symbol
    if world.languages.get(item.path) != "go" or own.name in ("init", "_"):
        return
    folder, package = item.path.rpartition("/")[0], _package(resolver, item.path)
    for other in world.namesakes(own.name):
        same = other.symbol.qualified_name == own.qualified_name and other.path.rpartition("/")[0] == folder
        if same and other.path != item.path and _package(resolver, other.path) == package:
            yield other


def _package(resolver: Resolver, path: str) -> str:
    said = _PACKAGE.search("\n".join(resolver.world.lines(path)))
    return said[1] if said is not None else ""


def is_sure(resolver: Resolver, own: Sequence[Definition], at: tuple[str, int, int], tier: str, role: str) -> bool:
    """Whether a proven use of a member is of no other member too: a value may be of several types."""
    if tier != PROVEN or role == "definition":
        return True
    keys, path = set(map(key_of, own)), at[0]
    use = resolver.world.use_at(path, own[0].symbol.name, *at[1:])
    if use is None or not use.receiver:
        return True
    by_index = resolver.semantics.meanings(path, [use])[0] if resolver.semantics is not None else None
    known = [key_of(item) in keys for item in (by_index or resolver.meaning_of(path, use)).targets]
    return all(known) or not any(known)
