"""Whatever is written to the socket: an answer or a closed line, and a daemon that goes on."""

import json
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn import __version__
from cairn.program.relay import MOST_BODY_BYTES
from tests.long import LONG
from tests.surfaces.http.running import Daemon
from tests.trees import Repo

_MANY = 500 * LONG or 40
_HEAD = b"POST /v1/command HTTP/1.1\r\nHost: cairn\r\nContent-Length: "


def exchange(daemon: Daemon, data: bytes, *, end: bool = True) -> bytes:
    """What comes back until the other side closes, or has nothing more to say."""
    with daemon.raw() as line:
        found = b""
        try:
            line.sendall(data)
            if end:
                line.shutdown(socket.SHUT_WR)
            while part := line.recv(65_536):
                found += part
        except (BrokenPipeError, ConnectionResetError):
            pass
        return found


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=_MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=4_096),
        st.binary(max_size=256).map(lambda body: _HEAD + str(len(body)).encode() + b"\r\n\r\n" + body),
        st.text(max_size=100).map(lambda path: f"GET /{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()),
        st.text(max_size=100).map(lambda value: f"GET /v1/search HTTP/1.1\r\nHost: x\r\nX: {value}\r\n\r\n".encode()),
    )
)
def test_garbage_is_answered_or_dropped(shared: Daemon, data: bytes) -> None:
    found = exchange(shared, data)
    assert not found or found.startswith(b"HTTP/1.1 ")
    assert b"Traceback" not in found
    if found.startswith(b"HTTP/1.1 400 "):
        # What isn't even HTTP is told in the one envelope too.
        assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]["code"] == "usage"
    assert shared.is_alive()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
_KEYS = ("version", "arguments", "folder", "settings", "variables", "columns", "out", "err")


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=_MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries(dict.fromkeys(_KEYS, _JSON) | {"version": st.just(__version__) | _JSON}) | _JSON)
def test_a_request_of_any_shape_is_understood_or_refused(shared: Daemon, document: object) -> None:
    found = shared.ask("POST", "/v1/command", None, json.dumps(document).encode())
    assert found.status in (200, 400)
    if found.status == 200:
        assert json.loads(found.body.splitlines()[-1])[0] in ("exit", "here")
    else:
        assert found.document["error"]["code"] == "usage"


_OF_A_TOOL = {
    "version": st.just(__version__),
    "tool": st.sampled_from(("search_codebase", "list_codebases", "manage_index", "rename_symbol", "none")) | _JSON,
    "arguments": _JSON,
    "folders": st.just(["/"]) | _JSON,
    "fresh_for_s": st.just(0) | _JSON,
    "settings": _JSON,
}


@pytest.mark.long
@settings(max_examples=_MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries(_OF_A_TOOL) | _JSON)
def test_a_call_of_any_shape_is_understood_or_refused(shared: Daemon, document: object) -> None:
    found = shared.ask("POST", "/v1/tool", None, json.dumps(document).encode())
    assert found.status in (200, 400)
    if found.status == 200:
        assert json.loads(found.body.splitlines()[-1])[0] in ("answer", "here")
    else:
        assert found.document["error"]["code"] == "usage"


def test_what_changes_something_is_no_question(shared: Daemon, shared_tree: Repo) -> None:
    """Whoever may pass questions on may still not have anything changed by this process."""
    document = {"version": __version__, "settings": {}, "folders": [str(shared_tree.path)], "fresh_for_s": 0}
    for tool, arguments in (
        ("manage_index", {"action": "clear", "path": str(shared_tree.path)}),
        ("rename_symbol", {"action": "undo", "edit_id": "x"}),
        ("session_open", {}),
        ("read_file", {"path": "src/lease.py", "session": "mine"}),
    ):
        asked = {**document, "tool": tool, "arguments": arguments}
        assert shared.ask("POST", "/v1/tool", None, json.dumps(asked).encode()).status == 400


@pytest.mark.parametrize(
    "wrong", [{"folders": ["src"]}, {"folders": "/"}, {"folders": None}, {"fresh_for_s": -1}, {"fresh_for_s": 1e9}]
)
def test_what_a_client_may_see_is_named_by_whole_paths(shared: Daemon, wrong: dict[str, object]) -> None:
    document = {"version": __version__, "settings": {}, "folders": ["/"], "fresh_for_s": 0, "tool": "repo_map"}
    asked = {**document, "arguments": {}}
    assert shared.ask("POST", "/v1/tool", None, json.dumps(asked).encode()).status == 200
    assert shared.ask("POST", "/v1/tool", None, json.dumps({**asked, **wrong}).encode()).status == 400


def test_a_request_that_is_too_large_is_refused(shared: Daemon) -> None:
    within = b'{"x": "' + b"x" * (MOST_BODY_BYTES - 9) + b'"}'
    assert len(within) == MOST_BODY_BYTES
    for body, message in ((within, "not one of the command line"), (within + b" ", "more than 1048576 bytes")):
        found = shared.ask("POST", "/v1/command", None, body)
        assert (found.status, found.document["error"]["code"]) == (400, "usage")
        assert message in found.document["error"]["message"]
    for size, status in ((50_000, 200), (50_001, 400)):
        assert shared.get("/v1/search", q="x" * size, all="true").status == status
    for count, status in ((100, 200), (101, 400)):
        assert shared.get("/v1/search", q="x", all="true", glob=["*.py"] * count).status == status
    assert exchange(shared, b"GET /" + b"x" * 3_000_000).startswith((b"HTTP/1.1 4", b""))
    assert exchange(shared, b"GET / HTTP/1.1\r\nX: " + b"y" * 3_000_000).startswith((b"HTTP/1.1 4", b""))
    assert shared.is_alive()


@pytest.mark.parametrize("cut", [1, 20, 60, 90])
def test_a_request_that_breaks_off_leaves_nothing_behind(shared: Daemon, cut: int) -> None:
    whole = _HEAD + b'40\r\n\r\n{"arguments": ["search"]}'
    assert not exchange(shared, whole[:cut]).startswith(b"HTTP/1.1 2")
    assert shared.is_alive()


@pytest.mark.slow
def test_many_lines_that_say_nothing_keep_nobody_out(shared: Daemon, shared_tree: Repo) -> None:
    silent = [shared.raw() for _ in range(200)]
    try:
        for line in silent[::2]:
            line.sendall(b"GET /v1/")
        assert shared.get("/v1/search", q="lease", root=shared_tree.path).status == 200
    finally:
        for line in silent:
            line.close()
    assert shared.is_alive()


@pytest.mark.slow
def test_values_can_not_become_options(shared: Daemon, shared_tree: Repo) -> None:
    for value in ("--help", "--all", "-k", "--", "--root=/", "--limit=0"):
        found = shared.get("/v1/symbol", name=value, root=shared_tree.path)
        assert found.status == 200
        assert found.document["name"] == value
