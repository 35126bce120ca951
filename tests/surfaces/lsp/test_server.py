"""The language server by a real client over pipes."""

from pathlib import Path

import pytest

from cairn.surfaces.lsp.buffers import MOST_BYTES
from cairn.surfaces.lsp.session import EditorSession
from tests.surfaces.lsp.client import LanguageClient
from tests.surfaces.lsp.conftest import environment


@pytest.mark.requirement("LSP.1")
def test_the_symbols_of_a_document_are_a_tree(client: LanguageClient, project: Path) -> None:
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": (project / "shapes.py").as_uri()}})
    assert [each["name"] for each in found] == ["Shape", "Square"]
    assert [each["name"] for each in found[0]["children"]] == ["area"]
    assert found[1]["selectionRange"]["start"] == {"line": 11, "character": 6}


@pytest.mark.slow
def test_the_name_of_a_symbol_is_its_own_and_not_one_of_its_decorators(client: LanguageClient, project: Path) -> None:
    decorators = "".join(f"@mark({number})\n" for number in range(30))
    text = f"{decorators}@mark('far')\ndef far():\n    return near()\n\n\n@near.register\ndef near():\n    pass\n"
    uri = client.open(project / "shapes.py", text)
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    near = {"textDocument": {"uri": uri}, "position": {"line": 36, "character": 4}}
    (item,) = client.request("textDocument/prepareCallHierarchy", near)
    (caller,) = client.request("callHierarchy/incomingCalls", {"item": item})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    starts = [each["selectionRange"]["start"] for each in (*found, item, caller["from"])]
    assert [each["name"] for each in found] == ["far", "near"]
    assert [(each["line"], each["character"]) for each in starts] == [(31, 4), (36, 4), (36, 4), (31, 4)]


@pytest.mark.slow
def test_an_editor_without_trees_gets_a_list(project: Path) -> None:
    with LanguageClient(environment=environment(project)) as flat:
        flat.initialize([project], {"features": "all", "sync": False}, capabilities={})
        uri = (project / "shapes.py").as_uri()
        found = flat.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert [(each["name"], each.get("containerName")) for each in found[:2]] == [("Shape", None), ("area", "Shape")]
        assert {each["location"]["uri"] for each in found} == {uri}


@pytest.mark.slow
def test_what_is_switched_off_is_answered_with_nothing(client: LanguageClient, project: Path) -> None:
    document = {"textDocument": {"uri": (project / "shapes.py").as_uri()}}
    place = {**document, "position": {"line": 3, "character": 6}}
    asked: dict[str, dict[str, object]] = {"cairn/search": {"query": "area"}, "cairn/map": {}, "cairn/impact": place}
    for kind, steps in {
        "callHierarchy": ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"),
        "typeHierarchy": ("typeHierarchy/supertypes", "typeHierarchy/subtypes"),
    }.items():
        (item,) = client.request(f"textDocument/prepare{kind[0].upper()}{kind[1:]}", place)
        asked |= {step: {"item": item} for step in steps}
    assert all(client.request(method, params) is not None for method, params in asked.items())
    with LanguageClient(environment=environment(project)) as other:
        other.initialize([project], {"features": ["hover"], "sync": False})
        assert [other.request(method, params) for method, params in asked.items()] == [None] * len(asked)


def test_the_workspace_knows_every_name(client: LanguageClient, project: Path) -> None:
    (found,) = client.request("workspace/symbol", {"query": "Square"})
    assert found["location"]["uri"] == (project / "shapes.py").as_uri()
    assert found["location"]["range"]["start"] == {"line": 11, "character": 6}


def test_search_finds_places(client: LanguageClient, project: Path) -> None:
    found = client.request("cairn/search", {"query": "sum of all areas", "limit": 5})
    assert found["snapshot"]
    assert found["notes"] == []
    assert (project / "uses.py").as_uri() in [each["location"]["uri"] for each in found["results"]]


def test_the_status_tells_what_is_indexed(client: LanguageClient, project: Path) -> None:
    found = client.request("cairn/status", {"root": project.as_uri()})
    assert found["indexed"]
    assert (found["root"], found["name"], found["files"]) == (project.as_uri(), "project", 3)
    elsewhere = client.request("cairn/status", {"root": (project.parent / "nowhere").as_uri()})
    assert not elsewhere["indexed"]
    assert elsewhere["notes"]


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_the_encoding_is_the_clients_first(client: LanguageClient, project: Path) -> None:
    assert client.capabilities["positionEncoding"] == "utf-16"  # it names none
    with LanguageClient(environment=environment(project)) as other:
        offered = ["utf-7", "utf-32", "utf-16"]
        assert other.initialize([project], {"sync": False}, offered)["positionEncoding"] == "utf-32"
        (item,) = other.at("textDocument/prepareCallHierarchy", project / "uses.py", 10, 26)
        assert item["name"] == "Square"


def test_what_is_in_no_codebase_has_no_answer(client: LanguageClient, tmp_path: Path) -> None:
    for uri in ((tmp_path / "x.py").as_uri(), "untitled:Untitled-1", "git:/x.py?HEAD"):
        assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) is None


def test_what_is_no_file_or_very_large_has_no_text(tmp_path: Path) -> None:
    session, large = EditorSession(str(tmp_path)), tmp_path / "large.py"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert [session.text(path) for path in (str(large), "/dev/null", str(tmp_path), "/no/such", "a\0b")] == [None] * 5
    with large.open("r+b") as file:
        file.truncate(3)
    assert session.text(str(large)) == bytes(3)


def test_a_search_can_be_kept_to_some_files(client: LanguageClient) -> None:
    found = client.request("cairn/search", {"query": "area", "include": ["shapes.*"], "mode": "code"})
    assert {each["path"] for each in found["results"]} == {"shapes.py"}
    assert client.request("cairn/search", {"query": "area", "root": "file:///nowhere"})["notes"]


def test_the_workspace_knows_names_that_are_not_saved_yet(client: LanguageClient, project: Path) -> None:
    path = project / "typed.py"
    path.write_text("def on_disk_alone():\n    pass\n")
    client.open(path, "\n\ndef typed_just_now():\n    pass\n")
    (found,) = client.request("workspace/symbol", {"query": "typed_just"})
    assert found["location"]["range"]["start"] == {"line": 2, "character": 4}
    client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    path.unlink()
    assert client.request("workspace/symbol", {"query": "typed_just"}) == []
