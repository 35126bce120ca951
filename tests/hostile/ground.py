"""A small repository with an index, restored for every round, and the questions that tell whether it is sound."""

import json
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from cairn.codebase.codebase import Codebase
from tests.edit.samples import HEAD, tell
from tests.hostile.forked import TRACEBACK, Ended, Forked
from tests.semantic.fakes import put_tool
from tests.trees import Repo, write

ENVIRONMENT = {
    "CAIRN_EMBED_PROVIDER": "hashing",
    "CAIRN_RETAIN_SNAPSHOTS": "1",
    "CAIRN_RETAIN_AGE_MS": "0",
    "CAIRN_SYNC_WAIT_S": "30",
}
MARK = "marker_"
TARGET = HEAD + "core/target()."
OWNERS = {
    "core.py": "def target(key):\n    return key\n",
    "one.py": "from core import target\n\n\ndef one():\n    return target(1)\n",
    "two.py": "from core import target\n\n\ndef two():\n    return target(2), target(22)\n",
    "sub/three.py": "from core import target\n\n\ndef three():\n    return target(3)\n",
    "sub/four.py": "from core import target\n\n\ndef four():\n    return target(4)\n",
    "far/five.py": "from core import target\n\n\ndef five():\n    return target(5)\n",
}
"""Files of which each uses one function: a rename of it writes all of them."""
_MARKED = {
    path: {("!target" if path == "core.py" else "target@1"): TARGET}
    | {f"target@{number}": TARGET for number in range(2, text.count("target") + 1)}
    for path, text in OWNERS.items()
}
_LEFTOVERS = (".tmp-", ".staged-", "cairn-trash-", ".cairn-")


@dataclass(slots=True)
class Ground:
    """One repository and home beneath `base`, as `prepare` left them and as a round makes them."""

    base: Path
    commands: Forked
    generator: random.Random
    said: list[str] = field(default_factory=list)
    hung: bool = False
    killed: bool = False
    """Whether a command of this round was killed before it ended."""

    @property
    def repo(self) -> Path:
        return self.base / "now" / "repo"

    @property
    def home(self) -> Path:
        return self.base / "now" / "home"

    @property
    def tool(self) -> Path:
        """Where the indexer that stands in for scip-python lies, and says that it has ended."""
        return self.base / "now" / "tool"

    def prepare(self) -> None:
        """Make the repository, index it twice so that it has several segments, and keep a copy."""
        repo = Repo.create(self.repo)
        put_tool(self.tool)
        write(self.repo, "pyproject.toml", '[project]\nname = "x"\n')
        for path, text in OWNERS.items():
            write(self.repo, path, text)
        for number in range(30):
            write(self.repo, f"pack{number % 4}/file{number}.py", _text(number, 0))
        repo.commit()
        self.must("index")
        for number in range(5):
            write(self.repo, f"pack{number % 4}/file{number}.py", _text(number, 1))
        self.must("index")
        with Codebase(str(self.repo)) as codebase:
            tell(codebase, _MARKED)
        for made in self.home.glob("*/*/staging/*"):
            # The facts were published by this process, which lives on.
            shutil.rmtree(made)
        shutil.copytree(self.base / "now", self.base / "kept", symlinks=True)

    def restore(self) -> None:
        """Begin a round: everything as it was prepared."""
        self.said, self.hung, self.killed = [], False, False
        shutil.rmtree(self.base / "now")
        shutil.copytree(self.base / "kept", self.base / "now", symlinks=True)

    def run(self, *arguments: str, kill_after: float | None = None, once: Path | None = None) -> Ended:
        """A command in the repository; a hang, a traceback or an error without a hint is noted."""
        cwd = self.repo if self.repo.exists() else self.base
        ended = self.commands.run(*arguments, cwd=cwd, kill_after=kill_after, once=once)
        shown = f"{' '.join(arguments)} -> {ended.code}: {(ended.out + ended.err).strip()[-400:]}"
        self.killed |= ended.killed and not ended.hung
        if ended.hung:
            self.hung = True
            self.said.append(f"hung: {shown}")
        elif not ended.killed:
            if "Traceback" in ended.err or ended.code in (1, TRACEBACK):
                self.said.append(f"a defect: {shown}")
        return ended

    def must(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> Ended:
        """A command that has to end with one of these codes."""
        ended = self.run(*arguments)
        if ended.code not in codes:
            self.said.append(f"{' '.join(arguments)} -> {ended.code}: {(ended.out + ended.err).strip()[-400:]}")
        return ended

    def change(self) -> None:
        """Edit, add and remove some files; which ones is the generator's choice."""
        for _ in range(self.generator.randrange(1, 6)):
            number = self.generator.randrange(34)
            path = self.repo / f"pack{number % 4}/file{number}.py"
            if self.generator.random() < 0.3:
                path.unlink(missing_ok=True)
            else:
                write(self.repo, str(path.relative_to(self.repo)), _text(number, self.generator.randrange(2, 1000)))

    def on_disk(self) -> set[tuple[str, str]]:
        """Every marked line of the tree with its path."""
        return {
            (str(path.relative_to(self.repo)), line.strip())
            for path in self.repo.rglob("*.py")
            for line in path.read_text(encoding="utf-8").splitlines()
            if MARK in line
        }

    def indexed(self, *more: str) -> set[tuple[str, str]] | None:
        """Every marked line that the index knows; None if it gives no answer."""
        ended = self.run("search", "--literal", MARK, "--limit", "10000", "--json", "--offline", *more)
        if ended.code != 0:
            return None
        found = json.loads(ended.out)
        return {(row["path"], row["text"].strip()) for row in found["results"]}

    def check(self, before: set[tuple[str, str]] | None) -> None:
        """The last good snapshot answers, the next index brings everything, and nothing is left lying about.

        Lines of files that changed or went meanwhile may be missing from the last snapshot's answer: it says so.
        """
        if before is not None and not self.hung:
            known, now = self.indexed("--no-sync"), self.on_disk()
            if known is None or not before & now <= known <= before | now:
                lost = sorted((before & now) - known)[:3] if known is not None else "everything"
                self.said.append(f"the last good snapshot doesn't answer: lost {lost}")
        if not self.hung:
            self.settle()

    def settle(self) -> None:
        """Index, compare with the tree, collect, and look for what is left over."""
        self.must("index", codes=(0,))
        found, there = self.indexed("--no-sync") or set(), self.on_disk()
        if found != there:
            self.said.append(f"lost {sorted(there - found)[:3]}, ghosts {sorted(found - there)[:3]}")
        self.must("gc", "--force")
        self.must("health")
        if self._left_over():
            # A child may outlive the process that was killed by a moment, and own its folder until then.
            self.must("gc", "--force")
        if left := self._left_over():
            self.said.append(f"left over: {left[:4]}")

    def _left_over(self) -> list[str]:
        beneath = (*self.home.rglob("*"), *self.repo.rglob("*"))
        left = [str(path.relative_to(self.base)) for path in beneath if any(mark in path.name for mark in _LEFTOVERS)]
        return left + [str(path.relative_to(self.base)) for path in self.home.glob("*/*/staging/*")]


def _text(number: int, version: int) -> str:
    body = "".join(f"    value_{line} = {line} * {version}\n" for line in range(number % 7))
    return f"def file_{number}():\n{body}    return '{MARK}{number}_{version}'\n"
