"""How any question is asked, whichever door it came through."""

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import BusyError, NotIndexedError, StorageError, UsageError
from cairn.base.steps import worded_hint
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.questions.asking import Where, ask, file_meant, folder_of, is_in_a_store, target_meant
from cairn.questions.code import MAP, REFERENCES, SYMBOL
from cairn.questions.parameters import checked
from cairn.questions.question import Asked, Brought, Question
from cairn.questions.reports import STATUS, STORES
from cairn.questions.search import SEARCH
from cairn.surfaces.cli.notes import command
from tests.trees import Repo, write

pytestmark = pytest.mark.usefixtures("hashing")


@dataclass
class Standing:
    """A host whose user stands in a folder, and which remembers what was synced."""

    folder: Path
    synced: list[str] = field(default_factory=list)
    failure: Exception | None = None

    def at(self, path: str) -> str:
        return os.path.join(self.folder, path)

    def opened(self, path: str, shared_store: str | None = None) -> contextlib.AbstractContextManager[Codebase]:
        return Codebase(self.at(path), shared_store=shared_store)

    def brought(self, codebase: Codebase, sync: Callable[[Codebase], Brought]) -> Brought:
        self.synced.append(codebase.root.path)
        return sync(codebase)

    def read_mode(self, *, asked_for: bool) -> str:
        return "as asked for" if asked_for else "here"

    @contextlib.contextmanager
    def progress(self) -> Iterator[None]:
        if self.failure is not None:
            raise self.failure
        yield


@pytest.fixture
def hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
    return repo


def told(question: Question, host: Standing, where: Where = Where(), *, sync: bool = True, **given: Any) -> Any:  # noqa: B008
    return ask(question, checked(question.parameters, given), host, where, sync=sync).document()


def test_what_is_new_is_taken_in_unless_only_reading_is_wanted(indexed: Repo) -> None:
    host = Standing(indexed.path)
    indexed.write("src/fresh.py", "def fresh():\n    pass\n")
    assert told(SYMBOL, host, name="fresh", sync=False)["results"] == []
    assert host.synced == []
    document = told(SYMBOL, host, name="fresh")
    assert [item["path"] for item in document["results"]] == ["src/fresh.py"]
    assert (host.synced, document["root"]) == ([str(indexed.path)], str(indexed.path))


def test_only_a_search_makes_an_index(repo: Repo) -> None:
    repo.write("a.py", "def lease():\n    pass\n")
    host = Standing(repo.path)
    with pytest.raises(NotIndexedError):
        told(SYMBOL, host, name="lease")
    assert host.synced == []
    assert told(SEARCH, host, query="lease")["results"]
    assert told(SYMBOL, host, name="lease")["total"] == 1


def test_where_there_is_no_index_the_hint_names_the_codebase_if_one_stands_elsewhere(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("src/a.py", "x = 1\n")
    with pytest.raises(NotIndexedError) as inside:
        told(MAP, Standing(repo.path / "src"))
    with pytest.raises(NotIndexedError) as outside:
        told(MAP, Standing(tmp_path), Where(str(repo.path)))
    named = f"`cairn index {repo.path}`"
    assert named in worded_hint(outside.value.hint, command)
    assert named not in inside.value.hint


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (BusyError("Another process writes."), "not synced, the last snapshot answers: Another process writes."),
        (
            StorageError("It broke.", hint="Mend it."),
            "last_index_failed, the last snapshot answers: It broke. Mend it.",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "last_index_failed, the last snapshot answers: The disk is full. Free some space, for example "
            "collect what nothing refers to, then try again.",
        ),
    ],
)
def test_a_sync_that_fails_leaves_the_last_snapshot_to_answer(indexed: Repo, failure: Exception, said: str) -> None:
    document = told(SYMBOL, Standing(indexed.path, failure=failure), name="take_over")
    assert document["total"] == 1
    assert said in document["warnings"]
    assert document["freshness"]["synced"] is False


def test_a_sync_that_fails_is_an_error_where_nothing_could_answer(repo: Repo) -> None:
    repo.write("a.py", "x = 1\n")
    with pytest.raises(BusyError):
        told(SEARCH, Standing(repo.path, failure=BusyError("Another process writes.")), query="x")


def test_bad_usage_is_no_failed_sync(indexed: Repo) -> None:
    with pytest.raises(UsageError):
        told(SYMBOL, Standing(indexed.path, failure=UsageError("No.")), name="take_over")


