"""From a chain at a place to the value that it is: locals by what flows into them, members, calls and elements."""

import re
from collections.abc import Iterator, Sequence

from cairn.base.values import replace
from cairn.graph import library
from cairn.graph.binding import ChainPlace, WordBinding, WordBindings, is_hoisted
from cairn.graph.customs import FIELDS, called_by_name, customs_of
from cairn.graph.derived import Derived
from cairn.graph.fixtures import Runners
from cairn.graph.flows import CALL, ELEMENT, ENTERS, MEMBER, TYPED, Chain, parsed
from cairn.graph.flows import LITERAL as LITERAL_HEAD
from cairn.graph.meaning import BEYOND as BEYOND_MEANING
from cairn.graph.meaning import OUTSIDE, PROVEN, UNKNOWN, Circles, Meaning, joined
from cairn.graph.members import Members, types_in
from cairn.graph.places import ANYWHERE, DEFINITION, FREE, PARAMETER, VARIABLE, HeadReader, Held, NameMeanings, Places
from cairn.graph.scopes import FUNCTIONS, PROMISES, TYPES, FileScope
from cairn.graph.standins import DECORATOR, StandIns
from cairn.graph.symbols import Definition, key_of
from cairn.graph.toplevel import TopLevel
from cairn.graph.typed import Typed
from cairn.graph.values import BEYOND, LITERAL, OPEN, Given, Value, as_sure_as, either, member_meaning, unsure
from cairn.graph.variables import Variables
from cairn.graph.world import World
from cairn.languages.registry import record_of

_CLASSES = frozenset({"cls", "Self", "static"})
"""Words for the type around a place, where others stand for a value of it."""
_CALLED = ("__call__", "__invoke", "invoke")
_MANAGER = re.compile(r"@\s*(?:\w+\.)*(?:async)?contextmanager\b")
_PROPERTY = re.compile(r"@\s*(?:[\w.]*\b(?:cached_)?property|(?:\w+\.)?hybrid_property)\b")
_ASYNC = re.compile(r"^(?:\w+\s+)*async\b")


