"""Progress of a run as it is on the wire: the client's token, and numbers that only rise."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.mcp.client import Raw, go_on, stopped_indexer
from tests.trees import write

_ALL_READ = 85.0
"""By then every file is parsed and embedded, and the snapshot is being written."""


@pytest.mark.slow
def test_progress_rises_with_every_notification_and_follows_the_run(home: Path, tree: Path) -> None:
    for number in range(120):
        write(tree, f"more/part{number}.py", f"def more_{number}():\n    return {number}\n" * 8)
    with Raw(home, tree, env={"CAIRN_STOP_AT": "segment.rows_written"}) as raw:
        arguments = {"action": "create", "wait": True}
        asked = {"name": "manage_index", "arguments": arguments, "_meta": {"progressToken": "mine"}}
        call = raw.begin("tools/call", asked)
        pid = stopped_indexer(home, tree)
        heard = [_progress(raw.message())]
        while heard[-1]["progress"] < _ALL_READ:
            heard.append(_progress(raw.message()))
        go_on(pid)
        done = raw.answer_to(call)
        heard += map(_progress, raw.heard)
        assert done["result"]["structuredContent"]["state"] == "indexed"
    numbers = [each["progress"] for each in heard]
    assert numbers == sorted(set(numbers)), "the protocol wants every number to be greater than the one before"
    assert all(0 <= number < 100 for number in numbers)
    assert {(each["progressToken"], each["total"]) for each in heard} == {("mine", 100)}
    assert {each["message"] for each in heard} <= {"starting", "looking", "indexing", "publishing"}


@pytest.mark.slow
def test_who_names_no_token_hears_nothing_but_the_answer(home: Path, tree: Path) -> None:
    with Raw(home, tree) as raw:
        assert raw.call("manage_index", action="create", wait=True)["state"] == "indexed"
        assert raw.heard == []


def _progress(message: dict[str, Any]) -> dict[str, Any]:
    assert message["method"] == "notifications/progress", message
    found: dict[str, Any] = message["params"]
    return found
