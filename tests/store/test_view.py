"""The view: the only door to segments, and nothing hidden ever comes through it."""

import ast
import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

import cairn
from cairn.base.errors import BusyError, CorruptStoreError, NotIndexedError
from cairn.indexing.terms import terms_of
from cairn.store import MARKER_KIND, SnapshotView, Store
from tests.store.samples import EMBEDDER, answers, contents, make_store, publish

SOURCE = Path(cairn.__file__).resolve().parent


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def near(view: SnapshotView, text: str) -> set[str]:
    return {hit.row.path_key for hit in view.vectors.nearest(EMBEDDER.embed([text])[0], 100)}


def matched(view: SnapshotView, token: str) -> list[str]:
    return [hit.row.path_key for hit in view.words.matches({("body", token): 1.0}, 100)]


@pytest.mark.requirement("IDX.MUST.001")
def test_a_deleted_file_returns_nothing_though_its_segment_is_still_there(store: Store) -> None:
    first = publish(store, {"a.py": "walrus = 1\n", "b.py": "walrus otter\n"})
    publish(store, {"a.py": None})
    with store.view() as view:
        assert first.segments[0] in view.segments
        assert view.upkeep.counts()[first.segments[0].segment_id][:2] == (2, 2)
        assert view.upkeep.loads()[first.segments[0].segment_id] == (2, 1)
        assert [file.path_key for file in view.files()] == ["b.py"]
        assert view.rows.file("a.py") is None
        assert view.rows.of("a.py") == []
        assert view.vectors.of("a.py") is None
        assert dict(view.upkeep.homes()).keys() == {"b.py"}
        assert matched(view, "walrus") == ["b.py"]
        assert near(view, "walrus = 1") == {"b.py"}
        assert view.words.document_frequencies("body", ["walrus"]) == [1]
        assert view.words.document_frequencies("path", ["a"]) == [0]
        assert [each.file.path_key for each, *_ in view.upkeep.content([ref.segment_id for ref in view.segments])] == [
            "b.py"
        ]
        assert [(stone.path_key, stone.reason) for stone in view.upkeep.tombstones()] == [("a.py", "delete")]


@pytest.mark.requirement("IDX.MUST.001")
def test_a_replaced_file_shows_only_its_new_rows(store: Store) -> None:
    publish(store, {"a.py": "walrus\n" * 20, "b.py": "other\n"})
    publish(store, {"a.py": "otter\n"})
    with store.view() as view:
        assert contents(view) == {"a.py": "otter\n", "b.py": "other\n"}
        assert matched(view, "walrus") == []
        assert matched(view, "otter") == ["a.py"]
        assert view.words.document_frequencies("body", ["walrus"]) == [0]
        assert [
            hit.row.text for hit in view.vectors.nearest(EMBEDDER.embed(["walrus"])[0], 9) if "walrus" in hit.row.text
        ] == []
        assert (file := view.rows.file("a.py")) is not None
        assert file.chunks == 1
        vectors = view.vectors.of("a.py")
        assert vectors is not None
        assert vectors.tolist() == EMBEDDER.embed(["otter\n"]).tolist()
        assert [stone.reason for stone in view.upkeep.tombstones()] == ["replace"]


@pytest.mark.requirement("IDX.MUST.001")
def test_a_file_that_comes_back_shows_again(store: Store) -> None:
    for text in ("one\n", None, "two\n", None, "three\n"):
        publish(store, {"a.py": text, "b.py": "stays\n"})
    with store.view() as view:
        assert contents(view) == {"a.py": "three\n", "b.py": "stays\n"}
        assert view.words.document_frequencies("path", ["a"]) == [1]


@pytest.mark.requirement("IDX.MUST.001")
def test_more_dead_rows_than_the_limit_crowd_out_no_live_one(store: Store) -> None:
    publish(store, {f"dead{n}.py": "walrus walrus walrus\n" for n in range(30)} | {"live.py": "walrus in a herd\n"})
    publish(store, {f"dead{n}.py": None for n in range(30)})
    with store.view() as view:
        assert [hit.row.path_key for hit in view.words.matches({("body", "walrus"): 1.0}, 1)] == ["live.py"]
        assert [hit.row.path_key for hit in view.vectors.nearest(EMBEDDER.embed(["walrus"])[0], 1)] == ["live.py"]


@pytest.mark.requirement("STO.3")
def test_a_view_stays_the_same_while_publishes_and_compactions_go_on(store: Store) -> None:
    publish(store, {"a.py": "walrus\n", "b.py": "otter\n"})
    with store.view() as view:
        before = (contents(view), answers(view, "walrus", "otter"), view.snapshot_id)
        publish(store, {"a.py": None, "b.py": "walrus\n"})
        publish(store, {"c.py": "walrus\n"})
        store.compact(terms_of, force=True)
        assert (contents(view), answers(view, "walrus", "otter"), view.snapshot_id) == before
    with store.view() as view:
        assert contents(view) == {"b.py": "walrus\n", "c.py": "walrus\n"}


