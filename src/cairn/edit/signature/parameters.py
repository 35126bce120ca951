"""The parameters of a function as its syntax tree has them, and the texts that add, remove or reorder some."""

from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.signature.brackets import Bracketed, ListEntry, TextChange, bracketed, entry_nodes

ONLY_POSITIONAL, PLAIN, REST, ONLY_NAMED, NAMES = "only_positional", "plain", "rest", "only_named", "names"
"""How a call can give a parameter: by position, by both, all further ones, by name, all further names."""
BARRIER, POSITIONS_END, RECEIVER = "*", "/", "receiver"
"""What is written in the list and is none: Python's two marks, and TypeScript's `this`."""
_MARKS = {"keyword_separator": BARRIER, "positional_separator": POSITIONS_END}
_FUNCTIONS = ("value", "right", "type")
"""Where a definition that is no function itself has one."""
_BODILESS = frozenset(
    "function_signature method_signature abstract_method_signature function_type call_signature".split()
)


@dataclass(frozen=True, slots=True)
class WrittenParameter:
    """One parameter, or a mark in the list of them."""

    name: str
    """Empty where it is taken apart instead of being named."""
    kind: str
    node: Any
    has_default: bool = False
    makes_field: bool = False
    """Whether it declares a field of its class too, as in TypeScript's constructors."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one definition, in order."""

    written: Bracketed
    parameters: tuple[WrittenParameter, ...]
    python: bool
    function: Any
    """The node of the function."""
    bare: bool = False
    """Whether the one parameter has no brackets around it."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its parameters are called."""
        return tuple(each.name for each in self.parameters if each.name and each.kind != RECEIVER)

    @property
    def declares(self) -> bool:
        """Whether it only says what others do, and so can't hold a default in TypeScript."""
        return self.function.type in _BODILESS

    def index(self, name: str) -> int:
        """Where a parameter stands in the list; -1 where there is none of that name."""
        found = (at for at, each in enumerate(self.parameters) if each.name == name and each.kind != RECEIVER)
        return next(found, -1)

    def position(self, index: int) -> int:
        """Which argument by position an entry of the list is given by, from 0; -1 where none can be."""
        if self.parameters[index].kind not in (PLAIN, ONLY_POSITIONAL):
            return -1
        return sum(each.kind in (PLAIN, ONLY_POSITIONAL) for each in self.parameters[:index])

    @property
    def positions(self) -> int:
        """How many arguments can be given by position, those behind a star aside."""
        return sum(each.kind in (PLAIN, ONLY_POSITIONAL) for each in self.parameters)

    def has(self, *kinds: str) -> bool:
        """Whether it has a parameter of one of some kinds."""
        return any(each.kind in kinds for each in self.parameters)

    def place_for(self, position: int | None, *, only_named: bool) -> int:
        """Where in the list a new parameter stands; by default behind all that are given by position."""
        if only_named:
            return next((at for at, each in enumerate(self.parameters) if each.kind == NAMES), len(self.parameters))
        own = [at for at, each in enumerate(self.parameters) if each.kind in (PLAIN, ONLY_POSITIONAL)]
        if position is not None and position < len(own):
            return own[position]
        marks = [at for at, each in enumerate(self.parameters) if each.kind in (POSITIONS_END, RECEIVER)]
        return max((*own, *marks), default=-1) + 1

    def added(self, text: str, at: int, *, only_named: bool = False) -> TextChange:
        """The list with a parameter more before an entry."""
        star = only_named and self.python and not self.has(REST, BARRIER)
        texts = [b"*", text.encode()] if star else [text.encode()]
        change = self.written.inserted(at, texts)
        if not self.bare:
            return change
        own = self.written.data[self.written.start : self.written.end]
        inside = change.new + own if at == 0 else own + change.new
        return TextChange(self.written.start, self.written.end, b"(" + inside + b")")

    def removed(self, index: int) -> TextChange:
        """The list without a parameter, and without a mark that would have nothing left to tell apart."""
        if self.bare:
            return TextChange(self.written.start, self.written.end, b"()")
        first = last = index
        kinds = [each.kind for each in self.parameters]
        behind, before = kinds[index + 1 :], kinds[:index]
        if before[-1:] == [BARRIER] and behind[:1] != [ONLY_NAMED]:
            first -= 1
        if behind[:1] == [POSITIONS_END] and not before:
            last += 1
        return self.written.removed(first, last)

    def reordered(self, names: Sequence[str]) -> list[TextChange]:
        """The named parameters in the order given, in the places that they have together."""
        if self.python:
            slots = {name: self.index(name) for name in names if self.index(name) >= 0}
            order = list(slots.values())
            return self.written.reordered(sorted(order), order)
        for pattern, keys in self.patterns():
            own = [keys.index(name) for name in names if name in keys]
            found = bracketed(pattern, self.written.data)
            if len(own) > 1 and found is not None:
                return found.reordered(sorted(own), own)
        return []

    def patterns(self) -> Iterator[tuple[Any, list[str]]]:
        """The parameters that are taken apart by keys, each with these."""
        for each in self.parameters:
            node = each.node if each.node.type == "object_pattern" else each.node.child_by_field_name("pattern")
            node = each.node.child_by_field_name("left") if each.node.type == "assignment_pattern" else node
            if node is not None and node.type == "object_pattern":
                yield node, [_key(entry) for entry in entry_nodes(node)]


