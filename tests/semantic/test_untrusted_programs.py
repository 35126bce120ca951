"""Programs that lie in a tree, first on PATH, and never run; nothing of a tool runs before the trust is asked for."""

import os
from pathlib import Path

import pytest

from tests.semantic.fakes import Project, project_in

_GO = {"go.mod": "module x\n\ngo 1.22\n", "main.go": "package main\n\nfunc main() {}\n"}
_PYTHON = {"pyproject.toml": '[project]\nname = "x"\n', "a.py": "def f():\n    return 1\n"}


def program(folder: Path, name: str, marker: Path, then: str = "exit 1") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho ran >> {marker}\n{then}\n")
    (folder / name).chmod(0o700)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return project_in(tmp_path, monkeypatch, _GO | _PYTHON)


@pytest.mark.slow
@pytest.mark.requirement("SEC.4")
def test_a_refresh_runs_no_program_of_the_tree(project: Project, tmp_path: Path) -> None:
    inside, marker = project.repo.path / "bin", tmp_path / "ran"
    for name in ("git", "node", "go", "scip-python", "scip-go"):
        program(inside, name, marker)
    # As the real one does, the tool has its interpreter found on PATH.
    outside = project.at / "bin"
    for name in ("scip-python", "scip-go"):
        program(outside, name, tmp_path / f"{name}-ran", "exec env node $*")
    done = project.told("refresh", "--wait", "--all", code=None, PATH=f"{inside}:{os.environ['PATH']}")
    codes = {job["context"]: job["failure"]["code"] for job in done["jobs"]}
    assert codes["go:."] == "untrusted_root"
    assert (tmp_path / "scip-python-ran").exists(), "it was asked for its version, at least"
    assert not (tmp_path / "scip-go-ran").exists(), "not even its version was asked for"
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.requirement("SEC.4")
def test_one_codebase_is_served_no_program_of_another(project: Project, tmp_path: Path) -> None:
    inside, marker = tmp_path / "other" / "bin", tmp_path / "ran"
    program(inside, "node", marker)
    project.cairn("index", str(tmp_path / "other"))
    program(project.at / "bin", "scip-python", tmp_path / "tool-ran", "exec env node $*")
    project.told("refresh", "--wait", code=None, PATH=f"{inside}:{os.environ['PATH']}")
    assert (tmp_path / "tool-ran").exists()
    assert not marker.exists()
