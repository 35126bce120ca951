"""Lexical search: one order, whatever the segments look like and whatever is typed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.kernel.tokens import stem, tokens
from cairn.search import SearchHit, parse_query
from cairn.search.find import LEXICAL_ROWS as CANDIDATES
from cairn.search.find import MAX_DEFINITIONS, find
from cairn.search.query import MAX_TERMS
from cairn.search.signals import inverse_frequency
from tests.trees import write

pytestmark = pytest.mark.sampled


def index(root: Path) -> None:
    with Codebase(str(root)) as codebase:
        codebase.index(SyncOptions())


def compact(root: Path) -> None:
    with Codebase(str(root)) as codebase:
        assert codebase.compact(force=True) is not None


def search(root: Path, query: str, limit: int = 10) -> list[SearchHit]:
    with Codebase(str(root)) as codebase, codebase.view() as view:
        return list(find(view, parse_query(query), None, limit).results)


def paths(found: list[SearchHit]) -> list[str]:
    return [item.row.path_key for item in found]


def answers(root: Path, *queries: str, limit: int = 10) -> list[list[tuple[str, int, float]]]:
    return [
        [(item.row.path_key, item.row.start_line, item.score) for item in search(root, query, limit)]
        for query in queries
    ]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.2")
def test_whole_names_their_parts_and_paths_are_found(folder: Path) -> None:
    write(folder, "one.py", "def acquireLease(): pass\n")
    write(folder, "src/guard/two.py", "nothing = 0\n")
    write(folder, "three.md", "some prose about release\n")
    index(folder)

    assert paths(search(folder, "acquireLease")) == ["one.py"]
    assert paths(search(folder, "acquire")) == ["one.py"]
    assert paths(search(folder, "LEASE")) == ["one.py"]
    assert paths(search(folder, "guard")) == ["src/guard/two.py"]
    assert paths(search(folder, "prose release")) == ["three.md"]
    assert search(folder, "absent") == []


@pytest.mark.requirement("SRCH.3")
def test_better_matches_come_first(folder: Path) -> None:
    write(folder, "none.py", "other = 1\n")
    write(folder, "once.py", "# lease\n")
    write(folder, "often.py", "# lease lease lease\n")
    write(folder, "both.py", "lease epoch\n")
    write(folder, "long.py", "lease\n" + "filler words here\n" * 60)
    index(folder)
    found = search(folder, "lease epoch")

    assert paths(found)[0] == "both.py"
    assert set(paths(found)) == {"both.py", "often.py", "once.py", "long.py"}
    assert paths(search(folder, "lease"))[0] == "often.py"
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
def test_a_rare_word_weighs_more_than_a_common_one(folder: Path) -> None:
    for number in range(20):
        write(folder, f"common{number}.py", "usual text\n")
    write(folder, "rare.py", "peculiar text\n")
    index(folder)

    assert paths(search(folder, "usual peculiar", 1)) == ["rare.py"]
    assert inverse_frequency(1, 100) > inverse_frequency(50, 100) > inverse_frequency(100, 100) > 0
    assert inverse_frequency(0, 100) == 0


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
def test_equal_scores_stand_by_path_then_line(folder: Path) -> None:
    for name in ("b.py", "a.py", "ä.py", "Z.py"):
        write(folder, name, ("lease = 1\n" + "#" * 1485 + "\n") * 2)
    index(folder)
    found = search(folder, "lease", 20)

    assert len({item.score for item in found}) == 1
    places = [(item.row.path_key, item.row.start_line) for item in found]
    assert places == sorted(places)
    assert [path for path, _ in places] == ["Z.py", "a.py", "b.py", "ä.py"]
    assert search(folder, "lease", 3) == found[:3]


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
@pytest.mark.requirement("SRCH.3")
def test_the_answer_does_not_depend_on_the_segments(folder: Path) -> None:
    names = [f"file{number}.py" for number in range(8)]
    for number, name in enumerate(names):
        write(folder, name, "lease " * (number + 1) + "common words\nfor every file\n")
        index(folder)
    write(folder, "file3.py", "lease epoch words\n")
    index(folder)
    os.unlink(folder / "file5.py")
    index(folder)
    queries = ("lease", "common words", "epoch", "file3", "every lease file")
    spread = answers(folder, *queries)
    with Codebase(str(folder)) as codebase, codebase.view() as view:
        assert len(view.segments) > 1
    compact(folder)
    merged = answers(folder, *queries)
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions(reindex=True))
    anew = answers(folder, *queries)

    assert spread == merged == anew
    assert all(answer for answer in spread)
    assert not any(path == "file5.py" for answer in spread for path, _, _ in answer)


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
@pytest.mark.requirement("SRCH.3")
def test_more_matches_than_candidates_do_not_make_the_answer_depend_on_the_segments(folder: Path) -> None:
    for number in range(CANDIDATES + 50):
        write(folder, f"{number:03}.py", "lease\n")
    index(folder)
    write(folder, "000.py", "lease \n")
    index(folder)
    spread = answers(folder, "lease")
    compact(folder)

    assert [path for path, _, _ in spread[0]] == [f"{number:03}.py" for number in range(10)]
    assert answers(folder, "lease") == spread


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.001")
def test_a_deleted_file_counts_for_nothing(folder: Path) -> None:
    write(folder, "stays.py", "lease one\n")
    for number in range(5):
        write(folder, f"goes{number}.py", "lease two\n")
    index(folder)
    for number in range(5):
        os.unlink(folder / f"goes{number}.py")
    index(folder)
    with Codebase(str(folder)) as codebase, codebase.view() as view:
        assert view.words.document_frequencies("body", [stem("lease")]) == [1]
        assert view.words.document_frequencies("body", ["two"]) == [0]

    assert paths(search(folder, "lease two")) == ["stays.py"]
    assert search(folder, "two") == []


HOSTILE = [
    "",
    " \t\n",
    "+-*/()[]{}^~\"'\\:!?",
    '"unclosed',
    "body:lease",
    "path_key:first.py",
    "number:0",
    "lease AND NOT (",
    "lease OR",
    "*",
    "le*se",
    "[a TO b]",
    "lease^99999999",
    "lease~2",
    "/regex.*/",
    "\0\x01\x1b[31m",
    "\u202elease",
    "lease " * 20_000,
    "x" * 100_000,
    "日本語 поиск بحث 😀",
    "';DROP TABLE rows;--",
    "NOT lease",
]


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: repr(query)[:20])
def test_no_query_breaks_the_search(folder: Path, query: str) -> None:
    texts = {"first.py": "lease = one\n", "second.md": "日本語 = two\n"}
    for name, text in texts.items():
        write(folder, name, text)
    index(folder)
    wanted = set(tokens(query))

    expected = {name for name, text in texts.items() if wanted & {*tokens(text), *tokens(name)}}
    assert set(paths(search(folder, query))) == expected


@pytest.mark.slow
@pytest.mark.requirement("SRCH.2")
def test_any_text_at_all_may_be_typed(folder: Path) -> None:
    write(folder, "a.py", "lease = 1\n")
    index(folder)
    with Codebase(str(folder)) as codebase, codebase.view() as view:
        ask: Callable[[str], tuple[SearchHit, ...]] = lambda query: find(view, parse_query(query), None, 5).results  # noqa: E731

        @given(st.text(st.characters(), max_size=80))
        @settings(max_examples=200)
        def check(query: str) -> None:
            assert len(ask(query)) <= 1

        check()


@pytest.mark.slow
@pytest.mark.requirement("SRCH.2")
def test_every_word_of_another_script_is_found(folder: Path) -> None:
    write(folder, "a.txt", "поиск по коду, größe, naïveté, Ünïcode, 検索エンジン\n")
    index(folder)
    for word in ("поиск", "КОДУ", "größe", "naïveté", "ünïcode", "検索エンジン"):
        assert paths(search(folder, word)) == ["a.txt"], word


@pytest.mark.requirement("SRCH.2")
def test_a_word_longer_than_any_token_is_found_by_itself(folder: Path) -> None:
    word = "supercalifragilistic" * 10
    write(folder, "a.txt", f"{word}\n")
    index(folder)
    assert paths(search(folder, word)) == ["a.txt"]


def test_a_long_text_is_searched_by_its_worthiest_words_wherever_they_stand(folder: Path) -> None:
    common = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(100)]
    for number in range(5):
        write(folder, f"plain{number}.py", "x = '" + " ".join(common) + "'\n")
    write(folder, "rare.py", "x = 'zanzibar'\n")
    index(folder)
    with Codebase(str(folder)) as codebase, codebase.view() as view:
        found = find(view, parse_query(f"A title\n\n{' '.join(common)}\n\nand a zanzibar"), None, 9)
    assert len(found.terms) == MAX_TERMS
    assert next(iter(found.terms)) == "zanzibar"
    assert [*found.terms.values()] == sorted(found.terms.values(), reverse=True)
    assert "rare.py" in paths([*found.results])
    # To weigh is what is meant: nothing was cut.
    assert found.limits_hit == ()


@pytest.mark.requirement("RANK.20")
def test_how_well_the_best_row_fits_is_known_where_words_are_missing(folder: Path) -> None:
    write(folder, "one.py", "def acquire_lease(): pass\n\n# who waits longest is first\n")
    write(folder, "two.py", "nothing = 0\n")
    index(folder)
    with Codebase(str(folder)) as codebase, codebase.view() as view:

        def fit(text: str, vector: bool = True) -> float | None:
            query = parse_query(text)
            return find(view, query, codebase.vector_of(query)[0] if vector else None, 5).fit

        assert fit("waits longest first") is fit("acquire_lease and zebras") is fit("waits for zebras", False) is None
        half, none = (
            fit("who waits longest beside zebras and quaggas"),
            fit("which zebras and quaggas are nothing like it"),
        )
        assert half is not None
        assert none is not None
        assert half > none
        # A long text names and says so much that some of it is anywhere.
        text = "\n\n{}\nzebras and quaggas\nare nothing like it\n"
        near, far = (
            fit("Who waits longest" + text.format("who waits longest")),
            fit("Z" + text.format("`acquire_lease`")),
        )
        assert near is not None
        assert far is not None
        assert near > far


def test_a_name_with_hundreds_of_definitions_leaves_room_for_a_rare_one(folder: Path) -> None:
    write(
        folder,
        "many.py",
        "".join(f"class A{each}:\n    def set_up(self): pass\n" for each in range(MAX_DEFINITIONS + 1)),
    )
    write(folder, "other.py", "def rare_name(): pass\n")
    index(folder)

    found = {item.path: item.contributions for item in search(folder, "does rare_name call set_up")}

    assert "named_definition" in found["other.py"]
    assert "named_definition" in found["many.py"], "as many of the others as there is room for"


def test_an_empty_index_has_no_answers(folder: Path) -> None:
    index(folder)
    assert search(folder, "lease") == []
