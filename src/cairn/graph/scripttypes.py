"""Types as TypeScript writes them: what is given for their parameters, how they are called, and what they look up."""

from collections.abc import Callable, Iterator

from cairn.base.values import replace
from cairn.graph.annotations import divided, transparent_word
from cairn.graph.meaning import PROVEN, Meaning
from cairn.graph.members import types_in
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope
from cairn.graph.symbols import Definition
from cairn.graph.typetexts import (
    CallShape,
    bare,
    branches,
    call_shape,
    choices,
    in_object,
    is_literal,
    looked_up,
    named_type,
    type_names,
)
from cairn.graph.values import BEYOND, LITERAL, OPEN, Given, Value, WrittenType, as_sure_as, either, unsure
from cairn.graph.world import World

Called = tuple[CallShape, WrittenType]
"""How something is called, and where its types are written."""
_MOST_CHOICES = 4
_DEEPEST = 4
"""Types in types that are followed: one that leads back to itself with ever more in it has no end."""


class ScriptTypes:
    """The types of one world's TypeScript; `member` tells what a value holds under a name."""

    def __init__(
        self,
        world: World,
        value: Callable[[WrittenType], Value],
        type_of: Callable[[FileScope, str, str], Meaning],
    ) -> None:
        self._world = world
        self._value = value
        self._type_of = type_of
        self.member: Callable[[Value, str], Value] = lambda _value, _name: OPEN

    def value(self, written: WrittenType) -> Value:
        """A value of a type."""
        text = bare(written.text)
        if is_literal(text):
            return LITERAL
        if text.endswith("[]") or text.startswith("["):
            return Value(outside=True, written=(written,))
        if text.startswith(("{", "<")) or call_shape(text) is not None:
            return Value(written=(written,))
        either_way = branches(text)
        if either_way:
            found = either([self._value(written._replace(text=each)) for each in either_way])
            return replace(unsure(found), written=(written,))
        for sign in "|&":
            parts = choices(text, sign)
            if parts != (text,):
                values = [self._value(written._replace(text=each)) for each in parts]
                values = values if sign == "|" else [each for each in values if each.answers] or values
                found = either(values) if values and len(values) <= _MOST_CHOICES else OPEN
                return replace(found, written=(written,)) if found.known else OPEN
        if (key := self._key(written, text)) is not None:
            base = self._value(written._replace(text=key[0]))
            return as_sure_as(self.inline(base, key[1]) or self.member(base, key[1]), base)
        return self._named(written, text)

    def _named(self, written: WrittenType, text: str) -> Value:
        named = named_type(text)
        if named is None:
            return OPEN
        name, arguments = named
        scope = self._world.scope(written.path)
        if transparent_word(scope.language, name) and arguments:
            return self._value(written._replace(text=arguments[0]))
        own = dict(written.given).get(name)
        if own is not None:
            return self._value(own)
        limit = self._bound(scope, name, written.within)
        if limit is not None:
            return self._value(written._replace(text=limit)) if limit not in ("", name) else OPEN
        meant = self._type_of(scope, name, written.within)
        if not meant.targets:
            return replace(BEYOND if meant.outside else OPEN, written=(written,))
        found = [self._of_type(item, written, arguments) for item in meant.targets]
        return replace(unsure(either(found), meant.tier != PROVEN or meant.open), written=(written,))

    def _bound(self, scope: FileScope, name: str, within: str) -> str | None:
        """What a type parameter around a place is at least; None for what is none."""
        for each in scope.around(within):
            if each.kind in TYPES | FUNCTIONS and "<" in each.signature:
                for own, bound, _ in type_names(self.head(Definition(scope.path, each))):
                    if own == name:
                        return bound
        return None

    def _of_type(self, item: Definition, written: WrittenType, arguments: tuple[str, ...]) -> Value:
        body = self.aliased(item)
        own = bool(self._world.scope(item.path).members.get(item.symbol.qualified_name))
        if body is None or (own and len(choices(bare(body), "&")) == 1):
            return Value((item,), selves=(item,))
        inner = self._inside(item, body, written, arguments)
        parts = choices(bare(body), "&")
        found = [Value((item,), selves=(item,))] if own else []
        # Of several types at once it is each: what is written out among them are members of its own.
        found += [self._value(inner._replace(text=each)) for each in parts if not (own and each.startswith("{"))]
        return either([each for each in found if each.answers] or found)

    def _inside(self, item: Definition, text: str, written: WrittenType, arguments: tuple[str, ...]) -> WrittenType:
        """A text in the head or the body of a type that is given some arguments."""
        given = self._given(item, self.head(item), written, arguments)
        return WrittenType(item.path, text, item.symbol.qualified_name, given)

    def _given(self, item: Definition, head: str, written: WrittenType, arguments: tuple[str, ...]) -> Given:
        if _depth(written.given) >= _DEEPEST:
            return ()
        found = []
        for number, (name, _, default) in enumerate(type_names(head)):
            if number < len(arguments):
                found.append((name, written._replace(text=arguments[number])))
            elif default:
                found.append((name, WrittenType(item.path, default, item.symbol.qualified_name, tuple(found))))
        return tuple(found)

    def given_to(self, written: WrittenType, item: Definition, left: int = _DEEPEST) -> Given:
        """What a type as it is written gives for the parameters of a type that it is."""
        for each in self._parts(bare(written.text)):
            named = named_type(each) if left else None
            if named is None:
                continue
            name, arguments = named
            scope = self._world.scope(written.path)
            own = dict(written.given).get(name)
            if transparent_word(scope.language, name) and arguments:
                found = self.given_to(written._replace(text=arguments[0]), item, left - 1)
            elif own is not None:
                found = self.given_to(own, item, left - 1)
            else:
                found = ()
                for target in self._type_of(scope, name, written.within).targets:
                    body = self.aliased(target)
                    if target == item:
                        found = self._given(item, self.head(item), written, arguments)
                    elif body is not None:
                        found = self.given_to(self._inside(target, body, written, arguments), item, left - 1)
                    if found:
                        break
            if found:
                return found
        return ()

    def _parts(self, text: str) -> Iterator[str]:
        """What a type is a choice of, or all at once."""
        for way in branches(text) or (text,):
            for one in choices(bare(way), "|"):
                yield from (bare(each) for each in choices(bare(one), "&"))

    def shapes(self, written: WrittenType, left: int = 2 * _DEEPEST) -> list[Called]:
        """The ways in which a value of a type is called, as far as the type says them."""
        found: list[Called] = []
        for text in self._parts(bare(written.text)) if left else ():
            here = written._replace(text=text)
            shape = call_shape(text)
            if shape is not None:
                found.append((shape, here))
            elif text.startswith("{"):
                found += ((said, here) for name, rest in in_object(text) if not name and (said := call_shape(rest)))
            elif len(list(self._parts(text))) > 1:
                found += self.shapes(here, left - 1)
            elif (key := self._key(here, text)) is not None:
                found += self._shapes_in(here._replace(text=key[0]), key[1], left - 1)
            elif (named := named_type(text)) is not None:
                found += self._named_shapes(here, *named, left - 1)
        return found

    def _shapes_in(self, written: WrittenType, key: str, left: int) -> list[Called]:
        """How a member of a type is called."""
        text = bare(written.text)
        if text.startswith("{"):
            found: list[Called] = []
            for name, rest in in_object(text):
                said = call_shape(rest) if name == key else None
                if said is not None:
                    found.append((said, written))
                elif name == key and rest.startswith(":"):
                    found += self.shapes(written._replace(text=rest[1:]), left)
            return found
        return self.shapes_of(self.member(self._value(written), key), left)

    def _named_shapes(self, written: WrittenType, name: str, arguments: tuple[str, ...], left: int) -> list[Called]:
        own = dict(written.given).get(name)
        if own is not None:
            return self.shapes(own, left)
        found: list[Called] = []
        scope = self._world.scope(written.path)
        if transparent_word(scope.language, name) and arguments:
            return self.shapes(written._replace(text=arguments[0]), left)
        for item in types_in(self._type_of(scope, name, written.within).targets):
            body = self.aliased(item)
            if body is None and item.symbol.kind == "interface":
                body = self._lines(item).partition("{")[2]
                body = "{" + body
            if body is not None:
                found += self.shapes(self._inside(item, body, written, arguments), left)
        return found

    def shapes_of(self, value: Value, left: int = 2 * _DEEPEST) -> list[Called]:
        """The ways in which a value is called: by its type, or by the heads of the functions that it may be."""
        found = [each for written in value.written for each in self.shapes(written, left)]
        for item in value.things.targets:
            if item.symbol.kind in FUNCTIONS:
                found += self._of_function(item, value.given)
            elif item.symbol.kind in TYPES:
                makers = self._world.scope(item.path).members.get(item.symbol.qualified_name, {}).get("constructor", ())
                for each in makers:
                    found += self._of_function(Definition(item.path, each), value.given)
        return found

    def _of_function(self, item: Definition, given: Given) -> Iterator[Called]:
        head = self.head(item)
        at = head.find("(")
        opened = head.find("<")
        shape = call_shape(head[opened if 0 <= opened < at else at :].rstrip("{").strip() if at >= 0 else "")
        if shape is None and at >= 0:
            shape = call_shape(head[at:].rpartition(")")[0] + "): void")
        if shape is not None:
            yield shape, WrittenType(item.path, "", item.symbol.qualified_name, given)

    def parameter(self, value: Value, number: int, arguments: tuple[WrittenType, ...] = ()) -> Value:
        """What a called value is given at a place, by what is written of it and the types that the call names."""
        found = []
        for shape, written in self._filled(value, arguments):
            said = shape.parameters[number] if number < len(shape.parameters) else ""
            if not said and shape.parameters and shape.parameters[-1].startswith("..."):
                said = shape.parameters[-1]
            if said.startswith("..."):
                said = said.removesuffix("[]")[3:] if said.endswith("[]") else ""
            if said:
                found.append(self._value(written._replace(text=said)))
        return as_sure_as(either(found), value) if found else OPEN

    def result(self, value: Value, arguments: tuple[WrittenType, ...] = ()) -> Value:
        """What calling a value gives, by what is written of it and the types that the call names."""
        called = self._filled(value, arguments)
        found = [self._value(written._replace(text=shape.result)) for shape, written in called if shape.result]
        return as_sure_as(either(found), value) if found else OPEN

    def _filled(self, value: Value, arguments: tuple[WrittenType, ...]) -> Iterator[Called]:
        """The ways in which a value is called, their own type parameters given."""
        called = self.shapes_of(value)
        fitting = [each for each in called if len(each[0].names) >= len(arguments)]
        for shape, written in fitting or called:
            given = [
                (
                    name,
                    arguments[number]
                    if number < len(arguments)
                    else written._replace(text=default or bound or "unknown"),
                )
                for number, (name, bound, default) in enumerate(shape.names)
            ]
            yield shape, written._replace(given=(*given, *written.given))

    def inline(self, value: Value, name: str) -> Value | None:
        """What a value holds under a name that only the braces of its written type say; None where they don't."""
        found = [
            self._value(inner._replace(text=rest[1:] if rest.startswith(":") else rest))
            for written in value.written
            for inner in self._objects(written)
            for own, rest in in_object(inner.text)
            if own == name and own
        ]
        return either(found) if found else None

    def _objects(self, written: WrittenType, left: int = _DEEPEST) -> Iterator[WrittenType]:
        """The types in braces that a type is a choice of, or all at once."""
        for text in self._parts(bare(written.text)) if left else ():
            if text.startswith("{"):
                yield written._replace(text=text)
            elif (own := dict(written.given).get(text)) is not None:
                yield from self._objects(own, left - 1)

    def _key(self, written: WrittenType, text: str) -> tuple[str, str] | None:
        """(type, name) of `T['name']`, where the name is known."""
        found = looked_up(text)
        if found is None:
            return None
        own = dict(written.given).get(found[1])
        key = bare(own.text) if own is not None else found[1]
        return (found[0], key[1:-1]) if is_literal(key) and key[:1] in "\"'" else None

    def head(self, item: Definition) -> str:
        """The head of a definition, whole: a row keeps its first line where there is no body."""
        symbol = item.symbol
        text = symbol.signature
        if sum(map(text.count, "([{<")) == sum(map(text.replace("=>", "").count, ")]}>")) and not text.endswith("="):
            return text
        return self._lines(item).partition("=")[0] if symbol.kind == "type" else self._lines(item)

    def _lines(self, item: Definition) -> str:
        symbol = item.symbol
        lines = self._world.lines(item.path)[symbol.start_line - 1 : symbol.end_line]
        text = "\n".join(lines)
        return text[max(text.find(symbol.name), 0) :].strip().rstrip(";,")

    def aliased(self, item: Definition) -> str | None:
        """What a type stands for that is another's name, as written; None where it is a type of its own."""
        if item.symbol.kind != "type":
            return None
        text = self._lines(item)
        parts = divided(text, "=")
        return "=".join(parts[1:]).strip() or None


def _depth(given: Given) -> int:
    return 1 + max(_depth(each.given) for _, each in given) if given else 0
