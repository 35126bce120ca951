"""The JSON API: the documents of the command line, its errors with a status, and what only a page asks for."""

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cairn.base.errors import BusyError
from cairn.codebase.pool import Pool
from cairn.daemon.admission import Admission, AdmissionLimits
from cairn.daemon.client import COMMAND_PATH, TOOL_PATH
from cairn.daemon.desk import RequestDesk
from cairn.daemon.folder import DaemonFolder
from cairn.daemon.syncs import DaemonState, Syncs
from cairn.lifecycle.registry import Registry
from cairn.surfaces.http.answers import error_answer
from cairn.surfaces.http.app import build
from cairn.surfaces.http.events import Sight, stream
from cairn.surfaces.http.served import Daemon as Served
from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.http.test_through import same
from tests.surfaces.mcp.client import text_of
from tests.trees import Repo, as_everywhere, cairn


def line(shared: Daemon, tree: Repo, *arguments: str) -> Any:
    """The document that the command line prints without the daemon."""
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    done = cairn(*arguments, "--json", "--no-sync", "--offline", cwd=tree.path, **places)
    return as_everywhere(json.loads(same(done.stdout)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "values", "arguments"),
    [
        ("search", {"q": "stale leases"}, ("search", "stale leases")),
        ("search", {"q": "lease", "limit": 1, "explain": "true"}, ("search", "lease", "-k1", "--explain")),
        ("search", {"q": "Lease()", "literal": "true"}, ("search", "--literal", "Lease()")),
        ("search", {"q": "l(?=e)", "regex": "true", "explain": "true"}, ("search", "--regex", "--explain", "l(?=e)")),
        ("search", {"q": "lease", "glob": ["src/*"]}, ("search", "lease", "--path=src/*")),
        ("search", {"q": "free", "lang": ["python", "c"]}, ("search", "free", "--lang=python", "--lang=c")),
        ("search", {"related": "src/lease.py:4"}, ("search", "--related", "src/lease.py:4")),
        ("search", {"q": "--all"}, ("search", "--", "--all")),
        ("symbol", {"name": "Lease"}, ("symbol", "Lease")),
        ("refs", {"name": "src/lease.py:4"}, ("refs", "src/lease.py:4")),
        ("callgraph", {"name": "release", "direction": "both"}, ("callers", "release", "--both")),
        ("callgraph", {"name": "release", "depth": 2}, ("callers", "release", "--depth=2")),
        ("callgraph", {"name": "free", "direction": "callees"}, ("callees", "free")),
        ("outline", {"file": "src/lease.py"}, ("outline", "src/lease.py")),
        ("map", {"budget": 300}, ("map", "--budget=300")),
        ("imports", {"file": "src/free.py"}, ("imports", "src/free.py")),
        ("impact", {"files": ["src/lease.py"]}, ("impact", "src/lease.py")),
        ("tests", {"places": ["src/lease.py"]}, ("tests", "src/lease.py")),
        ("unused", {"exported": "true"}, ("unused", "--exported")),
        ("slice", {"place": "src/lease.py:4", "name": "self"}, ("slice", "src/lease.py:4", "self")),
        ("contexts", {}, ("contexts",)),
    ],
)  # fmt: skip
def test_a_question_is_answered_with_the_document_of_the_command_line(
    shared: Daemon, shared_tree: Repo, path: str, values: dict[str, Any], arguments: tuple[str, ...]
) -> None:
    if "--" in arguments:
        arguments = (arguments[0], "--no-sync", "--json", "--offline", *arguments[1:])
        places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
        told = as_everywhere(json.loads(same(cairn(*arguments, cwd=shared_tree.path, **places).stdout)))
    else:
        told = line(shared, shared_tree, *arguments)
    found = shared.get(f"/v1/{path}", root=shared_tree.path, **values)
    assert found.status == 200
    assert found.headers["content-type"] == "application/json"
    assert json.loads(same(found.body.decode())) == told


def test_several_codebases_are_asked_at_once(shared: Daemon, shared_tree: Repo) -> None:
    for values in ({"all": "true"}, {"roots": [str(shared_tree.path), str(shared_tree.path / "src")]}):
        document = shared.get("/v1/search", q="lease", **values).document
        assert [each["root"] for each in document["codebases"]] == [str(shared_tree.path)]


