"""What types that are written in heads say of values."""

import re
from collections.abc import Callable

from cairn.base.values import replace
from cairn.graph.annotations import (
    LIST,
    OR,
    aliased,
    awaiting,
    bound_of,
    divided,
    element_of,
    first_argument,
    is_awaited,
    method_type,
    parts_of,
    results_of,
    type_name,
    type_parameters,
    written_field,
    written_parameters,
    written_return,
)
from cairn.graph.customs import family
from cairn.graph.meaning import PROVEN, Circles, Meaning
from cairn.graph.members import Members
from cairn.graph.places import ANYWHERE, HeadReader
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope
from cairn.graph.scripttypes import ScriptTypes
from cairn.graph.structs import embedded_fields
from cairn.graph.symbols import Definition, key_of
from cairn.graph.values import BEYOND, OPEN, Given, Value, WrittenType, either, unsure
from cairn.graph.world import World
from cairn.store import SymbolRow

_SELVES = frozenset({"Self", "self", "static", "this", "$this"})
_ALIAS = re.compile(r"^\s*(?:export\s+|declare\s+|pub(?:\([^()]*\))?\s+)*type\s+\w+")

_PLAIN_KEYS = re.compile(r"[\"']?[\w.]*(?:[dD]ict|Mapping)\[\s*(?:str|int|bytes|bool|float)\s*,")
_TYPEDEF = re.compile(r"\btypedef\s+(?:const\s+)?(?:(?:struct|union)\s+)?(\w+)\s+(\w+)\s*;")
"""A type of C that is another's name."""


