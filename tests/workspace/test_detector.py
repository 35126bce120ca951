"""Change detection on real trees and real git repositories."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import CairnError, ConfigError, GitError, TreeMovedError, UnstableFileError
from cairn.workspace.beneath import OpenFolder
from cairn.workspace.changes import ChangeSet
from cairn.workspace.deltas import Basis
from cairn.workspace.detector import Baseline, ChangeDetector, Detection
from cairn.workspace.git import Git, GitState
from cairn.workspace.reads import read_stable
from cairn.workspace.root import find_root
from tests.trees import Repo, write

ODD_NAMES = [
    "with space.py",
    " leading and trailing ",
    "quote's.py",
    'double".py',
    "new\nline.py",
    "tab\t.py",
    "back\\slash.py",
    "naïve-日本-😀.py",
    "-dash.py",
    "--help",
    ":(glob)star*.py",
    "d i r/-x\n/é.py",
]


@contextmanager
def detecting(path: Path, *, shared: bool = False) -> Iterator[ChangeDetector]:
    with ChangeDetector(find_root(str(path)), shared=shared) as detector:
        yield detector


def look(path: Path, baseline: Baseline | None = None, *, shared: bool = False) -> Detection:
    """One detection by a detector that knows nothing yet."""
    with detecting(path, shared=shared) as detector:
        return detector.detect(baseline)


def known(detection: Detection) -> Baseline:
    return Baseline(detection.scan.hashes(), detection.git.head if detection.git else None)


def settle(detector: ChangeDetector) -> Detection:
    """Detect until every stamp is old enough to be trusted."""
    end = time.monotonic() + 30
    while (detection := detector.detect()).scan.hashed:
        assert time.monotonic() < end, "the stamps never settled"
    return detection


def state(detection: Detection) -> GitState:
    assert detection.git is not None
    return detection.git


def skips(detection: Detection) -> list[tuple[str, str, str]]:
    return [(skip.path, skip.reason.value, skip.detail) for skip in detection.scan.skips]


@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize("in_git", [True, False], ids=["git", "no git"])
def test_every_kind_of_change_is_found_with_and_without_git(tmp_path: Path, in_git: bool) -> None:
    root = tmp_path / "root"
    if in_git:
        Repo.create(root)
    for name in ("same.py", "changed.py", "gone.py", "old/moved.py"):
        write(root, name, f"{name}\n")
    before = look(root)
    write(root, "changed.py", "another content\n")
    (root / "gone.py").unlink()
    (root / "old").rename(root / "new")
    write(root, "added.py", "added\n")

    after = look(root, known(before))

    assert before.changes.add == ("changed.py", "gone.py", "old/moved.py", "same.py")
    assert after.changes == ChangeSet(
        add=("added.py",), modify=("changed.py",), delete=("gone.py",), rename=(("old/moved.py", "new/moved.py"),)
    )
    assert after.basis is Basis.FILESYSTEM
    assert (after.git is not None) is in_git


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_a_kept_detector_follows_the_tree_step_by_step(repo: Repo) -> None:
    repo.write("a.py", "one\n")
    repo.commit()
    steps: list[tuple[Callable[[], object], ChangeSet]] = [
        (lambda: repo.write("b.py", "two\n"), ChangeSet(add=("b.py",))),
        (lambda: repo.commit(), ChangeSet()),
        (lambda: repo.write("a.py", "new\n"), ChangeSet(modify=("a.py",))),
        (lambda: repo.git("mv", "-f", "b.py", "c.py"), ChangeSet(rename=(("b.py", "c.py"),))),
        (lambda: repo.commit(), ChangeSet()),
        (lambda: repo.git("rm", "-q", "c.py"), ChangeSet(delete=("c.py",))),
        (lambda: repo.git("reset", "-q", "--hard"), ChangeSet(add=("c.py",))),
    ]
    with detecting(repo.path) as detector:
        baseline = known(detector.detect())
        for act, expected in steps:
            act()
            detection = detector.detect(baseline)
            assert detection.changes == expected
            assert detection.changes == look(repo.path, baseline).changes
            baseline = known(detection)


@pytest.mark.requirement("CHG.1")
def test_hashes_decide_and_not_what_git_says(repo: Repo) -> None:
    repo.write("a.py", "one\n")
    repo.write("b.py", "two\n")
    repo.commit()
    baseline = known(look(repo.path))
    # Git is told to look away from the one and sees a stale stat of the other.
    repo.git("update-index", "--assume-unchanged", "a.py")
    repo.write("a.py", "changed\n")
    os.utime(repo.path / "b.py", (1, 1))

    assert look(repo.path, baseline).changes == ChangeSet(modify=("a.py",))


@pytest.mark.requirement("CHG.1")
def test_a_whole_folder_deleted_is_a_delete_of_each_file(repo: Repo) -> None:
    for name in ("a.py", "d/b.py", "d/e/c.py"):
        repo.write(name, f"{name}\n")
    repo.commit()
    baseline = known(look(repo.path))
    shutil.rmtree(repo.path / "d")

    assert look(repo.path, baseline).changes == ChangeSet(delete=("d/b.py", "d/e/c.py"))


@pytest.mark.requirement("CHG.1")
def test_a_committed_rename_across_folders_is_a_rename(repo: Repo) -> None:
    repo.write("src/old/name.py", "content\n")
    repo.commit()
    baseline = known(look(repo.path))
    (repo.path / "lib").mkdir()
    repo.git("mv", "src/old/name.py", "lib/other.py")
    repo.commit()

    detection = look(repo.path, baseline)

    assert detection.changes == ChangeSet(rename=(("src/old/name.py", "lib/other.py"),))
    assert detection.basis is Basis.DIFF
    delta = Git(str(repo.path)).committed_delta(baseline.head, state(detection).head)
    assert delta.paths == {"src/old/name.py", "lib/other.py"}


@pytest.mark.requirement("CHG.1")
def test_an_ignore_edit_alone_adds_and_removes_files(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    for name in ("a.log", "b.tmp"):
        repo.write(name, f"{name}\n")
    with detecting(repo.path) as detector:
        before = settle(detector)
        repo.write(".gitignore", "*.tmp\n")
        after = detector.detect(known(before))

    assert after.changes == ChangeSet(add=("a.log",), modify=(".gitignore",), delete=("b.tmp",))
    assert after.scan.ignore_fingerprint != before.scan.ignore_fingerprint


@pytest.mark.requirement("CHG.2")
def test_odd_names_survive_every_way_through_git(repo: Repo) -> None:
    repo.write("plain.py")
    first = repo.commit()
    for name in ODD_NAMES:
        repo.write(name, f"content of {name!r}\n")
    second = repo.commit()
    git = Git(str(repo.path))

    assert git.tracked() == {"plain.py", *ODD_NAMES}
    delta = git.committed_delta(first, second)
    assert delta.basis is Basis.DIFF
    assert delta.paths == set(ODD_NAMES)
    detection = look(repo.path, Baseline({"plain.py": look(repo.path).scan.hashes()["plain.py"]}, first))
    assert detection.changes == ChangeSet(add=tuple(sorted(ODD_NAMES, key=str.encode)))
    assert not state(detection).dirty


@pytest.mark.requirement("CHG.2")
def test_names_that_are_not_utf8_survive_git_and_stay_skips(repo: Repo) -> None:
    repo.write("plain.py")
    first = repo.commit()
    repo.write(os.fsdecode(b"bad\xff\n.py"))
    second = repo.commit()
    git = Git(str(repo.path))

    assert git.committed_delta(first, second).paths == {os.fsdecode(b"bad\xff\n.py")}
    assert git.tracked() == {"plain.py", os.fsdecode(b"bad\xff\n.py")}
    assert [skip.path for skip in look(repo.path).scan.skips] == ["bad\\xff\n.py"]


@pytest.mark.requirement("CHG.2")
@pytest.mark.requirement("GIT.1")
def test_odd_names_keep_their_status_without_untracked_files(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nuntracked = false\n")
    for name in ODD_NAMES:
        repo.write(name)
    repo.commit()
    repo.write("un\ntracked.py")

    detection = look(repo.path)

    assert {entry.raw for entry in detection.scan.files} == {".cairn.toml", *ODD_NAMES}
    assert skips(detection) == [("un\ntracked.py", "ignored", "untracked")]
    assert not state(detection).dirty


@pytest.mark.requirement("CHG.4")
def test_the_same_head_reads_nothing_again(repo: Repo) -> None:
    for name in ("a.py", "b.py"):
        repo.write(name)
    repo.commit()
    with detecting(repo.path) as detector:
        baseline = known(settle(detector))
        again = detector.detect(baseline)

    assert again.basis is Basis.SAME_HEAD
    assert again.scan.hashed == 0
    assert not again.changes


@pytest.mark.requirement("CHG.4")
def test_an_ancestor_is_compared_by_a_diff_that_makes_its_files_suspects(repo: Repo) -> None:
    for name in ("a.py", "b.py", "c/d.py"):
        repo.write(name, "one\n")
    old = repo.commit()
    repo.write("c/d.py", "two\n")
    repo.commit()
    with detecting(repo.path) as detector:
        files = settle(detector).scan.hashes()
        detection = detector.detect(Baseline(files, old))

    assert detection.basis is Basis.DIFF
    assert not detection.changes
    # Its stamp stands, so only the commit can have caused this read.
    assert detection.scan.hashed == 1


@pytest.mark.requirement("CHG.4")
def test_a_diverged_branch_makes_both_sides_suspects(repo: Repo) -> None:
    for name in ("a.py", "b.py", "c.py", "d.py"):
        repo.write(name, "base\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.py", "side\n")
    repo.write("only_side.py", "side only\n")
    repo.commit()
    baseline = known(look(repo.path))
    repo.git("checkout", "-q", "main")
    repo.write("b.py", "main\n")
    repo.commit()
    with detecting(repo.path) as detector:
        settle(detector)
        detection = detector.detect(baseline)

    assert detection.basis is Basis.MERGE_BASE
    assert detection.changes == ChangeSet(modify=("a.py", "b.py"), delete=("only_side.py",))
    assert detection.scan.hashed == 2
    assert baseline.head is not None
    delta = Git(str(repo.path)).committed_delta(baseline.head, state(detection).head)
    assert delta.paths == {"a.py", "b.py", "only_side.py"}


@pytest.mark.requirement("CHG.4")
def test_a_step_back_to_an_ancestor_is_seen(repo: Repo) -> None:
    repo.write("a.py", "one\n")
    repo.commit()
    repo.write("a.py", "two\n")
    repo.write("b.py", "new\n")
    repo.commit()
    baseline = known(look(repo.path))
    repo.git("reset", "-q", "--hard", "HEAD~1")

    detection = look(repo.path, baseline)

    assert detection.changes == ChangeSet(modify=("a.py",), delete=("b.py",))
    assert detection.basis is Basis.MERGE_BASE


def full_scan_cases() -> Iterator[tuple[str, Callable[[Repo], str | None]]]:
    def orphan(repo: Repo) -> str:
        last = repo.git("rev-parse", "HEAD").strip()
        repo.git("checkout", "-q", "--orphan", "fresh")
        repo.commit("another beginning")
        return last

    def gone_tree(repo: Repo) -> str:
        last = repo.git("rev-parse", "HEAD").strip()
        tree = repo.git("rev-parse", "HEAD^{tree}").strip()
        repo.write("a.py", "newer\n")
        repo.commit()
        (repo.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        return last

    yield "a head that nobody knows", lambda _: "1" * 40
    yield "a head that is no commit id", lambda _: "not-a-commit"
    yield "no head", lambda _: None
    yield "unrelated history", orphan
    yield "a commit that can't be diffed", gone_tree


@pytest.mark.requirement("CHG.4")
@pytest.mark.parametrize("last", [pytest.param(make, id=name) for name, make in full_scan_cases()])
def test_a_head_that_cannot_be_compared_means_that_every_file_is_read(
    repo: Repo, last: Callable[[Repo], str | None]
) -> None:
    for name in ("a.py", "b.py", "c/d.py"):
        repo.write(name, f"{name}\n")
    repo.commit()
    before = look(repo.path).scan.hashes()
    head = last(repo)
    with detecting(repo.path) as detector:
        now = settle(detector).scan.hashes()
        detection = detector.detect(Baseline(before, head))

    assert detection.basis is Basis.FULL_SCAN
    assert detection.scan.hashed == 3
    assert detection.changes.modify == tuple(key for key in before if before[key] != now[key])


@pytest.mark.requirement("CHG.4")
def test_a_shallow_clone_without_the_old_head_is_scanned_in_full(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "one\n")
    old = known(look(repo.path))
    first = repo.commit()
    repo.write("a.py", "two\n")
    repo.commit()
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))

    detection = look(tmp_path / "shallow", Baseline(old.files, first))

    assert detection.basis is Basis.FULL_SCAN
    assert detection.changes == ChangeSet(modify=("a.py",))


@pytest.mark.requirement("CHG.4")
@pytest.mark.requirement("GIT.1")
def test_an_unborn_head_is_no_head_and_then_the_first_commit_is_one(repo: Repo) -> None:
    repo.write("a.py")
    with detecting(repo.path) as detector:
        unborn = detector.detect()
        again = detector.detect(known(unborn))
        head = repo.commit()
        born = detector.detect(known(again))

    assert state(unborn) == GitState(None, True, True)
    assert again.basis is Basis.FILESYSTEM
    assert not again.changes
    assert state(born) == GitState(head, False, True)
    assert born.basis is Basis.FULL_SCAN
    assert not born.changes


@pytest.mark.requirement("CHG.5")
def test_a_touch_changes_nothing(repo: Repo) -> None:
    for name in ("a.py", "b.py"):
        repo.write(name)
    repo.commit()
    with detecting(repo.path) as detector:
        baseline = known(settle(detector))
        for name in ("a.py", "b.py"):
            os.utime(repo.path / name)
        detection = detector.detect(baseline)

    assert not detection.changes
    assert detection.scan.hashed == 2
    assert not state(detection).dirty


@pytest.mark.requirement("CHG.5")
def test_a_branch_switch_is_noticed_by_its_head_though_no_file_differs(repo: Repo) -> None:
    repo.write("a.py")
    old = repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    new = repo.commit("an empty commit")
    repo.git("checkout", "-q", "main")
    with detecting(repo.path) as detector:
        before = settle(detector)
        repo.git("checkout", "-q", "side")
        after = detector.detect(known(before))

    assert (state(before).head, state(after).head) == (old, new)
    assert after.basis is Basis.DIFF
    assert not after.changes


@pytest.mark.requirement("CHG.5")
def test_a_branch_switch_changes_the_files_that_differ(repo: Repo) -> None:
    repo.write("a.py", "main\n")
    repo.write("b.py", "both\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.py", "side\n")
    repo.commit()
    with detecting(repo.path) as detector:
        before = settle(detector)
        repo.git("checkout", "-q", "main")
        after = detector.detect(known(before))

    assert after.changes == ChangeSet(modify=("a.py",))
    assert after.scan.hashed == 1


@pytest.mark.requirement("CHG.5")
def test_verify_reads_every_file_and_finds_the_same(repo: Repo) -> None:
    for name in ("a.py", "b/c.py"):
        repo.write(name)
    repo.commit()
    with detecting(repo.path) as detector:
        baseline = known(settle(detector))
        detection = detector.detect(baseline, verify=True)

    assert detection.scan.hashed == 2
    assert not detection.changes


@pytest.mark.requirement("GIT.1")
def test_a_clean_tree_is_not_dirty(repo: Repo) -> None:
    repo.write("a.py")
    repo.write(".gitignore", "*.log\n")
    repo.write("a.log")
    head = repo.commit()

    assert state(look(repo.path)) == GitState(head, False, True)


def _staged(repo: Repo) -> None:
    repo.write("a.py", "staged\n")
    repo.git("add", "a.py")


def _staged_and_undone(repo: Repo) -> None:
    _staged(repo)
    repo.write("a.py", "x = 1\n")


def _hidden_by_exclude(repo: Repo) -> None:
    write(repo.path, ".git/info/exclude", "*.py\n")
    repo.write("hidden.py")


def _hidden_by_global_excludes(repo: Repo) -> None:
    write(Path(os.environ["HOME"]), ".config/git/ignore", "*.py\n")
    repo.write("hidden.py")


@pytest.mark.requirement("GIT.1")
@pytest.mark.parametrize(
    "soil",
    [
        pytest.param(lambda repo: repo.write("a.py", "edited\n"), id="an edit"),
        pytest.param(lambda repo: (repo.path / "a.py").unlink(), id="a delete"),
        pytest.param(_staged, id="a staged edit"),
        pytest.param(_staged_and_undone, id="a staged edit undone in the tree"),
        pytest.param(lambda repo: repo.git("rm", "-q", "--cached", "a.py"), id="a staged delete"),
        pytest.param(lambda repo: repo.write("new.py"), id="an untracked file"),
        pytest.param(lambda repo: repo.write("deep/new.py"), id="an untracked folder"),
        pytest.param(_hidden_by_exclude, id="an untracked file that info/exclude hides"),
        pytest.param(_hidden_by_global_excludes, id="an untracked file that global excludes hide"),
    ],
)
def test_what_differs_from_head_makes_the_tree_dirty(repo: Repo, soil: Callable[[Repo], object]) -> None:
    repo.write("a.py")
    repo.write("b.py")
    head = repo.commit()
    soil(repo)

    assert state(look(repo.path)) == GitState(head, True, True)


@pytest.mark.requirement("GIT.1")
def test_without_git_there_is_no_git_state(folder: Path) -> None:
    write(folder, "a.py")

    detection = look(folder, Baseline({"a.py": "other"}))

    assert detection.git is None
    assert detection.basis is Basis.FILESYSTEM
    assert detection.changes == ChangeSet(modify=("a.py",))


@pytest.mark.requirement("GIT.1")
def test_untracked_files_can_be_left_out_and_then_make_nothing_dirty(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nuntracked = false\n")
    repo.write("tracked.py")
    head = repo.commit()
    repo.write("new.py")
    (repo.path / "link.py").symlink_to("tracked.py")

    detection = look(repo.path)

    assert [entry.key for entry in detection.scan.files] == [".cairn.toml", "tracked.py"]
    assert skips(detection) == [("link.py", "ignored", "untracked"), ("new.py", "ignored", "untracked")]
    assert state(detection) == GitState(head, False, False)
    repo.write("tracked.py", "edited\n")
    assert state(look(repo.path)) == GitState(head, True, False)


@pytest.mark.requirement("GIT.1")
def test_a_file_counts_as_soon_as_it_is_added_to_the_index(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nuntracked = false\n")
    repo.commit()
    repo.write("new.py")
    with detecting(repo.path) as detector:
        baseline = known(settle(detector))
        repo.git("add", "new.py")
        added = detector.detect(baseline)
        repo.git("rm", "-q", "--cached", "new.py")
        removed = detector.detect(known(added))

    assert added.changes == ChangeSet(add=("new.py",))
    assert removed.changes == ChangeSet(delete=("new.py",))


@pytest.mark.requirement("GIT.1")
def test_a_shared_store_leaves_untracked_files_out_unless_the_settings_ask_for_them(repo: Repo) -> None:
    repo.write("tracked.py")
    head = repo.commit()
    repo.write("new.py")

    assert state(look(repo.path, shared=True)) == GitState(head, False, False)
    assert [entry.key for entry in look(repo.path, shared=True).scan.files] == ["tracked.py"]
    repo.write(".cairn.toml", "[index]\nuntracked = true\n")
    assert state(look(repo.path, shared=True)) == GitState(head, True, True)
    assert [entry.key for entry in look(repo.path, shared=True).scan.files] == [".cairn.toml", "new.py", "tracked.py"]


@pytest.mark.requirement("GIT.1")
def test_tracked_links_are_neither_untracked_nor_dirty(repo: Repo) -> None:
    repo.write("d/a.py")
    (repo.path / "file.py").symlink_to("d/a.py")
    (repo.path / "folder").symlink_to("d")
    repo.commit()

    detection = look(repo.path)

    assert [entry.key for entry in detection.scan.files] == ["d/a.py"]
    assert not state(detection).dirty
    (repo.path / "untracked").symlink_to("d")
    assert state(look(repo.path)).dirty


@pytest.mark.slow
@pytest.mark.requirement("GIT.1")
def test_an_edit_that_the_scan_took_in_is_dirty_though_git_looked_before_it(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a/one.py", "z/two.py"):
        repo.write(name)
    repo.commit()
    asked = tmp_path / "asked"
    real = shutil.which("git")
    script = write(tmp_path, "bin/git", f'#!/bin/sh\n"{real}" "$@"\ncode=$?\necho "$*" >>"{asked}"\nexit $code\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")

    waits = [0.0]

    def edit_once_git_has_looked(_: int) -> None:
        # Git may as well be asked after the scan: then there is nothing to wait for.
        while waits and time.monotonic() < waits[0]:
            if asked.exists() and " status " in asked.read_text():
                break
        if waits:
            waits.clear()
            repo.write("z/two.py", "edited during the scan\n")

    with detecting(repo.path) as detector:
        clean = detector.detect()
        asked.unlink()
        waits[0] = time.monotonic() + 1
        detection = detector.detect(known(clean), progress=edit_once_git_has_looked)

    assert not state(clean).dirty
    assert detection.changes == ChangeSet(modify=("z/two.py",))
    assert state(detection).dirty


@pytest.mark.requirement("GIT.1")
@pytest.mark.requirement("CHG.6")
def test_an_edit_inside_an_enabled_submodule_is_dirty(repo: Repo, tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("lib.py")
    library.commit()
    repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    repo.commit()
    with detecting(repo.path) as detector:
        clean = detector.detect()
        repo.write("vendored/lib.py", "edited\n")
        edited = detector.detect(known(clean))

    assert not state(clean).dirty
    assert edited.changes == ChangeSet(modify=("vendored/lib.py",))
    assert state(edited).dirty


@pytest.mark.requirement("GIT.1")
@pytest.mark.requirement("CHG.6")
def test_a_delete_of_all_that_an_enabled_submodule_held_is_dirty(repo: Repo, tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("lib.py")
    library.commit()
    repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    repo.commit()
    baseline = known(look(repo.path))
    (repo.path / "vendored" / "lib.py").unlink()

    detection = look(repo.path, baseline)

    assert detection.changes == ChangeSet(delete=("vendored/lib.py",))
    assert state(detection).dirty


@pytest.mark.requirement("CHG.6")
def test_an_enabled_nested_repository_that_git_cannot_open_stops_no_detection(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
    repo.write("copied/.git", "gitdir: ../.git/modules/nowhere\n")
    repo.write("copied/a.py")
    repo.write("b.py")

    detection = look(repo.path)

    assert [entry.key for entry in detection.scan.files] == [".cairn.toml", "b.py", "copied/a.py"]
    assert state(detection).dirty


@pytest.mark.requirement("CHG.6")
def test_an_enabled_submodule_that_lost_its_git_folder_stops_no_detection(repo: Repo, tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("lib.py")
    library.commit()
    repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    repo.commit()
    baseline = known(look(repo.path))
    shutil.rmtree(repo.path / ".git" / "modules")

    assert not look(repo.path, baseline).changes


@pytest.mark.requirement("CHG.6")
def test_a_submodule_that_is_not_enabled_is_neither_read_nor_dirty(repo: Repo, tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("lib.py")
    library.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    repo.commit()
    repo.write("vendored/lib.py", "edited\n")
    repo.write("vendored/new.py")

    detection = look(repo.path)

    assert [entry.key for entry in detection.scan.files] == [".gitmodules"]
    assert skips(detection) == [("vendored/", "submodule", "")]
    assert not state(detection).dirty
    shutil.rmtree(repo.path / ".git" / "modules")
    assert skips(look(repo.path)) == [("vendored/", "submodule", "")]


@pytest.mark.requirement("CHG.6")
def test_submodules_switched_on_and_off_come_and_go(repo: Repo) -> None:
    Repo.create(repo.path / "inner").write("i.py")
    repo.write("a.py")
    with detecting(repo.path) as detector:
        off = detector.detect()
        repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
        on = detector.detect(known(off))
        (repo.path / ".cairn.toml").unlink()
        again = detector.detect(known(on))

    assert on.changes == ChangeSet(add=(".cairn.toml", "inner/i.py"))
    assert {entry.key: entry.namespace for entry in on.scan.files}["inner/i.py"] == "inner"
    assert again.changes == ChangeSet(delete=(".cairn.toml", "inner/i.py"))


@pytest.mark.requirement("CFG.2")
def test_settings_changed_between_two_looks_are_honoured(repo: Repo) -> None:
    repo.write("long.txt", "x" * 500)
    repo.write("a.py")
    with detecting(repo.path) as detector:
        before = settle(detector)
        repo.write(".cairn.toml", "[index]\nmax_file_bytes = 400\n")
        lowered = detector.detect(known(before))
        repo.write(".cairn.toml", "[query]\nlimit = 5\n")
        lifted = detector.detect(known(lowered))

    assert lowered.changes == ChangeSet(add=(".cairn.toml",), delete=("long.txt",))
    assert skips(lowered) == [("long.txt", "too_large", "500 bytes")]
    assert lowered.config.index.max_file_bytes == 400
    assert lifted.changes == ChangeSet(add=("long.txt",), modify=(".cairn.toml",))
    assert lifted.config.query.limit == 5


@pytest.mark.requirement("CFG.1")
def test_a_setting_turned_bad_stops_the_next_look_and_mending_it_goes_on(repo: Repo) -> None:
    repo.write("a.py")
    with detecting(repo.path) as detector:
        before = detector.detect()
        repo.write(".cairn.toml", "[index]\nmax_file_bytes = 99999999999\n")
        with pytest.raises(ConfigError, match=r"index\.max_file_bytes"):
            detector.detect(known(before))
        (repo.path / ".cairn.toml").unlink()
        assert not detector.detect(known(before)).changes


@pytest.mark.requirement("CHG.4")
def test_a_head_that_moves_during_the_scan_is_looked_at_again(repo: Repo) -> None:
    repo.write("a/one.py", "one\n")
    repo.write("z/two.py", "two\n")
    repo.commit()
    baseline = known(look(repo.path))
    heads: list[str] = []

    def commit_once(_: int) -> None:
        if not heads:
            repo.write("a/one.py", "changed\n")
            heads.append(repo.commit())

    with detecting(repo.path) as detector:
        detection = detector.detect(baseline, progress=commit_once)

    assert state(detection) == GitState(heads[0], False, True)
    assert detection.changes == ChangeSet(modify=("a/one.py",))
    assert detection.basis is Basis.DIFF


@pytest.mark.requirement("CHG.4")
def test_a_head_that_never_rests_is_an_error_that_says_to_try_again(repo: Repo) -> None:
    repo.write("a.py")
    repo.commit()

    def commit_again(_: int) -> None:
        repo.commit()

    with detecting(repo.path) as detector:
        with pytest.raises(TreeMovedError) as caught:
            detector.detect(progress=commit_again)
        assert not state(detector.detect()).dirty

    assert caught.value.retryable
    assert caught.value.retry_after_ms
    assert caught.value.code == "tree_moved"


@pytest.mark.requirement("GIT.1")
def test_a_linked_worktree_has_its_own_head_and_files(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "main\n")
    main = repo.commit()
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo((tmp_path / "side").resolve())
    side.write("a.py", "side\n")
    head = side.commit()

    detection = look(side.path, known(look(repo.path)))

    assert find_root(str(side.path)).path == str(side.path)
    assert state(detection) == GitState(head, False, True)
    assert detection.changes == ChangeSet(modify=("a.py",))
    assert state(look(repo.path)) == GitState(main, False, True)
    assert ".git" not in {skip.path for skip in detection.scan.skips}


_SHORT_OF_DESCRIPTORS = """
import os, resource, sys
from cairn.base.errors import CairnError
from cairn.workspace.detector import Baseline, ChangeDetector
from cairn.workspace.root import Root

