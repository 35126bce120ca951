"""What an answer says of itself when something else goes wrong."""

import importlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import BusyError, StorageError, TreeMovedError
from cairn.codebase.codebase import Codebase, Request
from cairn.indexing import pool
from cairn.indexing.options import SyncOptions
from cairn.indexing.pool import ParserPool
from cairn.indexing.prepare import ChunkLimits, FileSource
from cairn.search import parse_query
from cairn.store.packed import facts_in
from tests.notes import said
from tests.trees import Repo, cairn, write


def answer(repo: Repo, *arguments: str) -> dict[str, Any]:
    done = cairn("search", *arguments, "--json", cwd=repo.path)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("lease.py", "def take_over(lease):\n    return lease\n")
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
    return repo


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_a_search_that_synced_says_so_also_after_a_compaction(indexed: Repo) -> None:
    for number in range(8):
        indexed.write(f"more{number}.py", f"def more{number}(): pass\n")
        assert answer(indexed, "lease")["freshness"] == {"synced": True, "checked": "tree", "moved": False}
    assert answer(indexed, "lease", "--no-sync")["freshness"]["synced"] is False


@pytest.mark.requirement("SRCH.1")
def test_a_sync_that_fails_leaves_the_last_snapshot_to_answer(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cairn.program.start import main

    def full(*_: object, **__: object) -> None:
        raise StorageError("The segment can't be written: the disk is full.")

    indexed.write("new.py", "new = 1\n")
    # A disk that fills up at this very moment can't be arranged.
    monkeypatch.setattr("cairn.codebase.upkeep.sync", full)
    assert main(["search", "take over", str(indexed.path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["results"][0]["path"] == "lease.py"
    assert found["freshness"]["synced"] is False
    assert any(text.startswith("last_index_failed") for text in found["warnings"])


def test_without_a_snapshot_a_sync_that_fails_is_an_error(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    from cairn.program.start import main

    def busy(*_: object, **__: object) -> None:
        raise BusyError("Another writer is at work.")

    repo.write("a.py")
    monkeypatch.setattr("cairn.codebase.upkeep.sync", busy)
    assert main(["search", "x", str(repo.path), "--json"]) == 10


@pytest.mark.slow
def test_an_embedder_that_fails_leaves_words_and_names(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    with Codebase(str(indexed.path)) as codebase:

        def fail(_: object) -> None:
            raise BusyError("The endpoint doesn't answer.")

        # A stand-in for an endpoint that was there when the index was made.
        monkeypatch.setattr(codebase.model, "embed", fail)
        found = codebase.search(Request("take over"))
        assert found.items[0].row.path_key == "lease.py"
        assert "embedder failed" in said(found)[0]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_what_was_cut_is_said(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("cairn.search.find"), "MAX_DEFINITIONS", 2)
    for number in range(4):
        indexed.write(f"run{number}.py", "def run(): pass\n")
    with Codebase(str(indexed.path)) as codebase:
        codebase.index(SyncOptions())
        assert codebase.search(Request("run")).limits_hit == ("definitions",)
        found = codebase.search(Request("run path:run3.py", mode="symbol"))
        assert [item.row.path_key for item in found.items] == ["run3.py"]
        assert found.limits_hit == ()
        assert codebase.search(Request("run kind:class")).limits_hit == ()
        many = " ".join(f"name{number}OfParts" for number in range(30))
        assert "query" in codebase.search(Request(many)).limits_hit


@pytest.mark.requirement("SRCH.2")
def test_a_filter_at_the_end_of_an_endless_query_still_counts() -> None:
    query = parse_query("lease " * 20_000 + "path:nowhere/")
    assert query.filters.paths == ("nowhere/",)
    # All of it is read, so that nothing is cut; a phrase has an end.
    assert not query.cut
    assert parse_query(" ".join(f"name{number}OfParts" for number in range(30))).cut


@pytest.mark.slow
def test_people_are_told_what_was_cut(indexed: Repo) -> None:
    done = cairn("search", " ".join(f"name{number}OfParts" for number in range(30)), cwd=indexed.path)
    assert "cut short: query" in done.stderr
    done = cairn("search", "lang:python", cwd=indexed.path)
    assert "no words to look for" in done.stderr


@pytest.mark.slow
def test_a_root_that_goes_while_it_is_indexed_publishes_nothing(indexed: Repo) -> None:
    with Codebase(str(indexed.path)) as codebase:
        before = codebase.store().active()
        for number in range(40):
            indexed.write(f"more{number}.py", f"x = {number}\n")
        real = ParserPool.prepare

        def and_then_gone(self: ParserPool, sources: Any) -> Any:
            for prepared in real(self, sources):
                shutil.rmtree(indexed.path, ignore_errors=True)
                yield prepared

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ParserPool, "prepare", and_then_gone)
            with pytest.raises(TreeMovedError):
                codebase.index(SyncOptions())
        assert codebase.store().active() == before


@pytest.mark.requirement("MOD.1")
def test_a_worker_that_somebody_kills_costs_a_file_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    real = pool._Worker.start

    def start_and_kill(*inherited: Any) -> Any:
        made = real(*inherited)
        if len(killed) < 2:
            killed.append(made.pid)
            os.kill(made.pid, signal.SIGKILL)
        return made

    monkeypatch.setattr(pool._Worker, "start", start_and_kill)
    source = FileSource("a.py", "python", "0" * 64, b"def alpha(): pass\n")
    with ParserPool(ChunkLimits(1500, 100), 1) as parsers:
        (prepared,) = parsers.prepare([source])
    assert len(killed) == 2
    assert [symbol.name for symbol in facts_in(prepared.packed).symbols] == ["alpha"]
    assert parsers.by_lines == []


@pytest.mark.slow
def test_more_bytes_than_one_segment_takes_become_several(repo: Repo) -> None:
    repo.write(".cairn.toml", "[index]\nmax_sync_bytes = 40\n")
    for number in range(5):
        repo.write(f"f{number}.py", f"name_{number} = {number}  # some text\n")
    with Codebase(str(repo.path)) as codebase:
        manifest = codebase.index(SyncOptions()).manifest
        assert manifest.counts.files_live == 6
        assert len(manifest.segments) > 1
        assert codebase.search(Request("name_3")).items[0].row.path_key == "f3.py"


@pytest.mark.slow
def test_status_counts_files_without_symbols(folder: Path) -> None:
    write(folder, "a.py", "def alpha(): pass\n")
    write(folder, "flat.py", "x = '" + "y" * 30_000 + "'\n")
    assert cairn("index", str(folder)).returncode == 0
    counts = json.loads(cairn("status", str(folder), "--json").stdout)["counts"]
    assert (counts["files"], counts["by_lines"]) == (2, 1)
    assert "1 file cut by lines" in cairn("status", str(folder)).stdout


@pytest.mark.slow
def test_a_question_that_can_not_be_understood_builds_no_index(repo: Repo) -> None:
    repo.write("a.py")
    assert cairn("search", "lease kind:thing", cwd=repo.path).returncode == 2
    with Codebase(str(repo.path)) as codebase:
        assert not codebase.is_indexed()


@pytest.mark.slow
def test_a_filter_reaches_what_lies_far_behind_the_first_candidates(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more files allowed than are looked at one by one, more candidates are taken instead."""
    finding = sys.modules["cairn.search.find"]
    monkeypatch.setattr(finding, "_FILTERED_FILES", 0)
    monkeypatch.setattr(finding, "LEXICAL_ROWS", 4)
    monkeypatch.setattr(finding, "NEAR_ROWS", 4)
    for number in range(12):
        repo.write(f"many/f{number}.py", "lease lease lease epoch\n" * 3)
    repo.write("other/one.py", "# lease\n" + "filler = 1\n" * 20)
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
        found = codebase.search(Request("lease epoch path:other"))
        assert [item.row.path_key for item in found.items] == ["other/one.py"]
        assert {item.row.path_key for item in codebase.search(Request("lease path:many", 50)).items} == {
            f"many/f{number}.py" for number in range(12)
        }
