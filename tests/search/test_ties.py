"""Rows that tie: how they are spread over segments changes no answer, however many there are."""

from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase, Request
from cairn.indexing.options import SyncOptions
from cairn.store import _candidates
from tests.trees import Repo

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


def write_words(repo: Repo, words: dict[str, int]) -> None:
    for word, count in words.items():
        for number in range(count):
            repo.write(
                f"{word[0]}{number // 100}/f{number:04}.txt", f"{word} and eight more words that nobody asks for here\n"
            )


def answers(codebase: Codebase, query: str) -> list[tuple[str, float]]:
    return [(item.path, item.score) for item in codebase.search(Request(query, 5)).items]


@pytest.mark.requirement("IDX.MUST.007")
@pytest.mark.requirement("SRCH.3")
@pytest.mark.parametrize("query", ["walrus", "walrus otter"])
def test_compaction_and_reindexing_change_no_answer_though_hundreds_tie(repo: Repo, query: str) -> None:
    repo.write(".cairn.toml", '[query]\nsignals_off = ["dense", "coherence"]\n')
    write_words(repo, {"walrus": 400})
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        write_words(repo, {"otter": 401})
        codebase.index()
        repo.write("zz/last.txt", "walrus otter " * 3 + "\n")
        repo.write("w0/f0001.txt", "walrus\n\n")
        codebase.index()
        spread = answers(codebase, query)
        assert spread[0][0] == "zz/last.txt"
        codebase.compact(force=True)
        assert answers(codebase, query) == spread
        codebase.index(SyncOptions(reindex=True))
        assert answers(codebase, query) == spread


@pytest.mark.requirement("SRCH.3")
def test_equal_vectors_stand_by_path_in_whatever_segment_they_are(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAIRN_EMBED_PROVIDER")
    for number in range(260):
        repo.write(f"data/x.{number:03}", "postgres and mysql drivers\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        for number in range(10):
            repo.write(f"data/x.{number:03}", "postgres and mysql drivers\n\n")
        codebase.index()
        spread = answers(codebase, "postgres mysql")
        codebase.index(SyncOptions(reindex=True))
        assert [path for path, _ in answers(codebase, "postgres mysql")] == [path for path, _ in spread]
        assert spread[0][0] == "data/x.000"


def test_more_ties_than_can_be_looked_at_are_said(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    write_words(repo, {"walrus": 300})
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        assert codebase.search(Request("walrus")).limits_hit == ()
        monkeypatch.setattr(_candidates, "MAX_CANDIDATES", 200)
        assert codebase.search(Request("walrus")).limits_hit == ("candidates",)


@pytest.mark.requirement("SRCH.4")
def test_two_words_with_one_short_checksum_are_two_words(repo: Repo) -> None:
    # Their crc32 is the same.
    repo.write("a.py", "buckeroo = 1\n")
    repo.write("b.py", "plumless = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        found = {item.path: item.contributions for item in codebase.search(Request("buckeroo")).items}
    assert "lexical" in found["a.py"]
    assert "lexical" not in found.get("b.py", {})


def test_the_home_is_for_its_owner_alone(repo: Repo, private_home: Path) -> None:
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
    assert (private_home / ".cairn").stat().st_mode & 0o777 == 0o700