def test_a_report_syncs_nothing(indexed: Repo) -> None:
    host = Standing(indexed.path)
    indexed.write("src/fresh.py", "x = 1\n")
    document = told(STATUS, host)
    assert (document["state"], document["counts"]["files"], document["read_mode"]) == ("indexed", 1, "here")
    assert host.synced == []
    assert [each["canonical_root"] for each in told(STORES, host)["stores"]] == [str(indexed.path)]


@pytest.mark.slow
def test_several_are_asked_as_one_and_each_says_what_it_rests_on(indexed: Repo, folder: Path) -> None:
    write(folder, "b.py", "def take_over():\n    pass\n")
    with Codebase(str(folder)) as codebase:
        codebase.index()
    host = Standing(indexed.path)
    roots = (str(indexed.path), str(folder))
    for where in (Where(roots=roots), Where(all=True)):
        document = told(SYMBOL, host, where, name="take_over")
        assert {item["root"] for item in document["results"]} == set(roots)
        assert all(item["id"] for item in document["results"])
        assert {item["root"] for item in document["codebases"]} == set(roots)
    uses = told(REFERENCES, host, Where(roots=roots), name="lease")
    assert {item["root"] for item in uses["codebases"]} == set(roots)
    assert "root" in told(SYMBOL, host, Where(roots=roots[:1]), name="take_over")


def test_what_only_one_codebase_can_answer_is_refused_to_several(indexed: Repo) -> None:
    host = Standing(indexed.path)
    with pytest.raises(UsageError, match="one for a single codebase"):
        told(MAP, host, Where(all=True))
    with pytest.raises(UsageError, match="A shared store holds one codebase"):
        told(SYMBOL, host, Where(all=True, shared_store="/x"), name="a")


def test_a_store_that_went_away_is_busy_and_a_file_of_the_tree_is_what_it_is(indexed: Repo) -> None:
    def gone(path: str) -> Question:
        def look(_asked: object, _values: object) -> None:
            raise FileNotFoundError(2, "No such file", path)

        return Question("gone", "what is gone", (), look, lambda *_: {})

    with pytest.raises(BusyError, match="removed or replaced"):
        told(gone(os.path.join(cairn_home(), "stores", "x")), Standing(indexed.path))
    with pytest.raises(FileNotFoundError):
        told(gone(str(indexed.path / "x")), Standing(indexed.path))


def test_a_shared_store_is_a_store_too(tmp_path: Path) -> None:
    place = str(tmp_path / "shared")
    assert is_in_a_store(f"{place}/lease", place)
    assert not is_in_a_store(f"{place}-other/lease", place)
    assert not is_in_a_store(f"{place}/lease")
    assert is_in_a_store(os.path.join(cairn_home(), "x"))


def test_a_place_is_meant_from_where_the_user_stands(indexed: Repo) -> None:
    with Codebase(str(indexed.path)) as codebase:
        inside = Asked(codebase, Standing(indexed.path / "src"))
        full = str(indexed.path / "src/lease.py")
        assert target_meant("lease.py:1", inside) == f"{full}:1"
        assert target_meant("lease.py:1:5", inside) == f"{full}:1:5"
        assert target_meant("src/lease.py:1", inside) == "src/lease.py:1"
        assert target_meant("Lease.take_over", inside) == "Lease.take_over"
        assert file_meant("nowhere.py", inside) == str(indexed.path / "src/nowhere.py")


def test_a_link_has_a_name_of_its_own_and_the_folders_above_it_have_not(indexed: Repo, tmp_path: Path) -> None:
    (indexed.path / "src/link.py").symlink_to("lease.py")
    (tmp_path / "way").symlink_to(indexed.path)
    with Codebase(str(indexed.path)) as codebase:
        asked = Asked(codebase, Standing(tmp_path))
        assert file_meant("way/src/link.py", asked) == str(indexed.path / "src/link.py")


def test_the_codebase_of_a_file_is_that_around_it(indexed: Repo, folder: Path) -> None:
    host = Standing(folder)
    assert folder_of(str(indexed.path / "src/lease.py"), host) == str(indexed.path / "src")
    assert folder_of(str(indexed.path / "gone/away/a.py"), host) == str(indexed.path)
    write(folder, "deep/in/a.py", "x = 1\n")
    assert folder_of("deep/in/a.py", host) == str(folder / "deep/in")
    with Codebase(str(folder)) as codebase:
        codebase.index()
    assert folder_of("deep/in/a.py", host) == str(folder)
    with pytest.raises(UsageError, match="No file is named"):
        folder_of("", host)
