"""Cached reads along the history of a real repository: what they save, and whether any of them is wrong."""

import hashlib
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from bench.context import Context, WrongError
from bench.measure import Row, table
from cairn.codebase.codebase import Codebase
from cairn.readcache.answers import ReadRequest, ReadSource
from cairn.readcache.branches import Branches
from cairn.readcache.cache import ReadCache
from cairn.readcache.lines import split
from cairn.readcache.log import NewEntry, ReadLog, Session
from cairn.readcache.meta import FULL_SCOPE, Mode, ReadMeta
from cairn.readcache.trust import Kind
from cairn.surfaces.mcp.access import access_to
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.size import size_of
from cairn.surfaces.mcp.tools import BY_NAME

COMMITS = 120
FILES_A_COMMIT = 4
SMALL_BYTES = 2_000
SMALL_READS = 300
COMPACT_EVERY = 80
"""Reads between two compactions of the conversation."""
ENTRIES = 10_000
ABOUT = """An agent works through the last {commits} commits of this repository: before each edit it reads the files
that the commit touches, after it the same files again and some lines of one of them, and now and then a file of before.
Every {every} reads its host compacts the conversation and says so. A checker that holds the texts that were given,
and nothing else, works out from each answer what the file must be."""


@dataclass
class Tally:
    modes: Counter[str] = field(default_factory=Counter)
    given: int = 0
    plain: int = 0
    wrong: list[str] = field(default_factory=list)
    compactions: int = 0

    @property
    def reads(self) -> int:
        return sum(self.modes.values())


class Agent:
    """One conversation."""

    def __init__(self, home: str, repository: Path) -> None:
        self.cache = ReadCache(home)
        self.cache.open_session("bench", "linear")
        self.repository = repository
        self.context = Context()
        self.tally = Tally()

    def read(self, path: str, data: bytes, lines: tuple[int, int] | None = None) -> None:
        start, end = lines or (None, None)
        source = ReadSource(str(self.repository), path, data, hashlib.sha256(data).hexdigest())
        answer = self.cache.read(ReadRequest(start, end, "bench"), source)
        self.tally.modes[answer.mode.value] += 1
        self.tally.given += len(answer.text.encode())
        wanted = split(data.decode())[answer.start_line - 1 : answer.end_line]
        self.tally.plain += len("".join(wanted).encode())
        try:
            self.context.take(answer, data)
        except WrongError as error:
            self.tally.wrong.append(f"{path}: {answer.mode}: {error}")
        if self.tally.reads % COMPACT_EVERY == 0:
            self.cache.event("bench", "compaction")
            self.context.forget()
            self.tally.compactions += 1


def section(_: Path) -> str:
    repository = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as home:
        tally = converse(Agent(home, repository), repository)
    if tally.wrong:
        raise AssertionError(tally.wrong[:5])
    modes = ", ".join(f"{count} {mode}" for mode, count in sorted(tally.modes.items()))
    share = 1 - tally.given / tally.plain
    lines = [
        ABOUT.format(commits=COMMITS, every=COMPACT_EVERY),
        "",
        f"**{tally.reads} reads** ({modes}), {tally.compactions} compactions: {tally.plain:,} bytes asked for, "
        f"{tally.given:,} given, **{share:.0%} saved**. Answers that the checker calls wrong: **{len(tally.wrong)}**.",
        "",
        _about_small(),
        "",
        table(_timings()),
    ]
    return "\n".join(lines)


def _about_small() -> str:
    count, cached, plain = small_reads()
    return (
        f"{count} reads by chance of files of at most {SMALL_BYTES:,} bytes over MCP: {cached:,} bytes with a session, "
        f"{plain:,} without, **{1 - cached / plain:.0%} saved**, all that is around the lines counted."
    )


