"""How values flow in a file: what each name is given, and what functions give back, as rows of chains.

A block is rows in order of place. Columns of text: target, value, within. Columns of numbers: line, column, end_line.
Places are those of the written names' own occurrences, or of the words `return` and `yield`. No function here calls
itself: a tree may be as deep as a file is long.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from cairn.base.columns import join_columns, transposed
from cairn.syntax import valuekinds as table
from cairn.syntax.chains import (
    LITERAL,
    UNKNOWN,
    chain_of,
    chains_of,
    field_of,
    first_named,
    last_named,
    only_in,
    sign_of,
    stepped,
    type_text,
)
from cairn.syntax.lines import line_starts
from cairn.syntax.marks import marks
from cairn.syntax.native import flows_natively
from cairn.syntax.parse import grammar_for, grammar_name, tree_of
from cairn.syntax.patterns import NOTHING_KNOWN, Flow, bound, paired

RETURN, YIELD = "return", "yield"
TEXTS, NUMBERS = 3, 3
_MOST_TESTS = 50
_NEAR = 3
"""How far above its parameters a closure is, at most."""


def flow_block(path_key: str, language: str, data: bytes) -> bytes:
    """The flows of a file as columns, joined; empty where there is no grammar for it or no flow in it."""
    grammar = grammar_name(path_key, language, data)
    block = flows_natively(grammar, data) if grammar is not None else b""
    return flows_by_reference(path_key, language, data) if block is None else block


def flows_by_reference(path_key: str, language: str, data: bytes) -> bytes:
    """The same by the reference."""
    loaded = grammar_for(path_key, language, data)
    if loaded is None:
        return b""
    root = tree_of(path_key, language, data).root_node
    scoping = loaded.language.scoping
    functions = (scoping.functions if scoping is not None else frozenset()) - table.BLOCKS_OF_CALLERS
    found = sorted(_Reader(data, functions).flows(root), key=lambda flow: flow.at)
    if not found:
        return b""
    marked = marks(loaded, root, data)
    lines = line_starts(data)
    rows = []
    written: dict[str, list[int]] = {}
    for flow in found:
        if not flow.end:
            written.setdefault(flow.target, []).append(flow.at)
    for flow, within in zip(found, marked.within(flow.at for flow in found), strict=True):
        if flow.target in (RETURN, YIELD):
            holder = marked.around(flow.at)
            if holder is None or holder.kind in table.SPACES or flow.around >= holder.start:
                continue  # what is given back inside of a function without a name isn't given back by that around it
        if flow.end and any(flow.at <= at < flow.end for at in written.get(flow.target, ())):
            continue  # it may be something else there, too
        line = bisect_right(lines, flow.at)
        end = bisect_right(lines, flow.end - 1) if flow.end else 0
        rows.append((flow.target, flow.value, within, line, flow.at - lines[line - 1], end))
    columns = transposed(rows, TEXTS + NUMBERS)
    return join_columns(columns[:TEXTS], columns[TEXTS:])


class _Reader:
    """Reads the flows of a tree."""

    def __init__(self, data: bytes, functions: frozenset[str]) -> None:
        self.data, self.functions = data, functions

    def flows(self, root: Any) -> Iterator[Flow]:
        cursor = root.walk()
        above: list[Any] = []
        inside: list[int] = []
        """Where the functions around a place begin."""
        while True:
            node = cursor.node
            if node.is_named:  # signs and keywords have nothing in them
                kind = node.type
                if kind in self.functions:
                    inside.append(node.start_byte)
                if kind in _READ:
                    yield from _READ[kind](self, node, above)
                if kind in _GIVING:
                    around = inside[-2] if len(inside) > 1 else -1
                    for flow in _GIVING[kind](self, node, above):
                        yield flow._replace(around=around)
                if cursor.goto_first_child():
                    above.append(node)
                    continue
                if kind in self.functions:
                    inside.pop()
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                if above.pop().type in self.functions:
                    inside.pop()

    # What is assigned.

    def assigned(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        sign = node.child_by_field_name("operator")
        updates = sign is not None and self.text(sign) not in table.PLAIN
        if updates or node.type in ("compound_assignment_expr", "augmented_assignment"):
            yield from bound(self.data, field_of(node, table.TARGETS), None, NOTHING_KNOWN)
            return
        names = node.children_by_field_name("name") if node.type in ("var_spec", "const_spec") else []
        target = field_of(node, table.TARGETS)
        if target is None:
            target = first_named(node)
            if node.type == "property_declaration":
                declared = ("variable_declaration", "multi_variable_declaration")
                target = next((child for child in node.named_children if child.type in declared), None)
        value = field_of(node, table.VALUES) or self.behind(node, "=")
        if target is None or (value is not None and value.start_byte <= target.start_byte):
            return
        kind = self.declared(node, target, above)
        if kind:
            for each in names or [target]:
                yield from bound(self.data, each, None, (kind,))
        elif value is None or value.type == "argument_list":
            return
        elif len(names) > 1:
            for part in paired(self.data, names, value):
                yield from bound(self.data, *part)
        else:
            yield from bound(self.data, target, value)

    def declaration(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """C's declarations without a value."""
        kind = self.declared(node, None, above)
        for each in node.children_by_field_name("declarator"):
            if kind and each.type in ("identifier", "pointer_declarator", "reference_declarator", "array_declarator"):
                yield from bound(self.data, each, None, (kind,))

    def parameter(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """The written type of a closure's parameter: no definition has it in its head."""
        function = next((each.type for each in reversed(above[-_NEAR:]) if each.type in self.functions), "")
        target = field_of(node, table.TARGETS)
        kind = self.declared(node, target, above) if function in table.CLOSURES and target is not None else ""
        for each in (node.children_by_field_name("name") or [target]) if kind else ():
            yield from bound(self.data, each, None, (kind,))

    def updated(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        if any(child.type in ("++", "--") for child in node.children):
            yield from bound(
                self.data, field_of(node, ("argument", "operand")) or first_named(node), None, NOTHING_KNOWN
            )

    def looped(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        target = field_of(node, table.TARGETS)
        value = field_of(node, table.VALUES)
        if target is None and value is None:
            target, value = first_named(node), self.behind(node, "in")
            if value is None:
                target, value = self.behind(node, "as"), target
        if target is None or value is None or target.start_byte == value.start_byte:
            return
        kind = self.declared(node, target, above)
        element = kind or stepped(chain_of(value, self.data), "[]")
        if target.type == "pair":  # PHP's keys
            yield from bound(self.data, first_named(target), None, (LITERAL,))
            yield from bound(self.data, last_named(target), None, (element,))
        elif node.type == "range_clause":
            names = target.named_children
            given = (LITERAL, element) if len(names) == 2 else [UNKNOWN] * len(names)
            for name, said in zip(names, given, strict=True):
                yield from bound(self.data, name, None, (said,))
        else:
            keys = node.type == "for_in_statement" and sign_of(node, self.data) == "in"
            yield from bound(self.data, target, None, (LITERAL if keys else element,))

    def caught(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        value = node.child_by_field_name("value")
        if value is not None and value.type == "as_pattern":
            name, kind = value.child_by_field_name("alias"), first_named(value)
        else:
            name = field_of(node, ("error", "name", "parameter", "variable"))
            kind = field_of(node, ("type", "exceptions"))
            if name is None and node.type == "catch_block":
                inside = [child for child in node.named_children if not child.is_extra]
                name, kind = inside[:2] if len(inside) > 2 else (None, None)
            elif name is None and (given := node.child_by_field_name("parameters")) is not None:
                head = first_named(given)
                name = head.child_by_field_name("declarator") if head is not None else None
                kind = head.child_by_field_name("type") if head is not None else None
            elif kind is None and node.type == "catch_formal_parameter":
                kind = next((child for child in node.named_children if child.type == "catch_type"), None)
            elif kind is None and name is not None and name.type == "pattern":
                kind = name.child_by_field_name("name")
                name = first_named(name)
        if name is not None:
            yield from bound(self.data, name, None, (type_text(kind, self.data) if kind is not None else UNKNOWN,))

    def entered(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """Python's `with`."""
        value = node.child_by_field_name("value")
        if value is None or value.type != "as_pattern":
            return
        name, given = value.child_by_field_name("alias"), first_named(value)
        waits = len(above) > 1 and above[-2].child_count > 0 and above[-2].children[0].type == "async"
        step = ".__aenter__()" if waits else ".__enter__()"
        if name is not None and given is not None:
            yield from bound(self.data, name, None, (stepped(chain_of(given, self.data), step),))

    def matched(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """Names in a pattern of Python's `match`."""
        inside = first_named(node)
        if inside is not None and inside.type == "as_pattern":
            inside = last_named(inside)
        elif inside is not None and inside.type == "dotted_name" and inside.named_child_count == 1:
            inside = inside.named_children[0]
        if inside is not None and inside.type == "identifier":
            yield from bound(self.data, inside, None, NOTHING_KNOWN)

    def switched(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """Go's `switch x := y.(type)`: x is of the type of a case that has one alone."""
        alias = node.child_by_field_name("alias")
        yield from bound(self.data, alias, None, NOTHING_KNOWN)
        name = only_in(alias) if alias is not None else None
        for case in node.named_children if name is not None else ():
            said: list[Any] = case.children_by_field_name("type") if case.type == "type_case" else []
            if len(said) == 1 and (end := self._end_alone(case)):
                yield Flow(case.start_byte, chain_of(name, self.data), type_text(said[0], self.data), end=end)

    def tested(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """What a value is known to be where a test of its type held."""
        yield from self.opened(node, above)
        condition = node.child_by_field_name("condition")
        if condition is None:
            return
        body = field_of(node, ("consequence", "body"))
        if body is None:
            behind = (child for child in node.named_children if child.start_byte >= condition.end_byte)
            body = next((child for child in behind if not child.is_extra), None)
        end = self._end_alone(body) if body is not None else 0
        todo = [condition] if end else []
        for _ in range(_MOST_TESTS):
            if not todo:
                return
            each = todo.pop()
            if each.type == "parenthesized_expression" and (inner := only_in(each)) is not None:
                todo.append(inner)
            elif each.type in table.EITHER and sign_of(each, self.data) in table.BOTH_SIGNS:
                todo += [side for side in (field_of(each, ("right",)), field_of(each, ("left",))) if side is not None]
            else:
                value, kind = self.test(each)
                name = chain_of(value, self.data) if value is not None and kind is not None else UNKNOWN
                if name != UNKNOWN and not set(name) & set('.()[]":'):
                    yield Flow(body.start_byte, name, type_text(kind, self.data), end=end)

    def _end_alone(self, body: Any) -> int:
        """Where a body ends, or the line before its last one, which it shares with others; 0 where it has only that.

        Rows tell lines, and what stands behind a body is not what it was tested for.
        """
        last = self.data.find(b"\n", body.end_byte)
        behind = self.data[body.end_byte : last if last >= 0 else len(self.data)]
        if not behind.strip(b" \t\r;})"):
            return int(body.end_byte)
        return self.data.rfind(b"\n", body.start_byte, body.end_byte) + 1

    def test(self, node: Any) -> tuple[Any, Any]:
        """The value whose type a condition tests, and the type; None for each where it tests none."""
        kind = node.type
        if kind in ("instanceof_expression", "is_expression"):
            return node.child_by_field_name("left"), node.child_by_field_name("right")
        if kind == "binary_expression" and sign_of(node, self.data) == "instanceof":
            return node.child_by_field_name("left"), node.child_by_field_name("right")
        if kind == "is_pattern_expression":
            pattern = node.child_by_field_name("pattern")
            said = pattern.child_by_field_name("type") or only_in(pattern) if pattern is not None else None
            plain = pattern is not None and pattern.type in ("constant_pattern", "declaration_pattern", "type_pattern")
            return (node.child_by_field_name("expression"), said) if plain else (None, None)
        given = node.child_by_field_name("arguments") if kind == "call" else None
        inside = [child for child in given.named_children if not child.is_extra] if given is not None else []
        function, method = node.child_by_field_name("function"), node.child_by_field_name("method")
        if function is not None and self.text(function) == "isinstance" and len(inside) == 2:
            return inside[0], inside[1]
        if method is not None and self.text(method) in table.IS_TESTS and len(inside) == 1:
            return node.child_by_field_name("receiver"), inside[0]
        return None, None

    def instance(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """Java's `x instanceof A a`."""
        kind = node.child_by_field_name("right")
        if kind is not None:
            yield from bound(self.data, node.child_by_field_name("name"), None, (type_text(kind, self.data),))

    def opened(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """Swift's `if let x = e`."""
        if node.child_by_field_name("bound_identifier") is None:
            return
        name = None
        for index, child in enumerate(node.children):
            if node.field_name_for_child(index) == "bound_identifier":
                name = child
            elif child.type == "=" and name is not None and index + 1 < node.child_count:
                yield from bound(self.data, name, node.children[index + 1])
                name = None

    # What is given back.

    def returned(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        first = node.children[0].type if node.child_count else ""
        if node.type == "control_transfer_statement" and first != "return":
            return
        value = first_named(node)
        if value is not None:
            yield from self.given(RETURN, node.start_byte, value)

    def yielded(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        value = first_named(node)
        signs = {child.type for child in node.children}
        # Ruby's `yield` calls a function, and Java's gives a value to a `switch`.
        if value is None or value.type == "argument_list" or (node.type == "yield_statement" and "return" not in signs):
            return
        if signs & {"from", "*"}:
            yield Flow(node.start_byte, YIELD, stepped(chain_of(value, self.data), "[]"))
        else:
            yield from self.given(YIELD, node.start_byte, value)

    def shown(self, node: Any, above: list[Any]) -> Iterator[Flow]:
        """A body that is one expression, or ends in one."""
        kind = node.type
        if kind == "arrow_function":
            value = node.child_by_field_name("body")
            value = None if value is not None and value.type in ("statement_block", "compound_statement") else value
        elif kind == "function_body":
            value = last_named(node) if node.children and node.children[0].type == "=" else None
        elif kind == "arrow_expression_clause":
            value = first_named(node)
        else:
            body = node.child_by_field_name("body")
            value = last_named(body) if body is not None and body.type in ("block", "body_statement") else body
        if value is not None and not value.type.endswith(table.NO_VALUES):
            yield from self.given(RETURN, value.start_byte, value)

    def given(self, target: str, at: int, value: Any) -> Iterator[Flow]:
        for each in chains_of(value, self.data):
            yield Flow(at, target, each)

    def declared(self, node: Any, target: Any, above: list[Any]) -> str:
        """`: TYPE` where it is written; empty where it isn't."""
        kind = node.child_by_field_name("type")
        if kind is None and node.type in table.SHARES_TYPE and above:
            kind = above[-1].child_by_field_name("type")
        if kind is None:
            kind = next((child for child in node.named_children if child.type == "type_annotation"), None)
        if kind is None and target is not None and target.type == "variable_declaration":
            inside = [child for child in target.named_children if not child.is_extra]
            kind = inside[-1] if len(inside) > 1 else None
        if kind is None:
            return ""
        said = type_text(kind, self.data)
        return said if said.removeprefix(": ") not in table.UNTYPED else ""

    def behind(self, node: Any, sign: str) -> Any:
        """What stands behind a sign."""
        children = node.children
        at = next((index for index, child in enumerate(children) if child.type == sign), len(children))
        return next((child for child in children[at + 1 :] if child.is_named and not child.is_extra), None)

    def text(self, node: Any) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


_Read = Callable[[_Reader, Any, list[Any]], Iterator[Flow]]
_READ: dict[str, _Read] = {
    **dict.fromkeys(table.ASSIGNS, _Reader.assigned),
    **dict.fromkeys(table.UPDATES, _Reader.updated),
    **dict.fromkeys(table.LOOPS, _Reader.looped),
    **dict.fromkeys(table.CATCHES, _Reader.caught),
    **dict.fromkeys(table.PARAMETERS, _Reader.parameter),
    "declaration": _Reader.declaration,
    "with_item": _Reader.entered,
    "case_pattern": _Reader.matched,
    "type_switch_statement": _Reader.switched,
    "instanceof_expression": _Reader.instance,
    **dict.fromkeys(table.TESTS, _Reader.tested),
}
_GIVING: dict[str, _Read] = {
    **dict.fromkeys(table.RETURNS, _Reader.returned),
    **dict.fromkeys(table.YIELDS, _Reader.yielded),
    **dict.fromkeys(table.BODIES, _Reader.shown),
}
