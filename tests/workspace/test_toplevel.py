"""The top of a work tree as the file system tells it: the same as git says, or nothing."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.workspace.toplevel import plain_top_level
from tests.trees import Repo, write


def told(folder: Path) -> str | None:
    asked = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=False
    )
    return asked.stdout.removesuffix("\n") if asked.returncode == 0 else None


def test_a_plain_repository_and_its_further_work_trees_are_read(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    write(repo.path, "src/deep/a.py", "A = 1\n")
    repo.commit()
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    for folder in (repo.path, repo.path / "src" / "deep", tmp_path / "other", tmp_path / "other" / "src"):
        assert plain_top_level(str(folder), {}) == told(folder) is not None


def _add(line: str) -> Callable[[Path], object]:
    def change(git: Path) -> None:
        with open(git / "config", "a") as config:
            config.write(f"{line}\n")

    return change


def _piped(git: Path) -> None:
    (git / "config").unlink()
    os.mkfifo(git / "config")


def _linked(to: str) -> Callable[[Path], object]:
    def change(git: Path) -> None:
        git.rename(git.parent / "moved")
        git.symlink_to(to)

    return change


def _named(git: Path) -> None:
    git.rename(git.parent / "moved")
    git.write_text("gitdir: gone\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "another work tree": _add("[core]\n\tworktree = /"),
    "another work tree, in capitals": _add("[CORE]\n\tWORKTREE = /"),
    "bare": _add("[core]\n\tbare = true"),
    "bare without a value": _add("[core]\n\tbare"),
    "bare, and not false after all": _add("[core]\n\tbare = falsehood"),
    "another format": _add("[core]\n\trepositoryformatversion = 1"),
    "an extension": _add("[extensions]\n\tobjectFormat = sha256"),
    "another file": _add("[include]\n\tpath = more"),
    "no head": lambda git: (git / "HEAD").rename(git / "kept"),
    "a head that names nothing": lambda git: (git / "HEAD").write_text("nothing\n"),
    "no objects": lambda git: (git / "objects").rename(git / "kept"),
    "no configuration": lambda git: (git / "config").rename(git / "kept"),
    "a pipe for a configuration": _piped,
    "a link": _linked("moved"),
    "a link to nothing": _linked("gone"),
    "a file that names nothing": _named,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_not_plain_is_left_to_git(tmp_path: Path, change: Callable[[Path], object]) -> None:
    repo = Repo.create(tmp_path / "repo")
    assert plain_top_level(str(repo.path), {}) == str(repo.path)
    change(repo.path / ".git")
    assert plain_top_level(str(repo.path), {}) is None


def test_a_bare_repository_and_what_lies_in_a_git_folder_are_left_to_git(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.git("init", "--quiet", "--bare", str(repo.path / "bare"))
    for folder in (repo.path / "bare", repo.path / "bare" / "refs", repo.path / ".git", repo.path / ".git" / "refs"):
        assert plain_top_level(str(folder), {}) is None


def test_a_folder_without_a_repository_and_one_that_is_not_there_are_left_to_git(tmp_path: Path) -> None:
    assert plain_top_level(str(tmp_path), {}) is None
    assert plain_top_level(str(tmp_path / "gone"), {}) is None


def test_variables_that_steer_git_leave_it_to_git(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    for name in (
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_COUNT",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_NEVER_HEARD_OF",
    ):
        assert plain_top_level(str(repo.path), {name: "1"}) is None
    # These are not handed on to git, or say nothing about places.
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_TRACE", "GIT_AUTHOR_NAME", "HOME"):
        assert plain_top_level(str(repo.path), {name: "1"}) == str(repo.path)


def test_a_repository_of_another_user_is_left_to_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo.create(tmp_path / "repo")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert plain_top_level(str(repo.path), {}) is None
