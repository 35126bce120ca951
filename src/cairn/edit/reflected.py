"""Names that are data: places where a program reads the names of its own classes, functions and members.

A use of a name can be found and changed; a name that is read while the program runs can't. So what is renamed is held
against the places that read names of its kind: those that could reach it are asked about, by their lines.
"""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.account import Source
from cairn.edit.callers import is_handed_on, takes_names
from cairn.edit.decorators import above, decorators
from cairn.edit.descriptors import keeps_name
from cairn.edit.enumerated import enumerated_doubts, is_enumeration
from cairn.edit.group import Group
from cairn.edit.lineage import CLASSES, Lineage, SourceOf, node_at
from cairn.edit.ownname import SELF
from cairn.edit.reading import Body, Holding, asked_by_word, bodies_of, first, is_taken_apart, places, reads, reads_at
from cairn.edit.scripts import field_doubts, own_name_doubts
from cairn.edit.texts import Text
from cairn.edit.toplevel import toplevel_doubts
from cairn.edit.values import Doubt
from cairn.semantic.scip import Suffix, parse_symbol
from cairn.store import SemanticFacts

_ONE_OF_IT = rb"(?!\s*(?:\[\s*[\"']|\.(?:get|setdefault)\())"
_ALL_OF_IT = re.compile(rb"\bvars\(\s*" + SELF + rb"\s*\)|\b" + SELF + rb"\.__dict__\b" + _ONE_OF_IT)
_ALL_OF_ANOTHER = re.compile(
    rb"\bvars\(\s*(?!" + SELF + rb"\s*\)|\))"
    rb"|(?<!\bself)(?<!\bcls)(?<!\(self\))(?<!\.__class__)\.__dict__\b" + _ONE_OF_IT
)
_CLASS_ITSELF = rb"(?:cls|type\(self\)|self\.__class__)"
_ALL_OF_CLASS = re.compile(
    rb"\bvars\(\s*" + _CLASS_ITSELF + rb"\s*\)|\b" + _CLASS_ITSELF + rb"\.__dict__\b" + _ONE_OF_IT
)
_LISTED = re.compile(rb"\b(?:dir|getmembers)\(\s*" + SELF)
_ANOTHER_LISTED = re.compile(rb"\b(?:dir|getmembers|getmembers_static)\(\s*(?!" + SELF + rb"\s*[,)]|\))")
_PREFIX = re.compile(rb"\bstartswith\(\s*\(?\s*[\"']([^\"']+)[\"']")
_ANY_DICT = re.compile(rb"\bdefault\s*=\s*(?:vars\b|lambda\s+(\w+)\s*:\s*(?:\1\.__dict__|vars\())")
_ROWS = ("asdict", "astuple", "fields", "_asdict", "_fields", "__dataclass_fields__", "model_dump")
"""What tells the columns of something by their names."""
_MADE_OF_NAMES = re.compile(SELF + rb"\([^()\n]*\*\*")
_ANNOTATIONS = ("__annotations__", "get_type_hints", "get_annotations")
_MAKES = re.compile(rb"\b(?:__new__|__init__|__prepare__|__dict__|vars|dir)\b")
_KNOWN_METACLASSES = frozenset({b"ABCMeta", b"abc.ABCMeta", b"type", b"EnumMeta", b"EnumType"})


def reflected_doubts(group: Group, facts: SemanticFacts, source_of: SourceOf, holding: Holding) -> Iterator[Doubt]:
    """Places that read names while the program runs, and may come upon this one."""
    if group.home or group.parameter or not group.definitions:
        return
    python = source_of(group.definitions[0][0])[0] == "python"
    if group.member:
        classes = _classes(group, facts, source_of)
        bodies = list(bodies_of(classes, facts, source_of))
        if python:
            yield from _members(group, facts, source_of, holding, bodies, classes)
        else:
            yield from field_doubts(group, holding, bodies)
    else:
        yield from toplevel_doubts(group, facts, source_of, holding) if python else own_name_doubts(group, holding)


