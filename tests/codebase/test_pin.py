"""One question opens its store once, and lets go of it in the end."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import BusyError, NotReadyError
from cairn.base.ulid import new_ulid
from cairn.codebase.codebase import Codebase, Request
from cairn.codebase.pool import Pool
from cairn.config.user import cairn_home
from cairn.indexing import SyncOptions
from cairn.program.start import main
from cairn.store import store
from cairn.store.readers import exclusive_readers
from cairn.store.view import SnapshotView
from tests.trees import write


@pytest.fixture
def codebase(folder: Path) -> Iterator[Codebase]:
    write(folder, "lease.py", "def lease(epoch):\n    return epoch + 1\n")
    with Codebase(str(folder)) as opened:
        opened.index()
        yield opened


def is_held(codebase: Codebase) -> bool:
    """Whether a collector would have to wait."""
    try:
        with exclusive_readers(codebase.store().layout):
            return False
    except BusyError:
        return True


def test_a_search_that_syncs_first_opens_its_snapshot_once(codebase: Codebase, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Noted(SnapshotView):
        def __init__(self, *arguments: object, **named: object) -> None:
            super().__init__(*arguments, **named)  # type: ignore[arg-type]
            opened.append(self.snapshot_id)

    monkeypatch.setattr(store, "SnapshotView", Noted)
    assert main(["search", "lease", codebase.root_path]) == 0
    assert len(opened) == 1


def test_a_sync_that_finds_no_change_makes_no_embedder(codebase: Codebase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("cairn.embed.cached.with_cache")
    with Codebase(codebase.root_path) as again:
        assert not again.index().published
        write(Path(again.root_path), "new.py", "x = 1\n")
        with pytest.raises(ImportError):
            again.index()


def test_what_is_pinned_is_held_until_the_question_ends(codebase: Codebase) -> None:
    assert not codebase.index().published
    assert not is_held(codebase)
    assert codebase.pin()
    assert not codebase.index().published
    assert is_held(codebase)
    assert codebase.search(Request("lease")).items
    assert not is_held(codebase)
    codebase.pin()
    codebase.release()
    assert not is_held(codebase)


def test_what_is_not_true_any_more_is_let_go_of(codebase: Codebase) -> None:
    codebase.pin()
    write(Path(codebase.root_path), "guard.py", "def guard():\n    return 1\n")
    assert codebase.index().published
    assert not is_held(codebase)
    assert codebase.search(Request("guard"), synced=True).items[0].path == "guard.py"


@pytest.mark.parametrize("options", [SyncOptions(reindex=True), SyncOptions(verify=True)])
def test_a_pin_keeps_nobody_from_indexing_as_they_like(codebase: Codebase, options: SyncOptions) -> None:
    codebase.pin()
    before = codebase.store().active()
    after = codebase.index(options).manifest
    assert before is not None
    assert (after.snapshot_id != before.snapshot_id) == options.reindex
    with codebase.view() as view:
        assert view.snapshot_id == after.snapshot_id


def test_a_pin_passes_the_gates_like_every_other_view(codebase: Codebase) -> None:
    assert codebase.tracking is not None
    codebase.pin()
    codebase.tracking.registry.begin(codebase.identity, new_ulid(), codebase.parts())
    with pytest.raises(NotReadyError):
        codebase.view()
    with pytest.raises(NotReadyError):
        codebase.index(SyncOptions(wait_s=0))


def test_other_settings_are_those_of_another_snapshot(codebase: Codebase) -> None:
    codebase.pin()
    write(Path(codebase.root_path), ".cairn.toml", "[index]\nchunk_bytes = 500\n")
    codebase.refresh()
    assert not codebase.pin()
    Path(codebase.root_path, ".cairn.toml").unlink()
    codebase.refresh()
    assert not is_held(codebase)


def test_a_codebase_that_waits_in_the_pool_holds_nothing(codebase: Codebase) -> None:
    pool = Pool(cairn_home())
    with contextlib.closing(pool):
        with pool.using(codebase.root_path) as used:
            assert used.pin()
            assert is_held(codebase)
        assert pool.idle() == 1
        assert not is_held(codebase)


def test_there_is_nothing_to_pin_before_the_first_index(folder: Path) -> None:
    with Codebase(str(folder)) as codebase:
        assert not codebase.pin()
