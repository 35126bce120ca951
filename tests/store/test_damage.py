"""One damaged file at a time: the right answer or a named error, and a repair that keeps its word."""

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cairn.base.errors import CairnError, CorruptStoreError, IncompatibleError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.indexing.repair import repair
from cairn.search import parse_query
from cairn.search.find import find
from cairn.store import SnapshotView, Store
from cairn.store import manifest as manifests
from cairn.store.damage import Damage, assess
from cairn.store.digest import files_beneath
from cairn.store.health import Level, check_store
from cairn.store.integrity import Verifier, artifacts
from cairn.store.lease import read_lease
from cairn.store.recovery import read_pointer
from cairn.store.state import read_state
from cairn.store.tombstones import decode, decode_file_index
from tests.long import LONG
from tests.notes import command_hint
from tests.store.samples import contents, make_store, publish
from tests.trees import write

QUERIES = ("alpha", "replaced", "gone", "late common")


@dataclass(frozen=True, slots=True)
class Scene:
    """A tree with its store: compacted once, then three more segments with tombstones."""

    root: Path
    store: Path


@dataclass(frozen=True, slots=True)
class Case:
    scene: Scene
    root: Path
    base: Path

    def codebase(self) -> Codebase:
        return Codebase(str(self.root))


def tree_of(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*.py")}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    top = tmp_path_factory.mktemp("damage")
    root = top / "root"
    root.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", str(top / "home"))
        # Every part that a segment can have is damaged, so all of them have an index of Tantivy.
        patch.setattr("cairn.store._segment.MOST_ROWS", 0)
        with Codebase(str(root)) as codebase:

            def step(files: dict[str, str | None]) -> None:
                for name, text in files.items():
                    if text is None:
                        (root / name).unlink()
                    else:
                        write(root, name, text)
                codebase.index(SyncOptions())

            step({"a.py": "alpha = 1\n", "b.py": "beta = 2\n"})
            step({"c.py": "gone = 3\n"})
            assert codebase.compact(force=True) is not None
            step({"b.py": "replaced = 4\n"})
            step({"c.py": None, "d.py": "late common = 5\n"})
            step({"e.py": "late common = 6\n"})
            with codebase.store().view(fresh=True) as view:
                assert len(view.segments) == 4
                assert len(view.manifest.tombstones) == 2
                assert contents(view) == tree_of(root)
            store = Path(codebase.store().layout.path)
    return Scene(root, store)


@pytest.fixture
def case(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A copy of the store to break; the tree itself is only read."""
    home = tmp_path / "home"
    base = home / "data" / scene.store.name
    shutil.copytree(scene.store, base)
    monkeypatch.setenv("CAIRN_HOME", str(home))
    return Case(scene, scene.root, base)


def damageable(base: Path) -> list[str]:
    """Every file that the active snapshot is made of, and the control files around it."""
    active = (base / "ACTIVE_SNAPSHOT").read_text().strip()
    names = ["ACTIVE_SNAPSHOT", "index_state.json", "locks/writer_lease.json", "cache/stamps.json"]
    names.append(f"snapshots/{active}/manifest.json")
    manifest = manifests.decode((base / names[-1]).read_bytes(), names[-1])
    for name, _ in artifacts(manifest):
        path = base / name
        names += [f"{name}/{inside}" for inside in files_beneath(str(path))] if path.is_dir() else [name]
    return names


def flip(at: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        if data:
            data[min(int(len(data) * at), len(data) - 1)] ^= 0x04
        path.write_bytes(bytes(data))

    return damage


def truncate(share: float) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


HARM: dict[str, Callable[[Path], None]] = {
    "flip at the start": flip(0.0),
    "flip in the middle": flip(0.5),
    "flip at the end": flip(1.0),
    "cut to nothing": truncate(0),
    "cut in half": truncate(0.5),
    "deleted": Path.unlink,
}


def search(codebase: Codebase) -> dict[str, object]:
    """Content and answers, through the door that queries use."""
    with codebase.view() as view:
        found: dict[str, object] = {
            query: [
                (hit.row.path_key, hit.row.text, hit.score) for hit in find(view, parse_query(query), None, 10).results
            ]
            for query in QUERIES
        }
        embedded = codebase.embedder.embed(QUERIES)
        for query, vector in zip(QUERIES, embedded, strict=True):
            found[f"near {query}"] = [(hit.row.path_key, hit.score) for hit in view.vectors.nearest(vector, 10)]
        found["contents"] = contents(view)
        found["fell back"] = bool(view.recovered)
        return found


def whole_before(codebase: Codebase) -> list[dict[str, str]]:
    """What the snapshots before the active one say: what a fallback may answer with."""
    layout = codebase.store().layout
    found = []
    for name in sorted(os.listdir(layout.snapshots))[:-1]:
        with SnapshotView(layout, snapshot_id=name) as view:
            found.append(contents(view))
    return found


def assess_or_refuse(store: Store) -> Damage | None:
    """The damage, or None when a version number was hit and the store counts as one of another time."""
    try:
        return assess(store.layout)
    except IncompatibleError:
        return None


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.006")
@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("harm", HARM)
def test_any_damaged_file_gives_the_right_answer_or_a_named_error(case: Case, harm: str) -> None:
    with case.codebase() as codebase:
        right = search(codebase)
        before = whole_before(codebase)
        names = damageable(case.base)
        assert len(names) > 40
        refused = set()
        for name in names:
            path = case.base / name
            intact = path.read_bytes()
            HARM[harm](path)
            try:
                found = search(codebase)
                if found["fell back"]:
                    assert name.endswith(("ACTIVE_SNAPSHOT", "manifest.json")), name
                    assert found["contents"] in (right["contents"], *before), name
                else:
                    assert found == right, name
            except CairnError:
                refused.add(name)
            damage = assess_or_refuse(codebase.store())
            if name in refused:
                assert damage is None or damage, f"{name} is refused, but repair would find nothing to do"
            path.write_bytes(intact)
        assert search(codebase) == right
    artifact_files = {name for name in names if name.startswith(("segments/", "snapshots/"))}
    empty = {name for name in artifact_files if not (case.base / name).stat().st_size}
    assert {name for name in artifact_files if not name.endswith("manifest.json")} - empty <= refused
    assert refused <= artifact_files


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.requirement("REPAIR.1")
@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("harm", HARM if LONG else ["flip in the middle", "deleted"])
def test_repair_mends_what_it_says_it_mends(case: Case, harm: str, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(case.base, whole)
    with case.codebase() as codebase:
        right = search(codebase)
        for name in repairable(damageable(case.base)):
            shutil.rmtree(case.base)
            shutil.copytree(whole, case.base)
            HARM[harm](case.base / name)
            damage = assess(codebase.store().layout)
            assert damage, name
            result = repair(codebase.store(), codebase.detector, codebase.embedder)
            assert result.reindex_required == (damage.base is None) == ("tombstones" in name), name
            if result.reindex_required:
                assert result.actions == ()
                codebase.index(SyncOptions(reindex=True))
            else:
                assert result.actions
            after = search(codebase)
            assert after == right, name
            assert not assess(codebase.store().layout), name
            assert [check for check in check_store(codebase.store().layout) if check.level is Level.ERROR] == [], name


def repairable(names: list[str]) -> list[str]:
    """One file of each kind; all of them when there is time."""
    if LONG > 1:
        return [name for name in names if name.startswith(("segments/", "snapshots/", "ACTIVE"))]
    kinds = {Path(name).name if "lexical" not in name else "lexical": name for name in names}
    chosen = ("rows.sqlite", "vectors.npy", "lexical", "tombstones.jsonl", "segment_file_index.jsonl")
    return [kinds[kind] for kind in (*chosen, "manifest.json", "ACTIVE_SNAPSHOT")]


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_repair_rebuilds_only_the_files_of_the_damaged_segment(case: Case) -> None:
    with case.codebase() as codebase:
        newest = codebase.store().view().segments[-1]
        flip(0.5)(case.base / "segments" / newest.segment_id / "rows.sqlite")
        damage = assess(codebase.store().layout)
        assert damage.segments == (newest.segment_id,)
        assert damage.affected == ("e.py",)
        result = codebase.repair()
        assert result.sync is not None
        assert result.sync.indexed == 1
        assert result.sync.embedded == 2


@pytest.mark.requirement("REPAIR.1")
def test_repair_does_nothing_to_a_whole_store(case: Case) -> None:
    with case.codebase() as codebase:
        before = read_pointer(codebase.store().layout)
        result = codebase.repair()
        assert not result.damage
        assert result.actions == ()
        assert read_pointer(codebase.store().layout) == before


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_a_repair_takes_in_what_changed_in_the_tree_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    write(root, "a.py", "alpha = 1\n")
    with Codebase(str(root)) as codebase:
        codebase.index(SyncOptions())
        write(root, "b.py", "beta = 2\n")
        codebase.index(SyncOptions())
        (segment, *_) = codebase.store().view().segments
        truncate(0.5)(Path(codebase.store().layout.segment(segment.segment_id)) / "vectors.npy")
        (root / "a.py").unlink()
        write(root, "b.py", "newer = 3\n")
        codebase.repair()
        with codebase.view() as view:
            assert contents(view) == {"b.py": "newer = 3\n"}


def stamp_of(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


@pytest.mark.requirement("IDX.MUST.006")
def test_rot_under_an_unchanged_stamp_is_found_by_health(case: Case) -> None:
    with case.codebase() as codebase:
        store = codebase.store()
        with store.view() as view:
            ref = view.segments[0]
        name = f"segments/{ref.segment_id}"
        flip(0.5)(case.base / name / "vectors.npy")
        # Silent rot changes no stamp; a test can only change the stamp that is remembered.
        remembered = {file: stamp_of(case.base / name / file) for file in files_beneath(str(case.base / name))}
        entry = {"sha256": ref.digest.sha256, "stamps": remembered}
        (case.base / "cache" / "stamps.json").write_text(json.dumps({name: entry}))
        store.view().close()
        levels = {check.code: check.level for check in check_store(store.layout)}
        assert levels["artifact_integrity"] is Level.ERROR
        with pytest.raises(CorruptStoreError, match=name):
            store.view(fresh=True)
        assert assess(store.layout).segments == (name.removeprefix("segments/"),)


@pytest.mark.requirement("IDX.MUST.006")
def test_a_mismatch_names_the_artifact_and_the_way_out(case: Case) -> None:
    with case.codebase() as codebase:
        name = f"segments/{codebase.store().view().segments[0].segment_id}"
        flip(0.5)(case.base / name / "rows.sqlite")
        with pytest.raises(CorruptStoreError, match=f"{name} is damaged") as caught:
            codebase.view()
        assert "cairn repair" in command_hint(caught.value.hint)


@pytest.mark.requirement("IDX.MUST.006")
def test_a_segment_with_a_file_too_many_is_damaged(case: Case) -> None:
    with case.codebase() as codebase:
        name = f"segments/{codebase.store().view().segments[0].segment_id}"
        (case.base / name / "lexical" / "extra").write_bytes(b"")
        with pytest.raises(CorruptStoreError, match=name):
            codebase.view()


@pytest.mark.slow
@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("value", [0x00, 0x22, 0x2C, 0x30, 0x39, 0x65, 0x7D, 0xFF])
def test_no_single_byte_makes_a_control_file_more_than_unreadable(case: Case, value: int, tmp_path: Path) -> None:
    """Every reader of a small file gives a value or a named error, whatever one byte becomes."""
    with case.codebase() as codebase:
        layout = codebase.store().layout
    readers: list[tuple[str, Callable[[], object]]] = [
        (layout.pointer, lambda: read_pointer(layout)),
        (layout.lease, lambda: read_lease(layout)),
        (layout.index_state, lambda: read_state(layout)),
        (os.path.join(layout.cache, "stamps.json"), lambda: Verifier(layout)),
    ]
    for path, read in readers:
        intact = Path(path).read_bytes()
        for at in range(0, len(intact), 1 if len(intact) < 1000 else 41):
            Path(path).write_bytes(intact[:at] + bytes([value]) + intact[at + 1 :])
            with contextlib.suppress(CairnError):
                read()
        Path(path).write_bytes(intact)


@pytest.mark.slow
@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("value", [0x00, 0x22, 0x2C, 0x30, 0x39, 0x65, 0x7D, 0xFF])
def test_no_single_byte_changes_what_a_manifest_says(case: Case, value: int) -> None:
    path = next(case.base / name for name in damageable(case.base) if name.endswith("manifest.json"))
    intact = path.read_bytes()
    right = manifests.decode(intact, "it")
    for at in range(len(intact)):
        data = intact[:at] + bytes([value]) + intact[at + 1 :]
        try:
            assert manifests.decode(data, "it") == right
        except (CorruptStoreError, IncompatibleError):
            continue


@pytest.mark.parametrize("reader", [decode, decode_file_index])
def test_lines_that_are_no_lines_are_a_named_error(reader: Callable[[bytes, str], object]) -> None:
    for data in (b"{", b"[]\n", b"3\n", b"{}\n", b"\xff\n", b'"x"\n', b"null\n"):
        with pytest.raises(CorruptStoreError, match="the place"):
            reader(data, "the place")


@pytest.mark.slow
@pytest.mark.requirement("LEASE.2")
def test_a_damaged_epoch_in_the_lease_never_lets_epochs_go_back(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    for number in range(12):
        newest = publish(store, {"a.py": f"version {number}\n"})
    lease = Path(store.layout.lease)
    lease.write_text(lease.read_text().replace('"lease_epoch": 12', '"lease_epoch": 10'))
    assert publish(store, {"a.py": "the newest\n"}).lease_epoch > newest.lease_epoch
    os.unlink(store.layout.pointer)
    with store.view() as view:
        assert contents(view) == {"a.py": "the newest\n"}
