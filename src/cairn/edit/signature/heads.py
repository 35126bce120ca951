"""The functions whose signature is changed: one with all that stand in its place, each with its parameters."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.gate.thing import kindred_at
from cairn.edit.signature.given import UNSURE, WrittenCall
from cairn.edit.signature.parameters import Signature, function_of, signature_of
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.written import written_decorators
from cairn.graph.binding import ChainPlace
from cairn.graph.customs import customs_of
from cairn.graph.entities import entities_of
from cairn.graph.hierarchy import Kindred
from cairn.graph.makers import MAKERS
from cairn.graph.members import types_in
from cairn.graph.references import Reference
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of

PYTHON = "python"
_GIVEN = re.compile(r"\([^()]*\)")
_ACCESSORS = ("property", "cached_property", "setter", "getter", "deleter")


@dataclass(frozen=True, slots=True)
class SignatureHead:
    """One definition or declaration, with its parameters."""

    item: Definition
    source: SourceFile
    signature: Signature
    decorators: tuple[str, ...]
    in_class: bool

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.item.path}:{self.item.symbol.name_line}"

    @property
    def is_accessor(self) -> bool:
        """Whether it is asked for like a field, and so is given nothing by whoever asks."""
        function = self.signature.function
        marked = function.type == "method_definition" and any(
            child.type in ("get", "set") for child in function.children
        )
        return marked or any(each.rpartition(".")[2] in _ACCESSORS for each in self.decorators)

    @property
    def implied(self) -> int:
        """How many parameters are given by what it is asked of: `self` or `cls`."""
        free = "staticmethod" in self.decorators
        return int(self.signature.python and self.in_class and not free and self.signature.positions > 0)

    @property
    def is_of_class(self) -> bool:
        """Whether its class gives itself, however it is asked for."""
        return "classmethod" in self.decorators or self.item.symbol.name in ("__class_getitem__", "__init_subclass__")

    def callers_position(self, index: int) -> int:
        """Which argument of a plain call a parameter is, from 0; negative where no call gives it by position."""
        position = self.signature.position(index)
        return position - self.implied if position >= 0 else -1


def heads_at(
    resolver: Resolver, sources: SourceFiles, path: str, line: int, column: int, name: str
) -> tuple[list[SignatureHead], list[Definition]]:
    """The function at a place, first, with all that share its signature; and definitions that can't be read as one.

    There is no function where the first of these is what was asked for.
    """
    found = kindred_at(resolver, path, line, column, name)
    if not found:
        return [], []
    if found[0].symbol.name in MAKERS or found[0].symbol.kind == "constructor":
        found = [found[0]]  # Types that are derived from one another are made each in its own way.
    every = [part for entity in entities_of(resolver.world, found) for part in entity.places]
    every.sort(key=lambda item: key_of(item) != key_of(found[0]))
    if head_of(sources.of(every[0].path), every[0]) is None:
        return [], every[:1]
    heads, unread = [], []
    for item in every:
        head = head_of(sources.of(item.path), item)
        if head is not None:
            heads.append(head)
        else:
            unread.append(item)
    return heads, unread


def stand_ins(resolver: Resolver, sources: SourceFiles, heads: Sequence[SignatureHead]) -> Iterator[SignatureHead]:
    """Members that are likely asked for in the place of some, or these in theirs: of types that only fit each other."""
    kin, known = Kindred(resolver), {key_of(head.item) for head in heads}
    name = heads[0].item.symbol.name
    members = [head.item for head in heads if resolver.is_member(head.item) and name not in MAKERS]
    others = [
        other for item in members for step in (kin.above, kin.below) for other, _, _ in kin.overriding(item, step)
    ]
    if members:
        alike = resolver.members.kin(heads[0].source.language, name)
        promised = any(map(kin.is_interface, members))
        # Nobody has to say that his type keeps a promise, where members alone decide.
        others += (item for item in alike if promised or kin.is_interface(item))
    for other in others:
        found = head_of(sources.of(other.path), other) if key_of(other) not in known else None
        known.add(key_of(other))
        if found is not None:
            yield found


def head_of(source: SourceFile, item: Definition) -> SignatureHead | None:
    """A definition with its parameters; None where it is no function, or can't be read."""
    text, name = source.text, item.symbol.name.encode()
    start = text.offset(item.symbol.name_line, 0)
    end = source.data.find(b"\n", start)
    at = source.data.find(name, start)
    while start <= at < (end if end >= 0 else len(source.data)):
        node = source.node(at, at + len(name))
        if node is not None and node.text == name:
            function = function_of(node)
            if function is not None:
                written = signature_of(function, source.data, python=source.language == PYTHON)
                return (
                    SignatureHead(item, source, written, tuple(written_decorators(function)), _is_in_class(function))
                    if written
                    else None
                )
        at = source.data.find(name, at + 1)
    return None


def _is_in_class(function: Any) -> bool:
    outer = function.parent
    while outer is not None and outer.type in ("decorated_definition", "block", "if_statement", "else_clause"):
        outer = outer.parent
    return outer is not None and outer.type in ("class_definition", "class_body")


def own_arguments(resolver: Resolver, head: SignatureHead, use: Reference, call: WrittenCall) -> int:
    """How many arguments a call writes for what the function is asked of: 1 in `Type.method(value, ...)`, else none.

    `UNSURE` where nothing tells.
    """
    if not head.implied or head.is_of_class:
        return 0
    if use.name != head.item.symbol.name:
        # A type is called, or something by another name.
        return 0 if head.item.symbol.name in customs_of(PYTHON).constructors else UNSURE
    receiver = call.receiver
    if receiver is None:
        return UNSURE
    if head.item.symbol.name == "__new__":
        return 1
    chain = receiver.said
    if chain == "self" or chain.startswith("super("):
        return 0
    line, column = receiver.start_point[0] + 1, receiver.start_point[1]
    value = resolver.evaluator.at(ChainPlace(use.path, use.within, line, column), _GIVEN.sub("()", chain))
    of_class = bool(types_in(value.things.targets))
    if of_class == bool(value.types) or value.open:
        return UNSURE
    return int(of_class)
