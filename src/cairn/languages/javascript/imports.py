"""What an import of JavaScript binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding, renamed

_WORD = re.compile(r"[^\W\d][\w$]*")


def bindings(statement: str, _source: str, before: str) -> Iterable[Binding]:
    """What an `import`, an `export ... from` or a `require` binds."""
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
        return [renamed(part.split("=")[0], ":") for part in match[1].strip("{}").split(",") if part.strip()]
    found = [
        renamed(re.sub(r"^\s*type\s+(?!as\b)", "", part))
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
