"""A server that is gone for good: every command says so, and whoever follows its hint gets rid of it."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cairn.base.errors import ProbeFailedError
from cairn.base.steps import worded_hint
from cairn.config.user import cairn_home
from cairn.store.inventory import list_stores
from cairn.surfaces.agents.checks import CheckLevel
from cairn.surfaces.agents.vectors import check_engines
from cairn.surfaces.cli import notes
from tests.engines.kinds import require
from tests.engines.servers import Server
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo

pytestmark = pytest.mark.requirement("ENG.2")
HINT = worded_hint(ProbeFailedError.default_hint, notes.command)
_HELP = "If it is gone for good, name another address or none in the settings"


def settle_on(engine: str, address: str, timeout_s: float = 30) -> None:
    uri = f'uri = "{address}"\n' if address else ""
    text = f'[index]\nengine = "{engine}"\n[milvus]\ntimeout_s = {timeout_s}\n{uri}'
    (Path(cairn_home()) / "config.toml").write_text(text)


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    require("milvus")
    running = Server(tmp_path_factory.mktemp("milvus")).start()
    yield running
    running.kill()


@pytest.fixture
def gone(repo: Repo, tmp_path: Path) -> str:
    """The address of a server that held the index of the repository."""
    require("milvus")
    Path(cairn_home()).mkdir(parents=True, exist_ok=True, mode=0o700)
    repo.write("lease.py", "def take_over_lease(owner):\n    return owner.dead\n")
    repo.commit()
    server = Server(tmp_path / "milvus").start()
    try:
        settle_on("milvus", server.uri)
        assert run("index", str(repo.path)).returncode == 0
    finally:
        server.kill()
    shutil.rmtree(server.folder)
    settle_on("milvus", server.uri, timeout_s=1)
    return server.uri


def test_every_command_says_what_is_wrong_and_what_helps(
    repo: Repo, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, told = str(repo.path), f"at {gone.removeprefix('http://')} gave no answer"
    (warning,) = answer("search", "lease", "--no-sync", "--root", root)["warnings"]
    assert told in warning
    assert warning.endswith(HINT)
    repo.write("new.py", "x = 1\n")
    for command in (("index",), ("gc", "--force"), ("repair",), ("clear",), ("engine", "migrate", "--to", "milvus")):
        done = run(*command, root)
        assert (done.returncode, told in done.stderr, HINT in done.stderr) == (10, True, True), command
    assert f"vectors in milvus at {gone}, which `cairn health` asks" in run("status", root).stdout
    health = run("health", root)
    assert (health.returncode, told in health.stdout, _HELP in health.stdout) == (5, True, True)
    doctor = check_engines(cairn_home())
    assert (doctor.level, told in doctor.message) == (CheckLevel.FAILED, True)
    assert worded_hint(doctor.action, notes.command) == HINT
    monkeypatch.setattr("cairn.store.inventory.UNUSED_DAYS", -1)
    collected = run("gc", "--stores", "--force", root)
    assert (collected.returncode, told in collected.stdout, _HELP in collected.stdout) == (10, True, True)


@pytest.fixture(params=["another", "none"])
def elsewhere(request: pytest.FixtureRequest, standing: Server) -> Callable[[str], None]:
    """What the hint tells: name another address, or none."""
    address = standing.uri if request.param == "another" else ""
    return lambda engine: settle_on(engine, address)


def test_a_reindex_elsewhere_makes_up_for_it(repo: Repo, gone: str, elsewhere: Callable[[str], None]) -> None:
    elsewhere("milvus")
    assert run("index", "--reindex", str(repo.path)).returncode == 0
    assert answer("search", "lease", "--no-sync", "--root", str(repo.path))["warnings"] == []
    assert run("health", str(repo.path)).returncode == 0
    assert run("gc", "--force", str(repo.path)).returncode == 0


@pytest.mark.parametrize("engine", ["milvus", "flat"])
def test_a_removal_does_without_it_and_names_what_it_left(
    repo: Repo, gone: str, elsewhere: Callable[[str], None], engine: str
) -> None:
    elsewhere(engine)
    # Under the settings of another engine, an index that answers is kept unless it is meant.
    done = run("clear", str(repo.path), *(("--yes",) if engine == "flat" else ()))
    assert done.returncode == 0
    first, second = done.stdout.splitlines()
    assert first == "the index of this root was removed"
    assert second.startswith("vectors were left behind, since the settings name another address: cairn_")
    assert second.endswith(f" at {gone}")
    assert list_stores(cairn_home()) == []


def test_out_of_it_goes_a_reindex_and_its_store_with_the_next_collection(
    repo: Repo, gone: str, elsewhere: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_on("flat", gone, timeout_s=1)
    done = run("engine", "migrate", "--to", "flat", str(repo.path))
    assert done.returncode == 10
    assert "If it is gone for good, run `cairn index --reindex`" in done.stderr
    # Nothing was made for what could not begin.
    assert [store.engine for store in list_stores(cairn_home())] == ["milvus"]
    assert run("index", "--reindex", str(repo.path)).returncode == 0
    assert answer("search", "lease", "--no-sync", "--root", str(repo.path))["warnings"] == []
    elsewhere("flat")
    (gone_store,) = (store.store_id for store in list_stores(cairn_home()) if store.engine == "milvus")
    monkeypatch.setattr("cairn.store.inventory.UNUSED_DAYS", -1)
    told = json.loads(run("gc", "--stores", "--force", "--json", str(repo.path)).stdout)
    assert gone_store in told["removed"]
    assert (len(told["left"]), told["left"][0].endswith(f" at {gone}"), told["failed"]) == (1, True, [])
