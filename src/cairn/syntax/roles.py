"""What a name does where it stands: its role, what it is taken from, whether it is only a key."""

from typing import Any

from cairn.languages.scoping import NONE, Scoping
from cairn.syntax.receivers import GLOBAL
from cairn.syntax.scopes import Frame

MAX_RECEIVER = 200
IMPORTS = frozenset(
    """
    import_statement import_from_statement future_import_statement import_declaration use_declaration
    extern_crate_declaration import preproc_include using_directive namespace_use_declaration import_or_export
    using_declaration import_header open_module require_clause library_import
    """.split()
)
_TYPES = frozenset(
    """
    type type_annotation type_arguments type_argument_list template_argument_list user_type named_type generic_type
    extends_clause implements_clause class_heritage superclass super_interfaces extends_interfaces base_list
    delegation_specifier base_clause class_interface_clause base_class_clause inheritance_specifier type_list
    type_descriptor type_bound trait_bounds constraint type_constraint extends_type_clause asserts
    """.split()
)
_TYPE_FIELDS = frozenset("type return_type result returns superclass superclasses interfaces trait bounds".split())
_VALUES = frozenset(
    """
    arguments argument_list value_arguments block statement_block class_body declaration_list template_substitution
    compound_statement body_statement lambda_literal literal_value interpolation object
    """.split()
)
_VALUE_FIELDS = frozenset("value body arguments right default_value parameters".split())
CONNECTORS = frozenset({".", "->", "::", "?.", "?->", "&.", "\\", "!!.", "optional_chain", ".?", "->*", ".*"})
_SUFFIXES = frozenset(
    """
    navigation_suffix member_binding_expression unconditional_assignable_selector conditional_assignable_selector
    """.split()
)
_FLAT = frozenset({"token_tree", "ERROR"})
_HEADS = frozenset({"singleton_method", "function_declaration", "property_declaration"})
_MEMBER_FIELDS = frozenset({"attribute", "property", "field", "suffix", "method", "name"})

THROUGH: dict[str, frozenset[str]] = {
    kind: frozenset()
    for kind in """
    pattern_list tuple_pattern list_pattern list_splat_pattern dictionary_splat_pattern as_pattern_target tuple list
    expression_list parenthesized_expression array_pattern object_pattern rest_pattern left_assignment_list
    rest_assignment destructured_left_assignment destructured_parameter variable_list slice_pattern ref_pattern
    mut_pattern reference_pattern or_pattern struct_pattern multi_variable_declaration
    pointer_declarator reference_declarator parenthesized_declarator structured_binding_declarator
    list_literal splat_pattern case_pattern union_pattern class_pattern captured_pattern
    pointer_pattern variable_name type exceptions_variable parenthesized_pattern directly_assignable_expression
    non_null_expression pattern by_ref
    """.split()
} | {
    "pair_pattern": frozenset({"key"}),
    "dict_pattern": frozenset({"key"}),
    "assignment_pattern": frozenset({"right"}),
    "object_assignment_pattern": frozenset({"right"}),
    "tuple_struct_pattern": frozenset({"type"}),
    "struct_pattern": frozenset({"type"}),
    "typed_pattern": frozenset({"type"}),
    "case_class_pattern": frozenset({"type"}),
    "field_pattern": frozenset(),
    "match_pattern": frozenset({"condition"}),
    "array_declarator": frozenset({"size"}),
    "spread_parameter": frozenset(),
}
"""Patterns and declarators: the names in them, but for those in some fields, are what is bound or written."""

