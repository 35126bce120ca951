"""From a name to everything that is known of it, by a real client."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.lsp.client import LanguageClient


def _places(found: list[dict[str, Any]] | None) -> list[tuple[str, int, int]]:
    return [
        (each["uri"].rpartition("/")[2], each["range"]["start"]["line"], each["range"]["start"]["character"])
        for each in found or []
    ]


@pytest.mark.requirement("LSP.1")
def test_a_use_leads_to_its_definition(client: LanguageClient, project: Path) -> None:
    # In UTF-16 the apple takes two units; the second request stands behind the name's last letter.
    for character in (27, 33):
        found = client.at("textDocument/definition", project / "uses.py", 10, character)
        assert _places(found) == [("shapes.py", 11, 6)]
    assert _places(client.at("textDocument/declaration", project / "uses.py", 10, 27)) == [("shapes.py", 11, 6)]


LOCALS = {
    "typed.ts": "export function grow(by: number[]) {\n    return by.map((one) => one * 2);\n}\n",
    "typed.go": "package typed\n\nfunc grow(by int) int {\n\tone := by\n\treturn one * 2\n}\n",
}


@pytest.mark.slow
def test_a_local_leads_to_where_it_is_bound(client: LanguageClient, project: Path) -> None:
    for name, text in LOCALS.items():  # They are not on disk.
        client.open(project / name, text)
    for name, line, character, bound in (
        ("uses.py", 5, 15, ("uses.py", 5, 31)),
        ("uses.py", 5, 39, ("uses.py", 3, 10)),
        ("uses.py", 11, 18, ("uses.py", 10, 18)),
        ("typed.ts", 1, 27, ("typed.ts", 1, 19)),
        ("typed.ts", 1, 11, ("typed.ts", 0, 21)),
        ("typed.go", 4, 8, ("typed.go", 3, 1)),
        ("typed.go", 3, 8, ("typed.go", 2, 10)),
    ):
        assert _places(client.at("textDocument/definition", project / name, line, character)) == [bound]
        context = {"context": {"includeDeclaration": True}}
        found = _places(client.at("textDocument/references", project / name, line, character, **context))
        assert found[0] == bound
        assert (name, line, character) in found
    assert "1 use" in client.at("textDocument/hover", project / "typed.go", 3, 8)["contents"]["value"]
    for name in LOCALS:
        client.notify("textDocument/didClose", {"textDocument": {"uri": (project / name).as_uri()}})


def test_a_place_without_a_name_leads_nowhere(client: LanguageClient, project: Path) -> None:
    assert not client.at("textDocument/definition", project / "uses.py", 1, 0)
    assert not client.at("textDocument/definition", project / "uses.py", 999, 99)
    assert client.at("textDocument/hover", project / "uses.py", 1, 0) is None


def test_implementations_are_those_below(client: LanguageClient, project: Path) -> None:
    assert _places(client.at("textDocument/implementation", project / "shapes.py", 3, 7)) == [("shapes.py", 11, 6)]
    assert _places(client.at("textDocument/implementation", project / "shapes.py", 6, 9)) == [("shapes.py", 15, 8)]


def test_references_begin_with_the_proven_ones(client: LanguageClient, project: Path) -> None:
    context = {"context": {"includeDeclaration": True}}
    found = _places(client.at("textDocument/references", project / "shapes.py", 11, 7, **context))
    assert found[0] == ("shapes.py", 11, 6)
    assert ("uses.py", 10, 27) in found
    alone = {"context": {"includeDeclaration": False}, "workDoneToken": "uses"}
    found = _places(client.at("textDocument/references", project / "shapes.py", 6, 9, **alone))
    assert ("shapes.py", 6, 8) not in found
    assert ("uses.py", 5, 20) in found
    told = [each["value"] for each in client.heard("$/progress", 2) if each["token"] == "uses"]
    assert [each["kind"] for each in told] == ["begin", "end"]
    assert "use" in told[1]["message"]


def test_calls_are_followed_both_ways(client: LanguageClient, project: Path) -> None:
    (item,) = client.at("textDocument/prepareCallHierarchy", project / "uses.py", 3, 5)
    assert item["name"] == "total"
    (caller,) = client.request("callHierarchy/incomingCalls", {"item": item})
    assert caller["from"]["name"] == "twice"
    assert caller["fromRanges"] == [{"start": {"line": 11, "character": 11}, "end": {"line": 11, "character": 16}}]
    called = client.request("callHierarchy/outgoingCalls", {"item": caller["from"]})
    assert "total" in [each["to"]["name"] for each in called]
    square = next(each for each in called if each["to"]["name"].startswith("Square"))
    assert square["fromRanges"][0]["start"] == {"line": 10, "character": 27}


@pytest.mark.slow
def test_every_call_of_a_line_is_told_by_whatever_name(client: LanguageClient, project: Path) -> None:
    path = project / "s.py"
    text = "import shapes\n\nclass Kit(object):\n    @classmethod\n    def make(cls):\n        return cls()\n\n"
    client.open(path, f"{text}k = Kit(); print(1, Kit())\n")
    try:
        (item,) = client.at("textDocument/prepareCallHierarchy", path, 2, 7)
        found = client.request("callHierarchy/incomingCalls", {"item": item})
        said = {
            each["from"]["name"]: [
                (one["start"]["line"], one["start"]["character"], one["end"]["character"]) for one in each["fromRanges"]
            ]
            for each in found
        }
        assert said == {"Kit.make": [(5, 15, 18)], "s.py": [(7, 4, 7), (7, 20, 23)]}
        (top,) = (each["from"] for each in found if each["from"]["name"] == "s.py")
        assert top["selectionRange"]["start"] == top["selectionRange"]["end"] == {"line": 0, "character": 0}
    finally:
        client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


def test_types_are_followed_both_ways(client: LanguageClient, project: Path) -> None:
    (item,) = client.at("textDocument/prepareTypeHierarchy", project / "shapes.py", 11, 8)
    (above,) = client.request("typeHierarchy/supertypes", {"item": item})
    assert above["name"] == "Shape"
    (below,) = client.request("typeHierarchy/subtypes", {"item": above})
    assert (below["name"], below["selectionRange"]["start"]) == ("Square", {"line": 11, "character": 6})
    assert client.at("textDocument/prepareTypeHierarchy", project / "uses.py", 3, 5) is None


def test_a_hover_tells_signature_text_and_users(client: LanguageClient, project: Path) -> None:
    found = client.at("textDocument/hover", project / "uses.py", 11, 13)["contents"]
    assert found["kind"] == "markdown"
    assert "def total(shapes: list[Shape]) -> float" in found["value"]
    assert "The sum of all areas" in found["value"]
    assert "proven" in found["value"]
    assert "`twice`" in found["value"]


def test_impact_tells_who_is_reached_and_how_sure(client: LanguageClient, project: Path) -> None:
    found = client.at("cairn/impact", project / "shapes.py", 15, 10)
    assert found["subject"] == "Square.area"
    reached = {each["name"]: each for each in found["items"]}
    assert reached["total"]["distance"] == 1
    assert reached["twice"]["distance"] == 2
    assert {each["certainty"] for each in found["items"]} <= {"proven", "likely", "possible"}
    by_name = client.request("cairn/impact", {"name": "total"})
    assert [(each["name"], each["certainty"], each["isTest"]) for each in by_name["items"]] == [
        ("twice", "proven", False)
    ]


def test_the_map_names_the_files(client: LanguageClient) -> None:
    found = client.request("cairn/map", {"budget": 500})
    assert "shapes.py" in found["text"]
    assert found["snapshot"]
