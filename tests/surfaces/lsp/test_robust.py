"""A real server under what goes wrong: every request ends in an answer or an error, and no process is left over."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.base.errors import ExitCode
from cairn.surfaces.lsp.asking import Asking
from tests.surfaces.http.running import serving, until
from tests.surfaces.lsp.client import LanguageClient, Message
from tests.surfaces.lsp.conftest import USES, environment
from tests.trees import cairn

INTERNAL = -32603
METHODS = (
    "textDocument/rename",
    "textDocument/prepareRename",
    "textDocument/codeAction",
    "textDocument/documentLink",
    "textDocument/documentSymbol",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/hover",
    "textDocument/prepareCallHierarchy",
    "workspace/symbol",
    "workspace/executeCommand",
    "cairn/search",
    "cairn/status",
    "cairn/impact",
    "cairn/map",
)
NOTIFICATIONS = ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/cancelRequest", "$/x")
GONE_S = 40.0
"""Within which a server without an editor has ended."""


@pytest.fixture
def server(project: Path) -> Iterator[LanguageClient]:
    with LanguageClient(environment=environment(project)) as found:
        found.initialize([project], {"features": "all"})
        yield found
        assert found.garbage == b""


def names(client: LanguageClient, path: Path) -> list[str]:
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})
    return [each["name"] for each in found]


def framed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def ask(number: Any, method: Any, params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_wrong_messages_are_answered_and_right_ones_after_them(server: LanguageClient, project: Path) -> None:
    here = {"textDocument": {"uri": (project / "uses.py").as_uri()}}
    for body in (b"{", b"\xff\xfe", b'"text"', b"[" * 100_000, b"[]", b"{}", b'{"jsonrpc": "1.0"}', b"null"):
        server.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        assert server.wait(None)["error"]["code"] in (-32700, -32600), body[:20]
    numbers: tuple[Any, ...] = (None, [], {}, True, 1.5)
    for number in numbers:
        server.send(ask(number, "workspace/symbol", {"query": "x"}))
        assert server.wait(None)["error"]["code"] == -32600
    for method, params, code in (
        ("no/such", None, -32601),
        ("$/nothing", {}, -32601),
        ("initialize", {"capabilities": {}}, -32600),
        ("workspace/symbol", None, -32602),
        ("workspace/symbol", [1], -32602),
        ("textDocument/rename", {**here, "position": {"line": -1, "character": 0}, "newName": "x"}, -32602),
        ("textDocument/rename", {**here, "position": {"line": 1 << 40, "character": 0}, "newName": "x"}, -32602),
        ("textDocument/rename", {**here, "position": {"line": 10**8, "character": 10**8}, "newName": "x"}, -32803),
        ("textDocument/rename", {**here, "position": {"line": 0, "character": 0}, "newName": "\ud800"}, -32803),
        ("workspace/executeCommand", {"command": "no.such"}, None),
        ("workspace/executeCommand", {"command": "cairn.rename.take"}, -32803),
        ("workspace/executeCommand", {"command": "cairn.rename.take", "arguments": [[], 2]}, -32803),
    ):
        answer = server.wait(server.begin(method, params))
        assert "error" in answer, (method, params)
        assert code is None or answer["error"]["code"] == code, (method, params, answer)
    server.notify("textDocument/didChange", {"textDocument": 7})
    server.notify("no/such", 3)
    for number in numbers:
        server.notify("$/cancelRequest", {"id": number})
    server.send({"jsonrpc": "2.0", "id": "never asked", "result": 1})
    server.send({"jsonrpc": "2.0", "id": "never asked", "error": 1})
    assert names(server, project / "uses.py") == ["total", "twice"]


@pytest.mark.slow
def test_nothing_is_asked_before_the_handshake_nor_after_the_goodbye(project: Path) -> None:
    with LanguageClient(environment=environment(project)) as client:
        early = client.wait(client.begin("workspace/symbol", {"query": "x"}))
        assert early["error"] == {"code": -32002, "message": "The server was not initialized."}
        client.notify("textDocument/didOpen", {})
        client.initialize([project])
        client.request("shutdown")
        late = client.wait(client.begin("workspace/symbol", {"query": "x"}))
        assert late["error"]["code"] == -32600
        client.notify("exit")
        assert client.process.wait(GONE_S) == 0


@pytest.mark.slow
def test_heads_that_are_wrong_cost_no_more_than_their_message(server: LanguageClient, project: Path) -> None:
    good = ask("good", "workspace/symbol", {"query": "total"})
    body = json.dumps(good).encode()
    for before in (
        b"Content-Length: abc\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{}}",
        b"Content-Length: 2\r\n\r\n" + body,
        b"\r\n\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 200_000 + b"\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
    ):
        server.write(before + framed(good))
        assert "result" in server.wait("good"), before[:40]
    server.write(b"content-length:%d\n\n%b" % (len(body), body))
    assert "result" in server.wait("good")
    for part in (b"Content-Le", b"ngth: %d\r" % len(body), b"\n\r", b"\n" + body[:9], body[9:]):
        server.write(part)
        time.sleep(0.05)
    assert "result" in server.wait("good")
    server.write(b"Content-Length: 99999999999\r\n\r\n{")
    until(lambda: "too long" in server.wait(None)["error"]["message"])
    assert server.process.wait(GONE_S) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NUMBERS = st.integers(-2, 40) | st.sampled_from((2**31 - 1, 2**31, 2**63, -(2**63)))
POSITIONS = st.fixed_dictionaries({"line": NUMBERS, "character": NUMBERS})
URIS = st.sampled_from(
    (
        "OPEN",
        "OPEN",
        "untitled:1",
        "file:///",
        "file:///no/where.py",
        "file://host/x",
        "",
        "::",
        "file:///%00",
        "é",
        "x:y",
    )
)
NEARLY = st.fixed_dictionaries(
    {
        "textDocument": st.fixed_dictionaries({"uri": URIS, "version": NUMBERS, "text": st.text(max_size=30)}) | JSON,
        "position": POSITIONS | JSON,
        "range": st.fixed_dictionaries({"start": POSITIONS, "end": POSITIONS}) | JSON,
        "newName": st.text(max_size=8) | st.sampled_from(("total", "x" * 5_000)) | JSON,
        "query": st.text(max_size=12) | JSON,
        "context": st.just({"diagnostics": [], "includeDeclaration": True}) | JSON,
        "command": st.sampled_from(("cairn.rename.take", "cairn.rename.show", "cairn.rename.drop", "cairn.x")) | JSON,
        "arguments": st.lists(JSON, max_size=2),
        "contentChanges": st.lists(st.fixed_dictionaries({"text": st.text(max_size=9)}), max_size=2) | JSON,
        "name": st.text(max_size=8) | JSON,
        "limit": NUMBERS | JSON,
        "id": st.integers(0, 30) | JSON,
    }
)


@pytest.mark.slow
def test_messages_of_any_kind_are_answered_once(server: LanguageClient, project: Path) -> None:
    uri = server.open(project / "uses.py")

    @settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from((*METHODS, *NOTIFICATIONS)) | st.text(max_size=12), NEARLY | NEARLY | JSON)
    def said(method: str, params: Any) -> None:
        if method in ("exit", "shutdown", "initialize"):
            return
        if isinstance(params, dict) and isinstance(params.get("textDocument"), dict):
            document = params["textDocument"]
            document["uri"] = uri if document.get("uri") == "OPEN" else document.get("uri")
        if method in NOTIFICATIONS:
            server.notify(method, params)
            return
        answer = server.wait(server.begin(method, params))
        error = answer.get("error")
        assert error is None or error["code"] != INTERNAL, (method, params, error)

    said()
    server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    server.open(project / "uses.py")
    assert names(server, project / "uses.py") == ["total", "twice"]


def alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def children(process: int) -> list[int]:
    found = subprocess.run(("ps", "-o", "pid=", "--ppid", str(process)), capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_a_server_whose_editor_hangs_up_ends(project: Path) -> None:
    with LanguageClient(environment=environment(project)) as client:
        client.initialize([project], {"features": "all"})
        for _ in range(20):
            client.begin("cairn/search", {"query": "the sum of all areas"})
        below = children(client.process.pid)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(GONE_S) == 1
        until(lambda: not any(map(alive, below)), GONE_S)


_EDITOR = """
import subprocess, sys, time
server = subprocess.Popen((sys.executable, "-m", "cairn", "lsp"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_a_server_whose_editor_is_killed_ends(project: Path) -> None:
    env = os.environ | environment(project)
    with subprocess.Popen((sys.executable, "-c", _EDITOR), stdout=subprocess.PIPE, env=env) as editor:
        assert editor.stdout is not None
        server = int(editor.stdout.readline())
        assert alive(server)
        editor.kill()
    until(lambda: not alive(server), GONE_S)
    # And one whose streams somebody else still holds: the process that it was told of is gone.
    with (
        subprocess.Popen(("sleep", "600")) as told,
        LanguageClient(environment=environment(project)) as client,
    ):
        client.request("initialize", {"processId": told.pid, "rootUri": None, "capabilities": {}})
        told.kill()
        told.wait()
        assert client.process.wait(GONE_S) == 1


def memory(process: int) -> int:
    """The most bytes that a process ever had."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


def cpu_s(process: int) -> float:
    """What a process has worked; how long it waited for its turn says nothing of it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_ten_thousand_edits_in_a_burst_and_a_question(server: LanguageClient, project: Path) -> None:
    path = project / "uses.py"
    uri = server.open(path)
    assert names(server, path) == ["total", "twice"]
    before, begun = memory(server.process.pid), cpu_s(server.process.pid)
    typed = "".join(f"# {'é😀'[step % 2]}{step}\n" for step in range(500)) + "def last():\n    pass\n"
    version, line, character = 1, USES.count("\n"), 0
    for letter in (typed * 3)[:10_000]:
        version += 1
        there = {"line": line, "character": character}
        server.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": there, "end": there}, "text": letter}],
            },
        )
        line, character = (line + 1, 0) if letter == "\n" else (line, character + len(letter.encode("utf-16-le")) // 2)
    text = USES + (typed * 3)[:10_000]
    found = server.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert cpu_s(server.process.pid) - begun < 30
    assert memory(server.process.pid) - before < 200 << 20
    for each in found:
        start = each["selectionRange"]["start"]
        assert (
            text.split("\n")[start["line"]]
            .encode("utf-16-le")[2 * start["character"] :]
            .decode("utf-16-le")
            .startswith(each["name"])
        ), each
    assert {"total", "twice"} <= {each["name"] for each in found}


@pytest.mark.slow
def test_a_daemon_that_goes_away_takes_no_answer_with_it(project: Path) -> None:
    home = project.parent / ".cairn"
    with (
        serving(home=home, HOME=str(project.parent)) as daemon,
        LanguageClient(environment=environment(project)) as client,
    ):
        client.initialize([project], {"features": "all"})
        assert names(client, project / "uses.py") == ["total", "twice"]
        path = {"textDocument": {"uri": (project / "uses.py").as_uri()}}
        asked = []
        for step in range(40):
            asked.append(client.begin("textDocument/documentSymbol", path))
            asked.append(client.begin("cairn/search", {"query": f"area {step}"}))
            if step == 15:
                daemon.kill()
        answers = [client.wait(number) for number in asked]
        assert all("error" not in each and each["result"] for each in answers)
        assert all([each["name"] for each in answer["result"]] == ["total", "twice"] for answer in answers[::2])
        assert client.garbage == b""


@pytest.mark.slow
@pytest.mark.parametrize(("other", "used"), [({}, True), ({"CAIRN_MAX_FILE_BYTES": "4096"}, False)])
def test_a_daemon_with_other_settings_is_passed_over(
    project: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any], used: bool
) -> None:
    home = project.parent / ".cairn"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("CAIRN_HOME", str(home))
    with serving(home=home, **other):
        asking = Asking(str(home))
        assert asking.has_daemon() is used
        assert asking.answer("outline", {"file": "uses.py"}, str(project))["symbols"]
        asking.close()