@pytest.mark.slow
def test_a_sync_can_be_asked_for(tree: Repo) -> None:
    with serving("--no-watch") as daemon:
        tree.write("src/late.py", "def came_late() -> None: ...\n")
        before = daemon.get("/v1/symbol", name="came_late", root=tree.path).document
        assert (before["total"], before["freshness"]["synced"]) == (0, False)
        after = daemon.get("/v1/symbol", name="came_late", root=tree.path, sync="true").document
        assert (after["total"], after["freshness"]["synced"]) == (1, True)


@pytest.mark.parametrize(
    ("path", "values", "status", "code"),
    [
        ("/v1/search", {"q": "x"}, 400, "usage"),
        ("/v1/search", {"q": "", "root": "."}, 400, "usage"),
        ("/v1/search", {"q": "x", "root": "relative"}, 400, "usage"),
        ("/v1/search", {"q": "x", "root": "/no/such/folder"}, 400, "root_not_found"),
        ("/v1/search", {"q": "x", "root": "/"}, 403, "root_refused"),
        ("/v1/search", {"q": "x", "all": "true", "root": "/x"}, 400, "usage"),
        ("/v1/search", {"q": "x", "all": "perhaps"}, 400, "usage"),
        ("/v1/search", {"q": "x", "unknown": "1"}, 400, "usage"),
        ("/v1/symbol", {}, 400, "usage"),
        ("/v1/symbol", {"name": "x", "limit": "ten"}, 400, "usage"),
        ("/v1/symbol", {"name": "x", "limit": "0"}, 400, "usage"),
        ("/v1/symbol", {"name": "a\0b"}, 400, "usage"),
        ("/v1/callgraph", {"name": "x", "direction": "up"}, 400, "usage"),
        ("/v1/outline", {"file": "no/such.py"}, 404, "not_indexed"),
        ("/v1/outline", {"file": "../../etc/passwd"}, 400, "usage"),
        ("/v1/read", {"file": "../../../../etc/passwd"}, 400, "usage"),
        ("/v1/read", {"file": "src/lease.py", "session": "x"}, 400, "usage"),
        ("/v1/file", {"file": "../../../../etc/passwd"}, 400, "usage"),
        ("/v1/file", {"file": "no/such.py"}, 404, "not_indexed"),
        ("/v1/file", {"file": ".git/config"}, 403, "refused"),
        ("/v1/reads", {"root": "/no/such"}, 404, "not_indexed"),
        ("/v1/jobs", {"root": "/no/such"}, 400, "root_not_found"),
        ("/v1/jobs", {"root": "relative"}, 400, "usage"),
        ("/v1/jobs", {"root": "/"}, 403, "root_refused"),
        ("/v1/nonsense", {}, 404, "unknown_address"),
        ("/nonsense/../etc", {}, 404, "unknown_address"),
    ],
)
def test_an_error_is_the_one_envelope_with_a_status(
    shared: Daemon, shared_tree: Repo, path: str, values: dict[str, str], status: int, code: str
) -> None:
    takes_root = path not in ("/v1/search", "/v1/reads") and "nonsense" not in path
    given: dict[str, object] = {"root": shared_tree.path, **values} if takes_root else {**values}
    found = shared.get(path, None, **given)
    assert (found.status, found.document["error"]["code"]) == (status, code)
    assert set(found.document["error"]) == {"code", "message", "hint", "retryable", "retry_after_ms"}


@pytest.mark.parametrize("given", ["0", "2001", "9" * 18, "-1"])
def test_a_number_that_is_too_small_or_too_large_is_told_as_such(shared: Daemon, given: str) -> None:
    found = shared.get("/v1/symbol", name="x", root="/", limit=given)
    assert found.document["error"]["message"] == f"limit {given} is not allowed; give a whole number from 1 to 2000."


def test_a_method_that_is_not_taken_is_told(shared: Daemon) -> None:
    found = shared.ask("POST", "/v1/search", None, b"{}")
    assert (found.status, found.document["error"]["code"]) == (405, "usage")


@pytest.mark.slow
def test_a_codebase_that_is_not_indexed_or_of_other_settings_says_so(tree: Repo, folder: Path) -> None:
    with serving("--no-watch") as daemon:
        for sync in ("true", "false"):
            # What asks for a sync makes no index, and is no step for who has none.
            found = daemon.get("/v1/search", q="x", root=folder, sync=sync)
            assert (found.status, found.document["error"]["hint"]) == (404, "Index the codebase first.")
        tree.write(".cairn.toml", "[index]\nchunk_bytes = 600\n")
        for sync in ("true", "false"):
            found = daemon.get("/v1/search", q="x", root=tree.path, sync=sync)
            assert (found.status, found.document["error"]["code"]) == (409, "requires_reindex")


