"""Over TCP, with the right token: nothing beyond the codebases that the user put up."""

import json
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

from cairn.daemon.folder import DaemonFolder
from tests.surfaces.http.running import Daemon, small
from tests.surfaces.mcp.client import text_of
from tests.trees import Repo


def over_tcp(shared: Daemon, path: str, body: object = None, **values: object) -> tuple[int, dict[str, Any]]:
    asked = urllib.request.Request(
        f"{shared.told['url']}{path}?{urllib.parse.urlencode(values)}",
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {DaemonFolder(str(shared.home)).token()}"},
    )
    try:
        with urllib.request.urlopen(asked, timeout=60) as found:
            return found.status, json.load(found)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.requirement("SEC.2")
def test_commands_and_tools_of_the_users_processes_are_not_served(shared: Daemon, shared_tree: Repo) -> None:
    (shared_tree.path / ".env").write_text("TOKEN=hidden\n")
    command = {"arguments": ["read", ".env"], "folder": str(shared_tree.path)}
    for path in ("/v1/command", "/v1/tool"):
        status, told = over_tcp(shared, path, command)
        assert (status, told["error"]["code"]) == (403, "refused")


@pytest.mark.requirement("SEC.2")
def test_a_link_to_a_secret_is_no_way_to_it(shared: Daemon, shared_tree: Repo) -> None:
    (shared_tree.path / ".env").write_text("TOKEN=hidden\n")
    (shared_tree.path / "notes.txt").symlink_to(".env")
    for name in (".env", "notes.txt"):
        status, told = over_tcp(shared, "/v1/file", file=name, root=shared_tree.path)
        assert (status, told["error"]["code"]) == (403, "refused")
    (shared_tree.path / "notes.txt").unlink()


@pytest.mark.requirement("SEC.2")
def test_a_folder_that_nobody_put_up_is_not_asked(shared: Daemon, shared_tree: Repo, tmp_path: Path) -> None:
    other = small(tmp_path / "other")
    for path, more in (("/v1/file", {"file": "src/lease.py"}), ("/v1/outline", {"file": "a"}), ("/v1/status", {})):
        status, told = over_tcp(shared, path, root=other.path, **more)
        assert (status, told["error"]["code"]) == (404, "not_indexed"), path
    assert over_tcp(shared, "/v1/status", root=shared_tree.path / "src")[0] == 200


@pytest.mark.requirement("SEC.2")
def test_a_client_s_roots_do_not_widen_what_it_sees(shared: Daemon, shared_tree: Repo, tmp_path: Path) -> None:
    other = small(tmp_path / "other")
    headers = {"Authorization": f"Bearer {DaemonFolder(str(shared.home)).token()}"}

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate({"roots": [{"uri": f"file://{other.path}"}, {"uri": "file:///"}]})

    async def ask() -> list[Any]:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as client,
            streamable_http_client(f"{shared.told['url']}/mcp", http_client=client) as streams,
            ClientSession(*streams[:2], list_roots_callback=roots) as session,
        ):
            await session.initialize()
            given = {"path": str(other.path)}
            return [
                json.loads(text_of(await session.call_tool(name, arguments)))
                for name, arguments in (
                    ("manage_index", {"action": "create", **given}),
                    ("read_file", {"path": str(other.path / "src/lease.py")}),
                    ("repo_map", {"path": str(shared_tree.path), "format": "compact"}),
                )
            ]

    created, read, mapped = anyio.run(ask)
    assert created["status"] != "ok"
    assert "beneath" in created["message"]
    assert created["hint"] == f"Allowed: {shared_tree.path}; the user allows more by indexing it."
    assert read["status"] != "ok"
    assert mapped["status"] == "ok"
