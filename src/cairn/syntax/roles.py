"""What a name does where it stands: its role, what it is taken from, whether it is only a key."""

import re
from typing import Any

from cairn.languages.scoping import NONE, Scoping
from cairn.syntax import kinds
from cairn.syntax.chains import UNKNOWN, chain_of, field_of, first_named, path_of
from cairn.syntax.receivers import GLOBAL
from cairn.syntax.shapes import OnWay, Way
from cairn.syntax.valuekinds import CHAINS

MAX_RECEIVER = 200
_WHITE = b" \t\r\n"
_SPACE = frozenset({b" ", b"\t", b"\r", b"\n"})
_ENDS = frozenset({b".", b">", b":", b"\\"})
"""How connectors end."""

_KEYED_BY_VALUES = frozenset({"map_type", "array_type", "implicit_length_array_type", "slice_type"})
"""What a literal of Go makes whose keys are values, where those of others name fields."""

_WORD = rb"[@$]*[A-Za-z_\x80-\xff][0-9A-Za-z_$\x80-\xff]*"
_PLAIN = re.compile(rb"(?:%b(?:(?:[?!]?\.|->|::|\\)%b)*)?" % (_WORD, _WORD))
_UPDATES = frozenset(
    """
    augmented_assignment augmented_assignment_expression compound_assignment_expr update_expression inc_statement
    dec_statement operator_assignment
    """.split()
)


def is_declared(path: Way) -> bool:
    """Whether a name is that of a declaration: of members, too, that no symbol is made of."""
    return path[-1].field == "name" and path[-2].type.endswith(kinds.DECLARATIONS)


def is_shorthand(path: Way) -> bool:
    """Whether one word is a key and a variable: `{ name }`."""
    return path[-1].type.startswith("shorthand_") or path[-2].type == "shorthand_field_initializer"


def is_keyword(path: Way) -> bool:
    """Whether a name is a keyword argument's or a key's: no use of a variable of that name."""
    leaf, parent = path[-1], path[-2]
    kind, field = parent.type, leaf.field
    if leaf.type == "hash_key_symbol" or (kind, field) in kinds.KEYS:
        return True
    if kind == "pair":
        return field == "key" and leaf.type == "property_identifier"
    if kind == "field_pattern":
        return leaf.type == "field_identifier"
    if kind == "keyword_pattern":
        return bool(leaf.node.start_byte == parent.node.start_byte)
    if kind == "literal_element" and parent.field == "key":
        return not _is_keyed_by_values(path)
    if kind == "value_argument":
        after = leaf.node.next_sibling
        return after is not None and after.type == "="
    if kind == "assignment_expression" and field == "left" and len(path) > 2:
        return path[-3].type in ("initializer_expression", "arguments")
    if kind == "field" and field == "name" and len(path) > 2 and path[-3].type == "table_constructor":
        before = leaf.node.prev_sibling
        return before is None or before.type != "["
    return False


def _is_keyed_by_values(path: Way) -> bool:
    """Whether a literal's key is a value: of `[]T{{key: 1}}` the inner literal makes a T, whose name it leaves out."""
    inner = 0
    for each in reversed(path):
        if each.type == "composite_literal":
            made = each.node.child_by_field_name("type")
            break
        inner += each.type == "literal_value"
    else:
        return False
    for _ in range(inner - 1):
        made = made and (made.child_by_field_name("element") or made.child_by_field_name("value"))
    # The fields of a struct that is written there are bound there.
    return made is not None and (made.type in _KEYED_BY_VALUES or (inner > 1 and made.type == "struct_type"))


def may_be_taken(path: Way) -> bool:
    """Whether a name may be asked of something though it follows no connector, for all that kinds tell."""
    return path[-2].type == "variable_name" or path[-1].field in kinds.MEMBER_FIELDS


def follows_connector(data: bytes, start: int) -> bool:
    """Whether what stands before a place may be a connector."""
    last = data[start - 1 : start]
    if last in _SPACE:
        # Most have little space before them.
        last = data[max(start - 40, 0) : start].rstrip(_WHITE)[-1:] or data[:start].rstrip(_WHITE)[-1:]
    return last in _ENDS


def receiver(path: Way, data: bytes) -> str | None:
    """What stands before the connector: names and connectors as written, all else as a chain; None for a name that
    follows none."""
    at = len(path) - 1
    if path[at - 1].type == "variable_name":
        at -= 1
    start = path[at].node.start_byte
    if path[at].field not in kinds.MEMBER_FIELDS and not follows_connector(data, start):
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
    if above.type in kinds.FLAT:
        first = _flat_start(link)
    elif above.type in kinds.QUALIFIED_HEADS:
        before = link.prev_sibling
        first = before.start_byte if before is not None else link.start_byte
    elif link.start_byte == first:
        if above.type not in kinds.SUFFIXES:
            return GLOBAL if link.type == GLOBAL else ""
        first = _chain_start(path, at - 1)
    else:
        first = _outermost(path, at - 1)
    written = shortened(data[first : link.start_byte])
    return written if is_plain(written) else _chained(path, at - 1, data, first, link.start_byte)


