"""Repair: what is damaged is made anew from the tree, what is whole stays, and the outcome is checked."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError
from cairn.codebase.codebase import Codebase, Request
from cairn.indexing.options import SyncOptions
from cairn.indexing.repair import RepairResult
from cairn.store.audit import audit
from cairn.store.damage import assess
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest
from tests.trees import write

pytestmark = pytest.mark.slow

TEXTS = {f"file{number}.py": f"word{number} = {number}\n" for number in range(4)}


def index(root: Path) -> Manifest:
    with Codebase(str(root)) as codebase:
        return codebase.index(SyncOptions()).manifest


def repair(root: Path) -> RepairResult:
    with Codebase(str(root)) as codebase:
        return codebase.repair()


def layout_of(root: Path) -> Layout:
    with Codebase(str(root)) as codebase:
        return codebase.store().layout


def live(root: Path) -> dict[str, str]:
    with Codebase(str(root)) as codebase, codebase.store().view(fresh=True) as view:
        assert audit(view) == []
        assert view.recovered == ""
        assert codebase.search(Request("word0")).manifest == view.manifest
        return {
            file.path_key: "".join(row.text for row in view.rows.of(file.path_key) if row.kind == "text")
            for file in view.files()
        }


def flip(path: str) -> None:
    data = bytearray(Path(path).read_bytes())
    data[len(data) // 2] ^= 1
    Path(path).write_bytes(data)


def cut(path: str) -> None:
    os.truncate(path, os.stat(path).st_size // 2)


def empty(path: str) -> None:
    os.truncate(path, 0)


@pytest.fixture
def spread(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four files in four segments; the last one was changed, so that the first segment has a dead row."""
    monkeypatch.setattr("cairn.store._segment.MOST_ROWS", 0)  # so that each has every part that there is
    for name, text in TEXTS.items():
        write(folder, name, text)
        index(folder)
    write(folder, "file0.py", TEXTS["file0.py"] + "changed = 1\n")
    index(folder)
    return folder


def expected(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir()}


DAMAGES: list[Callable[[str], None]] = [flip, cut, empty, os.unlink]


@pytest.mark.requirement("REPAIR.1")
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["rows.sqlite", "vectors.npy", "lexical/meta.json"])
def test_only_the_files_of_a_damaged_segment_are_made_anew(
    spread: Path, name: str, damage: Callable[[str], None]
) -> None:
    before = index(spread)
    broken = before.segments[1].segment_id
    damage(os.path.join(layout_of(spread).segment(broken), name))
    with pytest.raises(CorruptStoreError, match=broken):
        live(spread)
    result = repair(spread)

    assert result.sync is not None
    assert (result.damage.segments, result.damage.affected) == ((broken,), ("file1.py",))
    assert (result.sync.indexed, result.sync.deleted) == (1, 0)
    assert result.sync.manifest.cause == "repair"
    assert broken not in {ref.segment_id for ref in result.sync.manifest.segments}
    assert {ref.segment_id for ref in before.segments} - {broken} < {
        ref.segment_id for ref in result.sync.manifest.segments
    }
    assert live(spread) == expected(spread)
    assert not assess(layout_of(spread))


@pytest.mark.requirement("REPAIR.1")
def test_a_segment_whose_file_was_replaced_since_brings_no_old_text_back(spread: Path) -> None:
    first, *_, newest = index(spread).segments
    for broken in (first, newest):
        flip(os.path.join(layout_of(spread).segment(broken.segment_id), "rows.sqlite"))
    repair(spread)
    assert live(spread) == expected(spread)
    assert repair(spread).actions == ()


@pytest.mark.requirement("REPAIR.1")
def test_every_segment_lost_is_everything_made_anew(spread: Path) -> None:
    for ref in index(spread).segments:
        shutil.rmtree(layout_of(spread).segment(ref.segment_id))
    result = repair(spread)
    assert result.sync is not None
    assert result.sync.indexed == 4
    assert live(spread) == expected(spread)


@pytest.mark.requirement("REPAIR.1")
def test_a_repair_takes_in_what_changed_since(spread: Path) -> None:
    broken = index(spread).segments[1].segment_id
    flip(os.path.join(layout_of(spread).segment(broken), "rows.sqlite"))
    (spread / "file1.py").unlink()
    write(spread, "fresh.py", "fresh = 1\n")
    write(spread, "file2.py", "other = 1\n")
    repair(spread)
    assert live(spread) == expected(spread)


@pytest.mark.requirement("REPAIR.1")
@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("damage", [*DAMAGES, lambda path: Path(path).write_text("0" * 26 + "\n")])
def test_a_damaged_pointer_is_set_again(spread: Path, damage: Callable[[str], None]) -> None:
    before = index(spread)
    damage(layout_of(spread).pointer)
    result = repair(spread)
    assert result.damage.pointer
    assert any(before.snapshot_id in action for action in result.actions)
    assert live(spread) == expected(spread)
    assert index(spread) == before


@pytest.mark.requirement("REPAIR.1")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest_falls_back_to_the_newest_whole_snapshot_and_catches_up(
    spread: Path, damage: Callable[[str], None]
) -> None:
    newest = index(spread)
    damage(layout_of(spread).manifest(newest.snapshot_id))
    repair(spread)
    assert live(spread) == expected(spread)


@pytest.mark.requirement("REPAIR.1")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_index_is_written_anew(spread: Path, damage: Callable[[str], None]) -> None:
    layout = layout_of(spread)
    damage(os.path.join(layout.path, index(spread).file_index[1].path))
    result = repair(spread)
    assert not result.reindex_required
    assert live(spread) == expected(spread)
    assert not assess(layout)


@pytest.mark.requirement("REPAIR.1")
def test_a_damaged_segment_without_its_file_index_needs_a_reindex(spread: Path) -> None:
    layout = layout_of(spread)
    manifest = index(spread)
    flip(os.path.join(layout.path, manifest.file_index[1].path))
    flip(os.path.join(layout.segment(manifest.segments[1].segment_id), "rows.sqlite"))
    result = repair(spread)
    assert (result.reindex_required, result.actions) == (True, ())
    with Codebase(str(spread)) as codebase:
        codebase.index(SyncOptions(reindex=True))
    assert live(spread) == expected(spread)


@pytest.mark.requirement("REPAIR.1")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_tombstones_need_a_reindex_and_show_nothing_meanwhile(
    spread: Path, damage: Callable[[str], None]
) -> None:
    layout = layout_of(spread)
    damage(os.path.join(layout.path, index(spread).tombstones[0].path))
    with pytest.raises(CorruptStoreError, match="tombstones"):
        live(spread)
    assert repair(spread).reindex_required
    with Codebase(str(spread)) as codebase:
        codebase.index(SyncOptions(reindex=True))
    assert live(spread) == expected(spread)


@pytest.mark.requirement("REPAIR.1")
def test_a_whole_store_is_left_alone(spread: Path) -> None:
    before = index(spread)
    result = repair(spread)
    assert (bool(result.damage), result.actions, result.sync) == (False, (), None)
    assert index(spread) == before


@pytest.mark.requirement("REPAIR.1")
def test_a_refile_meant_of_a_damaged_segment_comes_back_under_its_new_name(spread: Path) -> None:
    broken = index(spread).segments[1].segment_id
    (spread / "file1.py").rename(spread / "moved.py")
    flip(os.path.join(layout_of(spread).segment(broken), "vectors.npy"))
    repair(spread)
    assert live(spread) == expected(spread)
