"""Every place of a name in the code of one file: what it does there and what it is bound to."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

from cairn.base.values import dataclass
from cairn.languages.scoping import NONE, Scoping
from cairn.syntax import kinds
from cairn.syntax.flow import Arm, arms_of
from cairn.syntax.lines import line_starts
from cairn.syntax.marks import Marks, marks
from cairn.syntax.parse import grammar_for, tree_of
from cairn.syntax.roles import is_declared, is_keyword, receiver, target, updates, writes
from cairn.syntax.scopes import BLOCK, FUNCTION, ROOT, SPACE, Bound, Frame, Scope, Scopes
from cairn.syntax.ways import all_ways, is_code, is_comment, places_of, ways_to

_DECLARED_ONLY_IF = {"range_clause": ":=", "receive_statement": ":="}


class Binder:
    """Notes in the scopes of a file what its names bind."""

    def __init__(self, rules: Scoping) -> None:
        self.rules = rules

    def bind(self, path: list[Frame], at: int, name: str) -> Scope | None:
        """The scope that a name is bound in here, where it is noted; None where it is only used."""
        rules, owner, below = self.rules, path[at], path[at + 1]
        start = path[-1].node.start_byte
        if rules.variables:
            return self._variable(path, name)
        if owner.type in ("global_statement", "nonlocal_statement"):
            self._declares(owner.type, path[-1].scope, name)
            return None
        if path[-1].imported:
            return self._note(path[-1].scope, name, 0, False) if self._imports(path) else None
        where = rules.binders.get((owner.type, below.field))
        if where is None or not self._really_binds(path, at, name):
            return None
        scope = below.scope if where == "own" else owner.scope
        if where == "declared":
            scope = self._declared(path, at)
        elif where == "assigned":
            scope = scope.function()
            while scope.type.endswith(("comprehension", "generator_expression")) and scope.parent is not None:
                scope = scope.parent.function() if scope.parent.kind == BLOCK else scope.parent
        seen_from = 0
        if scope.kind in (BLOCK, FUNCTION) and not rules.hoisted and owner.type not in kinds.FROM_ITS_NAME:
            seen_from = path[-1].node.end_byte if where == "own" else owner.node.end_byte
            if where == "own" and (body := owner.node.child_by_field_name("body")) is not None:
                seen_from = body.start_byte
            if "param" in owner.type or where == "types":
                seen_from = start
        return self._note(scope, name, seen_from, where == "types" or scope.kind != SPACE, self._cut_at(path, scope))

    def _cut_at(self, path: list[Frame], scope: Scope) -> int | None:
        """Where what a condition binds ends before its scope does: an `else` doesn't see it."""
        field = self.rules.cut_at.get(scope.type)
        if field is None:
            return None
        held = next((each for each in path if each.type == scope.type and each.node.start_byte == scope.start), None)
        rest = held.node.child_by_field_name(field) if held is not None else None
        return int(rest.start_byte) if rest is not None else None

    def _really_binds(self, path: list[Frame], at: int, name: str) -> bool:
        owner, leaf = path[at], path[-1]
        if self.rules.constants_in_patterns and name[:1].isupper() and leaf.type == "identifier":
            if owner.type in ("match_arm", "let_condition", "let_declaration", "for_expression", "case_clause"):
                return False
        if owner.type == "type_parameter" and path[at - 1].type == "generic_type":
            return False  # Python's grammar has one word for parameters and arguments
        if owner.type == "enumerator":
            return bool(path[at + 1].node.start_byte == owner.node.start_byte)
        if owner.type == "switch_pattern":
            return leaf.field == "bound_identifier"
        sign = _DECLARED_ONLY_IF.get(owner.type)
        if sign is not None:
            return any(each.type == sign for each in owner.node.children)
        if owner.type == "for_in_statement":
            return owner.node.child_by_field_name("kind") is not None
        if owner.type in ("assignment", "operator_assignment") and leaf.type == "constant":
            return False
        if owner.type == "keyword_pattern" or owner.type == "let_clause":
            return bool(leaf.node.start_byte != owner.node.start_byte)
        if (
            path[at + 1].field == ""
            and owner.type in kinds.ONLY_DIRECT
            and path[at + 1].type not in ("assignment_statement", "variable_list")
        ):
            before = leaf.node.prev_sibling
            return at == len(path) - 2 and (before is None or before.type != "=")
        return True

    def _declared(self, path: list[Frame], at: int) -> Scope:
        owner = path[at]
        if owner.type == "for_in_statement":
            kind = owner.node.child_by_field_name("kind")
            return owner.scope.function() if kind is not None and kind.type == "var" else path[at + 1].scope
        return owner.scope.function() if path[at - 1].type == "variable_declaration" else owner.scope

    def _variable(self, path: list[Frame], name: str) -> Scope | None:
        scope = path[-1].scope.function()
        if scope.kind == ROOT or name == "this":
            return None
        if path[-3].type == "global_declaration":
            scope.bound[name] = [Bound(0, scope.end, False)]
        elif name not in scope.bound:
            self._note(scope, name, 0, True)
        return scope

    def _declares(self, kind: str, scope: Scope, name: str) -> None:
        if kind == "nonlocal_statement":
            scope.passed.add(name)
        else:
            scope.bound[name] = [Bound(0, scope.end, False)]

    def _imports(self, path: list[Frame]) -> bool:
        """Whether a name in an import is the one that it binds."""
        leaf, parent = path[-1], path[-2]
        if leaf.scope.kind == ROOT or leaf.field == "alias" or parent.type != "dotted_name":
            return leaf.scope.kind != ROOT and leaf.field != "path"
        if path[-3].type == "import_statement":
            return bool(leaf.node.start_byte == parent.node.start_byte)
        return path[-3].type != "aliased_import" and parent.field == "name"

    def _note(self, scope: Scope, name: str, seen_from: int, local: bool, cut_at: int | None = None) -> Scope:
        end = scope.end if cut_at is None else cut_at
        entries = scope.bound.setdefault(name, [])
        if entries and not entries[0].local and entries[0].start == 0 and local:
            return scope  # said to be global, or imported
        if not entries or entries[-1] != Bound(seen_from, end, local):
            entries.append(Bound(seen_from, end, local))
        return scope


