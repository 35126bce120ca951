"""A tree is walked only when something that the last look at it rested on may have changed."""

import hashlib
import mmap
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cairn.base.values import replace
from cairn.codebase.codebase import Codebase, LineRequest
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.kernel.stamps import STAMP, stamps_moved, stamps_moved_by_reference
from cairn.store import Store
from cairn.store.compact import FAN_IN
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import ScanFailure
from cairn.workspace.lastlook import LastLook, decoded, git_stamps
from cairn.workspace.scan import Scanner
from tests.trees import Repo, write
from tests.workspace.test_reads import wait_until_old


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry a scan."""
    seen: list[str] = []
    scan = Scanner.scan

    def counted(self: Scanner, **named: object) -> object:
        seen.append(self.tree.root)
        return scan(self, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Scanner, "scan", counted)
    return seen


def asked(root: Path) -> SyncResult:
    """A question of a process that has just begun."""
    with Codebase(str(root)) as codebase:
        return codebase.index(SyncOptions(wait_s=1.0), create=False)


def settle(root: Path) -> None:
    for path in (*root.rglob("*"), root):
        if not path.is_symlink():
            wait_until_old(path)


@pytest.fixture
def root(folder: Path, walks: list[str]) -> Path:
    root = folder.parent / "looked-at"
    repo = Repo.create(root)
    write(root, ".gitignore", "*.log\nbuild/\n")
    for name in ("a.py", "sub/b.py", "sub/deep/c.py"):
        write(root, name, f"def {Path(name).stem}_begins():\n    return 1\n")
    (root / "alias.py").symlink_to("sub/b.py")
    repo.commit("one")
    with Codebase(str(root)) as opened:
        opened.index()
    settle(root)
    asked(root)
    walks.clear()
    return root


def test_an_unchanged_tree_is_not_walked(root: Path, walks: list[str]) -> None:
    for _ in range(2):
        assert asked(root).looked is None
    assert walks == []


def test_whoever_wants_a_walk_gets_one(root: Path) -> None:
    with Codebase(str(root)) as codebase:
        assert codebase.index(SyncOptions(walks=True), create=False).detection.scan.files


def _edit(root: Path) -> None:
    write(root, "sub/b.py", "def fresh_name():\n    return 2\n")


def _same_size_and_time(root: Path) -> None:
    path = root / "sub/b.py"
    before = path.stat()
    path.write_text(path.read_text().replace("b_begins", "fresh_name"[:8]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _new_folder(root: Path) -> None:
    write(root, "new/folder/d.py", "def fresh_name():\n    return 2\n")


def _renamed_folder(root: Path) -> None:
    os.rename(root / "sub", root / "renamed")


def _moved_in(root: Path) -> None:
    outside = root.parent / "outside"
    write(outside, "d.py", "def fresh_name():\n    return 2\n")
    os.rename(outside, root / "moved")


def _deleted(root: Path) -> None:
    shutil.rmtree(root / "sub")


def _swapped(root: Path) -> None:
    """A folder moves away and another takes its place; its files are written afterwards."""
    os.rename(root / "sub/deep", root / "sub/old")
    write(root, "sub/deep/c.py", "def fresh_name():\n    return 2\n")


def _ignored(root: Path) -> None:
    write(root, ".gitignore", "*.log\nsub/\n")


def _nested_rules(root: Path) -> None:
    write(root, "sub/deep/.gitignore", "c.py\n")


def _link_elsewhere(root: Path) -> None:
    (root / "alias.py").unlink()
    (root / "alias.py").symlink_to("a.py")


def _mapped(root: Path) -> None:
    with open(root / "sub/b.py", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[4:12] = b"x_begins"


def _settings(root: Path) -> None:
    write(root, ".cairnignore", "sub/\n")


CHANGES: list[Callable[[Path], None]] = [
    _same_size_and_time,
    _new_folder,
    _renamed_folder,
    _moved_in,
    _deleted,
    _swapped,
    _ignored,
    _nested_rules,
    _link_elsewhere,
    _mapped,
    _settings,
]


@pytest.mark.parametrize(
    "change",
    [_edit, *(pytest.param(change, marks=pytest.mark.slow) for change in CHANGES)],
    ids=lambda change: change.__name__.strip("_"),
)
def test_a_change_is_seen(root: Path, change: Callable[[Path], None]) -> None:
    change(root)
    asked(root)
    with Codebase(str(root)) as other:
        fresh = other.detector.detect()
        with other.view() as view:
            assert {path: file_hash for path, file_hash, _ in view.rows.contents()} == fresh.scan.hashes()
            assert view.manifest.aliases == tuple((alias.key, alias.target) for alias in fresh.scan.aliases)


@pytest.mark.slow
def test_a_ref_that_moves_is_seen(root: Path) -> None:
    repo = Repo(root)
    first = asked(root).manifest.git.head_sha
    repo.git("commit", "-q", "--allow-empty", "-m", "two")
    assert asked(root).manifest.git.head_sha != first
    repo.git("update-ref", "refs/heads/main", str(first))
    assert asked(root).manifest.git.head_sha == first


@pytest.mark.slow
def test_what_was_staged_makes_the_tree_dirty(root: Path) -> None:
    assert asked(root).manifest.git.dirty is False
    Repo(root).git("rm", "-q", "--cached", "a.py")
    assert asked(root).manifest.git.dirty is True


@pytest.mark.slow
def test_a_link_that_leads_out_is_no_proof(root: Path, walks: list[str]) -> None:
    (root / "far.py").symlink_to(root.parent / "step")
    settle(root)
    asked(root)
    walks.clear()
    asked(root)
    assert walks


@pytest.mark.slow
def test_a_young_stamp_is_no_proof(root: Path) -> None:
    write(root, "a.py", "def first_name():\n    return 1\n")
    assert asked(root).published
    with open(root / "a.py", "r+") as file:
        file.write("def other_name")
    assert asked(root).published


@pytest.mark.slow
def test_another_snapshot_is_no_proof(root: Path) -> None:
    with Codebase(str(root)) as codebase:
        kept = Path(codebase.store().layout.cache, "look.bin")
        data = kept.read_bytes()
        codebase.reindex_full()
        assert kept.read_bytes() != data
    kept.write_bytes(data)
    assert asked(root).looked is not None


def sealed(head: bytes) -> bytes:
    """A file whose checksum is right."""
    return b"cairn-look-2 " + hashlib.sha256(head).hexdigest().encode() + b"\n" + head


@pytest.mark.parametrize(
    "data", [b"", b"x", b"cairn-look-2 0\n[]\n", b"cairn-look-2", sealed(b"{}"), sealed(b"[1, 2]")]
)
def test_what_is_damaged_is_no_proof(data: bytes) -> None:
    assert decoded(data) is None


def test_what_is_kept_is_what_comes_back() -> None:
    look = LastLook("place", "id", (("a", "b\udcff"),), 1, b"x\0y", STAMP.pack(1, 2, 3, 4) * 2)
    assert decoded(look.encoded()) == look


@pytest.mark.parametrize(
    "find", [stamps_moved_by_reference, lambda *given: stamps_moved(os.fsdecode(given[0]), *given[1:])]
)
def test_what_has_another_stamp_is_found(folder: Path, find: Callable[[bytes, bytes, bytes], list[int]]) -> None:
    write(folder, "a/b", "x")
    (folder / "link").symlink_to("nowhere")
    names = ["", "a", "a/b", "link"]
    stamps = [stamp_of(folder / name) for name in names]
    joined = "\0".join(names).encode()
    root = os.fsencode(folder)
    assert find(root, joined, b"".join(stamps)) == []
    for number in range(len(names)):
        wrong = list(stamps)
        wrong[number] = STAMP.pack(-1, 0, 0, 2**63)
        assert find(root, joined, b"".join(wrong)) == [number]
    assert find(root, joined + b"\0gone", b"".join([*stamps, stamps[0]])) == [4]
    for unfit in (stamps[:-1], [*stamps, stamps[0]], [*stamps[:-1], stamps[0][:-1]]):
        with pytest.raises(ValueError, match="as many stamps"):
            find(root, joined, b"".join(unfit))


def test_of_many_names_each_that_moved_is_found(folder: Path) -> None:
    """As many as several threads share."""
    for number in range(2500):
        (folder / str(number)).touch()
    names = [str(number) for number in range(2500)]
    stamps = bytearray(b"".join(stamp_of(folder / name) for name in names))
    moved = [0, 7, 999, 1000, 1249, 1250, 2499]
    for number in moved:
        stamps[number * STAMP.size] ^= 1
    given = ("\0".join(names).encode(), bytes(stamps))
    assert stamps_moved(str(folder), *given) == stamps_moved_by_reference(os.fsencode(folder), *given) == moved


@pytest.fixture
def opened(root: Path, walks: list[str]) -> Iterator[Codebase]:
    """A process that stays open, and has looked itself."""
    with Codebase(str(root)) as codebase:
        codebase.index(SyncOptions(walks=True), create=False)
        walks.clear()
        yield codebase


def found(codebase: Codebase, name: str) -> list[str]:
    codebase.index(SyncOptions(wait_s=1.0), create=False)
    return [line.path for line in codebase.grep(LineRequest(name), synced=True).value.items]


def test_an_open_process_walks_no_more_often(opened: Codebase, walks: list[str]) -> None:
    for _ in range(3):
        assert found(opened, "b_begins") == ["sub/b.py"]
    assert walks == []


@pytest.mark.slow
@pytest.mark.parametrize("change", [_edit, *CHANGES], ids=lambda change: change.__name__.strip("_"))
def test_an_open_process_sees_a_change(opened: Codebase, change: Callable[[Path], None]) -> None:
    change(Path(opened.root_path))
    opened.index(SyncOptions(wait_s=1.0), create=False)
    with opened.view() as view, Codebase(opened.root_path) as other:
        fresh = other.detector.detect()
        assert {path: file_hash for path, file_hash, _ in view.rows.contents()} == fresh.scan.hashes()
        assert view.manifest.aliases == tuple((alias.key, alias.target) for alias in fresh.scan.aliases)


def test_a_write_to_a_mapping_that_stays_open_is_seen(opened: Codebase) -> None:
    """No event tells of it, but its time stamp does."""
    with open(Path(opened.root_path, "sub/b.py"), "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        assert found(opened, "b_begins") == ["sub/b.py"]
        mapped[4:12] = b"x_begins"
        mapped.flush()
        assert found(opened, "x_begins") == ["sub/b.py"]


def test_a_write_by_a_name_outside_is_seen(opened: Codebase) -> None:
    root = Path(opened.root_path)
    assert found(opened, "a_begins") == ["a.py"]
    os.link(root / "a.py", root.parent / "other-name.py")
    (root.parent / "other-name.py").write_text("def by_the_other_name():\n    return 1\n")
    assert found(opened, "by_the_other_name") == ["a.py"]


@pytest.mark.slow
def test_a_file_with_a_name_outside_is_no_proof(root: Path, walks: list[str]) -> None:
    """A walk reads such a file anew whatever its stamp says."""
    os.link(root / "a.py", root.parent / "other-name.py")
    settle(root)
    asked(root)
    walks.clear()
    asked(root)
    assert walks


@pytest.mark.slow
def test_a_root_that_is_another_folder_now_is_seen(opened: Codebase) -> None:
    root = Path(opened.root_path)
    os.rename(root, root.parent / "former")
    Repo.create(root)
    write(root, "a.py", "def in_the_other_folder():\n    return 1\n")
    assert found(opened, "in_the_other_folder") == ["a.py"]


def test_a_tree_is_proven_for_its_own_place_and_snapshot_alone(opened: Codebase, root: Path) -> None:
    detector = opened.detector
    snapshot = opened.index(SyncOptions(), create=False).manifest.snapshot_id
    assert detector.moved(snapshot) == {}
    assert detector.moved("another") is None
    detector._look_stands = replace(detector._look_stands, place="another")  # type: ignore[type-var]
    assert detector.moved(snapshot) is None


def test_a_look_that_could_not_read_a_file_is_no_proof(opened: Codebase, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = opened.detector
    look = detector.detect()
    detector.confirm("snapshot", look)
    assert detector.moved("snapshot") == {}
    failing = replace(look, walked=replace(look.scan, failures=(ScanFailure("a.py", "a.py", "denied", "refused"),)))
    monkeypatch.setattr(detector, "_last", failing)
    detector.confirm("snapshot", failing)
    assert detector.moved("snapshot") is None


def test_git_that_was_written_just_now_is_no_proof(root: Path) -> None:
    assert git_stamps(str(root))
    (root / ".git" / "HEAD").touch()
    assert git_stamps(str(root)) is None
    assert any(path.endswith("info/exclude") for path in git_stamps_of(root))


def git_stamps_of(root: Path) -> set[str]:
    settle(root)
    return set(git_stamps(str(root)) or ())


def test_a_link_that_leads_elsewhere_is_no_proof(folder: Path) -> None:
    for name in ("a", "b"):
        write(folder, name, name)
    (folder / "link").symlink_to("a")
    look = LastLook("place", "id", (("link", "a"),), 0, b"a", stamp_of(folder / "a"))
    assert look.moved(str(folder)) == {}
    (folder / "link").unlink()
    (folder / "link").symlink_to("b")
    assert look.moved(str(folder)) is None


def stamp_of(path: Path) -> bytes:
    found = path.lstat()
    return STAMP.pack(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def test_a_barred_folder_is_no_proof(opened: Codebase) -> None:
    """It can open without a stamp of ours telling so."""
    detector = opened.detector
    look = detector.detect()
    detector.scanner._barred = {"shut": Skip("shut/", SkipReason.UNREADABLE)}
    detector.confirm("snapshot", look)
    assert detector.moved("snapshot") is None


def test_a_store_that_needs_sweeping_is_looked_at(
    opened: Codebase, walks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "is_tidy", lambda _: False)
    opened.index(SyncOptions(wait_s=1.0), create=False)
    assert walks


def test_an_open_process_that_finds_an_edit_walks_no_more_often(opened: Codebase, walks: list[str]) -> None:
    root = Path(opened.root_path)
    for name in ("fresh_name", "other_name"):
        write(root, "sub/b.py", f"def {name}():\n    return 2\n")
        assert found(opened, name) == ["sub/b.py"]
    assert walks == []


def test_a_new_process_that_finds_an_edit_does_not_walk(root: Path, walks: list[str]) -> None:
    for text in ("def fresh_name(): ...\n", "def other_name(): ...\n"):
        write(root, "sub/b.py", text)
        assert asked(root).published
    assert asked(root).manifest.git.dirty is True
    assert walks == []


def test_an_edit_taken_back_leaves_a_clean_tree(root: Path, walks: list[str]) -> None:
    before = (root / "sub/b.py").read_text()
    write(root, "sub/b.py", "def fresh_name(): ...\n")
    write(root, "a.py", "def another_name(): ...\n")
    assert asked(root).manifest.git.dirty is True
    write(root, "sub/b.py", before)
    assert asked(root).manifest.git.dirty is True, "another file still differs"
    Repo(root).git("checkout", "-q", "a.py")
    assert asked(root).manifest.git.dirty is False


def test_a_file_of_another_mode_makes_the_tree_dirty(opened: Codebase) -> None:
    (Path(opened.root_path) / "a.py").chmod(0o755)
    assert opened.index(SyncOptions(), create=False).manifest.git.dirty is True


@pytest.mark.parametrize(
    "data", [b"\0", b"-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n", b"\xff\xfe"]
)
def test_a_file_that_no_longer_counts_is_left_to_a_walk(opened: Codebase, walks: list[str], data: bytes) -> None:
    (Path(opened.root_path) / "a.py").write_bytes(data)
    opened.index(SyncOptions(), create=False)
    assert walks
    with opened.view() as view:
        assert view.rows.file("a.py") is None


@pytest.mark.slow
def test_attributes_of_git_are_left_to_a_walk(root: Path, walks: list[str]) -> None:
    write(root, ".gitattributes", "*.py text\n")
    Repo(root).commit("attributes")
    settle(root)
    asked(root)
    walks.clear()
    write(root, ".gitattributes", "*.py -text\n")
    asked(root)
    assert walks


@pytest.mark.slow
def test_many_edits_are_left_to_a_walk(root: Path, walks: list[str]) -> None:
    for number in range(40):
        write(root, f"many/{number}.py", f"x = {number}\n")
    Repo(root).commit("many")
    settle(root)
    asked(root)
    walks.clear()
    for number in range(40):
        write(root, f"many/{number}.py", f"y = {number}\n")
    assert asked(root).indexed == 40
    assert walks


@pytest.mark.slow
def test_what_was_looked_at_holds_after_a_compaction(opened: Codebase, walks: list[str]) -> None:
    root, merged = Path(opened.root_path), 0
    for number in range(2 * FAN_IN):
        write(root, "sub/b.py", f"def name_{number}():\n    return 2\n")
        assert found(opened, f"name_{number}") == ["sub/b.py"]
        with opened.view() as view:
            merged += view.manifest.cause == "compact"
    assert merged
    assert walks == []


@pytest.mark.slow
def test_what_one_should_know_of_a_tree_is_told_again_without_a_walk(root: Path, walks: list[str]) -> None:
    for number in range(60):
        write(root, f"build/{number}.log", "x\n")
    tells = SyncOptions(wait_s=1.0, tells=True)
    said = []
    for text in (None, None, "def fresh_name(): ...\n"):
        if text is not None:
            write(root, "sub/b.py", text)
        else:
            settle(root)
        with Codebase(str(root)) as codebase:
            said.append([note.code for note in codebase.index(tells, create=False).tree_notes])
    assert said == [["little_indexed"]] * 3
    assert len(walks) == 1, "the first has nothing to go by"
    asked(root)
    write(root, ".gitignore", "*.log\n")
    with Codebase(str(root)) as codebase:
        codebase.index(tells, create=False)
    assert len(walks) == 2
