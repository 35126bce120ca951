"""Reads that no writer tears, and what becomes of files that won't hold still."""

import hashlib
import itertools
import mmap
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from cairn.base.errors import UnstableFileError
from cairn.config.project import IndexSettings
from cairn.workspace import reads
from cairn.workspace.beneath import Beneath
from cairn.workspace.changes import ChangeSet
from cairn.workspace.detector import Baseline, ChangeDetector
from cairn.workspace.reads import (
    ATTEMPTS,
    HEAD_BYTES,
    FileRead,
    NotRegularError,
    TooLargeError,
    content_hash,
    head_sum,
    read_stable,
    stamp_of,
    unchanged,
)
from cairn.workspace.root import Root, find_root
from cairn.workspace.scan import Scanner
from tests.trees import write

LIMIT = 1 << 20


@pytest.fixture
def tree(folder: Path) -> Iterator[Beneath]:
    with Beneath(str(folder)) as tree:
        yield tree


class CountingBeneath(Beneath):
    """Counts how often a file was opened: once an attempt."""

    opened = 0

    def open_file(self, raw: str, *, follow: bool = True) -> int:
        self.opened += 1
        return super().open_file(raw, follow=follow)


def before_each_read(monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], None]) -> None:
    """Let `act` happen between the look at a file's stamp and the read of its bytes.

    A writer in another process hits that gap only by luck, so the read itself gives the cue.
    """
    read_all = reads._read_all

    def read_after_act(fd: int, count: int) -> bytes:
        act(Path(os.readlink(f"/proc/self/fd/{fd}")))
        return read_all(fd, count)

    monkeypatch.setattr(reads, "_read_all", read_after_act)


def append(path: Path, text: str = "more\n") -> None:
    with open(path, "a") as file:
        file.write(text)


@pytest.mark.requirement("READ.1")
@pytest.mark.parametrize("size", [0, 1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 300_000])
def test_bytes_hash_head_and_stamp_come_from_one_read(folder: Path, tree: Beneath, size: int) -> None:
    data = os.urandom(size)
    path = write(folder, "a.py", data)

    read = read_stable(tree, "a.py", LIMIT)

    assert read.data == data
    assert read.file_hash == content_hash(data) == hashlib.sha256(data).hexdigest()
    assert read.head_sum == head_sum(data[:HEAD_BYTES])
    assert read.stamp == stamp_of(path.stat())


