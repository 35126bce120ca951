"""A worker in a process of its own: it outlives the command that started it."""

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from cairn.base.environment import child_environment

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase

_LOG = "worker.log"
_MOST_BYTES = 1 << 20


def start_worker(codebase: "Codebase") -> int:
    """Start `cairn jobs --run` beside us, with a private log in the store's folder; its process id."""
    layout = codebase.store().layout
    path = os.path.join(layout.logs, _LOG)
    log = layout.open_lock(path, os.O_APPEND)
    try:
        if os.fstat(log).st_size > _MOST_BYTES:
            os.ftruncate(log, 0)
        shared = ("--shared-store", os.path.abspath(codebase.shared_store)) if codebase.shared_store else ()
        # -P: modules in the working directory must not be imported in place of Cairn's.
        child = subprocess.Popen(
            (sys.executable, "-P", "-m", "cairn", "jobs", "--run", *shared, "--", codebase.root.path),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=child_environment((codebase.root.path,), ours=True),
            start_new_session=True,
        )
    finally:
        os.close(log)
    return child.pid
