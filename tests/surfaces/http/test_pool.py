"""Codebases that stay open: handed out one by one, let go of when they are too many or the settings change."""

import contextlib
import shutil
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, RootNotFoundError, UsageError
from cairn.codebase.pool import Pool, open_handles
from cairn.workspace.root import Root, find_root
from tests.surfaces.http.running import small
from tests.trees import Repo


@pytest.mark.slow
def test_a_codebase_stays_open_for_the_next_request(tree: Repo, home: Path) -> None:
    pool = Pool(str(home))
    with pool.using(str(tree.path)) as first:
        with pool.using(str(tree.path / "src")) as second:
            assert first is not second
            assert second.root_path == str(tree.path)
        with pool.using(str(tree.path)) as third:
            assert third is second
        with pool.using(str(tree.path), syncs=True) as other:
            assert other not in (first, second)
            # The model is the same for all: it is the largest thing that a codebase holds.
            assert other.model is first.model
            # A fork beside threads that use SQLite must not use it: a lock that one of them holds stays held there.
            heritage = other.embedder.heritage
            assert heritage is not None
            assert heritage.cache is None
    pool.close()
    with pytest.raises(UsageError):
        first.require_readable()


@pytest.mark.requirement("DMN.1")
def test_only_so_many_stay_open(tmp_path: Path, home: Path) -> None:
    pool = Pool(str(home), most_idle=2)
    trees = [small(tmp_path / str(number)) for number in range(4)]
    for each in trees:
        with pool.using(str(each.path)):
            pass
    assert pool.idle() == 2
    with contextlib.ExitStack() as many:
        for _ in range(10):
            many.enter_context(pool.using(str(trees[0].path)))
    assert pool.idle() <= 4
    scarce = Pool(str(home), most_handles=1)
    with scarce.using(str(trees[0].path)):
        pass
    assert scarce.idle() == 0
    pool.close()


@pytest.mark.slow
def test_of_one_root_only_a_few_stay_open(tree: Repo, home: Path) -> None:
    pool = Pool(str(home))
    for syncs, idle in ((False, 4), (True, 8)):
        with contextlib.ExitStack() as many:
            for _ in range(6):
                many.enter_context(pool.using(str(tree.path), syncs=syncs))
        assert pool.idle() == idle
    pool.close()


@pytest.mark.slow
def test_a_codebase_that_failed_in_an_unknown_way_is_not_used_again(tree: Repo, home: Path) -> None:
    pool = Pool(str(home))
    for error, kept in ((UsageError("x"), 1), (CorruptStoreError("x"), 1), (ValueError("x"), 0)):
        with pytest.raises(type(error)), pool.using(str(tree.path)):
            raise error
        assert pool.idle() == kept


@pytest.mark.slow
def test_other_settings_of_the_user_mean_other_codebases(tree: Repo, home: Path) -> None:
    pool = Pool(str(home))
    with pool.using(str(tree.path)) as first:
        pass
    (home / "config.toml").write_text('[embed]\nprovider = "hashing"\n')
    with pool.using(str(tree.path)) as second:
        assert second is not first
        assert second.identity != first.identity
    pool.close()


def test_a_repository_that_comes_to_be_around_or_goes_is_seen(tmp_path: Path, home: Path) -> None:
    pool = Pool(str(home))
    outer = small(tmp_path / "outer")
    with pool.using(str(outer.path / "src")) as codebase:
        assert codebase.root_path == str(outer.path)
    inner = Repo(outer.path / "src")
    inner.git("init", "-q")
    with pool.using(str(outer.path / "src")) as codebase:
        assert codebase.root_path == str(inner.path)
    with pytest.raises(RootNotFoundError), pool.using(str(outer.path / "gone")):
        pass
    pool.close()


def test_handles_are_counted(tmp_path: Path) -> None:
    before = open_handles()
    with contextlib.ExitStack() as stack:
        for number in range(10):
            stack.enter_context(open(tmp_path / str(number), "w"))
        assert open_handles() >= before + 10
    assert open_handles() == before


def test_a_codebase_whose_store_is_replaced_is_let_go_of(tmp_path: Path, home: Path) -> None:
    pool = Pool(str(home))
    first, other = small(tmp_path / "first"), small(tmp_path / "other")
    with pool.using(str(other.path)) as kept, pool.using(str(first.path)) as in_use:
        with pool.using(str(first.path)) as idle:
            pass
        assert pool.idle() == 1
        pool.drop(str(first.path))
        assert pool.idle() == 0
        with pytest.raises(UsageError):
            idle.require_readable()
    # The one in use is closed when it comes back; that of another root stays.
    assert pool.idle() == 1
    with pytest.raises(UsageError):
        in_use.require_readable()
    with pool.using(str(other.path)) as again:
        assert again is kept
    with pool.using(str(first.path)) as anew:
        assert anew not in (idle, in_use)
    with pool.using(str(first.path)) as again:
        assert again is anew
    pool.close()


def test_git_is_asked_once_for_a_root_and_again_when_it_may_be_another(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counted(path: str) -> Root:
        asked.append(path)
        return find_root(path)

    monkeypatch.setattr("cairn.codebase.pool.find_root", counted)
    pool, inner = Pool(str(home)), folder / "inner"
    inner.mkdir()
    for _ in range(3):
        with pool.using(str(inner)) as codebase:
            assert codebase.root_path == str(inner)
    assert asked == [str(inner)]
    Repo(folder).git("init", "-q")
    for _ in range(2):
        with pool.using(str(inner)) as codebase:
            assert codebase.root_path == str(folder)
    assert asked == [str(inner)] * 2
    shutil.rmtree(folder / ".git")
    with pool.using(str(inner)) as codebase:
        assert codebase.root_path == str(inner)
    pool.close()
