"""Every place of a name in the code of one file: what it does there and what it is bound to."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from cairn.base.values import dataclass
from cairn.syntax import kinds
from cairn.syntax.binder import Binder
from cairn.syntax.flow import Arm, arms_of
from cairn.syntax.lines import line_starts
from cairn.syntax.marks import Marks, marks
from cairn.syntax.parse import grammar_for, tree_of
from cairn.syntax.roles import (
    follows_connector,
    is_declared,
    is_keyword,
    is_shorthand,
    may_be_taken,
    receiver,
    target,
    updates,
    writes,
)
from cairn.syntax.scopes import ROOT, Frame, Meaning, Scope, Scopes
from cairn.syntax.shapes import Way, by_shape, shapes_of
from cairn.syntax.ways import all_ways, is_code, is_comment, places_of, ways_to

_MANY = 2_000
"""From so many places on, one walk over the tree is cheaper than a way from the root to each."""
_SETTLING = ("write", "definition")


class Occurrence(NamedTuple):
    """One place of a name; `scope` and `meaning` are for those who ask what it is bound to."""

    start: int
    end: int
    line: int
    column: int
    name: str
    role: str
    receiver: str
    keyword: bool
    bare: bool
    binds: Scope | None
    parameter: bool
    scope: Scope
    effective: int
    """From which byte on the value written here is seen."""
    arms: tuple[Arm, ...] = ()
    updates: bool = False
    """Whether a write needs the value from before: `+=`, `++`."""
    shorthand: bool = False
    """Whether one word is a key and a variable: `{ name }`."""


@dataclass(frozen=True, slots=True)
class FileOccurrences:
    """The occurrences of a file, in order, with what they mean."""

    occurrences: tuple[Occurrence, ...]
    scopes: Scopes
    marks: Marks
    quoting: tuple[Any, ...] = ()
    """Contents of strings that may be types, where all names were asked for."""

    def meaning(self, one: Occurrence) -> Meaning | None:
        """The scope that binds a name as it is used there, and the binding; None where the file doesn't say."""
        if not one.bare or (one.role == "call" and self.scopes.rules.called_apart):
            return None
        if one.binds is not None:
            entries = one.binds.bound.get(one.name, ())
            own = [each for each in entries if each.start <= one.start < each.end] or list(entries)
            if one.name not in one.binds.passed and own and one.binds.kind != ROOT:
                return one.binds, own[-1]
        return self.scopes.meaning(one.name, one.start, one.scope)

    def is_local(self, one: Occurrence) -> bool:
        """Whether a name means something that only its function knows."""
        found = self.meaning(one)
        return found is not None and found[1].local


def find(path_key: str, language: str, data: bytes, name: str | None, flow: bool = False) -> FileOccurrences | None:
    """The occurrences of one name, or of all; None when there is no grammar for the file.

    Arms and updates are told only on demand: few ask how values flow.
    """
    loaded = grammar_for(path_key, language, data)
    if loaded is None:
        return None
    scopes = Scopes(shapes_of(loaded.language.name), len(data))
    written = name.encode() if name is not None and name.isascii() else None
    if written is not None and (not written or written not in data):
        return FileOccurrences((), scopes, Marks({}, frozenset(), ()))
    root = tree_of(path_key, language, data).root_node
    places: list[int] | None = None
    size = len(written or b"")
    if written is not None:
        # What is defined may have its name in a string.
        places = [at for at in places_of(data, written, root.has_error) if not is_comment(root, at, size)]
    # Letters with accents may be written in several ways: then all names are read, and compared in one.
    marked = marks(loaded, root, data, places)
    quoting: list[Any] = []
    if places is not None and not scopes.rules.templates:
        places = [at for at in places if is_code(root, at, size)]
    if places is None or len(places) > _MANY:
        paths = all_ways(scopes, root, data, quoting)
    else:
        paths = ways_to(scopes, root, data, places, size)
    wanted = None if name is None else unicodedata.normalize("NFC", name)
    reader = _Reader(scopes, marked, data, flow)
    found: dict[int, Occurrence] = {}
    for path, end in paths:
        one = reader.read(path, end, wanted)
        if one is not None:
            found[one.start] = one
    for extra in _named_otherwise(marked, data, found, scopes.root, wanted):
        found[extra.start] = extra
    return FileOccurrences(tuple(found[at] for at in sorted(found)), scopes, marked, tuple(quoting))


# The class's own `__new__` is a function of Python.
_occurrence: Any = partial(tuple.__new__, Occurrence)


class _Said(NamedTuple):
    """What the shape of a name tells of it; None where that depends on more than kinds and fields."""

    member: bool
    """Whether it may be asked of something though no connector stands right before it."""
    bare: bool
    """Whether it is a name by itself where it is asked of nothing and no keyword."""
    keyword: bool | None
    target: int | None
    """From the end of the way on backwards."""
    binds: bool
    roles: tuple[str | None, str | None]
    """What it does, unless it is called: by itself, and asked of something."""
    shorthand: bool


