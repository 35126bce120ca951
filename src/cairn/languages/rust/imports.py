"""What an import of Rust binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding


def bindings(_statement: str, source: str, _before: str) -> Iterable[Binding]:
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


def stem(source: str) -> str:
    """The part of a path that all leaves of its tree share."""
    return source.partition("{")[0].partition(" as ")[0].strip().removesuffix("::*").removesuffix("::")
