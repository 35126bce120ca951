"""Indexing, syncing and asking, side by side with semble on one real tree."""

import shutil
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

from bench import peers
from bench.corpora import Questions, django, many, questions, victim
from bench.measure import Row, megabytes, milliseconds, seconds_of, share, table
from bench.processes import Program, Usage, cairn, run, run_by_turns
from bench.running import Running, Took, running_cairn

INDEX_ROUNDS = 2
MANY_FILES = 10_000
PROCESS_ROUNDS = 5
SYNC_ROUNDS = 7
ASK_ROUNDS = 3
_KINDS = ("prose", "symbol", "literal")
_WARM_BARS = {"prose": 0.5, "symbol": 0.05}


def section(work: Path) -> str:
    rows = Place(work, django(work)).rows(peers.semble(work))
    return f"The Django source distribution.\n\n{table(rows)}\n\n{_NOTES}"


def larger(work: Path) -> str:
    rows = Place(work, many(work, MANY_FILES), rounds=1, bars=False).rows(peers.semble(work))
    return f"A tree of {MANY_FILES:,} files, measured as the one before it; it has no bars of its own.\n\n{table(rows)}"


_NOTES = """semble runs with Cairn's bundled model and its own defaults, which index code alone; Cairn also indexes
documents, translations and configuration. semble has no sync of its own: a search first looks at every
file's mtime, and where one changed it loads what it has kept, makes that file anew and writes everything
again. So a search after an edit is held against a search after an edit, and in a running process what
semble's server does (load, renew, save) against `sync`. CPU counts child processes; memory while
indexing is that of the largest process, memory while querying counts shared pages once."""


