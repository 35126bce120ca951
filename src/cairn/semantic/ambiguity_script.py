"""The ambiguity of JavaScript and TypeScript."""

from collections.abc import Iterable, Iterator
from typing import Any

from cairn.semantic.flags import (
    CONDITIONAL_DEFINITION,
    DYNAMIC_IMPORT,
    MONKEY_PATCH,
    MULTIPLE_DEFINITIONS,
    STAR_IMPORT,
    UNRESOLVED_RECEIVER,
    Flags,
    captured,
    flag,
    leftmost,
    text,
)

_DEFINITIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration"}
)
_BRANCHES = frozenset({"if_statement", "try_statement", "switch_statement", "for_statement", "while_statement"})
_PARTS = frozenset(
    {"statement_block", "else_clause", "catch_clause", "finally_clause", "switch_body", "switch_case", "switch_default"}
)
_LITERALS = frozenset({"string", "number"})
_PATCHERS = frozenset({"Object.defineProperty", "Object.defineProperties", "Object.assign", "Reflect.defineProperty"})


_QUERY = """
    (export_statement "*") @star
    (call_expression function: [(import) (identifier) (member_expression) (subscript_expression)]) @call
    (assignment_expression left: (member_expression)) @assignment
    (class_body) @class
    [(import_specifier) (import_clause) (namespace_import) %s] @import
    (variable_declarator) @variable
    [(function_declaration) (generator_function_declaration) (class_declaration) %s] @definition
"""
_SCRIPT = _QUERY % ("", "")
_TYPED = _QUERY % ("(import_require_clause)", "(abstract_class_declaration)")


def script_flags(root: Any, language: str) -> Flags:
    """The flags of a JavaScript or TypeScript file, from its syntax tree."""
    found = captured(root, language, _SCRIPT if language == "javascript" else _TYPED)
    variables = found.get("variable", ())
    foreign = _imported(found.get("import", ()), variables)
    own = {text(node.child_by_field_name("name")) for node in (*variables, *found.get("definition", ()))}
    yield from _in_scope(root)
    for node in found.get("star", ()):
        yield flag(node, STAR_IMPORT, text(node.child_by_field_name("source")).strip("'\""))
    for node in found.get("call", ()):
        yield from _call(node, foreign, own)
    for node in found.get("assignment", ()):
        left = node.child_by_field_name("left")
        if _is_patched(left.child_by_field_name("object"), foreign, own):
            yield flag(node, MONKEY_PATCH, text(left))
    for node in found.get("class", ()):
        yield from _twice(node)


def _call(node: Any, foreign: set[str], own: set[str]) -> Flags:
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    first = next(iter(given.named_children), None) if given is not None and given.type == "arguments" else None
    if called.type == "import" or text(called) == "require":
        if first is not None and not _is_literal(first):
            yield flag(node, DYNAMIC_IMPORT, text(first))
    elif called.type == "subscript_expression":
        index = called.child_by_field_name("index")
        if index is not None and not _is_literal(index):
            yield flag(node, UNRESOLVED_RECEIVER, text(called))
    elif text(called) in _PATCHERS and first is not None and _is_patched(first, foreign, own):
        yield flag(node, MONKEY_PATCH, text(first))


def _is_literal(node: Any) -> bool:
    if node.type == "template_string":
        return not any(child.type == "template_substitution" for child in node.named_children)
    return node.type in _LITERALS


def _is_patched(target: Any, foreign: set[str], own: set[str]) -> bool:
    """Whether something with new members is from elsewhere: imported, or the prototype of what isn't of this file."""
    owner = leftmost(target, "object")
    if owner.type != "identifier":
        return False
    if text(owner) in foreign:
        return True
    prototype = target.type == "member_expression" and text(target.child_by_field_name("property")) == "prototype"
    return prototype and text(owner) not in own


def _imported(imports: Iterable[Any], variables: Iterable[Any]) -> set[str]:
    """Names that imports and `require` give to the file."""
    found: set[str] = set()
    for node in imports:
        if node.type == "import_specifier":
            found.add(text(node.child_by_field_name("alias") or node.child_by_field_name("name")))
        else:
            found.update(text(child) for child in node.named_children if child.type == "identifier")
    for node in variables:
        value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
        if value is not None and value.type == "call_expression" and name.type == "identifier":
            if text(value.child_by_field_name("function")) == "require":
                found.add(text(name))
    return found


def _in_scope(root: Any) -> Flags:
    """What a module defines in branches, or more than once."""
    seen: set[str] = set()
    for node, branch in _statements(root):
        inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        if inner is None or inner.type not in _DEFINITIONS:
            continue
        name = text(inner.child_by_field_name("name"))
        if branch:
            yield flag(inner, CONDITIONAL_DEFINITION, name)
        elif name in seen:
            yield flag(inner, MULTIPLE_DEFINITIONS, name)
        seen.add(name)


def _statements(root: Any) -> Iterator[tuple[Any, bool]]:
    todo = [(child, False) for child in reversed(root.named_children)]
    while todo:
        node, branch = todo.pop()
        if node.type in _BRANCHES:
            todo += [(child, True) for child in reversed(node.named_children)]
        elif node.type in _PARTS:
            todo += [(child, branch) for child in reversed(node.named_children)]
        else:
            yield node, branch


def _twice(body: Any) -> Flags:
    """Methods of a class with one name; a getter and its setter, or a static one beside another, are two things."""
    seen: set[tuple[str, ...]] = set()
    for node in body.named_children:
        if node.type != "method_definition":
            continue
        words = sorted(child.type for child in node.children if child.type in ("static", "get", "set"))
        key = (text(node.child_by_field_name("name")), *words)
        if key in seen:
            yield flag(node, MULTIPLE_DEFINITIONS, key[0])
        seen.add(key)
