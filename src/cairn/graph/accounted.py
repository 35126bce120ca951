"""Uses that the snapshot's own facts account for, so that a file need not be parsed to tell them."""

from collections.abc import Sequence

from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope
from cairn.store import OccurrenceRow
from cairn.syntax.receivers import receiver_of
from cairn.syntax.uses import Use
from cairn.syntax.ways import places_of

_NO_CHAIN = "?"
_JOINT = 4
_ENDS = (b")", b"]", b"}", b'"', b"'")


def accounted(data: bytes, name: str, calls: Sequence[OccurrenceRow], scope: FileScope) -> tuple[Use, ...] | None:
    """The uses of a name in a file, where each place of its bytes is a stored call of a member or a stored definition.

    None where only a parse can tell: a place may be a comment, or a bare name may be local.
    """
    if not name.isascii() or not all(call.receiver[:1].strip("@") for call in calls):
        return None
    heads = [symbol for symbol in scope.symbols if symbol.name == name]
    places = places_of(data, name.encode(), False)
    if len(places) != len(calls) + len(heads):
        return None
    left = {(call.line, call.receiver): call for call in calls}
    lines = {head.name_line for head in heads}
    if len(left) != len(calls) or len(lines) != len(heads) or lines & {line for line, _ in left}:
        return None  # what stands on one line can't be told apart
    found = []
    line, counted = 1, 0
    for at in places:
        line += data.count(b"\n", counted, at)
        counted = at
        column = at - data.rfind(b"\n", 0, at) - 1
        if line in lines:
            found.append(Use(line, column, name, "definition", "", "", local=False))
            continue
        call = left.pop((line, receiver_of(data, at)), None)
        if call is None or (call.receiver == _NO_CHAIN and not _ends_expression(data, at)):
            return None
        found.append(Use(line, column, name, "call", call.receiver, _within(scope, call.within), local=False))
    return tuple(found)


def _ends_expression(data: bytes, at: int) -> bool:
    """Whether a name is asked of what brackets or quotes end: a chain of names may go on in the line above."""
    return data[max(0, at - _JOINT) : at].rstrip(b".?!->:")[-1:] in _ENDS


def _within(scope: FileScope, within: str) -> str:
    """The function or type around a call: what a variable is made of stands in what is around the variable."""
    while within and not any(symbol.kind in FUNCTIONS | TYPES for symbol in scope.named(within)):
        within = within.rpartition(".")[0]
    return within
