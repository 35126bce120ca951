"""A disk without room refuses a publish, and the last good snapshot stays."""

import pytest

from cairn.store import room
from cairn.store.room import RESERVE_BYTES, room_fault
from tests.trees import Repo, cairn

_MB = 1024 * 1024


def test_a_reserve_stays_free() -> None:
    assert room_fault(RESERVE_BYTES, None, None) == ""
    assert room_fault(RESERVE_BYTES - 1, None, None)
    assert "only 32.0 MB are free" in room_fault(RESERVE_BYTES // 2, None, None)


def test_a_budget_counts_where_there_is_one() -> None:
    assert room_fault(1 << 40, 2 * _MB, None) == ""
    assert room_fault(1 << 40, 2 * _MB, 2 * _MB) == ""
    assert "the stores take 3 MB" in room_fault(1 << 40, 3 * _MB, 2 * _MB)


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
