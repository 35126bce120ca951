"""An engine outside of the store that fails at every step: nothing flaps, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CairnError, ProbeFailedError
from cairn.codebase.codebase import Codebase, Request
from cairn.config.user import cairn_home
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.registry import Registry
from cairn.store.health import Level, check_store
from tests.engines.faulty import STEPS, FaultyEngine, FaultyServer
from tests.notes import said
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo

pytestmark = pytest.mark.sampled

FILES = {
    "lease.py": "def take_over_lease(owner):\n    return owner.dead\n",
    "walk.py": "def walk_tree(root):\n    yield 1\n",
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FaultyServer:
    made = FaultyServer(tmp_path / "server")
    for place in ("cairn.engines", "cairn.store._segment"):
        monkeypatch.setattr(f"{place}.engine_named", lambda _name, _store: FaultyEngine(made))
    monkeypatch.setattr("cairn.engines.require_usable", lambda *_, **__: None)
    monkeypatch.setenv("CAIRN_ENGINE", "milvus")
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    return made


@pytest.fixture
def codebase(server: FaultyServer, repo: Repo) -> Iterator[Codebase]:
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    with Codebase(str(repo.path)) as opened:
        opened.index()
        yield opened


def asked(codebase: Codebase) -> tuple[list[str], tuple[str, ...]]:
    answer = codebase.search(Request("take over a lease"))
    return [item.row.path_key for item in answer.items], said(answer)


def faults(codebase: Codebase) -> set[str]:
    return {check.code for check in check_store(codebase.store().layout) if check.level is not Level.OK}


@pytest.mark.slow
@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("step", STEPS)
def test_a_server_that_is_away_at_one_step_leaves_everything_as_it_was(
    codebase: Codebase, server: FaultyServer, repo: Repo, step: str
) -> None:
    registry = Registry(cairn_home())
    before, paths = registry.all(), asked(codebase)
    with codebase.open_view() as view:
        snapshot = view.snapshot_id
    repo.write("new.py", "def fresh_thing():\n    return 1\n")
    server.away = {step}
    failed = []
    for name, ask in {
        "search": lambda: asked(codebase),
        "repair": codebase.repair,
        "compact": lambda: codebase.compact(force=True),
        "collect": lambda: codebase.collect(force=True),
        "clear": codebase.clear if step == "remove" else lambda: None,
    }.items():
        try:
            ask()
        except ProbeFailedError:
            failed.append(name)
        assert codebase.verdict().passes
        assert codebase.insight.symbol("walk_tree")[0].path == "walk.py"
    if step in ("write", "half"):
        with pytest.raises(ProbeFailedError):
            codebase.index()
        with codebase.open_view() as view:
            assert view.snapshot_id == snapshot
        assert registry.all() == before
    elif step == "take":
        # What is near is asked with one question, and nothing else.
        assert asked(codebase) == paths
    elif step == "nearest":
        assert "probe_failed" in str(asked(codebase)[1])
        assert asked(codebase)[0][0] == "lease.py"
    else:
        assert failed
    server.away = set()
    codebase.index()
    assert codebase.insight.symbol("fresh_thing")[0].path == "new.py"
    codebase.collect(force=True)
    assert asked(codebase)[0][: len(paths[0])]
    assert asked(codebase)[1] == ()
    assert faults(codebase) == set()
    with codebase.open_view() as view:
        assert FaultyEngine(server).held() == {ref.segment_id for ref in view.segments}


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("what", ["gone", "partial", "changed"])
def test_what_somebody_did_to_the_server_is_told_and_repaired(
    codebase: Codebase, server: FaultyServer, what: str
) -> None:
    paths = asked(codebase)
    (held,) = FaultyEngine(server).held()
    file = server.segment(held)
    vectors = np.load(file)
    if what == "gone":
        file.unlink()
    else:
        np.save(file, vectors[:-1] if what == "partial" else -vectors)
    if what != "changed":
        found, told = asked(codebase)
        assert found[0] == "lease.py"
        assert ["vectors_lost" in text and "words and names" in text for text in told] == [True]
    assert "vectors_outside" in faults(codebase)
    assert codebase.repair().sync is not None
    assert asked(codebase) == paths
    assert faults(codebase) == set()


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("whole", [True, False])
def test_an_index_that_is_asked_for_mends_what_a_server_lost(
    codebase: Codebase, server: FaultyServer, whole: bool
) -> None:
    before = asked(codebase)
    (held,) = FaultyEngine(server).held()
    if whole:
        server.segment(held).unlink()
    else:
        np.save(server.segment(held), np.load(server.segment(held))[:-1])
    assert not codebase.index().published
    assert codebase.index(SyncOptions(tells=True)).published
    assert [note.code for note in codebase.notes] == ["vectors_mended"]
    assert asked(codebase) == before
    assert faults(codebase) == set()


@pytest.mark.requirement("ENG.2")
def test_a_server_that_gave_no_answer_is_not_asked_by_the_next_question(
    codebase: Codebase, server: FaultyServer
) -> None:
    before = asked(codebase)
    server.away = {"nearest"}
    assert "probe_failed" in str(asked(codebase)[1])
    server.away = set()
    assert "it is asked again in" in str(asked(codebase)[1])
    codebase.index(SyncOptions(tells=True))
    assert asked(codebase) == before


@pytest.mark.requirement("ENG.2")
def test_a_server_that_gave_no_answer_is_not_asked_by_the_sync_of_a_question(
    codebase: Codebase, server: FaultyServer, repo: Repo
) -> None:
    repo.write("new.py", "def fresh_thing():\n    return 1\n")
    server.away = set(STEPS)
    server.asked.clear()
    root = str(repo.path)
    found = answer("search", "take over a lease", "--root", root)
    assert (server.asked, found["freshness"]["synced"]) == (["write"], False)
    for _ in range(2):
        found = answer("search", "take over a lease", "--root", root)
        assert found["results"][0]["path"] == "lease.py"
        assert found["freshness"]["synced"] is False
        assert len([text for text in found["warnings"] if "it is asked again in" in text]) == 2
        assert "the last snapshot answers" in str(found["warnings"])
    assert server.asked == ["write"]
    assert run("index", root).returncode != 0
    assert server.asked == ["write"] * 2
    server.away = set()
    assert run("index", root).returncode == 0
    found = answer("search", "fresh_thing", "--root", root)
    assert (found["results"][0]["path"], found["warnings"]) == ("new.py", [])


@pytest.mark.requirement("ENG.2")
def test_a_first_index_that_failed_is_made_up_for(server: FaultyServer, repo: Repo) -> None:
    repo.write("a.py", FILES["lease.py"])
    server.away = {"half"}
    with Codebase(str(repo.path)) as codebase:
        with pytest.raises(ProbeFailedError):
            codebase.index()
        with pytest.raises(CairnError):
            codebase.require_readable()
        server.away = set()
        codebase.index()
        codebase.collect(force=True)
        assert codebase.verdict().passes
        assert len(FaultyEngine(server).held()) == 1
