"""What Tantivy does to the folder of a sealed segment: read it, and nothing else."""

import errno
import os
import resource
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import tantivy

from cairn.store._lexical import LexicalWriter, Postings
from cairn.store._terms import Terms

LOCK = ".tantivy-meta.lock"


@pytest.mark.slow
def test_an_open_segment_is_not_locked_again_when_its_files_change(tmp_path: Path) -> None:
    """A plain reader beside it tells when Tantivy's poll has come round."""
    sealed = tmp_path / "lexical"
    writer = LexicalWriter(str(tmp_path))
    writer.add("a.py", Terms("alpha beta", "a py"))
    writer.close()
    plain = tmp_path / "plain"
    shutil.copytree(sealed, plain)
    postings = Postings(str(tmp_path))
    watched = tantivy.Index.open(str(plain))
    # What opening itself set going may lock late on a busy machine: the second change is the one that counts.
    for _ in range(2):
        for folder in (sealed, plain):
            (folder / LOCK).unlink(missing_ok=True)
            (folder / "meta.json").write_text((folder / "meta.json").read_text() + " ")
        deadline = time.monotonic() + 30
        while not (plain / LOCK).exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert (plain / LOCK).exists()
    assert not (sealed / LOCK).exists()
    assert postings.searcher.num_docs == watched.searcher().num_docs == 1


@pytest.fixture
def small_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.requirement("STO.22")
def test_what_ends_a_thread_of_tantivy_is_told_and_not_only_that_it_ended(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    writer = LexicalWriter(str(tmp_path))
    request.getfixturevalue("small_files")

    def fill() -> None:
        while True:
            writer.add("a.py", Terms("alpha beta", "a py" * 1000))

    with pytest.raises(ValueError, match=os.strerror(errno.EFBIG)):
        fill()
    writer.abandon()