def shortened(written: bytes) -> str:
    """What stands before a dot, without spaces and in a limited length."""
    return b"".join(written.split())[:MAX_RECEIVER].decode("utf-8", "ignore").removesuffix("?")


def is_plain(written: str) -> bool:
    """Whether a receiver is nothing but names and connectors."""
    rest = written.encode().removeprefix(b"\\")
    rest = b"super" + rest[7:] if rest.startswith(b"super()") else rest
    return _PLAIN.fullmatch(rest) is not None


def _chained(path: Way, at: int, data: bytes, first: int, end: int) -> str:
    """The chain of what a name is asked of, by the place of the node that asks for it."""
    above = path[at]
    owner = path[at - 1] if above.type in kinds.SUFFIXES and at else above
    what, bases, _ = CHAINS.get(owner.type, ("", (), ()))
    if what == "path":
        return path_of(data[first:end])
    base = None
    if above.type == "member_binding_expression":
        asked = next((each for each in reversed(path[:at]) if each.type == "conditional_access_expression"), None)
        base = asked.node.child_by_field_name("condition") if asked is not None else None
    elif what in ("member", "call"):
        base = field_of(owner.node, bases) or first_named(owner.node)
    return chain_of(base, data) if base is not None and base.end_byte <= end else UNKNOWN


def _connects(link: Any, above: OnWay) -> bool:
    if link.type == "->":  # an arrow may also lead to a result or a body
        return above.type in kinds.FLAT or above.type.startswith(("field_expression", "member_"))
    if link.type == "\\":
        return "name" in above.type
    return link.type in kinds.CONNECTORS or (link.type == ":" and above.type == "method_index_expression")


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
        if before is None or before.type not in kinds.CONNECTORS:
            break
        before = before.prev_sibling
    return start


def _chain_start(path: Way, at: int) -> int:
    """Where the chain begins whose link is a node of its own (`.b` after `a`)."""
    start = path[at].node.start_byte
    while at > 0 and path[at - 1].node.start_byte == start:
        at -= 1
    before = path[at].node.prev_sibling
    while before is not None and (before.type in ("selector", "?")) and before.prev_sibling is not None:
        before = before.prev_sibling
    return int(before.start_byte) if before is not None else int(start)


def _outermost(path: Way, at: int) -> int:
    """`A::B::f` may be nested to the right: its whole path is what stands before `f`."""
    while at > 0 and path[at].type == path[at - 1].type == "qualified_identifier":
        at -= 1
    return int(path[at].node.start_byte)


def target(path: Way, rules: Scoping = NONE) -> int:
    """The place in the path of the node that a name's patterns and declarators stand in."""
    at = len(path) - 2
    while at > 0:
        if (path[at].type, path[at + 1].field) in rules.binders:
            break
        if not _passes(path, at):
            break
        at -= 1
    return at


def _passes(path: Way, at: int) -> bool:
    kind, child = path[at].type, path[at + 1]
    forbidden = kinds.THROUGH.get(kind)
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


def writes(path: Way, taken: bool) -> bool:
    """Whether what the name stands for is assigned; `taken` for a name behind a connector."""
    at = len(path) - 1
    if taken:
        if path[at - 1].type == "dotted_name":
            return False
        at -= 1
        while at > 1 and path[at - 1].type in kinds.NAVIGATIONS and _end_together(path, at - 1):
            at -= 1
        inner = at + (path[at].type == "directly_assignable_expression")
        return _is_written(path, inner) and _end_together(path, at)
    return _is_written(path, at)


def _end_together(path: Way, at: int) -> bool:
    return bool(path[at].node.end_byte == path[-1].node.end_byte)


def _is_written(path: Way, at: int) -> bool:
    found = target(path[: at + 1])
    above = path[found]
    if (above.type, path[found + 1].field) in kinds.WRITES:
        return (above.type, path[found + 1].field) != ("assignment_statement", "") or path[
            found + 1
        ].type == "variable_list"
    if above.type == "foreach_statement" and path[found + 1].field == "":
        return bool(path[found + 1].node.start_byte > above.node.named_children[0].start_byte)
    if above.type in kinds.STEPS:
        return any(each.type in ("++", "--") for each in above.node.children)
    return False


def updates(path: Way) -> bool:
    """Whether a write of a bare name needs the value from before."""
    above = path[target(path)]
    if above.type in kinds.STEPS or above.type in _UPDATES:
        return True
    sign = above.node.child_by_field_name("operator")
    return sign is not None and sign.text not in (b"=", b":=")
