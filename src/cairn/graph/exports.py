"""What files offer that is not what they call so themselves: `export { y as x }`, `module.exports`, `__all__`."""

import re
from collections.abc import Iterator

from cairn.base.values import dataclass

_SET = re.compile(r"(?<![\w$.])(?:module\.)?exports\.(?P<name>[\w$]+)\s*=(?![=>])\s*")
_WHOLE = re.compile(r"(?<![\w$.])module\.exports\s*=\s*\{")
_CHAIN = re.compile(r"(?:(?:module\.)?exports(?:\.[\w$]+)?\s*=(?![=>])\s*)*")
_PLAIN = re.compile(r"([A-Za-z_$][\w$]*)[ \t]*(?=[;,}]|\s*$|\n(?!\s*[.(\[+?|&*/`-]))")
_NOTHING = re.compile(r"(?:void 0|undefined|null)\b")
_MADE = re.compile(r"(?:async\s*)?(?:function\b|class\b|\([^()]*\)\s*=>|[\w$]+\s*=>)")
_ENTRY = re.compile(r"\s*(?:(?:async|get|set)\s+)?\*?\s*[\"']?(?P<name>[\w$]+)[\"']?\s*(?P<sign>[:(]|$)\s*")
_LONGEST = 50_000
UNCLEAR = ""


def commonjs_exports(text: str) -> dict[str, str]:
    """What a file calls its exports, by other names that it gives them; unclear for what is computed or told twice."""
    if "exports" not in text:
        return {}
    text = _COMMENT.sub(" ", text)
    said: dict[str, set[str]] = {}
    for name, value in (*_set(text), *_listed(text)):
        said.setdefault(name, set()).add(value)
    found = {name: values.pop() if len(values) == 1 else UNCLEAR for name, values in said.items()}
    return {name: own for name, own in found.items() if own != name}


def _set(text: str) -> Iterator[tuple[str, str]]:
    for each in _SET.finditer(text):
        chain = _CHAIN.match(text, each.end())
        at = chain.end() if chain is not None else each.end()
        if not _NOTHING.match(text, at):
            yield each["name"], _value(text, at, each["name"])


def _listed(text: str) -> Iterator[tuple[str, str]]:
    for whole in _WHOLE.finditer(text):
        for part in _parts(text, whole.end()):
            entry = _ENTRY.match(part)
            if entry is not None:
                name = entry["name"]
                yield name, _value(part, entry.end(), name) if entry["sign"] == ":" else name


def _value(text: str, at: int, name: str) -> str:
    """The name of what is given; its own where it is made there and then."""
    if _MADE.match(text, at):
        return name
    plain = _PLAIN.match(text, at)
    return plain[1] if plain is not None else UNCLEAR


def _parts(text: str, at: int) -> Iterator[str]:
    """What stands between the commas of an object, up to the bracket that closes it."""
    depth, start, quote = 0, at, ""
    for place in range(at, min(len(text), at + _LONGEST)):
        char = text[place]
        if quote:
            quote = "" if char == quote and text[place - 1] != "\\" else quote
        elif char in "\"'`":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}" and depth:
            depth -= 1
        elif (char == "," and not depth) or char == "}":
            yield text[start:place]
            start = place + 1
            if char == "}":
                return


_EXPORTED = re.compile(r"^[ \t]*export\s*(?:type\s*)?\{(?P<names>[^{}]*)\}(?!\s*from\b)", re.MULTILINE)
_RENAMED = re.compile(r"\s*(?:type\s+)?([\w$]+)\s+as\s+([\w$]+)\s*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ALL = re.compile(r"\b__all__\b")
_TEXT = re.compile(r"""(["'])([^"'\\\n]*)\1""")
_NOTE = re.compile(r"#[^\n]*")
_LISTED = re.compile(
    r"""^__all__[ \t]*(?::[^=\n]*)?=[ \t]*[\[(]"""
    r"""(?P<names>(?:\s|,|\#[^\n]*\n|"[^"\\\n]*"|'[^'\\\n]*')*)[\])][ \t]*(?:\#[^\n]*)?$""",
    re.MULTILINE,
)


def renamed_exports(text: str) -> dict[str, str]:
    """What a file calls its exports, by the other names that it gives them."""
    found: dict[str, str] = {}
    for statement in _EXPORTED.finditer(text):
        for part in _COMMENT.sub(" ", statement["names"]).split(","):
            pair = _RENAMED.fullmatch(part)
            if pair is not None and pair[1] != pair[2]:
                found[pair[2]] = pair[1]
    return found


@dataclass(frozen=True, slots=True)
class Starred:
    """What a module of Python gives to those who import everything of it."""

    names: frozenset[str] | None = None
    """None where it doesn't list them."""
    known: bool = True
    """Whether the list is one of plain texts, so that it could be read."""


def starred(text: str) -> Starred:
    """What `__all__` says, where one literal list does."""
    if "__all__" not in text:
        return Starred()
    saying = [line for line in text.split("\n") if "__all__" in line and _ALL.search(line.partition("#")[0])]
    if len(saying) == 1 and (said := _LISTED.search(text)) is not None:
        # An escape in a name is nothing that anyone writes.
        return Starred(frozenset(name for _, name in _TEXT.findall(_NOTE.sub("", said["names"]))))
    return Starred(known=False)
