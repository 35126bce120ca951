"""The garbage collector runs again after the last of those who had it switched off, and misses nothing for good."""

import gc
import weakref

import pytest

from cairn.base import garbage
from cairn.base.garbage import much_was_dropped, without_collections


def test_it_runs_again_once_the_last_is_through() -> None:
    first, second = without_collections(), without_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_whoever_had_switched_it_off_keeps_it_so() -> None:
    gc.disable()
    try:
        with without_collections():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.slow
def test_what_is_set_aside_goes_once_it_is_said_that_much_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_looked", -garbage._REST_S)

    class Circle:
        pass

    with without_collections(for_good=True):
        kept = Circle()
        kept.itself = kept  # type: ignore[attr-defined]
        seen = weakref.ref(kept)
    del kept
    gc.collect()
    assert seen() is not None
    much_was_dropped()
    with without_collections(for_good=True):
        pass
    assert seen() is None
    gc.unfreeze()


def test_what_is_dropped_again_and_again_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda: looks.append(1))
    monkeypatch.setattr(garbage, "_looked", -garbage._REST_S)
    monkeypatch.setattr(garbage, "_since", 0)
    for _ in range(3 * garbage._FEW):
        much_was_dropped()
        with without_collections(for_good=True):
            pass
    assert 3 <= len(looks) <= 5
    gc.unfreeze()
