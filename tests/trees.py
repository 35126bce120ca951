"""Real trees for tests: folders, git repositories, and processes that may not read everything."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
}


@dataclass(frozen=True, slots=True)
class Repo:
    """A git work tree driven by the real git."""

    path: Path

    @classmethod
    def create(cls, path: Path) -> "Repo":
        path.mkdir(parents=True)
        repo = cls(path.resolve())
        repo.git("init", "-q", "-b", "main")
        return repo

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ("git", *arguments), cwd=self.path, env=os.environ | _IDENTITY, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, name: str, content: str | bytes = "x = 1\n") -> Path:
        return write(self.path, name, content)

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()


def write(root: Path, name: str, content: str | bytes = "x = 1\n") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def as_everywhere(value: Any) -> Any:
    """What the command line prints without what it adds: where a path is from where one stands."""
    if isinstance(value, list):
        return [as_everywhere(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: as_everywhere(each) for name, each in value.items() if name != "from_here"}


def cairn(
    *arguments: str | bytes, cwd: Path | None = None, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own; `given` is its standard input."""
    return subprocess.run(
        (sys.executable, "-m", "cairn", *arguments),
        cwd=cwd,
        env=os.environ | environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
