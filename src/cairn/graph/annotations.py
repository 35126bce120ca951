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
_CALLABLE = re.compile(r"(?:[\w.]*\.)?Callable\s*\[")
_MAPPING = re.compile(r"(?:\w+\.)*(?:\w*[Dd]ict|(?:Mutable)?Mapping)\s*\[")
_MANY = ("*", "...")
MANY = "..."
"""Stands before the type of each of several values."""
_ANNOTATION = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*|\[[\w.]+(?:\([^()]*\))?\]\s*")
_GIVES = re.compile(
    r"\s*(?:(?:async|throws|rethrows|const|noexcept|override|final)\b\s*)*(?:->|:(?!:))\s*(.*)", re.DOTALL
)
_OWNERS = re.compile(r"(?:\w+(?:<[^<>]*>)?(?:::|\.))*~?$")
_ONLY_FUNCTIONS = frozenset(
    "async virtual abstract inline extern synchronized native default unsafe sealed partial new constexpr".split()
)
_END = re.compile(r"\bwhere\b|\s\{|\s=\s")
_NO_VALUE = frozenset({"", "void", "None", "Unit", "()", "undefined", "never", "null", "var", "auto", "fun", "def"})
_OPENING, _CLOSING = "([{<", ")]}>"


def parameters_of(language: str, signature: str) -> dict[str, str]:
    """The parameters of a function's head, each with its type as a dotted name, or in what holds it; "" for none."""
    head, opened, rest = signature.partition("(")
    # What stands before the parameters mostly says nothing of them, and then many heads have the same.
    is_plain = opened and not _SAYS_MORE.search(head) and record_of(language).heads.order != UNDIVIDED
    return _parameters(language, opened + rest if is_plain else signature)


@lru_cache(maxsize=1 << 13)
def _parameters(language: str, signature: str) -> dict[str, str]:
    own = type_parameters(signature)
    found = {}
    for name, written in written_parameters(language, signature).items():
        said = LIST if written.startswith(MANY) else type_name(written, language)
        known = not own & {each.partition(".")[0] for each in said.split(OR)}
        found[name] = (written if is_awaited(language, written) else said) if known else ""
    return found


@lru_cache(maxsize=1 << 13)
def written_parameters(language: str, signature: str) -> dict[str, str]:
    """The parameters of a function's head, each with its type as written; `MANY` before that of several values."""
    found: dict[str, str] = {}
    groups = _groups(_VISIBILITY.sub("", signature))
    undivided = record_of(language).heads.order == UNDIVIDED
    # The receiver of such a language, Go, stands in front of the name.
    for text in groups if undivided else groups[:1]:
        pending: list[str] = []
        for piece in reversed(divided(text, ",")):
            name, written = _parameter(language, piece)
            if undivided and name and not written and pending:
                written = pending[-1]
            if written:
                pending.append(written)
            if name:
                found.setdefault(name, written.strip())
    return dict(reversed(found.items()))


@lru_cache(maxsize=1 << 13)
def default_of(signature: str, name: str) -> str:
    """What a parameter is where nobody gives it, as written; empty where it has to be given."""
    for piece in divided(next(iter(_groups(signature)), ""), ","):
        head, *rest = divided(piece, "=")
        words = re.findall(r"[\w$]+", head.partition(":")[0])
        if rest and words and words[-1] == name:
            return rest[0].strip()
    return ""


def written_return(language: str, signature: str, name: str) -> str:
    """What a function's head says that it gives, as written; of several values the first, empty where it doesn't."""
    order = record_of(language).heads.order
    if order == NAME_LAST and language != "php":
        before = _ANNOTATION.sub("", signature.partition("(")[0].rstrip())
        if not before.endswith(name):
            return ""
        before = _OWNERS.sub("", before[: -len(name)])
        text = " ".join(word for word in before.split() if word not in _MODIFIERS | _ONLY_FUNCTIONS)
        # A generic method's own types stand before what it gives.
        text = text[len(enclosed(text, 0)) + 2 :] if text.startswith("<") else text
        return "" if text in _NO_VALUE else text.strip()
    rest = _behind_parameters(signature, receiver=order == UNDIVIDED)
    if order == UNDIVIDED:
        text = rest.strip().removesuffix("{").strip()
        return _go_type(divided(enclosed(text, 0), ",")[0].strip()) if text.startswith("(") else text
    said = _GIVES.match(rest)
    if said is None:
        return ""
    text = _END.split(said[1], maxsplit=1)[0].strip().removesuffix("=>").removesuffix("{").removesuffix("=").strip()
    return "" if "=>" in text or text in _NO_VALUE else text


