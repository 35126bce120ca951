"""Ranking signals: pure, bounded, and pointing the right way."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.search import parse_query, signals
from cairn.search.pathfacts import path_facts
from cairn.store import SymbolRow

COUNTS = st.integers(0, 255)
WORDS = st.sampled_from(["lease", "guard", "store", "index", "view", "snap"])
PATHS = st.builds(
    lambda folders, name, suffix: "/".join([*folders, name + suffix]),
    st.lists(WORDS, max_size=4),
    st.one_of(WORDS, st.builds("{}_{}".format, WORDS, WORDS), st.builds("{}-{}".format, WORDS, WORDS)),
    st.sampled_from([".py", "", ".test.ts"]),
)


def symbol(name: str = "release", kind: str = "function", container: str = "", lines: int = 1) -> SymbolRow:
    qualified = f"{container}.{name}" if container else name
    return SymbolRow("syntactic", name, qualified, kind, "", 1, lines, 1, container, True, "")


def scores(counts: list[list[int]], lengths: list[int], weights: list[float], average: float = 50.0) -> list[float]:
    found = signals.bm25(
        np.array(counts, dtype=np.float64), np.array(lengths, dtype=np.float64), np.array(weights), average
    )
    return [float(value) for value in found]


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_a_rarer_term_weighs_more(frequency: int, more: int) -> None:
    total = frequency + more
    if frequency:
        assert signals.inverse_frequency(frequency, total) > signals.inverse_frequency(frequency + more, total) > 0
    assert signals.inverse_frequency(0, total) == 0.0


@pytest.mark.slow
@given(st.lists(COUNTS, min_size=2, max_size=2), st.integers(0, 500), st.integers(1, 20))
@settings(max_examples=200)
def test_more_of_a_term_scores_higher_and_a_longer_row_lower(counts: list[int], length: int, more: int) -> None:
    few, many, longer = scores(
        [counts, [counts[0] + more, counts[1]], counts], [length, length, length + more], [1.5, 0.7]
    )
    assert many > few >= longer >= 0.0
    assert many < (signals.K1 + 1) * 2.2


@pytest.mark.slow
@given(st.lists(st.tuples(COUNTS, COUNTS, st.integers(0, 500)), min_size=1, max_size=8), st.randoms())
def test_the_score_of_a_row_does_not_depend_on_its_neighbours(rows: list[tuple[int, int, int]], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)

    def told(items: list[tuple[int, int, int]]) -> dict[tuple[int, int, int], float]:
        found = scores([[one, two] for one, two, _ in items], [length for _, _, length in items], [1.0, 2.0])
        return dict(zip(items, found, strict=True))

    assert told(rows) == told(shuffled)
    assert told(rows[:1]) == {rows[0]: told(rows)[rows[0]]}


def test_a_term_that_nobody_has_adds_nothing_and_an_empty_view_divides_by_nothing() -> None:
    assert scores([[0]], [0], [1.0], average=0.0) == [0.0]
    assert scores([[3, 7]], [10], [1.0, 0.0]) == scores([[3, 0]], [10], [1.0, 0.0])


@pytest.mark.slow
@given(st.lists(st.floats(0, 1e6), max_size=20))
def test_scaled_values_lie_between_nothing_and_one_and_keep_their_order(values: list[float]) -> None:
    found = signals.scaled(np.array(values))
    assert len(found) == len(values)
    assert ((found >= 0) & (found <= 1)).all()
    if any(values):
        assert found.max() == 1.0
    assert (np.diff(found[np.argsort(values, kind="stable")]) >= 0).all()


@pytest.mark.slow
@given(st.lists(st.floats(-1, 1), max_size=20), st.floats(-1, 1))
def test_likeness_is_spread_between_the_floor_and_the_best(values: list[float], floor: float) -> None:
    found = signals.spread(np.array(values), floor)
    assert np.isfinite(found).all()
    assert (found <= 1).all()
    for value, share in zip(values, found, strict=True):
        assert (share > 0) <= (value > floor)
    if values and max(values) > floor + 1e-6:
        assert found.max() == 1.0


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, st.floats(0, 10)), max_size=6, unique_by=lambda item: item[0]), PATHS)
@settings(max_examples=300)
def test_the_match_of_a_name_lies_between_nothing_and_one(terms: list[tuple[str, float]], path: str) -> None:
    found = signals.stem_match([term for term, _ in terms], [weight for _, weight in terms], path)
    assert 0.0 <= found <= 1.0
    backwards = signals.stem_match([term for term, _ in terms][::-1], [weight for _, weight in terms][::-1], path)
    assert math.isclose(found, backwards, abs_tol=1e-9)


def test_a_name_that_is_the_query_matches_in_full() -> None:
    assert signals.stem_match(["guard"], [1.0], "src/guard.py") == 1.0
    assert signals.stem_match(["snap_guard", "snap", "guard"], [1.0, 1.0, 1.0], "snap_guard.py") == 1.0
    assert signals.stem_match(["guard"], [1.0], "src/other.py") == 0.0


def test_a_name_that_is_half_the_query_matches_less_than_the_whole() -> None:
    whole = signals.stem_match(["snap", "guard"], [1.0, 1.0], "snap_guard.py")
    assert whole > signals.stem_match(["snap", "guard"], [1.0, 1.0], "guard.py") > 0.0
    assert whole > signals.stem_match(["guard"], [1.0], "snap_guard.py") > 0.0


@pytest.mark.parametrize("path", ["snap-guard.ts", "snap_guard.ts", "snapGuard.ts"])
def test_a_name_is_covered_alike_however_its_words_are_joined(path: str) -> None:
    assert signals.stem_match(["guard"], [1.0], path) == 0.5
    assert signals.stem_match(["snap"], [1.0], path) == 0.5


def test_a_rare_term_in_a_name_counts_more_than_a_common_one() -> None:
    assert signals.stem_match(["rare", "common"], [5.0, 1.0], "rare.py") > signals.stem_match(
        ["rare", "common"], [5.0, 1.0], "common.py"
    )


@pytest.mark.parametrize("name", ["index.ts", "mod.rs", "__init__.py", "lib.rs", "main.go"])
def test_the_folder_stands_in_for_a_name_that_says_nothing(name: str) -> None:
    assert signals.stem_match(["guard"], [1.0], f"src/guard/{name}") == 1.0
    assert signals.stem_match(["guard"], [1.0], f"guard/src/{name}") == 0.0


def test_the_beginning_of_a_word_counts_for_a_part_unless_it_is_very_short() -> None:
    part = signals.stem_match(["config"], [1.0], "configuration.py")
    assert 0.0 < part < 1.0
    assert signals.stem_match(["co"], [1.0], "configuration.py") == 0.0


@pytest.mark.parametrize("path", ["", "/", ".", "...", ".gitignore", "a", "é/ü.py", "\x00"])
def test_strange_paths_are_borne(path: str) -> None:
    assert 0.0 <= signals.stem_match(["gitignor"], [1.0], path) <= 1.0
    assert signals.joined_stems(["git", "ignore"], [path])[0] in (0.0, 1.0)
    path_facts(path)


def test_without_weights_no_name_matches() -> None:
    assert signals.stem_match(["guard"], [0.0], "guard.py") == 0.0
    assert signals.stem_match([], [], "guard.py") == 0.0


def test_two_neighbouring_words_may_be_one_name() -> None:
    assert signals.joined_stems(["read", "cache", "log"], ["src/readcache.py"])[0] == 1.0
    assert signals.joined_stems(["read", "cache"], ["src/read_cache.py"])[0] == 1.0
    assert signals.joined_stems(["cache", "read"], ["src/readcache.py"])[0] == 0.0
    assert signals.joined_stems(["read", "the", "cache"], ["src/readcache.py"])[0] == 0.0
    assert signals.joined_stems(["a", "b"], ["ab.py"])[0] == 0.0


def test_terms_of_a_name_and_of_its_folders_are_kept_apart() -> None:
    facts = path_facts("src/engine/snap_guard.test.py")
    assert facts.stem_terms == {"snap_guard", "snap", "guard"}
    assert facts.folder_terms == {"src", "engin"}
    assert path_facts("guard.py").folder_terms == frozenset()


def test_the_exact_name_counts_most() -> None:
    query = parse_query("release")
    exact = signals.definition(query, [symbol("release")])
    assert exact > signals.definition(query, [symbol("Release")]) > signals.definition(query, [symbol("other")]) == 0.0
    assert signals.definition(query, []) == 0.0


def test_the_owner_that_is_named_decides_between_methods() -> None:
    query = parse_query("lease.release")
    wanted = signals.definition(query, [symbol(kind="method", container="store.Lease")])
    assert wanted > signals.definition(query, [symbol(kind="method", container="store.Guard")]) > 0.0
    assert wanted > signals.definition(query, [symbol(kind="method", container="Lease.store")])


def test_a_type_counts_more_than_a_field_and_a_long_definition_more_than_a_short_one() -> None:
    query = parse_query("release")
    assert signals.definition(query, [symbol(kind="class")]) > signals.definition(query, [symbol(kind="field")])
    assert signals.definition(query, [symbol(lines=30)]) > signals.definition(query, [symbol(lines=2)])


SYMBOLS = st.lists(
    st.builds(
        symbol,
        st.sampled_from(["release", "Release", "other"]),
        st.sampled_from(["class", "method", "field", "heading", "unheard"]),
        st.sampled_from(["", "Lease", "a.lease", "Guard"]),
        st.integers(1, 500),
    ),
    max_size=6,
)


@pytest.mark.slow
@given(SYMBOLS, st.randoms(), st.sampled_from(["release", "lease.release", "how is release_all done", "words only"]))
@settings(max_examples=200)
def test_the_best_definition_counts_whatever_the_order(found: list[SymbolRow], random: Any, text: str) -> None:
    query = parse_query(text)
    value = signals.definition(query, found)
    shuffled = list(found)
    random.shuffle(shuffled)
    assert 0.0 <= value <= 1.0
    assert signals.definition(query, shuffled) == value
    assert value == max((signals.definition(query, [item]) for item in found), default=0.0)


@pytest.mark.slow
@given(st.lists(st.integers(0, 10_000), max_size=20))
def test_the_share_of_size_lies_between_nothing_and_one(lines: list[int]) -> None:
    found = signals.size_share(lines)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found[np.argsort(lines, kind="stable")]) >= 0).all()


@pytest.mark.slow
@given(st.lists(st.integers(0, 12), max_size=20), st.randoms())
def test_depth_counts_beyond_the_middle_alone(depths: list[int], random: Any) -> None:
    paths = ["d/" * depth + f"f{number}" for number, depth in enumerate(depths)]
    found = dict(zip(paths, signals.depth_beyond(paths), strict=True))
    assert all(0.0 <= value <= 1.0 for value in found.values())
    shuffled = list(paths)
    random.shuffle(shuffled)
    assert dict(zip(shuffled, signals.depth_beyond(shuffled), strict=True)) == found
    if paths:
        middle = float(np.median(depths))
        assert all((value > 0) == (path.count("/") > middle) for path, value in found.items())


def test_the_best_rows_of_a_file_count_at_their_shares() -> None:
    scores = np.array([1.0, 4.0, 2.0, 8.0, 3.0])
    starts = np.array([0, 4])
    assert signals.best_of(scores, starts, (1.0, 0.5)).tolist() == [8.0 + 2.0, 3.0]
    assert signals.best_of(scores, starts, (1.0,)).tolist() == [8.0, 3.0]
    assert signals.best_of(np.array([2.0]), np.array([0]), (1.0, 0.5, 0.25)).tolist() == [2.0]


def test_a_file_with_several_good_rows_is_more_coherent_than_one_with_a_single_one() -> None:
    scores = np.array([0.9, 0.8, 1.0])
    found = signals.coherence(scores, np.array([0, 2]))
    assert found[0] == 1.0
    assert 0.0 < found[1] < 1.0


def test_equal_rows_share_a_rank_wherever_they_stand() -> None:
    one = signals.coherence(np.array([0.5, 0.5, 0.1]), np.array([0, 1, 2]))
    assert one[0] == one[1] == 1.0
    assert one[2] < 1.0


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["guard", "snap", "config", "gu", "conf"]), min_size=1, max_size=3, unique=True),
    st.lists(
        st.sampled_from(["guard.py", "src/snap_guard.py", "configuration.ts", "a/conf/index.js", "x.md"]), max_size=4
    ),
)
def test_many_names_match_as_each_by_itself(terms: list[str], paths: list[str]) -> None:
    weights = [1.0 + place for place in range(len(terms))]
    assert signals.stem_matches(terms, weights, paths).tolist() == [
        signals.stem_match(terms, weights, path) for path in paths
    ]
