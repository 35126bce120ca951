"""What variables, fields and attributes hold, by what flows into them."""

import re
from collections.abc import Callable, Sequence

from cairn.base.values import replace
from cairn.graph import lines
from cairn.graph.annotations import default_of
from cairn.graph.binding import ChainPlace, WordBinding, WordBindings, is_hoisted
from cairn.graph.customs import customs_of
from cairn.graph.flows import LITERAL as LITERAL_HEAD
from cairn.graph.flows import TYPED, parsed
from cairn.graph.meaning import PROVEN, Circles
from cairn.graph.members import Members, types_in
from cairn.graph.scopes import TYPES, FileScope
from cairn.graph.symbols import Definition, key_of
from cairn.graph.typed import Typed
from cairn.graph.values import LITERAL, OPEN, Given, Value, either, unsure
from cairn.graph.world import World
from cairn.store import FlowRow, NamePlace, SymbolRow
from cairn.syntax.blocks import KEYWORD, LOCAL, ROLE_MASK, ROLES

_MOST = 40
"""Flows: what is given a value by its own former value, time and again, would be evaluated as often as it is used."""
_AWAITS = re.compile(r"(?:=|\breturn)\s*await\b")
"""Chains don't have the word; where another stands in front of what is waited for, less is known."""
_BINDS = frozenset({ROLES.index("definition"), ROLES.index("write")})


