"""What one process learnt of a tree spares the next one reading, and nothing else."""

import os
from pathlib import Path

import pytest

from cairn.engine import Codebase
from cairn.indexing import SyncOptions, SyncResult
from cairn.workspace import memory
from tests.trees import Repo
from tests.workspace.test_reads import wait_until_old


def index(repo: Repo, *, verify: bool = False) -> SyncResult:
    with Codebase(str(repo.path)) as codebase:
        return codebase.index(SyncOptions(verify=verify))


def kept(repo: Repo) -> Path:
    with Codebase(str(repo.path)) as codebase:
        return Path(codebase.store().layout.cache) / "scan.json"


@pytest.fixture
def old(repo: Repo) -> Repo:
    for name in ("a.py", "b.py", "sub/c.py"):
        repo.write(name, f"{name[0]} = 1\n")
    repo.write("binary.txt", b"\0\1\2")
    repo.commit()
    for path in (*repo.path.glob("*.*"), *repo.path.glob("sub/*")):
        wait_until_old(path)
    index(repo)
    return repo


@pytest.mark.requirement("CHG.1")
def test_a_second_process_reads_nothing_that_stands(old: Repo) -> None:
    result = index(old)
    assert not result.published
    assert result.detection.scan.hashed == 0
    assert index(old, verify=True).detection.scan.hashed == 4


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


@pytest.mark.parametrize("harm", [b"", b"garbage", None])
def test_damaged_memory_is_no_memory(old: Repo, harm: bytes | None) -> None:
    path = kept(old)
    data = path.read_bytes()
    path.write_bytes(data[:-20] + data[-10:] if harm is None else harm)
    result = index(old)
    assert not result.published
    assert result.detection.scan.hashed == 4


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


def test_what_is_encoded_is_decoded(old: Repo) -> None:
    found = memory.decode(kept(old).read_bytes())
    assert sorted(found) == ["a.py", "b.py", "binary.txt", "sub/c.py"]
    assert memory.decode(memory.encode(found.items())) == found
    assert memory.encode([("x", (None, found["a.py"][1]))]) == memory.encode([])


def test_a_shared_store_keeps_none(old: Repo, tmp_path: Path) -> None:
    """Whoever else can write it could hide a change from us."""
    with Codebase(str(old.path), shared_store=str(tmp_path / "team")) as codebase:
        codebase.index(SyncOptions())
        assert not os.path.exists(os.path.join(codebase.store().layout.cache, "scan.json"))