class Evaluator:
    """The values of one world; what was found is kept."""

    def __init__(
        self,
        world: World,
        circles: Circles,
        members: Members,
        toplevel: TopLevel,
        heads: HeadReader,
        names: NameMeanings,
        places: Places,
        typed: Typed,
    ) -> None:
        self._world = world
        self._circles = circles
        self._members = members
        self._toplevel = toplevel
        self._heads = heads
        self._names = names
        self._places = places
        self._typed = typed
        self.derived = Derived(world, circles, members, toplevel.find)
        self.words = WordBindings(world)
        self.variables = Variables(world, circles, members, self.words, typed, self.at)
        typed.scripts.member = self.member
        self.stand_ins = StandIns(world, circles, members, self.at)
        self.runners = Runners(world, circles, self.variables.flown, lambda item: self._given_back(item, (), ()))

    def asked(self, place: ChainPlace, chain: str, name: str) -> Meaning | None:
        """What a member of a chain's value is; None where nothing is known of the value."""
        split = parsed(chain)
        if split is None and not chain.startswith(TYPED):
            return None
        word = self.words.at(place, split[0]) if split is not None else WordBinding("")
        place = self._seen_from(place, split[0], word) if split is not None else place
        key = ("asked", place.path, chain, name, place.within, word)
        nothing: tuple[Meaning | None] = (None,)

        def ask() -> tuple[Meaning | None]:
            value = self._kept(place, chain, split, word) if split is not None else self.at(place, chain)
            language = self._world.scope(place.path).language
            return (self.member_of(value, name, language) if value.answers else None,)

        return self._circles.answer(key, ask, nothing, once=True)[0]

    def at(self, place: ChainPlace, chain: str) -> Value:
        """The value of a chain."""
        if chain.startswith(TYPED):
            return self._typed.value(place.path, chain.removeprefix(TYPED), place.within)
        split = parsed(chain)
        if split is None:
            return OPEN
        word = self.words.at(place, split[0])
        return self._kept(self._seen_from(place, split[0], word), chain, split, word)

    def _kept(self, place: ChainPlace, chain: str, split: Chain, word: WordBinding) -> Value:
        key = ("value", place.path, chain, place.within, word, tuple(map(key_of, place.selves)))
        return self._circles.answer(key, lambda: self._value(place, split, word), OPEN, once=True)

    def held(self, place: ChainPlace, chain: str) -> Value:
        """What a variable or an attribute holds; nothing is known of what a caller gives."""
        split = parsed(chain)
        if split is None or (not split[1] and self.words.at(place, split[0]).kind == PARAMETER):
            return OPEN
        return self.at(place, chain)

    def _seen_from(self, place: ChainPlace, head: str, word: WordBinding) -> ChainPlace:
        """A place, or the top of its file where a word means the same there: it is asked once for all of them."""
        if not place.within or word.kind not in ("", FREE):
            return place
        silent = self._world.scope(place.path).is_silent(place.within, head)
        return place._replace(within="") if silent else place

    def _value(self, place: ChainPlace, split: Chain, word: WordBinding) -> Value:
        head, steps = split
        value, used = self._head(place, head, steps, word)
        for step in steps[used:]:
            if not value.known:
                return OPEN
            given = self._stepped(value, step)
            # What a library's collection holds is as sure as what is written of it, and so is what its class makes.
            sure = (step == ELEMENT and value.written) or (given.library and not given.open)
            value = given if sure else as_sure_as(given, value)
        return value

    def member_of(self, value: Value, name: str, language: str) -> Meaning:
        """What a member of a value is."""
        found: list[Meaning] = []
        for item in value.types:
            meant = self._members.of(item, name, inherited_only=value.inherited, of_class=False)
            if not meant.targets and not value.exact:
                # Whoever asks for what the type lacks has a value of one that is derived from it.
                meant = self.derived.member(item, name) or meant
            found.append(replace(meant, dispatched=not value.exact) if meant.targets else meant)
        for item in types_in(value.things.targets):
            meant = self._members.of(item, name, of_class=True)
            dispatched = not value.exact or item.symbol.kind in PROMISES
            found.append(replace(meant, dispatched=dispatched) if meant.targets else meant)
        if value.things.modules:
            found.append(self._toplevel.inside(value.things, name))
        if value.outside:
            found.append(BEYOND_MEANING if value.open else OUTSIDE)
        if value.literal and (name in customs_of(language).members or not found):
            found.append(OUTSIDE if record_of(language).heads.closed_values else BEYOND_MEANING)
        if value.wrapped and name in record_of(language).heads.awaited_own:
            found.append(BEYOND_MEANING)
        meant = joined(found)
        return member_meaning(value, meant) if meant else (BEYOND_MEANING if meant.outside and value.open else meant)

    def _head(self, place: ChainPlace, head: str, steps: Sequence[str], word: WordBinding) -> tuple[Value, int]:
        if head == LITERAL_HEAD:
            return LITERAL, 0
        scope = self._world.scope(place.path)
        customs = customs_of(scope.language)
        if head in customs.selves or head in customs.parents:
            own = self.own(scope, head, place)
            if own is not None:
                return own, 0
        if head.startswith("@"):
            owner = self._heads.owner(scope, head, place.within, ANYWHERE)
            return (self.variables.attribute(owner, head.lstrip("@")) if owner is not None else OPEN), 0
        if word.flow >= 0 and (narrowed := self._narrowing(place, head, word)) is not None:
            return narrowed, 0
        if word.kind == VARIABLE:
            return self.variables.local(scope, head, word), 0
        if word.kind == PARAMETER:
            return self._parameter(scope, head, word, place), 0
        names = [head]
        for step in steps:
            if not step.startswith(MEMBER) or step.endswith(CALL):
                break
            names.append(step[1:])
        held = Held(place.line if scope.repeats(place.within) else 0, word.kind, word.function)
        meant, used = self._names.base(scope, tuple(names), place.within, held)
        if not used and is_hoisted(scope.language):
            # It may be a variable that is no definition, or be set from elsewhere.
            own = self.variables.at_top(scope, head)
            return own if own.known or not meant.outside else BEYOND, 0
        way = library.way_of(scope, ".".join(names[: max(used, 1)])) if meant.outside and not meant else ""
        return (replace(self.of(meant), library=way) if way else self.of(meant)), max(used - 1, 0)

    def own(self, scope: FileScope, word: str, place: ChainPlace) -> Value | None:
        """The value that a word for it stands for in a member."""
        held = self._places.held(scope, word, place.within, place.line, place.column)
        owner = self._heads.owner(scope, word, place.within, held)
        if owner is None or held.kind == DEFINITION:
            return None  # nothing, or a class itself, of which only some members can be asked
        parent = word in customs_of(scope.language).parents
        own = (owner,) if parent else place.selves or (owner,)
        if scope.language == "php" and word == "self":
            return Value(things=Meaning((owner,), PROVEN), exact=True)
        if word in _CLASSES:
            return Value(things=Meaning(own, PROVEN), exact=bool(place.selves))
        return Value(own, exact=parent, inherited=parent, selves=own)

    def _stepped(self, value: Value, step: str) -> Value:
        if step == CALL:
            return self._called(value)
        if step == ELEMENT:
            return self.element(value)
        if not step.endswith(CALL):
            return self.member(value, step[1:])
        return self._entered(value, step[1:-2]) if step in ENTERS else self._taken(value, step[1:-2])

    def member(self, value: Value, name: str) -> Value:
        """What a member of a value holds, or is itself."""
        found = []
        for item in value.types:
            meant = self._members.of(item, name, inherited_only=value.inherited)
            arguments = self._typed.given_to(value, item, meant)
            given = self.of(meant, (item,), arguments) if meant.targets else self.variables.attribute(item, name)
            heads = record_of(self._world.scope(item.path).language).heads
            if given.known and value.wrapped and name in heads.awaited_own:
                given = unsure(given)
            elif not given.known and name in heads.passing:
                given = replace(value, types=(item,))
            elif not given.known:
                given = self._typed.of_member(item, name) or given
            found.append(given if given.known or not meant.outside else BEYOND)
            found += filter(lambda each: each.known, () if value.exact or given.written else self._of_heirs(item, name))
        for item in types_in(value.things.targets):
            found += filter(lambda each: each.known, () if value.exact else self._of_heirs(item, name))
            meant = self._members.of(item, name)
            if not meant.targets and name == "new" and self._world.scope(item.path).language == "ruby":
                found.append(Value(things=Meaning((item,), PROVEN), exact=value.exact))
            else:
                found.append(self.of(meant, (item,)) if meant.targets else self.variables.attribute(item, name))
        if value.things.modules:
            found.append(self.of(self._toplevel.inside(value.things, name)))
        if value.outside:
            methods = [each for written in value.written if (each := self._typed.method(written, name)) is not None]
            if value.library and not methods:
                methods = [replace(BEYOND, library=f"{value.library}.{name}")]
            found += methods or [value if value.open else Value(outside=True)]
        if not any(each.known for each in found) and value.written:
            inline = self._typed.scripts.inline(value, name)
            return inline if inline is not None else either(found) if found else OPEN
        return either(found) if found else OPEN

    def _of_heirs(self, item: Definition, name: str) -> Iterator[Value]:
        """What a member is in classes derived from a type that have it in their own way: a value may be of these."""
        for own, heirs in self.derived.others(item, name):
            yield self.of(own, heirs) if own.targets else self.variables.attribute(heirs[0], name)

    def _run(self, value: Value, *names: str) -> Iterator[Value]:
        """What values of some types give where a method of theirs is run without being named, for each type."""
        for item in value.types:
            own = next((meant for name in names if (meant := self._members.of(item, name)).targets), UNKNOWN)
            asked = () if value.exact or not own else names
            every = [(own, (item,)), *(each for name in asked for each in self.derived.others(item, name))]
            if given := [self._returned(each, of) for meant, of in every for each in meant.targets]:
                yield either(given)

    def _called(self, value: Value) -> Value:
        found = [given for written in value.written for given in self._typed.given_by(written)]
        said = bool(found)
        for item in value.things.targets:
            language = self._world.scope(item.path).language
            if item.symbol.kind in TYPES:
                # What looks like a call may be a conversion, and a class may be made with members of its own.
                sure = is_hoisted(language) or customs_of(language).other_members is None
                made = Value((item,), exact=sure and value.exact and item.symbol.kind not in PROMISES, selves=(item,))
                found.append(unsure(made, self.stand_ins.may_replace(item)))
            elif item.symbol.kind in FUNCTIONS:
                found.append(self._returned(item, value.selves, value.given))
        for item in value.types:
            if run := list(self._run(replace(value, types=(item,)), *_CALLED)):
                found += run
            elif not record_of(self._world.scope(item.path).language).heads.called_values:
                found.append(replace(value, types=(item,)))
        if (value.outside and not said) or value.things.modules:
            way = library.called(value.library) if value.library else ""
            found.append(Value(outside=True, library=way) if way else BEYOND)
        # What the type itself says of calls is as sure as that.
        made = either(found) if found else OPEN
        return made if said or (made.library and not made.open) else as_sure_as(made, value)

    def element(self, value: Value) -> Value:
        """One of what a value holds."""
        found = [self._typed.element(each) for each in value.written] or list(self._run(value, "__getitem__"))
        if way := library.element(value.library):
            found.append(Value(outside=True, library=way))
        return either(found) if found else OPEN

    def _taken(self, value: Value, name: str) -> Value:
        """What a method gives by whose name collections give one of what they hold."""
        if value.written and value.outside and not value.types:
            return unsure(self.element(value))
        return self._called(self.member(value, name))

    def _entered(self, value: Value, name: str) -> Value:
        found = [*value.enters, *self._run(value, name)]
        if value.outside:
            found.append(BEYOND)
        return either(found) if found else OPEN

    def of(self, meant: Meaning, selves: tuple[Definition, ...] = (), given: Given = ()) -> Value:
        """What a name is that means something: the thing itself, or what a variable or property holds."""
        if not meant:
            return Value(outside=True, open=meant.open) if meant.outside else OPEN
        held = [item for item in meant.targets if item.symbol.kind in FIELDS or self._is_asked_at_once(item)]
        found = [self._held(item, selves, given) for item in held]
        named = tuple(item for item in meant.targets if item not in held)
        made = {item: value for item in named if (value := self._decorated(item)) is not None}
        found += made.values()
        named = tuple(item for item in named if item not in made)
        if named or meant.modules:
            found.append(Value(things=replace(meant, targets=named), exact=True, selves=selves, given=given))
        value = either(found)
        return unsure(value) if meant.tier not in ("", PROVEN) or meant.open or meant.outside else value

    def _is_asked_at_once(self, item: Definition) -> bool:
        """Whether naming a function calls it: a property, and every method where parentheses may be left out."""
        symbol = item.symbol
        if symbol.kind in FUNCTIONS and called_by_name(self._world.scope(item.path).language):
            return True
        return symbol.kind == "method" and self.stand_ins.is_decorated(item, _PROPERTY)

    def _decorated(self, item: Definition) -> Value | None:
        """What the outermost decorator makes of a function, where that is a value of a type; else None."""
        symbol = item.symbol
        if symbol.kind != "function" or symbol.start_line == symbol.name_line:
            return None
        said = DECORATOR.match(self._world.lines(item.path)[symbol.start_line - 1])
        if said is None:
            return None
        chain = said[1] + (CALL if said[2] else "")
        place = ChainPlace(item.path, symbol.container, symbol.start_line, 0, True)
        made = self._circles.answer(
            ("made", key_of(item)), lambda: self._called(self.at(place, chain)), OPEN, once=True
        )
        return made if made.types else None

    def _held(self, item: Definition, selves: tuple[Definition, ...], given: Given) -> Value:
        """What a variable, a field or a property holds."""
        if item.symbol.kind in FUNCTIONS:
            return self._returned(item, selves, given)
        if item.symbol.kind == "property" and "(" in item.symbol.signature.partition("=")[0]:
            return self._returned(item, selves, given)
        key = ("held", key_of(item), given)
        return self._circles.answer(key, lambda: self.variables.in_field(item, given), OPEN, once=True)

    def _narrowing(self, place: ChainPlace, word: str, tied: WordBinding) -> Value | None:
        flow = self._world.flows(place.path).of(word)[tied.flow]
        if not flow.end_line and not is_hoisted(self._world.scope(place.path).language):
            return None
        return self.at(ChainPlace(place.path, place.within, flow.line, flow.column, True), flow.value)

    def _parameter(self, scope: FileScope, word: str, tied: WordBinding, place: ChainPlace) -> Value:
        functions = [each for each in scope.named(tied.function) if each.kind in FUNCTIONS]
        holding = [each for each in functions if each.start_line <= place.line <= each.end_line] or functions
        name = word.removeprefix("$")
        holding = [each for each in holding if name in self._heads.parameters(scope, each)]
        if not holding:
            # What a clause or a pattern inside binds is no parameter of the head.
            return self.variables.local(scope, word, tied)
        given = self.variables.by_default
        found = [self._typed.of_parameter(scope, each, name) or given(scope, each, name) for each in holding]
        value = either(found)
        if not value.known and scope.language == "python" and len(holding) == 1:
            value = self.runners.given(scope.path, holding[0], name)
        if not value.known:
            value = self.variables.handed_in(scope.path, word, tied)
        if tied.again and customs_of(scope.language).retyped:
            value = unsure(either([value, self.variables.local(scope, word, tied)]))
        return value

    def _returned(self, item: Definition, selves: tuple[Definition, ...], given: Given = ()) -> Value:
        """What calling a function gives."""

        def ask() -> Value:
            value = unsure(self._given_back(item, selves, given), self.stand_ins.may_replace(item))
            return replace(value, wrapped=True) if _ASYNC.search(item.symbol.signature) else value

        key = ("returned", key_of(item), tuple(map(key_of, selves)), given)
        return self._circles.answer(key, ask, OPEN, once=True)

    def _given_back(self, item: Definition, selves: tuple[Definition, ...], given: Given) -> Value:
        symbol, scope = item.symbol, self._world.scope(item.path)
        flows = self._world.flows(item.path)
        span = (symbol.qualified_name, symbol.start_line, symbol.end_line)
        managed = self.stand_ins.is_decorated(item, _MANAGER)
        written = self._typed.of_return(item, selves, given, element=managed)
        if written is not None:
            return Value(enters=(written,)) if managed else written
        yields = flows.leaving(*span, "yield")
        if yields:
            entered = self.variables.flown(item.path, yields)
            return Value(enters=(entered,)) if managed else OPEN
        if record_of(scope.language).heads.returns_said:
            return LITERAL
        words = customs_of(scope.language).selves
        returns = flows.leaving(*span)
        own = [flow for flow in returns if (split := parsed(flow.value)) is not None and split[0] in words]
        found = [self.variables.flown(item.path, own, selves)] if own else []
        rest = [flow for flow in returns if flow not in own]
        if rest:
            value = self.variables.flown(item.path, rest)
            # What a variable keeps of the member's own value may be of the type that was asked.
            holders = {key_of(Definition(item.path, each)) for each in scope.named(symbol.container)}
            kept = not value.exact and any(key_of(each) in holders for each in value.types)
            found.append(unsure(value, kept and not holders.issuperset(map(key_of, selves))))
        return either(found) if found else LITERAL
