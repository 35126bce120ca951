"""What one process learnt of a tree spares the next one reading, and nothing else."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cairn.base.values import replace
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.workspace import memory, scan
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import FileEntry
from cairn.workspace.listing import FolderListing, list_folder
from tests.trees import Repo
from tests.workspace.test_reads import wait_until_old


def index(repo: Repo, *, verify: bool = False) -> SyncResult:
    with Codebase(str(repo.path)) as codebase:
        return codebase.index(SyncOptions(verify=verify, walks=True))


def kept(repo: Repo) -> Path:
    with Codebase(str(repo.path)) as codebase:
        return Path(codebase.store().layout.cache) / "scan.json"


@pytest.fixture
def old(repo: Repo) -> Repo:
    for name in ("a.py", "b.py", "sub/c.py"):
        repo.write(name, f"{name[0]} = 1\n")
    repo.write("binary.txt", b"\0\1\2")
    repo.commit()
    for path in (*repo.path.glob("*.*"), *repo.path.glob("sub/*"), repo.path / "sub", repo.path):
        wait_until_old(path)
    index(repo)
    return repo


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_a_second_process_reads_nothing_that_stands(old: Repo) -> None:
    result = index(old)
    assert not result.published
    assert result.detection.scan.hashed == 0
    assert index(old, verify=True).detection.scan.hashed == 4


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_a_second_process_sees_every_change(old: Repo) -> None:
    old.write("a.py", "a = 2\n")
    (old.path / "b.py").unlink()
    old.write("new.py", "n = 1\n")
    stamp = os.stat(old.path / "sub/c.py")
    old.write("sub/c.py", "c = 9\n")
    os.utime(old.path / "sub/c.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    changes = index(old).detection.changes
    assert (changes.add, changes.modify, changes.delete) == (("new.py",), ("a.py", "sub/c.py"), ("b.py",))


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_a_second_process_lists_only_folders_that_changed(old: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []

    def listing(tree: Any, raw: str, *rest: Any, **named: Any) -> FolderListing:
        listed.append(raw)
        return list_folder(tree, raw, *rest, **named)

    monkeypatch.setattr(scan, "list_folder", listing)
    index(old)
    assert listed == []
    old.write("sub/new.py", "n = 1\n")
    assert index(old).detection.changes.add == ("sub/new.py",)
    assert listed == ["sub"]
    (old.path / "sub").rename(old.path / "other")
    assert index(old).detection.changes.rename == (("sub/c.py", "other/c.py"), ("sub/new.py", "other/new.py"))


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize("rules", [".gitignore", "sub/.gitignore", ".cairnignore"])
def test_new_rules_decide_anew_about_what_was_remembered(old: Repo, rules: str) -> None:
    old.write(rules, "c.py\n")
    assert index(old).detection.changes.delete == ("sub/c.py",)
    assert not index(old).detection.changes
    (old.path / rules).unlink()
    assert index(old).detection.changes.add == ("sub/c.py",)


@pytest.mark.slow
def test_another_tree_under_the_same_name_is_looked_at_anew(old: Repo) -> None:
    old.path.rename(old.path.with_name("gone"))
    shutil.copytree(old.path.with_name("gone"), old.path)
    result = index(old)
    assert not result.detection.changes
    assert result.detection.scan.hashed == 4


@pytest.mark.slow
@pytest.mark.parametrize("harm", [b"", b"garbage", None])
def test_damaged_memory_is_no_memory(old: Repo, harm: bytes | None) -> None:
    path = kept(old)
    data = path.read_bytes()
    path.write_bytes(data[:-20] + data[-10:] if harm is None else harm)
    result = index(old)
    assert not result.published
    assert result.detection.scan.hashed == 4


@pytest.mark.slow
def test_a_few_new_files_are_not_worth_writing_everything_down_and_many_are(old: Repo) -> None:
    before = kept(old).read_bytes()
    old.write("a.py", "a = 2\n")
    assert index(old).published
    assert kept(old).read_bytes() == before
    assert not index(old).published
    for number in range(40):
        old.write(f"more/f{number}.py", f"x = {number}\n")
    assert index(old).published
    assert kept(old).read_bytes() != before


@pytest.mark.slow
def test_what_is_encoded_is_decoded(old: Repo) -> None:
    data = kept(old).read_bytes()
    place = json.loads(data.partition(b"\n")[2])[0]
    found = [memory.decode(data, place).take(raw) for raw in ("", "sub")]
    folders = [folder for folder in found if folder is not None]
    assert [sorted(folder.files) for folder in folders] == [["a.py", "b.py", "binary.txt"], ["sub/c.py"]]
    assert [folder.stamp is not None for folder in folders] == [True, True]
    again = memory.decode(memory.encode(folders, place), place)
    assert [again.take(raw) for raw in ("", "sub")] == folders
    assert again.take("sub") is None
    assert memory.decode(data, "elsewhere").take("") is None


def test_outcomes_that_are_not_to_be_trusted_are_left_out() -> None:
    skip = Skip("a", SkipReason.BINARY)
    entry = FileEntry("ä/b", "ä/b", (1, 2, 3, 4), "hash", 5, "python")
    files: dict[str, memory.Outcome | None] = {"ä/a": (None, skip), "ä/b": ((1, 2, 3, 4), entry), "ä/c": None}
    skips = {"ä/x": Skip("ä/x/", SkipReason.IGNORED, "rule"), "ä/\udcff": Skip("ä/\\xff", SkipReason.ENCODING)}
    folder = memory.KnownFolder("ä", (5, 6, 7, 8), "rules", ("ä/d",), ("ä/l",), skips, files)
    again = memory.decode(memory.encode([folder], "here"), "here").take("ä")
    assert again == replace(folder, files={**files, "ä/a": None})


def test_a_shared_store_keeps_none(old: Repo, tmp_path: Path) -> None:
    """Whoever else can write it could hide a change from us."""
    with Codebase(str(old.path), shared_store=str(tmp_path / "team")) as codebase:
        codebase.index(SyncOptions())
        assert not os.path.exists(os.path.join(codebase.store().layout.cache, "scan.json"))


def names(repo: Repo) -> set[str]:
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        with codebase.view() as view:
            return {file.path_key for file in view.files()}


@pytest.mark.slow
@pytest.mark.parametrize("rules", [".gitignore", ".cairnignore", "sub/.gitignore"])
@pytest.mark.parametrize("kept", [True, False], ids=["one process", "a new process"])
def test_rules_that_change_in_place_are_seen(repo: Repo, rules: str, kept: bool) -> None:
    folder = Path(rules).parent
    for name in ("a.py", "b.py"):
        repo.write(str(folder / name), "x = 1\n")
    repo.write(rules, "a.py\n")
    repo.commit()
    for path in (repo.path / rules, repo.path / folder, repo.path):
        wait_until_old(path)
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        (repo.path / rules).write_text("b.py\n")
        if kept:
            codebase.index()
            with codebase.view() as view:
                found = {file.path_key for file in view.files()}
        else:
            found = names(repo)
    assert str(folder / "a.py") in found
    assert str(folder / "b.py") not in found


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["one process", "a new process"])
def test_a_folder_that_becomes_a_repository_is_left_out(repo: Repo, kept: bool) -> None:
    repo.write("sub/a.py", "x = 1\n")
    repo.write("b.py", "x = 1\n")
    repo.commit()
    (repo.path / "sub/.git").mkdir()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        for path in (repo.path / "sub/.git", repo.path / "sub", repo.path):
            wait_until_old(path)
        codebase.index()
        subprocess.run(("git", "init", "-q", str(repo.path / "sub")), check=True)
        if kept:
            codebase.index()
            with codebase.view() as view:
                found = {file.path_key for file in view.files()}
        else:
            found = names(repo)
    with Codebase(str(repo.path)) as fresh:
        expected = {entry.key for entry in fresh.detector.scanner.scan().files}
    assert found == expected
