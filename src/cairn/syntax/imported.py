"""Which names an import statement gives to a file.

A binding is what is asked for and the name it has here. Statements are short and their notations
few, so their own words are enough; a statement that isn't understood binds nothing, and what it
would have bound stays unresolved.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

EVERYTHING = "*"
_MOST = 200
_SOUND = re.compile(r"[^\s,:]*")
_WORD = re.compile(r"[^\W\d][\w$]*")


class Binding(NamedTuple):
    """`name` is asked for ("" is the module itself, "*" all that it offers) and is called `local` here."""

    name: str
    local: str


def bindings_of(language: str, statement: str, source: str, before: str = "") -> tuple[Binding, ...]:
    """What one source of a statement binds; `before` is what stands on the line in front of the statement."""
    rule = _RULES.get(language)
    if rule is None:
        return ()
    found = (binding for binding in rule(statement, source, before) if all(map(_SOUND.fullmatch, binding)))
    return tuple(dict.fromkeys(found))[:_MOST]


def packed(bindings: Iterable[Binding]) -> str:
    """Bindings in one line: `name`, `name:local`, `:local` for the module itself, `*`."""
    return ",".join(name if name == local else f"{name}:{local}" for name, local in bindings)


def unpacked(text: str) -> tuple[Binding, ...]:
    parts = (part.partition(":") for part in text.split(",") if part)
    return tuple(Binding(name, local if colon else name) for name, colon, local in parts)


def _python(statement: str, source: str, _before: str) -> Iterable[Binding]:
    text = re.sub(r"#[^\n]*|\\\n", " ", statement) if "#" in statement or "\\" in statement else statement
    _, word, names = text.partition(" import ")
    if not word and text.startswith("from"):
        # `from .import a` and `from . import(a)` need no space.
        names = re.split(r"\bimport\b", text, maxsplit=1)[-1]
        word = names if names != text else ""
    if not text.startswith("from") or not word:
        match = re.search(rf"(?<![\w.]){re.escape(source)}\s+as\s+(\w+)", text) if " as" in text else None
        return [Binding("", match[1] if match else source)]
    if names.strip() == EVERYTHING:
        return [Binding(EVERYTHING, EVERYTHING)]
    return [_renamed(part) for part in names.strip().strip("()").split(",") if part.strip()]


def _javascript(statement: str, _source: str, before: str) -> Iterable[Binding]:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", statement, flags=re.DOTALL)
    text = re.split(r"""\bfrom\s*["'`]|["'`]""", text, maxsplit=1)[0]
    text = re.sub(r"^\s*(?:import|export)\b\s*(?:type\b(?!\s*,|\s*$)|typeof\b)?", "", text)
    if statement.lstrip().startswith(("require", "import(", "import (")):
        match = re.search(r"(?:const|let|var|,)\s*(\{[^{}]*\}|[\w$]+)\s*(?::[^=]+)?=\s*(?:await\s+)?$", before)
        # `require("x").name` asks for a part; what is called or taken of that is no part any more.
        taken = re.match(r"(?:require|import)\s*\([^()]*\)\s*([.\[(][^;,\n]*)?", statement.lstrip())
        further = (taken[1] or "").strip() if taken else ""
        if match is None or (further and not re.fullmatch(r"\.\s*[\w$]+", further)):
            return []
        if further:
            return [] if match[1].startswith("{") else [Binding(further[1:].strip(), match[1])]
        if not match[1].startswith("{"):
            return [Binding("", match[1])]
        return [_renamed(part.split("=")[0], ":") for part in match[1].strip("{}").split(",") if part.strip()]
    found = [
        _renamed(re.sub(r"^\s*type\s+(?!as\b)", "", part))
        for group in re.findall(r"\{([^{}]*)\}", text)
        for part in group.split(",")
        if part.strip()
    ]
    outside = re.sub(r"\{[^{}]*\}", "", text)
    for part in filter(None, (part.strip() for part in outside.split(","))):
        space = re.match(r"\*\s*(?:as\s+([\w$]+))?", part)
        equals = re.match(r"([\w$]+)\s*=\s*require", part)
        if space:
            found.append(Binding("", space[1]) if space[1] else Binding(EVERYTHING, EVERYTHING))
        elif equals:
            found.append(Binding("", equals[1]))
        elif _WORD.fullmatch(part):
            found.append(Binding("default", part))
    return found


def _go(statement: str, source: str, _before: str) -> Iterable[Binding]:
    alias = statement.partition('"')[0].partition("`")[0].strip()
    if alias == "_":
        return []
    if alias == ".":
        return [Binding(EVERYTHING, EVERYTHING)]
    if alias:
        return [Binding("", alias)]
    parts = [part for part in source.split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    last = re.sub(r"\.v\d+$", "", parts[-1]) if parts else ""
    return [Binding("", last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_"))]


def _rust(_statement: str, source: str, _before: str) -> Iterable[Binding]:
    """Leaves of a use tree: `a::{b, c::d as e}` asks `a` for `b` and `c.d`, which is `e` here."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|\s+(?=[^\w]|$)|(?<=[^\w])\s+", "", source, flags=re.DOTALL)
    prefix, brace, _ = text.partition("{")
    if not brace:
        path, _, alias = text.partition(" as ")
        last = path.rpartition("::")[2]
        if last == EVERYTHING:
            return [Binding(EVERYTHING, EVERYTHING)]
        return [] if alias.strip() == "_" else [Binding("", alias.strip() or last)]
    found: list[Binding] = []
    stack: list[str] = []
    for piece, sign in re.findall(r"([^{},]*)([{},]|$)", text[len(prefix) :]):
        inner = "::".join(filter(None, (part.removesuffix("::") for part in (*stack[1:], piece))))
        if sign == "{":
            stack.append(piece)
            continue
        if piece:
            path, _, alias = inner.partition(" as ")
            path = path.removesuffix("::self") if path != "self" else ""
            last = path.rpartition("::")[2] or prefix.removesuffix("::").rpartition("::")[2]
            if last == EVERYTHING:
                found.append(Binding(path.replace("::", "."), EVERYTHING))
            elif alias.strip() != "_":
                found.append(Binding(path.replace("::", "."), alias.strip() or last))
        if sign == "}" and stack:
            stack.pop()
    return found


def _last_part(statement: str, source: str, _before: str) -> Iterable[Binding]:
    """Java and its kin: a path whose last part is the name; a star asks for all."""
    text = statement.strip().rstrip(";").strip()
    if text.endswith((".*", "._")):
        return [Binding(EVERYTHING, EVERYTHING)]
    match = re.search(r"\s(?:as|=>)\s*(\w+)$", text)
    last = re.split(r"[.\\/]", source)[-1]
    return [Binding("", match[1] if match else last)]


def _scala(statement: str, source: str, before: str) -> Iterable[Binding]:
    group = re.search(r"\{([^{}]*)\}", statement)
    if group is None:
        return _last_part(statement, source, before)
    parts = (re.sub(r"\s*(?:=>|\bas\b)\s*", " as ", part) for part in group[1].split(",") if part.strip())
    return [Binding(EVERYTHING, EVERYTHING) if part.strip() in "*_" else _renamed(part) for part in parts]


def _csharp(statement: str, _source: str, _before: str) -> Iterable[Binding]:
    match = re.search(r"using\s+(?:static\s+)?(\w+)\s*=", statement)
    return [Binding("", match[1])] if match else [Binding(EVERYTHING, EVERYTHING)]


def _php(statement: str, source: str, before: str) -> Iterable[Binding]:
    if not statement.lstrip().startswith("use"):
        return [Binding(EVERYTHING, EVERYTHING)]
    group = re.search(r"\{([^{}]*)\}", statement)
    if group:
        parts = (re.sub(r"^\s*(?:function|const)\s+", "", part) for part in group[1].split(",") if part.strip())
        found = (_renamed(part) for part in parts)
        return [Binding(name.replace("\\", "."), local.rpartition("\\")[2]) for name, local in found]
    match = re.search(rf"{re.escape(source)}\s+as\s+(\w+)", statement)
    return [Binding("", match[1])] if match else _last_part(source, source, before)


def _dart(statement: str, _source: str, _before: str) -> Iterable[Binding]:
    alias = re.search(r"\bas\s+(\w+)", statement)
    if alias:
        return [Binding("", alias[1])]
    shown = re.search(r"\bshow\s+([\w\s,]+)", statement)
    if shown:
        return [Binding(name.strip(), name.strip()) for name in shown[1].split(",") if name.strip()]
    return [Binding(EVERYTHING, EVERYTHING)]


def _elixir(statement: str, source: str, _before: str) -> Iterable[Binding]:
    if statement.startswith(("import", "use")):
        return [Binding(EVERYTHING, EVERYTHING)]
    group = re.search(r"\{([^{}]*)\}", statement)
    if group:
        return [_renamed(part) for part in group[1].split(",") if part.strip()]
    match = re.search(r"\bas:\s*([\w.]+)", statement)
    return [Binding("", match[1] if match else source.rpartition(".")[2])]


def _lua(_statement: str, _source: str, before: str) -> Iterable[Binding]:
    match = re.search(r"(\w+)\s*=\s*$", before)
    return [Binding("", match[1])] if match else []


def _haskell(statement: str, source: str, _before: str) -> Iterable[Binding]:
    alias = re.search(r"\bas\s+([\w.]+)", statement)
    listed = re.search(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$", statement)
    found = [Binding("", alias[1] if alias else source)]
    if "qualified" in statement:
        return found
    if listed is None or "hiding" in statement:
        return [*found, Binding(EVERYTHING, EVERYTHING)]
    names = re.findall(r"[^\W\d][\w']*", re.sub(r"\([^()]*\)", "", listed[1]))
    return [*found, *(Binding(name, name) for name in names)]


def _everything(_statement: str, _source: str, _before: str) -> Iterable[Binding]:
    return [Binding(EVERYTHING, EVERYTHING)]


def _renamed(part: str, sign: str = r"\bas\b") -> Binding:
    """`name`, or `name as local`."""
    if (name := part.strip()).isidentifier():
        return Binding(name, name)
    pieces = [piece.strip() for piece in re.split(sign, part, maxsplit=1)]
    return Binding(pieces[0], pieces[-1] or pieces[0])


_RULES: dict[str, Callable[[str, str, str], Iterable[Binding]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _go,
    "rust": _rust,
    "java": _last_part,
    "kotlin": _last_part,
    "swift": _everything,
    "scala": _scala,
    "csharp": _csharp,
    "php": _php,
    "dart": _dart,
    "elixir": _elixir,
    "haskell": _haskell,
    "lua": _lua,
    "c": _everything,
    "cpp": _everything,
    "objective-c": _everything,
    "ruby": _everything,
    "bash": _everything,
    "julia": _everything,
    "ocaml": _everything,
    "perl": _everything,
}
