"""What the commands say of a store whose counts, parts or files are not what they should be."""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cairn.base.errors import CorruptStoreError, PublishRefusedError
from cairn.codebase.codebase import Codebase
from cairn.indexing.terms import terms_of
from cairn.store import FileError, compact
from cairn.store._segment import SegmentWriter
from cairn.store.digest import digest_folder
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest, SegmentRef, encode
from cairn.store.recovery import newest_first, read_manifest, read_pointer
from tests.store.samples import add, begin, facts, make_store, publish
from tests.surfaces.cli.test_store import answer, flip_a_byte, layout_of, run, say
from tests.trees import Repo
from tests.workspace.test_reads import append, before_each_read


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """Two snapshots: in the second one file is replaced and one is gone."""
    repo.write("kept.py", "kept = 1\n")
    repo.write("changed.py", "changed = 1\n")
    repo.write("gone.py", "gone = 1\n")
    answer("index", str(repo.path))
    repo.write("changed.py", "changed = 2\n")
    (repo.path / "gone.py").unlink()
    answer("index", str(repo.path))
    return repo


def active(layout: Layout) -> Manifest:
    pointer = read_pointer(layout)
    assert pointer is not None
    return read_manifest(layout, pointer)


def rewrite(layout: Layout, manifest: Manifest) -> None:
    """Replace a manifest by a changed one that bears a right checksum."""
    Path(layout.manifest(manifest.snapshot_id)).write_bytes(encode(manifest))


def drift(layout: Layout) -> None:
    manifest = active(layout)
    rewrite(layout, replace(manifest, counts=replace(manifest.counts, chunks_live=manifest.counts.chunks_live + 1)))


def check_of(document: dict[str, Any], code: str) -> dict[str, Any]:
    (found,) = [check for check in document["checks"] if check["code"] == code]
    return dict(found)


@pytest.mark.slow
@pytest.mark.requirement("STO.7")
@pytest.mark.parametrize("change", ["add", "edit", "delete"])
def test_a_sync_on_tombstones_that_hide_nothing_is_refused(repo: Repo, change: str) -> None:
    """What was deleted shows again, which the counts of the active snapshot contradict."""
    for name in ("kept.py", "gone.py"):
        repo.write(name, f"name = '{name}'\n")
    answer("index", str(repo.path))
    (repo.path / "gone.py").unlink()
    answer("index", str(repo.path))
    layout = layout_of(repo.path)
    manifest = active(layout)
    assert len(manifest.tombstones) == 1
    rewrite(layout, replace(manifest, tombstones=tuple(replace(ref, applies_to=()) for ref in manifest.tombstones)))
    if change == "delete":
        (repo.path / "kept.py").unlink()
    else:
        repo.write("new.py" if change == "add" else "kept.py", "new = 3\n")
    done = run("index", "--json", str(repo.path))
    assert done.returncode == 5, done.stdout
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "publish_refused"
    assert "taken for live" in error["message"]
    assert read_pointer(layout) == manifest.snapshot_id
    assert answer("index", "--reindex", str(repo.path))["published"] is True


@pytest.mark.slow
@pytest.mark.requirement("STO.7")
def test_a_sync_on_a_replaced_file_that_is_live_twice_is_refused(repo: Repo) -> None:
    repo.write("a.py", "alpha = 1\n")
    answer("index", str(repo.path))
    repo.write("a.py", "alpha = 2\n")
    answer("index", str(repo.path))
    layout = layout_of(repo.path)
    manifest = active(layout)
    rewrite(layout, replace(manifest, tombstones=tuple(replace(ref, applies_to=()) for ref in manifest.tombstones)))
    repo.write("new.py", "new = 3\n")
    done = run("index", "--json", str(repo.path))
    assert done.returncode == 5, done.stdout
    assert json.loads(done.stdout)["error"]["code"] == "publish_refused"
    assert read_pointer(layout) == manifest.snapshot_id


@pytest.mark.requirement("STO.7")
def test_a_segment_that_holds_other_rows_than_its_reference_says_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path)
    finish = SegmentWriter.finish

    def miscount(self: SegmentWriter, marker: dict[str, Any] | None) -> SegmentRef:
        ref = finish(self, marker)
        return replace(ref, rows=ref.rows + 1)

    # A right digest over a wrong count: only a defect of the writer makes one.
    monkeypatch.setattr(SegmentWriter, "finish", miscount)
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "a.py", "walrus\n")
        with pytest.raises(PublishRefusedError, match=r"holds 1 rows of 1 files, not 2 of 1"):
            transaction.publish(lease, facts(transaction.live_paths))
    assert read_pointer(store.layout) is None


