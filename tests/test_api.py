"""The Python interface."""

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cairn
from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.notes import Lift
from cairn.config.user import cairn_home
from cairn.graph.outline import outline_line
from cairn.kernel.tokens import token_cost
from cairn.questions.changes import IMPACT
from cairn.questions.code import IMPORTS, MAP, OUTLINE, REFERENCES, SYMBOL
from cairn.questions.registry import QUESTIONS
from cairn.questions.search import SEARCH
from tests.trees import Repo


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.write("docs/notes.md", "# Leases\n\nHow a lease is taken over.\n")
    repo.commit()
    return repo


SANE: dict[str, Any] = {
    "query": "lease",
    "name": "take_over",
    "path": "src/lease.py",
    "file": "src/lease.py",
    "place": "src/lease.py:1",
    "line": 1,
    "column": 1,
    "new_name": "other",
    "to_file": "src/other.py",
    "choice_id": "a:b",
    "plan_id": "a",
    "edit_id": "a",
}
"""What is given for the parameters that a call needs beside the one that is wrong."""


def _methods(subject: object) -> dict[str, Callable[..., Any]]:
    found = inspect.getmembers(type(subject), inspect.isfunction)
    return {name: getattr(subject, name) for name, _ in found if not name.startswith("_")}


def _wrongly_asked(method: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Calls that are right but for one parameter, which is of a kind that it never is."""
    known = inspect.signature(method).parameters
    needed = {name: SANE[name] for name, each in known.items() if each.default is each.empty and name in SANE}
    for name, each in known.items():
        names = "nodes fan_out notes direction nobody_knows".split() if each.kind is each.VAR_KEYWORD else [name]
        for wrong in (object(), b"x", 1.5, 10**5000, -(10**5000), [10**5000], {"a": 1}, "\0", [1], [None], [""]):
            yield from (needed | {every: wrong} for every in names)


@pytest.mark.requirement("Q.1")
def test_whatever_is_given_wrong_is_bad_usage_and_no_error_of_python(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace, cairn.open_all([sample.path]) as several:
        asked = 0
        for subject in (workspace, several, workspace.rename, workspace.move, workspace.signature):
            for name, method in _methods(subject).items():
                if name in ("ask", "changes", "diff", "proof", "subject", "taken"):
                    continue  # any parameter at all, and an answer of Cairn's own
                for given in _wrongly_asked(method):
                    if name == "refresh" and isinstance(given.get("since"), float):
                        continue
                    try:
                        method(**given)
                    except UsageError:
                        asked += 1
                    else:
                        pytest.fail(f"{name} took {[*given]} with {type([*given.values()][-1])}")
        for question in QUESTIONS:
            for each in question.parameters:
                with pytest.raises(UsageError):
                    workspace.ask(question, **{each.name: object()})
        assert asked > 300
    for path in (5, b"x", None):
        with pytest.raises(UsageError):
            cairn.open(path)  # type: ignore[arg-type]
        with pytest.raises(UsageError):
            cairn.open_all([path])  # type: ignore[list-item]


@pytest.mark.requirement("Q.1")
def test_parameters_are_keywords_of_their_declared_names(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        for method, question in (
            (workspace.search, SEARCH),
            (workspace.grep, SEARCH),
            (workspace.symbol, SYMBOL),
            (workspace.references, REFERENCES),
            (workspace.imports, IMPORTS),
            (workspace.impact, IMPACT),
            (workspace.outline, OUTLINE),
            (workspace.map, MAP),
        ):
            names = set(inspect.signature(method).parameters)
            assert names <= {each.name for each in question.parameters}, method
        assert workspace.outline(file="src/lease.py").value == workspace.outline("src/lease.py").value
        placed = workspace.slice(place="src/lease.py:1", name="lease").value
        assert placed == workspace.slice("src/lease.py", 1, "lease").value
        assert [item.start_line for item in workspace.grep(query="def ")] == [1]


@pytest.mark.requirement("SRCH.1")
def test_open_indexes_and_answers(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        found = workspace.search("take over", limit=1)
        assert len(found) == 1
        (result,) = found
        assert (result.path, result.start_line, result.end_line) == ("src/lease.py", 1, 2)
        assert (result.kind, result.language, result.symbol) == ("function", "python", "take_over")
        assert result.text == "def take_over(lease):\n    return lease"
        assert not result.changed_since
        assert sum(result.explain.values()) == pytest.approx(result.score, abs=1e-4)
        assert found.snapshot_id
        assert found.freshness == {"synced": False, "checked": "cited_files", "moved": False}
        assert found.warnings == ()


def test_it_can_be_told_what_to_look_at(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        assert {item.path for item in workspace.search("lease", mode="docs")} == {"docs/notes.md"}
        assert {item.path for item in workspace.search("lease", languages=["py"])} == {"src/lease.py"}
        assert {item.path for item in workspace.search("lease", paths=["docs"])} == {"docs/notes.md"}


@pytest.mark.slow
def test_hints_name_calls(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        shutil.rmtree(cairn_home())
        with pytest.raises(NotIndexedError) as refused:
            workspace.search("lease")
        assert refused.value.hint == "Call workspace.sync() first."
        workspace.sync()
        assert workspace.search("lease").results


@pytest.mark.slow
def test_without_sync_it_only_reads(sample: Repo) -> None:
    with pytest.raises(NotIndexedError) as refused:
        cairn.open(sample.path, sync=False)
    assert refused.value.hint == "Open it with sync=True first."
    with cairn.open(sample.path) as workspace:
        before = workspace.search("lease").snapshot_id
    sample.write("src/lease.py", "def other():\n    return 0\n")
    with cairn.open(sample.path, sync=False) as workspace:
        found = workspace.search("take over")
        assert found.snapshot_id == before
        assert [item.path for item in found if item.changed_since] == ["src/lease.py"]
        assert workspace.sync().published
        assert workspace.symbol("other")[0].path == "src/lease.py"


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_lines_are_found_by_text_and_by_expression(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        found = workspace.grep("lease")
        assert [(item.path, item.start_line, item.end_line) for item in found] == [
            ("docs/notes.md", 3, 3),
            ("src/lease.py", 1, 1),
            ("src/lease.py", 2, 2),
        ]
        first, second, _ = found
        assert (first.kind, first.language, first.score) == ("match", "markdown", 1.0)
        assert (first.text, first.column, first.match) == ("How a lease is taken over.", 7, "lease")
        assert (second.symbol, second.changed_since) == ("take_over", False)
        assert (found.warnings, found.limits_hit, found.freshness["moved"]) == ((), (), False)
        assert len(workspace.grep("LEASE", ignore_case=True)) == 4
        (match,) = workspace.grep(r"def (\w+)\(", regex=True, languages="py", paths="src")
        assert match.match == "def take_over("
        assert [workspace.grep(each, regex=True).engine for each in ("(?<=a)b", "a(?=b)")] == ["python"] * 2
        assert found.engine == "text"
        assert workspace.search("lease").results[0].column is None
        cut = workspace.grep("lease", 1)
        assert (len(cut), cut.limits_hit) == (1, ("results",))
        (note,) = cut.notes
        assert (note.code, note.lift) == ("lines_cut", Lift("limit", 10_000))
        assert cut.warnings == (
            "only the first 1 line: there are more; ask with limit=10000, or a narrower pattern or paths",
        )


@pytest.mark.requirement("STO.3")
def test_lines_of_files_that_are_gone_are_left_out_and_those_that_changed_are_marked(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        (sample.path / "docs/notes.md").unlink()
        sample.write("src/lease.py", "# another lease\n")
        found = workspace.grep("lease")
        assert [(item.text, item.changed_since) for item in found] == [
            ("def take_over(lease):", True),
            ("    return lease", True),
        ]
        assert found.warnings == (
            "1 file left out: gone since the snapshot",
            "1 cited file changed since the snapshot",
        )
        assert found.freshness["moved"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "asked",
    [
        {"query": ""},
        {"query": None},
        {"query": "a\nb"},
        {"query": "(", "regex": True},
        {"query": "a", "limit": 0},
        {"query": "a", "limit": 10_001},
        {"query": "a", "limit": True},
        {"query": "a", "mode": "symbol"},
        {"query": "a", "mode": "nonsense"},
        {"query": "a", "languages": "klingon"},
        {"query": "a", "paths": "../out"},
    ],
)
def test_lines_that_can_not_be_meant_are_refused(sample: Repo, asked: dict[str, Any]) -> None:
    with cairn.open(sample.path) as workspace, pytest.raises(UsageError):
        workspace.grep(**asked)


@pytest.mark.slow
def test_everything_else_is_there_too(sample: Repo) -> None:
    with cairn.open(str(sample.path)) as workspace:
        assert workspace.root == str(sample.path)
        assert len(workspace.references("take_over")) == 0
        assert [item.symbol.name for item in workspace.outline("src/lease.py")] == ["take_over"]
        assert "src/lease.py" in workspace.map().value.text()
        assert workspace.read("docs/notes.md").startswith("# Leases")


@pytest.mark.slow
def test_a_rename_is_planned_applied_and_undone(sample: Repo) -> None:
    text = "def count(leases):\n    total = 0\n    return total\n"
    sample.write("src/count.py", text)
    with cairn.open(sample.path) as workspace:
        planned = workspace.rename.plan("src/count.py", 2, 5, "seen")
        assert (planned.draft.status, planned.applicable, len(planned.spots)) == ("ok_syntactic", True, 2)
        assert planned.plan is not None
        done = workspace.rename.apply(planned.plan.id)
        assert (sample.path / "src/count.py").read_text(encoding="utf-8") == text.replace("total", "seen")
        assert [edit.id for edit in workspace.rename.edits()] == [done.applied.written.id]
        workspace.rename.undo(done.applied.written.id)
        assert (sample.path / "src/count.py").read_text(encoding="utf-8") == text
        assert workspace.rename.interrupted() == ()
        refused = workspace.rename.plan("src/count.py", 1, 5, "class")
        assert (refused.draft.status, refused.plan) == ("refused", None)


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, cairn; print([m for m in ('numpy', 'tantivy', 'sqlite3', 'tree_sitter') if m in sys.modules])"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[]\n"


def test_unknown_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = cairn.nothing


@pytest.mark.requirement("SRCH.1")
def test_an_answer_says_all_that_an_answer_says(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        found = workspace.search("lease")
        for name in ("store_id", "snapshot_id", "request_id", "config_fingerprint", "ignore_fingerprint"):
            assert getattr(found, name)
        assert found.query_fingerprint
        assert found.git == {"head": sample.git("rev-parse", "HEAD").strip(), "dirty": False}
        assert (found.degraded, found.limits_hit) == (False, ())


@pytest.mark.requirement("SRCH.1")
def test_an_open_workspace_never_claims_that_the_tree_stands_still(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        sample.write("new.py", "brandnew = 1\n")
        assert workspace.search("lease").freshness["checked"] == "cited_files"
        (sample.path / "src/lease.py").unlink()
        found = workspace.search("take over")
        assert found.freshness["moved"] is True
        assert "src/lease.py" not in {item.path for item in found}


@pytest.mark.parametrize("limit", [0, -1, 201, True, "5"])
def test_a_limit_out_of_range_is_bad_usage(sample: Repo, limit: object) -> None:
    with cairn.open(sample.path) as workspace, pytest.raises(UsageError):
        workspace.search("lease", limit)  # type: ignore[arg-type]


def test_bad_questions_are_bad_usage(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        for query in ("", "  ", None):
            with pytest.raises(UsageError):
                workspace.search(query)  # type: ignore[arg-type]
        with pytest.raises(UsageError):
            workspace.search("lease", mode="bogus")
        for path in ("", "/", "../x", "/elsewhere"):
            with pytest.raises(UsageError):
                workspace.search("lease", paths=path)
        assert len(workspace.symbol("\udcff")) == 0


@pytest.mark.slow
def test_one_path_may_be_given_as_text_and_in_full(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        for path in ("docs", str(sample.path / "docs"), ["docs"]):
            assert {item.path for item in workspace.search("lease", paths=path)} == {"docs/notes.md"}


@pytest.mark.slow
def test_a_closed_workspace_is_closed(sample: Repo) -> None:
    workspace = cairn.open(sample.path)
    workspace.close()
    with pytest.raises(UsageError):
        workspace.search("lease")
    with pytest.raises(UsageError):
        workspace.sync()
    with pytest.raises(UsageError):
        workspace.symbol("take_over")


@pytest.mark.slow
def test_a_tilde_is_the_users_home(sample: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(sample.path.parent))
    with cairn.open(f"~/{sample.path.name}") as workspace:
        assert workspace.root == str(sample.path)


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_search_keeps_its_budget_and_says_what_it_left_out(sample: Repo) -> None:
    sample.write(
        "src/long.py", "def wait(lease):\n" + "    lease.poll()  # the lease again\n" * 200 + "    return lease\n"
    )
    with cairn.open(sample.path) as workspace:
        found = workspace.search("lease", budget_tokens=100)
        assert found.budget is not None
        assert sum(token_cost(item.text) for item in found) < found.budget.used_tokens <= 100
        assert {item.path: item.form for item in found} == {
            "src/lease.py": "definition",
            "docs/notes.md": "chunk",
            "src/long.py": "signature",
        }
        assert "budget" in found.limits_hit
        whole = workspace.search("lease", budget_tokens=found.budget.full_tokens)
        assert whole.budget is not None
        assert (whole.limits_hit, whole.budget.hint, len(whole)) == ((), "", 3)
        (long,) = (item for item in whole if item.path == "src/long.py")
        assert (long.form, long.start_line, long.end_line) == ("definition", 1, 202)
        assert long.text == (sample.path / "src/long.py").read_text()
        none = workspace.search("lease", budget_tokens=1)
        assert none.budget is not None
        assert (len(none), len(none.budget.left_out), none.limits_hit) == (0, 3, ("budget",))
        assert workspace.search("lease").budget is None
        for budget in (0, -1, 10**12, True, "5", 1.5):
            with pytest.raises(UsageError):
                workspace.search("lease", budget_tokens=budget)  # type: ignore[arg-type]
            with pytest.raises(UsageError):
                workspace.map(budget)  # type: ignore[arg-type]
            with pytest.raises(UsageError):
                workspace.outline("src/lease.py", budget_tokens=budget)  # type: ignore[arg-type]
            with pytest.raises(UsageError):
                workspace.read("src/lease.py", budget_tokens=budget)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_budget_chooses_from_more_results_than_are_shown_without_one(repo: Repo) -> None:
    for number in range(30):
        repo.write(f"f{number:02}.py", f"lease_{number} = 'lease'\n")
    with cairn.open(repo.path) as workspace:
        assert len(workspace.search("lease")) == 10
        assert len(workspace.search("lease", budget_tokens=5_000)) == 30
        assert len(workspace.search("lease", 3, budget_tokens=5_000)) == 3


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_an_outline_keeps_its_budget_and_says_what_it_left_out(sample: Repo) -> None:
    members = "".join(f"    def member_{number}(self):\n        return {number}\n\n" for number in range(20))
    sample.write("src/kinds.py", f"class Kind:\n{members}\n\ndef last():\n    return Kind\n")
    with cairn.open(sample.path) as workspace:
        whole = workspace.outline("src/kinds.py")
        assert len(whole) == 22
        small = workspace.outline("src/kinds.py", budget_tokens=60)
        names = [item.symbol.name for item in small]
        assert names[:2] == ["Kind", "member_0"]
        assert names[-1] == "last"
        assert token_cost("".join(outline_line(item.symbol) for item in small)) <= 60
        assert len(small) + small.value.left_out == len(whole)
        assert small.limits_hit == ("budget",)
        (warning,) = small.warnings
        needed = int(re.search(r"budget_tokens=(\d+)", warning)[1])  # type: ignore[index]
        enough = workspace.outline("src/kinds.py", budget_tokens=needed)
        assert (enough.items, enough.value.left_out, enough.limits_hit) == (whole.items, 0, ())
        assert len(workspace.outline("src/kinds.py", budget_tokens=1)) == 0


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_read_keeps_its_budget_and_says_how_to_read_on(sample: Repo) -> None:
    text = "".join(f"line {number} of a file\r\n" for number in range(1, 101)) + "ü" * 50
    sample.write("long.txt", text)
    with cairn.open(sample.path) as workspace:
        read, at = "", 1
        while True:
            part = workspace.read("long.txt", budget_tokens=40, from_line=at)
            assert token_cost(part.text) == part.used_tokens <= 40
            assert (part.first_line, part.lines, str(part)) == (at, 101, part.text)
            read += part.text
            if part.left_out is None:
                break
            assert part.left_out == (part.last_line + 1, 101)
            assert f"from_line={part.last_line + 1}" in part.hint
            at = part.last_line + 1
        assert read.encode() == (sample.path / "long.txt").read_bytes()
        assert part.hint == ""
        assert workspace.read("long.txt", budget_tokens=token_cost(text)).text == workspace.read("long.txt") == text
        tight = workspace.read("long.txt", budget_tokens=10, from_line=101)
        assert (tight.text, tight.left_out) == ("", (101, 101))
        assert "25 tokens" in tight.hint
        for line in (0, -1, 102, True):
            with pytest.raises(UsageError):
                workspace.read("long.txt", budget_tokens=40, from_line=line)
        with pytest.raises(UsageError):
            workspace.read("../x", budget_tokens=40)


@pytest.mark.slow
def test_an_empty_file_fits_any_budget(sample: Repo) -> None:
    sample.write("empty.py", "")
    with cairn.open(sample.path) as workspace:
        part = workspace.read("empty.py", budget_tokens=1)
        assert (part.text, part.lines, part.left_out, part.hint) == ("", 0, None, "")


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_several_trees_are_asked_as_one(sample: Repo, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "another")
    other.write("renew.py", "def renew(lease):\n    return lease\n")
    with cairn.open_all([other.path, str(sample.path), tmp_path / "absent"]) as workspaces:
        assert workspaces.roots == (str(tmp_path / "absent"), str(other.path), str(sample.path))
        found = workspaces.search("lease")
        assert {(item.root, item.path) for item in found} == {
            (str(other.path), "renew.py"),
            (str(sample.path), "src/lease.py"),
            (str(sample.path), "docs/notes.md"),
        }
        snapshots = {item.root: item.manifest.snapshot_id for item in found.codebases if item.manifest is not None}
        assert all(item.snapshot_id == snapshots[item.root] for item in found)
        assert len(found.warnings) == 1
        assert [item.path for item in workspaces.search("lease", 1, budget_tokens=500)] == [found.results[0].path]
        assert [item.path for item in workspaces.symbol("renew").items] == ["renew.py"]
        other.write("fresh.py", "def fresh_lease():\n    pass\n")
        workspaces.sync()
        assert [item.path for item in workspaces.symbol("fresh_lease").items] == ["fresh.py"]
    with cairn.open_all(sync=False) as workspaces:
        assert workspaces.roots == (str(other.path), str(sample.path))
        assert len(workspaces.search("lease", limit=2)) == 2


def test_what_a_caller_catches_is_exported_and_loads_nothing_else(sample: Repo) -> None:
    """One `except` for whatever Cairn raises, with the attributes that docs/errors.md names."""
    code = "import sys, cairn; assert cairn.CairnError.__name__ in cairn.__all__; print('cairn.api' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
    with pytest.raises(cairn.CairnError) as caught:
        cairn.open(sample.path, sync=False)
    error = caught.value
    assert (error.code, error.exit_code, error.retryable, error.retry_after_ms) == ("not_indexed", 3, False, None)
    assert (str(error), error.hint.startswith("Open it with sync=True")) == (error.message, True)
