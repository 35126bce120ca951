"""Corner cases of languages in which a scope seems to prove what a name means, but doesn't.

Each rule covers one sentence of a language's definition that our scopes leave out. In doubt a rule says no: then
semantic facts decide, or the user does.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.gate.asvalue import is_value
from cairn.edit.gate.ownname import asked_in
from cairn.edit.source.file import SourceFile
from cairn.edit.source.written import above
from cairn.languages.registry import record_of
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.scopes import FUNCTION, ROOT, Scope

_HOISTED = frozenset({"function_declaration", "generator_function_declaration"})
_ONLY_TYPES = frozenset({"type_alias_declaration", "interface_declaration", "type_parameter", "infer_type"})
_BOTH = frozenset({"class_declaration", "abstract_class_declaration", "class", "enum_declaration"})
_JAVA_CLASSES = frozenset({"class_body", "class_declaration", "enum_declaration", "record_declaration"})
_DEFINED = frozenset({"function_definition", "class_definition"})
_LISTS = re.compile(rb"\b(dir|vars)\s*\(\s*\)")
_FRAMES = (b"f_locals", b"getargvalues")


@dataclass(frozen=True, slots=True)
class Corner:
    """A name that seems to be local, with its occurrences."""

    source: SourceFile
    name: str
    new: str
    found: FileOccurrences
    """All occurrences of the name in the file."""
    scope: Scope
    own: Sequence[Occurrence]
    """The occurrences that belong to the scope."""
    worded: Callable[[], bool] = lambda: True
    """Whether the name stands as a text somewhere."""

    def node(self, one: Occurrence) -> Any:
        """The syntax node of an occurrence."""
        return self.source.node(one.start, one.end)

    def around(self, one: Occurrence) -> Iterator[Any]:
        """The nodes around an occurrence, within its scope."""
        for node in above(self.node(one)):
            if node.start_byte < self.scope.start or node.end_byte > self.scope.end:
                return
            yield node

    def within(self, function: Scope) -> list[Occurrence]:
        """Occurrences of the name anywhere in a function."""
        return [one for one in self.found.occurrences if function.start <= one.start < function.end]


def corners(corner: Corner) -> Iterator[str]:
    """Reasons why the scope proves nothing, though an index might; none if it does."""
    for rule in record_of(corner.source.language).naming.corners:
        yield from _RULES[rule](corner)


def lasting(corner: Corner) -> Iterator[str]:
    """Reasons that no index removes: the name is looked up as a string, or its meaning is decided at run time."""
    for rule in record_of(corner.source.language).naming.lasting:
        yield from _RULES[rule](corner)


def _declared_in_class(corner: Corner) -> Iterator[str]:
    """Python: a name that a class body declares global or nonlocal is no attribute of the class."""
    for one in corner.within(corner.scope):
        around = list(above(corner.node(one)))
        if not any(node.type in ("nonlocal_statement", "global_statement") for node in around):
            continue
        if next(node.type for node in around if node.type in (*_DEFINED, "module")) == "class_definition":
            yield f"the body of a class says where {corner.name} belongs"
            return


def _shown(corner: Corner) -> Iterator[str]:
    """Python: `f"{name=}"` prints the name itself."""
    if shows_itself(corner.node(one) for one in corner.own):
        yield f"a string shows {corner.name} by its name ({{{corner.name}=}})"


def shows_itself(nodes: Iterator[Any]) -> bool:
    """Whether one of some names is used in `f"{name=}"`."""
    return any(
        outer.type == "interpolation" and any(child.type == "=" for child in outer.children)
        for node in nodes
        for outer in above(node)
    )


def _listed(corner: Corner) -> Iterator[str]:
    """Python: `dir()` and `vars()` list the names of a scope, and a called function can read its caller's frame."""
    if found := _LISTS.search(corner.source.data, corner.scope.start, corner.scope.end):
        yield f"{found[1].decode()}() stands in the same scope and may list {corner.name}"
    if any(word in corner.source.data for word in _FRAMES):
        yield f"the file looks into frames, and may ask for {corner.name} by its name"


