"""Worker processes that parse: order, lost workers, interrupts, and nothing of the repository that runs."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.indexing import pool as pools
from cairn.indexing.options import SyncOptions
from cairn.indexing.pool import BATCH_FILES, ParserPool, worker_count
from cairn.indexing.prepare import ChunkLimits, FileSource, Prepared, prepare, prepare_by_lines
from cairn.syntax.grammar import load
from cairn.syntax.native import native_grammar
from cairn.workspace.reads import content_hash
from tests.trees import Repo, write

pytestmark = pytest.mark.sampled

LIMITS = ChunkLimits(300, 50)
PYTHON = b"def take(lease):\n    return lease.release()\n"
LUA = b"function take(lease)\n  return lease\nend\n"


def source(path: str, data: bytes = PYTHON, language: str = "python") -> FileSource:
    return FileSource(path, language, content_hash(data), data)


def many(count: int) -> list[FileSource]:
    return [source(f"f{number:04}.py", b"x%d = 1\n" % number + PYTHON * (number % 7)) for number in range(count)]


def with_lua_among(count: int) -> list[FileSource]:
    found = many(count)
    found.insert(count // 2, source("bad.lua", LUA, "lua"))
    return found


def worker_pids(pool: ParserPool) -> list[int]:
    return [worker.pid for worker in pool._workers]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def expected(sources: list[FileSource]) -> list[Prepared]:
    return [prepare(item, LIMITS) for item in sources]


def bad_grammar(folder: Path, monkeypatch: pytest.MonkeyPatch, conduct: str) -> None:
    """A grammar for Lua that does something terrible when a worker asks it for its language."""
    write(folder, "tree_sitter_lua.py", f"import os, signal\ndef language():\n    {conduct}\n")
    monkeypatch.syspath_prepend(str(folder))
    # A worker has what its parent has loaded, and this process may have loaded the real one.
    monkeypatch.delitem(sys.modules, "tree_sitter_lua", raising=False)
    load.cache_clear()
    native_grammar.cache_clear()


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, BATCH_FILES, 3 * BATCH_FILES + 5])
def test_files_come_back_in_their_order_and_as_if_made_here(workers: int, count: int) -> None:
    sources = many(count)
    with ParserPool(LIMITS, workers) as pool:
        assert list(pool.prepare(sources)) == expected(sources)
        assert pool.by_lines == []


def test_workers_start_with_the_first_file_and_end_with_the_pool() -> None:
    with ParserPool(LIMITS, 2) as pool:
        assert worker_pids(pool) == []
        assert list(pool.prepare([])) == []
        assert worker_pids(pool) == []
        list(pool.prepare(many(3 * BATCH_FILES)))
        pids = worker_pids(pool)
        assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


def test_a_pool_serves_more_than_once() -> None:
    with ParserPool(LIMITS, 1) as pool:
        first = list(pool.prepare(many(3)))
        pids = worker_pids(pool)
        assert list(pool.prepare(many(3))) == first
        assert worker_pids(pool) == pids


def test_sources_are_read_only_a_few_batches_ahead() -> None:
    taken = 0

    def reading() -> Iterator[FileSource]:
        nonlocal taken
        for item in many(40 * BATCH_FILES):
            taken += 1
            yield item

    with ParserPool(LIMITS, 1) as pool:
        next(pool.prepare(reading()))
    assert taken <= 3 * BATCH_FILES


@pytest.mark.slow
@pytest.mark.requirement("KRN.3")
@pytest.mark.requirement("MOD.1")
def test_a_worker_that_is_killed_costs_nothing_but_time() -> None:
    sources = many(4 * BATCH_FILES)
    killed: list[int] = []

    def killing() -> Iterator[FileSource]:
        for number, item in enumerate(sources):
            if number == 2 * BATCH_FILES + 1 and not killed:
                killed.extend(worker_pids(pool))
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)
            yield item

    with ParserPool(LIMITS, 2) as pool:
        assert list(pool.prepare(killing())) == expected(sources)
        assert pool.by_lines == []
        assert not set(killed) & set(worker_pids(pool))
    assert killed


@pytest.mark.slow
@pytest.mark.requirement("KRN.3")
@pytest.mark.requirement("MOD.1")
@pytest.mark.parametrize("conduct", ["os.kill(os.getpid(), signal.SIGKILL)", "os.abort()", "raise MemoryError"])
def test_a_file_that_its_grammar_dies_of_is_cut_by_lines_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conduct: str
) -> None:
    bad_grammar(tmp_path, monkeypatch, conduct)
    sources = with_lua_among(12)
    with ParserPool(LIMITS, 1) as pool:
        found = list(pool.prepare(sources))
        assert pool.by_lines == ["bad.lua"]
    wanted = [
        prepare_by_lines(item, LIMITS) if item.path_key == "bad.lua" else prepare(item, LIMITS) for item in sources
    ]
    assert found == wanted


@pytest.mark.slow
@pytest.mark.requirement("KRN.3")
@pytest.mark.requirement("MOD.1")
def test_a_file_that_its_grammar_never_comes_back_from_is_cut_by_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad_grammar(tmp_path, monkeypatch, "signal.pause()")
    # A test can't wait for the real patience of twenty seconds.
    monkeypatch.setattr(pools, "_PATIENCE_S", 2.0)
    sources = with_lua_among(2)
    with ParserPool(LIMITS, 1) as pool:
        found = list(pool.prepare(sources))
        assert pool.by_lines == ["bad.lua"]
    assert [item.file.path_key for item in found] == [item.path_key for item in sources]
    assert found[1] == prepare_by_lines(sources[1], LIMITS)
    assert [found[0], found[2]] == expected([sources[0], sources[2]])


@pytest.mark.slow
def test_a_batch_larger_than_any_pipe_gets_through() -> None:
    data = PYTHON * 20_000
    sources = [source("large.py", data), source("b.txt", b"words\n" * 200_000, "text")]
    with ParserPool(ChunkLimits(1500, 2000), 2) as pool:
        found = list(pool.prepare(sources))
    assert [item.file.size for item in found] == [len(data), 1_200_000]


def test_a_pool_that_is_left_in_the_middle_leaves_nobody_behind() -> None:
    with ParserPool(LIMITS, 2) as pool:
        next(pool.prepare(many(6 * BATCH_FILES)))
        pids = worker_pids(pool)
    assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


def test_a_pool_leaves_no_descriptor_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with ParserPool(LIMITS, 2) as pool:
        list(pool.prepare(many(3 * BATCH_FILES)))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(("files", "least", "most"), [(0, 1, 1), (1, 1, 1), (BATCH_FILES, 1, 1), (10_000, 1, 8)])
def test_few_files_are_not_worth_many_processes(files: int, least: int, most: int) -> None:
    assert least <= worker_count(files) <= min(most, max(1, len(os.sched_getaffinity(0))))


MODULES = ["cairn", "json", "tree_sitter", "sitecustomize", "usercustomize", "numpy", "signal", "gc", "encodings"]


@pytest.mark.requirement("SEC.1")
@pytest.mark.parametrize("name", MODULES)
def test_no_module_of_the_working_folder_is_run_by_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    trap = tmp_path / "sprung"
    for path in (f"{name}.py", f"{name}/__init__.py"):
        write(tmp_path / "repo", path, f"open({str(trap)!r}, 'w').close()\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path / "repo")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "repo"))
    with ParserPool(LIMITS, 1) as pool:
        assert list(pool.prepare(many(2))) == expected(many(2))
        assert pool.by_lines == []
    assert not trap.exists()


@pytest.mark.slow
@pytest.mark.requirement("SEC.1")
def test_indexing_runs_nothing_of_the_repository(repo: Repo, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    for name in ("json", "cairn", "tree_sitter", "tree_sitter_python", "sitecustomize"):
        repo.write(f"{name}.py", f"open({str(trap)!r}, 'w').close()\nraise SystemExit\n")
    repo.commit()
    # `-P`: the interpreter itself must not take the working folder for a place of modules, as the script doesn't.
    done = subprocess.run(
        (sys.executable, "-P", "-m", "cairn", "index", "."),
        cwd=repo.path,
        env=os.environ | {"CAIRN_EMBED_PROVIDER": "hashing"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "cut by lines" not in done.stdout
    assert not trap.exists()


_STOPPED = """
import os, signal, sys
from cairn.indexing import pool as pools
from cairn.surfaces.cli import progress
from cairn.program.command import main

