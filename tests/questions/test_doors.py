"""One declaration, every door: a new question is found everywhere, and every question is answered alike."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypedDict

import pytest
from starlette.testclient import TestClient

import cairn
from cairn.base.errors import UsageError
from cairn.codebase.pool import Pool
from cairn.config.user import cairn_home
from cairn.daemon.admission import Admission, AdmissionLimits
from cairn.daemon.desk import RequestDesk
from cairn.daemon.syncs import DaemonState, Syncs
from cairn.kernel.tokens import token_cost
from cairn.lifecycle.registry import Registry
from cairn.questions.asking import values_of
from cairn.questions.parameters import Parameter, Schema, Values
from cairn.questions.question import Asked, Question
from cairn.questions.reference import reference
from cairn.questions.registry import QUESTIONS
from cairn.surfaces.cli import jobs
from cairn.surfaces.cli.asked import Questions
from cairn.surfaces.cli.parser import parser_of
from cairn.surfaces.cli.report import answered
from cairn.surfaces.http.app import build
from cairn.surfaces.http.endpoints import Endpoint
from cairn.surfaces.http.openapi import Operation, describe
from cairn.surfaces.http.served import Daemon
from cairn.surfaces.mcp.access import Access
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.tools import BY_NAME, tools_of
from tests.surfaces.http import running
from tests.surfaces.http.running import small
from tests.trees import Repo, as_everywhere
from tests.trees import cairn as run_cairn

DOCS = Path(__file__).parents[2] / "docs"
ENVELOPE = frozenset(
    "schema_version request_id root store_id snapshot_id config_fingerprint ignore_fingerprint git degraded freshness "
    "warnings notices limits_hit timings_ms".split()
)


def _lines(asked: Asked, values: Values) -> Any:
    return asked.codebase.insight.outline(values["file"], synced=asked.synced)


class Counted(TypedDict):
    path: str
    definitions: int


def _document(told: Any, values: Values) -> Counted:
    return {"path": told.value.path, "definitions": len(told.items) * values["times"]}


def _require(values: Values, spell: Any) -> None:
    if values["times"] == 3 and values["file"].endswith("free.py"):
        raise UsageError(f"{spell('times')} 3 is too often for this file.")


TOY = Question(
    "howmany",
    "how many definitions a file has",
    (
        Parameter("file", "string", "a file of the codebase", required=True, flag=None, is_path=True),
        Parameter("times", "integer", "how often to count each", 1, least=1, most=3, metavar="N"),
    ),
    _lines,
    _document,
    example="cairn howmany src/lease.py",
    subject="file",
    require=_require,
    tool="count_definitions",
    tool_text="How many definitions a file has.",
)


@pytest.fixture
def tree(tmp_path: Path) -> Repo:
    repo = small(tmp_path / "tree")
    cairn.open(repo.path).close()
    return repo


@pytest.mark.requirement("Q.1")
def test_a_new_question_is_on_the_command_line(
    tree: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree.path)
    parser = parser_of((("toys", (Questions((TOY,)),)),))
    assert answered(["howmany", "src/lease.py", "--times", "2", "--json"], parser) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["path"], document["definitions"]) == ("src/lease.py", 4)
    assert document["snapshot_id"]
    assert answered(["howmany", "src/lease.py", "--times", "4"], parser) == 2
    assert "--times 4 is not allowed; give a whole number from 1 to 3." in capsys.readouterr().err
    assert answered(["howmany", "src/lease.py"], parser) == 0
    assert '"definitions": 2' in capsys.readouterr().out


@pytest.mark.requirement("Q.1")
def test_a_new_question_is_over_http_and_in_its_description(tree: Repo) -> None:
    endpoint = Endpoint(TOY)
    desk = RequestDesk(Admission(AdmissionLimits()))
    home = cairn_home()
    house = DaemonState(Registry(home), Pool(home), Syncs(), desk.admission)
    try:
        with TestClient(build(Daemon(house, desk), endpoints=(endpoint,)), raise_server_exceptions=False) as client:
            found = client.get("/v1/howmany", params={"file": "src/lease.py", "times": "3", "root": str(tree.path)})
            assert found.status_code == 200
            assert (found.json()["path"], found.json()["definitions"]) == ("src/lease.py", 6)
            wrong = client.get("/v1/howmany", params={"file": "src/lease.py", "times": "9", "root": str(tree.path)})
            assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "usage")
    finally:
        desk.close()
        house.pool.close()
    described = describe([Operation(endpoint.path, endpoint.text, endpoint.taken, endpoint.answer)])
    operation = described["paths"]["/v1/howmany"]["get"]
    assert [each["name"] for each in operation["parameters"]] == ["file", "times", "root", "sync", "timeout_ms"]
    times = next(each for each in operation["parameters"] if each["name"] == "times")
    assert times["schema"] == {"type": "integer", "minimum": 1, "maximum": 3, "default": 1}
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert {"path", "definitions", "snapshot_id", "notices"} <= set(schema["required"])
    assert schema["properties"]["definitions"] == {"type": "integer"}


@pytest.mark.requirement("Q.1")
def test_a_new_question_is_a_tool(tree: Repo) -> None:
    (tool,) = (each for each in tools_of((TOY,)) if each.name == "count_definitions")
    assert tool.schema["required"] == ["path"]
    assert tool.schema["properties"]["times"]["maximum"] == 3
    service = Service(cairn_home())
    try:
        call = ToolCall(Access((str(tree.path),)))
        found = tool.call(service, call, {"path": str(tree.path / "src/lease.py"), "times": 2})
        assert (found["status"], found["definitions"]) == ("ok", 4)
        assert tool.call(service, call, {"path": "src/lease.py", "times": 4})["status"] == "invalid_arguments"
        refused = tool.call(service, call, {"path": "src/free.py", "times": 3})
        assert (refused["status"], refused["message"]) == ("invalid_arguments", "times 3 is too often for this file.")
        assert "max_bytes" not in tool.schema["properties"], "what is advertised is heeded"
    finally:
        service.close()


@pytest.mark.requirement("Q.1")
def test_a_new_question_is_asked_from_python_and_told_on_the_reference_page(tree: Repo) -> None:
    with cairn.open(tree.path) as workspace:
        document = workspace.ask(TOY, file="src/lease.py", times=2).document()
        assert (document["path"], document["definitions"]) == ("src/lease.py", 4)
        with pytest.raises(UsageError, match="times 4 is not allowed"):
            workspace.ask(TOY, file="src/lease.py", times=4)
    page = reference((TOY,))
    assert "## howmany" in page
    assert (
        "| `times` | `--times` | `times` | `times` | how often to count each | a whole number from 1 to 3 | `1` |"
        in page
    )


def test_the_reference_page_is_made_from_the_declarations() -> None:
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == reference(QUESTIONS), "run `make reference`"


ASKED: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("search", {"query": "stale leases"}, ("search", "stale leases")),
    ("search", {"query": "lease", "limit": 1, "explain": True}, ("search", "lease", "-k1", "--explain")),
    ("search", {"query": "Lease()", "literal": True}, ("search", "--literal", "Lease()")),
    ("search", {"query": "lease", "budget_tokens": 60}, ("search", "lease", "--budget", "60")),
    ("search", {"related": "src/lease.py:4"}, ("search", "--related", "src/lease.py:4")),
    ("symbol", {"name": "Lease"}, ("symbol", "Lease")),
    ("refs", {"name": "release"}, ("refs", "release")),
    ("callgraph", {"name": "release", "direction": "both"}, ("callers", "release", "--both")),
    ("hierarchy", {"name": "Lease", "direction": "down"}, ("implementors", "Lease")),
    ("cycles", {}, ("cycles",)),
    ("outline", {"file": "src/lease.py"}, ("outline", "src/lease.py")),
    ("map", {"budget_tokens": 300}, ("map", "--budget", "300")),
    ("imports", {"file": "src/free.py"}, ("imports", "src/free.py")),
    ("impact", {"files": ["src/lease.py"]}, ("impact", "src/lease.py")),
    ("tests", {"places": ["src/lease.py"], "weak": True}, ("tests", "src/lease.py", "--weak")),
    ("unused", {"exported": True}, ("unused", "--exported")),
    ("commits", {"text": "i", "look_in": "messages"}, ("commits", "i", "--in", "messages")),
    ("slice", {"place": "src/lease.py:4", "name": "self"}, ("slice", "src/lease.py:4", "self")),
    ("past", {"name": "src/lease.py:2-4", "limit": 3}, ("history", "src/lease.py:2-4", "-k3")),
    ("read", {"file": "src/lease.py:2-4"}, ("read", "src/lease.py:2-4")),
    ("read", {"file": "src/lease.py", "end_line": 3}, ("read", "src/lease.py", "--end-line", "3")),
    ("contexts", {"states": True}, ("contexts", "--states")),
    ("status", {}, ("status",)),
    ("health", {}, ("health",)),
    ("audit", {}, ("audit",)),
    ("stores", {}, ("stores",)),
    ("gain", {"days": 1}, ("gain", "--days", "1")),
    ("jobs", {}, ("jobs",)),
    ("jobs", {"status": "failed"}, ("jobs", ".", "--status", "failed")),
)


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A daemon, and the same home for the command line: with the Python interface three doors to one snapshot."""
    folder = tmp_path_factory.mktemp("doors")
    repo = small(folder / "tree")
    home = folder / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", str(home))
        patch.setenv("HOME", str(folder))
        cairn.open(repo.path).close()
        with running.serving("--no-watch", home=home) as daemon:
            yield SimpleNamespace(repo=repo, daemon=daemon, home=home)


