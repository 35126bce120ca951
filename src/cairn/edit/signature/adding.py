"""A parameter more: no argument of a call that there is may come to mean another one."""

import builtins
from collections.abc import Iterator

from cairn.edit.signature.callers import Caller, callers_of, unwritten
from cairn.edit.signature.given import UNSURE
from cairn.edit.signature.headnames import unbound_at
from cairn.edit.signature.heads import SignatureHead
from cairn.edit.signature.newparameter import NewParameter
from cairn.edit.signature.outcome import SignatureGround, SignatureOutcome
from cairn.edit.signature.parameters import NAMES, ONLY_POSITIONAL, PLAIN, REST
from cairn.edit.source.values import Construct
from cairn.graph.meaning import PROVEN

_BUILTINS = frozenset(dir(builtins))
FUTURE = b"from __future__ import annotations"
"""With it annotations are never evaluated."""


def added(ground: SignatureGround, new: NewParameter, position: int | None, *, only_named: bool) -> SignatureOutcome:
    """The functions with one parameter more; `position` counts the arguments of a call from 0."""
    found = SignatureOutcome()
    places: dict[int, SignatureHead] = {}
    shifts = not ground.python
    for head in ground.heads:
        own = head.signature
        wanted = None if position is None else position + head.implied
        at = own.place_for(wanted, only_named=only_named)
        found.reasons += _against(head, new, at, only_named=only_named)
        if not only_named:
            before = sum(each.kind in (PLAIN, ONLY_POSITIONAL) for each in own.parameters[:at]) - head.implied
            places.setdefault(before, head)
            shifts = shifts or before + head.implied < own.positions
        found.constructs += _unknown_names(ground, head, new)
        if ground.python and not head.item.path.endswith(".pyi"):
            evaluated = new.valued if FUTURE in head.source.data else new.names
            found.reasons += unbound_at(head.source, own.function, evaluated)
        text = new.written(python=own.python, declares=own.declares)
        found.change_head(head, [own.added(text, at, only_named=only_named)])
    if len(places) > 1:
        said = " but ".join(f"argument {at + 1} of {head.place}" for at, head in sorted(places.items()))
        way = "add it as keyword-only" if ground.python else "change those parameters first"
        found.reasons.append(f"it would be {said}: {way}")
    takes_names = any(head.signature.has(NAMES) for head in ground.heads)
    if found.reasons or not (shifts or takes_names):
        return found
    callers = callers_of(ground.resolver, ground.sources, ground.heads)
    found.paths += callers.paths
    found.constructs += callers.handed
    at = min(places, default=-1)
    for each in callers.calls:
        _check(found, each, new.name, at if shifts else -1, takes_names=takes_names)
    return found


def _check(found: SignatureOutcome, caller: Caller, name: str, at: int, *, takes_names: bool) -> None:
    """What a call that there is would give to the new parameter."""
    call = caller.call
    if takes_names and call.named(name) >= 0:
        found.reasons.append(f"{caller.place} gives {name} by name already: it would get that")
    elif takes_names and call.passes_names:
        found.constructs += unwritten([caller], "is given names that are not written there")
    elif at >= 0 and UNSURE in (call.positions, caller.own):
        found.constructs += unwritten([caller], "is given arguments of which it is not known how many they are")
    elif at >= 0 and call.positions - caller.own > at:
        if caller.use.tier == PROVEN:
            found.reasons.append(f"{caller.place} gives argument {at + 1} by position: the new parameter would get it")
        else:
            found.open_call(caller, "unresolved_use")


def _against(head: SignatureHead, new: NewParameter, at: int, *, only_named: bool) -> Iterator[str]:
    own = head.signature
    if new.name in own.names:
        yield f"{head.place} has a parameter {new.name} already"
        return
    text = head.source.text
    for use in head.source.uses(new.name, quoted=True):
        inside = own.function.start_byte <= text.offset(use.line, use.column) < own.function.end_byte
        if inside and not use.receiver and not use.keyword:
            yield f"{head.item.path}:{use.line} uses the name {new.name} already"
            return
    if own.declares and not own.python and not (new.type or new.implied):
        yield f"{head.place} only declares it, without defaults: say the type, as 'name: type = default'"
    if only_named:
        return
    if own.python and own.has(REST):
        yield f"{head.place} takes any number of arguments by position: add it as keyword-only"
    behind = [each for each in own.parameters[at:] if each.kind in (PLAIN, ONLY_POSITIONAL) and not each.has_default]
    if behind:
        yield f"{head.place} has {behind[0].name or 'a parameter'} behind it, which has no default"


def _unknown_names(ground: SignatureGround, head: SignatureHead, new: NewParameter) -> Iterator[Construct]:
    """Names in what is added that the file of a definition doesn't have."""
    scope = ground.resolver.world.scope(head.item.path)
    first = ground.resolver.world.scope(ground.heads[0].item.path)
    for name in new.names:
        known = (scope.members.get(container, {}) for container in ("", head.item.symbol.container))
        if any(name in each for each in known) or name in scope.bound or scope.stars:
            continue
        # A language may have more names of its own than anybody lists; what one file of several lacks is another thing.
        if name in _BUILTINS if ground.python else name not in first.bound and name not in first.members.get("", {}):
            continue
        why = f"doesn't define or import {name}, which the new parameter needs"
        yield Construct(
            head.item.path, head.item.symbol.name_line, "unknown_name", name, why, f"name {head.place} {name}"
        )
