"""What reads names while a program runs, and whether it can reach the thing that is renamed.

A use of a name can be found and changed; a name that is read at run time can't. One table a language (`tables/`) lists
the constructs that do, and what each can reach. A construct reaches a thing

- by a value whose type is known, if that type can have the member, or that module the name;
- by a value that nothing is known of, if the name stands as a text somewhere: it must come from somewhere;
- by a name that is written in the construct itself, only if it is this one, or can become it.
"""

import builtins
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from cairn.edit.gate.byword import is_by_word
from cairn.edit.gate.case import NAME_AS_DATA, Case, Found, WrittenName
from cairn.edit.gate.go import is_tagged, is_walked
from cairn.edit.gate.listed import listed_names, matched_names, special_names, typed_names
from cairn.edit.gate.outside import lacks
from cairn.edit.gate.possible import Given, is_other
from cairn.edit.gate.reach import OTHER
from cairn.edit.gate.readof import CLASS_OF, ReadValues, is_plain_value, read_node, spelled
from cairn.edit.gate.table import ANYTHING, MEMBERS, NAMES, OWN, PARAMETERS, Reader
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP, is_row
from cairn.edit.gate.worded import is_asked_in_template, is_expected, is_part_of_names
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import Construct
from cairn.edit.source.written import TEXT_FORM, CallNode, form_of, is_text
from cairn.graph.customs import family
from cairn.graph.meaning import PROVEN
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.standins import decorators_of
from cairn.graph.symbols import key_of
from cairn.graph.values import Value
from cairn.syntax.uses import Use

_REACHED = {MEMBER: (MEMBERS, OWN, ANYTHING), TOP: (NAMES, OWN, MEMBERS, ANYTHING), PARAMETER: (PARAMETERS,)}
_LIBRARY = frozenset({"JSON", "Object", "Reflect"})
"""What JavaScript's own functions that read names are asked of."""
_RENAMED = re.compile(rb"\s+as\s+(\w+)")