@pytest.mark.slow
def test_the_step_for_a_file_that_is_gone_is_a_request_that_mends_it(tree: Repo) -> None:
    with serving("--no-watch") as daemon:
        (tree.path / "src/lease.py").unlink()
        asked: dict[str, object] = {"file": "src/lease.py", "root": tree.path}
        found = daemon.get("/v1/outline", None, **asked).document["error"]
        assert (found["code"], found["hint"]) == ("not_indexed", "Ask with sync=true.")
        assert (
            "Ask with sync=true." not in daemon.get("/v1/outline", None, sync="true", **asked).document["error"]["hint"]
        )


def test_a_folder_in_place_of_a_file_is_told_as_such(shared: Daemon, shared_tree: Repo) -> None:
    found = shared.get("/v1/file", file="src", root=shared_tree.path).document["error"]
    assert found["hint"] == "Name a plain file that you may read."


@pytest.mark.slow
def test_a_file_is_shown_as_it_is_and_beside_the_snapshot(tree: Repo) -> None:
    with serving("--no-watch") as daemon:
        found = daemon.get("/v1/file", file="src/lease.py", root=tree.path).document
        assert found["text"] == (tree.path / "src/lease.py").read_text()
        assert (found["indexed"], found["changed_since"], found["language"]) == (True, False, "python")
        tree.write("src/lease.py", "<script>alert(1)</script>\n")
        found = daemon.get("/v1/file", file="src/lease.py", root=tree.path).document
        assert (found["text"], found["changed_since"]) == ("<script>alert(1)</script>\n", True)
        tree.write(".env", "SECRET=1\n")
        assert daemon.get("/v1/file", file=".env", root=tree.path).status == 403


def test_the_state_the_snapshots_and_the_stores_are_shown(shared: Daemon, shared_tree: Repo) -> None:
    root = str(shared_tree.path)
    (codebase,) = shared.get("/v1/codebases").document["codebases"]
    assert (codebase["root"], codebase["state"], codebase["watched"]) == (root, "indexed", False)
    assert codebase["files"] == 3
    snapshots = shared.get("/v1/snapshots", root=root).document
    assert snapshots["active"] == snapshots["snapshots"][0]["snapshot_id"] == codebase["snapshot_id"]
    assert shared.get("/v1/health", root=root).document["healthy"]
    assert "through the daemon" in shared.get("/v1/status", root=root).document["read_mode"]
    assert [each["root"] for each in shared.get("/v1/reads").document["codebases"]] == [root]
    assert [each["canonical_root"] for each in shared.get("/v1/stores").document["stores"]] == [root]
    assert shared.get("/v1/jobs", root=root).document["jobs"] == []


@pytest.mark.slow
def test_the_description_names_everything_that_is_served(shared: Daemon) -> None:
    document = shared.get("/openapi.json").document
    assert document["openapi"].startswith("3.1")
    assert {"/v1/events", "/v1/ping", "/v1/stop", "/metrics", "/mcp", "/openapi.json", "/v1/jobs"} <= set(
        document["paths"]
    )
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for parameter in operation["parameters"]:
                jsonschema.Draft202012Validator.check_schema(parameter["schema"])
            for answer in operation["responses"].values():
                for content in answer.get("content", {}).values():
                    jsonschema.Draft202012Validator.check_schema(content.get("schema", {}))
            assert {"401", "405", "408", "503"} <= set(operation["responses"])
            # What is described is served, by this method and by no other.
            other = "post" if method == "get" else "get"
            if path not in ("/mcp", "/v1/events"):
                assert shared.ask(other.upper(), path, None, b"").status == 405
    assert _served() == set(document["paths"])


def _served() -> set[str]:
    """Every path of the app, but for the page's."""
    desk = RequestDesk(Admission(AdmissionLimits()))
    house = DaemonState(Registry(""), Pool(""), Syncs(), desk.admission)

    async def nothing(*_: object) -> None: ...

    async def passed_on(_: Request) -> Response:
        return Response()

    relays = tuple(Route(path, passed_on, methods=["POST"]) for path in (COMMAND_PATH, TOOL_PATH))
    served = build(Served(house, desk), relays, nothing)
    return {route.path for route in served.routes if isinstance(route, Route)}


