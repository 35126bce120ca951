"""Cutting by lines: nothing lost, nothing twice, and ranges that agree with the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.config.project import IndexSettings
from cairn.syntax.facts import Chunk
from cairn.syntax.lines import chunk_lines
from cairn.workspace.eligibility import largest_size

SIZE = 200
MANY = 10_000
contents = st.text(st.sampled_from("ab \t\r\n\x0b\x0c\x85\u2028é日😀"), max_size=1500)


def cut(text: str, size: int = SIZE, most: int = MANY) -> list[Chunk]:
    return chunk_lines(text.encode(), size, most)


@pytest.mark.slow
@given(contents, st.integers(4, 400), st.integers(1, 50))
@settings(max_examples=300)
def test_the_chunks_are_the_file_in_order(text: str, size: int, most: int) -> None:
    data = text.encode()
    chunks = chunk_lines(data, size, most)

    assert "".join(chunk.text for chunk in chunks) == text
    assert len(chunks) <= most
    at = 0
    for chunk in chunks:
        assert chunk.byte_start == at < chunk.byte_end
        assert data[chunk.byte_start : chunk.byte_end].decode() == chunk.text
        at = chunk.byte_end
    assert at == len(data)


@pytest.mark.slow
@given(contents, st.integers(4, 400))
@settings(max_examples=300)
def test_lines_and_bytes_describe_the_same_range(text: str, size: int) -> None:
    data = text.encode()
    for chunk in chunk_lines(data, size, MANY):
        assert chunk.start_line == 1 + data[: chunk.byte_start].count(b"\n")
        assert chunk.end_line == 1 + data[: chunk.byte_end - 1].count(b"\n")


@given(contents, st.integers(4, 400))
@settings(max_examples=200)
def test_a_chunk_holds_whole_lines_unless_a_line_alone_is_too_long(text: str, size: int) -> None:
    data = text.encode()
    for chunk in chunk_lines(data, size, MANY):
        assert chunk.byte_end - chunk.byte_start <= size
        whole = chunk.byte_start == 0 or data[chunk.byte_start - 1 : chunk.byte_start] == b"\n"
        ended = chunk.byte_end == len(data) or chunk.text.endswith("\n")
        assert (whole and ended) or chunk.start_line == chunk.end_line


def test_an_empty_file_has_no_chunks() -> None:
    assert chunk_lines(b"", SIZE, MANY) == []


@pytest.mark.parametrize("text", ["\n", "x", "x\n", "\n\n\n", "x\n\ny"])
def test_a_short_file_is_one_chunk(text: str) -> None:
    (chunk,) = cut(text)
    assert (chunk.text, chunk.start_line) == (text, 1)
    assert chunk.end_line == len(text.removesuffix("\n").split("\n"))


def test_lines_are_packed_as_long_as_they_fit() -> None:
    line = "x" * 99 + "\n"
    assert [(chunk.start_line, chunk.end_line) for chunk in cut(line * 5)] == [(1, 2), (3, 4), (5, 5)]


def test_a_long_line_stands_alone_and_keeps_its_number() -> None:
    chunks = cut("first\n" + "y" * 450 + "\nlast\n")
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 1), (2, 2), (2, 2), (2, 2), (3, 3)]


def test_a_long_line_of_wide_characters_is_cut_between_them() -> None:
    chunks = cut("😀" * 500)
    assert all(set(chunk.text) == {"😀"} for chunk in chunks)
    assert sum(len(chunk.text) for chunk in chunks) == 500


def test_too_many_chunks_make_larger_ones() -> None:
    text = ("x" * 120 + "\n") * 100
    assert len(cut(text)) == 100
    assert len(cut(text, most=70)) <= 70
    assert [chunk.text for chunk in cut(text, most=1)] == [text]


def test_the_largest_eligible_file_is_cut_into_no_more_chunks_than_allowed() -> None:
    limits = IndexSettings(max_chunks_per_file=50, chunk_bytes=200)
    line = "z" * 150 + "\n"
    data = (line * (largest_size(limits) // len(line))).encode()
    assert 1 < len(chunk_lines(data, limits.chunk_bytes, limits.max_chunks_per_file)) <= 50


def test_only_a_newline_ends_a_line() -> None:
    (chunk,) = cut("a\rb\x0bc\x0cd\x85e\u2028f\n")
    assert (chunk.start_line, chunk.end_line) == (1, 1)
