"""Open documents, changed as an editor changes them."""

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.surfaces.lsp.buffers import MOST_BYTES, Buffer, BufferChange, Buffers, path_of
from cairn.surfaces.lsp.positions import Position, PositionEncoding
from tests.surfaces.lsp.test_positions import ENCODINGS, TEXTS, between, counted

URI = "file:///tmp/a.py"


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
@given(TEXTS, ENCODINGS, st.lists(st.tuples(TEXTS, st.integers(0, 60), st.integers(0, 60)), max_size=8))
def test_changes_do_what_the_editor_did(
    text: str, encoding: PositionEncoding, edits: list[tuple[str, int, int]]
) -> None:
    buffer = Buffer(URI, text, 0, "python", encoding)
    for version, (new, *ends) in enumerate(edits):
        places = [each for each in range(len(text) + 1) if between(text, each)]
        left, right = sorted(places[each % len(places)] for each in ends)
        start, end = (counted(text, each, encoding) for each in (left, right))
        buffer.apply([BufferChange(new, start, end) if version % 2 else BufferChange(new, end, start)], version)
        text = text[:left] + new + text[right:]
        assert buffer.text == text
        assert buffer.version == version
    assert buffer._lines == Buffer(URI, text, 0, "", encoding)._lines
    assert [line.rstrip("\r\n") for line in buffer._lines] == re.split("\r\n|\n|\r", text)


def test_a_change_without_a_place_is_the_whole_text() -> None:
    buffers = Buffers()
    buffers.opened(URI, "a\n", 1)
    buffers.changed(URI, [BufferChange("b\n"), BufferChange("c", Position(0, 0), Position(0, 1))], 2)
    buffer = buffers.get(URI)
    assert buffer is not None
    assert (buffer.text, buffer.version) == ("c\n", 2)


def test_places_past_the_end_are_drawn_to_it() -> None:
    buffer = Buffer(URI, "one\r\ntwo", 0, "", PositionEncoding.UTF16)
    buffer.apply([BufferChange("!", Position(0, 99), Position(0, 99))])
    buffer.apply([BufferChange("?", Position(7, 7), Position(9, 9))])
    assert buffer.text == "one!\r\ntwo?"


def test_halves_of_characters_are_replaced_and_keep_their_width() -> None:
    buffer = Buffer(URI, "a\ud83db", 0, "", PositionEncoding.UTF16)
    buffer.apply([BufferChange("\ude00", Position(0, 2), Position(0, 3))])
    assert buffer.data.decode() == "a\ufffd\ufffd"


@pytest.mark.slow
def test_a_burst_of_edits_costs_what_it_touches() -> None:
    buffers = Buffers()
    buffers.opened(URI, "".join(f"line_{number} = {number}\n" for number in range(20_000)))
    for number in range(10_000):
        buffers.changed(URI, [BufferChange("x", Position(10_000, number), Position(10_000, number))], number)
    buffer = buffers.get(URI)
    assert buffer is not None
    assert "x" * 10_000 + "line_10000 = 10000\n" in buffer.text


def test_nobody_sees_a_part_of_a_change() -> None:
    buffer, seen = Buffer(URI, "one two", 1, "", PositionEncoding.UTF16), list[Future[bytes]]()

    def changes() -> Iterator[BufferChange]:
        yield BufferChange("1", Position(0, 0), Position(0, 3))
        seen.append(readers.submit(lambda: buffer.data))
        wait(seen, 0.05)  # it has to wait for the end: who doesn't has an answer by now
        yield BufferChange("2", Position(0, 2), Position(0, 5))

    with ThreadPoolExecutor(1) as readers:
        buffer.apply(changes(), 2)
        assert [each.result() for each in seen] == [b"1 2"]
    assert buffer.data == b"1 2"


def test_of_two_documents_of_a_file_the_first_counts(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    buffers, path = Buffers(), str(tmp_path / "real" / "a.py")
    for folder, text in (("real", "first"), ("link", "second")):
        buffers.opened((tmp_path / folder / "a.py").as_uri(), text)
    uris = [each.uri for each in buffers]
    assert buffers.at(path) is buffers.get(uris[0])
    buffers.closed(uris[0])
    assert buffers.at(path) is buffers.get(uris[1]) is not None


def test_closing_forgets_what_was_not_saved() -> None:
    buffers = Buffers()
    buffers.opened(URI, "a")
    buffers.opened("untitled:Untitled-1", "b")
    assert buffers.texts() == {"/tmp/a.py": b"a"}
    assert [each.path for each in buffers] == ["/tmp/a.py", None]
    assert buffers.at("/tmp/a.py") is buffers.get(URI)
    buffers.closed(URI)
    buffers.closed(URI)
    buffers.changed(URI, [BufferChange("late")])
    assert buffers.get(URI) is None
    assert len(buffers) == 1


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c.py", "/a/b c.py"),
        ("file://localhost/a/%C3%A9", "/a/é"),
        ("file:///a/../b", "/b"),
        ("file:///a%00b", None),
        ("file://elsewhere/a", None),
        ("untitled:Untitled-1", None),
        ("vscode-remote://x/a", None),
        ("", None),
    ],
)
def test_only_files_have_paths(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


def test_a_mark_that_the_editor_counts_is_counted() -> None:
    assert Buffer(URI, "\ufeffx", 0, "", PositionEncoding.UTF16).positions().position(1, 4) == (0, 1)


def test_a_mark_that_the_editor_keeps_to_itself_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "marked.py"
    path.write_text("\ufeffx")
    buffer = Buffer(path.as_uri(), "x", 0, "", PositionEncoding.UTF16)
    assert buffer.data == path.read_bytes()
    assert buffer.positions().position(1, 4) == (0, 0)
    buffer.apply([BufferChange("y", Position(0, 0), Position(0, 1))])
    assert buffer.data == "\ufeffy".encode()
    assert Buffer(path.as_uri(), "\ufeffx", 0, "", PositionEncoding.UTF16).data == path.read_bytes()


@pytest.mark.slow
def test_of_a_very_large_document_nothing_is_kept_until_it_comes_anew() -> None:
    buffer = Buffer("file:///no/such", "x\n" * (MOST_BYTES // 2), 1, "", PositionEncoding.UTF16)
    assert len(buffer.data) == MOST_BYTES
    buffer.apply([BufferChange("yy", Position(3, 0), Position(3, 1))], 2)
    assert buffer.is_large
    assert len(buffer.data) > MOST_BYTES
    buffer.apply([BufferChange("", Position(0, 0), Position(1 << 30, 0))], 3)
    assert (buffer.is_large, buffer.text, buffer.version) == (True, "", 3)
    buffer.apply([BufferChange("small")], 4)
    assert (buffer.is_large, buffer.data) == (False, b"small")
    buffer.apply([BufferChange("")], 5)
    assert (buffer.is_large, buffer.data) == (False, b"")
