"""Checking artifacts: every byte counts, and none is hashed twice without need."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError
from cairn.store import Store, integrity, proven
from cairn.store.digest import Digest, combine, digest_file, digest_folder
from cairn.store.integrity import Verifier, artifacts
from cairn.store.manifest import Manifest
from tests.store.samples import make_store, publish


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    # What was just written is hashed again for a moment, however old the test is.
    monkeypatch.setattr(integrity, "_SETTLED_NS", -60_000_000_000)
    made = make_store(tmp_path)
    publish(made, {"a.py": "walrus\n"})
    publish(made, {"a.py": "otter\n"})
    return made


def active(store: Store) -> Manifest:
    found = store.active()
    assert found is not None
    return found


def hashed(store: Store, monkeypatch: pytest.MonkeyPatch, *, fresh: bool = False) -> list[str]:
    """Which files a verification reads."""
    seen: list[str] = []

    def watching(path: str) -> Digest:
        seen.append(path)
        return digest_file(path)

    with monkeypatch.context() as patch:
        patch.setattr(integrity, "digest_file", watching)
        patch.setattr(proven, "_PROVEN", {})  # as in a process that begins
        verifier = Verifier(store.layout, fresh=fresh)
        verifier.verify(active(store))
        verifier.remember()
    return seen


@pytest.mark.requirement("IDX.MUST.006")
def test_all_that_a_manifest_references_is_verified(store: Store) -> None:
    manifest = active(store)
    names = [name for name, _ in artifacts(manifest)]
    assert len(names) == len(set(names)) == 2 + 1 + 2
    for name, digest in artifacts(manifest):
        path = os.path.join(store.layout.path, name)
        assert digest == (digest_folder(path) if os.path.isdir(path) else digest_file(path))


@pytest.mark.requirement("IDX.MUST.006")
def test_a_verified_artifact_is_not_hashed_again_while_its_stamps_stand(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(store.layout.cache)
    os.mkdir(store.layout.cache)
    assert hashed(store, monkeypatch)
    assert hashed(store, monkeypatch) == []
    assert hashed(store, monkeypatch, fresh=True)
    segment = store.layout.segment(active(store).segments[0].segment_id)
    os.utime(os.path.join(segment, "vectors.npy"))
    assert {os.path.dirname(path).removesuffix("/lexical") for path in hashed(store, monkeypatch)} == {segment}
    assert hashed(store, monkeypatch) == []


@pytest.mark.requirement("IDX.MUST.006")
def test_a_stamp_is_not_trusted_before_it_has_settled(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity, "_SETTLED_NS", 3_600_000_000_000)
    shutil.rmtree(store.layout.cache)
    os.mkdir(store.layout.cache)
    first = hashed(store, monkeypatch)
    assert hashed(store, monkeypatch) == first


@pytest.mark.requirement("IDX.MUST.006")
def test_the_same_size_and_time_hide_no_change(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed(store, monkeypatch)
    path = Path(store.layout.segment(active(store).segments[0].segment_id)) / "vectors.npy"
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(CorruptStoreError):
        Verifier(store.layout).verify(active(store))


@pytest.mark.requirement("IDX.MUST.006")
@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 3}', '{"segments/x": {"sha256": 1, "stamps": []}}'])
def test_a_damaged_stamp_cache_is_no_trouble(store: Store, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (Path(store.layout.cache) / "stamps.json").write_text(text)
    assert hashed(store, monkeypatch)


@pytest.mark.requirement("IDX.MUST.006")
def test_stamps_that_can_not_be_kept_are_no_trouble(store: Store) -> None:
    shutil.rmtree(store.layout.cache)
    Path(store.layout.cache).write_text("not a folder")
    verifier = Verifier(store.layout)
    verifier.verify(active(store))
    verifier.remember()
    assert Path(store.layout.cache).read_text() == "not a folder"


def test_stamps_of_what_is_gone_are_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed(store, monkeypatch)
    stamps = Path(store.layout.cache) / "stamps.json"
    known = json.loads(stamps.read_bytes())
    stamps.write_text(json.dumps({"segments/gone": next(iter(known.values()))}))
    hashed(store, monkeypatch)
    assert "segments/gone" not in json.loads(stamps.read_bytes())


def test_a_folder_hashes_by_name_size_and_content(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b").write_bytes(b"two")
    (tmp_path / "a").write_bytes(b"one")
    first = digest_folder(str(tmp_path))
    assert first.size_bytes == 6
    assert first == combine({"sub/b": digest_file(str(tmp_path / "sub/b")), "a": digest_file(str(tmp_path / "a"))})
    (tmp_path / ".tantivy-writer.lock").write_bytes(b"x")
    (tmp_path / "sub" / ".tantivy-meta.lock").write_bytes(b"x")
    assert digest_folder(str(tmp_path)) == first
    (tmp_path / "a").rename(tmp_path / "c")
    assert digest_folder(str(tmp_path)).sha256 != first.sha256


def test_a_stamp_that_settles_while_it_is_looked_at_is_learnt_the_next_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The clock moves on between the two questions: no sleep would meet that moment.
    answers = iter([False, True] * 100)
    monkeypatch.setattr(integrity, "_settled", lambda *_: next(answers))
    verifier = Verifier(store.layout, fresh=True)
    verifier.verify(active(store))
    assert verifier._learned == {}


@pytest.mark.requirement("IDX.MUST.006")
def test_what_this_process_found_whole_is_not_looked_at_again_until_it_moves(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    check = Verifier.check

    def counted(self: Verifier, name: str, expected: Digest) -> None:
        looked.append(name)
        check(self, name, expected)

    monkeypatch.setattr(Verifier, "check", counted)
    with store.view():
        looked.clear()
    with store.view() as view:
        assert looked == []
        folder = Path(store.layout.segment(view.manifest.segments[0].segment_id))
    with monkeypatch.context() as patch:
        patch.setattr(integrity, "_SETTLED_NS", 60_000_000_000)
        (folder / "terms.bin").touch()
        with store.view():
            assert len(looked) == len(artifacts(active(store)))
        looked.clear()
        with store.view():
            assert looked, "what is young proves nothing"
    (folder / "stray").touch()
    with pytest.raises(CorruptStoreError, match="is damaged"):
        store.view()
    (folder / "stray").unlink()
    with store.view():
        pass
    (folder / "terms.bin").write_bytes(b"other")
    for _ in range(2):
        with pytest.raises(CorruptStoreError, match="is damaged"):
            store.view()
