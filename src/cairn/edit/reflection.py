"""Reflection: places where a program reads the names of its own classes, functions and members.

A use of a name can be found and changed; a name that is read at run time can't. So a rename looks at all places that
read names of its kind, and asks the user about those that could read this one.
"""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.callers import is_handed_on, takes_names
from cairn.edit.dynamic import asked_by_word, field_doubts, is_taken_apart, own_name_doubts
from cairn.edit.group import Group
from cairn.edit.lineage import CLASSES, Lineage
from cairn.edit.ownname import SELF, above, decorators, is_shown
from cairn.edit.reading import Body, ClassMember, Program, first, is_wanted, places, reads, reads_at
from cairn.edit.sourcefile import SourceFile
from cairn.edit.toplevel import toplevel_doubts
from cairn.edit.values import Doubt
from cairn.semantic.scip.symbols import Suffix, parse_symbol

_SET_NAME = re.compile(rb"\b__set_name__\b")
_OWN = " python-stdlib "
"""Python's own descriptors use the name only as the key under which they store the value."""
_NAMES = frozenset({"identifier", "attribute"})


def keeps_name(path: str, assignment: Any, program: Program) -> bool:
    """Whether a member's value is, or may be, an object that is told the member's name."""
    value = assignment.child_by_field_name("right")
    scopes = (node for node in above(assignment) if node.type in CLASSES or node.type == "function_definition")
    inside = next(scopes, None)
    if value is None or inside is None or inside.type not in CLASSES:
        return False
    return _may_be_named(path, value, program, program.lineage, depth=2)


def _may_be_named(path: str, value: Any, program: Program, lineage: Lineage, depth: int) -> bool:
    if any(_makes_one(path, call, program, lineage) for call in _calls(value)):
        return True
    if value.type not in _NAMES or not depth:
        return False
    # A variable holds the value from its definition.
    numbers = lineage.numbers(path, _last(value))
    for home, each in program.facts.occurrences_of(sorted(numbers), defining=True) if numbers else ():
        node = program.node(home, each)
        given = next((outer for outer in above(node) if outer.type == "assignment"), None)
        right = given.child_by_field_name("right") if given is not None else None
        if right is not None and _may_be_named(home, right, program, lineage, depth - 1):
            return True
    return False


def _makes_one(path: str, call: Any, program: Program, lineage: Lineage) -> bool:
    numbers = lineage.numbers(path, _last(call.child_by_field_name("function")))
    known = program.facts.symbols(sorted(numbers)).values()
    if known and all(_OWN in each.symbol for each in known):
        return False
    classes = numbers.union(*(lineage.kin(number) for number in numbers))
    bodies = list(program.bodies(classes))
    return not bodies or any(body.has(_SET_NAME) for body in bodies)


def _calls(node: Any) -> Iterator[Any]:
    """The calls whose results a value may be, rather than be made of."""
    if node.type == "call":
        yield node
    elif node.type not in ("lambda", "binary_operator", "comparison_operator", "subscript", "attribute"):
        for child in node.named_children:
            yield from _calls(child)


def _last(function: Any) -> Any:
    return function.named_children[-1] if function.type == "attribute" else function


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
_ANY_DICT = re.compile(rb"\bdefault\s*=\s*(?:vars\b|lambda\s+(\w+)\s*:\s*(?:\1\.__dict__|vars\())")
_ROWS = ("asdict", "astuple", "fields", "_asdict", "_fields", "__dataclass_fields__", "model_dump")
"""Functions that return fields by their names."""
_MADE_OF_NAMES = re.compile(SELF + rb"\([^()\n]*\*\*")
_ANNOTATIONS = ("__annotations__", "get_type_hints", "get_annotations")
_MAKES = re.compile(rb"\b(?:__new__|__init__|__prepare__|__dict__|vars|dir)\b")
_KNOWN_METACLASSES = frozenset({b"ABCMeta", b"abc.ABCMeta", b"type", b"EnumMeta", b"EnumType"})


def reflected_doubts(group: Group, program: Program) -> Iterator[Doubt]:
    """Doubts about places that read names at run time, and may read this one."""
    if group.home or group.parameter or not group.definitions:
        return
    python = program.source_of(group.definitions[0][0]).language == "python"
    if group.member:
        classes = _classes(group, program)
        member = ClassMember(group, classes, tuple(program.bodies(classes)))
        yield from _members(member, program) if python else field_doubts(member, program.holding)
    else:
        yield from toplevel_doubts(group, program) if python else own_name_doubts(group, program.holding)


def _classes(group: Group, program: Program) -> frozenset[int]:
    """The classes that a member belongs to, with their bases and subclasses."""
    lineage = program.lineage
    numbers: set[int] = set()
    for body in _holders(group, program):
        name = body.node.child_by_field_name("name")
        if name is not None:
            own = lineage.numbers(body.path, name)
            numbers |= own.union(*(lineage.kin(number) for number in own))
    return frozenset(numbers)


def _holders(group: Group, program: Program) -> Iterator[Body]:
    """The classes in whose bodies a member is defined."""
    for path, each in group.definitions:
        holder = next((node for node in above(program.node(path, each)) if node.type in CLASSES), None)
        if holder is not None:
            yield Body(program.source_of(path), holder)


