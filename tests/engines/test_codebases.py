"""A codebase whose vectors lie on a server that comes and goes."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from cairn.base.errors import ProbeFailedError
from cairn.codebase.codebase import Codebase, Request
from cairn.config.user import cairn_home
from cairn.engines import lies_outside
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.registry import Registry
from cairn.store import breaker
from cairn.store.health import Level, check_store
from cairn.store.used import USED_FILE
from tests.engines.kinds import served
from tests.engines.servers import Server
from tests.notes import said
from tests.trees import Repo, cairn

R = TypeVar("R")
FILES = {
    "lease.py": "def take_over_lease(owner):\n    return owner.dead\n",
    "walk.py": "def walk_tree(root):\n    yield root\n",
    "README.md": "# Notes\n\nHow leases are taken over.\n",
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("CAIRN_ENGINE", "milvus")
    be_patient(60)
    for running in served("milvus", tmp_path, monkeypatch):
        assert running is not None
        yield running


def be_patient(seconds: float) -> None:
    """With a server that answers, on however busy a machine; only one that is away is not worth the time."""
    config = Path(cairn_home()) / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    config.write_text(f"[milvus]\ntimeout_s = {seconds}\n")


def settled(ask: Callable[[], R], wanted: object) -> R:
    """What is answered once the server is back, be it late: each attempt takes as long as the settings say."""
    for _ in range(60):
        if (found := ask()) == wanted:
            return found
    return ask()


@pytest.fixture
def codebase(server: Server, repo: Repo) -> Iterator[Codebase]:
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    with Codebase(str(repo.path)) as opened:
        opened.index()
        yield opened


def asked(codebase: Codebase, **options: Any) -> tuple[list[str], tuple[str, ...]]:
    answer = codebase.search(Request("take over a lease"), **options)
    return [item.row.path_key for item in answer.items], said(answer)


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("how", ["killed", "paused"])
def test_nothing_flaps_while_the_server_is_away(
    codebase: Codebase, server: Server, repo: Repo, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "PAUSE_S", 0)
    registry = Registry(cairn_home())
    before, (paths, warnings) = registry.all(), asked(codebase)
    assert warnings == ()
    be_patient(1)
    with Codebase(str(repo.path)) as hasty:
        assert settled(lambda: asked(hasty), (paths, ())) == (paths, ())
        look_on_while_it_is_away(hasty, server, how)
        # The very process that has seen it go sees it come back.
        assert settled(lambda: asked(hasty), (paths, ())) == (paths, ())
    be_patient(60)
    assert registry.all() == before
    assert all(check.level is Level.OK for check in check_store(codebase.store().layout))


def look_on_while_it_is_away(codebase: Codebase, server: Server, how: str) -> None:
    registry = Registry(cairn_home())
    before = registry.all()
    (server.kill if how == "killed" else server.pause)()
    for _ in range(2):
        assert codebase.verdict().passes
        found, told = asked(codebase)
        assert found[0] == "lease.py"
        assert [text for text in told if "probe_failed" in text and "words and names" in text] == list(told)
        assert registry.all() == before
        assert codebase.insight.symbol("walk_tree").snapshot_id
        with codebase.open_view() as view:
            assert view.marker() is not None
    warned = {check.code for check in check_store(codebase.store().layout) if check.level is Level.WARNING}
    assert warned == {"segment_parts", "vectors_outside"}
    (server.start if how == "killed" else server.resume)()


@pytest.mark.requirement("ENG.2")
def test_a_sync_without_the_server_fails_and_loses_nothing(codebase: Codebase, server: Server, repo: Repo) -> None:
    with codebase.open_view() as view:
        before = view.snapshot_id
    rows = Registry(cairn_home()).all()
    repo.write("new.py", "def fresh_thing():\n    return 1\n")
    server.kill()
    be_patient(1)
    with Codebase(str(repo.path)) as hasty:
        for ask in (lambda: hasty.index(), lambda: hasty.collect(force=True), lambda: hasty.repair()):
            with pytest.raises(ProbeFailedError):
                ask()
    with codebase.open_view() as view:
        assert view.snapshot_id == before
    assert Registry(cairn_home()).all() == rows
    server.start()
    be_patient(60)
    assert codebase.index().published
    assert codebase.insight.symbol("fresh_thing")[0].path == "new.py"
    codebase.collect(force=True)
    assert all(check.level is Level.OK for check in check_store(codebase.store().layout))


@pytest.mark.requirement("ENG.2")
def test_a_first_index_without_the_server_can_be_made_up_for(server: Server, repo: Repo) -> None:
    repo.write("a.py", FILES["lease.py"])
    server.kill()
    be_patient(1)
    with Codebase(str(repo.path)) as codebase, pytest.raises(ProbeFailedError):
        codebase.index()
    server.start()
    be_patient(60)
    with Codebase(str(repo.path)) as codebase:
        assert codebase.index().published
        assert codebase.verdict().passes


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("what", ["dropped", "changed", "partial", "renumbered"])
def test_what_somebody_did_to_the_collection_is_told_and_repaired(codebase: Codebase, what: str) -> None:
    from cairn.engines.milvus_link import link_to
    from cairn.engines.places import places_of
    from cairn.engines.settings import milvus_settings

    layout = codebase.store().layout
    paths, _ = asked(codebase)
    link, place = link_to(milvus_settings(), layout.path), places_of(layout.path)[-1].name
    if what == "dropped":
        link.call("drop_collection", collection_name=place)
    else:
        (row,) = link.call("query", collection_name=place, filter="number == 1", output_fields=["*"], limit=1)
        if what == "partial":
            link.call("delete", collection_name=place, ids=[row["id"]])
        else:
            change = {"number": 0} if what == "renumbered" else {"vector": [0.5] * len(row["vector"])}
            link.call("upsert", collection_name=place, data=[dict(row) | change])
    if what != "changed":
        found, told = asked(codebase)
        assert found[0] == "lease.py"
        assert ["vectors_lost" in text and "words and names" in text for text in told] == [True]
    assert "vectors_outside" in {check.code for check in check_store(layout) if check.level is Level.ERROR}
    assert codebase.repair().sync is not None
    assert asked(codebase) == (paths, ())
    assert all(check.level is Level.OK for check in check_store(layout))


def vectors(codebase: Codebase) -> dict[str, bytes]:
    with codebase.open_view() as view:
        found = {name: view.vectors.of(name) for name in FILES}
    return {name: each.tobytes() for name, each in found.items() if each is not None}


def test_another_machine_embeds_nothing_again(
    codebase: Codebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, paths = vectors(codebase), asked(codebase)[0]
    assert ours.keys() == FILES.keys()
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "second-home"))
    be_patient(60)
    second = Repo.create(tmp_path / "elsewhere")
    for name, text in FILES.items():
        second.write(name, text)
    with Codebase(str(second.path)) as other:
        result = other.index()
        assert (result.indexed, result.embedded, other.notes) == (len(FILES), 0, ())
        assert asked(other)[0] == paths
        assert vectors(other) == ours
        second.write("new.py", "def only_here():\n    return 7\n")
        assert 0 < other.index().embedded < len(ours)


def test_a_collection_of_garbage_on_one_machine_takes_nothing_from_another(
    codebase: Codebase, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same tree at the same path: the stores have one id, and collections of their own."""
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    home = cairn_home()
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "second-home"))
    be_patient(60)
    with Codebase(str(repo.path)) as other:
        other.index()
        other.index(SyncOptions(reindex=True))
        other.collect(force=True)
        assert other.clear()
    monkeypatch.setenv("CAIRN_HOME", home)
    assert asked(codebase)[1] == ()
    assert all(check.level is Level.OK for check in check_store(codebase.store().layout))