with ChangeDetector(Root(sys.argv[1], sys.argv[1], in_git=False)) as detector:
    known = Baseline(detector.detect().scan.hashes())
    spare = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    held = []
    try:
        while True:
            held.append(os.open(".", os.O_RDONLY))
    except OSError:
        for fd in held[:spare]:
            os.close(fd)
    try:
        detection = detector.detect(known, verify=True)
    except CairnError as error:
        print("refused:", error.code)
    else:
        print("unchanged" if not detection.changes else detection.changes)
"""


@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize("spare", [0, 1, 2, 3, 8])
def test_a_shortage_of_descriptors_is_never_taken_for_deleted_files(folder: Path, spare: int) -> None:
    for name in ("a.py", "d/b.py", "d/e/c.py"):
        write(folder, name)
    done = subprocess.run(
        (sys.executable, "-c", _SHORT_OF_DESCRIPTORS, str(folder), str(spare)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == "unchanged\n" or done.stdout.startswith("refused: ")
    assert spare < 8 or done.stdout == "unchanged\n"


_CLOSED_ROOT = """
import os, sys
from cairn.base.errors import CairnError
from cairn.workspace.detector import Baseline, ChangeDetector
from cairn.workspace.root import Root
from cairn.workspace.scan import Scanner  # loaded while it still may be

