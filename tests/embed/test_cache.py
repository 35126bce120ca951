"""The embedding cache: what was put comes back bit for bit, or not at all."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cairn.embed import CachedEmbedder, EmbeddingCache, HashingEmbedder, embed_config_fingerprint
from cairn.embed.cache import mend_cache
from cairn.embed.cachefile import CACHE_NAME, cache_fault
from cairn.engines import Vectors
from tests.notes import sentences

DIMENSION = 8
PRINT = "f" * 64
BOUND = 400_000


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Counting:
    """An embedder that remembers what it was asked."""

    identity = "counting"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return HashingEmbedder(DIMENSION).embed(texts)


def halves_of(texts: Sequence[str]) -> Vectors:
    """What the cache keeps of their vectors."""
    return HashingEmbedder(DIMENSION).embed(texts).astype(np.float16).astype(np.float32)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def opened(home: Path, fingerprint: str = PRINT, dimension: int = DIMENSION, **options: Any) -> EmbeddingCache:
    return EmbeddingCache(str(home), fingerprint, dimension, **options)


def vector(number: float, dimension: int = DIMENSION) -> Vectors:
    return np.asarray(np.sin((number + 1) * np.arange(1, dimension + 1)).astype(np.float16), dtype=np.float32)


def some(first: int, last: int, dimension: int = DIMENSION) -> dict[str, Vectors]:
    return {f"{number:064x}": vector(number, dimension) for number in range(first, last)}


def raw(home: Path) -> sqlite3.Connection:
    return sqlite3.connect(home / CACHE_NAME, isolation_level=None)


def assert_sound(home: Path) -> None:
    connection = raw(home)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
@given(
    st.dictionaries(
        st.text("0123456789abcdef", min_size=1, max_size=64),
        arrays.arrays(np.float32, DIMENSION, elements=st.floats(allow_nan=False, allow_infinity=False, width=16)),
        max_size=8,
    )
)
@settings(max_examples=40)
def test_what_was_put_comes_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, vectors: dict[str, Vectors]
) -> None:
    home = tmp_path_factory.mktemp("home")
    with opened(home) as cache:
        cache.put_many(vectors)
    with opened(home) as cache:
        found = cache.get_many([*vectors, "absent"])
        assert sentences(cache.take_notes()) == ()
    assert {key: each.tobytes() for key, each in found.items()} == {
        key: each.tobytes() for key, each in vectors.items()
    }


@pytest.mark.requirement("ROW.3")
def test_rows_belong_to_one_fingerprint(home: Path) -> None:
    with opened(home, "a" * 64) as one, opened(home, "b" * 64) as other:
        one.put_many({"k": vector(1)})
        assert other.get_many(["k"]) == {}
        other.put_many({"k": vector(2)})
        assert one.get_many(["k"])["k"].tobytes() == vector(1).tobytes()
        assert other.get_many(["k"])["k"].tobytes() == vector(2).tobytes()


@pytest.mark.slow
def test_many_rows_are_found_at_once_and_duplicates_do_no_harm(home: Path) -> None:
    vectors = some(0, 3000)
    with opened(home) as cache:
        cache.put_many(vectors)
        cache.put_many(vectors)
        assert cache.get_many([*vectors, *vectors]).keys() == vectors.keys()
        assert cache.get_many([]) == {}
        cache.put_many({})


def test_only_the_user_may_read_the_files(home: Path) -> None:
    before = os.umask(0)
    try:
        with opened(home) as cache:
            cache.put_many(some(0, 3))
            for path in home.iterdir():
                assert path.stat().st_mode & 0o777 == 0o600, path.name
        assert home.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)


@pytest.mark.requirement("ROW.3")
def test_a_second_index_of_the_same_content_embeds_nothing(home: Path) -> None:
    texts = [f"def function_{number}(): pass" for number in range(50)]
    hashes = [f"{number:064x}" for number in range(50)]
    counting = Counting()
    fingerprint = embed_config_fingerprint(counting)
    with opened(home, fingerprint) as cache:
        first = CachedEmbedder(counting, cache)
        expected = first.embed(texts, hashes)
        assert (first.hits, first.misses) == (0, 50)
        assert expected.tobytes() == halves_of(texts).tobytes()
    counting.asked.clear()
    with opened(home, fingerprint) as cache:
        second = CachedEmbedder(counting, cache)
        assert second.embed(texts[::-1], hashes[::-1])[::-1].tobytes() == expected.tobytes()
        assert (second.hits, second.misses) == (50, 0)
        assert sentences(second.take_notes()) == ()
    assert counting.asked == []


def test_only_what_is_missing_is_embedded_and_equal_content_once(home: Path) -> None:
    counting = Counting()
    with opened(home) as cache:
        cached = CachedEmbedder(counting, cache)
        cached.embed(["one"], ["1"])
        vectors = cached.embed(["two", "one", "two"], ["2", "1", "2"])
        assert counting.asked == ["one", "two"]
        assert (cached.hits, cached.misses) == (2, 2)
        assert vectors.tobytes() == halves_of(["two", "one", "two"]).tobytes()
        assert cached.embed([], []).shape == (0, DIMENSION)


@pytest.mark.requirement("ROW.3")
def test_what_chunks_have_around_them_is_kept_but_not_counted(home: Path) -> None:
    texts = ["src store lease", "another path", "src store lease"]
    counting = Counting()
    with opened(home) as cache:
        cached = CachedEmbedder(counting, cache)
        first = cached.embed_context(texts)
        assert first.tobytes() == halves_of(texts).tobytes()
        assert cached.embed_context(texts).tobytes() == first.tobytes()
        assert counting.asked == ["src store lease", "another path"]
        assert CachedEmbedder(counting, cache, keeps_context=False).embed_context(texts).tobytes() == first.tobytes()
        assert (cached.hits, cached.misses) == (0, 0)
        assert cached.embed_context([]).shape == (0, DIMENSION)


def test_without_a_cache_everything_is_embedded() -> None:
    counting = Counting()
    cached = CachedEmbedder(counting)
    for _ in range(2):
        assert cached.embed(["a", "b", "a"], ["1", "2", "1"]).shape == (3, DIMENSION)
        cached.embed_context(["c"])
    assert counting.asked == ["a", "b", "c"] * 2
    assert (cached.hits, cached.misses) == (2, 4)
    assert sentences(cached.take_notes()) == ()


def test_a_query_has_no_hash_and_is_not_kept(home: Path) -> None:
    counting = Counting()
    with opened(home) as cache:
        cached = CachedEmbedder(counting, cache)
        assert cached.embed(["query"]).tobytes() == HashingEmbedder(DIMENSION).embed(["query"]).tobytes()
        assert (cached.identity, cached.dimension) == ("counting", DIMENSION)
    connection = raw(home)
    assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
    connection.close()


@pytest.mark.requirement("ROW.3")
def test_the_bound_is_kept_and_the_longest_unused_goes_first(home: Path) -> None:
    clock = Clock()
    with opened(home, dimension=128, max_bytes=BOUND, clock=clock) as cache:
        cache.put_many(some(0, 100, 128))
        clock.now += 10_000
        kept = list(some(0, 50, 128))
        assert len(cache.get_many(kept)) == 50
        for start in range(100, 2000, 100):
            clock.now += 1
            cache.put_many(some(start, start + 100, 128))
            assert (home / CACHE_NAME).stat().st_size < 2 * BOUND
            clock.now += 4000
            assert len(cache.get_many(kept)) == 50
        assert cache.get_many(some(50, 100, 128)) == {}
        assert len(cache.get_many(some(1900, 2000, 128))) == 100
        assert sentences(cache.take_notes()) == ()
    assert_sound(home)


def test_reading_does_not_write(home: Path) -> None:
    clock = Clock()
    with opened(home, clock=clock) as cache:
        cache.put_many(some(0, 100))
        before = cache._connection.total_changes  # type: ignore[union-attr]
        for _ in range(5):
            cache.get_many(some(0, 100))
        clock.now += 10_000
        cache.get_many(some(0, 100))
        assert cache._connection.total_changes == before  # type: ignore[union-attr]
    connection = raw(home)
    assert connection.execute("SELECT DISTINCT used FROM vectors").fetchall() == [(int(clock.now),)]
    connection.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE vectors SET vector = zeroblob(16) WHERE id = 1",
        "UPDATE vectors SET vector = x'00' WHERE id = 1",
        "UPDATE vectors SET vector = 'text' WHERE id = 1",
        "UPDATE vectors SET checksum = checksum + 1 WHERE id = 1",
        "UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE id = 2), "
        "checksum = (SELECT checksum FROM vectors WHERE id = 2) WHERE id = 1",
    ],
)
def test_a_damaged_row_is_a_miss_and_goes(change: str, home: Path) -> None:
    with opened(home) as cache:
        cache.put_many({"k": vector(1), "l": vector(2)})
    connection = raw(home)
    connection.execute(change)
    connection.close()
    with opened(home) as cache:
        assert list(cache.get_many(["k", "l"])) == ["l"]
        assert sentences(cache.take_notes()) == ("A row of the embedding cache was damaged; it is computed again.",)
        assert sentences(cache.take_notes()) == ()
    connection = raw(home)
    assert connection.execute("SELECT id FROM vectors").fetchall() == [(2,)]
    connection.close()


def test_numbers_that_are_not_finite_are_never_given_out(home: Path) -> None:
    with opened(home) as cache:
        cache.put_many({"k": np.full(DIMENSION, np.nan, np.float32)})
        assert cache.get_many(["k"]) == {}


def damaged(home: Path) -> str:
    """What is said of a cache that was set aside; only the last one of them is kept."""
    (kept,) = (path for path in home.glob(f"{CACHE_NAME}.damaged-*") if path.name[-4] != "-")
    return f"The embedding cache was damaged; it is kept as {kept.name}, and starts empty."


@pytest.mark.parametrize("content", [b"no database at all" * 500, b"SQLite format 3\0" + b"\xff" * 8176, b"\0" * 4096])
def test_a_file_that_is_no_database_is_dropped_with_a_word(content: bytes, home: Path) -> None:
    home.mkdir()
    (home / CACHE_NAME).write_bytes(content)
    with opened(home) as cache:
        assert cache.is_open
        assert sentences(cache.take_notes()) == (damaged(home),)
        cache.put_many({"k": vector(1)})
        assert cache.get_many(["k"])["k"].tobytes() == vector(1).tobytes()
    assert (home / CACHE_NAME).stat().st_mode & 0o777 == 0o600


def test_a_cache_of_another_version_is_replaced_without_a_word(home: Path) -> None:
    with opened(home) as cache:
        cache.put_many({"k": vector(1)})
    connection = raw(home)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert cache_fault(str(home)) == ""
    with opened(home) as cache:
        assert cache.get_many(["k"]) == {}
        cache.put_many({"k": vector(1)})
        assert len(cache.get_many(["k"])) == 1
        assert cache.take_notes() == ()
    assert not [*home.glob(f"{CACHE_NAME}.damaged-*")]


def test_a_schema_that_is_not_ours_is_dropped(home: Path) -> None:
    home.mkdir()
    connection = raw(home)
    connection.execute("CREATE TABLE vectors(x)")
    connection.close()
    with opened(home) as cache:
        cache.put_many({"k": vector(1)})
        assert len(cache.get_many(["k"])) == 1


@pytest.mark.slow
@pytest.mark.parametrize("part", ["header and schema", "anywhere", "cut short"])
def test_random_damage_never_gives_a_wrong_vector_nor_an_error(part: str, home: Path) -> None:
    vectors = some(0, 400)
    with opened(home) as cache:
        cache.put_many(vectors)
    sound = (home / CACHE_NAME).read_bytes()
    for seed in range(40):
        random = np.random.default_rng(seed)
        data = bytearray(sound[: int(random.integers(len(sound)))] if part == "cut short" else sound)
        reach = 3 * 4096 if part == "header and schema" else max(1, len(data))
        for place in random.integers(0, reach, size=int(random.integers(1, 60))):
            data[place % max(1, len(data)) : place + 1] = bytes([int(random.integers(256))])
        (home / CACHE_NAME).write_bytes(data)
        with opened(home) as cache:
            for _ in range(2):
                for key, found in cache.get_many(vectors).items():
                    assert found.tobytes() == vectors[key].tobytes()
                cache.put_many(vectors)


def test_a_schema_that_can_not_be_decoded_is_dropped(home: Path) -> None:
    with opened(home) as cache:
        cache.put_many({"k": vector(1)})
    data = (home / CACHE_NAME).read_bytes()
    (home / CACHE_NAME).write_bytes(data.replace(b"CREATE TABLE vectors", b"CREATE \x8a\x8a\x8a\x8a\x8a vectors", 1))
    with opened(home) as cache:
        assert sentences(cache.take_notes()) == (damaged(home),)
        cache.put_many({"k": vector(1)})
        assert len(cache.get_many(["k"])) == 1


def test_damage_while_another_process_has_it_open_turns_the_cache_off_here(home: Path) -> None:
    with opened(home) as other:
        other.put_many(some(0, 3))
        (home / CACHE_NAME).write_bytes(b"overwritten" * 1000)
        (home / f"{CACHE_NAME}-wal").write_bytes(b"")
        with opened(home, busy_timeout_s=0.1) as cache:
            assert not cache.is_open
            assert cache.get_many(some(0, 3)) == {}
            cache.put_many(some(0, 3))
            (warning,) = sentences(cache.take_notes())
            assert "in use by another process" in warning
    with opened(home) as cache:
        assert cache.is_open


def test_a_locked_cache_costs_only_time(home: Path) -> None:
    counting = Counting()
    with opened(home, busy_timeout_s=0.05) as cache:
        cache.put_many({"k": vector(1)})
        connection = raw(home)
        connection.execute("BEGIN EXCLUSIVE")
        cached = CachedEmbedder(counting, cache)
        assert cached.embed(["text"], ["h"]).tobytes() == HashingEmbedder(DIMENSION).embed(["text"]).tobytes()
        assert any("locked" in warning for warning in sentences(cached.take_notes()))
        connection.execute("ROLLBACK")
        connection.close()
        cache.put_many({"l": vector(2)})
        assert len(cache.get_many(["k", "l"])) == 2
        assert sentences(cache.take_notes()) == ()


def test_a_cache_that_is_locked_when_it_is_opened_is_not_used(home: Path) -> None:
    home.mkdir()
    connection = raw(home)
    connection.execute("BEGIN EXCLUSIVE")
    with opened(home, busy_timeout_s=0.05) as cache:
        assert not cache.is_open
        assert cache.get_many(["k"]) == {}
        assert "locked by another process" in sentences(cache.take_notes())[0]
    connection.close()


def test_a_home_that_is_no_folder_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with opened(tmp_path / "file") as cache:
        cache.put_many({"k": vector(1)})
        assert cache.get_many(["k"]) == {}
        (warning,) = sentences(cache.take_notes())
        assert warning.startswith("The embedding cache is not used")


def test_a_link_in_the_place_of_the_file_is_not_followed(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (home / CACHE_NAME).symlink_to(tmp_path / "elsewhere")
    with opened(home) as cache:
        assert cache.is_open
        assert len(sentences(cache.take_notes())) == 1
    assert not (tmp_path / "elsewhere").exists()


def test_after_closing_nothing_is_found_and_nothing_fails(home: Path) -> None:
    cache = opened(home)
    cache.put_many({"k": vector(1)})
    cache.close()
    cache.close()
    cache.put_many({"k": vector(1)})
    assert cache.get_many(["k"]) == {}
    assert sentences(cache.take_notes()) == ()


def test_threads_share_one_cache(home: Path) -> None:
    def work(number: int) -> bool:
        mine = some(number * 100, number * 100 + 100)
        cache.put_many(mine)
        return cache.get_many(mine).keys() == mine.keys()

    with opened(home) as cache, ThreadPoolExecutor(6) as threads:
        assert all(threads.map(work, range(12)))
        assert sentences(cache.take_notes()) == ()


WRITER = """
import sys
import numpy as np
from cairn.embed.cache import mend_cache
from cairn.embed.cachefile import CACHE_NAME, cache_fault
from cairn.embed.cache import EmbeddingCache

