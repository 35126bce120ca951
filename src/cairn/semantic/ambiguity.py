"""Flags for names of a file that may mean several things, found by parsing it.

    dynamic_import          a module whose name is computed when the code runs
    star_import             names that another file decides about
    monkey_patch            an attribute of something from elsewhere, or of a class, is replaced
    conditional_definition  a name that has its definition in a branch
    multiple_definitions    one name, several definitions in one scope
    unresolved_receiver     a call of a member that can't be found

The last one is rare by syntax alone: only members whose very name is computed count. Where an index knows which calls
it has resolved, all others that are asked of something count too.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from cairn.languages.registry import record_of
from cairn.semantic.ambiguity_python import python_flags
from cairn.semantic.ambiguity_script import script_flags
from cairn.semantic.flags import (
    CONDITIONAL_DEFINITION,
    DYNAMIC_IMPORT,
    MONKEY_PATCH,
    MULTIPLE_DEFINITIONS,
    STAR_IMPORT,
    UNRESOLVED_RECEIVER,
    Flag,
    Flags,
)
from cairn.store import OccurrenceRow
from cairn.syntax.parse import grammar_for

__all__ = [
    "CONDITIONAL_DEFINITION",
    "DYNAMIC_IMPORT",
    "MONKEY_PATCH",
    "MULTIPLE_DEFINITIONS",
    "STAR_IMPORT",
    "UNRESOLVED_RECEIVER",
    "Flag",
    "flags_in",
    "kinds",
    "unresolved",
]

_LOOKS: Mapping[str, Callable[[Any, str], Flags]] = {"python": python_flags, "script": script_flags}
"""How a file is looked through, by the name that records of languages give it."""


def flags_in(path: str, language: str, data: bytes) -> tuple[Flag, ...] | None:
    """The flags of a file in order of their lines; None for a language without rules."""
    look = _LOOKS.get(record_of(language).ambiguity)
    loaded = grammar_for(path, language, data) if look is not None else None
    if look is None or loaded is None:
        return None
    return tuple(sorted(set(look(loaded.parser.parse(data).root_node, language))))


def unresolved(calls: Collection[OccurrenceRow], resolved: Collection[tuple[int, str]]) -> tuple[Flag, ...]:
    """Calls that are asked of something and that an index has not resolved, by the (line, name) of those it has."""
    known = frozenset(resolved)
    return tuple(
        sorted(
            Flag(call.line, UNRESOLVED_RECEIVER, f"{call.receiver}.{call.name}")
            for call in calls
            if call.role == "call" and call.receiver and (call.line, call.name) not in known
        )
    )


def kinds(flags: Collection[Flag]) -> tuple[str, ...]:
    """The kinds among some flags: what is stored with a file."""
    return tuple(sorted({flag.kind for flag in flags}))
