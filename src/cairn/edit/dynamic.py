"""Names that programs read at run time without writing them out: `getattr(it, word)`, `vars(it)`, `Object.keys(it)`."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.account import modules_of
from cairn.edit.group import Group
from cairn.edit.ownname import above
from cairn.edit.reading import NO_CODE, ClassMember, Holding, first, places, reads
from cairn.edit.sourcefile import SourceFile
from cairn.edit.values import Doubt
from cairn.semantic.scip.symbols import Suffix, parse_symbol

_SCRIPT_NAME = re.compile(rb"\bconstructor\.name\b|\bnew\.target\.name\b")
_THIS = re.compile(
    rb"\bthis\[(?!\s*[\"'`\d])|\b(?:keys|values|entries|getOwnPropertyNames|stringify|assign)\(\s*this\b|\bin\s+this\b"
)
_LISTS = (
    (
        "Object",
        re.compile(
            rb"\b(?:Object\.(?:keys|entries|getOwnPropertyNames)|Reflect\.ownKeys)\(\s*(?!this\b)([\w$]*)([.(\[]?)"
        ),
    ),
    ("stringify", re.compile(rb"\bJSON\.stringify\(\s*(?!this\b|[\"'`])([\w$]*)([.(\[]?)")),
    ("for", re.compile(rb"\bfor\s*\(\s*(?:(?:const|let|var)\s+)?[\w$]+\s+in\s+(?!this\b)([\w$]*)([.(\[]?)")),
)
"""Code that lists the keys of an object."""
_PLAIN = frozenset(b"string number boolean bigint symbol Date RegExp null undefined void".split())
_VAGUE = frozenset(b"any unknown object Object Record Partial Readonly Required Pick Omit typeof keyof this".split())
_PARSED = re.compile(rb"\bJSON\.parse\(|\.json\(\s*\)")
_TAKEN = (
    rb"\bimport\s*\*\s*as\s+([\w$]+)\s+from\s*[\"'`](?:[^\"'`\n]*/)?%(m)s(?:\.\w+)?[\"'`]"
    rb"|([\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*[\"'`](?:[^\"'`\n]*/)?%(m)s(?:\.\w+)?[\"'`]"
)
_ASKED_OF_MODULE = (
    rb"\b(?:%(m)s)\s*\[(?!\s*[\"'`])|\b(?:Object|Reflect|JSON)\.\w+\(\s*(?:%(m)s)\b|\bin\s+(?:%(m)s)\b"
    rb"|\.\.\.(?:%(m)s)\b|\b(?:%(m)s)\s+as\s"
)
_WORD = re.compile(rb"[A-Za-z_$][\w$]*")


def field_doubts(member: ClassMember, holding: Holding) -> Iterator[Doubt]:
    """Doubts about a member of a class, an interface or an enumeration."""
    for body in member.bodies:
        found = body.has(_THIS)
        if found is not None:
            yield reads(member.name, body, found.start())
            return
    owners = {body.name for body in member.bodies} | set(_owners(member.group))
    for name in sorted(owners - {""}):
        written = re.escape(name.encode())
        asked = (
            rb"\b%s\s*\[(?!\s*[\"'`\]])|\b(?:keys|values|entries|getOwnPropertyNames)\(\s*%s\b|\bin\s+%s\b"
            rb"|\bkeyof\s+(?:typeof\s+)?%s\b|JSON\.parse\([^\n]*\bas\s+%s\b|:\s*%s\s*=\s*JSON\.parse\("
        ) % ((written,) * 6)
        yield from first(member.name, re.compile(asked), holding(name))
        parsed = (source for source in holding(name) if re.search(rb"\b%s\b" % written, source.data))
        yield from first(member.name, _PARSED, parsed)
    if parse_symbol(member.group.symbol).kind is not Suffix.METHOD:
        yield from _listed(member.name, {name.encode() for name in owners}, holding)


def _owners(group: Group) -> Iterator[str]:
    """The type that a member belongs to, as its symbol tells."""
    descriptors = parse_symbol(group.symbol).descriptors
    if len(descriptors) > 1 and descriptors[-2].suffix is Suffix.TYPE:
        yield descriptors[-2].name


def _listed(name: str, owners: Iterable[bytes], holding: Holding) -> Iterator[Doubt]:
    """Doubts about places that list the keys of an object that may have one of these types."""
    for word, pattern in _LISTS:
        for source, match, _ in places(pattern, holding(word)):
            if match[2] or not match[1] or _may_be(match[1], source.data, owners, holding):
                yield reads(name, source, match.start())
                return


def _may_be(variable: bytes, data: bytes, owners: Iterable[bytes], holding: Holding) -> bool:
    """Whether a variable may have one of some types; an undeclared one may have any."""
    declared = re.findall(rb"(?<![\w$.])%s\s*[?!]?:\s*([^=;,)\n]+)" % re.escape(variable), data)
    reached = set(owners) | _VAGUE
    return not declared or any(_is_vague(said, reached, holding) for said in declared)


def _is_vague(said: bytes, reached: Iterable[bytes], holding: Holding) -> bool:
    """Whether a written type may be one of those, or is unknown."""
    words = set(_WORD.findall(said)) - _PLAIN
    if b"{" in said or words & set(reached):
        return True
    return any(len(word) == 1 or not word[:1].isupper() or _is_alias(word, holding) for word in words)


def _is_alias(name: bytes, holding: Holding) -> bool:
    alias = re.compile(rb"\btype\s+%s\b" % re.escape(name))
    return any(alias.search(source.data) for source in holding(name.decode("utf-8", "replace")))


def _with_module(group: Group, holding: Holding) -> Iterator[Doubt]:
    """Doubts about files that list a module's exports, or look them up by a computed name."""
    for module in modules_of(group):
        taken = re.compile(_TAKEN % {b"m": re.escape(module)})
        for source in holding(module.decode("utf-8", "replace")):
            called = {re.escape(name) for match in taken.finditer(source.data) for name in match.groups() if name}
            if called:
                asked = _ASKED_OF_MODULE % {b"m": b"|".join(sorted(called))}
                yield from first(group.name, re.compile(asked), [source])


