"""Values that a class gives to its members and that are told their names: `size = Field()`."""

import re
from typing import Any

from cairn.edit.account import Source
from cairn.edit.decorators import above
from cairn.edit.lineage import CLASSES, Lineage, SourceOf
from cairn.edit.reading import bodies_of
from cairn.store import SemanticFacts

_TOLD = re.compile(rb"\b__set_name__\b")
_OWN = " python-stdlib "
"""Python's own descriptors that are told a name make nothing of it but the place where they keep their value."""


def keeps_name(source: Source, assignment: Any, facts: SemanticFacts, source_of: SourceOf) -> bool:
    """Whether the value of a member is made by a class that is told the member's name, or may be."""
    value = assignment.child_by_field_name("right")
    scopes = (node for node in above(assignment) if node.type in CLASSES or node.type == "function_definition")
    inside = next(scopes, None)
    if value is None or value.type != "call" or inside is None or inside.type not in CLASSES:
        return False
    function = value.child_by_field_name("function")
    last = function.named_children[-1] if function.type == "attribute" else function
    lineage = Lineage(facts, source_of)
    numbers = lineage.numbers(source.path, last)
    known = facts.symbols(sorted(numbers)).values()
    if known and all(_OWN in each.symbol for each in known):
        return False
    classes = numbers.union(*(lineage.kin(number) for number in numbers))
    bodies = list(bodies_of(classes, facts, source_of))
    return not bodies or any(body.has(_TOLD) for body in bodies)