def _classes(group: Group, facts: SemanticFacts, source_of: SourceOf) -> frozenset[int]:
    """The classes that a member belongs to, with those that they inherit from and that inherit from them."""
    lineage = Lineage(facts, source_of)
    numbers: set[int] = set()
    for body in _holders(group, source_of):
        name = body.node.child_by_field_name("name")
        if name is not None:
            own = lineage.numbers(body.path, name)
            numbers |= own.union(*(lineage.kin(number) for number in own))
    return frozenset(numbers)


def _holders(group: Group, source_of: SourceOf) -> Iterator[Body]:
    """The classes in whose bodies a member is defined."""
    for path, each in group.definitions:
        holder = next((node for node in above(node_at(each, path, source_of)) if node.type in CLASSES), None)
        if holder is not None:
            yield Body(path, *source_of(path), holder)


def _members(
    group: Group,
    facts: SemanticFacts,
    source_of: SourceOf,
    holding: Holding,
    bodies: list[Body],
    classes: frozenset[int],
) -> Iterator[Doubt]:
    """Members of Python's classes."""
    is_value = parse_symbol(group.symbol).kind is Suffix.TERM
    for body in bodies:
        found = body.has(_ALL_OF_IT if is_value else _ALL_OF_CLASS) or _by_list(group, body)
        if found is not None:
            yield reads(group.name, body, found.start())
            return
    uses = [(path, each) for path, each in facts.occurrences_of(sorted(classes)) if not each.defines] if classes else []
    for path, each in uses:
        if is_taken_apart(node_at(each, path, source_of)):
            yield reads_at(group.name, path, each, source_of)
            return
    is_given = any(is_handed_on(each, path, source_of) for path, each in uses)
    yield from _by_word(group, facts, source_of, holding, bodies, classes)
    yield from _of_another(group, facts, source_of, holding, classes, is_value or is_given)
    yield from _metaclasses(group, facts, source_of, bodies)
    if not is_value:
        return
    yield from first(group.name, _ANY_DICT, holding("default"))
    yield from _described(group, facts, source_of, holding)
    if any(map(is_enumeration, bodies)):
        yield from enumerated_doubts(group, facts, source_of, holding, bodies, classes)
    if any(map(_is_row, bodies)):
        for word in _ROWS:
            yield from first(group.name, re.compile(rb"\b%s\b" % word.encode()), holding(word))
        yield from _given(group, facts, source_of, bodies, classes)


def _by_word(
    group: Group,
    facts: SemanticFacts,
    source_of: SourceOf,
    holding: Holding,
    bodies: list[Body],
    classes: frozenset[int],
) -> Iterator[Doubt]:
    """Places that ask something for a member whose name is not written there.

    Names with a leading underscore are asked for so by their own classes alone: nobody else is to know them.
    """
    lineage = Lineage(facts, source_of)
    inside = [(body.path, body.node.start_byte, body.node.end_byte) for body in bodies]
    for word in ("attr", "methodcaller", "__getattribute__"):
        for source in holding(word):
            for asked in asked_by_word(source.path, source.data) if source.language == "python" else ():
                own = any(path == source.path and start <= asked.at < end for path, start, end in inside)
                public = not group.name.startswith("_")
                if own or (public and not _is_of_others(source, asked.of, facts, lineage, classes)):
                    yield reads(group.name, source, asked.at)
                    return


def _by_list(group: Group, body: Body) -> re.Match[bytes] | None:
    """Members that are found by listing all: where only those with a beginning are wanted, the name has to have it."""
    listed = body.has(_LISTED)
    wanted = [match[1] for match in _PREFIX.finditer(body.data, body.node.start_byte, body.node.end_byte)]
    return listed if _is_wanted(group.name, wanted) else None


def _is_wanted(name: str, beginnings: list[bytes]) -> bool:
    return not beginnings or name.encode().startswith(tuple(beginnings))


def _of_another(
    group: Group,
    facts: SemanticFacts,
    source_of: SourceOf,
    holding: Holding,
    classes: frozenset[int],
    is_held: bool,
) -> Iterator[Doubt]:
    """Places that list what something has, whatever it is. `is_held`: whether it may be among what that itself holds,
    as the values of an object are, and the methods of a class that is given to others."""
    lineage = Lineage(facts, source_of)
    listing = (("vars", _ALL_OF_ANOTHER), ("__dict__", _ALL_OF_ANOTHER)) if is_held else ()
    for word, pattern in (*listing, ("dir", _ANOTHER_LISTED), ("getmembers", _ANOTHER_LISTED)):
        sources = (source for source in holding(word) if source.language == "python")
        for source, match, node in places(pattern, sources):
            wanted = _PREFIX.findall(source.data) if pattern is _ANOTHER_LISTED else []
            if _is_wanted(group.name, wanted) and not _is_of_others(source, _listed_by(node), facts, lineage, classes):
                yield reads(group.name, source, match.start())
                return


