"""The walk over real trees, and the cache that must never change what it finds."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.base.errors import IgnoreFileError
from cairn.base.notes import Note
from cairn.config.project import IndexSettings
from cairn.workspace import reads as reads_module
from cairn.workspace import stamps as stamps_module
from cairn.workspace.beneath import Beneath, OpenFolder
from cairn.workspace.entries import TreeScan
from cairn.workspace.ignore import MAX_IGNORE_BYTES
from cairn.workspace.scan import Scanner
from cairn.workspace.stamps import trusted
from tests.trees import Repo, write


@contextmanager
def scanning(root: Path, limits: IndexSettings | None = None) -> Iterator[Scanner]:
    with Beneath(str(root)) as tree:
        yield Scanner(tree, limits or IndexSettings())


def fresh_scan(root: Path, limits: IndexSettings | None = None) -> TreeScan:
    with scanning(root, limits) as scanner:
        return scanner.scan()


def settle(scanner: Scanner) -> TreeScan:
    """Scan until every stamp is old enough to be trusted."""
    end = time.monotonic() + 30
    while (scan := scanner.scan()).hashed:
        assert time.monotonic() < end, "the stamps never settled"
    return scan


def keys(scan: TreeScan) -> list[str]:
    return [entry.key for entry in scan.files]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything about a scan that must not depend on what was known before."""

    files: tuple[tuple[str, str, str, str], ...]
    skips: tuple[tuple[str, str, str], ...]
    fingerprint: str
    notes: tuple[Note, ...]


def outcome(scan: TreeScan) -> Outcome:
    return Outcome(
        tuple((entry.key, entry.file_hash, entry.language, entry.namespace) for entry in scan.files),
        tuple((skip.path, skip.reason.value, skip.detail) for skip in scan.skips),
        scan.ignore_fingerprint,
        scan.notes,
    )


def test_a_tree_of_three_hundred_levels_is_walked_to_its_end(folder: Path) -> None:
    deep = "d/" * 300
    write(folder, f"{deep}bottom.py")
    write(folder, ".gitignore", "*.log\n")
    write(folder, f"{deep}bottom.log")

    scan = fresh_scan(folder)

    assert keys(scan) == [".gitignore", f"{deep}bottom.py"]
    assert [skip.path for skip in scan.skips] == [f"{deep}bottom.log"]