def _mangled(corner: Corner) -> Iterator[str]:
    """Python: in a class `__name` means another name than outside of it."""
    if corner.name.startswith("__"):
        yield f"{corner.name} has another name in each class"


def _named_by_itself(corner: Corner) -> Iterator[str]:
    """Python: a function or a class knows its name, and code that gets it may read that."""
    own = [corner.node(one) for one in corner.own]
    kinds = {node.parent.type for node in own if _names(node, _DEFINED)}
    if not kinds or not corner.worded():
        return
    is_class = "class_definition" in kinds
    for of in asked_in(corner.source):
        of_class = of in ("self", "cls") or of.startswith("type(") or of.endswith(".__class__")
        handed = is_class if of_class else any(map(is_value, own))
        if handed or of == corner.name or of.endswith(f".{corner.name}"):
            yield f"the file asks something for its __name__, which may be {corner.name}"
            return


def _names(node: Any, kinds: Set[str]) -> bool:
    """Whether a node is the name of a definition."""
    holder = node.parent
    return holder is not None and holder.type in kinds and holder.child_by_field_name("name") == node


def _with(corner: Corner) -> Iterator[str]:
    """JavaScript: `with (thing)` asks the thing for every name first."""
    if any(node.type == "with_statement" for one in corner.own for node in corner.around(one)):
        yield f"{corner.name} stands in a `with`, which may find it in an object"


def _hoisted(corner: Corner) -> Iterator[str]:
    """JavaScript: `var`, parameters, what is caught, and functions of a block may be one variable or several."""
    function = corner.scope.function()
    bound = [(_way(corner, one), one.binds) for one in corner.within(function) if _is_of(one, function)]
    scopes = {id(scope) for way, scope in bound if way}
    if len(scopes) > 1 and id(corner.scope) in scopes:
        yield f"{corner.name} is declared in several ways in one function"
    if not any(way == "block" and scope is corner.scope for way, scope in bound):
        return
    # Out of strict mode a function of a block is a variable of the whole function as well, and of the whole program.
    if function.kind == ROOT or any(one.binds is None and _outside(one, corner) for one in corner.within(function)):
        yield f"{corner.name} is a function in a block, which may be known outside of it"
    elif corner.new.encode() in corner.source.data[function.start : function.end]:
        yield f"{corner.new} is used already in the function around the block"


def _outside(one: Occurrence, corner: Corner) -> bool:
    return one.bare and not corner.scope.start <= one.start < corner.scope.end


def _is_of(one: Occurrence, function: Scope) -> bool:
    return one.binds is not None and one.binds.function() is function


def _way(corner: Corner, one: Occurrence) -> str:
    """How an occurrence declares the name; empty if that never mixes with another declaration."""
    node = corner.node(one)
    for outer in above(node.parent):
        if outer.type in _HOISTED:
            held = outer.parent.parent if outer.parent is not None else None
            is_body = outer.parent.type == "statement_block" and held is not None and held.type in _BODIED
            return "function" if is_body or outer.parent.type == "program" else "block"
        if outer.type == "variable_declaration":
            return "var"
        if outer.type in ("lexical_declaration", "class_declaration"):
            return ""
        if outer.type == "catch_clause":
            return "catch"
        if outer.type in ("formal_parameters", "arrow_function"):
            return "parameter"
        if outer.type == "for_in_statement":
            kind = outer.child_by_field_name("kind")
            return "var" if kind is not None and kind.type == "var" else ""
        if outer.type == "statement_block":
            return ""
    return ""


_BODIED = frozenset(
    """
    function_declaration function_expression generator_function generator_function_declaration arrow_function
    method_definition
    """.split()
)