def _is_of_others(source: Source, asked: Any, facts: SemanticFacts, lineage: Lineage, classes: frozenset[int]) -> bool:
    """Whether it is a module, or a class that has nothing to do with those of the member, that is asked."""
    if asked is None:
        return False
    last = asked.named_children[-1] if asked.type == "attribute" else asked
    numbers = lineage.numbers(source.path, last)
    known = facts.symbols(sorted(numbers)).values()
    others = all(each.symbol.endswith(("/", "#", "/__init__:")) for each in known)
    return bool(known) and others and not numbers & classes


def _listed_by(node: Any) -> Any:
    """What `vars(it)` or `it.__dict__` lists."""
    call = node.parent if node.parent is not None and node.parent.type == "call" else None
    given = call.child_by_field_name("arguments").named_children if call is not None else ()
    return given[0] if given else node.prev_named_sibling


def _is_row(body: Body) -> bool:
    """Whether the members of a class are the columns of something."""
    holder = body.node.parent
    told = [child.text for child in holder.children if child.type == "decorator"] if holder is not None else []
    return any(b"dataclass" in each or b"attr" in each or b"define" in each for each in told if each)


def _metaclasses(group: Group, facts: SemanticFacts, source_of: SourceOf, bodies: list[Body]) -> Iterator[Doubt]:
    """What makes a class, or decorates it, and may read what stands in its body; it is inherited."""
    for body in (*_holders(group, source_of), *bodies):
        given = re.search(rb"\bmetaclass\s*=\s*([\w.]+)", body.head)
        unknown = given is not None and given[1] not in _KNOWN_METACLASSES and not _is_plain(given[1], facts, source_of)
        if unknown or any(True for _ in decorators(body.node.child_by_field_name("name"))):
            yield reads(group.name, body, body.node.start_byte)
            return


def _is_plain(name: bytes, facts: SemanticFacts, source_of: SourceOf) -> bool:
    """Whether a metaclass of the tree leaves the bodies of its classes alone."""
    numbers = [each.number for each in facts.symbols_named(name.rpartition(b".")[2].decode("utf-8", "replace"))]
    bodies = list(bodies_of(numbers, facts, source_of))
    return bool(bodies) and not any(body.has(_MAKES) for body in bodies)


def _described(group: Group, facts: SemanticFacts, source_of: SourceOf, holding: Holding) -> Iterator[Doubt]:
    """What is told of a member where it is declared: a descriptor that is given its name, a type that others read."""
    for path, each in group.definitions:
        node = node_at(each, path, source_of)
        holder = next((outer for outer in above(node) if outer.type in (*CLASSES, "assignment")), None)
        if holder is None or holder.type != "assignment":
            continue
        source = Source(path, *source_of(path))
        if keeps_name(source, holder, facts, source_of):
            yield reads(group.name, source, Text(source.data).offset(each.line, each.column))
        if holder.child_by_field_name("type") is not None:
            for word in _ANNOTATIONS:
                yield from first(group.name, re.compile(rb"\b%s\b" % word.encode()), holding(word))


def _given(
    group: Group, facts: SemanticFacts, source_of: SourceOf, bodies: list[Body], classes: frozenset[int]
) -> Iterator[Doubt]:
    """Rows that are made of names which are not written there: `Row(**values)`, by the class or by whoever has it."""
    for body in bodies:
        if found := body.has(_MADE_OF_NAMES):
            yield reads(group.name, body, found.start())
            return
    for path, each in facts.occurrences_of(sorted(classes)) if classes else ():
        if not each.defines and (takes_names(each, path, source_of) or is_handed_on(each, path, source_of)):
            yield reads_at(group.name, path, each, source_of)
            return
