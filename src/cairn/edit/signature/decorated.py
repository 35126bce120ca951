"""Decorators that stand between a function and its calls, and may take parameters of their own."""

from collections.abc import Iterator
from typing import Any

from cairn.edit.gate.table import table_of
from cairn.edit.signature.heads import SignatureHead
from cairn.edit.signature.outcome import SignatureGround
from cairn.edit.source.values import Construct
from cairn.edit.source.written import function_on, within

_FUNCTIONS = ("function_definition", "lambda")
_ANY = {"list_splat_pattern", "dictionary_splat_pattern"}


def wrapped(ground: SignatureGround, head: SignatureHead) -> Iterator[Construct]:
    """Questions about decorators of the tree that don't plainly hand on whatever a call gives."""
    plain = table_of(head.source.language).plain_decorators
    for said in head.decorators if ground.python else ():
        receiver, _, last = said.rpartition(".")
        targets = ground.resolver.meaning(head.item.path, last, receiver, head.item.symbol.container).targets
        bodies = [function_on(ground.sources.of(each.path).root, each.symbol.name_line) for each in targets]
        if last in plain or all(each is not None and all(map(_hands_on, _inner(each))) for each in bodies):
            continue
        shown = head.source.text.shown(head.item.symbol.name_line)
        why = f"is decorated with {said}, which may take parameters of its own"
        yield Construct(head.item.path, head.item.symbol.name_line, "decorated", shown, why, f"wraps {said} {shown}")


def _inner(function: Any) -> Iterator[Any]:
    """The functions in a function that hold no others; itself where there are none."""
    found = [each for child in function.children for each in within(child) if each.type in _FUNCTIONS]
    for each in found or [function]:
        if not any(one.type in _FUNCTIONS for child in each.children for one in within(child)):
            yield each


def _hands_on(function: Any) -> bool:
    """Whether a function takes all arguments that there may be, or gives back what it is given."""
    taken = function.child_by_field_name("parameters")
    parameters = taken.named_children if taken is not None else ()
    given = [each.named_children[:1] for each in within(function) if each.type == "return_statement"]
    back = {each.text for each in parameters}
    return {each.type for each in parameters} >= _ANY or (
        bool(given) and all(each and each[0].text in back for each in given)
    )
