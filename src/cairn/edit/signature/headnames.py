"""Names in the head of a function of Python: they are looked up when the head is run, not when the function is."""

import builtins
from collections.abc import Iterable, Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.source.file import SourceFile
from cairn.edit.source.importing import statements

_BUILTINS = frozenset(dir(builtins))
_CLASS, _SCOPES = "class_definition", frozenset({"class_definition", "function_definition", "lambda", "module"})
_OWN_SCOPE = ("comprehension", "generator_expression", "lambda")


@dataclass(frozen=True, slots=True)
class _Binding:
    """A place that gives a name a value."""

    at: int
    line: int
    scope: Any
    """The node of the scope that it stands in."""
    types: bool
    """Whether only those who check types see it."""


def unbound_at(source: SourceFile, function: Any, names: Iterable[str]) -> Iterator[str]:
    """Names that have no value yet where the head of a function is run, though its file gives them one elsewhere."""
    for name in names:
        bindings = list(_bindings(source, name))
        late = _late(function, name, bindings)
        if late is not None:
            when = "for those alone who check types" if late.types else "only after that"
            head = f"{source.path}:{function.start_point[0] + 1}"
            yield f"{head} is run with {name} in it, and {source.path}:{late.line} gives {name} its value {when}"


def _late(function: Any, name: str, bindings: list[_Binding]) -> _Binding | None:
    """What gives a name its value too late for the head of a function; None where nothing does."""
    at, seen, run, missed = function.start_byte, True, True, None
    for scope in _around(function):
        # A class hides its names from what stands deeper in it.
        own = [each for each in bindings if each.scope == scope] if seen or scope.type != _CLASS else []
        if any(not each.types and (each.at < at or not run) for each in own):
            return None
        missed = missed or next(iter(own), None)
        if scope.type in ("function_definition", "lambda"):
            if own:
                return missed  # A name that a function binds anywhere is its own.
            run = False  # It is called later, when all around it has run.
        seen = False
    return missed if name not in _BUILTINS else None


def _around(node: Any) -> Iterator[Any]:
    while (node := node.parent) is not None:
        if node.type in _SCOPES:
            yield node


def _bindings(source: SourceFile, name: str) -> Iterator[_Binding]:
    found = source.found(name)
    for one in found.occurrences if found is not None else ():
        if one.role not in ("definition", "write") or one.receiver or one.keyword:
            continue
        if one.binds is not None and one.binds.type.endswith(_OWN_SCOPE):
            continue
        node = source.node(one.start, one.end)
        if node is not None and not _is_bare_annotation(node):
            holder = node.parent if not one.parameter else node
            defined = holder is not None and holder.type in _SCOPES and holder.child_by_field_name("name") == node
            yield _Binding(one.start, one.line, next(_around(holder if defined else node), None), False)
    for each in statements(source):
        node = source.node(each.start, each.end)
        for taken in each.names if node is not None else ():
            if taken.local == name:
                line = source.data.count(b"\n", 0, taken.start) + 1
                yield _Binding(taken.start, line, next(_around(node), None), each.types or taken.types)


def _is_bare_annotation(node: Any) -> bool:
    """`name: type` gives no value."""
    holder = node.parent
    return bool(
        holder is not None
        and holder.type == "assignment"
        and holder.child_by_field_name("left") == node
        and holder.child_by_field_name("right") is None
    )
