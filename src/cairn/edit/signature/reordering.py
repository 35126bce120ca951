"""Parameters that calls give by their names, in another order: no call has to change."""

from collections.abc import Iterator, Sequence

from cairn.edit.signature.brackets import entry_nodes
from cairn.edit.signature.given import evaluated
from cairn.edit.signature.heads import SignatureHead
from cairn.edit.signature.outcome import SignatureGround, SignatureOutcome
from cairn.edit.signature.parameters import ONLY_NAMED


def reordered(ground: SignatureGround, names: Sequence[str]) -> SignatureOutcome:
    """The functions with some of these parameters in another order."""
    found = SignatureOutcome()
    asked = ground.heads[0]
    there = _named(asked)
    unknown = [name for name in names if name not in there]
    if unknown or len(names) < 2 or len(set(names)) < len(names):
        what = "keyword-only parameter" if ground.python else "key that a parameter is taken apart by"
        said = f"{', '.join(unknown)}: no {what} of {ground.name}" if unknown else "name two or more, each once"
        found.reasons.append(f"{said}; there is {', '.join(there) or 'none'}")
        return found
    for head in ground.heads:
        found.reasons += _needed_before(head, names)
        found.change_head(head, head.signature.reordered(names))
    if not found.spots and not found.reasons:
        found.reasons.append("they are in that order already")
    return found


def _named(head: SignatureHead) -> list[str]:
    if head.signature.python:
        return [each.name for each in head.signature.parameters if each.kind == ONLY_NAMED]
    return [name for _, keys in head.signature.patterns() for name in keys if name]


def _needed_before(head: SignatureHead, names: Sequence[str]) -> Iterator[str]:
    """Keys whose defaults use another one, which must stand before them."""
    for pattern, keys in head.signature.patterns() if not head.signature.python else ():
        for key, entry in zip(keys, entry_nodes(pattern), strict=True):
            default = entry.child_by_field_name("right")
            used = {each.said for each in evaluated(default)} if default else set()
            if key in names and not used.isdisjoint(keys):
                yield f"the default of {key} at {head.place} uses another of them"
