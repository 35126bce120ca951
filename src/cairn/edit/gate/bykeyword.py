"""A parameter and all that a keyword of its name can reach: every keyword of the name in the tree is accounted for.

A keyword names the parameter if its call is proven to run one of the functions that have it. It is something else if
what is called is known, without an open end, and is none of these. The rest is open where the function can get there
without being named: it is handed on as a value, or what is called bears its name.
"""

import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.gate.asvalue import CLASS_OF, is_value
from cairn.edit.gate.table import table_of
from cairn.graph.arguments import named_arguments
from cairn.graph.binding import ChainPlace
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, NAME, PROVEN, Meaning
from cairn.graph.occurrences import tree_in
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.standins import METACLASS, decorators_of
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.values import OPEN, Value
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.uses import Use

MAKING = ("__new__", "__init__")
_SUBCLASS = "__init_subclass__"
_OWN_WAY = frozenset({*MAKING, _SUBCLASS, "__prepare__"})
"""Every class may define these in its own way: only a keyword that reaches two of them makes them one."""
_BY_NAME = re.compile(r"\b(?:getattr|attrgetter|globals|locals|vars|__dict__)\b")
_WRAPPED = re.compile(r"\.(?:__wrapped__|__func__)\b")
_CHAIN = re.compile(r"[A-Za-z_]\w*(?:\(\))?(?:\.[A-Za-z_]\w*(?:\(\))?)*")
_GIVEN = re.compile(r"\([^()]*\)")
At = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Called:
    """What a call with a keyword may run."""

    functions: tuple[Definition, ...]
    closed: bool
    """Whether it is none but these."""
    beyond: bool = False
    """Whether it is nothing of the tree."""
    unnamed: bool = False
    """Whether it is found by its name, as a text: any function may be."""


def functions_around(resolver: Resolver, item: Definition) -> list[Definition]:
    """The functions that may declare a parameter."""
    return [
        Definition(item.path, each)
        for each in resolver.world.scope(item.path).named(item.symbol.container)
        if each.kind in FUNCTIONS and each.start_line <= item.symbol.name_line <= each.end_line
    ]


