"""Settings for pyright by which a project leaves files out don't count for facts."""

import os
from pathlib import Path

import pytest

from cairn.semantic.indexers import IndexerRequest, indexer_named
from cairn.semantic.pyright import OURS, links_into, settings_beside
from tests.trees import write


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"pyproject.toml": '[project]\nname = "x"\n'}, None),
        ({"pyproject.toml": '[tool.pyright]\npythonVersion = "3.9"\n'}, None),
        (
            {"pyproject.toml": '[tool.pyright]\ninclude = ["a"]\npythonVersion = "3.9"\n'},
            {"pythonVersion": "3.9"},
        ),
        ({"pyrightconfig.json": '{"exclude": ["b"], // why\n "extraPaths": ["lib"],}'}, {"extraPaths": ["lib"]}),
        # What it finds first is all that it reads.
        ({"pyrightconfig.json": "{}", "pyproject.toml": '[tool.pyright]\ninclude = ["a"]\n'}, None),
        ({"../pyrightconfig.json": '{"ignore": ["b"]}'}, {}),
        ({"pyproject.toml": "[tool\n"}, None),
        ({"pyproject.toml": "tool = 3\n"}, None),
        ({"pyrightconfig.json": "[1]"}, None),
        ({OURS: '{"include": ["a"]}', "pyrightconfig.json": "{}"}, {}),
    ],
)
def test_settings_that_choose_files_are_left_out(
    tmp_path: Path, files: dict[str, str], expected: dict[str, object] | None
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for path, text in files.items():
        write(folder, path, text)
    assert settings_beside(str(folder)) == expected


@pytest.mark.requirement("SEMA.20")
def test_where_they_choose_the_tool_runs_in_a_folder_of_links(tmp_path: Path) -> None:
    folder, private = tmp_path / "project", tmp_path / "private"
    private.mkdir()
    for path, text in {"pyproject.toml": '[tool.pyright]\ninclude = ["a"]\n', "src/m.py": "", "b/n.py": ""}.items():
        write(folder, path, text)
    names = ("b/n.py", "src/m.py")
    links = {name: f"{folder}/{name}" for name in names}
    assert links_into(str(folder), names, {"venv": "../env"}) == links
    assert links_into(str(folder), (), {"venv": ".venv"}) == {".venv": f"{folder}/.venv"}
    indexer = indexer_named("scip-python")
    assert indexer is not None
    request = IndexerRequest(str(folder), str(folder), "x", str(private), files=names)
    call = indexer.call(request)
    assert dict(call.links) == links
    assert call.files[os.path.join("linked", OURS)] == "{}"
    assert f"{private}/linked/src" in call.programs["python3"]
    assert call.arguments[1] == "."
    os.remove(folder / "pyproject.toml")
    call = indexer.call(request)
    assert not call.links
    assert f"{folder}/src" in call.programs["python3"]
