"""Vectors of chunks: what is embedded, what the cache spares, and what a vector leans towards."""

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cairn.codebase.codebase import Codebase, Request
from cairn.embed import CachedEmbedder, HashingEmbedder, Heritage
from cairn.embed.static import StaticEmbedder
from cairn.engines import Vectors
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.pool import ParserPool
from cairn.indexing.prepare import ChunkLimits, FileSource, Prepared, prepare
from cairn.indexing.vectors import vectors_in, vectors_of
from cairn.workspace.reads import content_hash
from tests.notes import sentences
from tests.trees import Repo, cairn

TEXT = "".join(f"def take{number}(lease):\n    return lease.epoch + {number}\n\n\n" for number in range(60))


def prepared(path: str, text: str = TEXT, language: str = "python") -> Prepared:
    data = text.encode()
    return prepare(FileSource(path, language, content_hash(data), data), ChunkLimits(300, 100))


class Counting(HashingEmbedder):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


def index(root: Path, *, reindex: bool = False) -> SyncResult:
    with Codebase(str(root)) as codebase:
        return codebase.index(SyncOptions(reindex=reindex))


def chunk_ids(root: Path, path: str) -> list[str]:
    with Codebase(str(root)) as codebase, codebase.view() as view:
        return [row.chunk_id for row in view.rows.of(path)]


def test_each_row_has_a_vector_of_length_one() -> None:
    files = [prepared("a.py"), prepared("src/b.py", "x = 1\n"), prepared("empty.py", "")]
    found = vectors_of(files, CachedEmbedder(HashingEmbedder(64)))
    assert [len(vectors) for vectors in found] == [len(file.texts) for file in files]
    for vectors in found:
        assert vectors.dtype == np.float32
        assert vectors.shape[1] == 64
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
        assert np.array_equal(vectors, vectors.astype(np.float16)), "an engine has to keep more than halves"


def test_no_file_and_no_word_at_all_are_no_errors() -> None:
    embedder = CachedEmbedder(HashingEmbedder(64))
    assert vectors_of([], embedder) == []
    (vectors,) = vectors_of([prepared("____", "?!\n", "other")], embedder)
    assert np.isfinite(vectors).all()


def test_a_vector_does_not_depend_on_what_else_is_in_the_batch() -> None:
    embedder = CachedEmbedder(HashingEmbedder(64))
    files = [prepared("a.py"), prepared("src/guard.py", "epoch = 1\n")]
    together = vectors_of(files, embedder)
    alone = [vectors_of([file], embedder)[0] for file in files]
    assert all(np.array_equal(one, two) for one, two in zip(together, alone, strict=True))


def test_a_vector_leans_towards_its_path_and_what_it_defines() -> None:
    embedder = CachedEmbedder(HashingEmbedder(512))
    text = "x = 1\n"
    near, far = vectors_of([prepared("guard/lock.py", text), prepared("other/thing.py", text)], embedder)
    for word in ("guard", "lock"):
        asked = embedder.embed([word])[0]
        assert float(near[0] @ asked) > float(far[0] @ asked) + 0.05


def test_equal_chunks_and_equal_paths_are_embedded_once() -> None:
    embedder = Counting()
    vectors_of([prepared("a/x.py", "same = 1\n"), prepared("b/x.py", "same = 1\n")], CachedEmbedder(embedder))
    assert embedder.asked.count("same = 1\n") == 1
    assert "" not in embedder.asked[2:]


