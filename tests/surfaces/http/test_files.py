"""A file for the page: every answer is about one text, names it, and never about lines that have moved."""

import pytest

from tests.surfaces.http.running import Daemon
from tests.trees import Repo

PATH = "src/lease.py"


@pytest.mark.slow
@pytest.mark.requirement("PAGE.20")
def test_nothing_is_told_about_text_that_moved(shared: Daemon, shared_tree: Repo) -> None:
    at = {"root": shared_tree.path, "file": PATH}
    shown = shared.get("/v1/file", None, **at).document
    text = (shared_tree.path / PATH).read_text()
    line = next(nth for nth, each in enumerate(text.split("\n"), 1) if each.startswith(("def ", "class ")))
    place = {**at, "line": line, "column": text.split("\n")[line - 1].index(" ") + 2}
    found = shared.get("/v1/hover", None, **place, version=shown["version"]).document
    assert found["moved"] is False
    assert found["definitions"][0]["line"] == line
    try:
        (shared_tree.path / PATH).write_text("# new\n" + text)
        moved = shared.get("/v1/hover", None, **place, version=shown["version"]).document
        assert moved["moved"] is True
        assert moved["definitions"] == []
        stands = shared.get("/v1/file/standing", None, **at, sync="true").document
        assert stands["version"] != shown["version"]
        assert stands["changed_since"] is False
        again = shared.get("/v1/hover", None, **{**place, "line": line + 1}, version=stands["version"]).document
        assert again["definitions"][0]["line"] == line + 1
    finally:
        (shared_tree.path / PATH).write_text(text)
        shared.get("/v1/file/standing", None, **at, sync="true")


def test_colours_and_lines_of_several_places_are_of_one_read(shared: Daemon, shared_tree: Repo) -> None:
    lines = (shared_tree.path / PATH).read_text().split("\n")
    places = [f"{PATH}:1-2", "no/such.py:1-2"]
    found = shared.get("/v1/colours", None, root=shared_tree.path, places=places).document["excerpts"]
    assert found[0]["lines"] == lines[:2]
    assert found[0]["version"] == shared.get("/v1/file", None, root=shared_tree.path, file=PATH).document["version"]
    assert found[1] == {"place": "no/such.py:1-2", "version": None, "first": 1, "lines": [], "tokens": []}


@pytest.mark.parametrize("path", ["../../etc/passwd", ".git/config", "no/such.py"])
@pytest.mark.parametrize("address", ["file/standing", "file/colours", "file/blame", "file/changed", "raw"])
def test_what_may_not_be_read_is_not_told_about(shared: Daemon, shared_tree: Repo, address: str, path: str) -> None:
    answer = shared.get(f"/v1/{address}", None, root=shared_tree.path, file=path)
    assert answer.status in (400, 403, 404)


def test_raw_is_text_and_nothing_else(shared: Daemon, shared_tree: Repo) -> None:
    answer = shared.get("/v1/raw", None, root=shared_tree.path, file=PATH)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["content-disposition"] == "inline; filename*=UTF-8''lease.py.txt"


def test_lines_the_wrong_way_round_have_no_colours(shared: Daemon, shared_tree: Repo) -> None:
    answer = shared.get("/v1/file/colours", None, root=shared_tree.path, file=PATH, first=3, last=2)
    assert (answer.status, answer.document["error"]["message"]) == (400, "Line 3 is behind line 2.")


def test_so_much_of_a_text_is_sent_as_is_asked_for_and_none_of_a_binary_file(shared: Daemon, shared_tree: Repo) -> None:
    some = shared.get("/v1/file", None, root=shared_tree.path, file=PATH, most=5).document
    assert (len(some["text"]), some["truncated"], some["binary"]) == (5, True, False)
    (shared_tree.path / "some.bin").write_bytes(b"a\0b")
    try:
        found = shared.get("/v1/file", None, root=shared_tree.path, file="some.bin").document
        assert (found["text"], found["binary"], found["bytes"], found["truncated"]) == ("", True, 3, False)
    finally:
        (shared_tree.path / "some.bin").unlink()