class Variables:
    """The variables of one world; `at` tells what a chain is at a place."""

    def __init__(
        self,
        world: World,
        circles: Circles,
        members: Members,
        words: WordBindings,
        typed: Typed,
        at: Callable[[ChainPlace, str], Value],
    ) -> None:
        self._world = world
        self._circles = circles
        self._members = members
        self._words = words
        self._typed = typed
        self._at = at
        self.expected: Callable[[str, NamePlace], Value] = lambda _path, _row: OPEN
        """What a parameter is of a function that is written where a type says how it will be called."""

    def in_field(self, item: Definition, given: Given = ()) -> Value:
        """What a variable or a field holds; nothing is known where only calling it would tell."""
        symbol, scope = item.symbol, self._world.scope(item.path)
        around = types_in(Definition(item.path, each) for each in scope.named(symbol.container))
        if symbol.kind == "constant" and scope.is_variant(symbol):
            return Value(around[:1], exact=True, selves=around[:1])
        written = self._typed.of_field(item, given)
        if written is not None:
            return written
        if around:
            return self.attribute(around[0], symbol.name)
        return self.at_top(scope, symbol.name)

    def at_top(self, scope: FileScope, name: str) -> Value:
        """What flows into a variable of a file; locals of the same name, which some scope binds, are others."""
        rows = self._words.places(scope.path, name)
        places = {(row.line, row.column): row for row in rows if not row.what & LOCAL and not row.receiver}
        every = self._world.flows(scope.path).at(name, places)
        flows = [flow for _, flow in every if not self._is_of_type(scope, flow.within)]
        writes = {place for place, row in places.items() if row.what & ROLE_MASK in _BINDS and not row.what & KEYWORD}
        missed = writes - {(flow.line, flow.column) for flow in flows}
        return unsure(self.flown(scope.path, flows), bool(missed)) if flows else OPEN

    def _is_of_type(self, scope: FileScope, within: str) -> bool:
        return any(each.kind in TYPES for each in scope.named(within))

    def attribute(self, item: Definition, name: str) -> Value:
        """What is set on values of a type under a name that no definition of theirs has."""
        key = ("attribute", key_of(item), name)
        return self._circles.answer(key, lambda: self._set_on(item, name), OPEN, once=True)

    def _set_on(self, item: Definition, name: str) -> Value:
        found: list[Value] = []
        unknown = False
        for each, tier in self._members.line(item):
            if each is None:
                unknown = unknown or not found
                continue
            scope, own = self._world.scope(each.path), each.symbol.qualified_name
            flows = self._world.flows(each.path)
            selves = customs_of(scope.language).selves | {"@"}
            here = [flow for flow in flows.of(name) if flow.within == own and not flow.end_line]
            others = False
            for owner, flow in flows.of_member(name):
                if owner in selves:
                    if self._type_around(scope, flow.within) == own:
                        here.append(flow)
                elif not flow.end_line:
                    others = True
            if here:
                value = self.flown(each.path, here)
                found.append(unsure(value, others or tier != PROVEN))
        return unsure(either(found), unknown) if found else OPEN

    def _type_around(self, scope: FileScope, within: str) -> str:
        return next((each.qualified_name for each in scope.around(within) if each.kind in TYPES), "")

    def local(self, scope: FileScope, word: str, tied: WordBinding) -> Value:
        """What a local holds, by the scope that binds it."""
        key = ("local", scope.path, word, tied.bound, tied.flow)
        return self._circles.answer(key, lambda: self._in_local(scope, word, tied), OPEN, once=True)

    def _in_local(self, scope: FileScope, word: str, tied: WordBinding) -> Value:
        if not tied.bound:
            return OPEN
        own = self._words.bound(scope.path, word.lstrip("$"), tied.bound)
        every = self._world.flows(scope.path).at(word, {(row.line, row.column) for row in own})
        flows = [flow for _, flow in every]
        if not flows:
            return self.handed_in(scope.path, word, tied)
        declared = [flow for flow in flows if flow.value.startswith(TYPED) and not self._catches(scope.path, flow)]
        if declared and (declared[0] == flows[0] or not is_hoisted(scope.language)):
            return self.flown(scope.path, declared)
        if not is_hoisted(scope.language):
            # A variable has the type of what it was declared with; a later declaration hides those before it.
            for flow in reversed([flow for number, flow in every if number <= tied.flow] or flows[:1]):
                value = self.flown(scope.path, [flow])
                if value.known and not value.literal:
                    return replace(value, exact=value.exact and len(flows) == 1)
            return LITERAL if flows and all(flow.value == LITERAL_HEAD for flow in flows) else OPEN
        flowing = {(flow.line, flow.column) for flow in flows}
        missed = {(row.line, row.column) for row in own if row.what & ROLE_MASK in _BINDS} - flowing
        return unsure(self.flown(scope.path, flows), bool(missed)) if flows else OPEN

    def _catches(self, path: str, flow: FlowRow) -> bool:
        return lines.catches(self._world.lines(path)[flow.line - 1])

    def handed_in(self, path: str, word: str, tied: WordBinding) -> Value:
        """What the parameter of a function is that nothing but the place of the function tells."""
        own = self._words.bound(path, word, tied.bound) if tied.bound else []
        heads = [row for row in own if row.what & ROLE_MASK in _BINDS]
        return self.expected(path, heads[0]) if len(heads) == 1 else OPEN

    def by_default(self, scope: FileScope, function: SymbolRow, name: str) -> Value:
        """What a parameter without a type is where nobody gives it: one of the things that it may be."""
        written = default_of(function.signature, name) if is_hoisted(scope.language) else ""
        if not written or parsed(written) is None:
            return OPEN
        value = self._at(ChainPlace(scope.path, function.container, function.start_line, 0, True), written)
        return unsure(value) if value.answers and not value.literal else OPEN

    def flown(self, path: str, flows: Sequence[FlowRow], selves: tuple[Definition, ...] = ()) -> Value:
        """One of what some flows give, each at its own place; anything where they are too many to look at."""
        if len(flows) > _MOST:
            return OPEN
        return either([self._awaited(path, flow, selves) for flow in flows])

    def _awaited(self, path: str, flow: FlowRow, selves: tuple[Definition, ...]) -> Value:
        place = ChainPlace(path, flow.within, flow.line, flow.column, True, selves)
        if (said := self._said(place, flow)) is not None:
            return said
        value = self._at(place, flow.value)
        if value.wrapped and _AWAITS.search(self._world.lines(path)[flow.line - 1]):
            return replace(value, wrapped=False)
        return value

    def _said(self, place: ChainPlace, flow: FlowRow) -> Value | None:
        """What a line of Python says of a value beyond its chain; None where it says no more."""
        if not flow.value.endswith((lines.CAST, lines.UNKNOWN)) or self._world.scope(place.path).language != "python":
            return None
        line = self._world.lines(place.path)[flow.line - 1]
        if flow.value != lines.UNKNOWN:
            by, written = lines.cast_to(line)
            known = self._at(place, by).library in ("typing.cast", "typing_extensions.cast") if by else False
            return self._typed.value(place.path, written, place.within) if known else None
        chain, number = lines.unpacked(line, flow.column)
        value = self._at(place, chain) if chain else OPEN
        parts = [(each, lines.part_of(each.text, number)) for each in value.written]
        if parts and not value.types and all(part for _, part in parts):
            return either([self._typed.value(each.path, part, each.within) for each, part in parts])
        return self._at(place, f"{chain}[]") if value.library else None
