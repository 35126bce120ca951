"""What the first word of a name is tied to at its place: asked only where a text looks as if it bound it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple, Protocol

from cairn.base.values import replace
from cairn.graph.annotations import parameters_of, type_parameters
from cairn.graph.customs import customs_of
from cairn.graph.meaning import LIKELY, UNKNOWN, Meaning, weaker
from cairn.graph.members import Members
from cairn.graph.occurrences import may_be_bound, tie_of
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope, binds, may_bind
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.store import NamePlace, SymbolRow
from cairn.syntax.ties import DEFINITION, FREE, PARAMETER, VARIABLE
from cairn.syntax.uses import Use

_STATIC = re.compile(r"@\s*(?:\w+\.)*staticmethod\b")


class Held(NamedTuple):
    """What is known of the place of a name: the line, and the tie of the first word that leads to it."""

    line: int = 0
    """0 where it makes no difference: all definitions around the place have names of their own."""
    kind: str = ""
    """As a tie's; empty where nothing binds the word, so that the heads around the place tell."""
    function: str = ""
    again: bool = False


ANYWHERE = Held()
"""Nothing is known of the place."""
HIDDEN = Held(kind=VARIABLE)
"""Any local of which nothing is known."""


class NamedPlace(Protocol):
    """A name at a place: a stored call, or a use that was just read."""

    @property
    def name(self) -> str:
        """The name, as it is written."""

    @property
    def within(self) -> str:
        """The qualified name of the definition around it; empty at the top of a file."""

    @property
    def line(self) -> int:
        """Its line, from 1."""

    @property
    def role(self) -> str:
        """What it is there for: a call, a read, a write."""


