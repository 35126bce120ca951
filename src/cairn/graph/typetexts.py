"""The parts of types as TypeScript writes them: functions, objects, conditions, and what is looked up in them."""

import re
from functools import lru_cache

from cairn.base.values import dataclass
from cairn.graph.annotations import divided, enclosed

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LITERAL = re.compile(r"""^(?:(["'`]).*\1|-?\d[\w.]*|true|false)$""", re.DOTALL)
_GENERIC = re.compile(r"([^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*)\s*(?=<|$)")
_EXTENDS = re.compile(r"\sextends\s")
_OPERATOR = re.compile(r"^(?:readonly|unique)\s+")
_MEMBER = re.compile(
    r"(?:(?:readonly|get|set|static|public|private|protected)\s+(?=[\w$\"'#]))*[\"']?([\w$]*)[\"']?\??\s*"
)
_PARAMETER = re.compile(r"\s*(?:(?:in|out|const)\s+)*([^\W\d][\w$]*)")
_GOES_ON = ("|", "&", "?", ":", "=>", ".", "extends ", ")", "]", ">")
_WAITS = ("|", "&", "?", ":", "=>", "=", " extends", "(", "[", "<", ",")
_UNSAID = frozenset({"", "null", "undefined", "void", "never"})


@dataclass(frozen=True, slots=True)
class CallShape:
    """How something is called: the types of what it is given, in order, and of what it gives."""

    parameters: tuple[str, ...]
    """Each as written; `...` before that of the rest."""
    result: str
    names: tuple[tuple[str, str, str], ...] = ()
    """Its own type parameters."""


@lru_cache(maxsize=1 << 12)
def bare(written: str) -> str:
    """A type without comments and what is around it for reading alone."""
    text = _COMMENT.sub("", written).strip().strip(";,").strip()
    while True:
        before = text
        text = _OPERATOR.sub("", text.lstrip("|& \t\n"))
        if text.startswith("(") and text.endswith(")") and len(enclosed(text, 0)) == len(text) - 2:
            text = text[1:-1].strip()
        if text == before:
            return text


def is_literal(text: str) -> bool:
    """Whether a type is nothing but one value."""
    return _LITERAL.match(text) is not None


@lru_cache(maxsize=1 << 12)
def call_shape(text: str) -> CallShape | None:
    """How a value of a function's type is called; None for another type."""
    names = type_names(text) if text.startswith("<") else ()
    if names:
        text = text[len(enclosed(text, 0)) + 2 :].lstrip()
    if not text.startswith("("):
        return None
    inside = enclosed(text, 0)
    rest = text[len(inside) + 2 :].lstrip()
    if not rest.startswith(("=>", ":")):
        return None
    result = rest[2 if rest.startswith("=>") else 1 :].strip()
    return CallShape(tuple(_parameter(each) for each in divided(inside, ",") if each.strip()), result, names)


def _parameter(written: str) -> str:
    head, *said = divided(_COMMENT.sub("", written), ":")
    many = "..." if head.strip().startswith("...") else ""
    return many + divided(":".join(said), "=")[0].strip()


@lru_cache(maxsize=1 << 12)
def type_names(head: str) -> tuple[tuple[str, str, str], ...]:
    """The type parameters of a head, in order, each with what it is at least, and where nobody says."""
    opened = head.find("<")
    if opened < 0 or set(head[:opened]) & set("(:"):
        return ()
    found = []
    for each in divided(_COMMENT.sub("", enclosed(head, opened)), ","):
        named, (before, *said) = _PARAMETER.match(each), divided(each, "=")
        if named is not None:
            bound = _EXTENDS.split(before, maxsplit=1)[1:]
            found.append((named[1], "".join(bound).strip(), "=".join(said).strip()))
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def choices(text: str, sign: str) -> tuple[str, ...]:
    """The types that a sign stands between, without those that no value is of; only itself where there is none."""
    parts = [part.strip() for part in divided(text, sign)]
    return tuple(part for part in parts if part not in _UNSAID) if len(parts) > 1 else (text,)


@lru_cache(maxsize=1 << 12)
def branches(text: str) -> tuple[str, ...]:
    """What a type may be that hangs on a condition; empty for another."""
    depth = asked = 0
    first = -1
    at = 0
    while at < len(text):
        if text[at : at + 2] == "=>":
            at += 2
            continue
        char = text[at]
        depth += (char in "([{<") - (char in ")]}>")
        if not depth and char == "?":
            if first < 0 and not _EXTENDS.search(text[:at]):
                return ()
            first, asked = (at if first < 0 else first), asked + 1
        elif not depth and char == ":" and first >= 0:
            asked -= 1
            if not asked:
                both = (text[first + 1 : at].strip(), text[at + 1 :].strip())
                return tuple(each for each in both if each not in _UNSAID)
        at += 1
    return ()


def looked_up(text: str) -> tuple[str, str] | None:
    """(type, key) of `T['name']`; None for another type."""
    if not text.endswith("]") or text.endswith("[]") or text.startswith("["):
        return None
    at = depth = 0
    opened = -1
    while at < len(text):
        if text[at : at + 2] == "=>":
            at += 2
            continue
        opened = at if text[at] == "[" and not depth else opened
        depth += (text[at] in "([{<") - (text[at] in ")]}>")
        at += 1
    return (text[:opened].strip(), text[opened + 1 : -1].strip()) if opened > 0 else None


def named_type(text: str) -> tuple[str, tuple[str, ...]] | None:
    """A dotted name and the types that it is given; None for a type that is more."""
    said = _GENERIC.match(text)
    if said is None:
        return None
    rest = text[said.end() :]
    inside = enclosed(rest, 0) if rest else ""
    if rest and len(inside) != len(rest) - 2:
        return None
    return said[1], tuple(each.strip() for each in divided(inside, ",") if each.strip())


@lru_cache(maxsize=1 << 11)
def in_object(text: str) -> tuple[tuple[str, str], ...]:
    """(name, how it is written behind it) of what stands in a type's braces; no name for what is called."""
    found = []
    for piece in _pieces(_COMMENT.sub("", enclosed(text, 0))):
        head = _MEMBER.match(piece)
        if head is not None and piece:
            found.append((head[1], piece[head.end() :].lstrip()))
    return tuple(found)


def _pieces(text: str) -> list[str]:
    """What stands between semicolons, commas and the ends of lines that end something."""
    found: list[str] = []
    for part in (each for some in divided(text, ";") for each in divided(some, ",")):
        joined = True
        for line in (each.strip() for each in divided(part, "\n")):
            if not line:
                continue
            if not joined and not line.startswith(_GOES_ON) and not found[-1].endswith(_WAITS):
                joined = True
            if joined:
                found.append(line)
            else:
                found[-1] += " " + line
            joined = False
    return found
