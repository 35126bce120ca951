"""What a name binds where it stands, noted in the scopes of its file."""

from cairn.languages.scoping import Scoping
from cairn.syntax import kinds
from cairn.syntax.scopes import BLOCK, FUNCTION, ROOT, SPACE, Bound, Frame, Scope
from cairn.syntax.shapes import Way

_DECLARES = frozenset({"global_statement", "nonlocal_statement"})
_DECLARED_ONLY_IF = {"range_clause": ":=", "receive_statement": ":="}


class Binder:
    """Notes in the scopes of a file what its names bind."""

    def __init__(self, rules: Scoping) -> None:
        self.rules = rules

    def may_bind(self, path: Way, at: int) -> bool:
        """Whether a name may bind anything, for all that kinds tell."""
        owner, below, rules = path[at], path[at + 1], self.rules
        declares = owner.type in _DECLARES or path[-1].imported or (owner.type, below.field) in rules.binders
        return declares or bool(rules.variables)

    def bind(self, path: list[Frame], at: int, name: str) -> Scope | None:
        """The scope that a name is bound in here, where it is noted; None where it is only used."""
        rules, owner, below = self.rules, path[at], path[at + 1]
        start = path[-1].node.start_byte
        if rules.variables:
            return self._variable(path, name)
        if owner.type in _DECLARES:
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
        elif owner.type == "type_spec" and scope.kind != ROOT:
            seen_from = start  # in itself, and from there on
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