class Readers:
    """The constructs of one snapshot, for one thing."""

    def __init__(self, case: Case) -> None:
        self._case, self._thing, self._table = case, case.thing, case.table
        self._resolver, self._sources = case.resolver, case.sources
        self._values = ReadValues(case.resolver, case.reach)

    def found(self) -> Found:
        """Every construct that can reach the thing."""
        yield from special_names(self._case)
        yield from listed_names(self._case)
        yield from typed_names(self._case)
        for reader in self._table.readers if not self._case.is_erased else ():
            if reader.reads not in _REACHED[self._thing.reach] or not self._is_derived(reader.bases):
                continue
            if (reader.rows and not is_row(self._resolver, self._thing)) or not self._may_read(reader):
                continue
            for word in reader.words:
                for source in self._case.files(word):
                    yield from self._in_file(reader, word, source)
        if self._thing.reach == MEMBER:
            yield from matched_names(self._case)
            if self._table.indexed and self._is_derived(self._table.indexed):
                yield from self._indexed()

    def _may_read(self, reader: Reader) -> bool:
        """Whether a construct reads names of the thing's kind."""
        kind = self._thing.kind
        if reader.reads == OWN:
            return kind in FUNCTIONS or kind in TYPES
        unseen = reader.templates and not is_asked_in_template(self._sources, self._thing.name)
        if unseen or (reader.held and self._case.is_of_class):
            return False
        if reader.exported and is_tagged(self._resolver, self._thing, self._case.new, reader.imports):
            return False
        if reader.anywhere and not is_walked(self._case, reader.imports):
            return False
        return not reader.fields or kind not in FUNCTIONS or self._thing.family == "python" or self._is_listed_whole

    @cached_property
    def _is_listed_whole(self) -> bool:
        """Whether the type of a member, and not only a value of it, is handed on."""
        if self._thing.reach != MEMBER:
            return True
        return any(use.role == "read" for use in find_uses(self._resolver, self._thing.owners).items)

    @cached_property
    def _is_handed_on(self) -> bool:
        """Whether the thing itself is ever a value that others are given."""
        thing, table, asked = self._thing, self._table, True
        for item in thing.definitions:
            said = {each[1].rpartition(".")[2] for _, each in decorators_of(self._resolver.world, item)}
            if not said.issubset((*table.class_decorators, *table.asked_decorators)):
                return True
            asked = asked and not said.isdisjoint(table.asked_decorators)
        return not asked and any(use.role == "read" for use in thing.uses.values())

    @cached_property
    def _is_left_with_class(self) -> bool:
        """Python: whether no value holds a part of a thing itself: functions are their class's."""
        said = (each for item in self._thing.definitions for _, each in decorators_of(self._resolver.world, item))
        return (
            self._thing.family == "python"
            and all(item.symbol.kind in FUNCTIONS for item in self._thing.definitions)
            and all(each[1].rpartition(".")[2] in self._table.class_decorators for each in said)
        )

    @cached_property
    def _is_worded(self) -> bool:
        """Whether the name stands as a text, or in the name of what may be looked for by it: `visit_Name`."""
        return self._case.is_worded or is_part_of_names(self._case.files(), self._thing.name)

    def _is_derived(self, bases: tuple[str, ...]) -> bool:
        if not bases or self._thing.reach != MEMBER:
            return not bases
        heads = (owner.symbol.signature for owner in self._case.reach.near.values())
        return any(re.search(rf"\b{base}\b", head.partition("(")[2]) for head in heads for base in bases)

    def _in_file(self, reader: Reader, word: str, source: SourceFile) -> Found:
        if not reader.suits((self._thing.name, self._case.new), source.data):
            return
        if reader.seen and self._thing.reach == TOP and not self._case.is_known_in(source):
            return
        for use in source.uses(word, quoted=False):
            if use.role == "definition" or use.keyword:
                continue
            call = CallNode(source, use)
            if not self._is_form(reader, source, use, call):
                continue
            if reader.reads == OWN and (use.role == "write" or call.is_shown(self._table.shows, self._spoken)):
                continue
            if reader.keywords and call.node is not None:
                yield from self._passed(reader, source, use, call)
            else:
                yield from self._reached(reader, source, use, call)

    def _reached(self, reader: Reader, source: SourceFile, use: Use, call: CallNode) -> Found:
        said = call.argument(reader.name) if reader.name is not None else call.index()
        text = said.said if said is not None and is_text(said) else ""
        form = form_of(said)
        # `attrgetter("one.two")` asks for both, one of what the other gives.
        form = form.replace(r"\.", "|") if reader.dotted else form
        if reader.module is not None and not self._is_loaded(call.argument(reader.module)):
            return
        around = self._case.body(source.path, use.line) or source.data.decode("utf-8", "replace")
        if reader.beside and not any(word in around for word in reader.beside):
            return
        if reader.said and not any(said.encode() in (call.node.text or b"") for said in reader.said):
            return
        if reader.qualified:
            if text:
                yield from self._qualified(source, said, text)
            return
        if not re.fullmatch(form, self._thing.name) or is_other(self._case, source, use.within, said):
            return
        value = self._values.of(reader, source, use, call)
        lists = reader.given and said is None and not is_by_word(self._case, source, call.whole)
        apart = reader.fields and self._is_left_with_class and is_plain_value(value, source.text.shown(use.line))
        holds = reader.deep and any(key_of(each) in self._case.reach.held for each in value.types)
        reaches = holds or (not apart and self._case.reaches(value, reader.reads, itself=lists))
        passes = use.within.rpartition(".")[2] in self._table.passing and not text
        if passes and (reaches is None or use.name in self._table.passing):
            return  # It passes on what is asked of its own objects, and who asks is seen.
        if re.escape(self._thing.name) in form.split("|") and said is not None:
            if reaches is not False:
                word = re.compile(rb"\b%s\b" % re.escape(self._thing.name.encode()))
                at = word.search(source.data, said.start_byte, said.end_byte)
                if at is not None:
                    yield WrittenName(source.path, *source.text.place(at.start()), reaches is True)
                else:
                    yield self._case.construct(source.path, use.line, NAME_AS_DATA, reader.why)
            return
        if reaches is None:
            # A value of which nothing is known is hardly a module: those are asked by readers of their own.
            apart = reader.reads == MEMBERS and self._thing.reach == TOP
            own = reader.reads == OWN and reader.of is not None and not self._is_handed_on
            if own and not CLASS_OF.search(call.receiver()):
                return
            beside = bool(reader.bases) and any(item.symbol.name.encode() in source.data for item in self._thing.owners)
            # Whoever calls a function that is handed on may ask it for anything.
            handed = reader.form == "call" and reader.reads == MEMBERS and call.node is None
            worded = self._is_worded if reader.reads == OWN else self._case.is_worded
            found = handed or (not lists and (form.strip(".*") != "" or beside or worded))
            given = lists or reader.reads == MEMBERS
            reaches = not apart and (
                found or (given and self._may_be_given(reader, source, use, call, value if lists else None))
            )
        if reaches:
            yield self._case.construct(source.path, use.line, NAME_AS_DATA, reader.why)

    def _is_form(self, reader: Reader, source: SourceFile, use: Use, call: CallNode) -> bool:
        called = call.node is not None
        if reader.form == "member":
            return not called and bool(use.receiver)
        if not _is_library(use, reader) or (reader.size is not None and called and call.size != reader.size):
            return False
        if reader.imports and isinstance(reader.of, int) and call.size <= reader.of:
            return False
        return called or (not reader.called and _is_value(self._resolver, source, use, reader))

    def _may_be_given(self, reader: Reader, source: SourceFile, use: Use, call: CallNode, value: Value | None) -> bool:
        """Whether a value that has the thing may get to a construct that lists what it is given.

        No `value`: it asks for one name that nothing is known of, and only what is handed over in plain sight counts.
        """
        node = read_node(reader, call)
        if value is None:
            # Functions are values everywhere in scripts and Go: there it counts where the file has to do with it.
            calls = (lambda _source: True) if self._thing.family == "python" else self._case.has_to_do
            given = Given(self._case, unknown=False, calls=calls)
            return given.may_be(source, use.within, node)
        if value.outside and value.tier == PROVEN and node is not None and self._is_of_library(source.path, node.text):
            return False
        given = Given(self._case, unknown=True)
        parts = list(spelled(node, deep=reader.deep))
        unsure = (each for each in parts if len(parts) == 1 or self._case.reaches_at(source, use.within, each) is None)
        return any(given.may_be(source, use.within, each) for each in unsure)

    def _is_of_library(self, path: str, word: bytes) -> bool:
        """Whether all that a variable of a file gets are new values of the language's own types."""
        rows = self._resolver.world.flows(path).of(word.decode("utf-8", "replace"))
        made = [row.value.removesuffix("()") for row in rows if not row.end_line]
        name = "" if self._thing.reach != MEMBER else self._thing.name
        return bool(made) and all(lacks(self._case, path, each, name) for each in made)

    def _is_loaded(self, said: Any) -> bool:
        """Whether a text may name the module of the thing."""
        form = form_of(said)
        paths = (
            item.path.rpartition(".")[0].removesuffix("/__init__").replace("/", ".") for item in self._thing.definitions
        )
        return any(re.search(rf"(?:^|\.)(?:{form})$", path) for path in paths)

    def _passed(self, reader: Reader, source: SourceFile, use: Use, call: CallNode) -> Found:
        """The name as a keyword of a call that makes or changes a value by the names of its members."""
        value = self._values.of(reader, source, use, call)
        reaches = self._case.reaches(value, reader.reads)
        for name, node in call.keywords():
            if name == self._thing.name and reaches is not False:
                place = source.text.place(node.start_byte)
                yield WrittenName(source.path, *place, reaches is True)
            elif name == "**" and (
                self._case.is_worded or self._may_be_given(reader, source, use, call, value)
                if reaches is None
                else reaches
            ):
                yield self._case.construct(source.path, use.line, NAME_AS_DATA, reader.why)

    def _qualified(self, source: SourceFile, said: Any, text: str) -> Iterator[WrittenName]:
        """`patch("module.name")`: the name behind what it is asked of."""
        before, _, last = TEXT_FORM.sub(r"\2", text).rpartition(".")
        if last != self._thing.name or not before:
            return
        parts = before.split(".")
        for size in range(len(parts), 0, -1):
            paths = self._resolver.world.modules.resolve(source.language, source.path, ".".join(parts[:size])).paths
            if not paths:
                continue
            inner = parts[size:]
            meant = [item for path in paths for item in self._resolver.top(path, inner[0] if inner else last).targets]
            if inner:
                hit = (
                    bool(meant)
                    and self._thing.reach == MEMBER
                    and all(key_of(each) in self._case.reach.below for each in meant)
                )
            else:
                hit = any(key_of(each) in self._case.own for each in meant)
            if hit:
                at = source.data.rfind(last.encode(), said.start_byte, said.end_byte)
                yield WrittenName(source.path, *source.text.place(at), True)
            return

    def _indexed(self) -> Iterator[Construct]:
        """`Type[word]` of types that find their members so."""
        names = {item.symbol.name for item in self._case.reach.below.values()}
        for name in (*sorted(names), "cls", "self", "__class__"):
            for source in self._case.files(name):
                for use in source.uses(name, quoted=False):
                    said = CallNode(source, use).index()
                    if said is None or not re.fullmatch(form_of(said), self._thing.name):
                        continue
                    if self._case.reach.of(self._values.at(source, use, use.receiver or name, use.column)) != OTHER:
                        yield self._case.construct(source.path, use.line, NAME_AS_DATA, "finds a member by its name")

    @cached_property
    def _spoken(self) -> tuple[str, ...]:
        """What only tells people what an object is; nothing where a text may expect that."""
        return () if is_expected(self._sources, self._thing.name) else self._table.spoken