@pytest.mark.slow
@pytest.mark.requirement("Q.2")
@pytest.mark.parametrize(("name", "values", "arguments"), ASKED)
def test_every_door_gives_the_same_body(
    doors: SimpleNamespace,
    name: str,
    values: dict[str, Any],
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(doors.home))
    question = next(each for each in QUESTIONS if each.name == name)
    sync = ("--no-sync",) if question.syncs else ()
    places = {"CAIRN_HOME": str(doors.home), "HOME": str(doors.home.parent)}
    done = run_cairn(*arguments, "--json", *sync, "--offline", cwd=doors.repo.path, **places)
    line = as_everywhere(json.loads(done.stdout))
    with cairn.open(doors.repo.path, sync=False) as workspace:
        python = workspace.ask(name, **values).document()
    spelled = {each.name: each.query_name for each in question.parameters}
    given = {spelled[key]: str(value).lower() if isinstance(value, bool) else value for key, value in values.items()}
    root = {} if name in ("stores", "gain") else {"root": str(doors.repo.path)}
    http = doors.daemon.get(f"/v1/{name}", **given, **root).document
    assert _body(line) == _body(python) == _body(http)
    assert {key for key in line if key in ENVELOPE} == {key for key in http if key in ENVELOPE}
    assert {key for key in line if key in ENVELOPE} == {key for key in python if key in ENVELOPE}


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The same doors within this process, to two codebases."""
    folder = tmp_path_factory.mktemp("near")
    repos = (small(folder / "tree"), small(folder / "other"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", str(folder / "home"))
        for repo in repos:
            cairn.open(repo.path).close()
        desk = RequestDesk(Admission(AdmissionLimits()))
        home = cairn_home()
        house = DaemonState(Registry(home), Pool(home), Syncs(), desk.admission)
        try:
            with TestClient(build(Daemon(house, desk)), raise_server_exceptions=False) as client:
                service = Service(home)
                yield SimpleNamespace(repos=repos, client=client, home=home, service=service)
                service.close()
        finally:
            desk.close()
            house.pool.close()


def line_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What the command line prints; the command `jobs` may also run them."""
    parser = parser_of((("all", (Questions(tuple(each for each in QUESTIONS if each.name != "jobs")), jobs)),))
    capsys.readouterr()
    answered([*arguments, "--json"], parser)
    found: dict[str, Any] = as_everywhere(json.loads(capsys.readouterr().out))
    return found


