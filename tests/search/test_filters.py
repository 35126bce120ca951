"""Search from end to end over a small tree: what comes first, what is left out, and what stays the same."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import UsageError
from cairn.codebase.bodies import Answer, Found
from cairn.codebase.codebase import Codebase, Request
from cairn.indexing.options import SyncOptions
from cairn.questions.asking import Answered
from cairn.questions.parameters import checked
from cairn.questions.search import SEARCH
from cairn.search import Filters, SearchHit
from cairn.search.definitions import MOST_MEANT
from cairn.search.find import LEXICAL_ROWS, MAX_DEFINITIONS
from tests.notes import said
from tests.trees import Repo, write

TREE = {
    "src/store/lease.py": '''"""Leases: who may write."""

import os


class Lease:
    """The right to write, for a time."""

    def acquire(self, path):
        return os.open(path, os.O_EXCL)

    def release(self):
        """Give the lease back."""
        os.unlink(self.path)


def take_over(lease, owner):
    """A stale lease is taken over once its owner is proven dead."""
    if owner.is_dead():
        lease.epoch += 1
    return lease
''',
    "src/store/guard.py": """from store.lease import Lease, take_over


class Guard:
    def release(self):
        self.lock.close()


def guarded(lease):
    lease.release()
    return take_over(lease, None)
""",
    "src/web/app.ts": """import { Lease } from "./lease"

export class App {
  render(lease: Lease): string {
    lease.release()
    return lease.owner
  }
}
""",
    "src/web/lease.ts": "export interface Lease {\n  owner: string\n}\n",
    "tests/test_lease.py": """from store.lease import Lease, take_over


def test_take_over_of_a_stale_lease():
    lease = Lease()
    assert take_over(lease, Dead()).epoch == 1


def test_release():
    Lease().release()
