"""Which contexts a request concerns, over real stores."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import CairnError, NotIndexedError, UsageError
from cairn.codebase.codebase import Codebase
from cairn.codebase.refreshes import ContextOutcome
from cairn.semantic import control
from cairn.semantic.control import control_file
from cairn.semantic.scope import FULL, scope_of
from tests.semantic.fakes import FILES, Project, project_in

pytestmark = pytest.mark.slow

MORE = {
    **FILES,
    "web/package.json": "{}",
    "web/x.ts": "export const x = 1;\n",
    "broken/pyproject.toml": "[project]\n",
    "broken/bad.py": "def ((((\n",
    "README.md": "# it\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return project_in(tmp_path, monkeypatch, MORE)


@pytest.fixture
def codebase(project: Project) -> Iterator[Codebase]:
    with Codebase(str(project.repo.path)) as codebase:
        yield codebase


def asked(codebase: Codebase, **wish: object) -> dict[str, ContextOutcome]:
    refreshing = codebase.refreshing
    told = refreshing.ask(refreshing.wish(**wish), "test")  # type: ignore[arg-type]
    for job in refreshing.queue.all():
        refreshing.queue.cancel(job.id)
    return {each.context: each for each in told}


@pytest.mark.requirement("CTX.1")
def test_contexts_that_are_valid_and_have_an_indexer_are_asked_for_what_they_lack(codebase: Codebase) -> None:
    told = asked(codebase)
    assert {name: each.outcome for name, each in told.items()} == {
        "javascript:web": "created",
        "python:.": "created",
        "python:broken": "skipped",
    }
    assert told["python:."].job is not None
    assert told["python:."].job.scope == FULL
    assert told["python:."].job.reason == "test"
    assert told["python:broken"].why == "the context is failed"


def test_a_scope_reaches_the_contexts_whose_files_it_means(codebase: Codebase) -> None:
    def scopes(**wish: object) -> dict[str, object]:
        return {name: each.job.scope for name, each in asked(codebase, **wish).items() if each.job is not None}

    assert scopes(files=["web/x.ts", "a/goods.py"]) == {
        "javascript:web": scope_of(["web/x.ts"]),
        "python:.": scope_of(["a/goods.py"]),
    }
    assert scopes(packages=[str(Path(codebase.root.path) / "a")]) == {"python:.": scope_of(packages=["a"])}
    assert scopes(everything=True, context="javascript:web") == {"javascript:web": FULL}
    assert scopes(since=0.0).keys() == {"javascript:web", "python:."}
    assert scopes(since=4e9) == {}


@pytest.mark.parametrize(
    ("wish", "error", "told"),
    [
        ({"files": ["nobody.py"]}, NotIndexedError, "nobody.py is not in the snapshot"),
        ({"files": ["../x.py"]}, UsageError, "not beneath"),
        ({"files": ["broken/bad.py"]}, UsageError, "No context answers for broken/bad.py"),
        ({"packages": ["nowhere"]}, NotIndexedError, "lies in nowhere"),
        ({"context": "go:."}, UsageError, "There is no context go:."),
    ],
)
def test_what_is_named_has_to_be_there(
    codebase: Codebase, wish: dict[str, object], error: type[CairnError], told: str
) -> None:
    with pytest.raises(error, match=told):
        asked(codebase, **wish)
    assert codebase.refreshing.queue.all() == ()


def test_a_context_without_an_indexer_says_so_when_it_is_named(codebase: Codebase) -> None:
    assert asked(codebase, files=["README.md"])["docs:."].why == "no indexer is known for docs"
    assert asked(codebase, context="docs:.")["docs:."].why == "no indexer is known for docs"


@pytest.mark.requirement("STATE.1")
def test_what_is_not_clean_is_asked_for_again_with_what_depends_on_it(project: Project, codebase: Codebase) -> None:
    def scope() -> object:
        codebase.index()
        told = asked(codebase, context="python:.")["python:."]
        return told.job.scope if told.job is not None else told.why

    project.cairn("refresh", "--wait", "--context", "python:.")
    assert scope() == "nothing to do"
    project.write("a/goods.py", "def price(thing):\n    return 9\n")
    assert scope() == scope_of(["a/goods.py", "a/till.py"])
    project.cairn("refresh", "--wait", "--context", "python:.")
    assert scope() == "nothing to do"
    project.write("b/new.py", "def fresh():\n    return 1\n")
    assert scope() == scope_of(["b/new.py"])
    project.write("pyproject.toml", '[project]\nname = "y"\n')
    assert scope() == FULL, "facts of other settings are not mixed"


def test_a_file_that_the_tool_gives_nothing_for_is_not_asked_for_again_and_again(
    project: Project, codebase: Codebase
) -> None:
    tool = project.at / "bin" / "scip-python"
    tool.write_text(tool.read_text().replace('rglob("*.py")', 'rglob("goods.py")'))
    project.cairn("refresh", "--wait", "--context", "python:.")
    assert project.served() == {"a/goods.py": {"price"}}
    assert asked(codebase, context="python:.")["python:."].why == "nothing to do"
    project.write("b/stock.py", "x = 1\n")
    codebase.index()
    job = asked(codebase, context="python:.")["python:."].job
    assert job is not None
    assert job.scope == scope_of(["b/stock.py"])


def test_a_context_that_is_switched_off_is_left_alone_unless_it_is_named(codebase: Codebase) -> None:
    asked(codebase)
    with control_file(codebase.store().layout).writing() as connection:
        connection.execute("UPDATE contexts SET enabled = 0 WHERE id = 'python:.'")
    assert asked(codebase)["python:."].why == "the context is switched off"
    assert asked(codebase, context="python:.")["python:."].job is not None


def test_contexts_that_are_gone_take_what_was_known_of_them_along(project: Project, codebase: Codebase) -> None:
    asked(codebase)
    assert codebase.refreshing.known().keys() == {"javascript:web", "python:.", "python:broken"}
    (project.repo.path / "web/package.json").unlink()
    codebase.index()
    asked(codebase)
    assert codebase.refreshing.known().keys() == {"python:.", "python:broken"}
    assert isinstance(codebase.refreshing.known()["python:."], control.KnownContext)
