"""What a client may see: its roots, else --root, else where the server was started; and never what makes no sense."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import mcp_types as types
import pytest

from cairn.base.errors import OutOfRootError
from cairn.config.user import cairn_home
from cairn.lifecycle.registry import Registry
from cairn.surfaces.mcp.access import Access, access_to
from cairn.surfaces.mcp.roots import ClientRoots, path_of
from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.mcp.client import Answer, Session, connected, small_tree
from tests.surfaces.mcp.local import Local, index, paths_of
from tests.trees import Repo, cairn, write

PATHED = ("manage_index", "search_codebase", "file_outline", "call_graph", "find_references", "repo_map", "read_file")
REST: dict[str, dict[str, Any]] = {
    "manage_index": {"action": "create"},
    "search_codebase": {"query": "x"},
    "call_graph": {"symbol": "x"},
    "find_references": {"symbol": "x"},
}


def ask(session: Session | Local, name: str, path: str) -> Answer:
    return session.call(name, path=path, **REST.get(name, {}))


@pytest.mark.parametrize("name", PATHED)
@pytest.mark.parametrize("path", ["/etc/passwd", "/", "/nowhere", "../outside", "src/../../outside", "/proc/self/root"])
def test_paths_outside_are_refused_and_told_what_is_allowed(
    shared: Session, shared_tree: Path, name: str, path: str
) -> None:
    answer = ask(shared, name, path)
    assert (answer["status"], answer["code"]) == ("refused", "out_of_root")
    assert str(shared_tree) in answer["hint"]


@pytest.mark.parametrize("name", PATHED)
def test_a_link_that_leads_out_of_the_root_is_refused(
    shared: Session, shared_tree: Path, tmp_path: Path, name: str
) -> None:
    secret = write(tmp_path, "secret/key.py", "KEY = 'hidden'\n")
    link = shared_tree / "src/way_out"
    link.symlink_to(secret.parent)
    try:
        for path in ("src/way_out/key.py", "src/way_out", str(link)):
            answer = ask(shared, name, path)
            assert answer["status"] == "refused"
            assert "hidden" not in str(answer)
    finally:
        link.unlink()


@pytest.mark.slow
def test_without_a_root_it_is_the_codebase_around_the_working_folder(home: Path, tree: Path) -> None:
    with connected(home, cwd=tree / "src") as session:
        assert session.call("list_codebases")["nextAction"]["args"]["path"] == str(tree)
        session.create(tree)
        assert session.call("read_file", path="src/lease.py")["status"] == "ok"
        assert session.call("search_codebase", query="lease")["codebaseRoot"] == str(tree)


@pytest.mark.slow
def test_senseless_roots_are_refused(home: Path) -> None:
    """Though the server was told that all may be seen."""
    (home / ".cairn/inner").mkdir(parents=True)
    with connected(home, Path("/")) as session:
        for root in ("/", str(home), str(home / ".cairn"), str(home / ".cairn/inner")):
            for arguments in ({"action": "create"}, {"action": "reindex", "wait": True}, {"action": "clear"}):
                answer = session.call("manage_index", path=root, **arguments)
                assert (answer["status"], answer["code"]) == ("refused", "root_refused")
            assert session.call("search_codebase", query="x", path=root)["status"] == "refused"
        assert session.call("list_codebases")["codebases"] == []
    assert not (home / ".cairn/registry.db").exists()


@pytest.mark.slow
def test_the_roots_of_a_client_come_before_those_of_the_server(home: Path, tree: Path, tmp_path: Path) -> None:
    mine = small_tree(tmp_path / "my own")
    roots = [mine.as_uri()]
    with connected(home, tree, client_roots=roots, mode="legacy") as session:

        def status(path: Path) -> Answer:
            return session.call("manage_index", action="status", path=str(path))

        assert status(tree)["status"] == "refused"
        assert status(mine)["state"] == "not_found"
        assert session.call("list_codebases")["nextAction"]["args"]["path"] == str(mine)
        roots.append(tree.as_uri())
        assert status(tree)["state"] == "not_found"
        assert session.call("repo_map")["status"] == "invalid_arguments"
        # What names no folder of this machine leaves the server's own.
        for named in ([], ["https://example.invalid/x"], ["file://elsewhere/x"]):
            roots[:] = named
            assert status(mine)["status"] == "refused"
            assert status(tree)["state"] == "not_found"
        # Folders that are not there are what the client may see all the same: nothing.
        roots[:] = [(tmp_path / "gone").as_uri()]
        refused = status(tree)
        assert refused["status"] == "refused"
        assert "gone" in refused["hint"]


class _Mute:
    """A session whose client says that it has roots, and answers nothing."""

    can_send_request = True

    def __init__(self) -> None:
        self.client_capabilities = types.ClientCapabilities(roots=types.RootsCapability())
        self.asked = 0

    async def send_request(self, *_: object, **__: object) -> None:
        self.asked += 1
        await anyio.sleep_forever()


def test_a_client_that_does_not_name_its_roots_is_asked_once(tmp_path: Path) -> None:
    roots, first, second = ClientRoots(patience_s=0.01), _Mute(), _Mute()

    async def ask_thrice(session: _Mute) -> list[Access]:
        context: Any = SimpleNamespace(session=session, request=None, request_id=1)
        return [await roots.access(context, [str(tmp_path)]) for _ in range(3)]

    for session in (first, second):
        assert anyio.run(ask_thrice, session) == [Access((str(tmp_path),))] * 3
        assert session.asked == 1


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c", "/a/b c"),
        ("file://localhost/a", "/a"),
        ("file:///caf%E9", "/caf\udce9"),
        ("file://elsewhere/a", None),
        ("https://a/b", None),
        ("file:relative", None),
        ("file:///a%00b", None),
    ],
)
def test_a_root_is_the_folder_that_its_uri_names(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


@pytest.mark.slow
def test_the_server_refuses_to_start_with_a_root_that_is_none(tree: Path) -> None:
    for options in (("--root", str(tree / "src/lease.py")), ("--fresh-for", "-1"), ("--fresh-for", "nan")):
        done = cairn("mcp", *options)
        assert done.returncode == 2
        assert options[0] in done.stderr


def test_secrets_and_what_is_git_s_are_not_read(local: Local, tree: Path) -> None:
    write(tree, ".env", "TOKEN=hidden\n")
    write(tree, ".gitignore", "ignored.py\n")
    write(tree, "ignored.py", "HIDDEN = 1\n")
    index(tree)
    local.see(tree)
    for name in (".env", ".git/config"):
        for tool, more in (("read_file", {}), ("read_refresh", {"session": "s"})):
            answer = local.call(tool, path=name, **more)
            assert answer["status"] == "refused", name
            assert "text" not in answer
    ignored = local.call("read_file", path="ignored.py")
    assert (ignored["text"], ignored["indexed"]) == ("HIDDEN = 1\n", False)


@pytest.mark.slow
def test_relative_paths_need_one_root(local: Local, tree: Path, tmp_path: Path) -> None:
    other = small_tree(tmp_path / "other")
    local.see(tree, other)
    for name in PATHED:
        answer = ask(local, name, "src/lease.py")
        assert answer["status"] == "invalid_arguments", name
        assert str(tree) in answer["hint"]
        assert str(other) in answer["hint"]
    assert local.call("repo_map")["status"] == "invalid_arguments"
    assert "nextAction" not in local.call("list_codebases")
    index(other)
    answer = local.call("search_codebase", query="take over a lease", path=str(other))
    assert "def take_over" in local.call("read_file", **answer["nextAction"]["args"])["text"]


@pytest.mark.slow
def test_a_client_sees_only_its_own_codebases_listed(local: Local, tree: Path, tmp_path: Path) -> None:
    other = small_tree(tmp_path / "other")
    index(tree, other)
    for seen in (tree, other):
        local.see(seen)
        assert [row["path"] for row in local.call("list_codebases")["codebases"]] == [str(seen)]


def test_a_part_of_a_repository_is_not_the_repository(local: Local, tree: Path) -> None:
    local.see(tree / "src")
    for indexed in (False, True):
        if indexed:
            index(tree)
        answer = local.call("manage_index", action="create", path=str(tree / "src"))
        assert (answer["status"], answer["code"]) == ("refused", "out_of_root")
        assert str(tree) in answer["message"]
        assert "--root of `cairn mcp`" in answer["hint"]


@pytest.mark.slow
def test_a_repository_within_another_is_a_codebase_of_its_own(local: Local, tree: Path) -> None:
    """Agents make a work tree a task, often beneath the repository: the outer index knows nothing of it."""
    Repo(tree).git("worktree", "add", "-q", str(tree / ".trees/task"), "-b", "task")
    task = tree / ".trees/task"
    write(task, "src/only_there.py", "def only_there():\n    pass\n")
    index(tree)
    local.see(tree)
    missing = local.call("search_codebase", query="only_there", path=str(task / "src"))
    assert (missing["status"], missing["codebaseRoot"]) == ("not_indexed", str(task))
    index(task)
    assert paths_of(local.call("search_codebase", query="only_there", path=str(task)))[0] == "src/only_there.py"
    assert local.call("read_file", path=".trees/task/src/only_there.py")["codebaseRoot"] == str(task)
    assert local.call("read_file", path="src/lease.py")["codebaseRoot"] == str(tree)


def test_a_codebase_above_what_a_client_may_see_is_no_reason_to_refuse_its_own(local: Local, tree: Path) -> None:
    Repo(tree).git("worktree", "add", "-q", str(tree / ".trees/task"), "-b", "task")
    index(tree, tree / ".trees/task")
    local.see(tree / ".trees/task")
    assert local.call("read_file", path="src/lease.py")["codebaseRoot"] == str(tree / ".trees/task")
    Registry(cairn_home()).forget(str(tree / ".trees/task"))
    status = local.call("manage_index", action="status")
    assert (status["codebaseRoot"], status["state"]) == (str(tree / ".trees/task"), "indexed")


def test_a_nested_repository_that_the_outer_index_takes_in_belongs_to_it(local: Local, tree: Path) -> None:
    inner = Repo.create(tree / "vendor/inner")
    inner.write("inner.py", "def inner_part():\n    pass\n")
    inner.commit()
    write(tree, ".cairn.toml", "[index]\nsubmodules = true\n")
    index(tree)
    local.see(tree)
    found = local.call("search_codebase", query="inner_part", path=str(inner.path))
    assert found["codebaseRoot"] == str(tree)
    assert paths_of(found) == ["vendor/inner/inner.py"]


def test_a_root_that_became_part_of_a_repository_is_never_mistaken_for_it(local: Local, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    write(outer, "src/a.py", "INNER = 1\n")
    write(outer, "a.py", "OUTER_SECRET = 1\n")
    inner = (outer / "src").resolve()
    index(inner)
    Repo(outer).git("init", "-q")
    local.see(inner)
    for answer in (local.call("read_file", path="a.py"), local.call("manage_index", action="create")):
        assert answer["status"] == "refused"
        assert str(outer) in answer["message"]
        assert "OUTER_SECRET" not in str(answer)


def test_a_file_names_its_codebase_and_a_missing_path_none(local: Local, tree: Path) -> None:
    local.see(tree)
    status = local.call("manage_index", action="status", path="src/lease.py")
    assert (status["codebaseRoot"], status["path"]) == (str(tree), str(tree / "src/lease.py"))
    missing = local.call("manage_index", action="create", path="nothing/here")
    assert missing["status"] == "not_found"
    assert "nothing/here" in missing["message"]


@pytest.mark.requirement("SIS.1")
def test_a_codebase_whose_folder_went_away_stays_listed(local: Local, tree: Path) -> None:
    index(tree)
    local.see(tree.parent)
    assert local.call("search_codebase", query="lease", path=str(tree))["results"]
    shutil.move(tree, tree.parent / "moved")
    for name in PATHED[1:]:
        answer = ask(local, name, str(tree / "src/lease.py"))
        assert not answer.get("results")
        assert not answer.get("text")
        assert answer["status"] != "not_indexed"
    assert [row["path"] for row in local.call("list_codebases")["codebases"]] == [str(tree)]


def test_access_is_to_folders_by_their_real_names_and_to_those_that_are_away(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    named = [str(tmp_path / "link"), str(folder), str(tmp_path / "gone"), "bad\0name"]
    assert access_to(named) == Access((str(folder), str(tmp_path / "gone")))


def test_a_folder_is_not_beneath_one_whose_name_it_begins_with(tmp_path: Path) -> None:
    for name in ("a", "ab"):
        (tmp_path / name).mkdir()
    access = access_to([str(tmp_path / "a")])
    with pytest.raises(OutOfRootError, match="not beneath"):
        access.path(str(tmp_path / "ab"))
    assert access.path("x") == os.path.join(tmp_path, "a", "x")


@pytest.mark.slow
@pytest.mark.requirement("RC.7")
def test_a_read_that_was_cancelled_was_not_given(local: Local, tree: Path) -> None:
    index(tree)
    local.see(tree)
    session = local.call("session_open", guarantee="linear")["session"]
    gone = ToolCall(local.access)
    gone.cancelled.set()
    arguments = {"path": "src/lease.py", "session": session, "format": "compact"}
    assert BY_NAME["read_file"].call(local.service, gone, arguments)["mode"] == "full"
    assert [local.call("read_file", **arguments)["mode"] for _ in range(2)] == ["full", "unchanged"]
