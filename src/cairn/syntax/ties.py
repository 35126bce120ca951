"""What a bare word is tied to, place by place: a local, a parameter, or what the file around it offers."""

from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.syntax import kinds
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.parse import tree_of
from cairn.syntax.scopes import FUNCTION, ROOT, Meaning, Scope

FREE, PARAMETER, DEFINITION, VARIABLE = "free", "parameter", "definition", "variable"
THIS = b"this"
Tied = tuple[str, str, bool]
"""The kind of a tie, its function, and whether its word is given another value."""


@dataclass(frozen=True, slots=True)
class Tie:
    """What a word means at one place."""

    line: int
    column: int
    kind: str
    """`free`: nothing local; `definition`: a function or type inside of a function; `variable`: any other local."""
    function: str = ""
    """The qualified name of the definition whose parameter it is; of `this`, the name of the class."""
    again: bool = False
    """Whether it is given another value, so that what its head says of it may not hold."""
    called: bool = False


def rebinds(one: Occurrence, meant: Meaning | None) -> bool:
    """Whether a place gives its word another value at the top of the file, or in a function that says so."""
    if not one.bare or one.binds is None or one.role == "import":
        return False
    return one.binds.kind == ROOT if meant is None else meant[0].kind == FUNCTION and not meant[1].local


def tied(found: FileOccurrences, meant: Sequence[Meaning | None]) -> list[Tied | None]:
    """What each of a file's occurrences is tied to, given what they mean; None for one that has no tie."""
    binders: dict[tuple[str, int], list[Occurrence]] = {}
    for one in found.occurrences:
        if one.binds is not None:
            binders.setdefault((one.name, id(one.binds)), []).append(one)
    root = id(found.scopes.root)
    # All places of a name in a scope have one tie, unless what stands before them decides.
    known: dict[tuple[str, int, bool], Tied] = {}
    ties: list[Tied | None] = []
    for one, meaning in zip(found.occurrences, meant, strict=True):
        if not one.bare or one.role == "import":
            ties.append(None)
            continue
        scope, local = (root, False) if meaning is None else (id(meaning[0]), meaning[1].local)
        tie = known.get((one.name, scope, local))
        if tie is None:
            tie = _tie(found, one, meaning, binders.get((one.name, scope), []))
            if not local or found.scopes.rules.hoisted:
                known[one.name, scope, local] = tie
        ties.append(tie)
    return ties


def _tie(found: FileOccurrences, one: Occurrence, meant: Meaning | None, binding: list[Occurrence]) -> Tied:
    if meant is None:
        return FREE, "", any(each.role == "write" for each in binding)
    scope, bound = meant
    imported = any(each.role == "import" for each in binding)
    if not bound.local:
        written = [each for each in binding if each.role == "write" or each.parameter]
        return (VARIABLE, "", True) if imported and written else (FREE, "", bool(written))
    if not found.scopes.rules.hoisted:
        # The last before the place hides those before it.
        binding = [each for each in binding if each.start <= one.start][-1:] or binding[:1]
    if binding and all(_defines(found, each) for each in binding):
        return DEFINITION, "", len(binding) > 1
    heads = [each for each in binding if each.parameter]
    holder = _holder(found, heads[0], scope) if heads else ""
    again = any(not each.parameter and each.role in ("write", "definition") for each in binding)
    return (PARAMETER, holder, again) if holder else (VARIABLE, "", False)


def _defines(found: FileOccurrences, one: Occurrence) -> bool:
    named = found.marks.names.get(one.start)
    return named is not None and named.kind in kinds.DEFINED


def _holder(found: FileOccurrences, head: Occurrence, scope: Scope) -> str:
    """The definition whose own parameter it is; empty for that of a clause, or of a function without a name, inside."""
    inner = found.marks.around(head.start)
    if inner is None or scope.kind != FUNCTION or scope.type == "lambda":
        return ""
    outer = scope.parent.function() if scope.parent is not None else scope
    return "" if outer.kind != ROOT and outer.start >= inner.start else inner.qualified


def this_of(path_key: str, language: str, data: bytes) -> tuple[Tie, ...] | None:
    """The places of `this` in a file of JavaScript or Java: `parameter` where it is a value of a class, which is named;
    `definition` where it is the class itself."""
    tree = tree_of(path_key, language, data)
    return tuple(_this(tree.root_node, data)) if tree is not None else None


def _this(root: Any, data: bytes) -> Iterator[Tie]:
    at = data.find(THIS)
    while at >= 0:
        node = root.descendant_for_byte_range(at, at + len(THIS))
        if node is not None and node.type == "this":
            kind, name = _class_of(node)
            yield Tie(node.start_point.row + 1, node.start_point.column, kind, name)
        at = data.find(THIS, at + 1)


def _class_of(node: Any) -> tuple[str, str]:
    own = False
    static = False
    while (node := node.parent) is not None:
        if node.type in kinds.UNBOUND or (node.type == "object_creation_expression" and own):
            return VARIABLE, ""
        if node.type == "method_definition":
            if node.parent is None or node.parent.type != "class_body":
                return VARIABLE, ""
            own, static = True, _is_static(node)
        elif node.type in kinds.CLASS_FIELDS:
            own, static = True, _is_static(node)
        elif node.type == "class_static_block":
            own = static = True
        elif node.type == "class_body":
            own = True
            if node.parent is not None and node.parent.type != "object_creation_expression":
                name = _name_of(node.parent)
                if name is None and node.parent.type == "class":
                    return VARIABLE, ""
                written = name.text.decode("utf-8", "replace") if name is not None and name.text else ""
                return DEFINITION if static else PARAMETER, written
    return VARIABLE, ""


def _name_of(node: Any) -> Any:
    """The name of a class, or of what it is the value of."""
    own = node.child_by_field_name("name")
    above = node.parent
    if own is not None or above is None:
        return own
    return above.child_by_field_name("name") if above.type == "variable_declarator" else None


def _is_static(node: Any) -> bool:
    return any(child.type == "static" for child in node.children)
