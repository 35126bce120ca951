"""The loop of a subject in a running process: a JSON line in, what to do; a JSON line out, what it took.

Also runs under the Python of a peer, so it needs the standard library alone.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

Action = Callable[..., object]


def answer(actions: Mapping[str, Action]) -> None:
    """Serve until the input ends; wall and CPU are those of the action and of its children."""
    # What libraries print must not get between the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        name, arguments = json.loads(line)
        cpu, started = _cpu(), time.perf_counter()
        value = actions[name](*arguments)
        wall = time.perf_counter() - started
        answered: dict[str, Any] = {"wall": wall, "cpu": _cpu() - cpu, "value": value}
        out.write(json.dumps(answered) + "\n")
        out.flush()


def _cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