class Typed:
    """The types that heads of one world write; `type_of` tells what a dotted one means in a definition of a file."""

    def __init__(
        self,
        world: World,
        circles: Circles,
        members: Members,
        heads: HeadReader,
        type_of: Callable[[FileScope, str, str], Meaning],
    ) -> None:
        self._world = world
        self._circles = circles
        self._line = members.line
        self._heads = heads
        self._type_of = type_of
        self.scripts = ScriptTypes(world, lambda written: self._kept(written, ()), type_of)

    def value(
        self, path: str, written: str, within: str, selves: tuple[Definition, ...] = (), given: Given = ()
    ) -> Value:
        """A value of a type as it is written in a definition of a file."""
        return self._kept(WrittenType(path, written, within, given), selves)

    def _kept(self, written: WrittenType, selves: tuple[Definition, ...]) -> Value:
        key = ("typed", written, tuple(map(key_of, selves)))
        return self._circles.answer(key, lambda: self._value(written, selves), OPEN, once=True)

    def _is_script(self, path: str) -> bool:
        return family(self._world.scope(path).language) == "javascript"

    def element(self, written: WrittenType) -> Value:
        """One of the values that a value of a type holds."""
        language = self._world.scope(written.path).language
        inner, alike = element_of(language, written.text)
        value = self._kept(written._replace(text=inner), ()) if inner else OPEN
        if inner and not alike and language == "python" and _PLAIN_KEYS.match(written.text):
            return replace(value, literal=True)  # A key, or what it leads to: keys have members of the language's own.
        return unsure(value, bool(inner) and not alike)

    def method(self, written: WrittenType, name: str) -> Value | None:
        """A method of a library's collection, whose type says what it gives; None where that isn't known."""
        python = self._world.scope(written.path).language == "python"
        said = method_type(written.text, name) if python else ""
        return Value(outside=True, written=(written._replace(text=said),)) if said else None

    def given_by(self, written: WrittenType) -> list[Value]:
        """What calling a value of a type gives, where the type says it."""
        if self._is_script(written.path):
            called = self.scripts.shapes(written)
            return [self._kept(where._replace(text=shape.result), ()) for shape, where in called if shape.result]
        return [self._kept(written._replace(text=each), ()) for each in results_of(written.text)]

    def given_to(self, value: Value, item: Definition, meant: Meaning) -> Given:
        """What stands for the parameters of a value's type in the heads of members that this type has itself."""
        if not value.written or not self._is_script(item.path) or "<" not in item.symbol.signature:
            return ()
        own = item.symbol.qualified_name
        if any(each.path != item.path or each.symbol.container != own for each in meant.targets):
            return ()
        return next(filter(None, (self.scripts.given_to(each, item) for each in value.written)), ())

    def of_field(self, item: Definition, given: Given = ()) -> Value | None:
        """What a field's head says; None where it says nothing."""
        language = self._world.scope(item.path).language
        if self._is_script(item.path):
            written = ":".join(divided(divided(self.scripts.head(item), "=")[0], ":")[1:]).strip()
        else:
            written = written_field(language, item.symbol.signature, item.symbol.name).strip()
        return self.value(item.path, written, item.symbol.container, (), given) if written else None

    def of_member(self, item: Definition, name: str) -> Value | None:
        """What the body of a type says of what it embeds, as in Go; None where it embeds nothing of that name."""
        for each, _ in self._line(item):
            written = embedded_fields(self._world, each).get(name) if each is not None else None
            if each is not None and written:
                return self.value(each.path, written, each.symbol.container)
        return None

    def of_parameter(self, scope: FileScope, function: SymbolRow, name: str) -> Value | None:
        """What a function's head says of a parameter; None where it says nothing."""
        written = written_parameters(scope.language, function.signature).get(name, "")
        return self.value(scope.path, written, function.qualified_name) if written else None

    def of_return(
        self, item: Definition, selves: tuple[Definition, ...], given: Given = (), *, element: bool
    ) -> Value | None:
        """What a function's head says that it gives, or that each of them is; None where it says nothing."""
        symbol = item.symbol
        language = self._world.scope(item.path).language
        head = self.scripts.head(item) if self._is_script(item.path) else symbol.signature
        written = written_return(language, head, symbol.name)
        if element and written:
            written = first_argument(written)
        return self.value(item.path, written, symbol.qualified_name, selves, given) if written else None

    def _value(self, written: WrittenType, selves: tuple[Definition, ...]) -> Value:
        language = self._world.scope(written.path).language
        value = self._inside(written, _awaited(language, written.text), selves)
        return replace(value, wrapped=True) if is_awaited(language, written.text) else value

    def _inside(self, written: WrittenType, text: str, selves: tuple[Definition, ...]) -> Value:
        """A value of a type without what is around it."""
        path, within = written.path, written.within
        scope = self._world.scope(path)
        language = scope.language
        said = type_name(text, language)
        if said in _SELVES:
            owner = self._heads.owner(scope, "self" if language != "python" else "", within, ANYWHERE)
            # PHP's `self` is the type in which it is written, whoever is asked.
            selves = () if (language, said) == ("php", "self") else selves
            own = selves or ((owner,) if owner is not None else self._around(scope, within))
            return Value(own, selves=own) if own else OPEN
        if self._is_script(path):
            return self.scripts.value(written._replace(text=text))
        if not said:
            return OPEN
        choices = [self._choice(scope, each, within) for each in said.split(OR)]
        return replace(either(choices), written=(written._replace(text=text),))

    def _around(self, scope: FileScope, within: str) -> tuple[Definition, ...]:
        found = (Definition(scope.path, each) for each in scope.around(within) if each.kind in TYPES)
        return tuple(found)[:1]

    def _choice(self, scope: FileScope, said: str, within: str) -> Value:
        if said == LIST:
            return Value(outside=True)
        first = said.partition(".")[0]
        for each in scope.around(within):
            if each.kind in TYPES | FUNCTIONS and first in type_parameters(each.signature):
                bound = bound_of(each.signature, first)
                return self.value(scope.path, bound, each.container) if bound and bound != first else OPEN
        meant = self._type_of(scope, said, within)
        if not meant.targets:
            return BEYOND if meant.outside else OPEN
        # `typedef struct s s` says nothing that the struct doesn't.
        targets = [item for item in meant.targets if self._typedef(item) != item.symbol.name] or meant.targets
        aliased = [self._aliased(item) for item in targets]
        found = [each for each in aliased if each is not None]
        types = tuple(item for item, each in zip(targets, aliased, strict=True) if each is None)
        if types:
            found.append(Value(types, selves=types))
        return unsure(either(found), meant.tier != PROVEN or meant.open)

    def _typedef(self, item: Definition) -> str:
        """What a type of C is another name of; empty where it is none."""
        symbol = item.symbol
        if symbol.kind != "type" or family(self._world.languages.get(item.path, "")) != "c":
            return ""
        text = "\n".join(self._world.lines(item.path)[symbol.start_line - 1 : symbol.end_line])
        return next((each[1] for each in _TYPEDEF.finditer(text) if each[2] == symbol.name), "")

    def _aliased(self, item: Definition) -> Value | None:
        """What a type stands for that is another's name; None where it is a type of its own."""
        symbol, scope = item.symbol, self._world.scope(item.path)
        if (named := self._typedef(item)) and named != symbol.name:
            return self.value(item.path, named, symbol.container)
        if symbol.kind != "type" or _ALIAS.match(symbol.signature) is None:
            return None
        lines = self._world.lines(item.path)[symbol.start_line - 1 : symbol.end_line]
        parts = parts_of(aliased("\n".join(lines)))
        own = bool(scope.members.get(symbol.qualified_name))
        if not parts or (own and len(parts) == 1):
            return None
        found = [Value((item,), selves=(item,))] if own else []
        # Of several types at once it is each: what is written out among them are members of its own.
        found += [self.value(item.path, each, symbol.qualified_name) for each in parts if not each.startswith("{")]
        return either(found)


def _awaited(language: str, written: str) -> str:
    """A type without what one waits for, or what may be missing, around it."""
    pattern = awaiting(language)
    text = written.strip().strip("\"'")
    for _ in range(4):
        if pattern is None or not pattern.match(text):
            break
        text = first_argument(text)
    return text