@pytest.mark.slow
def test_an_index_that_is_made_anew_or_removed_while_it_is_asked(project: Path) -> None:
    env = environment(project)
    path = {"textDocument": {"uri": (project / "uses.py").as_uri()}}
    with LanguageClient(environment=env) as client:
        client.initialize([project], {"features": "all"})
        assert names(client, project / "uses.py") == ["total", "twice"]
        try:
            todo = [["index", "--reindex"], ["clear", "--yes"], ["index"]]
            while todo:
                words = todo[0]
                with subprocess.Popen(
                    (sys.executable, "-m", "cairn", *words, str(project)),
                    env=os.environ | env,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                ) as other:
                    while other.poll() is None:
                        answer = client.wait(client.begin("textDocument/documentSymbol", path))
                        error = answer.get("error", {"code": 0})
                        assert error["code"] != INTERNAL, answer
                        found = answer.get("result")
                        assert found is None or [each["name"] for each in found] in (["total", "twice"], [])
                    if other.returncode == ExitCode.BUSY:
                        continue  # one of the answers was reading it just then
                    assert other.returncode == 0, other.stderr.read() if other.stderr else ""
                todo.pop(0)
                if words[0] == "clear":
                    renamed = {**path, "position": {"line": 3, "character": 5}, "newName": "sum_of"}
                    assert "\n" not in until_refused(client, renamed)
        finally:
            assert cairn("index", str(project), HOME=env["HOME"], CAIRN_HOME=env["CAIRN_HOME"]).returncode == 0
        until(lambda: symbols_of(client, path) == ["total", "twice"], 30)


