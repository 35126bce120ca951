"""A file is changed at the planned places and nowhere else, whatever its bytes are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import ContentChangedError
from cairn.base.values import replace
from cairn.edit.source.texts import FileText, diff_of, rewritten, written
from cairn.edit.source.values import AS_KEY, AS_VALUE, SEMANTIC, Spot


def spots_of(data: bytes, word: str) -> list[Spot]:
    """A spot for each place of a word."""
    text, found, at = FileText(data), [], data.find(word.encode())
    while at >= 0:
        line, column = data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at) - 1
        found.append(text.spot("a.py", line, column, word, SEMANTIC))
        at = data.find(word.encode(), at + len(word.encode()))
    return found


_BYTES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([b"\xef\xbb\xbf", b"\r\n", b"\n", b"\r", b"\xff"]),
    st.sampled_from(["é", "e\u0301", "\u2028"]).map(str.encode),
)


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
@given(st.lists(_BYTES, max_size=12), st.sampled_from(["n", "new_name", "é", "x" * 40]), st.data())
def test_the_planned_bytes_change_and_nothing_else(parts: list[bytes], new: str, draw: st.DataObject) -> None:
    old = "ñame"
    parts = [part.replace(old.encode(), b"") for part in parts]
    data = old.encode().join(parts) if parts else old.encode()
    known = spots_of(data, old)
    chosen = [spot for spot in known if draw.draw(st.booleans())]
    changed = iter(known)
    expected = data.split(old.encode())
    whole = expected[0]
    for rest in expected[1:]:
        whole += (new if next(changed) in chosen else old).encode() + rest
    assert rewritten(data, reversed(chosen), new) == whole


@pytest.mark.requirement("GATE.3")
@pytest.mark.parametrize(
    "data",
    [
        "\ufeffname = 'é'\r\nname\r\n",
        "name\rname\n",
        "e\u0301 = name\n\tname",
        "\U0001f600 name \U0001f600",
        "name",
    ],
)
def test_line_endings_marks_and_letters_stay(data: str) -> None:
    whole = data.encode()
    assert rewritten(whole, spots_of(whole, "name"), "n") == whole.replace(b"name", b"n")


@pytest.mark.requirement("GATE.3")
@pytest.mark.parametrize("now", [b"a = nam\n", b"a =  name\n", b"b = name\n", b"a = name;\n", b"\na = name\n", b""])
def test_another_text_or_neighbourhood_than_planned_is_refused(now: bytes) -> None:
    (spot,) = spots_of(b"a = name\n", "name")
    with pytest.raises(ContentChangedError):
        rewritten(now, [spot], "new")


def test_a_place_that_is_planned_twice_is_refused() -> None:
    (spot,) = spots_of(b"a = name\n", "name")
    with pytest.raises(ContentChangedError, match="twice"):
        rewritten(b"a = name\n", [spot, spot], "new")


def test_an_anchor_is_ten_characters_and_not_a_torn_one() -> None:
    data = ("é" * 30 + "name" + "\U0001f600" * 30).encode()
    (spot,) = spots_of(data, "name")
    assert (spot.before, spot.after) == ("é" * 10, "\U0001f600" * 10)
    assert rewritten(data, [spot], "x") == data.replace(b"name", b"x")


@pytest.mark.parametrize("place", [(0, 0), (3, 0), (1, 99), (2, 6)])
def test_a_place_that_the_text_does_not_have_holds_nothing(place: tuple[int, int]) -> None:
    text = FileText(b"a = 1\nname\n"[:-1])
    assert text.holds(*place, "name") is False
    assert text.offset(2, 0) == 6
    assert text.shown(9) == ""


def test_a_property_and_its_value_in_one_become_two() -> None:
    (spot,) = spots_of(b"{ name }", "name")
    assert written(replace(spot, form=AS_VALUE), "new") == "name: new"
    assert written(replace(spot, form=AS_KEY), "new") == "new: name"
    assert rewritten(b"{ name }", [replace(spot, form=AS_KEY)], "new") == b"{ new: name }"


def test_a_diff_shows_the_changed_lines_and_no_others() -> None:
    data = b"a\r\nb = name\r\nc\r\n"
    lines = list(diff_of(data, rewritten(data, spots_of(data, "name"), "new"), "a.py"))
    assert lines[:2] == ["--- a/a.py", "+++ b/a.py"]
    assert [line for line in lines[2:] if line[0] in "+-"] == ["-b = name", "+b = new"]
    assert list(diff_of(None, b"a\n", "a.py"))[:2] == ["--- /dev/null", "+++ b/a.py"]


def test_a_place_with_a_text_of_its_own_gets_that_and_an_insertion_is_held_by_its_surroundings() -> None:
    text = FileText(b"f(a, b)")
    more = text.spot("a.py", 1, 6, "", SEMANTIC, new=", c")
    other = text.spot("a.py", 1, 2, "a", SEMANTIC, new="x")
    assert rewritten(b"f(a, b)", [more, other], "unused") == b"f(x, b, c)"
    with pytest.raises(ContentChangedError):
        rewritten(b"f(a, d)", [more], "unused")
    assert rewritten(b"", [FileText(b"").spot("b.py", 1, 0, "", SEMANTIC, new="made")], "") == b"made"
