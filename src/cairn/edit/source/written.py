"""A construct as it is written: the call that a word is the function of, its arguments, and what texts can become."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.source.file import SourceFile
from cairn.graph.references import Reference
from cairn.syntax.uses import Use

TEXT_FORM = re.compile(r"(?<!\w)[rbfuRBFU]{0,2}([\"'`]{1,3})(.*?)\1")
_KEYS = re.compile(r"(?:sorted\(|list\()?(\w+)(?:(\.items\(\))|\.keys\(\))?\)?")
_ANYTHING = ".*"
_REDUCES = (b"__reduce__", b"__reduce_ex__")
_HOLE = re.compile(r"\$?\{[^{}]*\}|%[sdr]|%\(\w+\)[sdr]")
_ASKED = frozenset({"attribute", "member_expression", "selector_expression"})


class CallNode:
    """The call that a word is the function of, if it is one."""

    def __init__(self, source: SourceFile, use: Use | Reference) -> None:
        at = source.text.offset(use.line, use.column)
        self._own = source.node(at, at + len(use.name.encode()))
        self._arguments: Any = None
        self.node = self._called()

    def _called(self) -> Any:
        inner, outer = self._own, self._own.parent if self._own is not None else None
        if outer is not None and outer.type in _ASKED and outer.named_children[-1] != inner:
            return None  # what it is asked for is called
        for _ in range(2):
            if outer is None or outer.type == "type_arguments":
                return None
            given = outer.child_by_field_name("arguments")
            if given is not None and inner is not None and given.start_byte >= inner.end_byte:
                self._arguments = given
                return outer
            inner, outer = outer, outer.parent
        return self._called_later()

    def _called_later(self) -> Any:
        """Python: `return function, (one, two)` of a method that says how a value is made again is that call."""
        outer = self._own.parent if self._own is not None else None
        parts = outer.named_children if outer is not None and outer.type in ("expression_list", "tuple") else []
        if len(parts) < 2 or parts[0] != self._own or parts[1].type != "tuple":
            return None
        names = (each.child_by_field_name("name") for each in above(outer) if each.type == "function_definition")
        first = next(names, None)
        if first is None or first.text not in _REDUCES:
            return None
        self._arguments = parts[1]
        return outer

    def _given(self) -> list[Any]:
        given = self._arguments
        return [child for child in given.named_children if "comment" not in child.type] if given is not None else []

    def argument(self, number: int) -> Any:
        """The argument at a place, however it is given; None where there are fewer."""
        plain = self._given()
        return plain[number] if number < len(plain) else None

    def keywords(self) -> Iterator[tuple[str, Any]]:
        """The names of arguments, each with its node; `**` for names that are not written here."""
        for child in self._given():
            name = child.child_by_field_name("name")
            if child.type == "dictionary_splat":
                yield "**", child
            elif name is not None:
                yield name.said, name

    def receiver(self) -> str:
        """What the word is asked of, as it is written."""
        asked = self.asked()
        return said_of(asked)

    def asked(self) -> Any:
        """What the word is asked of; None where it stands alone."""
        holder = self._own.parent if self._own is not None else None
        found = holder.child_by_field_name("object") if holder is not None else None
        return found if found != self._own else None

    @property
    def size(self) -> int:
        """How many arguments are written."""
        return len(self._given())

    @property
    def is_spelled(self) -> bool:
        """Whether it is a call, all of whose arguments are written there."""
        return self.node is not None and not any("splat" in child.type for child in self._given())

    def given(self, place: int, word: str) -> Any:
        """The argument at a place or by a name; None where it isn't written."""
        plain = [child for child in self._given() if child.type not in ("keyword_argument", "dictionary_splat")]
        named = {name: node.parent.child_by_field_name("value") for name, node in self.keywords() if name != "**"}
        if word in named or any(child.type == "list_splat" for child in plain):
            return named.get(word)
        return plain[place] if place < len(plain) else None

    def index(self) -> Any:
        """What the word, or the chain that ends with it, is indexed by; None where it isn't."""
        inner, outer = self._own, self._own.parent if self._own is not None else None
        while outer is not None and (outer.type in ("attribute", "call", "argument_list")):
            inner, outer = outer, outer.parent
        if outer is None or outer.type != "subscript" or outer.child_by_field_name("value") != inner:
            return None
        return None if _is_annotation(outer) else outer.child_by_field_name("subscript")

    @property
    def whole(self) -> Any:
        """The call, or the word with what it is asked of."""
        return self.node if self.node is not None else self._own.parent if self._own is not None else None

    def is_shown(self, shows: tuple[str, ...], spoken: tuple[str, ...]) -> bool:
        """Whether what is read is only shown to people: in an error, a log, the text of an object."""
        return shown_to_people(self._own, shows, spoken)


def said_of(node: Any) -> str:
    """What is written at a node; empty where there is none."""
    return node.said if node is not None else ""


def above(node: Any) -> Iterator[Any]:
    """A node and all nodes around it, innermost first."""
    while node is not None:
        yield node
        node = node.parent


def within(node: Any) -> Iterator[Any]:
    """A node and all nodes in it, in the order of the text."""
    if node is not None:
        yield node
        for child in node.children:
            yield from within(child)


