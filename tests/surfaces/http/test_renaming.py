"""Renames over HTTP: planned, chosen from, written and undone, by whoever may see the codebase."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.surfaces.http.running import Daemon
from tests.trees import Repo

TEXT = "def count(leases):\n    total = 0\n    return total\n"
ASKS = "def report(desk):\n    return desk.count()\n"


def asked(daemon: Daemon, tree: Repo, **values: Any) -> tuple[int, dict[str, Any]]:
    address = f"/v1/{values.pop('edit', 'rename')}?{urlencode({'root': tree.path} | values, doseq=True)}"
    answer = daemon.ask("POST", address, None, b"")
    found: dict[str, Any] = json.loads(answer.body)
    return answer.status, found


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_a_rename_is_planned_chosen_from_written_and_undone(shared: Daemon, shared_tree: Repo) -> None:
    counted, desk = shared_tree.write("src/counted.py", TEXT), shared_tree.write("src/desk.py", ASKS)
    try:
        place = {"path": "src/counted.py", "line": 1, "column": 5, "new_name": "tally"}
        status, plan = asked(shared, shared_tree, action="plan", diff="true", **place)
        assert (status, plan["status"]) == (200, "needs_decision")
        assert "+def tally(leases):" in plan["diff"].split("\n")
        (step,) = [each["call"] for each in plan["next"] if each["do"] == "take" and each["places"] == 2]
        _, done = asked(shared, shared_tree, **step)
        assert (done["places"], done["applied"]["state"]) == (2, "applied")
        assert "desk.tally()" in desk.read_text(encoding="utf-8")
        _, undone = asked(shared, shared_tree, action="undo", edit_id=done["applied"]["edit_id"])
        assert (undone["undone"]["state"], counted.read_text(encoding="utf-8")) == ("reverted", TEXT)
        _, one = asked(shared, shared_tree, action="apply", take="all", **place, **{"except": "src/desk.py"})
        assert one["applied"]["files"] == ["src/counted.py"]
        status, gone = asked(shared, shared_tree, action="plan", take="nothing", **(place | {"new_name": "score"}))
        assert status == 400
        assert "hint" in gone["error"]
        assert asked(shared, shared_tree, action="plan", path="src/counted.py")[0] == 400
    finally:
        counted.unlink()
        desk.unlink()


@pytest.mark.slow
@pytest.mark.requirement("REN.21")
def test_a_move_and_a_signature_have_addresses_of_their_own(shared: Daemon, shared_tree: Repo) -> None:
    counted, tally = shared_tree.write("src/counted.py", TEXT), shared_tree.path / "src/tally.py"
    place = {"path": "src/counted.py", "line": 1, "column": 5}
    try:
        for edit, change in (("move", {"to_file": "src/tally.py"}), ("change-signature", {"add": "most: int = 3"})):
            status, plan = asked(shared, shared_tree, edit=edit, action="plan", diff="true", **place, **change)
            assert (status, plan["plan_id"] is not None, "+" in plan["diff"]) == (200, True, True)
            _, done = asked(shared, shared_tree, edit=edit, action="apply", take="proven", **place, **change)
            assert "src/counted.py" in done["applied"]["files"]
            assert tally.exists() is (edit == "move")
            _, undone = asked(shared, shared_tree, edit=edit, action="undo", edit_id=done["applied"]["edit_id"])
            assert (undone["undone"]["state"], counted.read_text(encoding="utf-8")) == ("reverted", TEXT)
        status, wrong = asked(shared, shared_tree, edit="move", action="plan", **place, new_name="x")
        assert (status, "new_name" in wrong["error"]["message"]) == (400, True)
    finally:
        counted.unlink()


def test_a_body_is_told_where_parameters_go(shared: Daemon) -> None:
    answer = shared.ask("POST", "/v1/move", None, b'{"action": "plan"}')
    assert (answer.status, b"go into the query" in answer.body) == (400, True)
