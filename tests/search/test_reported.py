"""What a long text says of files, and what that does to their order."""

from pathlib import Path

import numpy as np
import pytest

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.search import SearchHit, parse_query, reported
from cairn.search.find import LEXICAL_ROWS, find
from cairn.search.pattern import parse_literal
from cairn.search.query import STOP_WORDS
from cairn.search.ranking import NAMED, REPORTED, weights_for
from cairn.search.report import Report, read_report
from cairn.search.reported import defining, files_mentioned, mentioned, saying
from cairn.search.weights import WEIGHTS
from cairn.store import SymbolRow
from tests.trees import write

FILLER = "def part_{0}():\n    return 'owner of the lease is asked for its limit {0}'\n"


def read(text: str) -> Report:
    return read_report(text, STOP_WORDS)


def found(root: Path, text: str, limit: int = 5) -> list[SearchHit]:
    with Codebase(str(root)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            return list(find(view, parse_query(text), None, limit).results)


@pytest.mark.requirement("RANK.20")
def test_a_path_names_its_file_by_its_end_and_a_bare_name_all_that_are_called_so() -> None:
    report = read('It fails\n  File "/opt/x/guard/store.py", line 3, in f\nsee cli.py\n')
    values = mentioned(report, ["lib/guard/store.py", "other/store.py", "a/cli.py", "b/cli.py", "c/none.py"])
    assert values[0] > values[1] > 0
    assert values[2] == values[3] > 0
    assert values[4] == 0


@pytest.mark.requirement("RANK.20")
@pytest.mark.parametrize(
    ("told", "path"),
    [("see https://host/one/odd/quiet.py#L1", "odd/quiet.py"), ("call odd.quiet.part", "lib/odd/quiet.py")],
)
def test_what_a_text_names_is_found_though_its_words_are_everywhere_else(folder: Path, told: str, path: str) -> None:
    for number in range(LEXICAL_ROWS + 10):
        write(folder, f"src/part{number}.py", FILLER.format(number))
    write(folder, path, "zebra = 1\n")

    text = f"The owner of the lease is asked for its limit\n\nas it returns\n\n{told}\n"
    there = {hit.path: hit for hit in found(folder, text, limit=2 * LEXICAL_ROWS)}

    assert there[path].contributions["mentioned"] > 0


def test_files_of_a_name_that_very_many_bear_are_found_by_more_of_their_path_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.search.reported._MOST_NAMED", 2)
    for name in ("a/models.py", "b/models.py", "c/models.py", "d/other.py"):
        write(folder, name, "x = 1\n")
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:

            def named(text: str) -> int:
                return len(files_mentioned(view, read(f"It fails\n\n{text}\n\nand more")))

            assert named("in models.py") == 0
            assert named("in b/models.py") == 1
            assert named("in other.py") == 1
            assert named("in nothing at all") == 0


def test_a_dotted_name_means_the_module_that_it_begins_with() -> None:
    report = read("`guard.store.Lease.renew` is slow\n\nand\n\nmore")
    paths = ["src/guard/store.py", "src/guard/store/__init__.py", "src/store.py", "x/store/index.ts"]
    values = mentioned(report, paths)
    assert np.array_equal(values > 0, [True, True, False, False])


def named(name: str) -> SymbolRow:
    return SymbolRow("syntax", name, name, "function", "", 1, 1, 1, "", True, "")


def test_a_name_in_passing_names_no_file_beyond_doubt() -> None:
    weak = read("It is slow\n\nas `renew` is\n\nand more")
    strong = read("`renew` of `lease_of` is slow\n\n`renew`, `lease_of`, `held_by`\n\n`renew` and `held_by` again")
    places = [(0, 0), (0, 1)]
    defined = {(0, 0): [named("renew"), named("lease_of"), named("held_by")]}

    assert 0 < defining(weak, places, defined)[0] < 0.6
    assert defining(strong, places, defined).tolist() == [1.0, 0.0]


@pytest.mark.requirement("RANK.20")
def test_where_a_message_is_raised_is_found_among_files_with_the_same_words(folder: Path) -> None:
    for number in range(6):
        write(folder, f"src/part{number}.py", FILLER.format(number))
    write(folder, "src/odd.py", "def check(a):\n    raise ValueError(f'must not be older than {a}')\n")
    write(folder, "tests/test_odd.py", "def test_check():\n    assert 'must not be older than 3' in said()\n")
    text = "Asked for the owner of a lease\n\nIt ends with\n\nValueError: must not be older than 17\n"
    first = found(folder, text)[0]
    assert first.path == "src/odd.py"
    assert first.contributions["said"] > 0


def test_a_message_counts_where_few_files_hold_it_and_no_test_or_document(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = ["src/a.py", "src/b.py", "tests/test_a.py", "docs/a.md"]
    for path in paths:
        write(folder, path, "# it must not be older than that\n")
    write(folder, "src/c.py", "# than older be not must it\n")
    message = "must not be older than"
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            held = {each.file.path_key: each.at for each in view.words.files_holding(parse_literal(message).clauses)}
            assert held.keys() >= {*paths}
            first, second = held["src/a.py"], held["src/b.py"]
            assert saying(view, [message], None) == {first: 0.5, second: 0.5}
            assert saying(view, [message], {second, held["docs/a.md"]}) == {second: 1.0}
            monkeypatch.setattr(reported, "_MOST_HOLDERS", len(held))
            assert saying(view, [message], None)
            monkeypatch.setattr(reported, "_MOST_HOLDERS", len(held) - 1)
            assert not saying(view, [message], None)


def test_a_document_that_repeats_a_long_text_comes_behind_what_it_names(folder: Path) -> None:
    body = "I renew a lease of the harbour twice and the keeper of the harbour loses it"
    write(folder, "src/store.py", "def renew(lease):\n    return lease\n")
    write(folder, "docs/renew.md", f"# Renewing: {body}\n# {body}\nrenew: lease\n")
    assert found(folder, f"Renew loses it\n\n{body}.\n\nWhy?\n")[0].path == "src/store.py"


@pytest.mark.parametrize("kind", ["test", "example", "bench", "docs", "generated", "config"])
def test_what_repeats_a_long_text_steps_back_further_than_for_a_phrase(kind: str) -> None:
    phrase, report = parse_query("take a lease"), parse_query("A lease is lost\n\nwhen\n\nit is renewed\n\ntwice")
    assert weights_for(report)[kind] < weights_for(phrase)[kind] - 0.5


@pytest.mark.requirement("RANK.20")
def test_tests_step_back_unless_the_title_asks_for_them(folder: Path) -> None:
    write(folder, "src/lease.py", "def renew(lease):\n    return lease\n")
    write(folder, "tests/test_lease.py", "def test_renew():\n    # renew a lease twice, renew it again\n    renew(1)\n")
    body = "\n\nI renew a lease twice.\n\nThen I renew it again, and the lease is lost.\n"
    assert found(folder, f"Lease is lost{body}")[0].path == "src/lease.py"
    assert found(folder, f"The test of renew is flaky{body}")[0].path == "tests/test_lease.py"


def test_words_behind_the_first_ones_count(folder: Path) -> None:
    write(folder, "src/wanted.py", "def quiesce_reactor():\n    pass\n")
    for number in range(4):
        write(folder, f"src/part{number}.py", FILLER.format(number))
    noise = " ".join(f"word{number}" for number in range(400))
    assert found(folder, f"Something hangs\n\n{noise}\n\nafter quiesce_reactor\n")[0].path == "src/wanted.py"


def test_weights_of_a_long_text_keep_what_is_switched_off() -> None:
    phrase, report = parse_query("take a lease"), parse_query("A lease is lost\n\nwhen\n\nit is renewed\n\ntwice")
    assert weights_for(phrase) == WEIGHTS
    assert weights_for(parse_query("lease")) == {**WEIGHTS, **NAMED}
    assert weights_for(report) == {**WEIGHTS, **REPORTED}
    assert weights_for(report, ["test"])["test"] == 0