class Places:
    """The places of one world; what was read is kept."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._may_bind: dict[tuple[str, int, str], bool] = {}
        self._tied_rows: dict[tuple[str, str], tuple[NamePlace, ...] | None] = {}

    def held(self, scope: FileScope, word: str, within: str, line: int, column: int | None) -> Held:
        """What holds for a word that stands in a line, at or before a column where that is known."""
        around = [symbol for symbol in scope.around(within, line) if symbol.kind in FUNCTIONS]
        plain = Held(line) if scope.repeats(within) else ANYWHERE
        language, words = scope.language, customs_of(scope.language)
        if language == "python" and word in words.selves and self._is_static(scope, around):
            return plain._replace(kind=VARIABLE)
        if word in words.selves | words.parents and language in ("kotlin", "php"):
            return plain._replace(kind=VARIABLE) if self.has_other_members(scope, within, line) else plain
        if language != "python" and word != "this" and word in words.selves | words.parents:
            return plain
        key = (scope.path, around[-1].start_line if around else 0, word)
        known = self._may_bind.get(key)
        if known is None:
            known = self._may_bind[key] = self._looks_bound(scope, word, around)
        return self._narrowed(scope, word, line, column, around, plain) if known else plain

    def _looks_bound(self, scope: FileScope, word: str, around: Sequence[SymbolRow]) -> bool:
        if word == "this" and scope.language != "python":
            text = self._text(scope, around)
            pattern = customs_of(scope.language).other_this
            body = text[len(around[-1].signature) :] if around and "static" not in around[-1].signature else text
            return pattern is not None and pattern.search(body) is not None
        rows = self._tied(scope.path, word)
        if rows is None:
            return may_bind(scope.language, self._text(scope, around), word)
        if around:
            first = bisect_left(rows, around[-1].start_line, key=_LINE)
            rows = rows[first : bisect_right(rows, around[-1].end_line, key=_LINE)]
        return any(map(may_be_bound, rows))

    def _tied(self, path: str, word: str) -> tuple[NamePlace, ...] | None:
        key = (path, word)
        if key not in self._tied_rows:
            self._tied_rows[key] = self._world.tied(path, word.lstrip("$"))
        return self._tied_rows[key]

    def _text(self, scope: FileScope, around: Sequence[SymbolRow]) -> str:
        """The outermost function around a place, or the whole file."""
        lines = self._world.lines(scope.path)
        return "\n".join(lines[around[-1].start_line - 1 : around[-1].end_line] if around else lines)

    def _is_static(self, scope: FileScope, around: Sequence[SymbolRow]) -> bool:
        """Whether the method around a place is called without a value."""
        method = next((each for each in around if each.kind == "method" and each.start_line < each.name_line), None)
        if method is None:
            return False
        return any(map(_STATIC.search, self._world.lines(scope.path)[method.start_line - 1 : method.name_line]))

    def has_other_members(self, scope: FileScope, within: str, line: int) -> bool:
        """Whether a class without a name, or the like, may be around a place: its members come before those around."""
        pattern = customs_of(scope.language).other_members
        if pattern is None:
            return False
        around = [symbol for symbol in scope.around(within, line) if symbol.kind in FUNCTIONS]
        return bool(around) and pattern.search(self._text(scope, around)) is not None

    def as_called(self, scope: FileScope, name: str, line: int, found: Meaning) -> Meaning:
        """What a name of Rust means where it is called: a macro with an exclamation mark, and a function without."""
        if not any(item.symbol.kind == "macro" for item in found.targets):
            return found
        text = self._world.lines(scope.path)[line - 1]
        marks = {said[1] for said in re.finditer(rf"(?<!\w){re.escape(name)}\s*(!(?!=))?", text)}
        if len(marks) != 1:
            return weaker(found, LIKELY)
        fitting = tuple(item for item in found.targets if (item.symbol.kind == "macro") == (marks == {"!"}))
        return replace(found, targets=fitting) if fitting else UNKNOWN

    def seen_from(self, scope: FileScope, use: Use) -> str:
        """The definition whose names a use sees: in the head of a type that is the one around it."""
        around = scope.named(use.within) if use.within else ()
        own = next(
            (each for each in around if each.kind in TYPES and each.name_line <= use.line <= each.end_line), None
        )
        if own is None or not (customs_of(scope.language).sees_members or scope.language == "python"):
            return use.within
        lines = [line.encode() for line in self._world.lines(scope.path)[own.name_line - 1 : use.line]]
        lines[-1] = lines[-1][: use.column]
        head = b"\n".join(lines).partition(own.name.encode())[2].strip()
        opened, closed = (sum(head.count(sign) for sign in signs) for signs in ((b"(", b"["), (b")", b"]")))
        is_head = opened > closed and head[:1] in b"([" if scope.language == "python" else b"{" not in head
        return own.container if is_head else use.within

    def is_template(self, scope: FileScope, within: str, line: int) -> bool:
        """Whether a function has type parameters that stand before its head, as in C++."""
        if not customs_of(scope.language).template_heads:
            return False
        around = [symbol for symbol in scope.around(within, line) if symbol.kind in FUNCTIONS | TYPES]
        lines = self._world.lines(scope.path)
        return any("template" in text for each in around for text in lines[each.start_line - 1 : each.name_line])

    def _narrowed(
        self, scope: FileScope, word: str, line: int, column: int | None, around: Sequence[SymbolRow], plain: Held
    ) -> Held:
        rows = self._tied(scope.path, word)
        if rows is None:
            return plain._replace(kind=VARIABLE) if binds(self._text(scope, around), word) else plain
        near = [row for row in rows if row.line == line] if column is None else []
        if not near:
            # The first word of a chain may stand in a line above: nothing but connectors is between it and the last.
            last = bisect_right(rows, (line, column or 0), key=_PLACE)
            near = [*rows[last - 1 : last]] if last else []
        if not near:
            return plain
        ties = [*map(tie_of, near)]
        if len({(tie.kind, tie.function) for tie in ties}) > 1:
            return plain._replace(kind=VARIABLE)  # one of several in the line, and nobody knows which
        return Held(plain.line, ties[0].kind, ties[0].function, any(tie.again for tie in ties))


_LINE = attrgetter("line")
_PLACE = attrgetter("line", "column")


__all__ = ["ANYWHERE", "DEFINITION", "FREE", "HIDDEN", "PARAMETER", "VARIABLE", "Held", "NameMeanings", "Places"]


class NameMeanings(Protocol):
    """What names mean, where no value is asked for."""

    def base(self, scope: FileScope, parts: tuple[str, ...], within: str, held: Held) -> tuple[Meaning, int]:
        """What the first of some names mean together, and how many these are."""
        ...


class HeadReader:
    """The heads of one world; what was read of them is kept."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._known: dict[tuple[str, str, int], dict[str, str]] = {}

    def parameters(self, scope: FileScope, function: SymbolRow) -> dict[str, str]:
        """The types of a function's parameters by name, in the order of the head."""
        key = (scope.path, function.qualified_name, function.start_line)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = parameters_of(scope.language, function.signature)
        return found

    def type_parameters(self, scope: FileScope, within: str) -> frozenset[str]:
        """Names that the heads around a place give to types of their own."""
        heads = (each.signature for each in scope.around(within) if each.kind in TYPES | FUNCTIONS)
        return frozenset().union(*map(type_parameters, heads))

    def has_type(self, scope: FileScope, name: str, within: str) -> bool:
        """Whether a class of Python around a method has a type of that name, which the method's head sees."""
        around = scope.around(within) if scope.language == "python" else []
        return any(
            each.kind not in FUNCTIONS
            for symbol in around[1:]
            if symbol.kind in TYPES
            for each in scope.members.get(symbol.qualified_name, {}).get(name, ())
        )

    def around(self, scope: FileScope, within: str, held: Held = ANYWHERE) -> list[Definition]:
        """The definitions around a place, the innermost first, with the type that a method stands apart from."""
        found = [Definition(scope.path, symbol) for symbol in scope.around(within, held.line)]
        if found and not scope.named(found[0].symbol.container) and found[0].symbol.kind in FUNCTIONS:
            apart = self._members.impl(scope, found[0].symbol.qualified_name)
            found[1:1] = [apart] if apart is not None else []
        return found

    def typed(self, scope: FileScope, name: str, within: str, held: Held) -> list[tuple[str, str]] | None:
        """The types of a parameter around a place, each as written and where; None where it is no parameter."""
        if held.kind in (FREE, DEFINITION):
            return None
        name = name.removeprefix("$") if scope.language == "php" else name
        while within:
            functions = [each for each in scope.named(within) if each.kind in FUNCTIONS]
            if held.line:
                functions = [each for each in functions if each.start_line <= held.line <= each.end_line] or functions
            # A head that doesn't even mention the name need not be read.
            heads = [self.parameters(scope, each) if name in each.signature else {} for each in functions]
            if any(name in each for each in heads) and held.kind != VARIABLE and held.function in ("", within):
                container = within.rpartition(".")[0]
                return [(each.get(name, ""), container) for each in heads]
            within = within.rpartition(".")[0]
        return None if not held.kind else []

    def owner(self, scope: FileScope, word: str, within: str, held: Held) -> Definition | None:
        """The type whose member is around a place, where the word stands for its value."""
        if held.kind == VARIABLE or (held.kind and held.again):
            return None
        around = self.around(scope, within, held)
        if scope.language == "python" and word in customs_of("python").selves:
            for item in around:
                parameters = self.parameters(scope, item.symbol) if item.symbol.kind in FUNCTIONS else {}
                if word in parameters:
                    holder = scope.named(item.symbol.container)
                    own = next(iter(parameters)) == word and holder and holder[0].kind in TYPES
                    return Definition(scope.path, holder[0]) if own else None
            return None
        found = next((item for item in around if item.symbol.kind in TYPES), None)
        named = held.kind in (PARAMETER, DEFINITION) and held.function not in ("", found.symbol.name if found else "")
        return None if named else found
