"""Names that are data: places where a program reads the names of its own classes, functions and members.

A use of a name can be found and changed; a name that is read while the program runs can't. So what is renamed is held
against the places that read names of its kind: those that could reach it are asked about, by their lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cairn.edit.account import Source
from cairn.edit.callers import is_handed_on, takes_names
from cairn.edit.decorators import above, decorators
from cairn.edit.group import Group
from cairn.edit.lineage import CLASSES, Lineage, SourceOf, node_at
from cairn.edit.ownname import SELF, asked_in, is_shown
from cairn.edit.texts import Text
from cairn.edit.values import Doubt
from cairn.semantic.scip import Suffix, parse_symbol
from cairn.store import SemanticFacts
from cairn.syntax.parse import tree_of
from cairn.values import dataclass

Holding = Callable[[str], Iterable[Source]]
"""Files that may hold a word."""
_BY_TEXT = re.compile(rb"\b(?:getattr|setattr|hasattr|delattr)\(\s*" + SELF + rb"\s*,\s*(?![^,)\n]*[\"'])")
_ALL_OF_IT = re.compile(
    rb"\bvars\(\s*" + SELF + rb"\s*\)|\b" + SELF + rb"\.__dict__\b(?!\s*(?:\[\s*[\"']|\.(?:update|get|setdefault)\())"
)
_LISTED = re.compile(rb"\b(?:dir|getmembers)\(\s*" + SELF)
_PREFIX = re.compile(rb"\bstartswith\(\s*\(?\s*[\"']([^\"']+)[\"']")
_ANY_DICT = re.compile(rb"\bdefault\s*=\s*(?:vars\b|lambda\s+(\w+)\s*:\s*(?:\1\.__dict__|vars\())")
_ROWS = ("asdict", "astuple", "fields", "_asdict", "_fields", "__dataclass_fields__", "model_dump")
"""What tells the columns of something by their names."""
_MODULE = re.compile(rb"\bglobals\(\)(?!\s*\[\s*[\"'])|\bsys\.modules\[__name__\]|\b(?:dir|vars)\(\)")
_FOR_PEOPLE = frozenset({"raise_statement", "assert_statement", "throw_statement"})
_ENUM = re.compile(rb"(?:Enum|Flag)\b")
_MADE_OF_NAME = re.compile(rb"\bStrEnum\b|\b_generate_next_value_\b")
_MAKES = re.compile(rb"\b(?:__new__|__init__|__prepare__|__dict__|vars|dir)\b")
_KNOWN_METACLASSES = frozenset({b"ABCMeta", b"abc.ABCMeta", b"type", b"EnumMeta", b"EnumType"})
_SCRIPT_NAME = re.compile(rb"\bconstructor\.name\b|\bnew\.target\.name\b")
_THIS = re.compile(
    rb"\bthis\[(?!\s*[\"'`\d])|\b(?:keys|values|entries|getOwnPropertyNames|stringify|assign)\(\s*this\b|\bin\s+this\b"
)


@dataclass(frozen=True, slots=True)
class Body:
    """One class as it is written."""

    path: str
    language: str
    data: bytes
    node: Any

    @property
    def name(self) -> str:
        found = self.node.child_by_field_name("name")
        return found.text.decode("utf-8", "replace") if found is not None and found.text else ""


def reflected_doubts(group: Group, facts: SemanticFacts, source_of: SourceOf, holding: Holding) -> Iterator[Doubt]:
    """Places that read names while the program runs, and may come upon this one."""
    if group.home or group.parameter or not group.definitions:
        return
    python = source_of(group.definitions[0][0])[0] == "python"
    if group.member:
        bodies = _bodies(group, facts, source_of)
        yield from _members(group, facts, source_of, holding, bodies) if python else _fields(group, holding, bodies)
    elif python:
        yield from _own_name(group, facts, source_of, holding)
        yield from _of_module(group, source_of)
    else:
        yield from _script_name(group, holding)


def _doubt(group: Group, source: Source | Body, at: int) -> Doubt:
    line = source.data.count(b"\n", 0, at) + 1
    return Doubt(
        "name_as_data",
        f"{source.path}:{line} reads names while the program runs ({Text(source.data).shown(line)}): "
        f"is {group.name} among them?",
        "which names are read there, and what for",
        "read the place",
    )


def _bodies(group: Group, facts: SemanticFacts, source_of: SourceOf) -> list[Body]:
    """The classes that a member belongs to, with those that they inherit from and that inherit from them."""
    lineage = Lineage(facts, source_of)
    numbers: set[int] = set()
    for path, each in group.definitions:
        node = node_at(each, path, source_of)
        holder = next((outer for outer in above(node) if outer.type in CLASSES), None)
        name = holder.child_by_field_name("name") if holder is not None else None
        if name is not None:
            own = lineage.numbers(path, name)
            numbers |= own.union(*(lineage.kin(number) for number in own))
    return list(bodies_of(numbers, facts, source_of))


def bodies_of(numbers: Iterable[int], facts: SemanticFacts, source_of: SourceOf) -> Iterator[Body]:
    """Classes as they are written."""
    for path, each in facts.occurrences_of(sorted(numbers), defining=True):
        node = node_at(each, path, source_of)
        holder = node.parent if node is not None else None
        if holder is not None and holder.type in CLASSES:
            yield Body(path, *source_of(path), holder)


def _members(
    group: Group, facts: SemanticFacts, source_of: SourceOf, holding: Holding, bodies: list[Body]
) -> Iterator[Doubt]:
    """Members of Python's classes."""
    is_value = _suffix(group) is Suffix.TERM
    for body in bodies:
        patterns = (_BY_TEXT, _ALL_OF_IT) if is_value else (_BY_TEXT,)
        found = next((hit for pattern in patterns if (hit := _within(pattern, body))), None) or _by_list(group, body)
        if found is not None:
            yield _doubt(group, body, found.start())
            return
    names = {body.name for body in bodies}
    for name in sorted(names):
        asked = re.compile(
            rb"\b(?:vars|dir|getmembers)\(\s*%s\b|\bgetattr\(\s*%s\s*,(?!\s*[\"'])" % (name.encode(), name.encode())
        )
        yield from _first(group, asked, holding(name))
    if not is_value:
        return
    yield from _first(group, _ANY_DICT, holding("default"))
    yield from _metaclasses(group, facts, source_of)
    if any(_ENUM.search(_head(body)) for body in bodies):
        yield from _enumerated(group, facts, source_of, holding, bodies)
    if any(map(_is_row, bodies)):
        for word in _ROWS:
            yield from _first(group, re.compile(rb"\b%s\b" % word.encode()), holding(word))
        yield from _given(group, facts, source_of, names)


