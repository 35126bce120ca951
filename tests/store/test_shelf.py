"""Segments that stay open between views: the same answers, verified all the same, and nothing kept for ever."""

from dataclasses import replace
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError
from cairn.codebase.codebase import Codebase, Request
from cairn.indexing.options import SyncOptions
from cairn.store import SnapshotView
from cairn.store.shelf import Shelf
from tests.trees import Repo


@pytest.fixture
def codebase(repo: Repo) -> Codebase:
    repo.write("a.py", "def lease():\n    return 1\n")
    repo.write("b.py", "def guard():\n    return 2\n")
    opened = Codebase(str(repo.path))
    opened.index(SyncOptions())
    return opened


def paths(codebase: Codebase, query: str) -> list[str]:
    return [item.row.path_key for item in codebase.search(Request(query)).items]


def readers(view: SnapshotView) -> dict[str, int]:
    return {segment.ref.segment_id: id(segment) for segment in view._pinned.opened()}


def test_the_next_view_takes_the_open_segments(codebase: Codebase) -> None:
    shelf = Shelf()
    with codebase.store().view(shelf=shelf) as first:
        before = readers(first)
        rows = first.rows.of("a.py")
    with codebase.store().view(shelf=shelf) as second:
        assert readers(second) == before
        assert second.rows.of("a.py") == rows


def test_without_a_shelf_each_view_opens_its_own(codebase: Codebase) -> None:
    with codebase.store().view() as first, codebase.store().view() as second:
        assert readers(first).keys() == readers(second).keys()
        assert not set(readers(first).values()) & set(readers(second).values())


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.001")
def test_what_is_deleted_or_replaced_is_gone_from_an_open_segment_too(codebase: Codebase, repo: Repo) -> None:
    assert paths(codebase, "guard") == ["b.py"]
    assert paths(codebase, "lease") == ["a.py"]
    (repo.path / "b.py").unlink()
    repo.write("a.py", "def permit():\n    return 1\n")
    codebase.index(SyncOptions())
    assert paths(codebase, "guard") == []
    assert paths(codebase, "lease") == []
    assert paths(codebase, "permit") == ["a.py"]


def test_a_view_that_is_still_open_outlives_a_newer_one(codebase: Codebase, repo: Repo) -> None:
    shelf = Shelf()
    with codebase.store().view(shelf=shelf) as old:
        repo.write("a.py", "def permit():\n    return 1\n")
        codebase.index(SyncOptions(reindex=True))
        with codebase.store().view(shelf=shelf) as new:
            assert "permit" in new.rows.of("a.py")[0].text
        assert "lease" in old.rows.of("a.py")[0].text


def test_damage_is_seen_though_the_segment_is_open(codebase: Codebase) -> None:
    assert paths(codebase, "guard") == ["b.py"]
    layout = codebase.store().layout
    (segment,) = Path(layout.segments).iterdir()
    damaged = segment / "rows.sqlite"
    data = bytearray(damaged.read_bytes())
    data[-10] ^= 0xFF
    damaged.write_bytes(data)
    with pytest.raises(CorruptStoreError):
        codebase.search(Request("guard"))


def test_a_closed_codebase_lets_go_of_its_segments(codebase: Codebase) -> None:
    paths(codebase, "guard")
    codebase.close()
    assert not codebase._shelf._readers


def test_readers_of_former_segments_are_let_go_of(codebase: Codebase, repo: Repo) -> None:
    shelf = Shelf()
    with codebase.store().view(shelf=shelf):
        pass
    codebase.index(SyncOptions(reindex=True))
    with codebase.store().view(shelf=shelf) as view:
        assert set(shelf._readers) == {ref.segment_id for ref in view.segments}


def test_another_store_with_the_same_segment_is_read_for_itself(codebase: Codebase, tmp_path: Path) -> None:
    shelf = Shelf()
    store = codebase.store()
    with store.view(shelf=shelf) as first:
        before = readers(first)
    other = replace(store.layout, path=str(tmp_path / "elsewhere"))
    with store.view() as view:
        taken = shelf.take(other, [(ref, frozenset()) for ref in view.segments])
    assert not set(before.values()) & {id(reader) for reader in taken}