def own_name_doubts(group: Group, holding: Holding) -> Iterator[Doubt]:
    """Doubts about code that reads the name of a class or function, or lists its module."""
    yield from _with_module(group, holding)
    kind = parse_symbol(group.symbol).kind
    if kind not in (Suffix.TYPE, Suffix.METHOD, Suffix.TERM):
        return
    own = re.compile(rb"\b%s\.name\b" % re.escape(group.name.encode()))
    if kind is not Suffix.TERM:
        yield from first(group.name, own, holding(group.name))
    if kind is Suffix.TYPE:
        for word in ("constructor", "target"):
            yield from first(group.name, _SCRIPT_NAME, holding(word), shown=False)


_LISTING = frozenset({b"vars", b"dir", b"getmembers", b"getmembers_static", b"get_type_hints", b"get_annotations"})
_BY_NAME = frozenset({b"getattr", b"setattr", b"hasattr", b"delattr"})
_INSIDES = frozenset(
    {b"__dict__", b"__members__", b"_member_map_", b"_member_names_", b"__getitem__", b"__annotations__"}
)


def is_taken_apart(node: Any) -> bool:
    """Whether a use of a Python class or module reads its names: `vars(it)`, `getattr(it, word)`."""
    holder = node.parent if node is not None else None
    if holder is not None and holder.type == "attribute" and holder.child_by_field_name("attribute") == node:
        node, holder = holder, holder.parent
    if holder is None:
        return False
    if holder.type == "attribute":
        return holder.child_by_field_name("attribute").text in _INSIDES
    call = holder.parent if holder.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or holder.named_children[0] != node:
        return False
    called = (function.text or b"").rpartition(b".")[2]
    # A name in a string literal is found as a string.
    asked = holder.named_children[1] if len(holder.named_children) > 1 else None
    return called in _LISTING or (called in _BY_NAME and asked is not None and asked.type != "string")


@dataclass(frozen=True, slots=True)
class DynamicLookup:
    """A lookup of a member whose name is computed: `getattr(it, word)`."""

    at: int
    node: Any
    of: Any
    """The object that is asked; None if it is unknown."""


_ASKING = re.compile(rb"\b(?:(?:get|set|has|del)attr|attrgetter|methodcaller|__(?:get|set)attr(?:ibute)?__)\b")
_FIRST = frozenset({b"attrgetter", b"methodcaller"})


def asked_by_word(source: SourceFile) -> tuple[DynamicLookup, ...]:
    """The dynamic lookups in a Python file, without those whose name is partly a literal."""
    if _ASKING.search(source.data) is None or source.root is None:
        return ()
    found = []
    for match in _ASKING.finditer(source.data):
        node: Any = source.node(match.start(), match.end())
        around = [outer.type for outer in above(node)]
        if any(kind in NO_CODE for kind in around) or around[1:2] == ["function_definition"]:
            continue
        function = node.parent if node.parent is not None and node.parent.type == "attribute" else node
        call = function.parent
        if call is None or call.type != "call" or call.child_by_field_name("function") != function:
            found.append(DynamicLookup(match.start(), node, None))  # `getattr` itself is passed on.
            continue
        given = [each for each in call.child_by_field_name("arguments").named_children if each.type != "comment"]
        own = (
            function.type == "attribute" and match[0].startswith(b"__") and function.named_children[0].text != b"object"
        )
        at = 0 if match[0] in _FIRST or own else 1
        if len(given) > at and not _is_written(given[at]):
            of = None if match[0] in _FIRST else function.named_children[0] if own else given[0]
            found.append(DynamicLookup(match.start(), node, of))
    return tuple(found)


def _is_written(word: Any) -> bool:
    """Whether a name is a literal, or partly one: the search in strings finds those."""
    if word.type in ("string", "concatenated_string"):
        parts = [child.type for child in word.children]
        return word.type != "string" or "string_content" in parts or "interpolation" not in parts
    if word.type in ("binary_operator", "parenthesized_expression"):
        return any(map(_is_written, word.named_children))
    if word.type == "call":  # "a_{}".format(x)
        function = word.child_by_field_name("function")
        return function is not None and function.type == "attribute" and _is_written(function.named_children[0])
    return False