_ASKED: tuple[tuple[str, dict[str, object]], ...] = (
    ("search", {"q": "lease", "explain": "true"}),
    ("search", {"q": "lease", "budget": 300}),
    ("search", {"q": "Lease", "literal": "true"}),
    ("search", {"related": "src/lease.py:4"}),
    ("search", {"q": "lease", "all": "true", "root": None}),
    ("search-page", {"q": "lease", "limit": 1, "counted": "true"}),
    ("search-page", {"q": "lease", "literal": "true", "counted": "true"}),
    ("symbol", {"name": "Lease"}),
    ("symbol", {"name": "Lease", "all": "true", "root": None}),
    ("refs", {"name": "release"}),
    ("refs", {"name": "release", "all": "true", "root": None}),
    ("callgraph", {"name": "free", "direction": "both"}),
    ("hierarchy", {"name": "Lease"}),
    ("cycles", {}),
    ("outline", {"file": "src/lease.py"}),
    ("outline", {"file": "src/lease.py", "symbol": "Lease"}),
    ("outline", {"file": "src/lease.py", "budget": 20}),
    ("map", {}),
    ("imports", {"file": "src/free.py"}),
    ("impact", {"files": "src/lease.py"}),
    ("tests", {"places": "src/lease.py"}),
    ("unused", {"exported": "true"}),
    ("commits", {"text": "release"}),
    ("slice", {"place": "src/lease.py:4", "name": "self"}),
    ("past", {"name": "Lease", "at": "HEAD"}),
    ("read", {"file": "src/lease.py:2-4"}),
    ("contexts", {}),
    ("contexts", {"states": "true"}),
    ("contexts", {"file": "src/lease.py"}),
    ("status", {}),
    ("health", {}),
    ("audit", {}),
    ("stores", {"root": None}),
    ("gain", {"root": None, "days": 7}),
    ("codebases", {"root": None}),
    ("file", {"file": "src/free.py"}),
    ("file/standing", {"file": "src/free.py", "sync": "true"}),
    ("file/colours", {"file": "src/free.py"}),
    ("file/blame", {"file": "src/free.py"}),
    ("file/changed", {"file": "src/free.py"}),
    ("colours", {"places": "src/free.py:1-2"}),
    ("hover", {"file": "src/free.py", "line": 1, "column": 1}),
    ("snapshots", {}),
    ("reads", {}),
    ("jobs", {}),
    ("ping", {"root": None}),
    ("about", {"name": "src/lease.py:4"}),
    ("reach", {"name": "src/lease.py:4"}),
    ("history", {"file": "src/lease.py"}),
    ("base", {}),
    ("diff", {}),
    ("tree", {}),
    ("paths", {"q": "le"}),
    ("names", {"q": "le"}),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "values"), _ASKED)
def test_every_answer_is_as_described(shared: Daemon, shared_tree: Repo, name: str, values: dict[str, object]) -> None:
    given = {name: value for name, value in ({"root": shared_tree.path} | values).items() if value is not None}
    answer = shared.get(f"/v1/{name}", None, **given)
    assert answer.status == 200
    described = shared.get("/openapi.json").document["paths"][f"/v1/{name}"]["get"]["responses"]["200"]
    schema = described["content"]["application/json"]["schema"]
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    validator.validate(answer.document)
    # A field less is noticed: the schema says something.
    for field in schema["required"]:
        assert not validator.is_valid({key: value for key, value in answer.document.items() if key != field})


def test_every_question_of_the_description_is_asked_above(shared: Daemon) -> None:
    paths = shared.get("/openapi.json").document["paths"]
    asked = {f"/v1/{name}" for name, _ in _ASKED}
    others = {
        "/v1/events",
        "/v1/raw",
        "/v1/session",
        "/v1/stop",
        "/v1/command",
        "/v1/tool",
        "/v1/uses",
        "/v1/rename",
        "/v1/move",
        "/v1/change-signature",
    }
    assert asked == {path for path in paths if path.startswith("/v1/")} - others


def test_what_happened_is_counted(shared: Daemon) -> None:
    assert shared.get("/v1/made/up").status == 404
    text = shared.get("/metrics").body.decode()
    assert 'cairn_requests_total{path="other",status="404"}' in text
    assert "made/up" not in text
    for line_of in text.splitlines():
        assert re.fullmatch(r"# TYPE \w+ \w+|\w+(\{[^}]*\})? [0-9.e+-]+", line_of), line_of