_MANY = 2_000
"""From so many places on, one walk over the tree is cheaper than a way from the root to each."""


@dataclass(frozen=True, slots=True)
class Occurrence:
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


@dataclass(frozen=True, slots=True)
class FileOccurrences:
    """The occurrences of a file, in order, with what they mean."""

    occurrences: tuple[Occurrence, ...]
    scopes: Scopes
    marks: Marks

    def meaning(self, one: Occurrence) -> tuple[Scope, Bound] | None:
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
    scopes = Scopes(loaded.language.scoping or NONE, len(data))
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
    if places is not None and not scopes.rules.templates:
        places = [at for at in places if is_code(root, at, size)]
    if places is None or len(places) > _MANY:
        paths = all_ways(scopes, root, data)
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
    return FileOccurrences(tuple(found[at] for at in sorted(found)), scopes, marked)


class _Reader:
    """Reads what a name is and does from the way to it."""

    def __init__(self, scopes: Scopes, marked: Marks, data: bytes, flow: bool) -> None:
        self.rules, self.marks, self.data, self.flow = scopes.rules, marked, data, flow
        self.binder = Binder(scopes.rules)

    def read(self, path: list[Frame], end: int, wanted: str | None) -> Occurrence | None:
        leaf = path[-1]
        node = leaf.node
        start = node.start_byte
        name = self.data[start:end].decode("utf-8", "replace")
        if not name.isascii():
            name = unicodedata.normalize("NFC", name)
        if wanted is not None and name != wanted:
            return None
        taken = receiver(path, self.data)
        keyword = not taken and start not in self.marks.names and is_keyword(path)
        variable = self.rules.variables
        bare = (
            taken is None
            and not keyword
            and leaf.type not in kinds.NEVER_BARE
            and path[-2].type not in kinds.LABELS
            and (not variable or path[-2].type == variable)
        )
        at = target(path, self.rules) if bare else 0
        place = self.binder.bind(path, at, name) if bare else None
        if self.marks.is_member(start):
            bare, place = False, None  # it hides what has its name further out, and is no local itself
        role = self._role(path, at, taken is not None, keyword, place is not None)
        if bare and place is None and start in self.marks.names:
            bare = False  # a definition that no rule of the language says to be local
        point = node.start_point
        owner = path[at]
        whole = owner.node.end_byte if role in ("write", "definition") and _settles(owner.type) else end
        return Occurrence(
            start,
            end,
            point.row + 1,
            point.column,
            name,
            role,
            taken or "",
            keyword,
            bare,
            place,
            place is not None and "param" in owner.type + path[at + 1].field,
            leaf.scope,
            whole,
            arms_of(path, self.rules.functions) if self.flow else (),
            self.flow and role == "write" and updates(path),
        )

    def _role(self, path: list[Frame], at: int, taken: bool, keyword: bool, binds: bool) -> str:
        leaf, start = path[-1], path[-1].node.start_byte
        if start in self.marks.names:
            return "definition"
        if leaf.imported:
            return "import"
        if keyword:
            return "read"
        if path[-2].type.startswith("jsx_") or (taken and len(path) > 2 and path[-3].type.startswith("jsx_")):
            return "read"
        written = writes(path, taken)
        if self.rules.variables and binds:
            heads = "parameter" in path[-3].type or path[-3].type == "catch_clause"
            return "definition" if heads else "write" if written else "read"
        if (binds and (not written or path[at].type in kinds.DECLARING)) or (not taken and is_declared(path)):
            return "definition"
        if written:
            return "write"
        if start in self.marks.calls or _is_called_token(path):
            return "call"
        return "type" if leaf.typed or leaf.type == "type_identifier" else "read"


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