@pytest.mark.requirement("ELIG.1")
def test_a_path_longer_than_the_system_opens_is_a_skip_and_no_error(folder: Path) -> None:
    write(folder, "a.py")
    fd = os.open(folder, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("x" * 200, dir_fd=fd)
        deeper = os.open("x" * 200, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(os.open("bottom.py", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)

    scan = fresh_scan(folder)

    assert keys(scan) == ["a.py"]
    assert [skip.reason for skip in scan.skips] == ["unreadable"]
    assert scan.skips[0].path.endswith("x/")


@pytest.mark.slow
def test_five_thousand_files_in_one_folder_are_all_found_and_then_not_read_again(folder: Path) -> None:
    for number in range(5000):
        (folder / f"f{number:04}.py").write_bytes(b"%d\n" % number)
    with scanning(folder) as scanner:
        first = scanner.scan()
        settled = settle(scanner)

    assert keys(first) == [f"f{number:04}.py" for number in range(5000)]
    assert first.hashed == 5000
    assert outcome(settled) == outcome(first)


def test_an_empty_tree_has_no_files_and_no_skips(folder: Path) -> None:
    scan = fresh_scan(folder)

    assert (scan.files, scan.skips, scan.hashed) == ((), (), 0)


@pytest.mark.requirement("READ.2")
def test_a_folder_that_vanishes_during_the_walk_is_absent_and_no_error(folder: Path) -> None:
    for name in ("a/one.py", "b/two.py", "z/deep/three.py", "z/four.py"):
        write(folder, name)

    def remove(_: int) -> None:
        shutil.rmtree(folder / "z", ignore_errors=True)

    with scanning(folder) as scanner:
        during = scanner.scan(progress=remove)
        after = scanner.scan()

    assert keys(during) == ["a/one.py", "b/two.py"]
    assert (during.skips, during.failures) == ((), ())
    assert outcome(after) == outcome(during)


@pytest.mark.requirement("READ.2")
def test_a_folder_that_becomes_a_file_during_the_walk_is_seen_by_the_next_scan(folder: Path) -> None:
    write(folder, "a/one.py")
    write(folder, "z/two.py")

    def replace(_: int) -> None:
        if (folder / "z").is_dir():
            shutil.rmtree(folder / "z")
            write(folder, "z", "now a file\n")

    with scanning(folder) as scanner:
        during = scanner.scan(progress=replace)
        after = scanner.scan()

    assert (keys(during), during.skips) == (["a/one.py"], ())
    assert (keys(after), after.skips) == (["a/one.py", "z"], ())


def test_progress_counts_up_to_all_files(folder: Path) -> None:
    for name in ("a.py", "b/c.py", "d/e.py", "d/f.py"):
        write(folder, name)
    seen: list[int] = []
    with scanning(folder) as scanner:
        scanner.scan(progress=seen.append)

    assert seen == sorted(seen)
    assert seen[-1] == 4


@pytest.mark.requirement("CHG.5")
def test_a_settled_tree_costs_no_read_and_one_changed_file_costs_one(folder: Path) -> None:
    for number in range(20):
        write(folder, f"d{number % 3}/f{number}.py", f"{number}\n")
    with scanning(folder) as scanner:
        before = settle(scanner)
        write(folder, "d1/f4.py", "changed\n")
        after = scanner.scan()

    assert before.hashed == 0
    assert after.hashed == 1
    assert [key for key in after.hashes() if after.hashes()[key] != before.hashes()[key]] == ["d1/f4.py"]


@pytest.mark.requirement("CHG.5")
def test_an_edit_that_keeps_mtime_and_size_is_found(folder: Path) -> None:
    path = write(folder, "a.py", "one\n")
    os.utime(path, ns=(10**18, 10**18))
    with scanning(folder) as scanner:
        before = settle(scanner)
        path.write_text("two\n")
        os.utime(path, ns=(10**18, 10**18))
        after = scanner.scan()

    assert path.stat().st_mtime_ns == 10**18
    assert before.files[0].size == after.files[0].size
    assert before.files[0].file_hash != after.files[0].file_hash


@pytest.mark.requirement("CHG.5")
def test_a_file_replaced_by_one_of_the_same_size_and_mtime_is_found(folder: Path) -> None:
    path = write(folder, "a.py", "one\n")
    os.utime(path, ns=(10**18, 10**18))
    with scanning(folder) as scanner:
        before = settle(scanner)
        other = write(folder, "a.py.tmp", "two\n")
        os.utime(other, ns=(10**18, 10**18))
        other.rename(path)
        after = scanner.scan()

    assert before.files[0].file_hash != after.files[0].file_hash


@pytest.mark.requirement("CHG.5")
def test_a_stamp_younger_than_the_tick_is_not_trusted(folder: Path) -> None:
    write(folder, "a.py")
    with scanning(folder) as scanner:
        # A tick longer than this test: whatever was just written is still too young.
        with patch.object(stamps_module, "FINE_TICK_NS", 10**15), patch.object(stamps_module, "COARSE_TICK_NS", 10**15):
            assert [scanner.scan().hashed for _ in range(3)] == [1, 1, 1]
        settle(scanner)
        assert scanner.scan().hashed == 0


@pytest.mark.requirement("CHG.5")
def test_a_touch_is_read_once_and_changes_no_hash(folder: Path) -> None:
    path = write(folder, "a.py")
    with scanning(folder) as scanner:
        before = settle(scanner)
        os.utime(path, ns=(10**18, 10**18))
        after = scanner.scan()

    assert after.hashed == 1
    assert after.hashes() == before.hashes()
    assert after.files[0].stamp[0] == 10**18


@pytest.mark.requirement("CHG.4")
def test_verify_reads_every_candidate_whatever_its_stamp_says(folder: Path) -> None:
    for name in ("a.py", "b/c.py", "b/nul.txt", "d/e.md", "picture.png"):
        write(folder, name, b"\0" if "nul" in name else b"text\n")
    with scanning(folder) as scanner:
        settled = settle(scanner)
        verified = scanner.scan(verify=True)

    assert verified.hashed == 4
    assert outcome(verified) == outcome(settled)


@pytest.mark.requirement("CHG.5")
def test_suspects_are_read_and_nothing_else(folder: Path) -> None:
    for name in ("a.py", "b/c.py", "b/d.py", "e.py"):
        write(folder, name)
    with scanning(folder) as scanner:
        settle(scanner)
        assert scanner.scan(suspects=frozenset({"b/d.py", "e.py", "gone.py"})).hashed == 2
        assert scanner.scan().hashed == 0


def test_a_scan_limited_to_tracked_files_leaves_the_next_full_scan_alone(folder: Path) -> None:
    for name in ("a.py", "b.py"):
        write(folder, name)
    with scanning(folder) as scanner:
        full = settle(scanner)
        limited = scanner.scan(tracked=lambda: frozenset({"a.py"}))
        assert keys(limited) == ["a.py"]
        assert [(skip.path, skip.reason.value, skip.detail) for skip in limited.skips] == [
            ("b.py", "ignored", "untracked")
        ]
        assert outcome(scanner.scan()) == outcome(full)
        assert keys(scanner.scan(tracked=lambda: frozenset({"b.py"}))) == ["b.py"]


def test_an_aborted_scan_leaves_nothing_stale_behind(folder: Path) -> None:
    write(folder, "a.py", "one\n")
    write(folder, "z/b.py")

    def give_up(_: int) -> None:
        raise KeyboardInterrupt

    with scanning(folder) as scanner:
        settle(scanner)
        write(folder, "a.py", "two\n")
        with pytest.raises(KeyboardInterrupt):
            scanner.scan(progress=give_up)
        assert outcome(scanner.scan()) == outcome(fresh_scan(folder))


def test_a_scan_stopped_by_a_bad_ignore_file_leaves_nothing_stale_behind(folder: Path) -> None:
    write(folder, "a.py", "one\n")
    write(folder, "z/.gitignore", "*.log\n")
    write(folder, "z/b.log")
    with scanning(folder) as scanner:
        settle(scanner)
        write(folder, "a.py", "two\n")
        write(folder, "z/.gitignore", b"x\n" * MAX_IGNORE_BYTES)
        with pytest.raises(IgnoreFileError):
            scanner.scan()
        write(folder, "z/.gitignore", "*.log\n")
        assert outcome(scanner.scan()) == outcome(fresh_scan(folder))


@pytest.mark.requirement("CHG.6")
@pytest.mark.parametrize("submodules", [False, True])
def test_a_folder_that_becomes_a_repository_is_seen_so_though_its_files_stand(folder: Path, submodules: bool) -> None:
    write(folder, "sub/a.py")
    write(folder, "sub/deep/b.py")
    limits = IndexSettings(submodules=submodules)
    with scanning(folder, limits) as scanner:
        settle(scanner)
        subprocess.run(("git", "init", "-q", str(folder / "sub")), check=True)
        assert outcome(scanner.scan()) == outcome(fresh_scan(folder, limits))
        settle(scanner)
        shutil.rmtree(folder / "sub" / ".git")
        assert outcome(scanner.scan()) == outcome(fresh_scan(folder, limits))


@pytest.mark.requirement("CHG.6")
def test_a_dot_git_that_turns_real_or_junk_later_is_noticed(folder: Path) -> None:
    write(folder, "sub/a.py")
    (folder / "sub" / ".git").mkdir()
    with scanning(folder) as scanner:
        settle(scanner)
        write(folder, "sub/.git/HEAD", "ref: refs/heads/main\n")
        assert outcome(scanner.scan()) == outcome(fresh_scan(folder))
        settle(scanner)
        (folder / "sub" / ".git" / "HEAD").unlink()
        assert outcome(scanner.scan()) == outcome(fresh_scan(folder))


@pytest.mark.requirement("PATH.3")
def test_where_a_link_leads_is_asked_anew_though_every_stamp_stands(folder: Path, tmp_path: Path) -> None:
    write(folder, ".gitignore", "build/\n")
    write(folder, "build/other.py")
    for name in ("a.py", "b.py"):
        write(folder, name, f"{name}\n")
    detour = tmp_path / "detour"
    detour.symlink_to(folder / "a.py")
    (folder / "around.py").symlink_to(detour)
    (folder / "hidden.py").symlink_to("build/hidden.py")
    with scanning(folder) as scanner:
        before = settle(scanner)
        detour.unlink()
        detour.symlink_to(folder / "b.py")
        write(folder, "build/hidden.py")
        after = scanner.scan()

    assert [(alias.key, alias.target) for alias in before.aliases] == [("around.py", "a.py")]
    assert [(alias.key, alias.target) for alias in after.aliases] == [("around.py", "b.py")]
    assert outcome(after) == outcome(fresh_scan(folder))
    assert {skip.path: skip.reason.value for skip in before.skips}["hidden.py"] == "unreadable"
    assert {skip.path: skip.reason.value for skip in after.skips}["hidden.py"] == "ignored"


def test_folders_that_were_not_entered_are_named_for_the_watcher(repo: Repo) -> None:
    repo.write(".gitignore", "build/\n*.log\n")
    for name in ("build/a.py", "src/build/b.py", "src/c.log", "src/d.py"):
        repo.write(name)
    Repo.create(repo.path / "inner").write("e.py")
    with scanning(repo.path) as scanner:
        scanner.scan()
        assert scanner.pruned_folders() == {"build", "src/build", "inner"}


_RIGHTS = """
import json, os, sys
from pathlib import Path
from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.scan import Scanner

if os.geteuid() == 0:
    # Given up only now: the interpreter itself may lie where nobody else can go.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
root = Path(sys.argv[1])
seen = []
with Beneath(str(root)) as tree:
    kept = Scanner(tree, IndexSettings())
    for name, mode in (("", 0o755), ("a.py", 0), ("d", 0), ("d", 0o444), ("d", 0o755), ("a.py", 0o644)):
        (root / name).chmod(mode)
        pair = [
            [[entry.key for entry in scan.files], [[skip.path, skip.reason] for skip in scan.skips]]
            for scan in (kept.scan(), kept.scan(), Scanner(tree, IndexSettings()).scan())
        ]
        seen.append(pair)
print(json.dumps(seen))
"""


@pytest.mark.requirement("ELIG.1")
def test_rights_that_come_and_go_are_seen_by_a_kept_scanner() -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "tree"
        for name in ("a.py", "b.py", "d/c.py"):
            write(root, name)
        if os.geteuid() == 0:
            Path(place).chmod(0o755)
            for path in (root, *root.rglob("*")):
                os.chown(path, 65534, 65534)
        done = subprocess.run((sys.executable, "-c", _RIGHTS, str(root)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr

    steps = json.loads(done.stdout)
    for kept, again, fresh in steps:
        assert kept == fresh
        assert again == fresh
    locked_file, locked_folder, listed_folder = (["a.py", "unreadable"], ["d/", "unreadable"], ["d/c.py", "unreadable"])
    assert [fresh for _, _, fresh in steps] == [
        [["a.py", "b.py", "d/c.py"], []],
        [["b.py", "d/c.py"], [locked_file]],
        [["b.py"], [locked_file, locked_folder]],
        [["b.py"], [locked_file, listed_folder]],
        [["b.py", "d/c.py"], [locked_file]],
        [["a.py", "b.py", "d/c.py"], []],
    ]


FILES = ["a.py", "b.log", "d/a.py", "d/b.log", "d/e/c.py", "f/a.py", "é.py", ".env"]
FOLDERS = ["d", "d/e", "f", "g"]
IGNORES = [".gitignore", "d/.gitignore", "d/e/.gitignore", ".cairnignore"]
RULES = ["", "*.log\n", "a.py\n", "!a.py\n", "d/\n", "e/\n", "/d/a.py\n", "*\n!*/\n!*.py\n", "!.env\n"]
CONTENTS = ["x = 1\n", "x = 2\n", "other\n", "nul\0", ""]

Step = tuple[str, str, str]
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(FILES), st.sampled_from(CONTENTS)),
    st.tuples(st.just("write"), st.sampled_from(IGNORES), st.sampled_from(RULES)),
    st.tuples(st.just("replace"), st.sampled_from(FILES + IGNORES), st.sampled_from(CONTENTS)),
    st.tuples(st.just("delete"), st.sampled_from(FILES + FOLDERS + IGNORES), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(FILES + FOLDERS), st.sampled_from(FILES + FOLDERS + IGNORES)),
    st.tuples(st.just("folder"), st.sampled_from(FOLDERS + FILES + IGNORES), st.just("")),
    st.tuples(st.just("file"), st.sampled_from(FOLDERS), st.sampled_from(CONTENTS)),
    st.tuples(st.just("link"), st.sampled_from(["l", "d/l", "d/e"]), st.sampled_from(["a.py", "d", "../f", "e"])),
    st.tuples(st.just("chmod"), st.sampled_from(FILES + FOLDERS), st.sampled_from(["600", "700"])),
    st.tuples(st.just("touch"), st.sampled_from(FILES + FOLDERS + IGNORES), st.sampled_from(["1", "2"])),
    st.tuples(st.just("repository"), st.sampled_from(FOLDERS), st.just("")),
)


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make_room(root: Path, name: str) -> Path:
    """The path with nothing but folders above it."""
    for parent in reversed((root / name).relative_to(root).parents[:-1]):
        if (root / parent).is_symlink() or not (root / parent).is_dir():
            remove(root / parent)
            (root / parent).mkdir()
    return root / name


def take(root: Path, step: Step) -> None:
    kind, name, detail = step
    path = root / name
    present = path.exists() and not any((root / parent).is_symlink() for parent in Path(name).parents)
    if kind in ("write", "file", "replace"):
        path = make_room(root, name)
        if path.is_symlink() or path.is_dir():
            remove(path)
        if kind == "replace":
            write(root, "new.tmp", detail)
            (root / "new.tmp").rename(path)
        else:
            path.write_text(detail)
    elif kind == "folder":
        path = make_room(root, name)
        remove(path)
        write(root, f"{name}/inside.py")
    elif kind == "link":
        path = make_room(root, name)
        remove(path)
        path.symlink_to(detail)
    elif kind == "delete" and present:
        remove(path)
    elif kind == "repository" and present and path.is_dir():
        if (path / ".git").exists():
            shutil.rmtree(path / ".git")
        else:
            write(path, ".git/HEAD", "ref: refs/heads/main\n")
    elif kind == "rename" and present:
        # Out of the tree first: the target may hold the source, or the other way round.
        path.rename(root.parent / "moving")
        path = make_room(root, detail)
        remove(path)
        (root.parent / "moving").rename(path)
    elif kind == "chmod" and present and not path.is_symlink():
        path.chmod(0o700 if path.is_dir() else int(detail, 8))
    elif kind == "touch" and present:
        os.utime(path, (int(detail), int(detail)))


def next_tick(probe: Path) -> None:
    """Wait until the file system's clock has moved, so that a change can't carry an old stamp."""
    probe.write_text("x")
    first = probe.stat().st_ctime_ns
    end = time.monotonic() + 30
    while probe.stat().st_ctime_ns == first:
        assert time.monotonic() < end, "the file system's clock stands still"
        probe.write_text("x")


@pytest.mark.slow
@pytest.mark.requirement("ELIG.1")
@settings(max_examples=60)
@given(st.lists(STEPS, min_size=1, max_size=15), st.booleans())
@example([("write", "d/a.py", "x = 1\n"), ("repository", "d", ""), ("repository", "d", "")], True)
@example([("write", "d/e/c.py", "x = 1\n"), ("write", ".gitignore", "e/\n"), ("write", ".gitignore", "\n")], False)
@example([("write", "d/a.py", "x"), ("write", ".cairnignore", "d/\n"), ("delete", ".cairnignore", "")], False)
@example([("write", "a.py", "x"), ("write", "d/.gitignore", ""), ("rename", "d", "f"), ("rename", "f", "d")], False)
def test_a_kept_scanner_finds_what_a_new_one_finds_after_any_change(steps: list[Step], submodules: bool) -> None:
    limits = IndexSettings(submodules=submodules)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "tree"
        root.mkdir()
        probe = Path(place) / "probe"
        # Stamps are trusted at once, or this test would have to wait for each of them to grow old;
        # `next_tick` sees to it that no two changes can share one.
        trusting = patch.object(stamps_module, "FINE_TICK_NS", 0), patch.object(reads_module, "_TICK_NS", 0)
        with trusting[0], trusting[1], scanning(root, limits) as kept:
            for step in steps:
                take(root, step)
                next_tick(probe)
                assert outcome(kept.scan()) == outcome(fresh_scan(root, limits)), step
                assert kept.scan().hashed == 0
                assert outcome(kept.scan()) == outcome(fresh_scan(root, limits)), step
                next_tick(probe)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda root: write(root, "new.py"), id="a new file"),
        pytest.param(lambda root: (root / "a.py").unlink(), id="a deleted file"),
        pytest.param(lambda root: (root / "a.py").rename(root / "b.py"), id="a renamed file"),
        pytest.param(lambda root: (root / "d").rename(root / "e"), id="a renamed folder"),
        pytest.param(lambda root: write(root, ".gitignore", "*.md\n"), id="an edited rule"),
        pytest.param(lambda root: write(root, "d/.gitignore", "c.md\n"), id="a new rule"),
        pytest.param(lambda root: (root / ".gitignore").unlink(), id="a deleted rule"),
        pytest.param(lambda root: write(root, ".cairnignore", "d/\n"), id="a new cairnignore"),
    ],
)
def test_a_settled_cache_sees_each_kind_of_change_under_real_stamps(
    folder: Path, change: Callable[[Path], object]
) -> None:
    for name in ("a.py", "d/c.md", "d/x.log", "x.log"):
        write(folder, name)
    write(folder, ".gitignore", "*.log\n")
    with scanning(folder) as scanner:
        before = settle(scanner)
        change(folder)
        after = scanner.scan()

    assert outcome(after) == outcome(fresh_scan(folder))
    assert outcome(after) != outcome(before)