""",
    "docs/leases.md": "# Leases\n\nEach writer holds one, and others wait for it.\n\n## Giving back\n\nCall release.\n",
    "README.md": "# The store\n\nIt holds leases.\n",
    "pyproject.toml": '[project]\nname = "lease"\n',
    "src/unrelated.go": "package main\n\n// lease, release\nfunc Colour(name string) int {\n\treturn len(name)\n}\n",
}


def make(repo: Repo) -> None:
    for name, text in TREE.items():
        repo.write(name, text)
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, Path]:
    """One tree and its home, for all who only ask."""
    top = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", str(top / "home"))
        repo = Repo.create(top / "repo")
        make(repo)
    return repo, top / "home"


@pytest.fixture
def tree(shared: tuple[Repo, Path], monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo, home = shared
    monkeypatch.setenv("CAIRN_HOME", str(home))
    return repo


@pytest.fixture
def own(repo: Repo) -> Repo:
    """A tree that a test may change."""
    make(repo)
    return repo


def ask(root: Path, query: str, **options: Any) -> Answer[Found[SearchHit]]:
    with Codebase(str(root)) as codebase:
        return codebase.search(Request(query, **({"limit": 50} | options)))


def paths(answer: Answer[Found[SearchHit]]) -> list[str]:
    return [item.row.path_key for item in answer.items]


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    ("query", "path", "symbol", "line"),
    [
        ("take_over", "src/store/lease.py", "take_over", 17),
        ("Guard", "src/store/guard.py", "Guard", 4),
        ("Lease.release", "src/store/lease.py", "Lease.release", 12),
        ("lease.release()", "src/store/lease.py", "Lease.release", 12),
        ("Guard.release", "src/store/guard.py", "Guard.release", 5),
        ("guard::release", "src/store/guard.py", "Guard.release", 5),
        ("App", "src/web/app.ts", "App", 3),
        ("colour", "src/unrelated.go", "Colour", 4),
    ],
)
def test_a_name_finds_its_definition_first(tree: Repo, query: str, path: str, symbol: str, line: int) -> None:
    first = ask(tree.path, query).items[0]
    assert (first.row.path_key, first.symbol) == (path, symbol)
    assert first.row.start_line <= line <= first.row.end_line


def test_a_question_finds_the_code_that_answers_it_before_its_tests_and_its_docs(tree: Repo) -> None:
    found = paths(ask(tree.path, "how are stale leases taken over"))
    assert found[0] == "src/store/lease.py"
    assert found.index("src/store/lease.py") < found.index("tests/test_lease.py")
    assert found.index("src/store/lease.py") < found.index("docs/leases.md")


def test_tests_come_first_when_they_are_asked_for(tree: Repo) -> None:
    assert paths(ask(tree.path, "tests of take over of a stale lease"))[0] == "tests/test_lease.py"
    plain = {item.row.path_key: item.contributions for item in ask(tree.path, "stale lease").items}
    asked = {item.row.path_key: item.contributions for item in ask(tree.path, "tests of stale lease").items}
    assert "test" in plain["tests/test_lease.py"]
    assert "test" not in asked["tests/test_lease.py"]


def test_a_file_shows_one_place_only(tree: Repo) -> None:
    found = paths(ask(tree.path, "lease"))
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("docs", {"README.md", "docs/leases.md"}),
        (
            "code",
            {
                "src/store/lease.py",
                "src/store/guard.py",
                "src/web/app.ts",
                "src/web/lease.ts",
                "tests/test_lease.py",
                "src/unrelated.go",
            },
        ),
        ("auto", set(TREE)),
    ],
)
def test_a_mode_decides_what_is_looked_at(tree: Repo, mode: str, expected: set[str]) -> None:
    assert set(paths(ask(tree.path, "lease release", mode=mode))) == expected


def test_symbol_mode_finds_definitions_and_nothing_else(tree: Repo) -> None:
    found = ask(tree.path, "release", mode="symbol")
    assert {item.symbol for item in found.items} == {"Lease.release", "Guard.release"}
    assert paths(ask(tree.path, "unheard_of", mode="symbol")) == []


def test_symbol_mode_takes_the_beginning_of_a_name(tree: Repo) -> None:
    assert paths(ask(tree.path, "take_o", mode="symbol")) == ["src/store/lease.py"]
    assert paths(ask(tree.path, "GUARDE", mode="symbol")) == ["src/store/guard.py"]


def test_the_mode_of_the_settings_counts_unless_another_is_asked_for(own: Repo) -> None:
    own.write(".cairn.toml", '[query]\nmode = "docs"\nlimit = 1\n')
    with Codebase(str(own.path)) as codebase:
        assert paths(codebase.search(Request("lease"))) in (["README.md"], ["docs/leases.md"])
        assert "src/store/lease.py" in paths(codebase.search(Request("lease", limit=50, mode="auto")))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lease lang:typescript", {"src/web/app.ts", "src/web/lease.ts"}),
        ("lease lang:TypeScript lang:go", {"src/web/app.ts", "src/web/lease.ts", "src/unrelated.go"}),
        ("lease path:src/store", {"src/store/lease.py", "src/store/guard.py"}),
        ("lease path:*.md", {"README.md", "docs/leases.md"}),
        ("lease path:src/ -path:web -path:*.go", {"src/store/lease.py", "src/store/guard.py"}),
        ("lease -path:src -path:docs -path:tests", {"README.md", "pyproject.toml"}),
        ("lease path:src lang:python -path:guard.py", {"src/store/lease.py"}),
        ("lease path:nowhere", set()),
        ("release kind:method", {"src/store/lease.py", "src/store/guard.py", "src/web/app.ts"}),
        ("lease kind:interface", {"src/web/lease.ts"}),
        ("owner of a lease kind:class", {"src/store/lease.py", "src/store/guard.py", "src/web/app.ts"}),
        ("lease kind:interface lang:python", set()),
    ],
)
def test_filters_leave_out_what_they_should(tree: Repo, query: str, expected: set[str]) -> None:
    assert set(paths(ask(tree.path, query))) == expected


def test_with_a_kind_the_place_shown_is_one_of_that_kind(tree: Repo) -> None:
    for item in ask(tree.path, "owner of a lease kind:class").items:
        assert item.symbol in {"Lease", "Guard", "App"}
    assert ask(tree.path, "lease kind:class").items[0].symbol == "Lease"
    assert ask(tree.path, "release kind:method lang:typescript").items[0].symbol == "App.render"


def test_filters_beside_the_query_count_like_those_in_it(tree: Repo) -> None:
    beside = ask(tree.path, "lease", filters=Filters(languages=("typescript",), paths=("src/web",)))
    within = ask(tree.path, "lease lang:typescript path:src/web")
    assert [(item.row.row_id, item.score) for item in beside.items] == [
        (item.row.row_id, item.score) for item in within.items
    ]


def test_a_filter_that_can_not_be_meant_is_bad_usage(tree: Repo) -> None:
    for query in ("lease kind:thing", "lease -lang:go"):
        with pytest.raises(UsageError):
            ask(tree.path, query)


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    "query",
    ["?!.", "()[]{}", "the of and", "AND (", "lease AND NOT (", "field:", 'body:"', "\0\x1b[31m", "'\udc80'",
     "`\ud800`", "lease \udc80", "x" * 100_000, "lease " * 20_000, "日本語 поиск 😀", "lang:python", "path:src", "*",
     "a:b:c", "lease path:\udc80", "lease path:src/\ud800", "'\0'"],
    ids=lambda query: ascii(query)[:16],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["auto", "symbol"])
def test_any_query_is_answered_in_any_mode(tree: Repo, query: str, mode: str) -> None:
    assert len(ask(tree.path, query, mode=mode).items) <= MOST_MEANT * len(TREE)


def test_stop_words_alone_find_what_holds_them(tree: Repo) -> None:
    assert "src/store/lease.py" in paths(ask(tree.path, "is for a"))


@pytest.mark.requirement("SRCH.1")
def test_a_file_that_is_gone_is_left_out_and_counted(own: Repo) -> None:
    os.unlink(own.path / "src/store/lease.py")
    os.unlink(own.path / "README.md")
    answer = ask(own.path, "lease")
    assert not {"src/store/lease.py", "README.md"} & set(paths(answer))
    assert any(warning.startswith("2 files left out") for warning in said(answer))
    assert answer.freshness["moved"] is True


@pytest.mark.requirement("SRCH.1")
def test_a_file_that_changed_is_marked(own: Repo) -> None:
    own.write("src/store/lease.py", "changed = 1\n")
    answer = ask(own.path, "lease")
    assert answer.changed == {"src/store/lease.py"}
    assert "src/store/lease.py" in paths(answer)
    assert any("1 cited file" in warning for warning in said(answer))
    assert answer.freshness == {"synced": False, "checked": "cited_files", "moved": True}
    own.write("src/store/lease.py", TREE["src/store/lease.py"])
    quiet = ask(own.path, "lease")
    assert (quiet.changed, said(quiet), quiet.freshness["moved"]) == (frozenset(), (), False)


@pytest.mark.requirement("SRCH.1")
def test_what_a_link_leads_to_is_one_result(repo: Repo) -> None:
    repo.write("real/lease.py", "def take_over(): pass\n")
    os.symlink("real/lease.py", repo.path / "alias.py")
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
        answer = codebase.search(Request("take_over"))
    assert set(paths(answer)) == {"real/lease.py"}
    assert (answer.changed, said(answer)) == (frozenset(), ())


@pytest.mark.requirement("SRCH.1")
def test_an_answer_after_a_sync_says_so(own: Repo) -> None:
    with Codebase(str(own.path)) as codebase:
        codebase.index(SyncOptions())
        answer = codebase.search(Request("lease"), synced=True)
    assert answer.freshness == {"synced": True, "checked": "tree", "moved": False}


def comparable(answer: Answer[Found[SearchHit]]) -> str:
    """The answer without what names one request, one snapshot or one moment."""
    told = Answered(SEARCH, checked(SEARCH.parameters, {"explain": True}), answer, ()).document()
    for name in ("timings_ms", "request_id", "snapshot_id", "freshness"):
        assert told.pop(name)
    return json.dumps(told)


QUERIES = ["take_over", "Lease.release", "how are stale leases taken over", "lease lang:python", "colour", "is for a"]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
@pytest.mark.requirement("ROW.2")
def test_the_same_tree_in_two_homes_gives_the_same_ids_and_the_same_bytes(
    own: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state() -> tuple[list[str], list[str]]:
        with Codebase(str(own.path)) as codebase:
            codebase.index(SyncOptions())
            with codebase.view() as view:
                ids = [row.row_id for file in view.files() for row in view.rows.of(file.path_key)]
            return ids, [comparable(codebase.search(Request(query, limit=50))) for query in QUERIES]

    one = state()
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "second"))
    assert state() == one
    assert len(one[0]) > len(TREE)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
@pytest.mark.parametrize("provider", ["static", "hashing"])
def test_compaction_changes_no_answer(repo: Repo, monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", provider)
    with Codebase(str(repo.path)) as codebase:
        for number, (name, text) in enumerate(TREE.items()):
            repo.write(name, text)
            repo.write("goes.py", f"def take_over(lease):\n    return {number}\n")
            codebase.index(SyncOptions())
        os.unlink(repo.path / "goes.py")
        codebase.index(SyncOptions())
        spread = [comparable(codebase.search(Request(query, limit=50))) for query in QUERIES]
        with codebase.view() as view:
            assert len(view.segments) > 1
        assert codebase.compact(force=True) is not None
        with codebase.view() as view:
            assert len(view.segments) == 1
        merged = [comparable(codebase.search(Request(query, limit=50))) for query in QUERIES]
        codebase.index(SyncOptions(reindex=True))
        anew = [comparable(codebase.search(Request(query, limit=50))) for query in QUERIES]
    assert spread == merged == anew


def in_two_segments(root: Path, first: dict[str, str], second: dict[str, str]) -> Iterator[Codebase]:
    """The same files spread over two segments, and then in one."""
    with Codebase(str(root)) as codebase:
        for part in (first, second):
            for name, text in part.items():
                write(root, name, text)
            codebase.index(SyncOptions())
        with codebase.view() as view:
            assert len(view.segments) == 2
        yield codebase
        assert codebase.compact(force=True) is not None
        yield codebase


def scores(codebase: Codebase, query: str) -> list[tuple[str, float]]:
    return [(item.row.row_id, item.score) for item in codebase.search(Request(query, limit=200)).items]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
def test_compaction_changes_no_answer_for_a_name_with_very_many_definitions(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    half = MAX_DEFINITIONS // 2 + 25
    first = {f"a/m{number:03}.py": f"def handle(x):\n    return {number}\n" for number in range(half)}
    second = {f"b/n{number:03}.py": f"def handle(x):\n    return {number}\n" for number in range(half)}
    spread, merged = [scores(codebase, "handle") for codebase in in_two_segments(folder, first, second)]
    assert spread == merged


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
def test_compaction_changes_no_answer_for_words_with_very_many_matches(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    many = LEXICAL_ROWS + 10
    first = {f"c/{'z/' if number < 20 else ''}p{number:03}.txt": f"alpha beta {number}\n" for number in range(many)}
    second = {f"d/e/f/g/q{number:03}.txt": f"alpha {number}\n" for number in range(many)}
    spread, merged = [scores(codebase, "alpha beta") for codebase in in_two_segments(folder, first, second)]
    assert spread == merged


def test_an_empty_tree_has_no_answers(folder: Path) -> None:
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        assert codebase.search(Request("lease")).items == ()
