"""Ambiguity in Python."""

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

_DEFINITIONS = frozenset({"function_definition", "class_definition"})
_BRANCHES = frozenset({"if_statement", "try_statement", "match_statement", "for_statement", "while_statement"})
_PARTS = frozenset(
    {
        "block",
        "case_clause",
        "elif_clause",
        "else_clause",
        "except_clause",
        "except_group_clause",
        "finally_clause",
        "with_statement",
    }
)
_DYNAMIC = frozenset({"__import__", "import_module", "importlib.import_module", "importlib.__import__"})
_ONE_MEANING = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
_MANY_BY_DESIGN = ("overload", "setter", "getter", "deleter", "register")
"""Decorators, by their last word, that give several definitions of one name a single meaning."""


_QUERY = """
    (wildcard_import) @star
    (call function: [(identifier) (attribute) (call)]) @call
    (assignment left: [(attribute) (pattern_list)]) @assignment
    (augmented_assignment left: (attribute)) @assignment
    (class_definition) @class
    [(import_statement) (import_from_statement)] @import
"""


def python_flags(root: Any, language: str) -> Flags:
    """The flags of a Python file, from its syntax tree."""
    found = captured(root, language, _QUERY)
    classes = found.get("class", ())
    # Imported names and classes: assigning to their attributes patches them.
    held = _imported(found.get("import", ())) | {text(node.child_by_field_name("name")) for node in classes}
    for scope in (root, *(node.child_by_field_name("body") for node in classes)):
        yield from _in_scope(scope)
    for node in found.get("star", ()):
        yield flag(node, STAR_IMPORT, text(node.parent.child_by_field_name("module_name")))
    for node in found.get("call", ()):
        yield from _call(node, held)
    for node in found.get("assignment", ()):
        left = node.child_by_field_name("left")
        for target in [left] if left.type == "attribute" else left.named_children:
            if target.type == "attribute" and text(leftmost(target, "object")) in held:
                yield flag(node, MONKEY_PATCH, text(target))


def _call(node: Any, held: set[str]) -> Flags:
    called = node.child_by_field_name("function")
    if called.type == "call":
        name, given = called.child_by_field_name("function"), called.child_by_field_name("arguments").named_children
        if text(name) == "getattr" and len(given) > 1 and given[1].type != "string":
            yield flag(node, UNRESOLVED_RECEIVER, text(called))
        return
    name = text(called)
    if name in _DYNAMIC:
        yield flag(node, DYNAMIC_IMPORT, name)
    elif name == "setattr":
        target = next(iter(node.child_by_field_name("arguments").named_children), None)
        if target is not None and text(leftmost(target, "object")) in held:
            yield flag(node, MONKEY_PATCH, text(target))


def _imported(imports: Iterable[Any]) -> set[str]:
    """Names that imports give to the file."""
    found = set()
    for node in imports:
        for name in node.children_by_field_name("name"):
            if name.type == "aliased_import":
                found.add(text(name.child_by_field_name("alias")))
            else:
                found.add(text(name).partition(".")[0])
    return found


def _in_scope(scope: Any) -> Flags:
    """What a module or a class defines in branches, or more than once."""
    seen: set[str] = set()
    for node, branch in _definitions(scope):
        name = text(node.child_by_field_name("name"))
        shares = name == "_" or _is_one_of_many(node)
        if branch:
            yield flag(node, CONDITIONAL_DEFINITION, name)
        elif name in seen and not shares:
            yield flag(node, MULTIPLE_DEFINITIONS, name)
        elif not shares:
            seen.add(name)
    given: set[str] = set()
    for node in _conditional_imports(scope):
        names = _imported((node,))
        for name in sorted(names & given):
            yield flag(node, CONDITIONAL_DEFINITION, name)
        given |= names


def _is_one_of_many(node: Any) -> bool:
    """Whether a decorator says that the definition shares its name."""
    outer = node.parent
    if outer is None or outer.type != "decorated_definition":
        return False
    decorators = [child.named_child(0) for child in outer.named_children if child.type == "decorator"]
    return any(text(item).partition("(")[0].rpartition(".")[2] in _MANY_BY_DESIGN for item in decorators)


def _definitions(scope: Any) -> Iterator[tuple[Any, bool]]:
    """(definition, whether it is in a branch) of a scope, without those of scopes in it."""
    for node, branch in _statements(scope):
        inner = node.child_by_field_name("definition") if node.type == "decorated_definition" else node
        if inner is not None and inner.type in _DEFINITIONS:
            yield inner, branch


def _conditional_imports(scope: Any) -> Iterator[Any]:
    for node, branch in _statements(scope):
        if branch and node.type in ("import_statement", "import_from_statement"):
            yield node


def _statements(scope: Any) -> Iterator[tuple[Any, bool]]:
    """The statements of a scope in order, those in branches too."""
    todo = [(child, False) for child in reversed(scope.named_children)]
    while todo:
        node, branch = todo.pop()
        if node.type in _BRANCHES:
            if not _has_one_meaning(node):
                todo += [(child, True) for child in reversed(node.named_children)]
        elif node.type in _PARTS:
            todo += [(child, branch) for child in reversed(node.named_children)]
        else:
            yield node, branch


def _has_one_meaning(node: Any) -> bool:
    """Whether a branch is unambiguous: under TYPE_CHECKING, or the part that only a script runs."""
    condition = text(node.child_by_field_name("condition"))
    return condition in _ONE_MEANING or condition.startswith("__name__")