_WRITES = frozenset(
    {
        ("assignment", "left"),
        ("assignment", "target"),
        ("augmented_assignment", "left"),
        ("named_expression", "name"),
        ("assignment_expression", "left"),
        ("augmented_assignment_expression", "left"),
        ("compound_assignment_expr", "left"),
        ("assignment_statement", "left"),
        ("assignment_statement", ""),
        ("update_expression", "argument"),
        ("update_expression", ""),
        ("inc_statement", ""),
        ("dec_statement", ""),
        ("for_statement", "left"),
        ("for_in_clause", "left"),
        ("operator_assignment", "left"),
        ("as_pattern", "alias"),
        ("delete_statement", ""),
        ("case_clause", ""),
        ("keyword_pattern", ""),
        ("for", "pattern"),
        ("exception_variable", ""),
        ("variable_assignment", "name"),
        ("for_in_statement", "left"),
        ("range_clause", "left"),
        ("receive_statement", "left"),
    }
)
_STEPS = frozenset({"postfix_unary_expression", "prefix_unary_expression", "unary_expression", "postfix_expression"})
_DECLARATIONS = ("_declaration", "_definition", "_item", "_signature", "_spec", "_elem", "_declarator")
_UPDATES = frozenset(
    """
    augmented_assignment augmented_assignment_expression compound_assignment_expr update_expression inc_statement
    dec_statement operator_assignment
    """.split()
)
_KEYS = frozenset(
    {
        ("keyword_argument", "name"),
        ("pair_pattern", "key"),
        ("field_initializer", "field"),
        ("argument", "name"),
        ("element_value_pair", "key"),
        ("field_designator", ""),
        ("value_argument_label", ""),
        ("jsx_attribute", ""),
        ("type_binding", "name"),
        ("keyword_pattern", "key"),
        ("label", ""),
    }
)


def typed(before: bool, kind: str, field: str) -> bool:
    """Whether a node stands where types do, given that of its parent."""
    if kind in _TYPES or field in _TYPE_FIELDS:
        return True
    return before and kind not in _VALUES and (field not in _VALUE_FIELDS or kind.endswith("identifier"))


def is_declared(path: list[Frame]) -> bool:
    """Whether a name is that of a declaration: of members, too, that no symbol is made of."""
    return path[-1].field == "name" and path[-2].type.endswith(_DECLARATIONS)


def is_keyword(path: list[Frame]) -> bool:
    """Whether a name is a keyword argument's or a key's: no use of a variable of that name."""
    leaf, parent = path[-1], path[-2]
    kind, field = parent.type, leaf.field
    if leaf.type == "hash_key_symbol" or (kind, field) in _KEYS:
        return True
    if kind == "pair":
        return field == "key" and leaf.type == "property_identifier"
    if kind == "field_pattern":
        return leaf.type == "field_identifier"
    if kind == "keyword_pattern":
        return bool(leaf.node.start_byte == parent.node.start_byte)
    if kind == "literal_element" and parent.field == "key":
        literal = next((each for each in reversed(path) if each.type == "composite_literal"), None)
        made = literal.node.child_by_field_name("type") if literal is not None else None
        return made is None or made.type not in ("map_type", "array_type", "slice_type")
    if kind == "value_argument":
        after = leaf.node.next_sibling
        return after is not None and after.type == "="
    if kind == "assignment_expression" and field == "left" and len(path) > 2:
        return path[-3].type in ("initializer_expression", "arguments")
    return kind == "field" and field == "name" and len(path) > 2 and path[-3].type == "table_constructor"


def receiver(path: list[Frame], data: bytes) -> str | None:
    """What stands before the connector, as written; None for a name that follows none."""
    at = len(path) - 1
    if path[at - 1].type == "variable_name":
        at -= 1
    start = path[at].node.start_byte
    last = start - 1
    while last >= 0 and data[last] in b" \t\r\n":
        last -= 1
    if data[last : last + 1] not in (b".", b">", b":", b"\\") and path[at].field not in _MEMBER_FIELDS:
        return None
    while at > 0 and path[at - 1].node.start_byte == start:
        at -= 1
    if at == 0:
        return None
    link = _previous(path[at].node)
    above = path[at - 1]
    if link is None or not _connects(link, above):
        return None
    first: Any = above.node.start_byte
    if above.type in _FLAT:
        first = _flat_start(link)
    elif above.type in _HEADS:
        before = link.prev_sibling
        first = before.start_byte if before is not None else link.start_byte
    elif link.start_byte == first:
        if above.type not in _SUFFIXES:
            return GLOBAL if link.type == GLOBAL else ""
        first = _chain_start(path, at - 1)
    else:
        first = _outermost(path, at - 1)
    return shortened(data[first : link.start_byte])


def shortened(written: bytes) -> str:
    """What stands before a dot, without spaces and in a limited length."""
    return b"".join(written.split())[:MAX_RECEIVER].decode("utf-8", "ignore").removesuffix("?")


