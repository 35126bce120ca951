"""Several views as one: what a search over all of it in one place would say."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.search import Filters, MergedViews, SearchHit, ViewFailedError, parse_query
from cairn.search.find import find
from cairn.store import SnapshotView
from tests.trees import Repo, write

pytestmark = pytest.mark.slow

FIRST = {
    "lease.py": "def take_over(lease):\n    return lease.epoch\n",
    "guard.py": "class Guard:\n    lease = None\n\n    def hold(self):\n        return self.lease\n",
    "plain.py": "nothing = 0\n",
}
SECOND = {
    "renew.py": "def renew(lease):\n    # A lease that is old is taken over.\n    return lease.renewed()\n",
    "notes.md": "# Notes\n\nAbout the epoch.\n",
    "guard.py": "def guard():\n    return 'epoch epoch epoch'\n",
}
QUERIES = (
    "lease",
    "take over lease",
    "epoch",
    "Guard",
    "guard hold",
    "renewed",
    "nothing of this",
    "lease path:guard*",
)


def index(root: Path, files: dict[str, str]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write(root, name, text)
    with Codebase(str(root)) as codebase:
        codebase.reindex_incremental()
    return root


@contextlib.contextmanager
def views_of(*roots: Path) -> Iterator[list[SnapshotView]]:
    with contextlib.ExitStack() as stack:
        codebases = [stack.enter_context(Codebase(str(root))) for root in roots]
        yield [stack.enter_context(codebase.view()) for codebase in codebases]


def told(found: tuple[SearchHit, ...]) -> list[tuple[str, int, str, float]]:
    return [(item.row.path_key, item.row.start_line, item.symbol, item.score) for item in found]


@pytest.mark.requirement("MULTI.1")
@pytest.mark.parametrize("mode", ["auto", "symbol", "code", "docs"])
def test_one_view_alone_answers_as_it_does_by_itself(tmp_path: Path, mode: str) -> None:
    root = index(tmp_path / "one", FIRST | SECOND)
    with Codebase(str(root)) as codebase, codebase.view() as view:
        for text in QUERIES:
            query = parse_query(text)
            vector = codebase.vector_of(query)[0]
            alone = find(view, query, vector, 10, mode=mode)
            assert told(find(MergedViews([view]), query, vector, 10, mode=mode).results) == told(alone.results)


@pytest.mark.requirement("MULTI.1")
def test_two_views_answer_like_one_that_holds_both(tmp_path: Path) -> None:
    """Words and names alone: a vector leans towards the path, which is another one in the one place."""
    first, second = index(tmp_path / "p" / "q", FIRST), index(tmp_path / "r" / "s", SECOND)
    both = index(
        tmp_path / "both",
        {f"q/{name}": text for name, text in FIRST.items()} | {f"s/{n}": t for n, t in SECOND.items()},
    )
    found = 0
    with views_of(first, second, both) as (one, two, whole):
        together = MergedViews([one, two])
        assert together.words.counted(["lease"]).rows == whole.chunks_live
        for text in QUERIES:
            query = parse_query(text)
            results = find(together, query, None, 10).results
            named = [f"{'qs'[together.number_of(item.place)]}/{item.row.path_key}" for item in results]
            alone = find(whole, parse_query(text.replace("path:", "path:*/")), None, 10).results
            assert list(zip(named, [item.score for item in results], strict=True)) == [
                (item.row.path_key, item.score) for item in alone
            ]
            found += len(results)
    assert found > 12


@pytest.mark.requirement("MULTI.1")
def test_a_weak_match_does_not_become_a_strong_one_by_standing_alone(tmp_path: Path) -> None:
    strong = index(tmp_path / "strong", {f"f{n}.py": "lease epoch take over\n" * 3 for n in range(3)})
    weak = index(tmp_path / "weak", {"f.py": "epoch\n" + "other words here\n" * 20})
    with views_of(strong, weak) as (one, two):
        query = parse_query("lease epoch take over")
        alone = find(two, query, None, 5).results[0].score
        together = MergedViews([two, one])
        found = find(together, query, None, 5).results
        assert [together.number_of(item.place) for item in found] == [1, 1, 1, 0]
        assert found[-1].score < alone


@pytest.mark.requirement("MULTI.1")
def test_equal_scores_stand_by_codebase_then_path(tmp_path: Path) -> None:
    one, two = (
        index(tmp_path / "a", {"b.py": "lease\n", "d.py": "lease\n"}),
        index(tmp_path / "b", {"a.py": "lease\n", "c.py": "lease\n"}),
    )
    with views_of(one, two) as views:
        together = MergedViews(views)
        found = find(together, parse_query("lease"), None, 10).results
        assert len({item.score for item in found}) == 1
        assert [(together.number_of(item.place), item.row.path_key) for item in found] == [
            (0, "b.py"),
            (0, "d.py"),
            (1, "a.py"),
            (1, "c.py"),
        ]
        assert told(find(together, parse_query("lease"), None, 2).results) == told(found[:2])


@pytest.mark.requirement("MULTI.1")
def test_rows_and_facts_come_from_the_view_that_holds_the_file(tmp_path: Path) -> None:
    one, two = index(tmp_path / "a", FIRST), index(tmp_path / "b", SECOND)
    with views_of(one, two) as views:
        together = MergedViews(views)
        found = find(together, parse_query("guard", Filters(kinds=("function",))), None, 10).results
        assert {item.row.path_key for item in found} >= {"guard.py"}
        symbols = together.facts.symbols_at([item.place for item in found])
        for item in found:
            view = views[together.number_of(item.place)]
            assert together.rows.at(item.place) == view.rows.of(item.row.path_key)
            assert symbols[item.place] == list(view.facts.of(item.row.path_key).symbols)
            assert item.row in view.rows.of(item.row.path_key)


@pytest.mark.requirement("MULTI.1")
def test_many_definitions_in_one_codebase_do_not_hide_those_of_another(tmp_path: Path) -> None:
    many = index(tmp_path / "a", {f"m{n:03}.py": "def start():\n    pass\n" for n in range(30)})
    few = index(tmp_path / "b", {"z.py": "def start():\n    pass\n"})
    with views_of(many, few) as views:
        named = MergedViews(views).facts.symbols_named(["start"], 10)
        assert len(named) == 10
        assert [MergedViews(views).number_of(at) for at, _ in named].count(1) == 1


@pytest.mark.requirement("MULTI.1")
def test_the_edge_of_likeness_is_that_of_all_rows(tmp_path: Path) -> None:
    one, two = index(tmp_path / "a", FIRST), index(tmp_path / "b", SECOND)
    with Codebase(str(one)) as codebase, views_of(one, two) as views:
        vector = codebase.vector_of(parse_query("how is a lease taken over"))[0]
        assert vector is not None
        every = sorted((each.likeness for view in views for each in view.vectors.near(vector, 100)), reverse=True)
        assert len(every) == sum(view.chunks_live for view in views)
        together = MergedViews(views).vectors
        near = together.near(vector, 100)
        assert [each.likeness for each in near] == every
        assert len(together.nearest_files(near, 100)) == len(FIRST) + len(SECOND)
        # One of each, however near the rows of the other are.
        assert len(together.nearest_files(near, 1)) == 2
        some = {near[-1].at, near[0].at}
        assert {each.at for each in together.near(vector, 100, some)} == some


def test_each_codebase_is_told_by_its_own_commits(tmp_path: Path) -> None:
    roots = []
    for name, message in (("a", "Seals swim"), ("b", "Walruses are fed"), ("c", "")):
        root = tmp_path / name
        if message:
            repo = Repo.create(root)
            for path in ("guard.py", "plain.py"):
                repo.write(path, "walrus = 0\n")
            repo.commit("begin")
            repo.write("guard.py", "walrus = 1\n")
            repo.commit(message)
        roots.append(index(root, {} if message else {"guard.py": "walrus = 1\n"}))
    with views_of(*roots) as views:
        for order in (views, views[::-1]):
            together = MergedViews(order)
            found = find(together, parse_query("are walruses fed"), None, 10).results
            by_history = {
                (order[together.number_of(item.place)].manifest.canonical_root[-1], item.row.path_key)
                for item in found
                if item.contributions.get("history", 0.0) > 0
            }
            assert by_history == {("b", "guard.py")}


@pytest.mark.requirement("MULTI.1")
def test_a_view_that_fails_is_named(tmp_path: Path, private_home: Path) -> None:
    one, two = index(tmp_path / "a", FIRST), index(tmp_path / "b", SECOND)
    with views_of(one, two) as views:
        for segment in (private_home / ".cairn" / "data" / views[1].manifest.store_id / "segments").iterdir():
            shutil.rmtree(segment)
        with pytest.raises(ViewFailedError) as failure:
            find(MergedViews(views), parse_query("lease"), None, 10)
        assert failure.value.number == 1


def test_no_candidates_are_no_answer(tmp_path: Path) -> None:
    one, two = index(tmp_path / "a", {}), index(tmp_path / "b", FIRST)
    with views_of(one, two) as views:
        assert find(MergedViews(views), parse_query("absent"), None, 10).results == ()
        assert [item.row.path_key for item in find(MergedViews(views), parse_query("epoch"), None, 10).results] == [
            "lease.py"
        ]