def function_of(name: Any) -> Any:
    """The function that a name is defined as; None where it is none."""
    holder = name.parent
    if holder is None:
        return None
    if holder.child_by_field_name("name") == name or holder.child_by_field_name("key") == name:
        return _function_in(holder)
    if holder.child_by_field_name("left") == name:
        return _function_in(holder)
    outer = holder.parent
    if holder.type == "member_expression" and outer is not None and outer.child_by_field_name("left") == holder:
        return _function_in(outer)
    return None


def _function_in(holder: Any) -> Any:
    for _ in range(4):
        if holder is None:
            return None
        if holder.child_by_field_name("parameters") is not None or holder.child_by_field_name("parameter") is not None:
            return holder if holder.type not in ("class_definition", "lambda") else None
        inner = next(filter(None, map(holder.child_by_field_name, _FUNCTIONS)), None)
        if inner is None and holder.type in ("type_annotation", "parenthesized_expression", "parenthesized_type"):
            inner = next((child for child in holder.children if child.is_named), None)
        holder = inner
    return None


def signature_of(function: Any, data: bytes, *, python: bool) -> Signature | None:
    """The signature of a function's node; None where its code is broken."""
    node = function.child_by_field_name("parameters")
    if node is None:
        alone = function.child_by_field_name("parameter")
        entry = ListEntry(alone.start_byte, alone.end_byte, -1)
        written = Bracketed(data, alone.start_byte, alone.end_byte, (entry,))
        return Signature(written, (WrittenParameter(alone.said, PLAIN, alone),), python, function, bare=True)
    found = bracketed(node, data)
    if found is None:
        return None
    listed = _python(entry_nodes(node)) if python else tuple(map(_script, entry_nodes(node)))
    return Signature(found, listed, python, function)


def _python(nodes: Sequence[Any]) -> tuple[WrittenParameter, ...]:
    found: list[WrittenParameter] = []
    named = False
    for node in nodes:
        inner = node
        if node.type in ("typed_parameter", "default_parameter", "typed_default_parameter"):
            inner = node.child_by_field_name("name") or next(child for child in node.children if child.is_named)
        default = node.type in ("default_parameter", "typed_default_parameter")
        if node.type in _MARKS:
            kind = _MARKS[node.type]
            if kind == POSITIONS_END:
                found = [WrittenParameter(each.name, ONLY_POSITIONAL, each.node, each.has_default) for each in found]
            named = named or kind == BARRIER
            found.append(WrittenParameter("", kind, node))
        elif inner.type == "list_splat_pattern":
            named = True
            found.append(WrittenParameter(inner.said.lstrip("* \t"), REST, node))
        elif inner.type == "dictionary_splat_pattern":
            found.append(WrittenParameter(inner.said.lstrip("* \t"), NAMES, node))
        else:
            name = inner.said if inner.type == "identifier" else ""
            found.append(WrittenParameter(name, ONLY_NAMED if named else PLAIN, node, default))
    return tuple(found)


def _script(node: Any) -> WrittenParameter:
    inner = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
    default = node.type in ("optional_parameter", "assignment_pattern") or node.child_by_field_name("value") is not None
    if inner.type == "this":
        return WrittenParameter("this", RECEIVER, node)
    if inner.type == "rest_pattern":
        return WrittenParameter(inner.said.lstrip(". \t"), REST, node)
    field = any(child.type in ("accessibility_modifier", "readonly", "override_modifier") for child in node.children)
    return WrittenParameter(inner.said if inner.type == "identifier" else "", PLAIN, node, default, field)


def _key(entry: Any) -> str:
    """What an entry of a pattern takes out; empty for the rest."""
    if entry.type == "rest_pattern":
        return ""
    return str((entry.child_by_field_name("key") or entry.child_by_field_name("left") or entry).said)
