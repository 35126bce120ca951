"""The language server by a real client over pipes."""

from pathlib import Path

import pytest

from tests.surfaces.lsp.client import LanguageClient
from tests.surfaces.lsp.conftest import environment


@pytest.mark.requirement("LSP.1")
def test_the_symbols_of_a_document_are_a_tree(client: LanguageClient, project: Path) -> None:
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": (project / "shapes.py").as_uri()}})
    assert [each["name"] for each in found] == ["Shape", "Square"]
    assert [each["name"] for each in found[0]["children"]] == ["area"]
    assert found[1]["selectionRange"]["start"] == {"line": 11, "character": 6}


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


@pytest.mark.requirement("LSP.1")
@pytest.mark.parametrize(
    ("offered", "chosen"), [(["utf-8", "utf-16"], "utf-8"), (["utf-32"], "utf-32"), (None, "utf-16"), (["x"], "utf-16")]
)
def test_the_encoding_is_the_clients_first(project: Path, offered: list[str] | None, chosen: str) -> None:
    with LanguageClient(environment=environment(project)) as client:
        assert client.initialize([project], encodings=offered)["positionEncoding"] == chosen


def test_what_is_in_no_codebase_has_no_answer(client: LanguageClient, tmp_path: Path) -> None:
    for uri in ((tmp_path / "x.py").as_uri(), "untitled:Untitled-1", "git:/x.py?HEAD"):
        assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) is None
