"""The engine: what it would index, seen from a caller."""

import os
from pathlib import Path

import pytest

from cairn.base.errors import ConfigError, RootNotFoundError, RootRefusedError, UsageError
from cairn.codebase.codebase import plan_index
from cairn.workspace.changes import ChangeSet
from cairn.workspace.deltas import Basis
from cairn.workspace.eligibility import SkipReason
from tests.trees import Repo, write


def everything_beneath(*folders: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, mtime and content of all there is: equal before and after means that nothing was written."""
    found = {}
    for folder in folders:
        for path in [folder, *sorted(folder.rglob("*"))]:
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (status.st_mode, status.st_mtime_ns, content)
    return found


@pytest.mark.requirement("ROOT.1")
@pytest.mark.requirement("ELIG.1")
def test_a_plan_tells_what_counts_and_why_the_rest_does_not(repo: Repo) -> None:
    repo.write(".gitignore", "build/\n")
    repo.write("src/main.py", "x = 1\n")
    repo.write("build/out.py")
    repo.write("logo.png", b"\x89PNG")
    repo.write(".env", "TOKEN=1\n")
    head = repo.commit()

    plan = plan_index(str(repo.path))

    assert plan.root.path == plan.root.requested == str(repo.path)
    assert plan.root.in_git
    assert [entry.key for entry in plan.detection.scan.files] == [".gitignore", "src/main.py"]
    assert [(skip.path, skip.reason) for skip in plan.detection.scan.skips] == [
        (".env", SkipReason.SECRET),
        ("build/", SkipReason.IGNORED),
        ("logo.png", SkipReason.UNSUPPORTED),
    ]
    assert plan.detection.git is not None
    assert plan.detection.git.head == head
    assert plan.detection.git.dirty is False


def test_without_anything_known_every_file_is_an_add(repo: Repo) -> None:
    repo.write("a.py")
    repo.write("b.py")
    assert plan_index(str(repo.path)).detection.changes == ChangeSet(add=("a.py", "b.py"))


@pytest.mark.requirement("GIT.1")
def test_an_unborn_head_is_no_head(repo: Repo) -> None:
    repo.write("a.py")
    state = plan_index(str(repo.path)).detection.git
    assert state is not None
    assert state.head is None
    assert state.dirty
    assert state.untracked_included


@pytest.mark.requirement("GIT.1")
@pytest.mark.parametrize("untracked", [True, False])
def test_the_setting_decides_about_untracked_files(repo: Repo, untracked: bool) -> None:
    repo.write("tracked.py")
    repo.write(".cairn.toml", f"[index]\nuntracked = {str(untracked).lower()}\n")
    repo.commit()
    repo.write("new.py")
    detection = plan_index(str(repo.path)).detection
    assert detection.git is not None
    assert detection.git.untracked_included is untracked
    assert detection.git.dirty is untracked
    assert ("new.py" in detection.scan.hashes()) is untracked


@pytest.mark.requirement("ROOT.1")
def test_a_subfolder_stands_for_its_git_top_level(repo: Repo) -> None:
    repo.write("top.py")
    inner = repo.write("pkg/inner.py").parent
    plan = plan_index(str(inner))
    assert plan.root.path == str(repo.path)
    assert plan.root.requested == str(inner)
    assert [entry.key for entry in plan.detection.scan.files] == ["pkg/inner.py", "top.py"]


@pytest.mark.requirement("ROOT.1")
def test_a_plain_folder_is_its_own_root(folder: Path) -> None:
    write(folder, "a.py")
    plan = plan_index(f"{folder}///")
    assert plan.root.path == str(folder)
    assert not plan.root.in_git
    assert plan.detection.git is None
    assert plan.detection.basis is Basis.FILESYSTEM
    assert [entry.key for entry in plan.detection.scan.files] == ["a.py"]


def test_the_current_folder_is_meant_by_a_dot(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "a.py")
    monkeypatch.chdir(folder)
    assert plan_index(".").root.path == str(folder)


def test_progress_is_told_the_number_of_files_so_far(folder: Path) -> None:
    for name in ("a.py", "b/c.py", "b/d.py", "e/f.py"):
        write(folder, name)
    told: list[int] = []
    plan_index(str(folder), told.append)
    assert told == sorted(told)
    assert told[-1] == 4


@pytest.mark.bare_home
@pytest.mark.parametrize("touched", [False, True])
def test_a_plan_writes_nothing_anywhere(repo: Repo, private_home: Path, touched: bool) -> None:
    repo.write("a.py")
    repo.commit()
    if touched:
        # A stamp that git's index doesn't know: an ordinary `git status` would write it there.
        os.utime(repo.path / "a.py", (1, 1))
    else:
        repo.write("a.py", "changed = 1\n")
        repo.write("b.py")
    before = everything_beneath(repo.path, private_home)
    plan_index(str(repo.path))
    assert everything_beneath(repo.path, private_home) == before
    assert not (private_home / ".cairn").exists()


def test_a_plan_leaves_no_descriptor_open(repo: Repo) -> None:
    repo.write("a.py")
    before = os.listdir("/proc/self/fd")
    plan_index(str(repo.path))
    assert os.listdir("/proc/self/fd") == before


def test_a_refused_plan_leaves_no_descriptor_open(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nnonsense = 1\n")
    before = os.listdir("/proc/self/fd")
    with pytest.raises(ConfigError):
        plan_index(str(repo.path))
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.requirement("ROOT.1")
def test_senseless_roots_are_refused(private_home: Path) -> None:
    (private_home / ".cairn" / "data").mkdir(parents=True)
    for path in (private_home, private_home / ".cairn", private_home / ".cairn" / "data"):
        with pytest.raises(RootRefusedError):
            plan_index(str(path))


def test_what_is_no_folder_is_refused(folder: Path) -> None:
    file = write(folder, "a.py")
    with pytest.raises(RootNotFoundError):
        plan_index(str(folder / "missing"))
    with pytest.raises(UsageError):
        plan_index(str(file))
    with pytest.raises(UsageError):
        plan_index("a\0b")


def test_an_empty_path_does_not_mean_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError):
        plan_index("")