def test_all_who_listen_share_one_look() -> None:
    looks: list[int] = []

    def look() -> list[dict[str, Any]]:
        looks.append(1)
        return [{"root": "/a"}]

    async def run() -> None:
        sight = Sight(look)
        assert await asyncio.gather(*(sight.now() for _ in range(5))) == [{"/a": {"root": "/a"}}] * 5

    asyncio.run(run())
    assert looks == [1]


def test_events_tell_what_changed_and_what_is_gone_and_that_the_line_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_EVERY_S", 0.01), ("_FRESH_S", 0.0), ("_ALIVE_EVERY", 3)):
        monkeypatch.setattr(f"cairn.surfaces.http.events.{name}", value)
    rows = [{"root": "/a", "state": "indexing"}]

    async def run() -> None:
        told = stream(Sight(lambda: list(rows)), asyncio.Event())
        assert await anext(told) == b"retry: 1000\n\n"
        hello = b'event: hello\ndata: {"roots": ["/a"]}\n\n'
        assert await anext(told) == hello + b'event: codebase\ndata: {"root": "/a", "state": "indexing"}\n\n'
        assert await anext(told) == b": still here\n\n"
        rows[0] = {"root": "/a", "state": "indexed"}
        assert await anext(told) == b'event: codebase\ndata: {"root": "/a", "state": "indexed"}\n\n'
        rows.clear()
        assert await anext(told) == b'event: gone\ndata: {"root": "/a"}\n\n'
        await told.aclose()

    asyncio.run(run())


@pytest.mark.parametrize(("pause", "told"), [(1, "1"), (1_000, "1"), (1_001, "2")])
def test_seconds_to_come_back_after_are_not_too_few(pause: int, told: str) -> None:
    assert error_answer(BusyError("busy", retry_after_ms=pause)).headers["retry-after"] == told


@pytest.mark.slow
def test_a_secret_is_not_shown(tree: Repo) -> None:
    tree.write(".env", "TOKEN=hidden\n")
    with serving("--no-watch") as daemon:
        found = daemon.get("/v1/file", file=".env", root=tree.path)
        assert (found.status, found.document["error"]["code"]) == (403, "refused")
        assert b"hidden" not in found.body


@pytest.mark.slow
def test_events_tell_what_is_published(tree: Repo) -> None:
    with serving("--no-watch") as daemon, daemon.raw() as line_of:
        line_of.sendall(b"GET /v1/events HTTP/1.1\r\nHost: cairn\r\n\r\n")
        stream = line_of.makefile("rb")

        def told() -> dict[str, Any]:
            while True:
                row = stream.readline()
                assert row
                if row.startswith(b"data: "):
                    return json.loads(row[6:])  # type: ignore[no-any-return]

        assert told() == {"roots": [str(tree.path)]}
        first = told()
        assert (first["root"], first["state"]) == (str(tree.path), "indexed")
        tree.write("src/more.py", "def more() -> None: ...\n")
        assert cairn("index", "--json", cwd=tree.path).returncode == 0
        assert until(lambda: told()["snapshot_id"] != first["snapshot_id"])


def test_agents_reach_the_tools_over_http(shared: Daemon, shared_tree: Repo) -> None:
    token = DaemonFolder(str(shared.home)).token()

    async def ask() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as client,
            streamable_http_client(f"{shared.told['url']}/mcp", http_client=client) as streams,
            ClientSession(*streams[:2]) as session,
        ):
            await session.initialize()
            arguments = {"query": "stale leases", "path": str(shared_tree.path), "format": "compact"}
            return json.loads(text_of(await session.call_tool("search_codebase", arguments)))

    found = anyio.run(ask)
    assert found["status"] == "ok"
    assert found["codebaseRoot"] == str(shared_tree.path)


