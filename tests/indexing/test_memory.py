"""The memory that an index may take, and a parser that wants more."""

import os

import pytest

from cairn.base.errors import ConfigError
from cairn.codebase.codebase import Codebase
from cairn.indexing import memory
from cairn.indexing.memory import (
    LEAST_MB,
    MOST_BYTES,
    VARIABLE,
    memory_limit,
    need_of,
    segment_bytes,
    workers_room,
)
from cairn.indexing.options import SyncOptions
from cairn.indexing.pool import ParserPool
from cairn.indexing.prepare import ChunkLimits, FileSource, prepare, prepare_by_lines
from cairn.workspace.reads import content_hash
from tests.trees import Repo

MB = 1 << 20
LIMITS = ChunkLimits(1500, 2000)


def source(path: str, data: bytes) -> FileSource:
    return FileSource(path, "python", content_hash(data), data)


LARGE = source("large.py", b"x = [(1, 2), f(a, b)]\n" * 60_000)


@pytest.mark.parametrize(("machine", "limit"), [(1 << 50, MOST_BYTES), (4 << 30, 1 << 30), (MB, LEAST_MB * MB)])
def test_without_a_setting_it_is_a_quarter_of_the_machine_within_bounds(
    monkeypatch: pytest.MonkeyPatch, machine: int, limit: int
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": machine // 4096}.__getitem__)
    assert memory_limit() == limit


def test_a_setting_counts_whatever_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "600")
    assert memory_limit() == 600 * MB


@pytest.mark.parametrize("given", ["511", "0", "-1", "1e3", "many", "٣٠٠", "9" * 20])
def test_a_setting_that_is_no_such_number_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(ConfigError, match=VARIABLE):
        memory_limit()


def test_such_a_setting_is_told_where_nothing_is_to_be_indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", "x = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        monkeypatch.setenv(VARIABLE, "many")
        with pytest.raises(ConfigError, match=VARIABLE):
            codebase.index()


@pytest.mark.requirement("KRN.3")
def test_parts_never_exceed_the_whole() -> None:
    for limit in (LEAST_MB * MB, 700 * MB, MOST_BYTES):
        assert need_of(10 * MB, workers_room(limit)) <= limit // 2
        assert segment_bytes(limit, 100 * MB) < limit // 2
    assert segment_bytes(LEAST_MB * MB, 1 << 40) * 32 >= 1 << 40, "a snapshot has no room for so many segments"


@pytest.mark.slow
@pytest.mark.requirement("KRN.3")
def test_large_files_wait_until_there_is_room_for_them() -> None:
    """Three workers, and files of which two at once would want more than there is."""
    sources = [source(f"f{number}.py", b"x = %d\n" % number + b"x = f(1)\n" * 12_000) for number in range(8)]
    needs: list[int] = []

    class Watched(ParserPool):
        def _move(self, timeout_s: float) -> bool:
            needs.append(sum(each.need for each in self._workers))
            return super()._move(timeout_s)

    for limit, busy in ((LEAST_MB * MB, 1), (MOST_BYTES, 3)):
        needs.clear()
        room = workers_room(limit)
        with Watched(LIMITS, 3, memory=limit) as pool:
            assert [item.file.path_key for item in pool.prepare(sources)] == [item.path_key for item in sources]
            assert pool.by_lines == []
        assert max(needs) == busy * need_of(len(sources[0].data), room) <= room


@pytest.mark.slow
@pytest.mark.requirement("KRN.3")
def test_a_parser_that_wants_more_is_told_and_costs_its_own_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_OF_FILE", 40)
    small = [source(f"f{number}.py", b"def take(lease):\n    return %d\n" % number) for number in range(3)]
    sources = [*small[:2], LARGE, small[2]]
    with ParserPool(LIMITS, 1) as pool:
        found = list(pool.prepare(sources))
        assert pool.by_lines == ["large.py"]
    wanted = [prepare_by_lines(item, LIMITS) if item is LARGE else prepare(item, LIMITS) for item in sources]
    assert found == wanted


@pytest.mark.slow
@pytest.mark.requirement("KRN.3")
def test_a_large_file_of_dense_code_stays_within_its_part() -> None:
    with ParserPool(LIMITS, 1) as pool:
        (found,) = pool.prepare([LARGE])
        assert pool.by_lines == []
    assert found.file.chunks > 500


def test_segments_take_in_less_where_there_is_less_memory(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        repo.write(f"f{number}.py", f"x{number} = 1\n" * 10)
    monkeypatch.setattr(memory, "_OF_SEGMENT", 1 << 40)
    monkeypatch.setattr(memory, "_SEGMENTS", 3)
    with Codebase(str(repo.path)) as codebase:
        result = codebase.index(SyncOptions())
    assert len(result.manifest.segments) == 3
