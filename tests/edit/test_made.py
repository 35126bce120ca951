"""Files that an edit makes and removes: killed anywhere, raced, undone."""

import os
import signal
from itertools import permutations
from pathlib import Path

import pytest

from cairn.base import system
from cairn.base.errors import ContentChangedError, CorruptStoreError, RefusedError
from cairn.edit.journal import FileEdit
from cairn.edit.journalfile import APPLIED, REVERTED, decode
from tests.edit.test_journal import APPLYING_POINTS, BEFORE_COMMIT, POINTS, REVERTING_POINTS, contents, journal, run

OLD = {"kept.py": b"kept\n", "sub/gone.py": b"gone\n"}
NEW = {"kept.py": b"KEPT\n", "new/deep/made.py": b"made\n"}
EDITS = (
    FileEdit("new/deep/made.py", None, NEW["new/deep/made.py"]),
    FileEdit("sub/gone.py", OLD["sub/gone.py"], None),
    FileEdit("kept.py", OLD["kept.py"], NEW["kept.py"]),
)
ORDERS = [order for order in permutations(range(3)) if order[0] < 2]
"""The process is killed at the first file that comes to a point."""
_APPLY = """
import sys
from pathlib import Path
from tests.edit.test_made import EDITS, journal
journal(Path(sys.argv[1])).apply([EDITS[int(each)] for each in ORDER], "make and remove")
"""
_UNDO = """
import sys
from pathlib import Path
from tests.edit.test_journal import journal
it = journal(Path(sys.argv[1]))
it.undo(it.all()[-1].id)
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for path, data in OLD.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_bytes(data)
    (tmp_path / "tree/sub/gone.py").chmod(0o751)
    return tmp_path


def applying(order: tuple[int, ...]) -> str:
    return _APPLY.replace("ORDER", repr("".join(map(str, order))))


def is_old(base: Path) -> bool:
    return contents(base) == OLD and not (base / "tree/new").exists()


@pytest.mark.requirement("EDIT.1")
def test_files_are_made_and_removed_with_the_others_and_an_undo_takes_that_back(base: Path) -> None:
    it = journal(base)
    edit = it.apply(EDITS, "make and remove")
    assert contents(base) == NEW
    assert edit.state == APPLIED
    assert it.undo(edit.id).state == REVERTED
    assert is_old(base)
    assert (base / "tree/sub/gone.py").stat().st_mode & 0o777 == 0o751


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("point", [point for point in POINTS if point not in REVERTING_POINTS])
def test_a_killed_edit_leaves_all_old_or_all_new(base: Path, point: str, order: tuple[int, ...]) -> None:
    assert run(applying(order), base, CAIRN_CRASH_AT=point) == -signal.SIGKILL
    it = journal(base)
    assert len(it.interrupted()) == (point not in BEFORE_COMMIT)
    it.recover()
    assert is_old(base)
    assert it.recover() == ()


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("point", [point for point in POINTS if point not in APPLYING_POINTS])
def test_a_killed_undo_ends_with_all_old(base: Path, point: str, order: tuple[int, ...]) -> None:
    it = journal(base)
    it.apply([EDITS[each] for each in order], "make and remove")
    assert run(_UNDO, base, CAIRN_CRASH_AT=point) == -signal.SIGKILL
    (edit,) = it.recover()
    assert (edit.state, edit.left) == (REVERTED, ())
    assert is_old(base)


@pytest.mark.parametrize("native", [True, False])
def test_a_file_that_somebody_made_meanwhile_is_not_overwritten(
    base: Path, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    if not native:
        monkeypatch.setattr(system, "IS_LINUX", False)
    real = system.rename_to_free

    def late(folder: int, one: str, other: str) -> bool:
        if other == "made.py":
            (base / "tree/new/deep/made.py").write_bytes(b"theirs")
        return real(folder, one, other)

    monkeypatch.setattr(system, "rename_to_free", late)
    with pytest.raises(ContentChangedError):
        journal(base).apply(EDITS, "make and remove")
    assert contents(base) == OLD | {"new/deep/made.py": b"theirs"}


def test_a_file_that_was_changed_before_it_is_removed_stays(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = system.rename_to_free

    def late(folder: int, one: str, other: str) -> bool:
        if one == "gone.py":
            (base / "tree/sub/gone.py").write_bytes(b"theirs")
        return real(folder, one, other)

    monkeypatch.setattr(system, "rename_to_free", late)
    with pytest.raises(ContentChangedError):
        journal(base).apply(EDITS, "make and remove")
    assert contents(base) == OLD | {"sub/gone.py": b"theirs"}


@pytest.mark.parametrize("there", ["file", "link", "folder", "link_above", "file_above"])
def test_nothing_is_written_where_the_name_is_taken(base: Path, there: str) -> None:
    tree, outside = base / "tree", base / "outside"
    outside.mkdir()
    if there == "link_above":
        (tree / "new").symlink_to(outside)
    elif there == "file_above":
        (tree / "new").write_bytes(b"theirs")
    else:
        (tree / "new/deep").mkdir(parents=True)
        made = tree / "new/deep/made.py"
        if there == "file":
            made.write_bytes(b"")
        elif there == "link":
            made.symlink_to("x")
        else:
            made.mkdir()
    before = sorted(os.walk(base / "tree"))
    it = journal(base)
    assert list(it.unwritable(["new/deep/made.py"], made=["new/deep/made.py"])) != []
    with pytest.raises(RefusedError):
        it.apply(EDITS, "make and remove")
    assert sorted(os.walk(base / "tree")) == before
    assert list(outside.iterdir()) == []


def test_folders_that_somebody_used_stay(base: Path) -> None:
    it = journal(base)
    edit = it.apply(EDITS, "make and remove")
    (base / "tree/new/theirs.py").write_bytes(b"theirs")
    it.undo(edit.id)
    assert contents(base) == OLD | {"new/theirs.py": b"theirs"}
    assert not (base / "tree/new/deep").exists()


def test_a_removed_file_that_somebody_made_again_is_not_overwritten_by_an_undo(base: Path) -> None:
    it = journal(base)
    edit = it.apply(EDITS, "make and remove")
    (base / "tree/sub/gone.py").write_bytes(b"theirs")
    with pytest.raises(ContentChangedError):
        it.undo(edit.id)
    assert contents(base) == NEW | {"sub/gone.py": b"theirs"}


def test_journals_of_earlier_versions_are_read() -> None:
    files = b'[{"path": "a", "old": "1", "new": "2"}]'
    said = b'{"version": 1, "state": "applied", "title": "t", "left": [], "files": %s}' % files
    edit = decode("0", said)
    assert (edit.folders, edit.entries[0].mode) == ((), 0)
    with pytest.raises(CorruptStoreError):
        decode("0", said.replace(b"applied", b"other"))
