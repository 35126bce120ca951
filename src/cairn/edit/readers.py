"""What reads names while a program runs, and whether it can reach the thing that is renamed.

A use of a name can be found and changed; a name that is read at run time can't. One table a language (`tables/`) lists
the constructs that do, and what each can reach. A construct reaches a thing

- by a value whose type is known, if that type can have the member, or that module the name;
- by a value that nothing is known of, if the name stands as a text somewhere: it must come from somewhere;
- by a name that is written in the construct itself, only if it is this one, or can become it.
"""

import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from cairn.base.values import dataclass, field
from cairn.edit.sourcefile import SourceFile
from cairn.edit.sources import SourceFiles
from cairn.edit.texts import FileText
from cairn.edit.thing import MEMBER, PARAMETER, TOP, Thing, related
from cairn.edit.values import Construct
from cairn.edit.words import STRING, TEXT, words_in
from cairn.graph.binding import ChainPlace
from cairn.graph.customs import family
from cairn.graph.meaning import module
from cairn.graph.members import types_in
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import key_of
from cairn.graph.values import OPEN, Value
from cairn.syntax.uses import Use
from cairn.workspace.reads import content_hash

MEMBERS, NAMES, OWN, LOCALS, PARAMETERS, ANYTHING = "members", "names", "own", "locals", "parameters", "anything"
"""What is read: members of a value, names of a module, what a thing is called itself, parameters, or all of these."""
_REACHED = {MEMBER: (MEMBERS, OWN, ANYTHING), TOP: (NAMES, OWN, MEMBERS, ANYTHING), PARAMETER: (PARAMETERS, ANYTHING)}
_CHAIN = re.compile(r"[A-Za-z_@$][\w$]*(?:\(\))?(?:\.[A-Za-z_$][\w$]*(?:\(\))?)*")
_GIVEN = re.compile(r"\([^()]*\)")
_CLASS_OF = re.compile(r"type\((\w+)\)|(\w+)\.__class__|(\w+)\.constructor")
_PIECES = re.compile(r"[\"'`]([^\"'`]*)[\"'`]")
_HOLE = re.compile(r"\$?\{[^{}]*\}|%[sdr(]|\{\}")
_BOUNDARY = re.compile(r"(?<=[^_])(?=_)|(?<=_)(?=[^_])")
_SHORTEST = 3
_WRAPPING = ("parenthesized_expression", "as_expression", "non_null_expression", "satisfies_expression")


@dataclass(frozen=True, slots=True)
class Reader:
    """One row of a table."""

    words: tuple[str, ...]
    reads: str
    form: str = "call"
    """`call`: the word is called. `member`: it is asked of a value. `index`: indexed."""
    of: int | str | None = None
    """The argument whose members are read, or `receiver`; None where a module or scope is meant."""
    name: int | None = None
    """The argument that says which name is read; None where all are."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """What a language, its library and its customs do with names."""

    readers: tuple[Reader, ...] = ()
    special: tuple[str, ...] = ()
    """Names that the language or its runners look for, as patterns."""
    special_members: tuple[str, ...] = ()
    plain_decorators: tuple[str, ...] = ()
    """Decorators that register nothing under a name."""
    open_decorators: tuple[str, ...] = field(default=())
    """Words in the body of a decorator that tell that it reads names."""
    fills_parameters: tuple[str, ...] = ()
    """Functions whose parameters a runner fills by their names, as patterns."""
    shows: tuple[str, ...] = ()
    """Functions and statements that only show a name to people."""
    nameless: tuple[str, ...] = ()
    """What stands in the place of a name and is none."""
    libraries: tuple[str, ...] = ()
    """Modules of the language's own whose types tell which members they have."""


@cache
def table_of(language: str) -> Table:
    """The table of a language; an empty one where none is written."""
    written = files("cairn.edit") / "tables" / f"{family(language) or language}.toml"
    if not written.is_file():
        return Table()
    said: dict[str, Any] = tomllib.loads(written.read_text("utf-8"))
    readers = tuple(Reader(tuple(row.pop("words")), **row) for row in said.pop("reader", ()))
    return Table(readers, **{key: tuple(value) for key, value in said.items()})


@dataclass(frozen=True, slots=True)
class WrittenName:
    """The name as a text, in a construct that reads it: `getattr(it, "name")`."""

    path: str
    line: int
    column: int
    meant: bool
    """Whether it is proven to be the thing; otherwise it is open."""
    form: str = ""
    """How the new name is written there."""