def _suffix(group: Group) -> Suffix:
    return parse_symbol(group.symbol).kind


def _within(pattern: re.Pattern[bytes], body: Body) -> re.Match[bytes] | None:
    return pattern.search(body.data, body.node.start_byte, body.node.end_byte)


def _by_list(group: Group, body: Body) -> re.Match[bytes] | None:
    """Members that are found by listing all: where only those with a beginning are wanted, the name has to have it."""
    listed = _within(_LISTED, body)
    wanted = [match[1] for match in _PREFIX.finditer(body.data, body.node.start_byte, body.node.end_byte)]
    if listed is None or (wanted and not group.name.encode().startswith(tuple(wanted))):
        return None
    return listed


def _head(body: Body) -> bytes:
    inner = body.node.child_by_field_name("body")
    return body.data[body.node.start_byte : inner.start_byte] if inner is not None else b""


def _is_row(body: Body) -> bool:
    """Whether the members of a class are the columns of something."""
    holder = body.node.parent
    told = [child.text for child in holder.children if child.type == "decorator"] if holder is not None else []
    return any(b"dataclass" in each or b"attr" in each or b"define" in each for each in told if each)


def _first(
    group: Group, pattern: re.Pattern[bytes], sources: Iterable[Source], *, shown: bool = True
) -> Iterator[Doubt]:
    """The first place in code; what is only shown to people counts if it is said to."""
    for source in sources:
        for match in pattern.finditer(source.data):
            if _is_code(source, match, shown=shown):
                yield _doubt(group, source, match.start())
                return


