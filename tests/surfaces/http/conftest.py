"""One daemon and one indexed tree a module, for tests that change neither."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.http.running import Daemon, serving, small
from tests.trees import Repo, cairn


@pytest.fixture(autouse=True)
def one_place_for_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that serves many tests can't have the folder of one of them; the home is private anyway."""
    monkeypatch.delenv("XDG_CONFIG_HOME")


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared").resolve() / ".cairn"


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return small(tmp_path_factory.mktemp("tree") / "repo")


@pytest.fixture(scope="module")
def shared(shared_home: Path, shared_tree: Repo) -> Iterator[Daemon]:
    """A daemon with one codebase, which nobody watches."""
    home = str(shared_home.parent)
    done = cairn("index", str(shared_tree.path), CAIRN_HOME=str(shared_home), HOME=home)
    assert done.returncode == 0, done.stderr
    with serving("--no-watch", "--http", "127.0.0.1:0", home=shared_home, HOME=home, GIT_CONFIG_NOSYSTEM="1") as daemon:
        yield daemon


@pytest.fixture
def tree(tmp_path: Path) -> Repo:
    """A tree of one's own, indexed in the home of the test."""
    repo = small(tmp_path / "repo")
    assert cairn("index", str(repo.path)).returncode == 0
    return repo


@pytest.fixture
def home() -> Path:
    return Path(os.environ["CAIRN_HOME"])
