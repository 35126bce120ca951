"""What a variable of a construct can be: the texts that are written out for it, the values that calls give it."""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from cairn.edit.gate.asvalue import handed_on
from cairn.edit.gate.case import Case
from cairn.edit.gate.reach import MemberReach
from cairn.edit.source.file import SourceFile
from cairn.edit.source.incoming import is_bound_again, is_nested
from cairn.edit.source.written import TEXT_FORM, CallNode, loop_names, looped_keywords, parameter_place
from cairn.graph.makers import types_made
from cairn.graph.meaning import NAME
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition, Key, key_of

_NAMES = ("identifier", "shorthand_property_identifier")
_MOST_STEPS = 4
"""Calls that a value is followed through."""
_LOOKED_UP = r"\*\*{0}\b|\bin\s+{0}\s*:|\b{0}\.(?:items|keys|values|get|pop)\(|\b{0}\[[^\]]*\](?!\s*=[^=])"
"""What adds no name to a table."""


def is_other(case: Case, source: SourceFile, within: str, said: Any) -> bool:
    """Whether the names that a variable of a construct can be are all written, and none is the thing's."""
    names = _names(case, source, within, said)
    return bool(names) and case.thing.name not in names


def _names(case: Case, source: SourceFile, within: str, said: Any) -> list[str]:
    """The texts that a variable gets by a loop, or by all calls of its function; nothing where it may get another."""
    if said is None or said.type != "identifier":
        return []
    word = said.said
    if is_bound_again(said):
        return []
    if names := loop_names(said):
        return names
    resolver = case.resolver
    found = _function(resolver, source.path, within)
    if found is None:
        return []
    symbol = found.symbol
    if any(fnmatchcase(symbol.name, pattern) for pattern in case.table.fills_parameters):
        # A runner gives it what is written before it.
        lines = resolver.world.lines(source.path)[symbol.start_line - 1 : symbol.name_line - 1]
        names = [each[2] for each in TEXT_FORM.finditer("\n".join(lines))]
        return names if any(word in re.split(r"\W+", each) for each in names) else []
    if keywords := looped_keywords(said):
        body = "\n".join(resolver.world.lines(source.path)[symbol.name_line : symbol.end_line])
        more = re.sub(_LOOKED_UP.format(keywords), "", body)
        named = re.search(rf"\*\*\s*{keywords}\b", symbol.signature) and not re.search(rf"\b{keywords}\b", more)
        return _keywords(case, found) if named else []
    place = parameter_place(said, word)
    names = []
    for call in find_uses(resolver, [found]).items if place is not None else ():
        if call.role == "import":
            continue
        given = CallNode(case.sources.of(call.path), call).given(place, word) if place is not None else None
        if given is None or given.type != "string":
            return []
        names.append(TEXT_FORM.sub(r"\2", given.said))
    return names


def _keywords(case: Case, found: Definition) -> list[str]:
    """The names of the arguments that all calls of a function write out; nothing where one may have others."""
    names, resolver = list[str](), case.resolver
    types = [made.type for made in types_made(resolver.world, [found]).values()]
    called = [found, *MemberReach(resolver, types).below.values()] if types else [found]
    if any(True for _ in handed_on(resolver, case.sources, called)):
        return []
    for use in find_uses(resolver, [found]).items:
        call = CallNode(case.sources.of(use.path), use)
        if use.role == "import":
            continue
        if use.role != "call" or call.node is None:
            return []
        given = [name for name, _ in call.keywords()]
        if "**" in given:
            return []
        names += given
    return names


def _is_called_outside(resolver: Resolver, function: Definition) -> bool:
    """Whether a method has its name from a base that is not in the tree, which calls it."""
    owners = resolver.members.owners(function) if resolver.is_member(function) else ()
    near = MemberReach(resolver, owners).near.values() if owners else ()
    return any(base is None for each in near for base, _ in resolver.members.bases(each))


def _function(resolver: Resolver, path: str, within: str) -> Definition | None:
    around = resolver.world.scope(path).named(within)
    found = [Definition(path, each) for each in around if each.kind in FUNCTIONS]
    return found[0] if len(found) == 1 else None


class Given:
    """Follows values that nothing is known of to where they come from: whether one is what a case is of."""

    def __init__(
        self, case: Case, *, unknown: bool, calls: Callable[[SourceFile], bool] = lambda _source: True
    ) -> None:
        """`unknown`: whether values that nothing is known of count, and not only what is given in plain sight.

        `calls`: whether who gets a function as a value in a file may give it one.
        """
        self._case, self._resolver = case, case.resolver
        self._unknown = unknown
        self._calls = calls
        self._known: dict[tuple[Key, int, int], bool] = {}

    def may_be(self, source: SourceFile, within: str, node: Any, steps: int = _MOST_STEPS) -> bool:
        """Whether one of the values may be at a node.

        A parameter has what calls give it; all else that nothing is known of may be anything, whatever way it took:
        a field, a loop, a variable of the module, an exception. A function that is a value may be given anything, too.
        """
        word = node.said if node is not None and node.type in _NAMES else ""
        function = _function(self._resolver, source.path, within) if word and steps else None
        own = function is not None and not is_nested(node, function.symbol.start_line)
        place = parameter_place(node, word) if own else None
        if function is None or place is None:
            return self._unknown
        if self._unknown and _is_called_outside(self._resolver, function):
            return True
        key = (key_of(function), place, steps)
        if key not in self._known:
            self._known[key] = False  # A function that calls itself adds nothing.
            uses = (each for each in find_uses(self._resolver, [function]).items if each.role != "import")
            self._known[key] = any(self._is_given(each, place, word, steps) for each in uses)
        return self._known[key]

    def _is_given(self, call: Reference, place: int, word: str, steps: int) -> bool:
        source = self._case.sources.of(call.path)
        node = CallNode(source, call)
        given = node.given(place, word) if call.role == "call" else None
        if given is None:  # Whoever gets the function, or a list of arguments, may give it anything.
            sure = self._unknown or (call.tier != NAME and self._case.is_put_together)
            return sure and not node.is_spelled and self._calls(source)
        reaches = self._case.reaches_at(source, call.within, given)
        return self.may_be(source, call.within, given, steps - 1) if reaches is None else reaches