def _members(member: ClassMember, program: Program) -> Iterator[Doubt]:
    """Doubts about a member of a Python class."""
    is_value = parse_symbol(member.group.symbol).kind is Suffix.TERM
    for body in member.bodies:
        found = body.has(_ALL_OF_IT if is_value else _ALL_OF_CLASS) or _by_list(member.name, body)
        if found is not None:
            yield reads(member.name, body, found.start())
            return
    uses = program.uses(member.classes)
    for path, each in uses:
        if is_taken_apart(program.node(path, each)):
            yield reads_at(member.name, program, path, each)
            return
    is_given = any(is_handed_on(each, path, program.source_of) for path, each in uses)
    yield from _by_word(member, program)
    yield from _of_another(member, program, is_value or is_given)
    yield from _metaclasses(member, program)
    if not is_value:
        return
    yield from first(member.name, _ANY_DICT, program.holding("default"))
    yield from _described(member.group, program)
    if any(map(is_enumeration, member.bodies)):
        yield from enumerated_doubts(member, program)
    if any(map(_is_row, member.bodies)):
        for word in _ROWS:
            yield from first(member.name, re.compile(rb"\b%s\b" % word.encode()), program.holding(word))
        yield from _given(member, program)


def _by_word(member: ClassMember, program: Program) -> Iterator[Doubt]:
    """Doubts about dynamic lookups of a member.

    For a name with a leading underscore only lookups by its own classes count: nobody else should know it.
    """
    lineage = program.lineage
    inside = [(body.path, body.node.start_byte, body.node.end_byte) for body in member.bodies]
    public = not member.name.startswith("_")
    for word in ("attr", "methodcaller", "__getattribute__"):
        for source in program.python(word):
            for asked in source.once(asked_by_word):
                own = any(path == source.path and start <= asked.at < end for path, start, end in inside)
                if own or (public and not _is_of_others(source, asked.of, member, program, lineage)):
                    yield reads(member.name, source, asked.at)
                    return


def _by_list(name: str, body: Body) -> re.Match[bytes] | None:
    """Code of a class that lists its own members."""
    return body.has(_LISTED) if is_wanted(name, body.text) else None


def _of_another(member: ClassMember, program: Program, is_held: bool) -> Iterator[Doubt]:
    """Doubts about places that list the members of an unknown object. `is_held`: whether the member may be in the
    object's own `__dict__`, like an attribute's value, or a method if the class itself is passed on."""
    lineage = program.lineage
    listing = (("vars", _ALL_OF_ANOTHER), ("__dict__", _ALL_OF_ANOTHER)) if is_held else ()
    for word, pattern in (*listing, ("dir", _ANOTHER_LISTED), ("getmembers", _ANOTHER_LISTED)):
        for source, match, node in places(pattern, program.python(word)):
            wanted = pattern is _ALL_OF_ANOTHER or is_wanted(member.name, source.data)
            if wanted and not _is_of_others(source, _listed_by(node), member, program, lineage):
                yield reads(member.name, source, match.start())
                return


def _is_of_others(source: SourceFile, asked: Any, member: ClassMember, program: Program, lineage: Lineage) -> bool:
    """Whether the object is a module, or a class unrelated to the member's."""
    if asked is None:
        return False
    last = asked.named_children[-1] if asked.type == "attribute" else asked
    numbers = lineage.numbers(source.path, last)
    known = program.facts.symbols(sorted(numbers)).values()
    others = all(each.symbol.endswith(("/", "#", "/__init__:")) for each in known)
    return bool(known) and others and not numbers & member.classes


def _listed_by(node: Any) -> Any:
    """The object whose members `vars(it)` or `it.__dict__` lists."""
    call = node.parent if node.parent is not None and node.parent.type == "call" else None
    given = call.child_by_field_name("arguments").named_children if call is not None else ()
    return given[0] if given else node.prev_named_sibling


def _is_row(body: Body) -> bool:
    """Whether a class is a record, whose members are its fields."""
    holder = body.node.parent
    said = [child.text for child in holder.children if child.type == "decorator"] if holder is not None else []
    return any(b"dataclass" in each or b"attr" in each or b"define" in each for each in said if each)


def _metaclasses(member: ClassMember, program: Program) -> Iterator[Doubt]:
    """Doubts about metaclasses and decorators that may read the body of a class or of its subclasses."""
    for body in (*_holders(member.group, program), *member.bodies):
        given = re.search(rb"\bmetaclass\s*=\s*([\w.]+)", body.head)
        unknown = given is not None and given[1] not in _KNOWN_METACLASSES and not _is_plain(given[1], program)
        if unknown or any(True for _ in decorators(body.node.child_by_field_name("name"))):
            yield reads(member.name, body, body.node.start_byte)
            return


def _is_plain(name: bytes, program: Program) -> bool:
    """Whether a metaclass of the tree doesn't read the bodies of its classes."""
    named = program.facts.symbols_named(name.rpartition(b".")[2].decode("utf-8", "replace"))
    bodies = list(program.bodies(each.number for each in named))
    return bool(bodies) and not any(body.has(_MAKES) for body in bodies)


def _described(group: Group, program: Program) -> Iterator[Doubt]:
    """Doubts about a member's declaration: a descriptor that is told its name, an annotation that others read."""
    for path, each in group.definitions:
        around = above(program.node(path, each))
        holder = next((outer for outer in around if outer.type in (*CLASSES, "assignment")), None)
        if holder is None or holder.type != "assignment":
            continue
        if keeps_name(path, holder, program):
            yield reads_at(group.name, program, path, each)
        if holder.child_by_field_name("type") is not None:
            for word in _ANNOTATIONS:
                yield from first(group.name, re.compile(rb"\b%s\b" % word.encode()), program.holding(word))


def _given(member: ClassMember, program: Program) -> Iterator[Doubt]:
    """Doubts about records that are made from computed names: `Row(**values)`."""
    for body in member.bodies:
        if found := body.has(_MADE_OF_NAMES):
            yield reads(member.name, body, found.start())
            return
    for path, each in program.uses(member.classes):
        if takes_names(each, path, program.source_of) or is_handed_on(each, path, program.source_of):
            yield reads_at(member.name, program, path, each)
            return