class Readers:
    """The constructs of one snapshot, for one thing."""

    def __init__(self, resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> None:
        self._resolver = resolver
        self._sources = sources
        self._thing = thing
        self._new = new
        self._table = table_of(thing.family)

    def found(self) -> Iterator[Construct | WrittenName]:
        """Every construct that can reach the thing."""
        yield from self._special()
        for reader in self._table.readers:
            if reader.reads in _REACHED[self._thing.reach]:
                for word in reader.words:
                    for source in self._sources.holding(word):
                        if family(source.language) == family(self._thing.family):
                            yield from self._in_file(reader, word, source)

    def _special(self) -> Iterator[Construct]:
        thing, table = self._thing, self._table
        patterns = (*table.special, *(table.special_members if thing.reach == MEMBER else ()))
        if thing.reach != PARAMETER and any(fnmatchcase(thing.name, pattern) for pattern in patterns):
            first = thing.definitions[0]
            why = f"the language or its tools look for names like {thing.name}"
            yield Construct(
                first.path, first.symbol.name_line, "special_name", thing.name, why, f"special {thing.name}"
            )

    def _in_file(self, reader: Reader, word: str, source: SourceFile) -> Iterator[Construct | WrittenName]:
        for use in source.uses(word, quoted=False):
            if use.role in ("definition", "import") or use.keyword:
                continue
            call = _Call(source, use)
            if (reader.form == "call") != (call.node is not None) or (reader.form == "member" and not use.receiver):
                continue
            if reader.form == "call" and not _is_library(use, reader):
                continue
            if reader.reads == OWN and call.is_shown(self._table.shows):
                continue
            yield from self._reached(reader, source, use, call)

    def _reached(
        self, reader: Reader, source: SourceFile, use: Use, call: "_Call"
    ) -> Iterator[Construct | WrittenName]:
        said = call.argument(reader.name) if reader.name is not None else None
        literal = said.text.decode("utf-8", "replace") if said is not None and _is_text(said) else ""
        value = self._value(reader, source, use, call)
        if literal and not self._fits(literal):
            return
        whole = literal.strip("\"'`rbfu")
        reaches = self._reaches(value)
        if whole == self._thing.name and said is not None:
            if reaches is not False:
                at = source.data.index(self._thing.name.encode(), said.start_byte)
                yield WrittenName(source.path, *FileText(source.data).place(at), reaches is True)
            return
        if reaches is None:
            # A value of which nothing is known is hardly a module: those are asked by readers of their own.
            reaches = self._is_worded and not (reader.reads == MEMBERS and self._thing.reach == TOP)
        if reaches:
            yield self._construct(reader, source, use)

    def _construct(self, reader: Reader, source: SourceFile, use: Use) -> Construct:
        shown = FileText(source.data).shown(use.line)
        within = self._text_around(source, use)
        settles = content_hash(f"{source.path}\0{reader.reads}\0{shown}\0{within}".encode())
        return Construct(source.path, use.line, "name_as_data", shown, reader.why or f"reads {reader.reads}", settles)

    def _text_around(self, source: SourceFile, use: Use) -> str:
        """The definition that a construct stands in: an answer about it holds as long as that is the same."""
        around = [
            each
            for each in self._resolver.world.scope(source.path).named(use.within)
            if each.start_line <= use.line <= each.end_line
        ]
        lines = self._resolver.world.lines(source.path)
        return "\n".join(lines[around[0].start_line - 1 : around[0].end_line]) if around else ""

    def _value(self, reader: Reader, source: SourceFile, use: Use, call: "_Call") -> Value:
        """What the members are read of; open where nothing is known of it."""
        if reader.of is None:
            return OPEN
        if reader.of == "module":
            return Value(things=module((source.path,), certain=True))
        if reader.of == "receiver":
            return self._at(source, use, use.receiver, use.column)
        given = call.argument(reader.of) if isinstance(reader.of, int) else None
        if given is None:
            return self._at(source, use, "self", use.column) if reader.of == 0 else OPEN
        line, column = given.start_point[0] + 1, given.start_point[1]
        return self._at(source, use, (given.text or b"").decode("utf-8", "replace"), column, line)

    def _at(self, source: SourceFile, use: Use, chain: str, column: int, line: int = 0) -> Value:
        chain = _CLASS_OF.sub(lambda said: said[1] or said[2] or said[3], chain.replace("?.", "."))
        chain = _GIVEN.sub("()", chain)
        if not _CHAIN.fullmatch(chain):
            return OPEN
        return self._resolver.evaluator.at(ChainPlace(source.path, use.within, line or use.line, column), chain)

    def _reaches(self, value: Value) -> bool | None:
        """Whether reading the members of a value reaches the thing; None where nothing tells."""
        types = (*value.types, *types_in(value.things.targets))
        if any(key_of(each) in self._related for each in types):
            return True
        if self._thing.reach == TOP and any(item.path in value.things.modules for item in self._thing.definitions):
            return True
        known = bool(types or value.things.modules or value.literal or value.outside)
        return False if known and not value.open and not value.things.open else None

    def _fits(self, literal: str) -> bool:
        """Whether a text that is written in a construct is the name, or can become it: `f"visit_{kind}"`."""
        pieces = [piece for text in _PIECES.findall(literal) for piece in _HOLE.split(text)]
        if not pieces:
            return True
        name = self._thing.name
        holes = bool(_HOLE.search(literal)) or len(pieces) > 1
        if not holes:
            return pieces[0] == name
        return name.startswith(pieces[0]) and name.endswith(pieces[-1])

    @cached_property
    def _related(self) -> frozenset[tuple[str, str, int]]:
        if self._thing.reach == MEMBER:
            return related(self._resolver, self._thing)
        return frozenset(map(key_of, self._thing.definitions))

    @cached_property
    def _is_worded(self) -> bool:
        """Whether the name, or a part that programs make names of, stands as a text somewhere in the tree."""
        name = self._thing.name
        for source in self._sources.holding(name):
            if any(word.kind in (STRING, TEXT) and word.exact for word in words_in(source, name)):
                return True
        return any(_holds_text(source.data, part) for part in _parts(name) for source in self._sources.holding(part))

    def reaches_at(self, source: SourceFile, within: str, node: Any) -> bool | None:
        """Whether reading the members of what stands at a node reaches the thing; None where nothing tells."""
        while node.type in _WRAPPING and node.named_children:
            node = node.named_children[0]
        (row, column), text = node.start_point, (node.text or b"").decode("utf-8", "replace")
        chain = _GIVEN.sub("()", _CLASS_OF.sub(lambda said: said[1] or said[2] or said[3], text.replace("?.", ".")))
        if not _CHAIN.fullmatch(chain):
            return None
        return self._reaches(self._resolver.evaluator.at(ChainPlace(source.path, within, row + 1, column), chain))

    def construct_at(self, source: SourceFile, line: int, within: str, why: str) -> Construct:
        """A construct that reads members, at a line."""
        shown = FileText(source.data).shown(line)
        scope, lines = self._resolver.world.scope(source.path), self._resolver.world.lines(source.path)
        around = [each for each in scope.named(within) if each.start_line <= line <= each.end_line]
        text = "\n".join(lines[around[0].start_line - 1 : around[0].end_line]) if around else ""
        settles = content_hash(f"{source.path}\0{MEMBERS}\0{shown}\0{text}".encode())
        return Construct(source.path, line, "name_as_data", shown, why, settles)

    def is_of(self, key: tuple[str, str, int]) -> bool:
        """Whether a type may have the member."""
        return key in self._related

    @property
    def is_worded(self) -> bool:
        """Whether the name stands as a text somewhere."""
        return self._is_worded


class _Call:
    """The call that a word is the function of, if it is one."""

    def __init__(self, source: SourceFile, use: Use) -> None:
        at = FileText(source.data).offset(use.line, use.column)
        self._own = source.node(at, at + len(use.name.encode()))
        self.node = self._called()

    def _called(self) -> Any:
        inner, outer = self._own, self._own.parent if self._own is not None else None
        for _ in range(2):
            if outer is None:
                return None
            given = outer.child_by_field_name("arguments")
            if given is not None and inner is not None and given.start_byte >= inner.end_byte:
                return outer
            inner, outer = outer, outer.parent
        return None

    def argument(self, number: int) -> Any:
        given = self.node.child_by_field_name("arguments") if self.node is not None else None
        plain = [child for child in given.named_children if "comment" not in child.type] if given is not None else []
        return plain[number] if number < len(plain) else None

    def is_shown(self, shows: tuple[str, ...]) -> bool:
        """Whether what is read is only shown to people: in an error, a log, the text of an object."""
        outer = self._own
        while outer is not None:
            function = outer.child_by_field_name("function")
            name = outer.child_by_field_name("name")
            holder = function or name
            said = (holder.text or b"").decode("utf-8", "replace") if holder is not None else ""
            if outer.type in shows or said.rpartition(".")[2] in shows:
                return True
            outer = outer.parent
        return False


def _is_text(node: Any) -> bool:
    return any(kind in node.type for kind in ("string", "template", "concatenated", "binary"))


def _is_library(use: Use, reader: Reader) -> bool:
    """A bare word, or one asked of a module; a method of some object that is called so is another thing."""
    return reader.of == "receiver" or "." not in use.receiver


def _parts(name: str) -> Iterator[str]:
    """The beginnings and ends of a name that a program is likely to make names of."""
    for match in _BOUNDARY.finditer(name):
        for part in (name[: match.start()], name[match.start() :]):
            if len(part.strip("_")) >= _SHORTEST and (part.endswith("_") or part.startswith("_")):
                yield part


def _holds_text(data: bytes, part: str) -> bool:
    written = re.escape(part.encode())
    form = rb"[\"'`]%s(?:[\"'`{]|\$\{|%%[sd])" if part.endswith("_") else rb"(?:[\"'`}]|%%[sd])%s[\"'`]"
    return re.search(form % written, data) is not None
