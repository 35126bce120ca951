"""Columns of three encodings become characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.semantic.scip.columns import Encoding, TextMap
from cairn.semantic.scip.wire import ScipError

_CODECS = {Encoding.UTF8: ("utf-8", 1), Encoding.UTF16: ("utf-16-le", 2), Encoding.UTF32: ("utf-32-le", 4)}
_TEXTS = st.text(st.sampled_from("aé漢😀\n\r"), max_size=30) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=20
)


@pytest.mark.requirement("SCIP.1")
@given(_TEXTS, st.sampled_from(list(_CODECS)), st.data())
def test_every_place_of_a_text_is_found_again(text: str, encoding: Encoding, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = text[:offset]
    if text[offset - 1 : offset + 1] == "\r\n":
        return
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    codec, width = _CODECS[encoding]
    column = len(lines[-1].encode(codec)) // width
    places = TextMap(text, encoding)
    assert places.offset(len(lines) - 1, column) == offset
    assert places.place(len(lines) - 1, column) == (before.count("\n"), len(before) - (before.rfind("\n") + 1))


@pytest.mark.parametrize(
    ("encoding", "column"), [(Encoding.UTF8, 2), (Encoding.UTF16, 2), (Encoding.UTF8, 9), (Encoding.UTF32, 9)]
)
def test_a_column_within_a_character_or_behind_the_line_is_an_error(encoding: Encoding, column: int) -> None:
    with pytest.raises(ScipError):
        TextMap("a😀b\n", encoding).offset(0, column)


def test_a_line_behind_the_text_is_an_error() -> None:
    assert TextMap("a\n", Encoding.UTF8).place(1, 0) == (1, 0)
    with pytest.raises(ScipError):
        TextMap("a\n", Encoding.UTF8).place(2, 0)


def test_without_an_encoding_only_ascii_lines_have_columns() -> None:
    places = TextMap("ab\né\n", Encoding.UNSPECIFIED)
    assert places.place(0, 1) == (0, 1)
    with pytest.raises(ScipError):
        places.place(1, 1)


def test_typescript_has_two_more_ends_of_lines() -> None:
    text = "a\u2028b\nc"
    assert TextMap(text, Encoding.UTF16, "scip-typescript").place(1, 0) == (0, 2)
    assert TextMap(text, Encoding.UTF16, "scip-typescript").place(2, 1) == (1, 1)
    assert TextMap(text, Encoding.UTF16, "scip-python").place(1, 1) == (1, 1)