if os.geteuid() == 0:
    # Given up only now: the interpreter itself may lie where nobody else can go.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with ChangeDetector(Root(sys.argv[1], sys.argv[1], in_git=False)) as detector:
    known = Baseline(detector.detect().scan.hashes())
    os.chmod(sys.argv[1], int(sys.argv[2], 8))
    try:
        print(detector.detect(known).changes)
    except CairnError as error:
        print("refused:", error.code)
    os.chmod(sys.argv[1], 0o755)
    print(bool(detector.detect(known).changes))
"""


@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize("mode", ["000", "111", "444"])
def test_a_root_that_may_not_be_read_is_an_error_and_no_empty_tree(mode: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "root"
        write(root, "a.py")
        if os.geteuid() == 0:
            Path(place).chmod(0o755)
            for path in (root, root / "a.py"):
                os.chown(path, 65534, 65534)
        done = subprocess.run(
            (sys.executable, "-c", _CLOSED_ROOT, str(root), mode),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    during, after = done.stdout.splitlines()
    assert during.startswith("refused: ")
    assert after == "False"


def test_a_root_that_was_replaced_is_never_mistaken_for_an_empty_one(folder: Path) -> None:
    root = folder / "root"
    write(root, "a.py", "old\n")
    with detecting(root) as detector:
        baseline = known(detector.detect())
        shutil.rmtree(root)
        with pytest.raises(CairnError):
            detector.detect(baseline)
        write(root, "a.py", "new\n")
        write(root, "b.py", "more\n")
        assert detector.detect(baseline).changes == ChangeSet(add=("b.py",), modify=("a.py",))


@pytest.mark.requirement("READ.1")
def test_an_unstable_file_is_neither_deleted_nor_renamed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("hot.txt", "hot\n")
    repo.write("cold.txt", "cold\n")
    repo.commit()
    with ChangeDetector(find_root(str(repo.path))) as detector:
        first = detector.detect()
        baseline = Baseline(first.scan.hashes(), first.git.head if first.git else None)
        repo.write("copy.txt", "hot\n")

        def unstable(opened: OpenFolder, raw: str, *more: Any, **options: Any) -> object:
            if raw != "copy.txt":
                raise UnstableFileError(f"{raw} moves")
            return read_stable(opened, raw, *more, **options)

        # A file that never holds still can't be made without a race.
        monkeypatch.setattr("cairn.workspace.scan.unchanged", unstable)
        monkeypatch.setattr("cairn.workspace.scan.read_stable", unstable)
        found = detector.detect(baseline, verify=True)

    assert {failure.key for failure in found.scan.failures} == {"hot.txt", "cold.txt"}
    assert found.changes == ChangeSet(add=("copy.txt",))


@pytest.mark.requirement("GIT.1")
def test_a_clean_nested_repository_does_not_make_the_tree_dirty(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
    repo.write(".gitignore", "")
    repo.commit()
    nested = Repo.create(repo.path / "nested")
    nested.write("lib.py")
    nested.commit()

    found = look(repo.path)
    assert "nested/lib.py" in {entry.key for entry in found.scan.files}
    assert not state(found).dirty
    nested.write("lib.py", "edited\n")
    assert state(look(repo.path)).dirty


@pytest.mark.requirement("GIT.1")
def test_a_pipe_in_the_place_of_gitattributes_is_not_asked_about(repo: Repo) -> None:
    repo.write("a.py")
    repo.commit()
    os.mkfifo(repo.path / ".gitattributes")

    assert state(look(repo.path)).dirty


def test_a_head_that_names_a_lost_commit_is_damage_and_not_an_unborn_branch(repo: Repo) -> None:
    repo.write("a.py")
    repo.commit()
    shutil.rmtree(repo.path / ".git" / "objects")
    (repo.path / ".git" / "objects").mkdir()

    with pytest.raises(GitError, match="not there"):
        look(repo.path)


def test_a_repository_may_come_and_go_under_a_kept_detector(folder: Path) -> None:
    write(folder, "a.py")
    with ChangeDetector(find_root(str(folder))) as detector:
        assert detector.detect().git is None
        subprocess.run(("git", "init", "-q", str(folder)), check=True)
        assert detector.detect().git is not None
        shutil.rmtree(folder / ".git")
        assert detector.detect().git is None
