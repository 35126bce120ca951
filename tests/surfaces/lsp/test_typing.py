"""Truth while typing: what the server tells is of what the editor shows, saved or not."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.surfaces.lsp.positions import PositionEncoding, Positions
from tests.surfaces.lsp.client import LanguageClient
from tests.surfaces.lsp.conftest import BASE, USES, environment
from tests.trees import cairn


@pytest.fixture
def opened(client: LanguageClient, project: Path) -> Iterator[list[Path]]:
    """The documents that a test opens: they are closed behind it."""
    paths: list[Path] = []
    yield paths
    for path in paths:
        client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


def change(client: LanguageClient, path: Path, version: int, *changes: dict[str, Any]) -> None:
    document = {"uri": path.as_uri(), "version": version}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})


def symbols(client: LanguageClient, path: Path) -> list[str]:
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})
    return [each["name"] for each in found or []]


def named(found: dict[str, Any], texts: dict[str, str], encoding: PositionEncoding) -> str:
    """What stands at a location in the text that the editor shows."""
    name = found["uri"].rpartition("/")[2]
    data = texts[name].encode()
    places = Positions(data, encoding)
    start, end = found["range"]["start"], found["range"]["end"]
    return data[places.offset(**start) : places.offset(**end)].decode()


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_what_is_typed_is_seen_at_once_and_forgotten_with_the_document(
    client: LanguageClient, project: Path, opened: list[Path]
) -> None:
    path = project / "shapes.py"
    client.open(path)
    opened.append(path)
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    change(client, path, 2, {"range": top, "text": "def typed_just_now():\n    return 1\n\n\n"})
    assert symbols(client, path) == ["typed_just_now", "Shape", "Square"]
    found = client.at("textDocument/definition", project / "uses.py", 10, 27)
    assert [each["range"]["start"]["line"] for each in found] == [15]
    (symbol,) = client.request("workspace/symbol", {"query": "typed_just_now"})
    assert symbol["location"]["range"]["start"] == {"line": 0, "character": 4}
    (hit, *_) = client.request("cairn/search", {"query": "typed_just_now"})["results"]
    assert hit["path"] == "shapes.py"
    client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    assert client.request("workspace/symbol", {"query": "typed_just_now"}) == []
    assert symbols(client, path) == ["Shape", "Square"]


def test_a_file_that_is_not_on_disk_yet_counts(client: LanguageClient, project: Path, opened: list[Path]) -> None:
    path = project / "fresh.py"
    client.open(path, "from shapes import Square\n\n\ndef fresh():\n    return Square(2)\n")
    opened.append(path)
    found = client.at("textDocument/definition", path, 4, 13)
    assert [each["uri"].rpartition("/")[2] for each in found] == ["shapes.py"]
    uses = client.at("textDocument/references", project / "shapes.py", 11, 8, context={"includeDeclaration": False})
    assert "fresh.py" in {each["uri"].rpartition("/")[2] for each in uses}


@pytest.mark.parametrize("kept", ["", "\ufeff"], ids=["hidden", "shown"])
def test_a_byte_order_mark_moves_nothing_on_the_first_line(
    client: LanguageClient, project: Path, opened: list[Path], kept: str
) -> None:
    path, text = project / "marked.py", f"{kept}from shapes import Shape, Square; Square(1); Square(2)\n"
    path.write_text(text if kept else f"\ufeff{text}")
    try:
        client.open(path, text)
        opened.append(path)
        for word, line in (("Shape", 3), ("Square", 11), ("Square(2)", 11)):
            (found,) = client.at("textDocument/definition", path, 0, text.index(word))
            assert (found["uri"].rpartition("/")[2], found["range"]["start"]["line"]) == ("shapes.py", line)
        uses = client.at("textDocument/references", project / "shapes.py", 11, 8, context={"includeDeclaration": False})
        ranges = [each["range"] for each in uses if each["uri"] == path.as_uri()]
        assert [(each["start"]["character"], each["end"]["character"]) for each in ranges] == [
            (found.start(), found.end()) for found in re.finditer("Square", text)
        ]
    finally:
        path.unlink()


@pytest.mark.slow
def test_a_document_by_a_link_is_the_same_file(client: LanguageClient, project: Path, opened: list[Path]) -> None:
    link = project.parent / "by-link"
    link.symlink_to(project)
    path = link / "uses.py"
    client.open(path, "# typed\n" * 3 + USES)
    opened.append(path)
    (found,) = client.at("textDocument/definition", path, 13, 27)
    assert (found["uri"], found["range"]["start"]) == ((project / "shapes.py").as_uri(), {"line": 11, "character": 6})
    uses = client.at("textDocument/references", path, 6, 5, context={"includeDeclaration": True})
    assert {(each["uri"], each["range"]["start"]["line"]) for each in uses} == {(path.as_uri(), 6), (path.as_uri(), 14)}
    assert symbols(client, path) == ["total", "twice"]


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_a_burst_of_edits_costs_one_look(client: LanguageClient, project: Path, opened: list[Path]) -> None:
    path = project / "uses.py"
    client.open(path)
    opened.append(path)
    end = len(USES.splitlines())
    for number in range(10_000):
        at = {"line": end, "character": number}
        change(client, path, number + 2, {"range": {"start": at, "end": at}, "text": "x" if number else "#"})
    at = {"line": end, "character": 10_000}
    change(client, path, 20_000, {"range": {"start": at, "end": at}, "text": "\ndef last():\n    return 1\n"})
    assert symbols(client, path) == ["total", "twice", "last"]
    (symbol,) = client.request("workspace/symbol", {"query": "last"})
    assert symbol["location"]["range"]["start"] == {"line": end + 1, "character": 4}


def test_a_file_that_changed_since_is_asked_about_as_it_is(client: LanguageClient, project: Path) -> None:
    path = project / "shapes.py"
    path.write_text("# Square was above\n" * 3 + BASE)
    try:
        (symbol,) = client.request("workspace/symbol", {"query": "Square"})
        assert symbol["location"]["range"]["start"] == {"line": 14, "character": 6}
        found = client.at("textDocument/definition", project / "uses.py", 10, 27)
        assert [each["range"]["start"] for each in found] == [{"line": 14, "character": 6}]
    finally:
        path.write_text(BASE)
    found = client.at("textDocument/definition", project / "uses.py", 10, 27)
    assert [each["range"]["start"] for each in found] == [{"line": 11, "character": 6}]


def test_a_place_that_was_told_moves_with_its_file(client: LanguageClient, project: Path) -> None:
    path = project / "shapes.py"
    (before,) = client.request("workspace/symbol", {"query": "Square"})
    path.write_text(BASE.replace("class Square(Shape):", "class  Square(Shape):"))
    try:
        (after,) = client.request("workspace/symbol", {"query": "Square"})
    finally:
        path.write_text(BASE)
    told = [each["location"]["range"]["start"] for each in (before, after)]
    assert told[1] == {**told[0], "character": told[0]["character"] + 1}


@pytest.mark.slow
def test_what_is_shown_counts_over_a_snapshot_that_came_since(
    client: LanguageClient, project: Path, opened: list[Path]
) -> None:
    path = project / "shapes.py"
    client.open(path)
    opened.append(path)
    try:
        for text in (BASE, "# Square was above\n" * 3 + BASE):
            path.write_text(text)
            assert cairn("index", cwd=project, **environment(project)).returncode == 0
            (symbol,) = client.request("workspace/symbol", {"query": "Square"})
            assert symbol["location"]["range"]["start"] == {"line": 11, "character": 6}
    finally:
        path.write_text(BASE)
        cairn("index", cwd=project, **environment(project))


def test_untitled_foreign_and_huge_documents_have_no_wrong_answers(
    client: LanguageClient, project: Path, tmp_path: Path, opened: list[Path]
) -> None:
    huge, foreign = project / "huge.py", tmp_path / "foreign.py"
    client.open(huge, "def huge():\n    return 1\n" + "# x\n" * 3_000_000)
    client.open(foreign, "def foreign():\n    return 1\n")
    opened += [huge, foreign]
    untitled = {"uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": "def a():\n    pass\n"}
    client.notify("textDocument/didOpen", {"textDocument": untitled})
    for uri in (huge.as_uri(), foreign.as_uri(), "untitled:Untitled-1"):
        assert not client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert client.request("workspace/symbol", {"query": "foreign"}) == []
    assert symbols(client, project / "shapes.py") == ["Shape", "Square"]


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
@pytest.mark.parametrize(
    "encoding",
    [
        PositionEncoding.UTF8,
        pytest.param(PositionEncoding.UTF16, marks=pytest.mark.slow),
        pytest.param(PositionEncoding.UTF32, marks=pytest.mark.slow),
    ],
)
def test_places_name_what_stands_there_after_any_edits(project: Path, encoding: PositionEncoding) -> None:
    random_ = random.Random(str(encoding))
    texts = {"shapes.py": BASE, "uses.py": USES}
    with LanguageClient(environment=environment(project)) as client:
        client.initialize([project], {"features": "all"}, encodings=[encoding])
        for name in texts:
            client.open(project / name)
        checked = 0
        for version in range(2, 10):
            name = random_.choice([*texts])
            lines = texts[name].split("\n")
            at = (
                random_.choice([0, 3, len(lines) - 1])
                if name == "uses.py"
                else random_.choice([0, 3, 10, len(lines) - 1])
            )
            new = random_.choice(
                ["# 🍎 größe\n", "ä = '🍎🍎'; Square\n", "\n\n", "def more(größe):\n    return Square(größe)\n"]
            )
            start = {"line": at, "character": 0}
            change(client, project / name, version, {"range": {"start": start, "end": start}, "text": new})
            texts[name] = "\n".join([*lines[:at], *(new + lines[at]).split("\n"), *lines[at + 1 :]])
            data = texts["shapes.py"].encode()
            place = Positions(data, encoding).position_at(data.index(b"class Square") + 6)
            for each in client.at("textDocument/definition", project / "shapes.py", *place) or ():
                assert named(each, texts, encoding) == "Square"
            context = {"includeDeclaration": True}
            found = client.at("textDocument/references", project / "shapes.py", *place, context=context)
            assert len(found) >= 3
            for each in found:
                assert named(each, texts, encoding) == "Square"
                checked += 1
        assert checked > 30


@pytest.mark.slow
def test_nothing_that_was_typed_is_in_the_index(project: Path) -> None:
    done = cairn("symbol", "typed_just_now", "--json", cwd=project, **environment(project))
    assert '"total": 0' in done.stdout
