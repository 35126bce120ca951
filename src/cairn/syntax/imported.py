"""Which names an import statement gives to a file, and how they are stored."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding
from cairn.languages.registry import record_of

__all__ = ["EVERYTHING", "Binding", "bindings_of", "packed", "unpacked"]

_MOST = 200
_SOUND = re.compile(r"[^\s,:]*")


def bindings_of(language: str, statement: str, source: str, before: str = "") -> tuple[Binding, ...]:
    """What one source of a statement binds; `before` is what stands on the line in front of the statement."""
    rule = record_of(language).bindings
    if rule is None:
        return ()
    found = (binding for binding in rule(statement, source, before) if all(map(_SOUND.fullmatch, binding)))
    return tuple(dict.fromkeys(found))[:_MOST]


def packed(bindings: Iterable[Binding]) -> str:
    """Bindings in one line: `name`, `name:local`, `:local` for the module itself, `*`."""
    return ",".join(name if name == local else f"{name}:{local}" for name, local in bindings)


def unpacked(text: str) -> tuple[Binding, ...]:
    """The bindings of an import, from the form in which rows keep them."""
    parts = (part.partition(":") for part in text.split(",") if part)
    return tuple(Binding(name, local if colon else name) for name, colon, local in parts)
