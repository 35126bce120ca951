"""Names that JavaScript reads at run time: keys that are listed, and names of classes."""

import re
from collections.abc import Iterable, Iterator

from cairn.edit.group import Group
from cairn.edit.keywords import modules_of
from cairn.edit.reading import ClassMember, Holding, first, places, reads
from cairn.edit.values import Doubt
from cairn.semantic.scip import Suffix, parse_symbol

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
