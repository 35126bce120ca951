"""LanceDB tables in an object store that is really asked: away, slow, closed, emptied, and left in the middle."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from bench.backends import MINIO, object_store

from cairn.base.errors import CorruptStoreError, EngineDeniedError, ProbeFailedError
from cairn.codebase.codebase import Codebase, Request
from cairn.config.user import cairn_home
from cairn.engines import VectorEngine, lies_outside
from cairn.indexing.options import SyncOptions
from cairn.store.health import Level, check_store
from tests.engines.conformance import DIMENSION, EngineConformance, unit_vectors
from tests.engines.kinds import require
from tests.engines.objectstores import BUCKET, ObjectStore
from tests.notes import said
from tests.store.test_crash import die_at
from tests.surfaces.cli.test_store import answer
from tests.trees import Repo

ADDRESS = f"s3://{BUCKET}/cairn"


@pytest.fixture(scope="module")
def standing() -> Iterator[ObjectStore]:
    """One that stays up, for tests that don't mind what others have put there."""
    require("s3")
    made = ObjectStore()
    yield made
    made.kill()


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    require("s3")
    made = ObjectStore()
    name(made, monkeypatch)
    yield made
    made.kill()


def name(bucket: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in bucket.environment().items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("CAIRN_LANCEDB_URI", ADDRESS)
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")


def be_patient(seconds: float, kept_mb: int = 0) -> None:
    """What is kept would answer without it."""
    home = Path(cairn_home())
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / "config.toml").write_text(f"[lancedb]\ntimeout_s = {seconds}\nkept_mb = {kept_mb}\n")


@pytest.fixture(scope="module")
def in_minio() -> Iterator[Mapping[str, str]]:
    require("s3")
    if not MINIO.exists():
        pytest.skip("make install-minio builds it")
    with object_store(0) as (_, surroundings):
        yield surroundings


