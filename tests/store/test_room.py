"""A disk without room refuses a publish, and the last good snapshot stays."""

from pathlib import Path

import pytest

from cairn.base.errors import DiskFullError
from cairn.store import room
from cairn.store.room import RESERVE_BYTES, budget_fault, require_free
from tests.trees import Repo, cairn

_MB = 1024 * 1024


@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize(
    ("free", "total", "said"),
    [
        (RESERVE_BYTES - 1, 1 << 40, "64.0 MB are free on the disk of /x, and 64.0 MB must stay free"),
        (0, 8 * _MB, "0 B are free on the disk of /x, and 409.6 KB must stay free"),
        (300_000, 8 * _MB, "293.0 KB are free"),
    ],
)
def test_a_disk_below_its_reserve_is_full_with_true_numbers(free: int, total: int, said: str) -> None:
    with pytest.raises(DiskFullError, match=said):
        require_free("/x", free, total)


def test_what_is_free_beyond_the_reserve_is_enough() -> None:
    require_free("/x", RESERVE_BYTES, 1 << 40)
    require_free("/x", 420_000, 8 * _MB)
    with pytest.raises(DiskFullError):
        require_free("/x", RESERVE_BYTES - 1, 1 << 40)


def test_a_budget_counts_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    store.write_bytes(bytes(3 * _MB))
    for budget, said in (("", ""), ("3", ""), ("2", "the stores take 3.0 MB, CAIRN_DISK_BUDGET_MB allows 2.0 MB")):
        monkeypatch.setenv(room.BUDGET, budget)
        assert budget_fault(str(store)) == said


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_a_publish_beyond_the_budget_is_refused_and_the_last_snapshot_answers(repo: Repo) -> None:
    repo.write("a.py", "def first() -> None: ...\n")
    assert cairn("index", cwd=repo.path).returncode == 0
    repo.write("b.py", "def second() -> None: ...\n")
    refused = cairn("index", cwd=repo.path, **{room.BUDGET: "0"})
    assert refused.returncode == 5
    assert room.BUDGET in refused.stderr
    assert "cairn gc" in refused.stderr
    found = cairn("search", "first", cwd=repo.path, **{room.BUDGET: "0"})
    assert found.returncode == 0
    assert "a.py" in found.stdout
    assert "last_index_failed" in found.stderr
    assert cairn("health", cwd=repo.path).returncode == 0
    assert "b.py" in cairn("search", "second", cwd=repo.path, **{room.BUDGET: "1000"}).stdout
