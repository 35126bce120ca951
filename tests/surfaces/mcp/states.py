"""A codebase brought into the states that gates are about, for the time of a block."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cairn.lifecycle.proof import Proof, ProofOutcome
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.tracked import Tracked
from cairn.store.identity import Identity
from tests.surfaces.mcp.client import row_of

OTHER_SETTINGS = "[index]\nchunk_bytes = 900\n"


def registry(home: Path) -> Registry:
    return Registry(str(home / ".cairn"))


def tracked(home: Path, root: Path) -> Tracked:
    row = row_of(home, root)
    assert row is not None
    return row


@contextlib.contextmanager
def being_indexed(home: Path, root: Path) -> Iterator[None]:
    """A run of this very process, which lives as long as the test."""
    row = tracked(home, root)
    identity = Identity(row.root, row.store_id, row.fingerprint, "flat", 128)
    registry(home).begin(identity, "of-the-test", row.parts)
    registry(home).beat(row.root, "of-the-test", 40.0, "indexing")
    try:
        yield
    finally:
        proof = Proof(ProofOutcome.VALID, None, "", row.run_id, row.snapshot_id, row.files, row.chunks)
        assert registry(home).complete(row.root, "of-the-test", proof)


@contextlib.contextmanager
def other_settings(root: Path) -> Iterator[None]:
    path = root / ".cairn.toml"
    path.write_text(OTHER_SETTINGS, encoding="utf-8")
    try:
        yield
    finally:
        path.unlink()


@contextlib.contextmanager
def without_store(home: Path, root: Path) -> Iterator[None]:
    """The registry says indexed, and there is nothing that proves it."""
    store = home / ".cairn/data" / tracked(home, root).store_id
    aside = home / "aside"
    store.rename(aside)
    try:
        yield
    finally:
        aside.rename(store)


@contextlib.contextmanager
def damaged_manifest(home: Path, root: Path) -> Iterator[None]:
    """A marker that can't be looked for: the active snapshot's manifest can't be read."""
    row = tracked(home, root)
    path = home / ".cairn/data" / row.store_id / "snapshots" / row.snapshot_id / "manifest.json"
    whole = path.read_bytes()
    path.write_bytes(b"damaged")
    try:
        yield
    finally:
        path.write_bytes(whole)
