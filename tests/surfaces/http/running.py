"""A real daemon in a process of its own, and clients that speak to it over its socket."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cairn.daemon.client import connected
from tests.trees import Repo

PATIENCE_S = 60.0


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


def dialled(path: str) -> socket.socket:
    """A connection with all that a socket can do."""
    line = socket.socket(fileno=connected(path).detach())
    line.settimeout(PATIENCE_S)
    return line


class _Line(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("cairn", timeout=PATIENCE_S)
        self._path = path

    def connect(self) -> None:
        self.sock = dialled(self._path)


@dataclass
class Daemon:
    home: Path
    process: "subprocess.Popen[bytes]"
    told: dict[str, Any] = field(default_factory=dict)
    logged: str = ""
    """What it wrote to its log, once it has ended."""

    @property
    def path(self) -> str:
        return str(self.told["socket"])

    def get(self, path: str, headers: Mapping[str, str] | None = None, **values: object) -> Answer:
        return self.ask("GET", path, headers, None, **values)

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None, body: bytes | None, **values: object
    ) -> Answer:
        query = urllib.parse.urlencode(values, doseq=True)
        with contextlib.closing(_Line(self.path)) as line:
            line.request(method, f"{path}?{query}" if query else path, body, dict(headers or {}))
            found = line.getresponse()
            return Answer(found.status, dict(found.headers), found.read())

    def raw(self) -> socket.socket:
        return dialled(self.path)

    def is_alive(self) -> bool:
        return self.get("/v1/ping").status == 200

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)


@contextlib.contextmanager
def serving(
    *options: str, home: Path | None = None, handles: int | None = None, **environment: str
) -> Iterator[Daemon]:
    """A daemon that listens, with so many descriptors at most; it is ended with the test, however that ends."""
    limited = ("bash", "-c", 'ulimit -n "$0" && exec "$@"', str(handles)) if handles is not None else ()
    place = Path(os.environ["CAIRN_HOME"]) if home is None else home
    process = subprocess.Popen(
        (*limited, sys.executable, "-m", "cairn", "serve", "--json", *options),
        env=environment_of_test() | {"CAIRN_HOME": str(place)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            assert process.stderr is not None
            raise AssertionError(process.stderr.read().decode())
        daemon = Daemon(place, process, json.loads(line))
        yield daemon
    finally:
        process.terminate()
        try:
            _, logged = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            _, logged = process.communicate()
    daemon.logged = logged.decode("utf-8", "replace")


def environment_of_test() -> dict[str, str]:
    """Of the test, as all tests have it that share a daemon."""
    return {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}


def until(found: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
    """The first thing that is found; a test fails rather than waits for ever."""
    deadline = time.monotonic() + patience_s
    while True:
        answer = found()
        if answer:
            return answer
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def small(path: Path) -> Repo:
    """A tree with something to find."""
    repo = Repo.create(path)
    repo.write("src/lease.py", 'class Lease:\n    """A lease."""\n\n    def release(self) -> None:\n        free()\n')
    repo.write("src/free.py", "from src.lease import Lease\n\n\ndef free() -> None:\n    Lease().release()\n")
    repo.write("docs/leases.md", "# Leases\n\nStale leases are taken over.\n")
    repo.commit()
    return repo
