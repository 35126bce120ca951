"""The manifest: what goes in comes out, and what was touched is noticed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import CorruptStoreError, IncompatibleError
from cairn.base.ulid import new_ulid
from cairn.store.digest import Digest
from cairn.store.manifest import (
    Counts,
    FileError,
    FileRef,
    GitInfo,
    Manifest,
    SegmentRef,
    _checksum,
    decode,
    encode,
)
from tests.store.samples import make_store, publish

segment_ids = st.integers(0, 99).map(lambda number: f"seg_{new_ulid()}_{number}")
numbers = st.integers(min_value=0, max_value=1 << 60)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
digests = st.builds(Digest, numbers, st.text("0123456789abcdef", min_size=64, max_size=64))
safe_paths = words.filter(lambda text: not text.startswith("/") and ".." not in text.split("/"))
manifests = st.builds(
    Manifest,
    snapshot_id=st.builds(new_ulid),
    parent_snapshot_id=st.none() | st.builds(new_ulid),
    created_at=words,
    cause=words,
    canonical_root=words,
    store_id=words,
    config_fingerprint=words,
    ignore_fingerprint=words,
    lease_epoch=numbers,
    git=st.builds(GitInfo, st.none() | words, st.booleans(), st.booleans()),
    segments=st.lists(
        st.builds(SegmentRef, segment_ids, words, words, numbers, numbers, numbers, digests), max_size=3
    ).map(tuple),
    tombstones=st.lists(
        st.builds(FileRef, safe_paths, numbers, digests, st.lists(segment_ids, max_size=2).map(tuple)), max_size=2
    ).map(tuple),
    file_index=st.lists(st.builds(FileRef, safe_paths, numbers, digests), max_size=2).map(tuple),
    counts=st.builds(Counts, numbers, numbers, numbers, numbers, numbers),
    skipped=st.dictionaries(words, numbers, max_size=3),
    errors=st.lists(st.builds(FileError, words, words, words), max_size=2).map(tuple),
    unread=st.lists(st.tuples(words, words), max_size=2).map(tuple),
)


@pytest.mark.slow
@pytest.mark.requirement("STO.4")
@given(manifests)
def test_a_manifest_survives_the_trip(manifest: Manifest) -> None:
    assert decode(encode(manifest), "it") == manifest


def document(tmp_path: Path) -> dict[str, Any]:
    store = make_store(tmp_path)
    publish(store, {"a.py": "walrus\n"})
    manifest = publish(store, {"a.py": "otter\n"})
    found: dict[str, Any] = json.loads(Path(store.layout.manifest(manifest.snapshot_id)).read_bytes())
    return found


def sealed(found: dict[str, Any]) -> bytes:
    """A document with a checksum that is right for it."""
    rest = {name: value for name, value in found.items() if name != "checksum"}
    return json.dumps(rest | {"checksum": _checksum(rest)}).encode()


@pytest.mark.requirement("STO.7")
def test_any_touched_field_breaks_the_checksum(tmp_path: Path) -> None:
    found = document(tmp_path)
    assert decode(sealed(found), "it").snapshot_id == found["snapshot_id"]
    for name in set(found) - {"schema_version", "chunk_row_schema_version"}:
        with pytest.raises(CorruptStoreError, match="it"):
            decode(json.dumps(found | {name: "touched"}).encode(), "it")


@pytest.mark.requirement("STO.7")
def test_a_field_that_is_missing_is_named_though_the_checksum_is_right(tmp_path: Path) -> None:
    found = document(tmp_path)
    derived = {"checksum", "degraded"}
    for name in set(found) - derived:
        rest = {key: value for key, value in found.items() if key != name}
        with pytest.raises((CorruptStoreError, IncompatibleError)):
            decode(sealed(rest), "it")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"3", b'"x"', b"\xff", b"{}"])
def test_what_is_no_manifest_is_a_named_error(data: bytes) -> None:
    with pytest.raises((CorruptStoreError, IncompatibleError)):
        decode(data, "it")


@pytest.mark.parametrize("path", ["/etc/passwd", "../../x", "snapshots/../../x"])
def test_a_reference_never_leads_out_of_the_store(tmp_path: Path, path: str) -> None:
    found = document(tmp_path)
    found["tombstones"][0]["path"] = path
    with pytest.raises(CorruptStoreError):
        decode(sealed(found), "it")


@pytest.mark.parametrize("name", ["../../outside", "/outside", "a/b", ".."])
def test_a_segment_never_lies_outside_the_store(tmp_path: Path, name: str) -> None:
    found = document(tmp_path)
    found["segments"][0]["segment_id"] = name
    with pytest.raises(CorruptStoreError):
        decode(sealed(found), "it")


def test_the_epoch_orders_before_the_id(tmp_path: Path) -> None:
    manifest = decode(sealed(document(tmp_path)), "it")
    newer_id = replace(manifest, snapshot_id=new_ulid(after=manifest.snapshot_id))
    newer_epoch = replace(manifest, lease_epoch=manifest.lease_epoch + 1)
    assert manifest.order < newer_id.order < newer_epoch.order