def _defaulted(corner: Corner) -> Iterator[str]:
    """JavaScript: what a parameter's default asks for is never a `var` of the body."""
    if corner.scope.kind != FUNCTION:
        return
    in_body = any(_way(corner, one) == "var" for one in corner.own if one.binds is not None)
    if in_body and any(node.type == "formal_parameters" for one in corner.own for node in _heads(corner, one)):
        yield f"{corner.name} stands in the parameters and is a variable of the body"


def _heads(corner: Corner, one: Occurrence) -> Iterator[Any]:
    """The nodes around an occurrence within the head of the scope's function."""
    for node in corner.around(one):
        holder = node.parent
        if holder is not None and holder.start_byte == corner.scope.start and holder.type in _BODIED:
            yield node


def _listed_in_enum(corner: Corner) -> Iterator[str]:
    """TypeScript: in an enumeration its members come before all else that has their names."""
    for one in corner.own:
        for node in corner.around(one):
            if node.type == "enum_body" and any(_member(each) == corner.name.encode() for each in node.named_children):
                yield f"{corner.name} is also a member of the enumeration that it stands in"
                return


def _member(node: Any) -> bytes:
    name = node.child_by_field_name("name") if node.type == "enum_assignment" else node
    return bytes((name.text or b"").strip(b"\"'")) if name is not None else b""


def _types_apart(corner: Corner) -> Iterator[str]:
    """TypeScript: types and values of one name are different things, and each is looked for by itself."""
    ways: dict[int, set[str]] = {}
    for one in corner.found.occurrences:
        if one.binds is not None:
            holder = corner.node(one).parent
            kind = holder.type if holder is not None else ""
            way = {"type"} if kind in _ONLY_TYPES else {"type", "value"} if kind in _BOTH else {"value"}
            ways[id(one.binds)] = ways.get(id(one.binds), set()) | way
    for one in corner.within(corner.scope):
        meant = corner.found.meaning(one)
        asked = "type" if corner.node(one).type == "type_identifier" else "value"
        if meant is not None and one.binds is None and asked not in ways.get(id(meant[0]), {asked}):
            yield f"{corner.name} is a type in one scope and a value in another"
            return


def _called_by_itself(corner: Corner) -> Iterator[str]:
    """JavaScript: a function or class has the name that it was given first."""
    written = corner.name.encode()
    asked = any(each in corner.source.data for each in (written + b".name", b"constructor.name", b"target.name"))
    inner = {"function_expression", "generator_function", "class"}
    if asked or (b".name" in corner.source.data and any(_names(corner.node(one), inner) for one in corner.own)):
        if not any(one.binds is not None and _is_function(corner.node(one)) for one in corner.own):
            return
        yield f"the file asks something for its name, which may be {corner.name}"


def _is_function(node: Any) -> bool:
    holder = node.parent
    if holder is None or holder.child_by_field_name("name") != node:
        return False
    value = holder.child_by_field_name("value") if holder.type == "variable_declarator" else holder
    return value is not None and value.type in _BODIED | {"class_declaration", "class", "abstract_class_declaration"}


def _of_an_element(corner: Corner) -> Iterator[str]:
    """JSX: an element with a small letter belongs to the page, even if a variable has its name."""
    if any(_is_element(corner.node(one)) for one in corner.own) and not corner.name[:1].isupper():
        yield f"{corner.name} is also an element of a page"


def _is_element(node: Any) -> bool:
    holder = node.parent
    return (
        holder is not None
        and holder.type in ("jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element")
        and holder.child_by_field_name("name") == node
    )


def _body_of_a_function(corner: Corner) -> Iterator[str]:
    """Go: `:=` in the body of a function assigns a parameter or result that has the name already."""
    for one in corner.within(corner.scope.function()):
        outer = one.binds
        if outer is None or (outer is not corner.scope and outer.parent is not corner.scope):
            continue
        if {outer.kind, corner.scope.kind} == {"block", FUNCTION} and outer.end == corner.scope.end:
            yield f"{corner.name} is a parameter or result that is declared again"
            return
    parent = corner.scope.parent
    if corner.scope.kind == "block" and parent is not None and parent.kind == FUNCTION:
        if parent.end == corner.scope.end and corner.name in parent.bound:
            yield f"{corner.name} is a parameter or result that is declared again"


