"""What is said and taken in the protocol's shapes, with the library that declares all of it as the judge."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import converters
from lsprotocol import types as protocol

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.positions import Position
from cairn.surfaces.lsp.shapes import ShapeError, plain, shaped
from tests.surfaces.lsp.client import LanguageClient

_PLACE = {"textDocument": {"uri": "file:///a"}, "position": {"line": 1, "character": 2}}


def test_what_is_given_is_taken_by_the_names_of_the_protocol() -> None:
    given = {**_PLACE, "context": {"includeDeclaration": True, "more": 1}, "workDoneToken": "one"}
    found = shaped(types.ReferenceParams, given)
    assert found == types.ReferenceParams(
        types.TextDocument("file:///a"), Position(1, 2), types.ReferenceContext(True), "one"
    )
    assert shaped(types.ReferenceParams, {**given, "workDoneToken": None}).work_done_token is None
    assert shaped(types.ContentChange, {"text": "x"}) == types.ContentChange("x")


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        {},
        {**_PLACE, "textDocument": None},
        {**_PLACE, "textDocument": {"uri": 7}},
        {**_PLACE, "position": [1, 2]},
        {**_PLACE, "position": {"line": 1}},
        {**_PLACE, "position": {"line": True, "character": 2}},
        {**_PLACE, "position": {"line": 1.5, "character": 2}},
        {**_PLACE, "position": {"line": 0, "character": -1}},
        {**_PLACE, "position": {"line": 1 << 31, "character": 0}},
    ],
)
def test_what_is_none_is_refused(wrong: Any) -> None:
    assert shaped(types.PlaceParams, _PLACE).position == (1, 2)
    with pytest.raises(ShapeError):
        shaped(types.PlaceParams, wrong)


def test_what_is_not_said_is_left_out_but_for_a_version() -> None:
    edit = types.TextDocumentEdit(types.VersionedDocument("file:///a", None), ())
    assert plain(edit) == {"textDocument": {"uri": "file:///a", "version": None}, "edits": []}
    item = types.HierarchyItem("a", 5, "b", *2 * (types.Range(Position(0, 0), Position(0, 1)),))
    call = plain({"from": item, "fromRanges": ()})
    assert call == {"from": {**plain(item), "kind": 5}, "fromRanges": []}
    assert "detail" not in call["from"]
    assert shaped(types.ItemParams, call | {"item": call["from"]}).item == item


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_every_answer_is_one_of_the_protocol(client: LanguageClient, project: Path) -> None:
    assert _judged("initialize", {"capabilities": client.capabilities}).capabilities.position_encoding is not None
    uri = client.open(project / "uses.py")
    here = {"textDocument": {"uri": uri}, "position": _place_of(project / "uses.py", "total")}
    for method, more in (
        ("workspace/symbol", {"query": "to"}),
        ("textDocument/documentSymbol", here),
        ("textDocument/definition", here),
        ("textDocument/declaration", here),
        ("textDocument/implementation", here),
        ("textDocument/references", {**here, "context": {"includeDeclaration": True}}),
        ("textDocument/hover", here),
        ("textDocument/documentLink", here),
        ("textDocument/prepareRename", here),
        ("textDocument/rename", {**here, "newName": "sum_of_all"}),
        ("textDocument/prepareCallHierarchy", here),
    ):
        found = client.request(method, more)
        assert found, method
        assert _judged(method, found), method
    (item, *_) = client.request("textDocument/prepareCallHierarchy", here)
    assert _judged("callHierarchy/incomingCalls", client.request("callHierarchy/incomingCalls", {"item": item}))


def _place_of(path: Path, name: str) -> dict[str, int]:
    """Where a name stands first."""
    before = path.read_text()[: path.read_text().index(name)]
    return {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}


def _judged(method: str, result: Any) -> Any:
    answer: Any = protocol.METHOD_TO_TYPES[method][1]
    given = {"jsonrpc": "2.0", "id": 1, "result": result}
    return converters.get_converter().structure(given, answer).result