def _go_type(text: str) -> str:
    """The type of a result that may have a name."""
    words = text.split(None, 1)
    plain = len(words) == 2 and words[0].isidentifier() and words[0] not in ("map", "chan", "func", "struct")
    return words[1] if plain else text


def _behind_parameters(signature: str, *, receiver: bool) -> str:
    """What follows the parameters of a head; the whole where it has none."""
    text = _VISIBILITY.sub("", signature)
    at, groups = 0, 1 + (receiver and re.match(r"\s*func\s*\(", text) is not None)
    while at < len(text):
        if text[at] in "<[(":
            inside = enclosed(text, at)
            groups -= text[at] == "("
            at += len(inside) + 1
            if not groups:
                return text[at + 1 :]
        at += 1
    return "" if groups < 1 else text


def element_of(language: str, written: str) -> tuple[str, bool]:
    """The type of one of the values that a type holds, as written, and whether all are; "" where none is named."""
    text = _NOISE.sub("", written.strip().strip("\"'").strip().rstrip("?!")).strip()
    if text.startswith(MANY):
        return text[len(MANY) :].strip(), True
    if text.endswith(("[]", "...")):
        return text.removesuffix("[]").removesuffix("..."), True
    if language == "go":
        said = re.match(r"(?:map)?\[", text)
        return (text[said.end() + len(enclosed(text, said.end() - 1)) + 1 :], True) if said else ("", True)
    if text.startswith("["):
        inside = divided(divided(enclosed(text, 0), ";")[0], ":")
        return inside[-1].strip(), len(inside) == 1
    opened = re.search(r"[<\[]", text)
    if opened is None:
        return "", True
    parts = [each.strip() for each in divided(enclosed(text, opened.start()), ",")]
    parts = [each for each in parts if each not in ("...", "")]
    return (parts[-1], len(parts) == 1) if parts else ("", True)


def first_argument(written: str) -> str:
    """The first type that a type is given; empty where it is given none."""
    opened = re.search(r"[<\[]", written)
    return divided(enclosed(written, opened.start()), ",")[0].strip() if opened else ""


def aliased(text: str) -> str:
    """What a type is another name of, as written; empty where its text says nothing of that."""
    before, _, said = text.partition("=")
    opened = before.find("<")
    if opened >= 0:
        # What its own types are where nobody gives them has such signs, too.
        before, said = text[:opened], text[opened + len(enclosed(text, opened)) + 2 :].lstrip()
        said = said[1:] if said.startswith("=") else ""
    return " ".join(said.split()).rstrip("; ")


def parts_of(written: str) -> list[str]:
    """The types that a value is of all at once: `A & B`."""
    return [part.strip() for part in divided(written, "&") if part.strip()]


def results_of(written: str) -> list[str]:
    """What calling a value of a type gives, as written, by each of its choices that says it."""
    choices = (each.strip() for each in divided(written.strip().strip("\"'"), "|"))
    called = (enclosed(each, each.index("[")) for each in choices if _CALLABLE.match(each))
    return [divided(inside, ",")[-1].strip() for inside in called]


def method_type(written: str, name: str) -> str:
    """The type of what a method of a mapping gives, as Python would write it; empty where nothing is known of it."""
    text = written.strip().strip("\"'")
    said = _MAPPING.match(text)
    parts = [each.strip() for each in divided(enclosed(text, said.end() - 1), ",")] if said else []
    if len(parts) != 2:
        return ""
    key, value = parts
    given = {"keys": f"Iterable[{key}]", "values": f"Iterable[{value}]", "items": f"Iterable[tuple[{key}, {value}]]"}
    return f"Callable[[], {given[name]}]" if name in given else ""


def bound_of(signature: str, name: str) -> str:
    """What a head says that a type parameter of its own is at least; empty where it says nothing."""
    said = re.search(rf"[<\[,]\s*(?:in\s+|out\s+)?{re.escape(name)}\s*(?::|extends\b)\s*([^,=>\]]+)", signature)
    said = said or re.search(rf"\bwhere\b.*?\b{re.escape(name)}\s*:\s*([^,{{]+)", signature)
    return divided(said[1], "+")[0].split("&")[0].strip() if said else ""


_ALSO_NAMED = re.compile(r"^(?:\s*,\s*\w+)+")


