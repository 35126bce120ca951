"""One thing and all its places: what defines it, what only declares it, and the parts that it is written in."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from cairn.base.values import dataclass, replace
from cairn.graph.customs import customs_of, family, is_stub
from cairn.graph.meaning import PROVEN
from cairn.graph.repeated import declared_with, here, is_c, is_declaration, is_piece, is_static
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.sides import sides_of
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.store import SymbolRow

_OVERLOAD = re.compile(r"@\s*[\w.]*\boverload\b")


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing; `places` are all that say it, the first of them its implementation."""

    places: tuple[Definition, ...]
    bodies: tuple[Definition, ...]
    """Those that are more than a declaration; the first place where none is."""

    @property
    def first(self) -> Definition:
        """What stands for the thing: its implementation, or a part of it."""
        return self.places[0]

    @property
    def shown(self) -> Definition:
        """The same with all other places."""
        return replace(self.first, places=self.places[1:]) if len(self.places) > 1 else self.first


def place_of(item: Definition) -> str:
    """Where a definition is, as one can ask for it."""
    return f"{item.path}:{item.symbol.name_line}"


def entities_of(
    world: World, items: Iterable[Definition], present: Callable[[str], bool] = lambda _path: True
) -> list[Entity]:
    """Definitions as things, each once, in the order in which they are met; places in files that are gone are none."""
    found: list[Entity] = []
    seen: set[Key] = set()
    # A declaration of C may be one of several things, which their definitions tell apart.
    for item in sorted(items, key=lambda each: is_declaration(world, each)):
        if key_of(item) not in seen:
            entity = entity_of(world, item, present)
            seen |= {key_of(each) for each in entity.places}
            found.append(entity)
    return found


def entity_of(world: World, item: Definition, present: Callable[[str], bool] = lambda _path: True) -> Entity:
    """A definition with its stubs, declarations and further parts."""
    found = {key_of(item): item}
    waiting = [item]
    while waiting:
        for each in _others(world, waiting.pop()):
            if key_of(each) not in found and present(each.path):
                found[key_of(each)] = each
                # Files of C that a header is shared by may each define what it declares, for programs of their own.
                waiting += [each] if not is_c(world, each) else []
    if len(found) == 1:
        return Entity((item,), (item,))
    heads = {key for key, each in found.items() if _is_head_only(world, each)}
    places = sorted(found.values(), key=lambda each: (key_of(each) in heads, each.path, each.symbol.start_line))
    bodies = tuple(each for each in places if key_of(each) not in heads)
    return Entity(tuple(places), bodies or (places[0],))


def one_thing(world: World, item: Definition) -> tuple[Definition, ...]:
    """All places of what a definition is of; the implementation stands first."""
    return entity_of(world, item).places


def said_once(world: World, path: str) -> list[SymbolRow]:
    """What a file defines, each thing once: a body stands for the signatures before it."""
    symbols = world.scope(path).symbols
    named = Counter(symbol.qualified_name for symbol in symbols)

    def is_first(symbol: SymbolRow) -> bool:
        item = Definition(path, symbol)
        return key_of(next(each for each in one_thing(world, item) if each.path == path)) == key_of(item)

    return [symbol for symbol in symbols if named[symbol.qualified_name] < 2 or is_first(symbol)]


def _others(world: World, item: Definition) -> Iterator[Definition]:
    """What says the same thing elsewhere."""
    symbol = item.symbol
    if is_c(world, item):
        yield from declared_with(world, item)
    if symbol.kind in FUNCTIONS:
        # Overloads' signatures stand in the file of their body; most names are there once, and no file is read for it.
        scope = world.scope(item.path) if len(world.beside(item)) > 1 else None
        said = here(world, scope, scope.named(symbol.qualified_name)) if scope is not None else None
        if said is not None and said.tier == PROVEN and key_of(item) in map(key_of, said.targets):
            is_macro = symbol.kind == "macro"
            alike = (each for each in said.targets if each.symbol.kind in FUNCTIONS)
            alike = (each for each in alike if (each.symbol.kind == "macro") == is_macro)
            yield from (each for each in alike if is_static(each) == is_static(item))
    if symbol.kind in TYPES and customs_of(world.languages.get(item.path, "")).merged:
        beside = world.beside(item)
        # Blocks and functions without a name may each have a type of that name.
        uses = world.uses(item.path, symbol.name) if len(beside) > 1 else ()
        bound = {use.line: use.bound for use in uses if use.role == "definition"}
        own = bound.get(symbol.name_line)
        merged = (each for each in beside if each.symbol.kind in TYPES and bound.get(each.symbol.name_line) == own)
        yield from (each for each in merged if sides_of(world, each) & sides_of(world, item))
    for path in world.stubs.get(item.path, ()):
        yield from (Definition(path, each) for each in world.scope(path).named(symbol.qualified_name))
    if is_piece(world, item):
        for each in world.namesakes(symbol.name):
            if each.symbol.qualified_name == symbol.qualified_name and _is_kin(world, item, each):
                yield from (each,) if is_piece(world, each) else ()


def _is_kin(world: World, item: Definition, other: Definition) -> bool:
    languages = world.languages
    same = family(languages.get(item.path, "")) == family(languages.get(other.path, ""))
    return same and (item.symbol.kind in TYPES) == (other.symbol.kind in TYPES)


def _is_head_only(world: World, item: Definition) -> bool:
    """Whether a definition says only what another one does: C's declarations, overloads' signatures, stubs."""
    language = world.languages.get(item.path, "")
    if is_c(world, item):
        return is_declaration(world, item)
    if is_stub(item.path, language):
        return True
    symbol = item.symbol
    if symbol.kind not in FUNCTIONS:
        return False
    lines = world.lines(item.path)
    if language == "python":
        return any(_OVERLOAD.match(line.strip()) for line in lines[symbol.start_line - 1 : symbol.name_line])
    return not any("{" in line or "=>" in line for line in lines[symbol.start_line - 1 : symbol.end_line])