def _is_library(use: Use, reader: Reader) -> bool:
    """A bare word, or one asked of a module; a method of some object that is called so is another thing."""
    if reader.asked_of:
        return use.receiver.rpartition(".")[2] in reader.asked_of
    of_module = "." not in use.receiver and use.receiver not in ("self", "cls")
    return reader.of == "receiver" or bool(reader.imports) or of_module


def _is_value(resolver: Resolver, source: SourceFile, use: Use, reader: Reader) -> bool:
    """Whether a word that isn't called is a function that reads names, and none of the tree's own; not known of Go."""
    if family(source.language) == "javascript":
        return use.role == "read" and use.receiver in _LIBRARY
    if family(source.language) != "python" or use.role not in ("read", "import") or reader.of == "self":
        return False
    scope = resolver.world.scope(source.path)
    if use.role == "import":
        other = _other_name(source, use)
        return bool(other) and not resolver.top(source.path, other).targets
    if use.receiver:
        if reader.asked_of or reader.size is not None or reader.of == "receiver":
            return True
        own = resolver.top(source.path, use.receiver).targets
        own = own or resolver.meaning(source.path, use.name, use.receiver, use.within).targets
        return use.receiver in scope.bound and not own
    if use.name in scope.bound:
        return not resolver.top(source.path, use.name).targets
    return not use.local and (hasattr(builtins, use.name) or bool(scope.stars))


def _other_name(source: SourceFile, use: Use) -> str:
    """The other name that an import gives a word; empty if none."""
    after = _RENAMED.match(source.data, source.text.offset(use.line, use.column) + len(use.name.encode()))
    return after[1].decode() if after is not None and after[1] != use.name.encode() else ""
