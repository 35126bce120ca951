"""One browser for all, and one daemon a module over a tree that has something for every view."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.conftest import home, one_place_for_settings, shared, shared_home, tree
from tests.surfaces.http.running import Daemon
from tests.surfaces.page.browsing import Tab, browsing, tab, why_not
from tests.trees import Repo

__all__ = ["home", "one_place_for_settings", "shared", "shared_home", "tree"]

SOURCE = {
    "src/lease.py": '''"""Who may write."""

from src.clock import now


class Lease:
    """A lease that expires."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.taken_at = now()

    def is_stale(self, limit: int) -> bool:
        """Whether another writer may take it over."""
        return now() - self.taken_at > limit

    def release(self) -> None:
        self.owner = ""


def take_over(lease: Lease, owner: str) -> Lease:
    """Stale leases are taken over."""
    if lease.is_stale(30):
        lease.release()
        return Lease(owner)
    return lease
''',
    "src/clock.py": "import time\n\n\ndef now() -> int:\n    return int(time.time())\n",
    "src/writer.py": """from src.lease import Lease, take_over


def write(lease: Lease, text: str) -> str:
    über = "é"; mine = take_over(lease, "me")
    return über + mine.owner + text


def write_twice(lease: Lease) -> str:
    return write(lease, "a") + write(lease, "b")
""",
    "web/app.js": "export function start(name) {\n  // begin\n  return `hello ${name}`;\n}\n",
    "docs/leases.md": "# Leases\n\nStale leases are taken over by the next writer.\n",
}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if why_not():
        pytest.skip(why_not())
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    for name, text in SOURCE.items():
        repo.write(name, text)
    repo.commit()
    return repo


@pytest.fixture
def opened(browser: Any, shared: Daemon, shared_tree: Repo) -> Iterator[Tab]:
    """A tab on the page; whatever a test does in it, it stays quiet."""
    with tab(browser, shared, shared_tree.path) as found:
        yield found
        found.require_quiet()


@pytest.fixture
def root(shared_tree: Repo) -> Path:
    return shared_tree.path
