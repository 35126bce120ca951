"""Where a name is bound: the scopes around a place, and what each binds.

Every place that binds a name is itself an occurrence of it. So nothing is walked to learn what a
scope binds: the occurrences of a name tell it of themselves, and are then asked what they mean.
"""

from dataclasses import dataclass, field
from typing import Any

from cairn.syntax import kinds
from cairn.syntax.shapes import NodeShape, Shapes

ROOT, SPACE, BLOCK, FUNCTION = "root", "space", "block", "function"


@dataclass(frozen=True, slots=True)
class Bound:
    """One binding of a name in a scope, and the bytes in which it holds."""

    start: int
    end: int
    local: bool
    """False for members, imports and what is declared global: names that mean something elsewhere."""


@dataclass(slots=True, eq=False)
class Scope:
    """A part of a file in which names are bound: `space` is a class, module or namespace."""

    kind: str
    type: str
    start: int
    end: int
    parent: "Scope | None"
    bound: dict[str, list[Bound]] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    """Names that belong to a scope further out though they are assigned here (`nonlocal`)."""

    @property
    def place(self) -> str:
        """One text for one scope of a file."""
        return f"{self.kind} {self.start}-{self.end}"

    def function(self) -> "Scope":
        """The nearest function, this one included; the root where there is none."""
        found = self
        while found.kind not in (FUNCTION, ROOT) and found.parent is not None:
            found = found.parent
        return found


Meaning = tuple[Scope, Bound]
"""The scope that binds a name, and how."""


class Frame:
    """One node of the way from the root to a name, and what holds inside of it."""

    __slots__ = ("field", "imported", "node", "scope", "shape", "type", "typed")

    def __init__(self, node: Any, shape: NodeShape, scope: Scope) -> None:
        self.node = node
        self.shape = shape
        self.scope = scope
        """What its own name or place belongs to: the scope in which the node stands."""
        self.type, self.field = shape.type, shape.field
        self.imported, self.typed = shape.imported, shape.typed


class Scopes:
    """The scopes of one file, made as they are met."""

    def __init__(self, shapes: Shapes, size: int) -> None:
        self.shapes, self.rules = shapes, shapes.rules
        self.root = Scope(ROOT, "", 0, size + 1, None)
        self._known: dict[tuple[int, int, str], Scope] = {}

    def inside(self, above: list[Frame], field_name: str) -> Scope:
        """The scope in which a child of the last frame stands."""
        frame = above[-1]
        outer, rules, kind = frame.scope, self.rules, frame.type
        if kind in rules.functions or kind in rules.spaces:
            around = self._typed(frame)
            if kind in rules.bodies and field_name not in rules.bodies[kind]:
                return around
            return self._scope(FUNCTION if kind in rules.functions else SPACE, frame, around)
        if kind in rules.blocks:
            if len(above) > 1 and above[-2].type in rules.spaces and kind == "statement_block":
                return outer  # the body of a namespace
            return self._scope(BLOCK, frame, outer)
        if kind in rules.prototypes and not _heads_function(above):
            return self._scope(BLOCK, frame, outer)
        if (kind, field_name) in rules.outside and outer.kind == FUNCTION and outer.parent is not None:
            if kind != "for_in_clause" or _is_first(above):
                return outer.parent  # evaluated where the function is made
        return outer

    def _typed(self, frame: Frame) -> Scope:
        """Python's type parameters hold for the whole definition but stand outside of its body."""
        if frame.type not in self.rules.bodies or not frame.node.child_by_field_name("type_parameters"):
            return frame.scope
        return self._scope(BLOCK, frame, frame.scope)

    def _scope(self, kind: str, frame: Frame, parent: Scope) -> Scope:
        key = (frame.node.start_byte, frame.node.end_byte, kind + frame.type)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Scope(kind, frame.type, key[0], key[1], parent)
        return found

    def meaning(self, name: str, at: int, scope: Scope) -> Meaning | None:
        """What binds a bare name at a place; None when nothing in the file's inner scopes does."""
        here: Scope | None = scope
        first = True
        while here is not None and here.kind != ROOT:
            if name not in here.passed and (here.kind != SPACE or first or self.rules.members_seen_within):
                entries = [each for each in here.bound.get(name, ()) if each.start <= at < each.end]
                if entries:
                    return here, entries[-1]
            elif here.kind == SPACE:
                # Type parameters of a class are seen in its methods; its members may not be.
                entries = [each for each in here.bound.get(name, ()) if each.local]
                if entries:
                    return here, entries[-1]
            if here.type in self.rules.opaque:
                return None
            first = False
            here = here.parent
        return None

    def hides(self, name: str, at: int) -> bool:
        """Whether some scope around a place binds a name locally: for places that are no occurrences."""
        return any(
            scope.start <= at < scope.end and any(each.local for each in scope.bound.get(name, ()))
            for scope in self._known.values()
        )


def _is_first(above: list[Frame]) -> bool:
    """Whether the last frame is the first clause of its comprehension."""
    kind, start = above[-1].type, above[-1].node.start_byte
    clauses = (each for each in above[-2].node.named_children if each.type == kind)
    return next((each.start_byte == start for each in clauses), False)


def _heads_function(above: list[Frame]) -> bool:
    at = len(above) - 2
    while at >= 0 and above[at].type in kinds.DECLARATORS:
        at -= 1
    return at >= 0 and above[at].type in ("function_definition", "lambda_expression")
