"""A tree from a block is the tree that the parser made: every node, place and field."""

import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from cairn.languages.files import language_of
from cairn.syntax.parse import grammar_for, parse_file
from cairn.syntax.treeblocks import columns_in, split_block, tree_block
from cairn.syntax.trees import StoredTree
from tests.kernel.test_parsing import SAMPLES, broken
from tests.long import LONG

ODD_FIELDS = {"haskell", "lua"}
"""Their grammars give one field to several nodes of a hidden one: the parser then finds none of them by it."""


def pairs(parsed: Any, stored: Any) -> Iterator[tuple[Any, Any]]:
    todo = [(parsed, stored)]
    while todo:
        one, other = todo.pop()
        yield one, other
        todo += zip(one.children, other.children, strict=True)


def said(node: Any) -> tuple[object, ...]:
    point = (node.start_point.row, node.start_point.column)
    return (node.type, node.is_named, node.is_missing, node.is_extra, node.start_byte, node.end_byte, point, node.text)


def beside(node: Any) -> list[tuple[object, ...] | None]:
    near = (node.parent, node.prev_sibling, node.next_sibling, node.prev_named_sibling)
    return [said(each) if each is not None else None for each in near]


def assert_same(path: str, text: str) -> None:
    data = text.encode()
    language = language_of(path, data[:100])
    loaded = grammar_for(path, language, data)
    if loaded is None:
        return
    root = loaded.parser.parse(data).root_node
    block = tree_block(root, data)
    assert parse_file(path, language, data, 1500, 1000, names=True).tree == block  # by whichever kernel
    stored = StoredTree(*split_block(block), data).root_node
    assert stored.has_error == root.has_error
    made = random.Random(text)
    for one, other in pairs(root, stored):
        assert said(one) == said(other)
        assert other.has_error or not one.has_error
        if made.random() < 0.05 and language != "markdown":  # the parser loses siblings without a size
            assert beside(one) == beside(other)
            assert [*map(said, one.named_children)] == [*map(said, other.named_children)]
        for field in {child.field for child in other.children} if language not in ODD_FIELDS else ():
            first = one.child_by_field_name(field) if field else None
            again = other.child_by_field_name(field) if field else None
            assert (first is None) == (again is None), (one.type, field)
            assert first is None or said(first) == said(again)
    for _ in range(30):
        start = made.randrange(len(data))
        end = start + made.randrange(1, 9)
        assert said(root.descendant_for_byte_range(start, end)) == said(stored.descendant_for_byte_range(start, end))


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_a_stored_tree_is_the_parsers(path: str) -> None:
    assert_same(path, SAMPLES[path])
    assert_same(path, SAMPLES[path].replace("\n", "\r\n"))


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_that_of_broken_code_too(path: str) -> None:
    made = random.Random(path)
    for _ in range(50 if LONG else 1):
        assert_same(path, broken(SAMPLES[path], made))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["\n \n", "x", "  x\n# a\n", "x = '''" + "a\n" * 400 + "'''\n", "(\n" * 5_000])
def test_small_long_and_deep_ones(text: str) -> None:
    assert_same("a.py", text)


def test_what_is_no_tree_is_told() -> None:
    data = b"x = 1\n"
    loaded = grammar_for("a.py", "python", data)
    assert loaded is not None
    shapes, columns = split_block(tree_block(loaded.parser.parse(data).root_node, data))
    assert split_block(b"") == ((), b"")
    for wrong in (b"", columns[:-1], columns + b"\0", struct.pack("<I", 0)):
        with pytest.raises((ValueError, struct.error)):
            columns_in(wrong)
    with pytest.raises(IndexError):
        StoredTree(shapes[:1], columns, data)
