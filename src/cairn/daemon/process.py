"""The daemon as a process of its own: started in the background, and ended."""

import contextlib
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from cairn.base.environment import child_environment
from cairn.base.errors import BusyError, CairnError, DeadlineError, RefusedError, StorageError
from cairn.base.owner import Owner, is_proven_alive
from cairn.daemon.folder import DaemonFolder, RunningDaemon, opened

_START_S = 60.0
_NOTICE_AFTER_S = 1.0
END_S = 20.0
"""How long a daemon may take to finish its requests when it is asked to end; its own limit is shorter."""
_GONE_S = 5.0
"""How long the system may take to remove a killed process."""
_POLL_S = 0.02
_MOST_LOG_BYTES = 1 << 20


def start(place: DaemonFolder, options: Sequence[str]) -> RunningDaemon:
    """Start the daemon and wait until it listens; else raise the error that it reported, or DeadlineError."""
    place.make()
    if place.running() is not None:
        # `held` raises the right error if another daemon runs.
        with place.held():
            pass
    # The daemon reports its token, or why it failed, to its starter alone and to no file.
    process, before = _begun(place, options, subprocess.PIPE)
    found = None
    try:
        said = _first_words(process)
        found = place.running() if said is not None and "socket" in said else None
    finally:
        # If we report a failure, the daemon must not come up later.
        if found is None:
            process.kill()
            process.wait()
    if found is not None:
        return found
    hint = f"Run `cairn serve` to watch it start; {place.log} has what it said."
    if said is None:
        late = f"The daemon was not ready within {_START_S:.0f} s and was ended: {_last_words(place, before)}"
        raise DeadlineError(late, hint=hint)
    raise error_from(said) or StorageError(f"The daemon did not start: {_last_words(place, before)}", hint=hint)


def begin(place: DaemonFolder, idle_s: int) -> None:
    """Let a daemon start in the background, and don't wait for it: of several that begin at once one stays."""
    place.make()
    process, _ = _begun(place, ("--by-itself", f"--idle-exit={idle_s}"), subprocess.DEVNULL)
    # It outlives us, and nobody here asks what became of it.
    process.returncode = 0


def _begun(place: DaemonFolder, options: Sequence[str], out: int) -> "tuple[subprocess.Popen[bytes], int]":
    """The process of a daemon, and how long its log was before."""
    log = _log_of(place)
    try:
        before = os.fstat(log).st_size
        process = subprocess.Popen(
            (sys.executable, "-P", "-m", "cairn", "serve", "--json", *options),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=log,
            cwd="/",
            env=child_environment((), ours=True),
            start_new_session=True,
        )
    finally:
        os.close(log)
    return process, before


def _first_words(process: "subprocess.Popen[bytes]") -> dict[str, Any] | None:
    """The daemon's first report: that it listens, or why it doesn't; None if it says nothing in time."""
    line = process.stdout
    assert line is not None
    heard, deadline = b"", time.monotonic() + _START_S
    with line, selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        while not heard.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            part = os.read(line.fileno(), 65_536)
            if not part:
                break
            heard += part
    try:
        said = json.loads(heard)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def end(place: DaemonFolder, noted: Callable[[str], None]) -> bool | None:
    """End a home's daemon. Returns whether it had to be killed, None if none runs; `told` is called in a long wait."""
    running = place.running()
    if running is None:
        return None
    asked: Owner | None = None
    begun, waits, killed = time.monotonic(), False, False
    while running is not None:
        owner, waited = running.owner, time.monotonic() - begun
        if owner is not None and owner != asked and is_proven_alive(owner):
            asked = owner
            # A process that is stopped gets the first signal when it continues.
            _signal(owner, signal.SIGTERM, signal.SIGCONT)
        if asked is None and waited >= _GONE_S:
            raise _out_of_reach(place, owner)
        if asked is not None and waited >= _NOTICE_AFTER_S and not waits:
            waits = True
            noted(f"the daemon (process {asked.pid}) is still at work, and is killed if it goes on for {END_S:.0f} s")
        if asked is not None and waited >= END_S and not killed:
            killed = True
            _signal(asked, signal.SIGKILL)
        if asked is not None and waited >= END_S + _GONE_S:
            raise BusyError(
                f"The daemon (process {asked.pid}) was killed and doesn't end: the system keeps it.",
                hint=f"Run `ps -o stat,wchan -p {asked.pid}` to see what it waits for, then `cairn stop` again.",
            )
        time.sleep(_POLL_S)
        running = place.running()
    return killed


def _out_of_reach(place: DaemonFolder, owner: Owner | None) -> BusyError:
    if owner is not None:
        return BusyError(
            f"The daemon (process {owner.pid} of {owner.hostname}) can't be seen from here.",
            hint="Run `cairn stop` on the machine, or in the container, where it runs.",
        )
    return BusyError(
        "A process that doesn't say who it is holds the lock of the daemon.",
        hint=f"Run `fuser {shlex.quote(place.lock)}` to see which, and end it.",
    )


def _signal(owner: Owner, *signs: signal.Signals) -> None:
    """Send signals to the very process that holds the lock, not to another one that reuses its id."""
    try:
        for sign in signs:
            if is_proven_alive(owner):
                os.kill(owner.pid, sign)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise RefusedError(
            f"The daemon (process {owner.pid}) is another user's.", hint="Run `cairn stop` as that user."
        ) from error


def _log_of(place: DaemonFolder) -> int:
    log = _opened_log(place)
    if os.fstat(log).st_size <= _MOST_LOG_BYTES:
        return log
    os.close(log)
    with contextlib.suppress(OSError):
        # If the old log can't be renamed, it is appended to.
        os.replace(place.log, f"{place.log}.1")
    return _opened_log(place)


def _opened_log(place: DaemonFolder) -> int:
    return opened(place.log, os.O_RDWR | os.O_CREAT | os.O_APPEND)


def _last_words(place: DaemonFolder, before: int) -> str:
    """The end of the log, behind the bytes that were there before."""
    fd = _opened_log(place)
    try:
        data = os.pread(fd, 4_096, max(before, os.fstat(fd).st_size - 4_096))
    finally:
        os.close(fd)
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:500] if lines else "it said nothing."


def error_from(document: dict[str, Any]) -> CairnError | None:
    """The error in a JSON envelope; None if the document holds no error."""
    noted = document.get("error")
    if not isinstance(noted, dict):
        return None
    kinds = [CairnError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    found = next((kind for kind in kinds if kind.code == noted.get("code")), CairnError)
    message, hint, pause = str(noted.get("message")), str(noted.get("hint", "")), noted.get("retry_after_ms")
    return found(message, hint=hint, retry_after_ms=pause if type(pause) is int else None)