SECOND = 1_000_000_000


@pytest.mark.requirement("CHG.5")
@pytest.mark.parametrize(
    ("newest", "now", "settled"),
    [
        (50 * SECOND + 5, 50 * SECOND + 50_000_000, False),
        (50 * SECOND + 5, 50 * SECOND + 200_000_000, True),
        (50 * SECOND, 51 * SECOND, False),
        (50 * SECOND, 53 * SECOND, True),
    ],
    ids=["fine, young", "fine, old", "coarse, young", "coarse, old"],
)
def test_a_stamp_is_trusted_only_when_a_later_change_must_differ(newest: int, now: int, settled: bool) -> None:
    for stamp in ((newest, newest - SECOND, 10, 1), (newest - SECOND, newest, 10, 1)):
        assert trusted(stamp, now) == (stamp if settled else None)


@pytest.mark.requirement("CHG.5")
def test_young_stamps_of_folders_and_ignore_files_are_not_trusted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a clock that never ticks, every look must be a fresh one."""
    write(folder, "a.py")
    write(folder, ".gitignore", "b.py\n")
    monkeypatch.setattr("cairn.workspace.scan.trusted", lambda stamp, now: None)
    with scanning(folder) as scanner:
        scanner.scan()
        assert all(record.stamp is None for record in scanner._folders.values())
        assert all(record.listing.ignore_stamp is None for record in scanner._folders.values())
        assert scanner.scan().hashed == 2


def test_files_of_a_folder_that_is_lost_during_the_check_are_forgotten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "sub/a.py")
    write(folder, "b.py")
    with scanning(folder) as scanner:
        settle(scanner)

        class Lost(OpenFolder):
            def __init__(self, tree: Beneath, raw: str) -> None:
                if raw == "sub":
                    raise FileNotFoundError(raw)
                super().__init__(tree, raw)

        # The folder would have to vanish between its stat and its open.
        monkeypatch.setattr("cairn.workspace.scan.OpenFolder", Lost)
        assert keys(scanner.scan(verify=True)) == ["b.py"]
