"""Stores of a newer Cairn: every command refuses them by name and writes nothing into them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, IncompatibleError
from cairn.codebase.codebase import Codebase
from cairn.store import Store, integrity, proven
from cairn.store.damage import assess
from cairn.store.layout import Layout
from cairn.store.recovery import newest_first, read_pointer
from cairn.store.versions import VERSIONS, Versions
from tests.store.samples import make_store, publish, snapshot_of
from tests.surfaces.cli.test_store import answer, layout_of, run
from tests.trees import Repo

COMMANDS = (
    ("status",),
    ("health",),
    ("search", "alpha"),
    ("index",),
    ("index", "--reindex"),
    ("upgrade-store",),
    ("gc", "--force"),
    ("repair",),
)
NEWER = 99


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """A repository with two snapshots and an edit that is not indexed yet."""
    for number in range(3):
        repo.write("a.py", f"alpha = {number}\n")
        if number < 2:
            answer("index", str(repo.path))
    return repo


def make_newer(path: str, field: str = "schema_version") -> None:
    document = json.loads(Path(path).read_bytes())
    Path(path).write_text(json.dumps(document | {field: NEWER}))


def active_manifest(layout: Layout) -> str:
    pointer = read_pointer(layout)
    assert pointer is not None
    make_newer(layout.manifest(pointer))
    return "manifest"


def active_rows(layout: Layout) -> str:
    pointer = read_pointer(layout)
    assert pointer is not None
    make_newer(layout.manifest(pointer), "chunk_row_schema_version")
    return "chunk_rows"


def older_manifest_without_the_pointer(layout: Layout) -> str:
    *_, oldest = newest_first(layout)
    os.unlink(layout.pointer)
    make_newer(layout.manifest(oldest.snapshot_id))
    return "manifest"


def index_state(layout: Layout) -> str:
    make_newer(layout.index_state)
    return "index_state"


def lease(layout: Layout) -> str:
    make_newer(layout.lease)
    return "writer_lease"


def kept(layout: Layout) -> dict[str, bytes]:
    """Everything but the locks of this moment and what may be forgotten; a newer lease is told by itself."""
    return {
        name: data
        for name, data in snapshot_of(Path(layout.path)).items()
        if name.split("/")[0] not in ("locks", "cache", "logs")
    }


@pytest.mark.slow
@pytest.mark.requirement("EVO.1")
@pytest.mark.requirement("EVO.2")
@pytest.mark.parametrize("age", [active_manifest, active_rows, older_manifest_without_the_pointer, index_state, lease])
def test_a_newer_format_is_refused_by_every_command_and_nothing_is_overwritten(
    indexed: Repo, age: Callable[[Layout], str]
) -> None:
    layout = layout_of(indexed.path)
    artifact = age(layout)
    before, lease_before = kept(layout), Path(layout.lease).read_bytes()
    for command in COMMANDS:
        done = run(*command, "--json", str(indexed.path))
        assert done.returncode == 13, f"{command}: {done.stdout}"
        error = json.loads(done.stdout)["error"]
        assert error["code"] == "incompatible"
        assert artifact in error["message"]
        assert str(NEWER) in error["message"]
        assert "Upgrade Cairn" in error["hint"]
        assert kept(layout) == before, command
        if age is lease:
            assert Path(layout.lease).read_bytes() == lease_before, command


@pytest.mark.slow
@pytest.mark.requirement("EVO.1")
@pytest.mark.parametrize("age", [active_manifest, active_rows])
def test_a_newer_manifest_is_no_damage_that_a_repair_could_mend(indexed: Repo, age: Callable[[Layout], str]) -> None:
    layout = layout_of(indexed.path)
    artifact = age(layout)
    with pytest.raises(IncompatibleError, match=artifact):
        assess(layout)


@pytest.mark.slow
@pytest.mark.requirement("EVO.1")
def test_stores_lists_a_newer_store_without_failing(indexed: Repo) -> None:
    index_state(layout_of(indexed.path))
    (store,) = answer("stores")["stores"]
    assert store["canonical_root"] == str(indexed.path)


@pytest.mark.slow
@pytest.mark.requirement("EVO.1")
@pytest.mark.parametrize("artifact", ["status_json", "health_json", "search_json", "manifest", "index_state"])
def test_the_version_of_an_answer_or_of_a_manifest_leads_to_no_other_store(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch, artifact: str
) -> None:
    with Codebase(str(indexed.path)) as codebase:
        before = codebase.identity
    monkeypatch.setitem(VERSIONS, artifact, Versions(1, 2, 2))
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.identity == before


@pytest.mark.slow
@pytest.mark.requirement("EVO.1")
def test_the_version_of_rows_leads_to_another_store(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    with Codebase(str(indexed.path)) as codebase:
        before = codebase.identity
    now = VERSIONS["chunk_rows"]
    monkeypatch.setitem(VERSIONS, "chunk_rows", Versions(now.readable_min, now.readable_max + 1, now.writable + 1))
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.identity.store_id != before.store_id


@pytest.fixture
def settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store whose artifacts have stamps; what was just written would get none for a moment."""
    monkeypatch.setattr(integrity, "_SETTLED_NS", -60_000_000_000)
    store = make_store(tmp_path)
    publish(store, {"a.py": "walrus\n"})
    with store.view():
        pass
    return store


def rot(layout: Layout) -> str:
    """Change a byte of a segment and make the stamps fit, as if the disk had changed it; the segment's name."""
    (segment,) = os.listdir(layout.segments)
    path = Path(layout.segment(segment)) / "vectors.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    stamps = Path(layout.cache) / "stamps.json"
    known = json.loads(stamps.read_bytes())
    found = path.stat()
    known[f"segments/{segment}"]["stamps"]["vectors.npy"] = [
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    ]
    stamps.write_text(json.dumps(known))
    return segment


@pytest.mark.requirement("EVO.2")
def test_an_upgrade_trusts_no_stamp(settled: Store) -> None:
    assert str(read_pointer(settled.layout)) in settled.upgrade()
    segment = rot(settled.layout)
    with settled.view():
        pass
    with pytest.raises(CorruptStoreError, match=segment):
        settled.upgrade()


@pytest.mark.requirement("IDX.MUST.006")
def test_a_stamp_that_was_taken_for_another_digest_is_worth_nothing(settled: Store) -> None:
    stamps = Path(settled.layout.cache) / "stamps.json"
    rot(settled.layout)
    with settled.view():
        pass
    known = json.loads(stamps.read_bytes())
    for entry in known.values():
        entry["sha256"] = "0" * 64
    stamps.write_text(json.dumps(known))
    proven._PROVEN.clear()  # as in a process that begins
    with pytest.raises(CorruptStoreError, match="damaged"):
        settled.view()