class Agent:
    """A client of `/mcp` that says each thing by itself."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        version, about = "2025-06-18", {"name": "test", "version": "1"}
        answer = self.say("initialize", protocolVersion=version, capabilities={}, clientInfo=about)
        self._headers |= {"Mcp-Session-Id": answer.headers["mcp-session-id"], "Mcp-Protocol-Version": version}
        self.say("notifications/initialized", None)

    def say(self, method: str, number: int | None = 1, headers: dict[str, str] | None = None, **given: Any) -> Any:
        message = {"jsonrpc": "2.0", "method": method, "params": given} | ({"id": number} if number is not None else {})
        return self._daemon.ask("POST", "/mcp", self._headers | (headers or {}), json.dumps(message).encode())

    def call(self, tool: str, arguments: dict[str, Any], **headers: str) -> Any:
        answer = self.say("tools/call", 2, headers, name=tool, arguments=arguments)
        assert answer.status == 200, answer.body
        rows = [row[6:] for row in answer.body.splitlines() if row.startswith(b"data: {")]
        return json.loads(json.loads(rows[-1])["result"]["content"][0]["text"])


@pytest.mark.parametrize("number", ["null", "1.5", "9e999"])
def test_a_request_of_an_agent_whose_id_is_none_is_refused(shared: Daemon, number: str) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    asked = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'.encode()
    answer = shared.ask("POST", "/mcp", headers, asked)
    assert answer.status == 400
    assert (answer.document["error"]["code"], answer.document["id"]) == (-32600, None)


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_a_call_of_an_agent_has_a_deadline(tree: Repo) -> None:
    with serving("--no-watch") as daemon:
        agent = Agent(daemon)
        search = {"query": "lease", "path": str(tree.path), "format": "compact"}
        assert agent.call("search_codebase", search)["status"] == "ok"
        found = agent.call("search_codebase", search, **{"Cairn-Deadline-Ms": "1"})
        assert (found["status"], found["code"]) == ("error", "timeout")
        assert found["retryAfterMs"] > 0
        assert agent.say("tools/list", 3, {"Cairn-Deadline-Ms": "soon"}).status == 400
        assert agent.call("search_codebase", search)["status"] == "ok"


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_an_index_that_takes_longer_than_its_call_is_made_all_the_same(tree: Repo) -> None:
    tree.write("a.py", "def lonely() -> None: ...\n")
    with serving("--no-watch") as daemon:
        agent = Agent(daemon)
        arguments = {"action": "reindex", "path": str(tree.path), "wait": True}
        # Long enough to start it, far too short for a process to start and index.
        found = agent.call("manage_index", arguments, **{"Cairn-Deadline-Ms": "60"})
        assert (found["status"], found["code"]) == ("error", "timeout")
        until(lambda: daemon.get("/v1/symbol", name="lonely", root=tree.path).document.get("total") == 1)


@pytest.mark.requirement("DMN.1")
def test_a_deadline_reaches_down_to_the_question(shared: Daemon, shared_tree: Repo) -> None:
    begun = time.monotonic()
    for headers, values in (({}, {"timeout_ms": 1}), ({"Cairn-Deadline-Ms": "1"}, {})):
        found = shared.get("/v1/health", headers, root=shared_tree.path, **values)
        assert (found.status, found.document["error"]["code"]) == (504, "timeout")
        assert found.document["error"]["retry_after_ms"] > 0
        assert "timeout_ms" in found.document["error"]["hint"]
        assert int(found.headers["retry-after"]) >= 1
    assert time.monotonic() - begun < 30
    assert shared.get("/v1/map", {"Cairn-Deadline-Ms": "soon"}, root=shared_tree.path).status == 400
    assert shared.get("/v1/map", root=shared_tree.path).status == 200


@pytest.mark.slow
def test_the_codebase_that_is_named_answers_for_files_in_its_folders_also_outside_of_git(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/two.py").write_text("def two():\n    return 2\n")
    assert cairn("index", str(folder)).returncode == 0
    assert cairn("index", str(folder / "sub")).returncode == 0
    with serving("--no-watch") as daemon:
        for root, file in ((folder, "sub/two.py"), (folder / "sub", "two.py")):
            found = daemon.get("/v1/outline", file=file, root=root)
            assert (found.status, found.document["path"]) == (200, file)


def test_limits_are_told_in_the_words_of_this_surface(shared: Daemon, shared_tree: Repo) -> None:
    found = shared.get("/v1/search", root=shared_tree.path, q="lease", literal="true", limit=1).document
    told = "only the first 1 line: there are more; ask with limit=10000, or a narrower pattern or glob"
    assert found["warnings"] == [told]
    assert found["notices"] == [{"code": "lines_cut", "limit": 1, "lift": {"parameter": "limit", "value": 10_000}}]
    within = shared.get("/v1/search", root=shared_tree.path, q="lease", budget=1).document["budget"]
    full = within["full_tokens"]
    assert within["hint"] == f"A budget of {full} tokens (budget={full}) shows everything in full."