@pytest.mark.requirement("READ.1")
def test_a_file_that_grows_during_the_read_is_read_again(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py", "start\n")
    left = [1, 1]

    def grow(path: Path) -> None:
        if left:
            left.pop()
            append(path)

    before_each_read(monkeypatch, grow)
    read = read_stable(tree, "a.py", LIMIT)

    assert read.data == b"start\nmore\nmore\n"
    assert read.file_hash == content_hash(read.data)
    assert read.stamp == stamp_of((folder / "a.py").stat())


@pytest.mark.requirement("READ.1")
def test_a_file_that_shrinks_during_the_read_is_read_again(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py", "a longer start\n")
    left = [1]

    def shrink(path: Path) -> None:
        if left:
            left.pop()
            os.truncate(path, 3)

    before_each_read(monkeypatch, shrink)

    assert read_stable(tree, "a.py", LIMIT).data == b"a l"


@pytest.mark.slow
@pytest.mark.requirement("READ.1")
def test_a_rewrite_of_the_same_size_during_the_read_is_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder, "a.py", "one\n")
    wait_until_old(path)
    left = [1]

    def rewrite(target: Path) -> None:
        if left:
            left.pop()
            target.write_text("two\n")

    before_each_read(monkeypatch, rewrite)
    with CountingBeneath(str(folder)) as tree:
        read = read_stable(tree, "a.py", LIMIT)

    assert read.data == b"two\n"
    assert read.stamp == stamp_of(path.stat())
    assert tree.opened == 2


@pytest.mark.requirement("READ.1")
def test_a_file_put_in_place_during_the_read_gives_one_of_both_contents_whole(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py", "old\n")

    left = [1]

    def swap(path: Path) -> None:
        if left:
            left.pop()
            write(folder, "new.py", "new content\n").rename(path)

    before_each_read(monkeypatch, swap)

    assert read_stable(tree, "a.py", LIMIT).data in (b"old\n", b"new content\n")


def wait_until_old(path: Path) -> None:
    """Until the file's last change is older than any tick of a file system's clock."""
    end = time.monotonic() + 30
    while time.time_ns() - path.stat().st_ctime_ns < 200_000_000:
        assert time.monotonic() < end


@pytest.mark.requirement("READ.1")
def test_a_file_that_never_holds_still_is_given_up_after_a_bounded_number_of_attempts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "hot.py")
    before_each_read(monkeypatch, append)
    with CountingBeneath(str(folder)) as tree, pytest.raises(UnstableFileError) as caught:
        read_stable(tree, "hot.py", LIMIT)

    assert tree.opened == ATTEMPTS
    assert "hot.py" in caught.value.message
    assert caught.value.code == "file_unstable"
    assert caught.value.retryable
    assert caught.value.hint


@pytest.mark.requirement("READ.1")
def test_an_unstable_file_is_a_failure_of_the_scan_until_it_holds_still(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "calm.py")
    hot = write(folder, "hot.py")
    scanner = Scanner(tree, IndexSettings())
    with monkeypatch.context() as busy:
        before_each_read(busy, lambda path: append(path) if path.name == "hot.py" else None)
        scan = scanner.scan()
        assert [entry.key for entry in scan.files] == ["calm.py"]
        assert scan.skips == ()
        assert [(failure.path, failure.code) for failure in scan.failures] == [("hot.py", "file_unstable")]
        assert "hot.py" in scan.failures[0].message
    later = scanner.scan()

    assert later.failures == ()
    assert later.hashes()["hot.py"] == content_hash(hot.read_bytes())


_OVERWRITE = """
import os, sys
size, parent = int(sys.argv[2]), int(sys.argv[3])
fd = os.open(sys.argv[1], os.O_WRONLY)
contents = [letter * size for letter in (b"A", b"B")]
print("writing", flush=True)
while os.getppid() == parent:
    for content in contents:
        os.pwrite(fd, content, 0)
"""


@pytest.mark.slow
@pytest.mark.requirement("READ.1")
def test_a_file_overwritten_in_place_by_another_process_is_never_read_torn(folder: Path, tree: Beneath) -> None:
    size = 64 * 1024
    path = write(folder, "hot.txt", b"A" * size)
    seen = Counter[str]()
    command = (sys.executable, "-c", _OVERWRITE, str(path), str(size), str(os.getpid()))
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            seen[_look_at(tree, size)] += 1
        writer.kill()

    assert seen["torn"] == 0, seen
    assert _look_at(tree, size) in ("A", "B")


def _look_at(tree: Beneath, size: int) -> str:
    try:
        data = read_stable(tree, "hot.txt", LIMIT).data
    except UnstableFileError:
        return "unstable"
    return data[:1].decode() if data == data[:1] * size else "torn"


def read_while_it_changes(
    tree: Beneath, monkeypatch: pytest.MonkeyPatch, path: Path, acts: Iterable[Callable[[], object]]
) -> FileRead:
    """Read a file that changed just now; each wait of the reader ends with one of the acts."""
    pause = time.sleep
    left = iter(acts)

    def wait_and_act(seconds: float) -> None:
        pause(seconds)
        for act in left:
            act()
            break

    end = time.monotonic() + 30
    with monkeypatch.context() as waiting:
        waiting.setattr(time, "sleep", wait_and_act)
        while time.monotonic() < end:
            os.utime(path)
            if time.time_ns() - path.stat().st_ctime_ns < 5_000_000:
                return read_stable(tree, path.name, LIMIT)
    raise AssertionError("this machine is too busy to read a file within 5 ms of its change")


@pytest.mark.requirement("READ.1")
def test_a_write_that_is_stamped_but_not_finished_is_waited_for(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write stamps the file before its bytes are all there; through a map that can be held at will."""
    path = write(folder, "a.txt", b"A" * 4096)
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 4096) as view:
        view[:2048] = b"B" * 2048
        read = read_while_it_changes(
            tree, monkeypatch, path, [lambda: view.__setitem__(slice(2048, 4096), b"B" * 2048)]
        )

    assert read.data == b"B" * 4096


@pytest.mark.requirement("READ.1")
def test_a_write_that_begins_while_the_last_one_is_waited_for_is_waited_for_too(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder, "a.txt", b"A" * 4096)
    with open(path, "r+b", buffering=0) as file:
        halves = [lambda: os.pwrite(file.fileno(), b"C" * 2048, 0), lambda: os.pwrite(file.fileno(), b"C" * 2048, 2048)]
        read = read_while_it_changes(tree, monkeypatch, path, halves)

    assert read.data == b"C" * 4096
    assert read.stamp == stamp_of(path.stat())


@pytest.mark.slow
@pytest.mark.requirement("READ.1")
def test_a_file_that_is_never_quiet_is_given_up_and_not_read_in_the_midst_of_a_write(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder, "a.txt", b"A" * 4096)
    with open(path, "r+b", buffering=0) as file:
        half = itertools.repeat(lambda: os.pwrite(file.fileno(), b"C" * 2048, 0))
        with pytest.raises(UnstableFileError):
            read_while_it_changes(tree, monkeypatch, path, half)


@pytest.mark.requirement("CFG.2")
def test_a_file_that_outgrows_the_limit_while_it_is_waited_for_is_not_read(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder, "a.txt", b"A" * 4096)
    with pytest.raises(TooLargeError):
        read_while_it_changes(tree, monkeypatch, path, [lambda: os.truncate(path, LIMIT + 1)])


@pytest.mark.requirement("READ.2")
def test_a_missing_file_is_file_not_found(folder: Path, tree: Beneath) -> None:
    with pytest.raises(FileNotFoundError):
        read_stable(tree, "gone.py", LIMIT)
    path = write(folder, "d/a.py")
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read_stable(tree, "d/a.py", LIMIT)


@pytest.mark.requirement("READ.2")
def test_a_file_that_vanishes_between_its_listing_and_its_read_becomes_a_delete(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py")
    write(folder, "b.py", "soon gone\n")
    root = find_root(str(folder))
    with ChangeDetector(root) as detector:
        known = Baseline(detector.detect().scan.hashes())
    before_each_read(monkeypatch, lambda _: (folder / "b.py").unlink(missing_ok=True))
    with ChangeDetector(root) as detector:
        detection = detector.detect(known)

    assert detection.changes == ChangeSet(delete=("b.py",))
    assert (detection.scan.failures, detection.scan.skips) == ((), ())


@pytest.mark.requirement("READ.2")
def test_a_file_that_vanishes_during_a_retry_is_not_called_unstable(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py")

    def change_and_go(path: Path) -> None:
        append(path)
        path.unlink()

    before_each_read(monkeypatch, change_and_go)
    with pytest.raises(FileNotFoundError):
        read_stable(tree, "a.py", LIMIT)


@pytest.mark.requirement("READ.2")
def test_files_that_vanish_with_their_folder_during_the_scan_are_deletes(folder: Path) -> None:
    write(folder, "a/one.py")
    two = write(folder, "z/two.py", "two\n")

    def remove(_: int) -> None:
        if two.exists():
            two.unlink()
            two.parent.rmdir()

    with ChangeDetector(Root(str(folder), str(folder), in_git=False)) as detector:
        known = Baseline(detector.detect().scan.hashes())
        assert detector.detect(known, progress=remove).changes.delete == ("z/two.py",)


def test_a_fifo_or_a_folder_in_a_files_place_is_not_read(folder: Path, tree: Beneath) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    for name in ("fifo", "folder"):
        with pytest.raises(NotRegularError):
            read_stable(tree, name, LIMIT)


def test_a_socket_in_a_files_place_is_an_os_error(folder: Path, tree: Beneath) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{tree.fd}/socket")
    with pytest.raises(OSError):
        read_stable(tree, "socket", LIMIT)


@pytest.mark.requirement("CFG.2")
def test_a_file_above_the_limit_is_not_read_and_tells_its_stamp(folder: Path, tree: Beneath) -> None:
    path = write(folder, "a.txt", b"x" * 101)
    with pytest.raises(TooLargeError) as caught:
        read_stable(tree, "a.txt", 100)

    assert caught.value.stamp == stamp_of(path.stat())
    assert len(read_stable(tree, "a.txt", 101).data) == 101


@pytest.mark.requirement("CFG.2")
def test_a_file_that_outgrows_the_limit_during_the_read_is_too_large(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.txt", b"x" * 90)
    before_each_read(monkeypatch, append)
    with pytest.raises(TooLargeError):
        read_stable(tree, "a.txt", 100)


def test_a_descriptor_is_closed_whatever_happens(folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "a.txt", b"x" * 101)
    os.mkfifo(folder / "fifo")
    held = len(os.listdir("/proc/self/fd"))
    read_stable(tree, "a.txt", LIMIT)
    unchanged(tree, "a.txt", 101, 0, "")
    for name, limit in (("a.txt", 100), ("fifo", LIMIT), ("gone", LIMIT)):
        with pytest.raises(OSError):
            read_stable(tree, name, limit)
    before_each_read(monkeypatch, append)
    with pytest.raises(UnstableFileError):
        read_stable(tree, "a.txt", LIMIT)

    assert len(os.listdir("/proc/self/fd")) == held


@pytest.mark.requirement("CHG.5")
@pytest.mark.parametrize("size", [0, 10, HEAD_BYTES, HEAD_BYTES + 1, 3 * HEAD_BYTES])
def test_a_touched_file_of_the_same_content_does_not_differ(folder: Path, tree: Beneath, size: int) -> None:
    path = write(folder, "a.py", b"x" * size)
    read = read_stable(tree, "a.py", LIMIT)
    os.utime(path, ns=(10**18, 10**18))

    stamp = unchanged(tree, "a.py", size, read.head_sum, read.file_hash)
    assert stamp == stamp_of(path.stat())


@pytest.mark.requirement("CHG.5")
@pytest.mark.parametrize(
    ("place", "what"),
    [(0, "the head"), (HEAD_BYTES - 1, "the end of the head"), (HEAD_BYTES, "the tail"), (-1, "the end")],
)
def test_one_changed_byte_anywhere_differs(folder: Path, tree: Beneath, place: int, what: str) -> None:
    data = bytearray(b"x" * (3 * HEAD_BYTES))
    path = write(folder, "a.py", bytes(data))
    read = read_stable(tree, "a.py", LIMIT)
    data[place] = ord("y")
    path.write_bytes(data)

    assert unchanged(tree, "a.py", len(data), read.head_sum, read.file_hash) is None, what


@pytest.mark.requirement("CHG.5")
def test_another_size_differs_without_a_look_at_the_content(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder, "a.py", b"x" * 10)
    read = read_stable(tree, "a.py", LIMIT)
    append(path)

    def refuse(_: Path) -> None:
        raise AssertionError("the content was read")

    before_each_read(monkeypatch, refuse)

    assert unchanged(tree, "a.py", 10, read.head_sum, read.file_hash) is None


@pytest.mark.requirement("CHG.5")
def test_another_head_differs_though_the_hash_is_unknown(folder: Path, tree: Beneath) -> None:
    path = write(folder, "a.py", b"x" * HEAD_BYTES)
    read = read_stable(tree, "a.py", LIMIT)
    path.write_bytes(b"y" * HEAD_BYTES)

    assert unchanged(tree, "a.py", HEAD_BYTES, read.head_sum, content_hash(b"y" * HEAD_BYTES)) is None
