"""A codebase with a fake scip-python that a test can hold, break and look at; everything else is real."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.questions.semantic_documents import job_document
from tests.trees import Repo, cairn

FILES = {
    "pyproject.toml": '[project]\nname = "x"\n',
    "a/goods.py": "def price(thing):\n    return 1\n",
    "a/till.py": "from a.goods import price\n\n\ndef sell(thing):\n    return price(thing)\n",
    "b/stock.py": "def count(thing):\n    return 2\n",
}
_PATIENCE_S = 60.0
_TOOL = """#!{python}
import os, re, sys, time
sys.path[:0] = {path!r}
from pathlib import Path
from tests.semantic.scip.wireformat import document, metadata, occurrence
at = Path({at!r})
if "--version" in sys.argv:
    print((at / "version").read_text())
    sys.exit()
output = Path(sys.argv[sys.argv.index("--output") + 1])
target = sys.argv[sys.argv.index("--target-only") + 1] if "--target-only" in sys.argv else "."
texts = {{str(path.relative_to(".")): path.read_text() for path in sorted(Path(".").rglob("*.py"))}}
number = len(list(at.glob("began-*"))) + 1
(at / f"began-{{number}}").write_text(f"{{os.getpid()}} {{target}}")
while (at / "hold").exists() and not (at / f"go-{{number}}").exists():
    time.sleep(0.01)
mode = (at / "mode").read_text()
if mode == "hang":
    time.sleep(600)
if mode == "crash":
    sys.exit("no luck")
homes = {{}}
for path, text in texts.items():
    for name in re.findall(r"^def (\\w+)", text, re.M):
        homes[name] = f"scip-python python project 0 `{{path[:-3].replace('/', '.')}}`/{{name}}()."
data = metadata("scip-python", "1")
for path, text in texts.items():
    if (target != "." and not path.startswith(target + "/")) or (mode == "hide" and path.startswith("b/")):
        continue
    places = []
    for line, written in enumerate(text.splitlines()):
        for found in re.finditer(r"\\w+", written):
            if found[0] in homes:
                defines = written[:found.start()] == "def "
                places.append(occurrence([line, found.start(), found.end()], homes[found[0]], int(defines)))
    data += document(os.path.relpath(path, target), *places)
if mode == "garbage":
    data = b"garbage"
if mode == "cut":
    data = data[:-3]
output.write_bytes(data)
(at / "ended").touch()
"""


@dataclass(frozen=True, slots=True)
class Project:
    """A repository that is indexed, with the fake on a tool folder."""

    repo: Repo
    at: Path
    """Where the fake says that it began, and is told what to do."""

    def cairn(self, *arguments: str, code: int | None = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        done = cairn(*arguments, cwd=self.repo.path, **environment)
        assert code is None or done.returncode == code, done
        return done

    def told(self, *arguments: str, code: int | None = 0, **environment: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.cairn(*arguments, "--json", code=code, **environment).stdout)
        return found

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            (sys.executable, "-m", "cairn", *arguments),
            cwd=self.repo.path,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs as `cairn jobs` has them, with those settled whose worker is gone."""
        with Codebase(str(self.repo.path)) as codebase:
            codebase.refreshing.recover()
            return [job_document(job) for job in codebase.refreshing.queue.all()]

    def statuses(self) -> list[str]:
        return [job["status"] for job in self.jobs()]

    def act(self, mode: str) -> None:
        (self.at / "mode").write_text(mode)

    def hold(self) -> None:
        """From now on the fake waits for `go` after it has read its files."""
        (self.at / "hold").touch()

    def began(self, number: int = 1) -> str:
        """Wait until that run has read its files; what it was narrowed to."""
        path = self.at / f"began-{number}"
        until(lambda: path.exists() and path.read_text() != "")
        return path.read_text().split()[1]

    def go(self, number: int = 1) -> None:
        (self.at / f"go-{number}").touch()

    def runs(self) -> int:
        return len(list(self.at.glob("began-*")))

    def write(self, name: str, text: str) -> None:
        self.repo.write(name, text)

    def served(self) -> dict[str, set[str]]:
        """The names that the facts of each file have, as far as they are served; the store is sound besides."""
        with Codebase(str(self.repo.path)) as codebase, codebase.view() as view:
            facts = view.semantic("python:.")
            if facts is None:
                return {}
            found = {}
            for file in facts.files():
                numbers = {each.symbol for each in facts.occurrences_in(file.path)}
                if facts.serves(file.path):
                    found[file.path] = {each.name for each in facts.symbols(sorted(numbers)).values()}
            return found

    def published(self) -> list[str]:
        with Codebase(str(self.repo.path)) as codebase:
            manifest = codebase.store().active()
        assert manifest is not None
        return [ref.job_id for ref in manifest.semantics]

    def assert_sound(self) -> None:
        """Search goes on, and nothing is damaged."""
        self.cairn("search", "price", "--no-sync")
        checks = self.told("health", code=None)["checks"]
        # What a killed process has left behind is a warning until the next writer removes it.
        assert [check for check in checks if check["level"] == "error"] == []


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def put_tool(at: Path) -> str:
    """Write the fake, which does well until it is told otherwise; the folder for CAIRN_TOOL_FOLDERS."""
    (at / "bin").mkdir(parents=True)
    program = at / "bin" / "scip-python"
    program.write_text(_TOOL.format(python=sys.executable, path=[*sys.path], at=str(at)))
    program.chmod(0o700)
    (at / "version").write_text("1.0")
    (at / "mode").write_text("good")
    return str(program.parent)


def project_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str] = FILES, *, index: bool = True
) -> Project:
    at = folder / "fake"
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.setenv("CAIRN_TOOL_FOLDERS", put_tool(at))
    project = Project(Repo.create(folder / "repo"), at)
    for name, text in files.items():
        project.write(name, text)
    project.repo.commit()
    if index:
        project.cairn("index")
    return project
