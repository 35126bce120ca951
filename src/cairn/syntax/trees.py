"""The syntax tree of a file from a segment: its nodes answer as those of a parser do."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from cairn.syntax.lines import line_starts
from cairn.syntax.treeblocks import BROKEN, EXTRA, FIELD, NAMED, behind, columns_in, line_end, over_space, word_end

ERROR = "ERROR"


class Point(NamedTuple):
    """A place: row from 0, column in bytes."""

    row: int
    column: int


class StoredShape(NamedTuple):
    """What nodes of a tree are alike in."""

    named: bool
    broken: bool
    extra: bool
    kind: str
    field: str


def _shape(said: str) -> StoredShape:
    kind, _, field = said[1:].partition(FIELD)
    bits = int(said[0])
    return StoredShape(bool(bits & NAMED), bool(bits & BROKEN), bool(bits & EXTRA), kind, field)


def is_faulty(shapes: Sequence[str]) -> bool:
    """Whether a tree with these shapes has any fault, as its root tells; one that is not there has none."""
    return bool(shapes) and _shape(shapes[0]).broken


class StoredTree:
    """A tree of a text, made of its shapes and columns; ValueError, IndexError or struct.error for what is none."""

    def __init__(self, shapes: Sequence[str], columns: bytes, data: bytes) -> None:
        self.data = data
        known = [*map(_shape, shapes)]
        numbers, counts, gaps, tails = columns_in(columns)
        self.shapes = [*map(known.__getitem__, numbers)]
        self.starts, self.ends, self.parents, self.next = ([0] * len(numbers) for _ in range(4))
        """Each node's place, the node around it, and the first behind all that is in it."""
        self._place(counts, gaps, tails)

    def _place(self, counts: Sequence[int], gaps: Sequence[int], tails: Sequence[int]) -> None:
        data, size = self.data, len(self.data)
        around: list[int] = []
        left: list[int] = []
        at = 0
        for number, shape in enumerate(self.shapes):
            gap, tail = gaps[number], tails[number]
            if gap:
                at = behind(data, at, gap)
            if not gap & 1 and at < size and data[at] <= 32:
                at = over_space(data, at)
            self.starts[number] = at
            self.parents[number] = around[-1] if around else -1
            if counts[number]:
                around.append(number)
                left.append(counts[number])
                continue
            if tail > 1:
                at += tail - 2
            elif tail:
                at = line_end(data, at)
            else:
                at = word_end(data, at) if shape.named else at + len(shape.kind.encode())
            self.ends[number], self.next[number] = at, number + 1
            while around:
                left[-1] -= 1
                if left[-1]:
                    break
                left.pop()
                done = around.pop()
                at = behind(data, at, tails[done])
                self.ends[done], self.next[done] = at, number + 1
        if around:
            raise ValueError("a tree without an end")

    @property
    def root_node(self) -> "StoredNode":
        """The node around all others."""
        return StoredNode(self, 0)

    @cached_property
    def lines(self) -> Sequence[int]:
        """Where lines begin."""
        return line_starts(self.data)

    @cached_property
    def broken(self) -> tuple[int, ...]:
        """The nodes that could not be parsed, or were put in to mend the code."""
        every = enumerate(zip(self.shapes, self.starts, self.ends, strict=True))
        return tuple(
            number
            for number, (shape, start, end) in every
            if shape.kind == "ERROR" or (number and (shape.broken or (shape.named and start == end)))
        )

    def below(self, number: int) -> Iterator[int]:
        """The children of a node, in order."""
        at, end = number + 1, self.next[number]
        while at < end:
            yield at
            at = self.next[at]