@pytest.mark.requirement("ENG.1")
class TestInMinio(EngineConformance):
    """One that teams run, where it was built."""

    @pytest.fixture(autouse=True)
    def _minio(self, in_minio: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        for variable, value in in_minio.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.setenv("CAIRN_LANCEDB_URI", ADDRESS)

    def make(self, store: str) -> VectorEngine:
        from cairn.engines.lance_remote import RemoteLanceEngine
        from cairn.engines.settings import LanceSettings

        return RemoteLanceEngine(store, LanceSettings(ADDRESS, timeout_s=60))


@pytest.mark.requirement("ENG.1")
class TestInAnObjectStore(EngineConformance):
    @pytest.fixture(autouse=True)
    def _bucket(self, standing: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bucket = standing
        name(standing, monkeypatch)

    def make(self, store: str) -> VectorEngine:
        from cairn.engines.lance_remote import RemoteLanceEngine
        from cairn.engines.settings import LanceSettings

        return RemoteLanceEngine(store, LanceSettings(ADDRESS, timeout_s=60))

    @pytest.mark.requirement("ENG.2")
    def test_who_is_not_let_in_is_told_so_at_every_step(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        reader = self.engine.open(folder, 30, DIMENSION)
        outside = lies_outside("lancedb", self.store)
        assert outside is not None
        self.bucket.let_in_nobody()
        (tmp_path / "second").mkdir()
        for step in (
            lambda: self.engine.open(folder, 30, DIMENSION),
            lambda: reader.nearest(unit_vectors(1)[0], 3, None),
            lambda: reader.take(np.arange(3, dtype=np.int64)),
            lambda: outside.verify(folder, 30, DIMENSION),
            lambda: outside.remove(["segment"]),
            outside.held,
            lambda: self.engine.write(str(tmp_path / "second"), unit_vectors(3)),
        ):
            with pytest.raises(EngineDeniedError, match=f"{ADDRESS} refuses the credentials") as caught:
                step()
            assert "AWS_ACCESS_KEY_ID" in caught.value.hint
            assert "MILVUS" not in caught.value.hint
        self.bucket.let_in_everybody()
        outside.verify(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_a_table_that_lacks_a_file_is_damaged(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "seg_torn", unit_vectors(30))
        assert self.bucket.lose("/seg_torn.lance/data/") == 1
        with pytest.raises(CorruptStoreError, match="seg_torn at s3://") as caught:
            self.engine.open(folder, 30, DIMENSION)
        assert caught.value.hint.startswith("Repair the store")


@pytest.fixture
def codebase(bucket: ObjectStore, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    monkeypatch.setenv("CAIRN_ENGINE", "lancedb")
    be_patient(60)
    repo.write("lease.py", "def take_over_lease(owner):\n    return owner.dead\n")
    repo.write("walk.py", "def walk_tree(root):\n    yield 1\n")
    repo.commit()
    with Codebase(str(repo.path)) as opened:
        opened.index()
        yield opened


def warnings_of(repo: Repo) -> tuple[str, ...]:
    with Codebase(str(repo.path)) as codebase:
        answered = codebase.search(Request("take over a lease"))
    assert "lease.py" in {item.path for item in answered.items}
    return said(answered)


@pytest.mark.requirement("ENG.2")
def test_an_object_store_that_says_nothing_is_waited_for_as_long_as_the_settings_say(
    codebase: Codebase, repo: Repo, bucket: ObjectStore
) -> None:
    assert warnings_of(repo) == ()
    be_patient(1)
    bucket.pause()
    began = time.monotonic()
    (warning,) = warnings_of(repo)
    # LanceDB by itself would go on asking for minutes.
    assert time.monotonic() - began < 20
    assert "probe_failed" in warning
    repo.write("new.py", "x = 1\n")
    with Codebase(str(repo.path)) as away, pytest.raises(ProbeFailedError):
        away.collect(force=True)
    bucket.resume()
    be_patient(60)
    # Nobody asks it for a while, but for whoever wants an index.
    assert "it is asked again in" in str(warnings_of(repo))
    with Codebase(str(repo.path)) as back:
        back.index(SyncOptions(tells=True))
    assert warnings_of(repo) == ()
    assert codebase.verdict().passes


@pytest.mark.requirement("ENG.2")
def test_an_object_store_that_is_gone_or_closed_changes_no_state(
    codebase: Codebase, repo: Repo, bucket: ObjectStore
) -> None:
    bucket.let_in_nobody()
    (warning,) = warnings_of(repo)
    assert "engine_denied" in warning
    bucket.let_in_everybody()
    assert warnings_of(repo) == ()
    bucket.kill()
    be_patient(2)
    (warning,) = warnings_of(repo)
    assert "probe_failed" in warning
    assert answer("status", str(repo.path))["state"] == "indexed"
    assert codebase.verdict().passes


@pytest.mark.requirement("ENG.2")
def test_what_is_kept_answers_without_an_object_store(codebase: Codebase, repo: Repo, bucket: ObjectStore) -> None:
    be_patient(60, kept_mb=64)
    assert warnings_of(repo) == ()
    bucket.kill()
    be_patient(2, kept_mb=64)
    assert warnings_of(repo) == ()
    assert codebase.verdict().passes


@pytest.mark.requirement("ENG.2")
def test_tables_that_somebody_removed_are_made_anew_by_a_repair(codebase: Codebase, repo: Repo) -> None:
    outside = lies_outside("lancedb", codebase.store().layout.path)
    assert outside is not None
    outside.remove(outside.held())
    with Codebase(str(repo.path)) as broken:
        found = broken.search(Request("take over a lease"))
        assert found.items[0].row.path_key == "lease.py"
        assert [("vectors_lost" in text, "somebody removed them" in text) for text in said(found)] == [(True, True)]
    with Codebase(str(repo.path)) as broken:
        broken.repair()
        assert all(each.level is Level.OK for each in check_store(broken.store().layout))
    assert warnings_of(repo) == ()


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("kept_mb", [0, 64])
def test_an_index_that_is_asked_for_makes_anew_tables_whose_data_are_gone(
    codebase: Codebase, repo: Repo, bucket: ObjectStore, kept_mb: int
) -> None:
    be_patient(60, kept_mb)
    assert warnings_of(repo) == ()
    assert bucket.lose(".lance/data/") == 1
    with Codebase(str(repo.path)) as broken:
        assert broken.index(SyncOptions(tells=True)).published
        assert [note.code for note in broken.notes] == ["vectors_mended"]
        assert all(each.level is Level.OK for each in check_store(broken.store().layout))
    assert warnings_of(repo) == ()
    with Codebase(str(repo.path)) as whole:
        assert not whole.index(SyncOptions(tells=True)).published


@pytest.mark.requirement("ENG.1", "ENG.2")
@pytest.mark.parametrize("point", ["segment.vectors_written", "publish.manifest_written", "publish.pointer_swapped"])
def test_an_index_that_dies_leaves_nothing_that_a_collection_doesn_t_find(
    codebase: Codebase, repo: Repo, point: str
) -> None:
    repo.write("new.py", "def only_new():\n    return 1\n")
    die_at(point, "index", str(repo.path))
    assert warnings_of(repo) == ()
    with Codebase(str(repo.path)) as again:
        again.index()
        again.compact(force=True)
        again.collect(force=True)
        outside = lies_outside("lancedb", again.store().layout.path)
        assert outside is not None
        with again.view() as view:
            assert outside.held() == {ref.segment_id for ref in view.segments}
            view.upkeep.verify_outside()


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("IO { source: http://127.0.0.1:14032/bucket?list-type=2 connection refused }", False),
        ("error sending request for s3://team-401k/forbidden-things/cairn: timed out", False),
        ("Client error with status 403 Forbidden: <Code>AccessDenied</Code>", True),
        ("server returned status code: 401", True),
        ("<Code>InvalidAccessKeyId</Code>", True),
    ],
)
def test_what_a_store_is_called_says_nothing_about_credentials(told: str, expected: bool) -> None:
    from cairn.engines.lance_refusals import is_denied

    assert is_denied(told) is expected
