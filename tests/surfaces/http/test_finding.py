"""The tree, names and paths for whoever looks for a file, and events of the files that a page shows."""

import contextlib
import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import UsageError
from cairn.surfaces.http.following import MOST_FILES, shown_files
from tests.surfaces.http.running import Daemon, serving, small
from tests.surfaces.http.test_permission import over_tcp
from tests.trees import Repo, cairn

ASKED = [("/v1/tree", {}), ("/v1/paths", {"q": "lease"}), ("/v1/names", {"q": "lease"})]


def test_a_folder_lists_its_folders_first_and_counts_their_files(shared: Daemon, shared_tree: Repo) -> None:
    found = shared.get("/v1/tree", root=shared_tree.path).document
    assert found["entries"] == [
        {"name": "docs", "files": 1, "is_folder": True, "reason": ""},
        {"name": "src", "files": 2, "is_folder": True, "reason": ""},
    ]
    assert found["snapshot_id"] == shared.get("/v1/status", root=shared_tree.path).document["snapshot_id"]
    inner = shared.get("/v1/tree", root=shared_tree.path, folder="src/").document
    assert [each["name"] for each in inner["entries"]] == ["free.py", "lease.py"]
    for folder in ("..", "/etc", ".git", "no/such"):
        answer = shared.get("/v1/tree", root=shared_tree.path, folder=folder)
        assert (answer.status, answer.document["error"]["code"]) == (400, "usage"), folder


def test_names_and_paths_begin_with_what_was_typed(shared: Daemon, shared_tree: Repo) -> None:
    names = shared.get("/v1/names", root=shared_tree.path, q="Lea").document
    first = names["results"][0]
    assert (first["name"], first["path"], first["line"]) == ("Lease", "src/lease.py", 1)
    paths = shared.get("/v1/paths", root=shared_tree.path, q="lease", limit=1).document
    assert (paths["results"], paths["total"]) == (["src/lease.py"], 3)
    assert shared.get("/v1/paths", root=shared_tree.path, q="zzz").document["results"] == []


@pytest.mark.slow
def test_what_the_index_leaves_out_is_listed_with_the_reason(tmp_path: Path) -> None:
    repo = small(tmp_path / "repo")
    repo.write(".gitignore", "made/\n*.log\n")
    repo.write("some.log", "ignored\n")
    repo.write("made/out.py", "x = 1\n")
    repo.write("src/long.py", "x = 1\n" * 900_000)
    repo.write("src/zero.py", b"x\0")
    repo.write("pictures/one.png", b"\x89PNG")
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch") as daemon:

        def entries(**values: Any) -> list[tuple[str, bool, str]]:
            found = daemon.get("/v1/tree", root=repo.path, **values).document
            return [(each["name"], each["is_folder"], each["reason"]) for each in found["entries"]]

        assert entries(left_out="true") == [("pictures", True, ""), ("src", True, "")]
        assert entries(left_out="true", folder="src") == [
            ("long.py", False, "too_many_chunks"),
            ("zero.py", False, "binary"),
        ]
        assert entries(left_out="true", folder="pictures") == [("one.png", False, "unsupported")]
        assert ("pictures", True, "") not in entries()
        found = daemon.get("/v1/paths", root=repo.path, q="one", left_out="true").document
        assert (found["results"], found["reasons"]) == (["pictures/one.png"], ["unsupported"])
        # Those beside the next snapshot.
        (repo.path / "src/long.py").unlink()
        assert cairn("index", str(repo.path)).returncode == 0
        assert entries(left_out="true", folder="src") == [("zero.py", False, "binary")]


@pytest.mark.parametrize(("path", "values"), ASKED)
def test_a_folder_that_nobody_put_up_is_not_listed(
    shared: Daemon, tmp_path: Path, path: str, values: dict[str, Any]
) -> None:
    other = small(tmp_path / "other")
    status, told = over_tcp(shared, path, root=other.path, **values)
    assert (status, told["error"]["code"]) == (404, "not_indexed")


@pytest.mark.parametrize("path", ["/v1/names", "/v1/paths"])
@pytest.mark.parametrize("limit", [0, -1, 1_000_000, "x"])
def test_a_limit_has_bounds(shared: Daemon, shared_tree: Repo, path: str, limit: object) -> None:
    answer = shared.get(path, root=shared_tree.path, q="a", limit=limit)
    assert (answer.status, answer.document["error"]["code"]) == (400, "usage")


def test_a_stream_names_so_many_files_with_their_roots() -> None:
    assert shown_files(["/a", "/b"], ["x.py", "y.py"]) == (("/a", "x.py"), ("/b", "y.py"))
    with pytest.raises(UsageError, match="has its root"):
        shown_files(["/a"], ["x.py", "y.py"])
    with pytest.raises(UsageError, match="at most"):
        shown_files(["/a"] * (MOST_FILES + 1), ["x.py"] * (MOST_FILES + 1))


@contextlib.contextmanager
def listening(daemon: Daemon, root: Path, *paths: str) -> Iterator[Iterator[dict[str, Any]]]:
    """What is told of some files, one state after the other."""
    query = urllib.parse.urlencode([pair for path in paths for pair in (("root", str(root)), ("file", path))])
    with daemon.raw() as line:
        line.sendall(f"GET /v1/events?{query} HTTP/1.1\r\nHost: cairn\r\n\r\n".encode())
        stream = line.makefile("rb")

        def told() -> Iterator[dict[str, Any]]:
            while True:
                row = stream.readline()
                assert row, "the stream has ended"
                if row.strip() == b"event: file":
                    yield json.loads(stream.readline().removeprefix(b"data: "))

        yield told()


@pytest.mark.slow
@pytest.mark.requirement("PAGE.20")
def test_a_file_that_is_shown_is_told_of_when_it_changes_and_when_it_is_gone(tree: Repo) -> None:
    with serving("--no-watch") as daemon, listening(daemon, tree.path, "src/lease.py") as told:
        first = next(told)
        assert first["version"] == daemon.get("/v1/file", root=tree.path, file="src/lease.py").document["version"]
        tree.write("src/lease.py", "def other() -> None: ...\n")
        second = next(told)
        assert second["present"] is True
        assert second["version"] != first["version"]
        (tree.path / "src/lease.py").unlink()
        assert next(told)["present"] is False


@pytest.mark.slow
def test_nothing_is_told_of_a_file_that_may_not_be_read(shared: Daemon, shared_tree: Repo) -> None:
    shared_tree.write(".env", "TOKEN=hidden\n")
    paths = (".env", ".git/config", "../../etc/passwd")
    try:
        with listening(shared, shared_tree.path, *paths) as told:
            rows = [next(told) for _ in paths]
    finally:
        (shared_tree.path / ".env").unlink()
    assert {each["path"] for each in rows} == set(paths)
    assert all((each["version"], each["present"]) == (None, False) for each in rows)
