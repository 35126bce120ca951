"""What types the heads of functions and fields name."""

import re

_NAME_FIRST = frozenset({"python", "typescript", "tsx", "kotlin", "rust", "swift", "scala", "go"})
"""Languages that write a parameter's name before its type."""
_NAME_LAST = frozenset({"java", "csharp", "cpp", "c", "php", "dart", "objective-c"})
OR = "|"
_CHOICES = 4
_EMPTY = frozenset({"None", "null", "undefined", "nil", "void"})
_WRAPPER = re.compile(
    r"^(?:[\w.]*\.)?(?:Optional|Annotated|Final|ClassVar|Readonly|Partial|Box|Rc|Arc)\s*[\[<](.*)[\]>]$"
)
_NOISE = re.compile(r"^(?:[&*]+|'\w+\s+|(?:mut|dyn|impl|const|final|readonly|ref|out|in|params|volatile|struct)\s+)+")
_ARGUMENTS = re.compile(r"[\[<].*$")
_DOTTED = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
_MODIFIERS = frozenset("public private protected internal static final readonly mut val var let const override".split())
_OPENING, _CLOSING = "([{<", ")]}>"


def parameters_of(language: str, signature: str) -> dict[str, str]:
    """The parameters of a function's head, each with its type as a dotted name; "" where it names none."""
    found: dict[str, str] = {}
    groups = _groups(signature)
    # Go writes the receiver in front of the name.
    for text in groups if language == "go" else groups[:1]:
        pending: list[str] = []
        for piece in reversed(_split(text, ",")):
            name, written = _parameter(language, piece)
            if language == "go" and name and not written and pending:
                written = pending[-1]
            if written:
                pending.append(written)
            if name:
                found.setdefault(name, type_name(written))
    return dict(reversed(found.items()))


def field_type(language: str, signature: str, name: str) -> str:
    """The type in a field's head, as a dotted name; "" where it names none."""
    head = _split(signature, "=")[0].strip().rstrip(";")
    if language in _NAME_LAST:
        before = head.rpartition(name)[0].rstrip("$")
        return type_name(" ".join(word for word in before.split() if word not in _MODIFIERS))
    if language == "go":
        return type_name(head.partition(name)[2])
    return type_name(_split(head, ":")[1] if len(_split(head, ":")) > 1 else "")


def type_name(text: str) -> str:
    """A type as a dotted name, without what wraps it or may be missing; several with `OR` between them."""
    text = text.strip().strip("\"'").strip().rstrip("?!")
    for _ in range(4):
        text = _NOISE.sub("", text).strip()
        wrapped = _WRAPPER.match(text)
        if wrapped is None:
            break
        text = _split(wrapped[1], ",")[0].strip()
    choices = [part.strip() for part in _split(text, "|") if part.strip() not in _EMPTY]
    bare = [_NOISE.sub("", _ARGUMENTS.sub("", each).strip().strip("\"'")).rstrip("*& ?!") for each in choices]
    sound = all(map(_DOTTED.fullmatch, bare)) and len(bare) <= _CHOICES
    return OR.join(re.sub(r"::|\\", ".", each) for each in bare) if sound else ""


def _parameter(language: str, piece: str) -> tuple[str, str]:
    """(name, type as written) of one parameter."""
    piece = _split(piece, "=")[0].strip()
    if language == "go":
        words = piece.split(None, 1)
        return (words[0], words[1] if len(words) > 1 else "") if words else ("", "")
    if language in _NAME_LAST:
        words = [word for word in re.sub(r"([*&])", r"\1 ", piece).split() if word not in _MODIFIERS]
        return (words[-1].strip("*&$."), " ".join(words[:-1])) if words else ("", "")
    parts = _split(piece, ":")
    words = [word for word in parts[0].strip().lstrip("*&.@").rstrip("?").split() if word not in _MODIFIERS]
    return (words[-1] if words else "", parts[1] if len(parts) > 1 and language in _NAME_FIRST else "")


def _groups(signature: str) -> list[str]:
    """What stands in each pair of parentheses at the outside."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(signature):
        if char == "(":
            depth += 1
            start = at + 1 if depth == 1 else start
        elif char == ")" and depth:
            depth -= 1
            if not depth:
                found.append(signature[start:at])
    return found + ([signature[start:]] if depth else [])


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
