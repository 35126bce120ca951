"""Several files are written all or none: killed anywhere, changed by others, undone."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.base import system
from cairn.base.errors import BusyError, ContentChangedError, CorruptStoreError, RefusedError
from cairn.base.values import replace
from cairn.edit.journal import KEPT, FileEdit, Journal, unchanging_edits
from cairn.edit.journalfile import APPLIED, APPLYING, INCOMPLETE, REVERTED, REVERTING, encode
from cairn.store import StoreKind, faults
from cairn.store.layout import Layout, create_layout
from cairn.workspace import exchange
from cairn.workspace.beneath import Beneath

OLD = {"a.py": b"alpha\r\n", "sub/b.py": b"\xef\xbb\xbfbeta\n", "c.txt": b"gamma"}
NEW = {path: data.replace(b"a", b"XX") for path, data in OLD.items()}
POINTS = [point for point in faults.POINTS if point.startswith("edit.")]
APPLYING_POINTS = {"edit.contents_written", "edit.prepared", "edit.file_written"}
REVERTING_POINTS = {"edit.reverting", "edit.file_reverted"}
BEFORE_COMMIT = {"edit.contents_written"}
_APPLY = """
import sys
from pathlib import Path
from tests.edit.test_journal import apply, journal
apply(journal(Path(sys.argv[1])))
"""
_APPLY_IN_ONE_FOLDER = """
import sys
from pathlib import Path
from tests.edit.test_journal import NEW, OLD, FileEdit, journal
changes = [FileEdit(path, OLD[path], NEW[path]) for path in ("a.py", "c.txt")]
journal(Path(sys.argv[1])).apply(changes, "two of one folder")
"""
_UNDO = """
import sys
from pathlib import Path
from tests.edit.test_journal import journal
it = journal(Path(sys.argv[1]))
it.undo(it.all()[-1].id)
"""


def journal(base: Path) -> Journal:
    layout = create_layout(str(base / "store"), StoreKind.PRIVATE)
    return Journal(layout, Beneath(str(base / "tree")))


def apply(it: Journal) -> None:
    it.apply([FileEdit(path, OLD[path], NEW[path]) for path in OLD], "alpha to XXlphXX")


def contents(base: Path) -> dict[str, bytes]:
    tree = base / "tree"
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def run(code: str, base: Path, **environ: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", code, str(base)], env={**os.environ, **environ}, timeout=60, check=False
    )
    return done.returncode


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for path, data in OLD.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_bytes(data)
    (tmp_path / "tree" / "a.py").chmod(0o754)
    return tmp_path


@pytest.mark.requirement("GATE.3")
def test_all_files_are_written_with_their_modes_and_nothing_lies_beside_them(base: Path) -> None:
    apply(journal(base))
    assert contents(base) == NEW
    assert (base / "tree/a.py").stat().st_mode & 0o777 == 0o754
    (edit,) = journal(base).all()
    assert (edit.state, edit.title, edit.left) == (APPLIED, "alpha to XXlphXX", ())


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("point", [point for point in POINTS if point not in REVERTING_POINTS])
def test_a_process_that_is_killed_leaves_all_old_or_all_new(base: Path, point: str) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT=point) == -signal.SIGKILL
    it = journal(base)
    if point not in BEFORE_COMMIT:
        assert len(it.interrupted()) == 1
        with pytest.raises(RefusedError, match="interrupted"):
            apply(it)
    it.recover()
    assert contents(base) == OLD
    assert it.interrupted() == ()
    assert it.recover() == ()


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_a_folder_that_is_gone_when_a_killed_edit_is_recovered_stays_gone(base: Path) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT="edit.exchanged") == -signal.SIGKILL
    shutil.rmtree(base / "tree" / "sub")
    (settled,) = journal(base).recover()
    assert settled.left == ("sub/b.py",)
    assert contents(base) == {path: data for path, data in OLD.items() if path != "sub/b.py"}
    assert journal(base).interrupted() == ()


def test_what_a_killed_process_had_half_written_of_its_journal_goes(base: Path) -> None:
    apply(journal(base))
    (edit,) = journal(base).all()
    (written,) = base.rglob(f"{edit.id}/journal.json")
    half = written.with_name("journal.json.tmp-0123456789abcdef")
    half.write_bytes(b'{"version"')
    journal(base).recover()
    assert not half.exists()
    assert journal(base).all() == (edit,)


def test_an_undo_where_a_folder_is_gone_says_which_file_changed(base: Path) -> None:
    apply(journal(base))
    shutil.rmtree(base / "tree" / "sub")
    with pytest.raises(ContentChangedError, match=r"sub/b\.py was changed since"):
        journal(base).undo(journal(base).all()[-1].id)


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("point", [point for point in POINTS if point not in APPLYING_POINTS])
def test_an_undo_that_is_killed_ends_with_all_old(base: Path, point: str) -> None:
    apply(journal(base))
    assert run(_UNDO, base, CAIRN_CRASH_AT=point) == -signal.SIGKILL
    (edit,) = journal(base).recover()
    assert edit.state == REVERTED
    assert contents(base) == OLD


@pytest.mark.requirement("GATE.3")
def test_a_file_that_changed_before_the_edit_stops_it_and_all_others_stay_old(base: Path) -> None:
    (base / "tree/c.txt").write_bytes(b"mine")
    with pytest.raises(ContentChangedError, match=r"c\.txt"):
        apply(journal(base))
    assert contents(base) == OLD | {"c.txt": b"mine"}
    (edit,) = journal(base).all()
    assert (edit.state, edit.left) == (REVERTED, ("c.txt",))


@pytest.mark.requirement("GATE.3")
def test_an_edit_of_somebody_else_between_look_and_swap_is_not_lost(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = system.exchange
    done: list[bool] = []

    def late(*given: Any) -> bool:
        if not done:
            done.append(True)
            (base / "tree/a.py").write_bytes(b"theirs")
        return real(*given)

    monkeypatch.setattr(system, "exchange", late)
    with pytest.raises(ContentChangedError):
        apply(journal(base))
    assert contents(base) == OLD | {"a.py": b"theirs"}


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_an_edit_of_somebody_else_that_a_killed_process_had_swapped_out_comes_back(base: Path) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT="edit.exchanged") == -signal.SIGKILL
    (aside,) = (base / "tree").glob(".cairn-*")
    aside.write_bytes(b"theirs")
    (edit,) = journal(base).recover()
    assert edit.state == REVERTED
    assert contents(base) == OLD | {"a.py": b"theirs"}


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_an_edit_that_was_whole_when_its_process_died_stands(base: Path) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT="edit.prepared") == -signal.SIGKILL
    for path, data in NEW.items():
        (base / "tree" / path).write_bytes(data)
    (edit,) = journal(base).recover()
    assert edit.state == APPLIED
    assert contents(base) == NEW


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_what_can_not_be_written_back_stays_to_be_done(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT="edit.file_written") == -signal.SIGKILL

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(exchange.FilePlace, "put", full)
        with pytest.raises(OSError, match="No space"):
            journal(base).recover()
    assert len(journal(base).interrupted()) == 1
    (edit,) = journal(base).recover()
    assert (edit.state, edit.left) == (REVERTED, ())
    assert contents(base) == OLD


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_a_later_edit_is_kept_though_an_earlier_one_lies_aside(base: Path) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT="edit.exchanged") == -signal.SIGKILL
    (aside,) = (base / "tree").glob(".cairn-*")
    aside.write_bytes(b"theirs")
    (base / "tree/a.py").write_bytes(b"later")
    (edit,) = journal(base).recover()
    assert "a.py" in edit.left
    assert (base / "tree/a.py").read_bytes() == b"later"
    assert aside.read_bytes() == b"theirs"


def test_attributes_of_a_file_stay_with_it(base: Path) -> None:
    try:
        os.setxattr(base / "tree/a.py", "user.cairn", b"kept")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    apply(journal(base))
    assert os.getxattr(base / "tree/a.py", "user.cairn") == b"kept"


def test_where_nothing_can_be_exchanged_the_look_comes_before_the_rename(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "IS_LINUX", False)
    apply(journal(base))
    assert contents(base) == NEW
    (base / "tree/a.py").write_bytes(b"theirs")
    with pytest.raises(ContentChangedError):
        journal(base).apply([FileEdit("a.py", NEW["a.py"], b"z")], "again")
    assert (base / "tree/a.py").read_bytes() == b"theirs"


def test_an_edit_below_a_newer_one_names_that_to_be_undone_first(base: Path) -> None:
    it = journal(base)
    apply(it)
    it.apply([FileEdit("a.py", NEW["a.py"], b"newer")], "newer")
    older, newer = it.all()
    with pytest.raises(ContentChangedError) as refused:
        it.undo(older.id)
    assert str(refused.value.hint) == f"Undo the edit {newer.id} first."
    it.undo(newer.id)
    assert it.undo(older.id).state == REVERTED


def test_an_edit_is_undone_unless_a_file_was_changed_since(base: Path) -> None:
    it = journal(base)
    apply(it)
    (edit,) = it.all()
    (base / "tree/c.txt").write_bytes(b"mine")
    with pytest.raises(ContentChangedError, match="changed since"):
        it.undo(edit.id)
    (base / "tree/c.txt").write_bytes(NEW["c.txt"])
    assert it.undo(edit.id).state == REVERTED
    assert contents(base) == OLD
    with pytest.raises(RefusedError, match="no edit"):
        it.undo(edit.id)
    with pytest.raises(RefusedError, match="no edit"):
        it.undo("../../x")


@pytest.mark.parametrize("what", ["link", "hard link", "folder", "gone"])
def test_what_is_no_plain_file_of_its_own_is_refused(base: Path, what: str) -> None:
    path = base / "tree/a.py"
    outside = base / "outside"
    outside.write_bytes(OLD["a.py"])
    if what == "hard link":
        os.link(path, base / "tree/other.py")
    else:
        path.unlink()
        if what == "link":
            path.symlink_to(outside)
        elif what == "folder":
            path.mkdir()
    assert [path in why for path, why in zip(OLD, journal(base).unwritable(OLD), strict=False)] == [True]
    with pytest.raises((RefusedError, FileNotFoundError)):
        apply(journal(base))
    assert outside.read_bytes() == OLD["a.py"]
    assert contents(base)["sub/b.py"] == OLD["sub/b.py"]


def test_a_folder_that_became_a_link_leads_nowhere(base: Path) -> None:
    (base / "tree/sub").rename(base / "elsewhere")
    (base / "tree/sub").symlink_to(base / "elsewhere")
    with pytest.raises((RefusedError, FileNotFoundError)):
        apply(journal(base))
    assert (base / "elsewhere/b.py").read_bytes() == OLD["sub/b.py"]


def test_two_processes_do_not_write_at_once(base: Path) -> None:
    it = journal(base)
    with unchanging_edits(it._layout, "flat"), pytest.raises(BusyError):
        apply(journal(base))
    assert contents(base) == OLD


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("point", ["edit.staged", "edit.exchanged"])
def test_what_a_killed_edit_left_of_one_file_is_never_taken_for_another_of_its_folder(base: Path, point: str) -> None:
    # The first file has its new content already, so that the process dies at the second.
    (base / "tree/a.py").write_bytes(NEW["a.py"])
    assert run(_APPLY_IN_ONE_FOLDER, base, CAIRN_CRASH_AT=point) == -signal.SIGKILL
    (edit,) = journal(base).recover()
    assert edit.left == ()
    assert contents(base) == (OLD if edit.state == REVERTED else OLD | {path: NEW[path] for path in ("a.py", "c.txt")})


@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize(("state", "there", "begun"), [(APPLYING, OLD, NEW), (REVERTING, NEW, OLD)])
def test_a_write_that_was_cut_off_is_removed(
    base: Path, state: str, there: dict[str, bytes], begun: dict[str, bytes]
) -> None:
    it = journal(base)
    apply(it)
    (edit,) = it.all()
    (base / "store/edits" / edit.id / "journal.json").write_bytes(encode(replace(edit, state=state)))
    (base / "tree/c.txt").write_bytes(there["c.txt"])
    (base / f"tree/.cairn-{edit.id}-2").write_bytes(begun["c.txt"][:3])
    assert [each.left for each in it.recover()] == [()]
    assert contents(base) == OLD


@pytest.mark.requirement("EDIT.1")
def test_an_undo_with_a_damaged_copy_restores_the_others_names_that_file_and_later_edits_go_on(base: Path) -> None:
    it = journal(base)
    apply(it)
    (edit,) = it.all()
    (base / "store/edits" / edit.id / "old-1").write_bytes(b"rot")
    undone = it.undo(edit.id)
    assert (undone.state, undone.lost, undone.left) == (INCOMPLETE, ("sub/b.py",), ())
    assert it.get(edit.id) == undone
    assert contents(base) == OLD | {"sub/b.py": NEW["sub/b.py"]}
    assert it.interrupted() == ()
    it.apply([FileEdit("a.py", OLD["a.py"], b"z")], "a later edit")
    assert (base / "tree/a.py").read_bytes() == b"z"


@pytest.mark.slow
def test_damage_is_said_and_nothing_is_written(base: Path) -> None:
    assert run(_APPLY, base, CAIRN_CRASH_AT="edit.prepared") == -signal.SIGKILL
    it = journal(base)
    (edit,) = it.all()
    (base / "store/edits" / edit.id / "new-0").write_bytes(b"rot")
    assert it.recover()[0].state == REVERTED
    assert contents(base) == OLD
    (base / "store/edits" / edit.id / "journal.json").write_bytes(b"{}")
    with pytest.raises(CorruptStoreError, match="journal of edit"):
        it.all()


def test_old_edits_are_forgotten_and_their_folders_private(base: Path) -> None:
    it = journal(base)
    data = b"x"
    (base / "tree/c.txt").write_bytes(data)
    for _ in range(KEPT + 3):
        it.apply([FileEdit("c.txt", data, data + b"x")], "grow")
        data += b"x"
    assert len(it.all()) == KEPT
    layout = Layout(str(base / "store"), StoreKind.PRIVATE)
    for path in Path(layout.path, "edits").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def linked(path: Path) -> None:
    shutil.copy(path, path.with_name("target"))
    path.unlink()
    path.symlink_to("target")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


@pytest.mark.requirement("STO.20")
@pytest.mark.parametrize("make", [linked, pipe])
def test_what_is_no_file_of_the_journals_own_is_never_read(base: Path, make: Callable[[Path], None]) -> None:
    it = journal(base)
    apply(it)
    (edit,) = it.all()
    folder = base / "store" / "edits" / edit.id
    make(folder / "old-0")
    assert it.undo(edit.id).state == INCOMPLETE
    make(folder / "journal.json")
    with pytest.raises(CorruptStoreError, match="not a file"):
        it.all()