def function_on(root: Any, line: int) -> Any:
    """The function of Python whose name stands on a line; None for a class, or whatever else it is."""
    for node in within(root):
        name = node.child_by_field_name("name") if node.type == "function_definition" else None
        if name is not None and name.start_point[0] + 1 == line:
            return node
    return None


def written_decorators(function: Any) -> list[str]:
    """What the decorators of a definition are called, as they are written."""
    found = [child for child in function.children if child.type == "decorator"]
    sibling = function.prev_named_sibling
    while sibling is not None and sibling.type == "decorator":
        found.append(sibling)
        sibling = sibling.prev_named_sibling
    return [each.said.lstrip("@").partition("(")[0].strip() for each in found]


def shown_to_people(node: Any, shows: tuple[str, ...], spoken: tuple[str, ...]) -> bool:
    """Whether a node is only shown to people: given to what `shows` it, or in a method that says what an object is."""
    for outer in above(node):
        for field, known in (("function", shows), ("name", spoken)):
            holder = outer.child_by_field_name(field)
            said = holder.said if holder is not None else outer.type
            if said.rpartition(".")[2] in known:
                return True
    return False


def is_text(node: Any) -> bool:
    """Whether an expression is a text, or is made of one: `"a" + b`, `"{}".format(b)`."""
    said = any(kind in node.type for kind in ("string", "template", "concatenated", "binary"))
    return said or (node.type == "call" and (node.text or b"")[:1] in b"\"'")


def form_of(node: Any) -> str:
    """A pattern of what an expression can become, if that is a text: what isn't written out may be anything."""
    text = said_of(node)
    if node is None:
        return _ANYTHING
    if node.type == "parenthesized_expression" and node.named_children:
        return form_of(node.named_children[0])
    if node.type == "concatenated_string":
        return "".join(map(form_of, node.named_children))
    for each in reversed(node.named_children if "string" in node.type else ()):
        if each.type in ("interpolation", "template_substitution"):
            first, last = each.start_byte - node.start_byte, each.end_byte - node.start_byte
            text = (text.encode()[:first] + b"{}" + text.encode()[last:]).decode("utf-8", "replace")
    if said := TEXT_FORM.fullmatch(text) if "string" in node.type else None:
        parts = _HOLE.split(said[2].replace("{}", "%s"))
        return _ANYTHING if "\\" in said[2] else _ANYTHING.join(map(re.escape, parts))
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is not None and right is not None and operator is not None:
        filled = operator.type == "%" and "string" in left.type
        return form_of(left) + form_of(right) if operator.type == "+" else form_of(left) if filled else _ANYTHING
    function = node.child_by_field_name("function")
    asked = function.child_by_field_name("attribute") if function is not None else None
    if asked is not None and asked.text == b"format":
        return form_of(function.child_by_field_name("object"))
    return _ANYTHING


def _is_annotation(node: Any) -> bool:
    while node is not None:
        if node.type in ("type", "generic_type", "type_annotation"):
            return True
        node = node.parent
    return False


def loop_names(name: Any) -> list[str]:
    """The texts that a loop around a variable gives it; nothing where none, or something else, does."""
    outer = name.parent
    while outer is not None and outer.type not in ("function_definition", "module"):
        left, right = outer.child_by_field_name("left"), outer.child_by_field_name("right")
        if outer.type in ("for_statement", "for_in_clause") and left is not None and left.text == name.text:
            items = right.named_children if right is not None and right.type in ("tuple", "list", "set") else []
            texts = [item.said for item in items if item.type == "string"]
            return [TEXT_FORM.sub(r"\2", text) for text in texts] if len(texts) == len(items) else []
        outer = outer.parent
    return []


def looped_keywords(name: Any) -> str:
    """The variable whose keys a loop around gives another: `for name in them`, `for name, it in them.items()`."""
    outer = name.parent
    while outer is not None and outer.type not in ("function_definition", "module"):
        left, right = outer.child_by_field_name("left"), outer.child_by_field_name("right")
        if outer.type in ("for_statement", "for_in_clause") and left is not None and right is not None:
            first = left.named_children[0] if left.type in ("pattern_list", "tuple_pattern") else left
            said = _KEYS.fullmatch(right.said)
            if first.text == name.text:
                return said[1] if said is not None and (first is left) is not bool(said[2]) else ""
        outer = outer.parent
    return ""


def _is_go(parameter: Any) -> bool:
    return bool(parameter.type == "parameter_declaration")


def parameter_place(node: Any, word: str) -> int | None:
    """Which argument a parameter of a function takes, not counting what a method is asked of; None where none does."""
    while node is not None and node.child_by_field_name("parameters") is None:
        node = node.parent
    listed = node.child_by_field_name("parameters").named_children if node is not None else []
    # Go: several have one type, `a, b int`.
    several = ([name for name in each.named_children if name.type == "identifier"] for each in listed)
    listed = [one for each, names in zip(listed, several, strict=True) for one in (names if _is_go(each) else [each])]
    names = [(each.child_by_field_name("name") or each).said for each in listed]
    names = [re.split(r"[:?=\s]", each)[0] for each in names if each not in ("self", "cls")]
    return names.index(word) if word in names else None
