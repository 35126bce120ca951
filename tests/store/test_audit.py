"""Audit: what a manifest counts, held against what is there."""

import json
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from cairn.store import Store
from cairn.store.audit import REINDEX, audit
from cairn.store.digest import digest_folder
from cairn.store.manifest import Manifest, encode
from tests.store.samples import make_store, publish


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = make_store(tmp_path)
    publish(made, {"a.py": "walrus\n", "b.py": "otter\n" * 30})
    publish(made, {"a.py": None, "c.py": "seal\n"})
    return made


def forge(store: Store, manifest: Manifest) -> None:
    """A manifest that is valid in itself and tells something else."""
    Path(store.layout.manifest(manifest.snapshot_id)).write_bytes(encode(manifest))


def active(store: Store) -> Manifest:
    found = store.active()
    assert found is not None
    return found


def drifts(store: Store) -> list[str]:
    with store.view() as view:
        found = audit(view)
        assert found == audit(view)
    assert all(drift.message and drift.action == REINDEX for drift in found)
    return [drift.code for drift in found]


@pytest.mark.requirement("AUDIT.1")
def test_a_sound_snapshot_has_no_drift(store: Store) -> None:
    assert drifts(store) == []


@pytest.mark.requirement("AUDIT.1")
@pytest.mark.parametrize(
    ("field", "codes"),
    [
        ("chunks_indexed", ["chunks_indexed"]),
        ("files_indexed", ["files_indexed"]),
        ("chunks_live", ["chunks_live", "marker_count"]),
        ("files_live", ["files_live", "marker_count"]),
    ],
)
def test_each_count_that_drifts_is_reported(store: Store, field: str, codes: list[str]) -> None:
    manifest = active(store)
    wrong = replace(manifest.counts, **{field: getattr(manifest.counts, field) + 1})
    forge(store, replace(manifest, counts=wrong))
    assert drifts(store) == codes


@pytest.mark.requirement("AUDIT.1")
def test_a_segment_that_holds_another_number_is_reported(store: Store) -> None:
    manifest = active(store)
    first, *rest = manifest.segments
    forge(store, replace(manifest, segments=(replace(first, files=first.files + 1), *rest)))
    assert drifts(store) == ["segment_count"]


@pytest.mark.requirement("AUDIT.1")
def test_tombstones_that_are_counted_wrongly_are_reported(store: Store) -> None:
    manifest = active(store)
    (ref,) = manifest.tombstones
    forge(store, replace(manifest, tombstones=(replace(ref, count=5),)))
    assert drifts(store) == ["tombstone_count"]


@pytest.mark.requirement("AUDIT.1")
@pytest.mark.parametrize("marker", [None, {"snapshotId": "another"}])
def test_a_snapshot_without_its_marker_is_reported(store: Store, marker: dict[str, str] | None) -> None:
    manifest = active(store)
    *rest, last = manifest.segments
    folder = store.layout.segment(last.segment_id)
    connection = sqlite3.connect(os.path.join(folder, "rows.sqlite"))
    if marker is None:
        connection.execute("DELETE FROM marker")
    else:
        connection.execute("UPDATE marker SET document = ?", (json.dumps(marker),))
    connection.commit()
    connection.close()
    forge(store, replace(manifest, segments=(*rest, replace(last, digest=digest_folder(folder)))))
    assert drifts(store) == ["marker_missing"]
