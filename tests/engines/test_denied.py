"""A Milvus server that really refuses who asks, or what is asked: everybody is told so, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import EngineDeniedError
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.registry import Registry
from cairn.surfaces.agents.checks import CheckLevel
from cairn.surfaces.agents.vectors import check_engines
from tests.engines.kinds import require
from tests.engines.servers import Server
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo

pytestmark = pytest.mark.requirement("ENG.2")
TOKEN, WRONG = "somebody:open-sesame", "somebody:abracadabra"


@pytest.fixture(params=["UNAUTHENTICATED", "PERMISSION_DENIED"])
def server(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    require("milvus")
    home = Path(cairn_home())
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / "config.toml").write_text('[milvus]\ntimeout_s = 30\ntoken_env = "TEAM_TOKEN"\n')
    monkeypatch.setenv("CAIRN_ENGINE", "milvus")
    running = Server(tmp_path / "milvus", token=TOKEN, refusal=request.param).start()
    monkeypatch.setenv("CAIRN_MILVUS_URI", running.uri)
    yield running
    running.kill()


@pytest.mark.parametrize("token", [WRONG, ""])
def test_a_token_that_is_refused_is_told_as_such_and_changes_nothing(
    server: Server, repo: Repo, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    root = str(repo.path)
    repo.write("lease.py", "def take_over_lease(owner):\n    return owner.dead\n")
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    assert run("index", root).returncode == 0
    assert answer("search", "lease", "--no-sync", "--root", root)["warnings"] == []
    before = Registry(cairn_home()).all()
    monkeypatch.setenv("TEAM_TOKEN", token)
    (warning,) = answer("search", "lease", "--no-sync", "--root", root)["warnings"]
    assert "(engine_denied): The Milvus server at 127.0.0.1" in warning
    assert "CAIRN_MILVUS_TOKEN" in warning
    assert "AWS" not in warning
    repo.write("new.py", "x = 1\n")
    said = [warning]
    for command in (("index",), ("gc", "--force"), ("repair",), ("clear",), ("engine", "migrate", "--to", "milvus")):
        done = run(*command, root)
        assert (done.returncode, "refuses the credentials" in done.stderr) == (5, True), command
        assert "config.toml" not in done.stderr
        said.append(done.stderr)
    health = run("health", root)
    assert (health.returncode, "engine_denied" in health.stdout) == (5, True)
    # What lies at the server could not be asked for.
    assert "0 things to collect in the store" in health.stdout
    doctor = check_engines(cairn_home())
    assert (doctor.level, "refuses the credentials" in doctor.message) == (CheckLevel.FAILED, True)
    assert answer("status", root)["state"] == "indexed"
    assert Registry(cairn_home()).all() == before
    for text in (*said, health.stdout, doctor.message):
        assert "sesame" not in text
        assert "abracadabra" not in text
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    assert run("index", root).returncode == 0
    assert answer("search", "lease", "--no-sync", "--root", root)["warnings"] == []


def test_a_first_index_that_is_refused_can_be_made_up_for(
    server: Server, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", "x = 1\n")
    monkeypatch.setenv("TEAM_TOKEN", WRONG)
    with Codebase(str(repo.path)) as codebase:
        for options in (None, SyncOptions(reindex=True)):
            with pytest.raises(EngineDeniedError):
                codebase.index(options)
    status = run("status", "--json", str(repo.path))
    assert "refuses the credentials" in status.stdout
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    with Codebase(str(repo.path)) as codebase:
        assert codebase.index().published
        assert codebase.verdict().passes


@pytest.mark.parametrize("server", ["UNIMPLEMENTED"], indirect=True)
def test_a_server_of_another_version_is_told_as_such_and_changes_nothing(
    server: Server, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    repo.write("lease.py", "def take_over_lease(owner):\n    return owner.dead\n")
    root = str(repo.path)
    assert run("index", root).returncode == 0
    before = Registry(cairn_home()).all()
    # From now on it knows none of our calls.
    monkeypatch.setenv("TEAM_TOKEN", WRONG)
    repo.write("new.py", "x = 1\n")
    (warning,) = answer("search", "lease", "--no-sync", "--root", root)["warnings"]
    assert "(incompatible): The Milvus server at 127.0.0.1" in warning
    for command in (("index",), ("gc", "--force"), ("clear",)):
        done = run(*command, root)
        assert (done.returncode, "of the same major version" in done.stderr) == (13, True), command
    health = run("health", root)
    assert (health.returncode, "doesn't know a call" in health.stdout) == (5, True)
    assert Registry(cairn_home()).all() == before
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    assert answer("search", "lease", "--no-sync", "--root", root)["warnings"] == []
