"""What types the heads of functions and fields name."""

import re
from functools import cache, lru_cache

from cairn.languages.record import NAME_FIRST, NAME_LAST, UNDIVIDED
from cairn.languages.registry import record_of

OR = "|"
LIST = "[]"
"""Stands for the type of what holds several values: none of theirs, and no definition's."""
_CHOICES = 4
_EMPTY = frozenset({"None", "null", "undefined", "nil", "void"})
_NO_TYPE = re.compile(r"\[\s*[\"'\d\]]")
_NOISE = re.compile(r"^(?:[&*]+|'\w+\s+|(?:mut|dyn|impl|const|final|readonly|ref|out|in|params|volatile|struct)\s+)+")
_DOTTED = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
_MODIFIERS = frozenset("public private protected internal static final readonly mut val var let const override".split())
_VISIBILITY = re.compile(r"\bpub\s*\([^()]*\)")
_SAYS_MORE = re.compile(r"[<\[]|\bpub\s*$|^\s*func\s*$")
"""Type parameters, a visibility with an argument, and a receiver in front of the name."""
_HOLDS_TYPE = re.compile(r"\b(?:class|interface|struct|enum|record|trait|type|object|protocol)\b")
_PARAMETER = re.compile(r"\s*(?:(?:in|out|const|typename|class|reified)\s+|\*+)*([^\W\d][\w$]*)")
_MANY = ("*", "...")
_OPENING, _CLOSING = "([{<", ")]}>"


def parameters_of(language: str, signature: str) -> dict[str, str]:
    """The parameters of a function's head, each with its type as a dotted name; "" where it names none."""
    head, opened, rest = signature.partition("(")
    # What stands before the parameters mostly says nothing of them, and then many heads have the same.
    is_plain = opened and not _SAYS_MORE.search(head) and record_of(language).heads.order != UNDIVIDED
    return _parameters(language, opened + rest if is_plain else signature)


@lru_cache(maxsize=1 << 13)
def _parameters(language: str, signature: str) -> dict[str, str]:
    found: dict[str, str] = {}
    groups = _groups(_VISIBILITY.sub("", signature))
    own = type_parameters(signature)
    undivided = record_of(language).heads.order == UNDIVIDED
    # The receiver of such a language, Go, stands in front of the name.
    for text in groups if undivided else groups[:1]:
        pending: list[str] = []
        for piece in reversed(_split(text, ",")):
            name, written = _parameter(language, piece)
            if undivided and name and not written and pending:
                written = pending[-1]
            if written:
                pending.append(written)
            if name:
                said = type_name(written, language)
                found.setdefault(name, "" if own & {each.partition(".")[0] for each in said.split(OR)} else said)
    return dict(reversed(found.items()))


def field_type(language: str, signature: str, name: str) -> str:
    """The type in a field's head, as a dotted name; "" where it names none."""
    head = _split(signature, "=")[0].strip().rstrip(";")
    order = record_of(language).heads.order
    if order == NAME_LAST:
        before = head.rpartition(name)[0].rstrip("$")
        return type_name(" ".join(word for word in before.split() if word not in _MODIFIERS), language)
    if order == UNDIVIDED:
        return type_name(head.partition(name)[2], language)
    return type_name(_split(head, ":")[1] if len(_split(head, ":")) > 1 else "", language)


def type_parameters(signature: str) -> frozenset[str]:
    """Names that a head gives to types of its own: `f<A>(`, `<A> void f(`, `class B[A]`, Go's `(r *R[A])`."""
    text = _VISIBILITY.sub("", signature)
    is_type = _HOLDS_TYPE.search(text.partition("(")[0]) is not None
    found: set[str] = set()
    at = 0
    while at < len(text):
        char = text[at]
        if char == "(":
            if text[:at].strip() != "func":
                break
            inside = _inside(text, at)
            found |= type_parameters(f"class {inside}") if "[" in inside else set()
            at += len(inside) + 1
        elif char in "<[":
            inside = _inside(text, at)
            after = text[at + len(inside) + 2 :].lstrip()[:1]
            if is_type or after == "(" or text[at - 1 : at].strip() == "":
                found.update(name[1] for each in _split(inside, ",") if (name := _PARAMETER.match(each)))
            if is_type:
                break
            at += len(inside) + 1
        at += 1
    return frozenset(found)


