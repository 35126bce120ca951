"""kill -9 at random moments of everything that writes: nothing is lost, nothing haunts, renames are whole."""

import json
import os
import random
import shutil
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.hostile.forked import Forked
from tests.hostile.ground import ENVIRONMENT, OWNERS, Ground
from tests.hostile.tally import Tally, rounds, seed

Kind = Callable[[Ground, float], None]
_LATEST_S = 1.2
"""A kill comes up to so long after the start, until it is known how long commands of its kind live."""
_SOONEST_S = 0.02
_LONGEST_S = 4.0
_LATER = 1.15
"""How much later the next kill of a kind may come, if this one hit."""


def _of_store(*arguments: str, change: bool = False) -> Kind:
    """A command on an indexed repository."""

    def play(ground: Ground, moment: float) -> None:
        before = ground.on_disk()
        if change:
            ground.change()
        ground.run(*arguments, kill_after=moment)
        ground.check(before)

    return play


def _first_index(ground: Ground, moment: float) -> None:
    ground.must("clear")
    ground.run("index", kill_after=moment)
    known = ground.indexed("--no-sync")
    if known is not None and known != ground.on_disk():
        ground.said.append(f"a first index that was killed answers with {len(known)} lines")
    ground.check(None)


def _clear(ground: Ground, moment: float) -> None:
    ground.run("clear", kill_after=moment)
    known = ground.indexed("--no-sync")
    if known is not None and known != ground.on_disk():
        ground.said.append(f"an index that was half cleared answers with {len(known)} lines")
    ground.check(None)


def _contents(ground: Ground) -> dict[str, str]:
    return {path: (ground.repo / path).read_text(encoding="utf-8") for path in OWNERS}


RENAMED = {path: text.replace("target", "aim") for path, text in OWNERS.items()}


def _rename(ground: Ground, moment: float) -> None:
    ground.run("rename", "core.py:1:5", "aim", "--apply", kill_after=moment)
    _recover(ground)


def _undo(ground: Ground, moment: float) -> None:
    done = ground.must("rename", "core.py:1:5", "aim", "--apply", "--json")
    if done.code == 0:
        ground.run("rename", "--undo", json.loads(done.out)["applied"]["edit_id"], kill_after=moment)
    _recover(ground)


def _recover(ground: Ground) -> None:
    ground.must("rename", "--recover", "--json")
    now = _contents(ground)
    if now not in (OWNERS, RENAMED):
        mixed = {path: text for path, text in now.items() if text not in (OWNERS[path], RENAMED[path])}
        ground.said.append(f"neither all old nor all new; foreign texts: {mixed}")
    ground.must("rename", "--list")
    ground.check(ground.on_disk())


def _root_removed(ground: Ground, moment: float) -> None:
    """The tree goes away in the middle of an index, and comes back as it was."""
    ground.change()
    kept = ground.base / "aside"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(ground.repo, kept, symlinks=True)
    remover = threading.Timer(moment, lambda: shutil.rmtree(ground.repo, ignore_errors=True))
    remover.start()
    ended = ground.run("index")
    remover.join()
    if ended.code == 0 and not ended.out:
        ground.said.append("the index of a tree that is gone says nothing")
    shutil.rmtree(ground.repo, ignore_errors=True)
    kept.rename(ground.repo)
    ground.check(None)


def _daemon(ground: Ground, moment: float) -> None:
    """The daemon is killed while it answers and takes changes in; the next command does without it."""
    before = ground.on_disk()
    asking = Forked(ENVIRONMENT | {"CAIRN_HOME": str(ground.home)})
    try:
        asked = threading.Thread(
            target=lambda: [asking.run("search", "marker", cwd=ground.repo, kill_after=2 * moment) for _ in range(2)]
        )
        ground.change()
        asked.start()
        ground.run("serve", kill_after=moment)
        asked.join()
    finally:
        asking.close()
    ground.check(before)


def _refresh(ground: Ground, moment: float) -> None:
    """A refresh is killed at any time: its job is settled, and the next one brings all facts."""
    _refreshed(ground, moment, None)


def _import(ground: Ground, moment: float) -> None:
    """A refresh is killed once its indexer has written, while the facts are taken in and published."""
    _refreshed(ground, moment, ground.tool / "ended")