@pytest.mark.slow
@pytest.mark.requirement("STO.8")
def test_a_degraded_index_says_which_old_version_is_still_served(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(indexed.path)
    indexed.write("changed.py", "changed = 3\n")
    with monkeypatch.context() as busy:
        before_each_read(busy, lambda path: append(path) if path.name == "changed.py" else None)
        document = answer("index", "--allow-degraded", root)
        assert document["degraded"] is True
        (error,) = document["errors"]
        assert (error["code"], error["path_key"]) == ("file_unstable", "changed.py")
        text = say("index", "--allow-degraded", root)
    assert "warning: changed.py could not be brought up to date" in text

    assert answer("status", root)["degraded"] is True
    assert "degraded, 1 file could not be brought up to date" in say("status", root)
    found = answer("search", "--no-sync", "changed", root)
    assert found["degraded"] is True
    assert "degraded: 1 file could not be brought up to date" in found["warnings"]
    assert "changed.py is shown as it was before: it could not be read since" in found["warnings"]
    assert {item["path"]: item["text"] for item in found["results"]}["changed.py"] == "changed = 2"
    both = answer("search", "--no-sync", "changed", "--root", root, "--root", root)
    assert (both["degraded"], both["codebases"][0]["degraded"]) == (True, True)
    assert "· degraded ·" in run("search", "--no-sync", "changed", root).stderr
    done = run("health", "--json", root)
    assert done.returncode == 5
    assert check_of(json.loads(done.stdout), "degraded")["level"] == "warning"


@pytest.mark.requirement("STO.8")
def test_compaction_keeps_what_a_degraded_snapshot_lacks(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    publish(store, {"a.py": "walrus\n"})
    missing = (FileError("unreadable", "bad.py: denied", "bad.py"),)
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "b.py", "otter\n")
        tree = facts(transaction.live_paths | {"bad.py"}, frozenset({"b.py", "bad.py"}), missing)
        transaction.publish(lease, tree)
    compacted = store.compact(terms_of, force=True)
    assert compacted is not None
    assert compacted.errors == missing
    assert compacted.degraded


@pytest.mark.slow
def test_a_compaction_that_fails_after_a_publish_is_a_warning(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    # A disk that is full for the compaction alone, and a compaction that is due after three segments.
    monkeypatch.setattr(compact, "FAN_IN", 3)
    monkeypatch.setattr(compact, "build", full)
    root = str(indexed.path)
    indexed.write("new.py", "new = 3\n")
    document = answer("index", root)
    assert document["published"] is True
    (warning,) = document["warnings"]
    assert "the snapshot was published, but the store could not be compacted" in warning
    assert "No space left on device" in warning
    assert answer("status", root)["snapshot_id"] == document["snapshot_id"]
    indexed.write("new.py", "new = 4\n")
    assert "warning: the snapshot was published" in say("index", root)


@pytest.mark.slow
@pytest.mark.requirement("AUDIT.1")
@pytest.mark.requirement("REPAIR.1")
def test_counts_that_do_not_hold_are_told_by_audit_repair_and_health(indexed: Repo) -> None:
    root = str(indexed.path)
    layout = layout_of(indexed.path)
    drift(layout)
    before = read_pointer(layout)
    audited = answer("audit", root, code=14)
    assert [item["code"] for item in audited["drift"]] == ["chunks_live", "marker_count"]
    assert {item["action"] for item in audited["drift"]} == {"Run `cairn index --reindex`."}
    repaired = answer("repair", root, code=4)
    assert repaired["reindex_required"] is True
    assert [reason.split(":")[0] for reason in repaired["damage"]] == ["chunks_live", "marker_count"]
    assert "cairn index --reindex" in say("repair", root, code=4)
    assert check_of(answer("health", root, code=14), "counts")["level"] == "error"
    assert read_pointer(layout) == before
    answer("index", "--reindex", root)
    assert answer("audit", root)["drift"] == []
    assert answer("repair", root)["reindex_required"] is False


@pytest.mark.slow
@pytest.mark.requirement("AUDIT.1")
@pytest.mark.parametrize("field", ["files_indexed", "chunks_indexed", "files_live", "chunks_live"])
def test_audit_names_each_count_that_drifts(indexed: Repo, field: str) -> None:
    layout = layout_of(indexed.path)
    manifest = active(layout)
    counts = replace(manifest.counts, **{field: getattr(manifest.counts, field) + 1})
    rewrite(layout, replace(manifest, counts=counts))
    assert field in [item["code"] for item in answer("audit", str(indexed.path), code=14)["drift"]]


def test_health_exits_with_more_than_nothing_on_a_warning(indexed: Repo) -> None:
    root = str(indexed.path)
    assert answer("health", root)["healthy"] is True
    left = os.path.join(layout_of(indexed.path).staging, "left-behind")
    os.mkdir(left, 0o700)
    os.utime(left, (0, 0))
    document = answer("health", root, code=5)
    assert document["healthy"] is False
    assert check_of(document, "garbage") == {
        "code": "garbage",
        "level": "warning",
        "message": "1 abandoned transaction",
        "action": "Run `cairn gc --force`.",
    }
    answer("gc", root)
    assert answer("health", root)["healthy"] is True


def other_dimension(layout: Layout, ref: SegmentRef) -> SegmentRef:
    return replace(ref, dimension=7)


def cut(name: str) -> Callable[[Layout, SegmentRef], SegmentRef]:
    """Spoil a part in a way that its digest tells nothing of, as a defect of the writer would."""

    def spoil(layout: Layout, ref: SegmentRef) -> SegmentRef:
        folder = layout.segment(ref.segment_id)
        os.truncate(os.path.join(folder, name), 3)
        return replace(ref, digest=digest_folder(folder))

    return spoil


@pytest.mark.sampled
@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize(
    "spoil",
    [other_dimension, cut("vectors.npy"), cut("terms.bin"), cut("trigrams.bin"), cut("lexical/meta.json")],
    ids=["dimension", "vectors", "terms", "trigrams", "postings"],
)
def test_health_opens_every_part_of_every_segment(
    indexed: Repo, spoil: Callable[[Layout, SegmentRef], SegmentRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.store._segment.MOST_ROWS", 0)
    with Codebase(str(indexed.path)) as codebase:
        codebase.reindex_full()
    layout = layout_of(indexed.path)
    manifest = active(layout)
    first, *rest = manifest.segments
    rewrite(layout, replace(manifest, segments=(spoil(layout, first), *rest)))
    document = answer("health", str(indexed.path), code=14)
    assert check_of(document, "artifact_integrity")["level"] == "ok"
    assert check_of(document, "segment_parts")["level"] == "error"


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_repair_does_not_name_files_that_were_deleted_or_replaced_since(indexed: Repo) -> None:
    root = str(indexed.path)
    layout = layout_of(indexed.path)
    first = active(layout).segments[0].segment_id
    flip_a_byte(os.path.join(layout.segment(first), "vectors.npy"))
    document = answer("repair", root)
    assert document["affected"] == ["kept.py"]
    assert document["actions"] == ["rebuilt 1 file of 1 damaged segment"]
    assert answer("status", root)["counts"]["files"] == 2
    assert answer("health", root)["healthy"] is True


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_a_repair_after_which_the_store_is_still_damaged_says_so(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = layout_of(indexed.path)
    flip_a_byte(os.path.join(layout.segment(active(layout).segments[0].segment_id), "vectors.npy"))
    repairing = import_module("cairn.indexing.repair")
    sync_under = repairing.sync_under

    def on_a_bad_disk(*arguments: Any) -> Any:
        result = sync_under(*arguments)
        flip_a_byte(os.path.join(layout.segment(active(layout).segments[-1].segment_id), "vectors.npy"))
        return result

    # The disk goes on rotting while the repair runs.
    monkeypatch.setattr(repairing, "sync_under", on_a_bad_disk)
    with Codebase(str(indexed.path)) as codebase, pytest.raises(CorruptStoreError, match="still damaged"):
        codebase.repair()
    assert run("repair", str(indexed.path)).returncode == 14


@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("damage", [None, b"no id\n"])
def test_compact_without_a_pointer_says_corrupt(indexed: Repo, damage: bytes | None) -> None:
    layout = layout_of(indexed.path)
    pointer = Path(layout.pointer)
    pointer.unlink()
    if damage is not None:
        pointer.write_bytes(damage)
    before = {manifest.snapshot_id for manifest in newest_first(layout)}
    done = run("compact", "--force", "--json", str(indexed.path))
    assert done.returncode == 14, done.stdout
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "store_corrupt"
    assert "ACTIVE_SNAPSHOT" in error["message"]
    assert {manifest.snapshot_id for manifest in newest_first(layout)} == before
    assert os.listdir(layout.staging) == []
    assert run("gc", "--force", str(indexed.path)).returncode == 14