def type_name(text: str, language: str = "") -> str:
    """A type as a dotted name, without what wraps it or may be missing; several with `OR` between them."""
    text = text.strip().strip("\"'").strip().rstrip("?!")
    wrapper = _wrapper(language)
    for _ in range(4):
        text = _NOISE.sub("", text).strip()
        wrapped = wrapper.match(text) if wrapper is not None else None
        if wrapped is None:
            break
        text = _split(wrapped[1], ",")[0].strip()
    choices = [part.strip() for part in _split(text, "|") if part.strip() not in _EMPTY]
    bare = [_plain(each, language) for each in choices]
    return OR.join(bare) if all(bare) and len(bare) <= _CHOICES else ""


@cache
def _wrapper(language: str) -> re.Pattern[str] | None:
    """How a type looks whose members are those of what it is given."""
    words = record_of(language).heads.transparent
    return re.compile(rf"^(?:[\w.:]*[.:])?(?:{words})\s*[\[<](.*)[\]>]$") if words else None


def _plain(text: str, language: str) -> str:
    """One type as a dotted name without its arguments; empty for what is no plain name."""
    text = _NOISE.sub("", text.strip().strip("\"'")).rstrip("& ?!")
    text = text if record_of(language).heads.many_star else text.rstrip("*")
    if text.startswith(("[", "...")) or text.endswith(("[]", "...", "*")):
        return LIST
    named = _DOTTED.match(text)
    rest = text[named.end() :].strip() if named else ""
    if named is None or (rest[:1] == "[" and (not record_of(language).heads.square or _NO_TYPE.match(rest))):
        return ""
    if rest and rest != rest[0] + _inside(rest, 0) + rest[-1] and named[0] != "map":
        return ""
    return re.sub(r"::|\\", ".", named[0])


def _parameter(language: str, piece: str) -> tuple[str, str]:
    """(name, type as written) of one parameter."""
    piece = _split(piece, "=")[0].strip()
    order = record_of(language).heads.order
    if order == UNDIVIDED:
        words = piece.split(None, 1)
        return (words[0], words[1] if len(words) > 1 else "") if words else ("", "")
    if order == NAME_LAST:
        words = [word for word in re.sub(r"([*&])", r"\1 ", piece).split() if word not in _MODIFIERS]
        if not words:
            return "", ""
        name, bracket, _ = words[-1].partition("[")
        many = bracket or name.startswith("...")
        return name.strip("*&$."), LIST if many else " ".join(words[:-1])
    parts = _split(piece, ":")
    head = parts[0].strip()
    words = [word for word in head.lstrip("*&.@").rstrip("?").split() if word not in _MODIFIERS]
    written = parts[1] if len(parts) > 1 and order == NAME_FIRST else ""
    if head.startswith(_MANY) or "vararg" in words[:-1]:
        written = LIST
    return (words[-1] if words else "", written)


def _inside(text: str, at: int) -> str:
    """What stands between the bracket at a place and the one that closes it; the rest where none does."""
    depth, start = 0, at + 1
    while at < len(text):
        if text[at : at + 2] in ("->", "=>"):
            at += 2
            continue
        depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
        if not depth:
            return text[start:at]
        at += 1
    return text[start:]


def _groups(signature: str) -> list[str]:
    """What stands in each pair of parentheses at the outside."""
    found: list[str] = []
    at = 0
    while at < len(signature):
        if signature[at] in "<[(":
            inside = _inside(signature, at)
            closed = at + len(inside) + 1 < len(signature)
            if signature[at] == "(":
                found.append(inside)
            at += len(inside) + 1 if closed or signature[at] == "(" else 0
        at += 1
    return found


def _split(text: str, sign: str) -> list[str]:
    """Parts between signs that stand in no brackets; `::`, `->` and `=>` are no signs and close nothing."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        pair = text[at : at + 2]
        if pair in ("::", "->", "=>", "==", ">=", "<="):
            at += 2
            continue
        char = text[at]
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth = max(depth - 1, 0)
        elif char == sign and not depth:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return [*parts, text[start:]]
