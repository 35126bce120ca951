"""`cairn search`: index what is new, then ask; with --no-sync only ask."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cairn.store.lease import WriterLease
from tests.surfaces.test_cli_main import assert_one_sentence_and_a_hint, error_of
from tests.surfaces.test_cli_store import everything_but_the_cache, layout_of, run
from tests.trees import Repo, cairn


def search(repo: Repo, *arguments: str) -> dict[str, Any]:
    query, *options = arguments
    done = run("search", *options, "--json", query, str(repo.path))
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def paths(document: dict[str, Any]) -> list[str]:
    return [item["path"] for item in document["results"]]


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.write("docs/notes.md", "About the lease and its epoch.\n")
    repo.write("other.py", "nothing = 0\n")
    repo.commit()
    return repo


def test_help_has_an_example() -> None:
    text = run("search", "--help").stdout
    assert "Example: cairn search" in text
    assert "--no-sync" in text


def test_a_search_creates_the_index_and_answers(sample: Repo) -> None:
    document = search(sample, "epoch")
    assert paths(document) == ["docs/notes.md"]
    (result,) = document["results"]
    assert (result["start_line"], result["end_line"], result["kind"]) == (1, 1, "text")
    assert result["text"] == "About the lease and its epoch.\n"
    assert result["score"] > 0
    for name in ("store_id", "snapshot_id", "config_fingerprint", "ignore_fingerprint"):
        assert document[name]
    assert (document["schema_version"], document["degraded"]) == (1, False)


def test_a_search_takes_in_what_is_new_first(sample: Repo) -> None:
    search(sample, "epoch")
    sample.write("fresh.py", "epoch = 2\n")
    (sample.path / "docs/notes.md").unlink()
    assert paths(search(sample, "epoch")) == ["fresh.py"]


@pytest.mark.requirement("STO.3")
def test_without_sync_the_snapshot_answers_as_it_is(sample: Repo) -> None:
    before = search(sample, "epoch")
    sample.write("fresh.py", "epoch = 2\n")
    (sample.path / "docs/notes.md").unlink()
    assert search(sample, "epoch", "--no-sync") == before


def test_without_sync_nothing_is_written_but_the_cache(sample: Repo) -> None:
    search(sample, "lease")
    store = layout_of(sample.path).path
    search(sample, "lease", "--no-sync")
    before = everything_but_the_cache(store)
    sample.write("fresh.py", "lease = 2\n")
    search(sample, "lease", "--no-sync")
    assert everything_but_the_cache(store) == before


def test_without_sync_and_without_an_index_it_exits_3_and_makes_nothing(sample: Repo, private_home: Path) -> None:
    done = run("search", "--no-sync", "lease", str(sample.path))
    assert (done.returncode, done.stdout) == (3, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert not (private_home / ".cairn").exists()
    written = run("search", "--no-sync", "lease", str(sample.path), "--json")
    assert (written.returncode, error_of(written.stdout)["code"]) == (3, "not_indexed")


@pytest.mark.requirement("STO.6")
def test_without_a_pointer_the_newest_whole_snapshot_answers(sample: Repo) -> None:
    before = search(sample, "epoch")
    os.unlink(layout_of(sample.path).pointer)
    assert search(sample, "epoch", "--no-sync")["snapshot_id"] == before["snapshot_id"]


@pytest.mark.requirement("SRCH.3")
def test_the_same_question_gives_the_same_bytes(sample: Repo) -> None:
    first = cairn("search", "lease", str(sample.path), "--json").stdout
    assert cairn("search", "--no-sync", "lease", str(sample.path), "--json").stdout == first
    scores = [item["score"] for item in json.loads(first)["results"]]
    assert scores == sorted(scores, reverse=True)


def test_the_limit_cuts_the_answer(sample: Repo) -> None:
    assert len(search(sample, "lease", "-k", "1")["results"]) == 1
    assert len(search(sample, "lease", "--limit", "200")["results"]) == 2


@pytest.mark.parametrize("limit", ["0", "-1", "201", "many"])
def test_a_limit_out_of_range_is_bad_usage(sample: Repo, private_home: Path, limit: str) -> None:
    done = run("search", "lease", str(sample.path), "--limit", limit, "--json")
    assert (done.returncode, error_of(done.stdout)["code"]) == (2, "usage")
    assert not (private_home / ".cairn").exists()


def test_people_see_places_and_a_few_lines(sample: Repo) -> None:
    done = run("search", "take over", str(sample.path))
    assert done.returncode == 0
    assert done.stdout == "src/lease.py:1\n    def take_over(lease):\n        return lease\n"
    assert "1 results from snapshot" in done.stderr or "1 result from snapshot" in done.stderr


def test_no_match_is_an_empty_answer(sample: Repo) -> None:
    done = run("search", "unheard", str(sample.path))
    assert (done.returncode, done.stdout) == (0, "")
    assert search(sample, "unheard")["results"] == []


@pytest.mark.requirement("SRCH.5")
def test_no_source_text_acts_on_the_terminal(repo: Repo) -> None:
    repo.write("evil\x1b[31m.py", "lease = '\x1b]0;title\x07\x9b31m\u202e'\r\x0b\x85\u2028\n")
    done = run("search", "lease", str(repo.path))
    assert "lease" in done.stdout
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\x0b", "\x85", "\u2028"} & set(done.stdout + done.stderr)


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    "query", ["", "  ", '"(', "body:lease AND", "x" * 100_000, "日本語"], ids=lambda q: repr(q)[:12]
)
def test_any_query_is_answered(sample: Repo, query: str) -> None:
    done = run("search", query, str(sample.path), "--json")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_query_that_starts_with_a_dash_follows_two_dashes(sample: Repo) -> None:
    done = run("search", "--json", "--", "-lease", str(sample.path))
    assert done.returncode == 0
    assert paths(json.loads(done.stdout))


@pytest.mark.parametrize("option", ["--no-sync", "--json", "-k5"])
def test_options_may_stand_between_query_and_path(sample: Repo, option: str) -> None:
    assert run("search", "lease", str(sample.path)).returncode == 0
    done = run("search", "lease", option, str(sample.path))
    assert (done.returncode, "lease.py" in done.stdout) == (0, True)


def test_a_search_answers_from_the_last_snapshot_while_another_writer_is_at_work(sample: Repo) -> None:
    search(sample, "epoch")
    sample.write("fresh.py", "epoch = 2\n")
    lease = WriterLease.acquire(layout_of(sample.path))
    try:
        document = search(sample, "epoch")
    finally:
        lease.release()

    assert paths(document) == ["docs/notes.md"]
    assert len(document["warnings"]) == 1
    assert "not synced" in document["warnings"][0]
    assert search(sample, "epoch")["warnings"] == []
