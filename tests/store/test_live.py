"""The readers of a view: every question to them ends when its time is over, and when the view is closed."""

import inspect
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CancelledError, DeadlineError
from cairn.store import SemanticFacts, SnapshotView, Store
from cairn.store.live_pinned import LiveReader
from tests.store.samples import EMBEDDER, make_store, publish
from tests.store.test_semantics import CONTEXT, A, B, imported

Ask = Callable[[SnapshotView], object]
AT = (0, 0)
HASHES = np.zeros(1, dtype=np.uint64)
VECTOR = EMBEDDER.embed(["walrus"])[0]
PAIRS = {("body", "f"): 1.0}

OWN: dict[str, Ask] = {
    "segments": lambda view: view.segments,
    "semantics": lambda view: view.semantics,
    "semantic": lambda view: view.semantic(CONTEXT),
    "copy_semantic": lambda view: view.copy_semantic(Writer(), CONTEXT, ["a.py"]),  # type: ignore[arg-type]
    "files": lambda view: view.files(),
    "history": lambda view: view.history,
    "files_where": lambda view: view.files_where(lambda _, __: True),
    "marker": lambda view: view.marker(),
}
READERS: dict[str, Ask] = {
    "rows.file": lambda view: view.rows.file("a.py"),
    "rows.contents": lambda view: view.rows.contents(),
    "rows.shows": lambda view: view.rows.shows(),
    "rows.languages": lambda view: view.rows.languages(),
    "rows.files_where": lambda view: view.rows.files_where(lambda _: True),
    "rows.of": lambda view: view.rows.of("a.py"),
    "rows.at": lambda view: view.rows.at(AT),
    "rows.chosen": lambda view: view.rows.chosen([(AT, 0)]),
    "rows.heads": lambda view: view.rows.heads({AT: [0]}),
    "rows.whole_text_of": lambda view: view.rows.whole_text_of("a.py"),
    "rows.text_of": lambda view: [view.rows.text_of(item.at) for item in view.words.files_holding([])],
    "facts.of": lambda view: view.facts.of("a.py"),
    "facts.symbols_named": lambda view: view.facts.symbols_named(["f"], 1),
    "facts.symbols_starting": lambda view: view.facts.symbols_starting(["f"], 1),
    "facts.symbols_with_paths": lambda view: view.facts.symbols_with_paths(["f"], 1),
    "facts.symbols_at": lambda view: view.facts.symbols_at([AT]),
    "facts.symbols_qualified": lambda view: view.facts.symbols_qualified(AT, "f"),
    "facts.all_symbols": lambda view: view.facts.all_symbols(),
    "facts.defined": lambda view: view.facts.defined(),
    "facts.definitions_in": lambda view: view.facts.definitions_in(AT),
    "facts.names": lambda view: view.facts.names(),
    "facts.names_of": lambda view: view.facts.names_of(["a.py"]),
    "facts.occurrences_in": lambda view: view.facts.occurrences_in("a.py"),
    "facts.called": lambda view: view.facts.called(),
    "facts.imports": lambda view: view.facts.imports(),
    "facts.imports_of": lambda view: view.facts.imports_of([AT]),
    "facts.renaming_imports": lambda view: view.facts.renaming_imports(),
    "facts.module_imports": lambda view: view.facts.module_imports(["python"]),
    "occurrences.named": lambda view: view.occurrences.named("f"),
    "occurrences.named_in": lambda view: view.occurrences.named_in("f", "a.py"),
    "occurrences.flows_of": lambda view: view.occurrences.flows_of("a.py"),
    "occurrences.shapes_of": lambda view: view.occurrences.shapes_of("a.py"),
    "occurrences.tree_of": lambda view: view.occurrences.tree_of("a.py"),
    "occurrences.whats_in": lambda view: view.occurrences.whats_in("f", "a.py"),
    "occurrences.rows": lambda view: [*map(view.occurrences.rows, view.occurrences.named("f").values())],
    "words.document_frequencies": lambda view: view.words.document_frequencies("body", ["f"]),
    "words.counted": lambda view: view.words.counted(["f"]),
    "words.matches": lambda view: view.words.matches(PAIRS, 1),
    "words.matching_files": lambda view: view.words.matching_files(PAIRS, 1, HASHES, lambda matrix: matrix.lengths),
    "words.files_holding": lambda view: view.words.files_holding([]),
    "words.evidence": lambda view: view.words.evidence([AT], HASHES, []),
    "vectors.of": lambda view: view.vectors.of("a.py"),
    "vectors.nearest": lambda view: view.vectors.nearest(VECTOR, 1),
    "vectors.near": lambda view: view.vectors.near(VECTOR, 1),
    "vectors.nearest_files": lambda view: view.vectors.nearest_files(view.vectors.near(VECTOR, 1), 1),
    "upkeep.homes": lambda view: view.upkeep.homes(),
    "upkeep.content": lambda view: view.upkeep.content([ref.segment_id for ref in view.manifest.segments]),
    "upkeep.tombstones": lambda view: view.upkeep.tombstones(),
    "upkeep.loads": lambda view: view.upkeep.loads(),
    "upkeep.counts": lambda view: view.upkeep.counts(),
    "upkeep.open_everything": lambda view: view.upkeep.open_everything(),
    "upkeep.hidden": lambda view: [*view.upkeep.hidden()],
    "upkeep.shown": lambda view: [*view.upkeep.shown({path for path, _, _ in view.rows.contents()})],
    "upkeep.write_table": lambda view: view.upkeep.write_table(view.manifest.segments[0].segment_id, io.BytesIO()),
    "upkeep.all_vectors": lambda view: view.upkeep.all_vectors(view.manifest.segments[0].segment_id),
    "upkeep.require_finite": lambda view: view.upkeep.require_finite(1),
    "upkeep.verify_outside": lambda view: view.upkeep.verify_outside(),
}
SEMANTIC: dict[str, Callable[[SemanticFacts], object]] = {
    "serves": lambda facts: facts.serves("a.py"),
    "meta": lambda facts: facts.meta(),
    "files": lambda facts: facts.files(),
    "recorded": lambda facts: facts.recorded(),
    "occurrences_in": lambda facts: facts.occurrences_in("a.py"),
    "occurrences_on": lambda facts: facts.occurrences_on("a.py", [1]),
    "occurrences_of": lambda facts: facts.occurrences_of([1]),
    "knows": lambda facts: facts.knows("a.py"),
    "symbols": lambda facts: facts.symbols([1]),
    "symbols_named": lambda facts: facts.symbols_named("f"),
    "definers": lambda facts: facts.definers(["scip . f()."]),
    "related": lambda facts: facts.related([1]),
    "left_out": lambda facts: facts.left_out(),
    "frame": lambda facts: facts.frame("a.py"),
    "occurrences_then": lambda facts: facts.occurrences_then("a.py", [1]),
    "leanings": lambda facts: list(facts.leanings()),
    "carrying": lambda facts: facts.carrying(lambda *_: {}).occurrences_in("a.py"),
}


