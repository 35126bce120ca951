"""Logs: what happened, never what the code says; and never in the way."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.indexing.terms import terms_of
from cairn.store import Store, log
from cairn.store.log import record
from tests.store.samples import make_store, publish
from tests.trees import write


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def lines(store: Store) -> list[dict[str, object]]:
    path = Path(store.layout.logs) / log.LOG_FILE
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.requirement("LOG.1")
def test_a_log_holds_metadata_and_no_source(folder: Path) -> None:
    write(folder, "secret_name.py", "password = 'swordfish'\n")
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        write(folder, "secret_name.py", "password = 'haddock'\n")
        codebase.index(SyncOptions())
        codebase.compact(force=True)
        codebase.collect(force=True)
        store = codebase.store()
    found = lines(store)
    assert {line["action"] for line in found} == {"state", "sync", "compact", "gc"}
    assert {line["root"] for line in found} == {str(folder)}
    assert all(line["at"] and line["pid"] == os.getpid() for line in found)
    text = json.dumps(found)
    assert "swordfish" not in text
    assert "haddock" not in text
    assert "password" not in text


@pytest.mark.requirement("LOG.1")
def test_logs_rotate_by_size_and_count(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MAX_LOG_BYTES", 500)
    for number in range(100):
        record(store.layout, "test", "/somewhere", number=number)
    names = sorted(os.listdir(store.layout.logs))
    assert names == [log.LOG_FILE, *(f"{log.LOG_FILE}.{n}" for n in range(1, log.MAX_LOG_FILES))]
    kept: list[int] = []
    for name in reversed(names):
        path = Path(store.layout.logs) / name
        assert path.stat().st_size < 500 + 200
        kept += [json.loads(line)["number"] for line in path.read_text().splitlines()]
    assert kept == list(range(kept[0], 100))


@pytest.mark.slow
@pytest.mark.requirement("LOG.1")
@pytest.mark.parametrize("harm", ["folder is a file", "log is a folder", "rotation is blocked"])
def test_a_log_that_can_not_be_written_stops_nothing(store: Store, monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    logs = Path(store.layout.logs)
    if harm == "folder is a file":
        logs.rmdir()
        logs.write_text("x")
    elif harm == "log is a folder":
        (logs / log.LOG_FILE).mkdir()
    else:
        monkeypatch.setattr(log, "MAX_LOG_BYTES", 0)
        (logs / log.LOG_FILE).write_text("x")
        (logs / f"{log.LOG_FILE}.1" / "inside").mkdir(parents=True)
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"a.py": "otter\n"})
    assert store.compact(terms_of, force=True) is not None
    store.collect(force=True)
    record(store.layout, "test", "/somewhere")
    if harm == "folder is a file":
        logs.unlink()
    else:
        shutil.rmtree(logs)


@pytest.mark.requirement("LOG.1")
def test_a_line_is_one_line_whatever_the_root_is_called(store: Store) -> None:
    record(store.layout, "test", "/some\nwhere \udcff", count=1)
    (line,) = lines(store)
    assert line["root"] == "/some\nwhere \udcff"
