"""Many clients at once while the tree changes: no error but busy, and nothing grows.

`make load` runs the long form: 32 clients for 60 seconds, with the figures printed.
"""

import collections
import os
import threading
import time

import pytest

from cairn.store.compact import FAN_IN
from tests.surfaces.http.running import Daemon, serving, until
from tests.trees import Repo

pytestmark = pytest.mark.slow

_LONG = bool(os.environ.get("CAIRN_LOAD"))
_CLIENTS = 32 if _LONG else 8
_SECONDS = 60.0 if _LONG else 4.0
_GROWN_BYTES = 256 << 20
"""What one sync more or less under way, and garbage not yet looked for, may come to."""
_HANDLES_OF_A_SEGMENT = 3
"""Its rows, its terms and its vectors."""
_OTHER_HANDLES = 16
"""Connections that are on their way out, and what a sync that was just begun has open."""
_QUESTIONS: tuple[tuple[str, dict[str, object]], ...] = (
    ("/v1/search", {"q": "stale leases"}),
    ("/v1/search", {"q": "release", "sync": "true"}),
    ("/v1/symbol", {"name": "Lease"}),
    ("/v1/refs", {"name": "release"}),
    ("/v1/outline", {"file": "src/lease.py"}),
    ("/v1/map", {}),
)


def gauge(daemon: Daemon, name: str) -> float:
    rows = daemon.get("/metrics").body.decode().splitlines()
    return next(float(row.split()[1]) for row in rows if row.startswith(f"cairn_{name} "))


def ask_all(daemon: Daemon, tree: Repo, number: int, deadline: float, told: list[tuple[int, float]]) -> None:
    """One client that asks one question after the other."""
    at = number
    while time.monotonic() < deadline:
        path, values = _QUESTIONS[at % len(_QUESTIONS)]
        at += 1
        begun = time.monotonic()
        found = daemon.get(path, {"Cairn-Client": f"client-{number}"}, root=tree.path, **values)
        told.append((found.status, time.monotonic() - begun))
        if found.status in (429, 503):
            time.sleep(found.document["error"]["retry_after_ms"] / 1000)


def under_load(daemon: Daemon, tree: Repo, seconds: float) -> list[tuple[int, float]]:
    told: list[tuple[int, float]] = []
    deadline = time.monotonic() + seconds
    threads = [
        threading.Thread(target=ask_all, args=(daemon, tree, number, deadline, told)) for number in range(_CLIENTS)
    ]
    for each in threads:
        each.start()
    number = 0
    while time.monotonic() < deadline:
        number += 1
        tree.write("src/moving.py", f"def moving_{number}() -> None: ...\n")
        time.sleep(0.2)
    for each in threads:
        each.join()
    return told


@pytest.mark.requirement("DMN.1")
def test_many_clients_while_the_tree_changes(tree: Repo) -> None:
    names = ("open_handles", "idle_codebases", "resident_bytes", "syncs_total")
    with serving() as daemon:
        unasked = gauge(daemon, "open_handles")
        under_load(daemon, tree, _SECONDS / 4)
        until(lambda: gauge(daemon, "inside") == 0)
        before = {name: gauge(daemon, name) for name in names}
        told = under_load(daemon, tree, _SECONDS)
        until(lambda: gauge(daemon, "inside") == 0)
        after = {name: gauge(daemon, name) for name in names}
    counts = collections.Counter(status for status, _ in told)
    times = sorted(seconds for status, seconds in told if status == 200)
    if _LONG:
        p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        print(f"\n{len(times)} answers, p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, {dict(counts)}")
        print(before, after)
    assert times
    assert set(counts) <= {200, 429, 503}
    assert after["syncs_total"] > before["syncs_total"]
    # Each codebase that is kept has the segments open of the snapshot that it was asked about last: as many as there
    # may be before they are merged, and the one that they are merged into.
    kept = after["idle_codebases"] * (FAN_IN + 1) * _HANDLES_OF_A_SEGMENT
    assert after["open_handles"] <= unasked + kept + _OTHER_HANDLES
    assert after["resident_bytes"] < before["resident_bytes"] + _GROWN_BYTES
