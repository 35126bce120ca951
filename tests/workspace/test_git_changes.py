"""What git says about a revision: which commit it is, what differs from it, what a file was."""

import shutil
import unicodedata
from pathlib import Path

import pytest

from cairn.base.errors import GitError, UsageError
from cairn.workspace.git import Git
from tests.trees import Repo


@pytest.fixture
def git(repo: Repo) -> Git:
    repo.write("src/a.py", "a = 1\n")
    repo.write("src/b.py", "b = 1\n")
    repo.commit()
    return Git(str(repo.path))


def test_a_revision_is_a_commit_by_any_of_its_names(repo: Repo, git: Git) -> None:
    first = repo.git("rev-parse", "HEAD").strip()
    repo.git("tag", "-a", "v1", "-m", "one")
    repo.git("branch", "-q", "side")
    second = repo.commit()
    assert {git.commit_of(name) for name in (first, first[:10], "v1", "side", "HEAD~1")} == {first}
    assert git.commit_of("main") == git.commit_of("HEAD") == second


@pytest.mark.parametrize(
    "revision", ["nope", "", "--output=x", "-h", "HEAD..main", "HEAD:src/a.py", "a\0b", "\udcff", "^HEAD", "HEAD\nHEAD"]
)
def test_what_names_no_commit_is_said_and_does_nothing(repo: Repo, git: Git, revision: str) -> None:
    with pytest.raises(UsageError, match="There is no revision"):
        git.commit_of(revision)
    assert not (repo.path / "x").exists()


def test_an_unborn_branch_has_no_head_to_name(tmp_path: Path) -> None:
    git = Git(str(Repo.create(tmp_path / "unborn").path))
    with pytest.raises(UsageError, match="There is no revision 'HEAD'"):
        git.commit_of("HEAD")


def test_all_that_differs_is_told_whether_it_is_staged_or_not(repo: Repo, git: Git) -> None:
    head = git.commit_of("HEAD")
    assert git.changed_since(head) == frozenset()
    repo.write("src/a.py", "a = 2\n")
    repo.write("staged.py")
    repo.git("add", "staged.py")
    repo.write("untracked.py")
    (repo.path / "src/b.py").unlink()
    assert git.changed_since(head) == {"src/a.py", "src/b.py", "staged.py"}


def test_a_rename_is_one_name_that_is_gone_and_one_that_is_new(repo: Repo, git: Git) -> None:
    repo.git("config", "diff.renames", "copies")
    repo.git("mv", "src/a.py", "src/c.py")
    assert git.changed_since("HEAD") == {"src/a.py", "src/c.py"}


def test_names_come_as_they_are(repo: Repo, git: Git) -> None:
    names = {'q"uote.py', "tab\there.py", "line\nbreak.py", unicodedata.normalize("NFD", "größe.py"), "-dash.py"}
    for name in names:
        repo.write(name, "new = 1\n")
    repo.git("add", "-A")
    assert git.changed_since("HEAD") == names
    commit = repo.commit()
    assert {git.blob(commit, name) for name in names} == {b"new = 1\n"}


def test_a_merge_in_progress_names_each_file_once(repo: Repo, git: Git) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.write("src/a.py", "a = 'other'\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("src/a.py", "a = 'main'\n")
    repo.commit()
    with pytest.raises(Exception, match="merge"):
        repo.git("merge", "other")
    assert git.changed_since("HEAD") == {"src/a.py"}


def test_nothing_that_a_repository_names_is_run(repo: Repo, git: Git, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    repo.write(".gitattributes", "*.py diff=evil filter=evil\n")
    for name in ("diff.evil.command", "diff.evil.textconv", "diff.external", "filter.evil.clean", "core.fsmonitor"):
        repo.git("config", name, str(script))
    repo.write("src/a.py", "a = 2\n")
    assert "src/a.py" in git.changed_since("HEAD")
    git.blob("HEAD", "src/a.py")
    assert not marker.exists()


def test_a_file_is_read_as_the_commit_has_it(repo: Repo, git: Git) -> None:
    head = git.commit_of("HEAD")
    repo.write("src/a.py", "a = 2\n")
    assert git.blob(head, "src/a.py") == b"a = 1\n"
    assert git.blob(head, "src/none.py") is None
    assert git.blob(head, "src") is None
    assert git.blob(head, "../src/a.py") is None


def test_a_shallow_clone_knows_its_only_commit(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit()
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Git(str(tmp_path / "shallow"))
    (tmp_path / "shallow/src/a.py").write_text("a = 3\n")
    assert shallow.changed_since(shallow.commit_of("HEAD")) == {"src/a.py"}
    with pytest.raises(UsageError):
        shallow.commit_of("HEAD~1")


def test_a_commit_that_is_not_there_is_an_error_and_no_empty_answer(git: Git) -> None:
    with pytest.raises(GitError):
        git.changed_since("0" * 40)


def test_no_git_is_said(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert shutil.which("git")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="could not be started"):
        git.commit_of("HEAD")


def test_commits_of_a_file_tell_what_was_changed_with_it(repo: Repo) -> None:
    assert Git(str(repo.path)).commits_of(["a[1].py"]) == []
    repo.write("first.py", "x\n")
    repo.commit()
    for text in ("1\n", "2\n"):
        repo.write("a[1].py", text)
        repo.write("sub/b.py", text)
        repo.commit()
    repo.write("a1.py", "x\n")
    repo.commit()
    git = Git(str(repo.path))
    assert git.commits_of(["a[1].py"]) == [frozenset({"a[1].py", "sub/b.py"})] * 2
    assert git.commits_of(["a[1].py"], most=1) == [frozenset({"a[1].py", "sub/b.py"})]
    assert git.commits_of([]) == []