def test_clearing_takes_the_collection_along(codebase: Codebase, server: Server) -> None:
    store = codebase.store()
    outside = lies_outside("milvus", store.layout.path)
    assert outside is not None
    assert outside.held()
    name = (Path(store.layout.path) / "engine.json").read_text()
    server.kill()
    be_patient(1)
    with pytest.raises(ProbeFailedError):
        codebase.clear()
    assert codebase.is_indexed()
    server.start()
    be_patient(60)
    assert codebase.clear()
    Path(store.layout.path).mkdir(mode=0o700)
    (Path(store.layout.path) / "engine.json").write_text(name)
    assert outside.held() == frozenset()


def test_a_new_work_tree_is_indexed_by_itself_from_vectors_that_are_shared(codebase: Codebase, repo: Repo) -> None:
    """Links to another store's segments would lead to rows that it may collect."""
    path = repo.path.parent / "second-tree"
    repo.git("worktree", "add", "-q", str(path))
    with Codebase(str(path)) as second:
        result = second.index()
        assert (result.origin, result.embedded) == (None, 0)
        assert any("vectors lie in milvus" in note for note in said(result))


def test_a_collection_of_garbage_has_the_server_let_go_of_what_nobody_asks(codebase: Codebase, server: Server) -> None:
    paths, _ = asked(codebase)
    layout = codebase.store().layout
    assert gathered("--stores") == {"let_go": 0, "removed": 0, "failed": None}
    old = time.time() - 2 * 86_400
    for path in ("ACTIVE_SNAPSHOT", f"cache/{USED_FILE}", "."):
        os.utime(os.path.join(layout.path, path), (old, old))
    assert gathered("--stores") == {"let_go": 1, "removed": 0, "failed": None}
    assert gathered("--stores")["let_go"] == 0
    assert asked(codebase) == (paths, ())
    be_patient(1)
    server.kill()
    assert gathered("--stores")["failed"]["code"] == "probe_failed"


def gathered(*arguments: str) -> dict[str, Any]:
    """What `cairn gc` did on the server."""
    done = cairn("gc", *arguments, "--json")
    assert done.returncode == 0
    document: dict[str, Any] = json.loads(done.stdout)["server"]
    return document
