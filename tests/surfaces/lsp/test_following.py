"""What is offered for which files, and an index that keeps up with an editor: by a real client that registers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.lsp.client import LanguageClient
from tests.surfaces.lsp.conftest import environment
from tests.trees import Repo

_DYNAMIC = {"dynamicRegistration": True}
_CAN = {
    "textDocument": {"definition": _DYNAMIC, "hover": _DYNAMIC, "callHierarchy": _DYNAMIC},
    "workspace": {"didChangeWatchedFiles": _DYNAMIC, "workspaceFolders": True},
    "window": {"workDoneProgress": True, "showMessage": {}},
}


@pytest.fixture(scope="module")
def registering(project: Path) -> Iterator[LanguageClient]:
    with LanguageClient(environment=environment(project)) as client:
        client.replies["window/showMessageRequest"] = {"title": "Index"}
        client.initialize([project], capabilities=_CAN)
        # What is said before the first registration is taken into it, and no test could tell.
        client.heard("client/registerCapability")
        yield client


def _registered(client: LanguageClient, count: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in client.heard("client/registerCapability", count):
        for registration in each["registrations"]:
            options: dict[str, Any] = registration["registerOptions"]
            rows = options.get("documentSelector") or options["watchers"]
            found[registration["method"]] = [row.get("pattern") or row["globPattern"] for row in rows]
    return found


@pytest.mark.requirement("LSP.1")
def test_features_are_registered_for_what_the_index_holds(registering: LanguageClient, project: Path) -> None:
    assert "definitionProvider" not in registering.capabilities
    assert registering.capabilities["implementationProvider"]  # the client takes no registration of it
    found = _registered(registering, 1)
    # Python has a server of its own, shell scripts have none.
    assert found["textDocument/definition"] == found["textDocument/hover"] == [f"{project}/**/*.sh"]
    assert found["textDocument/prepareCallHierarchy"] == [f"{project}/**/*.py", f"{project}/**/*.sh"]
    assert found["workspace/didChangeWatchedFiles"] == [f"{project}/**/*.py", f"{project}/**/*.sh"]
    context = {"context": {"includeDeclaration": True}}
    assert registering.at("textDocument/references", project / "shapes.py", 11, 7, **context) is None
    assert registering.at("textDocument/references", project / "greet.sh", 0, 1, **context)


@pytest.mark.slow
def test_settings_change_what_is_offered(registering: LanguageClient, project: Path) -> None:
    registering.notify("workspace/didChangeConfiguration", {"settings": {"cairn": {"languages": ["python"]}}})
    found = _registered(registering, 2)
    assert found["textDocument/definition"] == [f"{project}/**/*.py", f"{project}/**/*.sh"]
    assert registering.heard("client/unregisterCapability")
    said = len([each for each in registering.notifications if each["method"] == "window/logMessage"])
    registering.notify("workspace/didChangeConfiguration", {"settings": {"cairn": {"features": ["nonsense"]}}})
    assert "nonsense" in registering.heard("window/logMessage", said + 1)[-1]["message"]


@pytest.mark.requirement("LSP.1")
@pytest.mark.slow
def test_the_index_follows_what_is_saved(registering: LanguageClient, project: Path) -> None:
    path = project / "more.py"
    path.write_text("def freshly_written():\n    pass\n")
    before = len([each for each in registering.notifications if each["method"] == "cairn/changed"])
    registering.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 1}]})
    registering.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    told = registering.heard("cairn/changed", before + 1)[-1]
    assert told["root"] == project.as_uri()
    assert registering.request("cairn/status", {})["snapshot"] == told["snapshot"]
    (found,) = registering.request("workspace/symbol", {"query": "freshlywritten"})
    assert found["name"] == "freshly_written"


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_a_folder_that_comes_is_indexed_if_the_user_wants(registering: LanguageClient, project: Path) -> None:
    other = Repo.create(project.parent / "other")
    other.write("late.py", "def latecomer():\n    pass\n")
    uri = other.path.as_uri()
    assert not registering.request("cairn/status", {"root": uri})["indexed"]
    event = {"added": [{"uri": uri, "name": "other"}], "removed": []}
    registering.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    (asked,) = registering.heard("window/showMessageRequest")
    assert str(other.path) in asked["message"]
    registering.heard("window/workDoneProgress/create")
    while (last := registering.heard("$/progress")[-1]["value"])["kind"] != "end":
        registering.heard("$/progress", len(registering.heard("$/progress")) + 1)
    assert last["message"] == "1 files are indexed."
    assert registering.request("cairn/status", {"root": uri})["indexed"]
    assert [each["name"] for each in registering.request("workspace/symbol", {"query": "latecom"})] == ["latecomer"]
    done = registering.request("workspace/executeCommand", {"command": "cairn.index", "arguments": [uri]})
    assert done["ok"]


@pytest.mark.slow
def test_a_folder_that_must_not_be_indexed_is_not_asked_about(project: Path) -> None:
    with LanguageClient(environment=environment(project)) as client:
        client.initialize([project.parent], capabilities=_CAN, options={"sync": False})
        done = client.request(
            "workspace/executeCommand", {"command": "cairn.index", "arguments": [project.parent.as_uri()]}
        )
        assert not done["ok"]
        assert "home folder" in done["message"]
        assert client.request("workspace/executeCommand", {"command": "cairn.openPage", "arguments": []}) is None
        assert not [each for each in client.requests if each["method"] == "window/showMessageRequest"]


@pytest.mark.slow
def test_a_request_can_be_taken_back(client: LanguageClient) -> None:
    numbers = [client.begin("cairn/search", {"query": f"area {each}"}) for each in range(8)]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    answers = [client.wait(number) for number in numbers]
    assert all("result" in each or each["error"]["code"] == -32800 for each in answers)
    assert client.request("cairn/search", {"query": "area"})["results"]
