"""Text for terminals: safe to show, and shown only where there is one."""

import io
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.base.text import human_bytes, json_text, plural, printable
from cairn.surfaces.cli import progress
from cairn.surfaces.cli.progress import ProgressLine


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    # The line shows itself at most ten times a second: without the pause every call is visible.
    monkeypatch.setattr(progress, "_EVERY_S", 0.0)


@pytest.mark.parametrize("text", ["", "plain text", "a\\b", "grüße", "日本語", "Ωмега", "naïve — “quoted”", "👍"])
def test_visible_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\x00\x07\x7f", "\\x00\\x07\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("\x85", "\\x85"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("\u200f\u061c", "\\u200f\\u061c"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ufeff", "\\ufeff"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
        ("é\x1b", "é\\x1b"),
    ],
)
def test_what_acts_on_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.slow
@settings(max_examples=300)
@given(st.text(st.characters()) | st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
@example("".join(map(chr, range(0x110000))))
def test_no_text_at_all_comes_out_with_a_control_a_format_mark_or_a_line_break(text: str) -> None:
    shown = printable(text)
    assert {unicodedata.category(character) for character in shown}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (1536, "1.5 KB"),
        (10 * 1024**2, "10.0 MB"),
        (1024**3, "1.0 GB"),
        (5 * 1024**4, "5120.0 GB"),
    ],
)
def test_sizes_are_told_in_a_unit_that_fits(count: int, shown: str) -> None:
    assert human_bytes(count) == shown


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1234567, "1,234,567 files")]
)
def test_a_count_agrees_with_its_noun(count: int, shown: str) -> None:
    assert plural(count, "file") == shown


@pytest.mark.usefixtures("no_pause")
def test_progress_is_shown_on_a_terminal_and_wiped_away() -> None:
    stream = Terminal()
    with ProgressLine("looking at", stream) as line:
        line(7)
        line(1234)
        assert stream.getvalue() == "\r\x1b[Klooking at 7 files\r\x1b[Klooking at 1,234 files"
    assert stream.getvalue().endswith("1,234 files\r\x1b[K")


@pytest.mark.usefixtures("no_pause")
def test_progress_is_wiped_away_when_the_work_breaks_off() -> None:
    stream = Terminal()

    def break_off() -> None:
        with ProgressLine("looking at", stream) as line:
            line(7)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert stream.getvalue().endswith("\r\x1b[K")


@pytest.mark.usefixtures("no_pause")
def test_there_is_no_progress_outside_of_a_terminal() -> None:
    stream = io.StringIO()
    with ProgressLine("looking at", stream) as line:
        line(7)
    assert stream.getvalue() == ""


def test_short_work_shows_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_EVERY_S", 3600.0)
    stream = Terminal()
    with ProgressLine("looking at", stream) as line:
        line(7)
    assert stream.getvalue() == ""


def test_sizes_never_read_as_a_thousand_and_more_of_a_unit() -> None:
    assert [human_bytes(size) for size in (1023, 1024, 1048575, 1048576)] == ["1023 B", "1.0 KB", "1.0 MB", "1.0 MB"]


def test_json_has_no_raw_control_character_not_even_delete() -> None:
    assert json_text({"a": "\x7f\x1b\x9b"}) == '{"a": "\\u007f\\u001b\\u009b"}'