def _keyed(corner: Corner) -> Iterator[str]:
    """Go: the key of a literal is a field of a struct, or a variable where the type is a map or a list."""
    for one in corner.within(corner.scope):
        around = list(above(corner.node(one)))
        key = len(around) > 2 and around[1].type == "literal_element" and around[2].type == "keyed_element"
        if not key or around[2].child_by_field_name("key") != around[1]:
            continue
        literal = next((node for node in around if node.type == "composite_literal"), None)
        direct = literal is not None and literal.child_by_field_name("body") == around[2].parent
        kind = literal.child_by_field_name("type") if literal is not None and direct else None
        if kind is None or not (kind.type == "struct_type" or _is_struct(corner.source.root, kind)):
            yield f"{corner.name} is the key of a literal: a field or this variable"
            return


def _is_struct(root: Any, kind: Any) -> bool:
    """Whether a type is declared as a struct at the top of the file."""
    return any(
        spec.type == "type_spec"
        and spec.child_by_field_name("name").text == kind.text
        and spec.child_by_field_name("type").type == "struct_type"
        for declared in root.named_children
        if declared.type == "type_declaration"
        for spec in declared.named_children
    )


def _in_a_class(corner: Corner) -> Iterator[str]:
    """Java: in the body of a class, what it inherits comes before the variables around it."""
    for one in corner.own:
        inner = [node for node in corner.around(one) if node.start_byte > corner.scope.start]
        if any(node.type in _JAVA_CLASSES for node in inner):
            yield f"{corner.name} is used in a class, which may inherit a member of that name"
            return


def _label(corner: Corner) -> Iterator[str]:
    """Java: a label has a name of its own."""
    kinds = ("labeled_statement", "break_statement", "continue_statement")
    for one in corner.within(corner.scope):
        holder = corner.node(one).parent
        if holder is not None and holder.type in kinds:
            yield f"{corner.name} is also a label"
            return


def _flowing(corner: Corner) -> Iterator[str]:
    """Java: a pattern variable is only visible where the pattern has certainly matched."""
    for one in corner.own:
        if one.binds is None or not any(node.type in _PATTERNS for node in above(corner.node(one).parent)):
            continue
        chain = next((node for node in above(corner.node(one)) if node.type in _ASKING), None)
        if chain is not None and chain.type == "switch_rule":
            continue
        sure = chain.child_by_field_name("consequence") if chain is not None else None
        asked = chain.child_by_field_name("condition") if chain is not None else None
        unsure = asked is None or sure is None or b"!" in asked.text or b"||" in asked.text
        if unsure or not all(_lies(each, asked) or _lies(each, sure) for each in corner.own):
            yield f"{corner.name} is bound by a pattern, and may be something else where that does not match"
            return


def _lies(one: Occurrence, node: Any) -> bool:
    return bool(node.start_byte <= one.start < node.end_byte)


_PATTERNS = frozenset({"instanceof_expression", "record_pattern", "type_pattern"})
_ASKING = frozenset({"if_statement", "switch_rule", "method_declaration", "block", "class_body"})
_RULES: dict[str, Callable[[Corner], Iterator[str]]] = {
    "body_of_a_function": _body_of_a_function,
    "called_by_itself": _called_by_itself,
    "declared_in_class": _declared_in_class,
    "defaulted": _defaulted,
    "flowing": _flowing,
    "hoisted": _hoisted,
    "in_a_class": _in_a_class,
    "keyed": _keyed,
    "label": _label,
    "listed": _listed,
    "listed_in_enum": _listed_in_enum,
    "mangled": _mangled,
    "named_by_itself": _named_by_itself,
    "of_an_element": _of_an_element,
    "shown": _shown,
    "types_apart": _types_apart,
    "with": _with,
}
"""The rules, by the names that records of languages give them."""
