"""A tree of which little counts says why; what git would have told is unknown without it, and said so."""

import json
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.leftout import tree_notes
from cairn.workspace.root import find_root
from tests.notes import sentences
from tests.trees import Repo, cairn, write


def told(folder: Path) -> tuple[str, ...]:
    with ChangeDetector(find_root(str(folder))) as detector:
        return sentences(tree_notes(str(folder), detector.detect()))


@pytest.mark.slow
@pytest.mark.requirement("ELIG.9")
def test_a_tree_whose_rules_ignore_everything_says_which(repo: Repo, private_home: Path) -> None:
    repo.write(".gitignore", "# all\n/*\n")
    for number in range(7):
        repo.write(f"src/deep/f{number}.py")
    repo.write("README.md")
    expected = "nothing indexed, 9 files left out: 9 by .gitignore:2: /*"
    assert told(repo.path) == (expected,)
    dry = json.loads(cairn("index", "--dry-run", "--json", str(repo.path)).stdout)
    assert dry["warnings"] == [expected]
    assert dry["notices"][0]["rules"] == [{"rule": ".gitignore:2: /*", "files": 9}]
    assert f"warning: {expected}" in cairn("index", "--dry-run", str(repo.path)).stdout
    done = cairn("index", str(repo.path))
    assert (done.returncode, f"warning: {expected}" in done.stdout) == (0, True)
    assert json.loads(cairn("index", "--json", str(repo.path)).stdout)["warnings"] == [expected]


@pytest.mark.requirement("ELIG.9")
def test_less_than_a_tenth_is_little_and_a_tenth_is_not(folder: Path) -> None:
    write(folder, ".cairnignore", "out/\n")
    write(folder, "logo.png")
    for number in range(17):
        write(folder, f"out/f{number}.py")
    write(folder, "a.py")
    assert told(folder) == ()
    write(folder, "out/most.py")
    assert told(folder) == (
        "only 2 files indexed, 19 files left out: 18 by .cairnignore:1: out/; 1 by unsupported",
    )  # fmt: skip


def test_an_empty_folder_has_nothing_to_explain(folder: Path) -> None:
    assert told(folder) == ()


@pytest.mark.slow
def test_rules_behind_a_link_are_not_read_and_index_says_so(repo: Repo, private_home: Path) -> None:
    repo.write("rules", "*.log\n")
    (repo.path / ".gitignore").symlink_to("rules")
    repo.write("a.py")
    done = cairn("index", str(repo.path))
    assert "warning: .gitignore is not a plain file: no rules are read from it" in done.stdout


@pytest.mark.slow
def test_a_search_says_why_an_index_holds_nothing(repo: Repo, private_home: Path) -> None:
    repo.write("a.py", "x = 1\n")
    repo.write(".gitignore", "*\n")
    assert cairn("index", str(repo.path)).returncode == 0
    for more in ((), ("--no-sync",)):
        done = cairn("search", "x", *more, cwd=repo.path)
        assert (
            "the index holds no file, since the rules leave all of them out: run `cairn index --dry-run`" in done.stderr
        )


@pytest.mark.slow
def test_without_git_what_it_would_tell_is_unknown(repo: Repo, private_home: Path, tmp_path: Path) -> None:
    repo.write("a.py")
    repo.commit()
    empty = tmp_path / "empty"
    empty.mkdir()
    done = cairn("index", "--json", str(repo.path), PATH=str(empty))
    why = ["git was not found on the PATH: head and uncommitted changes are not known"]
    assert json.loads(done.stdout)["warnings"] == why
    repo.write("b.py", "x = 1\n")
    for command in (("status",), ("search", "x"), ("search", "x", "--no-sync"), ("symbol", "x")):
        told = json.loads(cairn(command[0], "--json", *command[1:], cwd=repo.path, PATH=str(empty)).stdout)
        assert (told["git"]["head"], told["git"]["dirty"]) == (None, None)
        assert told["warnings"] == why, command
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        git = codebase.index().manifest.git
    assert (git.head_sha is not None, git.dirty) == (True, False)