class ByKeyword:
    """One parameter, the functions that share it, and the keywords of its name."""

    def __init__(
        self, resolver: Resolver, item: Definition, at: At, family: Callable[[Sequence[Definition]], list[Definition]]
    ) -> None:
        """`at` is a place that means the parameter; `family` tells what overrides some functions."""
        self._resolver = resolver
        self._name = item.symbol.name
        self._table = table_of(resolver.world.languages.get(item.path, ""))
        self._trees: dict[str, Any] = {}
        self._found: dict[str, FileOccurrences | None] = {}
        self._declared: dict[Key, At | None] = {}
        self._keywords = list(self._read())
        self.own = next((place for place in self._parameters(item.path) if at in dict(self.bound(place))), at)
        """Where the parameter is declared."""
        own = [each for each in functions_around(resolver, item) if self._declares(each) == self.own]
        self._nameless = not own
        self.functions = self._reached(self._together(own, family)) if own else []

    @property
    def places(self) -> list[tuple[At, Definition]]:
        """Where each of the functions declares the parameter."""
        return [(at, item) for item in self.functions if (at := self._declares(item)) is not None]

    def bound(self, at: At) -> Iterator[tuple[At, str]]:
        """The places that mean the parameter that is declared at one, each with its role."""
        found = self._in_file(at[0])
        places = found.occurrences if found is not None else ()
        own = next((one for one in places if (one.line, one.column) == at[1:]), None)
        scope = _scope(found, own) if found is not None and own is not None else None
        for one in places if scope is not None else ():
            if found is not None and not one.keyword and _scope(found, one) == scope:
                yield (at[0], one.line, one.column), one.role

    def given(self) -> Iterator[tuple[At, str]]:
        """The keywords that name the parameter, or may, each with how sure that is."""
        own = set(map(key_of, self.functions))
        alike = dict(self._alike())
        for path, use, called in self._keywords:
            at = (path, use.line, use.column)
            hits = [key_of(each) in own for each in called.functions if self._declares(each) is not None]
            if any(hits):
                yield at, PROVEN if called.closed and all(hits) else LIKELY
            elif any(key_of(each) in own for item in called.functions for each in self._passed_on(item)):
                yield at, LIKELY
            elif not called.closed and at in alike:
                yield at, alike[at]
            elif called.unnamed or (self._is_handed_on and self._may_be(path, use, called)):
                yield at, NAME

    def _passed_on(self, item: Definition) -> Iterator[Definition]:
        """What may get, behind a function, the keywords that it has no parameter for: `super().run(**rest)`."""
        if "**" in item.symbol.signature:
            yield from self._resolver.evaluator.derived.behind(item)

    def _may_be(self, path: str, use: Use, called: Called) -> bool:
        """Whether a call may get the function as a value, and run it with its keywords."""
        if called.beyond:
            # What a library is given with a keyword, it may call with that: `partial(function, name=1)`.
            call = self._call(path, use)
            span = (call.start_byte, call.end_byte) if call is not None else (0, 0)
            return any(span[0] <= self._offset(each) < span[1] for each in self._handed if each[0] == path)
        return not called.closed or any("**" in item.symbol.signature for item in called.functions)

    @cached_property
    def _makers(self) -> list[Definition]:
        """The types whose values the functions make."""
        resolver = self._resolver
        return [made.type for made in types_made(resolver.world, self.functions, resolver.evaluator.derived).values()]

    @cached_property
    def _is_handed_on(self) -> bool:
        return self._nameless or bool(self._handed) or any(map(self._is_decorated, (*self.functions, *self._makers)))

    @cached_property
    def _handed(self) -> list[At]:
        """Where the functions, or the types that they make, are values."""
        called = [*self.functions, *self._makers]
        reads = (use for use in (find_uses(self._resolver, called).items if called else ()) if use.role == "read")
        places = ((use.path, use.line, use.column) for use in reads)
        return [at for at in places if (node := self._node(at)) is not None and is_value(node)]

    def _is_decorated(self, item: Definition) -> bool:
        said = decorators_of(self._resolver.world, item)
        return any(each[1].rpartition(".")[2] not in self._table.plain_decorators for _, each in said)

    def _together(
        self, own: Sequence[Definition], family: Callable[[Sequence[Definition]], list[Definition]]
    ) -> list[Definition]:
        """Functions that are called as one: overrides, overloads, and what is registered with a function."""
        kin = list(own) if own[0].symbol.name in _OWN_WAY else family(own)
        found = {key_of(each): each for each in kin}
        for item in kin:
            scope = self._resolver.world.scope(item.path)
            registered = f"{item.symbol.name}.register"
            for symbol in scope.symbols:
                other = Definition(item.path, symbol)
                again = symbol.qualified_name == item.symbol.qualified_name
                said = (each[1] for _, each in decorators_of(self._resolver.world, other))
                if symbol.kind in FUNCTIONS and (again or registered in said):
                    found.setdefault(key_of(other), other)
        return list(found.values())

    def _reached(self, functions: Sequence[Definition]) -> list[Definition]:
        """With the functions that a keyword reaches as well as one of these: `__new__` beside `__init__`."""
        found = {key_of(each): each for each in functions if self._declares(each) is not None}
        more = True
        while more:
            more = False
            for _, _, called in self._keywords:
                if any(key_of(each) in found for each in called.functions):
                    for each in called.functions:
                        if key_of(each) not in found and self._declares(each) is not None:
                            found[key_of(each)], more = each, True
        return list(found.values())

    def _alike(self) -> Iterator[tuple[At, str]]:
        called = [*self.functions, *self._makers]
        for each in (
            named_arguments(self._resolver, called, self._name, lambda _path: True, by_name=True) if called else ()
        ):
            yield (each.path, each.use.line, each.use.column), each.tier

    def _read(self) -> Iterator[tuple[str, Use, Called]]:
        world = self._resolver.world
        for path in sorted(world.used(self._name)):
            if world.languages.get(path) == "python":
                for use in world.uses(path, self._name):
                    if use.keyword:
                        yield path, use, self._called(path, use)

    def _called(self, path: str, use: Use) -> Called:
        call = self._call(path, use)
        if call is None:
            return Called((), closed=True)  # A pattern's.
        if call.type == "class_definition":
            return self._called_by_head(path, use, call)
        function = call.child_by_field_name("function")
        said = function.said
        value = self._at(path, use, function)
        if not value.things and hasattr(builtins, said) and not self._is_bound(path, said):
            # The keys of a table may become keywords again.
            return Called((), closed=said != "dict", beyond=said != "dict")
        closed = not value.open and not value.things.open and not value.literal
        makes = list[Definition]()
        for item in value.things.targets:
            if item.symbol.kind in TYPES:
                makes += self._made(item, below=said.rpartition(".")[2] != item.symbol.name)
            elif item.symbol.kind in FUNCTIONS:
                makes.append(item)
            else:
                closed = False  # A variable may hold anything.
        for item in value.types:
            run = self._member(item, "__call__")
            makes += run
            closed = closed and bool(run)  # What can't be called is not all that it may be: `Type[It]`.
        closed = closed and not any(map(self._is_promised, makes))
        return Called(tuple(makes), closed, value.outside and not makes and closed, bool(_BY_NAME.search(said)))

    def _is_promised(self, item: Definition) -> bool:
        """Whether anything that has such a method may stand for its type."""
        return any("Protocol" in owner.symbol.signature for owner in self._resolver.members.owners(item))

    def _called_by_head(self, path: str, use: Use, head: Any) -> Called:
        """What the keywords in the head of a class are given to: a base's method for that, and what makes the class."""
        given = head.child_by_field_name("superclasses").named_children
        values = [self._at(path, use, each) for each in given if each.type != "keyword_argument"]
        bases = [each for value in values for each in value.things.targets if each.symbol.kind in TYPES]
        named = [each.child_by_field_name("value") for each in given if each.text.startswith(b"metaclass")]
        makers = [item for each in named for item in self._at(path, use, each).things.targets]
        for each in {
            key_of(each): each for base in bases for each, _ in self._resolver.members.line(base) if each
        }.values():
            if said := METACLASS.search(each.symbol.signature):
                receiver, _, last = said[1].rpartition(".")
                makers += self._resolver.meaning(each.path, last, receiver, each.symbol.container).targets
        made = [item for base in bases for item in self._member(base, _SUBCLASS)]
        made += [item for each in makers for word in (*MAKING, "__prepare__") for item in self._member(each, word)]
        closed = len(bases) == len(values) and (bool(makers) or not named) and bool(made)
        return Called(tuple(made), closed, unnamed=any(item.symbol.name in _OWN_WAY for item in made) and not closed)

    def _made(self, item: Definition, *, below: bool) -> Iterator[Definition]:
        """What makes values of a type, and of those that may stand for it."""
        heirs = self._resolver.evaluator.derived.of(item) if below else ()
        for each in (item, *heirs):
            for word in MAKING:
                yield from self._member(each, word)

    def _member(self, item: Definition, word: str) -> Iterable[Definition]:
        return self._resolver.member(item, word).targets

    def _at(self, path: str, use: Use, node: Any) -> Value:
        """What is called."""
        while node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[0]
        said = _WRAPPED.sub("", node.said)
        place = ChainPlace(path, use.within, node.start_point[0] + 1, node.start_point[1])
        if of := CLASS_OF.fullmatch(said):
            value = self._resolver.evaluator.at(place, of[1] or of[2])
            return Value(things=Meaning(value.types, value.tier), open=value.open or not value.types)
        chain = _GIVEN.sub("()", said)
        return self._resolver.evaluator.at(place, chain) if _CHAIN.fullmatch(chain) else OPEN

    def _is_bound(self, path: str, word: str) -> bool:
        return any(use.local or use.role in ("definition", "import") for use in self._resolver.world.uses(path, word))

    def _call(self, path: str, use: Use) -> Any:
        """The call, or the head of a class, that a keyword stands in."""
        node = self._node((path, use.line, use.column))
        holder = node.parent if node is not None else None
        given = holder.parent if holder is not None and holder.type == "keyword_argument" else None
        call = given.parent if given is not None and given.type == "argument_list" else None
        return call if call is not None and call.type in ("call", "class_definition") else None

    def _declares(self, item: Definition) -> At | None:
        """Where a function declares a parameter of the name; None if it has none."""
        key = key_of(item)
        if key not in self._declared:
            places = (at for at in self._parameters(item.path) if self._is_of(at, item))
            self._declared[key] = next(places, None)
        return self._declared[key]

    def _parameters(self, path: str) -> Iterator[At]:
        found = self._in_file(path)
        for one in found.occurrences if found is not None else ():
            if one.parameter:
                yield path, one.line, one.column

    def _is_of(self, at: At, item: Definition) -> bool:
        node = self._node(at)
        while node is not None and node.type not in ("parameters", "lambda_parameters"):
            node = node.parent
        function = node.parent if node is not None and node.type == "parameters" else None
        name = function.child_by_field_name("name") if function is not None else None
        return name is not None and name.said == item.symbol.name and name.start_point[0] + 1 == item.symbol.name_line

    def _in_file(self, path: str) -> FileOccurrences | None:
        if path not in self._found:
            data = self._resolver.world.view.rows.whole_text_of(path) or b""
            self._found[path] = self._resolver.world.found(path, data, self._name)
        return self._found[path]

    def _tree(self, path: str) -> Any:
        if path not in self._trees:
            view = self._resolver.world.view
            self._trees[path] = tree_in(view, path, view.rows.whole_text_of(path) or b"")
        return self._trees[path]

    def _offset(self, at: At) -> int:
        tree = self._tree(at[0])
        return int(tree.lines[at[1] - 1]) + at[2] if tree is not None else -1

    def _node(self, at: At) -> Any:
        tree, start = self._tree(at[0]), self._offset(at)
        return tree.root_node.descendant_for_byte_range(start, start + 1) if tree is not None else None


def _scope(found: FileOccurrences, one: Occurrence) -> str | None:
    meant = found.meaning(one)
    return meant[0].place if meant is not None and meant[1].local else None
