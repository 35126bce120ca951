"""The summary: convenient, and of no consequence when it is lost."""

import json
import os
from pathlib import Path

import pytest

from cairn.store import Store
from cairn.store.state import read_state, state_of
from tests.store.samples import contents, make_store, publish


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


@pytest.mark.requirement("STO.9")
def test_the_summary_follows_from_the_manifest(store: Store) -> None:
    manifest = publish(store, {"a.py": "walrus\n"})
    assert read_state(store.layout) == state_of(manifest)
    assert json.loads(Path(store.layout.index_state).read_bytes()) == {
        "schema_version": 1,
        "store_id": store.identity.store_id,
        "canonical_root": store.identity.canonical_root,
        "config_fingerprint": store.identity.config_fingerprint,
        "ignore_fingerprint": "0" * 64,
        "active_snapshot_id": manifest.snapshot_id,
        "git": {"last_head_sha": None, "dirty": False, "untracked_included": True},
        "last_sync_at": manifest.created_at,
        "last_result": "ok",
    }


@pytest.mark.requirement("STO.9")
@pytest.mark.parametrize("data", [None, b"", b"{", b"[1]", b"\xff\xfe", b"null"])
def test_a_lost_or_damaged_summary_loses_nothing(store: Store, data: bytes | None) -> None:
    publish(store, {"a.py": "walrus\n"})
    os.unlink(store.layout.index_state)
    if data is not None:
        Path(store.layout.index_state).write_bytes(data)
    assert read_state(store.layout) is None
    with store.view() as view:
        assert contents(view) == {"a.py": "walrus\n"}
    manifest = publish(store, {"b.py": "otter\n"})
    assert read_state(store.layout) == state_of(manifest)
