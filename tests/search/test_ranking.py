"""The order of files: named signals, each of which can be switched off, that add up to the score."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import ConfigError
from cairn.codebase.bodies import Answer, Found
from cairn.codebase.codebase import Codebase, Request
from cairn.indexing.options import SyncOptions
from cairn.search import WEIGHTS, SearchHit, parse_query, weights_without
from cairn.search.ranking import LEAST_LIKENESS, PENALISED, Statistics, rank
from cairn.store import Evidence, FileRow
from tests.trees import Repo

TREE = {
    "src/lease/lease.py": "import os\n\n\nclass Lease:\n    def release(self):\n        return os.unlink(self.path)\n",
    "src/lease/guard.py": "from lease import Lease\n\n\ndef release_all(leases):\n    for lease in leases:\n"
    "        lease.release()\n",
    "src/lease/deep/er/down/below/far/away.py": "def lease_of(x):\n    return x.lease.release()\n",
    "tests/test_lease.py": "from lease import Lease\n\n\ndef test_release():\n    Lease().release()\n",
    "examples/lease.py": "lease = Lease()\nlease.release()\n",
    "vendor/lease.py": "class Lease:\n    def release(self):\n        pass\n",
    "bench/lease.py": "def release_lease():\n    return 1\n",
    "docs/lease.md": "# Lease\n\nHow to release a lease.\n",
    "lease_pb2.py": "class Lease:\n    release = 1\n",
    "stubs/lease.pyi": "class Lease:\n    def release(self) -> None: ...\n",
    "lease.toml": "[lease]\nrelease = true\n",
    "legacy/lease.py": "def release_lease():\n    return 2\n",
    "src/unix/lease.c": "int release(lease_t *lease) {\n  return lease->fd;\n}\n",
    "src/win/lease.c": "int release(lease_t *lease) {\n  return lease->handle;\n}\n",
    "api/v1/lease.py": "def release(lease):\n    return 1\n",
    "api/v2/lease.py": "def release(lease):\n    return 2\n",
    "src/readlease.py": "def read(lease):\n    return lease\n",
    "src/other.py": "def unrelated(n):\n    raise ValueError(f'the lease is gone already, {n}')\n",
}


@pytest.fixture
def tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    for name, text in TREE.items():
        repo.write(name, text)
    repo.write(".cairnignore", ".cairn.toml\n")
    repo.commit("Leases of all kinds")
    repo.write("src/lease/guard.py", TREE["src/lease/guard.py"] + "\n")
    repo.commit("A lease that was read is released")
    return repo


def ask(root: Path, query: str, limit: int = 50) -> Answer[Found[SearchHit]]:
    with Codebase(str(root)) as codebase:
        codebase.index(SyncOptions())
        return codebase.search(Request(query, limit=limit))


def told(answer: Answer[Found[SearchHit]]) -> dict[str, Mapping[str, float]]:
    return {item.row.path_key: item.contributions for item in answer.items}


REPORT = """A lease is released twice

In src/lease/guard.py, by `release_all`:

    Error: the lease is gone already, 3