class Writer:
    """Takes whatever a view copies."""

    def copy(self, *_: object) -> None:
        pass


def public(kind: type) -> set[str]:
    """The names of the methods and properties that a class offers."""
    found = inspect.getmembers(kind, lambda each: inspect.isfunction(each) or isinstance(each, property))
    return {name for name, _ in found if not name.startswith("_")}


def ended(ask: Callable[[], object]) -> None:
    """Ask, and go through all of the answer."""
    found = ask()
    if isinstance(found, Iterator):
        list(found)


def assert_looks_at_its_bounds(ask: Callable[[], object]) -> None:
    ended(ask)
    gone = WorkBounds()
    gone.cancelled.set()
    with deadline.within(gone), pytest.raises(CancelledError):
        ended(ask)
    with deadline.within(WorkBounds(time.monotonic() - 1)), pytest.raises(DeadlineError):
        ended(ask)
    ended(ask)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = make_store(Path(tmp_path_factory.mktemp("live")))
    publish(store, {"a.py": A, "b.py": B})
    imported(store)
    publish(store, {"b.py": None})
    return store


def test_all_questions_are_asked_here(store: Store) -> None:
    """A method that comes to a reader comes to the lists above, or this fails."""
    with store.view() as view:
        readers = {name: type(value) for name, value in vars(view).items() if isinstance(value, LiveReader)}
    assert set(readers.values()) == set(LiveReader.__subclasses__())
    assert {f"{name}.{each}" for name, kind in readers.items() for each in public(kind)} == READERS.keys()
    assert public(SnapshotView) - {"aliases", "close", "is_open", "lay", "snapshot_id", "chunks_live"} == OWN.keys()
    assert public(SemanticFacts) - {"close"} == SEMANTIC.keys()


@pytest.mark.parametrize("name", [*OWN, *READERS])
def test_every_question_to_a_view_and_its_readers_looks_at_its_bounds(store: Store, name: str) -> None:
    with store.view() as view:
        assert_looks_at_its_bounds(lambda: (OWN | READERS)[name](view))


@pytest.mark.parametrize("name", SEMANTIC)
def test_every_question_to_semantic_facts_looks_at_its_bounds(store: Store, name: str) -> None:
    with store.view() as view:
        facts = view.semantic(CONTEXT)
        assert facts is not None
        assert_looks_at_its_bounds(lambda: SEMANTIC[name](facts))


@pytest.mark.parametrize("name", [*OWN, *READERS])
def test_nothing_answers_once_the_view_is_closed(store: Store, name: str) -> None:
    with store.view() as view:
        pass
    with pytest.raises(ValueError, match="closed"):
        ended(lambda: (OWN | READERS)[name](view))