home, first, last, bound, report = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
with EmbeddingCache(home, "f" * 64, 8, max_bytes=bound, busy_timeout_s=60) as cache:
    for number in range(first, last):
        vector = np.sin((number + 1) * np.arange(1, 9)).astype(np.float16).astype(np.float32)
        cache.put_many({f"{number:064x}": vector})
        found = cache.get_many([f"{number:064x}"])
        if found and found[f"{number:064x}"].tobytes() != vector.tobytes():
            sys.exit("a wrong vector")
        if report == "each":
            print(number, flush=True)
    if cache.take_notes():
        sys.exit("a warning")
"""


def writer(home: Path, first: int, last: int, bound: int, report: str = "") -> "subprocess.Popen[str]":
    return subprocess.Popen(
        (sys.executable, "-c", WRITER, str(home), str(first), str(last), str(bound), report),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_many_processes_write_at_once(home: Path) -> None:
    running = [writer(home, start, start + 60, 1 << 30) for start in range(0, 360, 60)]
    for process in running:
        _, complaint = process.communicate()
        assert (process.returncode, complaint) == (0, "")
    vectors = some(0, 360)
    with opened(home) as cache:
        found = cache.get_many(vectors)
    assert {key: each.tobytes() for key, each in found.items()} == {
        key: each.tobytes() for key, each in vectors.items()
    }
    assert_sound(home)


@pytest.mark.slow
def test_many_processes_that_evict_each_others_rows_do_no_harm(home: Path) -> None:
    running = [writer(home, start, start + 150, 60_000) for start in range(0, 600, 150)]
    for process in running:
        _, complaint = process.communicate()
        assert (process.returncode, complaint) == (0, "")
    assert_sound(home)


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_a_writer_that_is_killed_leaves_what_it_had_put(home: Path) -> None:
    for start in (0, 1000, 2000):
        process = writer(home, start, start + 100_000, 1 << 30, "each")
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        vectors = some(told[0], told[-1] + 1)
        with opened(home) as cache:
            found = cache.get_many(vectors)
            assert sentences(cache.take_notes()) == ()
        assert {key: each.tobytes() for key, each in found.items()} == {
            key: each.tobytes() for key, each in vectors.items()
        }
    assert_sound(home)


def test_a_cache_rests_while_the_process_forks_and_wakes_with_the_next_use(home: str) -> None:
    with EmbeddingCache(home, "f" * 64, 4) as cache:
        cache.put_many({"a": np.ones(4, dtype=np.float32)})
        pid = os.fork()
        if pid == 0:
            # The child opens the file for itself; its parent's connection would not be safe there.
            own = cache.reopened()
            own.put_many({"b": np.ones(4, dtype=np.float32)})
            os._exit(0 if set(own.get_many(["a", "b"])) == {"a", "b"} else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert cache.is_open
        assert set(cache.get_many(["a", "b"])) == {"a", "b"}
        assert sentences(cache.take_notes()) == ()


def test_the_log_of_a_worker_that_was_killed_goes_when_its_parent_closes_the_cache(home: Path) -> None:
    cache = opened(home)
    there, here = os.pipe()
    pid = os.fork()
    if pid == 0:
        own = cache.reopened()
        own.put_many(some(0, 9))
        os.write(here, b"x")
        signal.pause()
        os._exit(1)
    assert os.read(there, 1) == b"x"
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    for fd in (there, here):
        os.close(fd)
    log = Path(home) / f"{CACHE_NAME}-wal"
    assert log.stat().st_size
    cache.close()
    assert not log.exists()
    with opened(home) as again:
        assert len(again.get_many(some(0, 9))) == len(some(0, 9))


def test_an_interrupt_in_the_middle_of_a_fork_leaves_no_cache_locked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python drops it there; who waited for the lock would wait for ever."""
    dropped: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    with opened(home) as cache:
        cache.put_many(some(0, 3))
        shut, interrupts = EmbeddingCache._shut, [KeyboardInterrupt]

        def interrupted(self: EmbeddingCache, **options: bool) -> None:
            if interrupts:
                raise interrupts.pop()
            shut(self, **options)

        monkeypatch.setattr(EmbeddingCache, "_shut", interrupted)
        pid = os.fork()
        if pid == 0:
            os._exit(0 if cache._connection is None else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert [each.exc_type for each in dropped] == [KeyboardInterrupt]
        found: list[Any] = []
        asking = threading.Thread(target=lambda: found.append(cache.get_many(list(some(0, 3)))), daemon=True)
        asking.start()
        asking.join(20)
        assert found
        assert len(found[0]) == 3


def test_a_closed_cache_does_not_wake(home: str) -> None:
    cache = EmbeddingCache(home, "f" * 64, 4)
    states = []
    cache.hold()
    for step in (cache.release, cache.close):
        step()
        states.append(cache.is_open)
    assert states == [True, False]
    assert cache.get_many(["a"]) == {}


def linked(path: Path) -> None:
    path.rename(path.with_name("target"))
    path.symlink_to(path.with_name("target"))


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def lying(path: Path) -> None:
    """The version of the format for writers, which SQLite takes for one that it may only read."""
    data = bytearray(path.read_bytes())
    data[18] = 9
    path.write_bytes(data)


def holed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)