class _Reader:
    """Reads what a name is and does from the way to it."""

    def __init__(self, scopes: Scopes, marked: Marks, data: bytes, flow: bool) -> None:
        self.rules, self.marks, self.data, self.flow = scopes.rules, marked, data, flow
        self.binder = Binder(scopes.rules)
        self.names: dict[bytes, str] = {}
        self.lines = line_starts(data)

    def read(self, path: list[Frame], end: int, wanted: str | None) -> Occurrence | None:
        leaf, data = path[-1], self.data
        start = leaf.node.start_byte
        written = data[start:end]
        name = self.names.get(written) or self._name(written)
        if wanted is not None and name != wanted:
            return None
        member, bare, keyword, back, binds, roles, shorthand = leaf.shape.said or self._said(path)
        named = self.marks.names.get(start)
        taken = receiver(path, data) if member or follows_connector(data, start) else None
        if taken or named is not None:
            keyword = False
        elif keyword is None:
            keyword = is_keyword(path)
        bare = bare and taken is None and not keyword
        at, place = 0, None
        if bare:
            at = target(path, self.rules) if back is None else len(path) + back
            place = self.binder.bind(path, at, name) if binds else None
        if named is not None and named.kind in kinds.MEMBERS:
            bare, place = False, None  # it hides what has its name further out, and is no local itself
        role = roles[taken is not None]
        if role is None or named is not None or keyword or place is not None:
            role = self._role(path, at, taken is not None, keyword, place is not None)
        elif start in self.marks.calls:
            role = "call"
        if bare and place is None and named is not None:
            bare = False  # a definition that no rule of the language says to be local
        line = bisect_right(self.lines, start)
        owner = path[at]
        made: Occurrence = _occurrence(
            (
                start,
                end,
                line,
                start - self.lines[line - 1],
                name,
                role,
                taken or "",
                keyword,
                bare,
                place,
                place is not None and "param" in owner.type + path[at + 1].field,
                leaf.scope,
                owner.node.end_byte if role in _SETTLING and _settles(owner.type) else end,
                arms_of(path, self.rules.functions) if self.flow else (),
                self.flow and role == "write" and updates(path),
                shorthand,
            )
        )
        return made

    def _name(self, written: bytes) -> str:
        name = written.decode("utf-8", "replace")
        self.names[written] = name if name.isascii() else unicodedata.normalize("NFC", name)
        return self.names[written]

    def _said(self, path: list[Frame]) -> _Said:
        """What a shape tells of names, which is then kept with it."""
        leaf, shapes = path[-1].shape, path[-1].shape.way
        above = shapes[-2]
        variable = self.rules.variables
        at = by_shape(target, shapes, self.rules)
        if at == 0 and leaf.is_cut:
            at = None
        said = leaf.said = _Said(
            may_be_taken(shapes),
            leaf.type not in kinds.NEVER_BARE
            and above.type not in kinds.LABELS
            and (not variable or above.type == variable),
            by_shape(is_keyword, shapes),
            at - len(shapes) if at is not None else None,
            at is None or self.binder.may_bind(shapes, at),
            (_role_of(shapes, False), _role_of(shapes, True)),
            is_shorthand(shapes),
        )
        return said

    def _role(self, path: list[Frame], at: int, taken: bool, keyword: bool, binds: bool) -> str:
        leaf, start = path[-1], path[-1].node.start_byte
        if start in self.marks.names:
            return "definition"
        if leaf.imported:
            return "import"
        if keyword or _is_markup(path, taken):
            return "read"
        written = writes(path, taken)
        if self.rules.variables and binds:
            heads = "parameter" in path[-3].type or path[-3].type == "catch_clause"
            return "definition" if heads else "write" if written else "read"
        if (binds and (not written or path[at].type in kinds.DECLARING)) or (not taken and is_declared(path)):
            return "definition"
        if written:
            return "write"
        return "call" if start in self.marks.calls or _is_called_token(path) else _kept(path)


def _role_of(shapes: Way, taken: bool) -> str | None:
    """What a name does by its shape, if it is not called: nothing more is to be known of most."""
    doubtful = shapes[-1].imported or _is_markup(shapes, taken) or shapes[-2].type == "token_tree"
    doubtful = doubtful or (not taken and is_declared(shapes)) or by_shape(writes, shapes, taken) is not False
    return None if doubtful else _kept(shapes)


def _is_markup(path: Way, taken: bool) -> bool:
    return path[-2].type.startswith("jsx_") or (taken and len(path) > 2 and path[-3].type.startswith("jsx_"))


def _kept(path: Way) -> str:
    return "type" if path[-1].typed or path[-1].type == "type_identifier" else "read"


def _settles(kind: str) -> bool:
    """Whether what is bound has its value only at the end of the node: loops and heads have it at once."""
    return (
        "assign" in kind
        or ("declar" in kind and "function" not in kind)
        or kind.endswith(("_spec", "named_expression"))
    )


def _is_called_token(path: list[Frame]) -> bool:
    """In a macro's tokens a name before parentheses is called."""
    if path[-2].type != "token_tree":
        return False
    after = path[-1].node.next_sibling
    return after is not None and after.type == "token_tree" and after.text is not None and after.text[:1] == b"("


def _named_otherwise(
    marked: Marks, data: bytes, found: dict[int, Occurrence], root: Scope, wanted: str | None
) -> Iterator[Occurrence]:
    """Names of definitions that are no identifiers of the grammar: symbols, keys, operators."""
    lines = line_starts(data)
    for each in marked.names.values():
        name = unicodedata.normalize("NFC", each.name)
        if each.start in found or not each.leaf or not name or (wanted is not None and name != wanted):
            continue
        if data[each.start : each.end].decode("utf-8", "replace") != each.name:
            continue  # white space was mended in it
        line = bisect_right(lines, each.start)
        column = each.start - lines[line - 1]
        yield Occurrence(
            each.start, each.end, line, column, name, "definition", "", False, False, None, False, root, each.end
        )