def until_refused(client: LanguageClient, params: Message) -> str:
    """What is said to a rename once the server has seen that there is no index: it looks now and then."""
    answer: Message = until(lambda: client.wait(client.begin("textDocument/rename", params)).get("error"), 30)
    assert answer["code"] == -32803
    return str(answer["message"])


def symbols_of(client: LanguageClient, path: Message) -> list[str]:
    answer = client.wait(client.begin("textDocument/documentSymbol", path))
    return [each["name"] for each in answer.get("result") or ()]


@pytest.mark.slow
def test_two_servers_serve_one_tree(project: Path) -> None:
    env = environment(project)
    with LanguageClient(environment=env) as one, LanguageClient(environment=env) as other:
        for client in (one, other):
            client.initialize([project], {"features": "all"})
            client.open(project / "uses.py")
        where = {"textDocument": {"uri": (project / "uses.py").as_uri()}, "position": {"line": 3, "character": 5}}
        asked = [
            (client, client.begin("textDocument/rename", {**where, "newName": f"sum_{step}"}))
            for step in range(4)
            for client in (one, other)
        ]
        edits = [client.wait(number)["result"]["changes"] for client, number in asked]
        assert [len(found) for each in edits for found in each.values()] == [2] * 8
        one.process.send_signal(signal.SIGKILL)
        assert names(other, project / "uses.py") == ["total", "twice"]
