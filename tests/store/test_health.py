"""Health: one line for everything that can be wrong."""

import os
import sqlite3
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from cairn.base.steps import worded_hint
from cairn.base.ulid import new_ulid
from cairn.indexing.terms import terms_of
from cairn.store import FileError, Store, StoreKind, _segment, gate, staging
from cairn.store.digest import digest_folder
from cairn.store.health import Level, check_store
from cairn.store.manifest import encode
from cairn.store.staging import Staging
from cairn.surfaces.http.answers import request
from tests.store.samples import add, begin, facts, make_store, publish


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = make_store(tmp_path)
    publish(made, {"a.py": "walrus\n", "b.py": "otter\n"})
    publish(made, {"a.py": None})
    return made


def levels(store: Store) -> dict[str, Level]:
    checks = check_store(store.layout)
    for check in checks:
        # Each door words what mends it: a request of the API is no command.
        assert bool(check.action) is (check.level is not Level.OK)
        assert "cairn " not in worded_hint(check.action, request)
    return {check.code: check.level for check in checks}


def troubles(store: Store) -> dict[str, Level]:
    return {code: level for code, level in levels(store).items() if level is not Level.OK}


@pytest.mark.requirement("IDX.MUST.006")
def test_a_sound_store_is_well(store: Store) -> None:
    assert set(levels(store)) == {
        "manifest_present",
        "artifact_integrity",
        "counts",
        "segment_parts",
        "row_schema",
        "compaction_policy",
        "permissions",
        "garbage",
    }
    assert troubles(store) == {}


@pytest.mark.requirement("IDX.MUST.006")
@pytest.mark.parametrize("name", ["rows.sqlite", "vectors.npy", "lexical/meta.json"])
def test_a_damaged_artifact_is_an_error(store: Store, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_segment, "MOST_ROWS", 0)
    store.compact(terms_of, force=True)
    with store.view() as view:
        path = Path(store.layout.segment(view.segments[0].segment_id)) / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert troubles(store) == {"artifact_integrity": Level.ERROR}


@pytest.mark.requirement("STO.6")
def test_a_lost_pointer_is_an_error_though_reads_go_on(store: Store) -> None:
    os.unlink(store.layout.pointer)
    assert troubles(store) == {"manifest_present": Level.ERROR}


def test_an_empty_store_is_only_a_warning(tmp_path: Path) -> None:
    assert troubles(make_store(tmp_path / "other")) == {"manifest_present": Level.WARNING}


@pytest.mark.requirement("STO.10")
@pytest.mark.parametrize("limit", ["OVERDUE_SEGMENTS", "OVERDUE_TOMBSTONES"])
def test_an_overdue_compaction_shows(store: Store, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    # The real thresholds would need dozens of publishes.
    monkeypatch.setattr(gate, limit, 1)
    monkeypatch.setattr(f"cairn.store.compact.{limit}", 1)
    assert troubles(store) == {"compaction_policy": Level.WARNING}


@pytest.mark.requirement("STO.2")
def test_a_file_that_others_can_read_shows(store: Store) -> None:
    os.chmod(store.layout.index_state, 0o644)
    assert troubles(store) == {"permissions": Level.ERROR}
    os.chmod(store.layout.index_state, 0o600)
    os.chmod(store.layout.segments, 0o755)
    assert troubles(store) == {"permissions": Level.ERROR}


@pytest.mark.requirement("STO.2")
def test_a_shared_store_is_well_too(tmp_path: Path) -> None:
    shared = make_store(tmp_path / "other", kind=StoreKind.SHARED)
    publish(shared, {"a.py": "walrus\n"})
    assert troubles(shared) == {}


@pytest.mark.requirement("GC.4")
def test_an_abandoned_transaction_shows(store: Store) -> None:
    made = Staging(store.layout, new_ulid())
    assert troubles(store) == {}
    os.unlink(os.path.join(made.path, "owner.json"))
    os.utime(made.path, (0, 0))
    assert troubles(store) == {"garbage": Level.WARNING}


@pytest.mark.requirement("STO.8")
def test_a_degraded_snapshot_shows(store: Store) -> None:
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "c.py", "seal\n")
        error = FileError("unreadable", "no", "bad.py")
        transaction.publish(lease, facts(transaction.live_paths, errors=(error,)))
    assert troubles(store) == {"degraded": Level.WARNING}


@pytest.mark.requirement("AUDIT.1")
def test_counts_that_drifted_show(store: Store) -> None:
    manifest = store.active()
    assert manifest is not None
    forged = replace(manifest, counts=replace(manifest.counts, chunks_indexed=9))
    Path(store.layout.manifest(manifest.snapshot_id)).write_bytes(encode(forged))
    assert troubles(store) == {"counts": Level.ERROR}


@pytest.mark.requirement("ROW.1")
def test_a_row_that_breaks_the_schema_shows(store: Store) -> None:
    manifest = store.active()
    assert manifest is not None
    first, *rest = manifest.segments
    folder = store.layout.segment(first.segment_id)
    connection = sqlite3.connect(os.path.join(folder, "rows.sqlite"))
    (number,) = connection.execute("SELECT number FROM files WHERE path_key = 'b.py'").fetchone()
    (block,) = connection.execute("SELECT text FROM texts WHERE file = ?", (number,)).fetchone()
    tampered = zlib.compress(b"X" + zlib.decompress(block)[1:])
    connection.execute("UPDATE texts SET text = ? WHERE file = ?", (tampered, number))
    connection.commit()
    connection.close()
    forged = replace(manifest, segments=(replace(first, digest=digest_folder(folder)), *rest))
    Path(store.layout.manifest(manifest.snapshot_id)).write_bytes(encode(forged))
    assert troubles(store) == {"row_schema": Level.ERROR}


def test_a_transaction_that_is_just_being_made_or_taken_away_is_no_garbage(store: Store) -> None:
    folders = [Path(store.layout.staging) / name for name in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "unnamed.tmp-1")]
    for folder in folders:
        folder.mkdir(mode=0o700)
    assert troubles(store) == {}
    for folder in folders:
        os.utime(folder, (0, 0))
        assert troubles(store) == {"garbage": Level.WARNING}
        folder.rmdir()


def test_what_a_dead_writer_left_is_garbage_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Staging(store.layout, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert troubles(store) == {}
    monkeypatch.setattr(staging, "is_proven_dead", lambda owner: True)
    assert troubles(store) == {"garbage": Level.WARNING}


@pytest.mark.requirement("STO.20")
def test_a_pipe_is_damage_and_no_matter_of_its_mode(store: Store) -> None:
    with store.view() as view:
        path = os.path.join(store.layout.segment(view.segments[0].segment_id), "rows.sqlite")
    os.unlink(path)
    os.mkfifo(path, 0o644)
    assert troubles(store) == {"artifact_integrity": Level.ERROR}


def test_a_mode_is_mended_by_the_command_that_health_names(store: Store) -> None:
    os.chmod(store.layout.index_state, 0o644)
    (told,) = (check for check in check_store(store.layout) if check.level is Level.ERROR)
    command = told.action.removeprefix("Run `").removesuffix("`.")
    assert subprocess.run(command, shell=True, check=False).returncode == 0
    assert troubles(store) == {}
