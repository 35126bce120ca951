"""Semantic segments: published, pinned, checksummed and collected like all others, served by content."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, PublishRefusedError, StaleSnapshotError, StorageError
from cairn.base.ulid import new_ulid
from cairn.base.values import replace
from cairn.indexing.terms import terms_of
from cairn.store import (
    Manifest,
    SemanticFile,
    SemanticFlag,
    SemanticMade,
    SemanticMeta,
    SemanticOccurrence,
    SemanticSymbol,
    SemanticWriter,
    Store,
)
from cairn.store.damage import assess
from cairn.store.manifest import decode, encode
from cairn.store.staging import Staging
from tests.store.samples import make_store, publish

CONTEXT = "python:."
A, B = "def f():\n    pass\n", "from a import f\nf()\n"
DEFINED = SemanticOccurrence(1, 4, 1, 5, 1, 1)
USED = SemanticOccurrence(2, 0, 2, 1, 1, 0)
LOCAL = SemanticOccurrence(2, 4, 2, 5, 3, 1)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def make(
    store: Store,
    files: Mapping[str, tuple[str, list[SemanticOccurrence]]],
    *,
    keep: tuple[str, ...] = (),
    context: str = CONTEXT,
) -> SemanticMade:
    """A segment with the symbol f, and a local one in each file."""
    meta = SemanticMeta(context, new_ulid(), "tool", "1", "c", "head")
    writer = SemanticWriter(store.layout, Staging(store.layout, new_ulid()).folder("semantic"), meta)
    writer.add_symbols([SemanticSymbol(1, "scip . f().", "f", "function")])
    for number, (path, (text, occurrences)) in enumerate(files.items(), 2):
        writer.add_symbols([SemanticSymbol(number, "local 0", "x", "local", path)])
        writer.add_file(SemanticFile(path, hash_of(text), meta.job_id), occurrences)
        writer.add_dependencies(path, {"a.py": "shown"} if path != "a.py" else {})
        writer.add_flags(path, [SemanticFlag(1, "star_import", path)])
        writer.add_relationships(path, [(number, 1, "implementation")])
    with store.view() as view:
        view.copy_semantic(writer, context, keep)
    return writer.finish()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    publish(store, {"a.py": A, "b.py": B})
    return store


def imported(store: Store) -> Manifest:
    return store.publish_semantic(make(store, {"a.py": (A, [DEFINED]), "b.py": (B, [USED, LOCAL])}))


def uses(store: Store) -> list[tuple[str, int]]:
    with store.view() as view:
        facts = view.semantic(CONTEXT)
        assert facts is not None
        (symbol,) = facts.symbols_named("f")
        return [(path, each.line) for path, each in facts.occurrences_of([symbol.number])]


@pytest.mark.requirement("SCIP.1")
def test_facts_are_published_with_a_snapshot_and_name_their_job(store: Store) -> None:
    before = store.active()
    manifest = imported(store)
    assert before is not None
    assert manifest.snapshot_id != before.snapshot_id
    (ref,) = manifest.semantics
    assert (ref.context, ref.files, ref.occurrences) == (CONTEXT, 2, 3)
    with store.view() as view:
        facts = view.semantic(CONTEXT)
        assert facts is not None
        assert facts.meta().job_id == ref.job_id
        assert facts.occurrences_in("b.py") == [USED, LOCAL]
        assert facts.symbols([1])[1].name == "f"
        assert facts.recorded()["b.py"].dependencies == {"a.py": "shown"}
        assert facts.recorded()["b.py"].flags == (SemanticFlag(1, "star_import", "b.py"),)
        assert (3, 1, "implementation") in facts.related([1])
        assert view.semantic("go:.") is None
    with store.view(snapshot_id=before.snapshot_id) as former:
        assert former.semantic(CONTEXT) is None
    assert uses(store) == [("a.py", 1), ("b.py", 2)]


@pytest.mark.requirement("JOB.2")
def test_facts_of_an_edited_file_are_not_served_until_it_has_that_content_again(store: Store) -> None:
    imported(store)
    publish(store, {"b.py": "f = 1\n"})
    assert uses(store) == [("a.py", 1)]
    with store.view() as view:
        facts = view.semantic(CONTEXT)
        assert facts is not None
        assert not facts.serves("b.py")
        assert facts.occurrences_in("b.py") == []
        assert "b.py" in facts.recorded()
        assert [symbol for symbol, _, _ in facts.related([1])] == [2]
    publish(store, {"b.py": None})
    assert uses(store) == [("a.py", 1)]
    publish(store, {"b.py": B})
    assert uses(store) == [("a.py", 1), ("b.py", 2)]


def test_compaction_and_syncs_keep_the_facts(store: Store) -> None:
    ref = imported(store).semantics
    publish(store, {"c.py": "x = 1\n"})
    manifest = store.compact(terms_of, force=True)
    assert manifest is not None
    assert manifest.semantics == ref
    assert len(manifest.segments) == 1
    assert uses(store) == [("a.py", 1), ("b.py", 2)]


def test_a_refresh_of_a_part_keeps_the_rest_and_gives_one_segment(store: Store) -> None:
    first = imported(store)
    publish(store, {"a.py": "\n" + A})
    made = make(store, {"a.py": ("\n" + A, [replace_line(DEFINED, 2)])}, keep=("a.py", "b.py"))
    second = store.publish_semantic(made)
    (ref,) = second.semantics
    assert (ref.files, ref.occurrences) == (2, 3)
    assert uses(store) == [("a.py", 2), ("b.py", 2)]
    with store.view() as view:
        facts = view.semantic(CONTEXT)
        assert facts is not None
        jobs = {file.path: file.job_id for file in facts.files()}
        assert jobs == {"a.py": made.meta.job_id, "b.py": first.semantics[0].job_id}
        local = facts.occurrences_in("b.py")[1]
        assert facts.symbols([local.symbol])[local.symbol].home == "b.py"
        assert facts.recorded()["b.py"].dependencies == {"a.py": "shown"}
        assert {(kind, other) for _, other, kind in facts.related([1])} == {("implementation", 1)}


def replace_line(occurrence: SemanticOccurrence, line: int) -> SemanticOccurrence:
    return occurrence._replace(line=line, end_line=line)


def test_the_files_that_define_a_symbol_are_known_whether_or_not_they_are_served(store: Store) -> None:
    imported(store)
    publish(store, {"a.py": "f = 1\n"})
    with store.view() as view:
        facts = view.semantic(CONTEXT)
        assert facts is not None
        assert facts.definers({"scip . f().", "scip . g().", "local 0"}) == {"scip . f().": {"a.py"}}


@pytest.mark.requirement("JOB.1")
def test_facts_that_others_have_replaced_meanwhile_are_refused(store: Store) -> None:
    late = make(store, {"a.py": (A, [DEFINED])})
    newest = imported(store)
    with pytest.raises(StaleSnapshotError, match="replaced while"):
        store.publish_semantic(late)
    assert store.active() == newest


@pytest.mark.requirement("JOB.2")
def test_what_is_refused_right_before_the_swap_leaves_no_trace(store: Store) -> None:
    before = store.active()
    made = make(store, {"a.py": (A, [DEFINED])})

    def refuse() -> None:
        raise StorageError("HEAD moved")

    with pytest.raises(StorageError):
        store.publish_semantic(made, refuse)
    assert store.active() == before
    assert not list(Path(store.layout.segments).glob("sem_*"))


def test_several_contexts_stand_beside_each_other(store: Store) -> None:
    imported(store)
    other = make(store, {"a.py": (A, [DEFINED])}, context="python:sub")
    manifest = store.publish_semantic(other)
    assert [ref.context for ref in manifest.semantics] == [CONTEXT, "python:sub"]


@pytest.mark.slow
def test_a_replaced_segment_is_collected_and_the_active_one_is_not(store: Store) -> None:
    imported(store)
    (kept,) = imported(store).semantics
    assert len(list(Path(store.layout.segments).glob("sem_*"))) == 2
    for count in range(5):
        publish(store, {"c.py": f"x = {count}\n"})
    store.collect(force=True)
    assert [path.name for path in Path(store.layout.segments).glob("sem_*")] == [kept.segment_id]
    assert uses(store) == [("a.py", 1), ("b.py", 2)]


def test_a_damaged_segment_is_found_and_left_out_by_a_repair(store: Store) -> None:
    (ref,) = imported(store).semantics
    path = Path(store.layout.segment(ref.segment_id)) / "semantic.sqlite"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(CorruptStoreError, match="is damaged"):
        store.view()
    assert assess(store.layout).segments == (ref.segment_id,)
    with store.view(leave_out=frozenset({f"segments/{ref.segment_id}"})) as view:
        assert view.semantics == ()
        assert view.semantic(CONTEXT) is None


def test_counts_that_do_not_hold_are_refused(store: Store) -> None:
    made = make(store, {"a.py": (A, [DEFINED])})
    with pytest.raises(PublishRefusedError, match="holds 1 occurrences in 1 files, not 7 in 1"):
        store.publish_semantic(replace(made, occurrences=7))


def test_a_file_that_is_no_database_is_damage(store: Store) -> None:
    made = make(store, {"a.py": (A, [DEFINED])})
    with sqlite3.connect(Path(made.folder) / "semantic.sqlite") as connection:
        connection.execute("DROP TABLE occurrences")
    with pytest.raises((CorruptStoreError, PublishRefusedError)):
        store.publish_semantic(made)


def test_a_manifest_of_version_1_has_no_facts(store: Store) -> None:
    manifest = imported(store)
    assert decode(encode(manifest), "it") == manifest
    document = json.loads(encode(manifest))
    del document["checksum"], document["semantics"]
    document["schema_version"] = 1
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    document["checksum"] = hashlib.sha256(canonical.encode()).hexdigest()
    assert decode(json.dumps(document).encode(), "it") == replace(manifest, semantics=())
