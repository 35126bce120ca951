"""An index that moves to another engine: every row and vector, and nothing embedded again."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.engine import Codebase
from cairn.errors import CorruptStoreError, NotIndexedError, ProbeFailedError, RequiresReindexError, UsageError
from cairn.store import SnapshotView
from cairn.store.inventory import list_stores
from cairn.user_config import cairn_home
from tests.engines.kinds import OTHERS, served
from tests.engines.servers import Server
from tests.surfaces.test_cli_store import answer, run
from tests.trees import Repo

FILES = {"a.py": "def alpha():\n    return 1\n", "b/c.py": "class Beta:\n    x = 2\n", "README.md": "# Notes\n\ntext\n"}


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
    repo.write("a.py", "def alpha():\n    return 2\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
    return repo


@pytest.fixture(params=OTHERS)
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for _ in served(request.param, tmp_path, monkeypatch):
        yield request.param


def choose(repo: Repo, engine: str) -> None:
    repo.write(".cairn.toml", f'[index]\nengine = "{engine}"\n')


def everything(view: SnapshotView) -> dict[str, object]:
    found: dict[str, object] = {}
    for file in view.files():
        vectors = view.vectors_of(file.path_key)
        assert vectors is not None
        found[file.path_key] = (file, view.rows_of(file.path_key), vectors.tobytes(), view.facts_of(file.path_key))
    return found


def shown(repo: Repo) -> dict[str, object]:
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        return everything(view)


def test_there_and_back_nothing_is_lost_and_nothing_embedded(
    indexed: Repo, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(indexed)
    monkeypatch.setattr("cairn.embed.static.StaticEmbedder.embed", None)
    for name in (engine, "flat"):
        choose(indexed, name)
        with Codebase(str(indexed.path)) as codebase:
            with pytest.raises(RequiresReindexError, match="vectorStoreProvider") as caught:
                codebase.require_readable()
            assert f"cairn engine migrate --to {name}" in caught.value.hint
            manifest = codebase.migrate(name)
            assert manifest is not None
            assert {ref.engine for ref in manifest.segments} == {name}
            assert (manifest.cause, manifest.parent_snapshot_id) == ("migrate", None)
            assert codebase.verdict().passes
            assert codebase.migrate(name) is None
        assert shown(indexed) == before


def test_the_former_store_stays_as_it_was(indexed: Repo) -> None:
    pytest.importorskip("lancedb", reason="LanceDB is not installed: make install-engines")
    before = {info.store_id: info.active_snapshot_id for info in list_stores(cairn_home())}
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
    after = {info.store_id: info.active_snapshot_id for info in list_stores(cairn_home())}
    assert len(after) == 2
    assert before.items() <= after.items()


def test_an_engine_that_the_settings_don_t_name_is_no_place_to_go(indexed: Repo) -> None:
    with Codebase(str(indexed.path)) as codebase, pytest.raises(UsageError, match="name the engine flat, not lancedb"):
        codebase.migrate("lancedb")


def test_what_was_never_indexed_can_t_be_moved(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py")
    with Codebase(str(repo.path)) as codebase, pytest.raises(NotIndexedError, match="to move"):
        codebase.migrate("flat")


def test_settings_that_differ_in_more_than_the_engine_need_an_index_of_their_own(indexed: Repo) -> None:
    pytest.importorskip("lancedb", reason="LanceDB is not installed: make install-engines")
    indexed.write(".cairn.toml", '[index]\nengine = "lancedb"\nchunk_bytes = 700\n')
    with Codebase(str(indexed.path)) as codebase, pytest.raises(NotIndexedError, match="to move"):
        codebase.migrate("lancedb")


def test_a_damaged_store_is_not_copied(indexed: Repo) -> None:
    pytest.importorskip("lancedb", reason="LanceDB is not installed: make install-engines")
    with Codebase(str(indexed.path)) as codebase:
        segments = Path(codebase.store().layout.segments)
    for path in segments.glob("*/vectors.npy"):
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        stamp = path.stat().st_mtime_ns
        path.write_bytes(data)
        os.utime(path, ns=(stamp, stamp))
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase, pytest.raises(CorruptStoreError, match="damaged"):
        codebase.migrate("lancedb")


@pytest.mark.requirement("ENG.2")
def test_a_server_that_is_away_changes_nothing(indexed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (Path(cairn_home()) / "config.toml").write_text("[milvus]\ntimeout_s = 1\n")
    for server in served("milvus", tmp_path, monkeypatch):
        assert isinstance(server, Server)
        server.kill()
        choose(indexed, "milvus")
        with Codebase(str(indexed.path)) as codebase:
            with pytest.raises(ProbeFailedError):
                codebase.migrate("milvus")
            with pytest.raises(RequiresReindexError):
                codebase.require_readable()
        choose(indexed, "flat")
        assert shown(indexed).keys() == FILES.keys()
        server.start()
        choose(indexed, "milvus")
        with Codebase(str(indexed.path)) as codebase:
            assert codebase.migrate("milvus") is not None


def test_the_command_says_what_it_did(indexed: Repo, engine: str) -> None:
    choose(indexed, engine)
    told = answer("engine", "migrate", "--to", engine, str(indexed.path))
    assert (told["engine"], told["migrated"]) == (engine, True)
    done = run("engine", "migrate", "--to", engine, str(indexed.path))
    assert (done.returncode, done.stdout) == (0, f"the index is in {engine} already\n")


def test_a_shared_store_is_not_moved(indexed: Repo, tmp_path: Path) -> None:
    done = run("engine", "migrate", "--to", "flat", str(indexed.path), "--shared-store", str(tmp_path / "shared"))
    assert (done.returncode, done.stdout) == (5, "")
