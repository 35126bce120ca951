"""Both kernels beside each other: `python -m bench.kernels PROJECT...` indexes each project with each and compares.

What is written (rows, facts, terms, trigrams, vectors) is compared byte for byte, and what is answered
to questions about names and lines of the project field for field.
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cairn.api import Workspace, open_workspace
from cairn.base.errors import CairnError

KERNELS = ("native", "python")
_OWN = {"request_id", "timings_ms", "snapshot_id", "kernel"}
"""Fields that no two runs share."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,40}")
_PROSE = re.compile(r"[A-Z][a-z]+(?: [a-z]+){4,12}")
_RUN = re.compile(rb"01[0-9A-HJKMNP-TV-Z]{24}|\d{4}-\d\d-\d\dT[\d:.]+Z")
"""The ids and times of a run, which its completion proof holds."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.kernels", description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--names", type=int, default=20, help="how many names are asked for in each project")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(_told(options.projects[0], options.names)))
        return
    rows = [compared(project.resolve(), options.names) for project in options.projects]
    for cells in (rows[0], ["---"] * len(rows[0]), *(row.values() for row in rows)):
        print("|", " | ".join(map(str, cells)), "|")
    if any(row["bytes that differ"] or row["answers that differ"] for row in rows):
        sys.exit(1)


def compared(project: Path, names: int, kernels: tuple[str, str] = KERNELS) -> dict[str, Any]:
    """What differs between the kernels in one project, with counts."""
    native, python = (_run(kernel, project, names) for kernel in kernels)
    differing = {
        part: [key for key in native[part] | python[part] if native[part].get(key) != python[part].get(key)]
        for part in ("written", "answers")
    }
    for part, keys in differing.items():
        for key in keys[:5]:
            print(f"{project.name}: {part} differ: {key}", file=sys.stderr)
    return {
        "project": project.name,
        "files": native["files"],
        "chunks": native["chunks"],
        "languages": native["languages"],
        "files written": len(native["written"]),
        "bytes that differ": len(differing["written"]),
        "questions": len(native["answers"]),
        "answers that differ": len(differing["answers"]),
        "native, CPU s": f"{native['cpu']:.1f}",
        "python, CPU s": f"{python['cpu']:.1f}",
    }


def _run(kernel: str, project: Path, names: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="cairn-kernels-") as home:
        command = (sys.executable, "-m", "bench.kernels", "--child", "--names", str(names), str(project))
        environment = os.environ | {"CAIRN_KERNEL": kernel, "CAIRN_HOME": home}
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _told(project: Path, names: int) -> dict[str, Any]:
    """What one kernel wrote of a project and answers about it."""
    with open_workspace(project) as workspace:
        cpu = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        status = workspace.ask("status").document()
        return {
            "cpu": cpu,
            "files": status["counts"]["files"],
            "chunks": status["counts"]["chunks"],
            "languages": len({path.suffix for path in _files(project)}),
            "written": dict(_written(Path(os.environ["CAIRN_HOME"]))),
            "answers": dict(_answers(workspace, project, names)),
        }


def _written(home: Path) -> Iterator[tuple[str, str]]:
    """A digest of each file of the segments; Tantivy names its own by chance, so answers stand for them."""
    for number, folder in enumerate(sorted(home.glob("data/*/segments/*"))):
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and "lexical" not in path.parts):
            content = _content(path) if path.suffix == ".sqlite" else path.read_bytes()
            yield f"{number}/{path.name}", _digest(_RUN.sub(b"", content))


def _content(path: Path) -> bytes:
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        tables = [
            name for (name,) in database.execute("select name from sqlite_master where type = 'table' order by 1")
        ]
        return "\n".join(repr(row) for name in tables for row in database.execute(f"select * from {name}")).encode()
    finally:
        database.close()


def _answers(workspace: Workspace, project: Path, names: int) -> Iterator[tuple[str, str]]:
    for question, given in _questions(project, names):
        try:
            said: object = _steady(workspace.ask(question, **given).document())
        except CairnError as error:  # a refusal is an answer too
            said = f"{type(error).__name__}: {error}"
        yield f"{question} {given}", _digest(json.dumps(said, sort_keys=True).encode())


def _questions(project: Path, names: int) -> Iterator[tuple[str, dict[str, Any]]]:
    chance = random.Random(project.name)
    files = _files(project)
    some = chance.sample(files, min(len(files), 200))
    text = "\n".join(path.read_bytes().decode("utf-8", "replace") for path in some)
    counted = Counter(_NAME.findall(text))
    common = [name for name, _ in counted.most_common(names // 2)]
    rare = chance.sample(sorted(counted), min(len(counted), names - len(common)))
    for name in common + rare:
        for question in ("symbol", "refs", "callgraph"):
            yield question, {"name": name}
        yield "search", {"query": name}
        yield "search", {"query": name, "literal": True}
    prose = sorted(set(_PROSE.findall(text)))
    for line in chance.sample(prose, min(len(prose), names)):
        yield "search", {"query": line}
    for path in some[:names]:
        yield "outline", {"file": str(path.relative_to(project))}
        yield "imports", {"file": str(path.relative_to(project))}
        yield "impact", {"files": [str(path.relative_to(project))]}
    yield "map", {}


def _files(project: Path) -> list[Path]:
    return sorted(
        path for path in project.rglob("*") if path.is_file() and not path.is_symlink() and ".git" not in path.parts
    )


def _steady(value: object) -> object:
    if isinstance(value, dict):
        return {key: _steady(each) for key, each in value.items() if key not in _OWN}
    if isinstance(value, list):
        return [_steady(each) for each in value]
    return value


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    main()