def _connects(link: Any, above: Frame) -> bool:
    if link.type == "->":  # an arrow may also lead to a result or a body
        return above.type in _FLAT or above.type.startswith(("field_expression", "member_"))
    if link.type == "\\":
        return "name" in above.type
    return link.type in CONNECTORS or (link.type == ":" and above.type == "method_index_expression")


def _previous(node: Any) -> Any:
    found = node.prev_sibling
    while found is not None and (found.is_extra or found.type == "type_arguments"):
        found = found.prev_sibling
    return found


def _flat_start(link: Any) -> int:
    """Among tokens that no rule has put together: back over names and connectors."""
    start: int = link.start_byte
    before = link.prev_sibling
    while before is not None and before.is_named:
        start = before.start_byte
        before = before.prev_sibling
        if before is None or before.type not in CONNECTORS:
            break
        before = before.prev_sibling
    return start


def _chain_start(path: list[Frame], at: int) -> int:
    """Where the chain begins whose link is a node of its own (`.b` after `a`)."""
    start = path[at].node.start_byte
    while at > 0 and path[at - 1].node.start_byte == start:
        at -= 1
    before = path[at].node.prev_sibling
    while before is not None and (before.type in ("selector", "?")) and before.prev_sibling is not None:
        before = before.prev_sibling
    return int(before.start_byte) if before is not None else int(start)


def _outermost(path: list[Frame], at: int) -> int:
    """`A::B::f` may be nested to the right: its whole path is what stands before `f`."""
    while at > 0 and path[at].type == path[at - 1].type == "qualified_identifier":
        at -= 1
    return int(path[at].node.start_byte)


def target(path: list[Frame], rules: Scoping = NONE) -> int:
    """The place in the path of the node that a name's patterns and declarators stand in."""
    at = len(path) - 2
    while at > 0:
        if (path[at].type, path[at + 1].field) in rules.binders:
            break
        if not _passes(path, at):
            break
        at -= 1
    return at


def _passes(path: list[Frame], at: int) -> bool:
    kind, child = path[at].type, path[at + 1]
    forbidden = THROUGH.get(kind)
    if forbidden is not None:
        return child.field not in forbidden and not (kind == "class_pattern" and child.type == "dotted_name")
    if kind == "dotted_name":
        same = path[at].node.end_byte == child.node.end_byte and path[at].node.start_byte == child.node.start_byte
        return same and path[at - 1].type in ("case_pattern", "keyword_pattern")
    if kind == "assignment_statement":  # Lua's `local a = 1`
        return child.type == "variable_list" and path[at - 1].type == "variable_declaration"
    if kind == "pair":
        return path[at - 1].type == "foreach_statement"
    if kind == "function_declarator":
        return child.type == "parenthesized_declarator"
    if kind == "as_pattern":
        return child.type == "case_pattern" or (child.field == "" and path[at - 1].type == "case_pattern")
    return False


def writes(path: list[Frame], taken: bool) -> bool:
    """Whether what the name stands for is assigned; `taken` for a name behind a connector."""
    at = len(path) - 1
    if taken:
        if path[at - 1].type == "dotted_name":
            return False
        end = path[at].node.end_byte
        at -= 1
        while (
            at > 1 and path[at - 1].node.end_byte == end and path[at - 1].type in _SUFFIXES | {"navigation_expression"}
        ):
            at -= 1
        if path[at].node.end_byte != end:
            return False
        if path[at].type == "directly_assignable_expression":
            at += 1
    found = target(path[: at + 1])
    above = path[found]
    if (above.type, path[found + 1].field) in _WRITES:
        return (above.type, path[found + 1].field) != ("assignment_statement", "") or path[
            found + 1
        ].type == "variable_list"
    if above.type == "foreach_statement" and path[found + 1].field == "":
        return bool(path[found + 1].node.start_byte > above.node.named_children[0].start_byte)
    if above.type in _STEPS:
        return any(each.type in ("++", "--") for each in above.node.children)
    return False


def updates(path: list[Frame]) -> bool:
    """Whether a write of a bare name needs the value from before."""
    above = path[target(path)]
    if above.type in _STEPS or above.type in _UPDATES:
        return True
    sign = above.node.child_by_field_name("operator")
    return sign is not None and sign.text not in (b"=", b":=")
