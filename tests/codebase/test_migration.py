"""An index that moves to another engine: every row and vector, and nothing embedded again."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cairn.base.errors import (
    BusyError,
    CorruptStoreError,
    LeaseLostError,
    NotIndexedError,
    NotReadyError,
    ProbeFailedError,
    RefusedError,
    RequiresReindexError,
    UsageError,
)
from cairn.base.ulid import new_ulid
from cairn.codebase import migration
from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.config.user import cairn_home
from cairn.edit.journal import FileEdit, Journal
from cairn.engines import lies_outside
from cairn.indexing.options import SyncOptions
from cairn.indexing.terms import terms_of
from cairn.lifecycle.gates import NonOkReason
from cairn.semantic.control import control_file
from cairn.semantic.job import JobStatus
from cairn.semantic.jobs import JobQueue
from cairn.semantic.scope import FULL
from cairn.store import ChunkRow, SnapshotView, Store, faults
from cairn.store.history import encode
from cairn.store.inventory import list_stores
from cairn.store.lease import WriterLease
from cairn.store.semantics import DEFINITION
from tests.engines.kinds import OTHERS, require, served
from tests.engines.servers import Server
from tests.long import LONG
from tests.notes import command_hint
from tests.semantic.facts import publish as publish_facts
from tests.store.test_crash import die_at
from tests.surfaces.cli.test_store import answer, run
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
        vectors = view.vectors.of(file.path_key)
        assert vectors is not None
        found[file.path_key] = (file, view.rows.of(file.path_key), vectors.tobytes(), view.facts.of(file.path_key))
    return found


def shown(repo: Repo) -> dict[str, object]:
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        return everything(view)


def history(repo: Repo) -> tuple[bytes, str]:
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        assert view.history is not None
        return encode(view.history), view.manifest.history_of


@pytest.mark.slow
def test_there_and_back_nothing_is_lost_and_nothing_embedded(
    indexed: Repo, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (shown(indexed), history(indexed))
    monkeypatch.setattr("cairn.embed.static.StaticEmbedder.embed", None)
    for name in (engine, "flat"):
        choose(indexed, name)
        with Codebase(str(indexed.path)) as codebase:
            with pytest.raises(RequiresReindexError, match="vectorStoreProvider") as caught:
                codebase.require_readable()
            assert f"cairn engine migrate --to {name}" in command_hint(caught.value.hint)
            manifest = codebase.migrate(name)
            assert manifest is not None
            assert {ref.engine for ref in manifest.segments} == {name}
            assert (manifest.cause, manifest.parent_snapshot_id) == ("migrate", None)
            assert codebase.verdict().passes
            assert codebase.migrate(name) is None
        assert (shown(indexed), history(indexed)) == before


@pytest.mark.slow
def test_the_former_store_stays_as_it_was(indexed: Repo) -> None:
    require("lancedb")
    before = {info.store_id: info.active_snapshot_id for info in list_stores(cairn_home())}
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
    after = {info.store_id: info.active_snapshot_id for info in list_stores(cairn_home())}
    assert len(after) == 2
    assert before.items() <= after.items()


@pytest.mark.slow
def test_an_engine_that_the_settings_don_t_name_is_no_place_to_go(indexed: Repo) -> None:
    with Codebase(str(indexed.path)) as codebase, pytest.raises(UsageError, match="name the engine flat, not lancedb"):
        codebase.migrate("lancedb")


def test_what_was_never_indexed_can_t_be_moved(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py")
    with Codebase(str(repo.path)) as codebase, pytest.raises(NotIndexedError, match="to move"):
        codebase.migrate("flat")


@pytest.mark.slow
def test_settings_that_differ_in_more_than_the_engine_need_an_index_of_their_own(indexed: Repo) -> None:
    require("lancedb")
    indexed.write(".cairn.toml", '[index]\nengine = "lancedb"\nchunk_bytes = 700\n')
    with Codebase(str(indexed.path)) as codebase, pytest.raises(NotIndexedError, match="to move"):
        codebase.migrate("lancedb")


@pytest.mark.slow
def test_a_damaged_store_is_not_copied(indexed: Repo) -> None:
    require("lancedb")
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


@pytest.mark.slow
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
        # Nothing was made for what could not begin.
        assert [store.engine for store in list_stores(cairn_home())] == ["flat"]
        choose(indexed, "flat")
        assert shown(indexed).keys() == FILES.keys()
        server.start()
        choose(indexed, "milvus")
        with Codebase(str(indexed.path)) as codebase:
            assert codebase.migrate("milvus") is not None


@pytest.mark.slow
def test_the_command_says_what_it_did(indexed: Repo, engine: str) -> None:
    choose(indexed, engine)
    told = answer("engine", "migrate", "--to", engine, str(indexed.path))
    assert (told["engine"], told["migrated"]) == (engine, True)
    done = run("engine", "migrate", "--to", engine, str(indexed.path))
    assert (done.returncode, done.stdout) == (0, f"the index is in {engine} already\n")


@pytest.mark.slow
def test_a_shared_store_is_not_moved(indexed: Repo, tmp_path: Path) -> None:
    done = run("engine", "migrate", "--to", "flat", str(indexed.path), "--shared-store", str(tmp_path / "shared"))
    assert (done.returncode, done.stdout) == (5, "")


@pytest.fixture
def lance() -> None:
    require("lancedb")


def control_rows(codebase: Codebase) -> dict[str, list[dict[str, Any]]]:
    with control_file(codebase.store().layout).reading() as connection:
        assert connection is not None
        tables = ("jobs", "plans", "decisions", "contexts", "repo_state")
        return {name: [dict(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in tables}


def told_by(codebase: Codebase) -> object:
    """The semantic facts as they are served, by context."""
    with codebase.view() as view:
        return {
            ref.context: (ref.job_id, ref.files, ref.occurrences, list(facts.files()), facts.occurrences_in("a.py"))
            for ref in view.semantics
            if (facts := view.semantic(ref.context)) is not None
        }


@pytest.mark.slow
def test_semantic_facts_come_along(indexed: Repo, lance: None) -> None:
    with Codebase(str(indexed.path)) as codebase:
        publish_facts(codebase, "python:.", {"a.py": [(1, 4, 1, 9, "scip . . . alpha().", DEFINITION)]})
        before = told_by(codebase)
    for name in ("lancedb", "flat"):
        choose(indexed, name)
        with Codebase(str(indexed.path)) as codebase:
            manifest = codebase.migrate(name)
            assert manifest is not None
            assert told_by(codebase) == before
            assert before
            (ref,) = manifest.semantics
            assert (ref.segment_id in {each.segment_id for each in manifest.folders}, ref.context) == (True, "python:.")
            assert codebase.store().is_tidy()


@pytest.mark.slow
def test_damaged_facts_are_not_copied(indexed: Repo, lance: None) -> None:
    with Codebase(str(indexed.path)) as codebase:
        publish_facts(codebase, "python:.", {"a.py": [(1, 4, 1, 9, "scip . . . alpha().", DEFINITION)]})
        (path,) = Path(codebase.store().layout.segments).glob("*/semantic.sqlite")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase, pytest.raises(CorruptStoreError):
        codebase.migrate("lancedb")


@pytest.mark.slow
def test_jobs_plans_decisions_and_edits_come_along(indexed: Repo, lance: None) -> None:
    with Codebase(str(indexed.path)) as codebase:
        queue = JobQueue(codebase.store().layout)
        queue.enqueue("python:.", FULL, "head", "asked")
        running = queue.claim(limit=1)
        assert running is not None
        with control_file(codebase.store().layout).writing() as connection:
            connection.execute("INSERT INTO decisions VALUES ('sig', 'head', '{}', 'all', '{}', 1.0)")
            connection.execute("INSERT INTO plans VALUES (?, ?, '{}')", (new_ulid(), time.time()))
        journal = Journal(codebase.store().layout, codebase.detector.tree)
        old = (indexed.path / "a.py").read_bytes()
        written = journal.apply([FileEdit("a.py", old, b"x = 1\n")], "an edit")
        before = control_rows(codebase)
    for name in ("lancedb", "flat"):
        choose(indexed, name)
        with Codebase(str(indexed.path)) as codebase:
            codebase.migrate(name)
            after = control_rows(codebase)
            (job,) = JobQueue(codebase.store().layout).all()
            journal = Journal(codebase.store().layout, codebase.detector.tree)
            assert journal.get(written.id) == written
        assert {key: after[key] for key in after if key != "jobs"} == {
            key: before[key] for key in before if key != "jobs"
        }
        # Its worker publishes into the former store, so that it is run again here.
        assert (job.id, job.status, job.owner, job.run) == (running.id, JobStatus.QUEUED, None, "")
    with Codebase(str(indexed.path)) as codebase:
        Journal(codebase.store().layout, codebase.detector.tree).undo(written.id)
    assert (indexed.path / "a.py").read_bytes() == old


@pytest.mark.slow
def test_what_the_target_knew_from_before_goes_where_the_source_knows_nothing(indexed: Repo, lance: None) -> None:
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
        layout = codebase.store().layout
        JobQueue(layout).enqueue("python:.", FULL, "head", "asked")
    choose(indexed, "flat")
    with Codebase(str(indexed.path)) as codebase:
        codebase.index(SyncOptions(reindex=True))
        assert not control_file(codebase.store().layout).exists()
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
    assert JobQueue(layout).all() == ()


def interrupted(codebase: Codebase, change: FileEdit) -> Journal:
    """The journal of an edit whose process died once the file was written."""
    journal = Journal(codebase.store().layout, codebase.detector.tree)

    def die(step: str) -> None:
        if step == "edit.file_written":
            raise Died

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "reach", die)
        patch.setattr(Journal, "_back", lambda _, edit: edit)
        with pytest.raises(Died):
            journal.apply([change], "an edit")
    return journal


class Died(Exception):  # noqa: N818
    pass


@pytest.mark.slow
def test_an_edit_that_is_half_done_keeps_the_index_where_it_is(
    indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(indexed.path)
    old = (indexed.path / "a.py").read_bytes()
    with Codebase(str(indexed.path)) as codebase:
        journal = interrupted(codebase, FileEdit("a.py", old, b"x = 1\n"))
        assert journal.interrupted()
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        with pytest.raises(RefusedError, match="interrupted") as caught:
            codebase.migrate("lancedb")
        assert command_hint(caught.value.hint).startswith("Run `CAIRN_ENGINE=flat cairn rename --recover`")
        assert not Path(cairn_home(), "data", codebase.identity.store_id).exists()
    done = run("rename", "--recover", CAIRN_ENGINE="flat")
    assert (done.returncode, journal.interrupted()) == (0, ())
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.migrate("lancedb") is not None


@pytest.mark.slow
def test_nobody_edits_while_the_index_moves(indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch) -> None:
    old = (indexed.path / "a.py").read_bytes()
    with Codebase(str(indexed.path)) as codebase:
        journal = Journal(codebase.store().layout, codebase.detector.tree)
        written = journal.apply([FileEdit("a.py", old, b"x = 1\n")], "an edit")
    refused = []

    def undo(row: ChunkRow) -> Any:
        with pytest.raises(BusyError):
            journal.undo(written.id)
        refused.append(row)
        return terms_of(row)

    monkeypatch.setattr(migration, "terms_of", undo)
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
        assert refused
        Renaming(codebase).undo(written.id)
    assert (indexed.path / "a.py").read_bytes() == old


@pytest.mark.slow
def test_a_store_that_was_moved_away_from_neither_undoes_nor_recovers(
    indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(indexed.path)
    old = (indexed.path / "a.py").read_bytes()
    with Codebase(str(indexed.path)) as codebase:
        journal = Journal(codebase.store().layout, codebase.detector.tree)
        written = journal.apply([FileEdit("a.py", old, b"x = 1\n")], "an edit")
        codebase.index()
        choose(indexed, "lancedb")
        with Codebase(str(indexed.path)) as moved:
            moved.migrate("lancedb")
            Renaming(moved).undo(written.id)
        # The same text again, but by somebody's own hand: the former store would take it for its edit.
        indexed.write("a.py", "x = 1\n")
        for ask in (lambda: Renaming(codebase).undo(written.id), Renaming(codebase).recover):
            with pytest.raises(RequiresReindexError):
                ask()
    choose(indexed, "flat")
    for step in (("--undo", written.id), ("--recover",)):
        done = run("rename", *step)
        assert (done.returncode, "cairn engine migrate --to flat" in done.stderr) == (4, True)
    assert (indexed.path / "a.py").read_text() == "x = 1\n"


@pytest.mark.slow
def test_an_edit_is_recovered_while_the_index_is_made(indexed: Repo) -> None:
    old = (indexed.path / "a.py").read_bytes()
    with Codebase(str(indexed.path)) as codebase:
        interrupted(codebase, FileEdit("a.py", old, b"x = 1\n"))
        assert codebase.tracking is not None
        codebase.tracking.registry.begin(codebase.identity, new_ulid(), codebase.parts())
        assert [edit.state for edit in Renaming(codebase).recover()] == ["applied"]


_ALL = [point for point in faults.POINTS if point.split(".")[0] in ("staging", "segment", "publish")]
_FEW = ["segment.vectors_written", "publish.manifest_written", "publish.pointer_swapped"]
POINTS = _ALL if LONG else _FEW


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("point", POINTS)
def test_a_move_that_dies_leaves_the_former_store_answering(indexed: Repo, engine: str, point: str) -> None:
    before = shown(indexed)
    choose(indexed, engine)
    die_at(point, "engine", "migrate", "--to", engine, str(indexed.path))
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.verdict().reason is NonOkReason.REQUIRES_REINDEX
        with pytest.raises(RequiresReindexError) as caught:
            codebase.require_readable()
    assert f"cairn engine migrate --to {engine}" in command_hint(caught.value.hint)
    choose(indexed, "flat")
    assert shown(indexed) == before
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.verdict().passes
        assert codebase.verdict().failure is None
    choose(indexed, engine)
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.migrate(engine) is not None
        codebase.collect(force=True)
        layout = codebase.store().layout
        outside = lies_outside(engine, layout.path)
        assert outside is None or outside.held() == set(os.listdir(layout.segments))
    assert shown(indexed) == before


@pytest.mark.slow
@pytest.mark.requirement("ENG.2")
def test_a_server_that_goes_away_on_the_way_changes_nothing(
    indexed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(cairn_home()) / "config.toml").write_text("[milvus]\ntimeout_s = 1\n")
    before = shown(indexed)
    for server in served("milvus", tmp_path, monkeypatch):
        assert isinstance(server, Server)
        choose(indexed, "milvus")

        def go_away(row: ChunkRow, server: Server = server) -> Any:
            if server.process is not None:
                server.kill()
            return terms_of(row)

        with Codebase(str(indexed.path)) as codebase, monkeypatch.context() as patch:
            patch.setattr(migration, "terms_of", go_away)
            with pytest.raises(ProbeFailedError):
                codebase.migrate("milvus")
            assert codebase.verdict().reason is NonOkReason.REQUIRES_REINDEX
        choose(indexed, "flat")
        assert shown(indexed) == before
        server.start()
        choose(indexed, "milvus")
        with Codebase(str(indexed.path)) as codebase:
            assert codebase.migrate("milvus") is not None
        assert shown(indexed) == before


@pytest.mark.slow
def test_what_was_skipped_and_what_failed_is_told_as_before(indexed: Repo, lance: None) -> None:
    (indexed.path / "bin.dat").write_bytes(bytes(range(256)) * 10)
    with Codebase(str(indexed.path)) as codebase:
        codebase.index()
        former = codebase.store().active()
    assert former is not None
    assert former.skipped
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        manifest = codebase.migrate("lancedb")
    assert manifest is not None
    assert (manifest.skipped, manifest.errors, manifest.git) == (former.skipped, former.errors, former.git)
    assert manifest.ignore_fingerprint == former.ignore_fingerprint


@pytest.mark.slow
def test_the_store_that_the_codebase_answers_from_is_the_one_that_moves(
    indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the clocks said when the others were written."""
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
    choose(indexed, "flat")
    monkeypatch.setattr("cairn.store.publish.now_text", lambda: "2001-01-01T00:00:00Z")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("flat")
        indexed.write("new.py", "def only_in_flat():\n    return 1\n")
        codebase.index()
    choose(indexed, "milvus")
    with Codebase(str(indexed.path)) as codebase:
        row = codebase.tracking.row() if codebase.tracking is not None else None
        assert row is not None
        source = migration._source(cairn_home(), codebase.identity_with, "milvus", row.store_id)
        assert source.identity.engine == "flat"
        # Without a row the newest counts.
        assert migration._source(cairn_home(), codebase.identity_with, "milvus", "").identity.engine == "lancedb"


