"""A remote in an object store that is really asked: emptied, closed, away, and left in the middle."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.team.exchange import sweep
from cairn.team.patience import remote_at
from tests.engines.kinds import require
from tests.engines.objectstores import BUCKET, ObjectStore
from tests.team.samples import FILES, at_home, clone, committed, done, live, refused
from tests.trees import Repo, cairn

ADDRESS = f"s3://{BUCKET}/cairn"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    require("bucket")
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    made = ObjectStore()
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    yield made
    made.kill()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return committed(tmp_path / "repo")


@pytest.fixture
def other(repo: Repo, tmp_path: Path) -> Repo:
    return clone(repo, tmp_path / "clone")


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Path, Path]:
    made = (tmp_path / "one", tmp_path / "two")
    for home in made:
        with at_home(home):
            done("remote", "add", "team", ADDRESS)
    return made


@pytest.mark.slow
def test_a_bucket_serves_a_team(bucket: ObjectStore, machines: tuple[Path, Path], repo: Repo, other: Repo) -> None:
    with at_home(machines[0]):
        assert done("push", str(repo.path))["sent"] > 0
        assert done("push", str(repo.path))["sent"] == 0
    with at_home(machines[1]):
        assert done("pull", str(other.path))["indexed"] == 0
        assert set(live(other.path)) == set(FILES)
        assert done("remote", "gc")["kept"] == 1
    remote = remote_at(ADDRESS, 5)
    (listing,) = remote.names("cairn1/snapshots/")
    remote.move(listing, "cairn1/aside/a")
    assert [*remote.names("cairn1/aside/")] == ["cairn1/aside/a"]
    assert sweep(remote, keep=1, grace_s=-1).parts > 1
    assert remote.names("cairn1/") == {}


@pytest.mark.slow
def test_a_bucket_that_loses_or_closes_serves_nothing_wrong(
    bucket: ObjectStore, machines: tuple[Path, Path], repo: Repo, other: Repo
) -> None:
    died = cairn("push", str(repo.path), CAIRN_HOME=str(machines[0]), CAIRN_CRASH_AT="push.part")
    assert died.returncode == -signal.SIGKILL
    with at_home(machines[1]):
        assert done("pull", str(other.path))["commit"] is None
        done("clear", str(other.path))
    with at_home(machines[0]):
        done("push", str(repo.path))
    assert bucket.lose("/parts/") > 0
    with at_home(machines[1]):
        assert refused("pull", str(other.path)).returncode == 14
    with at_home(machines[0]):
        done("push", str(repo.path))
    bucket.let_in_nobody()
    with at_home(machines[1]):
        assert "credentials" in refused("pull", str(other.path)).stderr
    bucket.kill()
    with at_home(machines[1]):
        assert refused("pull", str(other.path)).returncode == 10
        indexed = done("index", str(other.path))
        assert indexed["indexed"] == len(FILES)
        assert "can't be asked" in indexed["warnings"][0]


@pytest.mark.slow
def test_a_bucket_that_is_not_there_is_told_as_that(
    bucket: ObjectStore, machines: tuple[Path, Path], repo: Repo
) -> None:
    with at_home(machines[0]):
        done("remote", "add", "team", "s3://nowhere/cairn")
        for command in ("push", "pull"):
            said = refused(command, str(repo.path))
            assert said.returncode == 2
            assert "There is no bucket for the remote s3://nowhere/cairn" in said.stderr


@pytest.mark.slow
def test_a_bucket_that_says_nothing_is_not_waited_for(
    bucket: ObjectStore, machines: tuple[Path, Path], other: Repo
) -> None:
    with at_home(machines[1]):
        done("config", "set", "team.timeout_s", "0.2")
        bucket.pause()
        assert "it takes longer than 2.4 s" in refused("pull", str(other.path)).stderr
        indexed = done("index", str(other.path))
        assert indexed["indexed"] == len(FILES)
        assert "not started from the remote" in indexed["warnings"][0]
