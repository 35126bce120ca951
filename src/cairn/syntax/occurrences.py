"""Every place of a name in the code of one file: what it does there and what it is bound to."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from cairn.base.values import dataclass
from cairn.syntax import kinds
from cairn.syntax.binder import Binder
from cairn.syntax.flow import Arm, arms_of
from cairn.syntax.lines import line_starts
from cairn.syntax.marks import UNMARKED, Marks, marks
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
from cairn.syntax.trees import StoredTree
from cairn.syntax.ways import all_ways, way_to

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
    withins: tuple[str, ...]
    """For each, the innermost definition around it that doesn't have its name there; empty at the top."""
    scopes: Scopes
    marks: Marks = UNMARKED
    """Empty where a snapshot tells of one name."""
    quoting: tuple[Any, ...] = ()
    """Contents of strings that may be types, and bodies of macros."""

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


class KnownPlace(NamedTuple):
    """What a snapshot tells of a place of a name."""

    line: int
    column: int
    role: str
    keyword: bool
    bare: bool
    within: str


def find(path_key: str, language: str, data: bytes) -> FileOccurrences | None:
    """The occurrences of all names; None when there is no grammar for the file."""
    loaded = grammar_for(path_key, language, data)
    if loaded is None:
        return None
    scopes = Scopes(shapes_of(loaded.language.name), len(data))
    root = tree_of(path_key, language, data).root_node
    marked = marks(loaded, root, data)
    quoting: list[Any] = []
    reader = _Reader(scopes, marked, data)
    found = {one.start: one for one in (reader.read(*way) for way in all_ways(scopes, root, data, quoting))}
    for extra in _named_otherwise(marked, data, found, scopes.root):
        found[extra.start] = extra
    ordered = tuple(found[at] for at in sorted(found))
    return FileOccurrences(ordered, tuple(marked.within(one.start for one in ordered)), scopes, marked, tuple(quoting))


def recall(grammar: str, tree: StoredTree, name: str, places: Iterable[KnownPlace]) -> FileOccurrences:
    """The occurrences of one name where a snapshot has them, from the tree that it has, with how values flow."""
    data = tree.data
    scopes = Scopes(shapes_of(grammar), len(data))
    reader = _Reader(scopes, UNMARKED, data, flow=True)
    found, withins = [], []
    for known in places:
        at = tree.lines[known.line - 1] + known.column
        way = way_to(scopes, tree.root_node, data, at)
        end = at + len(name.encode())
        otherwise = _otherwise(at, end, known[:2], name, known.role, scopes.root)
        found.append(reader.read(*way, known) if way is not None else otherwise)
        withins.append(known.within)
    return FileOccurrences(tuple(found), tuple(withins), scopes)


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
    """Reads what a name is and does from the way to it, and from what is marked or known of it."""

    def __init__(self, scopes: Scopes, marked: Marks, data: bytes, flow: bool = False) -> None:
        self.rules, self.marks, self.data, self.flow = scopes.rules, marked, data, flow
        self.binder = Binder(scopes.rules)
        self.names: dict[bytes, str] = {}
        self.lines = line_starts(data)

    def read(self, path: list[Frame], end: int, known: KnownPlace | None = None) -> Occurrence:
        leaf, data = path[-1], self.data
        start = leaf.node.start_byte
        written = data[start:end]
        name = self.names.get(written) or self._name(written)
        member, bare, keyword, back, binds, roles, shorthand = leaf.shape.said or self._said(path)
        named = self.marks.names.get(start)
        taken = receiver(path, data) if member or follows_connector(data, start) else None
        if known is not None:
            keyword = known.keyword
        elif taken or named is not None:
            keyword = False
        elif keyword is None:
            keyword = is_keyword(path)
        bare = bare and taken is None and not keyword
        at, place = 0, None
        if bare:
            at = target(path, self.rules) if back is None else len(path) + back
            place = self.binder.bind(path, at, name) if binds else None
        if (named is not None and named.kind in kinds.MEMBERS) or (known is not None and not known.bare):
            bare, place = False, None  # it hides what has its name further out, and is no local itself
        role = known.role if known is not None else roles[taken is not None]
        if known is None and (role is None or named is not None or keyword or place is not None):
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


def _named_otherwise(marked: Marks, data: bytes, found: Mapping[int, Occurrence], root: Scope) -> Iterator[Occurrence]:
    """Names that are no identifiers of the grammar: of definitions symbols, keys and operators, and words that are
    called, as in `this(1)`."""
    lines = line_starts(data)
    for start, end in marked.calls.items():
        if start not in found and data[start:end].isalpha():
            line = bisect_right(lines, start)
            word = data[start:end].decode()
            yield _otherwise(start, end, (line, start - lines[line - 1]), word, "call", root)
    for each in marked.names.values():
        name = unicodedata.normalize("NFC", each.name)
        if each.start in found or not each.leaf or not name:
            continue
        if data[each.start : each.end].decode("utf-8", "replace") != each.name:
            continue  # white space was mended in it
        line = bisect_right(lines, each.start)
        yield _otherwise(each.start, each.end, (line, each.start - lines[line - 1]), name, "definition", root)


def _otherwise(start: int, end: int, place: tuple[int, int], name: str, role: str, root: Scope) -> Occurrence:
    return Occurrence(start, end, *place, name, role, "", False, False, None, False, root, end)
