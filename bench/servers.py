"""Several MCP servers on one repository while it is edited and checked out: `python -m bench.servers FOLDER`.

Each server is a `cairn mcp` process of its own with a client of its own that asks, waits a little and asks again. One
thread edits files, and now and then checks out the other of two branches that differ in many files. What is measured is
the whole of a call as its client sees it, and what each answer says of its freshness. The folder is copied first.
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.measure import seconds_of, share
from bench.processes import cairn

SERVERS = 6
SECONDS = 60.0
PAUSE_S = 0.25
EDIT_EVERY_S = 0.25
CHECKOUT_EVERY_S = 10.0
APART = 100
"""Files in which the two branches differ."""
BAR_S = 2.0
_DECISION = re.compile(r'decision\\?"?:?\s*\\?"?(\w+)')


@dataclass
class Tally:
    """What the clients of all servers have seen."""

    seconds: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    edits: int = 0
    checkouts: int = 0
    cpu_s: float = 0.0


class Server:
    """One `cairn mcp` process."""

    def __init__(self, home: Path, root: Path) -> None:
        command, surroundings = cairn(home, "mcp", "--root", str(root), "--offline")
        self.process = subprocess.Popen(
            command, env=surroundings, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._numbers = itertools.count(1)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> str:
        number = next(self._numbers)
        self._say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if json.loads(line).get("id") == number:
                return line
        raise RuntimeError("the server has ended")

    def close(self) -> float:
        """CPU seconds of the process and its children, once it has ended."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        _, _, used = os.wait4(self.process.pid, 0)
        self.process.returncode = 0
        return used.ru_utime + used.ru_stime

    def _say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


def measure(folder: Path, work: Path, seconds: float = SECONDS, servers: int = SERVERS) -> Tally:
    """Play the whole scene on a copy of a folder."""
    root, home = work / "tree", work / "home"
    files = _two_branches(folder, root)
    command, surroundings = cairn(home, "index", str(root))
    subprocess.run(command, env=surroundings, check=True, capture_output=True)
    running = [Server(home, root) for _ in range(servers)]
    tally, guard, done = Tally(), threading.Lock(), threading.Event()
    clients = [
        threading.Thread(target=_ask, args=(server, files, number, tally, guard, done))
        for number, server in enumerate(running)
    ]
    for server in running:  # the first answer of a server pays for its start
        server.ask("tools/call", {"name": "search_codebase", "arguments": {"query": "read the settings"}})
    for client in clients:
        client.start()
    _disturb(root, files, tally, time.monotonic() + seconds)
    done.set()
    for client in clients:
        client.join()
    tally.cpu_s = sum(server.close() for server in running)
    return tally


def _ask(
    server: Server, files: list[str], number: int, tally: Tally, guard: threading.Lock, done: threading.Event
) -> None:
    chance = random.Random(number)
    while not done.wait(PAUSE_S * chance.uniform(0.5, 1.5)):
        name = Path(chance.choice(files))
        calls = (
            ("search_codebase", {"query": f"how {name.stem.replace('_', ' ')} works", "limit": 5}),
            ("search_codebase", {"query": name.stem, "limit": 5}),
            ("file_outline", {"path": str(name)}),
            ("find_references", {"path": str(name.parent), "symbol": name.stem}),
        )
        tool, arguments = chance.choice(calls)
        began = time.perf_counter()
        line = server.ask("tools/call", {"name": tool, "arguments": arguments})
        took = time.perf_counter() - began
        found = _DECISION.search(line)
        with guard:
            tally.seconds.append(took)
            tally.outcomes[found[1] if found else "no answer" if '"isError":true' in line else "answered"] += 1


def _disturb(root: Path, files: list[str], tally: Tally, end: float) -> None:
    chance, branches = random.Random(5), itertools.cycle(("other", "main"))
    checkout_at = time.monotonic() + CHECKOUT_EVERY_S / 2
    while time.monotonic() < end:
        if time.monotonic() >= checkout_at:
            _git(root, "checkout", "-q", "-f", next(branches))
            tally.checkouts += 1
            checkout_at += CHECKOUT_EVERY_S
        else:
            with (root / chance.choice(files)).open("a", encoding="utf-8") as file:
                file.write(f"\n# edit {tally.edits}\n")
            tally.edits += 1
        time.sleep(EDIT_EVERY_S)


def _two_branches(folder: Path, root: Path) -> list[str]:
    """Copy a folder as a repository with two branches; its Python files."""
    shutil.copytree(folder, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "main")
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*.py") if path.stat().st_size > 500)
    _git(root, "checkout", "-q", "-b", "other")
    for name in random.Random(3).sample(files, min(APART, len(files))):
        (root / name).write_text((root / name).read_text(encoding="utf-8") + "\n# other\n", encoding="utf-8")
    _git(root, "commit", "-q", "-a", "-m", "other")
    _git(root, "checkout", "-q", "main")
    return files


def _git(root: Path, *arguments: str) -> None:
    git = ("git", "-c", "user.name=b", "-c", "user.email=b@example.invalid", "-C", str(root))
    subprocess.run((*git, *arguments), check=True, capture_output=True)


def report(tally: Tally) -> str:
    """One row of the table."""
    outcomes = ", ".join(f"{count} {name}" for name, count in tally.outcomes.most_common())
    times = " | ".join(seconds_of(each) for each in (share(tally.seconds, 0.5), share(tally.seconds, 0.95)))
    return f"| {len(tally.seconds)} | {times} | {seconds_of(max(tally.seconds))} | {tally.cpu_s:.0f} s | {outcomes} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.servers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--servers", type=int, default=SERVERS)
    options = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cairn-servers-") as work:
        tally = measure(options.folder.resolve(), Path(work), options.seconds, options.servers)
    print(
        f"{options.servers} servers, {tally.edits} edits, {tally.checkouts} checkouts, {options.seconds:.0f} s;", end=""
    )
    print(f" {os.cpu_count()} cores, load {before:.1f} before")
    print("| calls | p50 | p95 | max | CPU of the servers | what they say of freshness |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(report(tally))


if __name__ == "__main__":
    main()
