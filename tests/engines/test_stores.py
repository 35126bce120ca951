"""Whole stores on every engine: the same answers, and nothing left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.engines import lies_outside
from cairn.indexing.terms import terms_of
from cairn.store import Store
from cairn.store.health import Level, check_store
from tests.engines.kinds import OTHERS, served
from tests.store.samples import EMBEDDER, answers, contents, identity, make_store, publish

WORDS = ("walrus", "otter", "seal", "common walrus")
HISTORY: tuple[dict[str, str | None], ...] = (
    {"a.py": "walrus common\n" * 9, "b.py": "otter common\n" * 7, "sub/c.py": "seal seal otter\n" * 4},
    {"a.py": "whale common\n" * 5, "d.py": "walrus otter\n"},
    {"b.py": None, "e.py": "common\n" * 12},
    {"d.py": "walrus otter seal\n" * 3},
)


@pytest.fixture(params=OTHERS)
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for _ in served(request.param, tmp_path, monkeypatch):
        yield request.param


@pytest.fixture
def store(engine: str, tmp_path: Path) -> Store:
    return make_store(tmp_path / "there", who=identity(engine=engine))


def held(store: Store) -> frozenset[str] | None:
    outside = lies_outside(store.identity.engine, store.layout.path)
    return outside.held() if outside is not None else None


@pytest.mark.requirement("ENG.1")
def test_answers_are_those_of_flat_before_and_after_a_compaction(store: Store, tmp_path: Path) -> None:
    flat = make_store(tmp_path / "flat")
    for change in HISTORY:
        publish(store, change)
        publish(flat, change)
    with flat.view() as view:
        expected = answers(view, *WORDS)
    with store.view() as view:
        assert answers(view, *WORDS) == expected
        everything = contents(view)
    store.compact(terms_of, force=True)
    with store.view() as view:
        assert len(view.segments) == 1
        assert answers(view, *WORDS) == expected
        assert contents(view) == everything


@pytest.mark.requirement("ENG.1")
def test_a_deleted_file_never_shows_and_a_view_keeps_what_it_began_with(store: Store) -> None:
    publish(store, HISTORY[0])
    with store.view() as before:
        first = answers(before, *WORDS)
        publish(store, {"a.py": None, "b.py": "walrus\n"})
        store.compact(terms_of, force=True)
        assert answers(before, *WORDS) == first
    with store.view() as view:
        vector = EMBEDDER.embed(["walrus common"])[0]
        assert "a.py" not in {hit.row.path_key for hit in view.vectors.nearest(vector, 50)}


@pytest.mark.requirement("ENG.1")
def test_a_collection_leaves_what_the_kept_snapshots_name(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    for change in HISTORY:
        publish(store, change)
    store.compact(terms_of, force=True)
    with store.view() as view:
        expected, (kept,) = answers(view, *WORDS), view.segments
    store.collect(force=True)
    assert held(store) in (None, {kept.segment_id})
    with store.view() as view:
        assert answers(view, *WORDS) == expected
    assert [check for check in check_store(store.layout) if check.level is not Level.OK] == []


@pytest.mark.requirement("ENG.1")
def test_a_transaction_that_is_given_up_leaves_nothing_that_a_collection_doesn_t_take(store: Store) -> None:
    from tests.store.samples import add, begin

    publish(store, HISTORY[0])
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "x.py", "never published\n")
        transaction.start_segment()
    store.collect(force=True)
    with store.view() as view:
        assert held(store) in (None, {ref.segment_id for ref in view.segments})


@pytest.mark.requirement("ENG.1")
def test_segments_that_are_being_written_are_left_alone_by_a_collection(store: Store) -> None:
    """A compaction builds without the lease."""
    from cairn.store import compact

    publish(store, HISTORY[0])
    publish(store, HISTORY[1])
    with store.view() as view:
        parent = view.manifest
        merge = [ref.segment_id for ref in view.segments]
        transaction = compact.build(view, store.layout, store.identity, merge, terms_of)
    with transaction:
        transaction.start_segment()
        store.collect(force=True)
        with store.writer() as lease:
            compact.publish_compaction(transaction, store.layout, lease, parent)
    with store.view() as view:
        assert contents(view) == {"a.py": "whale common\n" * 5, **_texts("b.py", "sub/c.py"), "d.py": "walrus otter\n"}
        view.upkeep.verify_outside()


def _texts(*paths: str) -> dict[str, str]:
    return {path: text for path in paths if (text := HISTORY[0][path]) is not None}
