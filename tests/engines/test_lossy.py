"""Servers behind a relay that is far away and ends connections in the middle: nothing is lost, and nothing is wrong."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.backends import BUCKET, milvus, object_store
from bench.relay import Relay

from cairn.base.errors import ProbeFailedError
from cairn.codebase.codebase import Codebase, Request
from cairn.config.user import cairn_home
from cairn.store import breaker
from cairn.store.health import Level, check_store
from tests.engines.kinds import require
from tests.long import LONG
from tests.notes import said
from tests.trees import Repo

ROUNDS = 4 * LONG or 2
AWAY = 0.02
FILES = {
    "lease.py": "def take_over_lease(owner):\n    return owner.dead\n",
    "walk.py": "def walk_tree(root):\n    yield root\n",
}


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """To LanceDB's tables in an object store."""
    require("s3")
    with object_store(AWAY) as (relay, surroundings):
        for name, value in surroundings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CAIRN_ENGINE", "lancedb")
        monkeypatch.setenv("CAIRN_LANCEDB_URI", f"s3://{BUCKET}/cairn")
        settings("[lancedb]\ntimeout_s = 20\nkept_mb = 0\n")
        yield relay


@pytest.fixture
def wire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """To Milvus Lite at an address."""
    require("milvus")
    with milvus(tmp_path / "milvus", AWAY) as relay:
        monkeypatch.setenv("CAIRN_ENGINE", "milvus")
        monkeypatch.setenv("CAIRN_MILVUS_URI", relay.uri)
        settings("[milvus]\ntimeout_s = 20\n")
        yield relay


def settings(text: str) -> None:
    home = Path(cairn_home())
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / "config.toml").write_text(text)


def asked(root: Path) -> tuple[list[str], tuple[str, ...]]:
    with Codebase(str(root)) as codebase:
        answer = codebase.search(Request("take over a lease"))
    return [item.row.path_key for item in answer.items], said(answer)


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("each", [9, 4])
@pytest.mark.parametrize("way", ["line", "wire"])
def test_a_way_that_breaks_loses_nothing_and_no_answer_is_wrong(
    way: str, each: int, request: pytest.FixtureRequest, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay: Relay = request.getfixturevalue(way)
    monkeypatch.setattr(breaker, "PAUSE_S", 0)
    for name, text in FILES.items():
        repo.write(name, text)
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
    for number in range(ROUNDS):
        repo.write("lease.py", f"def take_over_lease(owner):\n    return owner.dead + {number}\n")
        relay.loses_each = each
        # What was not answered is told, and the last snapshot stays.
        index_or_be_told(repo.path)
        found, warnings = asked(repo.path)
        assert found[0] == "lease.py"
        said_of = ("words and names", "1 cited file changed since the snapshot")
        assert all(any(text in each for text in said_of) for each in warnings), warnings
        relay.loses_each = 0
        assert_whole(repo.path)
    assert relay.lost


def index_or_be_told(root: Path) -> None:
    with Codebase(str(root)) as codebase, contextlib.suppress(ProbeFailedError):
        codebase.index()


def assert_whole(root: Path) -> None:
    """All that was written is there, and what answers is the tree as it is."""
    with Codebase(str(root)) as codebase:
        codebase.index()
        store = codebase.store()
        store.collect(force=True)
        with store.view() as view:
            view.upkeep.verify_outside()
        assert [check for check in check_store(store.layout) if check.level is not Level.OK] == []
    found, warnings = asked(root)
    assert (found[0], warnings) == ("lease.py", ())
