"""What universal-ctags finds in the files of one language: a second opinion about definitions."""

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.processes import ChildError, environment

KINDS: Mapping[str, frozenset[str]] = {
    "python": frozenset({"class", "function", "member"}),
    "typescript": frozenset({"class", "interface", "enum", "alias", "function", "generator", "method"}),
    "go": frozenset({"func", "struct", "interface", "type", "talias", "methodSpec"}),
    "rust": frozenset({"function", "method", "struct", "interface", "enum", "typedef"}),
    "c": frozenset({"function", "prototype", "struct", "union", "enum", "typedef"}),
}
"""Its kinds that are functions, types and methods, by language."""
CALLABLE = frozenset({"function", "member", "method", "generator", "func"})
_OPTIONS = ("--output-format=json", "--fields=+nKs-P", "--kinds-C=+p", "--sort=no", "-f", "-", "-L", "-")
_ANONYMOUS = "__anon"


@dataclass(frozen=True, slots=True)
class Tag:
    """Something that is defined at a line."""

    path: str
    name: str
    line: int
    kind: str
    scope_kind: str = ""
    """The kind of what is around it; empty at the top."""

    @property
    def anonymous(self) -> bool:
        """It has no name in the source, only one that the tool made up."""
        return self.name.startswith(_ANONYMOUS)


def read(lines: Iterable[str]) -> Iterator[Tag]:
    for line in lines:
        told = json.loads(line)
        if told["_type"] == "tag":
            yield Tag(told["path"], told["name"], told["line"], told["kind"], told.get("scopeKind", ""))


def tags(program: Path, root: Path, paths: Iterable[str]) -> list[Tag]:
    done = subprocess.run(
        (str(program), *_OPTIONS),
        cwd=root,
        input="\n".join(paths),
        capture_output=True,
        text=True,
        errors="replace",
        env=environment(),
    )
    if done.returncode:
        raise ChildError(f"ctags ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return list(read(done.stdout.splitlines()))