class StoredNode:
    """One node; those of one place in one tree are equal."""

    __slots__ = ("_number", "_tree")

    def __init__(self, tree: StoredTree, number: int) -> None:
        self._tree, self._number = tree, number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredNode) and (other._tree, other._number) == (self._tree, self._number)

    def __hash__(self) -> int:
        return self._number

    @property
    def type(self) -> str:
        """What it is, in the words of the grammar."""
        return self._tree.shapes[self._number].kind

    @property
    def field(self) -> str:
        """What it is to the node around it; empty where the grammar doesn't say."""
        return self._tree.shapes[self._number].field

    @property
    def is_named(self) -> bool:
        """Whether it is more than a sign or a keyword."""
        return self._tree.shapes[self._number].named

    @property
    def is_missing(self) -> bool:
        """Whether the parser put it in to mend the code."""
        return self._number > 0 and self._tree.shapes[self._number].broken

    @property
    def is_extra(self) -> bool:
        """Whether it may stand anywhere, as comments do."""
        return self._tree.shapes[self._number].extra

    @property
    def has_error(self) -> bool:
        """Whether anything in it could not be parsed."""
        tree = self._tree
        if not self._number or not tree.shapes[0].broken:
            return tree.shapes[0].broken
        return any(self._number <= each < tree.next[self._number] for each in tree.broken)

    @property
    def start_byte(self) -> int:
        """Where it begins."""
        return self._tree.starts[self._number]

    @property
    def end_byte(self) -> int:
        """Where it ends."""
        return self._tree.ends[self._number]

    @property
    def start_point(self) -> Point:
        """Where it begins, by row and column."""
        row = bisect_right(self._tree.lines, self.start_byte) - 1
        return Point(row, self.start_byte - self._tree.lines[row])

    @property
    def text(self) -> bytes:
        """What is written there."""
        return self._tree.data[self.start_byte : self.end_byte]

    @property
    def said(self) -> str:
        """What is written there, as characters."""
        return self.text.decode("utf-8", "replace")

    @property
    def parent(self) -> "StoredNode | None":
        """The node around it."""
        above = self._tree.parents[self._number]
        return StoredNode(self._tree, above) if above >= 0 else None

    @property
    def child_count(self) -> int:
        """How many nodes are directly in it."""
        return sum(1 for _ in self._tree.below(self._number))

    @property
    def children(self) -> list["StoredNode"]:
        """The nodes directly in it, in order."""
        return [StoredNode(self._tree, number) for number in self._tree.below(self._number)]

    @property
    def named_children(self) -> list["StoredNode"]:
        """Those that are more than signs and keywords."""
        return [child for child in self.children if child.is_named]

    @property
    def named_child_count(self) -> int:
        """How many those are."""
        return len(self.named_children)

    def child_by_field_name(self, field: str) -> "StoredNode | None":
        """The first child of a field."""
        return next(iter(self.children_by_field_name(field)), None)

    def children_by_field_name(self, field: str) -> list["StoredNode"]:
        """The children of a field; broken code has none, whatever its parts were meant to be."""
        return [child for child in self.children if child.field == field] if self.type != ERROR else []

    @property
    def prev_sibling(self) -> "StoredNode | None":
        """The node before it in the one around both."""
        return self._beside(-1)

    @property
    def next_sibling(self) -> "StoredNode | None":
        """The node behind it in the one around both."""
        return self._beside(1)

    @property
    def prev_named_sibling(self) -> "StoredNode | None":
        """The last one before it that is more than a sign or a keyword."""
        above = self.parent
        found = None
        for number in self._tree.below(above._number) if above is not None else ():
            if number == self._number:
                break
            if self._tree.shapes[number].named:
                found = StoredNode(self._tree, number)
        return found

    def _beside(self, step: int) -> "StoredNode | None":
        above = self.parent
        if above is None:
            return None
        numbers = [*self._tree.below(above._number)]
        at = numbers.index(self._number) + step
        return StoredNode(self._tree, numbers[at]) if 0 <= at < len(numbers) else None

    def inner(self, at: int) -> "StoredNode | None":
        """The child around a byte."""
        found = _around(self._tree, self._number, at, at + 1)
        return StoredNode(self._tree, found) if found is not None else None

    def descendant_for_byte_range(self, start: int, end: int) -> "StoredNode":
        """The innermost node around some bytes; itself where none in it is."""
        tree, found = self._tree, self._number
        while (inner := _around(tree, found, start, end)) is not None:
            found = inner
        return StoredNode(tree, found)


def _around(tree: StoredTree, number: int, start: int, end: int) -> int | None:
    for child in tree.below(number):
        if tree.ends[child] >= end and tree.ends[child] > start:
            return child if tree.starts[child] <= start else None
    return None