def written_field(language: str, signature: str, name: str) -> str:
    """The type in a field's head, as written; "" where it names none."""
    head = divided(signature, "=")[0].strip().rstrip(";")
    order = record_of(language).heads.order
    if order == NAME_LAST:
        before = _ANNOTATION.sub("", head.rpartition(name)[0].rstrip("$"))
        return " ".join(word for word in before.split() if word not in _MODIFIERS)
    if order == UNDIVIDED:
        # Names before a type share it, and Go's fields may have a tag behind it.
        behind = re.split(rf"\b{re.escape(name)}\b", head, maxsplit=1)[-1]
        return _ALSO_NAMED.sub("", behind).partition("`")[0]
    return divided(head, ":")[1] if len(divided(head, ":")) > 1 else ""


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
            inside = enclosed(text, at)
            found |= type_parameters(f"class {inside}") if "[" in inside else set()
            at += len(inside) + 1
        elif char in "<[":
            inside = enclosed(text, at)
            after = text[at + len(inside) + 2 :].lstrip()[:1]
            if is_type or after == "(" or text[at - 1 : at].strip() == "":
                found.update(name[1] for each in divided(inside, ",") if (name := _PARAMETER.match(each)))
            if is_type:
                break
            at += len(inside) + 1
        at += 1
    return frozenset(found)


def type_name(text: str, language: str = "") -> str:
    """A type as a dotted name, without what wraps it or may be missing; several with `OR` between them."""
    text = text.strip().strip("\"'").strip().strip("?!")
    wrapper = _wrapper(language)
    for _ in range(4):
        text = _NOISE.sub("", text).strip()
        wrapped = wrapper.match(text) if wrapper is not None else None
        if wrapped is None:
            break
        text = divided(wrapped[1], ",")[0].strip()
    choices = [part.strip() for part in divided(text, "|") if part.strip() not in _EMPTY]
    bare = [_plain(each, language) for each in choices]
    return OR.join(bare) if all(bare) and len(bare) <= _CHOICES else ""


def is_awaited(language: str, written: str) -> bool:
    """Whether a type, or what it refers to, has something around it that has members of its own."""
    pattern = awaiting(language)
    text = _NOISE.sub("", written.strip().strip("\"'").strip()).rstrip("&*?! ")
    return pattern is not None and pattern.match(text) is not None


@cache
def awaiting(language: str) -> re.Pattern[str] | None:
    """How a type looks that one waits for, or looks into."""
    words = record_of(language).heads.awaited
    return re.compile(rf"^(?:[\w.:]*[.:])?(?:{words})\s*[\[<].*[\]>]$") if words else None


def transparent_word(language: str, name: str) -> bool:
    """Whether a type of a name has the members of what it is given."""
    return name in record_of(language).heads.transparent.split("|")


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
    if rest and rest != rest[0] + enclosed(rest, 0) + rest[-1] and named[0] != "map":
        return ""
    return re.sub(r"::|\\", ".", named[0])


def _parameter(language: str, piece: str) -> tuple[str, str]:
    """(name, type as written) of one parameter."""
    piece = divided(piece, "=")[0].strip()
    order = record_of(language).heads.order
    if order == UNDIVIDED:
        words = piece.split(None, 1)
        return (words[0], words[1] if len(words) > 1 else "") if words else ("", "")
    if order == NAME_LAST:
        words = [word for word in re.sub(r"([*&])", r"\1 ", piece).split() if word not in _MODIFIERS]
        if not words:
            return "", ""
        name, bracket, _ = words[-1].partition("[")
        many = bracket or name.startswith("...") or words[-1 - (len(words) > 1)].endswith("...")
        written = " ".join(words[:-1])
        return name.strip("*&$."), MANY + written.removesuffix("...") if many else written
    parts = divided(piece, ":")
    head = parts[0].strip()
    words = [word for word in head.lstrip("*&.@").rstrip("?").split() if word not in _MODIFIERS]
    written = parts[1] if len(parts) > 1 and order == NAME_FIRST else ""
    # Behind TypeScript's dots stands the type of the list, not that of each.
    if (head.startswith(_MANY) and not (head.startswith(MANY) and written)) or "vararg" in words[:-1]:
        written = MANY + written.strip().removeprefix(MANY)
    return (words[-1] if words else "", written)


def enclosed(text: str, at: int) -> str:
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
            inside = enclosed(signature, at)
            closed = at + len(inside) + 1 < len(signature)
            if signature[at] == "(":
                found.append(inside)
            at += len(inside) + 1 if closed or signature[at] == "(" else 0
        at += 1
    return found


def divided(text: str, sign: str) -> list[str]:
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