"""
QUERIES = ["how is a lease released", "Lease.release", "release", "read lease", "what does release_all do", REPORT]


@pytest.mark.requirement("SRCH.4")
@pytest.mark.parametrize("query", QUERIES)
def test_what_the_signals_added_is_the_score(tree: Repo, query: str) -> None:
    answer = ask(tree.path, query)
    assert len(answer.items) > 5
    for item in answer.items:
        assert item.contributions
        assert sum(item.contributions.values()) == pytest.approx(item.score, abs=1e-5)
        assert set(item.contributions) <= set(WEIGHTS)
        assert all(value * WEIGHTS[name] > 0 for name, value in item.contributions.items())


@pytest.mark.slow
@pytest.mark.requirement("SRCH.4")
def test_every_signal_has_a_say_somewhere(tree: Repo) -> None:
    heard = {name for query in QUERIES for parts in told(ask(tree.path, query)).values() for name in parts}
    assert heard == set(WEIGHTS)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.4")
@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_a_signal_that_is_switched_off_is_silent_and_the_others_say_the_same(tree: Repo, name: str) -> None:
    query = next(query for query in QUERIES if any(name in parts for parts in told(ask(tree.path, query)).values()))
    before = ask(tree.path, query)
    tree.write(".cairn.toml", f'[query]\nsignals_off = ["{name}"]\n')
    after = ask(tree.path, query)

    # What the best files import follows from the order of all the others.
    silent = {name, "imported"}
    expected = {
        path: {key: part for key, part in parts.items() if key not in silent} for path, parts in told(before).items()
    }
    shown = {
        path: {key: part for key, part in parts.items() if key != "imported"}
        for path, parts in told(after).items()
        if path in expected
    }
    assert shown == expected
    assert {item.row.path_key: item.score for item in after.items} != {
        item.row.path_key: item.score for item in before.items
    }
    assert after.value.query_fingerprint != before.value.query_fingerprint
    assert after.manifest.config_fingerprint == before.manifest.config_fingerprint


def test_weights_without_a_signal_keep_the_others() -> None:
    assert weights_without(["dense"]) == {**WEIGHTS, "dense": 0.0}
    assert weights_without([]) == WEIGHTS
    assert WEIGHTS["dense"] > 0


@pytest.mark.slow
def test_a_signal_that_does_not_exist_can_not_be_switched_off(tree: Repo) -> None:
    tree.write(".cairn.toml", '[query]\nsignals_off = ["unheard"]\n')
    with pytest.raises(ConfigError, match="unheard"):
        ask(tree.path, "lease")


def test_penalties_take_and_merits_give() -> None:
    others = {"depth", "platform", "version", "place"}
    assert {name for name, weight in WEIGHTS.items() if weight < 0} == {*PENALISED, *others}


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
@pytest.mark.parametrize("query", QUERIES)
def test_results_stand_by_score_then_path_then_line(tree: Repo, query: str) -> None:
    answer = ask(tree.path, query)
    places = [(-item.score, item.row.path_key, item.row.start_line, item.row.row_id) for item in answer.items]
    assert places == sorted(places)
    shorter = ask(tree.path, query, 3)
    assert [item.row.row_id for item in shorter.items] == [item.row.row_id for item in answer.items[:3]]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
def test_equal_files_stand_by_path(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    for name in ("b", "a", "Z", "ä"):
        repo.write(f"{name}.py", "lease = 1\n")
    answer = ask(repo.path, "lease epoch")
    found = [item.row.path_key for item in answer.items]
    assert len({item.score for item in answer.items}) == 1
    assert found == ["Z.py", "a.py", "b.py", "ä.py"]


FILES = st.lists(
    st.tuples(
        st.sampled_from(["src/lease.py", "tests/lease.py", "a/b/c/d.py", "docs/x.md", "guard.py", "lib/index.ts"]),
        st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 90), st.floats(-1, 1)),
            min_size=1,
            max_size=4,
        ),
    ),
    max_size=6,
    unique_by=lambda item: item[0],
)
Files = list[tuple[str, list[tuple[int, int, int, float]]]]


def evidence_of(files: Files) -> Evidence:
    rows = [row for _, parts in files for row in parts]
    starts = np.cumsum([0, *(len(parts) for _, parts in files)])[:-1]
    return Evidence(
        tuple((0, number) for number, _ in enumerate(files)),
        tuple(FileRow(path, "0" * 64, 1, "python", len(parts), 5 * len(parts)) for path, parts in files),
        starts.astype(np.int64),
        np.array([[text, 0] for text, _, _, _ in rows], dtype=np.float64).reshape(len(rows), 2),
        np.array([[symbols, 0] for _, symbols, _, _ in rows], dtype=np.float64).reshape(len(rows), 2),
        np.array([length for _, _, length, _ in rows], dtype=np.float64),
        np.array([round(likeness, 6) for _, _, _, likeness in rows], dtype=np.float64),
    )


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
@given(FILES, st.permutations(range(6)))
@settings(max_examples=150)
def test_the_order_of_candidates_changes_nothing(files: Files, order: list[int]) -> None:
    query = parse_query("lease guard")
    statistics = Statistics((1.5, 0.4), 30.0, 0.1)

    def ranked(given: Files) -> list[tuple[str, float, dict[str, float]]]:
        found = rank(query, evidence_of(given), statistics, {})
        values = found.values or {}
        return [
            (item.path_key, item.score, {name: float(value[item.index]) for name, value in values.items()})
            for item in found.order
        ]

    shuffled = [files[place] for place in order if place < len(files)]
    assert ranked(files) == ranked(shuffled)
    for _, score, values in ranked(files):
        assert all(0.0 <= value <= 1.0 for value in values.values()), values
        assert score == pytest.approx(sum(WEIGHTS[name] * value for name, value in values.items()), abs=1e-6)


@pytest.mark.slow
@given(FILES)
@settings(max_examples=60)
def test_without_weights_the_path_decides(files: Files) -> None:
    nothing = weights_without(list(WEIGHTS))
    found = rank(parse_query("lease guard"), evidence_of(files), Statistics((1.0, 1.0), 30.0, 0.0), {}, nothing)
    shown = [item.path_key for item in found.order]
    assert shown == sorted(shown)
    # What has neither a word of the query nor its likeness is no answer.
    assert set(shown) <= {path for path, _ in files}
    assert {item.score for item in found.order} <= {0.0}


def test_without_candidates_there_is_no_order() -> None:
    assert rank(parse_query("lease guard"), evidence_of([]), Statistics((1.0, 1.0), 30.0, 0.0), {}).order == ()


@pytest.mark.parametrize(("likeness", "shown"), [(LEAST_LIKENESS - 0.01, []), (LEAST_LIKENESS + 0.01, ["a.py"])])
def test_a_file_without_a_word_of_the_query_must_be_near_to_it(likeness: float, shown: list[str]) -> None:
    nothing = np.zeros((1, 1))
    evidence = Evidence(
        ((0, 0),),
        (FileRow("a.py", "0" * 64, 10, "python", 1, 1),),
        np.array([0]),
        nothing,
        nothing,
        np.array([5.0]),
        np.array([likeness]),
    )
    found = rank(parse_query("lease"), evidence, Statistics((1.0,), 30.0, 0.0), {})
    assert [item.path_key for item in found.order] == shown