@pytest.mark.slow
def test_a_lease_that_is_lost_on_the_way_ends_the_move(
    indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(indexed)
    choose(indexed, "lancedb")
    copied: list[object] = []

    def lost(_lease: WriterLease) -> None:
        raise LeaseLostError("lost")

    with monkeypatch.context() as patch, Codebase(str(indexed.path)) as codebase:
        patch.setattr(WriterLease, "check", lost)
        patch.setattr("cairn.store.publish.Transaction.copy_file", lambda *given: copied.append(given))
        with pytest.raises(LeaseLostError):
            codebase.migrate("lancedb")
    assert copied == []
    choose(indexed, "flat")
    assert shown(indexed) == before


@pytest.mark.slow
def test_nothing_moves_while_an_index_is_made(indexed: Repo, lance: None) -> None:
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.tracking is not None
        codebase.tracking.registry.begin(codebase.identity, new_ulid(), codebase.parts())
        with pytest.raises(NotReadyError):
            codebase.migrate("lancedb")
        assert not Path(cairn_home(), "data", codebase.identity.store_id).exists()


@pytest.mark.slow
def test_a_run_that_begins_meanwhile_keeps_its_row(indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(indexed, "lancedb")
    run_id = new_ulid()
    with Codebase(str(indexed.path)) as codebase:
        tracking = codebase.tracking
        assert tracking is not None

        def begin(*_: object) -> None:
            tracking.registry.begin(codebase.identity, run_id, codebase.parts())

        monkeypatch.setattr(migration, "record", lambda *_, **__: begin())
        with pytest.raises(NotReadyError):
            codebase.migrate("lancedb")
        row = tracking.registry.get(codebase.root_path)
        assert row is not None
        assert row.run_id == run_id


@pytest.mark.slow
def test_every_artifact_is_hashed_anew_before_it_is_copied(
    indexed: Repo, lance: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has rotted under an unchanged stamp would be made good by a new checksum."""
    view, asked = Store.view, []

    def noted(store: Store, **options: Any) -> SnapshotView:
        if store.identity.engine == "flat":
            asked.append(options.get("fresh", False))
        return view(store, **options)

    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase, monkeypatch.context() as patch:
        patch.setattr(Store, "view", noted)
        codebase.migrate("lancedb")
    assert asked == [True]


def test_a_table_that_is_damaged_after_the_snapshot_was_pinned_is_not_opened(indexed: Repo) -> None:
    """LanceDB can end the process over changed bytes, so they are compared first."""
    require("lancedb")
    choose(indexed, "lancedb")
    with Codebase(str(indexed.path)) as codebase:
        codebase.migrate("lancedb")
        with codebase.view() as view:
            segments = Path(codebase.store().layout.segment(view.manifest.segments[0].segment_id))
            (table, *_) = sorted(path for path in segments.rglob("*.lance") if path.is_file())
            data = bytearray(table.read_bytes())
            data[len(data) // 2] ^= 0xFF
            table.chmod(0o600)
            table.write_bytes(data)
            with pytest.raises(CorruptStoreError, match="is damaged"):
                view.vectors.nearest(np.zeros(view.manifest.segments[0].dimension, dtype=np.float32), 3)
