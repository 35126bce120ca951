"""The daemon on a real tree: questions over its socket, and the command line that asks it."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.corpora import django, questions
from bench.measure import Row, seconds_of, share, table
from bench.processes import ChildError, Program, cairn, environment, run, run_by_turns
from cairn.daemon.client import SOCKET, connected

ROUNDS = 3
PROCESS_ROUNDS = 15
_WARM_S = 0.010
_START = 3.0
_PROSE = (
    "how are migrations applied in order",
    "where is the csrf token checked",
    "session expiry cookie",
    "prefetch related objects cache",
    "parse a multipart upload",
    "template tag url reverse",
    "password hasher iterations",
    "how does atomic handle savepoints",
    "signals dispatch weak references",
    "async view middleware adaptation",
    "static files storage manifest hash",
    "form validation clean method errors",
    "database router allow relation",
    "email backend smtp connection",
    "resolve url path converters",
    "serialize natural keys",
    "autodetector rename field detection",
    "bulk create ignore conflicts",
    "window functions frame clause",
    "content types generic foreign key",
)
_ABOUT = """Django's source distribution, indexed and held open by a daemon that nobody else asks. Each of {count}
different questions (sentences, names and lines of the tree) is asked {rounds} times over one connection to the socket,
by turns; the last snapshot answers, held against the files it cites. The command is started anew each time, beside a
Python that does nothing; what it takes beyond the question itself is held against that."""


def section(work: Path) -> str:
    root = django(work)
    home = work / "homes" / "daemon"
    run(*cairn(home, "index", str(root)))
    asked = questions(root)
    texts = (*_PROSE, *asked.prose, *asked.symbol, *asked.literal)
    with serving(home) as pid:
        began = _cpu_of(pid)
        first, warm = _asked(home, root, texts)
        cpu = (_cpu_of(pid) - began) / (len(first) + len(warm))
        question = texts[0]
        used = run_by_turns(
            {
                "nothing": Program([sys.executable, "-c", "pass"], environment()),
                "cairn": Program(*cairn(home, "search", "--no-sync", "--", question, str(root))),
                "direct": Program(*cairn(home, "search", "--no-sync", "--offline", "--", question, str(root))),
            },
            PROCESS_ROUNDS,
        )
    start = used["cairn"].wall - median(warm)
    nothing = used["nothing"].wall
    rows = [
        Row(
            "question over the socket, p50 (p95)",
            f"{seconds_of(median(warm))} ({seconds_of(share(warm, 0.95))})",
            f"bar: {seconds_of(_WARM_S)}",
            median(warm) / _WARM_S,
            1.0,
        ),
        Row(
            "the same, the first time that it is asked",
            f"{seconds_of(median(first))} ({seconds_of(share(first, 0.95))})",
            "",
        ),
        Row("CPU of the daemon, a question on average", seconds_of(cpu), ""),
        Row(
            "`cairn search --no-sync` less the question",
            f"{seconds_of(start)} of {seconds_of(used['cairn'].wall)}",
            f"python -c pass: {seconds_of(nothing)}",
            start / nothing,
            _START,
        ),
        Row(
            "`cairn search --no-sync`, CPU of the process",
            seconds_of(used["cairn"].cpu),
            f"python -c pass: {seconds_of(used['nothing'].cpu)}",
            used["cairn"].cpu / used["nothing"].cpu,
        ),
        Row(
            "`cairn search --no-sync`, wall",
            seconds_of(used["cairn"].wall),
            f"--offline: {seconds_of(used['direct'].wall)}",
            used["cairn"].wall / used["direct"].wall,
        ),
    ]
    return f"{_ABOUT.format(count=len(texts), rounds=ROUNDS)}\n\n{table(rows)}"


@contextlib.contextmanager
def serving(home: Path) -> Iterator[int]:
    command, surroundings = cairn(home, "serve", "--no-watch", "--json")
    process = subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise ChildError("the daemon did not start")
        yield process.pid
    finally:
        process.terminate()
        process.communicate()


def _cpu_of(pid: int) -> float:
    """Seconds that a process has worked for."""
    told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


class _Line(http.client.HTTPConnection):
    def __init__(self, home: Path) -> None:
        super().__init__("cairn")
        self._path = str(home / SOCKET)

    def connect(self) -> None:
        self.sock = socket.socket(fileno=connected(self._path).detach())
        self.sock.setblocking(True)


def _asked(home: Path, root: Path, texts: Sequence[str]) -> tuple[list[float], list[float]]:
    """Seconds of every question when it is asked first, and later."""
    first: list[float] = []
    later: list[float] = []
    with contextlib.closing(_Line(home)) as line:
        # Whatever is opened once is opened by a question that isn't among them.
        _ask(line, root, "anything at all")
        for number in range(ROUNDS + 1):
            (later if number else first).extend(_ask(line, root, text) for text in texts)
    return first, later


def _ask(line: http.client.HTTPConnection, root: Path, text: str) -> float:
    query = urllib.parse.urlencode({"q": text, "root": str(root)})
    began = time.perf_counter()
    line.request("GET", f"/v1/search?{query}")
    answer = line.getresponse()
    body = answer.read()
    took = time.perf_counter() - began
    if answer.status != http.client.OK:
        raise ChildError(f"the daemon answered {json.loads(body)['error']['message']}")
    return took
