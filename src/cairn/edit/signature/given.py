"""What a call gives to a function: its arguments by position and by name, and which of them a parameter gets."""

from collections.abc import Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.signature.brackets import Bracketed, ListEntry, bracketed, entry_nodes
from cairn.edit.source.written import said_of

UNSURE = -2
"""An argument that only the running program tells."""
NONE_GIVEN = -1
_SPREAD = frozenset({"list_splat", "spread_element"})
_CALLED = ("function", "constructor")
_MEMBER = ("attribute", "property")
_AROUND = frozenset({"parenthesized_expression", "non_null_expression", "instantiation_expression"})
_WHEN_CALLED = frozenset(
    "lambda arrow_function function_expression function generator_function function_definition class".split()
)
"""What is only evaluated when it is called."""
_EFFECTS = frozenset(
    "call await yield named_expression call_expression new_expression await_expression yield_expression "
    "assignment_expression augmented_assignment_expression update_expression".split()
)


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """One call, by its node."""

    node: Any
    written: Bracketed
    given: tuple[Any, ...]
    """The nodes of its arguments."""

    @property
    def receiver(self) -> Any:
        """The node of what the function is asked of; None for a bare name."""
        called = next(filter(None, map(self.node.child_by_field_name, _CALLED)), None)
        while called is not None and called.type in _AROUND:
            called = next((child for child in called.children if child.is_named), None)
        return called.child_by_field_name("object") if called is not None else None

    @property
    def positions(self) -> int:
        """How many arguments it gives by position, where it writes all of them; else `UNSURE`."""
        if any(each.type in _SPREAD for each in self.given):
            return UNSURE
        return sum(each.type not in ("keyword_argument", "dictionary_splat") for each in self.given)

    @property
    def passes_names(self) -> bool:
        """Whether it gives names that are not written there."""
        return any(each.type == "dictionary_splat" for each in self.given)

    def named(self, name: str) -> int:
        """The number of the argument that is given by a name; `NONE_GIVEN` where there is none."""
        for number, each in enumerate(self.given):
            if each.type == "keyword_argument" and said_of(each.child_by_field_name("name")) == name:
                return number
        return NONE_GIVEN

    def given_to(self, position: int, name: str) -> int:
        """The number of the argument that a parameter gets: by its position, -1 for none, or by its name, or not."""
        by_name = self.named(name) if name else NONE_GIVEN
        if by_name != NONE_GIVEN:
            return by_name
        if position >= 0:
            passed = 0
            for number, each in enumerate(self.given):
                if each.type in _SPREAD:
                    return UNSURE
                if each.type in ("keyword_argument", "dictionary_splat"):
                    continue
                if passed == position:
                    return number
                passed += 1
        return UNSURE if name and self.passes_names else NONE_GIVEN

    def has_effects(self, number: int) -> bool:
        """Whether evaluating an argument may do something."""
        return any(each.type in _EFFECTS for each in evaluated(self.given[number]))


def call_of(name: Any, data: bytes) -> WrittenCall | None:
    """The call whose function is written with a name at last; None where it is no call that can be read."""
    inner, outer = name, name.parent
    while outer is not None:
        if any(outer.child_by_field_name(field) == inner for field in _CALLED):
            return _call(outer, data)
        if outer.type not in _AROUND and not any(outer.child_by_field_name(field) == inner for field in _MEMBER):
            return None
        inner, outer = outer, outer.parent
    return None


def _call(node: Any, data: bytes) -> WrittenCall | None:
    given = node.child_by_field_name("arguments")
    if given is None or given.type == "template_string":
        return None
    if given.type == "generator_expression":
        # `f(x for x in y)`: the brackets are the call's.
        start, end = given.start_byte + 1, given.end_byte - 1
        return WrittenCall(node, Bracketed(data, start, end, (ListEntry(start, end, -1),)), (given,))
    written = bracketed(given, data)
    return WrittenCall(node, written, tuple(entry_nodes(given))) if written is not None else None


def evaluated(node: Any) -> Iterator[Any]:
    """A node and all in it that is evaluated with it."""
    yield node
    if node.type not in _WHEN_CALLED:
        for child in node.children:
            yield from evaluated(child)
