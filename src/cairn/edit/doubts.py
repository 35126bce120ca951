"""Reasons to doubt a rename: ways to reach a thing by its name other than the references in the code."""

import builtins
import importlib
from collections.abc import Iterable, Iterator
from typing import Any

from cairn.base.values import replace
from cairn.edit.callers import caller_doubts, is_special
from cairn.edit.group import Group, is_member, owner_of
from cairn.edit.lineage import CLASSES, SourceOf, bases, computed_bases, node_at, numbers_at
from cairn.edit.ownname import above, decorators
from cairn.edit.texts import FileText
from cairn.edit.values import Doubt, Spot
from cairn.semantic.scip.symbols import parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.store import SemanticFacts, SemanticOccurrence

_DECLARING = (".d.ts", ".d.mts", ".d.cts", ".pyi")
_STRUCTURAL = ("scip-typescript ",)
_KNOWN_MEMBERS = frozenset(
    """
    constructor toJSON toString toLocaleString valueOf then next done value length name message stack prototype
    __proto__ caller arguments
    """.split()
)
"""What JavaScript itself asks objects for."""
_TESTS = "test"
_MAKING = frozenset({"__init__", "__new__"})
"""Every class may define these in its own way, whatever its bases have."""
_LOOKED_INTO = frozenset({"builtins", "abc", "typing", "enum", "collections", "collections.abc"})
"""Modules of the standard library whose classes tell which names they have."""


def doubts_about(
    group: Group, facts: SemanticFacts, source_of: SourceOf, spots: tuple[Spot, ...], new: str
) -> Iterator[Doubt]:
    """Why others may know the thing by its old name, or be disturbed by the new one."""
    name = group.name
    if group.home:
        for path, each in group.definitions:
            yield from _of_local(group, node_at(each, path, source_of))
        return
    if is_special(name) or (group.member and name in _KNOWN_MEMBERS and group.symbol.startswith(_STRUCTURAL)):
        yield Doubt("special_name", f"{name} has a meaning to the language.", "another name", "leave it")
    if new in _KNOWN_MEMBERS and group.symbol.startswith(_STRUCTURAL) and not group.parameter:
        yield Doubt("special_name", f"{new} has a meaning to the language.", "another name", "choose another name")
    if group.parameter and group.kin:
        yield Doubt(
            "overridden",
            f"{name} is a parameter of a method that others override: do they keep their names?",
            "one name in all of them",
            "read the overriding methods",
        )
    if group.parameter:
        owner = owner_of(facts, group, source_of)
        yield from caller_doubts(group.name, owner, facts, source_of)
        yield from _of_definitions(owner, facts, source_of) if owner is not None else ()
    defined = {(path, each.line, each.column) for path, each in group.definitions}
    if not group.parameter and all((spot.path, spot.line, spot.column) in defined for spot in spots):
        yield Doubt(
            "unreferenced",
            f"Nothing in the tree uses {name}: who calls it?",
            "somebody who uses it, or that nobody does",
            "look for a framework that finds it by its name",
        )
    if name.lower().startswith(_TESTS) and not group.parameter and not new.lower().startswith(_TESTS):
        yield Doubt("special_name", f"Test runners look for names like {name}.", "another name", "leave how it begins")
    found = list(_of_definitions(group, facts, source_of))
    yield from found
    if group.member and not any(doubt.code == "unknown_base" for doubt in found):
        yield from _overriding(replace(group, name=new), facts, source_of)


def _overriding(group: Group, facts: SemanticFacts, source_of: SourceOf) -> Iterator[Doubt]:
    """Doubts about bases outside of the tree whose member of the new name would be overridden."""
    for path, each in group.definitions:
        holder = next((outer for outer in above(node_at(each, path, source_of)) if outer.type in CLASSES), None)
        if holder is not None:
            yield from _unknown_bases(group, facts, path, holder, source_of, set())


def alike_doubts(group: Group, alike: tuple[str, ...], facts: SemanticFacts, source_of: SourceOf) -> Iterator[Doubt]:
    """Doubts about structural types: one type may be used for another that has a member of the same name."""
    if not group.member:
        return
    if not group.symbol.startswith(_STRUCTURAL):
        alike = () if _is_own(group, facts, source_of) else tuple(_others(group, facts))
    if not alike or all(_is_private(node_at(each, path, source_of)) for path, each in group.definitions):
        return
    yield Doubt(
        "same_member",
        f"Another type has a member {group.name} ({alike[0]}): is one used where the other is asked for?",
        "whether the types stand for each other",
        "read the places where either is used",
    )


def _others(group: Group, facts: SemanticFacts) -> Iterator[str]:
    """Files of the tree in which another class has a member of that name."""
    named = [each for each in facts.symbols_named(group.name) if each.number not in group.numbers and is_member(each)]
    for path, _ in facts.occurrences_of([each.number for each in named], defining=True) if named else ():
        yield path


def _is_own(group: Group, facts: SemanticFacts, source_of: SourceOf) -> bool:
    """Whether a Python member is private by its name and used by its own class alone."""
    if not group.name.startswith("_"):
        return False
    nodes = (
        node_at(each, path, source_of) for path, each in facts.occurrences_of(sorted(group.numbers)) if not each.defines
    )
    return all(node is not None and (node.parent.text or b"").startswith((b"self.", b"cls.")) for node in nodes)


