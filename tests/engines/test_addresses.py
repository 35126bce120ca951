"""A codebase whose vectors are at an address, and settings that come to name another one."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import EngineMovedError
from cairn.codebase.codebase import Codebase, Request
from cairn.config.user import cairn_home
from cairn.engines import lies_outside, outside_engines
from cairn.engines.places import places_of
from cairn.indexing.options import SyncOptions
from cairn.store.health import Level, check_store
from cairn.store.inventory import list_stores
from cairn.surfaces.agents.checks import CheckLevel as Grade
from cairn.surfaces.agents.vectors import check_engines
from tests.engines.kinds import require, served
from tests.engines.servers import Server
from tests.notes import said
from tests.store.test_crash import die_at
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo

FILES = {
    "lease.py": "def take_over_lease(owner):\n    return owner.dead\n",
    "walk.py": "def walk_tree():\n    yield 1\n",
}


class Addresses:
    """Two addresses of one engine, and the settings that name one of them."""

    def __init__(self, engine: str, variable: str, first: str, second: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.engine = engine
        self.first, self.second = first, second
        self._variable = variable
        self._monkeypatch = monkeypatch
        self.name(first)

    def name(self, address: str) -> None:
        self._monkeypatch.setenv(self._variable, address)


@pytest.fixture(params=["lancedb", "milvus"])
def addresses(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Addresses]:
    monkeypatch.setenv("CAIRN_ENGINE", request.param)
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    require(request.param)
    if request.param == "lancedb":
        variable = "CAIRN_LANCEDB_URI"
        yield Addresses("lancedb", variable, str(tmp_path / "one"), str(tmp_path / "two"), monkeypatch)
        return
    for first in served("milvus", tmp_path, monkeypatch):
        assert isinstance(first, Server)
        second = Server(tmp_path / "second-server").start()
        yield Addresses("milvus", "CAIRN_MILVUS_URI", first.uri, second.uri, monkeypatch)
        second.kill()


@pytest.fixture
def codebase(addresses: Addresses, repo: Repo) -> Iterator[Codebase]:
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    with Codebase(str(repo.path)) as opened:
        opened.index()
        yield opened


def found_by(codebase: Codebase) -> tuple[set[str], tuple[str, ...]]:
    answered = codebase.search(Request("take over a lease"))
    return {item.path for item in answered.items}, said(answered)


@pytest.mark.requirement("ENG.2")
def test_another_address_is_told_as_such_and_nothing_is_lost(
    codebase: Codebase, repo: Repo, addresses: Addresses
) -> None:
    repo.write("more.py", "y = 2\n")
    codebase.index()
    paths, _ = found_by(codebase)
    addresses.name(addresses.second)
    with Codebase(str(repo.path)) as moved:
        found, warnings = found_by(moved)
        assert found == {"lease.py"}
        told = f"are at {addresses.first}; the settings say {addresses.second}"
        assert any(f"engine_moved): The vectors of this store {told}" in each for each in warnings)
        (check,) = (each for each in check_store(moved.store().layout) if each.code == "vectors_outside")
        assert (check.level, told in check.message) == (Level.WARNING, True)
        repo.write("new.py", "x = 1\n")
        for change in (
            moved.index,
            moved.repair,
            lambda: moved.compact(force=True),
            lambda: moved.migrate(addresses.engine),
        ):
            with pytest.raises(EngineMovedError, match=told):
                change()
        assert moved.verdict().passes
        assert [each.address for each in places_of(moved.store().layout.path)] == [addresses.first]
    addresses.name(addresses.first)
    with Codebase(str(repo.path)) as back:
        assert found_by(back) == (paths, ())
        back.index()
        assert all(each.level is Level.OK for each in check_store(back.store().layout))


@pytest.mark.requirement("ENG.2")
def test_a_reindex_settles_at_the_new_address_and_embeds_nothing_again(
    codebase: Codebase, repo: Repo, addresses: Addresses
) -> None:
    paths, _ = found_by(codebase)
    addresses.name(addresses.second)
    with Codebase(str(repo.path)) as moved:
        assert moved.index(SyncOptions(reindex=True)).embedded == 0
        assert found_by(moved) == (paths, ())
        moved.collect(force=True)
        assert all(each.level is Level.OK for each in check_store(moved.store().layout))
        path = moved.store().layout.path
    # What lies at the former address goes once the settings name it again.
    addresses.name(addresses.first)
    outside = lies_outside(addresses.engine, path)
    assert outside is not None
    assert outside.held()
    with Codebase(str(repo.path)) as back:
        back.collect(force=True)
    assert outside.held() == frozenset()
    addresses.name(addresses.second)
    with Codebase(str(repo.path)) as moved:
        assert found_by(moved) == (paths, ())


@pytest.mark.requirement("ENG.2")
def test_a_reindex_at_the_new_address_that_dies_leaves_what_is_at_the_old_one(
    codebase: Codebase, repo: Repo, addresses: Addresses
) -> None:
    paths, _ = found_by(codebase)
    addresses.name(addresses.second)
    die_at("segment.vectors_written", "index", "--reindex", str(repo.path))
    repo.write("new.py", "x = 1\n")
    with Codebase(str(repo.path)) as moved, pytest.raises(EngineMovedError):
        # A sync would leave half of the vectors here and half there.
        moved.index()
    addresses.name(addresses.first)
    with Codebase(str(repo.path)) as back:
        assert found_by(back)[0] == paths
        assert not any("engine_moved" in each for each in found_by(back)[1])


def test_what_a_removal_can_t_reach_is_named(codebase: Codebase, repo: Repo, addresses: Addresses) -> None:
    (place,) = places_of(codebase.store().layout.path)
    addresses.name(addresses.second)
    done = run("clear", str(repo.path))
    assert done.returncode == 0
    assert f"{place.name} at {addresses.first}" in done.stdout
    assert list_stores(cairn_home()) == []


def test_the_command_names_engine_and_address(codebase: Codebase, repo: Repo, addresses: Addresses) -> None:
    told = answer("status", str(repo.path))
    assert (told["engine"], told["address"]) == (addresses.engine, addresses.first)
    assert f"vectors in {addresses.engine} at {addresses.first}" in run("status", str(repo.path)).stdout
    (store,) = answer("stores")["stores"]
    assert (store["engine"], store["address"]) == (addresses.engine, addresses.first)
    assert f"vectors in {addresses.engine} at {addresses.first}" in run("stores").stdout


def test_a_doctor_says_where_vectors_are_and_what_keeps_a_store_from_them(
    codebase: Codebase, addresses: Addresses
) -> None:
    there = f"{addresses.engine} at {addresses.first}"
    check = check_engines(cairn_home())
    proof = "which has just taken, found and given up a few vectors"
    assert (check.level, check.message) == (Grade.OK, f"{there} by the settings, {proof}; 1 in {there}")
    addresses.name(addresses.second)
    check = check_engines(cairn_home())
    assert check.level is Grade.WARNING
    assert f"{codebase.root_path}: {there}" in check.message
    addresses.name("nonsense")
    check = check_engines(cairn_home())
    assert (check.level, ".uri is" in check.message) == (Grade.FAILED, True)


@pytest.mark.requirement("ENG.2")
def test_a_first_index_that_dies_leaves_nothing_that_a_removal_doesn_t_find(addresses: Addresses, repo: Repo) -> None:
    repo.write("a.py", FILES["lease.py"])
    die_at("segment.vectors_written", "index", str(repo.path))
    with Codebase(str(repo.path)) as codebase:
        layout = codebase.store().layout
        (outside,) = outside_engines(layout.path)
        assert outside.held()
        codebase.collect(force=True)
        assert outside.held() == frozenset()
    die_at("segment.vectors_written", "index", str(repo.path))
    assert outside.held()
    name = Path(layout.path, "engine.json").read_text()
    with Codebase(str(repo.path)) as codebase:
        codebase.clear()
    assert not Path(layout.path).exists()
    if addresses.engine == "lancedb":
        assert list(Path(addresses.first).iterdir()) == []
        return
    Path(layout.path).mkdir(mode=0o700)
    Path(layout.path, "engine.json").write_text(name)
    assert outside.held() == frozenset()


def test_stores_whose_server_is_away_don_t_keep_the_others(
    codebase: Codebase, repo: Repo, addresses: Addresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that can't be asked comes first, by its id."""
    other = Repo.create(tmp_path / "other")
    other.write("b.py", "y = 2\n")
    monkeypatch.setenv("CAIRN_ENGINE", "flat")
    with Codebase(str(other.path)) as second:
        second.index()
    stores = Path(cairn_home(), "data")
    for layout in stores.iterdir():
        state = layout / "engine.json"
        if state.exists():
            # An address where nobody listens.
            away = str(tmp_path / "a-file" / "tables") if addresses.engine == "lancedb" else "http://127.0.0.1:9"
            state.write_text(state.read_text().replace(addresses.first, away))
    (tmp_path / "a-file").write_text("no folder")
    addresses.name(away)
    (Path(cairn_home()) / "config.toml").write_text("[milvus]\ntimeout_s = 1\n")
    monkeypatch.setattr("cairn.store.inventory.UNUSED_DAYS", -1)
    done = run("gc", "--stores", "--force", "--json", str(repo.path))
    told = json.loads(done.stdout)
    assert [each["code"] for each in told["failed"]] == ["probe_failed"]
    assert (len(told["removed"]), done.returncode) == (1, 10)
    assert [each.engine for each in list_stores(cairn_home())] == [addresses.engine]
