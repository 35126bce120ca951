"""A store under a random life, held against a plain dictionary."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cairn.base.errors import BusyError, UnknownOutcomeError
from cairn.embed import HashingEmbedder
from cairn.indexing.prepare import row_of
from cairn.indexing.terms import terms_of
from cairn.kernel.tokens import tokens
from cairn.store import (
    FileRow,
    GitInfo,
    Identity,
    Manifest,
    PackedFile,
    SnapshotView,
    Store,
    Transaction,
    TreeFacts,
    faults,
    pack,
)
from cairn.store.audit import audit
from cairn.store.health import Level, check_store
from cairn.store.lease import WriterLease
from cairn.syntax.lines import chunk_lines
from cairn.workspace.reads import content_hash
from tests.long import LONG

pytestmark = pytest.mark.slow

WORDS = ("alpha", "beta", "gamma", "delta", "lease_epoch", "SnapshotView", "naïve", "日本語")
PATHS = ("a.py", "src/alpha.py", "src/deep/beta.py", "docs/ä b.md")
CHUNK_BYTES = 40
EMBEDDER = HashingEmbedder(16)
PUBLISHING = tuple(point for point in faults.POINTS if point.startswith(("segment.", "publish.")))
COLLECTING = tuple(point for point in faults.POINTS if point.startswith("gc."))
COMPACTING = ("compact.planned", "compact.built", *PUBLISHING)

texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=4).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)
paths = st.sampled_from(PATHS)
changes = st.dictionaries(paths, st.none() | texts, min_size=1, max_size=3)


class BrokenOffError(Exception):
    """What a crash at a named point looks like from inside the process."""


@dataclass(frozen=True, slots=True)
class Pin:
    view: SnapshotView
    files: dict[str, str]


@contextmanager
def broken_at(point: str | None) -> Iterator[None]:
    """Nothing but the point itself can end an operation exactly there and leave this process alive."""

    def stop(name: str) -> None:
        if name == point:
            raise BrokenOffError(point)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "reach", stop)
        yield


def rows_for(path: str, text: str) -> tuple[PackedFile, list[Any], list[Any], Any]:
    data = text.encode()
    file_hash = content_hash(data)
    rows = [
        row_of(path, number, chunk, file_hash, "text")
        for number, chunk in enumerate(chunk_lines(data, CHUNK_BYTES, 50))
    ]
    vectors = EMBEDDER.embed([row.text for row in rows])
    packed = pack(FileRow(path, file_hash, len(data), "text", len(rows)), data, rows)
    return packed, rows, [terms_of(row) for row in rows], vectors


def texts_in(view: SnapshotView) -> dict[str, str]:
    return {
        file.path_key: "".join(row.text for row in view.rows.of(file.path_key) if row.kind == "text")
        for file in view.files()
    }


class StoreMachine(RuleBasedStateMachine):
    """`tree` is the work tree, `published` what the last successful publish promised."""

    @initialize()
    def make(self) -> None:
        self.home = tempfile.mkdtemp(prefix="cairn-machine-")
        self.identity = Identity("/some/root", "store", "f" * 64, "flat", EMBEDDER.dimension)
        self.store = Store.create(self.home, self.identity)
        self.tree: dict[str, str] = {}
        self.published: dict[str, str] | None = None
        self.pins: list[Pin] = []

    def teardown(self) -> None:
        for pin in getattr(self, "pins", ()):
            self.check_pin(pin)
            pin.view.close()
        if hasattr(self, "home"):
            shutil.rmtree(self.home)

    @rule(changes=changes)
    def sync(self, changes: Mapping[str, str | None]) -> None:
        """Files are added, modified and deleted, and one transaction publishes it."""
        self.change(changes)
        self.publish()

    @rule(old=paths, new=paths)
    def rename(self, old: str, new: str) -> None:
        if old in self.tree:
            self.tree[new] = self.tree.pop(old)
            self.publish()

    @rule(changes=changes, point=st.sampled_from(PUBLISHING))
    def sync_that_breaks(self, changes: Mapping[str, str | None], point: str) -> None:
        self.change(changes)
        if self.breaks(point, self.publish_tree):
            self.published = dict(self.tree)

    @rule(changes=changes, count=st.integers(0, 3))
    def abandon(self, changes: Mapping[str, str | None], count: int) -> None:
        """A transaction that is given up after some of its files."""
        self.change(changes)
        with self.store.writer() as lease, self.transaction(lease, at_most=count):
            pass

    @precondition(lambda self: self.published is not None)
    @rule(force=st.booleans())
    def compact(self, force: bool) -> None:
        self.store.compact(terms_of, force=force)

    @precondition(lambda self: self.published is not None)
    @rule(point=st.sampled_from(COMPACTING))
    def compact_that_breaks(self, point: str) -> None:
        self.breaks(point, lambda: self.store.compact(terms_of, force=True))

    @rule(point=st.sampled_from((None, *COLLECTING)))
    def collect(self, point: str | None) -> None:
        with broken_at(point), suppress(BrokenOffError):
            self.collect_once()

    @rule()
    def reopen(self) -> None:
        self.store = Store.open(self.home, self.identity)

    @precondition(lambda self: self.published is not None and len(self.pins) < 3)
    @rule()
    def pin(self) -> None:
        assert self.published is not None
        self.pins.append(Pin(self.store.view(), dict(self.published)))

    @precondition(lambda self: self.pins)
    @rule()
    def unpin(self) -> None:
        pin = self.pins.pop()
        self.check_pin(pin)
        pin.view.close()

    @precondition(lambda self: self.published is not None)
    @rule(word=st.sampled_from(WORDS))
    def find_word(self, word: str) -> None:
        assert self.published is not None
        with self.store.view() as view:
            pairs = {(field, token): 1.0 for field in ("body", "path") for token in tokens(word)}
            found = {(hit.row.path_key, hit.row.ordinal) for hit in view.words.matches(pairs, 200)}
        wanted = set(tokens(word))
        expected = {
            (path, row.ordinal)
            for path, text in self.published.items()
            for row in rows_for(path, text)[1]
            if wanted & {*tokens(row.text), *tokens(path)}
        }
        assert found == expected

    @precondition(lambda self: self.published is not None)
    @rule(text=texts, limit=st.integers(1, 5))
    def find_nearest(self, text: str, limit: int) -> None:
        assert self.published is not None
        query = EMBEDDER.embed([text])[0]
        with self.store.view() as view:
            scores = [hit.score for hit in view.vectors.nearest(query, limit)]
            for hit in view.vectors.nearest(query, limit):
                assert hit.row.text in self.published[hit.row.path_key]
        products = [
            float(np.dot(vector, query))
            for path, content in self.published.items()
            for vector in rows_for(path, content)[3]
        ]
        assert np.allclose(scores, sorted(products, reverse=True)[:limit], atol=1e-6)

    @invariant()
    def the_last_publish_answers(self) -> None:
        if not hasattr(self, "published"):
            return
        if self.published is None:
            assert self.store.active() is None
            return
        with self.store.view() as view:
            assert view.recovered == ""
            assert texts_in(view) == self.published
            assert audit(view) == []
            marker = view.marker()
            assert marker is not None
            assert marker["indexedFiles"] == len(self.published)

    def check_pin(self, pin: Pin) -> None:
        assert texts_in(pin.view) == pin.files
        assert audit(pin.view) == []

    def change(self, changes: Mapping[str, str | None]) -> None:
        for path, text in changes.items():
            if text is None:
                self.tree.pop(path, None)
            else:
                self.tree[path] = text

    def publish(self) -> None:
        self.publish_tree()
        self.published = dict(self.tree)

    def publish_tree(self) -> None:
        with self.store.writer() as lease, self.transaction(lease) as transaction:
            transaction.publish(lease, self.facts())

    def breaks(self, point: str, act: Any) -> bool:
        """Whether the new snapshot became the active one though the operation broke off."""
        before = self.pointer()
        with broken_at(point), suppress(BrokenOffError, UnknownOutcomeError):
            act()
        return self.pointer() != before

    def pointer(self) -> str:
        try:
            with open(self.store.layout.pointer) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def collect_once(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
            try:
                self.store.collect(force=True)
            except BusyError:
                assert self.pins, "nobody reads, so nothing may stand in the way of a collection"
                return
        assert not self.pins, "a collection went on under a reader"
        self.check_that_nothing_is_left_over()

    def check_that_nothing_is_left_over(self) -> None:
        layout = self.store.layout
        assert os.listdir(layout.staging) == []
        active = self.store.active()
        if active is None:
            assert os.listdir(layout.segments) == os.listdir(layout.snapshots) == []
            return
        assert set(os.listdir(layout.segments)) == {ref.segment_id for ref in active.segments}
        needed = {ref.path.split("/")[1] for ref in (*active.tombstones, *active.file_index)}
        assert set(os.listdir(layout.snapshots)) == needed | {active.snapshot_id}
        assert [check for check in check_store(layout) if check.level is not Level.OK] == []

    @contextmanager
    def transaction(self, lease: WriterLease, at_most: int = len(PATHS)) -> Iterator[Transaction]:
        active = self.store.active()
        live, known = self.live(active)
        transaction = Transaction(self.store.layout, self.identity, active, live, cause="sync", txn_id=lease.txn_id)
        with transaction:
            changed = [path for path in sorted(self.tree) if known.get(path) != self.tree[path]]
            for path in sorted(known.keys() - self.tree.keys())[:at_most]:
                transaction.delete(path)
            for path in changed[:at_most]:
                packed, _, terms, vectors = rows_for(path, self.tree[path])
                transaction.add_file(packed, terms, vectors)
            yield transaction

    def live(self, active: Manifest | None) -> tuple[Mapping[str, int], Mapping[str, str]]:
        if active is None:
            return {}, {}
        with self.store.view() as view:
            return {file.path_key: file.chunks for file in view.files()}, texts_in(view)

    def facts(self) -> TreeFacts:
        return TreeFacts(ignore_fingerprint="0" * 64, git=GitInfo(None, False, True), eligible=frozenset(self.tree))


StoreMachine.TestCase.settings = settings(
    max_examples=60 * LONG or 15, stateful_step_count=40 if LONG else 25, deadline=None
)
TestStore = pytest.mark.long(pytest.mark.requirement("FUZZ.1")(StoreMachine.TestCase))


def test_a_transaction_that_is_given_up_leaves_nothing_in_staging() -> None:
    for _ in range(20):
        machine = StoreMachine()
        machine.make()
        machine.tree = {"a.py": "alpha beta\n", "b.py": "gamma\n"}
        with machine.store.writer() as lease, machine.transaction(lease):
            pass
        left = os.listdir(machine.store.layout.staging)
        machine.teardown()
        assert left == []