def _is_code(source: Source, match: re.Match[bytes], *, shown: bool) -> bool:
    """Whether a match stands in code that does something, rather than in an import, a comment or a string."""
    tree = tree_of(source.path, source.language, source.data)
    if tree is None:
        return False
    node = tree.root_node.descendant_for_byte_range(match.start(), match.start() + 1)
    apart = ("comment", "string", "import_statement", "import_from_statement", "string_fragment", "string_content")
    around = [outer.type for outer in above(node)]
    return not any(kind in apart for kind in around) and (shown or not any(kind in _FOR_PEOPLE for kind in around))


def _metaclasses(group: Group, facts: SemanticFacts, source_of: SourceOf) -> Iterator[Doubt]:
    """What makes a class, or decorates it, and may read what stands in its body."""
    for body in _holders(group, source_of):
        given = re.search(rb"\bmetaclass\s*=\s*([\w.]+)", _head(body))
        unknown = given is not None and given[1] not in _KNOWN_METACLASSES and not _is_plain(given[1], facts, source_of)
        if unknown or any(True for _ in decorators(body.node.child_by_field_name("name"))):
            yield _doubt(group, body, body.node.start_byte)
            return


def _holders(group: Group, source_of: SourceOf) -> Iterator[Body]:
    """The classes in whose bodies a member is defined."""
    for path, each in group.definitions:
        holder = next((node for node in above(node_at(each, path, source_of)) if node.type in CLASSES), None)
        if holder is not None:
            yield Body(path, *source_of(path), holder)


def _is_plain(name: bytes, facts: SemanticFacts, source_of: SourceOf) -> bool:
    """Whether a metaclass of the tree leaves the bodies of its classes alone."""
    numbers = [each.number for each in facts.symbols_named(name.rpartition(b".")[2].decode("utf-8", "replace"))]
    bodies = list(bodies_of(numbers, facts, source_of))
    return bool(bodies) and not any(_within(_MAKES, body) for body in bodies)


def _enumerated(
    group: Group, facts: SemanticFacts, source_of: SourceOf, holding: Holding, bodies: list[Body]
) -> Iterator[Doubt]:
    """Members of enumerations, which know their names."""
    for body in bodies:
        if _MADE_OF_NAME.search(body.data, body.node.start_byte, body.node.end_byte):
            yield _doubt(group, body, body.node.start_byte)
            return
    numbers = [each.number for each in facts.symbols_named("name") if " enum/" in each.symbol]
    for path, each in facts.occurrences_of(numbers) if numbers else ():
        if not is_shown(node_at(each, path, source_of)):
            source = Source(path, *source_of(path))
            yield _doubt(group, source, Text(source.data).offset(each.line, each.column))
            return
    for body in bodies:
        asked = rb"\b%s\s*\[(?!\s*[\"'])|\b%s\.__members__" % (body.name.encode(), body.name.encode())
        yield from _first(group, re.compile(asked), holding(body.name))


def _given(group: Group, facts: SemanticFacts, source_of: SourceOf, names: Iterable[str]) -> Iterator[Doubt]:
    """Rows that are made of names which are not written there: `Row(**values)`."""
    for name in sorted(names):
        classes = [each.number for each in facts.symbols_named(name) if each.symbol.endswith("#")]
        for path, each in facts.occurrences_of(classes) if classes else ():
            if not each.defines and takes_names(each, path, source_of):
                source = Source(path, *source_of(path))
                yield _doubt(group, source, Text(source.data).offset(each.line, each.column))
                return


