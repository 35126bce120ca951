"""What the page asks about a name: what it is, all its uses as a stream, what changing it reaches, a file's history."""

import contextlib
import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.trees import Repo, cairn


def frames(daemon: Daemon, **values: object) -> list[Any]:
    """All frames of a stream of uses."""
    found = daemon.get("/v1/uses", None, **values)
    assert found.status == 200, found.body
    assert found.headers["content-type"] == "application/x-ndjson"
    return [json.loads(each) for each in found.body.splitlines()]


def files_of(told: list[Any]) -> list[Any]:
    return [file for kind, value in told if kind == "uses" for file in value["files"]]


def test_a_place_is_told_as_what_is_defined_there_or_used_there(shared: Daemon, shared_tree: Repo) -> None:
    for name in ("src/lease.py:4", "src/free.py:5:15", "Lease.release"):
        found = shared.get("/v1/about", name=name, root=shared_tree.path).document
        (told,) = found["results"]
        assert (told["qualified_name"], told["path"], told["line"]) == ("Lease.release", "src/lease.py", 4)
        assert found["word"] == "release"
        assert (found["local"], found["place_moved"]) == (False, False)


def test_a_local_name_is_told_by_the_scope_that_binds_it(shared: Daemon, shared_tree: Repo) -> None:
    found = shared.get("/v1/about", name="src/lease.py:4:18", root=shared_tree.path).document
    assert (found["word"], found["local"], found["total"]) == ("self", True, 1)
    assert (found["results"][0]["kind"], found["results"][0]["line"]) == ("parameter", 4)


@pytest.mark.slow
@pytest.mark.requirement("PAGE.20")
def test_a_place_whose_file_has_moved_is_answered_from_the_text_as_it_is_now(tree: Repo) -> None:
    with serving("--no-watch") as daemon:
        before = (tree.path / "src/free.py").read_text()
        tree.write("src/free.py", "# One.\n# Two.\n" + before)
        found = daemon.get("/v1/about", name="src/free.py:7:15", root=tree.path).document
        assert [each["qualified_name"] for each in found["results"]] == ["Lease.release"]
        assert (found["freshness"]["synced"], found["place_moved"]) == (True, False)
        tree.write("src/new.py", "def only_now() -> None: ...\n")
        assert daemon.get("/v1/about", name="only_now", root=tree.path).document["total"] == 1


def test_uses_are_streamed_file_by_file_and_counted_at_the_end(shared: Daemon, shared_tree: Repo) -> None:
    told = frames(shared, name="Lease", root=shared_tree.path)
    assert [kind for kind, _ in told][-1] == "answer"
    files = files_of(told)
    assert [each["path"] for each in files] == ["src/free.py"]
    whole = shared.get("/v1/refs", name="Lease", root=shared_tree.path).document
    assert [use for file in files for use in file["uses"]] == whole["results"]
    answer = told[-1][1]
    assert answer["results"] == []
    for field in ("total", "tiers", "layers", "elsewhere", "definitions", "snapshot_id", "complete"):
        assert answer[field] == whole[field]
    shown = [value for kind, value in told if kind == "uses"]
    assert shown[-1]["looked"] == shown[-1]["of"]


@pytest.mark.slow
@pytest.mark.requirement("PAGE.20")
def test_a_stream_of_uses_has_no_limit_and_keeps_to_one_snapshot(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("base.py", "def common(): ...\n")
    for number in range(60):
        repo.write(f"part{number:02}.py", "from base import common\n" + "common()\n" * 50)
    repo.write("tests/test_it.py", "from base import common\n\n\ndef test_it():\n    common()\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch") as daemon:
        told = frames(daemon, name="common", root=repo.path)
        uses = [(use["path"], use["line"], use["column"]) for file in files_of(told) for use in file["uses"]]
        assert len(uses) == len(set(uses)) == told[-1][1]["total"] == 60 * 51 + 2
        assert uses == sorted(uses)
        assert len([kind for kind, _ in told if kind == "uses"]) > 3
        assert [file["path"] for file in files_of(told) if file["tests"]] == ["tests/test_it.py"]
        only = frames(daemon, name="common", root=repo.path, glob="part0*")
        assert len(files_of(only)) == 10
        # What changed since is told of its file.
        repo.write("part00.py", "from base import common\n")
        again = files_of(frames(daemon, name="common", root=repo.path))
        assert [file["path"] for file in again if file["changed_since"]] == ["part00.py"]


@contextlib.contextmanager
def asked(daemon: Daemon, address: str) -> Iterator[http.client.HTTPResponse]:
    """An answer whose reader goes away in the middle of it."""
    with daemon.raw() as line:
        line.sendall(f"GET {address} HTTP/1.1\r\nHost: cairn\r\n\r\n".encode())
        found = http.client.HTTPResponse(line)
        found.begin()
        yield found


@pytest.mark.slow
def test_whoever_leaves_ends_the_search_for_uses(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("base.py", "def common(): ...\n")
    for number in range(120):
        repo.write(f"part{number:03}.py", "from base import common\n" + "common()  # a long line of it\n" * 400)
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch") as daemon:
        with asked(daemon, f"/v1/uses?name=common&root={repo.path}") as found:
            assert json.loads(found.readline())[0] == "uses"
        until(lambda: "cairn_inside 1" in daemon.get("/metrics").body.decode())
        assert daemon.is_alive()


@pytest.mark.parametrize(
    ("values", "status", "code"),
    [
        ({"root": None}, 400, "usage"),
        ({"root": "relative"}, 400, "usage"),
        ({"root": "/no/such/folder"}, 400, "root_not_found"),
        ({"limit": "3"}, 400, "usage"),
        ({"name": "no/such.py:3"}, 404, "not_indexed"),
    ],
)
def test_what_is_wrong_with_a_stream_is_told_by_its_status(
    shared: Daemon, shared_tree: Repo, values: dict[str, object], status: int, code: str
) -> None:
    given = {"name": "x", "root": shared_tree.path} | values
    found = shared.get("/v1/uses", None, **{name: value for name, value in given.items() if value is not None})
    assert (found.status, found.document["error"]["code"]) == (status, code)


def test_what_changing_a_definition_reaches(shared: Daemon, shared_tree: Repo) -> None:
    found = shared.get("/v1/reach", name="Lease.release", root=shared_tree.path).document
    assert [(each["name"], each["distance"]) for each in found["users"]] == [("free", 1)]
    assert [each["path"] for each in found["dependants"]] == ["src/free.py"]
    assert found["symbols"][0]["name"] == "Lease.release"


def test_a_history_is_asked_of_what_may_be_read(shared: Daemon, shared_tree: Repo) -> None:
    found = shared.get("/v1/history", file="src/lease.py", root=shared_tree.path).document
    assert (len(found["commits"]), found["more"], found["changed_since"]) == (1, False, False)
    assert shared.get("/v1/history", file=".git/config", root=shared_tree.path).status == 403
    assert shared.get("/v1/history", file="../x", root=shared_tree.path).status in (400, 403)
    assert shared.get("/v1/history", file="src/lease.py", head="--all", root=shared_tree.path).status == 400


@pytest.mark.slow
def test_a_file_that_was_renamed_and_not_committed_has_its_history(tree: Repo) -> None:
    tree.git("mv", "src/lease.py", "src/later.py")
    with serving("--no-watch") as daemon:
        found = daemon.get("/v1/history", file="src/later.py", root=tree.path).document
    assert [each["path"] for each in found["commits"]] == ["src/lease.py"]