@pytest.mark.slow
@pytest.mark.requirement("ROW.2", "ROW.3")
def test_a_rename_embeds_nothing_and_keeps_every_chunk_id(repo: Repo) -> None:
    repo.write("src/lease.py", TEXT)
    repo.write("other.py", "x = 1\n")
    first = index(repo.path)
    assert first.embedded > 3
    before = chunk_ids(repo.path, "src/lease.py")
    (repo.path / "lib").mkdir()
    os.rename(repo.path / "src/lease.py", repo.path / "lib/loan.py")
    result = index(repo.path)

    assert (result.published, result.embedded) == (True, 0)
    assert chunk_ids(repo.path, "lib/loan.py") == before
    assert chunk_ids(repo.path, "src/lease.py") == []


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_a_second_index_of_the_same_content_embeds_nothing(repo: Repo) -> None:
    repo.write("src/lease.py", TEXT)
    first = index(repo.path)
    again = index(repo.path, reindex=True)
    assert (first.embedded > 0, again.published, again.embedded) == (True, True, 0)


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_the_same_content_in_another_tree_embeds_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/lease.py", TEXT)
    index(repo.path)
    other = Repo.create(tmp_path / "other")
    other.write("deep/er/name.py", TEXT)
    assert index(other.path).embedded == 0


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_an_edit_embeds_what_changed_and_no_more(repo: Repo) -> None:
    repo.write("src/lease.py", TEXT)
    first = index(repo.path)
    repo.write("src/lease.py", TEXT.replace("return lease.epoch + 30\n", "return lease.epoch + 31\n"))
    result = index(repo.path)
    assert 1 <= result.embedded <= 2 < first.embedded


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_another_model_embeds_everything_again_into_another_store(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("src/lease.py", TEXT)
    first = index(repo.path)
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    second = index(repo.path, reindex=True)
    assert second.embedded == first.embedded > 0
    assert second.manifest.store_id != first.manifest.store_id
    assert second.manifest.config_fingerprint != first.manifest.config_fingerprint


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_a_damaged_vector_of_the_cache_is_computed_again_by_a_worker_and_said(repo: Repo, private_home: Path) -> None:
    repo.write("src/lease.py", TEXT)
    index(repo.path)
    with contextlib.closing(sqlite3.connect(private_home / ".cairn" / "embeddings.db")) as cache:
        cache.execute("UPDATE vectors SET checksum = checksum + 1 WHERE id = (SELECT min(id) FROM vectors)")
        cache.commit()
    with Codebase(str(repo.path)) as codebase:
        before = codebase.view().vectors.of("src/lease.py")
        result = codebase.index(SyncOptions(reindex=True))
        after = codebase.view().vectors.of("src/lease.py")
        assert any("damaged" in text for text in sentences(codebase.notes))
    assert result.embedded == 1
    assert before is not None
    assert after is not None
    assert before.tobytes() == after.tobytes()


@pytest.mark.slow
def test_a_use_by_a_worker_is_written_down_before_it_is_killed(repo: Repo, private_home: Path) -> None:
    repo.write("src/lease.py", TEXT)
    index(repo.path)
    with contextlib.closing(sqlite3.connect(private_home / ".cairn" / "embeddings.db")) as cache:
        cache.execute("UPDATE vectors SET used = 1")
        cache.commit()
    assert index(repo.path, reindex=True).embedded == 0
    with contextlib.closing(sqlite3.connect(private_home / ".cairn" / "embeddings.db")) as cache:
        assert cache.execute("SELECT count(*) FROM vectors WHERE used = 1").fetchone() == (0,)


def test_workers_make_the_vectors_that_the_parent_would() -> None:
    embedder = StaticEmbedder()
    embedder.load()
    sources = [
        FileSource(f"src/f{number}.py", "python", content_hash(TEXT.encode()), TEXT.encode()) for number in range(3)
    ]
    with ParserPool(ChunkLimits(300, 100), 1, Heritage(embedder, None)) as pool:
        found = list(pool.prepare(sources))
    wanted = vectors_of(
        [prepare(source, ChunkLimits(300, 100)) for source in sources], CachedEmbedder(StaticEmbedder())
    )
    assert len(found) == len(wanted) == 3
    for file, vectors in zip(found, wanted, strict=True):
        assert vectors_in(file, embedder.dimension).tobytes() == vectors.tobytes()


@pytest.mark.slow
@pytest.mark.requirement("MOD.1")
def test_a_file_that_is_cut_by_lines_has_vectors_too(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", TEXT)
    monkeypatch.setattr(ParserPool, "_answered", lambda *_: False)
    monkeypatch.setattr(ParserPool, "_move", lambda self, _: bool([self._bury(each) for each in [*self._workers]]))
    result = index(repo.path)
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        vectors = view.vectors.of("a.py")
    assert result.by_lines == ("a.py",)
    assert vectors is not None
    assert result.embedded == len(vectors)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
def test_a_refile_meant_has_the_vectors_that_a_new_index_gives_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("src/lease.py", TEXT)
    index(repo.path)
    os.rename(repo.path / "src/lease.py", repo.path / "src/guard.py")
    index(repo.path)
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        renamed = view.vectors.of("src/guard.py")
    monkeypatch.setenv("CAIRN_HOME", str(repo.path.parent / "another-home"))
    index(repo.path)
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        anew = view.vectors.of("src/guard.py")
    assert renamed is not None
    assert anew is not None
    assert np.array_equal(renamed, anew)


def test_the_hashing_embedder_serves_from_end_to_end(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.write("src/other.py", "nothing = 0\n")
    index(repo.path)
    with Codebase(str(repo.path)) as codebase:
        assert codebase.search(Request("take over")).items[0].row.path_key == "src/lease.py"
        assert codebase.identity.dimension == HashingEmbedder().dimension


@pytest.mark.slow
@pytest.mark.requirement("SEC.1")
@pytest.mark.parametrize(
    "text",
    [
        '[embed]\nprovider = "http"\nurl = "http://127.0.0.1:9/"\n',
        '[embed]\nmodel = "/tmp/evil"\n',
        '[index]\nurl = "http://127.0.0.1:9/"\n',
        '[query]\nendpoint = "http://127.0.0.1:9/"\n',
        '[index]\ncommand = "touch x"\n',
        'url = "http://127.0.0.1:9/"\n',
    ],
)
@pytest.mark.parametrize("command", [("index",), ("search", "lease")])
def test_a_repository_can_not_name_an_endpoint_a_model_or_a_command(
    repo: Repo, private_home: Path, text: str, command: tuple[str, ...]
) -> None:
    repo.write(".cairn.toml", text)
    repo.write("a.py", "lease = 1\n")
    done = cairn(*command, str(repo.path))
    assert (done.returncode, done.stdout) == (2, "")
    assert ".cairn.toml" in done.stderr
    assert not list(private_home.rglob("ACTIVE_SNAPSHOT"))


def test_a_vector_leans_towards_what_its_chunk_defines() -> None:
    embedder = CachedEmbedder(HashingEmbedder(256))
    file = prepared("a.py", "def release(lease):\n    return lease\n")
    nameless = replace(file, symbols=("", *file.symbols[1:]))
    ((named, *_), (plain, *_)) = vectors_of([file, nameless], embedder)
    towards = embedder.embed(["release"])[0]
    assert float(named @ towards) > float(plain @ towards) + 0.01
