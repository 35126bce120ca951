"""The garbage collector runs again after the last of those who had it switched off."""

import gc

from cairn.base.garbage import without_collections


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
