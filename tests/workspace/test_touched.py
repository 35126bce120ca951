"""What the last commits touched, and what their messages say."""

import os
import subprocess
from pathlib import Path

import pytest

from cairn.base.errors import GitError
from cairn.workspace import touched
from cairn.workspace.git import Git
from cairn.workspace.gitfolders import ends_of_clone
from cairn.workspace.touched import asked_of, last_commits, touching
from tests.trees import Repo


def test_commits_tell_their_messages_and_files_the_newest_first(repo: Repo) -> None:
    repo.write("a.py")
    first = repo.commit("A begins")
    repo.write("b ü.py")
    repo.write("deep/\nc.py")
    second = repo.commit(
        "B and C\n\nThey belong together.\n\nSigned-off-by: Some Body <some@example.invalid>\nCloses: 12"
    )
    git = Git(str(repo.path))
    oids = last_commits(git, second)
    assert oids == [second, first]
    newest, oldest = touching(git, oids)
    assert (newest.oid, newest.message) == (second, "B and C\nThey belong together.")
    assert sorted(newest.paths) == ["b ü.py", "deep/\nc.py"]
    assert (oldest.oid, oldest.message, oldest.paths) == (first, "A begins", ("a.py",))


def test_merges_and_what_lies_above_the_root_are_left_out(repo: Repo) -> None:
    repo.write("top.py")
    repo.commit("top")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("part/a.py")
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    repo.write("top.py", "x = 2\n")
    repo.commit("main")
    repo.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    git = Git(str(repo.path / "part"))
    found = {each.message: each.paths for each in touching(git, last_commits(git, "HEAD"))}
    assert found == {"top": (), "side": ("a.py",), "main": ()}


def test_a_shallow_clone_has_what_it_has(repo: Repo, tmp_path: Path) -> None:
    for number in range(4):
        repo.write(f"{number}.py")
        repo.commit(f"number {number}")
    clone = tmp_path / "clone"
    subprocess.run(("git", "clone", "-q", "--depth", "2", f"file://{repo.path}", str(clone)), check=True)
    git = Git(str(clone))
    # What the last one touched nobody can tell.
    assert [each.message for each in touching(git, last_commits(git, "HEAD"))] == ["number 3"]
    asked = asked_of(git, "HEAD")
    (clone / "part").mkdir()
    assert ends_of_clone(str(clone / "part")) == ends_of_clone(str(clone)) != frozenset()
    subprocess.run(("git", "-C", str(clone), "fetch", "-q", "--unshallow"), check=True)
    assert [each.message for each in touching(git, last_commits(git, "HEAD"))] == [f"number {n}" for n in (3, 2, 1, 0)]
    assert (ends_of_clone(str(clone)), asked_of(git, "HEAD") == asked) == (frozenset(), False)


def test_a_git_that_fails_on_the_way_leaves_what_came_before(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touched, "_AT_ONCE", 1)
    repo.write("a.py")
    first = repo.commit("first")
    git = Git(str(repo.path))
    told = touching(git, [first, "0" * 40, first])
    assert next(told).oid == first
    with pytest.raises(GitError):
        next(told)
    with pytest.raises(GitError):
        last_commits(git, "0" * 40)


def test_messages_of_another_encoding_and_without_text_are_borne(repo: Repo) -> None:
    repo.write("a.py")
    repo.git("add", "-A")
    repo.git("-c", "i18n.commitEncoding=latin-1", "commit", "-q", "--allow-empty-message", "-m", "")
    repo.write("b.py")
    repo.git("add", "-A")
    message = repo.path / ".git" / "said"
    message.write_bytes(os.fsencode("gr") + b"\xfc\xdf")
    repo.git("-c", "i18n.commitEncoding=latin-1", "commit", "-q", "-F", str(message))
    git = Git(str(repo.path))
    assert [(each.message, each.paths) for each in touching(git, last_commits(git, "HEAD"))] == [
        ("grüß", ("b.py",)),
        ("", ("a.py",)),
    ]