def _own_name(group: Group, facts: SemanticFacts, source_of: SourceOf, holding: Holding) -> Iterator[Doubt]:
    """A class or a function of Python's is asked for its own name."""
    kind = _suffix(group)
    if kind not in (Suffix.TYPE, Suffix.METHOD):
        return
    inside = {(body.path, body.node.start_byte) for body in _family(group, facts, source_of)}
    given = None
    for source in holding("name__"):
        for asked in asked_in(source.path, source.data) if source.language == "python" else ():
            around = next((outer for outer in above(asked.node) if outer.type in CLASSES), None)
            if asked.is_of(group.name):
                reaches = True
            elif asked.by_self and around is not None:
                reaches = kind is Suffix.TYPE and (source.path, around.start_byte) in inside
            elif asked.of_an_object:
                reaches = kind is Suffix.TYPE
            else:
                given = frozenset(_given_to(group, facts, source_of)) if given is None else given
                reaches = source.path in given
            if reaches:
                yield _doubt(group, source, asked.at)
                return


def _given_to(group: Group, facts: SemanticFacts, source_of: SourceOf) -> Iterator[str]:
    """Files that get a class or function as a value: where it is kept, and where those are that it is given to."""
    lineage = Lineage(facts, source_of)
    for path, each in facts.occurrences_of(sorted(group.numbers)):
        if each.defines or not is_handed_on(each, path, source_of):
            continue
        call = next((outer for outer in above(node_at(each, path, source_of)) if outer.type == "call"), None)
        function = call.child_by_field_name("function") if call is not None else None
        if function is None:
            yield path
            continue
        last = function.named_children[-1] if function.type == "attribute" else function
        for home, _ in facts.occurrences_of(sorted(lineage.numbers(path, last)), defining=True):
            yield home


def _family(group: Group, facts: SemanticFacts, source_of: SourceOf) -> Iterator[Body]:
    lineage = Lineage(facts, source_of)
    numbers = group.numbers.union(*(lineage.kin(number) for number in group.numbers))
    yield from bodies_of(numbers, facts, source_of)


def _of_module(group: Group, source_of: SourceOf) -> Iterator[Doubt]:
    """A module that lists its own names, in which this is one."""
    for path in dict.fromkeys(path for path, _ in group.definitions):
        yield from _first(group, _MODULE, [Source(path, *source_of(path))])


def _fields(group: Group, holding: Holding, bodies: list[Body]) -> Iterator[Doubt]:
    """Members of classes, interfaces and enumerations of TypeScript's."""
    for body in bodies:
        found = _within(_THIS, body)
        if found is not None:
            yield _doubt(group, body, found.start())
            return
    owners = {body.name for body in bodies} | set(_owners(group))
    for name in sorted(owners - {""}):
        written = re.escape(name.encode())
        asked = (
            rb"\b%s\s*\[(?!\s*[\"'`\]])|\b(?:keys|values|entries|getOwnPropertyNames)\(\s*%s\b|\bin\s+%s\b"
            rb"|\bkeyof\s+(?:typeof\s+)?%s\b|JSON\.parse\([^\n]*\bas\s+%s\b|:\s*%s\s*=\s*JSON\.parse\("
        ) % ((written,) * 6)
        yield from _first(group, re.compile(asked), holding(name))


def _owners(group: Group) -> Iterator[str]:
    """The type that a member belongs to, as its symbol tells."""
    descriptors = parse_symbol(group.symbol).descriptors
    if len(descriptors) > 1 and descriptors[-2].suffix is Suffix.TYPE:
        yield descriptors[-2].name


def _script_name(group: Group, holding: Holding) -> Iterator[Doubt]:
    """A class or function of JavaScript's is asked for its own name."""
    kind = _suffix(group)
    if kind not in (Suffix.TYPE, Suffix.METHOD, Suffix.TERM):
        return
    own = re.compile(rb"\b%s\.name\b" % re.escape(group.name.encode()))
    if kind is not Suffix.TERM:
        yield from _first(group, own, holding(group.name))
    if kind is Suffix.TYPE:
        for word in ("constructor", "target"):
            yield from _first(group, _SCRIPT_NAME, holding(word), shown=False)