def tool_answer(
    near: SimpleNamespace, name: str, values: dict[str, Any], form: str, *, several: bool = False
) -> dict[str, Any] | None:
    """What the tool of a question says; None where it has none."""
    question = next(each for each in QUESTIONS if each.name == name)
    root, tuning = near.repos[0].path, question.tuning
    if not question.tool:
        return None
    given = {tuning.name_of(question.parameter(key)): value for key, value in values.items()}
    given |= {"codebases": [str(repo.path) for repo in near.repos]} if several else {}
    given |= {} if several else {"path": str(root / given.pop("file", ""))}
    call = ToolCall(Access(tuple(str(repo.path) for repo in near.repos)))
    found = BY_NAME[question.tool].call(near.service, call, {**given, "format": form})
    assert found["status"] == "ok", found
    return found


@pytest.mark.requirement("Q.2")
@pytest.mark.parametrize(("name", "values", "arguments"), ASKED)
def test_the_compact_form_of_a_tool_shows_the_places_of_the_body(
    near: SimpleNamespace,
    name: str,
    values: dict[str, Any],
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    whole, short = (tool_answer(near, name, values, form) for form in ("json", "compact"))
    rows = {"search": "results", "refs": "references", "callgraph": "nodes", "outline": "symbols"}.get(name)
    if whole is None or short is None:
        assert not next(each for each in QUESTIONS if each.name == name).tool, arguments
    elif rows is None:
        assert short["map" if name == "map" else "text"] == whole["text"]
    else:
        body = whole["results" if rows == "references" else rows]
        assert [_place(each) for each in short[rows]] == [_place(each) for each in body]
        assert short[rows], arguments


def _place(row: dict[str, Any]) -> tuple[str | None, int]:
    start = row.get("start_line", row.get("line"))
    return row.get("path"), int(row["lines"].partition("-")[0]) if start is None else start


@pytest.mark.slow
@pytest.mark.requirement("Q.2")
def test_every_question_has_one_body(
    near: SimpleNamespace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    root = near.repos[0].path
    monkeypatch.chdir(root)
    for name, values, arguments in ASKED:
        question = next(each for each in QUESTIONS if each.name == name)
        line = line_of(capsys, *arguments, *(("--no-sync",) if question.syncs else ()))
        with cairn.open(root, sync=False) as workspace:
            python = workspace.ask(name, **values).document()
        spelled = {each.name: each.query_name for each in question.parameters}
        given = {spelled[key]: str(value).lower() if value is True else value for key, value in values.items()}
        where = {} if name in ("stores", "gain") else {"root": str(root)}
        http = near.client.get(f"/v1/{name}", params=given | where).json()
        assert _body(line) == _body(python) == _body(http), arguments
        assert {*line} & ENVELOPE == {*python} & ENVELOPE == {*http} & ENVELOPE, arguments
        tool = tool_answer(near, name, values, "json")
        if tool is not None:
            # Every answer of a tool has a status; that of an outline is its own.
            assert _body({"status": "ok"} | line) == _body(tool), arguments
            assert {*tool} & ENVELOPE == {*line} & ENVELOPE, arguments


@pytest.mark.requirement("Q.2")
@pytest.mark.parametrize(
    ("name", "values", "arguments"),
    [
        ("search", {"q": "stale leases"}, ("search", "stale leases")),
        ("search", {"q": "lease", "limit": "1", "explain": "true"}, ("search", "lease", "-k1", "--explain")),
        ("symbol", {"name": "Lease"}, ("symbol", "Lease")),
        ("refs", {"name": "release"}, ("refs", "release")),
    ],
)
def test_several_codebases_give_one_body(
    name: str,
    values: dict[str, str],
    arguments: tuple[str, ...],
    near: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    roots = [str(repo.path) for repo in near.repos]
    line = line_of(capsys, *arguments, *(word for root in roots for word in ("--root", root)), "--no-sync")
    http = near.client.get(f"/v1/{name}", params={**values, "roots": roots}).json()
    question = next(each for each in QUESTIONS if each.name == name)
    named = {each.query_name: each for each in question.parameters}
    typed: dict[str, Any] = {"integer": int, "boolean": lambda text: text == "true", "string": str}
    asked = {named[key].name: typed[named[key].kind](value) for key, value in values.items()}
    with cairn.open_all(roots, sync=False) as workspaces:
        python = workspaces.ask(name, **asked).document()
    assert {each["root"] for each in line["codebases"]} == set(roots)
    assert _body(line) == _body(http) == _body(python)
    assert {*line} & ENVELOPE == {*http} & ENVELOPE == {*python} & ENVELOPE
    whole, short = (tool_answer(near, name, asked, form, several=True) for form in ("json", "compact"))
    if whole is not None and short is not None:
        assert _unsynced(_body({"status": "ok"} | line)) == _unsynced(_body(whole))
        rows = short.get("results", short.get("references"))
        assert [(each["codebaseRoot"], *_place(each)) for each in rows or ()] == [
            (each["root"], *_place(each)) for each in whole["results"]
        ]
        assert [each["codebaseRoot"] for each in short["codebases"]] == [each["root"] for each in line["codebases"]]


@pytest.mark.requirement("Q.2")
@pytest.mark.requirement("BUDGET.1")
@pytest.mark.parametrize("budget", [10, 30, 50])
def test_a_budget_counts_the_same_and_shows_the_same_through_every_door(
    near: SimpleNamespace, budget: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    root = near.repos[0].path
    monkeypatch.chdir(root)
    asked = ("search", "lease", "--budget", str(budget), "--no-sync")
    line = line_of(capsys, *asked)
    answered(list(asked), parser_of((("all", (Questions(QUESTIONS),)),)))
    text = capsys.readouterr()
    http = near.client.get("/v1/search", params={"q": "lease", "budget": str(budget), "root": str(root)}).json()
    tool = tool_answer(near, "search", {"query": "lease", "budget_tokens": budget}, "compact")
    assert tool is not None
    with cairn.open(root, sync=False) as workspace:
        python = workspace.search("lease", budget_tokens=budget)
        document = workspace.ask("search", query="lease", budget_tokens=budget).document()
    assert python.budget is not None
    shown = [(each.path, each.text) for each in python]
    for found in (line["results"], http["results"], tool["results"], document["results"]):
        assert [(each["path"], each["text"]) for each in found] == shown
    assert all(f"{path}:" in text.out and each.rstrip("\n") in text.out for path, each in shown)
    assert token_cost(text.out) <= python.budget.used_tokens <= budget
    for key in ("used_tokens", "full_tokens"):
        expected = getattr(python.budget, key)
        assert expected == line["budget"][key] == http["budget"][key] == document["budget"][key]
    hint = f"A budget of {python.budget.full_tokens} tokens (%s) shows everything in full."
    full = python.budget.full_tokens
    assert python.warnings == (python.budget.hint,) == (hint % f"budget_tokens={full}",)
    assert line["warnings"] == [line["budget"]["hint"]] == [hint % f"--budget {full}"]
    assert f"warning: {hint}" % f"--budget {full}" in text.err
    assert http["warnings"] == [hint % f"budget={full}"]
    assert tool["warnings"] == [hint % f"budget_tokens: {full}"]


@pytest.mark.requirement("Q.3")
def test_a_language_that_nobody_knows_is_told_alike_by_every_door(
    near: SimpleNamespace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    root = str(near.repos[0].path)
    line = line_of(capsys, "search", "lease", root, "--lang", "klingon")["error"]
    http = near.client.get("/v1/search", params={"q": "lease", "lang": "klingon", "root": root}).json()["error"]
    call = ToolCall(Access((root,)))
    tool = BY_NAME["search_codebase"].call(near.service, call, {"query": "lease", "languages": ["klingon"]})
    with cairn.open(root, sync=False) as workspace, pytest.raises(cairn.CairnError) as python:
        workspace.search("lease", languages="klingon")
    for message, hint in (
        *((each["message"], each["hint"]) for each in (line, http, tool)),
        (python.value.message, python.value.hint),
    ):
        assert message == "There is no language klingon."
        assert hint == "Name a language or a suffix, like python or rs."


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nojob",), "There is no job nojob."),
        ((".", "nojob"), "There is no job nojob."),
        (("nojob", "."), "There is no job nojob."),
        (("./nofolder",), "The path './nofolder' doesn't exist."),
        (("01ARZ3NDEKTSV4RRFFQ69G5FAV", "nofolder"), "The path 'nofolder' doesn't exist."),
    ],
)
def test_a_word_that_names_nothing_is_taken_for_a_job(
    words: tuple[str, ...],
    message: str,
    near: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    monkeypatch.chdir(near.repos[0].path)
    assert line_of(capsys, "jobs", *words)["error"]["message"] == message


CUT: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("search", {"query": "lease", "budget_tokens": 5}, ("search", "lease", "--budget", "5")),
    ("search", {"query": "e", "literal": True, "limit": 1}, ("search", "--literal", "e", "-k1")),
    ("refs", {"name": "Lease", "limit": 1}, ("refs", "Lease", "-k1")),
    ("callgraph", {"name": "free", "nodes": 1, "direction": "both"}, ("callers", "free", "--both", "--nodes", "1")),
    ("map", {"budget_tokens": 20}, ("map", "--budget", "20")),
    ("outline", {"file": "src/lease.py", "budget_tokens": 2}, ("outline", "src/lease.py", "--budget", "2")),
)


@pytest.mark.requirement("Q.3")
@pytest.mark.parametrize(("name", "values", "arguments"), CUT)
def test_what_lifts_a_limit_can_be_given_at_the_door_that_says_so(
    near: SimpleNamespace,
    name: str,
    values: dict[str, Any],
    arguments: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    root = near.repos[0].path
    monkeypatch.chdir(root)
    question = next(each for each in QUESTIONS if each.name == name)

    def line(lift: dict[str, Any]) -> dict[str, Any]:
        return line_of(capsys, *arguments, *(f"{name}={value}" for name, value in lift.items()), "--no-sync")

    def http(lift: dict[str, Any]) -> dict[str, Any]:
        given = {question.parameter(key).query_name: value for key, value in values.items()}
        sent = {key: str(value).lower() for key, value in (given | lift).items()}
        found: dict[str, Any] = near.client.get(f"/v1/{name}", params={**sent, "root": str(root)}).json()
        return found

    def python(lift: dict[str, Any]) -> dict[str, Any]:
        with cairn.open(root, sync=False) as workspace:
            return workspace.ask(name, **(values | lift)).document()

    def tool(lift: dict[str, Any]) -> dict[str, Any]:
        given = {question.tuning.name_of(question.parameter(key)): value for key, value in values.items()}
        if question.subject == "file":
            del given["budget_tokens"]
        given |= lift | {"format": "json", "path": str(root / given.pop("file", ""))}
        call = ToolCall(Access((str(root),)))
        return BY_NAME[question.tool].call(near.service, call, given)

    # The smallest map of the tool holds all of this tree.
    for door in (line, http, python, *((tool,) if name != "map" else ())):
        first = door({})
        cut = [each for each in first["notices"] if "lift" in each]
        assert cut or door is tool, (door, first)
        for notice in cut:
            lift = {notice["lift"]["parameter"]: notice["lift"]["value"]}
            again = door(lift)
            assert "error" not in again, again
            assert again.get("status", "ok") == "ok", again
            assert notice["code"] not in [each["code"] for each in again["notices"]]
            (said,) = (text for text in first["warnings"] if str(notice["lift"]["value"]) in text)
            assert notice["lift"]["parameter"] in said


def _unsynced(body: dict[str, Any]) -> dict[str, Any]:
    """A tool looks at the trees first, which the other doors were told to leave out."""
    for codebase in body["codebases"]:
        codebase.pop("freshness", None)
    return body


@pytest.mark.requirement("Q.2")
def test_a_result_has_the_lines_and_the_kind_of_the_definition_that_is_meant(tmp_path: Path) -> None:
    steps = "".join(f"    total += step({number})  # renewal number {number} of the lease\n" for number in range(300))
    lines = f"import functools\n\n\n@functools.cache\ndef renew(step):\n    total = 0\n{steps}    return total\n"
    lines += "\n\nclass Lease:\n    def release(self):\n        self.free = True\n"
    repo = Repo.create(tmp_path / "long")
    repo.write("src/long.py", lines)
    repo.commit()
    shown = lines.split("\n")
    with cairn.open(repo.path) as workspace:
        for name, kind, whole in (("renew", "function", False), ("release", "method", True)):
            best = workspace.ask("search", query=name, explain=True).document()["results"][0]
            (defined,) = workspace.ask("symbol", name=name).document()["results"]
            place = ("path", "start_line", "end_line", "kind")
            assert [best[each] for each in place] == [defined[each] for each in place]
            assert best["kind"] == kind
            text = best["text"].split("\n")
            assert text == shown[best["start_line"] - 1 :][: len(text)], "what is shown begins with the first line"
            assert (len(text) == best["end_line"] - best["start_line"] + 1) is whole
            assert len(text) > 1
            assert (best["start_line"], best["end_line"]) != (best["chunk"]["start_line"], best["chunk"]["end_line"])


@pytest.mark.parametrize(("text", "explained"), [("1", True), ("true", True), ("0", False), ("false", False)])
def test_a_query_string_says_yes_and_no_in_two_ways(
    near: SimpleNamespace, text: str, explained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    asked = {"q": "lease", "explain": text, "root": str(near.repos[0].path)}
    (first, *_) = near.client.get("/v1/search", params=asked).json()["results"]
    assert ("explain" in first) is explained


def test_a_list_of_one_codebase_is_one_codebase(near: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    root = str(near.repos[0].path)
    asked = {"q": "Lease()", "literal": "true"}
    listed, named = (
        near.client.get("/v1/search", params=asked | where) for where in ({"roots": [root]}, {"root": root})
    )
    assert (listed.status_code, _body(listed.json())) == (200, _body(named.json()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values"), [("search", {"query": "lease"}), ("symbol", {"name": "Lease"}), ("refs", {"name": "release"})]
)
def test_several_codebases_are_asked_from_python(tree: Repo, tmp_path: Path, name: str, values: dict[str, Any]) -> None:
    other = small(tmp_path / "other")
    with cairn.open_all([tree.path, other.path]) as workspaces:
        document = workspaces.ask(name, **values).document()
        assert {each["root"] for each in document["results"]} == {str(tree.path), str(other.path)}
        assert {each["root"] for each in document["codebases"]} == {str(tree.path), str(other.path)}
        with pytest.raises(UsageError, match="one codebase"):
            workspaces.ask("search", query="lease", literal=True)
        with pytest.raises(UsageError, match="one codebase"):
            workspaces.ask("map")
        assert len(workspaces.ask("stores").document()["stores"]) == 2


@pytest.mark.requirement("Q.1")
@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("outline", {"file": "."}, ". is a folder."),
        ("outline", {"file": "src"}, "src is a folder."),
        ("imports", {"file": "src"}, "src is a folder."),
        ("slice", {"place": "src:1", "name": "x"}, "src is a folder."),
        ("contexts", {"file": "."}, ". is a folder."),
        (
            "search",
            {"query": "x", "limit": 0},
            "{limit} 0 is not allowed; give a whole number from 1 to 200, or to 10000 lines.",
        ),
        (
            "search",
            {"query": "x", "limit": 201},
            "{limit} 201 is not allowed; give a whole number from 1 to 200, or to 10000 lines.",
        ),
        (
            "search",
            {"query": "x", "literal": True, "limit": 0},
            "{limit} 0 is not allowed; give a whole number from 1 to 10000.",
        ),
        ("search", {"query": ""}, "{query} is empty."),
        ("search", {"query": "  "}, "{query} is empty."),
        ("search", {"query": "x\0y"}, "{query} holds a NUL character."),
        ("symbol", {"name": ""}, "{name} is empty."),
    ],
)
def test_every_door_refuses_in_the_same_words(
    name: str,
    values: dict[str, Any],
    said: str,
    near: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A parameter is called as the door calls it; all else is one sentence."""
    monkeypatch.setenv("CAIRN_HOME", near.home)
    root = near.repos[0].path
    monkeypatch.chdir(root)
    question = next(each for each in QUESTIONS if each.name == name)
    told = {
        door: said.format(**{each.name: getattr(each, door) for each in question.parameters})
        for door in ("option", "name", "query_name")
    }
    with cairn.open(root, sync=False) as workspace, pytest.raises(UsageError) as python:
        workspace.ask(name, **values)
    given = {
        question.parameter(key).query_name: str(value).lower() if value is True else value
        for key, value in values.items()
    }
    http = near.client.get(f"/v1/{name}", params=given | {"root": str(root)})
    assert (python.value.message, http.status_code) == (told["name"], 400)
    assert http.json()["error"]["message"] == told["query_name"]
    assert "--help" not in http.json()["error"]["hint"]
    words = [
        word
        for key, value in values.items()
        for each in [question.parameter(key)]
        for word in (
            ([] if each.flag is None else [each.option])
            + ([] if value is True else [str(value)] if isinstance(value, str | int) else list(value))
        )
    ]
    assert line_of(capsys, name, *words, "--no-sync")["error"]["message"] == told["option"]


@pytest.mark.parametrize("name", ["search", "map", "jobs"])
def test_a_missing_root_is_told_in_one_way(name: str, near: SimpleNamespace) -> None:
    found = near.client.get(f"/v1/{name}", params={"q": "x"} if name == "search" else {})
    assert (found.status_code, found.json()["error"]["message"]) == (400, "root is missing.")


@pytest.mark.requirement("Q.1")
def test_a_document_holds_nothing_that_its_schema_does_not_tell(
    near: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", near.home)
    untold: set[str] = set()
    with cairn.open(near.repos[0].path, sync=False) as workspace:
        for name, values, _ in ASKED:
            question = next(each for each in QUESTIONS if each.name == name)
            untold |= set(_untold(workspace.ask(name, **values).document(), question.schema, name))
    with cairn.open_all([repo.path for repo in near.repos], sync=False) as workspaces:
        for name, values, _ in ASKED:
            question = next(each for each in QUESTIONS if each.name == name)
            if question.ask_several is not None and not (
                question.single and question.single(values_of(question, values))
            ):
                untold |= set(_untold(workspaces.ask(name, **values).document(), question.schema, f"several {name}"))
    assert untold == set()


def _untold(value: Any, schema: Schema, where: str) -> Iterator[str]:
    """Fields of a document that its schema doesn't name, or that it lacks, at any depth that the schema describes."""
    told = [schema, *schema.get("anyOf", ())]
    if isinstance(value, dict):
        yield from (f"{where}.{name} is missing" for name in schema.get("required", ()) if name not in value)
    known = {name: each for part in told for name, each in part.get("properties", {}).items()}
    if isinstance(value, list) and "items" in schema:
        for item in value:
            yield from _untold(item, schema["items"], f"{where}[]")
    elif isinstance(value, dict) and known:
        for name, item in value.items():
            if name in known:
                yield from _untold(item, known[name], f"{where}.{name}")
            elif not where.endswith("notices[]"):
                yield f"{where}.{name}"


def test_every_question_is_asked_above() -> None:
    assert {name for name, _, _ in ASKED} == {question.name for question in QUESTIONS}


def _body(document: dict[str, Any]) -> dict[str, Any]:
    """What a question says, without what every answer says of itself and what tells one door from another."""
    found = {key: value for key, value in document.items() if key not in ENVELOPE | {"read_mode"}}
    if found.get("budget"):
        found["budget"] = {key: value for key, value in found["budget"].items() if key not in ("hint", "notice")}
    for store in found.get("stores", ()):
        store.pop("last_used_at"), store.pop("size_bytes")
    for codebase in found.get("codebases", ()):
        codebase.pop("timings_ms", None)
    if "gains" in found:  # what was asked through one door counts for the next
        return {"keys": sorted(found), "days": found["days"]}
    return found