def _is_private(node: Any) -> bool:
    holder = node.parent if node is not None else None
    words = [child.text for child in holder.children if child.type == "accessibility_modifier"] if holder else []
    return b"private" in words or b"protected" in words or (node is not None and node.type.startswith("private_"))


def _of_definitions(group: Group, facts: SemanticFacts, source_of: SourceOf) -> Iterator[Doubt]:
    around = set()
    for path, each in group.definitions:
        source = source_of(path)
        at = FileText(source.data).offset(each.line, each.column)
        node = source.node(at, at + len(group.name.encode()))
        if node is not None:
            yield from _of_definition(group, facts, path, node, source_of)
            around.add((path, each.symbol, _functions_around(node, group.member)))
    if len({symbol for _, symbol, _ in around}) < len(around):
        yield Doubt(
            "shared_symbol",
            f"The index has one symbol for several things called {group.name}: which of them is meant?",
            "which places belong to which",
            "read the definitions",
        )


def _functions_around(node: Any, member: bool) -> tuple[int, ...]:
    """The functions around a definition, by position: definitions in different functions are different things."""
    for outer in above(node.parent if node is not None else None):
        if outer.type == "parameters" or outer.child_by_field_name("name") == node:
            start = outer.parent
        elif outer.type in CLASSES and member:
            start = outer  # Any method may assign an attribute first.
        else:
            continue
        return tuple(each.start_byte for each in above(start.parent) if each.type == "function_definition")
    return ()


def _of_definition(group: Group, facts: SemanticFacts, path: str, node: Any, source_of: SourceOf) -> Iterator[Doubt]:
    yield from _decorated(group, node)
    if path.endswith(_DECLARING) or any(outer.type == "ambient_declaration" for outer in above(node)):
        yield Doubt(
            "declared",
            f"{path} only declares {group.name}: what has that name, and who gave it?",
            "where it is made",
            "look for what it is declared for",
        )
    if group.member:
        holder = next((outer for outer in above(node) if outer.type in CLASSES), None)
        if holder is not None:
            yield from _unknown_bases(group, facts, path, holder, source_of, set())


def _of_local(group: Group, node: Any) -> Iterator[Doubt]:
    yield from _decorated(group, node)
    # An index may treat a key of an object as local, but code that gets the object can read its keys.
    if node is not None and node.type in ("property_identifier", "private_property_identifier"):
        yield Doubt(
            "object_key",
            f"{group.name} is a key of an object: who gets the object, and asks it for {group.name}?",
            "where the object is given to",
            "rename it in the type of the object, or read the places",
        )


def _decorated(group: Group, node: Any) -> Iterator[Doubt]:
    for decorator in decorators(node):
        yield Doubt(
            "decorated",
            f"{group.name} is decorated with {decorator}: does that make it known by its name?",
            "what the decorator does",
            "read the decorator",
        )


def _unknown_bases(
    group: Group, facts: SemanticFacts, path: str, holder: Any, source_of: SourceOf, seen: set[int]
) -> Iterator[Doubt]:
    """Doubts about direct and indirect bases that may have a member of that name, which it would override."""
    for base in computed_bases(holder):
        yield _unknown(f"{path}:{base.start_point[0] + 1} makes a base while the program runs", group.name)
    places = numbers_at(facts, path)
    for base in bases(holder):
        line, column = base.start_point[0] + 1, base.start_point[1]
        numbers = places.get((line, column), frozenset())
        defined = facts.occurrences_of(sorted(numbers), defining=True) if numbers else []
        if defined:
            # Its own members are known; those of its bases may not be.
            if not numbers <= seen:
                seen |= numbers
                yield from _above(group, facts, defined, source_of, seen)
            continue
        known = [symbol.symbol for symbol in facts.symbols(sorted(numbers)).values()]
        if any(_lacks(symbol, group.name) for symbol in known):
            continue
        said = (base.text or b"").decode("utf-8", "replace")[:80]
        yield _unknown(f"{path}:{line} has a base outside of the tree, {said}", group.name)


def _unknown(what: str, name: str) -> Doubt:
    return Doubt("unknown_base", f"{what}: does it know {name}?", "the members of that base", "read what it is")


def _above(
    group: Group,
    facts: SemanticFacts,
    defined: Iterable[tuple[str, SemanticOccurrence]],
    source_of: SourceOf,
    seen: set[int],
) -> Iterator[Doubt]:
    for path, each in defined:
        node = node_at(each, path, source_of)
        holder = node.parent if node is not None else None
        if holder is not None and holder.type in CLASSES:
            yield from _unknown_bases(group, facts, path, holder, source_of, seen)
        else:
            yield _unknown(f"{path}:{each.line} makes a base while the program runs", group.name)


def _lacks(symbol: str, name: str) -> bool:
    """Whether a class of Python's own is known not to have a member of a name, or to leave it to those below."""
    try:
        parsed = parse_symbol(symbol)
    except ScipError:
        return False
    module, *inner = parsed.descriptors
    if parsed.package != "python-stdlib" or module.name not in _LOOKED_INTO or len(inner) != 1:
        return False
    home = builtins if module.name == "builtins" else importlib.import_module(module.name)
    found = getattr(home, inner[0].name, None)
    return isinstance(found, type) and (name in _MAKING or not hasattr(found, name))
