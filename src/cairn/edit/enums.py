"""Members of Python's enumerations, which know their names and can be looked up by them."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.callers import is_handed_on
from cairn.edit.ownname import SELF, is_shown
from cairn.edit.reading import Body, ClassMember, Program, first, places, reads, reads_at
from cairn.edit.values import Doubt

_ENUM = re.compile(rb"(?:Enum|Flag)\b")
_MADE_OF_NAME = re.compile(rb"\bStrEnum\b|\b_generate_next_value_\b")
_BY_SELF = re.compile(SELF + rb"\s*(?:\[(?!\s*[\"'])|\.__members__|\._member_(?:map|names)_)|\bsuper\(\)\.__getitem__")
_NAME = re.compile(rb"(?<=\.)_?name_?\b(?!\s*\()")
_BY_GETTER = re.compile(rb"\battrgetter\(\s*[\"']_?name_?[\"']")


def is_enumeration(body: Body) -> bool:
    """Whether a class is an enumeration, by its bases as they are written."""
    return _ENUM.search(body.head) is not None


def enumerated_doubts(member: ClassMember, program: Program) -> Iterator[Doubt]:
    """Places that read the names of an enumeration's members, and may read this one."""
    for body in member.bodies:
        found = body.has(_MADE_OF_NAME) or body.has(_BY_SELF)
        if found is not None:
            yield reads(member.name, body, found.start())
            return
    for path, each in program.uses(member.classes):
        if _is_looked_up(program.node(path, each)) or is_handed_on(each, path, program.source_of):
            yield reads_at(member.name, program, path, each)
            return
    yield from first(member.name, _BY_GETTER, program.holding("attrgetter"))
    yield from _asked_for_name(member.name, program)


def _is_looked_up(node: Any) -> bool:
    """Whether it is `Kind[word]`; `Kind["word"]` is found as a string."""
    holder = node.parent if node is not None else None
    if holder is not None and holder.type == "attribute" and holder.child_by_field_name("attribute") == node:
        node, holder = holder, holder.parent
    if holder is None or holder.type != "subscript" or holder.child_by_field_name("value") != node:
        return False
    return any(each.type != "string" for each in holder.children_by_field_name("subscript"))


def _asked_for_name(name: str, program: Program) -> Iterator[Doubt]:
    """Doubts about `it.name`, unless the index says that `it` is no enumeration."""
    for source, match, node in places(_NAME, program.python("name")):
        known = program.known_at(source, match.start())
        if (not known or any(" enum/" in each.symbol for each in known)) and not is_shown(node) and _is_asked(node):
            yield reads(name, source, match.start())
            return


def _is_asked(node: Any) -> bool:
    """Whether `.name` is read rather than assigned: an enumeration's can't be assigned."""
    holder = node.parent
    if holder is None or holder.type != "attribute":
        return False
    outer = holder.parent
    return not (outer is not None and outer.type == "assignment" and outer.child_by_field_name("left") == holder)
