"""An index as one file: what comes out is what went in, and nothing that was changed on the way is taken in."""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import struct
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import CorruptStoreError, DiskFullError, IncompatibleError
from cairn.base.values import replace
from cairn.store import SnapshotView, faults
from cairn.store.digest import digest_folder
from cairn.store.identity import Identity
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.manifest import Manifest, _checksum, decode, encode
from cairn.team.arrival import ArrivedSnapshot
from cairn.team.container import open_container
from cairn.team.listing import require_same_settings
from cairn.team.parts import SnapshotPart, packed, unpack
from tests.long import LONG
from tests.team.samples import (
    FILES,
    at_home,
    clone,
    committed,
    document_of,
    done,
    everything,
    found,
    leftovers,
    live,
    refused,
    sealed,
)
from tests.trees import Repo, cairn

IMPORT_POINTS = [point for point in faults.POINTS if point.split(".")[0] in ("arrival", "seed")]
EXPORT_POINTS = [point for point in faults.POINTS if point.startswith("export.")]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository, and a container that was exported of it."""
    place = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        repo = committed(place / "repo")
        with at_home(place / "home"):
            done("export", str(place / "index.cairn"), str(repo.path))
    return place


@pytest.fixture
def other(made: Path, tmp_path: Path) -> Repo:
    """A fresh clone, on a machine that knows nothing of it."""
    return clone(Repo(made / "repo"), tmp_path / "clone")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("CAIRN_HOME", str(path))
    return path


def assert_refused(home: Path, other: Repo, data: bytes, tmp_path: Path, *words: str) -> None:
    """A container is refused by name, and nothing is there afterwards that was not there before."""
    bad = tmp_path / "bad.cairn"
    bad.write_bytes(data)
    before = everything(home)
    said = refused("import", str(bad), str(other.path))
    assert all(word in said.stderr for word in words), said.stderr
    assert everything(home) == before
    assert leftovers(home) == []


@pytest.mark.requirement("TEAM.1")
def test_an_imported_index_answers_like_one_that_was_made_here(made: Path, other: Repo, home: Path) -> None:
    taken = done("import", str(made / "index.cairn"), str(other.path))
    assert (taken["indexed"], taken["deleted"], taken["embedded"]) == (0, 0, 0)
    assert taken["commit"] == other.git("rev-parse", "HEAD").strip()
    imported = (live(other.path), found(other.path))
    done("index", "--reindex", str(other.path))
    assert (live(other.path), found(other.path)) == imported
    assert leftovers(home) == []


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_only_what_differs_is_read_and_nothing_of_it_shows(made: Path, other: Repo, home: Path) -> None:
    other.write("src/heron.py", "def egret_wades(river):\n    return True\n")
    other.write("src/new.py", "EGRET = 1\n")
    (other.path / "src/walrus.py").unlink()
    taken = done("import", str(made / "index.cairn"), str(other.path))
    assert (taken["indexed"], taken["deleted"]) == (2, 1)
    shown = live(other.path)
    assert set(shown) == {*FILES, "src/new.py"} - {"src/walrus.py"}
    assert shown == {name: hashlib.sha256((other.path / name).read_bytes()).hexdigest() for name in shown}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_an_import_over_an_index_takes_its_place(made: Path, other: Repo, home: Path) -> None:
    other.write("src/heron.py", "OLD = 1\n")
    done("index", str(other.path))
    other.git("checkout", "-q", ".")
    taken = done("import", str(made / "index.cairn"), str(other.path))
    assert taken["indexed"] == 0
    assert set(live(other.path)) == set(FILES)
    # Once more, over what it came from itself.
    assert done("import", str(made / "index.cairn"), str(other.path))["travelled_bytes"] < taken["travelled_bytes"]
    assert set(live(other.path)) == set(FILES)


@pytest.mark.sampled
@pytest.mark.requirement("TEAM.1")
@pytest.mark.parametrize("at", [0.0, 0.5, 1.0])
def test_a_flipped_byte_is_noticed(made: Path, other: Repo, home: Path, tmp_path: Path, at: float) -> None:
    data = bytearray((made / "index.cairn").read_bytes())
    data[int((len(data) - 1) * at)] ^= 1
    assert_refused(home, other, bytes(data), tmp_path, "bad.cairn")


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_every_range_of_bytes_is_guarded(made: Path, other: Repo, home: Path, tmp_path: Path) -> None:
    data = (made / "index.cairn").read_bytes()
    _, start = document_of(data)
    step = len(data) // 60
    places = {*range(0, len(data), step), *range(13), start - 1, start, *range(len(data) - 81, len(data), 7)}
    for place in sorted(places):
        flipped = bytearray(data)
        flipped[place] ^= 0x40
        assert_refused(home, other, bytes(flipped), tmp_path, "bad.cairn")
    for length in (0, 7, 12, 100, start, len(data) - 81, len(data) - 1):
        assert_refused(home, other, data[:length], tmp_path, "bad.cairn")
    assert_refused(home, other, data + b"x", tmp_path, "bad.cairn")


def test_what_is_no_file_is_told_as_that(other: Repo, home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "", "missing"):
        said = refused("import", str(tmp_path / name), str(other.path))
        assert "no file" in said.stderr or "can't be read" in said.stderr


@pytest.mark.requirement("TEAM.1")
def test_a_newer_file_is_refused_as_that(made: Path, other: Repo, home: Path, tmp_path: Path) -> None:
    data = bytearray((made / "index.cairn").read_bytes())
    data[8:12] = struct.pack("<I", 2)
    assert_refused(home, other, bytes(data), tmp_path, "version 2", "reads up to 1")
    document, start = document_of((made / "index.cairn").read_bytes())
    listing = json.loads(document["listing"]) | {"schema_version": 9}
    newer = sealed(
        bytes(data[:8]) + struct.pack("<I", 1) + bytes(data[12:start]), {**document, "listing": json.dumps(listing)}
    )
    assert_refused(home, other, newer, tmp_path, "version 9")


@pytest.mark.requirement("TEAM.1")
def test_the_index_of_other_settings_is_refused_as_that(made: Path, other: Repo, home: Path) -> None:
    other.write(".cairn.toml", "[index]\nchunk_bytes = 700\n")
    said = refused("import", str(made / "index.cairn"), str(other.path))
    assert said.returncode == 4
    assert "index.chunk_bytes 1500 -> 700" in said.stderr
    assert everything(home) == {}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_the_index_of_another_tree_is_refused_as_that(made: Path, tmp_path: Path, home: Path) -> None:
    stranger = committed(tmp_path / "stranger", {"a.py": "A = 1\n", "b.py": "B = 1\n"})
    said = refused("import", str(made / "index.cairn"), str(stranger.path))
    assert "Most of its files" in said.stderr
    assert set(done("status", str(stranger.path), code=3)) >= {"error"}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_a_key_tells_who_made_it(
    made: Path, other: Repo, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_TEAM_KEY", "a key of the whole team")
    assert_refused(home, other, (made / "index.cairn").read_bytes(), tmp_path, "not signed")
    with at_home(made / "home"):
        done("export", str(tmp_path / "signed.cairn"), str(made / "repo"))
    monkeypatch.setenv("CAIRN_TEAM_KEY", "a key of somebody else's")
    assert_refused(home, other, (tmp_path / "signed.cairn").read_bytes(), tmp_path, "signed with another key")
    monkeypatch.setenv("CAIRN_TEAM_KEY", "a key of the whole team")
    assert done("import", str(tmp_path / "signed.cairn"), str(other.path))["indexed"] == 0


def test_a_part_is_one_stream_that_any_zlib_reads_and_packs_what_shrinks_alone(tmp_path: Path) -> None:
    layout = create_layout(str(tmp_path / "store"), StoreKind.PRIVATE)
    folder = Path(layout.segment("seg_1"))
    folder.mkdir()
    # It would shrink, to nine tenths.
    noise = random.Random(1).randbytes(1_000_000).translate(bytes(number % 160 for number in range(256)))
    assert 0.87 < len(zlib.compress(noise, 1)) / len(noise) < 0.95
    files = {"a.npy": noise, "b.txt": b"a heron wades\n" * 100_000, "c.empty": b"", "d.npy": noise[::-1]}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    part = SnapshotPart("segments/seg_1", digest_folder(str(folder)))
    stream = b"".join(packed(layout, part))
    assert len(stream) < 2_020_000
    # Stored: the very bytes stand in it.
    assert noise[:10_000] in stream
    plain = struct.pack("<I", len(files)) + b"".join(
        struct.pack("<HQ", len(name), len(data)) + name.encode() + data for name, data in files.items()
    )
    assert zlib.decompress(stream) == plain
    # What a former version sent is one stretch; and the bytes come in any pieces.
    for number, (sent, step) in enumerate(((stream, 1 << 18), (stream, 97), (zlib.compress(plain, 1), 1 << 16))):
        there = create_layout(str(tmp_path / f"{number}"), StoreKind.PRIVATE)
        unpack((sent[at : at + step] for at in range(0, len(sent), step)), there, part)
        assert digest_folder(there.segment("seg_1")) == part.digest


class Forger:
    """Somebody who knows the format, and writes what they please with hashes that are right."""

    def __init__(self, made: Path, place: Path) -> None:
        data = (made / "index.cairn").read_bytes()
        self.document, _ = document_of(data)
        self.listing: dict[str, Any] = json.loads(self.document["listing"])
        self.manifest: Manifest = decode(self.listing["manifest"].encode(), "manifest")
        (store,) = (made / "home" / "data").iterdir()
        self.layout = Layout(str(place / "forged"), StoreKind.PRIVATE)
        shutil.copytree(store, self.layout.path)
        (self.segment,) = self.manifest.segments
        self.folder = Path(self.layout.segment(self.segment.segment_id))

    @property
    def rows(self) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / "rows.sqlite", isolation_level=None)

    def change(self, script: str) -> None:
        connection = self.rows
        connection.executescript(script)
        connection.close()

    def container(self, **changed: Any) -> bytes:
        segment = replace(self.segment, digest=digest_folder(str(self.folder)))
        manifest = replace(self.manifest, segments=(segment,), **changed)
        return self.of(encode(manifest), [SnapshotPart(f"segments/{segment.segment_id}", segment.digest)])

    def of(self, manifest: bytes, parts: list[SnapshotPart], streams: dict[str, bytes] | None = None) -> bytes:
        rest = [SnapshotPart(ref.path, ref.digest) for ref in self.manifest.files]
        listed, body = [], struct.pack("<8sI", b"CAIRNSNP", 1)
        for part in (*parts, *rest):
            data = (streams or {}).get(part.name) or b"".join(packed(self.layout, part))
            listed.append({"name": part.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
            body += data
        listing = self.listing | {"manifest": manifest.decode()}
        return sealed(body, {"listing": json.dumps(listing), "parts": listed})


@pytest.fixture
def forger(made: Path, tmp_path: Path) -> Forger:
    return Forger(made, tmp_path)


@pytest.mark.slow
def test_the_forger_can_make_one_that_is_fine(forger: Forger, other: Repo, home: Path, tmp_path: Path) -> None:
    (tmp_path / "fine.cairn").write_bytes(forger.container())
    assert done("import", str(tmp_path / "fine.cairn"), str(other.path))["indexed"] == 0


BLACK = zlib.compress(b"IBIS = 'black'\n")
BOMB = zlib.compress(b"\0" * 70_000_000)
FORGED: dict[str, tuple[str, str]] = {
    "a path outside": ("UPDATE files SET path_key = '../../etc/passwd' WHERE number = 0", "no tree can have"),
    "an absolute path": ("UPDATE files SET path_key = '/etc/passwd' WHERE number = 0", "no tree can have"),
    "another text": (
        f"UPDATE texts SET text = x'{zlib.compress(b'otherwise').hex()}' WHERE file = 0",
        "its text is not what its file_hash was taken of",
    ),
    "another text of the same length": (
        f"UPDATE texts SET text = x'{BLACK.hex()}' "
        "WHERE file = (SELECT number FROM files WHERE path_key = 'src/ibis.py')",
        "its text is not what its file_hash was taken of",
    ),
    "a text that is a bomb": (f"UPDATE texts SET text = x'{BOMB.hex()}' WHERE file = 0", "unpacks to more than"),
    "a block that is a bomb": (f"UPDATE blocks SET uses = x'{BOMB.hex()}' WHERE file = 0", "unpacks to more than"),
    "a size beyond all": ("UPDATE files SET size = 99999999999 WHERE number = 0", "larger than any"),
    "a file too many": (
        "INSERT INTO files SELECT 99, 'src/more.py', file_hash, size, language, chunks, lines, interface_hash, 99 "
        "FROM files WHERE number = 0",
        "number its files and rows",
    ),
    "rows that are not there": ("UPDATE files SET chunks = chunks + 7", "number its files and rows"),
    "a view in place of a table": (
        "ALTER TABLE texts RENAME TO t; CREATE VIEW texts AS SELECT file, text FROM t",
        "other tables",
    ),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM texts; END", "other tables"),
    "a text that is missing": ("DELETE FROM texts WHERE file = 1", "missing"),
    "numbers for texts": ("UPDATE texts SET text = 7 WHERE file = 1", "missing"),
}


@pytest.mark.sampled
@pytest.mark.requirement("TEAM.1")
@pytest.mark.parametrize("kind", FORGED)
def test_what_is_forged_is_refused_though_its_hashes_are_right(
    kind: str, forger: Forger, other: Repo, home: Path, tmp_path: Path
) -> None:
    script, said = FORGED[kind]
    forger.change(script)
    assert_refused(home, other, forger.container(), tmp_path, said)


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_counts_and_ids_are_held_against_what_is_there(forger: Forger, other: Repo, home: Path, tmp_path: Path) -> None:
    counts = forger.manifest.counts
    for changed, said in (
        ({"counts": replace(counts, files_live=counts.files_live + 1)}, "differ"),
        ({"counts": replace(counts, chunks_indexed=counts.chunks_indexed + 1)}, "doesn't count"),
        ({"snapshot_id": "7" + "Z" * 25}, "from the future"),
        ({"config_fingerprint": "0" * 64}, "differ"),
    ):
        assert_refused(home, other, forger.container(**changed), tmp_path, "bad.cairn", said)
    segment = forger.segment
    for wrong in ({"dimension": segment.dimension + 1}, {"engine": "milvus"}, {"engine": "nobody's"}):
        forger.segment = replace(segment, **wrong)
        assert_refused(home, other, forger.container(), tmp_path, "its vectors")
    forger.segment = segment
    (forger.folder / "vectors.json").write_text("{}")
    assert_refused(home, other, forger.container(), tmp_path, "lie elsewhere")
    (forger.folder / "vectors.json").unlink()
    forger.listing["eligible"]["sha256"] = "0" * 64
    assert_refused(home, other, forger.container(), tmp_path, "not those that its listing tells of")


@pytest.mark.sampled
@pytest.mark.requirement("TEAM.1")
@pytest.mark.parametrize("name", ["../../../escaped", "/tmp/escaped", "lexical/../../../escaped", "a\0b", ""])
def test_no_name_in_a_part_leads_out_of_it(name: str, forger: Forger, other: Repo, home: Path, tmp_path: Path) -> None:
    encoded = name.encode()
    stream = zlib.compress(struct.pack("<I", 1) + struct.pack("<HQ", len(encoded), 4) + encoded + b"evil")
    (part,) = [SnapshotPart(f"segments/{forger.segment.segment_id}", forger.segment.digest)]
    data = forger.of(encode(forger.manifest), [part], {part.name: stream})
    assert_refused(home, other, data, tmp_path, "it holds a file")
    assert not list(tmp_path.rglob("escaped"))
    assert not os.path.exists("/tmp/escaped")


@pytest.mark.requirement("TEAM.1")
def test_a_part_that_unpacks_without_end_is_stopped(forger: Forger, other: Repo, home: Path, tmp_path: Path) -> None:
    size = 1 << 30
    head = struct.pack("<I", 1) + struct.pack("<HQ", 11, size) + b"vectors.npy"
    packer = zlib.compressobj(9)
    stream = packer.compress(head) + b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    digest = replace(forger.segment.digest, size_bytes=size)
    manifest = replace(forger.manifest, segments=(replace(forger.segment, digest=digest),))
    part = SnapshotPart(f"segments/{forger.segment.segment_id}", digest)
    data = forger.of(encode(manifest), [part], {part.name: stream})
    assert_refused(home, other, data, tmp_path, "times its size")


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_a_forged_part_takes_the_place_of_none_that_is_there(
    made: Path, forger: Forger, other: Repo, home: Path, tmp_path: Path
) -> None:
    """With the id of a segment of one's own, and other rows that are sound in themselves."""
    done("import", str(made / "index.cairn"), str(other.path))
    own = everything(home)
    forger.change("UPDATE files SET language = 'go' WHERE number = 0")
    (tmp_path / "bad.cairn").write_bytes(forger.container())
    said = refused("import", str(tmp_path / "bad.cairn"), str(other.path))
    assert "The store has another" in said.stderr
    assert everything(home) == own
    assert set(live(other.path)) == set(FILES)


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
@pytest.mark.parametrize("point", IMPORT_POINTS)
def test_an_import_that_is_killed_leaves_what_was_there(point: str, made: Path, other: Repo, home: Path) -> None:
    died = cairn("import", str(made / "index.cairn"), str(other.path), CAIRN_CRASH_AT=point)
    assert died.returncode == -signal.SIGKILL
    assert refused("search", "--no-sync", "heron_wades", str(other.path)).returncode == 3
    assert done("import", str(made / "index.cairn"), str(other.path))["counts"]["files"] == len(FILES)
    assert set(live(other.path)) == set(FILES)
    assert leftovers(home) == []


