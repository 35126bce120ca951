"""Places as an editor counts them and as Cairn does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.surfaces.lsp.positions import BytePlace, Position, PositionEncoding, Positions

CODECS = {
    PositionEncoding.UTF8: ("utf-8", 1),
    PositionEncoding.UTF16: ("utf-16-le", 2),
    PositionEncoding.UTF32: ("utf-32-le", 4),
}
TEXTS = st.text(st.sampled_from("ab_ \t\r\n\f\v\x85\u2028é€😀\ufeffß"), max_size=40)
ENCODINGS = st.sampled_from(PositionEncoding)


def width(text: str, encoding: PositionEncoding) -> int:
    codec, size = CODECS[encoding]
    return len(text.encode(codec)) // size


def counted(text: str, at: int, encoding: PositionEncoding) -> Position:
    """Where an editor sees the character number `at`, counted one by one."""
    ends = [each.end() for each in re.finditer("\r\n|\n|\r", text) if each.end() <= at]
    start = ends[-1] if ends else 0
    return Position(len(ends), width(text[start:at], encoding))


def between(text: str, at: int) -> bool:
    """Whether a place is one that an editor can name: not one between the two halves of an end of line."""
    return text[at - 1 : at + 1] != "\r\n" if at else True


@pytest.mark.requirement("LSP.1")
@given(TEXTS, ENCODINGS, st.data())
def test_every_place_has_one_name_on_each_side(text: str, encoding: PositionEncoding, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)).filter(lambda each: between(text, each)))
    positions = Positions(text.encode(), encoding, counts_mark=True)
    expected = counted(text, at, encoding)
    before = text[:at].encode()
    line = before.count(b"\n") + 1
    place = BytePlace(line, len(before) - (before.rfind(b"\n") + 1) + 1)
    assert positions.position_at(len(before)) == expected
    assert positions.offset(*expected) == len(before)
    assert positions.place(*expected) == place
    assert positions.position(*place) == expected


@given(TEXTS, ENCODINGS, st.integers(-2, 12), st.integers(-2, 60))
def test_what_is_nowhere_is_drawn_to_the_place_before(
    text: str, encoding: PositionEncoding, line: int, character: int
) -> None:
    positions = Positions(text.encode(), encoding, counts_mark=True)
    offset = positions.offset(line, character)
    text.encode()[:offset].decode()  # never within a character
    found = positions.position_at(offset)
    lines = re.split("\r\n|\n|\r", text)
    if line < 0:
        assert found == (0, 0)
    elif line >= len(lines):
        assert found == (len(lines) - 1, width(lines[-1], encoding))
    else:
        assert found.line == line
        assert found.character <= max(character, 0)
        whole = width(lines[line], encoding)
        assert found.character == whole if character >= whole else max(character, 0) - found.character < 4


@given(TEXTS, ENCODINGS, st.integers(-2, 12), st.integers(-2, 60))
def test_any_place_of_cairns_is_somewhere(text: str, encoding: PositionEncoding, line: int, column: int) -> None:
    positions = Positions(text.encode(), encoding, counts_mark=True)
    found = positions.position(line, column)
    assert positions.position_at(positions.offset(*found)) == found


@pytest.mark.parametrize("encoding", PositionEncoding)
def test_a_byte_order_mark_is_none_of_the_editors_text(encoding: PositionEncoding) -> None:
    positions = Positions(b"\xef\xbb\xbfx = 1\n", encoding)
    assert positions.place(0, 0) == (1, 4)
    assert positions.position(1, 4) == (0, 0)
    assert positions.position(1, 1) == (0, 0)
    assert positions.name(1, "x") == ((0, 0), (0, 1))


def test_a_character_is_never_cut_in_two() -> None:
    data = "a😀b".encode()
    assert [Positions(data, PositionEncoding.UTF16).offset(0, each) for each in range(6)] == [0, 1, 1, 5, 6, 6]
    assert [Positions(data, PositionEncoding.UTF8).offset(0, each) for each in range(7)] == [0, 1, 1, 1, 1, 5, 6]
    assert [Positions(data, PositionEncoding.UTF16).position(1, each).character for each in range(1, 8)] == [
        0,
        1,
        1,
        1,
        1,
        3,
        4,
    ]


def test_a_name_is_found_whole_or_not_at_all() -> None:
    positions = Positions("übers = 1; bers = übers + xbers; bers()\n".encode())
    assert positions.name(1, "bers") == ((0, 11), (0, 15))
    assert positions.name(1, "übers") == ((0, 0), (0, 5))
    assert positions.name(1, "bers", 3) == ((0, 1), (0, 5))
    assert positions.name(1, "gone") is None
    assert positions.name(1, "bers", 2) is None
    assert positions.name(7, "bers") is None
    assert positions.name(1, "bers", 400) is None


def test_what_is_a_part_of_a_longer_name_is_not_that_name() -> None:
    for longer in ("named", "name_", "name2", "nameé", "rename", "_name", "name\udcff", "\udc80name"):
        line = f"{longer}.name".encode("utf-8", "surrogateescape")
        at = len(longer) + 1
        assert Positions(line, PositionEncoding.UTF32).name(1, "name") == ((0, at), (0, at + 4)), longer
    assert Positions(b"a#id{}b", PositionEncoding.UTF8).name(1, "#id{}") == ((0, 1), (0, 6))


def test_lines_end_before_what_ends_them() -> None:
    assert Positions(b"a\r\nbc\r\nd").lines(1, 2) == ((0, 0), (1, 2))
    assert Positions(b"a\rb\nc").lines(1, 1) == ((0, 0), (1, 1))


def test_a_file_that_is_no_utf8_has_places_all_the_same() -> None:
    positions = Positions(b"\xff\xfeab\n\x80x")
    assert positions.place(0, 3) == (1, 4)
    assert positions.position(2, 2) == (1, 1)
