"""Creates over MCP that are cancelled at random moments: no run hangs, and the next create makes a whole store."""

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.tally import Tally, rounds, seed
from tests.surfaces.mcp.client import Raw, small_tree, until
from tests.trees import cairn

_HASHING = {"CAIRN_EMBED_PROVIDER": "hashing"}
_FILES = 60
_LATEST_S = 3.0
"""A cancel comes up to so long after the call, until it is known how long a create takes."""
_LATER = 1.15
_MOST_FOUND = 50


def play(raw: Raw, tree: Path, moment: float) -> tuple[list[str], bool]:
    """Cancel a first create; what was wrong, and whether it was cut short."""
    said: list[str] = []
    call = raw.begin("tools/call", {"name": "manage_index", "arguments": {"action": "create", "wait": True}})
    time.sleep(moment)
    raw.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}})
    status: dict[str, Any] = until(
        lambda: raw.call("manage_index", action="status"), lambda found: found.get("state") != "indexing"
    )
    cut = status.get("state") != "indexed"
    # One that was cut short after its publish leaves a snapshot that answers.
    if cut and status["reason"] not in ("not_indexed", None):
        said.append(f"neither indexed nor not: {status}")
    created = raw.call("manage_index", action="create", wait=True)
    if (created["status"], created.get("state")) != ("ok", "indexed"):
        said.append(f"the next create fails: {created}")
    found = raw.call("search_codebase", query="lease of part", limit=_MOST_FOUND)
    if found["status"] != "ok" or len(found["results"]) < _MOST_FOUND:
        said.append(f"the store doesn't answer with everything: {str(found)[:300]}")
    if told := [each for each in raw.heard if "Unexpected" in json.dumps(each) or "Traceback" in json.dumps(each)]:
        said.append(f"a defect: {told}")
    raw.heard.clear()
    return said, cut


def sound(tree: Path, home: Path) -> list[str]:
    """What is wrong with the store, and what of a run is left: a process, or a folder of its work."""
    health = cairn("health", "--offline", cwd=tree, CAIRN_HOME=str(home / ".cairn"), **_HASHING)
    said = [f"health: {health.stdout}{health.stderr}"] if health.returncode else []
    if left := runs_of(tree):
        said.append(f"runs that go on: {left}")
    if left := [str(path) for path in (home / ".cairn").glob("*/*/staging/*")]:
        said.append(f"left over: {left}")
    return said


def runs_of(tree: Path) -> list[str]:
    """The command lines of processes that index this tree."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"index" in words and os.fsencode(tree) in words:
            found.append(b" ".join(words).decode("utf-8", "replace"))
    return found


@pytest.mark.slow
@pytest.mark.long
def test_cancelled_creates_leave_a_store_that_the_next_create_completes(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chosen = seed()
    generator = random.Random(chosen)
    tally = Tally("Cancelled creates", chosen)
    home = tmp_path / "home"
    home.mkdir()
    tree = small_tree(tmp_path / "tree", files=_FILES)
    latest = _LATEST_S
    with Raw(home, tree, env=_HASHING) as raw:
        for _ in range(rounds("CANCELS", 10)):
            moment = latest * generator.random()
            said, cut = play(raw, tree, moment)
            latest = min(latest * _LATER, _LATEST_S) if cut else moment
            tally.count("create", said + sound(tree, home), killed=cut)
            assert raw.call("manage_index", action="clear")["status"] == "ok"
    record_property("table", tally.table())
    assert not tally.complaints, "\n".join(tally.complaints)
