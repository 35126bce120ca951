"""Every example of the README is run: its commands, what they print, and its Python."""

import contextlib
import io
import itertools
import re
import shlex
import shutil
import textwrap
from pathlib import Path

import pytest

from tests.conformance import ROOT
from tests.trees import Repo, cairn

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line, comments=True)[1:] for line in re.findall(r"^ {4}(cairn .*)$", TEXT, re.MULTILINE)]
ELSEWHERE = {"doctor", "serve"}
"""Run by tests of their own: they look at the machine, and stay."""


@pytest.fixture
def sample(repo: Repo) -> Repo:
    """The part of this repository that the examples are about."""
    shutil.copytree(
        ROOT / "src/cairn/store", repo.path / "src/cairn/store", ignore=shutil.ignore_patterns("__pycache__")
    )
    repo.commit()
    return repo


def test_the_readme_is_short() -> None:
    assert len(TEXT.splitlines()) <= 110


@pytest.mark.slow
def test_every_command_of_the_readme_runs(sample: Repo, tmp_path: Path) -> None:
    assert [words[0] for words in COMMANDS] == [
        "search",
        "grep",
        "refs",
        "map",
        "rename",
        "install",
        "doctor",
        "serve",
    ]
    (tmp_path / ".codex").mkdir()
    for words in COMMANDS:
        if words[0] not in ELSEWHERE:
            done = cairn(*words, cwd=sample.path, HOME=str(tmp_path))
            assert done.returncode == 0, (words, done.stdout, done.stderr)


@pytest.mark.slow
def test_what_the_readme_shows_is_what_the_command_prints(sample: Repo) -> None:
    cairn("index", cwd=sample.path)
    lines = iter(TEXT.splitlines())
    shown = 0
    for line in lines:
        if line.startswith("    $ cairn "):
            wanted = [each[4:] for each in itertools.takewhile(lambda each: each.startswith("    "), lines)]
            done = cairn(*shlex.split(line)[2:], cwd=sample.path)
            assert done.stdout.splitlines() == wanted
            shown += 1
    assert shown == 1


@pytest.mark.slow
def test_the_python_of_the_readme_runs(sample: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    code = textwrap.dedent(TEXT.split("From Python:\n\n")[1].split("\n\nCairn parses")[0])
    monkeypatch.chdir(sample.path)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    assert "src/cairn/store/lease.py:" in printed.getvalue()
    assert "SnapshotView" in printed.getvalue()
