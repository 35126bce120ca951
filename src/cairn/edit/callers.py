"""Callers of a parameter's function: in Python they may name the parameter, also callers outside of the tree."""

from collections.abc import Callable, Iterator
from typing import Any

from cairn.base.values import replace
from cairn.edit.group import Group, class_of, owner_of
from cairn.edit.lineage import SourceOf, node_at
from cairn.edit.ownname import is_wrapped
from cairn.edit.values import Doubt
from cairn.store import SemanticFacts, SemanticOccurrence

_CLASS = "class_definition"
_CALLED_WITH_NAMES = frozenset({"__init__", "__new__", "__call__", "__init_subclass__"})
"""The language calls all other special methods itself, without keywords."""
_SPLATS = frozenset({"list_splat_pattern", "dictionary_splat_pattern"})
_LISTS = frozenset({"parameters", "lambda_parameters"})
_PASSED = frozenset(
    {"parenthesized_expression", "keyword_argument", "pair", "conditional_expression", "boolean_operator"}
)
_HANDS_ON = frozenset({"argument_list", "return_statement", "list", "tuple", "set", "dictionary", "expression_list"})
_HANDS_ON_AS_VALUE = frozenset({"assignment", "default_parameter", "typed_default_parameter", "yield", "lambda"})
_ONLY_LOOKS = frozenset({"isinstance", "issubclass", "super", "cast", "type", "hasattr", "getattr", "patch", "raises"})


def narrowed(group: Group, facts: SemanticFacts, source_of: SourceOf, is_accounted: Callable[[Group], bool]) -> Group:
    """The group of a parameter, marked as closed if all of its callers are known.

    That is so if every use of its function is a plain call. `is_accounted` says whether all places of the function's
    name are decided.
    """
    owner = owner_of(facts, group, source_of) if group.parameter else None
    # A class is called by many names: its own, its subclasses', `cls`, `super().__init__`.
    if owner is None or is_special(owner.name) or any(True for _ in caller_doubts(group.name, owner, facts, source_of)):
        return group
    if any(is_wrapped(node_at(each, path, source_of)) for path, each in owner.definitions):
        return group
    return replace(group, closed=True, keyed=False) if is_accounted(owner) else group


def caller_doubts(name: str, owner: Group | None, facts: SemanticFacts, source_of: SourceOf) -> Iterator[Doubt]:
    """Doubts about callers of a parameter's function that may name the parameter."""
    if owner is None:
        yield _unseen(name, "its function")
        return
    if is_special(owner.name) and owner.name not in _CALLED_WITH_NAMES:
        return
    for symbol in owner.outside:
        yield Doubt(
            "overrides_library",
            f"{owner.name} overrides {symbol.rpartition(' ')[2]}: does a library call it and name {name}?",
            "how the library calls it",
            "read its documentation",
        )
    called = _called(owner, facts, source_of)
    uses = _uses(called, facts)
    if called is None or all(each.defines for _, each in uses):
        yield _unseen(name, owner.name if called is None else called.name)
        return
    if owner.name in _CALLED_WITH_NAMES and any(b"cls(" in source_of(path).data for path, _ in owner.definitions):
        yield _unseen(name, "cls")
    for path, each in uses:
        if not each.defines and takes_names(each, path, source_of):
            yield Doubt(
                "names_passed",
                f"{path}:{each.line} calls {called.name} with names that are not written there: is {name} among them?",
                "what is passed",
                "read where it comes from",
            )
            return
        if not each.defines and is_handed_on(each, path, source_of):
            yield Doubt(
                "handed_on",
                f"{path}:{each.line} hands {called.name} on: does whoever calls it then name {name}?",
                "how it is called there",
                "read the code that it is given to",
            )
            return


def _unseen(name: str, function: str) -> Doubt:
    return Doubt(
        "unseen_caller",
        f"Nothing in the tree calls {function}: does whoever calls it name {name}?",
        "how it is called, or that nobody does",
        "look for a framework that fills parameters by their names",
    )


def _called(owner: Group, facts: SemanticFacts, source_of: SourceOf) -> Group | None:
    """The group whose name stands in calls: the class itself for `__init__` and the like."""
    return class_of(facts, owner, source_of) if owner.name in ("__init__", "__new__") else owner


def _uses(called: Group | None, facts: SemanticFacts) -> list[tuple[str, SemanticOccurrence]]:
    return facts.occurrences_of(sorted(called.numbers)) if called is not None else []


def is_special(name: str) -> bool:
    """Whether a name is one of Python's special ones, such as `__init__`."""
    return name.startswith("__") and name.endswith("__")


def is_unnamed(node: Any) -> bool:
    """Whether no caller can name a parameter: `self` or `cls`, `*rest`, or one before `/`."""
    while node is not None and (node.parent is None or node.parent.type not in _LISTS):
        if node.type in _SPLATS:
            return True
        node = node.parent
    if node is None or node.type in _SPLATS:
        return node is not None
    others = node.parent.named_children
    behind = others[others.index(node) :]
    if any(other.type == "positional_separator" for other in behind):
        return True
    return len(behind) == len(others) and _is_asked(node.parent.parent)


def _is_asked(function: Any) -> bool:
    """Whether a function is a method that gets its object or class as the first argument."""
    above = function.parent
    if above is not None and above.type == "decorated_definition":
        if any(b"staticmethod" in (child.text or b"") for child in above.children if child.type == "decorator"):
            return False
        above = above.parent
    return _is_body(above)


def _is_body(node: Any) -> bool:
    return node is not None and node.type == "block" and node.parent is not None and node.parent.type == _CLASS


def takes_names(each: SemanticOccurrence, path: str, source_of: SourceOf) -> bool:
    """Whether a use is a call with `**names`."""
    node = node_at(each, path, source_of)
    above = node.parent if node is not None else None
    if above is not None and above.type == "attribute":
        above = above.parent
    given = above.child_by_field_name("arguments") if above is not None and above.type == "call" else None
    return given is not None and any(child.type == "dictionary_splat" for child in given.children)


def is_handed_on(each: SemanticOccurrence, path: str, source_of: SourceOf) -> bool:
    """Whether a use passes the function on as a value, rather than calling it."""
    node = node_at(each, path, source_of)
    if node is None:
        return False
    above = node.parent
    if above is not None and above.type == "attribute" and above.child_by_field_name("attribute") == node:
        node, above = above, above.parent
    while above is not None and above.type in _PASSED:
        node, above = above, above.parent
    if above is None:
        return False
    if above.type == "dotted_name" and above.parent is not None:
        node, above = above, above.parent
    if above.type == "aliased_import":
        alias = above.child_by_field_name("alias")
        return alias is not None and alias.text != node.text
    if above.type in _HANDS_ON_AS_VALUE:
        return bool(above.child_by_field_name("left") != node)
    if above.type not in _HANDS_ON or (above.parent is not None and above.parent.type == _CLASS):
        return False
    function = above.parent.child_by_field_name("function") if above.parent is not None else None
    said = (function.text or b"").decode("utf-8", "replace").rpartition(".")[2] if function is not None else ""
    return said not in _ONLY_LOOKS
