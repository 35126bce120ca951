"""One server and one indexed tree a module, for tests that change neither."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.mcp.client import Session, connected, end_stopped, small_tree
from tests.surfaces.mcp.local import Local


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared").resolve()


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_tree(tmp_path_factory.mktemp("tree") / "repo")


@pytest.fixture(scope="module")
def shared(shared_home: Path, shared_tree: Path) -> Iterator[Session]:
    """A session of a server whose one root is indexed."""
    with connected(shared_home, shared_tree) as session:
        session.create(shared_tree)
        yield session


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    yield
    end_stopped()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path.resolve()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return small_tree(tmp_path / "repo")


@pytest.fixture
def local(private_home: Path) -> Iterator[Local]:
    """The tools in this process, with the home of the test."""
    found = Local()
    yield found
    found.close()