def _refreshed(ground: Ground, moment: float, once: Path | None) -> None:
    before, facts = ground.on_disk(), {"contexts": 1, "files": len(OWNERS)}
    ground.change()
    ground.run("refresh", "--all", "--wait", kill_after=moment, once=once)
    every = {"contexts": 1, "files": len(list(ground.repo.rglob("*.py")))}
    if (found := _facts(ground)) not in (facts, every):
        ground.said.append(f"facts in part: {found}, before {facts}, after {every}")
    ground.check(before)
    if ground.hung:
        return
    ground.must("refresh", "--all", "--wait")
    if (found := _facts(ground)) != every:
        ground.said.append(f"a refresh after the killed one brings {found} instead of {every}")
    jobs = json.loads(ground.must("jobs", "--json").out)["jobs"]
    if left := [job["status"] for job in jobs if job["status"] in ("queued", "running")]:
        ground.said.append(f"jobs without an end: {left}")
    ground.must("health")


def _facts(ground: Ground) -> dict[str, int]:
    """How many contexts and files have facts, by the active snapshot."""
    told = json.loads(ground.must("status", "--json").out)["semantic"]
    return {name: told[name] for name in ("contexts", "files")}


def _migrate(ground: Ground, moment: float) -> None:
    """A move between engines is killed: one of both answers with everything, and the next move ends it."""
    there, back = ("lancedb", "flat") if ground.generator.random() < 0.5 else ("flat", "lancedb")
    if back == "lancedb":
        _choose(ground, back)
        ground.must("engine", "migrate", "--to", back)
    truth = ground.on_disk()
    _choose(ground, there)
    # Before that it only loads the engine.
    begun = ground.home / "*" / "*" / "staging" / "*"
    ground.run("engine", "migrate", "--to", there, kill_after=moment, once=begun)
    answers = {there: ground.indexed("--no-sync")}
    if answers[there] is None:
        _choose(ground, back)
        answers[back] = ground.indexed("--no-sync")
        _choose(ground, there)
    if [found for found in answers.values() if found is not None] != [truth]:
        ground.said.append(f"no engine answers with everything: {answers}")
    ground.must("engine", "migrate", "--to", there)
    ground.check(truth)


def _choose(ground: Ground, engine: str) -> None:
    (ground.repo / ".cairn.toml").write_text(f'[index]\nengine = "{engine}"\n', encoding="utf-8")


KINDS: dict[str, Kind] = {
    "index, first": _first_index,
    "sync": _of_store("index", change=True),
    "search that syncs": _of_store("search", "marker", change=True),
    "reindex": _of_store("index", "--reindex", change=True),
    "compact": _of_store("compact", "--force"),
    "gc": _of_store("gc", "--force"),
    "repair": _of_store("repair"),
    "clear": _clear,
    "rename": _rename,
    "undo": _undo,
    "root removed in an index": _root_removed,
    "daemon": _daemon,
    "refresh": _refresh,
    "refresh, its import": _import,
}
if find_spec("lancedb") is not None:
    KINDS["migrate"] = _migrate
ONLY = os.environ.get("CAIRN_ONLY", "")
"""Kinds whose names begin so are played, all if it is empty."""
_WEIGHTS = {"rename": 3, "undo": 2, "sync": 2}


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.requirement("STO.5")
def test_kills_at_random_moments_lose_nothing(
    tmp_path: Path, private_home: Path, record_property: Callable[[str, object], None]
) -> None:
    del private_home
    chosen = seed()
    generator = random.Random(chosen)
    tally = Tally("Kills", chosen)
    now = tmp_path / "now"
    environment = ENVIRONMENT | {"CAIRN_HOME": str(now / "home"), "CAIRN_TOOL_FOLDERS": str(now / "tool" / "bin")}
    commands = Forked(environment)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        ground = Ground(tmp_path, commands, generator)
        try:
            ground.prepare()
            assert ground.said == []
            kinds = [kind for kind in KINDS for _ in range(_WEIGHTS.get(kind, 1)) if kind.startswith(ONLY)]
            latest = dict.fromkeys(KINDS, _LATEST_S)
            for number in range(rounds("KILLS", 40)):
                kind = kinds[number % len(kinds)]
                ground.restore()
                moment = latest[kind] * generator.random()
                KINDS[kind](ground, moment)
                # One that ended by itself lives less than that long.
                latest[kind] = min(latest[kind] * _LATER, _LONGEST_S) if ground.killed else max(moment, _SOONEST_S)
                tally.count(kind, ground.said, hung=ground.hung, killed=ground.killed)
        finally:
            commands.close()
    record_property("table", tally.table())
    assert not tally.complaints, "\n".join(tally.complaints)