def small_reads() -> tuple[int, int, int]:
    """Reads of small files by chance, as an MCP client gets them: how many, bytes with a session, bytes without."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, CAIRN_HOME=f"{folder}/home"):
        root = Path(folder).resolve() / "tree"
        shutil.copytree(Path(__file__).parents[1] / "src", root, ignore=shutil.ignore_patterns("__pycache__", "*.npy"))
        files = sorted(str(each.relative_to(root)) for each in root.rglob("*.py") if each.stat().st_size <= SMALL_BYTES)
        with Codebase(str(root)) as codebase:
            codebase.index()
        service = Service(f"{folder}/home")
        ReadCache(service.home).open_session("s", "linear")
        call = ToolCall(access_to([str(root)]))
        drawn, given = random.Random(4).choices(files, k=SMALL_READS), []
        for session in ({"session": "s"}, {}):
            texts = [BY_NAME["read_file"].call(service, call, {"path": name, **session}) for name in drawn]
            given.append(sum(size_of(text) for text in texts))
        service.close()
    return SMALL_READS, given[0], given[1]


def converse(agent: Agent, repository: Path, commits: int = COMMITS) -> Tally:
    chance = random.Random(8)
    files: dict[str, bytes] = {}
    for commit in _git(repository, "rev-list", "--no-merges", f"--max-count={commits}", "HEAD").split()[::-1]:
        names = _git(repository, "diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit).split("\0")
        touched = []
        for name in filter(None, names):
            before, after = _content(repository, f"{commit}^", name), _content(repository, commit, name)
            if before is not None and after is not None:
                touched.append((name, before, after))
        for name, before, after in touched[:FILES_A_COMMIT]:
            agent.read(name, before)
            files[name] = after
        for name, _, after in touched[:FILES_A_COMMIT]:
            agent.read(name, after)
            lines = len(split(after.decode()))
            start = chance.randint(1, max(1, lines - 40))
            agent.read(name, after, (start, min(lines, start + 40)))
        if files:
            name = chance.choice(sorted(files))
            agent.read(name, files[name])
    return agent.tally


def _content(repository: Path, commit: str, name: str) -> bytes | None:
    done = subprocess.run(
        ("git", "-C", str(repository), "cat-file", "blob", f"{commit}:{name}"), capture_output=True, check=False
    )
    if done.returncode or not done.stdout or b"\0" in done.stdout:
        return None
    try:
        done.stdout.decode()
    except UnicodeDecodeError:
        return None
    return done.stdout


def _git(repository: Path, *arguments: str) -> str:
    return subprocess.run(("git", "-C", str(repository), *arguments), capture_output=True, check=True, text=True).stdout


def _timings() -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        log = ReadLog(home)
        session = Session("long", "linear", "strict")
        log.open_session(session)
        hashes = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(500)]
        drafts = [
            NewEntry(Kind.READ, "/r", ReadMeta(f"/r/{n % 500}.py", FULL_SCOPE, hashes[n % 500], Mode.FULL))
            for n in range(ENTRIES)
        ]
        log.append("long", None, drafts)
        cold = min(_cold(log, session) for _ in range(5))
        branches = Branches(log)
        branches.knowledge(session, ENTRIES)
        grown = log.append("long", ENTRIES, drafts[:1]) or [0]
        began = time.perf_counter()
        branches.knowledge(session, grown[0])
        next_one = time.perf_counter() - began
        cache = ReadCache(home)
        cache.open_session("warm", "linear")
        data = b"".join(b"line %d of a file\n" % number for number in range(1_000))
        source = ReadSource("/r", "a.py", data, hashlib.sha256(data).hexdigest())
        times = []
        for _ in range(30):
            began = time.perf_counter()
            cache.read(ReadRequest(session="warm"), source)
            times.append(time.perf_counter() - began)
    warm = sorted(times)[len(times) // 2]
    return [
        Row(f"replay of {ENTRIES:,} entries, cold", f"{cold * 1000:.0f} ms", "bar: 150 ms"),
        Row("the next entry after that", f"{next_one * 1000:.1f} ms", ""),
        Row("a cached read of 1,000 lines, warm", f"{warm * 1000:.1f} ms", "bar: 5 ms"),
    ]


def _cold(log: ReadLog, session: Session) -> float:
    began = time.perf_counter()
    assert Branches(log).knowledge(session, ENTRIES) is not None
    return time.perf_counter() - began