@pytest.mark.requirement("STO.20")
@pytest.mark.parametrize("make", [linked, pipe, folder, lying, holed])
def test_a_damaged_cache_is_found_whole_set_aside_and_made_anew(make: Callable[[Path], None], home: Path) -> None:
    with opened(home) as cache:
        cache.put_many(some(0, 100))
    assert cache_fault(str(home)) == ""
    make(home / CACHE_NAME)
    assert CACHE_NAME in cache_fault(str(home))
    kept = mend_cache(str(home))
    assert kept.startswith(f"{CACHE_NAME}.damaged-")
    assert os.path.lexists(home / kept)
    assert cache_fault(str(home)) == ""
    with opened(home) as cache:
        cache.put_many({"k": vector(1)})
        assert len(cache.get_many(["k"])) == 1
        assert cache.take_notes() == ()
        # One that is open here is closed for it, and goes on.
        assert mend_cache(str(home)) == ""
        assert len(cache.get_many(["k"])) == 1


@pytest.mark.requirement("STO.20")
@pytest.mark.parametrize("make", [linked, pipe, folder, lying])
@pytest.mark.parametrize("name", ["", "-wal", ".lock"])
def test_whoever_opens_a_damaged_cache_mends_it_and_says_so_once(
    make: Callable[[Path], None], name: str, home: Path
) -> None:
    with opened(home) as cache:
        cache.put_many(some(0, 3))
    path = home / f"{CACHE_NAME}{name}"
    if make is lying and name:
        pytest.skip("only the file itself has a header")
    path.touch(0o600)
    make(path)
    assert cache_fault(str(home))
    with opened(home) as cache:
        assert cache.is_open
        cache.put_many({"k": vector(1)})
        assert [note.code for note in cache.take_notes()] == (["cache_damaged"] if name != ".lock" else [])
    assert cache_fault(str(home)) == ""
    with opened(home) as cache:
        assert len(cache.get_many(["k"])) == 1
        assert cache.take_notes() == ()