@pytest.mark.requirement("IDX.MUST.005")
def test_nothing_is_collected_while_a_view_is_open(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    publish(store, {"a.py": "walrus\n"})
    with store.view() as view:
        publish(store, {"a.py": "otter\n"})
        store.compact(terms_of, force=True)
        with pytest.raises(BusyError):
            store.collect(force=True)
        assert contents(view) == {"a.py": "walrus\n"}
    assert store.collect(force=True)


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.005")
def test_a_reader_in_another_process_holds_off_the_collection(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    code = (
        "import sys\nfrom cairn.store.layout import open_layout\nfrom cairn.store import SnapshotView\n"
        "view = SnapshotView(open_layout(sys.argv[1]))\nprint('open', flush=True)\nsys.stdin.read()\nview.close()\n"
    )
    command = (sys.executable, "-c", code, store.layout.path)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(BusyError):
            store.collect(force=True)
        child.communicate()
        assert child.returncode == 0
    store.collect(force=True)


@pytest.mark.requirement("IDX.MUST.001")
def test_the_marker_shows_nowhere_but_as_the_marker(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"b.py": "otter\n"})
    with store.view() as view:
        marker = view.marker()
        assert marker is not None
        assert marker["snapshotId"] == view.snapshot_id
        assert MARKER_KIND not in {row.kind for file in view.files() for row in view.rows.of(file.path_key)}
        assert view.rows.of("") == []
        assert {hit.row.kind for hit in view.vectors.nearest(EMBEDDER.embed(["x"])[0], 50)} == {"text"}
        assert view.words.document_frequencies("body", ["snapshotid"]) == [0]
        assert [counts[0] for counts in view.upkeep.counts().values()] == [1, 1]


@pytest.mark.requirement("IDX.MUST.001")
def test_an_empty_file_is_a_file_without_rows(store: Store) -> None:
    publish(store, {"empty.py": "", "a.py": "walrus\n"})
    with store.view() as view:
        assert contents(view) == {"empty.py": "", "a.py": "walrus\n"}
        vectors = view.vectors.of("empty.py")
        assert vectors is not None
        assert vectors.shape == (0, EMBEDDER.dimension)


def test_a_store_without_a_snapshot_is_not_indexed(store: Store) -> None:
    with pytest.raises(NotIndexedError):
        store.view()


def test_closing_a_view_twice_closes_nothing_else(store: Store, tmp_path: Path) -> None:
    publish(store, {"a.py": "walrus\n"})
    view = store.view()
    view.close()
    with open(tmp_path / "bystander", "wb") as file:
        view.close()
        file.write(b"still open")
    assert (tmp_path / "bystander").read_bytes() == b"still open"


def test_a_view_that_nobody_holds_is_gone_before_garbage_is_looked_for(store: Store) -> None:
    """It has many files open, and garbage is looked for when there is much of it."""
    publish(store, {"a.py": "walrus\n"})
    gc.disable()
    try:
        view = store.view()
        view.close()
        held = weakref.ref(view)
        del view
        assert held() is None
    finally:
        gc.enable()


@pytest.mark.requirement("IDX.MUST.006")
def test_a_snapshot_that_lost_its_tombstones_shows_nothing(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    manifest = publish(store, {"a.py": None})
    (Path(store.layout.path) / manifest.tombstones[0].path).unlink()
    with pytest.raises(CorruptStoreError, match=r"tombstones\.jsonl"):
        store.view()


def package_modules() -> list[tuple[str, ast.Module]]:
    return [
        (str(path.relative_to(SOURCE)), ast.parse(path.read_text()))
        for path in sorted(SOURCE.rglob("*.py"))
        if SOURCE / "store" not in path.parents
    ]


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "store._" in node.value:
            names.add(node.value)
    return names


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.001")
def test_no_other_package_reaches_behind_the_view() -> None:
    found = [
        f"{name}: {module}"
        for name, tree in package_modules()
        for module in imported(tree)
        if "store._" in module or (module.startswith("cairn.store") and "._" in module)
    ]
    assert found == []


CONTROL_STATE = frozenset(
    {
        "embed/cache.py",
        "embed/cachefile.py",
        "lifecycle/nearby.py",
        "lifecycle/registry.py",
        "lifecycle/tracked.py",
        "program/nudge.py",
        "embed/sqlitefile.py",
        "semantic/control.py",
        "semantic/jobs.py",
        "semantic/jobtable.py",
        "store/database.py",
    }
)
"""Databases that are no part of any snapshot."""


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.001")
def test_no_other_package_opens_what_segments_are_made_of() -> None:
    """`engines` write and read vectors for the store; `shortage` knows SQLite's error codes and opens nothing."""
    found = [
        f"{name}: {module}"
        for name, tree in package_modules()
        for module in imported(tree)
        if (module.split(".")[0] in ("tantivy", "sqlite3") and name not in CONTROL_STATE | {"base/shortage.py"})
        or (module.startswith("cairn.engines.flat") and not name.startswith("engines"))
    ]
    assert found == []


@pytest.mark.requirement("IDX.MUST.001")
def test_within_the_store_only_view_and_publish_read_segments() -> None:
    readers = {
        str(path.relative_to(SOURCE / "store"))
        for path in (SOURCE / "store").rglob("*.py")
        if {
            name
            for name in imported(ast.parse(path.read_text()))
            if any(reader in name for reader in ("SegmentReader", "RowFileReader", "SemanticReader"))
        }
    }
    # Candidates are chosen among the readers that a view hands over, and so are semantic facts. What is in `live_*`
    # reads the segments that a view has pinned. What a shell offers while somebody types is no answer. A layer is
    # given the readers of the view that it is laid over. A segment is written as a table by the view that pins it,
    # and what is here of such tables becomes the readers of a shelf.
    asked = {"_askedparts.py", "askable.py", "asked.py"}
    live = {"layer.py", "live_facts.py", "live_pinned.py", "live_words.py", "offers.py"}
    assert readers == live | {"_candidates.py", "_segment.py", "publish.py", "served.py", "shelf.py", "view.py"} | asked


@pytest.mark.slow
def test_only_the_view_makes_readers_of_live_rows() -> None:
    made = ("PinnedSegments", "LiveRows", "LiveFacts", "LiveWords", "LiveVectors", "SegmentUpkeep")
    makers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in made
    }
    assert makers == {"store/view.py"}