@pytest.mark.slow
def test_what_a_killed_import_left_is_collected(made: Path, other: Repo, home: Path) -> None:
    died = cairn("import", str(made / "index.cairn"), str(other.path), CAIRN_CRASH_AT="arrival.verified")
    assert died.returncode == -signal.SIGKILL
    assert leftovers(home) != []
    done("gc", "--stores", str(other.path))
    assert leftovers(home) == []


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
@pytest.mark.parametrize("point", EXPORT_POINTS)
def test_an_export_that_is_killed_leaves_the_former_file(point: str, made: Path, tmp_path: Path) -> None:
    target = tmp_path / "index.cairn"
    target.write_bytes(b"former")
    died = cairn("export", str(target), str(made / "repo"), CAIRN_CRASH_AT=point, CAIRN_HOME=str(made / "home"))
    assert died.returncode == -signal.SIGKILL
    assert target.read_bytes() == b"former"


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_no_container_that_was_changed_at_random_does_any_harm(
    made: Path, forger: Forger, home: Path, tmp_path: Path
) -> None:
    """Bytes, fields and cells: what is taken in is what was exported, and all else is refused in one sentence."""
    chance = random.Random(32 + LONG)
    whole = (made / "index.cairn").read_bytes()
    document, start = document_of(whole)
    files = {path: path.read_bytes() for path in sorted(forger.folder.rglob("*")) if path.is_file()}
    tally = {"refused": 0, "taken in": 0}
    bad = tmp_path / "bad.cairn"
    for number in range(10_000 * LONG or 300):
        if number % 3 == 0:
            bad.write_bytes(_flipped(whole, chance))
        elif number % 3 == 1:
            bad.write_bytes(sealed(whole[:start], _mutated(document, chance)))
        else:
            # Half of them in the rows, which say most.
            place = chance.choice([*files, *[forger.folder / "rows.sqlite"] * len(files)])
            place.write_bytes(_flipped(files[place], chance))
            bad.write_bytes(forger.container())
            place.write_bytes(files[place])
        try:
            _taken(home, bad)
        except (CorruptStoreError, IncompatibleError, DiskFullError):
            tally["refused"] += 1
        else:
            tally["taken in"] += 1
        assert leftovers(home) == []
    assert tally["refused"] > tally["taken in"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.cairn", "forged", "home"]


def _taken(home: Path, path: Path) -> None:
    """All that an import does before it touches a store; what comes through holds the texts that it names."""
    container = open_container(str(path))
    with closing(container.file), ArrivedSnapshot(str(home), OF) as arrival:
        require_same_settings(container.listing, container.listing.fingerprint, {}, container.what)
        arrival.take(container.listing, container.open_part, container.what, None)
        with SnapshotView(arrival.layout) as view:
            for file in view.files():
                text = view.rows.whole_text_of(file.path_key)
                assert text is not None
                assert hashlib.sha256(text).hexdigest() == file.file_hash


OF = Identity("/a/tree", "tree__0__0", "", "flat", 128)


def _flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        kind = chance.randrange(4)
        at = chance.randrange(max(1, len(changed)))
        if kind == 0:
            del changed[at : at + chance.randrange(1, 200)]
        elif kind == 1:
            changed[at:at] = chance.randbytes(chance.randrange(1, 50))
        else:
            changed[at : at + 1] = chance.randbytes(1)
    return bytes(changed)


_ODD: list[Any] = [None, -1, 0, 1 << 70, 1e308, "", "../x", "x" * 5000, [], {}, True, "\ud800", "\0"]


def _mutated(value: Any, chance: random.Random, depth: int = 0) -> Any:
    """A document with one thing changed, in the documents that are texts in it too; checksums fit again."""
    if isinstance(value, str) and value.startswith("{"):
        inner = _mutated(json.loads(value), chance, depth + 1)
        if isinstance(inner, dict) and "checksum" in inner:
            inner.pop("checksum")
            inner["checksum"] = _checksum(inner)
        return json.dumps(inner)
    if isinstance(value, dict) and value and chance.random() < 0.95:
        key = chance.choice(sorted(value))
        if chance.random() < 0.08:
            return {name: each for name, each in value.items() if name != key}
        return value | {key: _mutated(value[key], chance, depth + 1)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        if chance.random() < 0.2:
            return [*value, value[at]]
        return [*value[:at], _mutated(value[at], chance, depth + 1), *value[at + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.6:
        return value + chance.choice((-1, 1, 1000, -1000))
    return chance.choice(_ODD)
