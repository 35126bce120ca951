"""`cairn search --budget`: whole texts, never more than asked for, and what there was no room for."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cairn.kernel.tokens import token_cost
from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint, error_of
from tests.surfaces.cli.test_store import run
from tests.trees import Repo, cairn

LONG = "def wait(lease):\n    # Waits for a lease. It takes a while.\n" + "    lease.poll()\n" * 300


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n\treturn lease\n\n\ndef drop():\n\treturn None\n")
    repo.write("src/wait.py", LONG)
    repo.write("docs/notes.md", "About the lease and its epoch.\n")
    repo.commit()
    return repo


def within(repo: Repo, budget: int, *options: str) -> dict[str, Any]:
    done = run("search", "take over lease", str(repo.path), "--budget", str(budget), "--json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_the_document_says_the_form_of_each_and_what_was_left_out(sample: Repo) -> None:
    found = within(sample, 130)
    told = found["budget"]
    assert found["limits_hit"] == ["budget"]
    assert sum(item["tokens"] for item in found["results"]) == told["used_tokens"] <= told["budget_tokens"] == 130
    assert found["results"][0]["form"] == "definition"
    assert found["results"][0]["text"] == "def take_over(lease):\n\treturn lease\n"
    assert (found["results"][0]["start_line"], found["results"][0]["end_line"]) == (1, 2)
    assert told["hint"]
    everything = {"src/lease.py", "src/wait.py", "docs/notes.md"}
    assert {item["path"] for item in (*found["results"], *told["left_out"])} == everything
    whole = within(sample, told["full_tokens"])
    assert {item["path"]: item["form"] for item in whole["results"]} == {
        "src/lease.py": "definition",
        "src/wait.py": "definition",
        "docs/notes.md": "chunk",
    }
    assert (whole["limits_hit"], whole["budget"]["left_out"], whole["budget"]["hint"]) == ([], [], "")
    assert LONG in [item["text"] for item in whole["results"]]


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_when_nothing_fits_that_is_said(sample: Repo) -> None:
    found = within(sample, 1)
    assert (found["results"], found["limits_hit"]) == ([], ["budget"])
    assert [set(item) for item in found["budget"]["left_out"]] == [
        {"path", "from_here", "start_line", "end_line", "tokens"}
    ] * 3
    done = run("search", "lease", str(sample.path), "--budget", "1")
    assert (done.returncode, done.stdout) == (0, "")
    assert "3 results left out" in done.stderr
    assert "--budget " in done.stderr


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_what_is_printed_keeps_every_budget(sample: Repo) -> None:
    sample.write("src/lease.py", "def take_over(lease):\n    return '\x1b[31m\u202e\x07'\n")
    printed = []
    for budget in (5, 20, 40, 80, 160, 2_000):
        done = run("search", "take over lease", str(sample.path), "--budget", str(budget))
        assert done.returncode == 0
        # What makes three characters harmless is written around the code.
        assert token_cost(done.stdout) <= budget + 4
        assert {character for character in done.stdout if unicodedata.category(character) in ("Cc", "Cf")} <= {"\n"}
        printed.append(len(done.stdout))
    assert printed == sorted(printed)
    assert printed[-1] > len(LONG)


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_texts_are_printed_whole_with_their_tabs_and_without_numbers(sample: Repo) -> None:
    done = run("search", "take_over", str(sample.path), "--budget", "2000", "-k", "1")
    assert done.stdout == "src/lease.py:1-2  take_over\ndef take_over(lease):\n\treturn lease\n\n"
    assert "1 result" in done.stderr


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_what_an_output_cannot_hold_changes_no_budget(repo: Repo) -> None:
    repo.write("a.txt", "größe " * 40 + "\n")
    asked = ("search", "größe", str(repo.path), "--budget", "150")
    narrow = cairn(*asked, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert narrow.returncode == 0, narrow.stderr
    assert "\\xf6" in narrow.stdout
    assert json.loads(cairn(*asked, "--json").stdout)["limits_hit"] == []


@pytest.mark.bare_home
@pytest.mark.requirement("BUDGET.1")
@pytest.mark.parametrize("budget", ["0", "-1", "abc", "1.5", "", "1000000000000", "9" * 5_000])
def test_a_budget_that_makes_no_sense_is_bad_usage(sample: Repo, private_home: Path, budget: str) -> None:
    done = run("search", "lease", str(sample.path), f"--budget={budget}")
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert error_of(run("search", "lease", str(sample.path), f"--budget={budget}", "--json").stdout)["code"] == "usage"
    assert not (private_home / ".cairn").exists()


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_without_a_budget_the_document_is_as_it_was(sample: Repo) -> None:
    found = json.loads(run("search", "lease", str(sample.path), "--json").stdout)
    assert "budget" not in found
    assert all("form" not in item and "root" not in item for item in found["results"])
    assert "codebases" not in found
