"""A process that dies while vectors go to another engine leaves the old snapshot or the new one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.engines import lies_outside
from cairn.store import faults
from tests.engines.kinds import OTHERS, served
from tests.long import LONG
from tests.store.test_crash import AFTER, AFTER_SWAP, BEFORE, assert_sound, content, die_at, fill, sync_at_once
from tests.trees import Repo

_ALL = [point for point in faults.POINTS if point.split(".")[0] in ("segment", "publish")]
_FEW = ["segment.rows_written", "segment.vectors_written", "publish.manifest_written", "publish.pointer_swapped"]
POINTS = _ALL if LONG else _FEW


@pytest.fixture(params=OTHERS)
def codebase(
    request: pytest.FixtureRequest, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Codebase]:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    monkeypatch.setenv("CAIRN_ENGINE", request.param)
    fill(repo.path, BEFORE)
    for _ in served(request.param, tmp_path, monkeypatch):
        with Codebase(str(repo.path)) as opened:
            opened.index()
            yield opened


def assert_nothing_left_behind(codebase: Codebase) -> None:
    store = codebase.store()
    store.collect(force=True)
    with store.view() as view:
        named = {ref.segment_id for ref in view.segments}
        view.upkeep.verify_outside()
    outside = lies_outside(store.identity.engine, store.layout.path)
    assert outside is None or outside.held() == named
    assert set(os.listdir(store.layout.segments)) == named
    assert_sound(store.layout)


@pytest.mark.requirement("ENG.1", "ENG.2")
@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
def test_an_index_that_dies_leaves_the_old_or_the_new_snapshot(codebase: Codebase, point: str) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    die_at(point, "index", root)
    assert content(codebase) == (AFTER if point in AFTER_SWAP else BEFORE)
    sync_at_once(codebase)
    assert content(codebase) == AFTER
    assert_nothing_left_behind(codebase)
    assert content(codebase) == AFTER


@pytest.mark.requirement("ENG.1")
@pytest.mark.parametrize("point", ["compact.built", "segment.vectors_written"])
def test_a_compaction_that_dies_changes_no_content(codebase: Codebase, point: str) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    codebase.index()
    die_at(point, "compact", "--force", root)
    assert content(codebase) == AFTER
    codebase.compact(force=True)
    assert content(codebase) == AFTER
    assert_nothing_left_behind(codebase)


@pytest.mark.requirement("ENG.1")
@pytest.mark.parametrize("point", ["gc.manifest_removed", "gc.segment_removed"])
def test_a_collection_that_dies_is_finished_by_the_next(codebase: Codebase, point: str) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    codebase.index()
    codebase.compact(force=True)
    die_at(point, "gc", "--force", root)
    assert content(codebase) == AFTER
    assert_nothing_left_behind(codebase)
