"""Formats of other times: refused by name, or still readable."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, IncompatibleError
from cairn.search import parse_literal
from cairn.search.grep import grep
from cairn.store import SnapshotView, Store
from cairn.store.audit import audit
from cairn.store.lease import read_lease
from cairn.store.recovery import read_pointer
from cairn.store.state import read_state
from cairn.store.versions import VERSIONS, require_readable
from tests.store.make_fixture import CONTENT, FOLDER
from tests.store.samples import contents, identity, make_store, publish, snapshot_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = make_store(tmp_path)
    publish(made, {"a.py": "walrus\n"})
    publish(made, {"a.py": "otter\n"})
    return made


@pytest.fixture
def fixture(tmp_path: Path) -> Store:
    return placed(FOLDER, tmp_path)


def placed(folder: Path, tmp_path: Path) -> Store:
    """A copy of a committed store, with the modes and empty folders that version control forgets."""
    top = tmp_path / "home" / "data" / "fixture"
    shutil.copytree(folder, top)
    for name in ("staging", "locks", "logs", "cache"):
        (top / name).mkdir(exist_ok=True)
    for path in (top, *top.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return Store.open(str(tmp_path / "home"), identity(store_id="fixture"))


OLDER = FOLDER.with_name("fixture_v6")
"""A store of the format before this one."""


@pytest.mark.requirement("EVO.2")
def test_a_store_of_the_former_format_is_refused_by_name_and_stays_as_it_is(tmp_path: Path) -> None:
    older = placed(OLDER, tmp_path)
    before = {name: data for name, data in snapshot_of(Path(older.layout.path)).items() if "locks" not in name}
    for ask in (older.view, older.upgrade, lambda: publish(older, {"b.py": "seal\n"})):
        with pytest.raises(IncompatibleError, match="chunk_rows has version 6") as caught:
            ask()
        assert "anew" in caught.value.hint
    after = {name: data for name, data in snapshot_of(Path(older.layout.path)).items() if "locks" not in name}
    assert after == before


def rewrite(path: str, **fields: object) -> None:
    document = json.loads(Path(path).read_bytes())
    Path(path).write_text(json.dumps(document | fields))


@pytest.mark.requirement("EVO.1")
def test_every_artifact_declares_what_is_read_and_written() -> None:
    assert {"manifest", "index_state", "writer_lease", "chunk_rows"} <= set(VERSIONS)
    assert {"search_json", "status_json", "health_json"} <= set(VERSIONS)
    for known in VERSIONS.values():
        assert 1 <= known.readable_min <= known.writable <= known.readable_max


@pytest.mark.requirement("EVO.1")
@pytest.mark.parametrize("artifact", VERSIONS)
@pytest.mark.parametrize("version", [0, 99, -1, None, "1", 1.0, True])
def test_a_version_outside_the_range_is_refused_with_artifact_and_version(artifact: str, version: object) -> None:
    with pytest.raises(IncompatibleError) as caught:
        require_readable(artifact, version)
    assert artifact in caught.value.message
    assert repr(version) in caught.value.message
    require_readable(artifact, VERSIONS[artifact].writable)


@pytest.mark.requirement("EVO.1")
@pytest.mark.parametrize(("field", "artifact"), [("schema_version", "manifest"), ("chunk_row_schema_version", "chunk")])
def test_a_manifest_of_the_future_is_refused(store: Store, field: str, artifact: str) -> None:
    pointer = read_pointer(store.layout)
    assert pointer is not None
    rewrite(store.layout.manifest(pointer), **{field: 9})
    with pytest.raises(IncompatibleError, match=rf"{artifact}.* 9"):
        store.view()
    with pytest.raises(IncompatibleError, match=rf"{artifact}.* 9"):
        publish(store, {"b.py": "seal\n"})
    assert read_pointer(store.layout) == pointer


@pytest.mark.requirement("EVO.1")
def test_rows_without_trigrams_are_of_a_version_that_is_no_longer_read(store: Store) -> None:
    pointer = read_pointer(store.layout)
    assert pointer is not None
    rewrite(store.layout.manifest(pointer), chunk_row_schema_version=1)
    with pytest.raises(IncompatibleError, match="chunk_rows has version 1") as caught:
        store.view()
    assert "anew" in caught.value.hint


@pytest.mark.requirement("EVO.1")
def test_the_committed_store_finds_lines(fixture: Store) -> None:
    with fixture.view(fresh=True) as view:
        found = grep(view, parse_literal("walrus"), 10).results
        assert [(item.path, item.line.number, item.line.column) for item in found] == [("kept.py", 2, 13)]
        assert grep(view, parse_literal("gone"), 10).results == ()


@pytest.mark.requirement("EVO.1")
def test_a_state_and_a_lease_of_the_future_are_refused(store: Store) -> None:
    rewrite(store.layout.index_state, schema_version=7)
    with pytest.raises(IncompatibleError, match=r"index_state.* 7"):
        read_state(store.layout)
    rewrite(store.layout.lease, schema_version=7)
    with pytest.raises(IncompatibleError, match=r"writer_lease.* 7"):
        read_lease(store.layout)
    before = snapshot_of(Path(store.layout.path))
    with pytest.raises(IncompatibleError, match=r"writer_lease.* 7"):
        publish(store, {"b.py": "seal\n"})
    assert {name: data for name, data in snapshot_of(Path(store.layout.path)).items() if "locks" not in name} == {
        name: data for name, data in before.items() if "locks" not in name
    }


@pytest.mark.requirement("EVO.2")
def test_an_upgrade_of_a_current_store_changes_nothing(store: Store) -> None:
    pointer = read_pointer(store.layout)
    assert pointer is not None
    assert pointer in store.upgrade()
    assert read_pointer(store.layout) == pointer


@pytest.mark.requirement("EVO.2")
def test_an_upgrade_that_fails_keeps_the_last_good_snapshot(store: Store) -> None:
    pointer = read_pointer(store.layout)
    assert pointer is not None
    intact = Path(store.layout.manifest(pointer)).read_bytes()
    rewrite(store.layout.manifest(pointer), schema_version=7)
    with pytest.raises(IncompatibleError):
        store.upgrade()
    Path(store.layout.manifest(pointer)).write_bytes(intact)
    with store.view() as view:
        ref = view.segments[0]
        assert contents(view) == {"a.py": "otter\n"}
    os.truncate(os.path.join(store.layout.segment(ref.segment_id), "rows.sqlite"), 0)
    with pytest.raises(CorruptStoreError):
        store.upgrade()
    assert read_pointer(store.layout) == pointer
    lease = read_lease(store.layout)
    assert lease is not None
    assert lease.released


@pytest.mark.requirement("EVO.1")
def test_the_committed_store_stays_readable(fixture: Store) -> None:
    with fixture.view(fresh=True) as view:
        assert contents(view) == CONTENT
        assert [hit.row.path_key for hit in view.words.matches({("body", "walrus"): 1.0}, 5)] == ["kept.py"]
        assert view.words.document_frequencies("body", ["gone"]) == [0]
        assert audit(view) == []
        marker = view.marker()
        assert marker is not None
        assert marker["indexedFiles"] == 3
    first = sorted(os.listdir(fixture.layout.snapshots))[0]
    with SnapshotView(fixture.layout, snapshot_id=first) as view:
        assert set(contents(view)) == {"kept.py", "changed.py", "deleted.py"}


@pytest.mark.requirement("EVO.1")
def test_the_committed_store_can_be_written_on(fixture: Store) -> None:
    manifest = publish(fixture, {"kept.py": "new\n"})
    assert manifest.lease_epoch == 3
    with fixture.view() as view:
        assert contents(view) == CONTENT | {"kept.py": "new\n"}