seen = []
start = pools._Worker.start

def started(*inherited):
    seen.append(start(*inherited))
    return seen[-1]

pools._Worker.start = started

def tell(self, step):
    # The first files are back and the others under way: here a user loses patience.
    if not isinstance(step, int) and step.stage == "indexing" and step.files == 1:
        print(*(worker.pid for worker in seen), flush=True)
        # A signal that comes right before a wait without end would not end it.
        while True:
            signal.sigtimedwait((), 0.1)

progress.SyncProgress.__call__ = tell
sys.exit(main(["index", sys.argv[1]]))
"""


@contextmanager
def stopped_in_the_middle(repo: Repo) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A running `cairn index` that waits with files under way, and the processes that it has made."""
    for number in range(3 * BATCH_FILES):
        repo.write(f"f{number}.py", f"def f{number}(): pass\n")
    process = subprocess.Popen(
        (sys.executable, "-c", _STOPPED, str(repo.path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A runner in the background may ignore SIGINT, which children would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env=os.environ | {"CAIRN_EMBED_PROVIDER": "hashing"},
    )
    try:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert pids
        yield process, pids
    finally:
        process.kill()
        process.communicate()


def assert_nothing_is_left(repo: Repo, home: Path) -> None:
    with Codebase(str(repo.path)) as codebase:
        assert not codebase.is_indexed()
    assert not [path for path in home.rglob("staging/*") if path.is_dir()]


@pytest.mark.slow
@pytest.mark.requirement("MOD.2")
def test_an_interrupt_leaves_no_process_and_nothing_published(repo: Repo, private_home: Path) -> None:
    with stopped_in_the_middle(repo) as (process, pids):
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        error = process.stderr.read()
        assert process.wait(timeout=60) == 12
    assert "interrupted" in error
    assert "Traceback" not in error
    assert not any(alive(pid) for pid in pids)
    assert_nothing_is_left(repo, private_home)


@pytest.mark.slow
def test_a_parent_that_is_killed_takes_its_workers_along(repo: Repo) -> None:
    with stopped_in_the_middle(repo) as (process, pids):
        handles = [os.pidfd_open(pid) for pid in pids]
        try:
            process.kill()
            for handle in handles:
                assert select.select([handle], [], [], 60)[0], "a worker was left behind"
        finally:
            for handle in handles:
                os.close(handle)


@pytest.mark.slow
@pytest.mark.requirement("MOD.2")
@pytest.mark.requirement("ROW.3")
def test_the_next_run_after_an_interrupt_is_whole(repo: Repo) -> None:
    with stopped_in_the_middle(repo) as (process, _):
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=60)
    with Codebase(str(repo.path)) as codebase:
        result = codebase.index(SyncOptions())
    assert (result.published, result.indexed, result.by_lines) == (True, 3 * BATCH_FILES, ())


_CHILD_THAT_RAISES = """
import sys
from cairn.indexing import pool, worker
from cairn.indexing.prepare import ChunkLimits, FileSource

def interrupted(fd, embedder):
    raise KeyboardInterrupt

worker.main = interrupted
try:
    with pool.ParserPool(ChunkLimits(300, 50), 1) as workers:
        list(workers.prepare([FileSource("a.py", "python", "0" * 64, b"x = 1\\n")]))
        print("by lines", *workers.by_lines, flush=True)
finally:
    print("the end", flush=True)
"""


@pytest.mark.slow
def test_a_child_never_goes_on_with_what_its_parent_would_do_next() -> None:
    """Ctrl-C may strike between the fork and the child's first step: there is no other way to hit that moment."""
    done = subprocess.run(
        (sys.executable, "-c", _CHILD_THAT_RAISES), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.returncode) == ("by lines a.py\nthe end\n", 0)