class Place:
    """One tree with a home for each subject."""

    def __init__(self, work: Path, root: Path, *, rounds: int = INDEX_ROUNDS, bars: bool = True) -> None:
        """`bars` are set for one tree alone; another shows how its figures compare."""
        self.root = root
        self._rounds = rounds
        self._bars = bars
        self.home = work / "homes" / f"cairn-{root.name}"
        self.kept = work / "homes" / f"semble-{root.name}"
        self._asked = questions(root)
        self._victim = victim(root)
        self._edits = 0

    def rows(self, semble: peers.Semble) -> list[Row]:
        original = self._victim.read_bytes()
        try:
            rows = [*self._full(semble), *self._processes(semble), *self._in_running(semble), self._sizes()]
            return rows if self._bars else [replace(row, bar=None) for row in rows]
        finally:
            self._victim.write_bytes(original)

    def _full(self, semble: peers.Semble) -> list[Row]:
        theirs = semble.environment(self.kept)
        search = semble.command("search", self._asked.prose[0], str(self.root))
        used = run_by_turns(
            {
                "reference": Program(*_by_reference(cairn(self.home, "index", str(self.root))), _removing(self.home)),
                "cairn": Program(*cairn(self.home, "index", str(self.root)), _removing(self.home)),
                "semble": Program(search, theirs, _removing(self.kept)),
            },
            self._rounds,
            warm_up=False,
        )
        reference, ours, peer = used["reference"], used["cairn"], used["semble"]
        more = self.kept.with_name(f"{self.kept.name}-all")
        _removing(more)()
        everything = run([*search, "--content", "all"], semble.environment(more))
        _removing(more)()
        return [
            Row(
                "full index, wall", seconds_of(ours.wall), f"semble: {seconds_of(peer.wall)}", *_over(ours, peer, 0.25)
            ),
            Row(
                "full index, wall, semble with documents too",
                seconds_of(ours.wall),
                f"semble --content all: {seconds_of(everything.wall)}",
                ours.wall / everything.wall,
            ),
            Row("full index, CPU", seconds_of(ours.cpu), f"semble: {seconds_of(peer.cpu)}", ours.cpu / peer.cpu),
            Row(
                "full index, wall, Python kernel",
                seconds_of(reference.wall),
                f"semble: {seconds_of(peer.wall)}",
                reference.wall / peer.wall,
            ),
            Row(
                "full index, peak memory of a process",
                megabytes(ours.peak),
                f"semble: {megabytes(peer.peak)}",
                ours.peak / peer.peak,
            ),
        ]

    def _processes(self, semble: peers.Semble) -> list[Row]:
        """New processes: a search after an edit, and searches of a tree that stands still."""
        theirs = semble.environment(self.kept)
        ours_for = self._ours
        query = self._asked.prose[1]
        used = run_by_turns(
            {
                "cairn": Program(*ours_for(query), self._edit),
                "semble": Program(semble.command("search", query, str(self.root)), theirs, self._edit),
            },
            PROCESS_ROUNDS,
        )
        edited, peer = used["cairn"], used["semble"]
        rows = [
            Row(
                "search after one edit, new process, CPU",
                seconds_of(edited.cpu),
                f"semble: {seconds_of(peer.cpu)}",
                edited.cpu / peer.cpu,
            ),
            Row(
                "search after one edit, new process, wall",
                seconds_of(edited.wall),
                f"semble: {seconds_of(peer.wall)}",
                edited.wall / peer.wall,
            ),
        ]
        for kind, text in zip(_KINDS, self._one_of_each(), strict=True):
            used = run_by_turns(
                {
                    "cairn": Program(*ours_for(text)),
                    "only reads": Program(*ours_for(text, "--no-sync")),
                    "semble": Program(semble.command("search", text, str(self.root)), theirs),
                },
                PROCESS_ROUNDS,
            )
            peer = used["semble"]
            rows += (
                Row(what, seconds_of(ours.wall), f"semble: {seconds_of(peer.wall)}", *_over(ours, peer, bar))
                for what, ours, bar in (
                    (f"cold search, {kind}", used["cairn"], 0.15),
                    (f"cold search, {kind}, --no-sync", used["only reads"], 0.10),
                )
            )
        return rows

    def _in_running(self, semble: peers.Semble) -> list[Row]:
        with ExitStack() as stack:
            ours = stack.enter_context(running_cairn(self.home, self.root))
            theirs = stack.enter_context(semble.running(self.root, self.kept))
            ours.ask("sync")
            theirs.ask("sync")
            asked = ask_by_turns({"cairn": ours, "semble": theirs}, self._asked)
            rows = []
            for kind in _KINDS:
                mine, peer = asked["cairn"][kind], asked["semble"][kind]
                rows.append(
                    Row(
                        f"warm query, {kind}, p50 (p95)",
                        f"{seconds_of(median(mine))} ({seconds_of(share(mine, 0.95))})",
                        f"semble: {seconds_of(median(peer))} ({seconds_of(share(peer, 0.95))})",
                        median(mine) / median(peer),
                        _WARM_BARS.get(kind),
                    )
                )
            memory = ours.memory(), theirs.memory()
            rows.append(
                Row(
                    "memory after these queries",
                    megabytes(memory[0]),
                    f"semble: {megabytes(memory[1])}",
                    memory[0] / memory[1],
                )
            )
            return [*rows, *self._syncs(ours, theirs)]

    def _syncs(self, ours: Running, theirs: Running) -> list[Row]:
        edited: dict[str, list[Took]] = {"cairn": [], "semble": []}
        nothing: dict[str, list[float]] = {"cairn": [], "git": []}
        for number in range(SYNC_ROUNDS + 1):
            for name, subject in (("cairn", ours), ("semble", theirs)):
                self._edit()
                took = subject.ask("sync")
                if number:
                    edited[name].append(took)
            status = ("git", "-C", str(self.root), "status", "--porcelain")
            ours.ask("sync")
            quiet = ours.ask("sync").wall
            stood = run(status, cairn(self.home)[1]).wall
            if number:
                nothing["cairn"].append(quiet)
                nothing["git"].append(stood)
        mine, peer = (median(took.cpu for took in edited[name]) for name in ("cairn", "semble"))
        waited, their_wait = (median(took.wall for took in edited[name]) for name in ("cairn", "semble"))
        still, status_s = median(nothing["cairn"]), median(nothing["git"])
        return [
            Row(
                "sync of one edit, running, CPU",
                milliseconds(mine),
                f"semble: {milliseconds(peer)}",
                mine / peer,
                0.03,
            ),
            Row(
                "sync of one edit, running, wall",
                milliseconds(waited),
                f"semble: {milliseconds(their_wait)}",
                waited / their_wait,
            ),
            Row(
                "sync, nothing changed, running",
                milliseconds(still),
                f"git status: {milliseconds(status_s)}",
                still / status_s,
                1,
            ),
        ]

    def _sizes(self) -> Row:
        ours, theirs = size_of(self.home), size_of(self.kept)
        return Row("size on disk", megabytes(ours), f"semble: {megabytes(theirs)}", ours / theirs, 1)

    def _ours(self, text: str, *flags: str) -> tuple[list[str], dict[str, str]]:
        return cairn(self.home, "search", *flags, text, str(self.root))

    def _one_of_each(self) -> tuple[str, str, str]:
        return self._asked.prose[2], self._asked.symbol[0], self._asked.literal[0]

    def _edit(self) -> None:
        self._edits += 1
        with self._victim.open("a", encoding="utf-8") as file:
            file.write(f"# edit {self._edits}\n")


def ask_by_turns(subjects: dict[str, Running], asked: Questions) -> dict[str, dict[str, list[float]]]:
    """Wall seconds of each kind of question; every question is asked once before it counts."""
    found: dict[str, dict[str, list[float]]] = {name: {kind: [] for kind in _KINDS} for name in subjects}
    for number in range(ASK_ROUNDS + 1):
        for kind in _KINDS:
            for text in getattr(asked, kind):
                for name, subject in subjects.items():
                    took = subject.ask("query", text)
                    if number:
                        found[name][kind].append(took.wall)
    return found


def _by_reference(program: tuple[list[str], dict[str, str]]) -> tuple[list[str], dict[str, str]]:
    command, environment = program
    return command, environment | {"CAIRN_KERNEL": "python"}


def size_of(folder: Path) -> int:
    """Bytes that a folder takes on the disk."""
    told = subprocess.run(("du", "-s", "--block-size=1", str(folder)), check=True, capture_output=True, text=True)
    return int(told.stdout.split()[0])


def _over(ours: Usage, theirs: Usage, bar: float) -> tuple[float, float]:
    return ours.wall / theirs.wall, bar


def _removing(folder: Path) -> Callable[[], None]:
    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    return remove
