"""A parameter less: only one that no body uses, and with it the argument that every call gives it."""

from collections.abc import Iterable, Iterator

from cairn.edit.signature.callers import Caller, callers_of, unwritten
from cairn.edit.signature.decorated import wrapped
from cairn.edit.signature.given import UNSURE
from cairn.edit.signature.heads import SignatureHead, stand_ins
from cairn.edit.signature.outcome import SignatureGround, SignatureOutcome
from cairn.edit.signature.parameters import NAMES, ONLY_POSITIONAL, RECEIVER, REST
from cairn.edit.source.texts import FileText
from cairn.edit.source.values import Construct, Mention, Spot
from cairn.edit.source.words import COMMENT, STRING, words_in
from cairn.graph.locals import find_local
from cairn.graph.targets import Place

_SHOWN = 5
_WATCHED = {True: ("locals", "vars", "eval", "exec"), False: ("arguments", "eval")}
"""What reads a function's parameters without naming them, in Python and in JavaScript."""


def removed(ground: SignatureGround, name: str) -> SignatureOutcome:
    """The functions without a parameter, and the calls without its argument."""
    found = SignatureOutcome()
    asked = ground.heads[0]
    index = asked.signature.index(name)
    if index < 0:
        there = ", ".join(asked.signature.names[asked.implied :]) or "none"
        found.reasons.append(f"{name} is no parameter of {ground.name}; there is {there}")
        return found
    position = asked.callers_position(index)
    having = []
    for head in ground.heads:
        at = head.signature.index(name)
        if at >= 0:
            found.reasons += _against(head, at, position)
            having.append((head, at))
        else:
            found.reasons += _called_otherwise(head, name, position)
    if found.reasons:
        return found
    callers = callers_of(ground.resolver, ground.sources, ground.heads)
    found.paths += callers.paths
    found.constructs += callers.handed
    others = (*callers.keyed, *stand_ins(ground.resolver, ground.sources, ground.heads))
    found.constructs += _standing_in(others, name, position)
    # By position alone where a call can't name it.
    by_name = "" if any(head.signature.parameters[at].kind == ONLY_POSITIONAL for head, at in having) else name
    for caller in callers.calls:
        _take_out(found, caller, position, by_name if ground.python else "")
    gone = list(found.spots)
    for head, at in having:
        found.reasons += _uses(ground, head, at, gone)
        found.constructs += _watchers(head)
        found.constructs += wrapped(ground, head)
        found.change_head(head, [head.signature.removed(at)])
        found.mentions += _mentions(head, name)
    return found


def _standing_in(others: Iterable[SignatureHead], name: str, position: int) -> Iterator[Construct]:
    """Functions that calls may reach instead, and that would still take the argument."""
    for head in others:
        places = map(head.callers_position, range(len(head.signature.parameters)))
        if head.signature.index(name) >= 0 or (position >= 0 and position in places):
            shown = head.source.text.shown(head.item.symbol.name_line)
            why = "may be called in its place, and would still take the argument"
            settles = f"stands in {head.item.path} {shown}"
            yield Construct(head.item.path, head.item.symbol.name_line, "stand_in", shown, why, settles)


def _take_out(found: SignatureOutcome, caller: Caller, position: int, name: str) -> None:
    call = caller.call
    # Where nothing tells whether a class or a value of it is asked, it is hardly the class: that is asked about.
    own = max(caller.own, 0)
    number = call.given_to(position + own if position >= 0 else position, name)
    if number == UNSURE:
        found.constructs += unwritten([caller], "is given arguments that are not written there")
    elif number >= 0:
        guessed = "unresolved_use" if caller.own == UNSURE and call.named(name) != number else ""
        why = "argument_with_effects" if call.has_effects(number) else guessed
        found.change_call(caller, call.written.removed(number, number), why)


def _against(head: SignatureHead, at: int, position: int) -> Iterator[str]:
    parameter = head.signature.parameters[at]
    if parameter.kind == RECEIVER or (head.implied and head.signature.position(at) == 0):
        yield f"{parameter.name} of {head.place} is given by what the function is asked of: it can't be removed"
    elif parameter.kind in (REST, NAMES):
        yield f"{parameter.name} of {head.place} takes all further arguments: remove it by hand"
    elif parameter.makes_field:
        yield f"{parameter.name} of {head.place} declares a field of its class too: remove it by hand"
    elif head.callers_position(at) != position:
        yield f"{head.place} has {parameter.name} at another place of its parameters"


def _called_otherwise(head: SignatureHead, name: str, position: int) -> Iterator[str]:
    """Another parameter in its place: an override may call it otherwise."""
    for at, each in enumerate(head.signature.parameters):
        if position >= 0 and head.callers_position(at) == position:
            yield f"{head.place} has {each.name or 'another parameter'} in the place of {name}: rename it first"


def _uses(ground: SignatureGround, head: SignatureHead, at: int, gone: list[Spot]) -> Iterator[str]:
    """Where the body of a function uses a parameter, but for what goes with it: `super().take(key, gone)`."""
    own, text = head.signature, head.source.text
    node = own.parameters[at].node
    name = own.parameters[at].name
    start = head.source.data.find(name.encode(), node.start_byte)
    line, column = text.place(start)
    local = find_local(ground.resolver, Place(head.item.path, line, column + 1), lambda _path: True)
    named = {(use.line, use.column) for use in head.source.uses(name, quoted=True) if use.keyword}
    if local is not None:
        places = [(each.line, each.column) for each in local.items if each.path == head.item.path]
    else:
        uses = head.source.uses(name, quoted=True)
        places = [(each.line, each.column) for each in uses if not each.receiver]
    used = []
    for place in places:
        offset = text.offset(*place)
        inside = own.function.start_byte <= offset < own.function.end_byte
        if not inside or place in named or node.start_byte <= offset < node.end_byte:
            continue
        if not any(_covers(spot, head.item.path, text, offset) for spot in gone):
            used.append(f"{head.item.path}:{place[0]}")
    if used:
        more = f" and {len(used) - _SHOWN} more" if len(used) > _SHOWN else ""
        yield f"{name} is used: {', '.join(used[:_SHOWN])}{more}"


def _covers(spot: Spot, path: str, text: FileText, offset: int) -> bool:
    start = text.offset(spot.line, spot.column) if spot.path == path else -1
    return 0 <= start <= offset < start + len(spot.text.encode())


def _watchers(head: SignatureHead) -> Iterator[Construct]:
    """Code of the function that reads its parameters without naming them."""
    own, text = head.signature, head.source.text
    for word in _WATCHED[own.python]:
        for use in head.source.uses(word, quoted=False):
            inside = own.function.start_byte <= text.offset(use.line, use.column) < own.function.end_byte
            if inside and not use.receiver and not use.keyword:
                shown = text.shown(use.line)
                why = f"may read the parameters of {head.item.symbol.name}"
                yield Construct(
                    head.item.path, use.line, "name_as_data", shown, why, f"{head.item.path} {word} {shown}"
                )


def _mentions(head: SignatureHead, name: str) -> Iterator[Mention]:
    """The parameter in the comments and texts of its function, which stay as they are."""
    own, text = head.signature, head.source.text
    for word in words_in(head.source, name):
        inside = own.function.start_byte <= text.offset(word.line, word.column) < own.function.end_byte
        if inside and word.kind in (COMMENT, STRING):
            yield Mention(head.item.path, word.line, word.column, "medium", word.kind, text.shown(word.line))
